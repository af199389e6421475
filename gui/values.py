"""The frozen values that the session holds beside core's own, with their wording."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Literal, Self

import msgspec

from vramtuner.core.device.free import FreeNow, exceeds_free
from vramtuner.core.device.spec import Device
from vramtuner.core.device.summary import Identity, identity
from vramtuner.core.errors import AppError, ProbeError
from vramtuner.core.forecast import Forecast, measured_error
from vramtuner.core.model.spec import ModelSpec
from vramtuner.core.probe.protocol import DeviceFree, PassResult
from vramtuner.core.settings import Levers
from vramtuner.core.stages import STARTING, stage_in_words
from vramtuner.core.text import printable
from vramtuner.core.units import format_bytes
from vramtuner.core.words import number, say


def sentence(text: object) -> str:
    """A message of core's as a sentence of its own: capital letter, full stop; a name at its start stays as it is."""
    words = str(text)
    start = words[:1] if "_" in words.partition(" ")[0] else words[:1].upper()
    return f"{start}{words[1:]}{'' if words.endswith(('.', '…')) else '.'}"


def detail_of(error: BaseException) -> str:
    """What is known of an error beside its message: the last words of the probe, and what caused it."""
    lines = list(error.stderr_tail) if isinstance(error, ProbeError) else []
    cause = error.__cause__
    while cause is not None and len(lines) < 200:
        lines.append(printable(f"{type(cause).__name__}: {cause}", 1000))
        cause = cause.__cause__
    return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Choice:
    """What a person has chosen; undo goes back to an earlier one."""

    spec: ModelSpec
    device: Device
    levers: Levers


def followed(choice: Choice, found: Sequence[Device]) -> Choice:
    """The choice with its GPU as it was found now, whose index may have shifted; the same object if nothing is new.

    What is used changes all the time, and is new only where it begins or ends to matter to the pool.
    """
    was = choice.device
    now = next((device for device in found if identity(device) == identity(was)), None)
    if now is None or was.kind != "gpu":
        return choice
    is_news = _lasting(now) != _lasting(was) or _is_crowded(now, choice.levers) != _is_crowded(was, choice.levers)
    return replace(choice, device=now) if is_news else choice


def _lasting(device: Device) -> tuple[Device, int]:
    bare = msgspec.structs.replace(device, vram_used_bytes=None, heaps=None, warnings=())
    return bare, len(device.warnings)


def _is_crowded(device: Device, levers: Levers) -> bool:
    pool = device.default_pool_bytes if levers.pool_bytes is None else levers.pool_bytes
    return exceeds_free(device, pool, device.driver_free_bytes)


@dataclass(frozen=True, slots=True)
class HipCount:
    """What was free on a GPU when passes began on it, by HIP's count and the driver's."""

    device: Identity
    free: FreeNow
    at: datetime

    @classmethod
    def of(cls, device: Device, event: DeviceFree) -> Self | None:
        """Of an event of passes on a device; ``None`` where HIP did not answer."""
        if event.hip_bytes is None:
            return None
        free = FreeNow(event.hip_bytes, event.driver_bytes, event.hip_bytes)
        return cls(identity(device), free, datetime.now().astimezone())


@dataclass(frozen=True, slots=True)
class Run:
    """Work under way in the probe."""

    kind: Literal["record", "matrix", "engine", "profile", "confirm", "validate"]
    stage: str = STARTING
    fraction: float = 0.0
    seconds_left: float | None = None
    cancelling: bool = False

    @property
    def text(self) -> str:
        """How far it is, for people."""
        if self.cancelling:
            return say("Cancelling…")
        left = (
            ""
            if self.seconds_left is None
            else say(" · about {seconds_left:.0f} s left", seconds_left=max(self.seconds_left, 1))
        )
        what = {"profile": say("Profile: "), "confirm": say("Limit: "), "validate": say("Validation: ")}.get(
            self.kind, ""
        )
        return f"{what}{stage_in_words(self.stage)}{left}"

    @property
    def is_recording(self) -> bool:
        """Whether it is tapes that are made, and no pass is run on the device."""
        return self.kind in ("record", "matrix", "engine")


