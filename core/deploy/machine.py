"""What `verify` reads of a machine: standard library only, part of ``vramtuner_verify.py`` too.

The same files, and the same rules in short, as `vramtuner.core.device`, which knows more cards by name; a test holds
both against each other.  A number is bytes; ``None`` is what the machine does not tell.
"""

from __future__ import annotations

import os
import re
from typing import NamedTuple

_NUMBER = re.compile(r"[0-9]{1,20}\Z", re.ASCII)
_CARD = re.compile(r"card[0-9]+\Z", re.ASCII)
_GIB = 2**30


class Card(NamedTuple):
    """A GPU in the order in which HIP counts when nothing is hidden.

    Attributes
    ----------
    total, used
        The heap that allocations land in: VRAM, or system memory (``gtt``) on some APUs.
    holders
        Process, name and bytes of those who hold memory of it, the largest first.
    """

    place: int
    name: str
    gfx: str
    total: int
    used: int | None
    uuid: str
    slot: str
    holders: tuple[tuple[int, str, int], ...] = ()
    gtt_used: int | None = None
    gtt_total: int | None = None
    is_gtt: bool = False


class Machine(NamedTuple):
    """GPUs, RAM, and the versions of driver and ROCm."""

    cards: tuple[Card, ...]
    ram_total: int | None
    ram_available: int | None
    versions: dict[str, str]


def read_machine(root: str = "/") -> Machine:
    """This machine, or a copy of another one's ``/sys`` and ``/proc`` under a folder."""
    return Machine(read_cards(root), *_ram(root), versions=stack_versions(root))


def stack_versions(root: str = "/") -> dict[str, str]:
    """Kernel, amdgpu's own version where it is not the kernel's, and ROCm, as far as they can be read."""
    found = {
        "kernel": _text(root, "proc/sys/kernel/osrelease"),
        "amdgpu": _text(root, "sys/module/amdgpu/version"),
        "rocm": _text(root, "opt/rocm/.info/version"),
    }
    return {name: re.sub(r"[^A-Za-z0-9._+-]+", "_", text)[:60] for name, text in found.items() if text}


def read_cards(root: str = "/") -> tuple[Card, ...]:
    """The AMD GPUs that the compute driver shows; without it there is none that HIP could use."""
    drm = _drm(root)
    base = "sys/class/kfd/kfd/topology/nodes"
    numbers = sorted(int(name) for name in _names(root, base) if _NUMBER.match(name))
    nodes = [(number, _properties(root, f"{base}/{number}/properties")) for number in numbers]
    known = []
    for number, values in nodes:
        gpu_id = _number(root, f"{base}/{number}/gpu_id")
        if gpu_id and values:
            known.append((gpu_id, values, _slot(values, drm), _bank(root, f"{base}/{number}")))
    slots = [slot for _, _, slot, _ in known]
    return tuple(
        _card(root, index, gpu_id, values, slot, bank, drm.get(slot, ""), slots.count(slot))
        for index, (gpu_id, values, slot, bank) in enumerate(known)
    )


def _card(
    root: str, index: int, gpu_id: int, values: dict[str, int], slot: str, bank: int, folder: str, parts: int
) -> Card:  # fmt: skip
    total = _number(root, folder + "/mem_info_vram_total") if folder else None
    used = _number(root, folder + "/mem_info_vram_used") if folder else None
    gtt = _number(root, folder + "/mem_info_gtt_total") if folder else None
    gtt_used = _number(root, folder + "/mem_info_gtt_used") if folder else None
    unique = values.get("unique_id", 0)
    shared = bool(total and gtt and _is_apu(root, folder, values, total, gtt) and abs(bank - gtt) < abs(bank - total))
    if shared and gtt:
        total, used = min(gtt, bank) if bank else gtt, gtt_used
    elif parts > 1:
        total, used = bank or (total or 0) // parts, None
    return Card(
        place=index,
        name=_text(root, folder + "/product_name") if folder else "",
        gfx=_gfx(values.get("gfx_target_version", 0)),
        total=total or bank,
        used=used,
        uuid=f"GPU-{unique:016x}" if unique else "",
        slot=slot,
        holders=_holders(root, gpu_id),
        gtt_used=gtt_used,
        gtt_total=gtt,
        is_gtt=shared,
    )


