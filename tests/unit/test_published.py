"""Figures that others published of real GPUs, against the shipped tapes and the arithmetic that they imply.

The figures are read from ``../shared/cases/measured``, which names the source of each, and are not kept here; without
that folder the tests are skipped.  Where a figure says something else than the forecast, the test says why.
"""

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from vramtuner.core.deploy.vllm import tape_levers, vllm_plan
from vramtuner.core.device.spec import Device
from vramtuner.core.forecast import forecast
from vramtuner.core.model.find import load_preset
from vramtuner.core.recording import find_tapes
from vramtuner.core.request import phases
from vramtuner.core.settings import Dtype, Levers, TapeKey
from vramtuner.core.tape.envelope import envelope_of
from vramtuner.core.tape.format import Component, Tape
from vramtuner.core.tape.store import find_tape

ROOT = Path(__file__).resolve().parents[2]
CASES = ROOT.parent / "shared" / "cases" / "measured"
KIB, MIB, GIB = 2**10, 2**20, 2**30
# Hopper's cuBLAS workspace, which PyTorch takes from its own allocator (CublasHandlePool.cpp: 4096 * 8 KiB).
HOPPER_WORKSPACE = 32 * MIB


def case_of(name: str) -> dict[str, Any]:
    path = CASES / f"{name}.json"
    if not path.exists():
        pytest.skip("no published figures here: ../shared/cases/measured is not beside the repository")
    return dict(json.loads(path.read_text()))


def value_of(case: dict[str, Any], quantity: str, **wanted: str) -> str:
    """A figure as it is printed."""
    return next(
        str(point["value"])
        for point in case["points"]
        if point["quantity"] == quantity and all(point.get(key) == value for key, value in wanted.items())
    )


def tape_of(preset: str, dtype: Dtype) -> Tape:
    tape = find_tape(load_preset(preset), TapeKey(dtype=dtype, attention="flash"))
    assert tape is not None
    return tape


def weight_bytes(tape: Tape) -> float:
    regime = tape.regimes[0]
    return sum(a for a, code in zip(regime.a, regime.component, strict=True) if code == Component.WEIGHTS)


def cache_bytes_a_token(tape: Tape) -> float:
    regime = tape.regimes[0]
    return sum(b for b, code in zip(regime.b, regime.component, strict=True) if code == Component.KV_CACHE)


def load_bench(name: str) -> ModuleType:
    path = ROOT / "tests" / "bench" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"bench_{name}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("number", ["010", "023", "033", "037", "045"])
def test_cache_of_llama_3_1_8b_is_what_vllm_prints(number: str) -> None:
    """vLLM prints GiB to two decimals and tokens in whole blocks of 16; a rank keeps its share of the KV heads."""
    case = case_of(f"mem-vllm-{number}")
    ranks = case["setting"]["tensor_parallel_size"]
    available = float(value_of(case, "available_kv_cache_per_gpu"))
    tokens = int(value_of(case, "kv_cache_tokens").replace(",", ""))
    a_token = cache_bytes_a_token(tape_of("llama-3.1-8b", "bf16")) / ranks
    least, most = ((available + half) * GIB / a_token for half in (-0.005, 0.005))
    assert least - 16 <= tokens <= most


def test_cache_of_qwen3_8b_is_what_vllm_prints() -> None:
    """14.49 GiB on each of four GPUs hold 6.44 requests of 65,536 tokens."""
    case = case_of("mem-vllmh-qwen3-8b-tp4")
    ranks, length = case["setting"]["tensor_parallel_size"], case["setting"]["max_model_len"]
    a_token = cache_bytes_a_token(tape_of("qwen3-8b", "fp16")) / ranks
    requests = float(value_of(case, "kv_available")) * GIB / a_token / length
    assert requests == pytest.approx(float(value_of(case, "max_concurrency")), abs=0.005)


