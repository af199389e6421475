"""Three recordings in, one `Regime` out: align the events, fit every size, check a fourth."""

import numpy as np
import numpy.typing as npt

from vramtuner.core.tape.format import Component, Recording, Regime

Array = npt.NDArray[np.float64]


class NotAlignedError(ValueError):
    """The recordings are not the same sequence of events; no polynomial speaks for all of them."""


def fit_lengths(from_tokens: int, to_tokens: int) -> tuple[int, int, int]:
    """Three equally spaced lengths inside a regime, a power of two apart so that the fit is exact in floats.

    Raises
    ------
    ValueError
        The regime has fewer than four lengths.
    """
    room = to_tokens - from_tokens
    if room < 3:
        raise ValueError(f"a regime of {room + 1} lengths is too short to fit")
    step = 1
    while 3 * (2 * step) <= room and step < 1024:
        step *= 2
    first = -(-from_tokens // step) * step
    return first, first + step, first + 2 * step


def held_out_length(to_tokens: int, lengths: tuple[int, int, int]) -> int:
    """A length away from the fitted ones, odd where it can be, so that rounding to 2, 4, 8 … would show."""
    last = lengths[2]
    far = min(to_tokens, 4 * last)  # `fit_lengths` leaves at least one length above the last
    return far if far % 2 or far - 1 == last else far - 1


def fit_regime(
    recordings: tuple[Recording, Recording, Recording],
    held_out: Recording,
    *,
    from_tokens: int,
    to_tokens: int,
) -> Regime:
    """The polynomial of degree ≤ 2 through every storage's three sizes.

    Raises
    ------
    NotAlignedError
        The four recordings differ in their events, operations or components.
    """
    first = recordings[0]
    for other in (*recordings[1:], held_out):
        if (
            other.events != first.events
            or other.components != first.components
            or other.ops != first.ops
            or other.upcasts != first.upcasts
        ):
            raise NotAlignedError(
                f"the operations at {first.tokens:,} and {other.tokens:,} tokens are not the same sequence"
            )
    n0, n1, n2 = (recording.tokens for recording in recordings)
    step = n1 - n0
    s0, s1, s2 = (np.array(recording.sizes, dtype=np.float64) for recording in recordings)
    c = (s0 - 2 * s1 + s2) / (2 * step * step)
    b = (s1 - s0) / step - c * (n0 + n1)
    a = s0 - b * n0 - c * n0 * n0
    component = [
        int(Component.WORKSPACE) if code is Component.ACTIVATIONS and square > 0 else int(code)
        for code, square in zip(first.components, c.tolist(), strict=True)
    ]
    n3 = held_out.tokens
    error = np.array(held_out.sizes, dtype=np.float64) - (a + b * n3 + c * n3 * n3)
    return Regime(
        from_tokens=from_tokens,
        to_tokens=to_tokens,
        recorded_at=(n0, n1, n2),
        held_out=n3,
        residual_bytes=round(float(np.abs(np.cumsum(_signed(first.events, error))).max(initial=0))),
        events=list(first.events),
        a=a.tolist(),
        b=b.tolist(),
        c=c.tolist(),
        component=component,
        upcasts=sorted(first.upcasts),
    )


def _signed(events: tuple[int, ...], values: Array) -> Array:
    order = np.array(events, dtype=np.int64)
    return np.asarray(np.sign(order) * values[np.abs(order) - 1], dtype=np.float64)
