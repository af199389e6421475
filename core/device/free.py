"""What is free on a device now, from the two counts that disagree."""

import msgspec

from vramtuner.core.device.roots import HERE, Roots, kib_value, read_text
from vramtuner.core.device.spec import Device


class FreeNow(msgspec.Struct, frozen=True):
    """Free memory, and the counts that it is the smallest of.  [bytes]

    Attributes
    ----------
    driver_bytes
        The driver's total less what it counts as used, by everyone.
    hip_bytes
        HIP's, which leaves out what graphics clients hold; ``None`` when it was not asked.
    ram_bytes
        RAM available to a GPU that allocates from system memory; ``None`` for one that does not.
    """

    free_bytes: int | None
    driver_bytes: int | None
    hip_bytes: int | None = None
    ram_bytes: int | None = None

    @property
    def difference_bytes(self) -> int | None:
        """How much more HIP reports than the driver: memory that HIP does not count, such as a desktop's."""
        if self.hip_bytes is None or self.driver_bytes is None:
            return None
        return self.hip_bytes - self.driver_bytes


def free_now(device: Device, hip_free_bytes: int | None = None, roots: Roots = HERE) -> FreeNow:
    """What a new process can expect to allocate on a GPU.

    The smaller of the two counts: HIP ignores graphics clients and reports gibibytes too much beside a desktop
    (issues 7993 of ROCm/rocm-systems and 24906 of ggml-org/llama.cpp), the driver may not yet have seen what a
    process took.  An APU that allocates from system memory cannot take more than the RAM that is available.

    Parameters
    ----------
    hip_free_bytes
        The first of ``torch.cuda.mem_get_info``, where a process has asked.
    """
    driver = None if device.vram_used_bytes is None else max(device.vram_bytes - device.vram_used_bytes, 0)
    ram = available_ram(roots) if device.uses_gtt else None
    counts = [count for count in (driver, hip_free_bytes, ram) if count is not None]
    return FreeNow(min(counts, default=None), driver, hip_free_bytes, ram)


def available_ram(roots: Roots = HERE) -> int | None:
    """``MemAvailable`` of ``/proc/meminfo``: what can be taken without swapping.  [bytes]"""
    return kib_value((read_text(roots.proc / "meminfo") or "").encode(), b"MemAvailable:")
