"""Who holds a GPU's memory: KFD's count per process and DRM's per client, and what neither shows.

KFD counts what a process allocated through ROCm and is readable by everyone.  DRM's ``fdinfo`` (kernel documentation,
"DRM client usage stats") counts a client's buffers, is readable by the same user or an administrator, and contains
ROCm's buffers or not, by kernel: of the two counts of a process the larger stands, which never counts twice.
"""

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

import msgspec

from vramtuner.core.device.kfd import kfd_usage
from vramtuner.core.device.roots import (
    HERE,
    Roots,
    names_in,
    parse_number,
    parse_pairs,
    parse_slot,
    read_text,
    sees_the_machines_pids,
)
from vramtuner.core.device.spec import Device
from vramtuner.core.text import printable
from vramtuner.core.units import GIB, KIB, MIB
from vramtuner.core.words import mark, say

OTHERS = mark("other or not visible")
OF_THE_HOST = mark("pid of the host, name not visible from here")
SHARED = mark("shared buffers, counted above more than once")

_UNITS = {"": 1, "KiB": KIB, "MiB": MIB, "GiB": GIB}
_SIZE = re.compile(r"([0-9]{1,19})(?:\s+(KiB|MiB|GiB))?", re.ASCII)
_KEYS = re.compile(
    r"^(drm-driver|drm-pdev|drm-client-id|drm-(?:resident|memory|total)-(?:vram|gtt))[ \t]*:[ \t]*(.*?)[ \t\r]*$",
    re.ASCII | re.MULTILINE,
)
_MINOR = re.compile(r".*/dri/(?:renderD|card)([0-9]{1,6})", re.ASCII)
_TASK_NAME_LENGTH = 15  # the kernel cuts names there
_MAX_BYTES = 2**63


class Holder(msgspec.Struct, frozen=True):
    """A row of the table.  [bytes]

    Attributes
    ----------
    pid
        ``None`` in a last row, which is what no process accounts for.  In a container KFD's rows have the host's
        process ids, and are named `OF_THE_HOST`.
    user
        ``None`` when it is not known, as for the ids of another container.
    gtt_bytes
        System memory that the GPU maps.
    """

    pid: int | None
    name: str
    user: str | None
    vram_bytes: int
    gtt_bytes: int


class DrmClient(msgspec.Struct, frozen=True):
    """One opening of a graphics device.  ``client_id`` is unique among the openings of one GPU."""

    slot: str
    client_id: int | None
    vram_bytes: int
    gtt_bytes: int


def parse_fdinfo(text: str) -> DrmClient | None:
    """A client of amdgpu, or ``None`` for any other descriptor.

    Of the keys that kernels have had, ``drm-resident-*`` is what is there now, ``drm-total-*`` includes what was moved
    away, and ``drm-memory-*`` is the older name.  A size without a unit is in bytes.
    """
    pairs = dict(_KEYS.findall(text))  # several times as fast as splitting every line
    slot = parse_slot(pairs.get("drm-pdev"))
    if pairs.get("drm-driver") != "amdgpu" or slot is None:
        return None

    def size(heap: str) -> int:
        keys = (f"drm-resident-{heap}", f"drm-memory-{heap}", f"drm-total-{heap}")
        return next((found for key in keys if (found := _parse_size(pairs.get(key))) is not None), 0)

    return DrmClient(slot, parse_number(pairs.get("drm-client-id")), size("vram"), size("gtt"))


def clients_bytes(clients: Iterable[DrmClient], gtt: bool) -> int:
    """The bytes of one process's openings of a GPU, each client once.

    Before 2022 clients had no id; of a process's descriptors without one the largest counts.
    """
    sizes: dict[int | None, int] = {}
    for client in clients:
        size = client.gtt_bytes if gtt else client.vram_bytes
        sizes[client.client_id] = max(sizes.get(client.client_id, 0), size)
    return sum(sizes.values())


def _parse_size(text: str | None) -> int | None:
    match = _SIZE.fullmatch((text or "").strip())
    if match is None:
        return None
    size = int(match[1]) * _UNITS[match[2] or ""]
    return size if size < _MAX_BYTES else None


def holders(devices: Sequence[Device], roots: Roots = HERE) -> dict[str, tuple[Holder, ...]]:
    """Who holds each GPU's memory, by the device's key; the largest first, what nobody accounts for last.

    The rows of a device add up to what its driver counts as used.  Buffers that processes share are in the rows of
    each; a row below zero then says by how much.  What may not be read is in the row of what is not visible.

    KFD's process ids are the host's.  In a container the same id is another process, so that it is not looked up
    there, unless that process has the device open.
    """
    held: dict[str, dict[int, list[int]]] = {device.key: {} for device in devices}
    _add_drm(held, devices, roots)
    seen_here = {(key, pid) for key, rows in held.items() for pid in rows}
    _add_kfd(held, devices, roots)
    same_ids = sees_the_machines_pids(roots)
    names: dict[int, tuple[str, str | None]] = {}
    table: dict[str, tuple[Holder, ...]] = {}
    for device in devices:
        rows = []
        for pid, (vram, gtt) in held[device.key].items():
            if vram or gtt:
                if not same_ids and (device.key, pid) not in seen_here:
                    rows.append(Holder(pid, say(OF_THE_HOST), None, vram, gtt))
                    continue
                if pid not in names:
                    names[pid] = _who(pid, roots)
                rows.append(Holder(pid, *names[pid], vram, gtt))
        rows.sort(key=lambda row: (-row.vram_bytes - row.gtt_bytes, row.pid or 0))
        table[device.key] = (*rows, *_rest(device, rows))
    return table


