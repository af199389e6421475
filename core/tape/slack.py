"""What PyTorch's allocator holds beside the tensors of a tape, as steps over the tokens."""

from bisect import bisect_left
from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from vramtuner.core.tape.allocator import parse_options, replay
from vramtuner.core.tape.envelope import envelope_of
from vramtuner.core.tape.format import Regime, Tape

_SHORTEST = 70
_AN_OCTAVE = 8
_DENSE_OCTAVES = 3
_SPARSER = 4
_BELOW, _ABOVE = 2, 2


def slack_steps(
    tape: Tape, options: str, fused_upcast: bool, card_bytes: int, from_tokens: int, to_tokens: int
) -> Iterator[tuple[int, int]]:
    """Ends of steps that cover a range of tokens, and the allocator's slack in each.  [tokens, bytes]

    The allocator's own slack jumps from one length to the next and is no polynomial.  Replays at some lengths stand
    for it, and the largest of the four nearest is taken: two below and two above.  That is an estimate, and no bound;
    `tests/bench/slack.py` counts how often and by how much a replay at another length has more.

    Parameters
    ----------
    options
        As in ``PYTORCH_ALLOC_CONF``.
    card_bytes
        Lengths that take more are beside the point.

    Raises
    ------
    BadInputError
        The options cannot be read.
    """
    lengths = _lengths(tape, fused_upcast, card_bytes)
    start = from_tokens
    while start <= to_tokens:
        place = bisect_left(lengths, start)
        around = lengths[max(min(place, len(lengths) - 1) - _BELOW, 0) : place + _ABOVE]
        end = to_tokens if place >= len(lengths) - 1 else min(lengths[place], to_tokens)
        yield end, max(slack_at(tape, options, fused_upcast, tokens) for tokens in around)
        start = end + 1


@lru_cache(maxsize=64)
def _lengths(tape: Tape, fused_upcast: bool, card_bytes: int) -> tuple[int, ...]:
    """The lengths of the replays: as far as the card's memory goes, and closer together where a limit may be.

    They are no round numbers: a multiple of a large power of two makes tensors that fill their segments, and has less
    slack than its neighbours.
    """
    envelope = envelope_of(tape, fused_upcast=fused_upcast)
    first, last = tape.regimes[0].from_tokens, tape.max_tokens
    shortest = max(first, min(_SHORTEST, last))
    steps = [shortest]
    while steps[-1] < last and float(envelope.component_bytes([steps[-1]]).sum()) <= card_bytes:
        steps.append(min(round(shortest * 2 ** (len(steps) / _AN_OCTAVE)), last))
    dense = max(len(steps) - _DENSE_OCTAVES * _AN_OCTAVE, 0)
    return tuple(dict.fromkeys((*steps[:dense:_SPARSER], *steps[dense:])))


@lru_cache(maxsize=4096)
def slack_at(tape: Tape, options: str, fused_upcast: bool, tokens: int) -> int:
    """What the allocator holds beside the tensors at one length, by a replay.  [bytes]"""
    regime = _regime_at(tape, tokens)
    sizes = _sizes(regime, tokens, fused_upcast)
    found = replay(regime.events, sizes, None, parse_options(options))
    return found.reserved_peak - found.requested_peak


def _regime_at(tape: Tape, tokens: int) -> Regime:
    return next((regime for regime in tape.regimes if tokens <= regime.to_tokens), tape.regimes[-1])


def _sizes(regime: Regime, tokens: int, fused_upcast: bool) -> list[int]:
    """Bytes of every storage at a length."""
    n = -(-(tokens + 1) // regime.granule) * regime.granule - 1 if regime.granule > 1 else tokens
    a, b, c = (np.array(column) for column in (regime.a, regime.b, regime.c))
    sizes = a + b * n + c * n * n
    if fused_upcast and regime.upcasts:
        sizes[np.array(regime.upcasts) - 1] = 0
    return [round(size) for size in sizes.clip(min=0).tolist()]
