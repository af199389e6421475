"""Caches of keys and values: transformers' own, and what they need to be recorded or measured without a GPU.

The quantized caches are hqq's.  Under fake tensors its steps are spelled out here, because its optimizer looks at
values; real passes take the library.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import torch
from torch._guards import active_fake_mode
from transformers.cache_utils import DynamicCache, HQQQuantizedLayer, QuantizedCache, QuantizedLayer, StaticCache

from vramtuner.core.errors import BadInputError
from vramtuner.core.settings import KvCache

# Tokens that a quantized cache keeps in full precision before it quantizes everything anew (transformers' default).
RESIDUAL_TOKENS = 128
# Values that share a scale and a zero point (transformers' default).
GROUP_SIZE = 64
_HQQ_VERSION = "0.2.8"
_BITS: dict[str, int] = {"int8": 8, "int4": 4}
# hqq's default penalty: |x|^0.7, weighted 1/10.  Neither changes what is allocated.
_NORM, _BETA = 0.7, 10.0
Elsewhere = Callable[[], AbstractContextManager[Any]]


def make_cache(kind: KvCache, config: Any, tokens: int, elsewhere: Elsewhere | None) -> Any:
    """The cache of a request of this many tokens; ``None`` where the model makes its own.

    Parameters
    ----------
    elsewhere
        Around the making of tensors that an offloaded cache keeps off the device, where there is no second one.

    Raises
    ------
    BadInputError
        The model cannot take the cache, or a library is missing.
    """
    if kind == "auto":
        return None
    try:
        match kind:
            case "static":
                return StaticCache(config=config, max_cache_len=tokens)
            case "offloaded":
                return _offloaded_cache(config, elsewhere)
            case "fp8":
                return QuantizedCache("fp8", config)
            case _:
                return _grouped_cache(kind, config)
    except ImportError as error:
        raise BadInputError(
            f"KV cache {kind} takes the library hqq in real passes, which is missing or too old here;"
            f" install hqq ({_HQQ_VERSION} is tested), or take KV cache fp8, which needs no library"
        ) from error
    except ValueError as error:
        raise BadInputError(f"KV cache {kind}: {' '.join(str(error).split())[:200]}") from error


def residual_before(step: int) -> int:
    """Tokens in full precision before the pass of ``step`` tokens that makes a grouped cache quantize anew."""
    return step * (-(-RESIDUAL_TOKENS // step) - 1)


def _grouped_cache(kind: KvCache, config: Any) -> Any:
    # Made once without a library, so that a model which slides is refused as for fp8.
    cache = QuantizedCache("fp8", config)
    layer = _RecordedLayer if active_fake_mode() is not None else _HqqLayer
    options = {"nbits": _BITS[kind], "axis_key": 1, "axis_value": 1}
    options |= {"q_group_size": GROUP_SIZE, "residual_length": RESIDUAL_TOKENS}
    cache.layers = [layer(**options) for _ in cache.layers]
    return cache


def _check_groups(tensor: torch.Tensor, bits: int) -> None:
    """Raise `BadInputError` where the values of a token, all heads and rows, are not whole groups, or pairs of them.

    hqq cuts keys and values into groups whatever their shape, and packs one half of 4-bit groups into the other.
    """
    values, wanted = tensor.numel() // tensor.shape[-2], GROUP_SIZE * 8 // bits
    if values % wanted:
        raise BadInputError(
            f"KV cache int{bits} is packed {wanted} values at a time, and a token of this model and batch has"
            f" {values:,} keys a layer; take fp8, which has no groups"
        )


class _HqqLayer(HQQQuantizedLayer):  # type: ignore[misc] # transformers has no types
    """transformers' layer over hqq; the CPU stand-in computes in the type that a GPU does."""

    def _quantize(self, tensor: torch.Tensor, axis: int) -> Any:
        _check_groups(tensor, self.nbits)
        with _as_on_a_gpu(tensor.device):
            return super()._quantize(tensor, axis)


@contextmanager
def _as_on_a_gpu(device: torch.device) -> Iterator[None]:
    """hqq's optimizer in fp16, which it takes on a GPU; on a CPU it would take fp32, and twice the memory."""
    from hqq.core import optimize

    given = optimize.float32
    optimize.float32 = torch.float16 if device.type == "cpu" else given
    try:
        yield
    finally:
        optimize.float32 = given


class _RecordedLayer(QuantizedLayer):  # type: ignore[misc] # transformers has no types
    """The memory of `HQQQuantizedLayer`: the same storages in the same order, without the library."""

    def _quantize(self, tensor: torch.Tensor, axis: int) -> Any:
        _check_groups(tensor, self.nbits)
        packed, scale, zero = quantize_steps(tensor, self.nbits)
        return packed, scale.to(self.keys.dtype), zero.to(self.keys.dtype), tensor.shape

    def _dequantize(self, quantized: Any) -> torch.Tensor:
        packed, scale, zero, shape = quantized
        return dequantize_steps(packed, scale, zero, self.nbits).reshape(shape)


