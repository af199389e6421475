"""What the devices tab says of a device, in words; the figures are core's."""

from vramtuner.core.device.spec import POOL_FRACTION, Device, Heaps
from vramtuner.core.device.summary import ALERT_FRACTION, DeviceSummary, identity
from vramtuner.core.device.sysfs import LiveFacts
from vramtuner.core.units import format_bytes
from vramtuner.core.words import mark, say
from vramtuner.gui.values import HipCount

FACTS = (
    mark("Memory"), mark("Used"), mark("Free now"), mark("HIP's count"), mark("Other heap"), mark("Pool"),
    mark("Overhead"), mark("Attention"), mark("Unique id"), mark("Now"), mark("Note"),
)  # fmt: skip


def line_text(entry: DeviceSummary, *, gone: bool = False) -> str:
    """A GPU in one line: its target, what HIP calls it, where it is."""
    device = entry.device
    if device.kind != "gpu":
        return say("Real passes on the processor, in this machine's RAM")
    units = say("{compute_units} compute units", compute_units=device.compute_units) if device.compute_units else ""
    hip = (
        say("not there now")
        if gone
        else say("hidden from HIP")
        if entry.runtime_index is None
        else say("HIP's GPU {runtime_index}", runtime_index=entry.runtime_index)
    )
    return " · ".join(part for part in (device.gfx or say("gfx unknown"), units, hip, device.pci_bus_id) if part)


def device_facts(entry: DeviceSummary, *, gone: bool = False, hip: HipCount | None = None) -> dict[str, str]:
    """Name and value of each fact; the empty ones are those that a device does not have, or not while it is gone."""
    device = entry.device
    low, high = device.overhead_range_bytes
    pool = device.default_pool_bytes
    return {
        "Memory": f"{format_bytes(device.vram_bytes)}, {device.source}",
        "Used": _used(device),
        "Free now": _free(entry),
        "HIP's count": "" if gone else _hip(entry, hip),
        "Other heap": _other_heap(device.heaps) if device.heaps and not gone else "",
        "Pool": (
            say(
                "{pool} by default, {pool_fraction:.0%} of the memory; alert at {alert_fraction:.0%} of it",
                pool=format_bytes(pool),
                pool_fraction=POOL_FRACTION,
                alert_fraction=ALERT_FRACTION,
            )
            if pool
            else say("none: the driver's margin takes all of the memory")
        ).replace("%", " %"),
        "Overhead": say("estimated, {low} to {high} a process", low=format_bytes(low), high=format_bytes(high))
        if high
        else "",
        "Attention": f"{entry.kernel.attention}: {entry.kernel.note}",
        "Unique id": device.uuid or "",
        "Now": _now(entry.live) if entry.live and not gone else "",
        "Note": "; ".join(device.warnings),
    }


def held_text(entry: DeviceSummary, *, gone: bool = False) -> str:
    """What the rows of the table add up to."""
    if gone:
        return say("It is not there now, so that nobody holds its memory.")
    if entry.device.kind != "gpu":
        return say("Processes are listed for GPUs only.")
    heaps, (vram, gtt) = entry.device.heaps, entry.held_bytes
    if heaps is None or heaps.vram_used_bytes is None:
        return say("The driver does not count the whole, so that rows may be missing.")
    mapped = say(" and {gtt} of GTT", gtt=format_bytes(gtt)) if gtt else ""
    if entry.device.partitions > 1:
        return say(
            "The rows add up to {vram} of VRAM{mapped}, what is counted for this partition.",
            vram=format_bytes(vram),
            mapped=mapped,
        )
    return say(
        "The rows add up to {vram} of VRAM{mapped}, what the driver counts as used.",
        vram=format_bytes(vram),
        mapped=mapped,
    )


def _used(device: Device) -> str:
    if device.vram_used_bytes is None:
        return say("unknown") if device.kind == "gpu" else ""
    used = format_bytes(device.vram_used_bytes)
    if device.kind != "gpu":
        return say("{used}, RAM that is not available", used=used)
    return say("{used}, by everyone, ", used=used) + (
        say("counted for this partition") if device.partitions > 1 else say("the driver's count")
    )


def _free(entry: DeviceSummary) -> str:
    free = entry.free
    if free.free_bytes is None:
        return "unknown"
    text = format_bytes(free.free_bytes)
    if not entry.device.is_gpu:
        return say("{text}, RAM that is available", text=text)
    if free.ram_bytes is not None:
        driver = (
            ""
            if free.driver_bytes is None
            else say(" and the driver's {driver_bytes}", driver_bytes=format_bytes(free.driver_bytes))
        )
        return say(
            "{text}, the smaller of available RAM, {ram_bytes},{driver}",
            text=text,
            ram_bytes=format_bytes(free.ram_bytes),
            driver=driver,
        )
    return say("{text}, the driver's count", text=text)


def _hip(entry: DeviceSummary, hip: HipCount | None) -> str:
    """Both counts of one moment: HIP's is a process's own to ask, and it was asked when passes began."""
    if entry.device.kind != "gpu":
        return ""
    if hip is None or hip.device != identity(entry.device):
        return say("not asked: passes on this GPU ask it when they begin, and so does `vramtuner devices --hip`")
    return say("{counts_text}; asked at {at:%H:%M:%S}, when passes began", counts_text=hip.free.counts_text, at=hip.at)


def _other_heap(heaps: Heaps) -> str:
    """The heap that allocations do not come from."""
    if heaps.allocations == "gtt":
        return say("VRAM, the BIOS's carve-out: {part}", part=_part(heaps.vram_used_bytes, heaps.vram_total_bytes))
    if heaps.gtt_total_bytes is None:
        return ""
    return say("GTT, system memory that it may map: {part}", part=_part(heaps.gtt_used_bytes, heaps.gtt_total_bytes))


def _part(used: int | None, total: int) -> str:
    return say(
        "{used} of {total} used", used=say("unknown") if used is None else format_bytes(used), total=format_bytes(total)
    )


def _now(live: LiveFacts) -> str:
    if live.suspended:
        return "asleep"
    parts = []
    if live.junction_celsius is not None:
        parts.append(say("{junction_celsius:.0f} °C at the hottest spot", junction_celsius=live.junction_celsius))
    elif live.edge_celsius is not None:
        parts.append(say("{celsius:.0f} °C", celsius=live.edge_celsius))
    if live.power_watts is not None:
        parts.append(say("{watts:.0f} W", watts=live.power_watts))
    return ", ".join(parts)
