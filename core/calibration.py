"""What passes on a device correct in a forecast: the memory outside torch, an offset and a slope, each with its error.

A correction is fitted by Theil and Sen's method (the median of all pairwise slopes; P. K. Sen, J. Am. Stat. Assoc. 63,
1968), which a third of the points can be wrong in.  Its errors come from the scatter of the points, taken as 1.4826
times their median absolute deviation, which is the standard deviation where the scatter is normal.
"""

import hashlib
import logging
from collections.abc import Iterable
from itertools import combinations
from math import sqrt
from pathlib import Path
from statistics import median

import msgspec
import platformdirs

from vramtuner.core.errors import BadInputError
from vramtuner.core.files import write_atomically
from vramtuner.core.units import format_bytes
from vramtuner.core.words import say

logger = logging.getLogger(__name__)
FORMAT_VERSION = 1
LEAST_LENGTHS = 3
_LEAST_SPAN = 2.0
_MOST_SCATTER = 0.02
_MOST_SLOPE = 0.25
_NORMAL = 1.4826


class Stack(msgspec.Struct, frozen=True, kw_only=True):
    """What a calibration speaks for: the same device under the same software, running the same kind of operations.

    Attributes
    ----------
    device
        Name and PCI address of a GPU, or the stand-in.
    driver
        Version of the kernel's driver; empty where it is not known.
    """

    device: str
    driver: str
    torch: str
    transformers: str
    dtype: str
    attention: str
    weights: str


class Observation(msgspec.Struct, frozen=True):
    """One pass that ended, beside its forecast.  [bytes, above the weights]

    Attributes
    ----------
    forecast_bytes, measured_bytes
        On a GPU what torch holds from the driver, slack included; on the stand-in what is in tensors.
    outside_bytes
        What the process had on the device beside what torch held; ``None`` where nothing counts it.
    """

    tokens: int
    forecast_bytes: int
    measured_bytes: int
    outside_bytes: int | None = None


class Calibration(msgspec.Struct, frozen=True, kw_only=True):
    """A correction and where it comes from: corrected = forecast · (1 + ``slope``) + ``offset_bytes``.

    Attributes
    ----------
    overhead_bytes, overhead_error_bytes
        Memory outside torch, which takes the place of the device's estimate; ``None`` where it was not measured.
    slope_error, offset_error_bytes
        Standard errors.
    """

    format: int = FORMAT_VERSION
    stack: Stack
    created: str
    model: str
    model_hash: str
    levers: str
    slope: float
    slope_error: float
    offset_bytes: int
    offset_error_bytes: int
    overhead_bytes: int | None
    overhead_error_bytes: int | None
    observations: tuple[Observation, ...]

    def corrected_bytes(self, forecast_bytes: float) -> float:
        """A forecast of what is above the weights, corrected.  [bytes]"""
        return forecast_bytes * (1 + self.slope) + self.offset_bytes

    def error_bytes(self, forecast_bytes: float) -> int:
        """What a corrected forecast may be off by: its standard errors added up, which is the most they give.

        Parameters
        ----------
        forecast_bytes
            What is above the weights, not corrected.
        """
        return round(
            abs(forecast_bytes) * self.slope_error + self.offset_error_bytes + (self.overhead_error_bytes or 0)
        )

    @property
    def text(self) -> str:
        """What it says, for people."""
        lengths = sorted({seen.tokens for seen in self.observations})
        parts = [
            say(
                "offset {offset_bytes} ± {offset_error_bytes}",
                offset_bytes=format_bytes(self.offset_bytes),
                offset_error_bytes=format_bytes(self.offset_error_bytes),
            ),
            say("slope {slope:+.2%} ± {slope_error:.2%}", slope=self.slope, slope_error=self.slope_error),
        ]
        if self.overhead_bytes is not None and self.overhead_error_bytes is not None:
            outside = f"{format_bytes(self.overhead_bytes)} ± {format_bytes(self.overhead_error_bytes)}"
            parts.insert(0, say("outside torch {outside}", outside=outside))
        where = say(
            "{observations} passes of {model} from {lengths:,} to {lengths2:,} tokens",
            observations=len(self.observations),
            model=self.model,
            lengths=lengths[0],
            lengths2=lengths[-1],
        )
        return say(
            "{parts}; measured in {where} on {device}, {created}",
            parts=", ".join(parts),
            where=where,
            device=self.stack.device,
            created=self.created[:10],
        )


