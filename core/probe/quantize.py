"""bitsandbytes layers as the tape needs to see them: their real operations, one storage at a time.

The library hides a whole layer in one custom operation.  On a GPU, long inputs go through a plain sequence of
steps (dequantize, then a matrix product; or int8 product, then dequantize, then the outlier columns); those steps
are spelled out here, so that their workspace is on the tape.
"""

from collections.abc import Callable
from contextlib import suppress
from math import ceil
from typing import Any

import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensor

from vramtuner.core.errors import BadInputError
from vramtuner.core.settings import Weights

# The published layer-wise count is about 0.1 % of the input columns (LLM.int8(), section 4); ten times that is
# taken, because the true number depends on the data.
OUTLIER_FRACTION = 0.01
OUTLIER_NOTE = (
    f"int8: outlier columns depend on the data; {OUTLIER_FRACTION:.0%} of the input columns is the assumed bound"
)
INT8_THRESHOLD = 6.0
# Blocks of constants that share one constant of double quantization (bitsandbytes: quantize_4bit).
_NESTED_BLOCK = 256
_TIED = (
    "the model's output layer shares its weight with the embedding, and transformers quantizes it too when modules to"
    " keep are named, which breaks such a model; name lm_head among them"
)


def load_library() -> None:
    """Import bitsandbytes, outside of fake tensors: it makes the tables of its 4-bit types as it is imported."""
    with suppress(ImportError):
        import bitsandbytes.functional  # noqa: F401


def steps_inside(func: Any, args: tuple[Any, ...]) -> Callable[..., Any] | None:
    """The steps inside a bitsandbytes operation, or ``None`` for any other operation."""
    name = str(func)
    if not name.startswith("bitsandbytes."):
        return None
    if name == "bitsandbytes.int8_vectorwise_quant.default" and not isinstance(args[0], FakeTensor):
        return None
    return _STEPS.get(name)


def _gemm_4bit(
    a: torch.Tensor,
    b: torch.Tensor,
    shape_b: list[int],
    absmax: torch.Tensor,
    blocksize: int,
    quant_type: str,
    bias: torch.Tensor | None = None,
    absmax_8bit: torch.Tensor | None = None,
    absmax_code: torch.Tensor | None = None,
    absmax_offset: torch.Tensor | None = None,
) -> torch.Tensor:
    """`_dequant_linear_fallback` of the CUDA and ROCm backend, which holds all of its parts until it returns."""
    ops = torch.ops.bitsandbytes
    if absmax_8bit is not None:
        without_offset = ops.dequantize_blockwise.default(
            absmax_8bit, absmax, absmax_code, _NESTED_BLOCK, torch.float32
        )
        absmax = without_offset + absmax_offset
    weight = ops.dequantize_4bit.default(b, absmax, blocksize, quant_type, shape_b, a.dtype)
    return nn.functional.linear(a, weight, bias)


def _int8_vectorwise_quant(
    a: torch.Tensor, threshold: float = 0.0
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor | None]:
    rows = a.numel() // a.shape[-1]
    stats = torch.empty(rows, device=a.device, dtype=torch.float32)
    quantized = torch.empty(a.shape, device=a.device, dtype=torch.int8)
    if threshold == 0.0:
        return quantized, stats, None
    is_outlier = a.abs() >= threshold
    columns = torch.empty(ceil(OUTLIER_FRACTION * a.shape[-1]), device=a.device, dtype=torch.int64)
    del is_outlier
    return quantized, stats, columns


def _int8_scaled_mm(
    a: torch.Tensor,
    b: torch.Tensor,
    row_stats: torch.Tensor,
    col_stats: torch.Tensor,
    bias: torch.Tensor | None = None,
    dtype: torch.dtype | None = None,
) -> torch.Tensor:
    """The product in 32-bit integers, then in fp16, which is all that the GPU's kernel writes, then in ``dtype``."""
    ops = torch.ops.bitsandbytes
    product = ops.int8_linear_matmul.default(a, b)
    half = ops.int8_mm_dequant.default(product, row_stats, col_stats, dtype=torch.float16, bias=bias)
    out: torch.Tensor = half.to(dtype or torch.float16)
    return out


