"""Which levers go together: what moves along with one, what cannot be moved now, and why."""

from collections.abc import Mapping
from typing import Any

import msgspec

from vramtuner.core.device.spec import Device
from vramtuner.core.lever_presets import has_kv_cache
from vramtuner.core.model.spec import ModelSpec
from vramtuner.core.provenance import CHECKPOINTING_NOTE, EVALUATION_NOTE
from vramtuner.core.request import auto_kernel, default_token_cap
from vramtuner.core.settings import ATTENTIONS, KV_CACHES, Levers
from vramtuner.core.tape.llamacpp import MAX_MICRO_BATCH
from vramtuner.core.words import mark, say

DEFAULTS = Levers()
GENERATING = ("new_tokens", "kv_cache", "beams", "prefill_chunk")
"""What a pass that takes its whole input at once has no use for."""
_NOT_LLAMA_CPP = (
    "weights", "beams", "pass_kind", "checkpointing", "keep_modules", "allocator", "logits", "dtype",
)  # fmt: skip
_LLAMA_CPP_CACHES = ("auto", "int8", "int4")
_QUANTIZED_V = mark("llama.cpp quantizes the cache with flash attention only")


def with_followers(spec: ModelSpec, levers: Levers, wanted: Mapping[str, Any]) -> dict[str, Any]:
    """A change of levers with what has to move along; what is asked for itself is left as it is.

    The new tokens stay below the cap, and a pass that records gradients has no part of a request with a cache.
    """
    moved: dict[str, Any] = {}
    cap = wanted.get("token_cap", levers.token_cap) or default_token_cap(spec)
    if "token_cap" in wanted and levers.new_tokens >= cap:
        moved["new_tokens"] = max(cap - 1, 0)
    kind = wanted.get("pass_kind", "inference")
    if kind != "inference":
        moved |= {name: getattr(DEFAULTS, name) for name in GENERATING}
    if kind == "training":
        moved["weights"] = DEFAULTS.weights
    return moved | dict(wanted)


def suited(spec: ModelSpec, levers: Levers) -> Levers:
    """The levers as another model can take them: what it has no use for goes back to its default."""
    moved: dict[str, Any] = {"new_tokens": min(levers.new_tokens, (levers.token_cap or default_token_cap(spec)) - 1)}
    if spec.quantization is not None:
        moved |= {"weights": DEFAULTS.weights}
    if not has_kv_cache(spec):
        moved |= {"kv_cache": DEFAULTS.kv_cache, "attention": DEFAULTS.attention}
    if spec.is_gguf:
        moved |= {name: getattr(DEFAULTS, name) for name in _NOT_LLAMA_CPP}
        if levers.kv_cache not in _LLAMA_CPP_CACHES:
            moved["kv_cache"] = DEFAULTS.kv_cache
        elif levers.kv_cache != "auto":
            moved["attention"] = DEFAULTS.attention
        if (levers.prefill_chunk or 0) > MAX_MICRO_BATCH:
            moved["prefill_chunk"] = DEFAULTS.prefill_chunk
    return msgspec.structs.replace(levers, **moved)


def fitted(spec: ModelSpec, device: Device, levers: Levers) -> Levers:
    """The levers as another model and another device can take them."""
    if (levers.pool_bytes or 0) > device.max_pool_bytes:
        levers = msgspec.structs.replace(levers, pool_bytes=None)
    return suited(spec, levers)


def unavailable(spec: ModelSpec, levers: Levers) -> dict[str, str]:
    """The levers that cannot be moved under the others, each with why."""
    found: dict[str, str] = {}
    if levers.weights == "none":
        found["keep_modules"] = say("for quantized weights only")
    if levers.pass_kind != "inference":
        found |= dict.fromkeys(GENERATING, say("not in a pass of kind {pass_kind}", pass_kind=levers.pass_kind))
    if levers.pass_kind == "training":
        found["weights"] = say("quantized weights have no gradients")
    if spec.quantization is not None:
        found["weights"] = say("the checkpoint is quantized already ({quantization})", quantization=spec.quantization)
    if not has_kv_cache(spec):
        found["kv_cache"] = say("a model of type {model_type} keeps no keys and values", model_type=spec.model_type)
        found["attention"] = say("a model of type {model_type} has no attention", model_type=spec.model_type)
    if spec.is_gguf:
        found |= dict.fromkeys(_NOT_LLAMA_CPP, say("llama.cpp has no counterpart"))
        found["weights"] = say("a GGUF file is quantized as it is")
        found["dtype"] = say("the file decides it")
    return found


def idle(spec: ModelSpec, device: Device, levers: Levers) -> dict[str, str]:
    """The levers that can be moved and change no byte under the others, each with why, as sentences."""
    found: dict[str, str] = {}
    if not device.is_gpu:
        found["allocator"] = say("Changes nothing here: the CPU stand-in has no such allocator.")
    if levers.pass_kind != "training":
        found["checkpointing"] = say(CHECKPOINTING_NOTE if levers.pass_kind == "inference" else EVALUATION_NOTE)
    if spec.is_gguf:
        found["new_tokens"] = say("Changes nothing: llama.cpp makes its buffers for the whole request.")
        return found
    prompt = (levers.token_cap or default_token_cap(spec)) - levers.new_tokens
    if levers.prefill_chunk is not None and levers.prefill_chunk >= prompt:
        found["prefill_chunk"] = say(
            "Changes nothing up to the cap: its longest prompt, {prompt:,} tokens, is one chunk.", prompt=prompt
        )
    return found


def refused_values(spec: ModelSpec, device: Device, levers: Levers) -> dict[str, dict[str, str]]:
    """The values of levers that can be moved which do not go with the model, the device or the other levers.

    Each with why, by lever and value.
    """
    caches: dict[str, str] = {}
    kernels: dict[str, str] = {}
    own = auto_kernel(spec, device, levers)
    if own.attention != "flash":
        kernels["flash"] = say(
            "this device would run {attention} in its place: {note}", attention=own.attention, note=own.note
        )
    if spec.is_gguf:
        caches = dict.fromkeys(sorted(set(KV_CACHES) - set(_LLAMA_CPP_CACHES)), say("llama.cpp has no such cache"))
        if levers.kv_cache != "auto":
            kernels |= dict.fromkeys(sorted(set(ATTENTIONS) - {"flash"}), say(_QUANTIZED_V))
        if levers.attention not in ("auto", "flash"):
            caches |= {"int8": say(_QUANTIZED_V), "int4": say(_QUANTIZED_V)}
    return {"kv_cache": caches, "attention": kernels}
