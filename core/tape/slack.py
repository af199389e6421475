"""What PyTorch's allocator holds beside the tensors of a tape, as steps over the tokens."""

from bisect import bisect_left
from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from vramtuner.core.tape.allocator import parse_options, replay
from vramtuner.core.tape.envelope import envelope_of
from vramtuner.core.tape.format import Regime, Tape

_SHORTEST = 64


def slack_steps(
    tape: Tape, options: str, fused_upcast: bool, card_bytes: int, from_tokens: int, to_tokens: int
) -> Iterator[tuple[int, int]]:
    """Ends of steps that cover a range of tokens, and the allocator's slack in each.  [tokens, bytes]

    The allocator's own steps are finer and no polynomials; replays at four lengths an octave stand for them, and
    between two lengths the larger slack is taken.

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
    ends = [*_grid(tape, fused_upcast, card_bytes), tape.max_tokens]
    start = from_tokens
    while start <= to_tokens:
        place = min(bisect_left(ends, start), len(ends) - 2)
        around = {ends[place], ends[max(place - 1, 0)]}
        end = to_tokens if place == len(ends) - 2 else min(ends[place], to_tokens)
        yield end, max(_slack(tape, options, fused_upcast, tokens) for tokens in around)
        start = end + 1


@lru_cache(maxsize=64)
def _grid(tape: Tape, fused_upcast: bool, card_bytes: int) -> tuple[int, ...]:
    """The lengths of the replays: as far as the card's memory goes."""
    envelope = envelope_of(tape, fused_upcast=fused_upcast)
    first, last = tape.regimes[0].from_tokens, tape.max_tokens
    octaves = (base * step // 4 for base in (2**power for power in range(6, 40)) for step in (4, 5, 6, 7))
    found = [max(first, min(_SHORTEST, last))]
    for tokens in octaves:
        if tokens > last or float(envelope.component_bytes([found[-1]]).sum()) > card_bytes:
            break
        if tokens > found[-1]:
            found.append(tokens)
    return tuple(found)


@lru_cache(maxsize=4096)
def _slack(tape: Tape, options: str, fused_upcast: bool, tokens: int) -> int:
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
