"""What the devices tab says of a device, in words; the figures are core's."""

from vramtuner.core.device.spec import POOL_FRACTION, Device, Heaps
from vramtuner.core.device.summary import ALERT_FRACTION, DeviceSummary, identity
from vramtuner.core.device.sysfs import LiveFacts
from vramtuner.core.units import format_bytes
from vramtuner.gui.values import HipCount

FACTS = (
    "Memory", "Used", "Free now", "HIP's count", "Other heap", "Pool", "Overhead", "Attention", "Unique id", "Now",
    "Note",
)  # fmt: skip


def line_text(entry: DeviceSummary, *, gone: bool = False) -> str:
    """A GPU in one line: its target, what HIP calls it, where it is."""
    device = entry.device
    if device.kind != "gpu":
        return "Real passes on the processor, in this machine's RAM"
    units = f"{device.compute_units} compute units" if device.compute_units else ""
    hip = (
        "not there now"
        if gone
        else "hidden from HIP"
        if entry.runtime_index is None
        else f"HIP's GPU {entry.runtime_index}"
    )
    return " · ".join(part for part in (device.gfx or "gfx unknown", units, hip, device.pci_bus_id) if part)


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
            f"{format_bytes(pool)} by default, {POOL_FRACTION:.0%} of the memory; alert at {ALERT_FRACTION:.0%} of it"
            if pool
            else "none: the driver's margin takes all of the memory"
        ).replace("%", " %"),
        "Overhead": f"estimated, {format_bytes(low)} to {format_bytes(high)} a process" if high else "",
        "Attention": f"{entry.kernel.attention}: {entry.kernel.note}",
        "Unique id": device.uuid or "",
        "Now": _now(entry.live) if entry.live and not gone else "",
        "Note": "; ".join(device.warnings),
    }


def held_text(entry: DeviceSummary, *, gone: bool = False) -> str:
    """What the rows of the table add up to."""
    if gone:
        return "It is not there now, so that nobody holds its memory."
    if entry.device.kind != "gpu":
        return "Processes are listed for GPUs only."
    heaps, (vram, gtt) = entry.device.heaps, entry.held_bytes
    if heaps is None or heaps.vram_used_bytes is None:
        return "The driver does not count the whole, so that rows may be missing."
    mapped = f" and {format_bytes(gtt)} of GTT" if gtt else ""
    if entry.device.partitions > 1:
        return f"The rows add up to {format_bytes(vram)} of VRAM{mapped}, what is counted for this partition."
    return f"The rows add up to {format_bytes(vram)} of VRAM{mapped}, what the driver counts as used."


def _used(device: Device) -> str:
    if device.vram_used_bytes is None:
        return "unknown" if device.kind == "gpu" else ""
    used = format_bytes(device.vram_used_bytes)
    if device.kind != "gpu":
        return f"{used}, RAM that is not available"
    return f"{used}, by everyone, " + ("counted for this partition" if device.partitions > 1 else "the driver's count")


def _free(entry: DeviceSummary) -> str:
    free = entry.free
    if free.free_bytes is None:
        return "unknown"
    text = format_bytes(free.free_bytes)
    if not entry.device.is_gpu:
        return f"{text}, RAM that is available"
    if free.ram_bytes is not None:
        driver = "" if free.driver_bytes is None else f" and the driver's {format_bytes(free.driver_bytes)}"
        return f"{text}, the smaller of available RAM, {format_bytes(free.ram_bytes)},{driver}"
    return f"{text}, the driver's count"


def _hip(entry: DeviceSummary, hip: HipCount | None) -> str:
    """Both counts of one moment: HIP's is a process's own to ask, and it was asked when passes began."""
    if entry.device.kind != "gpu":
        return ""
    if hip is None or hip.device != identity(entry.device):
        return "not asked: passes on this GPU ask it when they begin, and so does `vramtuner devices --hip`"
    return f"{hip.free.counts_text}; asked at {hip.at:%H:%M:%S}, when passes began"


def _other_heap(heaps: Heaps) -> str:
    """The heap that allocations do not come from."""
    if heaps.allocations == "gtt":
        return f"VRAM, the BIOS's carve-out: {_part(heaps.vram_used_bytes, heaps.vram_total_bytes)}"
    if heaps.gtt_total_bytes is None:
        return ""
    return f"GTT, system memory that it may map: {_part(heaps.gtt_used_bytes, heaps.gtt_total_bytes)}"


def _part(used: int | None, total: int) -> str:
    return f"{'unknown' if used is None else format_bytes(used)} of {format_bytes(total)} used"


def _now(live: LiveFacts) -> str:
    if live.suspended:
        return "asleep"
    parts = []
    if live.junction_celsius is not None:
        parts.append(f"{live.junction_celsius:.0f} °C at the hottest spot")
    elif live.edge_celsius is not None:
        parts.append(f"{live.edge_celsius:.0f} °C")
    if live.power_watts is not None:
        parts.append(f"{live.power_watts:.0f} W")
    return ", ".join(parts)
