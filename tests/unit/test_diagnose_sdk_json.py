"""JSON of rocprofv3, made here with the fields of rocprofiler-sdk."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vramtuner.core.diagnose import Finding, diagnose, has_lines
from vramtuner.core.diagnose.sdk_json import diagnose_sdk_json, is_sdk_json
from vramtuner.core.errors import BadInputError
from vramtuner.core.units import GIB, MIB

Json = dict[str, Any]
AGENTS = [
    {"size": 304, "id": {"handle": 900}, "type": 1, "node_id": 0, "name": "host"},
    {"size": 304, "id": {"handle": 901}, "type": 2, "node_id": 1, "name": "gfx1100"},
]


def record(operation: int, start: int, address: int, size: int = 0, agent: int = 0) -> Json:
    return {
        "size": 88, "kind": 23, "operation": operation, "thread_id": 7, "correlation_id": {"internal": 3},
        "start_timestamp": start, "end_timestamp": start + 4, "agent_id": {"handle": agent},
        "address": f"0x{address:016x}", "allocation_size": size,
    }  # fmt: skip


def text(*processes: list[Json]) -> bytes:
    entries = [
        {
            "metadata": {"pid": 5},
            "agents": AGENTS,
            "buffer_records": {"hip_api": [{"kind": 1}], "memory_allocation": of},
        }
        for of in processes
    ]
    return json.dumps({"rocprofiler-sdk-tool": entries}, indent=0).encode()


def findings(data: bytes, pool: int | None = None) -> tuple[Finding, ...]:
    return diagnose_sdk_json(io.BytesIO(data), "JSON", pool).findings


RECORDS = [
    record(3, 40, 4096), record(1, 10, 4096, 6 * GIB, 901), record(2, 20, 8192, 3 * GIB, 901),
    record(1, 15, 64, 5 * MIB, 900), record(9, 30, 1, 90 * GIB, 901),
]  # fmt: skip


def test_records_are_taken_in_the_order_of_time() -> None:
    found = {finding.evidence[0].text.split(":")[0]: finding for finding in findings(text(RECORDS))}
    assert found["Agent 1 (gfx1100)"].numbers == {
        "peak_bytes": 9 * GIB, "largest_allocation_bytes": 6 * GIB, "live_at_end_bytes": 3 * GIB, "allocations": 2,
    }  # fmt: skip
    assert found["Agent 0 (host)"].numbers["peak_bytes"] == 5 * MIB


def test_processes_with_the_same_addresses_are_kept_apart() -> None:
    one = [record(1, 10, 4096, MIB, 901)]
    assert findings(text(one, one))[0].numbers["peak_bytes"] == 2 * MIB


def test_it_is_recognised_by_its_content_and_judged_by_a_pool(tmp_path: Path) -> None:
    path = tmp_path / "named.anyhow"
    path.write_bytes(text(RECORDS))
    with path.open("rb") as stream:
        assert not has_lines(stream)
        assert diagnose(stream, "named", 8 * GIB).findings[0].cause.category == "peak_above_pool"
    assert not is_sdk_json(b'{"level": "error"}\n')


def test_nothing_traced_is_told() -> None:
    assert findings(b'{"rocprofiler-sdk-tool": [{}]}')[0].cause.category == "empty_trace"


@pytest.mark.parametrize(
    "data",
    [
        text(RECORDS)[:-30],
        text([record(1, 1, 1, -5, 901)]),
        b'{"rocprofiler-sdk-tool": 4}',
        b'{"rocprofiler-sdk-tool": ' + b"[" * 100_000,
        text([{"operation": 1}]),
    ],
    ids=["cut off", "no size", "another kind", "deep", "fields missing"],
)
def test_what_is_broken_is_one_line(data: bytes) -> None:
    with pytest.raises(BadInputError) as caught:
        findings(data)
    assert "\n" not in str(caught.value)


@given(st.data())
@settings(max_examples=100, deadline=None)
def test_any_damage_ends_in_findings_or_one_error(data: st.DataObject) -> None:
    damaged = bytearray(text(RECORDS))
    for _ in range(data.draw(st.integers(1, 4))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    try:
        assert findings(bytes(damaged))
    except BadInputError as error:
        assert "\n" not in str(error)
