"""What a sampler remembers: numbers in a ring of fixed size, and events in a bounded log."""

import struct
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import msgspec
import numpy as np

Array = np.ndarray[tuple[int], np.dtype[np.float64]]
EventKind = Literal["read_failed", "vanished", "returned"]

COLUMNS = 6  # of Samples: seconds, vram_used, gtt_used, busy, own, peak
EVENTS_KEPT = 256
_ROW = struct.Struct(f"{COLUMNS}d")


class SamplerEvent(msgspec.Struct, frozen=True):
    """Something that a person should know of a sampled device.

    Attributes
    ----------
    seconds
        ``time.monotonic`` when it happened last.
    text
        One sentence: what happened, and what to do or expect.
    count
        How often it happened.  More than 1 where repeats of older events were folded into this one.
    """

    seconds: float
    kind: EventKind
    text: str
    count: int = 1


@dataclass(frozen=True, eq=False)
class Samples:
    """Samples in the order in which they were taken, a column an array; NaN is what was not known.

    Attributes
    ----------
    seconds
        ``time.monotonic`` of each.
    vram_used, gtt_used, own, peak
        [bytes], as in :class:`~vramtuner.core.device.sampler.Sample`.
    busy
        [percent]
    lost
        Samples after the reader's cursor that were overwritten before it came.
    next
        The cursor for the next call of ``read``.
    """

    seconds: Array
    vram_used: Array
    gtt_used: Array
    busy: Array
    own: Array
    peak: Array
    lost: int
    next: int


class Ring:
    """Rows of numbers, the newest ``capacity`` of them, for one writer and any number of readers.

    Nobody waits for anybody.  The writer fills a row and only then counts it, so that a reader that reads the count
    first sees whole rows.  A reader copies, then reads the count again: row i shares its slot with row i + slots, and
    the writer can meanwhile have touched no row above the new count, so that whatever lies at or below that count
    less the slots is dropped as lost and the rest is whole.  There is one slot more than the capacity for the row that
    is being written.
    """

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._bytes = bytearray((capacity + 1) * _ROW.size)
        self._rows = np.frombuffer(self._bytes, np.float64).reshape(-1, COLUMNS)
        self._count = 0

    @property
    def memory_bytes(self) -> int:
        return len(self._bytes)

    def append(self, row: Sequence[float]) -> None:
        """Add a row; by one thread only."""
        # A third of the time that numpy takes, beside a cold cache.
        _ROW.pack_into(self._bytes, self._count % (self._capacity + 1) * _ROW.size, *row)
        self._count += 1

    def read(self, cursor: int = 0) -> Samples:
        """Copies of the rows from the cursor on that are still there."""
        end = self._count
        start = min(max(cursor, 0), end)
        first = max(start, end - self._capacity)
        rows = self._copy(first, end)
        torn = min(max(self._count - self._capacity - first, 0), end - first)
        seconds, vram_used, gtt_used, busy, own, peak = rows[torn:].T
        return Samples(seconds, vram_used, gtt_used, busy, own, peak, lost=first + torn - start, next=end)

    def _copy(self, first: int, end: int) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
        slots = self._capacity + 1
        begin, length = first % slots, end - first
        head = self._rows[begin : begin + length]
        if len(head) == length:
            return head.copy()
        return np.concatenate((head, self._rows[: length - len(head)]))


class EventLog:
    """Events for any number of readers, in bounded memory and without losing one.

    The newest are kept one by one.  When there are many, a new event takes in the oldest one that has the same kind
    and text, and counts it.  The counts add up to the cursor, and as texts are few, so are the events.
    """

    def __init__(self, kept: int = EVENTS_KEPT) -> None:
        self._kept = kept
        self._lock = threading.Lock()
        self._events: list[tuple[int, SamplerEvent]] = []  # with the cursor after each
        self._count = 0

    def add(self, seconds: float, kind: EventKind, text: str) -> None:
        with self._lock:
            self._count += 1
            count = 1
            if len(self._events) >= self._kept:
                count += self._take_twin(kind, text)
            self._events.append((self._count, SamplerEvent(seconds, kind, text, count)))

    def _take_twin(self, kind: EventKind, text: str) -> int:
        for place, (_, event) in enumerate(self._events):
            if (event.kind, event.text) == (kind, text):
                del self._events[place]
                return event.count
        return 0

    def read(self, cursor: int = 0) -> tuple[tuple[SamplerEvent, ...], int]:
        """The events after the cursor, and the next cursor."""
        with self._lock:
            return tuple(event for number, event in self._events if number > cursor), self._count
