"""What single model classes need to be recorded: loops, padding, facts that their configs leave out, and experts.

The facts were read in transformers 5.24.  Without optional kernels (mamba-ssm, causal-conv1d, flash-linear-attention,
the RWKV extension) a recurrent layer runs in PyTorch, as it does on most AMD cards; the kernels themselves take less.
"""

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensor

# Tokens of one turn of a Python loop inside a pass, by model type: the pass makes more operations the longer it is.
_LOOPS = {
    **dict.fromkeys(("mamba", "falcon_mamba", "jamba", "zamba", "rwkv", "recurrent_gemma"), 1),
    **dict.fromkeys(
        (
            "qwen3_next", "qwen3_5_text", "qwen3_5_moe_text", "qwen4_exp_text", "kimi_linear", "olmo_hybrid",
            "bailing_hybrid", "lara_mini", "xlstm",
        ),
        64,
    ),
    "minimax": 256,
}  # fmt: skip
_LOOP_SIZES = ("block_size", "chunk_size")
# Where a config names the chunk that a scan without a loop pads its input to.
_CHUNKS = ("mamba_chunk_size", "chunk_size")
_PADDED = {"mamba2", "bamba", "zamba2", "falcon_h1", "granitemoehybrid", "nemotron_h"}
# Experts in a loop over those that were chosen, instead of one grouped multiplication of all of them.
_LOOPED_EXPERTS = {"dbrx"}

# Classes that attend to nothing: no kernel is chosen for them.
_WITHOUT_ATTENTION = {"mamba", "mamba2", "falcon_mamba", "rwkv", "xlstm"}
# Classes whose modules keep the state of the last pass themselves, beside the cache that they return.
_HOLDING = {"recurrent_gemma"}
# Sinusoidal position tables that a longer pass replaces by a longer one, which stays.
_GROWING_TABLES = {"xglm"}

RECURRENT_NOTE = "recurrent layers run in PyTorch, without optional kernels, which need less memory"
NO_ATTENTION_NOTE = "this model has no attention, and the attention lever changes nothing"
TABLE_NOTE = "beyond its positions the model makes a longer position table, which stays for later, shorter requests"
EXPERTS_NOTE = "experts run one after another, and each is taken to get every token: an upper bound of any routing"


def loop_tokens(config: Mapping[str, Any]) -> int | None:
    """Tokens of one turn of the loop that a pass of this config's class makes; ``None`` without such a loop."""
    tokens = _LOOPS.get(str(config.get("model_type")))
    if tokens is None or tokens == 1:
        return tokens
    return next((size for size in map(config.get, _LOOP_SIZES) if isinstance(size, int) and size > 1), tokens)


def padded_chunks(config: Mapping[str, Any]) -> tuple[int, ...]:
    """Numbers of tokens to multiples of which a pass pads its input, as far as the config names them."""
    if config.get("model_type") not in _PADDED:
        return ()
    return tuple(size for size in map(config.get, _CHUNKS) if isinstance(size, int) and size > 1)


def held_states(model: Any) -> list[torch.Tensor]:
    """What the modules of a model keep of its last pass, for classes that keep it outside the cache."""
    if model.config.model_type not in _HOLDING:
        return []
    return [value for module in model.modules() for value in vars(module).values() if isinstance(value, torch.Tensor)]


def forget_states(model: Any) -> None:
    """End what a pass left in the modules, `held_states` and longer tables; the next begins as the first did."""
    for module in model.modules() if model.config.model_type in _GROWING_TABLES else ():
        if hasattr(module, "make_weights") and module.weights.size(0) > module.num_positions + module.offset:
            module.make_weights(module.num_positions + module.offset, module.embedding_dim, module.padding_idx)
    for module in model.modules() if model.config.model_type in _HOLDING else ():
        for name, value in list(vars(module).items()):
            if isinstance(value, torch.Tensor):
                setattr(module, name, None)


def has_attention(config: Mapping[str, Any]) -> bool:
    """Whether any layer of this config's class attends, so that an attention kernel is chosen at all."""
    return config.get("model_type") not in _WITHOUT_ATTENTION


def class_notes(config: Mapping[str, Any]) -> tuple[str, ...]:
    """What a tape of this config's class assumes, for people."""
    model_type = config.get("model_type")
    notes = []
    if model_type in _LOOPS or model_type in _PADDED:
        notes.append(RECURRENT_NOTE)
    if not has_attention(config):
        notes.append(NO_ATTENTION_NOTE)
    if model_type in _GROWING_TABLES:
        notes.append(TABLE_NOTE)
    if model_type in _LOOPED_EXPERTS:
        notes.append(EXPERTS_NOTE)
    return tuple(notes)


def mend_config(config: Any) -> Any:
    """Set right, in a transformers config, what stops its class and has no part in the sizes; gives it back.

    A class's default padding token lies beyond a vocabulary smaller than its own (Phi-3, SmolLM3); some classes divide
    by a head size that their published configs leave to be derived (Ministral, Hunyuan, Nemotron).
    """
    padding, vocabulary = getattr(config, "pad_token_id", None), getattr(config, "vocab_size", None)
    if isinstance(padding, int) and isinstance(vocabulary, int) and padding >= vocabulary:
        config.pad_token_id = None
    heads, width = getattr(config, "num_attention_heads", None), getattr(config, "hidden_size", None)
    if isinstance(heads, int) and isinstance(width, int) and heads > 0:
        if getattr(config, "head_dim", 0) is None:
            config.head_dim = width // heads
        if getattr(config, "num_key_value_heads", 0) is None:
            config.num_key_value_heads = heads
    return config


def steps_inside(func: Any, args: tuple[Any, ...]) -> Callable[..., Any] | None:
    """What stands for an operation that fake tensors cannot run; ``None`` where they can, and for real tensors."""
    if not args or not isinstance(args[0], FakeTensor):
        return None
    if func is torch.ops.aten._grouped_mm.default and args[0].dtype != torch.bfloat16:
        return _grouped_product
    if func is torch.ops.aten.nonzero.default:
        return _every_place
    if func is torch.ops.aten._local_scalar_dense.default and not args[0].is_floating_point():
        return _first_choice
    return None


def _grouped_product(rows: Any, weights: Any, *_: Any, **__: Any) -> Any:
    """The grouped multiplication in 16- and 32-bit floats: it makes its result and nothing else.

    PyTorch's own shape function knows bfloat16 only; its kernels take the others, one group after another.
    """
    return rows.new_empty(rows.shape[0], weights.shape[-1])


def _every_place(mask: Any) -> Any:
    """The places of a mask's true values at most: experts' masks have one a token, along their longest side."""
    return mask.new_empty(max(mask.shape, default=1), mask.dim(), dtype=torch.long)


def _first_choice(_: Any) -> int:
    """The value of a whole number that nobody computed: the first expert, which is as large as any."""
    return 0