def quantize_steps(tensor: torch.Tensor, bits: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """What hqq 0.2.8's ``Quantizer.quantize`` allocates on a GPU, groups along rows: packed values, scales, zeros.

    The values are not its own: the optimizer takes two turns here.  The library's always takes two (the first one
    cannot fail to improve), and no later turn holds more than the second.
    """
    wide = tensor.float().reshape(-1, GROUP_SIZE)
    low, high = wide.min(1, keepdim=True)[0], wide.max(1, keepdim=True)[0]
    spread = high - low
    scale = (2**bits - 1) / spread
    scale = torch.where(spread.abs() <= 1e-4, torch.full_like(scale, 1.0), scale)
    scale = scale.clamp(max=2e4)
    zero = -low * scale
    rounded, scale, zero = _optimize(wide, scale, zero, 2**bits - 1)
    del wide, low, high
    scale = 1.0 / scale
    return _pack(rounded, bits), scale, zero


def dequantize_steps(packed: torch.Tensor, scale: torch.Tensor, zero: torch.Tensor, bits: int) -> torch.Tensor:
    """What hqq 0.2.8's ``Quantizer.dequantize`` allocates; one row a group."""
    rows = packed.shape[0]
    if bits == 8:
        values = packed.to(scale.dtype)
    else:
        values = torch.empty([2 * rows, packed.shape[1]], dtype=scale.dtype, device=packed.device)
        values[:rows] = (packed & 0xF0) >> 4
        values[rows:] = packed & 0x0F
    return (values - zero) * scale


def _pack(rounded: torch.Tensor, bits: int) -> torch.Tensor:
    whole = rounded.to(torch.uint8)
    if bits == 8:
        return whole
    half = len(whole) // 2
    return (whole[:half] << 4) | whole[half:]


def _optimize(
    wide: torch.Tensor, scale: torch.Tensor, zero: torch.Tensor, highest: int
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The optimizer of the zero points, in fp16; scales and zeros that it was given stay with the caller."""
    values, half_scale, half_zero = wide.half(), scale.half(), zero.half()
    error = torch.tensor(torch.inf, dtype=torch.float32, device=wide.device)
    for _ in range(2):
        # What the turn before left is held meanwhile.
        restored, rounded, half_zero = _turn(values, half_scale, half_zero, highest)
        current = torch.abs(values - restored).mean().float()
        torch.lt(current, error)
        error = current
    del values, rounded, restored
    return torch.round(wide * half_scale + half_zero).clamp_(0, highest), half_scale, half_zero


def _turn(
    values: torch.Tensor, scale: torch.Tensor, zero: torch.Tensor, highest: int
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    rounded = torch.round(values * scale + zero).clamp_(0, highest)
    restored = (rounded - zero) / scale
    kept = _shrink(values - restored)
    zero = torch.mean(rounded - (values - kept) * scale, dim=1, keepdim=True)
    return restored, rounded, zero


def _shrink(error: torch.Tensor) -> torch.Tensor:
    out = torch.abs(error)
    out.sub_((1.0 / _BETA) * out.pow(_NORM - 1)).clamp_min_(0.0)
    return out.mul_(torch.sign(error))


def _offloaded_cache(config: Any, elsewhere: Elsewhere | None) -> Any:
    if elsewhere is None:
        return DynamicCache(config=config, offloading=True)
    cache = _OffloadedCache(config=config)
    cache.elsewhere = elsewhere
    return cache


class _OffloadedCache(DynamicCache):  # type: ignore[misc] # transformers has no types
    """transformers' offloaded cache where there is one memory only: the host's copies are kept out of the account.

    Keys and values are on the host but for the layer at work and the next, whose come back meanwhile.
    """

    elsewhere: Elsewhere

    def update(self, key_states: Any, value_states: Any, layer_idx: int, *args: Any, **kwargs: Any) -> Any:
        layer, following = self.layers[layer_idx], self.layers[(layer_idx + 1) % len(self.layers)]
        for arriving in (following, layer):
            if getattr(arriving, "is_away", False):
                arriving.keys, arriving.values = arriving.keys.clone(), arriving.values.clone()
                arriving.is_away = False
        keys, values = super().update(key_states, value_states, layer_idx, *args, **kwargs)
        with self.elsewhere():
            layer.keys, layer.values = layer.keys.clone(), layer.values.clone()
        layer.is_away = True
        return keys, values
