"""A regime out of peaks, for a pass whose number of operations grows with its length.

A scan that loops over tokens, or over chunks of them, makes the same operations more often in a longer pass, so that
no two recordings have the same events.  What lies between those loops is the same sequence in all of them, and cuts
each recording into the same stretches.  The most that is alive in a stretch, taken once an operation, is a polynomial
in the tokens like any size: it takes the place of the events of the stretch.
"""

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from vramtuner.core.tape.fit import NotAlignedError
from vramtuner.core.tape.format import Component, Recording, Regime

Array = npt.NDArray[np.float64]
# What may be alive beyond the fit at the length that was held out, as a part of all that is not weights.
_TOLERANCE = 0.001
_SCALES = (1, 4, 16)
_GROWING = (Component.KV_CACHE, Component.LOGITS, Component.ACTIVATIONS)


def loop_lengths(first: int, granule: int, scale: int = 1) -> tuple[int, int, int, int]:
    """Three lengths to fit and one to compare: one below multiples of a step, from the second on.

    The step is the granule, or four tokens where a loop takes one a turn, times the scale: as short as can be, because
    every turn of a loop is recorded.  A pass of one turn alone is no example, because it leaves out copies.
    """
    step = (granule if granule > 1 else 4) * scale
    start = max(2, -(-(first + 1) // step))
    lengths = [(start + number) * step - 1 for number in (0, 1, 2, 6)]
    return lengths[0], lengths[1], lengths[2], lengths[3]


def peak_regime(record: Callable[[int], Recording], first: int, last: int, granule: int = 1) -> Regime:
    """The regime from ``first`` to ``last`` tokens of a pass that loops in steps of ``granule`` tokens.

    Short passes are tried first; where what a loop needs in each turn is more than what grows with the tokens, only
    longer ones show the growth.

    Raises
    ------
    NotAlignedError
        Not even the stretches between loops are the same, or their peaks are no polynomials of the tokens.
    """
    problem = NotAlignedError(f"{last:,} tokens are too few to fit loops in steps of {granule}")
    for scale in _SCALES:
        lengths = loop_lengths(first, granule, scale)
        if lengths[-1] > last:
            break
        try:
            peaks = _peaks_by_place([record(tokens) for tokens in lengths])
            coefficients = _quadratics(lengths[:3], peaks[:, :3])
            residual = _residual(coefficients, lengths[3], peaks[:, 3])
        except NotAlignedError as error:
            problem = error
            continue
        return _regime(coefficients, residual, lengths, (first, last), granule)
    raise problem


def _peaks_by_place(recordings: Sequence[Recording]) -> Array:
    """Live bytes at the peak of every place, shape (places, recordings, components).

    A place is an operation that all recordings make equally often, or all the others of one kind between two of those.
    """
    counts = [Counter(recording.ops) for recording in recordings]
    steady = {op for op in counts[0] if all(count[op] == counts[0][op] for count in counts)}
    tables = [_peaks(recording, steady) for recording in recordings]
    places = [place for place in tables[0] if all(place in table for table in tables)]
    steady_places = {place for table in tables for place in table if place[1] in steady}
    if not places or not steady_places <= set(places):
        raise NotAlignedError("the operations change with the length beyond what repeats in loops")
    return np.array([[table[place] for table in tables] for place in places])


def _peaks(recording: Recording, steady: set[str]) -> dict[tuple[int, str], Array]:
    """The most that is alive in every place of one recording, by component."""
    live = np.zeros(len(Component))
    stretch, peaks = 0, dict[tuple[int, str], Array]()
    for event in recording.events:
        number = abs(event) - 1
        size, component, op = recording.sizes[number], recording.components[number], recording.ops[number]
        live[component] += size if event > 0 else -size
        if event < 0 or component is Component.WEIGHTS:
            continue
        stretch += op in steady
        place = (stretch, op)
        if place not in peaks or live.sum() > peaks[place].sum():
            peaks[place] = live.copy()
    return peaks


def _quadratics(lengths: Sequence[int], peaks: Array) -> Array:
    """Polynomials through three lengths, shape (places, a b c, components)."""
    n0, n1, n2 = lengths
    first, second, third = np.moveaxis(peaks, 1, 0)
    slope, later = (second - first) / (n1 - n0), (third - second) / (n2 - n1)
    square = (later - slope) / (n2 - n0)
    linear = slope - square * (n0 + n1)
    return np.stack([first - linear * n0 - square * n0 * n0, linear, square], axis=1)


def _residual(coefficients: Array, tokens: int, peaks: Array) -> float:
    """How far live bytes at a held-out length are from the fit at most [bytes]."""
    fitted = np.einsum("pkc,k->pc", coefficients, np.array([1.0, tokens, tokens * tokens]))
    difference = (peaks - fitted).sum(axis=1)
    growing = peaks[:, list(_GROWING)].sum(axis=1)
    winner = int(np.argmax(peaks.sum(axis=1)))
    off = np.abs(difference)
    # A place that is lower than others here may be the highest of a longer pass: each must be right.
    if off[winner] > _TOLERANCE * growing[winner] or (off > _TOLERANCE * growing.max()).any():
        raise NotAlignedError(f"the peaks of loops are no polynomials of the tokens: {off.max():,.0f} bytes off")
    return float(max(0.0, difference.max()))


def _regime(
    coefficients: Array, residual: float, lengths: Sequence[int], bounds: tuple[int, int], granule: int
) -> Regime:
    """Places as events: each brings to life what is alive at its peak, and ends it again."""
    events, rows, component = [1], [coefficients[0, :, Component.WEIGHTS]], [int(Component.WEIGHTS)]
    for place in coefficients:
        made: list[int] = []
        for code in _GROWING:
            row = place[:, code].copy()
            row[0] += residual if code is Component.ACTIVATIONS else 0
            square = np.array([0.0, 0.0, row[2]])
            parts = [(row, code)]
            if code is Component.ACTIVATIONS and row[2] > 0:
                parts = [(row - square, code), (square, Component.WORKSPACE)]
            for part, kind in parts:
                if part.any():
                    rows.append(part)
                    component.append(int(kind))
                    made.append(len(rows))
        events += [*made, *(-number for number in made)]
    a, b, c = np.array(rows).T
    return Regime(
        from_tokens=bounds[0],
        to_tokens=bounds[1],
        recorded_at=tuple(lengths[:3]),
        held_out=lengths[3],
        residual_bytes=round(residual),
        events=events,
        a=a.tolist(),
        b=b.tolist(),
        c=c.tolist(),
        component=component,
        granule=granule,
    )
