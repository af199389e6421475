"""`Levers`: the one frozen value that sliders and options change."""

import re
from typing import Literal, TypeAlias

import msgspec

from vramtuner.core.errors import BadInputError
from vramtuner.core.units import MAX_TOKENS
from vramtuner.core.words import say

Dtype: TypeAlias = Literal["fp16", "bf16", "fp32"]
Attention: TypeAlias = Literal["flash", "math", "eager"]
Weights: TypeAlias = Literal["none", "int8", "nf4", "fp4", "nf4-dq", "fp4-dq"]
Logits: TypeAlias = Literal["last", "all"]
KvCache: TypeAlias = Literal["auto", "static", "offloaded", "fp8", "int8", "int4"]
PassKind: TypeAlias = Literal["inference", "autograd", "training"]

ITEM_BYTES: dict[Dtype, int] = {"fp16": 2, "bf16": 2, "fp32": 4}
DTYPES: tuple[Dtype, ...] = ("fp16", "bf16", "fp32")
ATTENTIONS: tuple[Attention, ...] = ("flash", "math", "eager")
WEIGHTS: tuple[Weights, ...] = ("none", "int8", "nf4", "fp4", "nf4-dq", "fp4-dq")
LOGITS: tuple[Logits, ...] = ("last", "all")
KV_CACHES: tuple[KvCache, ...] = ("auto", "static", "offloaded", "fp8", "int8", "int4")
PASS_KINDS: tuple[PassKind, ...] = ("inference", "autograd", "training")
DEFAULT_TOKEN_CAP = 4096
MAX_BATCH = 1024
MAX_BEAMS = 64
_MODULE_NAME = re.compile(r"[A-Za-z0-9_.]{1,100}")
_ALLOCATOR_TEXT = re.compile(r"[A-Za-z0-9_:.,>\[\]]{0,200}")


