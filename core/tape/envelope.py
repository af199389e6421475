"""From a tape to its envelope: the few quadratics that are ever the peak, each split by component."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from math import lcm

import numpy as np
import numpy.typing as npt

from vramtuner.core.tape.format import Component, Regime, Tape

Array = npt.NDArray[np.float64]
_COMPONENTS = len(Component)


@dataclass(frozen=True)
class Piece:
    """Live bytes by component at the event that is the peak from ``from_tokens`` to ``to_tokens``.

    Attributes
    ----------
    coefficients
        A row per `Component` and the columns a, b, c: bytes = a + b·N + c·N².
    granule, offset
        The pass pads its tokens, which are N − offset, to multiples of the granule; see `at`.
    slack_bytes
        What the allocator holds beside them.
    """

    from_tokens: int
    to_tokens: int
    coefficients: tuple[tuple[float, float, float], ...]
    granule: int = 1
    offset: int = 0
    slack_bytes: int = 0

    def at(self, tokens: int) -> int:
        """The N that stands for a length: the highest that is padded as far, one below a multiple of the granule."""
        if self.granule == 1:
            return tokens
        return -(-(tokens - self.offset + 1) // self.granule) * self.granule - 1 + self.offset

    def exact_bytes(self, tokens: int, component: Component) -> Fraction:
        """One component's bytes, without rounding."""
        a, b, c = self.coefficients[component]
        n = self.at(tokens)
        return Fraction(a) + Fraction(b) * n + Fraction(c) * n * n

    @cached_property
    def integers(self) -> tuple[tuple[int, int, int], tuple[int, int, int], int]:
        """The polynomials of the weights and of all the rest as whole numbers over a common denominator."""
        rows = [tuple(map(Fraction, row)) for row in self.coefficients]
        weights = rows.pop(Component.WEIGHTS)
        rest = [sum(column, Fraction()) for column in zip(*rows, strict=True)]
        scale = lcm(*(number.denominator for number in (*weights, *rest)))
        (wa, wb, wc), (a, b, c) = ([int(number * scale) for number in row] for row in (weights, rest))
        return (wa, wb, wc), (a, b, c), scale

    def constant(self, tokens: int) -> tuple[tuple[float, float, float], ...]:
        """Coefficients of what it takes at one length, whatever the length."""
        return tuple((float(self.exact_bytes(tokens, code)), 0.0, 0.0) for code in Component)


