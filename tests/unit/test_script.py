"""Scripts: what a step may be, how a list of them is edited, what its captions say."""

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vramtuner.core.device.find import find_device
from vramtuner.core.errors import BadInputError
from vramtuner.core.forecast import Forecast, forecast
from vramtuner.core.lever_words import changed_levers, describe_change, lever_label, lever_phrase, lever_value
from vramtuner.core.model.find import find_model, load_preset, text_of_model
from vramtuner.core.recording import find_tapes
from vramtuner.core.request import phases
from vramtuner.core.script import (
    MAX_CAPTION,
    MAX_STEPS,
    Script,
    Step,
    default_caption,
    demo_script,
    with_caption,
    with_step,
    with_step_moved,
    without_step,
)
from vramtuner.core.settings import Levers
from vramtuner.core.units import GIB


def step(caption: str = "", **levers: Any) -> Step:
    return Step(levers=Levers(**levers), caption=caption, model="llama-2-7b", device="w7900")


def planner(preset: str, device: str = "w7900") -> Callable[[Levers], Forecast | None]:
    spec, card = load_preset(preset), find_device(device)

    def plan_of(levers: Levers) -> Forecast | None:
        tapes = find_tapes(spec, phases(spec, card, levers))
        return None if tapes is None else forecast(spec, card, levers, *tapes)

    return plan_of


def names(script: Script) -> str:
    return "".join(entry.caption for entry in script.steps)


ABC = Script(tuple(step(name) for name in "abc"))

# ---- what a step may be


def test_a_script_goes_through_json_unchanged() -> None:
    script = Script((step("α → β", weights="nf4", pool_bytes=16 * GIB), step("", keep_modules=("lm_head",))))
    assert msgspec.json.decode(msgspec.json.encode(script), type=Script) == script
    assert isinstance(msgspec.to_builtins(script)["steps"][0]["caption"], str)


@pytest.mark.parametrize(
    ("field", "value", "what"),
    [
        ("caption", "x" * (MAX_CAPTION + 1), "at most 300"),
        ("caption", "two\nlines", "one line"),
        ("caption", "\x1b[31mred", "control"),
        ("caption", "turned \u202e round", "control"),
        ("model", "m" * 5000, "at most 4096"),
        ("device", "d" * 101, "at most 100"),
    ],
)
def test_a_step_out_of_bounds_is_refused_in_code_and_in_a_file(field: str, value: str, what: str) -> None:
    good = step("fine")
    with pytest.raises(BadInputError, match=what):
        msgspec.structs.replace(good, **{field: value})
    raw = msgspec.to_builtins(Script((good,)))
    raw["steps"][0][field] = value
    with pytest.raises(BadInputError, match=what):
        msgspec.json.decode(msgspec.json.encode(raw), type=Script)


def test_a_script_has_at_most_200_steps() -> None:
    full = Script((step(),) * MAX_STEPS)
    with pytest.raises(BadInputError, match="at most 200 steps"):
        with_step(full, step())
    with pytest.raises(BadInputError, match="at most 200 steps"):
        Script((step(),) * (MAX_STEPS + 1))


@pytest.mark.parametrize("text", ['{"steps":[{}]}', '{"step":[]}', '{"steps":[{"levers":{"pool":1}}]}', "[]"])
def test_what_is_no_script_is_refused(text: str) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(text, type=Script)


# ---- editing


def test_editing() -> None:
    assert names(with_step(ABC, step("d"))) == "abcd"
    assert names(with_step(ABC, step("d"), 0)) == "dabc"
    assert names(without_step(ABC, 1)) == "ac"
    assert names(with_step_moved(ABC, 0, 2)) == "bca"
    assert names(with_step_moved(ABC, 2, 0)) == "cab"
    assert names(with_caption(ABC, 1, "B")) == "aBc"


@pytest.mark.parametrize("place", [-1, 3, 99])
def test_a_place_that_is_not_there_is_said(place: int) -> None:
    for act in (
        without_step,
        lambda script, at: with_step_moved(script, 0, at),
        lambda script, at: with_caption(script, at, ""),
    ):
        with pytest.raises(BadInputError, match="there is no step"):
            act(ABC, place)


def test_a_typed_caption_becomes_one_line_of_bounded_length() -> None:
    script = with_caption(ABC, 0, "  one\n two\t\x07 " + "y" * 400)
    caption = script.steps[0].caption
    assert caption.startswith("one two � y") and len(caption) == MAX_CAPTION and caption.endswith("…")


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 9), min_size=1, max_size=10), st.data())
def test_moving_there_and_back_changes_nothing(order: list[int], data: st.DataObject) -> None:
    script = Script(tuple(step(str(number)) for number in order))
    place, to = (data.draw(st.integers(0, len(order) - 1)) for _ in range(2))
    moved = with_step_moved(script, place, to)
    assert sorted(names(moved)) == sorted(names(script)) and moved.steps[to] == script.steps[place]
    assert with_step_moved(moved, to, place) == script
    assert without_step(with_step(script, step("new"), place), place) == script


# ---- words

CHANGES: dict[str, Any] = {
    "pool_bytes": 16 * GIB, "token_cap": 8192, "new_tokens": 512, "batch_size": 4, "beams": 3, "weights": "nf4",
    "keep_modules": ("lm_head",), "kv_cache": "fp8", "attention": "eager", "checkpointing": True,
    "pass_kind": "training", "prefill_chunk": 512, "dtype": "fp32", "logits": "all",
    "allocator": "max_split_size_mb:512", "margin": 0.125,
}  # fmt: skip
WORDS = {
    "pool_bytes": "pool 16.00 GiB", "token_cap": "token cap 8,192", "new_tokens": "512 tokens of them new",
    "batch_size": "batch 4", "beams": "3 beams", "weights": "4-bit weights (nf4)",
    "keep_modules": "unquantized: lm_head", "kv_cache": "8-bit KV cache (fp8)", "attention": "eager attention",
    "checkpointing": "checkpointing on", "pass_kind": "a training step", "prefill_chunk": "prompt in chunks of 512",
    "dtype": "fp32", "logits": "logits of every token", "allocator": "allocator max_split_size_mb:512",
    "margin": "safety margin 12.5 %",
}  # fmt: skip


