"""A trace of allocations (rocprofv3's ``--memory-allocation-trace`` as CSV), in memory bounded by what is live.

Rows of frees carry neither size nor agent, so that what each address holds is kept until it is freed.  Rows are taken
in the order of the file.  ``Agent`` is rocprofv3's number: mostly 0 is the CPU, and GPUs follow.
"""

import csv
import io
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import BinaryIO, TypeAlias

from vramtuner.core.diagnose.read import LogDiagnosis
from vramtuner.core.diagnose.weigh import CauseName, Change, Evidence, Finding
from vramtuner.core.errors import BadInputError
from vramtuner.core.text import printable
from vramtuner.core.units import MIB, format_bytes

HEADER = (
    b'"Kind","Operation","Agent_Id","Allocation_Size","Address"',
    b"Kind,Operation,Agent_Id,Allocation_Size,Address",
)
_MOST_LIVE = 4_000_000
_MOST_MARKS = 64
_LONGEST_ROW = 4096
_LEAST_GROWTH = 64 * MIB
_EVERY = 65_536

Row: TypeAlias = tuple[int, tuple[str, str, int, str]]
"""Its number, and operation, agent, bytes and address; what frees ends in ``FREE`` and needs the address only."""


class LowWater:
    """The least that was live in each stretch of equally many events; stretches grow, so that there are at most 64."""

    def __init__(self) -> None:
        self.marks: list[int] = []
        self._events_each = 1
        self._events = 0

    def add(self, live: int) -> None:
        """Take in what is live after an event."""
        if self._events % self._events_each == 0:
            if len(self.marks) == _MOST_MARKS:
                self.marks = [min(pair) for pair in zip(self.marks[::2], self.marks[1::2], strict=True)]
                self._events_each *= 2
                self._events = 0
            self.marks.append(live)
        self.marks[-1] = min(self.marks[-1], live)
        self._events += 1

    def growth(self) -> int:
        """By how many bytes the least that was live grew over the last three quarters, where it never fell; else 0."""
        late = self.marks[len(self.marks) // 4 : -1]
        rises = all(before <= after for before, after in pairwise(late))
        return late[-1] - late[0] if len(late) >= 8 and rises else 0


class AgentUse:
    """What one agent held over the trace."""

    def __init__(self) -> None:
        self.live = self.peak = self.peak_line = self.largest = self.largest_line = self.count = 0
        self.low = LowWater()

    def take(self, size: int, line: int) -> None:
        """An allocation, or a free where the size is below zero."""
        self.live += size
        self.low.add(self.live)
        if size <= 0:
            return
        self.count += 1
        if size > self.largest:
            self.largest, self.largest_line = size, line
        if self.live > self.peak:
            self.peak, self.peak_line = self.live, line


def is_trace(start: bytes) -> bool:
    """Whether a file that begins so is such a trace."""
    return start.removeprefix(b"\xef\xbb\xbf").startswith(HEADER)


def diagnose_trace(
    stream: BinaryIO, source: str, pool_bytes: int | None = None, on_bytes: Callable[[int], None] | None = None
) -> LogDiagnosis:
    """What a trace says about the memory of each agent, and whether it passes a pool or grows without end.

    Raises
    ------
    BadInputError
        A row is not one of such a trace, or more is live than can be kept.
    """
    return diagnose_rows(_rows(stream, source, on_bytes), source, pool_bytes)


def diagnose_rows(rows: Iterable[Row], source: str, pool_bytes: int | None = None) -> LogDiagnosis:
    """What allocations and frees in the order of time mean, whatever they were read from.

    Raises
    ------
    BadInputError
        More is live than can be kept.
    """
    agents: dict[str, AgentUse] = {}
    held: dict[str, tuple[str, int]] = {}
    for line, (operation, agent, size, address) in rows:
        if operation.endswith("FREE"):
            owner, freed = held.pop(address, ("", 0))
            if owner:
                agents[owner].take(-freed, line)
            continue
        if len(held) >= _MOST_LIVE or len(agents) > 1024:
            raise BadInputError(f"{printable(source)}: more is live at line {line:,} than can be followed")
        if address in held:
            before, old = held.pop(address)
            agents[before].take(-old, line)
        held[address] = agent, size
        agents.setdefault(agent, AgentUse()).take(size, line)
    found = [finding_of(agent, use, pool_bytes) for agent, use in agents.items()]
    found.sort(key=lambda finding: -finding.confidence)
    return LogDiagnosis(source, tuple(found) or (_nothing(),))


def _rows(stream: BinaryIO, source: str, on_bytes: Callable[[int], None] | None) -> Iterator[Row]:
    """The rows with their line numbers; a last one that was cut off is left out."""
    done = 0
    for line, raw in enumerate(iter(lambda: stream.readline(_LONGEST_ROW), b""), 1):
        done += len(raw)
        if on_bytes and line % _EVERY == 0:
            on_bytes(done)
        if line == 1 or not raw.strip():
            continue
        try:
            row = next(csv.reader(io.StringIO(raw.decode("utf-8", "replace"))))
            yield line, (row[1], row[2], int(row[3]), row[4])
        except (ValueError, IndexError, csv.Error) as error:
            if not raw.endswith(b"\n"):
                return
            raise BadInputError(f"{printable(source)}: line {line:,} is no row of an allocation trace") from error


def finding_of(agent: str, use: AgentUse, pool_bytes: int | None) -> Finding:
    """What the use of an agent means: a peak above the pool, growth without end, or nothing of the kind."""
    grown = use.low.growth()
    numbers: dict[str, float] = {
        "peak_bytes": use.peak,
        "largest_allocation_bytes": use.largest,
        "live_at_end_bytes": use.live,
        "allocations": use.count,
    }
    evidence = {use.peak_line: f"{printable(agent)}: {format_bytes(use.peak)} live, the peak"}
    evidence.setdefault(use.largest_line, f"{printable(agent)}: {format_bytes(use.largest)}, the largest allocation")
    changes: tuple[Change, ...] = ()
    if pool_bytes is not None and use.peak > pool_bytes:
        numbers["pool_bytes"] = pool_bytes
        cause, sure, exhausted = CauseName("capacity", "peak_above_pool"), 0.8, True
        summary = f"{printable(agent)} held more than the pool."
        changes = (Change("tokens", "fewer", "cache and activations grow with them"),)
    elif grown >= max(_LEAST_GROWTH, use.peak // 10):
        numbers["grown_bytes"] = grown
        cause, sure, exhausted = CauseName("leak", "growth_over_trace"), 0.6, False
        summary = f"What {printable(agent)} holds at least grows all along: a leak, or a cache without a bound."
        changes = (Change("engine", "a bounded cache; a restart between jobs", "until what grows is found"),)
    else:
        cause, sure, exhausted = CauseName("unknown", "no_failure_traced"), 0.1, False
        summary = f"The trace of {printable(agent)} shows no growth; give --pool to have its peak judged."
    lines = tuple(Evidence(line, text) for line, text in sorted(evidence.items()))
    return Finding(cause, exhausted, sure, summary, numbers, lines, changes)


def _nothing() -> Finding:
    summary = "The trace has no allocations."
    return Finding(CauseName("unknown", "empty_trace"), False, 0.0, summary, {}, (), ())
