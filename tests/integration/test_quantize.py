"""Quantized weights against real quantized loads: bytes to the byte, and the peaks of passes on the CPU stand-in."""

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec
import pytest
import torch
import transformers
from torch._subclasses.fake_tensor import FakeTensorMode

from vramtuner.core.errors import BadInputError
from vramtuner.core.model.find import find_model, load_preset
from vramtuner.core.model.spec import ModelSpec
from vramtuner.core.probe import checkpoints, models, quantize
from vramtuner.core.probe.meters import CpuMeter
from vramtuner.core.probe.recorder import record_tape
from vramtuner.core.settings import TapeKey, Weights
from vramtuner.core.tape.envelope import envelope_of
from vramtuner.core.tape.format import Component

pytestmark = pytest.mark.filterwarnings("default")
_LAYOUTS = Path(__file__).parent.parent / "data" / "make_quantized.py"
CPU = torch.device("cpu")
_SHAPES: dict[str, Any] = {
    "vocab_size": 300, "hidden_size": 96, "num_hidden_layers": 2, "num_attention_heads": 4, "dtype": "float16",
    "max_position_embeddings": 512,
}  # fmt: skip
_LLAMA = _SHAPES | {"intermediate_size": 160, "num_key_value_heads": 2}
# Odd sizes where a class allows them, so that blocks of 64 and of 256 × 64 values are left half full.
CONFIGS: dict[str, Any] = {
    "llama": transformers.LlamaConfig(**_LLAMA | {"intermediate_size": 162}),
    "tied": transformers.LlamaConfig(**_LLAMA, tie_word_embeddings=True),
    "gpt2": transformers.GPT2Config(
        vocab_size=301, n_embd=96, n_layer=2, n_head=4, n_positions=256, dtype="float32", bos_token_id=0, eos_token_id=0
    ),
    "opt": transformers.OPTConfig(**_SHAPES, ffn_dim=200, word_embed_proj_dim=48),
    "moe": transformers.MixtralConfig(**_LLAMA | {"dtype": "bfloat16"}, num_local_experts=4),
}
WEIGHTS: tuple[Weights, ...] = ("int8", "nf4", "fp4", "nf4-dq", "fp4-dq")


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    models.quieten_libraries()
    folder = tmp_path_factory.mktemp("plain")
    torch.manual_seed(0)
    for name, config in CONFIGS.items():
        model = transformers.AutoModelForCausalLM.from_config(config, dtype=config.dtype)
        model.save_pretrained(folder / name)
    return folder


@pytest.fixture(scope="module")
def layouts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("layouts")
    subprocess.run([sys.executable, str(_LAYOUTS), str(folder)], check=True, timeout=60)
    return folder


def key_for(spec: ModelSpec, weights: Weights = "none", keep: tuple[str, ...] = ()) -> TapeKey:
    return TapeKey(dtype=spec.dtype, attention="eager", weights=weights, keep_modules=keep)


def storage_bytes(tensors: Iterable[torch.Tensor]) -> int:
    storages = (tensor.untyped_storage() for tensor in tensors)
    return sum({storage._cdata: storage.nbytes() for storage in storages}.values())


def peaks(model: Any, meter: CpuMeter, lengths: tuple[int, ...]) -> list[int]:
    """Bytes above what lives already, at the highest point of a pass of each length."""
    found = []
    for tokens in lengths:
        meter.lap()
        before = meter.lap()
        with torch.no_grad(), meter.watch():
            out = model(input_ids=torch.zeros(1, tokens, dtype=torch.long), use_cache=True)
            del out
        found.append(meter.peak - before)
    return found


def recorded(spec: ModelSpec, key: TapeKey, lengths: tuple[int, ...]) -> tuple[int, list[int], int | None]:
    """Weights and peaks under fake tensors, made as a tape is, and the bytes that replace the weights."""
    meter = CpuMeter(2**50)
    with FakeTensorMode(allow_non_fake_inputs=True), torch.no_grad():
        with meter.watch():
            model = models.build_model(spec, key)
            stored = checkpoints.quantize_model(model, spec, key)
        meter.lap()
        weights = meter.lap()
        return weights, peaks(model, meter, lengths), stored


def measured(spec: ModelSpec, key: TapeKey, lengths: tuple[int, ...]) -> tuple[int, list[int]]:
    model, meter = models.load_model(spec, key, CPU), CpuMeter(2**50)
    with torch.no_grad():
        model(input_ids=torch.zeros(1, 4, dtype=torch.long))
    weights = meter.adopt(models.weight_tensors(model))
    meter.lap()
    return weights, peaks(model, meter, lengths)


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("name", list(CONFIGS))
def test_weights_are_those_of_a_real_load_to_the_byte(folders: Path, name: str, weights: Weights) -> None:
    spec = find_model(str(folders / name))
    key = key_for(spec, weights)
    loaded = models.load_model(spec, key, CPU)
    assert recorded(spec, key, ())[0] == storage_bytes(models.weight_tensors(loaded))


