"""Presets of levers: what the article says, a device can give and a model can take, and that the ends are ends."""

import msgspec
import numpy as np
import pytest
from gguf import GGUFWriter
from hypothesis import given
from hypothesis import strategies as st

from vramtuner.core.device.find import find_device
from vramtuner.core.device.spec import Device
from vramtuner.core.errors import BadInputError
from vramtuner.core.forecast import Forecast, forecast
from vramtuner.core.lever_presets import LeverPreset, article_preset, can_quantize, has_kv_cache, lever_presets
from vramtuner.core.model.find import find_model
from vramtuner.core.model.spec import ModelSpec
from vramtuner.core.recording import find_tapes
from vramtuner.core.request import phases
from vramtuner.core.settings import KV_CACHES, PASS_KINDS, WEIGHTS, Levers
from vramtuner.core.units import GIB

LLAMA = find_model("llama-2-7b")
NAMES = ["Source article", "Max context", "Lowest memory", "Defaults"]


def named(spec: ModelSpec, device: Device, levers: Levers | None = None) -> dict[str, LeverPreset]:
    return {preset.name: preset for preset in lever_presets(spec, device, levers or Levers())}


def planned(spec: ModelSpec, device: Device, levers: Levers) -> Forecast:
    tapes = find_tapes(spec, phases(spec, device, levers))
    assert tapes is not None
    return forecast(spec, device, levers, *tapes)


@pytest.fixture(scope="module")
def gguf(tmp_path_factory: pytest.TempPathFactory) -> ModelSpec:
    path = tmp_path_factory.mktemp("gguf") / "small.gguf"
    writer = GGUFWriter(path, "llama")
    writer.add_block_count(2)
    writer.add_context_length(8192)
    writer.add_embedding_length(256)
    writer.add_feed_forward_length(512)
    writer.add_head_count(4)
    writer.add_head_count_kv(2)
    writer.add_token_list([f"token {number}" for number in range(100)])
    writer.add_tensor("token_embd.weight", np.zeros((100, 256), dtype=np.float16))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return find_model(str(path))


def test_the_article_s_table_is_taken_as_it_stands() -> None:
    # Before and after, in its table: 2,048 tokens, an explicit pool of 10 GiB, checkpointed activations.
    levers = article_preset(LLAMA, find_device("w7900")).levers
    assert levers == Levers(pool_bytes=10 * GIB, token_cap=2048, checkpointing=True)


def test_the_article_s_pool_is_clipped_to_what_its_own_card_really_has() -> None:
    # It names 12 GiB for the W6600, whose makers say 8 GiB; one of them is the driver's.
    preset = article_preset(LLAMA, find_device("w6600"))
    assert preset.levers.pool_bytes == 7 * GIB and "all this device can give" in preset.reason


@pytest.mark.parametrize("model", ["gpt2", "phi-2", "llama-2-13b", "gemma-2-9b", "mistral-7b"])
@pytest.mark.parametrize("device", ["w6600", "w7900", "mi300x", "cpu"])
def test_every_preset_can_be_planned_on_every_device(model: str, device: str) -> None:
    spec, card = find_model(model), find_device(device)
    presets = lever_presets(spec, card, Levers())
    assert [preset.name for preset in presets] == NAMES
    for preset in presets:
        assert 0 < card.pool_bytes(preset.levers) <= card.max_pool_bytes
        assert phases(spec, card, preset.levers)
        assert "\n" not in preset.reason and 20 < len(preset.reason) < 110


def test_max_context_asks_for_all_positions_and_all_memory() -> None:
    card = find_device("w7900")
    levers = named(LLAMA, card)["Max context"].levers
    assert (levers.token_cap, levers.pool_bytes) == (4096, card.max_pool_bytes)
    assert named(find_model("llama-3.1-8b"), card)["Max context"].levers.token_cap == 131_072


