"""Caches that keep keys and values in 8 and 4 bits: forecast, real passes with hqq, and its steps spelled out."""

import os
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import torch

from vramtuner.core.device.find import cpu_device
from vramtuner.core.errors import AppError
from vramtuner.core.forecast import Forecast, forecast, measured_error
from vramtuner.core.model.find import known_model_types
from vramtuner.core.model.spec import spec_from_config
from vramtuner.core.probe import caches
from vramtuner.core.probe.client import Probe
from vramtuner.core.probe.meters import CpuMeter
from vramtuner.core.probe.protocol import PassResult
from vramtuner.core.recording import get_tapes
from vramtuner.core.request import phases
from vramtuner.core.settings import Levers
from vramtuner.core.validation import profile_request

pytestmark = pytest.mark.xdist_group("kv_cache")

CPU = cpu_device()
# 128 keys a token and layer: two groups of 64.
LLAMA: dict[str, Any] = {
    "model_type": "llama", "hidden_size": 256, "intermediate_size": 384, "num_hidden_layers": 3, "vocab_size": 512,
    "num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 2048, "pad_token_id": 0,
    "dtype": "bfloat16",
}  # fmt: skip
# 32 layers of 32 heads of 128, fp16: https://huggingface.co/blog/kv-cache-quantization
LLAMA_2_7B: dict[str, Any] = {
    "model_type": "llama", "hidden_size": 4096, "intermediate_size": 11008, "num_hidden_layers": 32,
    "num_attention_heads": 32, "num_key_value_heads": 32, "vocab_size": 32000, "max_position_embeddings": 4096,
    "dtype": "float16",
}  # fmt: skip
# One value of the measurement, the error that hqq's loop starts with, is kept in 2 bytes and not in 4.
EXACT = 1e-5


@pytest.fixture(scope="module")
def probe() -> Iterator[Probe]:
    with closing(Probe()) as made:
        yield made


def plan_of(probe: Probe, config: dict[str, Any] = LLAMA, **levers: Any) -> Forecast:
    spec = spec_from_config(config, name="small", source="a test", known_types=known_model_types())
    chosen = Levers(**levers)
    return forecast(spec, CPU, chosen, *get_tapes(spec, phases(spec, CPU, chosen), probe))


def errors(plan: Forecast, probe: Probe, lengths: tuple[int, ...]) -> list[float]:
    """Forecast against measurement, as fractions of the part above the weights."""
    results = [event for event in probe.run(profile_request(plan, lengths)) if isinstance(event, PassResult)]
    assert [result.outcome for result in results] == ["ok"] * len(lengths)
    return [measured_error(plan, result.tokens, result.peak_bytes, result.weight_bytes) for result in results]


@pytest.mark.parametrize("bits", [8, 4])
@pytest.mark.parametrize(
    ("levers", "lengths"),
    [
        ({}, (160, 301, 700)),
        ({"dtype": "fp16", "batch_size": 2, "logits": "all"}, (301,)),
        ({"dtype": "fp32"}, (301,)),
        ({"attention": "eager", "new_tokens": 8}, (160, 301)),
        ({"prefill_chunk": 64}, (320, 576)),
        ({"prefill_chunk": 200}, (400, 600)),
    ],
    ids=str,
)
def test_a_prompt_takes_what_the_forecast_says(
    levers: dict[str, Any], lengths: tuple[int, ...], bits: int, probe: Probe
) -> None:
    plan = plan_of(probe, kv_cache=f"int{bits}", **levers)
    assert errors(plan, probe, lengths) == pytest.approx([0] * len(lengths), abs=EXACT)


@pytest.mark.parametrize(
    ("levers", "lengths"),
    [
        ({"kv_cache": "int4", "new_tokens": 256}, (301, 400)),
        ({"kv_cache": "int8", "new_tokens": 256}, (301,)),
        ({"kv_cache": "int4", "new_tokens": 128, "beams": 3}, (200,)),
    ],
    ids=str,
)
def test_the_step_that_quantizes_everything_anew_takes_what_the_forecast_says(
    levers: dict[str, Any], lengths: tuple[int, ...], probe: Probe
) -> None:
    plan = plan_of(probe, **levers)
    assert {plan.phase_at(tokens) for tokens in lengths} == {"decode"}
    assert errors(plan, probe, lengths) == pytest.approx([0] * len(lengths), abs=EXACT)


@pytest.mark.parametrize(
    ("levers", "lengths"),
    [({"new_tokens": 150}, (200, 301)), ({"new_tokens": 8}, (160,)), ({"prefill_chunk": 50}, (300, 425))],
    ids=str,
)
def test_requests_that_end_between_two_such_steps_take_no_more_than_the_forecast_says(
    levers: dict[str, Any], lengths: tuple[int, ...], probe: Probe
) -> None:
    plan = plan_of(probe, kv_cache="int4", **levers)
    found = errors(plan, probe, lengths)
    assert all(error >= -EXACT for error in found)
    # What is too much is at most the residual's tokens, and one pass more of them.
    per_token = (plan.tensor_bytes(1900) - plan.tensor_bytes(900)) / 1000
    most = (caches.RESIDUAL_TOKENS + 50) * per_token
    for tokens, error in zip(lengths, found, strict=True):
        above = plan.tensor_bytes(tokens) - plan.weight_bytes
        assert above - above / (1 + error) <= most


