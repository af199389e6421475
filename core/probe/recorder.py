"""Recording a tape: the model's own operations under fake tensors, no weights, no device memory."""

import gc
import traceback
from collections.abc import Callable
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from vramtuner.core.errors import AppError, BadInputError
from vramtuner.core.model.spec import ModelSpec
from vramtuner.core.probe import checkpoints, classes, models
from vramtuner.core.probe.forward import Forward, cache_tensors, returned_cache
from vramtuner.core.probe.storages import StorageMode
from vramtuner.core.settings import TapeKey
from vramtuner.core.tape.fit import NotAlignedError
from vramtuner.core.tape.format import Component, Recording, Regime, Tape
from vramtuner.core.tape.peaks import peak_regime
from vramtuner.core.tape.regimes import find_regimes
from vramtuner.core.tape.store import installed_versions

# Rotary positions are computed, not looked up, so that the operations stay the same as far as anyone will ask.
_SOFT_MAX_TOKENS = 2**22
_FUSED_OPS = ("flash_attention", "efficient_attention")


class _Recorder(StorageMode):
    """Keeps the events of one pass after another; storages alive before a pass are its weights.

    ``weight_bytes`` is what all weights take where a checkpoint's files tell it.
    """

    def __init__(self, check: Callable[[], None]) -> None:
        super().__init__()
        self.before = check  # type: ignore[method-assign] # asked before every operation
        self._sizes: dict[int, int] = {}
        self._ops: dict[int, str] = {}
        self._events: list[int] = []
        self._upcasts: set[int] = set()
        self.weight_bytes: int | None = None

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

    def record(self, forward: Forward, tokens: int) -> Recording:
        """One pass that ends with ``tokens``: what is there before it first, then what it creates and frees."""
        key = forward.key
        classes.forget_states(forward.model)
        with torch.no_grad():
            cache = forward.cache_before(tokens)
        before = self.alive()
        component = dict.fromkeys(before, Component.WEIGHTS)
        # No name for the list: it would keep alive what the pass replaces.
        component.update(self._those([*cache_tensors(cache), *classes.held_states(forward.model)], Component.KV_CACHE))
        self._events.clear()
        self._upcasts.clear()
        ids = torch.zeros(key.batch_size, key.step or tokens, dtype=torch.long)
        out = forward(ids, cache)
        cache = returned_cache(out)
        component = self._those([out.logits], Component.LOGITS) | component
        component = self._those(classes.held_states(forward.model), Component.KV_CACHE) | component
        component = self._those(cache_tensors(cache), Component.KV_CACHE) | component
        forward.settle(cache)
        component = self._those(cache_tensors(cache), Component.KV_CACHE) | component
        events = [*before, *self._events]
        del ids, out, cache
        if key.pass_kind == "training":
            forward.clear_gradients()
            gc.collect()
        order = {number: place for place, number in enumerate((n for n in events if n > 0), start=1)}
        known = self._known_sizes([n for n in before if component[n] is Component.WEIGHTS])
        return Recording(
            tokens=tokens,
            events=tuple(order[n] if n > 0 else -order[-n] for n in events),
            sizes=tuple(known.get(n, self._sizes[n]) for n in order),
            components=tuple(component.get(n, Component.ACTIVATIONS) for n in order),
            ops=tuple(self._ops[n] for n in order),
            upcasts=frozenset(order[n] for n in self._upcasts if n in order),
        )

    def _known_sizes(self, weights: list[int]) -> dict[int, int]:
        """Sizes of weights where files tell all of them together: the first storage stands for the rest."""
        if self.weight_bytes is None:
            return {}
        return dict.fromkeys(weights, 0) | {weights[0]: self.weight_bytes}

    def _those(self, tensors: list[torch.Tensor], code: Component) -> dict[int, Component]:
        """The storages under these tensors, as a component."""
        return {number: code for number in map(self.number_of, tensors) if number is not None}


def token_range(spec: ModelSpec, key: TapeKey) -> tuple[int, int]:
    """The shortest and the longest pass that is recorded; one token alone takes paths of its own.

    Raises
    ------
    BadInputError
        The model has too few positions to record three lengths.
    """
    first = key.step + 2 if key.step else 2
    last = spec.max_positions if spec.positions_hard else _SOFT_MAX_TOKENS
    last -= key.room
    if first + 3 > last:
        raise BadInputError(f"{spec.name} has only {spec.max_positions} positions; nothing can be forecast of it")
    return first, last


def _hints(spec: ModelSpec, key: TapeKey) -> list[int]:
    """Last lengths of regimes, as far as the config tells: for a step, what is cached before it counts as well."""
    points = [point - key.room for point in spec.breakpoints]
    if key.step:
        points += [point + extra for point in spec.breakpoints for extra in (1, key.step - 1, key.step)]
        points.append(2 * key.step)
    return points


def record_tape(spec: ModelSpec, key: TapeKey, *, check: Callable[[], None], progress: Callable[[float], None]) -> Tape:
    """Record a model's tape: three lengths a regime, and one that is compared.

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
    notes = checkpoints.notes(spec, key)
    notes += classes.class_notes(spec.config)
    if attention != key.attention and classes.has_attention(spec.config):
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
    if (
        attention == "flash"
        and classes.has_attention(spec.config)
        and not any(kind in op for op in ops for kind in _FUSED_OPS)
    ):
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
    first, last = token_range(spec, key)
    known: dict[int, Recording] = {}
    kernels = models.attention_context(key.attention)
    fakes = FakeTensorMode(allow_non_fake_inputs=True)
    with models.one_sequence_a_row(), fakes, _Recorder(check) as recorder, torch.no_grad(), kernels:
        model = models.build_model(spec, key)
        recorder.weight_bytes = checkpoints.quantize_model(model, spec, key)
        gc.collect()
        forward = Forward(model, key, elsewhere=recorder.elsewhere)

        def record(tokens: int) -> Recording:
            if tokens not in known:
                progress(1 - 0.75 ** (len(known) + 1))
                known[tokens] = recorder.record(forward, tokens)
            return known[tokens]

        turn = classes.loop_tokens(spec.config)
        if turn is None:
            regimes = find_regimes(
                record, first, last, _hints(spec, key), classes.padded_chunks(spec.config), [spec.max_positions]
            )
        else:
            # A pass as long as a window takes too many turns to be recorded, so that the tape ends before it.
            last = min([last, *(point for point in spec.breakpoints if point > first)])
            regimes = (peak_regime(record, first, last, turn),)
    return regimes, known[max(known)].ops
