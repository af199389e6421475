"""From what a person names (a folder, a config.json, a preset) to a `ModelSpec`."""

from functools import cache
from importlib.resources import files
from pathlib import Path
from stat import S_ISREG
from typing import Any

import msgspec

from vramtuner.core.errors import BadInputError
from vramtuner.core.model.checkpoint_quant import text_tensors, unquantized_modules
from vramtuner.core.model.gguf import load_gguf
from vramtuner.core.model.spec import ModelSpec, config_dtype, spec_from_config
from vramtuner.core.model.weights import WeightFiles, read_weight_files
from vramtuner.core.text import one_line, printable
from vramtuner.core.words import say

_RESOURCES = files("vramtuner.resources")
_MAX_CONFIG_BYTES = 4 * 2**20
_MAX_CONFIG_DEPTH = 64
PRESETS = (
    "gpt2", "phi-2", "opt-2.7b", "mistral-7b", "llama-2-7b", "llama-2-13b", "llama-3.1-8b", "qwen2.5-7b", "qwen3-8b",
    "gemma-2-9b",
)  # fmt: skip


class _Preset(msgspec.Struct, frozen=True):
    name: str
    title: str
    source: str
    parameters: int
    parameters_source: str
    config: dict[str, Any]


@cache
def known_model_types() -> frozenset[str]:
    """Model types with a causal language model in the transformers release this was made with."""
    return frozenset(msgspec.json.decode((_RESOURCES / "model_types.json").read_bytes(), type=list[str]))


@cache
def load_preset(name: str) -> ModelSpec:
    """The spec of a shipped preset: published config facts, no weights."""
    preset = msgspec.json.decode((_RESOURCES / "presets" / f"{name}.json").read_bytes(), type=_Preset)
    spec = spec_from_config(
        preset.config,
        name=preset.title,
        source=say("preset {name} ({source})", name=name, source=preset.source),
        known_types=known_model_types(),
    )
    return msgspec.structs.replace(spec, parameters=preset.parameters)


def text_of_model(spec: ModelSpec) -> str:
    """What `find_model` is asked for to get a model again, from whatever folder."""
    preset = next((name for name in PRESETS if load_preset(name) == spec), None)
    return preset or spec.folder or str(Path(spec.source).expanduser().absolute())


def find_model(text: str) -> ModelSpec:
    """The model that a person names: a folder with ``config.json``, a ``config.json``, a ``.gguf`` file, or a preset.

    Raises
    ------
    BadInputError
        Nothing is there, or what is there cannot be used; the message says what to do next.
    """
    name = text.strip().lower()
    try:
        path = Path(text).expanduser()
        exists = path.exists()
    except OSError as error:
        raise BadInputError(
            say("{text!r} cannot be looked at: {strerror}", text=text[:200], strerror=error.strerror)
        ) from error
    except RuntimeError as error:  # a home folder of nobody, as in ~nobody/model
        raise BadInputError(
            say("{text!r} cannot be looked at: {error}", text=text[:200], error=one_line(str(error), 300))
        ) from error
    if name in PRESETS and not exists:
        return load_preset(name)
    if path.is_dir():
        return _from_folder(path)
    if exists and path.suffix.lower() == ".gguf":
        return load_gguf(path)
    if path.is_file() and path.suffix == ".json":
        spec = spec_from_config(
            read_config(path),
            name=path.resolve().parent.name,
            source=str(path),
            known_types=known_model_types(),
        )
        return _quantized(spec, None) if spec.quantization else spec
    if exists:
        raise BadInputError(
            say("{text} is neither a model folder, a config.json nor a .gguf file", text=printable(text, 400))
        )
    raise BadInputError(
        say(
            "no model at {text!r}; give a folder with config.json, a .gguf file, or a preset: {presets}",
            text=text[:200],
            presets=", ".join(PRESETS),
        )
    )


def read_config(path: Path) -> dict[str, Any]:
    """The JSON object in a ``config.json``, read with limits.

    Raises
    ------
    BadInputError
        The file is missing, unreadable, too large or not a JSON object.
    """
    label = printable(str(path), 400)
    try:
        info = path.stat()
        if not S_ISREG(info.st_mode):  # a pipe or a device would be read for ever
            raise BadInputError(say("{label} is not a file", label=label))
        if info.st_size > _MAX_CONFIG_BYTES:
            raise BadInputError(say("{label} is larger than any real config.json", label=label))
        config = msgspec.json.decode(path.read_bytes(), type=dict[str, Any])
    except FileNotFoundError as error:
        raise BadInputError(
            say(
                "{parent} has no config.json; choose the folder that holds the model",
                parent=printable(str(path.parent), 400),
            )
        ) from error
    except OSError as error:
        raise BadInputError(say("{label} cannot be read: {strerror}", label=label, strerror=error.strerror)) from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadInputError(
            say("{label} is not a JSON object ({error})", label=label, error=one_line(str(error), 300))
        ) from error
    if _is_deeper(config, _MAX_CONFIG_DEPTH):
        raise BadInputError(say("{label} is nested deeper than any real config.json", label=label))
    return config


def _is_deeper(value: Any, levels: int) -> bool:
    children = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return levels == 0 or any(_is_deeper(child, levels - 1) for child in children)


def _from_folder(folder: Path) -> ModelSpec:
    config_path = folder / "config.json"
    spec = spec_from_config(
        read_config(config_path),
        name=folder.resolve().name,
        source=str(folder),
        known_types=known_model_types(),
    )
    spec = msgspec.structs.replace(spec, folder=str(folder.resolve()))
    weights = read_weight_files(folder)
    if spec.quantization:
        return _quantized(spec, weights)
    if weights is None:
        return spec
    if spec.is_part:
        return msgspec.structs.replace(spec, dtype=weights.dtype or spec.dtype)
    return msgspec.structs.replace(
        spec, dtype=weights.dtype or spec.dtype, parameters=weights.parameters, stored_bytes=weights.stored_bytes
    )


def _quantized(spec: ModelSpec, weights: WeightFiles | None) -> ModelSpec:
    """The spec of a checkpoint that was quantized before it was saved: its bytes are those of its files."""
    if weights is None:
        raise BadInputError(
            say(
                "{source} describes an already quantized checkpoint ({quantization}), whose bytes only "
                "its files tell; model.safetensors is missing: choose the folder of the whole checkpoint",
                source=spec.source,
                quantization=spec.quantization,
            )
        )
    tensors = text_tensors(weights.tensors) if spec.is_part else weights.tensors
    return msgspec.structs.replace(
        spec,
        dtype=config_dtype(spec.config) or weights.floating or "fp16",
        stored_bytes=sum(tensor.nbytes for tensor in tensors),
        unquantized_modules=unquantized_modules(tensors),
    )
