"""Traces of allocations: peaks, growth and pools, from rows in rocprofv3's format."""

import io
from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vramtuner.core.diagnose import Finding
from vramtuner.core.diagnose.trace import LowWater, diagnose_trace, is_trace
from vramtuner.core.errors import BadInputError
from vramtuner.core.units import GIB, MIB

HEADER = (
    '"Kind","Operation","Agent_Id","Allocation_Size","Address","Correlation_Id","Start_Timestamp","End_Timestamp"\n'
)


def allocate(address: int, size: int, agent: int = 1) -> str:
    return f'"MEMORY_ALLOCATION","MEMORY_ALLOCATION_ALLOCATE","Agent {agent}",{size},"0x{address:016x}",1,10,20\n'


def free(address: int) -> str:
    return f'"MEMORY_ALLOCATION","MEMORY_ALLOCATION_FREE","",0,"0x{address:016x}",1,10,20\n'


def findings(rows: Iterable[str], pool: int | None = None) -> tuple[Finding, ...]:
    return diagnose_trace(io.BytesIO((HEADER + "".join(rows)).encode()), "a trace", pool).findings


def test_the_header_tells_a_trace() -> None:
    assert is_trace(HEADER.encode())
    assert is_trace(b"\xef\xbb\xbf" + HEADER.encode())
    assert not is_trace(b'"Domain","Function","Process_Id"\n')
    assert not is_trace(b"")


def test_frees_without_a_size_are_found_by_their_address() -> None:
    rows = [allocate(1, 3 * MIB), allocate(2, 5 * MIB), free(1), allocate(1, 2 * MIB), free(2), free(99)]
    (found,) = findings(rows)
    assert found.numbers == {
        "peak_bytes": 8 * MIB, "largest_allocation_bytes": 5 * MIB, "live_at_end_bytes": 2 * MIB, "allocations": 3,
    }  # fmt: skip
    assert [entry.line for entry in found.evidence] == [3]
    assert not found.vram_exhausted


def test_agents_are_kept_apart() -> None:
    found = findings([allocate(1, MIB, agent=1), allocate(2, 2 * MIB, agent=2)])
    assert sorted(finding.numbers["peak_bytes"] for finding in found) == [MIB, 2 * MIB]


def test_a_peak_above_the_pool_is_named() -> None:
    rows = [allocate(1, 6 * GIB), allocate(2, 3 * GIB), free(1)]
    assert findings(rows, pool=8 * GIB)[0].cause.category == "peak_above_pool"
    assert findings(rows, pool=9 * GIB)[0].cause.family == "unknown"


def test_what_grows_all_along_is_a_leak_and_what_comes_and_goes_is_not() -> None:
    grows = [row for n in range(400) for row in (allocate(n, MIB), allocate(9999, 64 * MIB), free(9999))]
    steady = [row for n in range(400) for row in (allocate(n, 64 * MIB), free(n))]
    assert findings(grows)[0].cause.family == "leak"
    assert findings(steady)[0].cause.family == "unknown"


def test_marks_are_bounded_however_long_a_trace_is() -> None:
    low = LowWater()
    for n in range(100_000):
        low.add(n)
    assert len(low.marks) <= 64
    assert low.marks[0] == 0


def test_a_last_row_that_was_cut_off_is_left_out() -> None:
    (found,) = findings([allocate(1, MIB), allocate(2, MIB)[:30]])
    assert found.numbers["allocations"] == 1


def test_a_row_of_another_kind_is_named() -> None:
    with pytest.raises(BadInputError, match="line 2"):
        findings(["something else\n", allocate(1, MIB)])


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 5), st.integers(0, 2**40)), max_size=60))
@settings(max_examples=100, deadline=None)
def test_the_peak_is_that_of_a_plain_count(events: list[tuple[bool, int, int]]) -> None:
    live: dict[int, int] = {}
    peak = 0
    for is_free, address, size in events:
        if is_free:
            live.pop(address, None)
        else:
            live[address] = size
        peak = max(peak, sum(live.values()))
    found = findings(free(address) if is_free else allocate(address, size) for is_free, address, size in events)
    if any(not is_free for is_free, _, _ in events):
        assert found[0].numbers["peak_bytes"] == peak
        assert found[0].numbers["live_at_end_bytes"] == sum(live.values())


@given(st.binary(max_size=600))
@settings(max_examples=100, deadline=None)
def test_any_bytes_end_in_findings_or_one_error(junk: bytes) -> None:
    try:
        assert diagnose_trace(io.BytesIO(HEADER.encode() + junk), "junk").findings
    except BadInputError as error:
        assert "\n" not in str(error)
