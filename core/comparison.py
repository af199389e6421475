"""Plans and runs side by side: what they have in common is left out, what differs is put into rows."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

from vramtuner.core.device.spec import Device
from vramtuner.core.errors import AppError
from vramtuner.core.forecast import COMPONENT_LABELS, Forecast
from vramtuner.core.lever_words import lever_label, lever_value
from vramtuner.core.model.spec import ModelSpec
from vramtuner.core.profiling import outcome_text, plan_at_hand
from vramtuner.core.runs import Run
from vramtuner.core.settings import Levers
from vramtuner.core.text import printable
from vramtuner.core.units import format_bytes, format_tokens
from vramtuner.core.words import Labels, number, say


class Fact(NamedTuple):
    """A value as it is read, and as a number where a difference of it means something."""

    text: str
    number: float | None = None


class Subject(NamedTuple):
    """A plan or a run under its name: what is known of it, by what it is called."""

    name: str
    facts: dict[str, Fact]


class Row(NamedTuple):
    """One fact of every subject, empty where it is not known; ``change`` is that from the first to the last."""

    name: str
    texts: tuple[str, ...]
    change: str
    differs: bool


def of_plan(name: str, plan: Forecast, *, tokens: int, lengths: Iterable[int] = ()) -> Subject:
    """A forecast as a subject.

    Parameters
    ----------
    tokens
        Where its memory is read, the same for all that are compared.
    lengths
        Where the bytes in its tensors are read, to be beside those that were measured.
    """
    reach = min(tokens, plan.max_tokens)
    sizes = plan.component_bytes(reach)
    at = format_tokens(reach)
    facts = {
        say("Limit"): _count(plan.limit.tokens),
        say("Bound by"): Fact(_bound_text(plan.limit.bound_by)),
        say("Needs at {tokens}", tokens=at): _bytes(plan.needed_bytes(reach)),
        say("Peak at {tokens}", tokens=at): _bytes(sum(sizes.values())),
        **{f"  {COMPONENT_LABELS[part]}": _bytes(size) for part, size in sizes.items()},
        say("Pool"): _bytes(plan.pool_bytes),
        **{_tensors_at(length): _bytes(plan.tensor_bytes(length)) for length in lengths if length <= plan.max_tokens},
        **_levers(plan.spec, plan.device, plan.levers),
        say("Model"): Fact(printable(plan.spec.name, 80)),
        say("Device"): Fact(printable(plan.device.name, 80)),
        say("Figures"): Fact(say("forecast")),
    }
    return Subject(name, facts)


def of_run(name: str, run: Run) -> Subject:
    """A kept run as a subject."""
    header = run.header
    facts = {say("Pool"): _bytes(header.pool_bytes)}
    for result in sorted(run.passes, key=lambda result: result.tokens):
        at = _tensors_at(result.tokens)
        facts[at] = _bytes(result.peak_bytes) if result.outcome == "ok" else Fact(outcome_text(result.outcome))
        if result.outcome == "ok":
            name = say("Seconds for {tokens}", tokens=format_tokens(result.tokens))
            facts[name] = Fact(number(result.seconds, ".2f"), result.seconds)
    facts |= _levers(header.spec, header.device, header.levers)
    facts |= {
        say("Model"): Fact(printable(header.spec.name, 80)),
        say("Device"): Fact(printable(header.device.name, 80)),
        say("Figures"): Fact(say("measured, {created}", created=printable(header.created[:16], 20))),
        **{
            f"  {printable(package, 40)}": Fact(printable(number, 40))
            for package, number in sorted(header.versions.items())
        },
    }
    return Subject(name, facts)


def lengths_of(runs: Iterable[Run]) -> tuple[int, ...]:
    """Every length that was measured.  [tokens]"""
    return tuple(sorted({result.tokens for run in runs for result in run.passes}))


def rows(subjects: Sequence[Subject]) -> tuple[Row, ...]:
    """Every fact that any of them has, in the order in which the subjects have them."""
    names: list[str] = []
    for subject in subjects:
        place = 0
        for name in subject.facts:
            if name in names:
                place = names.index(name) + 1
            else:
                names.insert(place, name)
                place += 1
    found = []
    for name in names:
        facts = [subject.facts.get(name) for subject in subjects]
        texts = tuple("" if fact is None else fact.text for fact in facts)
        first, last = facts[0], facts[-1]
        change = _change(first, last) if first is not None and last is not None and len(facts) > 1 else ""
        found.append(Row(name, texts, change, len(set(texts)) > 1))
    return tuple(found)


def default_plan(plan: Forecast) -> Forecast | None:
    """The same request under default levers: what a plan is compared with when nothing else is at hand.

    ``None`` where no tape of it is, or it cannot be.
    """
    try:
        return plan_at_hand(plan.spec, plan.device, Levers(token_cap=plan.token_cap))
    except AppError:
        return None


def before_after(plan: Forecast) -> tuple[Row, ...]:
    """What the levers of a plan change of its default: levers that differ, and what they do to limit and memory."""
    before = default_plan(plan)
    if before is None or msgspec.structs.replace(before.levers, token_cap=plan.levers.token_cap) == plan.levers:
        return ()
    subjects = [
        of_plan(name, of, tokens=plan.token_cap) for name, of in ((say("default"), before), (say("this plan"), plan))
    ]
    return tuple(row for row in rows(subjects) if row.differs)


def _levers(spec: ModelSpec, device: Device, levers: Levers) -> dict[str, Fact]:
    """The levers but for the pool, which is there as a size."""
    names = (name for name in Levers.__struct_fields__ if name != "pool_bytes")
    return {lever_label(name): Fact(printable(lever_value(name, spec, device, levers), 80)) for name in names}


def _tensors_at(tokens: int) -> str:
    return say("In tensors at {tokens}", tokens=format_tokens(tokens))


def _bytes(size: int) -> Fact:
    return Fact(format_bytes(size), size)


def _count(tokens: int) -> Fact:
    return Fact(number(tokens), tokens)


def _change(first: Fact, last: Fact) -> str:
    if first.number is None or last.number is None or first.number == last.number:
        return ""
    if first.number == 0:
        return "new"
    change = last.number / first.number - 1
    if change > 9:
        return "× " + number(last.number / first.number, ",.1f")
    return number(change, "+.1%").replace("%", " %").replace("-", "−")


_BOUNDS = Labels(
    {
        "weights": "weights",
        "kv_cache": "kv cache",
        "logits": "logits",
        "activations": "activations",
        "workspace": "workspace",
        "overhead": "overhead",
        "positions": "positions",
        "recorded_range": "recorded range",
    }
)


def _bound_text(bound_by: str) -> str:
    return str(_BOUNDS.get(bound_by, bound_by.replace("_", " ")))