def calibrate(
    observations: Iterable[Observation], *, stack: Stack, created: str, model: str, model_hash: str, levers: str
) -> Calibration:
    """The correction that passes ask for.

    Raises
    ------
    BadInputError
        The passes are too few or too near each other, scatter too much, or differ too much from the forecast.
    """
    seen = tuple(observations)
    _check_enough(seen)
    x = [float(point.forecast_bytes) for point in seen]
    off = [float(point.measured_bytes - point.forecast_bytes) for point in seen]
    pairs = [(i, j) for i, j in combinations(range(len(seen)), 2) if x[i] != x[j]]
    slope = median((off[j] - off[i]) / (x[j] - x[i]) for i, j in pairs)
    offset = median(difference - slope * size for difference, size in zip(off, x, strict=True))
    left = [difference - slope * size - offset for difference, size in zip(off, x, strict=True)]
    scatter = _NORMAL * median(map(abs, left))
    largest = max(point.measured_bytes for point in seen)
    if scatter > _MOST_SCATTER * largest:
        raise BadInputError(
            say(
                "the passes scatter by {scatter}, more than {most_scatter:.0%} of the largest; close "
                "what else runs on the device and profile again",
                scatter=format_bytes(round(scatter)),
                most_scatter=_MOST_SCATTER,
            )
        )
    if abs(slope) > _MOST_SLOPE:
        raise BadInputError(
            say(
                "the passes grow {slope:+.0%} as fast as forecast, which is no correction but another "
                "pass; check that the kernel which ran is the one that was forecast",
                slope=slope,
            )
        )
    middle = sum(x) / len(x)
    spread = sum((size - middle) ** 2 for size in x)
    outside = [point.outside_bytes for point in seen if point.outside_bytes is not None]
    overhead = median(outside) if outside else None
    return Calibration(
        stack=stack, created=created, model=model, model_hash=model_hash, levers=levers,
        slope=slope, slope_error=scatter / sqrt(spread),
        offset_bytes=round(offset), offset_error_bytes=round(scatter * sqrt(1 / len(x) + middle**2 / spread)),
        overhead_bytes=None if overhead is None else round(overhead),
        overhead_error_bytes=None if overhead is None else _error_of_median(outside, overhead),
        observations=seen,
    )  # fmt: skip


def _check_enough(seen: tuple[Observation, ...]) -> None:
    lengths = {point.tokens for point in seen}
    if len(lengths) < LEAST_LENGTHS:
        raise BadInputError(
            say(
                "{lengths} lengths are too few to calibrate; profile {least_lengths} or more",
                lengths=len(lengths),
                least_lengths=LEAST_LENGTHS,
            )
        )
    sizes = [point.forecast_bytes for point in seen]
    if max(sizes) < _LEAST_SPAN * max(min(sizes), 1):
        raise BadInputError(
            say("the passes are too much alike to tell a slope from an offset; profile lengths further apart")
        )


def _error_of_median(values: list[int], middle: float) -> int:
    """The standard error of a median: that of a mean, times the square root of half of pi."""
    return round(1.2533 * _NORMAL * median(abs(value - middle) for value in values) / sqrt(len(values)))


# ---- where they are kept


def calibrations_folder() -> Path:
    """Where this machine's calibrations are."""
    return Path(platformdirs.user_data_dir("vramtuner")) / "calibrations"


def _path(stack: Stack) -> Path:
    return calibrations_folder() / f"{hashlib.sha256(msgspec.json.encode(stack)).hexdigest()[:32]}.json"


def save_calibration(calibration: Calibration) -> Path:
    """Keep a calibration in the place of an earlier one of the same stack.

    Raises
    ------
    OSError
        The folder cannot be written; the earlier one stays.
    """
    path = _path(calibration.stack)
    write_atomically(path, msgspec.json.format(msgspec.json.encode(calibration), indent=1))
    return path


def find_calibration(stack: Stack) -> Calibration | None:
    """The calibration of a stack; ``None`` where there is none that can be read."""
    found = _read(_path(stack))
    return found if found is not None and found.stack == stack else None


def all_calibrations() -> tuple[Calibration, ...]:
    """Those that are kept on this machine and can be read, by device and time."""
    read = ((path, _read(path)) for path in calibrations_folder().glob("*.json"))
    found = [kept for path, kept in read if kept is not None and _path(kept.stack) == path]
    return tuple(sorted(found, key=lambda calibration: (calibration.stack.device, calibration.created)))


def _read(path: Path) -> Calibration | None:
    try:
        found = msgspec.json.decode(path.read_bytes(), type=Calibration)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
        logger.info("calibration %s is ignored: %s", path.name, error)
        return None
    return found if found.format == FORMAT_VERSION and _can_be(found) else None


def _can_be(found: Calibration) -> bool:
    """Whether a calibration is one that `calibrate` makes; its file may have been changed by hand."""
    sizes = (found.offset_bytes, found.offset_error_bytes, found.overhead_bytes or 0, found.overhead_error_bytes or 0)
    return (
        bool(found.observations)
        and abs(found.slope) <= _MOST_SLOPE
        and 0 <= found.slope_error < 1
        and min(sizes[1:]) >= 0
        and max(map(abs, sizes)) < 2**62
    )


def forget_calibration(stack: Stack) -> bool:
    """Take a stack's calibration away; whether there was one."""
    try:
        _path(stack).unlink()
    except FileNotFoundError:
        return False
    return True