def _is_apu(root: str, folder: str, values: dict[str, int], total: int, gtt: int) -> bool:
    if values.get("cpu_cores_count"):
        return True
    board = any(_text(root, folder + "/" + name) for name in ("mem_info_vram_vendor", "board_info"))
    return total <= 4 * _GIB and gtt >= 8 * _GIB and gtt >= 4 * total and not board


def _drm(root: str) -> dict[str, str]:
    """The folder of every AMD card under ``sys``, by its PCI address."""
    found = {}
    for name in _names(root, "sys/class/drm"):
        folder = f"sys/class/drm/{name}/device"
        if not _CARD.match(name):
            continue
        match = re.search(r"^PCI_SLOT_NAME=([0-9a-fA-F:.]+)$", _text(root, folder + "/uevent"), re.MULTILINE)
        vendor = _text(root, folder + "/vendor") or "0x1002"
        if match and vendor == "0x1002":
            found[match[1].lower()] = folder
    return found


def _slot(values: dict[str, int], drm: dict[str, str]) -> str:
    location, domain = values.get("location_id", 0), values.get("domain", 0) & 0xFFFFFFFF
    stem = f"{domain:04x}:{location >> 8 & 0xFF:02x}:{location >> 3 & 0x1F:02x}"
    own = f"{stem}.{location & 7}"
    return own if own in drm else stem + ".0"


def _gfx(version: int) -> str:
    if not 0 < version < 1000000:
        return ""
    return f"gfx{version // 10000}{version // 100 % 100:x}{version % 100:x}"


def _bank(root: str, node: str) -> int:
    banks = [_properties(root, f"{node}/mem_banks/{name}/properties") for name in
             _names(root, node + "/mem_banks")]  # fmt: skip
    return sum(bank.get("size_in_bytes", 0) for bank in banks if bank.get("heap_type") in (1, 2))


def _holders(root: str, gpu_id: int) -> tuple[tuple[int, str, int], ...]:
    """Those that KFD counts; what graphics programs hold is not theirs."""
    base = "sys/class/kfd/kfd/proc"
    found: list[tuple[int, str, int]] = []
    for name in _names(root, base):
        size = _number(root, f"{base}/{name}/vram_{gpu_id}")
        if size and _NUMBER.match(name):
            found.append((int(name), _text(root, f"proc/{name}/comm")[:40], size))
    return tuple(sorted(found, key=lambda holder: -holder[2]))


def _ram(root: str) -> tuple[int | None, int | None]:
    text = _text(root, "proc/meminfo")
    found = dict(re.findall(r"^(MemTotal|MemAvailable):\s+([0-9]{1,15}) kB$", text, re.MULTILINE | re.ASCII))
    sizes = [int(found[name]) * 1024 if name in found else None for name in ("MemTotal", "MemAvailable")]
    return sizes[0], sizes[1]


def _properties(root: str, path: str) -> dict[str, int]:
    return {key: int(value) for key, value in re.findall(r"^(\w+) ([0-9]{1,20})$", _text(root, path), re.MULTILINE)}


def _number(root: str, path: str) -> int | None:
    text = _text(root, path)
    return int(text) if _NUMBER.match(text) else None


def _text(root: str, path: str) -> str:
    """The beginning of a file, without what a terminal would obey; empty when it cannot be read."""
    try:
        descriptor = os.open(os.path.join(root, path), os.O_RDONLY | os.O_NONBLOCK)  # noqa: PTH118
    except (OSError, ValueError):
        return ""
    try:
        text = os.read(descriptor, 65536).decode("utf-8", "replace")
    except OSError:
        return ""
    finally:
        os.close(descriptor)
    return "".join(letter for letter in text if letter.isprintable() or letter == "\n").strip()


def _names(root: str, path: str) -> list[str]:
    try:
        return sorted(os.listdir(os.path.join(root, path)))  # noqa: PTH118, PTH208
    except OSError:
        return []
