"""Every single-lever change whose tape is at hand, ranked by the limit it would give."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from vramtuner.core.device.attention import TABLE_TORCH, installed_torch
from vramtuner.core.device.spec import DRIVER_MARGIN_BYTES
from vramtuner.core.errors import BadInputError
from vramtuner.core.forecast import Forecast, forecast
from vramtuner.core.recording import find_tapes
from vramtuner.core.request import phases
from vramtuner.core.settings import Levers
from vramtuner.core.units import format_bytes
from vramtuner.core.words import say


class Advice(msgspec.Struct, frozen=True):
    """One change of one lever: what to change, the limit it would give [tokens], and what it costs."""

    change: str
    limit_tokens: int
    note: str
    levers: Levers


def advise(current: Forecast, *, go_on: Callable[[], bool] = lambda: True) -> tuple[Advice, ...]:
    """Changes that would raise the limit, best first.

    Only levers whose tape is shipped or cached are tried, so that no probe is needed; an attention kernel that the
    device does not have is left out.

    Parameters
    ----------
    go_on
        Asked before every change is tried; what has been found so far is the answer once it says no.
    """
    found = []
    for change, note, values in _changes(current):
        if not go_on():
            break
        try:
            levers = msgspec.structs.replace(current.levers, **values)
            tapes = find_tapes(current.spec, phases(current.spec, current.device, levers))
        except BadInputError:  # it does not go with another lever, or llama.cpp has none
            continue
        if tapes is None:
            continue
        limit = forecast(current.spec, current.device, levers, *tapes, calibration=current.calibration).limit.tokens
        if limit > current.limit.tokens:
            found.append(Advice(change, limit, note, levers))
    return tuple(sorted(found, key=lambda advice: -advice.limit_tokens))


_CHUNK = 512
_EXPANDABLE = "expandable_segments:True"


def _changes(current: Forecast) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Every change of one lever that could help: its name, what it costs, the lever's new value."""
    levers, device = current.levers, current.device
    if current.pool_bytes < device.max_pool_bytes:
        free = format_bytes(DRIVER_MARGIN_BYTES, 0)
        yield (
            say("largest pool"),
            say("only the driver's {free} stays free", free=free),
            {"pool_bytes": device.max_pool_bytes},
        )
    if levers.weights == "none":
        yield say("weights nf4"), say("4-bit weights; check the answers' quality"), {"weights": "nf4"}
        yield (
            say("weights nf4-dq"),
            say("4-bit weights, their scales in 8 bits; check the answers' quality"),
            {"weights": "nf4-dq"},
        )
        yield say("weights int8"), say("8-bit weights; check the answers' quality"), {"weights": "int8"}
    if levers.attention != "auto":
        yield say("attention auto"), say("the kernel this device gets by default"), {"attention": "auto"}
    if current.key.dtype == "fp32":
        yield say("dtype bf16"), say("half the bytes per value"), {"dtype": "bf16"}
    if levers.batch_size > 1:
        yield say("batch 1"), say("one request at a time"), {"batch_size": 1}
    if levers.beams > 1:
        yield say("beams 1"), say("greedy search or sampling"), {"beams": 1}
    if levers.logits == "all":
        yield say("logits last"), say("what generate keeps"), {"logits": "last"}
    if device.is_gpu and not levers.allocator and _has_expandable_segments():
        note = say("the allocator grows what it holds; on ROCm 7.0 and later only, with bugs still open there")
        yield say("allocator {expandable}", expandable=_EXPANDABLE), note, {"allocator": _EXPANDABLE}
    if levers.pass_kind == "inference":
        yield from _request_changes(levers)
    elif levers.pass_kind == "training" and not levers.checkpointing:
        yield (
            say("checkpointing on"),
            say("activations are computed again in the backward pass"),
            {"checkpointing": True},
        )
    elif levers.pass_kind == "autograd":
        yield (
            say("pass inference"),
            say("torch.no_grad or torch.inference_mode around the pass"),
            {"pass_kind": "inference"},
        )


def _request_changes(levers: Levers) -> Iterator[tuple[str, str, dict[str, Any]]]:
    if (levers.prefill_chunk or _CHUNK + 1) > _CHUNK:
        note = say("generate's prefill_chunk_size; the prompt takes longer")
        yield say("prefill chunk {chunk}", chunk=_CHUNK), note, {"prefill_chunk": _CHUNK}
    if levers.kv_cache == "auto":
        yield (
            say("KV cache offloaded"),
            say("keys and values move over the bus for every token; slow"),
            {"kv_cache": "offloaded"},
        )
        yield say("KV cache fp8"), say("8-bit keys and values; check the answers' quality"), {"kv_cache": "fp8"}
        yield say("KV cache int8"), say("8-bit keys and values; check the answers' quality"), {"kv_cache": "int8"}
        yield say("KV cache int4"), say("4-bit keys and values; check the answers' quality"), {"kv_cache": "int4"}


def _has_expandable_segments() -> bool:
    """Whether the installed torch has them on ROCm (PyTorch PR 177974)."""
    numbers = re.match(r"(\d+)\.(\d+)", installed_torch() or TABLE_TORCH)
    return numbers is not None and (int(numbers[1]), int(numbers[2])) >= (2, 12)
