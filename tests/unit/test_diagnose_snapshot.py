"""Memory snapshots of PyTorch: pickles written here with the structure of torch 2.14, and pickles that are traps."""

import io
import os
import pickle
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vramtuner.core.diagnose import Finding, diagnose, has_lines
from vramtuner.core.diagnose.pickled import read_pickle
from vramtuner.core.diagnose.snapshot import diagnose_snapshot, is_snapshot
from vramtuner.core.errors import BadInputError
from vramtuner.core.units import GIB, MIB

TORCH = {"filename": "/opt/lib/torch/nn/modules/linear.py", "line": 134, "name": "forward"}
NATIVE = {"filename": "??", "line": 0, "name": "c10::CachingAllocator::malloc"}
Json = dict[str, Any]


def event(action: str, address: int, size: int, line: int = 7) -> Json:
    frames = [NATIVE, TORCH, {"filename": "app.py", "line": line, "name": "attend"}]
    place = "device_free" if action == "oom" else "addr"
    return {"action": action, place: address, "size": size, "stream": 0, "time_us": 5, "frames": frames}


def segment(address: int, total: int, blocks: Sequence[tuple[int, int, str]] = ()) -> Json:
    held = [
        {"address": at, "size": size, "requested_size": size, "state": state, "frames": []}
        for at, size, state in blocks
    ]  # fmt: skip
    return {"device": 0, "address": address, "total_size": total, "segment_type": "large", "blocks": held}


def dumped(events: list[Json], segments: list[Json] | None = None, protocol: int = 4) -> bytes:
    whole: Json = {
        "segments": segments or [],
        "device_traces": [events],
        "allocator_settings": {"max_split_size": -1, "garbage_collection_threshold": 0.5, "roundup": {1: 0}},
        "external_annotations": [],
    }
    return pickle.dumps(whole, protocol=protocol)


def finding(data: bytes, pool: int | None = None) -> Finding:
    (found,) = diagnose_snapshot(io.BytesIO(data), "a snapshot", pool).findings
    return found


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_the_peak_and_who_held_it(protocol: int) -> None:
    events = [
        event("segment_alloc", 0, 20 * MIB), event("alloc", 0, 8 * MIB, line=3),
        event("alloc", 8 * MIB, 4 * MIB, line=9), event("free_requested", 0, 8 * MIB),
        event("free_completed", 0, 8 * MIB), event("alloc", 0, 2 * MIB),
    ]  # fmt: skip
    segments = [segment(0, 20 * MIB, [(0, 2 * MIB, "active_allocated"), (8 * MIB, 4 * MIB, "active_allocated")])]
    data = dumped(events, segments, protocol)
    assert is_snapshot(data[:256])
    found = finding(data)
    assert found.numbers["peak_bytes"] == 12 * MIB
    assert found.numbers["peak_reserved_bytes"] == 20 * MIB
    assert found.numbers["live_at_end_bytes"] == 6 * MIB
    told = [entry.text for entry in found.evidence if entry.line == 3]
    assert any("8.0 MiB from app.py:3 attend" in text for text in told)
    assert any("4.0 MiB from app.py:9 attend" in text for text in told)


def test_a_stack_that_events_share_names_the_same_site_for_each() -> None:
    first = event("alloc", 0, MIB, line=3)
    told = [entry.text for entry in finding(dumped([first, {**first, "addr": MIB}])).evidence]
    assert any("2.0 MiB from app.py:3 attend" in text for text in told)


def test_what_was_held_before_the_ring_begins_is_counted() -> None:
    kept = [segment(0, 64 * MIB, [(0, 30 * MIB, "active_allocated"), (30 * MIB, 34 * MIB, "inactive")])]
    found = finding(dumped([event("free_completed", 40 * MIB, 10 * MIB), event("alloc", 50 * MIB, 0)], kept))
    assert found.numbers["peak_bytes"] == 40 * MIB
    assert found.numbers["live_at_end_bytes"] == 30 * MIB
    assert found.numbers["peak_reserved_bytes"] == 64 * MIB


def test_a_snapshot_without_history_tells_what_is_held() -> None:
    found = finding(dumped([], [segment(0, 20 * MIB, [(0, 6 * MIB, "active_allocated")])]))
    assert (found.numbers["peak_bytes"], found.numbers["peak_reserved_bytes"]) == (6 * MIB, 20 * MIB)
    assert not found.evidence and "_record_memory_history" in found.tell
    assert finding(dumped([])).cause.category == "empty_trace"


def oom(reserved: int, allocated: int, requested: int, free: int) -> Finding:
    events = [event("segment_alloc", 0, reserved), event("alloc", 0, allocated), event("oom", free, requested, line=21)]
    return finding(dumped(events, [segment(0, reserved, [(0, allocated, "active_allocated")])]))


