"""`Device`: the memory that a process can be given, and where the figure comes from."""

from typing import Literal

import msgspec

from vramtuner.core.errors import BadInputError
from vramtuner.core.settings import Levers
from vramtuner.core.units import GIB, MIB, format_bytes
from vramtuner.core.words import say

UNNAMED = "AMD GPU"
"""What a card is called that nothing names."""
POOL_FRACTION = 0.80
DRIVER_MARGIN_BYTES = 1 * GIB

# What a ROCm process holds outside the tape.  Scratch: ROCr reserves 146,800,640 bytes per process and GPU
# (HSA_SCRATCH_SINGLE_LIMIT).  Workspaces: hipBLAS 32 MiB (128 MiB on MI300 and later) and hipBLASLt 76 MiB per
# handle and stream, PyTorch's defaults.  Context: no AMD figure has been published; 600 MiB is what other
# calculators assume for their devices, taken whole because a forecast must not be optimistic.
_SCRATCH_BYTES = 140 * MIB
_CONTEXT_ASSUMED_BYTES = 600 * MIB
_HIPBLASLT_BYTES = 76 * MIB
_LARGE_WORKSPACE_GFX = ("gfx942", "gfx950")


Heap = Literal["vram", "gtt"]


class Heaps(msgspec.Struct, frozen=True, kw_only=True):
    """The two memories that a GPU of this machine allocates from, as its driver counts them.  [bytes]

    Attributes
    ----------
    vram_total_bytes, vram_used_bytes
        The card's own memory; on an APU the part of RAM that the BIOS carved out for graphics.
    gtt_total_bytes, gtt_used_bytes
        System memory that the GPU may map, which every program shares.
    allocations
        The heap that a ROCm allocation lands in.  ``gtt`` is an APU whose kernel prefers system memory.
    """

    vram_total_bytes: int
    vram_used_bytes: int | None = None
    gtt_total_bytes: int | None = None
    gtt_used_bytes: int | None = None
    allocations: Heap = "vram"


class Device(msgspec.Struct, frozen=True, kw_only=True):
    """A GPU in this machine, a catalogue card, or the CPU stand-in.

    Attributes
    ----------
    key
        What names it on the command line: ``0``, ``w6600`` or ``cpu``.
    vram_bytes
        The memory that allocations can take in all: read from the driver for a local GPU (of an APU, the heap that
        its allocations land in), nominal for a catalogue card, RAM for the stand-in.
    source
        Where ``vram_bytes`` comes from, for people.
    vram_used_bytes
        What is used of ``vram_bytes`` now, by everyone.
    heaps
        The driver's own figures; ``None`` for what is no local GPU.
    integrated
        An APU: its memory is the machine's.
    uuid
        ``GPU-`` and 16 hexadecimal digits, by which visibility variables may name it; ``None`` when it has none.
    kfd_gpu_id, render_minor
        By which the compute driver and ``/dev/dri`` know it.
    partition, partitions
        Which of the devices that one card is divided into; whole cards are 0 of 1.
    warnings
        What a person should know before trusting the figures.
    """

    key: str
    name: str
    kind: Literal["gpu", "catalogue", "cpu"]
    vram_bytes: int
    source: str
    gfx: str | None = None
    vram_used_bytes: int | None = None
    pci_bus_id: str | None = None
    heaps: Heaps | None = None
    integrated: bool = False
    compute_units: int | None = None
    uuid: str | None = None
    kfd_gpu_id: int | None = None
    render_minor: int | None = None
    partition: int = 0
    partitions: int = 1
    warnings: tuple[str, ...] = ()

    @property
    def is_gpu(self) -> bool:
        return self.kind != "cpu"

    @property
    def uses_gtt(self) -> bool:
        """Whether allocations land in system memory that the driver lends, as on some APUs."""
        return self.heaps is not None and self.heaps.allocations == "gtt"

    @property
    def driver_free_bytes(self) -> int | None:
        """What the driver counts as free, when the device was looked at; ``None`` where it does not count."""
        return None if self.vram_used_bytes is None else max(self.vram_bytes - self.vram_used_bytes, 0)

    @property
    def is_here(self) -> bool:
        """Whether passes can run on it now."""
        return self.kind != "catalogue"

    @property
    def max_pool_bytes(self) -> int:
        """The largest pool that leaves the driver its margin."""
        return max(self.vram_bytes - DRIVER_MARGIN_BYTES, 0)

    @property
    def default_pool_bytes(self) -> int:
        """80 % of the device's memory, in whole MiB, or less where the driver margin asks for it."""
        share = int(self.vram_bytes * POOL_FRACTION) // MIB * MIB
        return min(share, self.max_pool_bytes)

    def pool_bytes(self, levers: Levers) -> int:
        """The pool that the levers ask of this device.  [bytes]

        Raises
        ------
        BadInputError
            It is more than the device's memory less the driver margin.
        """
        pool = self.default_pool_bytes if levers.pool_bytes is None else levers.pool_bytes
        if pool > self.max_pool_bytes:
            raise BadInputError(
                say(
                    "a pool of {pool} does not fit {name}: of its {vram_bytes} {driver_margin_bytes} must "
                    "stay free; give at most {max_pool_bytes}",
                    pool=format_bytes(pool),
                    name=self.name,
                    vram_bytes=format_bytes(self.vram_bytes),
                    driver_margin_bytes=format_bytes(DRIVER_MARGIN_BYTES),
                    max_pool_bytes=format_bytes(self.max_pool_bytes),
                )
            )
        return pool

    @property
    def overhead_range_bytes(self) -> tuple[int, int]:
        """Runtime and library memory that no tape sees: smallest and largest estimate; nothing on the stand-in."""
        if not self.is_gpu:
            return 0, 0
        hipblas = (128 if self.gfx in _LARGE_WORKSPACE_GFX else 32) * MIB
        certain = _SCRATCH_BYTES + hipblas + _HIPBLASLT_BYTES
        return certain, certain + _CONTEXT_ASSUMED_BYTES

    @property
    def outside_torch_bytes(self) -> int:
        """The part of the overhead that torch's own cap does not see: scratch and context."""
        return _SCRATCH_BYTES + _CONTEXT_ASSUMED_BYTES if self.is_gpu else 0

    @property
    def overhead_bytes(self) -> int:
        """The larger estimate, until a measurement replaces it."""
        return self.overhead_range_bytes[1]
