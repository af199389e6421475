"""Lengths that say most, and a limit that passes confirm or find."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vramtuner.core.device.find import find_device
from vramtuner.core.device.spec import Device
from vramtuner.core.errors import BadInputError
from vramtuner.core.forecast import Forecast, forecast
from vramtuner.core.model.find import load_preset
from vramtuner.core.probe.protocol import PassResult
from vramtuner.core.profiling import (
    MOST_LENGTHS,
    MOST_PASSES,
    article_limit,
    calibration_of,
    confirm_limit,
    profile_lengths,
)
from vramtuner.core.request import phases
from vramtuner.core.settings import Levers
from vramtuner.core.tape.store import find_tape
from vramtuner.core.units import GIB, MIB

CPU = Device(key="cpu", name="CPU stand-in", kind="cpu", vram_bytes=256 * GIB, source="a test")


def plan_of(preset: str, device: Device = CPU, **levers: Any) -> Forecast:
    spec, chosen = load_preset(preset), Levers(**levers)
    tapes = [find_tape(spec, phase.key) for phase in phases(spec, device, chosen)]
    return forecast(spec, device, chosen, *(tape for tape in tapes if tape is not None))


def device_that_holds(tokens: int, asked: list[tuple[int, ...]]) -> Callable[[tuple[int, ...]], list[PassResult]]:
    """Runs what is at most so long, and notes what was asked together."""

    def run(lengths: tuple[int, ...]) -> list[PassResult]:
        asked.append(lengths)
        return [PassResult(1, n, "ok" if n <= tokens else "out_of_memory", 0, 0, 0.1) for n in lengths]

    return run


def test_a_profile_begins_with_one_token_and_ends_with_the_longest_request() -> None:
    lengths = profile_lengths(plan_of("llama-2-7b", token_cap=4096))
    assert (lengths[0], lengths[-1]) == (1, 4096)
    assert len(lengths) >= 4
    assert profile_lengths(plan_of("gpt2", token_cap=9000))[-1] == 1024  # its positions end there
    assert profile_lengths(plan_of("gpt2", token_cap=1)) == (1,)
    assert profile_lengths(plan_of("llama-2-13b", find_device("w6600"))) == ()


def test_both_sides_of_a_sliding_window_are_run() -> None:
    lengths = profile_lengths(plan_of("mistral-7b", token_cap=9000))
    assert {4095, 4096} <= set(lengths)


@pytest.mark.parametrize("preset", ["gpt2", "phi-2", "llama-2-7b", "mistral-7b", "gemma-2-9b"])
@pytest.mark.parametrize("cap", [2, 65, 700, 8000])
def test_lengths_are_few_rising_and_inside_the_cap(preset: str, cap: int) -> None:
    lengths = profile_lengths(plan_of(preset, token_cap=cap))
    assert list(lengths) == sorted(set(lengths))
    assert 1 == lengths[0] <= lengths[-1] <= cap
    assert len(lengths) <= MOST_LENGTHS


def test_the_articles_rule_is_a_division() -> None:
    # 10 GiB less 1 GiB of overhead and 5 GiB of weights, at 1 MiB a token, less a tenth.
    single = PassResult(1, 1, "ok", 5 * GIB + MIB, 5 * GIB, 0.1)
    assert article_limit(10 * GIB, GIB, single) == int(0.9 * 4 * 1024)
    assert article_limit(4 * GIB, GIB, single) == 0
    assert article_limit(10 * GIB, GIB, PassResult(1, 1, "out_of_memory", 0, 0, 0.1)) == 0


def test_a_limit_that_is_right_takes_two_passes_and_one_loaded_model() -> None:
    plan, asked = plan_of("llama-2-7b", pool_bytes=16 * GIB, margin=0.0), list[tuple[int, ...]]()
    found = confirm_limit(plan, device_that_holds(plan.limit.tokens, asked))
    assert found.is_confirmed
    assert asked == [(plan.limit.tokens, plan.limit.tokens + 1)]
    assert "Confirmed by 2 real passes" in found.text


def test_where_positions_end_one_pass_is_all_there_is() -> None:
    plan, asked = plan_of("gpt2", margin=0.0), list[tuple[int, ...]]()
    found = confirm_limit(plan, device_that_holds(10**9, asked))
    assert asked == [(1024,)]
    assert found.is_confirmed
    assert found.fails_tokens is None


@given(st.integers(0, 300_000))
def test_a_limit_that_is_wrong_is_found_or_bracketed(truth: int) -> None:
    plan, asked = plan_of("llama-2-7b", pool_bytes=16 * GIB, margin=0.0), list[tuple[int, ...]]()
    found = confirm_limit(plan, device_that_holds(truth, asked))
    assert found.fits_tokens <= truth
    assert found.fails_tokens is None or truth < found.fails_tokens
    assert len(found.passes) <= MOST_PASSES
    assert found.is_confirmed == (truth == plan.limit.tokens)
    if len(found.passes) < MOST_PASSES:
        assert found.fails_tokens is not None
        assert found.fails_tokens - found.fits_tokens <= max(1, found.fails_tokens // 200)


def test_a_limit_near_the_forecast_takes_few_passes() -> None:
    plan = plan_of("llama-2-7b", pool_bytes=16 * GIB, margin=0.0)
    for share in (0.97, 0.99, 1.01, 1.03):
        found = confirm_limit(plan, device_that_holds(round(share * plan.limit.tokens), []))
        assert len(found.passes) <= 8
        assert not found.is_confirmed
        assert "Not confirmed" in found.text


def test_a_limit_that_is_too_low_is_never_said_to_be_confirmed() -> None:
    plan = plan_of("gpt2", margin=0.0, pool_bytes=400 * MIB)
    assert plan.limit.tokens < 1024
    found = confirm_limit(plan, device_that_holds(10**9, []))
    assert (found.fits_tokens, found.fails_tokens, found.is_confirmed) == (1024, None, False)
    assert found.text.startswith("Not confirmed: 1,024 tokens run") and f"{plan.limit.tokens:,}" in found.text


@pytest.mark.parametrize("levers", [{"prefill_chunk": 256}, {"kv_cache": "int8"}])
def test_what_is_forecast_as_a_bound_calibrates_nothing(levers: dict[str, Any]) -> None:
    """The forecast of a ragged chunk is a whole one's: what a pass takes less is no error of the device."""
    plan = msgspec.structs.replace(Levers(), **levers)
    current = replace(plan_of("gpt2"), levers=plan)
    results = [PassResult(1, n, "ok", current.tensor_bytes(n), current.weight_bytes, 0.1) for n in (1, 200, 500, 900)]
    with pytest.raises(BadInputError, match="without it"):
        calibration_of(current, results)
    assert calibration_of(replace(current, levers=Levers()), results).offset_bytes == 0
