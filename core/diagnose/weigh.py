"""What the lines of a failure mean together: every cause whose conditions hold, weighed, most certain first."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from vramtuner.core.diagnose.rules import CONDITION, Amount, Cause, RuleBook

if TYPE_CHECKING:
    from vramtuner.core.diagnose.read import Gathered

_HINT = 0.05
_SURE = 0.8
_THIN = 0.3
_MOST_EVIDENCE = 12
_MOST_CANDIDATES = 2


class CauseName(msgspec.Struct, frozen=True):
    """What kind of cause it is; the families are fixed, categories may be added."""

    family: str
    category: str


class Evidence(msgspec.Struct, frozen=True):
    """A line of the log, counted from 1."""

    line: int
    text: str


class Change(msgspec.Struct, frozen=True):
    """One change that would have avoided the failure, and why."""

    lever: str
    value: str
    why: str


class Finding(msgspec.Struct, frozen=True):
    """One cause with what speaks for it.

    ``vram_exhausted`` says whether the cause is one of device memory that is used up; ``confidence`` is from 0 to 1, a
    rank and no probability.  ``numbers`` are as printed, sizes in bytes under names that end in ``_bytes``; a number
    with several values has the first under its name and the others under the name with ``_2``, ``_3``, …
    """

    cause: CauseName
    vram_exhausted: bool
    confidence: float
    summary: str
    numbers: dict[str, float]
    evidence: tuple[Evidence, ...]
    changes: tuple[Change, ...]
    tell: str = ""


_UNKNOWN = Finding(
    CauseName("unknown", "nothing_recognised"), False, 0.0,
    "I cannot tell: no line here is one that says why something failed.", {}, (), (),
    "the lines from a minute before the failure to its end, with standard error; and the kernel's log (`dmesg`)",
)  # fmt: skip


def findings_of(book: RuleBook, context: Gathered, episodes: Sequence[Gathered]) -> tuple[Finding, ...]:
    """The findings of a log, most certain first; of a cause found several times, the most certain one.

    Lines that belong to no failure say something alone only where nothing failed.
    """
    best: dict[tuple[str, str], Finding] = {}
    found = [finding for episode in episodes for finding in _of_episode(book, context, episode)]
    for finding in found or _of_episode(book, context, None):
        name = (finding.cause.family, finding.cause.category)
        if name not in best or finding.confidence > best[name].confidence:
            best[name] = finding
    return tuple(sorted(best.values(), key=lambda finding: -finding.confidence)) or (_UNKNOWN,)


def _of_episode(book: RuleBook, context: Gathered, episode: Gathered | None) -> list[Finding]:
    seen = context.seen.keys() | (episode.seen.keys() if episode else set())
    printed = _together(episode.numbers if episode else {}, context.numbers)
    numbers = with_derived({name: values[0].value for name, values in printed.items()})
    weighed: list[tuple[float, Cause, frozenset[str]]] = []
    for cause in book.causes:
        failing = frozenset(
            book.group(name)
            for need in cause.needs
            for name in need.split("|")
            if name in seen and book.by_id[name].fails
        )
        if (episode is None or failing) and _holds(cause, seen, numbers):
            sure = cause.confidence + _HINT * sum(_met(hint, seen) for hint in cause.hints)
            weighed.append((min(0.99, round(sure, 2)), cause, failing))
    weighed.sort(key=lambda entry: -entry[0])
    gathered = [part for part in (episode, context) if part]
    return [_finding(cause, sure, printed, gathered) for sure, cause in _chosen(weighed, alone=episode is None)]


def _chosen(weighed: list[tuple[float, Cause, frozenset[str]]], alone: bool) -> list[tuple[float, Cause]]:
    """The best cause for each failure, and others where that one is thin."""
    chosen: list[tuple[float, Cause]] = []
    explained: dict[str, float] = {}
    candidates = 0
    for sure, cause, failing in weighed:
        groups = failing or frozenset(("",))
        others = {known.family for _, known in chosen}
        if not groups <= explained.keys():
            chosen.append((sure, cause))
        elif (
            candidates < _MOST_CANDIDATES and sure >= _THIN and cause.family not in others
            and max(explained[group] for group in groups) < _SURE and not alone
        ):  # fmt: skip
            chosen.append((sure, cause))
            candidates += 1
        for group in groups:
            explained.setdefault(group, sure)
    return chosen


def _met(need: str, seen: Iterable[str]) -> bool:
    return any(name in seen for name in need.split("|"))


def _holds(cause: Cause, seen: set[str], numbers: Mapping[str, float]) -> bool:
    return (
        all(_met(need, seen) for need in cause.needs)
        and not any(_met(need, seen) for need in cause.without)
        and all(compares(condition, numbers) for condition in cause.where)
    )


def compares(condition: str, numbers: Mapping[str, float]) -> bool:
    """Whether a comparison such as ``outside >= 0.12 * total`` holds; one with a number that is not there does not."""
    match = CONDITION.fullmatch(condition)
    if match is None:
        return False
    left, right = numbers.get(match[1]), 1.0 if match[4] is None else numbers.get(match[4])
    if left is None or right is None:
        return False
    right *= float(match[3] or 1)
    return {"<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right}[match[2]]


def with_derived(numbers: Mapping[str, float]) -> dict[str, float]:
    """The numbers under short names (sizes without ``_bytes``), with what follows from them.

    ``outside`` is what is neither free nor the allocator's, so held by another process, a library or the driver.
    """
    values = {name.removesuffix("_bytes"): value for name, value in numbers.items()}
    allocated, reserved = values.get("allocated"), values.get("reserved")
    if "reserved_unallocated" not in values and allocated is not None and reserved is not None:
        values["reserved_unallocated"] = max(0.0, reserved - allocated)
    if {"total", "free", "allocated", "reserved_unallocated"} <= values.keys():
        values["outside"] = values["total"] - values["free"] - values["allocated"] - values["reserved_unallocated"]
    if {"required", "free"} <= values.keys():
        values["short"] = values["required"] - values["free"]
    return {name: value for name, value in values.items() if math.isfinite(value)}


def _together(first: Mapping[str, list[Amount]], second: Mapping[str, list[Amount]]) -> dict[str, tuple[Amount, ...]]:
    return {
        name: tuple(first.get(name, ()) or second[name]) for name in [*first, *(n for n in second if n not in first)]
    }


def _finding(
    cause: Cause, sure: float, printed: Mapping[str, tuple[Amount, ...]], gathered: Sequence[Gathered]
) -> Finding:
    named = {name for need in (*cause.needs, *cause.hints) for name in need.split("|")}
    numbers = {
        name if place == 0 else f"{name}_{place + 1}": amount.value
        for name, values in printed.items()
        for place, amount in enumerate(values)
    }
    lines: dict[int, str] = {}
    for wanted in (True, False):
        for part in gathered:
            for rule, seen in part.seen.items():
                if (rule in named) is wanted:
                    for entry in seen[:3]:
                        if len(lines) < _MOST_EVIDENCE:
                            lines.setdefault(entry.line, entry.text)
    return Finding(
        CauseName(cause.family, cause.category), cause.vram_exhausted, sure, cause.summary, numbers,
        tuple(Evidence(line, lines[line]) for line in sorted(lines)), _changes(cause, numbers), cause.tell,
    )  # fmt: skip


def _changes(cause: Cause, numbers: Mapping[str, float]) -> tuple[Change, ...]:
    """The changes with their numbers filled in; one without a number gives way to one of its lever that has it."""
    found, exact = [], set()
    for change in cause.changes:
        if "{" not in change.value and change.lever in exact:
            continue
        try:
            found.append(Change(change.lever, change.value.format_map(_Whole(numbers)), change.why))
        except KeyError:
            continue
        if "{" in change.value:
            exact.add(change.lever)
    return tuple(found)


class _Whole(dict[str, str]):
    """Numbers as they are typed: whole where they are whole."""

    def __init__(self, numbers: Mapping[str, float]) -> None:
        super().__init__(
            {name: f"{value:.0f}" if value == int(value) else f"{value:g}" for name, value in numbers.items()}
        )
