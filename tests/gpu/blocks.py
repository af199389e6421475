"""The forecast in the allocator's own terms: a tape's passes, replayed.

``max_memory_allocated`` counts blocks, which are larger than what tensors ask for, and ``max_memory_reserved`` counts
segments.
"""

from collections.abc import Sequence

import numpy as np

from vramtuner.core.tape.allocator import Replay, replay
from vramtuner.core.tape.format import Component, Regime, Tape


def replay_passes(tape: Tape, lengths: Sequence[int], workspace_bytes: int, *, fused_upcast: bool) -> Replay | None:
    """What the allocator holds after the weights and passes of these lengths [tokens], one after another.

    The probe empties the cache before each of its passes, so that one of them is one length.

    Parameters
    ----------
    workspace_bytes
        What libraries take once, after the weights and before the first pass, and keep.
    fused_upcast
        Whether softmax reads 16-bit scores without a copy.

    Returns
    -------
    Replay | None
        ``allocated_end`` is the weights and the workspaces; ``None`` where the tape's regimes differ in their weights.
    """
    regimes = [regime_at(tape, tokens) for tokens in lengths]
    counts = {_weights_of(regime) for regime in (*regimes, tape.regimes[0])}
    if len(counts) != 1 or None in counts:
        return None
    weights = counts.pop() or 0
    sizes = sizes_at(tape.regimes[0], 1, fused_upcast=fused_upcast)[:weights]
    events = list(range(1, weights + 1))
    if workspace_bytes > 0:
        sizes.append(workspace_bytes)
        events.append(len(sizes))
    for regime, tokens in zip(regimes, lengths, strict=True):
        moved, alive = len(sizes) - weights, set[int]()
        sizes += sizes_at(regime, tokens, fused_upcast=fused_upcast)[weights:]
        for event in regime.events:
            number = abs(event) + moved
            if abs(event) <= weights:
                continue
            events.append(number if event > 0 else -number)
            (alive.add if event > 0 else alive.discard)(number)
        events += [-number for number in sorted(alive)]
    return replay(events, sizes, None)


def regime_at(tape: Tape, tokens: int) -> Regime:
    """The regime that speaks for a length; the last one beyond the end."""
    return next((regime for regime in tape.regimes if tokens <= regime.to_tokens), tape.regimes[-1])


def sizes_at(regime: Regime, tokens: int, *, fused_upcast: bool) -> list[int]:
    """Bytes of every storage of a pass of this many tokens."""
    n = -(-(tokens + 1) // regime.granule) * regime.granule - 1
    a, b, c = (np.array(column) for column in (regime.a, regime.b, regime.c))
    sizes = a + b * n + c * n * n
    if fused_upcast and regime.upcasts:
        sizes[np.array(regime.upcasts) - 1] = 0
    return [round(size) for size in sizes.clip(min=0).tolist()]


def _weights_of(regime: Regime) -> int | None:
    """How many storages are weights, if those are the first ones."""
    weights = regime.component.count(Component.WEIGHTS)
    first = list(range(1, weights + 1))
    return weights if regime.events[:weights] == first and set(regime.component[:weights]) == {0} else None
