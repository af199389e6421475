"""Token counts on the horizontal axis, even or logarithmic: where they are drawn, and which are named."""

from collections.abc import Sequence
from itertools import pairwise
from math import floor, log10

import numpy as np
import numpy.typing as npt

from vramtuner.core.units import MAX_TOKENS
from vramtuner.core.words import number

Ticks = list[list[tuple[float, str]]]
_LEAST_APART = 0.14  # of the width: labels nearer to each other would touch


class TokenAxis:
    """Turns tokens into places on the axis and back."""

    def __init__(self, *, is_log: bool = False) -> None:
        self.is_log = is_log

    def place(self, tokens: float) -> float:
        """Where a token count is drawn."""
        return log10(max(tokens, 1.0)) if self.is_log else float(tokens)

    def places(self, tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """Where token counts are drawn."""
        return np.log10(np.maximum(tokens, 1)) if self.is_log else tokens.astype(np.float64)

    def tokens_at(self, place: float) -> int:
        """The token count at a place, from 1 on."""
        if not self.is_log:
            return int(min(max(place, 1.0), MAX_TOKENS))
        # Rounded: what is drawn for a count must be read back as the same count.
        return int(min(max(round(10.0 ** min(place, 9.0)), 1), MAX_TOKENS))

    def samples(self, end: float, count: int) -> npt.NDArray[np.int64]:
        """Token counts from 1 to ``end`` that are about evenly apart on the axis."""
        last = max(end, 1.0)
        even = np.geomspace(1, last, count) if self.is_log else np.linspace(1, last, count)
        tokens = even.astype(np.int64)
        return tokens[np.diff(tokens, prepend=0) > 0]

    def ticks(self, end: float) -> Ticks | None:
        """The counts to name up to ``end``; ``None`` leaves it to the plot.

        On a logarithmic axis: powers of ten, with twos and fives between them where they have room.
        """
        if not self.is_log:
            return None
        width = max(log10(max(end, 2.0)), 0.1)
        decades = range(floor(width) + 1)
        for factors in ((1, 2, 5), (1, 3), (1,)):
            values = [factor * 10**decade for decade in decades for factor in factors if factor * 10**decade <= end]
            if _are_apart(values, width):
                break
        return [[(self.place(value), number(value)) for value in values]]


def _are_apart(values: Sequence[int], width: float) -> bool:
    places = [log10(value) / width for value in values]
    return all(right - left >= _LEAST_APART for left, right in pairwise(places))
