"""What llama.cpp takes for a GGUF model, from closed forms, as a `Tape` like any recorded one.

llama.cpp plans its memory when a context is made: the tensors, a KV cache with a row for every token of the context,
the recurrent layers' state, and one compute buffer as large as the largest step needs.  A request of N tokens is read
here as a server made for it: each of the batch's sequences has N tokens of its own (``--parallel B --ctx-size B·N``,
the cache not unified), all layers are on the device, the micro-batch is 512 tokens and the batch no smaller.

The forms of the compute buffer (`compute_bytes`) were found and checked against llama.cpp's own plan on its CPU
backend: 90 points of dense models with f16 KV, none off by more than the larger of 1 MiB and 1 %.  Which layers slide,
recur or share a cache was read from its ``llama-hparams.cpp``, ``llama-kv-cache-iswa.cpp`` and ``models/``.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from vramtuner.core.errors import BadInputError
from vramtuner.core.model.spec import ModelSpec
from vramtuner.core.settings import KvCache, TapeKey
from vramtuner.core.tape.format import Component, Regime, Tape
from vramtuner.core.units import format_bytes
from vramtuner.core.words import mark, say

DEFAULT_MICRO_BATCH = 512
MAX_MICRO_BATCH = 16_384
_PAD = 256
# Up to here every padded context has a regime of its own and is exact; beyond, a line through the upper ends.
_EXACT_TOKENS = 16_384
_MAX_TOKENS = 2**22
# Elements and bytes of a block: ggml's types that llama.cpp takes for its cache.
KV_TYPES: dict[str, tuple[int, int]] = {
    "f32": (1, 4), "f16": (1, 2), "bf16": (1, 2),
    "q8_0": (32, 34), "q5_1": (32, 24), "q5_0": (32, 22), "q4_1": (32, 20), "q4_0": (32, 18),
}  # fmt: skip
_KV_TYPE: dict[KvCache, str] = {"auto": "f16", "int8": "q8_0", "int4": "q4_0"}
# One layer in so many sees the whole context, the last of each group, where the file does not say it.
_SLIDING_PERIOD = {
    "gemma2": 2, "gpt-oss": 2, "cohere2": 4, "gemma3n": 5, "gemma3": 6, "gemma-embedding": 6, "plamo3": 8,
}  # fmt: skip
_ATTENTION_INTERVAL = {"qwen3next": 4, "qwen35": 4, "qwen35moe": 4}
_STATE_SIZES = ("ssm.state_size", "wkv.head_size", "shortconv.l_cache", "kda.head_dim")
_OWN_CACHE_LAYERS = {"gemma3n": 20}  # later layers read the cache of these

MAIN_NOTE = mark(
    "Compute buffer estimated by closed forms that were checked against llama.cpp's CPU "
    "backend (90 points within 1 %); quantized KV takes extra scratch on a GPU."
)


@dataclass(frozen=True, slots=True)
class _Line:
    """Bytes per token of the micro-batch: fixed, per cell of the full cache, per cell of the sliding one."""

    component: Component
    fixed: int = 0
    per_cell: int = 0
    per_sliding_cell: int = 0

    def at(self, cells: int, sliding_cells: int) -> int:
        return self.fixed + self.per_cell * cells + self.per_sliding_cell * sliding_cells


def kv_bytes(
    config: dict[str, Any],
    context: int,
    kv_type: str = "f16",
    n_seq: int = 1,
    *,
    micro_batch: int = DEFAULT_MICRO_BATCH,
) -> int:
    """The KV cache of ``n_seq`` sequences with ``context`` tokens each.  [bytes]

    Parameters
    ----------
    config
        The config of a GGUF model's `ModelSpec`.
    kv_type
        ggml's type of both K and V, a key of `KV_TYPES`.

    Raises
    ------
    BadInputError
        The model's heads are no whole blocks of the type.
    """
    cells = _padded(context)
    full, sliding = _row_bytes(config, kv_type)
    return n_seq * (full * cells + sliding * min(cells, _window_cells(config, micro_batch)))


def state_bytes(config: dict[str, Any], n_seq: int = 1) -> int:
    """The state of the recurrent layers, in 32-bit floats whatever the KV type; independent of the context.  [bytes]"""
    hidden, heads = _largest(config, "embedding_length"), _largest(config, "head_count")
    convolution = max(_largest(config, "ssm.conv_kernel") - 1, 0)
    if (size := _largest(config, "wkv.head_size")) > 0:
        floats = hidden * (_largest(config, "token_shift_count") or 2) + hidden * size
    elif (kernel := _largest(config, "shortconv.l_cache")) > 0:
        floats = hidden * (kernel - 1)
    elif (size := _largest(config, "kda.head_dim")) > 0:
        floats = 3 * (convolution or 3) * heads * size + size * size * heads
    else:
        inner, state = _largest(config, "ssm.inner_size"), _largest(config, "ssm.state_size")
        floats = convolution * (inner + 2 * _largest(config, "ssm.group_count") * state) + state * inner
    return 4 * n_seq * sum(_recurrent_layers(config)) * floats


def compute_bytes(
    config: dict[str, Any],
    context: int,
    *,
    flash: bool,
    n_seq: int = 1,
    micro_batch: int = DEFAULT_MICRO_BATCH,
) -> int:
    """The compute buffer of a context of ``n_seq`` times ``context`` tokens: the largest of its steps.  [bytes]

    With u tokens in the micro-batch, C cells of context, hidden width h, MLP width I, V tokens in the vocabulary,
    n heads and m KV heads of size d, and 32-bit floats:

    - logits 4·u·(V + 2·h)
    - MLP 4·u·(3·I + 4·h), and the mask: 2·u·C with flash attention, 4·u·C without
    - attention without flash 4·u·(C·(n + 1) + 5·h + 2·m·d)
    """
    cells = _padded(context)
    window = min(cells, _window_cells(config, micro_batch))
    tokens = min(micro_batch, n_seq * cells)
    return max(sum(tokens * line.at(cells, window) for line in step) for step in _steps(config, flash=flash))


ESTIMATE = mark("computed, not recorded: closed forms of what llama.cpp plans, which were checked on its CPU backend")


def estimate_tape(spec: ModelSpec, key: TapeKey, *, micro_batch: int = DEFAULT_MICRO_BATCH) -> Tape:
    """The tape of a GGUF model under the levers in ``key``, without a pass.

    Weights, KV cache and compute buffer are storages; the steps that share the compute buffer follow one another, so
    that the envelope takes the largest.  New tokens do not matter: the buffers are made for the whole request.  Nor do
    the dtype, which the file decides, and the logits lever: llama.cpp plans for logits of a whole micro-batch.

    Parameters
    ----------
    micro_batch
        llama.cpp's ``--ubatch-size``.  [tokens]

    Raises
    ------
    BadInputError
        A lever has no counterpart in llama.cpp.
    """
    if not 1 <= micro_batch <= MAX_MICRO_BATCH:
        raise BadInputError(
            say(
                "the micro-batch must be from 1 to {max_micro_batch:,} tokens, not {micro_batch:,}",
                max_micro_batch=MAX_MICRO_BATCH,
                micro_batch=micro_batch,
            )
        )
    kv_type = _kv_type(key)
    config, batch, flash = spec.config, key.batch_size, key.attention == "flash"
    full, sliding = _row_bytes(config, kv_type)
    fixed = (
        _Line(Component.WEIGHTS, config["tensor_bytes"]),
        _Line(Component.KV_CACHE, state_bytes(config, batch), batch * full, batch * sliding),
    )
    steps = _steps(config, flash=flash)
    return Tape(
        key=key,
        attention=key.attention,
        config_hash=spec.config_hash,
        versions={"llama.cpp": say("closed forms")},
        regimes=tuple(_regimes(fixed, steps, batch, micro_batch, _window_cells(config, micro_batch))),
        notes=tuple(_notes(spec, key)),
        estimate=say("{estimate}; micro-batch {micro_batch:,}", estimate=say(ESTIMATE), micro_batch=micro_batch),
    )


def _padded(tokens: int) -> int:
    return -(-tokens // _PAD) * _PAD


def _kv_type(key: TapeKey) -> str:
    if key.weights != "none":
        raise BadInputError(say("a GGUF file is quantized as it is; leave weights at none, or choose another file"))
    if key.pass_kind != "inference":
        raise BadInputError(
            say("llama.cpp only runs models; a GGUF file has no forecast of kind {pass_kind}", pass_kind=key.pass_kind)
        )
    if key.beams > 1:
        raise BadInputError(say("llama.cpp's server has no beams; use 1 beam with a GGUF file"))
    kv_type = _KV_TYPE.get(key.kv_cache)
    if kv_type is None:
        raise BadInputError(
            say(
                "llama.cpp has no KV cache of kind {kv_cache}; use auto (f16), int8 (q8_0) or int4 (q4_0)",
                kv_cache=key.kv_cache,
            )
        )
    if kv_type != "f16" and key.attention != "flash":
        raise BadInputError(
            say(
                "llama.cpp quantizes V only with flash attention, not {attention}; use flash or auto",
                attention=key.attention,
            )
        )
    return kv_type


def _largest(config: dict[str, Any], name: str) -> int:
    """A fact as one number; of one that has a value for each layer, the largest.  0 where the file does not say."""
    value = config.get(name, 0)
    return int(max(value) if isinstance(value, list) else value)


def _kv_heads(config: dict[str, Any]) -> list[int]:
    value = config.get("head_count_kv", config.get("head_count", 0))
    return list(value) if isinstance(value, list) else [int(value)] * config["block_count"]


def _head_sizes(config: dict[str, Any], suffix: str = "") -> tuple[int, int]:
    """Elements of a head's K and V; ``suffix`` names those of the sliding layers, where they differ."""
    heads = _largest(config, "head_count")
    default = config["embedding_length"] // heads if heads else 0
    key, value = (_largest(config, name) or default for name in ("key_length", "value_length"))
    return _largest(config, f"key_length{suffix}") or key, _largest(config, f"value_length{suffix}") or value


