"""`Levers`: the one frozen value that sliders and options change."""

from typing import Literal, TypeAlias

import msgspec

from vramtuner.core.errors import BadInputError
from vramtuner.core.units import MAX_TOKENS

Dtype: TypeAlias = Literal["fp16", "bf16", "fp32"]
Attention: TypeAlias = Literal["flash", "math", "eager"]
Weights: TypeAlias = Literal["none", "int8", "nf4", "fp4"]
Logits: TypeAlias = Literal["last", "all"]

ITEM_BYTES: dict[Dtype, int] = {"fp16": 2, "bf16": 2, "fp32": 4}
DTYPES: tuple[Dtype, ...] = ("fp16", "bf16", "fp32")
ATTENTIONS: tuple[Attention, ...] = ("flash", "math", "eager")
WEIGHTS: tuple[Weights, ...] = ("none", "int8", "nf4", "fp4")
LOGITS: tuple[Logits, ...] = ("last", "all")
DEFAULT_TOKEN_CAP = 4096
MAX_BATCH = 1024


class Levers(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a person can change about a deployment.

    Attributes
    ----------
    pool_bytes
        Bytes this process may take on the device; ``None`` is the device's default (80 % of its VRAM).
    token_cap
        Hard ceiling on prompt + new tokens of a request; ``None`` is 4,096 or the model's positions if fewer.
    dtype, attention
        ``"auto"`` takes the checkpoint's dtype and the kernel that the device gets.
    margin
        Safety margin on the part of the peak that is not weights, as a fraction.
    """

    pool_bytes: int | None = None
    token_cap: int | None = None
    batch_size: int = 1
    weights: Weights = "none"
    attention: Attention | Literal["auto"] = "auto"
    checkpointing: bool = False
    dtype: Dtype | Literal["auto"] = "auto"
    logits: Logits = "last"
    margin: float = 0.10

    def __post_init__(self) -> None:
        if self.pool_bytes is not None and self.pool_bytes <= 0:
            raise BadInputError(f"the pool must be above zero, not {self.pool_bytes} bytes")
        if self.token_cap is not None and not 1 <= self.token_cap <= MAX_TOKENS:
            raise BadInputError(f"the token cap must be from 1 to {MAX_TOKENS:,}, not {self.token_cap}")
        if not 1 <= self.batch_size <= MAX_BATCH:
            raise BadInputError(f"the batch must be from 1 to {MAX_BATCH:,}, not {self.batch_size}")
        if not 0 <= self.margin <= 1:
            raise BadInputError(f"the margin must be from 0 to 1, not {self.margin}")


class TapeKey(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The levers that change which operations run, all resolved; one tape is recorded for each.

    Checkpointing is not among them: it acts only while autograd records, and an inference pass does not.
    """

    dtype: Dtype
    attention: Attention
    weights: Weights = "none"
    batch_size: int = 1
    logits: Logits = "last"

    @property
    def slug(self) -> str:
        """A file name for the key, such as ``fp16-flash-none-b1-last``."""
        return f"{self.dtype}-{self.attention}-{self.weights}-b{self.batch_size}-{self.logits}"
