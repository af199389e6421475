"""The sizes that a config names: whether they can be a model's, and which of them are missing.

The names are those that the config classes of transformers 5.24 have, with those that their ``attribute_map`` takes
for the same; a test goes through all classes.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from vramtuner.core.errors import BadInputError
from vramtuner.core.text import printable
from vramtuner.core.words import say

HIDDEN = ("hidden_size", "n_embd", "d_model", "emb_dim")
LAYERS = (
    "num_hidden_layers", "n_layer", "n_layers", "num_layers", "decoder_layers", "encoder_layers", "num_decoder_layers",
    "num_encoder_layers",
)  # fmt: skip
HEADS = (
    "num_attention_heads", "n_head", "n_heads", "num_heads", "attention_heads", "decoder_attention_heads",
    "encoder_attention_heads", "num_decoder_attention_heads", "num_encoder_attention_heads",
)  # fmt: skip
VOCABULARY = ("vocab_size",)
_MAX_LAYERS = 1000  # the deepest published models have below 200; a pass of many more is recorded for hours
_MAX_SIZE = 2**31 - 1  # PyTorch keeps some sizes in 32 bits; the largest published size, a vocabulary, is below 2**19
# These may be left open (null), or be a list with a value for each layer.
_OPEN = (
    "num_key_value_heads", "num_kv_heads", "head_dim", "max_position_embeddings", "n_positions", "max_seq_len",
    "max_target_positions",
)  # fmt: skip
# A list of the layers' kinds says how many there are.
_LAYER_LISTS = ("layers_block_type", "hybrid_override_pattern", "attn_layers", "layer_types")
# Where larger models keep the config of their language model.
_INNER = ("text_config", "decoder", "decoder_config")
_LIKE_A_SIZE = re.compile(r"(num|n)_\w+|\w+_(size|dim|heads|layers|rank|experts|positions)")
_DTYPE = re.compile(r"(torch\.)?(b?float(\d+(_\w+)?)?|half|double|u?int\d+)", re.ASCII)


def check_sizes(config: Mapping[str, Any], source: str) -> None:
    """Return if the sizes that a config names, and its dtype, can be those of a model.

    Parameters
    ----------
    source
        What the config is called in messages.

    Raises
    ------
    BadInputError
        One cannot; the message names it.
    """
    for facts in _parts(config):
        for name, value in facts.items():
            problem = _problem(name, value)
            if problem:
                raise BadInputError(
                    say("{source}: {problem}; copy its config.json again", source=source, problem=problem)
                )
        for name in ("dtype", "torch_dtype"):
            value = facts.get(name)
            if value is not None and not (isinstance(value, str) and _DTYPE.fullmatch(value)):
                raise BadInputError(
                    say(
                        "{source}: {name} is {shown}; it must name a dtype, such as bfloat16",
                        source=source,
                        name=name,
                        shown=_shown(value),
                    )
                )


def missing_sizes(config: Mapping[str, Any]) -> tuple[str, ...]:
    """The sizes that decide most of a model's memory and that a config leaves to transformers' defaults."""
    named = {name for facts in _parts(config) for name, value in facts.items() if value is not None}
    kinds = {"hidden_size": HIDDEN, "num_hidden_layers": (*LAYERS, *_LAYER_LISTS), "vocab_size": VOCABULARY}
    return tuple(size for size, names in kinds.items() if named.isdisjoint(names))


def _parts(config: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield config
    for name in _INNER:
        if isinstance(config.get(name), dict):
            yield config[name]


def _problem(name: str, value: Any) -> str:
    """What is wrong with a fact that is a size; nothing for others."""
    if name in LAYERS and _is_whole(value) and value > _MAX_LAYERS:
        return say(
            "{name} names {value:,} layers; no model has more than {max_layers:,}",
            name=name,
            value=value,
            max_layers=_MAX_LAYERS,
        )
    if name in (*HIDDEN, *LAYERS, *HEADS, *VOCABULARY):
        # A model without an encoder may say so.
        least, most = 0 if "encoder" in name else 1, _MAX_LAYERS if name in LAYERS else _MAX_SIZE
        return "" if _is_whole(value) and least <= value <= most else _must_be(name, value, least, most)
    if name in _OPEN:
        values = value if isinstance(value, list) else [value]
        return next((_must_be(name, one, 1) for one in values if not _can_be_open(one)), "")
    # Others have names and meanings of their own; -1 and 0 often stand for "none".
    if _LIKE_A_SIZE.fullmatch(name) and _is_whole(value) and not -1 <= value <= _MAX_SIZE:
        return _must_be(name, value, 0)
    return ""


def _can_be_open(value: Any) -> bool:
    return value is None or (_is_whole(value) and 1 <= value <= _MAX_SIZE)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _must_be(name: str, value: Any, least: int, most: int = _MAX_SIZE) -> str:
    return say(
        "{name} is {shown}; it must be a whole number from {least} to {most:,}",
        name=printable(name, 60),
        shown=_shown(value),
        least=least,
        most=most,
    )


def _shown(value: Any) -> str:
    """A wrong value for a message: short, and never its whole content."""
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case list():
            return say("a list")
        case dict():
            return say("an object")
        case str():
            return repr(printable(value, 40))
        case _:
            return printable(f"{value:,}", 40)