def _is_latent(config: dict[str, Any]) -> bool:
    """Whether the cache holds latents (MLA); a file that names no ``key_length_mla`` is from before, with K and V."""
    return all(_largest(config, name) for name in ("kv_lora_rank", "key_length_mla", "value_length_mla"))


def _latent_size(config: dict[str, Any]) -> int:
    return _largest(config, "kv_lora_rank") + _largest(config, "rope.dimension_count")


def _slides(config: dict[str, Any]) -> list[bool]:
    """Which layers see only the window; none where llama.cpp does not apply the window that the file names."""
    layers = config["block_count"]
    pattern = config.get("sliding_window_pattern", _SLIDING_PERIOD.get(config["architecture"]))
    if pattern is None or not _largest(config, "sliding_window"):
        return [False] * layers
    if isinstance(pattern, list):
        return [bool(pattern[layer % len(pattern)]) for layer in range(layers)]
    return [pattern == 0 or layer % pattern < pattern - 1 for layer in range(layers)]


def _recurrent_layers(config: dict[str, Any]) -> list[bool]:
    """Which layers keep a state of fixed size; those that only predict further tokens are not loaded by default."""
    layers = config["block_count"] - _largest(config, "nextn_predict_layers")
    if not any(_largest(config, name) for name in _STATE_SIZES):
        return [False] * layers
    interval = _interval(config)
    if interval:
        return [(layer + 1) % interval != 0 for layer in range(layers)]
    heads = _kv_heads(config)[: max(layers, 0)]
    if not any(heads) or all(heads):  # all recurrent, with attention beside it (Falcon-H1) or without (Mamba)
        return [True] * layers
    widths = config.get("feed_forward_length", 0)
    if config["architecture"].startswith("nemotron_h") and isinstance(widths, list):  # some layers are only an MLP
        return [not count and not width for count, width in zip(heads, widths, strict=False)]
    return [not count for count in heads]


