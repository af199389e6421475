"""`Session`: the one holder of what the window shows.

Widgets call its intents; it acts, stores new frozen values and says what changed; widgets re-read.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

import msgspec
from PySide6.QtCore import QObject, Qt, Signal

from vramtuner.core.advice import Advice, advise
from vramtuner.core.calibration import Calibration
from vramtuner.core.deploy.engines import engine_of
from vramtuner.core.deploy.export import PLAIN, Export, Flavour, check_target, export
from vramtuner.core.device.find import find_device
from vramtuner.core.device.spec import Device
from vramtuner.core.device.summary import identity
from vramtuner.core.errors import AppError, CancelledError
from vramtuner.core.forecast import Forecast, forecast
from vramtuner.core.matrix import Question, record_missing
from vramtuner.core.model.find import find_model
from vramtuner.core.probe.client import NO_TORCH, torch_is_installed
from vramtuner.core.probe.protocol import DeviceFree, Event, PassResult, Progress
from vramtuner.core.profiling import Confirmation, Profile, calibration_for, profile_lengths, without_margin
from vramtuner.core.recording import find_tapes, get_tapes
from vramtuner.core.request import Phase, phases
from vramtuner.core.script import Script
from vramtuner.core.settings import Levers
from vramtuner.core.tape.format import Tape
from vramtuner.core.words import Labels, say
from vramtuner.gui.bridge import Bridge, Work, confirm_work, engine_work, export_work, profile_work
from vramtuner.gui.calibrating import profile_news
from vramtuner.gui.coupling import suited, with_followers
from vramtuner.gui.history import History
from vramtuner.gui.scout import Scout
from vramtuner.gui.series import LiveSeries
from vramtuner.gui.turns import giving_way
from vramtuner.gui.values import (
    Choice,
    HipCount,
    Measurement,
    Notice,
    Run,
    detail_of,
    followed,
    notice_of,
    sentence,
)

PATIENCE_SECONDS = 0.02
_CANCELLED = Labels(
    {
        "profile": "Profile cancelled.",
        "confirm": "Cancelled; the limit was not confirmed.",
        "validate": "Export cancelled; nothing was written.",
        "engine": "Export cancelled; nothing was written.",
        "matrix": "Cancelled; the tapes that were recorded until then are kept.",
    }
)


class Session(QObject):
    """Model, device, levers, their forecast, and the work under way.

    Attributes
    ----------
    forecast
        Of the choice; of an earlier one while ``stale``; ``None`` before there was any.
    stale
        The forecast is not of the current choice: its tape is being recorded, or ``problem`` says why it is not.
    live
        The readings of the latest passes, or of a run that was kept and opened.
    also_validate
        Lengths [tokens] that an export validates beside half, all and one and a half times the cap.
    hip
        What was free on the GPU when the latest passes on one began.
    scout
        Limits of levers that are not set.
    patience
        Seconds that a forecast is waited for; one that takes longer, because the allocator is replayed for it, comes
        later, and until then the earlier one is shown as ``stale``.
    """

    plan_changed = Signal()
    run_changed = Signal()
    measurements_changed = Signal()
    notice_changed = Signal()
    script_changed = Signal()
    tapes_recorded = Signal(object)
    _worked_out = Signal(object)

    def __init__(self, choice: Choice, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.choice = choice
        self.forecast: Forecast | None = None
        self.stale = True
        self.problem = ""
        self.run: Run | None = None
        self.notice: Notice | None = None
        self.measurements: tuple[Measurement, ...] = ()
        self.live = LiveSeries()
        self.also_validate: tuple[int, ...] = ()
        self.torch_installed = torch_is_installed()
        self.hip: HipCount | None = None
        self._found: tuple[Device, ...] = ()
        self._history: History[Choice] = History()
        self.script = Script()
        self._scripts: History[Script] = History()
        self._before_presenting: Choice | None = None
        self._tapes: tuple[tuple[str, tuple[Phase, ...]], tuple[Tape, ...]] | None = None
        self._recording: tuple[str, tuple[Phase, ...]] | None = None
        self._plan: Forecast | None = None
        self._path: Path | None = None
        self._flavour = PLAIN
        self._number = 0
        self._closed = False
        self._bridge = Bridge(self)
        self._bridge.event_received.connect(self._on_event)
        self._bridge.done.connect(self._on_done)
        self.scout = Scout(self)
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="forecast")
        self._awaited: Future[Forecast] | None = None
        self._ready: tuple[Any, ...] = ()
        self._worked_out.connect(self._on_worked_out, Qt.ConnectionType.QueuedConnection)
        self.patience: float | None = None  # there is nothing to show before the first one
        self._recompute()
        self.patience = PATIENCE_SECONDS

    # ---- what a person asks for

    def choose_model(self, text: str) -> None:
        """Take a preset, a folder or a GGUF file; raises `BadInputError` and changes nothing if it cannot be used.

        Levers that the model has no use for go back to their defaults.
        """
        spec = find_model(text)
        levers = suited(spec, msgspec.structs.replace(self.choice.levers, token_cap=None))
        self._take(replace(self.choice, spec=spec, levers=levers))

    def choose_device(self, name: str) -> None:
        """Take a device by its name; raises `BadInputError` and changes nothing if there is none."""
        self.take_device(find_device(name))

    def take_device(self, device: Device) -> None:
        """Take a device of the catalogue, or one that was found here and is known by more than its index.

        A pool that the device cannot give goes back to the device's default.
        """
        levers = self.choice.levers
        if (levers.pool_bytes or 0) > device.max_pool_bytes:
            levers = msgspec.structs.replace(levers, pool_bytes=None)
        device.pool_bytes(levers)
        self._take(replace(self.choice, device=device, levers=levers))

    def follow_devices(self, found: Sequence[Device]) -> None:
        """Keep up with the devices of this machine: the chosen GPU's index may shift; no step of undo."""
        was_gone, self._found = self.device_gone, tuple(found)
        if was_gone != self.device_gone:
            self.plan_changed.emit()  # what can be run has changed, though no figure has
        if self.run is None or self.run.is_recording:  # passes fill the memory themselves
            self._follow(self.choice)

    def look_for_torch(self) -> None:
        """Look again whether PyTorch is installed, and go on with what waited for it."""
        self.torch_installed = torch_is_installed()
        self._recompute()

    def change(self, **fields: Any) -> None:
        """Move levers, and with them what has to follow, as one step; raises `BadInputError` if a value cannot be."""
        before = self.choice.levers
        levers = msgspec.structs.replace(before, **with_followers(self.choice.spec, before, fields))
        self.choice.device.pool_bytes(levers)
        self._take(replace(self.choice, levers=levers), gesture=",".join(fields))

    def hold(self, on: bool) -> None:
        """A lever is being held: until it is let go of, its moves are one step of undo, however slow they are."""
        self._history.hold(on)

    def apply(self, levers: Levers) -> None:
        """Take a whole set of levers, such as an advice's."""
        self._take(replace(self.choice, levers=levers))

    def open_choice(self, choice: Choice) -> None:
        """Take model, device and levers together, as one step; raises `BadInputError` if they do not go together."""
        choice = followed(choice, self._found)
        choice.device.pool_bytes(choice.levers)
        phases(choice.spec, choice.device, choice.levers)
        self._take(choice)

    def undo(self) -> None:
        """Go back to the choice before the last change."""
        self._restore(self._history.undo(self.choice))

    def redo(self) -> None:
        """Take back the last undo."""
        self._restore(self._history.redo(self.choice))

    def set_script(self, script: Script) -> None:
        """Take another script; `undo_script` goes back to the one before."""
        if script != self.script:
            self._scripts.push(self.script)
            self.script = script
            self.script_changed.emit()

    def undo_script(self) -> None:
        """Go back to the script before its last change."""
        script = self._scripts.undo(self.script)
        if script is not None:
            self.script = script
            self.script_changed.emit()

    def present(self, choice: Choice) -> None:
        """Show a choice for a while: it is no step of undo, and `end_presenting` goes back to the one before."""
        if self._before_presenting is None:
            self._before_presenting = self.choice
        self._follow(choice)

    def end_presenting(self) -> None:
        """Go back to the choice from before `present`."""
        choice, self._before_presenting = self._before_presenting, None
        if choice is not None:
            self._follow(choice)

    @property
    def own_choice(self) -> Choice:
        """The choice that a person has made, whatever is presented."""
        return self._before_presenting or self.choice

    def best_advice(self) -> Advice | None:
        """The one change that would raise the limit most, if any would."""
        if self.forecast is None or self.stale or self._before_presenting is not None:
            return None  # while presenting nobody sees it, and a dozen forecasts would keep the next step waiting
        return next(iter(advise(self.forecast)), None)

    def checkpointing_saving(self) -> int | None:
        """Bytes that checkpointing takes off the peak of a training step at the cap, if both its tapes are at hand."""
        plan = self.forecast
        if plan is None or self.stale or plan.levers.pass_kind != "training":
            return None
        other = msgspec.structs.replace(plan.levers, checkpointing=not plan.levers.checkpointing)
        tapes = find_tapes(plan.spec, phases(plan.spec, plan.device, other))
        if tapes is None:
            return None
        saved = forecast(plan.spec, plan.device, other, *tapes).peak_bytes(plan.token_cap) - plan.peak_bytes(
            plan.token_cap
        )
        return saved if plan.levers.checkpointing else -saved

    def profile(self) -> None:
        """Run real passes on the device, up to what the cap and the limit allow."""
        plan = self.forecast
        if plan is None or self.profile_problem or self.run is not None:
            return
        lengths = profile_lengths(plan)
        self._begin_passes("profile", plan, profile_work(plan, lengths))

    def confirm(self) -> None:
        """Run the limit of the pool itself, and one token more."""
        plan = self.forecast
        if plan is None or self.profile_problem or self.run is not None:
            return
        bare = without_margin(plan)
        self._begin_passes("confirm", bare, confirm_work(bare))

    def record_missing(self, asked: Sequence[Question]) -> None:
        """Record what cells of the matrix lack, one tape after another; ``tapes_recorded`` then carries them."""
        if self.run is not None or not asked:
            return
        if not self.torch_installed:
            self.tell(Notice(NO_TORCH))
            return
        self._number = self._bridge.start(lambda probe, on_event: record_missing(asked, probe, on_event=on_event))
        self._set_run(Run("matrix"))

    def export(self, path: Path, engine: str = "auto", flavour: Flavour = PLAIN) -> None:
        """Validate the plan and write it; where nothing can be validated, offer to write it marked so.

        The file of an engine that is not run here is written at once, marked so.
        """
        plan = self.forecast
        if plan is None or self.export_problem or self.run is not None:
            return
        try:
            check_target(path)
            runs_on = engine_of(engine, self.choice.spec)
        except AppError as error:
            self.tell(notice_of(error))
            return
        if runs_on != "transformers":
            self._number = self._bridge.start(engine_work(runs_on, self.choice, path, flavour))
            self.tell(None)
            self._set_run(Run("engine"))
            return
        self._flavour = flavour
        reason = self._not_here or ("" if self.torch_installed else NO_TORCH)
        if reason and not plan.fits(plan.token_cap):
            self.tell(Notice(say("Nothing was written: {verdict}", verdict=plan.verdict)))
            return
        if reason:
            self.tell(
                Notice(
                    sentence(say("nothing can be validated: {reason}", reason=reason)),
                    is_error=False,
                    write=(plan, path),
                )
            )
            return
        self._path = path
        self._begin_passes("validate", plan, export_work(plan, path, self.also_validate, flavour))

    def show_run(self, series: LiveSeries, measurements: Sequence[Measurement]) -> None:
        """Look at a run that was kept: its readings in place of the latest ones, its passes beside the others."""
        self.live = series
        known = {measurement.result for measurement in self.measurements}
        self.measurements += tuple(one for one in measurements if one.result not in known)
        self.measurements_changed.emit()
        self.run_changed.emit()

    def refresh(self) -> None:
        """Forecast anew: what forecasts are corrected by has changed."""
        self._tapes = None
        self._recompute()

    def write_unvalidated(self) -> None:
        """Write the file that the notice offers, marked *not validated*."""
        if self.notice is None or self.notice.write is None:
            return
        plan, path = self.notice.write
        try:
            export(plan, path, validated=False, insist=True, flavour=self._flavour)
        except AppError as error:
            self.tell(notice_of(error))
            return
        self.tell(Notice(say("Wrote {path}, marked “not validated”.", path=path), is_error=False))

    def cancel(self) -> None:
        """Stop the work under way."""
        if self.run is not None and not self.run.cancelling:
            self._bridge.cancel()
            self._set_run(replace(self.run, cancelling=True))

    def tell(self, notice: Notice | None) -> None:
        """Show a notice, or take it away."""
        self.notice = notice
        self.notice_changed.emit()

    def close(self) -> None:
        """Stop everything, for good; returns when no thread and no process is left."""
        self._closed, self._number = True, 0
        self.scout.close()
        self._worker.shutdown(wait=True, cancel_futures=True)
        self._bridge.close()

    # ---- what widgets read

    @property
    def can_undo(self) -> bool:
        return self._history.can_undo

    @property
    def can_redo(self) -> bool:
        return self._history.can_redo

    @property
    def can_undo_script(self) -> bool:
        return self._scripts.can_undo

    @property
    def current_measurements(self) -> tuple[Measurement, ...]:
        """Passes of the operations that the forecast is about, on its device."""
        plan = self.forecast
        return () if plan is None else tuple(m for m in self.measurements if m.speaks_for(plan))

    @property
    def export_problem(self) -> str:
        """Why nothing can be exported now; empty when something can."""
        return "" if self.forecast is not None and not self.stale else say("there is no forecast of these levers yet")

    @property
    def profile_problem(self) -> str:
        """Why no pass can be run now; empty when one can."""
        if self.forecast is None or self.stale:
            return self.export_problem
        if not self.torch_installed:
            return NO_TORCH
        if self._not_here:
            return self._not_here
        return "" if self.forecast.limit.tokens else say("not even one token fits; lower the memory or raise the pool")

    @property
    def waiting_text(self) -> str:
        """What a stale forecast waits for."""
        if self.problem:
            return self.problem
        if self._awaited is not None:
            return say("Working out {name} under these levers…", name=self.choice.spec.name)
        if self.run is not None and self.run.kind != "record":
            before = say("tapes of the matrix") if self.run.is_recording else say("passes")
            return say("The tape of these levers is recorded when the {before} have ended.", before=before)
        return say("Recording the tape of {name} under these levers…", name=self.choice.spec.name)

    @property
    def device_gone(self) -> bool:
        """Whether the chosen GPU was in this machine and is not found any more."""
        device = self.choice.device
        return device.kind == "gpu" and bool(self._found) and identity(device) not in map(identity, self._found)

    @property
    def _not_here(self) -> str:
        device = self.choice.device
        if self.choice.spec.is_gguf:
            return say("passes of a GGUF file need llama.cpp, which is not run here")
        if self.device_gone:
            return say(
                "{name} is not in this machine any more; bring it back, or choose another device", name=device.name
            )
        if device.is_here:
            return ""
        return say("{name} is not in this machine; choose the CPU stand-in to run passes here", name=device.name)

    # ---- how it gets there

    def _take(self, choice: Choice, gesture: str = "") -> None:
        if choice == self.choice:
            self.plan_changed.emit()
            return
        self._history.push(self.choice, gesture)
        self.choice = choice
        self._recompute()

    def _restore(self, choice: Choice | None) -> None:
        if choice is not None:
            self._follow(choice)

    def _follow(self, choice: Choice) -> None:
        choice = followed(choice, self._found)
        if choice is not self.choice:
            self.choice = choice
            self._recompute()

    @property
    def _wanted(self) -> tuple[str, tuple[Phase, ...]]:
        """Whose tapes the forecast needs: the model's, for the passes of its request."""
        return self.choice.spec.config_hash, phases(self.choice.spec, self.choice.device, self.choice.levers)

    def _recompute(self) -> None:
        """Forecast the choice at once if its tape is at hand, else have it recorded behind the old curve."""
        wanted = self._wanted
        self.problem, self.stale, self._awaited = "", True, None
        try:
            known = self._tapes is not None and self._tapes[0] == wanted
            tapes = self._tapes[1] if self._tapes and known else find_tapes(self.choice.spec, wanted[1])
            if tapes is not None:
                calibration = calibration_for(self.choice.device, wanted[1][0].key)
                self._tapes = (wanted, tapes)
                self._work_out(partial(_forecast, self.choice, tapes, calibration))
        except AppError as error:
            self.problem = sentence(say("no forecast of these levers: {error}", error=error))
        if self.run is not None and self.run.kind == "record" and self._recording != wanted:
            # Nobody waits for that tape any more; whatever comes next begins when its recording has stopped.
            self._number = 0
            self._bridge.cancel()
            self._set_run(None)
        self._record_if_needed()
        self.plan_changed.emit()

    @property
    def _replayed(self) -> tuple[Any, ...]:
        """What the allocator's slack depends on: with the same, a forecast is only arithmetic."""
        device = self.choice.device
        return self._wanted, device.is_gpu, device.vram_bytes, self.choice.levers.allocator

    def _work_out(self, work: Callable[[], Forecast]) -> None:
        """Have the forecast now if it comes soon, else when it is there."""
        if self._replayed == self._ready:
            self.forecast, self.stale = work(), False
            return
        self._awaited = future = self._worker.submit(work)
        try:
            self._take_forecast(future, self.patience)
        except TimeoutError:
            self.scout.pause()
            future.add_done_callback(self._worked_out.emit)

    def _take_forecast(self, future: "Future[Forecast]", seconds: float | None) -> None:
        try:
            self.forecast, self.stale, self._ready = future.result(seconds), False, self._replayed
        except AppError as error:
            self.problem = sentence(say("no forecast of these levers: {error}", error=error))
        self._awaited = None

    def _on_worked_out(self, future: "Future[Forecast]") -> None:
        if future is self._awaited and not self._closed:
            self._take_forecast(future, None)
            self.plan_changed.emit()

    def _record_if_needed(self) -> None:
        if not self.stale or self.problem or self._awaited is not None or self.run is not None or self._closed:
            return
        if not self.torch_installed:
            self.problem = NO_TORCH
            return
        spec, self._recording = self.choice.spec, self._wanted
        parts = self._recording[1]
        self._number = self._bridge.start(lambda probe, on_event: get_tapes(spec, parts, probe, on_event=on_event))
        self._set_run(Run("record"))

    def _begin_passes(self, kind: Literal["profile", "confirm", "validate"], plan: Forecast, work: Work) -> None:
        self.live = LiveSeries(plan.pool_bytes, plan.device.name)
        self._plan = plan
        self._number = self._bridge.start(work, fresh=True)
        self.tell(None)
        self._set_run(Run(kind))

    def _set_run(self, run: Run | None) -> None:
        self.run = run
        self.run_changed.emit()

    def _on_event(self, number: int, event: Event) -> None:
        if number != self._number or self.run is None:
            return
        self.live.take(event)
        match event:
            case Progress():
                self._set_run(
                    replace(self.run, stage=event.stage, fraction=event.fraction, seconds_left=event.seconds_left)
                )
            case DeviceFree():
                assert self._plan is not None
                self.hip = HipCount.of(self._plan.device, event) or self.hip
            case PassResult():
                self._add_result(event)

    def _add_result(self, result: PassResult) -> None:
        assert self._plan is not None and self.run is not None
        assert self.run.kind != "record" and self.run.kind != "matrix" and self.run.kind != "engine"
        self.measurements = (*self.measurements, Measurement(self.run.kind, self._plan, result))
        self.measurements_changed.emit()

    def _on_done(self, number: int, future: "Future[Any]") -> None:
        run = self.run
        if number != self._number or run is None:
            return
        if not run.is_recording:
            self.live.end()
        self._set_run(None)
        try:
            result = future.result()
        except CancelledError:
            self._on_cancelled(run)
        except AppError as error:
            self._on_failed(run, error)
        else:
            self._on_finished(run, result)
        finally:
            self._record_if_needed()

    def _on_finished(self, run: Run, result: Any) -> None:
        if run.kind == "record":
            assert self._recording is not None
            self._tapes = (self._recording, result)
            self.scout.forget()
            self._recompute()
        if run.kind == "matrix":
            self.tapes_recorded.emit(result)
        if isinstance(result, Profile):
            assert self._plan is not None
            self.tell(profile_news(self, self._plan, result))
        if isinstance(result, Confirmation):
            self.tell(Notice(result.text, is_error=not result.is_confirmed))
        if not isinstance(result, Export):
            return
        if result.path is not None and run.kind == "engine":
            self.tell(Notice(say("Wrote {path}, marked “not validated”.", path=result.path), is_error=False))
        elif result.path is not None:
            self.tell(Notice(say("Validated, and wrote {path}.", path=result.path), is_error=False))
        elif result.report is not None and self._plan is not None and self._path is not None:
            text = sentence(say("validation failed and nothing was written: {problem}", problem=result.report.problem))
            self.tell(Notice(text, write=(self._plan, self._path)))

    def _on_cancelled(self, run: Run) -> None:
        if run.kind == "record":
            self.problem = say("The recording was cancelled. Undo, or move a lever to try again.")
            self.plan_changed.emit()
            return
        self.tell(Notice(_CANCELLED[run.kind], is_error=False))

    def _on_failed(self, run: Run, error: AppError) -> None:
        detail = detail_of(error)
        if run.kind == "record":
            self.problem = sentence(say("no forecast of these levers: {error}", error=error))
            self.plan_changed.emit()
            if not detail:
                return
        # Whatever kept the passes from running, a person may still want the file, marked for what it is.
        insist = (self._plan, self._path) if run.kind == "validate" and self._plan and self._path else None
        self.tell(Notice(sentence(error), detail=detail, write=insist))


def _forecast(choice: Choice, tapes: tuple[Tape, ...], calibration: Calibration | None) -> Forecast:
    with giving_way():
        return forecast(choice.spec, choice.device, choice.levers, *tapes, calibration=calibration)
