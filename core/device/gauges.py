"""What is read of a GPU at every sample: amdgpu's counters, and what one process holds.

The descriptors stay open and are read at offset 0, for which the kernel makes a sysfs or proc file anew each time.
A thread that wakes a hundred times a second finds none of its code in the processor's caches, so that the less of it
runs the better: while the files hold what they held, a source gives its last reading again.  What must be looked at
beside them, is looked at less often.  A source is used by one thread.  What fails is reported as an event and unknown
for the time being.
"""

import errno
import math
import os
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple, Protocol

from vramtuner.core.device.holders import clients_bytes, graphics_descriptors, parse_fdinfo
from vramtuner.core.device.ring import EventKind
from vramtuner.core.device.roots import Roots, names_in, sees_the_machines_pids
from vramtuner.core.device.spec import Device
from vramtuner.core.device.sysfs import card_folder, is_suspended, parse_percent
from vramtuner.core.words import say

# The load is asked of the card's management processor, which on some cards takes its time and keeps them awake.
BUSY_SECONDS = 0.25
CLIENT_SECONDS = 0.05  # the kernel may add up a client's buffers each time
SCAN_SECONDS = 0.5  # how often lists of processes and descriptors are read
FIND_SECONDS = 0.1  # how often what is away is looked for
LOOK_SECONDS = 0.5  # how often it is seen whether a path still means the file that is open
_NUMBER_BYTES, _CLIENT_BYTES = 64, 8192  # more than a number takes, and than a client's file has

Report = Callable[[EventKind, str], None]
Calm = tuple[int, int, bytes, float]
"""Of a file that is kept open: descriptor, bytes to read, what they were, and when its path must be looked at."""


class Reading(NamedTuple):
    """One look at a source.  [bytes, and percent for ``busy``]; ``None`` is what is not known."""

    vram_used: int | None = None
    gtt_used: int | None = None
    busy: int | None = None
    own: int | None = None
    peak: int | None = None


class Source(Protocol):
    def read(self, now: float) -> Reading: ...
    def close(self) -> None: ...


