"""From a tape to its envelope: the few quadratics that are ever the peak, each split by component."""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from vramtuner.core.tape.format import Component, Regime, Tape

Array = npt.NDArray[np.float64]
_COMPONENTS = len(Component)


@dataclass(frozen=True, slots=True)
class Piece:
    """Live bytes by component at the event that is the peak from ``from_tokens`` to ``to_tokens``.

    ``coefficients`` has a row per `Component` and the columns a, b, c: bytes = a + b·N + c·N².
    """

    from_tokens: int
    to_tokens: int
    coefficients: tuple[tuple[float, float, float], ...]

    def exact_bytes(self, tokens: int, component: Component) -> Fraction:
        """One component's bytes, without rounding."""
        a, b, c = self.coefficients[component]
        return Fraction(a) + Fraction(b) * tokens + Fraction(c) * tokens * tokens


@dataclass(frozen=True, slots=True)
class Envelope:
    """The peak of a pass as a function of its tokens, in ascending pieces without gaps."""

    pieces: tuple[Piece, ...]

    @property
    def max_tokens(self) -> int:
        return self.pieces[-1].to_tokens

    def piece_at(self, tokens: int) -> Piece:
        """The piece that speaks for a length; the outermost ones beyond the ends."""
        return next((piece for piece in self.pieces if tokens <= piece.to_tokens), self.pieces[-1])

    def component_bytes(self, tokens: npt.ArrayLike) -> Array:
        """Bytes by component at each length: shape (components, lengths)."""
        lengths = np.asarray(tokens, dtype=np.float64)
        ends = np.array([piece.to_tokens for piece in self.pieces[:-1]], dtype=np.float64)
        table = np.array([piece.coefficients for piece in self.pieces])[np.searchsorted(ends, lengths, side="left")]
        a, b, c = np.moveaxis(table, (0, 2), (2, 0))
        return np.asarray(a + b * lengths + c * lengths * lengths, dtype=np.float64)


@lru_cache(maxsize=64)
def envelope_of(tape: Tape, *, fused_upcast: bool = False) -> Envelope:
    """The envelope of a tape.

    Parameters
    ----------
    fused_upcast
        Leave out the 32-bit copies of 16-bit scores: a GPU's softmax converts as it reads.
    """
    pieces: list[Piece] = []
    for regime in tape.regimes:
        pieces += _regime_pieces(regime, fused_upcast=fused_upcast)
    return Envelope(tuple(pieces))


def live_polynomials(regime: Regime, *, fused_upcast: bool = False) -> Array:
    """Live bytes after every event: shape (components, 3, events), the middle axis a, b, c."""
    events = np.array(regime.events, dtype=np.int64)
    storage = np.abs(events) - 1
    sizes = np.array([regime.a, regime.b, regime.c], dtype=np.float64)
    if fused_upcast and regime.upcasts:
        sizes[:, np.array(regime.upcasts) - 1] = 0
    change = np.sign(events) * sizes[:, storage]
    component = np.array(regime.component)[storage]
    return np.stack([np.cumsum(change * (component == code), axis=1) for code in range(_COMPONENTS)])


def _regime_pieces(regime: Regime, *, fused_upcast: bool) -> list[Piece]:
    live = live_polynomials(regime, fused_upcast=fused_upcast)
    total = live.sum(axis=0)
    pieces: list[Piece] = []
    start = regime.from_tokens
    while start <= regime.to_tokens:
        winner = _winner(total, start)
        end = min(_next_crossing(total, winner, start) - 1, regime.to_tokens)
        rows = tuple((float(a), float(b), float(c)) for a, b, c in live[:, :, winner])
        pieces.append(Piece(start, end, rows))
        start = end + 1
    return pieces


def _winner(total: Array, tokens: int) -> int:
    """The event with the most live bytes; of several, the one that grows fastest from here."""
    a, b, c = total
    values = a + b * tokens + c * tokens * tokens
    tied = np.flatnonzero(values >= values.max())
    growth = b[tied] + c[tied] * (2 * tokens + 1)
    return int(tied[np.argmax(growth)])


def _next_crossing(total: Array, winner: int, start: int) -> int:
    """The first length after ``start`` at which another event has more live bytes than ``winner``."""
    a, b, c = total - total[:, winner : winner + 1]
    with np.errstate(divide="ignore", invalid="ignore"):
        root = np.sqrt(b * b - 4 * a * c)
        # a + b·N + c·N² ≤ 0 at start.  It turns positive after its larger root when c > 0, after its smaller root
        # when c < 0 (both are (-b + root) / 2c), and after -a / b when it is a rising line.
        crossing = np.where(c != 0, (-b + root) / (2 * c), np.where(b > 0, -a / b, np.inf))
    crossing = np.where(np.isfinite(crossing) & (crossing >= start), crossing, np.inf)
    nearest = float(crossing.min(initial=np.inf))
    if not np.isfinite(nearest):
        return 2**62
    return max(start + 1, int(np.floor(nearest)) + 1)
