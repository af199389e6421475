"""Graphics cards as the DRM class shows them: ``/sys/class/drm/card*/device``.

The files, their units and who may read them are the amdgpu driver's (kernel documentation, "AMDGPU driver misc
information"): ``mem_info_*`` are decimal bytes of everything on the card, graphics clients included.
"""

import os
import re

import msgspec

from vramtuner.core.device.roots import (
    HERE,
    Roots,
    names_in,
    parse_hex,
    parse_number,
    parse_pairs,
    parse_slot,
    read_text,
)
from vramtuner.core.device.spec import Device
from vramtuner.core.text import printable

AMD, NVIDIA = 0x1002, 0x10DE
_CARD = re.compile(r"card\d+|renderD\d+", re.ASCII)
_MONITOR = re.compile(r"hwmon\d+", re.ASCII)
_SIGNED = re.compile(r"-?[0-9]{1,9}", re.ASCII)
_SENSORS = range(1, 6)
_MAX_WATTS = 4000  # kernels of 2023 wrote an error as an unsigned number, 4295 W


class DrmCard(msgspec.Struct, frozen=True, kw_only=True):
    """One PCI function with a graphics driver.  Sizes in bytes; ``None`` is a file that is missing or unreadable.

    Attributes
    ----------
    has_board_files
        Whether the driver shows a memory vendor or board information, which it does for discrete cards only.
    """

    slot: str
    vendor: int
    device_id: int
    revision: int | None
    vram_total: int | None
    vram_used: int | None
    gtt_total: int | None
    gtt_used: int | None
    unique_id: int
    product_name: str
    has_board_files: bool


def drm_cards(roots: Roots) -> tuple[DrmCard, ...]:
    """Every graphics card of any maker, in PCI order; a card with several nodes once."""
    base = os.path.join(roots.sys, "class", "drm")  # noqa: PTH118 - strings: these are read in thousands
    found: dict[str, DrmCard] = {}
    for name in names_in(base):
        if _CARD.fullmatch(name):
            card = _read_card(f"{base}/{name}/device")
            if card is not None:
                found.setdefault(card.slot, card)
    return tuple(found[slot] for slot in sorted(found))


def _read_card(folder: str) -> DrmCard | None:
    uevent = parse_pairs(read_text(f"{folder}/uevent") or "", "=")
    slot = parse_slot(uevent.get("PCI_SLOT_NAME"))
    vendor, device_id = parse_hex(read_text(f"{folder}/vendor")), parse_hex(read_text(f"{folder}/device"))
    if vendor is None or device_id is None:  # some captures lack the files and have the ids here
        ids = uevent.get("PCI_ID", "").split(":")
        if len(ids) == 2:
            vendor = parse_hex(ids[0]) if vendor is None else vendor
            device_id = parse_hex(ids[1]) if device_id is None else device_id
    if slot is None or vendor is None:
        return None

    def size(kind: str) -> int | None:
        return parse_number(read_text(f"{folder}/mem_info_{kind}"))

    return DrmCard(
        slot=slot,
        vendor=vendor,
        device_id=device_id or 0,
        revision=parse_hex(read_text(f"{folder}/revision")),
        vram_total=size("vram_total"),
        vram_used=size("vram_used"),
        gtt_total=size("gtt_total"),
        gtt_used=size("gtt_used"),
        unique_id=parse_hex(read_text(f"{folder}/unique_id")) or 0,
        product_name=printable((read_text(f"{folder}/product_name") or "").strip()),
        has_board_files=any(read_text(f"{folder}/{name}") for name in ("mem_info_vram_vendor", "board_info")),
    )


class LiveFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What a card tells of itself now; ``None`` is what it, or its kernel, does not tell.

    Attributes
    ----------
    vis_vram_total_bytes, vis_vram_used_bytes
        The part of VRAM that the processor can address: all of it with a resizable BAR, else 256 MiB.
    edge_celsius, junction_celsius
        At the chip's edge, and at its hottest spot, which APUs and old cards do not have.
    power_watts
        Of the whole board on discrete cards, averaged where the driver averages.
    suspended
        Asleep: load, temperatures and power are then not asked, since asking wakes it.
    """

    vis_vram_total_bytes: int | None = None
    vis_vram_used_bytes: int | None = None
    busy_percent: int | None = None
    edge_celsius: float | None = None
    junction_celsius: float | None = None
    power_watts: float | None = None
    suspended: bool = False


def live_facts(device: Device, roots: Roots = HERE) -> LiveFacts:
    """What the card of a device tells of itself now.  Of a partition it is the whole card's."""
    folder = card_folder(device.pci_bus_id or "", roots)
    if folder is None:
        return LiveFacts()
    asleep = is_suspended(folder)
    monitor = None if asleep else _monitor(folder)
    celsius = _temperatures(monitor) if monitor else {}
    return LiveFacts(
        vis_vram_total_bytes=parse_number(read_text(f"{folder}/mem_info_vis_vram_total")),
        vis_vram_used_bytes=parse_number(read_text(f"{folder}/mem_info_vis_vram_used")),
        busy_percent=None if asleep else parse_percent(read_text(f"{folder}/gpu_busy_percent")),
        edge_celsius=celsius.get("edge"),
        junction_celsius=celsius.get("junction"),
        power_watts=_power(monitor) if monitor else None,
        suspended=asleep,
    )


def card_folder(slot: str, roots: Roots) -> str | None:
    """The ``device`` folder of the card at a PCI address; ``None`` when DRM shows none there."""
    base = os.path.join(roots.sys, "class", "drm")  # noqa: PTH118
    for name in names_in(base):
        if _CARD.fullmatch(name):
            folder = f"{base}/{name}/device"
            uevent = parse_pairs(read_text(f"{folder}/uevent") or "", "=")
            if parse_slot(uevent.get("PCI_SLOT_NAME")) == slot:
                return folder
    return None


def is_suspended(folder: str) -> bool:
    """Whether the kernel has put a card to sleep.  Reading this does not wake it."""
    return (read_text(f"{folder}/power/runtime_status") or "").strip() == "suspended"


def parse_percent(text: str | None) -> int | None:
    """``0`` to ``100``; ``None`` for anything else."""
    number = parse_number(text)
    return number if number is not None and number <= 100 else None


def parse_celsius(text: str | None) -> float | None:
    """A sensor's thousandths of a degree; ``None`` for what no chip can have."""
    stripped = (text or "").strip()
    if _SIGNED.fullmatch(stripped) is None:
        return None
    celsius = int(stripped) / 1000
    return celsius if -100 <= celsius <= 200 else None


def parse_watts(text: str | None) -> float | None:
    """A sensor's millionths of a watt; ``None`` for what no card can take."""
    number = parse_number(text)
    return number / 1_000_000 if number is not None and number < _MAX_WATTS * 1_000_000 else None


def _monitor(folder: str) -> str | None:
    """The card's own folder of sensors; disks and others that hang below it have their own name."""
    folders = [f"{folder}/hwmon/{name}" for name in names_in(f"{folder}/hwmon") if _MONITOR.fullmatch(name)]
    return next((found for found in folders if (read_text(f"{found}/name") or "").strip() == "amdgpu"), None)


def _temperatures(monitor: str) -> dict[str, float]:
    found: dict[str, float] = {}
    for number in _SENSORS:
        label = printable((read_text(f"{monitor}/temp{number}_label") or "").strip())
        celsius = parse_celsius(read_text(f"{monitor}/temp{number}_input")) if label else None
        if celsius is not None:
            found.setdefault(label, celsius)
    return found


def _power(monitor: str) -> float | None:
    average = parse_watts(read_text(f"{monitor}/power1_average"))
    return parse_watts(read_text(f"{monitor}/power1_input")) if average is None else average
