"""Advice: every change raises the limit, by as much as it says."""

from typing import Any

import msgspec
import pytest

from vramtuner.core.advice import advise
from vramtuner.core.device.find import find_device
from vramtuner.core.device.spec import Device
from vramtuner.core.forecast import Forecast, forecast
from vramtuner.core.model.find import load_preset
from vramtuner.core.recording import find_tapes
from vramtuner.core.request import phases, tape_key
from vramtuner.core.settings import Levers
from vramtuner.core.tape.store import find_tape
from vramtuner.core.units import GIB

CPU = Device(key="cpu", name="CPU stand-in", kind="cpu", vram_bytes=64 * GIB, source="a test")


def forecast_of(preset: str, device: Device, **levers: Any) -> Forecast:
    spec, chosen = load_preset(preset), Levers(**levers)
    tape = find_tape(spec, tape_key(spec, device, chosen))
    assert tape is not None
    return forecast(spec, device, chosen, tape)


CASES: list[tuple[str, str, dict[str, Any]]] = [
    ("llama-2-7b", "w7800", {}),
    ("llama-2-7b", "w6800", {"attention": "eager", "pool_bytes": 18 * GIB}),
    ("llama-2-13b", "w6600", {}),
    ("gpt2", "w6600", {}),
    ("qwen3-8b", "mi210", {"weights": "int8"}),
    ("mistral-7b", "cpu", {"attention": "math"}),
]


@pytest.fixture(params=CASES, ids=lambda case: f"{case[0]}-{case[1]}")
def current(request: pytest.FixtureRequest) -> Forecast:
    preset, device, levers = request.param
    return forecast_of(preset, CPU if device == "cpu" else find_device(device), **levers)


def names(current: Forecast) -> list[str]:
    return [advice.change for advice in advise(current)]


def test_every_change_gives_the_limit_it_promises_best_first(current: Forecast) -> None:
    found = advise(current)
    for advice in found:
        tapes = find_tapes(current.spec, phases(current.spec, current.device, advice.levers))
        assert tapes is not None
        limit = forecast(current.spec, current.device, advice.levers, *tapes).limit.tokens
        assert limit == advice.limit_tokens > current.limit.tokens
    assert [advice.limit_tokens for advice in found] == sorted((a.limit_tokens for a in found), reverse=True)


def test_every_change_is_of_one_lever(current: Forecast) -> None:
    before = msgspec.structs.asdict(current.levers)
    for advice in advise(current):
        after = msgspec.structs.asdict(advice.levers)
        assert sum(after[name] != before[name] for name in before) == 1
        assert "checkpointing" not in advice.change


def test_quantization_brings_a_13b_model_onto_a_card_that_it_does_not_fit() -> None:
    # 24.2 GiB of weights in fp16 on a card of 16 GiB.
    current = forecast_of("llama-2-13b", find_device("rx6800"))
    assert current.limit.tokens == 0
    # Scales of scales take less again.
    assert names(current)[:2] == ["weights nf4-dq", "weights nf4"]


def test_a_kernel_that_the_device_does_not_have_is_never_advised() -> None:
    current = forecast_of("llama-2-7b", find_device("w6800"), attention="eager")
    for advice in advise(current):
        assert advice.levers.attention in ("eager", "auto")
        assert tape_key(current.spec, current.device, advice.levers).attention != "flash"


def test_the_fused_kernel_is_advised_where_the_device_has_it() -> None:
    assert "attention auto" in names(forecast_of("llama-2-7b", find_device("w7800"), attention="eager"))


def test_the_largest_pool_is_advised_unless_it_is_taken() -> None:
    card = find_device("w7800")
    assert "largest pool" in names(forecast_of("llama-2-7b", card))
    assert "largest pool" not in names(forecast_of("llama-2-7b", card, pool_bytes=31 * GIB))


def test_nothing_helps_a_model_that_is_out_of_positions() -> None:
    assert advise(forecast_of("gpt2", find_device("mi210"))) == ()


def test_chunks_and_caches_are_advised_where_their_tapes_are_at_hand() -> None:
    found = names(forecast_of("phi-2", find_device("w6800"), attention="math"))
    assert {"prefill chunk 512", "KV cache offloaded", "KV cache fp8"} <= set(found)
    assert found[0] != "batch 1"


def test_a_sliding_model_is_not_advised_a_cache_that_it_cannot_take() -> None:
    assert "KV cache fp8" not in names(forecast_of("mistral-7b", find_device("w6800")))


def test_expandable_segments_are_advised_on_a_gpu_alone() -> None:
    def advised(device: Device) -> bool:
        return any("expandable" in change for change in names(forecast_of("phi-2", device)))

    assert advised(find_device("w6600"))
    assert not advised(CPU)
