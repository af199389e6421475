"""Recording a tape: the model's own operations under fake tensors, no weights, no device memory."""

import gc
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from typing import Any

import msgspec
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from vramtuner.core.errors import AppError, BadInputError, CancelledError
from vramtuner.core.model.spec import ModelSpec
from vramtuner.core.probe import checkpoints, classes, models, quantize
from vramtuner.core.probe.forward import Forward, cache_tensors, returned_cache
from vramtuner.core.probe.storages import StorageMode
from vramtuner.core.settings import TapeKey
from vramtuner.core.tape.fit import NotAlignedError
from vramtuner.core.tape.folding import FoldedRecordings, NotFoldedError
from vramtuner.core.tape.format import Component, Recording, Regime, Tape
from vramtuner.core.tape.peaks import peak_regime
from vramtuner.core.tape.regimes import find_regimes
from vramtuner.core.tape.store import installed_versions

# Rotary positions are computed, not looked up, so that the operations stay the same as far as anyone will ask.
_SOFT_MAX_TOKENS = 2**22
# Layers of the model that is recorded in a deep one's stead: more where their kinds take more to come round.
SHALLOW_LAYERS = (4, 8)
_WORTH_FOLDING = 2.5
LAYER_NAMES = {"num_hidden_layers", "n_layer", "n_layers", "num_layers"}
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
    if key.weights != "none" or spec.quantization is not None:
        quantize.load_library()
    attention = models.supported_attention(spec, key.attention)
    notes = checkpoints.notes(spec, key)
    notes += classes.class_notes(spec.config)
    if attention != key.attention and classes.has_attention(spec.config):
        notes.append(f"{spec.architecture} has no fused attention in transformers; eager runs instead")
    collecting = gc.isenabled()
    # Reference counts alone decide when a storage ends, so that the same pass always gives the same events.
    gc.disable()
    gc.freeze()  # what has been imported is no garbage, and looking through it takes longer than building a model
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
        gc.unfreeze()
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


class _Subject:
    """A model under fake tensors, to be recorded at one length after another."""

    def __init__(self, spec: ModelSpec, key: TapeKey, check: Callable[[], None]) -> None:
        self._kernel = key.attention
        self._fakes = FakeTensorMode(allow_non_fake_inputs=True)
        self._recorder = _Recorder(check)
        with self._modes():
            model = models.build_model(spec, key)
            self._recorder.weight_bytes = checkpoints.quantize_model(model, spec, key)
            gc.collect()
            self._forward = Forward(model, key, elsewhere=self._recorder.elsewhere)

    def record(self, tokens: int) -> Recording:
        with self._modes():
            return self._recorder.record(self._forward, tokens)

    @contextmanager
    def _modes(self) -> Iterator[None]:
        kernel = models.attention_context(self._kernel)
        with models.one_sequence_a_row(), self._fakes, self._recorder, torch.no_grad(), kernel:
            yield


def _record_regimes(
    spec: ModelSpec, key: TapeKey, check: Callable[[], None], progress: Callable[[float], None]
) -> tuple[tuple[Regime, ...], tuple[str, ...]]:
    """The regimes of a model, and the operations of its last recording."""
    first, last = token_range(spec, key)
    count = 0

    def announced(record: Callable[[int], Recording]) -> Callable[[int], Recording]:
        def announce(tokens: int) -> Recording:
            nonlocal count
            count += 1
            progress(1 - 0.75**count)
            return record(tokens)

        return lru_cache(maxsize=None)(announce)

    deep = _Subject(spec, key, check)
    whole = lru_cache(maxsize=None)(deep.record)
    turn = classes.loop_tokens(spec.config)
    if turn is not None:
        # A pass as long as a window takes too many turns to be recorded, so that the tape ends before it.
        last = min([last, *(point for point in spec.breakpoints if point > first)])
        regime = peak_regime(announced(whole), first, last, turn)
        return (regime,), whole(regime.held_out).ops
    chunks, hints = classes.padded_chunks(spec.config), _hints(spec, key)
    for shallow in filter(None, (shallow_spec(spec, layers) for layers in SHALLOW_LAYERS)):
        with suppress(NotFoldedError):
            folded = FoldedRecordings(whole, _shallow_record(shallow, key, check))
            record = announced(folded.record)
            regimes = find_regimes(record, first, last, hints, chunks, [spec.max_positions], folded.confirm)
            return regimes, whole(regimes[-1].held_out).ops
    regimes = find_regimes(announced(whole), first, last, hints, chunks, [spec.max_positions])
    return regimes, whole(regimes[-1].held_out).ops


def _shallow_record(spec: ModelSpec, key: TapeKey, check: Callable[[], None]) -> Callable[[int], Recording]:
    """The recording of a model that may not be one: whatever stops it says that it does not stand for the deep one."""

    @contextmanager
    def guarded() -> Iterator[None]:
        try:
            yield
        except (CancelledError, MemoryError):
            raise
        except Exception as error:
            raise NotFoldedError(models.one_line(error)) from error

    with guarded():
        subject = _Subject(spec, key, check)

    def record(tokens: int) -> Recording:
        with guarded():
            return subject.record(tokens)

    return record


def shallow_spec(spec: ModelSpec, layers: int) -> ModelSpec | None:
    """A model of fewer layers of the same kinds; ``None`` where that is not much less."""
    name = next((name for name in LAYER_NAMES if isinstance(spec.config.get(name), int)), None)
    depth = 0 if name is None else spec.config[name]
    if depth < _WORTH_FOLDING * layers:
        return None
    config = {
        fact: value[:layers] if isinstance(value, list) and len(value) == depth else value
        for fact, value in spec.config.items()
    }
    return msgspec.structs.replace(spec, config=config | dict.fromkeys(LAYER_NAMES & config.keys(), layers))