def _interval(config: dict[str, Any]) -> int:
    return _largest(config, "full_attention_interval") or _ATTENTION_INTERVAL.get(config["architecture"], 0)


def _cached_layers(config: dict[str, Any]) -> Iterator[tuple[bool, int]]:
    """Of every layer with a KV cache: whether it slides, and its KV heads."""
    layers = config["block_count"]
    own = layers - _largest(config, "nextn_predict_layers") - _largest(config, "shared_kv_layers")
    if "shared_kv_layers" not in config:
        own = min(own, _OWN_CACHE_LAYERS.get(config["architecture"], own))
    interval = _interval(config)
    for layer, (slides, heads) in enumerate(zip(_slides(config), _kv_heads(config), strict=True)):
        if layer < own and heads and not (interval and (layer + 1) % interval):
            yield slides, heads


def _row_bytes(config: dict[str, Any], kv_type: str) -> tuple[int, int]:
    """Bytes of a token in the cache of the layers that see the whole context, and of those that slide."""
    block, block_bytes = KV_TYPES[kv_type]
    elements = [0, 0]
    for slides, heads in _cached_layers(config):
        sizes = (_latent_size(config),) if _is_latent(config) else _head_sizes(config, "_swa" if slides else "")
        for size in (*sizes, _largest(config, "indexer.key_length")):
            if size % block:
                raise BadInputError(
                    say(
                        "llama.cpp takes no {kv_type} cache for heads of {size:,}; use auto (f16)",
                        kv_type=kv_type,
                        size=size,
                    )
                )
            elements[slides] += size * (1 if _is_latent(config) else heads)
    full, sliding = (count // block * block_bytes for count in elements)
    return full, sliding


def _window_cells(config: dict[str, Any], micro_batch: int) -> int:
    """Cells of a sliding cache once the context is longer; 0 where nothing slides.

    The cache is padded to 256 cells and has room for a micro-batch beside the window.
    """
    return _padded(_largest(config, "sliding_window") + micro_batch) if any(_slides(config)) else 0


def _steps(config: dict[str, Any], *, flash: bool) -> tuple[tuple[_Line, ...], ...]:
    """The steps that may need most of the compute buffer, each as what is live in it at once; see `compute_bytes`."""
    hidden, heads = _largest(config, "embedding_length"), _largest(config, "head_count")
    cached = list(_cached_layers(config))
    full, sliding = any(not slides for slides, _ in cached), any(slides for slides, _ in cached)
    masks = (int(full), int(sliding))
    head = max(*_head_sizes(config), *_head_sizes(config, "_swa"))
    # The forms say h where the query heads' width is h too; the larger of the two where they differ (not checked).
    width = max(hidden, heads * head)
    attention = 5 * width + 2 * max((count for _, count in cached), default=0) * head
    if _is_latent(config):  # queries in the space of the latents, before and after they are joined (by reading only)
        attention = 5 * hidden + 2 * heads * _latent_size(config)
    mlp = _Line(Component.ACTIVATIONS, 4 * (3 * _mlp_width(config) + 4 * hidden + _expert_outputs(config)))
    logits = _Line(Component.LOGITS, 4 * config["vocab_size"]), _Line(Component.ACTIVATIONS, 8 * hidden)
    around = _Line(Component.ACTIVATIONS, 4 * attention)
    if flash:
        mask = _Line(Component.WORKSPACE, 0, 2 * masks[0], 2 * masks[1])
        return logits, (mlp, mask), (around, mask)
    # Scores are kept for one layer at a time, and those of a layer that sees the whole context are the largest.
    scores = (heads, 0) if full else (0, heads)
    mask = _Line(Component.WORKSPACE, 0, 4 * masks[0], 4 * masks[1])
    both = _Line(Component.WORKSPACE, 0, 4 * (masks[0] + scores[0]), 4 * (masks[1] + scores[1] * int(sliding)))
    return logits, (around, both), (mlp, mask)


def _mlp_width(config: dict[str, Any]) -> int:
    """Intermediate elements of a token: of the dense layers, or of all experts that it uses (by reading only)."""
    expert, used = _largest(config, "expert_feed_forward_length"), _largest(config, "expert_used_count")
    dense = _largest(config, "feed_forward_length")
    if not used:
        return dense
    shared = _largest(config, "expert_shared_feed_forward_length") or expert * _largest(config, "expert_shared_count")
    return max(dense, used * (expert or dense) + shared)


def _expert_outputs(config: dict[str, Any]) -> int:
    return _largest(config, "expert_used_count") * _largest(config, "embedding_length")


def _regimes(
    fixed: tuple[_Line, ...], steps: tuple[tuple[_Line, ...], ...], batch: int, micro_batch: int, window_cells: int
) -> Iterator[Regime]:
    """One regime for each padded context up to 16,384 tokens, then lines that are never below it."""
    ends = [*range(0, _EXACT_TOKENS + 1, _PAD), _MAX_TOKENS]
    if _EXACT_TOKENS < window_cells < _MAX_TOKENS:
        ends.insert(-1, window_cells - _PAD + 1)  # here the line of a sliding cache reaches its size
    for before, end in pairwise(ends):
        exact = end <= _EXACT_TOKENS
        # Cells as a + b·N: the padded context itself, or the most that N tokens can be padded to.
        cells = (end, 0) if exact else (_PAD - 1, 1)
        grows = cells[0] + cells[1] * end <= window_cells
        window = cells if grows else (window_cells, 0)
        tokens = min(micro_batch, batch * end)
        rows = [(1, line) for line in fixed] + [(tokens, line) for step in steps for line in step]
        yield Regime(
            from_tokens=before + 1,
            to_tokens=end,
            recorded_at=(),
            held_out=0,
            residual_bytes=0,
            events=_events(len(fixed), [len(step) for step in steps]),
            a=[float(times * line.at(cells[0], window[0])) for times, line in rows],
            b=[float(times * (line.at(cells[1], window[1]) - line.fixed)) for times, line in rows],
            c=[0.0] * len(rows),
            component=[int(line.component) for _, line in rows],
        )


def _events(fixed: int, steps: list[int]) -> list[int]:
    """What is always there, then each step made and freed again."""
    events, number = list(range(1, fixed + 1)), fixed
    for size in steps:
        made = range(number + 1, number + size + 1)
        events += [*made, *(-storage for storage in made)]
        number += size
    return events


def _notes(spec: ModelSpec, key: TapeKey) -> Iterator[str]:
    config = spec.config
    yield say(MAIN_NOTE)
    yield (
        say(
            "llama.cpp pads a context to {pad} tokens: counted exactly up to {exact_tokens:,} "
            "tokens, beyond with the most that padding can add ({pad2} tokens).",
            pad=_PAD,
            exact_tokens=_EXACT_TOKENS,
            pad2=_PAD - 1,
        )
    )
    kinds = {
        say("mixture of experts"): _largest(config, "expert_used_count"),
        say("latent attention (MLA)"): _is_latent(config),
        say("recurrent layers"): any(_recurrent_layers(config)),
        say("sliding windows in the compute buffer"): any(_slides(config)),
    }
    untested = ", ".join(name for name, there in kinds.items() if there)
    if untested:
        yield say("Of llama.cpp's code by reading only, not checked by a run: {untested}.", untested=untested)
    if _largest(config, "sliding_window") and not any(_slides(config)):
        yield say("The file names a window but not which layers slide; every layer is counted with the whole context.")
    if config.get("has_output") and config["token_embd_bytes"]:
        size = format_bytes(config["token_embd_bytes"])
        yield say(
            "llama.cpp keeps the token embeddings ({size}) in host memory; they are counted in the weights here.",
            size=size,
        )
    if key.batch_size > 1:
        yield (
            say(
                "Each of the {batch_size:,} parallel sequences has the request's tokens of its own "
                "(--parallel B --ctx-size B·N, cache not unified).",
                batch_size=key.batch_size,
            )
        )
