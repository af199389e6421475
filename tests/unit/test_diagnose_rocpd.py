"""Databases of rocprofv3, made here with the tables of rocpd 3 and 4 (the columns that matter), and broken ones."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from io import BufferedReader, BytesIO
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vramtuner.core.diagnose import Finding, diagnose, has_lines
from vramtuner.core.errors import BadInputError, CancelledError
from vramtuner.core.units import GIB, MIB

SUFFIX = "_0000a1b2_c3d4"
AGENTS = "id INTEGER PRIMARY KEY, guid TEXT, type TEXT, absolute_index INTEGER, name TEXT"
COMMON = (
    "id INTEGER PRIMARY KEY, guid TEXT, type TEXT, level TEXT, start BIGINT, end BIGINT, address INTEGER, size INTEGER"
)
Row = tuple[str, str, int, int | None, int, int]
"""Type, level, start, agent, address, size."""


def made(path: Path, rows: Sequence[Row], suffix: str = SUFFIX, tracks: bool = False) -> Path:
    """A database with such rows; with ``tracks`` the agent is that of a track, as since 4.1."""
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(f'CREATE TABLE "rocpd_info_agent{suffix}" ({AGENTS})')
        database.executemany(
            f'INSERT INTO "rocpd_info_agent{suffix}" VALUES (?, ?, ?, ?, ?)',
            [(1, "g", "CPU", 0, "host"), (2, "g", "GPU", 1, "gfx1100")],
        )
        agent = "track_id" if tracks else "agent_id"
        database.execute(f'CREATE TABLE "rocpd_memory_allocate{suffix}" ({COMMON}, {agent} INTEGER)')
        if tracks:
            database.execute(f'CREATE TABLE "rocpd_track{suffix}" (id INTEGER PRIMARY KEY, agent_id INTEGER)')
            database.executemany(f'INSERT INTO "rocpd_track{suffix}" VALUES (?, ?)', [(71, 1), (72, 2), (79, None)])
        for kind, level, start, number, address, size in rows:
            held = (70 + number if number else 79) if tracks else number
            database.execute(
                f'INSERT INTO "rocpd_memory_allocate{suffix}" (type, level, start, end, address, size, {agent})'
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                (kind, level, start, start + 5, address, size, held),
            )
    return path


def findings(path: Path, pool: int | None = None) -> tuple[Finding, ...]:
    with path.open("rb") as stream:
        return diagnose(stream, path.name, pool).findings


ROWS: tuple[Row, ...] = (
    ("FREE", "REAL", 40, None, 4096, 0),
    ("ALLOC", "REAL", 10, 2, 4096, 6 * GIB),
    ("ALLOC", "VIRTUAL", 20, 2, 8192, 3 * GIB),
    ("ALLOC", "SCRATCH", 30, 2, 12288, 90 * GIB),
    ("REALLOC", "REAL", 35, 2, 8192, 50 * GIB),
    ("ALLOC", "REAL", 15, 1, 4, 5 * MIB),
)


@pytest.mark.parametrize("tracks", [False, True], ids=["rocpd 3", "rocpd 4"])
@pytest.mark.parametrize("suffix", [SUFFIX, "", '_""odd'], ids=["long", "none", "with a quote"])
def test_rows_are_taken_in_the_order_of_time(tmp_path: Path, suffix: str, tracks: bool) -> None:
    found = {
        finding.evidence[0].text.split(":")[0]: finding
        for finding in findings(made(tmp_path / "a", ROWS, suffix, tracks))
    }
    gpu, host = found["Agent 1 (GPU gfx1100)"], found["Agent 0 (CPU host)"]
    assert gpu.numbers == {
        "peak_bytes": 9 * GIB, "largest_allocation_bytes": 6 * GIB, "live_at_end_bytes": 3 * GIB, "allocations": 2,
    }  # fmt: skip
    assert host.numbers["peak_bytes"] == 5 * MIB


def test_processes_with_the_same_addresses_are_kept_apart(tmp_path: Path) -> None:
    path = made(tmp_path / "two", [("ALLOC", "REAL", 1, 2, 4096, MIB)], "_one")
    made(path, [("ALLOC", "REAL", 1, 2, 4096, MIB)], "_two")
    assert findings(path)[0].numbers["peak_bytes"] == 2 * MIB


def test_it_is_recognised_by_its_content_and_judged_by_a_pool(tmp_path: Path) -> None:
    path = made(tmp_path / "named.anyhow", ROWS)
    with path.open("rb") as stream:
        assert not has_lines(stream)
    assert findings(path, pool=8 * GIB)[0].cause.category == "peak_above_pool"


def test_a_database_of_another_program_says_how_to_record_one(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE bookmarks (name TEXT)")
        database.execute("CREATE VIEW rocpd_memory_allocate AS SELECT name FROM bookmarks")
    with pytest.raises(BadInputError, match="--memory-allocation-trace"):
        findings(path)


def test_a_row_without_a_size_and_a_table_without_columns_are_told(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="row 1 has no size"):
        findings(made(tmp_path / "sizes", [("ALLOC", "REAL", 1, 2, 4096, -5)]))
    path = tmp_path / "columns"
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE rocpd_memory_allocate (name TEXT)")
    with pytest.raises(BadInputError, match="cannot be read as a database of rocprofv3"):
        findings(path)


def test_the_file_is_not_written_to(tmp_path: Path) -> None:
    path = made(tmp_path / "kept.db", ROWS)
    before = path.read_bytes()
    findings(path)
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["kept.db"]


def test_who_stops_the_reading_is_heard(tmp_path: Path) -> None:
    path = made(tmp_path / "long.db", [("ALLOC", "REAL", n, 2, n, 1) for n in range(70_000)])

    def stop(_: int) -> None:
        raise CancelledError("stopped")

    with path.open("rb") as stream, pytest.raises(CancelledError):
        diagnose(stream, "long", on_bytes=stop)


@given(st.data())
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_damage_ends_in_findings_or_one_error(tmp_path: Path, data: st.DataObject) -> None:
    whole = tmp_path / "whole.db"
    damaged = bytearray((whole if whole.exists() else made(whole, ROWS)).read_bytes())
    for _ in range(data.draw(st.integers(1, 6))):
        damaged[data.draw(st.integers(16, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    path = tmp_path / "damaged.db"
    path.write_bytes(damaged[: data.draw(st.integers(16, len(damaged)))])
    try:
        assert findings(path)
    except BadInputError as error:
        assert "\n" not in str(error)


def test_a_pipe_cannot_carry_it() -> None:
    with pytest.raises(BadInputError, match="read from its file"):
        diagnose(BufferedReader(BytesIO(b"SQLite format 3\0" + bytes(500))), "-")
