"""Whole sets of levers to start from, each with a reason: an article's, the two ends, and the defaults."""

from typing import Any

import msgspec

from vramtuner.core.device.spec import Device
from vramtuner.core.model.spec import ModelSpec
from vramtuner.core.settings import Levers
from vramtuner.core.units import GIB, MAX_TOKENS, format_bytes
from vramtuner.core.words import say

ARTICLE_POOL_BYTES = 10 * GIB
ARTICLE_TOKEN_CAP = 2048
# Recurrent models: what they keep between tokens is a state of a fixed size, and no keys and values.
_WITHOUT_KEYS = frozenset({"mamba", "mamba2", "falcon_mamba", "rwkv", "xlstm"})


class LeverPreset(msgspec.Struct, frozen=True, kw_only=True):
    """A whole set of levers under a name.

    Attributes
    ----------
    reason
        What it is for and what it costs, one line.
    """

    name: str
    reason: str
    levers: Levers


def lever_presets(spec: ModelSpec, device: Device, levers: Levers) -> tuple[LeverPreset, ...]:
    """Every preset as the model and the device can take it; a device too small for any pool has none.

    Parameters
    ----------
    levers
        The request that the two ends keep: its batch, beams, new tokens, kind of pass, data type and margin.
    """
    if device.max_pool_bytes <= 0:
        return ()
    return (
        article_preset(spec, device),
        max_context_preset(spec, device, levers),
        lowest_memory_preset(spec, levers),
        LeverPreset(
            name=say("Defaults"),
            reason=say(
                "80 % of the memory as the pool ({default_pool_bytes}), nothing else changed",
                default_pool_bytes=format_bytes(device.default_pool_bytes),
            ),
            levers=Levers(),
        ),
    )


def article_preset(spec: ModelSpec, device: Device) -> LeverPreset:
    """The three levers of the source article's table: pool, token cap, checkpointing.

    The article holds that they bring a prompt of 3,072 tokens into a card of 12 GiB; checkpointing, as its forecast
    says, changes nothing in an inference pass.
    """
    pool = min(ARTICLE_POOL_BYTES, device.max_pool_bytes)
    given = "" if pool == ARTICLE_POOL_BYTES else say(", all this device can give")
    kept = "" if spec.is_gguf else say(", checkpointing (no effect on inference)")
    return LeverPreset(
        name=say("Source article"),
        reason=say(
            "A pool of {pool}{given}, {article_token_cap:,} tokens{kept}",
            pool=format_bytes(pool),
            given=given,
            article_token_cap=ARTICLE_TOKEN_CAP,
            kept=kept,
        ),
        levers=Levers(pool_bytes=pool, token_cap=ARTICLE_TOKEN_CAP, checkpointing=not spec.is_gguf),
    )


def max_context_preset(spec: ModelSpec, device: Device, levers: Levers) -> LeverPreset:
    """The longest request: the largest pool, the smallest weights and cache, a cap of all the model's positions."""
    changed, costs = _smallest(spec, levers)
    cap = min(spec.max_positions, MAX_TOKENS)
    changed |= {
        "pool_bytes": device.max_pool_bytes,
        "token_cap": cap,
        "new_tokens": min(levers.new_tokens, cap - 1),
    }
    return LeverPreset(
        name=say("Max context"),
        reason=say("All {cap:,} positions, the largest pool, {costs}", cap=cap, costs=costs),
        levers=msgspec.structs.replace(levers, **changed),
    )


def lowest_memory_preset(spec: ModelSpec, levers: Levers) -> LeverPreset:
    """The least memory for requests as long as they are: one at a time, with the smallest weights and cache."""
    changed, costs = _smallest(spec, levers)
    changed |= {"batch_size": 1, "beams": 1}
    return LeverPreset(
        name=say("Lowest memory"),
        reason=say("The same cap, one request at a time, {costs}", costs=costs),
        levers=msgspec.structs.replace(levers, **changed),
    )


def can_quantize(spec: ModelSpec, levers: Levers) -> bool:
    """Whether bitsandbytes can take the weights: they are not quantized already, and no gradients are wanted."""
    return spec.quantization is None and not spec.is_gguf and levers.pass_kind != "training"


def has_kv_cache(spec: ModelSpec) -> bool:
    """Whether the model keeps keys and values of the tokens so far; a recurrent one does not."""
    return spec.model_type not in _WITHOUT_KEYS


def _smallest(spec: ModelSpec, levers: Levers) -> tuple[dict[str, Any], str]:
    """The levers that take least, and what they cost in words."""
    changed: dict[str, Any] = {"attention": "auto", "logits": "last"}
    costs = []
    if can_quantize(spec, levers):
        changed["weights"] = "nf4-dq"
        costs.append(say("4-bit weights"))
    if levers.pass_kind == "training":
        changed["checkpointing"] = True
        costs.append(say("activations computed again"))
    elif levers.pass_kind == "inference" and has_kv_cache(spec):
        changed["kv_cache"] = "int4" if spec.is_gguf else "offloaded"
        costs.append(say("a 4-bit cache") if spec.is_gguf else say("the cache in RAM (slow)"))
    return changed, ", ".join(costs) or say("nothing else that would help")
