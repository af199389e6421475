"""Allocations in a database of rocprofv3 (rocpd, SQLite: what it writes without ``--output-format``).

The tables are those of ROCm/rocm-systems, ``projects/rocprofiler-sdk/source/share/rocprofiler-sdk-rocpd``:
``rocpd_tables.sql`` (3.0) and ``versions/4.1.0/rocpd_tables.sql``; how rows are written, of
``source/lib/output/generateRocpd.cpp``.  Each process has tables of its own, with its identifier behind their names.
``rocpd_memory_allocate`` has a row for each event: ``type`` (ALLOC, FREE; others move nothing), ``level`` (SCRATCH is
no allocation), ``start`` in ns, ``address``, and ``size`` in bytes.  Frees have neither size nor agent, as in the CSV.
The agent is ``agent_id``, since 4.1 that of the row's track.

The file is opened read-only; its views and triggers are not used, and nothing is read that is not a table.
"""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from io import BufferedReader
from pathlib import Path

from vramtuner.core.diagnose.read import LogDiagnosis
from vramtuner.core.diagnose.trace import Row, diagnose_rows
from vramtuner.core.errors import AppError, BadInputError
from vramtuner.core.text import printable

START = b"SQLite format 3\0"
_EVENTS = "rocpd_memory_allocate"
_AGENTS = "rocpd_info_agent"
_TRACKS = "rocpd_track"
_MOST_TABLES = 1024
_MOST_STEPS = 20_000  # each of a million of SQLite's own steps; a row takes some twenty
_STEPS_EACH = 1_000_000
_EVERY = 65_536
_LONGEST_VALUE = 1 << 20


def is_database(start: bytes) -> bool:
    """Whether a file that begins so is of SQLite."""
    return start.startswith(START)


def diagnose_database(
    stream: BufferedReader, source: str, pool_bytes: int | None = None, on_bytes: Callable[[int], None] | None = None
) -> LogDiagnosis:
    """What a database says about the memory of each agent; the number of a row in time stands for that of a line.

    Raises
    ------
    BadInputError
        It is no such database, broken, not a file, or longer than can be followed.
    """
    name = getattr(stream, "name", None)
    if not isinstance(name, str | Path):
        raise BadInputError(f"{printable(source)}: a database is read from its file; name that instead")
    watch = _Watch(Path(name).stat().st_size, on_bytes)
    try:
        with closing(_opened(Path(name), watch)) as database:
            return diagnose_rows(_rows(database, source, watch), source, pool_bytes)
    except (sqlite3.Error, OverflowError) as error:
        if watch.stopped_by:
            raise watch.stopped_by from error
        reason = "it takes too long to read" if watch.steps > _MOST_STEPS else printable(str(error))
        raise BadInputError(f"{printable(source)} cannot be read as a database of rocprofv3: {reason}") from error


class _Watch:
    """Ends a query that takes for ever, or whose reader has been told to stop; tells how far it is."""

    def __init__(self, size: int, on_bytes: Callable[[int], None] | None) -> None:
        self.steps = self._done = 0
        self.stopped_by: AppError | None = None
        self._size, self._on_bytes = size, on_bytes

    def __call__(self) -> int:
        self.steps += 1
        try:
            if self._on_bytes:
                self._on_bytes(self._done)
        except AppError as error:  # SQLite would swallow it
            self.stopped_by = error
        return int(self.stopped_by is not None or self.steps > _MOST_STEPS)

    def at(self, row: int, rows: int) -> None:
        """A row of so many was read."""
        self._done = self._size * row // max(rows, 1)
        if self._on_bytes:
            self._on_bytes(self._done)


def _opened(path: Path, watch: _Watch) -> sqlite3.Connection:
    database = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
    database.set_progress_handler(watch, _STEPS_EACH)
    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_VALUE)
    database.text_factory = lambda data: data.decode("utf-8", "replace")
    database.execute("PRAGMA trusted_schema = OFF")
    return database


def _rows(database: sqlite3.Connection, source: str, watch: _Watch) -> Iterator[Row]:
    """The events of all processes, those of each in the order of time."""
    tables = _tables(database)
    events = [name for name in tables if name.startswith(_EVENTS)]
    if not events:
        raise BadInputError(
            f"{printable(source)} is a database without allocations; record with rocprofv3 --memory-allocation-trace"
        )
    rows = sum(database.execute(f"SELECT count(*) FROM {_quoted(name)}").fetchone()[0] for name in events)
    number = 0
    for name in events:
        suffix = name.removeprefix(_EVENTS)
        agents = _agents(database, _AGENTS + suffix) if _AGENTS + suffix in tables else {}
        for kind, agent, size, address in database.execute(_query(database, name, _TRACKS + suffix)):
            number += 1
            if number % _EVERY == 0:
                watch.at(number, rows)
            if kind not in ("ALLOC", "FREE"):
                continue
            if not isinstance(size, int) or size < 0:
                raise BadInputError(f"{printable(source)}: row {number:,} has no size")
            yield number, (kind, agents.get(agent, f"Agent id {agent}"), size, f"{suffix}:{address}")


def _tables(database: sqlite3.Connection) -> list[str]:
    """Names of real tables; a virtual one would run code of an extension."""
    query = (
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'rocpd%'"
        f" AND sql LIKE 'CREATE TABLE%' ORDER BY rowid LIMIT {_MOST_TABLES}"
    )
    return [name for (name,) in database.execute(query)]


def _agents(database: sqlite3.Connection, table: str) -> dict[int, str]:
    """What agents are called: rocprofv3's number, as in its CSV, and what kind of device it is."""
    query = f"SELECT id, absolute_index, type, name FROM {_quoted(table)} LIMIT 4096"
    return {
        number: f"Agent {index} ({printable(f'{kind} {name}', 60)})"
        for number, index, kind, name in database.execute(query)
    }


def _query(database: sqlite3.Connection, events: str, tracks: str) -> str:
    columns = {row[1] for row in database.execute(f"PRAGMA table_info({_quoted(events)})")}
    agent, joined = "E.agent_id", ""
    if "agent_id" not in columns:
        agent, joined = "T.agent_id", f"LEFT JOIN {_quoted(tracks)} T ON T.id = E.track_id"
    return (
        f"SELECT E.type, {agent}, E.size, E.address FROM {_quoted(events)} E {joined}"
        " WHERE E.level IS NOT 'SCRATCH' ORDER BY E.start, E.id"
    )


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
