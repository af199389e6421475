"""Published figures from real GPUs against the forecast; the cases are read from beside the repository."""

import json
from pathlib import Path
from typing import Any

import pytest

from vramtuner.core.model.find import known_model_types, load_preset
from vramtuner.core.model.spec import spec_from_config
from vramtuner.core.probe.recorder import record_tape
from vramtuner.core.settings import TapeKey
from vramtuner.core.tape.envelope import envelope_of
from vramtuner.core.tape.format import Component
from vramtuner.core.tape.store import find_tape
from vramtuner.core.units import GIB

CASES = Path(__file__).resolve().parents[3] / "shared" / "cases" / "measured"
pytestmark = pytest.mark.skipif(not CASES.is_dir(), reason="the published cases are not beside the repository")


def case(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((CASES / f"{name}.json").read_text())
    return found


def point(found: dict[str, Any], quantity: str, **facts: str) -> float:
    (value,) = (
        p["value"] for p in found["points"]
        if p["quantity"] == quantity and all(p.get(name) == fact for name, fact in facts.items())
    )  # fmt: skip
    return float(str(value).replace(",", ""))


def of_a_preset(name: str) -> bool:
    """Whether a log of vLLM is of a model that ships as a preset, on one GPU."""
    found = case(name)
    return "Llama-3.1-8B" in found["model"] and found["setting"].get("tensor_parallel_size", 1) == 1


VLLM = [path.stem for path in sorted(CASES.glob("mem-vllm-*.json")) if of_a_preset(path.stem)]


@pytest.mark.parametrize("name", VLLM)
def test_a_token_in_the_cache_takes_what_vllm_prints(name: str) -> None:
    # Logs of vLLM: "Available KV cache memory" over "GPU KV cache size"; printed to 0.01 GiB.
    found = case(name)
    printed = point(found, "available_kv_cache_per_gpu")
    tokens = point(found, "kv_cache_tokens")
    tape = find_tape(load_preset("llama-3.1-8b"), TapeKey(dtype="bf16", attention="flash"))
    assert tape is not None
    cache = float(envelope_of(tape).component_bytes([tokens])[Component.KV_CACHE, 0])
    # Blocks of 16 tokens: what is left over is less than one.
    assert cache / GIB == pytest.approx(printed, abs=0.005 + 16 * 131_072 / GIB)


def test_octocoder_takes_what_the_transformers_documentation_measured() -> None:
    # torch.cuda.max_memory_allocated of a short prompt and 60 new tokens in bfloat16; the prompt is not printed, and at
    # this size 100 tokens more or less are 0.02 GiB.  Its 8-bit and 4-bit figures are of the bitsandbytes of 2023,
    # which kept other copies of the weights (and 32-bit dequantization by default); they are not comparable.
    found = case("mem-hf-octocoder-bf16")
    sizes = found["arch"]
    config = {
        "model_type": "gpt_bigcode", "vocab_size": sizes["vocab"], "n_positions": 8192, "n_embd": sizes["hidden"],
        "n_layer": sizes["layers"], "n_head": sizes["heads"], "n_inner": sizes["intermediate"], "multi_query": True,
        "activation_function": "gelu_pytorch_tanh", "dtype": "bfloat16", "bos_token_id": 0, "eos_token_id": 0,
    }  # fmt: skip
    spec = spec_from_config(config, name="octocoder", source=found["id"], known_types=known_model_types())
    key = TapeKey(dtype="bf16", attention="flash")
    tape = record_tape(spec, key, check=lambda: None, progress=lambda done: None)
    peak = float(envelope_of(tape).component_bytes([100]).sum()) / GIB
    assert peak == pytest.approx(point(found, "peak_allocated", dtype="bfloat16"), rel=0.003)