@pytest.mark.parametrize(
    ("number", "total", "ratio"),
    # The last column is what the method's sentence says; total is what torch finds on such a card. [GiB]
    [("023", 31.86, 1.158), ("033", 23.52, 0.846), ("037", 31.36, 0.930), ("045", 31.49, 0.929)],
)
def test_vllm_makes_about_as_much_cache_as_is_forecast(number: str, total: float, ratio: float) -> None:
    """One Radeon (R9700) and three others; vLLM took 0.4 to 3.5 GiB beside weights and cache, the forecast says 1.5."""
    case, spec = case_of(f"mem-vllm-{number}"), load_preset("llama-3.1-8b")
    setting = case["setting"]
    share = setting["gpu_memory_utilization"]
    room = Device(key="x", name="a card", kind="catalogue", vram_bytes=int(total * GIB) + GIB, source="a test")
    levers = Levers(
        pool_bytes=int(total * share * GIB),
        token_cap=setting["max_model_len"],
        batch_size=setting["max_num_seqs"],
        prefill_chunk=int(setting["max_num_batched_tokens"]),
    )
    chosen = tape_levers(levers)
    tapes = find_tapes(spec, phases(spec, room, chosen))
    assert tapes is not None
    found = vllm_plan(forecast(spec, room, chosen, *tapes), tapes[0], levers)
    printed = float(value_of(case, "available_kv_cache_per_gpu")) * GIB
    assert found.cache / printed == pytest.approx(ratio, abs=0.005)


@pytest.mark.parametrize("name", ["mem-vllm-033", "mem-vllm-037", "mem-vllm-045", "mem-vllmh-llama-8b-79g"])
def test_weights_of_llama_3_1_8b_are_within_a_quarter_per_cent_of_what_vllm_prints(name: str) -> None:
    """vLLM prints what loading took from the allocator, a rotary table of the whole position range included."""
    case = case_of(name)
    quantity = "weights" if name.startswith("mem-vllmh") else "model_weights_per_gpu"
    printed = float(value_of(case, quantity)) * GIB
    assert 0 <= printed - weight_bytes(tape_of("llama-3.1-8b", "bf16")) <= 0.0025 * printed


def test_cache_of_llama_2_7b_is_the_blogs_5_gb_for_10_000_tokens() -> None:
    case = case_of("mem-hf-kvquant-limits")
    stated = float(value_of(case, "kv_estimate_10000_tokens"))
    assert 10_000 * cache_bytes_a_token(tape_of("llama-2-7b", "fp16")) / GIB == pytest.approx(stated, rel=0.05)


def test_octocoder_takes_its_parameters_its_mask_and_little_more() -> None:
    """The class of that time kept a causal mask of 8,192 x 8,192 bytes, 64 MiB; what is left is below 0.3 %.

    That rest is a cache of some 80 tokens, one step's tensors, cuBLAS's 8 MiB, and blocks of up to 1 MiB more than the
    40 matrices of 75 MiB in them.
    """
    case = case_of("mem-hf-octocoder-bf16")
    printed = float(value_of(case, "peak_allocated", dtype="bfloat16")) * GIB
    rest = printed - 2 * case["arch"]["n_params"] - 8192 * 8192
    matrices_in_blocks, workspace = 40 * MIB, (2 * 4096 + 8 * 16) * KIB
    assert 0 <= rest <= 0.003 * printed
    assert 0 <= rest - matrices_in_blocks - workspace <= 0.001 * printed


def test_gpt2_on_an_instinct_takes_its_weights_its_masks_and_little_more() -> None:
    """max_allocated of a prefill in float32 on ROCm; MB are 10^6 there.

    The class of transformers 4.42 kept a mask of 1,024 x 1,024 bytes in each of 12 layers; today's has none.
    """
    case = case_of("mem-optimum-rocm-gpt2")
    allocated = float(value_of(case, "max_allocated")) * 1e6
    masks = 12 * 1024 * 1024
    rest = allocated - weight_bytes(tape_of("gpt2", "fp32")) - masks
    assert 0 <= rest <= 0.01 * allocated


