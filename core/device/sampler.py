"""The sampler: a thread that reads a device's memory many times a second, and never ends by an exception."""

import math
import os
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

import msgspec

from vramtuner.core.device.gauges import GpuSource, Reading, Report, Source
from vramtuner.core.device.ram import PsutilSource, RamSource
from vramtuner.core.device.ring import EventKind, EventLog, Ring, SamplerEvent, Samples
from vramtuner.core.device.roots import HERE, Roots
from vramtuner.core.device.spec import Device
from vramtuner.core.errors import BadInputError
from vramtuner.core.units import MIB
from vramtuner.core.words import say

__all__ = ["Sample", "Sampler", "SamplerEvent", "Samples", "next_interval"]

FASTEST_HZ, SLOWEST_HZ = 200.0, 10.0
MAX_HZ = 1000.0
CHANGE_BYTES = MIB  # less is what a desktop does all the time, and no allocation of PyTorch's pool
_SLOWER = 1.25  # 14 samples, 0.4 s, from the fastest rate to the slowest
_COST_SHARE = 0.01  # of one core
_MAX_ROWS = 2_000_000  # 96 MB
_STOP_SECONDS = 5.0
_NAN = math.nan


class Sample(msgspec.Struct, frozen=True):
    """A device's memory at one moment; ``None`` is what was not known.

    Attributes
    ----------
    seconds
        ``time.monotonic``.
    vram_used_bytes, gtt_used_bytes
        The two heaps as the driver counts them, for everyone; on an APU the first is its carve-out, and
        ``Device.heaps.allocations`` says which of the two allocations come from.  Of a partition the first is what it
        cannot give.  Of the CPU stand-in it is the RAM that is not available, and the second unknown.
    busy_percent
        The load of a GPU, asked four times a second.
    own_bytes
        What one process holds, in the heap that allocations come from: what KFD counts, or else DRM, asked 20
        times a second; resident bytes on the stand-in.
    peak_bytes
        The most that the process has held since the previous sample, where something keeps a high-water mark.
    """

    seconds: float
    vram_used_bytes: int | None = None
    gtt_used_bytes: int | None = None
    busy_percent: int | None = None
    own_bytes: int | None = None
    peak_bytes: int | None = None