class KeptFile:
    """A file that is read again and again through one descriptor.

    A read through a descriptor of a driver's file fails once the driver is gone.  Other file systems keep serving what
    was there: twice a second it is seen whether the path still means the same file.
    """

    def __init__(self, path: str, size: int = _NUMBER_BYTES) -> None:
        self.path = path
        self._size = size
        self._descriptor: int | None = None
        self._inode = 0
        self._look_due = 0.0
        self._held = b""

    @property
    def calm(self) -> "Calm | None":
        """The descriptor, what was last read through it, and until when no more than that needs to be looked at."""
        return None if self._descriptor is None else (self._descriptor, self._size, self._held, self._look_due)

    def read(self, now: float) -> bytes | None:
        """The first ``size`` bytes of what the file holds now; ``None`` while it is not tried again after a failure.

        Raises
        ------
        OSError
            It cannot be read.
        """
        try:
            if now >= self._look_due:
                self._look(now)
            if self._descriptor is None:
                return None
            self._held = os.pread(self._descriptor, self._size, 0)
            return self._held
        except OSError:
            self._drop()
            self._look_due = now + FIND_SECONDS
            raise

    def number(self, now: float) -> int | None:
        """The decimal number in the file; ``None`` where there is none."""
        try:
            return number_of(self.read(now) or b"")
        except OSError:
            return None

    def _look(self, now: float) -> None:
        inode = os.stat(self.path).st_ino  # noqa: PTH116 - the quickest of them
        if self._descriptor is None or inode != self._inode:
            self._drop()
            self._descriptor = os.open(self.path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
            self._inode = inode
        self._look_due = now + LOOK_SECONDS

    def close(self) -> None:
        """Give the descriptor back; the next read opens another."""
        self._drop()
        self._look_due = 0.0

    def _drop(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


class GoneError(Exception):
    """The device that a file belongs to is not there."""


class Gauge(KeptFile):
    """One number of a device, with an event when it can no longer be read and when it can again.

    A file that was never there is one that this card or kernel does not have; only a required one is missed.
    """

    def __init__(self, path: str, device: str, report: Report, required: bool = False) -> None:
        super().__init__(path)
        self._device, self._report = device, report
        self._expected, self._failed = required, False

    def value(self, now: float) -> int | None:
        """The number, or ``None`` where there is none.

        Raises
        ------
        GoneError
            The device is gone, and not just this file.
        """
        try:
            data = self.read(now)
        except OSError as error:
            folder = os.path.dirname(self.path)  # noqa: PTH120
            if error.errno in (errno.ENODEV, errno.ENXIO) or not os.path.isdir(folder):  # noqa: PTH112
                raise GoneError from error
            if self._expected or error.errno != errno.ENOENT:
                self._fail(error.strerror or say("no reason given"))
            return None
        if data is None:
            return None
        number = number_of(data)
        if number is None:
            self._fail(say("it holds no number"))
            return None
        self._expected = True
        if self._failed:
            self._failed = False
            self._report("returned", say("{name} of {device} can be read again", name=self._name, device=self._device))
        return number

    @property
    def _name(self) -> str:
        return os.path.basename(self.path)  # noqa: PTH119

    def _fail(self, reason: str) -> None:
        if not self._failed:
            self._report(
                "read_failed",
                say(
                    "{name} of {device} cannot be read ({reason}), as while a GPU is reset or sleeps: its "
                    "value is unknown until it can be read again",
                    name=self._name,
                    device=self._device,
                    reason=reason,
                ),
            )
        self._expected, self._failed = True, True


class GpuSource:
    """A GPU of the amdgpu driver.  Where it went away, it is looked for ten times a second, by its PCI address."""

    def __init__(self, device: Device, roots: Roots, pid: int, report: Report) -> None:
        self._device, self._roots, self._report = device, roots, report
        self._name = say("GPU {value}", value=device.pci_bus_id or device.key)
        self._own = OwnBytes(device, roots, pid)
        self._share = PartitionShare(device, roots) if device.partitions > 1 else None
        self._gauges: dict[str, Gauge] = {}
        self._folder = ""
        self._missed = False
        self._busy: int | None = None
        self._busy_due = self._find_due = 0.0
        self._last = Reading()
        self._calm: tuple[Calm, ...] = ()
        self._calm_until = 0.0

    def read(self, now: float) -> Reading:
        if now < self._calm_until:
            try:
                for descriptor, size, held, _ in self._calm:
                    if os.pread(descriptor, size, 0) != held:
                        break
                else:
                    return self._last
            except OSError:
                pass  # what it means is found out below
        self._last = self._read(now)
        self._settle()
        return self._last

    def _settle(self) -> None:
        """Until when the last reading stands if its files do not change."""
        files = [self._gauges[name] for name in ("vram", "gtt") if name in self._gauges]
        calm = [file.calm for file in (*files, *self._own.files, *(self._share.files if self._share else ()))]
        self._calm = tuple(entry for entry in calm if entry is not None)
        # A file that cannot be read now may be readable at any time.
        known = len(files) == 2 and len(self._calm) == len(calm)
        dues = (self._busy_due, self._own.due, *([self._share.due] if self._share else ()))
        self._calm_until = min(*dues, *(entry[3] for entry in self._calm)) if known else 0.0

    def _read(self, now: float) -> Reading:
        own = self._own.read(now)
        if not self._gauges and not self._find(now):
            return Reading(own=own)
        try:
            vram = self._gauges["vram"].value(now)
            if self._share is not None:
                vram = self._share.used(now, self._gauges["whole"].value(now), vram)
            return Reading(vram, self._gauges["gtt"].value(now), self._load(now), own)
        except GoneError:
            self._lose()
            return Reading(own=own)

    def _find(self, now: float) -> bool:
        if now < self._find_due:
            return False
        self._find_due = now + FIND_SECONDS
        folder = card_folder(self._device.pci_bus_id or "", self._roots)
        if folder is None:
            self._miss()
            return False
        self._folder, self._busy_due = folder, 0.0
        self._gauges = {
            "vram": Gauge(f"{folder}/mem_info_vram_used", self._name, self._report, required=True),
            "whole": Gauge(f"{folder}/mem_info_vram_total", self._name, self._report),
            "gtt": Gauge(f"{folder}/mem_info_gtt_used", self._name, self._report),
            "busy": Gauge(f"{folder}/gpu_busy_percent", self._name, self._report),
        }
        if self._missed:
            self._report(
                "returned", say("{name} is back; programs that used it before must be started again", name=self._name)
            )
        self._missed = False
        return True

    def _miss(self) -> None:
        if not self._missed:
            self._report(
                "vanished",
                say(
                    "{name} is not among amdgpu's devices (unbound, removed or reset): its memory is unknown "
                    "until it is back, and what was in it must be loaded again",
                    name=self._name,
                ),
            )
        self._missed = True

    def _lose(self) -> None:
        self.close()
        self._gauges, self._busy = {}, None
        self._miss()

    def _load(self, now: float) -> int | None:
        if now >= self._busy_due:
            self._busy_due = now + BUSY_SECONDS
            # Asking would wake a card that sleeps, and one that sleeps does nothing.
            percent = 0 if is_suspended(self._folder) else self._gauges["busy"].value(now)
            self._busy = parse_percent(str(percent))
        return self._busy

    def close(self) -> None:
        self._calm_until = 0.0  # the descriptors mean nothing any more
        for gauge in self._gauges.values():
            gauge.close()
        self._own.close()
        if self._share is not None:
            self._share.close()


def partition_used(total: int, whole: int, card_used: int, own: int) -> int:
    """Used of a partition: what ROCm holds there, or what a card that is nearly full leaves no room for.  [bytes]"""
    return min(total, max(own, total - (whole - card_used), 0))


class PartitionShare:
    """What is used of one partition: the driver counts the whole card, the compute driver each process's part."""

    def __init__(self, device: Device, roots: Roots) -> None:
        self._total, self._file = device.vram_bytes, f"vram_{device.kfd_gpu_id}"
        self._base = f"{roots.sys}/class/kfd/kfd/proc"
        self._files: dict[str, KeptFile] = {}
        self._scan_due = 0.0

    @property
    def files(self) -> tuple[KeptFile, ...]:
        """What the processes' parts are read from."""
        return tuple(self._files.values())

    @property
    def due(self) -> float:
        """When processes are listed again."""
        return self._scan_due

    def used(self, now: float, whole: int | None, card_used: int | None) -> int | None:
        if whole is None or card_used is None:
            return None
        if now >= self._scan_due:
            self._scan_due = now + SCAN_SECONDS
            names = set(names_in(self._base))
            for name in self._files.keys() - names:
                self._files.pop(name).close()
            for name in names - self._files.keys():
                self._files[name] = KeptFile(f"{self._base}/{name}/{self._file}")
        own = sum(file.number(now) or 0 for file in self._files.values())
        return partition_used(self._total, whole, card_used, own)

    def close(self) -> None:
        for file in self._files.values():
            file.close()


class OwnBytes:
    """What one process holds on a GPU: KFD's count of its ROCm allocations, or what DRM counts where KFD has none.

    KFD knows processes by the machine's ids, so that its count is left out inside another pid namespace, where the
    same id may be a stranger's.
    """

    def __init__(self, device: Device, roots: Roots, pid: int) -> None:
        self._device = device
        self._kfd: KeptFile | None = None
        if device.kfd_gpu_id is not None and sees_the_machines_pids(roots):
            self._kfd = KeptFile(f"{roots.sys}/class/kfd/kfd/proc/{pid}/vram_{device.kfd_gpu_id}")
        self._process = f"{roots.proc}/{pid}"
        self._files: dict[str, KeptFile] = {}
        self._visible, self._scan_due = False, 0.0
        self._seen: int | None = None
        self._seen_due = 0.0
        self._counted: int | None = None

    @property
    def files(self) -> tuple[KeptFile, ...]:
        """What KFD's count is read from, where there is one."""
        return () if self._kfd is None or self._counted is None else (self._kfd,)

    @property
    def due(self) -> float:
        """When there is more to look at than those files."""
        return math.inf if self._counted else self._seen_due

    def read(self, now: float) -> int | None:
        self._counted = counted = self._kfd.number(now) if self._kfd is not None else None
        if counted:
            return counted
        if now >= self._seen_due:
            self._seen_due = now + CLIENT_SECONDS
            self._seen = self._from_clients(now)
        return counted if self._seen is None else self._seen

    def _from_clients(self, now: float) -> int | None:
        if now >= self._scan_due:
            self._scan_due = now + SCAN_SECONDS
            self._scan()
        clients = []
        for file in self._files.values():
            with suppress(OSError):
                clients.append(parse_fdinfo((file.read(now) or b"").decode("utf-8", errors="replace")))
        if not self._visible:
            return None
        slot = self._device.pci_bus_id
        return clients_bytes((client for client in clients if client and client.slot == slot), self._device.uses_gtt)

    def _scan(self) -> None:
        self._visible = os.access(f"{self._process}/fd", os.R_OK | os.X_OK)  # not ended, nor another user's
        minor = self._device.render_minor if self._device.partitions > 1 else None
        found = {
            name for name, number in graphics_descriptors(f"{self._process}/fd") if minor is None or number == minor
        }
        for name in self._files.keys() - found:
            self._files.pop(name).close()
        for name in found - self._files.keys():
            self._files[name] = KeptFile(f"{self._process}/fdinfo/{name}", _CLIENT_BYTES)

    def close(self) -> None:
        for file in (*self._files.values(), *([self._kfd] if self._kfd else [])):
            file.close()


def number_of(data: bytes) -> int | None:
    """``parse_number`` for bytes as they are read, which takes half the time."""
    digits = data.strip()
    if len(digits) > 19 or not digits.isdigit():
        return None
    number = int(digits)
    return number if number < 2**63 else None
