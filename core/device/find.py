"""Devices by name: local GPUs from amdgpu's sysfs files, catalogue cards, the CPU stand-in."""

import csv
import re
from functools import cache
from importlib.resources import files
from pathlib import Path

import msgspec
import psutil

from vramtuner.core.device.spec import Device
from vramtuner.core.errors import BadInputError
from vramtuner.core.units import GIB

SYSFS = Path("/sys")
_AMD_VENDOR = "0x1002"


def cpu_device() -> Device:
    """The stand-in: real passes on the processor, with the machine's RAM as the memory to share out."""
    return Device(
        key="cpu",
        name="CPU stand-in",
        kind="cpu",
        vram_bytes=psutil.virtual_memory().total,
        source="this machine's RAM; not a GPU",
    )


class _Card(msgspec.Struct, frozen=True, rename={"pci": "pci_device_id:revision(hex)"}):
    name: str
    marketing_name: str
    gfx_target: str
    vram_gib_nominal: str
    hip_devices: str
    source_spec: str
    pci: str = ""


@cache
def _cards() -> tuple[_Card, ...]:
    text = (files("vramtuner.resources") / "gpus.csv").read_text(encoding="utf-8")
    return tuple(msgspec.convert(row, _Card) for row in csv.DictReader(text.splitlines()))


def catalogue() -> tuple[Device, ...]:
    """Every card that can be planned for without having it; sizes are nominal.

    A card that HIP shows as several devices counts as one of them; APUs share system memory and have no size.
    """
    return tuple(_planned(card) for card in _cards() if card.vram_gib_nominal)


def _planned(card: _Card) -> Device:
    parts = int(card.hip_devices)
    name = card.marketing_name.removeprefix("AMD ")
    return Device(
        key=card.name,
        name=name if parts == 1 else f"{name} (one of {parts} dies)",
        kind="catalogue",
        vram_bytes=int(float(card.vram_gib_nominal) * GIB) // parts,
        source=f"catalogue, nominal ({card.source_spec})",
        gfx=card.gfx_target,
    )


def local_gpus(sysfs: Path = SYSFS) -> tuple[Device, ...]:
    """AMD GPUs that the amdgpu driver shows, in PCI order.

    HIP may count them otherwise, so that passes find theirs by address.  A card whose files cannot be read is left out.
    """
    found: dict[str, Device] = {}
    for folder in sorted((sysfs / "class/drm").glob("card*/device")):
        if not re.fullmatch(r"card\d+", folder.parent.name):
            continue
        vendor, total = _read(folder / "vendor"), _read(folder / "mem_info_vram_total")
        slot = dict(line.partition("=")[::2] for line in _read(folder / "uevent").splitlines()).get("PCI_SLOT_NAME", "")
        if vendor != _AMD_VENDOR or not total.isdecimal() or not slot:
            continue
        used = _read(folder / "mem_info_vram_used")
        card = _match_card(_read(folder / "device"), _read(folder / "revision"), int(total))
        found[slot] = Device(
            key="",
            name=card.marketing_name.removeprefix("AMD ") if card else _read(folder / "product_name") or "AMD GPU",
            kind="gpu",
            vram_bytes=int(total),
            source="read from the amdgpu driver",
            gfx=card.gfx_target if card else None,
            vram_used_bytes=int(used) if used.isdecimal() else None,
            pci_bus_id=slot,
        )
    return tuple(msgspec.structs.replace(found[slot], key=str(index)) for index, slot in enumerate(sorted(found)))


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""


def _match_card(device_id: str, revision: str, vram_bytes: int) -> _Card | None:
    """The card of a PCI id; of several that share it, the one whose memory is nearest."""
    wanted = f"{device_id.removeprefix('0x')}:{revision.removeprefix('0x')}".upper()
    cards = [card for card in _cards() if wanted in card.pci.upper().split(";")]
    return min(cards, key=lambda card: abs(float(card.vram_gib_nominal or 0) * GIB - vram_bytes), default=None)


def local_devices() -> tuple[Device, ...]:
    """What passes can run on here: the GPUs, then the CPU stand-in."""
    return (*local_gpus(), cpu_device())


def find_device(text: str) -> Device:
    """The device that a person names: a local index, ``cpu``, ``auto`` or a catalogue name.

    Raises
    ------
    BadInputError
        There is no such device; near names are offered.
    """
    name = text.strip()
    here = local_devices()
    if name == "auto":
        return here[0]
    for device in here:
        if device.key == name.lower():
            return device
    if name.isdecimal():
        gpus = len(here) - 1
        raise BadInputError(f"there is no GPU {name} here ({gpus} found); give cpu or a catalogue card such as w7900")
    wanted = _plain(name)
    cards = catalogue()
    for device in cards:
        if wanted in (_plain(device.key), _plain(device.name), _plain(f"AMD {device.name}")):
            return device
    near = [device.key for device in cards if wanted and wanted in _plain(device.name)][:6] or ["w7900", "mi210"]
    raise BadInputError(
        f"unknown device {text[:60]!r}; give a local index, cpu, or a catalogue name such as {', '.join(near)}"
    )


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())
