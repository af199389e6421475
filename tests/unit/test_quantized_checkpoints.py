"""Checkpoints that were quantized before they were saved: bytes from their files, and what is refused."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from vramtuner.core.errors import BadInputError
from vramtuner.core.model.checkpoint_quant import plain_name, text_tensors, unquantized_modules
from vramtuner.core.model.find import find_model
from vramtuner.core.model.weights import StoredTensor

_SCRIPT = Path(__file__).parent.parent / "data" / "make_quantized.py"
# Values of the tiny Llama's quantized layers (64 × 64 twice, 32 × 64 twice, 96 × 64 thrice, in 2 layers), its groups
# of 32 along the input, rows and columns; and what is plain: two tables of 160 × 64 and five norms.
_VALUES, _GROUPS, _ROWS, _COLUMNS = 2 * 30_720, 2 * 960, 2 * 448, 2 * 480
_PLAIN = 2 * (2 * 160 * 64 + 5 * 64)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("quantized")
    subprocess.run([sys.executable, str(_SCRIPT), str(folder)], check=True, timeout=60)
    return folder


def rewrite(folder: Path, changes: dict[str, Any]) -> None:
    """Change facts of a config; ``None`` removes one."""
    path = folder / "config.json"
    config = json.loads(path.read_bytes()) | changes
    path.write_text(json.dumps({name: value for name, value in config.items() if value is not None}))


def copied(folders: Path, name: str, tmp_path: Path) -> Path:
    target = tmp_path / name
    target.mkdir()
    for path in (folders / name).iterdir():
        (target / path.name).write_bytes(path.read_bytes())
    return target


@pytest.mark.parametrize(
    ("name", "method", "dtype", "quantized_bytes"),
    [
        # Half a byte a value; for each group a scale of 2 bytes and a zero of half a byte; an index for each column.
        ("gptq", "gptq", "fp16", _VALUES // 2 + _GROUPS * 5 // 2 + _COLUMNS * 4),
        ("awq", "awq", "fp16", _VALUES // 2 + _GROUPS * 5 // 2),
        # One square of 128 covers each of the 14 small matrices.
        ("fp8", "fp8", "bf16", _VALUES + 14 * 4),
        ("fbgemm_fp8", "fbgemm_fp8", "bf16", _VALUES + _ROWS * 4),
        # Half a byte a value, a scale of 2 bytes a group, a shape of two 64-bit numbers for each of the 14 matrices.
        ("compressed-tensors", "compressed-tensors", "bf16", _VALUES // 2 + _GROUPS * 2 + 14 * 16),
        ("compressed-int8", "compressed-tensors", "bf16", _VALUES + _ROWS * 2),
    ],
)
def test_bytes_are_those_that_the_layout_stores(
    folders: Path, name: str, method: str, dtype: str, quantized_bytes: int
) -> None:
    spec = find_model(str(folders / name))
    assert (spec.quantization, spec.dtype) == (method, dtype)
    assert spec.stored_bytes == _PLAIN + quantized_bytes
    assert spec.unquantized_modules == ("embed_tokens", "lm_head")
    # Packed words are not parameters, and a wrong count would be shown as one.
    assert spec.parameters is None


def test_mxfp4_experts_take_seventeen_bytes_for_thirty_two_values(folders: Path) -> None:
    spec = find_model(str(folders / "mxfp4"))
    values = 2 * 4 * (192 * 64 + 64 * 96)
    attention = 2 * (2 * (64 * 64 + 64) + 2 * (32 * 64 + 32) + 4)
    router, biases = 4 * 64 + 4, 4 * (192 + 64)
    assert spec.stored_bytes == _PLAIN + values * 17 // 32 + 2 * (attention + 2 * router + 2 * biases)
    assert spec.quantization == "mxfp4"
    layer = {f"layers.0.self_attn.{part}_proj" for part in "qkvo"} | {"layers.0.mlp.router"}
    assert layer <= set(spec.unquantized_modules)
    assert not [name for name in spec.unquantized_modules if "experts" in name]


@pytest.mark.parametrize("name", ["gptq", "awq", "fp8", "fbgemm_fp8", "compressed-tensors", "compressed-int8", "mxfp4"])
def test_bytes_are_all_that_the_file_holds_behind_its_header(folders: Path, name: str) -> None:
    path = folders / name / "model.safetensors"
    header = int.from_bytes(path.read_bytes()[:8], "little")
    assert find_model(str(folders / name)).stored_bytes == path.stat().st_size - 8 - header


def test_a_spec_survives_its_way_to_the_probe(folders: Path) -> None:
    spec = find_model(str(folders / "gptq"))
    again = msgspec.json.decode(msgspec.json.encode(spec), type=type(spec))
    assert again == spec
    assert again.config_hash == spec.config_hash


def test_other_files_of_the_same_config_have_a_tape_of_their_own(folders: Path, tmp_path: Path) -> None:
    folder = copied(folders, "gptq", tmp_path)
    before = find_model(str(folder))
    assert before.config_hash == find_model(str(folders / "gptq")).config_hash
    (folder / "model.safetensors").write_bytes((folders / "awq" / "model.safetensors").read_bytes())
    assert find_model(str(folder)).config_hash != before.config_hash


@pytest.mark.parametrize(("removed", "dtype"), [("gptq", "fp16"), ("fp8", "bf16")])
def test_without_a_dtype_in_the_config_the_plain_tensors_tell_it(
    folders: Path, tmp_path: Path, removed: str, dtype: str
) -> None:
    folder = copied(folders, removed, tmp_path)
    rewrite(folder, {"dtype": None})
    assert find_model(str(folder)).dtype == dtype


@pytest.mark.parametrize(
    ("facts", "says"),
    [
        ({"bits": 4}, "names no quant_method"),
        ({"quant_method": 7}, "names no quant_method"),
        ("gptq", "names no quant_method"),
        ([1], "names no quant_method"),
    ],
)
def test_a_config_that_does_not_say_how_is_refused(folders: Path, tmp_path: Path, facts: Any, says: str) -> None:
    folder = copied(folders, "gptq", tmp_path)
    rewrite(folder, {"quantization_config": facts})
    with pytest.raises(BadInputError, match=says):
        find_model(str(folder))


@pytest.mark.parametrize(
    ("facts", "method"),
    [({"load_in_4bit": True}, "bitsandbytes"), ({"quant_method": "new\nmethod"}, "new�method")],
)
def test_the_method_is_named_as_it_may_be_shown(folders: Path, tmp_path: Path, facts: Any, method: str) -> None:
    folder = copied(folders, "gptq", tmp_path)
    rewrite(folder, {"quantization_config": facts})
    assert find_model(str(folder)).quantization == method


def test_the_older_name_of_the_facts_counts_too(folders: Path, tmp_path: Path) -> None:
    folder = copied(folders, "compressed-tensors", tmp_path)
    rewrite(folder, {"quantization_config": None, "compression_config": {"quant_method": "compressed-tensors"}})
    assert find_model(str(folder)).quantization == "compressed-tensors"


@pytest.mark.parametrize("named", ["", "config.json"])
def test_a_config_alone_tells_no_bytes(folders: Path, tmp_path: Path, named: str) -> None:
    folder = copied(folders, "gptq", tmp_path)
    (folder / "model.safetensors").unlink()
    with pytest.raises(BadInputError, match=r"already quantized checkpoint \(gptq\).*model\.safetensors is missing"):
        find_model(str(folder / named))


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (lambda data: data[:-1], "truncated or damaged"),
        (lambda data: (2**62).to_bytes(8, "little") + data[8:], "truncated or damaged"),
        (lambda data: data.replace(b'"I32"', b'"I99"'), "truncated or damaged"),
    ],
)
def test_a_damaged_file_is_refused(folders: Path, tmp_path: Path, damage: Any, says: str) -> None:
    folder = copied(folders, "gptq", tmp_path)
    path = folder / "model.safetensors"
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(BadInputError, match=says):
        find_model(str(folder))


def test_of_a_larger_model_only_the_text_model_is_counted() -> None:
    names = ["model.language_model.layers.0.mlp.up_proj.qweight", "lm_head.weight"]
    others = ["model.visual.blocks.0.mlp.weight", "vision_tower.x.weight", "multi_modal_projector.weight"]
    tensors = [StoredTensor(name, "I32", (2, 2)) for name in (*names, *others)]
    assert [tensor.name for tensor in text_tensors(tensors)] == names


@pytest.mark.parametrize(
    ("tensors", "plain"),
    [
        ([("model.layers.0.fc.weight", "BF16", (4, 4)), ("model.layers.0.fc.bias", "BF16", (4,))], ("layers.0.fc",)),
        ([("model.layers.0.fc.weight", "F8_E4M3", (4, 4))], ()),
        # A 16-bit weight with a scale beside it is still unpacked by its kernel.
        ([("fc.weight", "BF16", (4, 4)), ("fc.weight_scale", "F32", (4, 1))], ()),
        # bitsandbytes keeps its constants below the weight.
        ([("fc.weight", "U8", (8, 1)), ("fc.weight.absmax", "F32", (1,))], ()),
        # Experts of a layer are one module: plain ones, and ones of which another part is packed.
        ([("m.experts.0.w1.weight", "F16", (4, 4)), ("m.experts.1.w1.weight", "F16", (4, 4))], ("m.experts",)),
        ([("m.experts.0.w1.weight", "F16", (4, 4)), ("m.experts.1.w1.qweight", "I32", (4, 4))], ()),
        ([("m.experts.down_proj", "F32", (2, 4, 4)), ("m.experts.down_proj_bias", "F32", (2, 4))], ("m.experts",)),
        ([("m.experts.down_proj", "F8_E4M3", (2, 4, 4)), ("m.experts.down_proj_scale", "F32", (2, 1, 4))], ()),
        ([("norm.weight", "F32", (4,))], ()),
    ],
)
def test_plain_modules_are_told_from_quantized_ones(
    tensors: list[tuple[str, str, tuple[int, ...]]], plain: tuple[str, ...]
) -> None:
    assert unquantized_modules(StoredTensor(*tensor) for tensor in tensors) == plain


@pytest.mark.parametrize(
    ("name", "plain"),
    [("model.layers.0.x", "layers.0.x"), ("model.language_model.layers.0.x", "layers.0.x"), ("lm_head", "lm_head")],
)
def test_wrappers_around_the_layers_do_not_count(name: str, plain: str) -> None:
    assert plain_name(name) == plain
