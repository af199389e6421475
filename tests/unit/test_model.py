"""From a config or a folder to a spec, whatever the file holds."""

import json
import os
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vramtuner.core.errors import BadInputError
from vramtuner.core.model.find import PRESETS, find_model, known_model_types, load_preset, read_config
from vramtuner.core.model.spec import ModelSpec, breakpoints_of, spec_from_config

LLAMA: dict[str, Any] = {
    "model_type": "llama",
    "architectures": ["LlamaForCausalLM"],
    "hidden_size": 64,
    "num_hidden_layers": 2,
    "max_position_embeddings": 512,
    "torch_dtype": "bfloat16",
}


def spec_of(config: dict[str, Any]) -> ModelSpec:
    return spec_from_config(config, name="a model", source="config.json", known_types=known_model_types())


def folder_with(tmp_path: Path, config: dict[str, Any]) -> Path:
    (tmp_path / "config.json").write_text(json.dumps(config))
    return tmp_path


@pytest.mark.parametrize(
    ("preset", "parameters"),
    [
        ("gpt2", 124_439_808),
        ("phi-2", 2_779_683_840),
        ("opt-2.7b", 2_651_596_800),
        ("mistral-7b", 7_241_732_096),
        ("llama-2-7b", 6_738_415_616),
        ("llama-2-13b", 13_015_864_320),
        ("llama-3.1-8b", 8_030_261_248),
        ("qwen2.5-7b", 7_615_616_512),
        ("qwen3-8b", 8_190_735_360),
        ("gemma-2-9b", 9_241_705_984),
    ],
)
def test_presets_have_the_published_parameters(preset: str, parameters: int) -> None:
    assert load_preset(preset).parameters == parameters


@pytest.mark.parametrize(
    ("preset", "positions", "hard", "breakpoints"),
    [
        ("gpt2", 1024, True, ()),
        ("opt-2.7b", 2048, True, ()),
        ("phi-2", 2048, False, ()),
        ("llama-2-13b", 4096, False, ()),
        ("llama-3.1-8b", 131_072, False, ()),
        ("mistral-7b", 32_768, False, (4095,)),
        ("gemma-2-9b", 8192, False, (4095,)),
        ("qwen2.5-7b", 131_072, False, ()),
        ("qwen3-8b", 40_960, False, ()),
    ],
)
def test_presets_have_the_published_lengths(
    preset: str, positions: int, hard: bool, breakpoints: tuple[int, ...]
) -> None:
    spec = load_preset(preset)
    assert (spec.max_positions, spec.positions_hard, spec.breakpoints) == (positions, hard, breakpoints)


def test_every_preset_is_found_by_its_name_in_any_case() -> None:
    for name in PRESETS:
        assert find_model(name.upper()) == load_preset(name)


def test_a_folder_here_is_taken_before_a_preset_of_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gpt2").mkdir()
    folder_with(tmp_path / "gpt2", LLAMA)
    monkeypatch.chdir(tmp_path)
    assert find_model("gpt2").model_type == "llama"


