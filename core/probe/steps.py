"""Operations that allocate more inside than they return, spelled out so that the whole of it is seen.

Dispatch shows an operation's result, not what its implementation holds meanwhile.  Where that counts, the same steps
are run one by one instead.
"""

from collections.abc import Callable
from typing import Any

import torch

from vramtuner.core.probe import classes, quantize


def steps_inside(func: Any, args: tuple[Any, ...]) -> Callable[..., Any] | None:
    """The steps of an operation, to be called with its arguments; ``None`` for one that hides nothing that counts."""
    if func is torch.ops.aten._safe_softmax.default:
        return _safe_softmax
    return classes.steps_inside(func, args) or quantize.steps_inside(func, args)


def _safe_softmax(scores: torch.Tensor, dim: int, dtype: torch.dtype | None = None) -> torch.Tensor:
    """Softmax in the math attention kernel: rows that are masked altogether become zero.

    A mask of one byte a score lives beside scores and result; the allocator's record of real passes shows it, and the
    implementation is the same for every device.
    """
    out = torch.softmax(scores, dim, dtype)
    masked = scores.eq(float("-inf"))
    return out.masked_fill_(masked.all(dim, keepdim=True), 0.0)
