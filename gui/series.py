"""Live readings as they stream in: growing numpy columns, and the marks on them."""

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

from vramtuner.core.probe.protocol import PassResult, PassStarted, Samples

_COLUMNS = ("seconds", "allocated", "reserved", "process")


@dataclass(frozen=True, slots=True)
class Mark:
    """Something that happened at a moment of a run."""

    seconds: float
    kind: Literal["pass", "refused", "out_of_memory"]
    tokens: int


@dataclass(slots=True, eq=False)
class LiveSeries:
    """Everything one run has reported; rows are seconds, allocated, reserved and process bytes."""

    pool_bytes: int = 0
    device_name: str = ""
    marks: list[Mark] = field(default_factory=list)
    _rows: npt.NDArray[np.float64] = field(default_factory=lambda: np.empty((len(_COLUMNS), 1024)))
    _length: int = 0

    def __len__(self) -> int:
        return self._length

    def append(self, samples: Samples) -> None:
        """Add a batch; the columns double when they are full."""
        count = len(samples.seconds)
        while self._length + count > self._rows.shape[1]:
            self._rows = np.concatenate([self._rows, np.empty_like(self._rows)], axis=1)
        for row, name in zip(self._rows, _COLUMNS, strict=True):
            row[self._length : self._length + count] = getattr(samples, name)
        self._length += count

    def mark_start(self, event: PassStarted) -> None:
        """Note where a pass begins."""
        self.marks.append(Mark(event.seconds, "pass", event.tokens))

    def mark_result(self, result: PassResult) -> None:
        """Note where a pass was refused, which is where it would have begun, or ran out of memory."""
        if result.outcome == "refused" and self.marks:
            self.marks.pop()
        if result.outcome != "ok":
            self.marks.append(Mark(self.last_seconds, result.outcome, result.tokens))

    @property
    def seconds(self) -> npt.NDArray[np.float64]:
        return self._rows[0, : self._length]

    @property
    def allocated(self) -> npt.NDArray[np.float64]:
        return self._rows[1, : self._length]

    @property
    def reserved(self) -> npt.NDArray[np.float64]:
        return self._rows[2, : self._length]

    @property
    def process(self) -> npt.NDArray[np.float64]:
        return self._rows[3, : self._length]

    @property
    def reserves_more(self) -> bool:
        """Whether more was held from the device than was in tensors at any time."""
        return bool(np.any(self.reserved != self.allocated))

    @property
    def last_seconds(self) -> float:
        """The time of the newest reading."""
        return float(self.seconds[-1]) if self._length else 0.0