@pytest.mark.parametrize("weights", ["int8", "nf4", "nf4-dq"])
@pytest.mark.parametrize(
    ("name", "keep"),
    [("llama", ("o_proj", "up_proj")), ("moe", ("layers.0.self_attn",)), ("tied", ("lm_head", "k_proj"))],
)
def test_modules_that_are_kept_are_those_of_a_real_load(
    folders: Path, name: str, keep: tuple[str, ...], weights: Weights
) -> None:
    spec = find_model(str(folders / name))
    loaded = models.load_model(spec, key_for(spec, weights, keep), CPU)
    with_them = recorded(spec, key_for(spec, weights, keep), ())[0]
    assert with_them == storage_bytes(models.weight_tensors(loaded))
    assert with_them != recorded(spec, key_for(spec, weights), ())[0]


def test_naming_modules_to_keep_gives_up_the_output_layer(folders: Path) -> None:
    """llm_int8_skip_modules stands in the place of transformers' own choice; what loads tells."""
    spec = find_model(str(folders / "llama"))
    loaded = models.load_model(spec, key_for(spec, "int8", ("o_proj",)), CPU)
    assert type(loaded.lm_head).__name__ == "Linear8bitLt"
    assert type(loaded.model.layers[0].self_attn.o_proj).__name__ == "Linear"


@pytest.mark.parametrize("weights", ["int8", "nf4-dq"])
def test_an_output_layer_that_shares_its_weight_must_be_kept(folders: Path, weights: Weights) -> None:
    spec = find_model(str(folders / "tied"))
    key = key_for(spec, weights, ("o_proj",))
    with pytest.raises(BadInputError, match="name lm_head among them"):
        recorded(spec, key, ())
    with pytest.raises(BadInputError, match="name lm_head among them"):
        models.load_model(spec, key, CPU)


def test_the_statistics_of_8_bit_layers_are_counted_before_and_after_a_pass(folders: Path) -> None:
    spec = find_model(str(folders / "llama"))
    model = models.load_model(spec, key_for(spec, "int8"), CPU)
    before = storage_bytes(models.weight_tensors(model))
    with torch.no_grad():
        model(input_ids=torch.zeros(1, 4, dtype=torch.long))
    assert storage_bytes(models.weight_tensors(model)) == before


@pytest.mark.parametrize("weights", ["int8", "nf4", "nf4-dq"])
@pytest.mark.parametrize("name", ["llama", "gpt2", "opt"])
def test_peaks_are_those_of_real_passes(folders: Path, name: str, weights: Weights) -> None:
    # At 33 tokens a layer's own workspace is the peak, at 200 attention is.
    spec = find_model(str(folders / name))
    real_weights, real = measured(spec, key_for(spec, weights), (33, 200))
    fake_weights, fake = recorded(spec, key_for(spec, weights), (33, 200))[:2]
    assert fake_weights == real_weights
    if weights != "int8":
        assert fake == real
    for there, here in zip(fake, real, strict=True):
        # The columns of outliers are an assumed bound; random weights have none.
        assert here <= there <= here * 1.01