def test_a_config_is_found_by_its_folder_and_by_its_file(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, LLAMA)
    by_folder, by_file = find_model(str(folder)), find_model(str(folder / "config.json"))
    assert (by_folder.name, by_folder.dtype, by_folder.max_positions) == (tmp_path.name, "bf16", 512)
    assert by_folder.config_hash == by_file.config_hash
    assert not by_folder.has_weights


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "not a JSON object"),
        (b"{", "not a JSON object"),
        (b"[]", "not a JSON object"),
        (b"null", "not a JSON object"),
        (b"\xff\xfe{}", "not a JSON object"),
        (b'{"a": NaN}', "not a JSON object"),
        (b'{"a": 1' + b"0" * 5000 + b"}", "not a JSON object"),
        (b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "not a JSON object"),
        (b'{"a": ' + b"[" * 500 + b"]" * 500 + b"}", "nested deeper"),
        (b"{}", "names no model_type"),
        (b'{"model_type": 7}', "names no model_type"),
        (b'{"model_type": ""}', "names no model_type"),
        (b'{"model_type": "no_such"}', "unknown model_type 'no_such'"),
        (b'{"model_type": "mine", "auto_map": {"AutoModel": "mine.Mine"}}', "needs code from the model's own folder"),
        (b'{"model_type": "llama", "quantization_config": {"bits": 4}}', "already quantized"),
        (b" " * (4 * 2**20 + 1), "larger than any real config.json"),
    ],
)
def test_configs_that_are_refused(tmp_path: Path, content: bytes, says: str) -> None:
    (tmp_path / "config.json").write_bytes(content)
    with pytest.raises(BadInputError, match=says):
        find_model(str(tmp_path))


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("", "no config.json"),
        ("no/such/model", "no model at"),
        ("meta-llama/Llama-2-7b-hf", "no model at"),
        ("a" * 5000, r"cannot be looked at|no model at"),
        ("~no-such-user-here/model", "cannot be looked at"),
        ("nul\0byte", "no model at"),
    ],
)
def test_names_that_lead_nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, says: str) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadInputError, match=says) as caught:
        find_model(name)
    assert len(str(caught.value)) < 500


def test_a_folder_without_config_and_a_file_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="has no config"):
        find_model(str(tmp_path))
    (tmp_path / "model.bin").write_bytes(b"GGUF")
    with pytest.raises(BadInputError, match=r"neither a model folder, a config.json nor a \.gguf file"):
        find_model(str(tmp_path / "model.bin"))
    (tmp_path / "config.json").mkdir()
    with pytest.raises(BadInputError, match="is not a file"):
        read_config(tmp_path / "config.json")


@pytest.mark.parametrize("name", ["num_hidden_layers", "n_layer", "num_layers"])
def test_more_layers_than_any_model_has_are_refused(name: str) -> None:
    config = {key: value for key, value in LLAMA.items() if key != "num_hidden_layers"}
    for config_of_it in ({**config, name: 10**6}, {"model_type": "gemma3", "text_config": {**config, name: 10**6}}):
        with pytest.raises(BadInputError, match="1,000,000 layers"):
            spec_of(config_of_it)


def test_a_header_larger_than_any_real_one_is_not_read(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, LLAMA)
    size = 16 * 2**20 + 8
    with (folder / "model.safetensors").open("wb") as file:
        file.write(size.to_bytes(8, "little"))
        file.truncate(size + 64)
    with pytest.raises(BadInputError, match="larger than any real one"):
        find_model(str(folder))


def test_a_config_that_never_ends_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "config.json").symlink_to("/dev/zero")
    with pytest.raises(BadInputError, match="is not a file"):
        find_model(str(tmp_path))
    (tmp_path / "config.json").unlink()
    os.mkfifo(tmp_path / "config.json")
    with pytest.raises(BadInputError, match="is not a file"):
        find_model(str(tmp_path))


def test_code_in_the_folder_is_ignored_for_a_known_type_and_said_so() -> None:
    spec = spec_of({**LLAMA, "auto_map": {"AutoModelForCausalLM": "mine.Mine"}})
    assert any("auto_map" in warning for warning in spec.warnings)


@pytest.mark.parametrize(
    ("facts", "points"),
    [
        ({"sliding_window": 4096}, (4095,)),
        ({"sliding_window": 4096, "use_sliding_window": False}, ()),
        ({"sliding_window": None}, ()),
        ({"sliding_window": True}, ()),
        ({"sliding_window": -1}, ()),
        ({"sliding_window": 4096.0}, ()),
        ({"attention_chunk_size": 8192}, (8191,)),
        ({"sliding_window": 512, "attention_chunk_size": 512}, (511,)),
        ({"rope_scaling": {"rope_type": "longrope"}, "original_max_position_embeddings": 4096}, (4096,)),
        ({"rope_scaling": {"type": "longrope", "original_max_position_embeddings": 4096}}, (4096,)),
        ({"rope_scaling": {"rope_type": "llama3", "original_max_position_embeddings": 8192}}, ()),
        ({"rope_scaling": "longrope", "original_max_position_embeddings": 4096}, ()),
    ],
)
def test_breakpoints(facts: dict[str, Any], points: tuple[int, ...]) -> None:
    assert breakpoints_of(facts) == points


