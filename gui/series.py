"""Live readings as they stream in, or as they were kept: bounded numpy columns, the phases and the marks on them."""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from vramtuner.core.probe.protocol import (
    Event,
    PassResult,
    PassStarted,
    PhaseKind,
    PhaseStarted,
    Refusal,
    RunStarted,
    Samples,
)

MOST_ROWS = 2**17
_BLOCK = 4  # rows of which two are kept, once there are too many
_Rows: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Mark:
    """Something that happened at a moment of a run."""

    seconds: float
    kind: Literal["pass", "refused", "out_of_memory"]
    tokens: int
    refusal: Refusal | None = None


@dataclass(frozen=True, slots=True)
class Phase:
    """Part of a run; ``end`` is ``None`` while it goes on."""

    kind: PhaseKind
    start: float
    end: float | None = None


@dataclass(slots=True, eq=False)
class LiveSeries:
    """Everything that one run has reported.

    Rows are seconds and bytes: allocated, reserved, of the process, used on the device.  There are never more than
    `MOST_ROWS`: before that, of every few neighbours the one with the lowest and the one with the highest bytes in
    tensors are kept, with the highest of all others, so that no peak is lost however long the run is.

    Attributes
    ----------
    clock
        The system's monotonic clock when the run began; 0 when it is not known.
    origin
        Of a run that was kept, which one; empty for the one that goes on.
    """

    pool_bytes: int = 0
    device_name: str = ""
    origin: str = ""
    clock: float = 0.0
    marks: list[Mark] = field(default_factory=list)
    phases: list[Phase] = field(default_factory=list)
    highest: int = 0
    _rows: _Rows = field(default_factory=lambda: np.empty((5, 1024)))
    _length: int = 0

    def __len__(self) -> int:
        return self._length

    def take(self, event: Event) -> None:
        """Add what an event says, if it says anything of memory over time."""
        match event:
            case RunStarted():
                self.clock = event.clock
            case Samples():
                self._append(event)
            case PhaseStarted():
                self._end_phase(event.seconds)
                self.phases.append(Phase(event.phase, event.seconds))
            case PassStarted():
                self.marks.append(Mark(event.seconds, "pass", event.tokens))
            case PassResult():
                self._mark_result(event)

    def end(self) -> None:
        """Nothing more will come."""
        self._end_phase(self.last_seconds)

    def _append(self, samples: Samples) -> None:
        count = len(samples.seconds)
        if not count:
            return
        if self._length + count > self._rows.shape[1]:
            self._make_room(count)
        device = samples.device or [0] * count
        columns = (samples.seconds, samples.allocated, samples.reserved, samples.process, device)
        self._rows[:, self._length : self._length + count] = columns
        self._length += count
        self.highest = max(self.highest, *map(max, columns[1:4]))

    def _make_room(self, count: int) -> None:
        if self._rows.shape[1] >= MOST_ROWS:
            halved = _halved(self._rows[:, : self._length])
            self._length = halved.shape[1]
            self._rows[:, : self._length] = halved
        while self._length + count > self._rows.shape[1]:
            self._rows = np.concatenate([self._rows, np.empty_like(self._rows)], axis=1)

    def _end_phase(self, seconds: float) -> None:
        if self.phases and self.phases[-1].end is None:
            last = self.phases[-1]
            self.phases[-1] = Phase(last.kind, last.start, max(seconds, last.start))

    def _mark_result(self, result: PassResult) -> None:
        """A pass that was refused is marked where it would have begun, one that ran out of memory where it ended."""
        if result.outcome == "refused" and self.marks:
            self.marks.pop()
        if result.outcome != "ok":
            ended = self.phases[-1].start if self.phases and result.outcome == "out_of_memory" else self.last_seconds
            self.marks.append(Mark(ended, result.outcome, result.tokens, result.refusal))

    @property
    def seconds(self) -> _Rows:
        return self._rows[0, : self._length]

    @property
    def allocated(self) -> _Rows:
        return self._rows[1, : self._length]

    @property
    def reserved(self) -> _Rows:
        return self._rows[2, : self._length]

    @property
    def process(self) -> _Rows:
        return self._rows[3, : self._length]

    @property
    def device(self) -> _Rows:
        return self._rows[4, : self._length]

    @property
    def reserves_more(self) -> bool:
        """Whether more was held from the device than was in tensors at any time."""
        return bool(np.any(self.reserved != self.allocated))

    @property
    def last_seconds(self) -> float:
        """The time of the newest reading."""
        return float(self.seconds[-1]) if self._length else 0.0

    def place(self, seconds: float) -> int:
        """How many rows are not later than a moment."""
        return int(np.searchsorted(self.seconds, seconds, side="right"))


def _halved(rows: _Rows) -> _Rows:
    """Two rows of every four: lowest and highest in tensors, in their order; what is left over stays as it is."""
    whole = rows.shape[1] // _BLOCK * _BLOCK
    blocks = rows[:, :whole].reshape(len(rows), -1, _BLOCK)
    ends = np.sort(np.stack([blocks[1].argmin(axis=1), blocks[1].argmax(axis=1)], axis=1), axis=1)
    kept = np.take_along_axis(blocks, np.broadcast_to(ends, (len(rows), *ends.shape)), axis=2)
    kept[2:] = np.maximum(kept[2:], blocks[2:].max(axis=2, keepdims=True))
    return np.concatenate([kept.reshape(len(rows), -1), rows[:, whole:]], axis=1)
