"""bitsandbytes layers as the tape needs to see them: their real operations, one storage at a time.

The library hides a whole layer in one custom operation.  On a GPU, long inputs go through a plain sequence of
steps (dequantize, then a matrix product; or int8 product, then dequantize, then the outlier columns); those steps
are spelled out here, so that their workspace is on the tape.
"""

from collections.abc import Callable
from math import ceil
from typing import Any

import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensor

from vramtuner.core.settings import Weights

# The published layer-wise count is about 0.1 % of the input columns (LLM.int8(), section 4); ten times that is
# taken, because the true number depends on the data.
OUTLIER_FRACTION = 0.01
OUTLIER_NOTE = (
    f"int8: outlier columns depend on the data; {OUTLIER_FRACTION:.0%} of the input columns is the assumed bound"
)
INT8_THRESHOLD = 6.0


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
    **nested: Any,
) -> torch.Tensor:
    if any(value is not None for value in nested.values()):
        raise NotImplementedError("double quantization is not recorded yet")
    ops = torch.ops.bitsandbytes
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
    product = ops.int8_linear_matmul.default(ca, cb)
    out = ops.int8_mm_dequant.default(product, sca, scb, dtype=a.dtype, bias=bias)
    del product
    if sub_b is not None:
        out = out.addmm(sub_a, sub_b)
    return out, sub_a


_STEPS: dict[str, Callable[..., Any]] = {
    "bitsandbytes.gemm_4bit.default": _gemm_4bit,
    "bitsandbytes.int8_vectorwise_quant.default": _int8_vectorwise_quant,
    "bitsandbytes.int8_mixed_scaled_mm.default": _int8_mixed_scaled_mm,
}


class _Linear4bit(nn.Module):
    """The memory and operations of ``bitsandbytes.nn.Linear4bit``, whose tensor subclass fake tensors refuse."""

    def __init__(self, weight: torch.Tensor, bias: torch.Tensor | None, quant_type: str) -> None:
        super().__init__()
        from bitsandbytes.functional import quantize_4bit

        self.packed, self.state = quantize_4bit(weight, quant_type=quant_type)
        self.bias = bias

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        import bitsandbytes

        out: torch.Tensor = bitsandbytes.matmul_4bit(x, self.packed, bias=self.bias, quant_state=self.state)
        return out.to(x.dtype)


class _Linear8bit(nn.Module):
    """The memory and operations of ``bitsandbytes.nn.Linear8bitLt`` in inference."""

    def __init__(self, weight: torch.Tensor, bias: torch.Tensor | None) -> None:
        super().__init__()
        from bitsandbytes.functional import int8_vectorwise_quant

        self.cb, self.scb, _ = int8_vectorwise_quant(weight.to(torch.float16))
        self.bias = bias

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        import bitsandbytes
        from bitsandbytes.autograd._functions import MatmulLtState

        state = MatmulLtState()
        state.CB, state.SCB, state.threshold = self.cb, self.scb, INT8_THRESHOLD
        state.has_fp16_weights = state.is_training = False
        out: torch.Tensor = bitsandbytes.matmul(x, self.cb, bias=self.bias, state=state)
        return out


def quantize_fake_model(model: nn.Module, weights: Weights) -> None:
    """Replace the linear layers that bitsandbytes would, in place, under fake tensors."""
    from transformers.pytorch_utils import Conv1D
    from transformers.quantizers.base import get_keys_to_not_convert
    from transformers.quantizers.quantizers_utils import should_convert_module

    kept = get_keys_to_not_convert(model)
    for name, module in list(model.named_modules()):
        transposed = isinstance(module, Conv1D)
        if not (transposed or type(module) is nn.Linear) or not should_convert_module(name, kept):
            continue
        weight = module.weight.data.t().contiguous() if transposed else module.weight.data
        bias = module.bias.data if module.bias is not None else None
        replacement = _Linear8bit(weight, bias) if weights == "int8" else _Linear4bit(weight, bias, weights)
        parent, _, child = name.rpartition(".")
        setattr(model.get_submodule(parent), child, replacement)