@pytest.mark.parametrize(
    ("facts", "dtype"),
    [({"dtype": "float16"}, "fp16"), ({"torch_dtype": "torch.bfloat16"}, "bf16"), ({}, "fp32")],
)
def test_the_dtype_of_a_config(facts: dict[str, Any], dtype: str) -> None:
    assert spec_of({"model_type": "llama", **facts}).dtype == dtype


def test_the_hash_is_of_what_decides_the_operations() -> None:
    same = {**LLAMA, "_name_or_path": "elsewhere", "transformers_version": "9", "torch_dtype": "float32"}
    assert spec_of(dict(reversed(same.items()))).config_hash == spec_of(LLAMA).config_hash
    assert spec_of({**LLAMA, "hidden_size": 128}).config_hash != spec_of(LLAMA).config_hash
    assert spec_of({**LLAMA, "rope_scaling": {"factor": 2.0}}).config_hash != spec_of(LLAMA).config_hash


_FACTS = [
    "model_type", "architectures", "dtype", "torch_dtype", "max_position_embeddings", "n_positions", "sliding_window",
    "use_sliding_window", "attention_chunk_size", "rope_scaling", "rope_parameters", "auto_map", "quantization_config",
    "original_max_position_embeddings", "rope_type", "hidden_size", "num_hidden_layers", "vocab_size", "head_dim",
]  # fmt: skip
_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.just(10**400)
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["llama", "gpt2", "longrope", "bfloat16"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(_FACTS) | st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(st.sampled_from(_FACTS) | st.text(max_size=4), _VALUES, max_size=8), st.booleans())
def test_any_json_object_is_a_spec_or_bad_input(config: dict[str, Any], known: bool) -> None:
    if known:
        config["model_type"] = "llama"
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "config.json").write_text(json.dumps(config))
        try:
            spec = find_model(folder)
        except BadInputError as error:
            assert str(error)
        else:
            assert len(spec.config_hash) == 16
            assert spec.max_positions > 0
            assert list(spec.breakpoints) == sorted(set(spec.breakpoints))
            assert all(point > 1 for point in spec.breakpoints)


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_are_a_config_or_bad_input(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "config.json").write_bytes(content)
        try:
            read_config(Path(folder) / "config.json")
        except BadInputError as error:
            assert str(error)


@pytest.mark.parametrize("dtype_key", ["dtype", "torch_dtype"])
def test_a_vision_language_model_resolves_to_its_text_model_and_says_so(dtype_key: str) -> None:
    text = {"model_type": "llama", "hidden_size": 64, "max_position_embeddings": 512, "sliding_window": None}
    outer = {"model_type": "llava", dtype_key: "bfloat16", "text_config": text, "vision_config": {"hidden_size": 8}}
    spec = spec_from_config(outer, name="x", source="x", known_types=known_model_types())
    assert (spec.model_type, spec.max_positions, spec.dtype) == ("llama", 512, "bf16")
    assert spec.is_part
    assert any("llava → llama" in warning for warning in spec.warnings)


@pytest.mark.parametrize("text", [None, [], "llama", {}, {"model_type": ["llama"]}, {"model_type": "no-such-type"}])
def test_a_nested_config_that_is_none_does_not_help_an_unknown_type(text: object) -> None:
    with pytest.raises(BadInputError, match="unknown model_type"):
        spec_from_config(
            {"model_type": "llava", "text_config": text}, name="x", source="x", known_types=known_model_types()
        )


def test_names_out_of_a_folder_are_one_printable_line() -> None:
    config = {"model_type": "llama", "architectures": ["Evil\x1b[31m\nClass" + "x" * 200]}
    spec = spec_from_config(config, name="a\nb\tc", source="s\r", known_types=known_model_types())
    assert all(text.isprintable() and "\n" not in text for text in (spec.name, spec.source, spec.architecture))
    assert len(spec.architecture) == 80
