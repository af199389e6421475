"""The optional ``amdsmi`` package, for what the driver's files do not tell of a GPU.

Nearly all that it knows it reads from the same files.  What is left are the name of a card that neither its firmware
nor the catalogue names, and used memory where DRM's files are hidden, as in some containers.  It is asked only where
one of them is missing, and in a process of its own: without its library it writes to standard output and raises
``KeyError`` where it is imported (pytorch pull request 188724), and no call of it has a time limit.  Whatever goes
wrong there means that it is absent.
"""

import importlib.util
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from functools import lru_cache

import msgspec

from vramtuner.core.device.roots import parse_slot
from vramtuner.core.device.spec import UNNAMED, Device
from vramtuner.core.text import printable
from vramtuner.core.words import say

TIMEOUT_SECONDS = 10.0
ASK_AGAIN_SECONDS = 60.0
"""How long an answer is used: a window looks at devices every few seconds, and asking takes longer."""

_MAX_BYTES = 2**63
_NO_NAMES = ("", "n/a", "unknown")
# Standard output is the package's to write on; the answer goes out through a copy of it.
_ASK = """
import json, os
answer = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
import amdsmi as smi
smi.amdsmi_init()
calls = {
    "name": lambda gpu: smi.amdsmi_get_gpu_asic_info(gpu)["market_name"],
    "used": lambda gpu: smi.amdsmi_get_gpu_memory_usage(gpu, smi.AmdSmiMemoryType.VRAM),
}
found = []
for gpu in smi.amdsmi_get_processor_handles():
    entry = {"slot": smi.amdsmi_get_gpu_device_bdf(gpu)}
    for key, call in calls.items():
        try:
            entry[key] = call(gpu)
        except Exception:
            pass
    found.append(entry)
json.dump(found, answer, default=str)
answer.flush()
os._exit(0)
"""


class SmiFacts(msgspec.Struct, frozen=True):
    """What amdsmi tells of the GPU at a PCI address; ``None`` is what it does not."""

    slot: str
    name: str | None = None
    vram_used_bytes: int | None = None


def is_installed() -> bool:
    """Whether there is such a package; its library may still be missing."""
    try:
        return importlib.util.find_spec("amdsmi") is not None
    except (ImportError, ValueError):
        return False


def ask_smi(timeout: float = TIMEOUT_SECONDS) -> tuple[SmiFacts, ...]:
    """What amdsmi tells of every GPU; nothing where it is absent, fails or does not answer in time [s]."""
    if not is_installed():
        return ()
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-c", _ASK],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=timeout,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return ()
    return parse_answer(done.stdout)


def parse_answer(data: bytes) -> tuple[SmiFacts, ...]:
    """The facts of an answer, one GPU each; what is not as it should be is left out."""
    try:
        entries = msgspec.json.decode(data, type=list[dict[str, object]])
    except (msgspec.DecodeError, UnicodeDecodeError):
        return ()
    facts: dict[str, SmiFacts] = {}
    for entry in entries:
        given = entry.get("slot")
        slot = parse_slot(given) if isinstance(given, str) else None
        if slot is not None:
            facts.setdefault(slot, SmiFacts(slot, _name(entry.get("name")), _size(entry.get("used"))))
    return tuple(facts.values())


def _name(value: object) -> str | None:
    """A printable name; a bare PCI id is none."""
    if not isinstance(value, str):
        return None
    name = printable(value.strip())
    return None if name.lower() in _NO_NAMES or name.lower().startswith("0x") else name


def _size(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _MAX_BYTES else None


def complete(devices: Sequence[Device]) -> tuple[Device, ...]:
    """The devices with what amdsmi adds; it is asked only where something is missing."""
    if not any(_lacks_name(device) or _lacks_used(device) for device in devices):
        return tuple(devices)
    return fill_gaps(devices, _answer(int(time.monotonic() // ASK_AGAIN_SECONDS)))


@lru_cache(maxsize=1)
def _answer(period: int) -> tuple[SmiFacts, ...]:
    """What was answered first in a period of time."""
    return ask_smi()


def fill_gaps(devices: Sequence[Device], facts: Iterable[SmiFacts]) -> tuple[Device, ...]:
    """The devices with names and used memory that were missing; nothing that is known is replaced."""
    by_slot = {fact.slot: fact for fact in facts}
    return tuple(_filled(device, by_slot.get(device.pci_bus_id or "")) for device in devices)


def _filled(device: Device, fact: SmiFacts | None) -> Device:
    if fact is None:
        return device
    if fact.name is not None and _lacks_name(device):
        device = msgspec.structs.replace(device, name=fact.name)
    if fact.vram_used_bytes is not None and _lacks_used(device) and device.heaps is not None:
        used = min(fact.vram_used_bytes, device.vram_bytes)
        device = msgspec.structs.replace(
            device,
            vram_used_bytes=used,
            heaps=msgspec.structs.replace(device.heaps, vram_used_bytes=used),
            source=say("{source}; what is used was asked of amdsmi, at most a minute ago", source=device.source),
        )
    return device


def _lacks_name(device: Device) -> bool:
    return device.kind == "gpu" and device.name == UNNAMED


def _lacks_used(device: Device) -> bool:
    """Not of a partition, of which amdsmi counts the whole card, nor where allocations come from system memory."""
    known = device.vram_used_bytes is not None or device.heaps is None or device.uses_gtt
    return device.kind == "gpu" and not known and device.partitions == 1
