"""Levers in plain words: what each is called, the value it has on a device, and what a change of some means."""

import msgspec

from vramtuner.core.device.spec import Device
from vramtuner.core.model.spec import ModelSpec
from vramtuner.core.request import default_token_cap, kernel_of
from vramtuner.core.settings import Levers
from vramtuner.core.units import format_bytes, format_tokens

_LABELS = {
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
_WEIGHT_BITS = {"int8": 8, "nf4": 4, "fp4": 4, "nf4-dq": 4, "fp4-dq": 4}
_CACHES = {
    "auto": "KV cache auto",
    "static": "static KV cache",
    "offloaded": "offloaded KV cache",
    "fp8": "8-bit KV cache (fp8)",
    "int8": "8-bit KV cache (int8)",
    "int4": "4-bit KV cache (int4)",
}
_PASSES = {
    "inference": "inference",
    "autograd": "a forward pass that records gradients",
    "training": "a training step",
}
_LOGITS = {"last": "logits of the last token", "all": "logits of every token"}


def lever_label(name: str) -> str:
    """What a lever is called, by the name of its field."""
    return _LABELS.get(name, name.replace("_", " ").capitalize())


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
            return f"{value or default_token_cap(spec):,}"
        case "new_tokens":
            return f"{value:,}" if value else "all prompt"
        case "weights":
            return spec.quantization or "as stored" if value == "none" else str(value)
        case "attention":
            return f"{kernel_of(spec, device, levers).attention}{' (auto)' if value == 'auto' else ''}"
        case "dtype":
            return str(spec.dtype if value == "auto" else value)
        case "prefill_chunk":
            return f"{value:,}" if value else "whole prompt"
        case "keep_modules":
            return ", ".join(value) or "as usual"
        case "logits":
            return {"last": "last token", "all": "every token"}[value]
        case "allocator":
            return value or "default"
        case "margin":
            return _percent(value)
    return {True: "on", False: "off"}[value] if isinstance(value, bool) else str(value)


def lever_phrase(name: str, levers: Levers) -> str:
    """What a lever's value means, as part of a sentence: ``4-bit weights (nf4)``."""
    value = getattr(levers, name)
    match name:
        case "pool_bytes":
            return f"pool {format_bytes(value)}" if value else "default pool"
        case "token_cap":
            return f"token cap {value:,}" if value else "default token cap"
        case "new_tokens":
            return f"{format_tokens(value)} of them new" if value else "all prompt"
        case "batch_size":
            return f"batch {value:,}"
        case "beams":
            return f"{value} beams" if value > 1 else "no beams"
        case "weights":
            return "weights as stored" if value == "none" else f"{_WEIGHT_BITS.get(value, '?')}-bit weights ({value})"
        case "keep_modules":
            return f"unquantized: {', '.join(value)}" if value else "unquantized: as usual"
        case "kv_cache":
            return _CACHES.get(value, f"{value} KV cache")
        case "attention":
            return "the device's own attention kernel" if value == "auto" else f"{value} attention"
        case "checkpointing":
            return f"checkpointing {'on' if value else 'off'}"
        case "pass_kind":
            return _PASSES.get(value, str(value))
        case "prefill_chunk":
            return f"prompt in chunks of {value:,}" if value else "prompt at once"
        case "dtype":
            return "the checkpoint's data type" if value == "auto" else str(value)
        case "logits":
            return _LOGITS.get(value, f"logits {value}")
        case "allocator":
            return f"allocator {value}" if value else "default allocator"
        case "margin":
            return f"safety margin {_percent(value)}"
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
    return f"{fraction * 100:g} %"