def test_double_quantization_holds_the_constants_twice_while_it_unpacks() -> None:
    """On a GPU the constants without and with their offset live until the product is done (4 bytes each a block)."""
    spec = load_preset("gpt2")
    key = key_for(spec, "nf4")
    plain, double = recorded(spec, key, (2,))[1][0], recorded(spec, key_for(spec, "nf4-dq"), (2,))[1][0]
    assert double - plain == 2 * 4 * (4 * 768 * 768 // 64)


@pytest.mark.parametrize("compute", ["float16", "float32"])
@pytest.mark.parametrize("weights", ["int8", "nf4", "nf4-dq"])
def test_a_bitsandbytes_checkpoint_runs_as_it_is(folders: Path, tmp_path: Path, weights: Weights, compute: str) -> None:
    plain = find_model(str(folders / "llama"))
    facts = models._quantization(key_for(plain, weights))
    facts.bnb_4bit_compute_dtype = getattr(torch, compute)
    transformers.AutoModelForCausalLM.from_pretrained(
        plain.folder, dtype=torch.float16, quantization_config=facts, device_map={"": "cpu"}
    ).save_pretrained(tmp_path)
    spec = find_model(str(tmp_path))
    assert (spec.quantization, spec.dtype) == ("bitsandbytes", "fp16")
    real_weights, real = measured(spec, key_for(spec), (33, 200))
    fake_weights, fake, stored = recorded(spec, key_for(spec), (33, 200))
    assert fake_weights == real_weights
    assert real == pytest.approx(fake, rel=0.01 if weights == "int8" else 0)
    # Beside what is loaded, files hold a description of each layer, and not what is computed of the config.
    assert stored is not None
    assert 0 <= stored - real_weights <= 14 * 256


@pytest.mark.parametrize("name", ["gptq", "awq", "fp8", "fbgemm_fp8", "compressed-tensors", "compressed-int8"])
def test_weights_of_a_checkpoint_are_the_bytes_of_its_file(layouts: Path, name: str) -> None:
    spec = find_model(str(layouts / name))
    path = layouts / name / "model.safetensors"
    in_file = path.stat().st_size - 8 - int.from_bytes(path.read_bytes()[:8], "little")
    # No file holds the rotary frequencies: two buffers of 4 bytes for each half of a head's 16 columns.
    assert recorded(spec, key_for(spec), ())[2] == in_file + 2 * 4 * 8


@pytest.mark.parametrize(
    ("name", "scratch"),
    [
        # The largest layer, 96 × 64 in 16 bits.
        ("gptq", 96 * 64 * 2),
        ("compressed-tensors", 96 * 64 * 2),
        # One expert's larger matrix.
        ("mxfp4", 192 * 64 * 2),
    ],
)
def test_a_quantized_layer_is_unpacked_while_it_runs(layouts: Path, name: str, scratch: int) -> None:
    spec = find_model(str(layouts / name))
    same = msgspec.structs.replace(spec, quantization=None)
    with_it, without = recorded(spec, key_for(spec), (2,))[1][0], recorded(same, key_for(spec), (2,))[1][0]
    # The peak moves from attention or logits to a layer, whose other storages are a few rows.
    assert with_it == pytest.approx(without + scratch, abs=2_000)
    assert with_it >= scratch


@pytest.mark.parametrize("name", ["fp8", "fbgemm_fp8"])
def test_kernels_of_8_bits_copy_their_input(layouts: Path, name: str) -> None:
    weights_only, both = (find_model(str(layouts / each)) for each in ("compressed-tensors", name))
    # Two rows of the 64 columns that the MLP's second layer takes, a byte each, and a scale of 4 bytes a row.
    difference = recorded(both, key_for(both), (2,))[1][0] - recorded(weights_only, key_for(weights_only), (2,))[1][0]
    assert difference == 2 * (64 + 4)


def test_inputs_that_are_rounded_to_a_grid_are_counted_twice_in_their_own_type(layouts: Path) -> None:
    weights_only, both = (find_model(str(layouts / each)) for each in ("compressed-tensors", "compressed-int8"))
    difference = recorded(both, key_for(both), (2,))[1][0] - recorded(weights_only, key_for(weights_only), (2,))[1][0]
    # From the layer that peaks without, to the one that takes most with them: 64 to 96 columns, twice, 2 bytes each.
    assert 2 * 2 * 2 * 64 <= difference <= 2 * 2 * 2 * 96


@pytest.mark.parametrize("name", ["gptq", "mxfp4"])
def test_a_quantized_checkpoint_is_not_quantized_again(layouts: Path, name: str) -> None:
    spec = find_model(str(layouts / name))
    with pytest.raises(BadInputError, match=r"already quantized .* weights none"):
        recorded(spec, key_for(spec, "nf4"), ())
    with pytest.raises(BadInputError, match=r"already quantized .* weights none"):
        models.load_model(spec, key_for(spec, "nf4"), CPU)


@pytest.mark.parametrize(
    ("name", "library"), [("gptq", "gptqmodel"), ("awq", "gptqmodel"), ("compressed-tensors", "compressed_tensors")]
)
def test_passes_name_the_library_they_need(layouts: Path, name: str, library: str) -> None:
    spec = find_model(str(layouts / name))
    with pytest.raises(BadInputError, match=f"need the library {library}.*its forecast works"):
        models.load_model(spec, key_for(spec), CPU)


def test_methods_that_a_cpu_would_unpack_run_no_passes_there(layouts: Path) -> None:
    spec = find_model(str(layouts / "fp8"))
    with pytest.raises(BadInputError, match="passes of fp8 need"):
        models.load_model(spec, key_for(spec), CPU)


def test_notes_say_what_is_assumed(layouts: Path) -> None:
    spec = find_model(str(layouts / "mxfp4"))
    text = " ".join(checkpoints.notes(spec, key_for(spec)))
    assert "bytes of the checkpoint's files" in text
    assert "experts are assumed to stay packed" in text
    plain = load_preset("gpt2")
    assert checkpoints.notes(plain, key_for(plain, "int8")) == [quantize.OUTLIER_NOTE]
    assert checkpoints.notes(plain, key_for(plain, "nf4-dq")) == []


def test_the_tape_of_a_quantized_checkpoint_has_the_weights_of_its_files(layouts: Path) -> None:
    for folder in sorted(layouts.iterdir()):
        spec = find_model(str(folder))
        tape = record_tape(spec, key_for(spec), check=lambda: None, progress=lambda done: None)
        weights = int(envelope_of(tape).component_bytes([100])[Component.WEIGHTS, 0])
        assert spec.stored_bytes is not None
        # Beside the files there are rotary frequencies alone: 8 of 4 bytes, and gpt-oss keeps the original ones too.
        assert 0 <= weights - spec.stored_bytes <= 64, folder.name
        assert any("bytes of the checkpoint's files" in note for note in tape.notes)