def test_memory_in_pieces_is_fragmentation() -> None:
    found = oom(reserved=10 * GIB, allocated=7 * GIB, requested=2 * GIB, free=GIB)
    assert (found.cause.family, found.vram_exhausted) == ("fragmentation", True)
    assert found.numbers["requested_bytes"] == 2 * GIB
    assert found.numbers["free_bytes"] == GIB
    assert found.numbers["reserved_unallocated_bytes"] == 3 * GIB
    assert any("did not fit, from app.py:21 attend" in entry.text for entry in found.evidence)


def test_a_full_device_is_capacity_and_a_limit_is_not() -> None:
    assert oom(10 * GIB, 10 * GIB, 2 * GIB, GIB).cause.family == "capacity"
    found = oom(10 * GIB, 10 * GIB, 2 * GIB, 6 * GIB)
    assert (found.cause.family, found.vram_exhausted) == ("limit_not_capacity", False)
    # 5 MiB take a segment of 20 MiB, so that 6 MiB free are not enough.
    assert oom(GIB, GIB, 5 * MIB, 6 * MIB).cause.family == "capacity"


def test_a_peak_is_judged_by_a_pool() -> None:
    data = dumped([event("alloc", 0, 9 * GIB)])
    assert finding(data, pool=8 * GIB).cause.category == "peak_above_pool"


def test_it_is_recognised_by_its_content(tmp_path: Path) -> None:
    path = tmp_path / "named.anyhow"
    path.write_bytes(dumped([event("alloc", 0, MIB)]))
    with path.open("rb") as stream:
        assert not has_lines(stream)
        assert diagnose(stream, "named").findings[0].numbers["peak_bytes"] == MIB


class Trap:
    """Unpickling this would make a folder."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (self.path,)


def test_nothing_in_it_is_run(tmp_path: Path) -> None:
    there = tmp_path / "made"
    data = pickle.dumps({"segments": [Trap(str(there))], "device_traces": []}, protocol=4)
    with pytest.raises(BadInputError, match="more than plain values"):
        diagnose_snapshot(io.BytesIO(data), "a trap")
    assert not there.exists()


TRAPS = {
    "a long text": b"\x80\x04\x8d" + (1 << 40).to_bytes(8, "little"),
    "a long number": b"\x80\x04\x8a\xff" + b"\x01" * 255,
    "a far place": b"\x80\x04]r\xff\xff\xff\xffj\xfe\xff\xff\xff.",
    "a list in itself": b"\x80\x04]\x94h\x00a.",
    "a mark that is not there": b"\x80\x04e.",
    "a key that is a list": b"\x80\x04}]Ns.",
    "a key without its value": b"\x80\x04}(K\x01u.",
    "marks alone": b"\x80\x04" + b"(" * 10_000 + b".",
    "another pickle": pickle.dumps([1, 2], protocol=4),
    "traces of another kind": pickle.dumps({"segments": 4, "device_traces": 5}),
}


@pytest.mark.parametrize("data", TRAPS.values(), ids=TRAPS.keys())
def test_what_is_hostile_or_broken_is_one_line(data: bytes) -> None:
    with pytest.raises(BadInputError) as caught:
        diagnose_snapshot(io.BytesIO(data), "a trap")
    assert "\n" not in str(caught.value)


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | st.text(max_size=300),
    lambda inner: st.lists(inner, max_size=4) | st.tuples(inner, inner) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=30,
)


@given(PLAIN, st.integers(2, 5))
@settings(max_examples=200, deadline=None)
def test_plain_values_are_read_as_they_were(value: Any, protocol: int) -> None:
    assert read_pickle(io.BytesIO(pickle.dumps(value, protocol=protocol)), "values") == value


def test_long_lists_and_shared_values_are_read_as_they_were() -> None:
    shared = ["app.py", {"line": 4}]
    value = {"items": [shared] * 3000 + list(range(5000)), "again": shared}
    read = read_pickle(io.BytesIO(pickle.dumps(value)), "values")
    assert read == value
    assert read["again"] is read["items"][0]


WHOLE = dumped([event("segment_alloc", 0, GIB), event("alloc", 0, MIB), event("oom", 5, GIB)], [segment(0, GIB)])


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_any_damage_ends_in_findings_or_one_error(data: st.DataObject) -> None:
    damaged = bytearray(WHOLE)
    for _ in range(data.draw(st.integers(1, 4))):
        damaged[data.draw(st.integers(2, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(2, len(damaged)))
    try:
        assert diagnose_snapshot(io.BytesIO(damaged[:cut]), "damaged").findings
    except BadInputError as error:
        assert "\n" not in str(error)
