"""One pass of a model, and a whole request of passes, as `generate` makes them: caches, chunks, steps, beams.

The same code runs under fake tensors, where a tape is recorded, and on a device, where a pass is measured.
"""

import inspect
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import torch
from torch.utils._pytree import tree_leaves

from vramtuner.core.errors import BadInputError
from vramtuner.core.probe.caches import Elsewhere, make_cache, residual_before
from vramtuner.core.probe.protocol import PhaseKind
from vramtuner.core.settings import TapeKey


class Forward:
    """A model and the kind of pass that a tape's key describes.

    Parameters
    ----------
    elsewhere
        Around the making of tensors that an offloaded cache keeps off the device, where there is no second one.
    """

    def __init__(self, model: Any, key: TapeKey, *, elsewhere: Elsewhere | None = None) -> None:
        self.model, self.key = model, key
        self._elsewhere = elsewhere
        names = inspect.signature(model.forward).parameters
        self._options: dict[str, Any] = {}
        if key.pass_kind == "training":
            model.train()
            self._options["use_cache"] = False
        else:
            model.eval()
            self._options["use_cache"] = True
            if "logits_to_keep" in names:
                self._options["logits_to_keep"] = 1 if key.logits == "last" else 0
        self._cache_name = "cache" if "cache" in names else "past_key_values"
        if key.checkpointing:
            _enable_checkpointing(model)

    @property
    def gradients(self) -> AbstractContextManager[Any]:
        """What turns autograd on or off around passes."""
        return torch.no_grad() if self.key.pass_kind == "inference" else torch.enable_grad()

    def __call__(self, ids: torch.Tensor, cache: Any = None) -> Any:
        """A pass over ``ids`` [rows, tokens], onto a cache if there is one; in training, the backward pass too."""
        options = dict(self._options)
        if cache is not None:
            options[self._cache_name] = cache
        with self.gradients:
            if self.key.pass_kind == "training":
                out = self.model(input_ids=ids, labels=ids, **options)
                out.loss.backward()
                return out
            return self.model(input_ids=ids, **options)

    def settle(self, cache: Any) -> None:
        """What follows a pass: beam search gathers each row's cache from the beam that it continues."""
        if self.key.beams > 1 and cache is not None:
            cache.reorder_cache(torch.arange(self.key.batch_size))

    def clear_gradients(self) -> None:
        """Forget the gradients of a training pass."""
        self.model.zero_grad(set_to_none=True)

    def new_cache(self, tokens: int) -> Any:
        """The cache of a request of this many tokens; ``None`` where the model makes its own.

        Raises
        ------
        BadInputError
            The model cannot take the cache, or a library is missing.
        """
        return make_cache(self.key.kv_cache, self.model.config, tokens, self._elsewhere)

    def cache_before(self, tokens: int) -> Any:
        """What earlier passes of a request leave for a pass that ends with ``tokens`` in the cache.

        Its last ones are passes of the same kind, so that layers which slide hold what such a pass leaves and not the
        whole prompt; before them comes one pass over the rest.
        """
        key = self.key
        if not key.step:
            return self.new_cache(tokens + key.room)
        held = tokens - key.step
        parts = [key.step] if held > key.step else []
        residual = residual_before(key.step) if key.kv_cache in ("int8", "int4") else 0
        if 0 < residual < held:
            # The step that fills up the residual quantizes everything anew, which takes most.
            parts = [residual]
        parts = [held - sum(parts), *parts]
        cache, rows = self.new_cache(tokens + key.room), key.batch_size
        for part in parts:
            cache = returned_cache(self(torch.zeros(rows, part, dtype=torch.long), cache))
            self.settle(cache)
        return cache

    def request(
        self,
        tokens: int,
        new_tokens: int,
        prefill_chunk: int | None,
        device: torch.device,
        on_phase: Callable[[PhaseKind], None] = lambda phase: None,
    ) -> None:
        """A whole request: prefill, whole or in chunks, then a pass for each new token."""
        rows = self.key.batch_size
        steps = min(new_tokens, tokens - 1)
        prompt = tokens - steps
        parts = [min(prefill_chunk or prompt, prompt - done) for done in range(0, prompt, prefill_chunk or prompt)]
        cache = self.new_cache(tokens)
        on_phase("prefill")
        for number, part in enumerate([*parts, *[1] * steps]):
            if number == len(parts):
                on_phase("decode")
            ids = torch.zeros(rows, part, dtype=torch.long, device=device)
            # The output is dropped before the next pass, as `generate` does, but for its cache.
            cache = returned_cache(self(ids, cache))
            self.settle(cache)


def returned_cache(out: Any) -> Any:
    """The cache in a model's output, under the name that the transformers release has for it."""
    for name in ("cache", "past_key_values", "cache_params", "state"):
        if out.get(name) is not None:
            return out[name]
    return None


def cache_tensors(cache: Any) -> list[torch.Tensor]:
    """Every tensor that a cache holds, whatever its class."""
    if cache is None:
        return []
    layers = getattr(cache, "layers", None)
    values = [vars(layer) for layer in layers] if layers is not None else [cache]
    return [leaf for leaf in tree_leaves(values) if isinstance(leaf, torch.Tensor)]


def _enable_checkpointing(model: Any) -> None:
    names = ("activation_checkpointing_enable", "gradient_checkpointing_enable")
    enable = next(getattr(model, name) for name in names if hasattr(model, name))
    try:
        enable({"use_reentrant": False})
    except (ValueError, AttributeError) as error:
        raise BadInputError(f"{type(model).__name__} has no gradient checkpointing in transformers") from error
