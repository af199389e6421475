"""What a pass takes on a device, and the pool it is kept to: exact events on the CPU, ``torch.cuda`` on a GPU."""

import os
import re
import resource
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic
from typing import Any, Protocol

import psutil
import torch

from vramtuner.core.device.gauges import OwnBytes
from vramtuner.core.device.inventory import driver_free
from vramtuner.core.device.roots import HERE
from vramtuner.core.device.spec import Device
from vramtuner.core.errors import BadInputError
from vramtuner.core.probe.protocol import AskFree, DeviceFree, Event, Profile, Refusal
from vramtuner.core.probe.storages import StorageMode
from vramtuner.core.text import one_line
from vramtuner.core.units import format_bytes

# What libraries and kernels of the CPU keep beside the tensors that are watched.
_UNTRACKED_BYTES = 2 * 2**30
_MOST_HOLDERS = 5
BIN_SECONDS = 0.008
"""One reading, or a lowest and a highest, is had of each so many seconds: more than a hundred a second."""
_MOST_A_BIN = 4
_MOST_HISTORY = 100_000
"""Events of PyTorch's own record that are kept, the latest: some tens of MiB."""
# What says so beside torch's own allocator: the CPU's, a driver call, a library's handle.
_NO_MEMORY = ("DefaultCPUAllocator", "HIP error: out of memory", "CUDA error: out of memory", "ALLOC_FAILED")


class Readings:
    """Bytes at moments, from one thread to another: every one while they are few, else the lowest and the highest.

    What is done for each is little, because it is done in the pass; a thread that sorted them out later would take
    the interpreter away from it.
    """

    def __init__(self) -> None:
        self._points: deque[tuple[float, int]] = deque()
        self._extremes: tuple[tuple[float, int], tuple[float, int]] | None = None
        self._end, self._count = 0.0, 0

    def add(self, now: float, size: int) -> None:
        """Take notice of a size [bytes] at a moment [s]."""
        if now >= self._end:
            self._points.extend(self._taken_extremes())
            self._end, self._count = now + BIN_SECONDS, 0
        self._count += 1
        extremes = self._extremes
        if self._count <= _MOST_A_BIN:
            self._points.append((now, size))
        elif extremes is None:
            self._extremes = (now, size), (now, size)
        elif size > extremes[1][1]:
            self._extremes = extremes[0], (now, size)
        elif size < extremes[0][1]:
            self._extremes = (now, size), extremes[1]

    def _taken_extremes(self) -> list[tuple[float, int]]:
        taken, self._extremes = self._extremes, None
        return sorted(set(taken)) if taken else []

    def take(self) -> list[tuple[float, int]]:
        """What came since the last call."""
        # More may come meanwhile: only what is there now is taken.
        points = [self._points.popleft() for _ in range(len(self._points))]
        return points + self._taken_extremes()


class Meter(Protocol):
    """Bytes in tensors on one device, and the pool that bounds them."""

    device: torch.device
    tick_seconds: float
    """How often what it knows is to be read."""
    free: DeviceFree | None
    """What was free when it started, of a GPU; its ``id`` is 0."""

    def start(self) -> None:
        """Apply the pool before anything is loaded."""

    def adopt(self, weights: list[torch.Tensor]) -> int:
        """Take the loaded weights into account; their bytes."""

    def watch(self) -> Any:
        """A context that measures one pass; ``peak`` holds its result afterwards."""

    def lap(self) -> int:
        """Highest bytes in tensors since the pass, or its last lap, began."""

    def readings(self) -> list[tuple[float, int, int]]:
        """Moments of the monotonic clock with allocated and reserved bytes: all since the last call, or one of now."""

    def device_used(self) -> int:
        """Bytes in use on the device as torch can tell; 0 where it cannot."""

    def refusal(self, error: BaseException) -> Refusal:
        """What is known of an allocation that has just failed with this error."""

    @property
    def peak(self) -> int:
        """Highest bytes in tensors during the last pass."""

    @property
    def reserved(self) -> int:
        """Most bytes held from the device during the last pass."""

    def outside(self) -> int | None:
        """What this process has on the device now beside what torch holds; ``None`` where nothing counts it."""