def _rest(device: Device, rows: Sequence[Holder]) -> list[Holder]:
    """The rows that make the table add up; none where it does already, or where nothing counts the whole."""
    heaps = device.heaps
    if heaps is None or heaps.vram_used_bytes is None:
        return []
    vram = heaps.vram_used_bytes - sum(row.vram_bytes for row in rows)
    gtt = 0 if heaps.gtt_used_bytes is None else heaps.gtt_used_bytes - sum(row.gtt_bytes for row in rows)
    if device.partitions > 1:  # mapped system memory is counted for the whole card, not for each partition
        gtt = 0
    missing = Holder(None, say(OTHERS), None, max(vram, 0), max(gtt, 0))
    repeated = Holder(None, say(SHARED), None, min(vram, 0), min(gtt, 0))
    return [row for row in (missing, repeated) if row.vram_bytes or row.gtt_bytes]


def _add_kfd(held: dict[str, dict[int, list[int]]], devices: Sequence[Device], roots: Roots) -> None:
    by_id = {device.kfd_gpu_id: device for device in devices if device.kfd_gpu_id is not None}
    for (pid, gpu_id), size in kfd_usage(roots).items():
        device = by_id.get(gpu_id)
        if device is None:
            continue
        # KFD calls every device allocation VRAM, on an APU that takes them from system memory too.
        heap = 1 if device.uses_gtt else 0
        row = held[device.key].setdefault(pid, [0, 0])
        row[heap] = max(row[heap], size)


def _add_drm(held: dict[str, dict[int, list[int]]], devices: Sequence[Device], roots: Roots) -> None:
    by_slot: dict[str, list[Device]] = {}
    for device in devices:
        by_slot.setdefault(device.pci_bus_id or "", []).append(device)
    seen: set[tuple[str, int]] = set()
    nameless: dict[tuple[str, int], DrmClient] = {}
    for pid, minor, client in _clients(roots):
        owner = _device_of(by_slot.get(client.slot, []), minor)
        if owner is None:
            continue
        if client.client_id is None:  # before 2022 clients had no id: the descriptors of a process count as one
            known = nameless.get((owner.key, pid))
            if known is not None and known.vram_bytes + known.gtt_bytes >= client.vram_bytes + client.gtt_bytes:
                continue
            nameless[owner.key, pid] = client
            held[owner.key][pid] = [client.vram_bytes, client.gtt_bytes]
            continue
        if (client.slot, client.client_id) in seen:
            continue
        seen.add((client.slot, client.client_id))
        row = held[owner.key].setdefault(pid, [0, 0])
        row[0] += client.vram_bytes
        row[1] += client.gtt_bytes


def _device_of(candidates: Sequence[Device], minor: int) -> Device | None:
    """The device of a descriptor: its card, or the partition whose render node it is."""
    if len(candidates) == 1:
        return candidates[0]
    return next((device for device in candidates if device.render_minor == minor), None)


def _clients(roots: Roots) -> Iterator[tuple[int, int, DrmClient]]:
    """Process, device minor and client of every descriptor of a graphics device that may be read."""
    base = str(roots.proc)
    pids = sorted(pid for name in names_in(base) if (pid := parse_number(name)) is not None)
    for pid in pids:
        for descriptor, minor in graphics_descriptors(f"{base}/{pid}/fd"):
            client = parse_fdinfo(read_text(f"{base}/{pid}/fdinfo/{descriptor}") or "")
            if client is not None:
                yield pid, minor, client


def graphics_descriptors(folder: str) -> Iterator[tuple[str, int]]:
    """Name and minor of every descriptor of a graphics device in a process's ``fd`` folder, as far as may be seen."""
    try:
        names = os.listdir(folder)  # noqa: PTH208 - names only, of every process
    except OSError:  # gone, or another user's
        return
    for name in names:
        with suppress(OSError, ValueError):
            target = os.readlink(f"{folder}/{name}")  # noqa: PTH115 - the fastest of them, for every descriptor
            match = _MINOR.fullmatch(target) if "/dri/" in target else None
            if match:
                yield name, int(match[1])


def _who(pid: int, roots: Roots) -> tuple[str, str | None]:
    """A process's name and user, as ``status`` has them; a name that the kernel cut is completed."""
    pairs = parse_pairs(read_text(roots.proc / str(pid) / "status") or "", ":")
    name = printable(pairs.get("Name", ""))
    if len(name) >= _TASK_NAME_LENGTH:
        command = (read_text(roots.proc / str(pid) / "cmdline", 4096) or "").partition("\0")[0]
        whole = printable(command.rpartition("/")[2])
        name = whole if whole.startswith(name) else name
    uid = parse_number(pairs.get("Uid", "").partition("\t")[0])
    return name or say("not visible from here"), None if uid is None else _user(uid)


def _user(uid: int) -> str:
    import pwd  # not on Windows, where there is nothing to list either

    try:
        return pwd.getpwuid(uid).pw_name
    except (KeyError, OverflowError):
        return str(uid)
