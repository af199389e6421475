"""The cards of ``resources/gpus.csv``: what can be planned for without having it, and names for PCI ids."""

import csv
from functools import cache
from importlib.resources import files
from typing import Literal

import msgspec

from vramtuner.core.device.spec import Device
from vramtuner.core.units import GIB
from vramtuner.core.words import say


class Card(msgspec.Struct, frozen=True, rename={"pci": "pci_device_id:revision(hex)"}):
    """A row of the table, as text; ``ram_gib`` lists the RAM of machines that an APU is sold in."""

    name: str
    marketing_name: str
    gfx_target: str
    vram_gib_nominal: str
    hip_devices: str
    integrated: Literal["yes", "no"]
    ram_gib: str
    compute_units: str
    source_spec: str
    pci: str = ""

    @property
    def label(self) -> str:
        """The name without its maker's."""
        return self.marketing_name.removeprefix("AMD ")

    @property
    def dies(self) -> int:
        """How many devices HIP shows for one card."""
        return int(self.hip_devices)

    @property
    def units(self) -> int | None:
        """Compute units of one device, where the table has them."""
        digits = self.compute_units.partition(" ")[0]
        return int(digits) // self.dies if digits.isdecimal() else None


@cache
def cards() -> tuple[Card, ...]:
    """Every row of the table."""
    text = (files("vramtuner.resources") / "gpus.csv").read_text(encoding="utf-8")
    return tuple(msgspec.convert(row, Card) for row in csv.DictReader(text.splitlines()))


def catalogue() -> tuple[Device, ...]:
    """Every card that can be planned for without having it; sizes are nominal.

    A card that HIP shows as several devices counts as one of them.  An APU has no memory of its own and is one entry
    per size of RAM that it is sold with.
    """
    return tuple(device for card in cards() for device in _planned(card))


def _planned(card: Card) -> list[Device]:
    if card.vram_gib_nominal:
        name = card.label if card.dies == 1 else f"{card.label} (one of {card.dies} dies)"
        size = int(float(card.vram_gib_nominal) * GIB) // card.dies
        return [
            _device(
                card, card.name, name, size, say("catalogue, nominal ({source_spec})", source_spec=card.source_spec)
            )
        ]
    return [
        # Half of RAM is the kernel's default limit for graphics in system memory (amdgpu.gttsize, ttm.pages_limit).
        _device(
            card,
            f"{card.name}-{ram}",
            f"{card.label} with {ram} GiB of RAM",
            int(ram) * GIB // 2,
            say(
                "half of {ram} GiB of RAM, the kernel's default limit for graphics (GTT); raised by ttm.pages_limit",
                ram=ram,
            ),
        )
        for ram in card.ram_gib.split(";")
        if ram
    ]


def _device(card: Card, key: str, name: str, size: int, source: str) -> Device:
    return Device(
        key=key,
        name=name,
        kind="catalogue",
        vram_bytes=size,
        source=source,
        gfx=card.gfx_target,
        integrated=card.integrated == "yes",
        compute_units=card.units,
    )


def match_card(device_id: int, revision: int | None, memory_bytes: int, units: int | None = None) -> Card | None:
    """The card of a PCI id; of several that share it, the one whose memory and then compute units are nearest.

    Parameters
    ----------
    memory_bytes, units
        Of one device as HIP shows it, so that a card of two dies counts as one of them.
    """
    if revision is None:
        return None
    wanted = f"{device_id:04X}:{revision:02X}"
    found = [card for card in cards() if wanted in card.pci.upper().split(";")]

    def distance(card: Card) -> tuple[float, int]:
        nominal = float(card.vram_gib_nominal or 0) * GIB / card.dies
        return abs(nominal - memory_bytes), abs((card.units or 0) - (units or 0)) if units else 0

    return min(found, key=distance, default=None)


def integrated_gpu(device_id: int) -> bool:
    """Whether a PCI id is an APU's, whatever its revision."""
    wanted = f"{device_id:04X}:"
    return any(card.integrated == "yes" and wanted in card.pci.upper() for card in cards())
