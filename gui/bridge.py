"""The probe off the GUI thread: a blocking call in, Qt signals out."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
from PySide6.QtCore import QObject, Qt, Signal

from vramtuner.core.deploy.engines import Engine, engine_forecast
from vramtuner.core.deploy.export import Export, Flavour, export
from vramtuner.core.errors import CancelledError
from vramtuner.core.forecast import Forecast
from vramtuner.core.probe.client import Probe
from vramtuner.core.probe.protocol import Event
from vramtuner.core.profiling import Confirmation, Profile, confirm_limit, run_profile
from vramtuner.gui.values import Choice

Work: TypeAlias = Callable[[Probe, Callable[[Event], None]], Any]


@dataclass(slots=True)
class _Job:
    """One piece of work, and the process it is done in."""

    number: int
    probe: Probe
    cancelled: bool = False


class Bridge(QObject):
    """Runs one piece of work at a time on a worker thread; the next one may wait for a cancelled one to stop.

    ``event_received`` carries the run's number and an event; ``done`` its number and the finished future, whose
    ``result()`` returns what the work returned or raises what it raised, on the GUI thread.
    """

    event_received = Signal(int, object)
    done = Signal(int, object)
    _ended = Signal(int, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="probe")
        self._recorder = Probe()
        self._number = 0
        self._job: _Job | None = None
        self._ended.connect(self._on_ended, Qt.ConnectionType.QueuedConnection)

    @property
    def busy(self) -> bool:
        """Whether work is under way that was not cancelled."""
        return self._job is not None and not self._job.cancelled

    def start(self, work: Work, *, fresh: bool = False) -> int:
        """Begin a piece of work and return its number.

        Parameters
        ----------
        work
            Called on the worker thread with a probe and a function that takes its events.
        fresh
            Give it a probe process of its own, which is gone when the work is done: passes leave nothing in memory.
            Otherwise the process is kept for the next recording, which then need not import PyTorch again.
        """
        if self.busy:
            raise ValueError("one run at a time")
        self._number += 1
        self._job = _Job(self._number, Probe() if fresh else self._recorder)
        future = self._worker.submit(self._run, work, self._job, fresh)
        future.add_done_callback(partial(self._ended.emit, self._number))
        return self._number

    def cancel(self) -> None:
        """Stop the work under way; it ends with `CancelledError` within about a second."""
        if self._job is not None:
            self._job.cancelled = True
            self._job.probe.cancel()

    def close(self) -> None:
        """Stop everything and wait until nothing is left: no thread, no process."""
        self.cancel()
        self._worker.shutdown(wait=True)
        self._recorder.close()

    def _run(self, work: Work, job: _Job, fresh: bool) -> Any:
        def on_event(event: Event) -> None:
            if job.cancelled:
                # The request may have come before the probe began to listen for it.
                job.probe.cancel()
            self.event_received.emit(job.number, event)

        try:
            if job.cancelled:
                raise CancelledError("cancelled")
            return work(job.probe, on_event)
        finally:
            if fresh:
                job.probe.close()

    def _on_ended(self, number: int, future: "Future[Any]") -> None:
        if self._job is not None and self._job.number == number:
            self._job = None
        self.done.emit(number, future)


def profile_work(plan: Forecast, lengths: tuple[int, ...]) -> Work:
    """The passes of these lengths, as work for the probe; the run is kept as a file."""

    def work(probe: Probe, on_event: Callable[[Event], None]) -> Profile:
        return run_profile(plan, lengths, probe, on_event=on_event)

    return work


def confirm_work(plan: Forecast) -> Work:
    """The passes that confirm the limit of a plan without a margin, as work for the probe; kept as files."""

    def work(probe: Probe, on_event: Callable[[Event], None]) -> Confirmation:
        return confirm_limit(plan, lambda lengths: run_profile(plan, lengths, probe, on_event=on_event).passes)

    return work


def export_work(plan: Forecast, path: Path, also: tuple[int, ...], flavour: Flavour) -> Work:
    """The validation of a plan and its file, as work for the probe."""

    def work(probe: Probe, on_event: Callable[[Event], None]) -> Export:
        return export(plan, path, validated=True, on_event=on_event, probe=probe, also=also, flavour=flavour)

    return work


def engine_work(engine: Engine, choice: Choice, path: Path, flavour: Flavour) -> Work:
    """The file of an engine whose passes are not run here; what its forecast lacks is recorded by the probe."""

    def work(probe: Probe, on_event: Callable[[Event], None]) -> Export:
        plan, found = engine_forecast(engine, choice.spec, choice.device, choice.levers, probe, on_event=on_event)
        told = msgspec.structs.replace(flavour, engine=found, levers=choice.levers)
        return export(plan, path, validated=False, flavour=told)

    return work
