"""Levers in plain words: what each is called, the value it has on a device, and what a change of some means."""

import msgspec

from vramtuner.core.device.spec import Device
from vramtuner.core.model.spec import ModelSpec
from vramtuner.core.request import default_token_cap, kernel_of
from vramtuner.core.settings import Levers
from vramtuner.core.units import format_bytes, format_tokens
from vramtuner.core.words import Labels, number, say

_LABELS = Labels(
    {
        "pool_bytes": "Pool",
        "token_cap": "Token cap",
        "new_tokens": "New tokens",
        "batch_size": "Batch",
        "beams": "Beams",
        "weights": "Weights",
        "keep_modules": "Keep modules",
        "kv_cache": "KV cache",
        "attention": "Attention",
        "checkpointing": "Checkpointing",
        "pass_kind": "Pass kind",
        "prefill_chunk": "Prefill chunk",
        "dtype": "Data type",
        "logits": "Logits",
        "allocator": "Allocator",
        "margin": "Safety margin",
    }
)
_WEIGHT_BITS = {"int8": 8, "nf4": 4, "fp4": 4, "nf4-dq": 4, "fp4-dq": 4}
_CACHES = Labels(
    {
        "auto": "KV cache auto",
        "static": "static KV cache",
        "offloaded": "offloaded KV cache",
        "fp8": "8-bit KV cache (fp8)",
        "int8": "8-bit KV cache (int8)",
        "int4": "4-bit KV cache (int4)",
    }
)
_PASSES = Labels(
    {
        "inference": "inference",
        "autograd": "a forward pass that records gradients",
        "training": "a training step",
    }
)
_KINDS = Labels({"inference": "inference", "autograd": "autograd", "training": "training"})
_LOGITS = Labels({"last": "logits of the last token", "all": "logits of every token"})


def lever_label(name: str) -> str:
    """What a lever is called, by the name of its field."""
    return str(_LABELS.get(name, name.replace("_", " ").capitalize()))


def lever_value(name: str, spec: ModelSpec, device: Device, levers: Levers) -> str:
    """The value that a lever has for a model on a device, with defaults resolved, for people.

    Raises
    ------
    BadInputError
        The pool does not fit the device.
    """
    value = getattr(levers, name)
    match name:
        case "pool_bytes":
            return format_bytes(device.pool_bytes(levers))
        case "token_cap":
            return number(value or default_token_cap(spec))
        case "new_tokens":
            return number(value) if value else say("all prompt")
        case "pass_kind":
            return str(_KINDS.get(value, value))
        case "weights":
            return spec.quantization or say("as stored") if value == "none" else str(value)
        case "attention":
            return kernel_of(spec, device, levers).attention + (say(" (auto)") if value == "auto" else "")
        case "dtype":
            return str(spec.dtype if value == "auto" else value)
        case "prefill_chunk":
            return number(value) if value else say("whole prompt")
        case "keep_modules":
            return ", ".join(value) or say("as usual")
        case "logits":
            return {"last": say("last token"), "all": say("every token")}[value]
        case "allocator":
            return value or say("default")
        case "margin":
            return _percent(value)
    return (say("on") if value else say("off")) if isinstance(value, bool) else str(value)


def lever_phrase(name: str, levers: Levers) -> str:
    """What a lever's value means, as part of a sentence: ``4-bit weights (nf4)``."""
    value = getattr(levers, name)
    match name:
        case "pool_bytes":
            return say("pool {value}", value=format_bytes(value)) if value else say("default pool")
        case "token_cap":
            return say("token cap {value:,}", value=value) if value else say("default token cap")
        case "new_tokens":
            return say("{value} of them new", value=format_tokens(value)) if value else say("all prompt")
        case "batch_size":
            return say("batch {value:,}", value=value)
        case "beams":
            return say("{value} beams", value=value) if value > 1 else say("no beams")
        case "weights":
            return (
                say("weights as stored")
                if value == "none"
                else say("{weight_bits}-bit weights ({value})", weight_bits=_WEIGHT_BITS.get(value, "?"), value=value)
            )
        case "keep_modules":
            return say("unquantized: {value}", value=", ".join(value)) if value else say("unquantized: as usual")
        case "kv_cache":
            return str(_CACHES.get(value, say("{value} KV cache", value=value)))
        case "attention":
            return (
                say("the device's own attention kernel") if value == "auto" else say("{value} attention", value=value)
            )
        case "checkpointing":
            return say("checkpointing on") if value else say("checkpointing off")
        case "pass_kind":
            return str(_PASSES.get(value, value))
        case "prefill_chunk":
            return say("prompt in chunks of {value:,}", value=value) if value else say("prompt at once")
        case "dtype":
            return say("the checkpoint's data type") if value == "auto" else str(value)
        case "logits":
            return str(_LOGITS.get(value, say("logits {value}", value=value)))
        case "allocator":
            return say("allocator {value}", value=value) if value else say("default allocator")
        case "margin":
            return say("safety margin {percent}", percent=_percent(value))
    return f"{lever_label(name).lower()} {value}"


def changed_levers(before: Levers, after: Levers) -> tuple[str, ...]:
    """The fields whose values differ, in the order of `Levers`."""
    return tuple(name for name in Levers.__struct_fields__ if getattr(before, name) != getattr(after, name))


def describe_change(before: Levers, after: Levers) -> str:
    """What changed from one set of levers to another, in plain words; empty where nothing did.

    >>> describe_change(Levers(), Levers(weights="nf4", prefill_chunk=512))
    '4-bit weights (nf4), prompt in chunks of 512'
    """
    return ", ".join(lever_phrase(name, after) for name in changed_levers(before, after))


def with_defaults(levers: Levers, *names: str) -> Levers:
    """The levers with some of them back at their defaults."""
    usual = Levers()
    return msgspec.structs.replace(levers, **{name: getattr(usual, name) for name in names})


def _percent(fraction: float) -> str:
    return number(fraction * 100, "g") + " %"
