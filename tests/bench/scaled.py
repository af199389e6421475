"""Scaled-down models of 23 classes, small enough for real passes on a CPU, and a probe for each worker process."""

import atexit
from functools import cache
from typing import Any

from vramtuner.core.device.find import cpu_device
from vramtuner.core.forecast import Forecast, forecast
from vramtuner.core.model.find import known_model_types
from vramtuner.core.model.spec import ModelSpec, spec_from_config
from vramtuner.core.probe.client import Probe
from vramtuner.core.recording import get_tapes
from vramtuner.core.request import phases
from vramtuner.core.settings import Levers

CPU = cpu_device()
POSITIONS = 2048
_WINDOW = {"sliding_window": 512}
_EXTRAS: dict[str, dict[str, Any]] = {
    "llama": {},
    "mistral": _WINDOW,
    "mixtral": {"experts": True, "sliding_window": None},
    "qwen2": {},
    "qwen3": {"heads": True},
    "qwen3_moe": {"experts": True, "heads": True},
    "gemma": {"heads": True},
    "gemma2": {**_WINDOW, "heads": True},
    "gemma3_text": {**_WINDOW, "heads": True, "num_hidden_layers": 6},
    "phi": {},
    "phi3": {"original_max_position_embeddings": POSITIONS},
    "gpt2": {},
    "gpt_neox": {},
    "gpt_oss": {"experts": True, **_WINDOW, "heads": True},
    "opt": {},
    "bloom": {},
    "falcon": {"new_decoder_architecture": False},
    "stablelm": {},
    "starcoder2": {},
    "cohere": {},
    "olmo2": {},
    "granite": {},
    "smollm3": {},
}
MODELS = tuple(_EXTRAS)


def config_of(name: str, width: int = 64, inner: int = 2) -> dict[str, Any]:
    """A class's config: four layers of four heads, an MLP ``inner`` times as wide, a vocabulary 8 times as large."""
    if name == "gpt2":
        sizes = {"n_embd": width, "n_inner": inner * width, "n_layer": 4, "n_head": 4, "n_positions": POSITIONS}
        return {"model_type": name, **sizes, "vocab_size": 8 * width, "dtype": "bfloat16"}
    if name == "bloom":
        sizes = {"hidden_size": width, "n_layer": 4, "n_head": 4, "vocab_size": 8 * width}
        return {"model_type": name, **sizes, "dtype": "bfloat16"}
    config = {
        "model_type": name, "hidden_size": width, "intermediate_size": inner * width, "num_hidden_layers": 4,
        "num_attention_heads": 4, "vocab_size": 8 * width, "num_key_value_heads": 2,
        "max_position_embeddings": POSITIONS, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2,
        "dtype": "bfloat16", **_EXTRAS[name],
    }  # fmt: skip
    if config.pop("experts", False):
        config |= {"num_local_experts": 4, "num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": width}
    if config.pop("heads", False):
        config["head_dim"] = width // 4
    if name == "opt":
        config |= {"ffn_dim": inner * width, "word_embed_proj_dim": width}
    return config


def spec_of(config: dict[str, Any]) -> ModelSpec:
    name = str(config["model_type"])
    return spec_from_config(config, name=name, source=name, known_types=known_model_types())


@cache
def worker_probe() -> Probe:
    """The probe of this process, ended with it."""
    probe = Probe()
    atexit.register(probe.close)
    return probe


def plan_of(config: dict[str, Any], levers: Levers) -> Forecast:
    """The forecast of a config, as the program makes it; its tapes are recorded where none is kept.

    Raises
    ------
    AppError
        It cannot be recorded.
    """
    return plan_for(spec_of(config), levers)


def plan_for(spec: ModelSpec, levers: Levers) -> Forecast:
    """The same of a model that is at hand."""
    return forecast(spec, CPU, levers, *get_tapes(spec, phases(spec, CPU, levers), worker_probe()))