_NOTHING = ((0.0, 0.0, 0.0),) * _COMPONENTS


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
        places = self._places(lengths)
        table = np.array([piece.coefficients for piece in self.pieces])[places]
        a, b, c = np.moveaxis(table, (0, 2), (2, 0))
        if any(piece.granule > 1 for piece in self.pieces):
            granule, offset = np.array([(piece.granule, piece.offset) for piece in self.pieces])[places].T
            padded = np.ceil((lengths - offset + 1) / granule) * granule - 1 + offset
            lengths = np.where(granule > 1, padded, lengths)
        return np.asarray(a + b * lengths + c * lengths * lengths, dtype=np.float64)

    def slack_bytes(self, tokens: npt.ArrayLike) -> Array:
        """What the allocator holds beside the tensors at each length."""
        places = self._places(np.asarray(tokens, dtype=np.float64))
        return np.array([piece.slack_bytes for piece in self.pieces], dtype=np.float64)[places]

    def _places(self, lengths: Array) -> npt.NDArray[np.intp]:
        ends = np.array([piece.to_tokens for piece in self.pieces[:-1]], dtype=np.float64)
        return np.searchsorted(ends, lengths, side="left")

    def shifted(self, tokens: int) -> "Envelope":
        """The envelope of a request that is ``tokens`` longer than this pass, which has one token at least."""
        if tokens == 0:
            return self
        first = self.pieces[0]
        start = Piece(1, tokens, first.constant(1), slack_bytes=first.slack_bytes)
        moved = (
            replace(
                piece,
                from_tokens=1 + tokens if piece is first else piece.from_tokens + tokens,
                to_tokens=piece.to_tokens + tokens,
                coefficients=tuple(
                    (a - b * tokens + c * tokens * tokens, b - 2 * c * tokens, c) for a, b, c in piece.coefficients
                ),
                offset=piece.offset + tokens,
            )
            for piece in self.pieces
        )
        return Envelope((start, *moved))

    def no_longer_than(self, tokens: int, max_tokens: int) -> "Envelope":
        """The envelope of a request whose pass stops growing at ``tokens``, up to a request of ``max_tokens``."""
        kept = [replace(p, to_tokens=min(p.to_tokens, tokens)) for p in self.pieces if p.from_tokens <= tokens]
        if tokens >= max_tokens:
            return Envelope(tuple(kept))
        last = kept[-1]
        level = Piece(last.to_tokens + 1, max_tokens, last.constant(tokens), slack_bytes=last.slack_bytes)
        return Envelope((*kept, level))

    def only_after(self, tokens: int) -> "Envelope":
        """The envelope of a pass that a request has only if it is longer than ``tokens``."""
        first, *kept = (piece for piece in self.pieces if piece.to_tokens > tokens)
        return Envelope((Piece(1, tokens, _NOTHING), replace(first, from_tokens=tokens + 1), *kept))

    def scaled(self, factor: float) -> "Envelope":
        """The envelope with everything but the weights a number of times as large."""
        return Envelope(
            tuple(
                replace(
                    piece,
                    slack_bytes=round(piece.slack_bytes * factor),
                    coefficients=tuple(
                        row if code == Component.WEIGHTS else (row[0] * factor, row[1] * factor, row[2] * factor)
                        for code, row in enumerate(piece.coefficients)
                    ),
                )
                for piece in self.pieces
            )
        )

    def with_slack(self, slack_bytes: Callable[[int, int], Iterable[tuple[int, int]]]) -> "Envelope":
        """The envelope with what the allocator holds besides.

        Parameters
        ----------
        slack_bytes
            For a range of tokens, the ends of the steps that cover it, and the bytes of each.
        """
        pieces = []
        for piece in self.pieces:
            start = piece.from_tokens
            for end, slack in slack_bytes(start, piece.to_tokens):
                pieces.append(replace(piece, from_tokens=start, to_tokens=end, slack_bytes=slack))
                start = end + 1
        return Envelope(tuple(pieces))


def upper_envelope(envelopes: tuple[Envelope, ...]) -> tuple[tuple[int, Piece], ...]:
    """Where each of several envelopes is the highest: its index and the piece, without gaps.

    Where tokens are padded the piece's polynomial is taken at the longest padding, so that it is never too low.
    """
    last = min(envelope.max_tokens for envelope in envelopes)
    found: list[tuple[int, Piece]] = []
    start = min(envelope.pieces[0].from_tokens for envelope in envelopes)
    while start <= last:
        here = [envelope.piece_at(start) for envelope in envelopes]
        plain = [_padded_most(piece) for piece in here]
        total = np.array([np.add(np.sum(p.coefficients, axis=0), (p.slack_bytes, 0, 0)) for p in plain]).T
        winner = _winner(total, start)
        end = min(_next_crossing(total, winner, start) - 1, last, *(piece.to_tokens for piece in here))
        found.append((winner, replace(plain[winner], from_tokens=start, to_tokens=end)))
        start = end + 1
    return tuple(found)


def _padded_most(piece: Piece) -> Piece:
    shift = piece.granule - 1
    rows = tuple((a + b * shift + c * shift * shift, b + 2 * c * shift, c) for a, b, c in piece.coefficients)
    return replace(piece, coefficients=rows, granule=1, offset=0)


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
        length = Piece(start, start, (), regime.granule).at(start)
        winner = _winner(total, length)
        end = _next_crossing(total, winner, length) - 1
        if regime.granule > 1:
            end = max(length, (end + 1) // regime.granule * regime.granule - 1)
        end = min(end, regime.to_tokens)
        rows = tuple((float(a), float(b), float(c)) for a, b, c in live[:, :, winner])
        pieces.append(Piece(start, end, rows, regime.granule))
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
