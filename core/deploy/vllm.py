"""What vLLM takes of a card: weights, one profiling pass, and a cache of blocks in all that is left.

vLLM is not run here.  At its start it loads the weights, runs one pass of ``--max-num-batched-tokens``, and makes a
cache of KV blocks of what ``--gpu-memory-utilization`` of the card's total leaves then; requests share the blocks.
Here the weights, the pass and the cache's bytes a token are read off the tape that transformers gives with fused
attention, because vLLM's own kernels hold no scores.  What vLLM prints at its start is the yardstick
(`tests/unit/test_published.py`).
"""

from math import ceil

import msgspec

from vramtuner.core.errors import BadInputError
from vramtuner.core.forecast import Forecast
from vramtuner.core.settings import ITEM_BYTES, Levers
from vramtuner.core.tape.envelope import live_polynomials
from vramtuner.core.tape.format import Component, Tape
from vramtuner.core.words import say

BLOCK_TOKENS = 16
BATCHED_TOKENS = 2048
"""vLLM's default for its server on cards below 70 GiB; written into the command, so that it is what was planned."""
MOST_REQUESTS = 256
# vLLM's own page of installation on AMD GPUs, 2026-12.
LISTED_GFX = ("gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1101", "gfx1150", "gfx1151", "gfx1200", "gfx1201")
_SAMPLER_BYTES = 4  # an element of a row of logits, which are sampled in 32 bits


class VllmPlan(msgspec.Struct, frozen=True, kw_only=True):
    """How vLLM divides the pool.  [bytes]

    Attributes
    ----------
    utilization
        Of ``--gpu-memory-utilization``: the pool as a fraction of the card's total, rounded down.
    weights, overhead, transient
        Before there is a cache; the last one is the profiling pass and the sampler's logits.
    cache
        What is left for KV blocks, at least: the margin is taken off it.
    request
        Blocks of a request at the cap.
    requests
        Such requests that the cache holds at a time.
    limit_tokens
        The longest request that one cache holds.
    """

    utilization: float
    batched_tokens: int
    weights: int
    overhead: int
    transient: int
    cache: int
    request: int
    requests: int
    limit_tokens: int


def tape_levers(levers: Levers) -> Levers:
    """The levers under which transformers' tape tells what vLLM takes: one prompt, fused attention, a plain cache.

    Raises
    ------
    BadInputError
        A lever has no counterpart in vLLM.
    """
    if levers.weights != "none":
        raise BadInputError(
            say(
                "vLLM is planned with the weights as they are in the checkpoint, not {weights}; leave weights at none, "
                "or take a checkpoint that is quantized",
                weights=levers.weights,
            )
        )
    if levers.kv_cache not in ("auto", "fp8"):
        raise BadInputError(say("vLLM has no KV cache of kind {kv_cache}; use auto or fp8", kv_cache=levers.kv_cache))
    if levers.attention not in ("auto", "flash"):
        raise BadInputError(say("vLLM has attention kernels of its own; leave attention at auto"))
    if levers.pass_kind != "inference" or levers.beams > 1:
        raise BadInputError(say("vLLM's server only runs models, without beams; use inference and 1 beam"))
    if levers.allocator:
        raise BadInputError(say("vLLM comes with a PyTorch of its own; leave the allocator's options out"))
    return msgspec.structs.replace(
        levers, kv_cache="auto", attention="flash", batch_size=1, new_tokens=0, prefill_chunk=None, logits="last"
    )


def vllm_plan(plan: Forecast, tape: Tape, levers: Levers) -> VllmPlan:
    """How vLLM divides the pool of a plan that was made under `tape_levers`.

    Parameters
    ----------
    tape
        Of the plan's one pass.
    levers
        Those that were asked for: the batch is requests at a time, the prefill chunk the tokens of a step.

    Raises
    ------
    BadInputError
        The model has no KV cache, or the device is none that vLLM's ROCm build runs on.
    """
    if not plan.device.is_gpu:
        raise BadInputError(say("vLLM is planned for a GPU; choose a card of the list"))
    total, batched = plan.device.vram_bytes, levers.prefill_chunk or BATCHED_TOKENS
    utilization = plan.pool_bytes * 1000 // total / 1000
    sizes = plan.component_bytes(min(batched, plan.max_tokens))
    vocabulary = int(plan.spec.config.get("vocab_size") or 0)
    rows = levers.batch_size if levers.batch_size > 1 else MOST_REQUESTS
    transient = sizes["activations"] + sizes["workspace"] + sizes["allocator"] + _SAMPLER_BYTES * vocabulary * rows
    beside = transient + plan.overhead_bytes
    cache = max(int(total * utilization) - sizes["weights"] - ceil(beside * (1 + levers.margin)), 0)
    request = _Cache(plan, tape, 1 if levers.kv_cache == "fp8" else ITEM_BYTES[plan.key.dtype])
    return VllmPlan(
        utilization=utilization,
        batched_tokens=batched,
        weights=sizes["weights"],
        overhead=plan.overhead_bytes,
        transient=transient,
        cache=cache,
        request=request.bytes_of(plan.token_cap),
        requests=cache // request.bytes_of(plan.token_cap),
        limit_tokens=request.longest(cache, plan.spec.max_positions),
    )


class _Cache:
    """The blocks of a request: the rows that every layer keeps, a block's at a time.

    Bytes a token are read off the tape.  Layers with a sliding window are counted whole, which is never too little.
    """

    def __init__(self, plan: Forecast, tape: Tape, item_bytes: int) -> None:
        scale = item_bytes / ITEM_BYTES[plan.key.dtype]
        state, per_token, _ = live_polynomials(tape.regimes[0])[Component.KV_CACHE][:, -1]
        if per_token <= 0:
            raise BadInputError(say("{name} keeps no KV cache that vLLM could hold in blocks", name=plan.spec.name))
        self._per_token, self._state = float(per_token) * scale, max(float(state), 0.0)

    def bytes_of(self, tokens: int) -> int:
        """Of one request."""
        padded = -(-tokens // BLOCK_TOKENS) * BLOCK_TOKENS
        return ceil(self._state + self._per_token * padded)

    def longest(self, cache: int, most: int) -> int:
        """The longest request that a cache holds, in whole blocks or as long as the model takes.  [tokens]"""
        blocks = int(max(cache - self._state, 0.0) / (self._per_token * BLOCK_TOKENS))
        return min(blocks * BLOCK_TOKENS, most)