def test_the_ends_keep_the_request_and_the_defaults_do_not() -> None:
    asked = Levers(batch_size=4, beams=2, new_tokens=300, margin=0.2, dtype="bf16", token_cap=1000)
    found = named(LLAMA, find_device("w7900"), asked)
    longest, least = found["Max context"].levers, found["Lowest memory"].levers
    assert (longest.batch_size, longest.beams, longest.new_tokens, longest.margin) == (4, 2, 300, 0.2)
    assert (least.token_cap, least.new_tokens, least.margin, least.dtype) == (1000, 300, 0.2, "bf16")
    assert (least.batch_size, least.beams) == (1, 1)
    assert found["Defaults"].levers == Levers()


def test_a_quantized_checkpoint_is_not_quantized_again() -> None:
    spec = msgspec.structs.replace(LLAMA, quantization="gptq")
    assert not can_quantize(spec, Levers())
    assert {preset.levers.weights for preset in lever_presets(spec, find_device("w7900"), Levers())} == {"none"}


def test_a_training_step_is_checkpointed_and_not_quantized() -> None:
    found = named(LLAMA, find_device("w7900"), Levers(pass_kind="training"))
    for name in ("Max context", "Lowest memory"):
        levers = found[name].levers
        assert (levers.pass_kind, levers.weights, levers.kv_cache, levers.checkpointing) == (
            "training", "none", "auto", True,
        )  # fmt: skip


def test_a_model_that_keeps_no_keys_is_given_no_cache() -> None:
    spec = msgspec.structs.replace(LLAMA, model_type="mamba")
    assert not has_kv_cache(spec) and has_kv_cache(LLAMA)
    assert {preset.levers.kv_cache for preset in lever_presets(spec, find_device("w7900"), Levers())} == {"auto"}


def test_a_device_too_small_for_any_pool_has_no_preset() -> None:
    tiny = Device(key="x", name="tiny", kind="catalogue", vram_bytes=GIB // 2, source="made up")
    assert lever_presets(LLAMA, tiny, Levers()) == ()


def test_a_gguf_file_is_left_what_llama_cpp_has(gguf: ModelSpec) -> None:
    for preset in lever_presets(gguf, find_device("w7900"), Levers(attention="math")):
        levers = preset.levers
        assert (levers.weights, levers.checkpointing) == ("none", False)
        assert planned(gguf, find_device("w7900"), levers).limit.tokens > 0


def test_the_ends_are_ends(gguf: ModelSpec) -> None:
    card = find_device("w6600")
    for levers in (Levers(batch_size=8), Levers(attention="math"), Levers(pool_bytes=2 * GIB)):
        before, found = planned(gguf, card, levers), named(gguf, card, levers)
        least = planned(gguf, card, found["Lowest memory"].levers)
        assert least.peak_bytes(4096) < before.peak_bytes(4096) and least.token_cap == before.token_cap
        longest = planned(gguf, card, found["Max context"].levers)
        assert longest.limit.tokens > before.limit.tokens and longest.token_cap == 8192


@given(
    cap=st.integers(2, 200_000), new=st.integers(0, 5000), beams=st.integers(1, 8), cache=st.sampled_from(KV_CACHES),
    weights=st.sampled_from(WEIGHTS), kind=st.sampled_from(PASS_KINDS), model=st.sampled_from(["gpt2", "llama-2-7b"]),
)  # fmt: skip
def test_from_any_levers_every_preset_is_valid(
    cap: int, new: int, beams: int, cache: str, weights: str, kind: str, model: str
) -> None:
    spec, card = find_model(model), find_device("rx7900xtx")
    request = {"token_cap": cap, "new_tokens": min(new, cap - 1), "beams": beams, "kv_cache": cache}
    try:
        levers = Levers(weights=weights, pass_kind=kind, **request)  # type: ignore[arg-type]
    except BadInputError:
        return
    for preset in lever_presets(spec, card, levers):
        assert phases(spec, card, preset.levers)
        assert preset.levers.new_tokens < (preset.levers.token_cap or 4096)