def test_reserved_on_an_instinct_is_more_than_allocated() -> None:
    """The allocator's segments, and the driver's context beside them, are never less than the tensors."""
    case = case_of("mem-optimum-rocm-gpt2")
    allocated, reserved, used = (
        float(value_of(case, quantity)) for quantity in ("max_allocated", "max_reserved", "max_global_vram")
    )
    assert allocated < reserved < used


def qwen3_rows() -> list[tuple[int, float]]:
    case = case_of("mem-qwen3-8b")
    return [
        (point["input_tokens"], float(point["value"]) * MIB)
        for point in case["points"]
        if point["quantization"] == "BF16"
    ]


def test_qwen3_table_prints_weights_and_cache_at_the_end_of_a_request() -> None:
    """All four rows of the 8B, to 0.05 %: weights, cache of prompt and new tokens but the last, cuBLAS's workspace."""
    tape = tape_of("qwen3-8b", "bf16")
    for prompt, printed in qwen3_rows():
        end = weight_bytes(tape) + (prompt + 2047) * cache_bytes_a_token(tape) + HOPPER_WORKSPACE
        assert end == pytest.approx(printed, rel=0.0005)


def test_qwen3_table_does_not_print_the_peak_of_a_whole_prefill() -> None:
    """The rows say "peak" and are below one: MLP activations of 30,720 tokens alone are over 2 GiB.

    The recording is right: three tensors of tokens x 12,288 in bfloat16 are alive in the MLP, and the Qwen2.5
    table, whose script prints PyTorch's own peak, has them.
    """
    prompt, printed = max(qwen3_rows())
    peak = float(envelope_of(tape_of("qwen3-8b", "bf16")).component_bytes([prompt]).sum())
    assert peak > printed + 3 * prompt * 12_288 * 2


@pytest.mark.parametrize("name", json.loads((ROOT / "tests" / "bench" / "published_models.json").read_text()))
def test_sizes_of_the_published_models_give_their_published_parameters(name: str) -> None:
    model = json.loads((ROOT / "tests" / "bench" / "published_models.json").read_text())[name]
    config, arch = model["config"], case_of(name)["arch"]
    sizes = {
        "layers": "num_hidden_layers", "hidden": "hidden_size", "heads": "num_attention_heads",
        "kv_heads": "num_key_value_heads", "intermediate": "intermediate_size", "vocab": "vocab_size",
    }  # fmt: skip
    assert {key: config[field] for key, field in sizes.items()} == {key: arch[key] for key in sizes}
    assert model["parameters"] == parameters_of(config)
    assert arch.get("n_params", model["parameters"]) == model["parameters"]


def parameters_of(config: dict[str, Any]) -> int:
    """Parameters of a Qwen2 or Qwen3 of these sizes: the first has biases of q, k and v, the second norms of q, k."""
    hidden, layers, width = config["hidden_size"], config["num_hidden_layers"], config["intermediate_size"]
    head = config.get("head_dim") or hidden // config["num_attention_heads"]
    queries, keys = config["num_attention_heads"] * head, config["num_key_value_heads"] * head
    extra = queries + 2 * keys if config["model_type"] == "qwen2" else 2 * head
    layer = hidden * (2 * queries + 2 * keys) + extra + 3 * hidden * width + 2 * hidden
    embeddings = config["vocab_size"] * hidden * (1 if config["tie_word_embeddings"] else 2)
    return int(embeddings + layers * layer + hidden)


def test_a_request_in_blocks_ends_as_the_qwen3_table_prints() -> None:
    """The benchmark's replay of a request, on the shortest prompt of the 8B: weights, cache, workspace in blocks."""
    published = load_bench("published")
    tape = tape_of("qwen3-8b", "bf16")
    prompt, printed = min(qwen3_rows())
    found = published.in_blocks(tape, prompt, HOPPER_WORKSPACE)
    assert found.allocated_end == pytest.approx(printed, rel=0.0005)
    assert found.allocated_end <= found.allocated_peak <= found.reserved_peak
    assert found.allocated_end >= weight_bytes(tape) + (prompt + 2047) * cache_bytes_a_token(tape) + HOPPER_WORKSPACE