@pytest.mark.parametrize("name", Levers.__struct_fields__)
def test_every_lever_has_a_name_a_value_and_words_both_ways(name: str) -> None:
    usual, spec, card = Levers(), load_preset("llama-2-7b"), find_device("w7900")
    assert lever_label(name) and "_" not in lever_label(name)
    assert lever_value(name, spec, card, usual) not in ("", "None")
    assert lever_phrase(name, usual)
    if name in CHANGES:
        moved = msgspec.structs.replace(usual, **{name: CHANGES[name]})
        assert changed_levers(usual, moved) == (name,)
        assert describe_change(usual, moved) == WORDS[name]
        assert describe_change(moved, usual) == lever_phrase(name, usual) != WORDS[name]
        assert lever_value(name, spec, card, moved) != lever_value(name, spec, card, usual)


def test_values_are_those_that_count_on_the_device() -> None:
    spec, card = load_preset("gpt2"), find_device("w7900")
    assert lever_value("token_cap", spec, card, Levers()) == "1,024"
    assert lever_value("pool_bytes", spec, card, Levers()) == "38.40 GiB"
    assert lever_value("attention", spec, card, Levers()) == "flash (auto)"
    assert lever_value("dtype", load_preset("llama-3.1-8b"), card, Levers()) == "bf16"


def test_captions_say_what_moved_and_where_the_limit_went() -> None:
    plan_of = planner("llama-2-7b")
    first, second = step(), step(weights="nf4")
    before, after = plan_of(first.levers), plan_of(second.levers)
    assert before is not None and after is not None
    assert default_caption(first, second, (before, after)) == (
        f"4-bit weights (nf4): limit {before.limit.tokens:,} → {after.limit.tokens:,} tokens"
    )
    assert default_caption(first, first, (before, before)) == (
        f"Nothing changed: the limit stays at {before.limit.tokens:,} tokens"
    )
    assert default_caption(None, first, (None, before)) == (
        f"Llama-2-7B on Radeon PRO W7900: limit {before.limit.tokens:,} tokens"
    )
    elsewhere = msgspec.structs.replace(second, device="w6600")
    assert default_caption(first, elsewhere, (before, None)) == "llama-2-7b on w6600, 4-bit weights (nf4)"
    assert default_caption(first, second, (before, None)) == "4-bit weights (nf4)"


def test_a_plan_that_holds_nothing_is_said_so() -> None:
    plan = planner("llama-3.1-8b", "w6600")(Levers())
    assert plan is not None and plan.limit.tokens == 0
    assert default_caption(None, step(), (None, plan)).endswith(": not even one token fits")


# ---- the demo


@pytest.mark.parametrize("preset", ["llama-2-7b", "gemma-2-9b", "gpt2", "mistral-7b"])
def test_the_demo_moves_one_lever_at_a_time_and_says_what_the_forecasts_say(preset: str) -> None:
    plan_of = planner(preset)
    current = plan_of(Levers(token_cap=1000))
    assert current is not None
    steps = demo_script(current, preset, "w7900", plan_of).steps
    assert len(steps) >= 5 and steps[0].levers == Levers()
    moved = [changed_levers(a.levers, b.levers) for a, b in pairwise(steps)]
    assert all(len(names) == 1 for names in moved)
    assert {"weights", "pool_bytes", "prefill_chunk"} <= {name for names in moved for name in names}
    for entry in steps:
        plan = plan_of(entry.levers)
        assert plan is not None and entry.caption.endswith(f"{plan.limit.tokens:,} tokens")


def test_the_demo_begins_where_only_the_current_levers_are_known() -> None:
    plan_of = planner("llama-2-7b")
    current = plan_of(Levers(attention="eager", token_cap=2048))
    assert current is not None
    key = current.key

    def known(levers: Levers) -> Forecast | None:
        plan = plan_of(levers)
        return plan if plan is not None and plan.key == key and len(plan.phases) == 1 else None

    steps = demo_script(current, "llama-2-7b", "w7900", known).steps
    assert [changed_levers(a.levers, b.levers) for a, b in pairwise(steps)] == [
        ("pool_bytes",),
        ("token_cap",),
    ]
    assert steps[0].levers == current.levers


def test_the_demo_of_a_training_step_leaves_out_what_does_not_go_with_it() -> None:
    current = planner("gpt2")(Levers())
    assert current is not None
    training = msgspec.structs.replace(current.levers, pass_kind="training")

    def plan_of(levers: Levers) -> Forecast | None:
        if levers.pass_kind != "training":
            return None
        return forecast(current.spec, current.device, training, *tapes)

    tapes = find_tapes(current.spec, phases(current.spec, current.device, Levers()))
    assert tapes is not None
    start = forecast(current.spec, current.device, training, *tapes)
    assert demo_script(start, "gpt2", "w7900", plan_of).steps[0].levers == training


def test_what_a_model_is_called_finds_it_again(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"model_type": "gpt2", "n_layer": 1}')
    for text in ("llama-2-7b", "gemma-2-9b", str(tmp_path), str(tmp_path / "config.json")):
        spec = find_model(text)
        assert find_model(text_of_model(spec)) == spec
