"""What the parts of ``make bench-accuracy`` have in common: goals, sections, tables, and work in two processes."""

import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any, TypeVar

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
PROCESSES = 2

Item = TypeVar("Item")
Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class Goal:
    """One line of the table at the top; ``met`` is ``None`` for a time, which depends on the machine and is read."""

    measure: str
    goal: str
    found: str
    met: bool | None


@dataclass(frozen=True, slots=True)
class Section:
    """What one part found: its goals, its tables for people, and the same as data."""

    goals: list[Goal]
    text: str
    rows: Any


def in_two_processes(work: Callable[[Item], Found], items: Sequence[Item]) -> list[Found]:
    """``work`` of every item, in their order, in fresh processes of one thread each."""
    os.environ["OMP_NUM_THREADS"] = "1"
    with ProcessPoolExecutor(PROCESSES, mp_context=get_context("spawn")) as pool:
        return list(pool.map(work, items))


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines) + "\n"


def percent(value: float | None, digits: int = 4) -> str:
    """A fraction in per cent; a dash for none."""
    return "-" if value is None else f"{value:.{digits}%}"


def goals_table(goals: Iterable[Goal]) -> str:
    """The table of goals: what was measured, what was wanted, what was found, and whether it is met."""
    verdict = {True: "yes", False: "NO", None: "read it"}
    return table(
        ["measure", "goal", "found", "met"], ((g.measure, g.goal, g.found, verdict[g.met]) for g in goals)
    )


def is_missed(goals: Iterable[Goal]) -> bool:
    """Whether a goal that does not depend on the machine is missed."""
    return any(goal.met is False for goal in goals)
