"""What `check.py` runs: models of eight and more classes, lengths and kernels, chosen to fit a card's free memory.

Nothing here touches a device.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

from vramtuner.core.model.find import known_model_types
from vramtuner.core.model.spec import ModelSpec, spec_from_config
from vramtuner.core.settings import Attention, Dtype
from vramtuner.core.units import GIB

Phase: TypeAlias = Literal["prefill", "decode"]
POSITIONS = 8192
_STORED: dict[Dtype, str] = {"bf16": "bfloat16", "fp16": "float16", "fp32": "float32"}


@dataclass(frozen=True, slots=True)
class Shape:
    """A model's sizes; ``extras`` are facts that its class wants besides.

    ``window`` is a sliding window [tokens], ``experts`` the number of MLPs of which two run.
    """

    model_type: str
    dtype: Dtype
    width: int
    inner: int
    layers: int
    heads: int
    shared_heads: int
    vocabulary: int
    head_dim: int | None = None
    window: int | None = None
    experts: int = 0
    extras: dict[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        size = f"{self.weight_bytes / GIB:.1f} GiB" if self.weight_bytes >= GIB // 20 else "tiny"
        return f"{self.model_type} {size}"

    @property
    def head_size(self) -> int:
        return self.head_dim or self.width // self.heads

    @property
    def parameters(self) -> int:
        """About how many; the tape counts them exactly."""
        attention = 2 * self.width * self.head_size * (self.heads + self.shared_heads)
        matrices = 3 if self.model_type in _GATED else 2
        layer = attention + matrices * self.width * self.inner * max(self.experts, 1)
        tied = self.model_type in _TIED
        return self.layers * layer + self.vocabulary * self.width * (1 if tied else 2)

    @property
    def weight_bytes(self) -> int:
        """About what the weights take, in the 16 bits that all shapes here have."""
        return 2 * self.parameters

    def needed_bytes(self, tokens: int) -> int:
        """About the most that the weights and a pass take, whatever the kernel: planning only."""
        scores = 14 * self.heads * tokens * tokens
        rows = 4 * (4 * self.inner + 8 * self.width) * tokens
        return self.weight_bytes + scores + rows + 2 * self.vocabulary * 4 * _DECODE_ROWS


_GATED = ("llama", "mistral", "mixtral", "qwen3", "gemma2")
_TIED = ("gpt2", "opt", "gemma2", "qwen3", "falcon")
_DECODE_ROWS = 8

SHAPES = (
    Shape("llama", "bf16", 2048, 5632, 8, 16, 4, 32_000),
    Shape("gpt2", "fp16", 1024, 4096, 12, 16, 16, 50_257),
    Shape("gemma2", "bf16", 2304, 9216, 6, 8, 4, 64_000, head_dim=256, window=512),
    Shape("mixtral", "fp16", 2048, 4096, 4, 16, 4, 32_000, experts=8),
    Shape("qwen3", "fp16", 1024, 3072, 12, 16, 8, 151_936, head_dim=128),
    Shape("opt", "fp16", 768, 3072, 8, 12, 12, 16_384),
    Shape("phi", "fp16", 2560, 10_240, 8, 32, 32, 51_200),
    Shape("falcon", "bf16", 2048, 8192, 8, 32, 1, 65_024, extras={"new_decoder_architecture": False}),
    Shape("mistral", "bf16", 4096, 14_336, 8, 32, 8, 32_000, window=1024),
    Shape("llama", "fp16", 4096, 11_008, 18, 32, 32, 32_000),
)
"""From 0.15 to 7.3 GiB of weights; the first four are those of a quick run."""
QUICK = 4


@dataclass(frozen=True, slots=True)
class Scale:
    """How large a run is.

    Attributes
    ----------
    prefill, decode
        Lengths of requests, ascending: of prompts, and of requests that begin with one token of prompt and generate
        all others, so that the peak is a step's and not the prompt's.  No round numbers: those fill their segments.
    rows
        Requests at a time while they generate: one alone takes too little to tell anything.
    limit_bytes
        About what a request at the limit takes beside the weights.
    """

    prefill: tuple[int, ...]
    decode: tuple[int, ...]
    rows: int
    limit_bytes: int


CARD = Scale((389, 1021, 2053), (40, 80, 120), _DECODE_ROWS, 3 * GIB)
CARD_QUICK = Scale((389, 1021, 2053), (20, 40, 60), _DECODE_ROWS, GIB)
STAND_IN = Scale((45, 130, 301), (10, 20, 30), 2, 1_200_000)
STAND_IN_QUICK = Scale((45, 130, 301), (8, 12, 16), 2, 1_200_000)


def scale_of(*, on_card: bool, quick: bool) -> Scale:
    """How large a run on a card or on the CPU stand-in is."""
    if on_card:
        return CARD_QUICK if quick else CARD
    return STAND_IN_QUICK if quick else STAND_IN


@dataclass(frozen=True, slots=True)
class Case:
    """A model and a kernel: its prompts and its steps, or (``limit``) one pool and the requests around its limit.

    ``seconds`` is about what it takes, a process of its own included where there is one.
    """

    shape: Shape
    attention: Attention
    limit: bool
    seconds: float

    @property
    def label(self) -> str:
        what = "limit" if self.limit else "passes"
        return f"{self.shape.name} {self.shape.dtype} {self.attention} {what}"


def tiny(shape: Shape) -> Shape:
    """The same class, small enough for a pass of milliseconds on a CPU; its window ends among the lengths there."""
    shared = 1 if shape.shared_heads == 1 else 4 if shape.shared_heads == shape.heads else 2
    return replace(
        shape, width=64, inner=128, layers=2, heads=4, shared_heads=shared, vocabulary=512,
        head_dim=16 if shape.head_dim else None, window=64 if shape.window else None,
        experts=4 if shape.experts else 0,
    )  # fmt: skip


def shapes_for(free_bytes: int | None, longest: int, *, quick: bool) -> tuple[Shape, ...]:
    """The models of a run: tiny ones without a card, else those that fit the share of its free memory.  [bytes]

    A second model of a class that is tiny would be the first again.
    """
    chosen = SHAPES[:QUICK] if quick else SHAPES
    if free_bytes is None:
        return tuple({shape.model_type: tiny(shape) for shape in reversed(chosen)}.values())[::-1]
    return tuple(shape for shape in chosen if shape.needed_bytes(longest) <= free_bytes)


def config_of(shape: Shape) -> dict[str, Any]:
    """The facts of ``config.json``, under the names that the class has for them."""
    common: dict[str, Any] = {"vocab_size": shape.vocabulary, "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0}
    common |= {"model_type": shape.model_type, "dtype": _STORED[shape.dtype]}
    if shape.model_type == "gpt2":
        sizes = {"n_embd": shape.width, "n_inner": shape.inner, "n_layer": shape.layers, "n_head": shape.heads}
        return {**common, **sizes, "n_positions": POSITIONS}
    config = {
        **common, "hidden_size": shape.width, "intermediate_size": shape.inner, "num_hidden_layers": shape.layers,
        "num_attention_heads": shape.heads, "num_key_value_heads": shape.shared_heads,
        "max_position_embeddings": POSITIONS, **shape.extras,
    }  # fmt: skip
    if shape.model_type == "opt":
        config |= {"ffn_dim": shape.inner, "word_embed_proj_dim": shape.width}
    if shape.model_type == "falcon":
        config |= {"ffn_hidden_size": shape.inner, "multi_query": True}
    if shape.head_dim:
        config["head_dim"] = shape.head_dim
    if shape.window:
        config["sliding_window"] = shape.window
    if shape.experts:
        config |= {"num_local_experts": shape.experts, "num_experts_per_tok": 2, "sliding_window": None}
    return config


def spec_of(shape: Shape) -> ModelSpec:
    """The model as vramtuner knows it; it has no files, so that its weights are random."""
    source = "sizes of tests/gpu/cases.py"
    return spec_from_config(config_of(shape), name=shape.name, source=source, known_types=known_model_types())


def cases_of(
    shapes: Sequence[Shape], kernels: Callable[[Shape], Sequence[Attention]], scale: Scale, *, on_card: bool
) -> list[Case]:
    """Every model with each of its kernels, in an order that has every model early, and every kernel and limits."""
    turns: list[list[Case]] = [[], [], []]
    limits: list[Case] = []
    # The large models' limits say nothing that the others' do not, and cost most.
    small = sorted(shapes, key=lambda shape: shape.weight_bytes)[: 3 if len(shapes) <= QUICK else 4]
    for place, shape in enumerate(shapes):
        seconds, own = expected_seconds(shape, scale, on_card=on_card), kernels(shape)
        for turn in range(len(own)):
            turns[turn].append(Case(shape, own[(place + turn) % len(own)], False, seconds))
        if shape in small:
            limits.append(Case(shape, own[len(limits) % len(own)], True, seconds))
    return [*turns[0], *limits, *turns[1], *turns[2]]


def expected_seconds(shape: Shape, scale: Scale, *, on_card: bool) -> float:
    """About what a case takes: a process that imports torch (on a card), recordings, weights, and single steps."""
    start = 14.0 if on_card else 0.3
    recorded = 0.5 + 0.15 * shape.layers
    steps = 0.0015 * shape.layers * sum(scale.decode)
    return start + recorded + steps + shape.weight_bytes / (2 * GIB)


def what_fits(cases: Iterable[Case], seconds_left: float, pace: float) -> Case | None:
    """The next case that there is time for, if each takes ``pace`` times what was expected of it."""
    return next((case for case in cases if case.seconds * pace <= seconds_left), None)
