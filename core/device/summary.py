"""Everything that is known of each device here, gathered once for the command line and the window alike."""

import os
from collections.abc import Mapping, Sequence

import msgspec

from vramtuner.core.device.attention import KernelChoice, auto_attention
from vramtuner.core.device.cuda import cuda_fallback
from vramtuner.core.device.free import FreeNow, available_ram, exceeds_free, free_now, pool_too_large
from vramtuner.core.device.holders import OF_THE_HOST, Holder, holders
from vramtuner.core.device.roots import HERE, Roots
from vramtuner.core.device.sampler import Sample
from vramtuner.core.device.spec import Device
from vramtuner.core.device.sysfs import LiveFacts, live_facts
from vramtuner.core.device.visible import visible
from vramtuner.core.units import format_bytes
from vramtuner.core.words import mark, say

ALERT_FRACTION = 0.90
"""Of the pool: where monitoring should speak up."""

NO_GPU = mark(
    "no AMD GPU is here: the amdgpu driver shows none. If one is built in, see whether lspci "
    "lists it and lsmod lists amdgpu; a container must be given /dev/kfd and /dev/dri. "
    "Without one, plan for a catalogue card and run passes on the CPU stand-in"
)

_HOLDERS_NAMED = 3

Identity = tuple[str, str | None, int]


class DeviceSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A device with what is known of it now.

    Attributes
    ----------
    holders
        Who holds its memory; of a GPU the rows add up to what its driver counts as used.
    free
        What a new process can expect to get.
    runtime_index
        What HIP calls it under the variables that are set; ``None`` when HIP does not see it.
    kernel
        What ``attention=auto`` means on it.
    live
        Load, temperatures and power; of a GPU only.
    """

    device: Device
    holders: tuple[Holder, ...] = ()
    free: FreeNow
    runtime_index: int | None = None
    kernel: KernelChoice
    live: LiveFacts | None = None

    @property
    def held_bytes(self) -> tuple[int, int]:
        """What the rows add up to: VRAM and mapped system memory."""
        return sum(row.vram_bytes for row in self.holders), sum(row.gtt_bytes for row in self.holders)

    @property
    def pool_warning(self) -> str:
        """What to know where the default pool is more than is free now; empty where it is not."""
        return pool_warning(self, self.device.default_pool_bytes)

    @property
    def alert_bytes(self) -> int:
        """Where the default pool is nearly full."""
        return int(self.device.default_pool_bytes * ALERT_FRACTION)


class Survey(msgspec.Struct, frozen=True):
    """The devices of this machine, and what a person should know of them together."""

    devices: tuple[DeviceSummary, ...]
    notes: tuple[str, ...] = ()


def survey(devices: Sequence[Device], roots: Roots = HERE, environment: Mapping[str, str] = os.environ) -> Survey:
    """Look at every device.

    Takes some 100 ms where hundreds of processes run.

    Parameters
    ----------
    devices
        As `local_devices` gives them: the GPUs in the runtime's order, then the CPU stand-in.
    environment
        Its ``*_VISIBLE_DEVICES`` decide what HIP calls each GPU.
    """
    gpus = [device for device in devices if device.kind == "gpu"]
    seen = visible([gpu.uuid for gpu in gpus if gpu.kfd_gpu_id is not None], environment)
    held, none = holders(gpus, roots), "" if gpus else say(NO_GPU)
    summaries = tuple(
        DeviceSummary(
            device=device,
            holders=held.get(device.key, ()),
            free=_free(device, roots),
            runtime_index=seen.index_of(place),
            kernel=auto_attention(device),
            live=live_facts(device, roots) if device.kind == "gpu" else None,
        )
        for place, device in enumerate(devices)
    )
    return Survey(summaries, tuple(note for note in (none, cuda_fallback(roots).note, *seen.explanation) if note))


def pool_warning(entry: DeviceSummary, pool_bytes: int, named: int = _HOLDERS_NAMED) -> str:
    """What to know where a pool is more than is free on a GPU now; empty where it is not.

    Parameters
    ----------
    named
        How many of those who hold its memory are named, the largest first.
    """
    free = entry.free.free_bytes
    if free is None or not exceeds_free(entry.device, pool_bytes, free):
        return ""
    if entry.free.ram_bytes == free:
        return pool_too_large(entry.device, pool_bytes, free, say("programs that take RAM"))
    return pool_too_large(entry.device, pool_bytes, free, _largest(entry, named))


def _largest(entry: DeviceSummary, named: int) -> str:
    """What holds most of the memory that allocations come from, by name."""

    def held(row: Holder) -> int:
        return row.gtt_bytes if entry.device.uses_gtt else row.vram_bytes

    rows = sorted((row for row in entry.holders if row.pid is not None and held(row) > 0), key=held, reverse=True)
    if not rows:
        return say("what holds it (no process that is visible from here)")
    names = (f"{_name(row)}, {format_bytes(held(row))}" for row in rows[:named])
    more = say("; and {rows} more", rows=len(rows) - named) if len(rows) > named else ""
    return say("what holds it ({names}{more})", names="; ".join(names), more=more)


def _name(row: Holder) -> str:
    return (
        say("process {pid} of the host", pid=row.pid)
        if row.name == say(OF_THE_HOST)
        else say("{name}, process {pid}", name=row.name, pid=row.pid)
    )


def identity(device: Device) -> Identity:
    """What stays the same of a device while others come and go, which its index does not."""
    return device.kind, device.pci_bus_id or device.key, device.partition


def used_bytes(device: Device, sample: Sample) -> int | None:
    """What is used of the memory that allocations come from, at a sample.  [bytes]"""
    return sample.gtt_used_bytes if device.uses_gtt else sample.vram_used_bytes


def at_sample(summary: DeviceSummary, sample: Sample, roots: Roots = HERE) -> DeviceSummary:
    """The summary with used and free as they were at a sample."""
    device = msgspec.structs.replace(summary.device, vram_used_bytes=used_bytes(summary.device, sample))
    return msgspec.structs.replace(summary, device=device, free=_free(device, roots))


def _free(device: Device, roots: Roots) -> FreeNow:
    if device.is_gpu:
        return free_now(device, roots=roots)
    ram = available_ram(roots)
    return FreeNow(ram, None, None, ram)
