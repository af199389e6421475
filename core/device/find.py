"""Devices by name: local GPUs, catalogue cards, the CPU stand-in."""

import re

import psutil

from vramtuner.core.device.catalogue import cards, catalogue
from vramtuner.core.device.inventory import local_gpus
from vramtuner.core.device.roots import HERE, Roots
from vramtuner.core.device.smi import complete
from vramtuner.core.device.spec import Device
from vramtuner.core.errors import BadInputError
from vramtuner.core.words import say

__all__ = ["catalogue", "cpu_device", "find_device", "local_devices", "local_gpus"]


def cpu_device() -> Device:
    """The stand-in: real passes on the processor, with the machine's RAM as the memory to share out."""
    return Device(
        key="cpu",
        name="CPU stand-in",
        kind="cpu",
        vram_bytes=psutil.virtual_memory().total,
        source=say("this machine's RAM; not a GPU"),
    )


def local_devices(roots: Roots = HERE) -> tuple[Device, ...]:
    """What passes can run on here: the GPUs, then the CPU stand-in.  The one way to list them."""
    return (*complete(local_gpus(roots)), cpu_device())


def find_device(text: str, roots: Roots = HERE) -> Device:
    """The device that a person names: a local index, ``cpu``, ``auto`` or a catalogue name.

    Raises
    ------
    BadInputError
        There is no such device; near names are offered.
    """
    name = text.strip()
    here = local_devices(roots)
    if name == "auto":
        return here[0]
    for device in here:
        if device.key == name.lower():
            return device
    if name.isdecimal():
        gpus = len(here) - 1
        raise BadInputError(
            say(
                "there is no GPU {name} here ({gpus} found); give cpu or a catalogue card such as w7900",
                name=name,
                gpus=gpus,
            )
        )
    wanted = _plain(name)
    planned = catalogue()
    for device in planned:
        if wanted in (_plain(device.key), _plain(device.name), _plain(f"AMD {device.name}")):
            return device
    for card in cards():
        if not card.vram_gib_nominal and wanted in (_plain(card.name), _plain(card.label)):
            sizes = [device.key for device in planned if device.key.startswith(f"{card.name}-")]
            ask = (
                say("say how much RAM: {sizes}", sizes=", ".join(sizes))
                if sizes
                else say("run on it, where it is found by its index")
            )
            raise BadInputError(
                say("{label} is an APU, whose memory is its machine's; {ask}", label=card.label, ask=ask)
            )
    near = [device.key for device in planned if wanted and wanted in _plain(device.name)][:6] or ["w7900", "mi210"]
    raise BadInputError(
        say(
            "unknown device {text!r}; give a local index, cpu, or a catalogue name such as {near}",
            text=text[:60],
            near=", ".join(near),
        )
    )


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())