@dataclass(frozen=True, slots=True)
class Measurement:
    """One pass that was run, and the forecast it was run under, or would be now if its run was kept."""

    kind: Literal["profile", "confirm", "validate", "kept"]
    forecast: Forecast
    result: PassResult

    @property
    def error(self) -> float | None:
        """Forecast minus measured, as a fraction of the measured part above the weights."""
        result = self.result
        if result.outcome != "ok":
            return None
        return measured_error(self.forecast, result.tokens, result.peak_bytes, result.weight_bytes)

    @property
    def error_text(self) -> str:
        """The error with its sign: ``+0.02 %``; nothing for a pass that did not end."""
        error = self.error
        if error is None:
            return ""
        text = number(error, "+.2%").replace("%", " %").replace("-", "−")
        return text[1:] if not text.strip("+−0.,% ") else text

    @property
    def forecast_bytes(self) -> int:
        """What the forecast says of the same pass: tensors, without the allocator's slack and the overhead."""
        return self.forecast.tensor_bytes(self.result.tokens)

    @property
    def curve_bytes(self) -> int:
        """Where the pass lies on the curve: its peak of tensors, plus what the forecast adds that no pass sees."""
        beside = self.forecast.peak_bytes(self.result.tokens) - self.forecast.tensor_bytes(self.result.tokens)
        return self.result.peak_bytes + beside

    @property
    def calibration_error_bytes(self) -> int:
        """What the forecast may be off by at this length, as its calibration says of itself; nothing without one."""
        calibration, plan, tokens = self.forecast.calibration, self.forecast, self.result.tokens
        if calibration is None:
            return 0
        held = plan.held_bytes if plan.device.is_gpu else plan.tensor_bytes
        return calibration.error_bytes(held(tokens) - plan.weight_bytes)

    @property
    def source(self) -> str:
        """Where the figures come from."""
        weights = say(", weights: synthetic") if self.result.synthetic else ""
        plan = self.forecast
        return f"{plan.device.name}, {plan.key.dtype}, {plan.attention}{weights}"

    @property
    def tip(self) -> str:
        """What a row has no room for: where it was measured, its phases, and what did not fit."""
        result, lines = self.result, [say("measured on {source}", source=self.source)]
        if len(result.phases) > 1:
            lines += [
                f"{say(one.phase)}: {format_bytes(one.peak_bytes)}, {number(one.seconds, '.2f')} s"
                for one in result.phases
            ]
        if result.message:
            lines.insert(0, result.message)
        if result.refusal is not None and result.refusal.holders:
            lines += [say("held most then:")]
            lines += [f"  {printable(name, 60)} {format_bytes(size)}" for name, size in result.refusal.holders]
        return "\n".join(lines)

    def speaks_for(self, forecast: Forecast) -> bool:
        """Whether the pass ran the operations that a forecast is about, on its device."""
        mine = self.forecast
        return (mine.spec.config_hash, mine.phases, identity(mine.device)) == (
            forecast.spec.config_hash, forecast.phases, identity(forecast.device),
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class NoticeAction:
    """A next step that a notice offers as a button."""

    label: str
    act: Callable[[], None]
    tip: str = ""


@dataclass(frozen=True, slots=True)
class MeasuredPoint:
    """The newest pass of a length as it is drawn, with a bar.  [bytes]

    Attributes
    ----------
    bytes
        Its height on the curve; that of the pool where it ran out of memory.
    below, above
        How far the bar goes: over every pass of the length where there are several, else by the calibration's error.
    bar_text
        What the bar is of.
    """

    measurement: Measurement
    bytes: int
    below: int = 0
    above: int = 0
    bar_text: str = ""

    @property
    def is_uncertain(self) -> bool:
        return self.below > 0 or self.above > 0


def measured_points(measurements: Sequence[Measurement]) -> tuple[MeasuredPoint, ...]:
    """One point for every length that was run, ascending."""
    by_length: dict[int, list[Measurement]] = {}
    for measurement in measurements:
        if measurement.result.outcome != "refused":
            by_length.setdefault(measurement.result.tokens, []).append(measurement)
    return tuple(_point(passes) for _, passes in sorted(by_length.items()))


def _point(passes: list[Measurement]) -> MeasuredPoint:
    newest = passes[-1]
    if newest.result.outcome != "ok":
        return MeasuredPoint(newest, newest.forecast.pool_bytes)
    height = newest.curve_bytes
    heights = [measurement.curve_bytes for measurement in passes if measurement.result.outcome == "ok"]
    if len(heights) > 1:
        bar_text = say("spread of {heights} passes", heights=len(heights))
        return MeasuredPoint(newest, height, height - min(heights), max(heights) - height, bar_text)
    error = newest.calibration_error_bytes
    return MeasuredPoint(newest, height, error, error, say("standard error of the calibration"))


@dataclass(frozen=True, slots=True)
class Notice:
    """Something to tell a person where the work is shown; ``detail`` is one click away.

    ``write`` is the file that can still be written, marked *not validated*, if the person insists; ``actions`` are
    other next steps.
    """

    text: str
    is_error: bool = True
    detail: str = ""
    write: tuple[Forecast, Path] | None = None
    actions: tuple[NoticeAction, ...] = ()


def notice_of(error: AppError | str) -> Notice:
    """An error as a notice: its message, and what is known of the cause one click away."""
    return Notice(sentence(error), detail=detail_of(error) if isinstance(error, AppError) else "")
