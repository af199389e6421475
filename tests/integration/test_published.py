"""A published figure that needs a recording of its own; the cases are read from beside the repository."""

import json
from pathlib import Path
from typing import Any

import pytest

from vramtuner.core.model.find import known_model_types
from vramtuner.core.model.spec import spec_from_config
from vramtuner.core.probe.recorder import record_tape
from vramtuner.core.settings import TapeKey
from vramtuner.core.tape.envelope import envelope_of
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
