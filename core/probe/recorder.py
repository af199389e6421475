"""Recording a tape: the model's own operations under fake tensors, no weights, no device memory."""

import gc
import traceback
from collections.abc import Callable
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._pytree import tree_leaves

from vramtuner.core.errors import AppError, BadInputError
from vramtuner.core.model.spec import ModelSpec
from vramtuner.core.probe import models, quantize
from vramtuner.core.probe.storages import StorageMode
from vramtuner.core.settings import TapeKey
from vramtuner.core.tape.fit import NotAlignedError, fit_lengths, fit_regime, held_out_length
from vramtuner.core.tape.format import Component, Recording, Regime, Tape
from vramtuner.core.tape.store import installed_versions

# Rotary positions are computed, not looked up, so that the operations stay the same as far as anyone will ask.
_SOFT_MAX_TOKENS = 2**22
_FUSED_OPS = ("flash_attention", "efficient_attention")


class _Recorder(StorageMode):
    """Keeps the events of one pass after another; storages alive before a pass are its weights."""

    def __init__(self, check: Callable[[], None]) -> None:
        super().__init__()
        self.before = check  # type: ignore[method-assign] # asked before every operation
        self._sizes: dict[int, int] = {}
        self._ops: dict[int, str] = {}
        self._events: list[int] = []
        self._upcasts: set[int] = set()

    def created(self, number: int, size: int, op: str) -> None:
        self._sizes[number], self._ops[number] = size, op
        self._events.append(number)

    def ended(self, number: int) -> None:
        self._events.append(-number)

    def after(self, func: Any, args: tuple[Any, ...], out: Any) -> None:
        if func is torch.ops.aten._softmax.default and args[0].dtype == torch.float32:
            number = self.number_of(args[0])
            if number and self._ops[number] == "aten._to_copy.default":
                self._upcasts.add(number)

    def record(self, run: Callable[[torch.Tensor], Any], tokens: int, batch_size: int) -> Recording:
        """One pass: every storage of the model first, then what the pass creates and frees."""
        weights = self.alive()
        self._events.clear()
        self._upcasts.clear()
        ids = torch.zeros(batch_size, tokens, dtype=torch.long)
        out = run(ids)
        component = {self.number_of(out.logits): Component.LOGITS}
        component |= {self.number_of(tensor): Component.KV_CACHE for tensor in cache_tensors(returned_cache(out))}
        component |= dict.fromkeys(weights, Component.WEIGHTS)
        events = [*weights, *self._events]
        order = {number: place for place, number in enumerate((n for n in events if n > 0), start=1)}
        return Recording(
            tokens=tokens,
            events=tuple(order[n] if n > 0 else -order[-n] for n in events),
            sizes=tuple(self._sizes[n] for n in order),
            components=tuple(component.get(n, Component.ACTIVATIONS) for n in order),
            ops=tuple(self._ops[n] for n in order),
            upcasts=frozenset(order[n] for n in self._upcasts if n in order),
        )


def returned_cache(out: Any) -> Any:
    """The cache in a model's output, under the name that the transformers release has for it."""
    return out["cache"] if "cache" in out else out.get("past_key_values")


def cache_tensors(cache: Any) -> list[torch.Tensor]:
    """Every tensor that a returned cache holds, whatever its class."""
    if cache is None:
        return []
    layers = getattr(cache, "layers", None)
    values = [vars(layer) for layer in layers] if layers is not None else [cache]
    return [leaf for leaf in tree_leaves(values) if isinstance(leaf, torch.Tensor)]


def regime_bounds(spec: ModelSpec) -> list[tuple[int, int]]:
    """Ranges of tokens between the model's breakpoints, from 2 tokens (one token takes paths of its own) up.

    Raises
    ------
    BadInputError
        The model has too few positions to record three lengths.
    """
    last = spec.max_positions if spec.positions_hard else _SOFT_MAX_TOKENS
    starts = [2]
    for point in spec.breakpoints:
        # A range of fewer than four lengths cannot be fitted; it goes to the one before it.
        if starts[-1] + 3 <= point and point + 4 <= last:
            starts.append(point + 1)
    if starts[-1] + 3 > last:
        raise BadInputError(f"{spec.name} has only {spec.max_positions} positions; nothing can be forecast of it")
    ends = [*(start - 1 for start in starts[1:]), last]
    return list(zip(starts, ends, strict=True))


def record_tape(spec: ModelSpec, key: TapeKey, *, check: Callable[[], None], progress: Callable[[float], None]) -> Tape:
    """Record a model's tape: three lengths a regime, and a fourth that is compared.

    Parameters
    ----------
    check
        Called before every operation; raises to stop.
    progress
        Told the fraction done.

    Raises
    ------
    BadInputError
        The model cannot be built, or its operations change with the length where its config names no breakpoint.
    """
    attention = models.supported_attention(spec, key.attention)
    notes: list[str] = [quantize.OUTLIER_NOTE] if key.weights == "int8" else []
    if attention != key.attention:
        notes.append(f"{spec.architecture} has no fused attention in transformers; eager runs instead")
    collecting = gc.isenabled()
    # Reference counts alone decide when a storage ends, so that the same pass always gives the same events.
    gc.disable()
    try:
        regimes, ops = _record_regimes(spec, key, check, progress)
    except AppError:
        raise
    except NotAlignedError as error:
        raise BadInputError(f"{spec.name} ({spec.architecture}) cannot be forecast yet: {error}") from error
    except Exception as error:
        # A model class may stop under fake tensors in any way of its own; the whole of it goes to standard error.
        traceback.print_exc()
        raise BadInputError(
            f"the pass of {spec.name} ({spec.architecture}) cannot be recorded yet: {models.one_line(error)}"
        ) from error
    finally:
        if collecting:
            gc.enable()
    if attention == "flash" and not any(kind in op for op in ops for kind in _FUSED_OPS):
        notes.append("no fused attention kernel ran: this model's attention refuses it")
    return Tape(
        key=key,
        attention=attention,
        config_hash=spec.config_hash,
        versions=installed_versions(),
        regimes=regimes,
        notes=tuple(notes),
    )


def _record_regimes(
    spec: ModelSpec, key: TapeKey, check: Callable[[], None], progress: Callable[[float], None]
) -> tuple[tuple[Regime, ...], tuple[str, ...]]:
    """The regimes of a model, and the operations of its last recording."""
    bounds, regimes, done = regime_bounds(spec), [], 0
    kernels = models.attention_context(key.attention)
    with FakeTensorMode(allow_non_fake_inputs=True), _Recorder(check) as recorder, torch.no_grad(), kernels:
        model = models.build_model(spec, key)
        if key.weights != "none":
            quantize.quantize_fake_model(model, key.weights)
        gc.collect()
        run = models.forward_pass(model, key)
        for from_tokens, to_tokens in bounds:
            lengths = fit_lengths(from_tokens, to_tokens)
            recordings = []
            for tokens in (*lengths, held_out_length(to_tokens, lengths)):
                recordings.append(recorder.record(run, tokens, key.batch_size))
                done += 1
                progress(done / (4 * len(bounds)))
            first, second, third, held_out = recordings
            regimes.append(fit_regime((first, second, third), held_out, from_tokens=from_tokens, to_tokens=to_tokens))
    return tuple(regimes), held_out.ops