@pytest.mark.parametrize("bits", [8, 4])
def test_a_value_takes_its_bits_and_its_share_of_scale_and_zero(bits: int, probe: Probe) -> None:
    # The peak of a wide layer comes after attention, when the keys and values of all layers are there.
    wide = {**LLAMA, "intermediate_size": 2048}
    quantized, plain = plan_of(probe, wide, kv_cache=f"int{bits}"), plan_of(probe, wide)
    share = quantized.component_bytes(1500)["kv_cache"] / plain.component_bytes(1500)["kv_cache"]
    # Two values of 16 bits for every 64.
    assert share == pytest.approx((bits + 2 * 16 / 64) / 16, abs=0.01)


def test_a_published_context_fits_in_4_bits_and_not_in_16(probe: Probe) -> None:
    # Up to 128k tokens on an A100 of 80 GB, where 16 bits reached 40k, and 10,000 tokens took about 5 GB.
    plan = plan_of(probe, LLAMA_2_7B, kv_cache="int4")
    assert plan.tensor_bytes(128_000) < 80e9
    assert plan.component_bytes(10_000)["kv_cache"] * 16 / 4.5 == pytest.approx(5e9, rel=0.06)
    in_16_bits = 128_000 * 32 * 2 * 4096 * 2
    assert plan.weight_bytes + in_16_bits > 80e9


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32], ids=str)
@pytest.mark.parametrize("bits", [8, 4])
def test_the_steps_hold_what_the_library_holds(bits: int, dtype: torch.dtype) -> None:
    """Peak and remainder of one tensor, quantized and restored, on its own: nothing else can hide a difference."""
    keys = torch.randn(2, 4, 301, 64, dtype=dtype)
    options = {"nbits": bits, "axis_key": 1, "axis_value": 1}
    library, spelled_out = caches._HqqLayer(**options), caches._RecordedLayer(**options)
    found = []
    for layer in (library, spelled_out):
        layer.lazy_initialization(keys, keys)
        layer._quantize(keys, axis=1)  # what the library keeps from its first call on is not counted
        quantized, peak, held = _watched(lambda layer=layer: layer._quantize(keys, axis=1))  # type: ignore[misc]
        restored, peak_back, held_back = _watched(lambda q=quantized, layer=layer: layer._dequantize(q))  # type: ignore[misc]
        assert restored.shape == keys.shape
        found.append((peak, held, peak_back, held_back))
    assert found[1] == pytest.approx(found[0], abs=4)


@pytest.mark.parametrize("bits", [8, 4])
def test_the_steps_restore_what_the_library_restores(bits: int) -> None:
    keys = torch.randn(1, 2, 77, 64, dtype=torch.float32)
    layer = caches._HqqLayer(nbits=bits, axis_key=1, axis_value=1)
    layer.lazy_initialization(keys, keys)
    packed, meta = layer._quantize(keys, axis=1)
    restored = layer._dequantize((packed, meta))
    ours = caches.dequantize_steps(packed, meta["scale"], meta["zero"], bits).reshape(keys.shape)
    assert torch.equal(ours, restored)
    # Two turns of the optimizer or twenty: the nearest level is half a step away, more or less.
    again = caches.dequantize_steps(*caches.quantize_steps(keys, bits), bits).reshape(keys.shape)
    step = (keys.max() - keys.min()) / (2**bits - 1)
    assert (again - keys).abs().max() < 2 * step
    assert (restored - keys).abs().max() < 2 * step


def _watched(work: Callable[[], Any]) -> tuple[Any, int, int]:
    """The result, the highest bytes meanwhile and those that stay."""
    meter = CpuMeter(2**32)
    with torch.no_grad(), meter.watch():
        result = work()
    meter.lap()  # the highest since the last lap; from here on it is what stays
    return result, meter.peak, meter.lap()


def test_a_model_without_whole_groups_is_refused_in_a_line(probe: Probe) -> None:
    odd = {**LLAMA, "num_key_value_heads": 1}
    for config, kind in ((odd, "int4"), ({**odd, "head_dim": 32}, "int8")):
        with pytest.raises(AppError, match=rf"{kind} .*fp8") as caught:
            plan_of(probe, config, kv_cache=kind)
        assert len(str(caught.value).splitlines()) == 1
    # One group a token is whole in 8 bits.
    assert errors(plan_of(probe, odd, kv_cache="int8"), probe, (301,)) == pytest.approx([0], abs=EXACT)


def test_a_model_that_slides_is_refused_in_a_line(probe: Probe) -> None:
    with pytest.raises(AppError, match=r"KV cache int4.*full attention") as caught:
        plan_of(probe, {**LLAMA, "model_type": "mistral", "sliding_window": 128}, kv_cache="int4")
    assert len(str(caught.value).splitlines()) == 1


def test_a_forecast_needs_no_library_and_a_pass_names_the_one_it_needs(tmp_path: Path) -> None:
    # transformers takes a library that is too old for one that is missing; this one is found before the real one.
    (tmp_path / "hqq").mkdir()
    (tmp_path / "hqq" / "__init__.py").write_text("__version__ = '0.0.1'\n")
    (tmp_path / "hqq-0.0.1.dist-info").mkdir()
    (tmp_path / "hqq-0.0.1.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: hqq\nVersion: 0.0.1\n")
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    with closing(Probe(environment={**os.environ, "PYTHONPATH": path})) as probe:
        config = {**LLAMA, "num_hidden_layers": 2}
        plan = plan_of(probe, config, kv_cache="int8")
        assert plan.tensor_bytes(500) > plan.weight_bytes
        with pytest.raises(AppError, match=r"int8 .*hqq.*fp8") as caught:
            list(probe.run(profile_request(plan, (100,))))
    assert len(str(caught.value).splitlines()) == 1
