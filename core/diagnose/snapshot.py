"""A memory snapshot of PyTorch (``torch.cuda.memory._dump_snapshot``): the peak, who held it, and what did not fit.

The structure is that of ``torch/cuda/memory.py`` (``_snapshot``) of torch 2.14: a pickled dict with ``segments`` (what
is reserved now, and its blocks) and ``device_traces`` (a list of events for each device, the oldest first, of which a
ring keeps the newest).  What was held before the oldest event follows from what is held now, and is nobody's by name.

Sizes are bytes, as they were asked for; an event's number, from 1, stands where the line of a log would.
"""

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any, BinaryIO, NamedTuple

import msgspec

from vramtuner.core.diagnose.pickled import read_pickle
from vramtuner.core.diagnose.read import LogDiagnosis
from vramtuner.core.diagnose.trace import AgentUse, finding_of
from vramtuner.core.diagnose.weigh import CauseName, Change, Evidence, Finding
from vramtuner.core.errors import BadInputError
from vramtuner.core.text import printable
from vramtuner.core.units import MIB, format_bytes

_MOST_DEVICES = 256
_MOST_EVENTS = 4_000_000
_MOST_FRAMES = 256
_SITES_SHOWN = 5
_BEFORE = "before the trace begins"
_NO_SITE = "no call site recorded"
_TELL = "a snapshot of a run that called torch.cuda.memory._record_memory_history() first"
_PLACE = "its place"
_KEYS = (b"segments", b"device_traces")
_RESERVING = {"segment_alloc": 1, "segment_map": 1, "segment_free": -1, "segment_unmap": -1}


class Event(NamedTuple):
    """One event of a device; ``address`` is what is free on the device where the action is ``oom``."""

    action: str
    address: int
    size: int
    site: str


class Short(NamedTuple):
    """An allocation that did not fit, with what there was at that moment."""

    number: int
    requested: int
    free: int
    allocated: int
    reserved: int
    site: str


def is_snapshot(start: bytes) -> bool:
    """Whether a file that begins so is a pickle (of protocol 2 or later) of such a snapshot."""
    return len(start) > 2 and start[0] == 0x80 and 2 <= start[1] <= 5 and any(key in start for key in _KEYS)


def diagnose_snapshot(
    stream: BinaryIO, source: str, pool_bytes: int | None = None, on_bytes: Callable[[int], None] | None = None
) -> LogDiagnosis:
    """What a snapshot says about the memory of each device.

    Raises
    ------
    BadInputError
        It is broken, asks for more than plain values, or is longer than can be followed.
    """
    whole = read_pickle(stream, source, _shrunk, on_bytes)
    if not isinstance(whole, dict) or not isinstance(whole.get("device_traces", []), list):
        raise BadInputError(f"{printable(source)} is a pickle, but no memory snapshot of PyTorch")
    traces = whole.get("device_traces", [])
    segments = [segment for segment in _dicts(whole.get("segments")) if isinstance(segment.get("device"), int)]
    devices = sorted({*range(len(traces)), *(segment["device"] for segment in segments)})
    sizes = [len(trace) for trace in traces if isinstance(trace, list)]
    if len(devices) > _MOST_DEVICES or sum(sizes) > _MOST_EVENTS:
        raise BadInputError(f"{printable(source)}: more devices or events than can be followed")
    found = []
    for device in devices:
        trace = traces[device] if 0 <= device < len(traces) and isinstance(traces[device], list) else []
        events = [event for event in trace if isinstance(event, Event)]
        own = [segment for segment in segments if segment["device"] == device]
        if events or own:
            found.append(_of_device(f"GPU {device}", events, own, pool_bytes))
    found.sort(key=lambda finding: -finding.confidence)
    return LogDiagnosis(source, tuple(found) or (_nothing(),))


def _shrunk(value: Any) -> Any:
    """Of an event what is needed, of a frame its place.

    The reader keeps what it made, because a pickle may refer to it again: an event is emptied, a stack cut to its call
    site, and a frame, which is in many stacks, is given its place to be found there the next time.
    """
    if type(value) is not dict:
        return value
    if type(value.get(_PLACE)) is str:
        return value[_PLACE]
    if "action" in value:
        frames, action = value.get("frames"), str(value["action"])[:32]
        site = _site(frames)
        if isinstance(frames, list):
            frames[:] = [site]
        address = _size(value.get("device_free" if action == "oom" else "addr"))
        event = Event(sys.intern(action), address, _size(value.get("size")), site)
        value.clear()
        return event
    if "filename" in value and "line" in value:
        place = f"{str(value['filename'])[-200:]}:{str(value['line'])[:20]} {str(value.get('name', ''))[:80]}".rstrip()
        value[_PLACE] = place
        return place
    return value


def _site(frames: Any) -> str:
    """The innermost frame of Python outside of PyTorch, else the innermost one; of its own result the same again."""
    places = [frame for frame in frames[:_MOST_FRAMES] if isinstance(frame, str)] if isinstance(frames, list) else []
    ours = (place for place in places if ".py:" in place and "/torch/" not in place and not place.startswith("torch/"))
    return next(ours, places[0] if places else _NO_SITE)


def _size(value: Any) -> int:
    return value if isinstance(value, int) and value >= 0 else 0


def _dicts(values: Any) -> Iterator[dict[str, Any]]:
    return (value for value in values if isinstance(value, dict)) if isinstance(values, list) else iter(())