class Sampler:
    """Samples of one device of this machine, taken by a thread of their own into a ring of fixed size.

    Without ``hz`` the rate follows what happens.  A sample that differs by 1 MiB or more from the one before, in
    either heap, the process's bytes or their peak, is followed by the next after 5 ms (200 Hz); each that does not
    makes the wait a quarter longer, up to 100 ms (10 Hz), which takes 0.4 s.  The wait is never shorter than 100 times
    the processor time of a sample, so that the thread takes at most 1 % of a core, however slow the files are, unless
    that would be slower than 10 Hz.  What comes and goes between two samples is seen only by a high-water mark:
    ``high_water``, or the kernel's own for the resident bytes of the stand-in.

    A file that cannot be read and a GPU that vanishes (unbound, reset) are events; sampling goes on at the slowest
    rate with what is left, and with all of it when the device is back.

    Parameters
    ----------
    device
        A GPU of this machine, whole or a partition, or the CPU stand-in.
    hz
        A fixed rate [1/s], whatever it costs.
    pid
        Whose bytes are ``own``; this process's without it.
    seconds
        How far back the ring reaches at least.
    high_water
        The most that was held since it was last called.  [bytes]  Called once at each sample, by the sampler's thread.

    Raises
    ------
    BadInputError
        The device is not in this machine, or a number is out of range.
    """

    def __init__(
        self,
        device: Device,
        roots: Roots = HERE,
        *,
        hz: float | None = None,
        pid: int | None = None,
        seconds: float = 600,
        high_water: Callable[[], int] | None = None,
    ) -> None:
        self._interval = None if hz is None else 1 / _checked(hz)
        self._ring = Ring(_rows(seconds, FASTEST_HZ if hz is None else hz))
        self._log = EventLog()
        self._source = open_source(device, roots, os.getpid() if pid is None else pid, self._report)
        self._high_water, self._mark_failed = high_water, False
        self._last: tuple[float, Reading] | None = None
        self._stopping = False
        self._thread: threading.Thread | None = None

    @property
    def latest(self) -> Sample | None:
        """The newest sample; ``None`` before the first."""
        last = self._last
        return None if last is None else Sample(last[0], *last[1])

    @property
    def memory_bytes(self) -> int:
        """Of the ring, which never grows."""
        return self._ring.memory_bytes

    def read(self, cursor: int = 0) -> Samples:
        """The samples from a cursor on; 0 is the first ever, and ``next`` of the answer what is new the next time."""
        return self._ring.read(cursor)

    def events(self, cursor: int = 0) -> tuple[tuple[SamplerEvent, ...], int]:
        """The events after a cursor, and the cursor for what is new the next time."""
        return self._log.read(cursor)

    def start(self) -> None:
        """Begin, or go on after ``stop``; nothing where it runs."""
        if self._thread is not None and self._thread.is_alive():
            return
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name="vramtuner-sampler", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Take a last sample and end, within a tenth of a second; nothing where it does not run.

        A thread that a hung driver keeps in the kernel is left behind after 5 s.
        """
        self._stopping = True
        if self._thread is not None:
            self._thread.join(_STOP_SECONDS)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def take(self) -> Sample:
        """A sample now, by the calling thread.

        Raises
        ------
        RuntimeError
            The sampler's own thread runs: the ring has one writer.
        """
        if self._thread is not None and self._thread.is_alive():
            raise RuntimeError("the sampler runs; read its latest sample, or stop it first")
        now, reading = self._take()
        return Sample(now, *reading)

    def _run(self) -> None:
        interval, cost, spent = 1 / FASTEST_HZ, 0.0, time.thread_time()
        due = time.monotonic()
        while not self._stopping:
            changed = self._guarded_take()
            if self._interval is None:
                now_spent = time.thread_time()
                cost += (now_spent - spent - cost) / 8
                spent = now_spent
                interval = next_interval(interval, changed, cost)
            else:
                interval = self._interval
            now = time.monotonic()
            due = due + interval if due + interval > now else now + interval  # no burst after a stall
            self._sleep(due)
        self._guarded_take()  # the peak since the last one
        self._source.close()

    def _sleep(self, due: float) -> None:
        """Until a time, or until the end.  Waking from a plain sleep costs half of what any lock or event does."""
        while not self._stopping and (left := due - time.monotonic()) > 0:
            time.sleep(min(left, 1 / SLOWEST_HZ))

    def _guarded_take(self) -> bool:
        """Take a sample, whatever happens; whether memory has changed since the one before."""
        last = self._last
        try:
            _, reading = self._take()
        except Exception as error:  # noqa: BLE001 - whatever it is, the thread goes on and says so
            self._report(
                "read_failed", say("a sample was left out ({name}); please report this", name=type(error).__name__)
            )
            return False
        return last is None or (last[1] is not reading and is_change(last[1], reading))

    def _take(self) -> tuple[float, Reading]:
        now = time.monotonic()
        reading = self._source.read(now)
        if self._high_water is not None:
            reading = reading._replace(peak=self._mark(self._high_water))
        self._ring.append(row_of(now, reading))
        self._last = now, reading
        return self._last

    def _mark(self, high_water: Callable[[], int]) -> int | None:
        try:
            mark = max(int(high_water()), 0)
        except Exception as error:  # noqa: BLE001 - the caller's code, which may fail in any way
            if not self._mark_failed:
                self._report(
                    "read_failed",
                    say(
                        "the high-water mark cannot be read ({name}): peaks between samples are not seen until "
                        "it can be read again",
                        name=type(error).__name__,
                    ),
                )
            self._mark_failed = True
            return None
        if self._mark_failed:
            self._report("returned", say("the high-water mark can be read again"))
        self._mark_failed = False
        return mark

    def _report(self, kind: EventKind, text: str) -> None:
        self._log.add(time.monotonic(), kind, text)


def next_interval(interval: float, changed: bool, cost: float) -> float:
    """How long to wait after a sample.  [s]

    Parameters
    ----------
    interval
        The wait before it.  [s]
    changed
        Whether it differed from the sample before.
    cost
        Processor time of a sample.  [s]
    """
    wanted = 1 / FASTEST_HZ if changed else interval * _SLOWER
    return min(max(wanted, cost / _COST_SHARE, 1 / FASTEST_HZ), 1 / SLOWEST_HZ)


def is_change(before: Reading, now: Reading) -> bool:
    """Whether memory changed by 1 MiB or more, or became known or unknown; the load does not count."""
    old_peak = None if now.peak is None else before.peak
    return (
        _differ(before.vram_used, now.vram_used)
        or _differ(before.gtt_used, now.gtt_used)
        or _differ(before.own, now.own)
        or _differ(old_peak, now.peak)
    )


def _differ(old: int | None, new: int | None) -> bool:
    if old is None or new is None:
        return old is not new
    return abs(new - old) >= CHANGE_BYTES


def row_of(now: float, reading: Reading) -> tuple[float, ...]:
    """A row of the ring; a byte count is exact up to 2^53."""
    vram, gtt, busy, own, peak = reading
    return (
        now,
        _NAN if vram is None else vram,
        _NAN if gtt is None else gtt,
        _NAN if busy is None else busy,
        _NAN if own is None else own,
        _NAN if peak is None else peak,
    )


def open_source(device: Device, roots: Roots, pid: int, report: Report) -> Source:
    """What is read of a device that is here, and of one process on it.

    Raises
    ------
    BadInputError
        The device is one of the catalogue.
    """
    if device.kind == "catalogue":
        raise BadInputError(
            say("{name} is not in this machine; sample a local GPU, by its index, or cpu", name=device.name)
        )
    if device.kind == "gpu":
        return GpuSource(device, roots, pid, report)
    return RamSource(roots, pid, report) if (roots.proc / "meminfo").exists() else PsutilSource(pid)


def _checked(hz: float) -> float:
    if not 0 < hz <= MAX_HZ:
        raise BadInputError(
            say("a rate of {hz:g} samples a second is not possible; give more than 0 and at most 1000", hz=hz)
        )
    return hz


def _rows(seconds: float, hz: float) -> int:
    most = _MAX_ROWS / hz
    if not 0 < seconds <= most:
        raise BadInputError(
            say(
                "{seconds:g} s of samples cannot be kept; give more than 0 s and at most {most:.0f} s",
                seconds=seconds,
                most=most,
            )
        )
    return math.ceil(seconds * hz)