def _int8_mixed_scaled_mm(
    a: torch.Tensor,
    ca: torch.Tensor,
    cb: torch.Tensor,
    sca: torch.Tensor,
    scb: torch.Tensor,
    outlier_cols: torch.Tensor | None = None,
    bias: torch.Tensor | None = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    ops = torch.ops.bitsandbytes
    sub_a, sub_b = torch.empty(0, device=a.device, dtype=a.dtype), None
    if outlier_cols is not None and outlier_cols.numel():
        sub_a = a[:, outlier_cols].contiguous()
        sub_b = ops.int8_vectorwise_dequant.default(cb[:, outlier_cols].contiguous(), scb).to(a.dtype).t()
    out = _int8_scaled_mm(ca, cb, sca, scb, bias=bias, dtype=a.dtype)
    if sub_b is not None:
        out = out.addmm(sub_a, sub_b)
    return out, sub_a


_STEPS: dict[str, Callable[..., Any]] = {
    "bitsandbytes.gemm_4bit.default": _gemm_4bit,
    "bitsandbytes.int8_vectorwise_quant.default": _int8_vectorwise_quant,
    "bitsandbytes.int8_scaled_mm.default": _int8_scaled_mm,
    "bitsandbytes.int8_mixed_scaled_mm.default": _int8_mixed_scaled_mm,
}


class _Linear4bit(nn.Module):
    """The memory and operations of ``bitsandbytes.nn.Linear4bit``, whose tensor subclass fake tensors refuse."""

    def __init__(self, weight: torch.Tensor, bias: torch.Tensor | None, weights: Weights, compute: torch.dtype) -> None:
        super().__init__()
        from bitsandbytes.functional import quantize_4bit

        self.packed, state = quantize_4bit(weight, quant_type=weights.removesuffix("-dq"))
        self.state = _double_quantized(state) if weights.endswith("-dq") else state
        self.bias, self._compute = bias, compute

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        import bitsandbytes

        bias = None if self.bias is None else self.bias.to(self._compute)
        out: torch.Tensor = bitsandbytes.matmul_4bit(
            x.to(self._compute), self.packed, bias=bias, quant_state=self.state
        )
        return out.to(x.dtype)


def _double_quantized(state: Any) -> Any:
    """A state with its block constants quantized again, as ``compress_statistics`` does.

    The library's own function is not called, because it would keep a fake code table for real layers to come.
    """
    from bitsandbytes.functional import QuantState

    code = torch.empty(256, dtype=torch.float32)
    constants, scales = torch.ops.bitsandbytes.quantize_blockwise.default(state.absmax, code, _NESTED_BLOCK)
    return QuantState(
        absmax=constants,
        shape=state.shape,
        dtype=state.dtype,
        blocksize=state.blocksize,
        code=state.code,
        quant_type=state.quant_type,
        offset=state.absmax.mean(),
        state2=QuantState(absmax=scales, code=code, blocksize=_NESTED_BLOCK, dtype=torch.float32),
    )


class _Linear8bit(nn.Module):
    """The memory and operations of ``bitsandbytes.nn.Linear8bitLt`` in inference."""

    def __init__(self, weight: torch.Tensor, bias: torch.Tensor | None, threshold: float) -> None:
        super().__init__()
        from bitsandbytes.functional import int8_vectorwise_quant

        self.cb, self.scb, _ = int8_vectorwise_quant(weight.to(torch.float16))
        self.bias, self._threshold = bias, threshold

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        import bitsandbytes
        from bitsandbytes.autograd._functions import MatmulLtState

        state = MatmulLtState()
        state.CB, state.SCB, state.threshold = self.cb, self.scb, self._threshold
        state.has_fp16_weights = state.is_training = False
        out: torch.Tensor = bitsandbytes.matmul(x, self.cb, bias=self.bias, state=state)
        return out


def quantize_fake_model(model: nn.Module, weights: Weights, keep_modules: tuple[str, ...] = ()) -> None:
    """Replace the linear layers that bitsandbytes would, in place, under fake tensors.

    Parameters
    ----------
    keep_modules
        ``llm_int8_skip_modules``: in transformers the names given there stand in the place of its own choice (output
        layer, tied weights), and only modules that a class keeps in fp32 are kept besides.

    Raises
    ------
    BadInputError
        A layer that shares its weight with the embedding would be replaced, which no pass survives.
    """
    from transformers.quantizers.base import HfQuantizer
    from transformers.quantizers.quantizers_utils import should_convert_module

    in_fp32: Any = model._keep_in_fp32_modules
    kept = HfQuantizer.get_modules_to_not_convert(model, list(keep_modules) or None, in_fp32)
    embedding = getattr(model.get_input_embeddings(), "weight", None)  # type: ignore[operator]

    def wanted(name: str) -> bool:
        if not should_convert_module(name, kept):
            return False
        if getattr(model.get_submodule(name), "weight", None) is embedding:
            raise BadInputError(_TIED)
        return True

    replace_linears(model, weights, wanted)


def replace_linears(
    model: nn.Module,
    weights: Weights,
    wanted: Callable[[str], bool],
    *,
    compute: torch.dtype | None = None,
    threshold: float = INT8_THRESHOLD,
) -> None:
    """Replace the ``wanted`` linear layers in place, as `quantize_fake_model` does.

    Parameters
    ----------
    compute
        The type that 4-bit layers compute in; ``None`` is that of the weights.
    threshold
        From which inputs of int8 layers count as outliers; 0 splits off none.
    """
    from transformers.pytorch_utils import Conv1D

    for name, module in list(model.named_modules()):
        transposed = isinstance(module, Conv1D)
        if not (transposed or type(module) is nn.Linear) or not wanted(name):
            continue
        weight = module.weight.data.t().contiguous() if transposed else module.weight.data
        bias = module.bias.data if module.bias is not None else None
        if weights == "int8":
            model.set_submodule(name, _Linear8bit(weight, bias, threshold))
        else:
            model.set_submodule(name, _Linear4bit(weight, bias, weights, compute or weight.dtype))


def refuse_broken_layers(model: nn.Module) -> None:
    """Raise `BadInputError` where transformers put an embedding's weight into a layer that was to be quantized."""
    kinds = {"Linear4bit": "Params4bit", "Linear8bitLt": "Int8Params"}
    for module in model.modules():
        wanted = kinds.get(type(module).__name__)
        if wanted is not None and type(module.weight).__name__ != wanted:
            raise BadInputError(_TIED)
