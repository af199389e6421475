"""Three recordings in, one `Fit` out: align the events, fit every size, compare others with it."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from vramtuner.core.tape.format import Component, Recording, Regime

Array = npt.NDArray[np.float64]


class NotAlignedError(ValueError):
    """The recordings are not the same sequence of events; no polynomial speaks for all of them."""


@dataclass(frozen=True, slots=True)
class Fit:
    """The polynomial of degree ≤ 2 through the sizes that every storage has in up to three recordings.

    ``first`` is the shortest of them, whose events all of them have; ``a``, ``b``, ``c`` have an entry per storage.
    """

    first: Recording
    recorded_at: tuple[int, ...]
    a: Array
    b: Array
    c: Array

    def error_bytes(self, other: Recording) -> int:
        """The largest difference of live bytes between the fit and a recording, over all events.

        Raises
        ------
        NotAlignedError
            The recording has other events.
        """
        _require_same(self.first, other)
        n = other.tokens
        error = np.array(other.sizes, dtype=np.float64) - (self.a + self.b * n + self.c * n * n)
        return round(float(np.abs(np.cumsum(_signed(other.events, error))).max(initial=0)))

    def speaks_for(self, other: Recording) -> bool:
        """Whether a recording has the same events with the sizes that the fit gives them."""
        try:
            return self.error_bytes(other) == 0
        except NotAlignedError:
            return False

    def regime(self, from_tokens: int, to_tokens: int, held_out: Recording, granule: int = 1) -> Regime:
        """The fit as a part of a tape.

        Raises
        ------
        NotAlignedError
            ``held_out`` has other events.
        """
        component = [
            int(Component.WORKSPACE) if code is Component.ACTIVATIONS and square > 0 else int(code)
            for code, square in zip(self.first.components, self.c.tolist(), strict=True)
        ]
        return Regime(
            from_tokens=from_tokens,
            to_tokens=to_tokens,
            recorded_at=self.recorded_at,
            held_out=held_out.tokens,
            residual_bytes=self.error_bytes(held_out),
            events=list(self.first.events),
            a=self.a.tolist(),
            b=self.b.tolist(),
            c=self.c.tolist(),
            component=component,
            upcasts=sorted(self.first.upcasts),
            granule=granule,
        )


def fit_lengths(from_tokens: int, to_tokens: int, granule: int = 1) -> tuple[int, int, int]:
    """Three equally spaced lengths inside a regime, a power of two apart so that the fit is exact in floats.

    With a granule, lengths one below its multiples: those that take most of the lengths that are padded alike.

    Raises
    ------
    ValueError
        The regime has fewer than four lengths.
    """
    if granule > 1:
        first = -(-(from_tokens + 1) // granule)
        if (first + 3) * granule - 1 > to_tokens:
            raise ValueError(f"a regime up to {to_tokens:,} is too short to fit in steps of {granule}")
        lengths = tuple((first + number) * granule - 1 for number in range(3))
        return lengths[0], lengths[1], lengths[2]
    room = to_tokens - from_tokens
    if room < 3:
        raise ValueError(f"a regime of {room + 1} lengths is too short to fit")
    step = 1
    while 3 * (2 * step) <= room and step < 1024:
        step *= 2
    first = -(-from_tokens // step) * step
    return first, first + step, first + 2 * step


def held_out_length(to_tokens: int, lengths: tuple[int, int, int], granule: int = 1) -> int:
    """A length away from the fitted ones, odd where it can be, so that rounding to 2, 4, 8 … would show."""
    last = lengths[2]
    far = min(to_tokens, 4 * last)  # `fit_lengths` leaves at least one length above the last
    if granule > 1:
        return (far + 1) // granule * granule - 1
    return far if far % 2 or far - 1 == last else far - 1


def fit_sizes(recordings: tuple[Recording, ...]) -> Fit:
    """The polynomial of degree ≤ 2 through the sizes in one, two or three equally spaced recordings.

    Raises
    ------
    NotAlignedError
        They differ in their events, operations or components.
    """
    first = recordings[0]
    for other in recordings[1:]:
        _require_same(first, other)
    lengths = tuple(recording.tokens for recording in recordings)
    sizes = [np.array(recording.sizes, dtype=np.float64) for recording in recordings]
    n0, none = first.tokens, np.zeros_like(sizes[0])
    b, c = none, none
    if len(recordings) > 1:
        step = lengths[1] - n0
        b = (sizes[1] - sizes[0]) / step
    if len(recordings) > 2:
        c = (sizes[0] - 2 * sizes[1] + sizes[2]) / (2 * step * step)
        b = b - c * (n0 + lengths[1])
    return Fit(first, lengths, sizes[0] - b * n0 - c * n0 * n0, b, c)


def _require_same(first: Recording, other: Recording) -> None:
    if (
        other.events != first.events
        or other.components != first.components
        or other.ops != first.ops
        or other.upcasts != first.upcasts
    ):
        raise NotAlignedError(
            f"the operations at {first.tokens:,} and {other.tokens:,} tokens are not the same sequence"
        )


def _signed(events: tuple[int, ...], values: Array) -> Array:
    order = np.array(events, dtype=np.int64)
    return np.asarray(np.sign(order) * values[np.abs(order) - 1], dtype=np.float64)
