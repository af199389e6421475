"""What is read of the CPU stand-in at every sample: the machine's RAM, and what one process has of it."""

import psutil

from vramtuner.core.device.gauges import KeptFile, Reading, Report
from vramtuner.core.device.roots import Roots, kib_value
from vramtuner.core.words import say

_TOP_BYTES = 2048  # what is looked for is in the first lines


class RamSource:
    """The CPU stand-in: RAM that is not available, a process's resident bytes and the kernel's mark of their peak."""

    def __init__(self, roots: Roots, pid: int, report: Report) -> None:
        self._memory = KeptFile(f"{roots.proc}/meminfo", _TOP_BYTES)
        self._status = KeptFile(f"{roots.proc}/{pid}/status", _TOP_BYTES)
        self._report, self._failed, self._mark = report, False, 0

    def read(self, now: float) -> Reading:
        used = self._used(now)
        try:
            status = self._status.read(now) or b""
        except OSError:  # the process has ended
            return Reading(used)
        own, mark = kib_value(status, b"VmRSS:"), kib_value(status, b"VmHWM:")
        # The mark is of the process's whole life: it tells the peak since the last reading where it has risen.
        peak = mark if mark is not None and mark > self._mark > 0 else None
        self._mark = mark or self._mark
        return Reading(used, own=own, peak=peak)

    def _used(self, now: float) -> int | None:
        try:
            text = self._memory.read(now) or b""
        except OSError:
            text = b""
        total, available = kib_value(text, b"MemTotal:"), kib_value(text, b"MemAvailable:")
        used = None if total is None or available is None else max(total - available, 0)
        if (used is None) != self._failed:
            self._failed = used is None
            path = self._memory.path
            if self._failed:
                self._report(
                    "read_failed",
                    say("{path} cannot be read: used RAM is unknown until it can be read again", path=path),
                )
            else:
                self._report("returned", say("{path} can be read again", path=path))
        return used

    def close(self) -> None:
        self._memory.close()
        self._status.close()


class PsutilSource:
    """The CPU stand-in where there is no ``/proc``."""

    def __init__(self, pid: int) -> None:
        self._pid = pid

    def read(self, now: float) -> Reading:
        memory = psutil.virtual_memory()
        try:
            own = int(psutil.Process(self._pid).memory_info().rss)
        except psutil.Error:
            own = None
        return Reading(int(memory.total - memory.available), own=own)

    def close(self) -> None:
        """Nothing stays open."""