class CpuMeter(StorageMode):
    """The CPU stand-in: live bytes from the same events as the tape's, the pool enforced on them.

    A storage that would pass the pool raises the exception type that torch raises on a GPU.
    """

    def __init__(self, pool_bytes: int) -> None:
        super().__init__()
        self.device = torch.device("cpu")
        self.tick_seconds = 5 * BIN_SECONDS  # what happens between is kept, and each look costs the pass
        self.free: DeviceFree | None = None
        self._pool_bytes = pool_bytes
        self._sizes: dict[int, tuple[int, str]] = {}
        self._live = self._lap = self.peak = 0
        self._readings = Readings()
        self._refusal: Refusal | None = None

    def start(self) -> None:
        """Bound the process too: an operation is seen after it has taken its memory, and a huge one must fail first."""
        process, free = psutil.Process(), psutil.virtual_memory().available
        room = min(self._pool_bytes, free) + _UNTRACKED_BYTES
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        bound = process.memory_info().data + room
        resource.setrlimit(resource.RLIMIT_DATA, (bound if hard == resource.RLIM_INFINITY else min(bound, hard), hard))

    def adopt(self, weights: list[torch.Tensor]) -> int:
        self.note(weights, "weights")
        return self._live

    def created(self, number: int, size: int, op: str) -> None:
        if self._live + size > self._pool_bytes:
            free = self._pool_bytes - self._live
            self._refusal = Refusal(size, free, self._pool_bytes, self._live, self._holders())
            raise torch.OutOfMemoryError(
                f"CPU stand-in out of memory. Tried to allocate {format_bytes(size)} for {op}. The pool is"
                f" {format_bytes(self._pool_bytes)}, of which {format_bytes(free)} is free."
            )
        self._sizes[number] = size, op
        self._live += size
        self.peak = max(self.peak, self._live)
        self._lap = max(self._lap, self._live)
        self._readings.add(monotonic(), self._live)

    def ended(self, number: int) -> None:
        # Taken first: a collection in another thread may end a storage too, and a sum read before would lose that.
        size = self._sizes.pop(number, (0, ""))[0]
        self._live -= size
        self._readings.add(monotonic(), self._live)

    def _holders(self) -> tuple[tuple[str, int], ...]:
        held: Counter[str] = Counter()
        for size, op in self._sizes.values():
            held[op.removeprefix("aten.").removesuffix(".default")] += size
        return tuple(held.most_common(_MOST_HOLDERS))

    @contextmanager
    def watch(self) -> Iterator[None]:
        self.peak = self._lap = self._live
        self._refusal = None
        with self:
            yield

    def lap(self) -> int:
        high, self._lap = self._lap, self._live
        return high

    @property
    def reserved(self) -> int:
        return self.peak

    def outside(self) -> int | None:
        return None

    def readings(self) -> list[tuple[float, int, int]]:
        taken = self._readings.take()
        return [(when, live, live) for when, live in taken] or [(monotonic(), self._live, self._live)]

    def device_used(self) -> int:
        return 0

    def refusal(self, error: BaseException) -> Refusal:
        if self._refusal is not None:
            return self._refusal
        # Not the pool but the machine: an operation takes its memory before it is seen.
        free = psutil.virtual_memory().available
        return Refusal(requested_bytes(error), free, self._pool_bytes, self._live, self._holders())


class GpuMeter:
    """A GPU through ``torch.cuda``, which is also the name of a ROCm build's interface."""

    def __init__(self, device: Device, pool_bytes: int) -> None:
        self.device = _cuda_device(device)
        self.tick_seconds = BIN_SECONDS
        self._about = device
        self.free: DeviceFree | None = None
        self._pool_bytes = pool_bytes
        self._outside = device.outside_torch_bytes
        self._own = OwnBytes(device, HERE, os.getpid())
        self._peak = self._reserved = 0

    def start(self) -> None:
        free, total = torch.cuda.mem_get_info(self.device)
        self.free = DeviceFree(0, self._about.key, free, driver_free(self._about))
        # Rounded down to the millionth, as the env file writes it.
        fraction = max(self._pool_bytes - self._outside, 0) * 1_000_000 // total / 1_000_000
        torch.cuda.set_per_process_memory_fraction(fraction, self.device)

    def adopt(self, weights: list[torch.Tensor]) -> int:
        return sum({w.untyped_storage()._cdata: w.untyped_storage().nbytes() for w in weights}.values())

    @contextmanager
    def watch(self) -> Iterator[None]:
        torch.cuda.synchronize(self.device)
        # What earlier passes left cached goes, so that each begins as the replayed one does: with the weights alone.
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats(self.device)
        self._peak = self._reserved = 0
        yield
        torch.cuda.synchronize(self.device)

    def lap(self) -> int:
        with suppress(RuntimeError):  # a GPU that failed says so in the pass
            torch.cuda.synchronize(self.device)
        high = torch.cuda.max_memory_allocated(self.device)
        self._peak, self._reserved = self.peak, self.reserved
        torch.cuda.reset_peak_memory_stats(self.device)
        return high

    @property
    def peak(self) -> int:
        return max(self._peak, torch.cuda.max_memory_allocated(self.device))

    @property
    def reserved(self) -> int:
        return max(self._reserved, torch.cuda.max_memory_reserved(self.device))

    def outside(self) -> int | None:
        own = self._own.read(monotonic())
        if not own and self.free is not None and self.free.hip_bytes is not None:
            # No driver's file counts this process: what is less free than at the start is its own, or a stranger's.
            own = self.free.hip_bytes - torch.cuda.mem_get_info(self.device)[0]
        return max(own - torch.cuda.memory_reserved(self.device), 0) if own else None

    def readings(self) -> list[tuple[float, int, int]]:
        return [(monotonic(), torch.cuda.memory_allocated(self.device), torch.cuda.memory_reserved(self.device))]

    def device_used(self) -> int:
        free, total = torch.cuda.mem_get_info(self.device)
        return total - free

    def refusal(self, error: BaseException) -> Refusal:
        # The frames of the pass still hold its tensors while its error is handled.
        free, live = torch.cuda.mem_get_info(self.device)[0], torch.cuda.memory_allocated(self.device)
        return Refusal(requested_bytes(error), free, self._pool_bytes, live)