class Levers(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a person can change about a deployment.

    Attributes
    ----------
    pool_bytes
        Bytes this process may take on the device; ``None`` is the device's default (80 % of its VRAM).
    token_cap
        Hard ceiling on prompt + new tokens of a request; ``None`` is 4,096 or the model's positions if fewer.
    new_tokens
        How many of the request's tokens are generated, one a step; with 0 all of them are prompt, which is what a
        request of any split takes at most.
    batch_size, beams
        Requests at a time, and beams of each: `generate` repeats every row once a beam before the first pass.
    weights
        bitsandbytes' formats; ``-dq`` quantizes the block constants again.
    keep_modules
        Modules that stay unquantized, in place of those that transformers keeps when none is named (``lm_head``).
    kv_cache
        ``auto`` is transformers' dynamic cache (sliding where the model slides), which grows by concatenation;
        ``static`` is allocated whole at the start, ``offloaded`` keeps one layer on the device, the others quantize.
    pass_kind
        ``inference`` records no gradients; ``autograd`` is a forward pass that does; ``training`` adds the backward
        pass, gradients included and optimizer excluded.
    dtype, attention
        ``"auto"`` takes the checkpoint's dtype and the kernel that the device gets.
    prefill_chunk
        Prompt tokens a pass, `generate`'s ``prefill_chunk_size``; ``None`` takes the whole prompt at once.
    allocator
        PyTorch's allocator options, as in ``PYTORCH_ALLOC_CONF``.
    margin
        Safety margin on the part of the peak that is not weights, as a fraction.
    """

    pool_bytes: int | None = None
    token_cap: int | None = None
    new_tokens: int = 0
    batch_size: int = 1
    beams: int = 1
    weights: Weights = "none"
    keep_modules: tuple[str, ...] = ()
    kv_cache: KvCache = "auto"
    attention: Attention | Literal["auto"] = "auto"
    checkpointing: bool = False
    pass_kind: PassKind = "inference"
    prefill_chunk: int | None = None
    dtype: Dtype | Literal["auto"] = "auto"
    logits: Logits = "last"
    allocator: str = ""
    margin: float = 0.10

    def __post_init__(self) -> None:
        if self.pool_bytes is not None and self.pool_bytes <= 0:
            raise BadInputError(say("the pool must be above zero, not {pool_bytes} bytes", pool_bytes=self.pool_bytes))
        if self.token_cap is not None and not 1 <= self.token_cap <= MAX_TOKENS:
            raise BadInputError(
                say(
                    "the token cap must be from 1 to {max_tokens:,}, not {token_cap}",
                    max_tokens=MAX_TOKENS,
                    token_cap=self.token_cap,
                )
            )
        if not 0 <= self.new_tokens < (self.token_cap or MAX_TOKENS):
            raise BadInputError(
                say(
                    "the new tokens must be from 0 to one below the token cap, not {new_tokens}",
                    new_tokens=self.new_tokens,
                )
            )
        if not 1 <= self.batch_size <= MAX_BATCH:
            raise BadInputError(
                say(
                    "the batch must be from 1 to {max_batch:,}, not {batch_size}",
                    max_batch=MAX_BATCH,
                    batch_size=self.batch_size,
                )
            )
        if not 1 <= self.beams <= MAX_BEAMS:
            raise BadInputError(
                say("the beams must be from 1 to {max_beams}, not {beams}", max_beams=MAX_BEAMS, beams=self.beams)
            )
        if self.prefill_chunk is not None and not 2 <= self.prefill_chunk <= MAX_TOKENS:
            raise BadInputError(
                say(
                    "the prefill chunk must be from 2 to {max_tokens:,}, not {prefill_chunk}",
                    max_tokens=MAX_TOKENS,
                    prefill_chunk=self.prefill_chunk,
                )
            )
        if not 0 <= self.margin <= 1:
            raise BadInputError(say("the margin must be from 0 to 1, not {margin}", margin=self.margin))
        for name in self.keep_modules:
            if not _MODULE_NAME.fullmatch(name):
                raise BadInputError(say("{name!r} is not the name of a module, such as lm_head", name=name[:40]))
        if not _ALLOCATOR_TEXT.fullmatch(self.allocator):
            raise BadInputError(
                say("{allocator!r} does not read like PYTORCH_ALLOC_CONF", allocator=self.allocator[:60])
            )
        if self.pass_kind != "inference":
            self._check_gradients()

    def _check_gradients(self) -> None:
        """One forward (and backward) pass over the whole input: nothing of a request with a cache goes with it."""
        generating = self.new_tokens or self.beams > 1 or self.prefill_chunk is not None or self.kv_cache != "auto"
        if generating:
            raise BadInputError(
                say(
                    "a pass of kind {pass_kind} takes its whole input at once; leave out new tokens, beams, "
                    "prefill chunk and KV cache",
                    pass_kind=self.pass_kind,
                )
            )
        if self.pass_kind == "training" and self.weights != "none":
            raise BadInputError(say("quantized weights have no gradients; training goes with weights none"))


class TapeKey(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The levers that change which operations run, all resolved; one tape is recorded for each kind of pass.

    Attributes
    ----------
    batch_size
        Rows of the input: requests times beams.
    step
        New tokens of the pass, onto a cache of all others; 0 for a pass that takes all of its tokens itself.
    room
        Rows of a static cache beyond the pass's tokens.
    beams
        Beams whose caches are reordered after the pass, each row on its own.
    checkpointing
        Only where gradients are recorded: an inference pass has no use for it.
    """

    dtype: Dtype
    attention: Attention
    weights: Weights = "none"
    batch_size: int = 1
    logits: Logits = "last"
    step: int = 0
    kv_cache: KvCache = "auto"
    room: int = 0
    beams: int = 1
    pass_kind: PassKind = "inference"
    checkpointing: bool = False
    keep_modules: tuple[str, ...] = ()

    @property
    def slug(self) -> str:
        """A file name for the key, such as ``fp16-flash-none-b1-last``; only what is not the default is added."""
        extras = [
            (self.step, f"step{self.step}"),
            (self.kv_cache != "auto", f"kv_{self.kv_cache}"),
            (self.room, f"room{self.room}"),
            (self.beams > 1, f"beams{self.beams}"),
            (self.pass_kind != "inference", self.pass_kind),
            (self.checkpointing, "checkpointing"),
            (self.keep_modules, f"keep_{'_'.join(self.keep_modules)}"),
        ]
        plain = f"{self.dtype}-{self.attention}-{self.weights}-b{self.batch_size}-{self.logits}"
        return "-".join([plain, *(text for given, text in extras if given)])
