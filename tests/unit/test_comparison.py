"""Plans and runs side by side."""

from pathlib import Path

from vramtuner.core.comparison import (
    Fact,
    Subject,
    before_after,
    default_plan,
    lengths_of,
    of_plan,
    of_run,
    rows,
)
from vramtuner.core.device.find import find_device
from vramtuner.core.forecast import COMPONENT_LABELS, Forecast, forecast
from vramtuner.core.model.find import load_preset
from vramtuner.core.probe.protocol import PassResult
from vramtuner.core.recording import find_tapes
from vramtuner.core.request import phases
from vramtuner.core.runs import Header, Run
from vramtuner.core.settings import Levers
from vramtuner.core.units import GIB, format_bytes


def plan_of(**levers: object) -> Forecast:
    spec, device, chosen = load_preset("llama-2-7b"), find_device("w7900"), Levers(**levers)  # type: ignore[arg-type]
    tapes = find_tapes(spec, phases(spec, device, chosen))
    assert tapes is not None
    return forecast(spec, device, chosen, *tapes)


def run_of(*passes: PassResult) -> Run:
    plan = plan_of(token_cap=2048)
    header = Header(
        created="2026-12-03T04:05:06+01:00", spec=plan.spec, device=plan.device, levers=plan.levers,
        pool_bytes=plan.pool_bytes, versions={"torch": "2.13.0"},
    )  # fmt: skip
    return Run(Path("a.vramrun"), header, passes, True)


def test_the_default_is_the_same_request_under_no_lever_at_all() -> None:
    plan = plan_of(weights="nf4", token_cap=2048, pool_bytes=10 * GIB)
    before = default_plan(plan)
    assert before is not None
    assert (before.token_cap, before.levers) == (2048, Levers(token_cap=2048))
    assert before_after(before) == ()  # nothing to tell of the default itself


def test_before_and_after_are_what_forecasts_say_and_only_what_differs() -> None:
    after = plan_of(weights="nf4", token_cap=2048, pool_bytes=10 * GIB)
    before = default_plan(after)
    assert before is not None
    found = {row.name.strip(): row for row in before_after(after)}
    assert found["Limit"].texts == (f"{before.limit.tokens:,}", f"{after.limit.tokens:,}")
    assert found["Pool"].texts == (format_bytes(before.pool_bytes), "10.00 GiB")
    weights = [format_bytes(plan.component_bytes(2048)["weights"]) for plan in (before, after)]
    assert found["weights"].texts == tuple(weights)
    share = after.component_bytes(2048)["weights"] / before.component_bytes(2048)["weights"] - 1
    assert found["weights"].change == f"−{-share:.1%}".replace("%", " %")
    assert found["Weights"].texts == ("as stored", "nf4")
    assert "Token cap" not in found and "KV cache" not in found


def test_components_of_a_plan_add_up_to_its_peak() -> None:
    plan = plan_of(token_cap=2048)
    facts = of_plan("now", plan, tokens=2048).facts
    numbers = [facts[f"  {label}"].number or 0 for label in COMPONENT_LABELS.values()]
    assert sum(numbers) == facts["Peak at 2,048 tokens"].number == plan.peak_bytes(2048)


def test_a_run_is_beside_what_was_forecast_for_its_lengths() -> None:
    run = run_of(
        PassResult(1, 512, "ok", 14 * GIB, 13 * GIB, 1.5), PassResult(1, 4096, "out_of_memory", 0, 13 * GIB, 0.5, "no")
    )
    assert lengths_of([run]) == (512, 4096)
    plan = plan_of(token_cap=2048)
    table = {
        row.name: row
        for row in rows([of_plan("now", plan, tokens=2048, lengths=lengths_of([run])), of_run("run", run)])
    }
    assert table["In tensors at 512 tokens"].texts == (format_bytes(plan.tensor_bytes(512)), "14.00 GiB")
    assert table["In tensors at 4,096 tokens"].texts[1] == "out of memory"
    assert table["Token cap"].texts == ("2,048", "2,048") and not table["Token cap"].differs


def test_a_change_is_that_from_the_first_to_the_last() -> None:
    def one(number: float) -> Subject:
        return Subject("a", {"Size": Fact(f"{number}", number)})

    assert rows([one(100), one(1), one(50)])[0].change == "−50.0 %"
    assert rows([one(0), one(1)])[0].change == "new"
    assert rows([one(1), one(20)])[0].change == "× 20.0"
    assert rows([one(5), one(5)])[0].change == ""
    assert rows([one(5)])[0].change == ""
