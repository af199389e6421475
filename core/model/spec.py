"""`ModelSpec`: what the rest of the program knows about a model, and how a config becomes one."""

import hashlib
from typing import Any

import msgspec

from vramtuner.core.errors import BadInputError
from vramtuner.core.model.positions import positions_of, table_of
from vramtuner.core.model.sizes import check_sizes, missing_sizes
from vramtuner.core.settings import Dtype
from vramtuner.core.text import printable
from vramtuner.core.words import say

# Facts that decide neither the operations nor their sizes, left out of the config's hash.
_IRRELEVANT = {
    "_name_or_path", "name_or_path", "transformers_version", "dtype", "torch_dtype", "architectures", "auto_map",
    "use_cache", "bos_token_id", "eos_token_id", "pad_token_id", "attn_implementation", "_attn_implementation",
}  # fmt: skip
_DTYPES: dict[str, Dtype] = {"float16": "fp16", "bfloat16": "bf16", "float32": "fp32"}
# Where a config says that its checkpoint is quantized; the second is an older name of compressed-tensors' own.
_QUANTIZATION = ("quantization_config", "compression_config")
GGUF = "gguf"


class ModelSpec(msgspec.Struct, frozen=True, kw_only=True):
    """A model as far as its config and its file headers tell.

    Attributes
    ----------
    config
        The facts of ``config.json``, as transformers reads them.
    dtype
        The dtype the checkpoint is stored in, else the one its config names.
    max_positions
        Tokens the architecture was made for; beyond it a rotary model extrapolates, a learned table has no row.
    positions_hard
        Whether a longer input is impossible rather than merely unwise.
    breakpoints
        Token counts at which the operations change (sliding windows, chunks, rotary switch-overs), ascending.
    is_part
        The text model inside a larger one, whose files hold more than it.
    parameters, stored_bytes
        Counted from safetensors headers or published for a preset; ``None`` when only a config is there.  Of a
        quantized checkpoint the parameters are not counted, because packed elements are not parameters.
    quantization
        The method by which the checkpoint was quantized before it was saved, as its config names it.
    unquantized_modules
        Of a quantized checkpoint: the modules that its files hold as plain matrices.
    """

    name: str
    source: str
    model_type: str
    architecture: str
    config: dict[str, Any]
    dtype: Dtype
    max_positions: int
    positions_hard: bool
    breakpoints: tuple[int, ...] = ()
    parameters: int | None = None
    stored_bytes: int | None = None
    folder: str | None = None
    is_part: bool = False
    warnings: tuple[str, ...] = ()
    quantization: str | None = None
    unquantized_modules: tuple[str, ...] = ()

    @property
    def config_hash(self) -> str:
        """A hash of the facts that decide the tape."""
        facts: Any = {key: value for key, value in self.config.items() if key not in _IRRELEVANT}
        table = table_of(self.config)
        if table is not None and table.padding is not None:
            facts["positions"] = self.max_positions  # the padding token's id decides how many there are
        if self.quantization is not None:
            # The same config describes other bytes in the files of another release of the checkpoint.
            facts = [facts, self.quantization, self.stored_bytes, self.unquantized_modules]
        return hashlib.sha256(msgspec.json.encode(facts, order="deterministic")).hexdigest()[:16]

    @property
    def head_dim(self) -> int:
        """Size of an attention head; 0 where the config does not say."""
        size = _positive_int(self.config, "head_dim")
        hidden = _positive_int(self.config, "hidden_size", "n_embd", "d_model")
        heads = _positive_int(self.config, "num_attention_heads", "n_head", "n_heads")
        return size or (hidden // heads if hidden and heads else 0)

    @property
    def grouped_heads(self) -> bool:
        """Whether several query heads share a key head."""
        heads = _positive_int(self.config, "num_attention_heads", "n_head", "n_heads")
        shared = _positive_int(self.config, "num_key_value_heads")
        return bool(heads and shared and shared < heads)

    @property
    def is_gguf(self) -> bool:
        """Whether llama.cpp runs the model, and not transformers."""
        return self.model_type == GGUF

    @property
    def has_weights(self) -> bool:
        """Whether real weights can be loaded from the model's folder."""
        return self.stored_bytes is not None


def _positive_int(config: dict[str, Any], *names: str) -> int | None:
    for name in names:
        value = config.get(name)
        if isinstance(value, int) and not isinstance(value, bool) and value > 0:
            return value
    return None


def _sliding_window(config: dict[str, Any]) -> int | None:
    if config.get("use_sliding_window") is False:
        return None
    return _positive_int(config, "sliding_window", "attention_window_size", "local_attention")


def _rotary_facts(config: dict[str, Any]) -> list[dict[str, Any]]:
    """What a config says of its rotary positions: for all layers, or for each kind of layer on its own."""
    rope = config.get("rope_scaling") or config.get("rope_parameters")
    if not isinstance(rope, dict):
        return []
    return [rope, *(value for value in rope.values() if isinstance(value, dict))]


def breakpoints_of(config: dict[str, Any]) -> tuple[int, ...]:
    """Token counts at which the config says that the operations change.

    Each is the last length of its regime.  A sliding window of W changes them from W − 1 to W tokens: the mask is
    made from W on, and a sliding cache keeps W − 1 rows.
    """
    points: set[int] = set()
    window = _sliding_window(config)
    if window is not None:
        points.add(window - 1)
    chunk = _positive_int(config, "attention_chunk_size")
    if chunk is not None:
        points.add(chunk - 1)
    for rope in _rotary_facts(config):
        kind = rope.get("rope_type", rope.get("type"))
        original = _positive_int(rope, "original_max_position_embeddings") or _positive_int(
            config, "original_max_position_embeddings"
        )
        if kind == "dynamic":
            original = original or _positive_int(config, "max_position_embeddings")
        if kind in ("longrope", "dynamic") and original is not None:
            points.add(original)
    if config.get("model_type") == "xglm":  # a longer position table is made from there on
        points.add(_positive_int(config, "max_position_embeddings") or 2048)
    return tuple(sorted(point for point in points if point > 1))


def _text_model(config: dict[str, Any], known_types: frozenset[str]) -> dict[str, Any] | None:
    """The config of the language model inside a vision or audio model's, with what the outer one says of it."""
    text = config.get("text_config")
    if (
        not isinstance(text, dict)
        or not isinstance(text.get("model_type"), str)
        or text["model_type"] not in known_types
    ):
        return None
    outer = {name: config[name] for name in ("dtype", "torch_dtype", *_QUANTIZATION) if name in config}
    return {**outer, **text}


def config_dtype(config: dict[str, Any]) -> Dtype | None:
    """The dtype that a config names, in which its model computes."""
    return _DTYPES.get(str(config.get("dtype", config.get("torch_dtype"))).removeprefix("torch."))


def quantization_of(config: dict[str, Any], source: str) -> str | None:
    """The method by which a config says that its checkpoint is quantized; ``None`` for one that is not.

    Raises
    ------
    BadInputError
        It says that the checkpoint is quantized, and not how.
    """
    facts = next((config[name] for name in _QUANTIZATION if config.get(name)), None)
    if facts is None:
        return None
    method = facts.get("quant_method") if isinstance(facts, dict) else None
    if isinstance(facts, dict) and (facts.get("load_in_4bit") or facts.get("load_in_8bit")):
        method = "bitsandbytes"
    if not isinstance(method, str) or not method:
        raise BadInputError(
            say(
                "{source} describes an already quantized checkpoint and names no quant_method; copy its "
                "config.json again",
                source=source,
            )
        )
    return printable(method, 40)


def _size_warnings(config: dict[str, Any], model_type: str, source: str, *, inner: bool) -> list[str]:
    """What a config leaves to transformers' defaults, which may not be the sizes of the model that is meant."""
    missing = missing_sizes(config)
    if not missing:
        return []
    where, names = say("The text_config of {source}", source=source) if inner else source, ", ".join(missing)
    # Older releases of transformers left out of a text_config what was equal to its class's default.
    why = say(", which leaving them out of a text_config usually means") if inner else ""
    return [
        say(
            "{where} names no {names}: sizes are transformers' defaults for {model_type}{why}.",
            where=where,
            names=names,
            model_type=model_type,
            why=why,
        )
    ]


def spec_from_config(config: dict[str, Any], *, name: str, source: str, known_types: frozenset[str]) -> ModelSpec:
    """The spec that a config describes; its weights, if any, are added by the caller.

    Raises
    ------
    BadInputError
        The config needs code from its own folder, names no model type that transformers knows or a size that no model
        has, or does not say how its checkpoint is quantized.
    """
    name, source = printable(name), printable(source, 400)
    warnings: list[str] = []
    text = _text_model(config, known_types)
    if text is not None:
        kinds = f"{printable(str(config.get('model_type')), 60)} → {text['model_type']}"
        warnings.append(
            say("This is the text model inside a larger one ({kinds}); images and sound are not counted.", kinds=kinds)
        )
        config = text
    model_type = config.get("model_type")
    if not isinstance(model_type, str) or not model_type:
        raise BadInputError(
            say("{source} names no model_type; it is not the config of a transformers model", source=source)
        )
    if model_type not in known_types:
        if config.get("auto_map"):
            raise BadInputError(
                say(
                    "model_type {model_type!r} needs code from the model's own folder (auto_map), which is "
                    "never run here; use a checkpoint converted to a built-in transformers class",
                    model_type=model_type[:60],
                )
            )
        raise BadInputError(
            say(
                "unknown model_type {model_type!r} in {source}: transformers has no causal language model of it",
                model_type=model_type[:60],
                source=source,
            )
        )
    if config.get("auto_map"):
        warnings.append(
            say("The folder carries its own code (auto_map); it is ignored and the built-in class is used.")
        )
    check_sizes(config, source)
    warnings += _size_warnings(config, model_type, source, inner=text is not None)
    architectures = config.get("architectures")
    architecture = architectures[0] if isinstance(architectures, list) and architectures else model_type
    return ModelSpec(
        name=name,
        source=source,
        model_type=model_type,
        architecture=printable(str(architecture)),
        config=config,
        dtype=config_dtype(config) or "fp32",
        max_positions=positions_of(config),
        positions_hard=table_of(config) is not None,
        breakpoints=breakpoints_of(config),
        is_part=text is not None,
        warnings=tuple(warnings),
        quantization=quantization_of(config, source),
    )