def _of_device(name: str, events: list[Event], segments: list[dict[str, Any]], pool_bytes: int | None) -> Finding:
    allocated, reserved = _held_before(events, segments)
    use, top_reserved, short = _followed(events, allocated, reserved)
    sites = _sites_at(events, use.peak_line, allocated)
    finding = finding_of(name, use, pool_bytes) if short is None else _short_finding(name, short)
    numbers = {**finding.numbers, "peak_bytes": use.peak, "peak_reserved_bytes": top_reserved}
    lines = [entry for entry in finding.evidence if entry.line]
    lines += [
        Evidence(use.peak_line, f"at the peak: {format_bytes(held)} from {printable(site, 120)}")
        for site, held in sites.most_common(_SITES_SHOWN)
        if held > 0 and use.peak_line
    ]
    evidence = tuple(sorted(lines, key=lambda line: line.line))
    tell = finding.tell if events else _TELL
    return msgspec.structs.replace(finding, numbers=numbers, evidence=evidence, tell=tell)


def _held_before(events: Iterable[Event], segments: list[dict[str, Any]]) -> tuple[int, int]:
    """What was allocated and reserved before the first event: what was freed of it since, and what is still there."""
    live: dict[int, int] = {}
    allocated = 0
    for event in events:
        if event.action == "alloc":
            live[event.address] = event.size
        elif event.action == "free_completed" and live.pop(event.address, None) is None:
            allocated += event.size
    for segment in segments:
        for block in _dicts(segment.get("blocks")):
            if block.get("state") != "inactive" and block.get("address") not in live:
                allocated += _size(block.get("requested_size", block.get("size")))
    grown = sum(_RESERVING.get(event.action, 0) * event.size for event in events)
    return allocated, max(0, sum(_size(segment.get("total_size")) for segment in segments) - grown)


def _followed(events: Iterable[Event], allocated: int, reserved: int) -> tuple[AgentUse, int, Short | None]:
    """The use over all events, the most that was reserved, and the last allocation that did not fit."""
    use, top_reserved, short = AgentUse(), reserved, None
    use.live = use.peak = allocated
    live: dict[int, int] = {}
    for number, event in enumerate(events, 1):
        if event.action == "alloc":
            use.take(event.size - live.pop(event.address, 0), number)
            live[event.address] = event.size
        elif event.action == "free_completed":
            use.take(-live.pop(event.address, event.size), number)
        elif event.action == "oom":
            short = Short(number, event.size, event.address, use.live, reserved, event.site)
        reserved += _RESERVING.get(event.action, 0) * event.size
        top_reserved = max(top_reserved, reserved)
    return use, top_reserved, short


def _sites_at(events: list[Event], number: int, before: int) -> Counter[str]:
    """The bytes that each call site held after an event."""
    live: dict[int, Event] = {}
    for event in events[:number]:
        if event.action == "alloc":
            live[event.address] = event
        elif event.action == "free_completed" and live.pop(event.address, None) is None:
            before -= event.size
    held: Counter[str] = Counter({_BEFORE: before})
    for event in live.values():
        held[event.site] += event.size
    return held


def _short_finding(name: str, short: Short) -> Finding:
    """Why an allocation did not fit: a limit refused it, what is unused is in pieces, or the device is full."""
    unused = max(0, short.reserved - short.allocated)
    numbers: dict[str, float] = {
        "requested_bytes": short.requested,
        "free_bytes": short.free,
        "allocated_bytes": short.allocated,
        "reserved_bytes": short.reserved,
        "reserved_unallocated_bytes": unused,
    }
    tell = ""
    if short.free >= _segment_bytes(short.requested):
        cause, sure, exhausted = CauseName("limit_not_capacity", "memory_fraction_cap"), 0.75, False
        summary = f"{name} had room for the allocation; a fraction or another limit refused it."
        change = Change("pool", "larger, if the card has it free", "the limit is below what is free")
        tell = "the whole message of the error: it names an allowed memory where a fraction is set"
    elif unused >= short.requested:
        cause, sure, exhausted = CauseName("fragmentation", "fragmentation"), 0.85, True
        summary = f"{name} had enough reserved and not in use, but in pieces too small for the allocation."
        change = Change("allocator", "expandable_segments:True", "segments that grow leave no pieces between")
    else:
        cause, sure, exhausted = CauseName("capacity", "allocations_do_not_fit"), 0.75, True
        summary = f"What {name} held and the allocation together are more than it could give."
        change = Change("tokens", "fewer", "cache and activations grow with them")
        tell = "the whole message of the error: the size of the card, and what other processes hold"
    evidence = (Evidence(short.number, f"{name}: {format_bytes(short.requested)} did not fit, from {short.site}"),)
    return Finding(cause, exhausted, sure, summary, numbers, evidence, (change,), tell)


def _segment_bytes(size: int) -> int:
    """What PyTorch's allocator asks the device for, for an allocation (``c10/cuda/CUDACachingAllocator.cpp``)."""
    if size < 10 * MIB:
        return 2 * MIB if size <= MIB else 20 * MIB
    return -(-size // (2 * MIB)) * 2 * MIB


def _nothing() -> Finding:
    summary = "The snapshot has no events and no segments."
    return Finding(CauseName("unknown", "empty_trace"), False, 0.0, summary, {}, (), (), _TELL)
