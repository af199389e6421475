"""What is free on a device now, from the two counts that disagree, and a pool that is more than that."""

import msgspec

from vramtuner.core.device.roots import HERE, Roots, kib_value, read_text
from vramtuner.core.device.spec import Device
from vramtuner.core.units import GIB, format_bytes
from vramtuner.core.words import say


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

    @property
    def counts_text(self) -> str:
        """Both counts and their difference, for people; empty where HIP was not asked."""
        if self.hip_bytes is None:
            return ""
        if self.driver_bytes is None or self.difference_bytes is None:
            return say("HIP counts {hip_bytes} free, the driver does not count", hip_bytes=format_bytes(self.hip_bytes))
        text = say(
            "HIP counts {hip_bytes} free, the driver {driver_bytes}",
            hip_bytes=format_bytes(self.hip_bytes),
            driver_bytes=format_bytes(self.driver_bytes),
        )
        if self.difference_bytes == 0:
            return say("{text}: the same", text=text)
        if self.difference_bytes > 0:
            more = format_bytes(self.difference_bytes)
            return say("{text}: {more} more by HIP, which leaves out what graphics programs hold", text=text, more=more)
        less = format_bytes(-self.difference_bytes)
        return say(
            "{text}: {less} less by HIP, which keeps some for itself or has seen an allocation first",
            text=text,
            less=less,
        )


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
    driver = device.driver_free_bytes
    ram = available_ram(roots) if device.uses_gtt else None
    counts = [count for count in (driver, hip_free_bytes, ram) if count is not None]
    return FreeNow(min(counts, default=None), driver, hip_free_bytes, ram)


def available_ram(roots: Roots = HERE) -> int | None:
    """``MemAvailable`` of ``/proc/meminfo``: what can be taken without swapping.  [bytes]"""
    return kib_value((read_text(roots.proc / "meminfo") or "").encode(), b"MemAvailable:")


def exceeds_free(device: Device, pool_bytes: int, free_bytes: int | None) -> bool:
    """Whether a process that fills its pool would run out of memory on a GPU of this machine as it is now.

    Not said of a catalogue card, which is not here, nor of the CPU stand-in: its pool by default is a share of all
    RAM, part of which is always in use, and its passes are kept to the RAM that is available when they begin.
    """
    return device.kind == "gpu" and free_bytes is not None and pool_bytes > free_bytes


def pool_too_large(device: Device, pool_bytes: int, free_bytes: int, held_by: str, when: str = "") -> str:
    """What is the matter with such a pool, in words, and what to do.

    Parameters
    ----------
    held_by
        What is to be closed, for people.
    when
        When that much was free; empty for now.
    """
    low = device.overhead_bytes
    if free_bytes > low:
        # Rounded down, so that the figure that is typed is less than what is free.
        fitting = free_bytes * 100 // GIB / 100
        instead = say("lower the pool to {fitting:.2f} GiB", fitting=fitting)
    else:
        instead = say("use another device: the runtime alone takes up to {low}", low=format_bytes(low))
    return say(
        "the pool of {pool_bytes} is more than the {free_bytes} free {when}: close {held_by}, or {instead}",
        pool_bytes=format_bytes(pool_bytes),
        free_bytes=format_bytes(free_bytes),
        when=when or say("now"),
        held_by=held_by,
        instead=instead,
    )
