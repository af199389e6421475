"""What the parts of ``make bench-accuracy`` have in common: goals, sections, tables, and work in two processes."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
PROCESSES = 2

Item = TypeVar("Item")
Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class Goal:
    """One line of the table at the top.

    ``met`` is ``None`` for a time, which depends on the machine and is read, and for what was ``left_out``.
    """

    measure: str
    goal: str
    found: str
    met: bool | None
    left_out: bool = False


@dataclass(frozen=True, slots=True)
class Section:
    """What one part found: its goals, its tables for people, and the same as data."""

    goals: list[Goal]
    text: str
    rows: Any


def in_two_processes(work: Callable[[Item], Found], items: Sequence[Item]) -> list[Found]:
    """``work`` of every item, in their order, in fresh processes of one thread each; told on standard error."""
    spawn = get_context("spawn")
    with _environment("OMP_NUM_THREADS", "1"), ProcessPoolExecutor(PROCESSES, mp_context=spawn) as pool:
        found: list[Found] = []
        for result in pool.map(work, items):
            found.append(result)
            sys.stderr.write(f"\r{len(found)} of {len(items)} ")
        return found


@contextmanager
def own_cache() -> Iterator[None]:
    """Tapes are kept in a folder that is empty at first and ends with the body: none from another day counts."""
    with TemporaryDirectory() as folder, _environment("XDG_CACHE_HOME", folder):
        yield


@contextmanager
def _environment(name: str, value: str) -> Iterator[None]:
    """A variable, for this process and those that it starts meanwhile."""
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        del os.environ[name]
        if before is not None:
            os.environ[name] = before


def show(section: Callable[[], Section]) -> int:
    """Run one part alone and print it; 1 if a goal is missed."""
    with own_cache():
        found = section()
    sys.stdout.write(f"{found.text}\n{goals_table(found.goals)}")
    return 1 if is_missed(found.goals) else 0


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
        ["measure", "goal", "found", "met"],
        ((g.measure, g.goal, g.found, "left out" if g.left_out else verdict[g.met]) for g in goals),
    )


def is_missed(goals: Iterable[Goal]) -> bool:
    """Whether a goal that does not depend on the machine is missed."""
    return any(goal.met is False for goal in goals)