def meter_for(device: Device, pool_bytes: int) -> Meter:
    """The meter of a device that is in this machine."""
    return GpuMeter(device, pool_bytes) if device.is_gpu else CpuMeter(pool_bytes)


def ask_free(request: AskFree, *, check: Callable[[], None], send: Callable[[Event], None]) -> None:
    """Send HIP's and the driver's count of what is free on each GPU, read one right after the other.

    Raises
    ------
    BadInputError
        This build of PyTorch has no HIP device.
    """
    if not torch.cuda.is_available():
        raise BadInputError(f"there is no HIP device for this build of PyTorch ({torch.__version__})")
    for device in request.devices:
        check()
        try:
            free, _ = torch.cuda.mem_get_info(_cuda_device(device))
            answer = DeviceFree(request.id, device.key, free, driver_free(device))
        except (BadInputError, RuntimeError) as error:  # what torch raises for a device that fails
            problem = one_line(str(error), 300)
            answer = DeviceFree(request.id, device.key, driver_bytes=driver_free(device), problem=problem)
        send(answer)


def _cuda_device(device: Device) -> torch.device:
    if not torch.cuda.is_available():
        raise BadInputError(
            f"this build of PyTorch ({torch.__version__}) cannot use {device.name}; install the ROCm build"
            " (make run TORCH=rocmX.Y), or choose the CPU stand-in"
        )
    if device.pci_bus_id is None:
        return torch.device("cuda", int(device.key))
    matches = []
    for index in range(torch.cuda.device_count()):
        found: Any = torch.cuda.get_device_properties(index)  # its stub leaves the PCI address out
        domain, bus, slot = found.pci_domain_id, found.pci_bus_id, found.pci_device_id
        if device.pci_bus_id.lower().startswith(f"{domain:04x}:{bus:02x}:{slot:02x}"):
            matches.append(index)
    if device.partitions > 1 and len(matches) == device.partitions:  # partitions of a card share its address
        return torch.device("cuda", matches[device.partition])
    if len(matches) == 1:
        return torch.device("cuda", matches[0])
    if matches:
        raise BadInputError(
            f"PyTorch sees {len(matches)} of the {device.partitions} partitions of {device.name} at"
            f" {device.pci_bus_id}, which cannot be told apart; unset HIP_VISIBLE_DEVICES and ROCR_VISIBLE_DEVICES"
        )
    raise BadInputError(f"PyTorch does not see {device.name} at {device.pci_bus_id}; check HIP_VISIBLE_DEVICES")


@contextmanager
def memory_history(request: Profile) -> Iterator[None]:
    """Around the passes of a profile: PyTorch's own record of a GPU's memory, for its viewer, where a file is named."""
    if not request.snapshot or not request.device.is_gpu:
        yield
        return
    torch.cuda.memory._record_memory_history(max_entries=_MOST_HISTORY)
    try:
        yield
    finally:
        part = Path(f"{request.snapshot}.part")
        try:
            torch.cuda.memory._dump_snapshot(str(part))
            part.replace(request.snapshot)
        except (OSError, RuntimeError):  # a full disk or a lost GPU costs the snapshot, not what was measured
            part.unlink(missing_ok=True)
        finally:
            torch.cuda.memory._record_memory_history(enabled=None)


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an error says that memory ran out: a GPU's, the pool's, Python's, or the CPU allocator's."""
    if isinstance(error, (torch.OutOfMemoryError, MemoryError)):
        return True
    return any(words in str(error) for words in _NO_MEMORY)


def requested_bytes(error: BaseException) -> int:
    """What an out-of-memory message says it tried to allocate.  [bytes, 0 if it does not say]"""
    match = re.search(r"[Tt]ried to allocate ([\d.,]+) (GiB|MiB|KiB|B|bytes)", str(error))
    factors = {"GiB": 2**30, "MiB": 2**20, "KiB": 2**10, "B": 1, "bytes": 1}
    return int(float(match[1].replace(",", "")) * factors[match[2]]) if match else 0
