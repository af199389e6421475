"""Colours of a limit: one hue that grows darker (on dark backgrounds lighter) with the logarithm of the tokens.

Lightness alone carries the meaning, so that greyscale, print and colour blindness lose nothing.  The scale is fixed:
the same colour is the same limit in every table.
"""

from dataclasses import dataclass
from math import log2

LEVELS = 10
SMALLEST, LARGEST = 2**8, 2**18
"""Where the scale begins and ends.  [tokens]  Each level is a doubling."""


@dataclass(frozen=True, slots=True)
class Heat:
    """A background and the text that is readable on it, as ``#rrggbb``."""

    background: str
    text: str


def level_of(tokens: int) -> int:
    """Which of the levels a limit falls into: 0 up to 511 tokens, the last from 131,072 on.

    >>> [level_of(tokens) for tokens in (1, 511, 512, 4096, 131072, 10**7)]
    [0, 0, 1, 4, 9, 9]
    """
    return min(max(int(log2(max(tokens, 1) / SMALLEST)), 0), LEVELS - 1)


def _mixed(low: str, high: str, share: float) -> str:
    pairs = zip(bytes.fromhex(low[1:]), bytes.fromhex(high[1:]), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in pairs)


def luminance(colour: str) -> float:
    """Relative luminance of ``#rrggbb`` as WCAG 2 defines it: 0 for black, 1 for white."""
    parts = (value / 255 for value in bytes.fromhex(colour[1:]))
    red, green, blue = (v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Contrast ratio of two colours as WCAG 2 defines it: 1 to 21; text needs 4.5."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def _ramp(low: str, middle: str, high: str) -> tuple[Heat, ...]:
    found = []
    for level in range(LEVELS):
        share = 2 * level / (LEVELS - 1)
        background = _mixed(low, middle, share) if share <= 1 else _mixed(middle, high, share - 1)
        text = max(("#10141b", "#ffffff"), key=lambda colour: contrast(colour, background))
        found.append(Heat(background, text))
    return tuple(found)


LIGHT = _ramp("#eaf2fb", "#7ab2e2", "#0a2f60")
DARK = _ramp("#1f2a38", "#2f6ba8", "#bfe0ff")
