"""Sizes in a config: what is missing is said, what no model has is refused in one line of our own."""

from importlib.resources import files
from typing import Any

import msgspec
import pytest

from vramtuner.core.errors import BadInputError
from vramtuner.core.model.find import PRESETS, known_model_types, load_preset
from vramtuner.core.model.positions import positions_of
from vramtuner.core.model.sizes import missing_sizes
from vramtuner.core.model.spec import ModelSpec, spec_from_config

ARCHITECTURES = files("vramtuner.resources") / "architectures"
PUBLISHED = sorted(item.name for item in ARCHITECTURES.iterdir() if item.name.endswith(".json"))
LLAMA: dict[str, Any] = {"model_type": "llama", "hidden_size": 64, "num_hidden_layers": 2, "vocab_size": 100}


def spec_of(config: dict[str, Any]) -> ModelSpec:
    return spec_from_config(config, name="a model", source="config.json", known_types=known_model_types())


@pytest.mark.parametrize("name", PUBLISHED)
def test_no_published_config_is_warned_of(name: str) -> None:
    config: dict[str, Any] = msgspec.json.decode((ARCHITECTURES / name).read_bytes())["config"]
    assert missing_sizes(config) == ()
    assert not [warning for warning in spec_of(config).warnings if "defaults" in warning]


@pytest.mark.parametrize("name", PRESETS)
def test_no_preset_is_warned_of(name: str) -> None:
    assert load_preset(name).warnings == ()


def test_a_config_without_sizes_is_said_to_have_the_classs_own() -> None:
    (warning,) = spec_of({"model_type": "llama"}).warnings
    assert warning == (
        "config.json names no hidden_size, num_hidden_layers, vocab_size: sizes are transformers' defaults for llama."
    )
    (warning,) = spec_of({"model_type": "llama", "hidden_size": 64, "vocab_size": 100}).warnings
    assert "names no num_hidden_layers: sizes" in warning


def test_a_nested_config_without_sizes_is_told_apart() -> None:
    text = {"model_type": "llama", "vocab_size": 32_064}
    found = spec_of({"model_type": "llava", "text_config": text}).warnings
    assert any("text_config of config.json names no hidden_size, num_hidden_layers" in warning for warning in found)


@pytest.mark.parametrize(
    ("facts", "says"),
    [
        ({"num_attention_heads": 0}, "num_attention_heads is 0;"),
        ({"num_key_value_heads": 0}, "num_key_value_heads is 0;"),
        ({"num_hidden_layers": -3}, "num_hidden_layers is -3; it must be a whole number from 1 to 1,000"),
        ({"num_hidden_layers": 0}, "num_hidden_layers is 0;"),
        ({"num_hidden_layers": "3"}, "num_hidden_layers is '3';"),
        ({"num_hidden_layers": 3.5}, "num_hidden_layers is 3.5;"),
        ({"num_hidden_layers": True}, "num_hidden_layers is true;"),
        ({"num_hidden_layers": [2]}, "num_hidden_layers is a list;"),
        ({"decoder_layers": 10**6}, "1,000,000 layers"),
        ({"n_layer": 10**6}, "1,000,000 layers"),
        ({"hidden_size": None}, "hidden_size is null;"),
        ({"hidden_size": {"a": 1}}, "hidden_size is an object;"),
        ({"hidden_size": -256}, "hidden_size is -256;"),
        ({"vocab_size": 2**31}, "vocab_size is 2,147,483,648;"),
        ({"vocab_size": 10**25}, "vocab_size is 1"),
        ({"intermediate_size": 2**40}, "intermediate_size is 1,099,511,627,776;"),
        ({"intermediate_size": -4}, "intermediate_size is -4;"),
        ({"num_local_experts": 2**62}, "num_local_experts is"),
        ({"head_dim": "\x1b[31m"}, "head_dim is '�[31m';"),
        ({"num_key_value_heads": [2, 0]}, "num_key_value_heads is 0;"),
        ({"max_position_embeddings": 10**15}, "max_position_embeddings is 1,000,000,000,000,000;"),
        ({"max_position_embeddings": "4096"}, "max_position_embeddings is '4096';"),
        ({"dtype": ["float16"]}, "dtype is a list;"),
        ({"torch_dtype": {}}, "torch_dtype is an object;"),
        ({"dtype": 3}, "dtype is 3;"),
        ({"dtype": "float33\n"}, "dtype is 'float33�'; it must name a dtype, such as bfloat16"),
    ],
)
def test_a_size_that_no_model_has_is_one_line_that_names_it(facts: dict[str, Any], says: str) -> None:
    for config in ({**LLAMA, **facts}, {"model_type": "llava", "text_config": {**LLAMA, **facts}}):
        with pytest.raises(BadInputError) as caught:
            spec_of(config)
        assert says in str(caught.value)
        assert str(caught.value).isprintable()
        assert len(str(caught.value)) < 250


@pytest.mark.parametrize(
    "facts",
    [
        {"num_key_value_heads": None, "head_dim": None, "max_position_embeddings": None},
        {"num_key_value_heads": [1, 2]},
        {"intermediate_size": [128, 256]},
        {"intermediate_size": 0, "num_local_experts": 0},
        {"encoder_layers": 0, "encoder_attention_heads": 0},
        {"num_beams": -1, "eos_token_id": 2**40, "model_max_length": 10**30},
        {"dtype": None},
        {"dtype": "torch.bfloat16"},
        {"torch_dtype": "float8_e4m3fn"},
        {"vision_config": {"num_hidden_layers": 0}},
    ],
)
def test_what_real_configs_say_is_taken(facts: dict[str, Any]) -> None:
    assert spec_of({**LLAMA, **facts}).warnings == ()


@pytest.mark.parametrize(
    ("config", "positions"),
    [
        ({"model_type": "gpt2"}, 1024),
        ({"model_type": "gpt2", "n_ctx": 4096}, 1024),  # an old name, which transformers does not read
        ({"model_type": "gpt2", "n_positions": 512}, 512),
        ({"model_type": "gpt2", "n_positions": 512, "max_position_embeddings": 256}, 256),
        ({"model_type": "roberta", "max_position_embeddings": 514}, 512),
        ({"model_type": "roberta", "max_position_embeddings": 514, "pad_token_id": 0}, 513),
        ({"model_type": "whisper", "max_target_positions": 448, "max_length": 99}, 448),
        ({"model_type": "opt", "max_position_embeddings": 2048}, 2048),
        ({"model_type": "llama", "max_position_embeddings": 4096}, 4096),
        ({"model_type": "llama"}, 2048),
        ({"model_type": "roberta", "max_position_embeddings": 2, "pad_token_id": 500}, 1),
    ],
)
def test_positions_are_those_that_a_token_can_have(config: dict[str, Any], positions: int) -> None:
    assert positions_of(config) == positions


def test_a_tape_is_filed_under_the_positions_that_the_padding_leaves() -> None:
    config = {"model_type": "roberta", "hidden_size": 64, "num_hidden_layers": 2, "vocab_size": 100}
    hashes = {spec_of({**config, "pad_token_id": padding}).config_hash for padding in (0, 1, 2)}
    assert len(hashes) == 3
    assert len({spec_of({**LLAMA, "pad_token_id": padding}).config_hash for padding in (0, 1, 2)}) == 1
