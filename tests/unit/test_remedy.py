"""From a finding to the levers: what a change moves, which card a log speaks of, what the plan says beside it."""

import pytest

from vramtuner.core.device.find import find_device
from vramtuner.core.device.spec import Device
from vramtuner.core.diagnose.weigh import CauseName, Change, Evidence, Finding
from vramtuner.core.forecast import Forecast, forecast
from vramtuner.core.model.find import load_preset
from vramtuner.core.recording import find_tapes
from vramtuner.core.remedy import beside, card_of, changed_levers
from vramtuner.core.request import phases
from vramtuner.core.settings import Levers
from vramtuner.core.units import GIB

W7900 = find_device("w7900")


def plan_of(**levers: object) -> Forecast:
    spec, chosen = load_preset("llama-2-7b"), Levers(**levers)  # type: ignore[arg-type] # the levers' own names
    tapes = find_tapes(spec, phases(spec, W7900, chosen))
    assert tapes is not None
    return forecast(spec, W7900, chosen, *tapes)


def finding(text: str = "", **numbers: float) -> Finding:
    lines = (Evidence(1, text),) if text else ()
    return Finding(CauseName("capacity", "a"), True, 0.9, "", numbers, lines, ())


def moved(lever: str, value: str, plan: Forecast) -> dict[str, object]:
    """The levers that a change moves, and to what."""
    after = changed_levers(Change(lever, value, ""), plan)
    if after is None:
        return {}
    return {
        name: getattr(after, name)
        for name in Levers.__struct_fields__
        if getattr(after, name) != getattr(plan.levers, name)
    }


@pytest.mark.parametrize(
    ("lever", "value", "expected"),
    [
        ("attention", "flash (-fa on)", {"attention": "flash"}), ("weights", "int8 or nf4", {"weights": "int8"}),
        ("weights", "a smaller quantization", {"weights": "nf4"}), ("kv_cache", "int8 (q8_0)", {"kv_cache": "int8"}),
        ("kv_cache", "fp8 or int8", {"kv_cache": "fp8"}), ("prefill_chunk", "512", {"prefill_chunk": 512}),
        ("batch", "1", {}), ("logits", "last", {}), ("pool", "smaller", {}), ("engine", "enforce_eager", {}),
        ("pool", "larger, if the card has it free", {"pool_bytes": W7900.max_pool_bytes}), ("tokens", "fewer", {}),
    ],
)  # fmt: skip
def test_a_change_moves_the_lever_it_names_and_nothing_else(
    lever: str, value: str, expected: dict[str, object]
) -> None:
    assert moved(lever, value, plan_of(token_cap=2048)) == expected


def test_fewer_tokens_are_those_that_fit_or_that_the_log_names() -> None:
    plan = plan_of(token_cap=1_000_000)
    assert moved("tokens", "fewer", plan) == {"token_cap": plan.limit.tokens}
    assert moved("tokens", "max_model_len at most 3,072", plan) == {"token_cap": 3072}
    assert moved("tokens", "at most 99999999", plan) == {"token_cap": plan.limit.tokens}
    assert moved("tokens", "at most 0", plan) == {}


def test_a_card_is_known_by_its_memory_and_its_target() -> None:
    cards = [
        Device(key=key, name=key, kind="catalogue", vram_bytes=size * GIB, source="a test", gfx=gfx)
        for key, size, gfx in (("a", 32, "gfx1030"), ("b", 32, "gfx1100"), ("c", 16, "gfx1030"), ("d", 16, "gfx1030"))
    ]
    printed = 31.98 * GIB
    assert card_of(finding(total_bytes=printed), cards) is None  # two have so much
    assert card_of(finding("agent gfx1030", total_bytes=printed), cards) == cards[0]
    assert card_of(finding("gfx1030", total_bytes=15.98 * GIB), cards) is None  # two are alike
    assert card_of(finding("gfx90a", total_bytes=printed), cards) is None
    assert card_of(finding("gfx1030"), cards) is None
    assert card_of(finding(total_bytes=0.0), cards) is None


def test_the_forecast_is_said_where_the_log_says_how_many_tokens() -> None:
    plan = plan_of(token_cap=2048)
    text = beside(finding(tokens=4096.0), plan)
    assert "at 4,096 tokens" in text and f"{plan.limit.tokens:,} tokens" in text
    assert f"{plan.peak_bytes(4096) / GIB:.2f} GiB" in text
    for tokens in (0.0, -5.0, 1e12):
        assert beside(finding(tokens=tokens), plan) == ""
    assert beside(finding(), plan) == ""
