"""The allocator's slack: the replay of a tape, as steps that are never too low where it was replayed."""

import random
from math import log2

import pytest

from vramtuner.core.device.find import find_device
from vramtuner.core.errors import BadInputError
from vramtuner.core.forecast import Forecast, forecast
from vramtuner.core.model.find import load_preset
from vramtuner.core.request import phases
from vramtuner.core.settings import Levers
from vramtuner.core.tape.allocator import replay
from vramtuner.core.tape.slack import slack_at, slack_steps
from vramtuner.core.tape.store import find_tape

CARD = find_device("w7900")


def plan_of(preset: str, **levers: object) -> Forecast:
    spec, chosen = load_preset(preset), Levers(**levers)  # type: ignore[arg-type] # the levers' own names
    tapes = [find_tape(spec, phase.key) for phase in phases(spec, CARD, chosen)]
    assert all(tapes)
    return forecast(spec, CARD, chosen, *(tape for tape in tapes if tape is not None))


@pytest.mark.parametrize("preset", ["gpt2", "llama-2-7b", "mistral-7b"])
def test_the_forecast_holds_what_a_replay_reserves(preset: str) -> None:
    plan = plan_of(preset, dtype="fp16")
    tape = find_tape(plan.spec, plan.key)
    assert tape is not None
    for tokens in (256, 768, 1024):
        regime = next(r for r in tape.regimes if tokens <= r.to_tokens)
        columns = zip(regime.a, regime.b, regime.c, strict=True)
        sizes = [round(a + b * tokens + c * tokens * tokens) for a, b, c in columns]
        held = replay(regime.events, sizes, None).reserved_peak
        assert plan.peak_bytes(tokens) - plan.device.overhead_bytes >= held


@pytest.mark.parametrize(
    ("preset", "levers"), [("gemma-2-9b", {}), ("llama-2-7b", {}), ("qwen2.5-7b", {"weights": "nf4"})]
)
def test_no_length_takes_more_than_is_reserved_with_the_margin(preset: str, levers: dict[str, str]) -> None:
    plan = plan_of(preset, **levers)
    tape, chance = find_tape(plan.spec, plan.key), random.Random(3)
    assert tape is not None
    fused_upcast = plan.key.dtype == "fp16"
    for tokens in (int(2 ** chance.uniform(5, log2(plan.limit.tokens))) for _ in range(40)):
        tensors = plan.peak_bytes(tokens) - plan.component_bytes(tokens)["allocator"]
        assert tensors + slack_at(tape, "", fused_upcast, tokens) <= plan.needed_bytes(tokens)


def test_steps_cover_every_length_once_and_are_not_negative() -> None:
    plan = plan_of("llama-2-7b")
    tape = find_tape(plan.spec, plan.key)
    assert tape is not None
    steps = list(slack_steps(tape, "", True, CARD.vram_bytes, 2, tape.max_tokens))
    ends = [end for end, _ in steps]
    assert ends == sorted(set(ends))
    assert ends[-1] == tape.max_tokens
    assert all(slack >= 0 for _, slack in steps)


def test_expandable_segments_leave_less_slack() -> None:
    plain, expandable = plan_of("llama-2-7b"), plan_of("llama-2-7b", allocator="expandable_segments:True")
    assert expandable.component_bytes(4096)["allocator"] < plain.component_bytes(4096)["allocator"] / 4
    assert expandable.limit.tokens > plain.limit.tokens


def test_options_that_cannot_be_read_are_refused_in_a_line() -> None:
    with pytest.raises(BadInputError) as caught:
        plan_of("gpt2", allocator="expandable_segments:perhaps")
    assert len(str(caught.value).splitlines()) == 1


def test_a_request_in_parts_holds_what_its_passes_hold() -> None:
    whole, generating = plan_of("llama-2-7b"), plan_of("llama-2-7b", new_tokens=1)
    chunked = plan_of("llama-2-7b", prefill_chunk=512)
    for tokens in (300, 512, 1024, 4096):
        # The prompt's pass is one token shorter; the first chunk is a whole prompt of its length, whatever follows.
        prompt = generating.envelopes[0].slack_bytes([tokens + 1])[0]
        assert prompt == whole.envelopes[0].slack_bytes([tokens])[0] > 0
        first = chunked.envelopes[0].slack_bytes([tokens])[0]
        assert first == whole.envelopes[0].slack_bytes([min(tokens, 512)])[0]
    for tokens in (513, 600, 1024):
        assert chunked.component_bytes(tokens)["allocator"] > 0
