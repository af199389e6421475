"""Whole requests: the forecast against what the same request really takes on the CPU stand-in."""

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from vramtuner.core.device.find import cpu_device
from vramtuner.core.errors import AppError
from vramtuner.core.forecast import Forecast, forecast, measured_error
from vramtuner.core.model.find import known_model_types, load_preset
from vramtuner.core.model.spec import ModelSpec, spec_from_config
from vramtuner.core.probe.client import Probe
from vramtuner.core.probe.protocol import PassResult
from vramtuner.core.recording import get_tapes
from vramtuner.core.request import phases
from vramtuner.core.settings import Levers
from vramtuner.core.units import GIB
from vramtuner.core.validation import profile_request

pytestmark = pytest.mark.xdist_group("request")

CPU = cpu_device()
_SMALL = {
    "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 3, "num_attention_heads": 4, "vocab_size": 512,
    "num_key_value_heads": 2, "max_position_embeddings": 2048, "pad_token_id": 0, "dtype": "bfloat16",
}  # fmt: skip
LLAMA: dict[str, Any] = {"model_type": "llama", **_SMALL}
SLIDING: dict[str, Any] = {"model_type": "mistral", **_SMALL, "sliding_window": 128}


@pytest.fixture(scope="module")
def probe() -> Iterator[Probe]:
    with closing(Probe()) as made:
        yield made


def spec_of(config: dict[str, Any]) -> ModelSpec:
    return spec_from_config(config, name="small", source="a test", known_types=known_model_types())


def plan_of(config: dict[str, Any], probe: Probe, **levers: Any) -> Forecast:
    spec, chosen = spec_of(config), Levers(**levers)
    return forecast(spec, CPU, chosen, *get_tapes(spec, phases(spec, CPU, chosen), probe))


def errors(plan: Forecast, probe: Probe, lengths: tuple[int, ...]) -> list[float]:
    """Forecast against measurement, as fractions of the part above the weights."""
    results = [event for event in probe.run(profile_request(plan, lengths)) if isinstance(event, PassResult)]
    assert [result.outcome for result in results] == ["ok"] * len(lengths)
    return [measured_error(plan, result.tokens, result.peak_bytes, result.weight_bytes) for result in results]


@pytest.mark.parametrize(
    "levers",
    [
        {"new_tokens": 32},
        {"new_tokens": 150, "attention": "eager"},
        {"new_tokens": 8, "beams": 3},
        {"new_tokens": 8, "batch_size": 2, "logits": "all"},
        {"new_tokens": 8, "kv_cache": "static"},
        {"new_tokens": 8, "kv_cache": "offloaded"},
        {"pass_kind": "autograd"},
        {"pass_kind": "training"},
        {"pass_kind": "training", "checkpointing": True},
    ],
    ids=lambda levers: "-".join(f"{value}" for value in levers.values()),
)
@pytest.mark.parametrize("config", [LLAMA, SLIDING], ids=["full", "sliding"])
def test_a_request_takes_what_the_forecast_says(config: dict[str, Any], levers: dict[str, Any], probe: Probe) -> None:
    plan = plan_of(config, probe, **levers)
    assert errors(plan, probe, (160, 301)) == pytest.approx([0, 0], abs=1e-6)


def test_an_8_bit_cache_takes_what_the_forecast_says(probe: Probe) -> None:
    plan = plan_of(LLAMA, probe, kv_cache="fp8", new_tokens=8)
    assert errors(plan, probe, (160, 301)) == pytest.approx([0, 0], abs=1e-6)
    plain = plan_of(LLAMA, probe, new_tokens=8)
    # One byte a value instead of two; a 4-byte scale a tensor and the layer's own copy are small beside them.
    share = plan.component_bytes(1000)["kv_cache"] / plain.component_bytes(1000)["kv_cache"]
    assert share == pytest.approx(0.5, abs=0.01)


def test_a_cache_that_a_model_cannot_take_is_refused_in_a_line(probe: Probe) -> None:
    with pytest.raises(AppError, match="fp8") as caught:
        plan_of(SLIDING, probe, kv_cache="fp8")
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize("config", [LLAMA, SLIDING], ids=["full", "sliding"])
def test_a_prompt_in_chunks_is_exact_at_whole_chunks_and_never_too_low_between(
    config: dict[str, Any], probe: Probe
) -> None:
    plan = plan_of(config, probe, prefill_chunk=64)
    assert {phase.name for phase in plan.phases} == {"prefill", "prefill_chunk"}
    whole, between = errors(plan, probe, (320, 384)), errors(plan, probe, (200, 350))
    assert whole == pytest.approx([0, 0], abs=1e-6)
    assert all(error >= 0 for error in between)
    # What is too much is at most what one chunk's tokens take.
    per_token = (plan.tensor_bytes(1900) - plan.tensor_bytes(900)) / 1000
    assert all(error * (plan.tensor_bytes(200) - plan.weight_bytes) <= 64 * 2 * per_token + 2**16 for error in between)


@pytest.mark.parametrize("levers", [{"kv_cache": "static"}, {"attention": "eager"}, {"new_tokens": 8}], ids=str)
def test_a_prompt_that_is_one_token_longer_than_a_chunk_takes_no_more_than_the_forecast_says(
    levers: dict[str, Any], probe: Probe
) -> None:
    plan = plan_of(LLAMA, probe, prefill_chunk=64, **levers)
    new = levers.get("new_tokens", 0)
    assert all(error >= 0 for error in errors(plan, probe, (64 + new, 65 + new, 66 + new)))


def test_chunks_make_long_prompts_fit_that_did_not(probe: Probe) -> None:
    whole = plan_of(LLAMA, probe, attention="eager")
    chunked = plan_of(LLAMA, probe, attention="eager", prefill_chunk=64)
    assert chunked.tensor_bytes(1500) < whole.tensor_bytes(1500)
    assert chunked.limit.tokens > whole.limit.tokens


def test_checkpointing_helps_training_and_nothing_else(probe: Probe) -> None:
    def peaks(kind: str) -> tuple[int, int]:
        off, on = (plan_of(LLAMA, probe, pass_kind=kind, checkpointing=given) for given in (False, True))
        return off.tensor_bytes(1000), on.tensor_bytes(1000)

    assert peaks("inference")[0] == peaks("inference")[1]
    assert peaks("autograd")[0] == peaks("autograd")[1]
    assert peaks("training")[0] > 1.5 * peaks("training")[1] - plan_of(LLAMA, probe).weight_bytes
    assert peaks("inference")[0] < peaks("autograd")[0] < peaks("training")[0]


@pytest.mark.parametrize("checkpointing", [False, True])
def test_a_forward_pass_with_autograd_left_on_keeps_every_activation(checkpointing: bool, probe: Probe) -> None:
    # Measured when the product was designed: Llama-2-7B, fp16, 2,048 tokens, evaluation mode: 11.57 GiB either way.
    spec = load_preset("llama-2-7b")

    def above_weights(**levers: Any) -> float:
        chosen = Levers(attention="flash", logits="all", checkpointing=checkpointing, **levers)
        plan = forecast(spec, CPU, chosen, *get_tapes(spec, phases(spec, CPU, chosen), probe))
        return (plan.tensor_bytes(2048) - plan.weight_bytes) / GIB

    assert above_weights(pass_kind="autograd") == pytest.approx(11.57, abs=0.01)
