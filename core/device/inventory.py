"""Every AMD GPU of this machine as the runtime shows it, from sysfs, KFD and the catalogue.

One GPU is matched across the sources by its PCI address.  Nothing is required: without KFD the devices are those of
the amdgpu driver; a node that DRM does not show is a device of KFD alone.
"""

import os
from collections.abc import Sequence
from contextlib import suppress

import msgspec

from vramtuner.core.device.catalogue import Card, integrated_gpu, match_card
from vramtuner.core.device.gauges import partition_used
from vramtuner.core.device.kfd import KfdNode, is_present, kfd_nodes, kfd_usage
from vramtuner.core.device.roots import HERE, Roots, names_in, read_text
from vramtuner.core.device.spec import UNNAMED, Device, Heap, Heaps
from vramtuner.core.device.sysfs import AMD, DrmCard, drm_cards
from vramtuner.core.units import GIB, format_bytes
from vramtuner.core.words import mark, say

# An APU by its memory, where nothing else tells (the rule of Ollama's discover/amd.go): a small carve-out beside
# several times as much system memory.
_CARVE_OUT_MAX, _SHARED_MIN, _SHARED_TIMES = 4 * GIB, 8 * GIB, 4

_DRIVER = mark("read from the amdgpu driver")
_NOT_IN_KFD = mark("KFD, the compute part of the driver, does not show this GPU, so that HIP does not either")
_NO_KFD = mark(
    "KFD, the compute part of the driver, is not loaded: HIP shows no GPU; the gfx target is the catalogue's"
)

Usage = dict[tuple[int, int], int]


def local_gpus(roots: Roots = HERE) -> tuple[Device, ...]:
    """AMD GPUs of this machine, in the order in which the runtime counts them when no variable hides any.

    That is KFD's; GPUs that KFD does not show come last, in PCI order.  A card whose memory no source can tell is
    left out.
    """
    cards = {card.slot: card for card in drm_cards(roots) if card.vendor == AMD}
    nodes = [(node, _slot(node, cards)) for node in kfd_nodes(roots)]
    groups: dict[str, list[KfdNode]] = {}
    for node, slot in nodes:
        groups.setdefault(slot, []).append(node)
    usage = kfd_usage(roots) if any(len(group) > 1 for group in groups.values()) else {}
    access = _access_warnings(roots) if nodes else ()
    found = [
        _device(slot, cards.get(slot), _memory(cards.get(slot), node, groups[slot], usage), node, groups[slot], access)
        for node, slot in nodes
    ]
    hidden = (say(_NOT_IN_KFD),) if is_present(roots) else (say(_NO_KFD),)
    found += [
        _device(slot, card, _memory(card, None, (), {}), None, (), hidden)
        for slot, card in cards.items()
        if slot not in groups
    ]
    known = [device for device in found if device.vram_bytes or device.heaps is not None]
    return tuple(msgspec.structs.replace(device, key=str(index)) for index, device in enumerate(known))


def presence(roots: Roots = HERE) -> tuple[str, ...]:
    """What changes when GPUs come, go or change places; quick to read, and nothing that a device has to answer."""
    base = f"{roots.sys}/class/drm"
    found = names_in(f"{roots.sys}/class/kfd/kfd/topology/nodes")
    found.append(read_text(f"{roots.sys}/class/kfd/kfd/topology/generation_id") or "")
    for name in names_in(base):
        if name.startswith("card") and "-" not in name:  # the others are connectors and render nodes
            with suppress(OSError):
                found.append(f"{name} {os.readlink(f'{base}/{name}/device')}")  # noqa: PTH115 - as a text
    return tuple(found)


def driver_free(device: Device, roots: Roots = HERE) -> int | None:
    """What the driver counts as free of a device at this moment.  [bytes; ``None`` where it does not]"""
    wanted = device.pci_bus_id, device.partition
    now = next((found for found in local_gpus(roots) if (found.pci_bus_id, found.partition) == wanted), None)
    return None if now is None else now.driver_free_bytes


def _slot(node: KfdNode, cards: dict[str, DrmCard]) -> str:
    """The PCI address of a node's card: the first of its candidates that DRM shows."""
    return next((slot for slot in node.slots if slot in cards), node.slots[1])


def _access_warnings(roots: Roots) -> tuple[str, ...]:
    """Why HIP could not open the compute driver although it is loaded."""
    device = roots.dev / "kfd"
    if not device.exists():
        return (
            say(
                "there is no {device}: HIP cannot start here; a container needs the devices /dev/kfd and /dev/dri",
                device=device,
            ),
        )
    if not os.access(device, os.R_OK | os.W_OK):
        return (
            say(
                "{device} may not be opened: HIP cannot start; join the groups render and video and log in again",
                device=device,
            ),
        )
    return ()


class _Memory(msgspec.Struct, frozen=True):
    """What allocations can take of a device, and what a person should know of it."""

    total: int
    used: int | None
    source: str
    heaps: Heaps | None
    integrated: bool = False
    warnings: tuple[str, ...] = ()


def _device(
    slot: str, card: DrmCard | None, memory: _Memory, node: KfdNode | None, group: Sequence[KfdNode],
    warnings: tuple[str, ...],
) -> Device:  # fmt: skip
    row = _row(card, memory, node, group)
    unique_id = (node.unique_id if node else 0) or (card.unique_id if card else 0)
    place = group.index(node) if node else 0
    return Device(
        key="",
        name=_name(row, card, place, len(group)),
        kind="gpu",
        vram_bytes=memory.total,
        source=memory.source,
        gfx=node.gfx if node and node.gfx else row.gfx_target if row else None,
        vram_used_bytes=memory.used,
        pci_bus_id=slot,
        heaps=memory.heaps,
        integrated=memory.integrated,
        compute_units=(node.compute_units if node else None) or (row.units if row else None),
        uuid=f"GPU-{unique_id:016x}" if unique_id else None,
        kfd_gpu_id=node.gpu_id if node else None,
        render_minor=node.render_minor if node else None,
        partition=place,
        partitions=max(len(group), 1),
        warnings=memory.warnings + warnings,
    )


def _row(card: DrmCard | None, memory: _Memory, node: KfdNode | None, group: Sequence[KfdNode]) -> Card | None:
    """The catalogue's row, by the whole card's memory and compute units; without DRM there is no revision."""
    if card is None:
        return None
    units = sum(part.compute_units or 0 for part in group)
    return match_card(card.device_id, card.revision, card.vram_total or memory.total, units or None)


def _name(row: Card | None, card: DrmCard | None, place: int, parts: int) -> str:
    name = row.label if row else (card.product_name if card else "") or UNNAMED
    if parts > 1:
        return f"{name} (partition {place} of {parts})"
    return f"{name} (one of {row.dies} dies)" if row and row.dies > 1 else name


def _memory(card: DrmCard | None, node: KfdNode | None, group: Sequence[KfdNode], usage: Usage) -> _Memory:
    if card is None or card.vram_total is None:
        total = node.memory_bytes if node else 0
        heaps = Heaps(vram_total_bytes=total) if total else None
        return _Memory(total, None, say("read from KFD; amdgpu's own files are missing"), heaps)
    if _is_integrated(card, node):
        return _shared_memory(card, node)
    if node is not None and len(group) > 1:
        return _partition_memory(card, card.vram_total, node, group, usage)
    return _Memory(card.vram_total, card.vram_used, say(_DRIVER), _heaps(card, card.vram_total, card.vram_used))


def _heaps(card: DrmCard, total: int, used: int | None, allocations: Heap = "vram") -> Heaps:
    return Heaps(
        vram_total_bytes=total,
        vram_used_bytes=used,
        gtt_total_bytes=card.gtt_total,
        gtt_used_bytes=card.gtt_used,
        allocations=allocations,
    )


def _is_integrated(card: DrmCard, node: KfdNode | None) -> bool:
    if integrated_gpu(card.device_id) or (node is not None and node.has_cpu_cores):
        return True
    total, shared = card.vram_total or 0, card.gtt_total or 0
    small = total <= _CARVE_OUT_MAX and shared >= _SHARED_MIN and shared >= _SHARED_TIMES * total
    return small and not card.has_board_files


def _partition_memory(
    card: DrmCard, whole: int, node: KfdNode, group: Sequence[KfdNode], usage: Usage
) -> _Memory:  # fmt: skip
    """A partition's share of its card."""
    total = node.memory_bytes or whole // len(group)
    own = sum(size for (_, gpu_id), size in usage.items() if gpu_id == node.gpu_id)
    used = None if card.vram_used is None else partition_used(total, whole, card.vram_used, own)
    counted = (
        ""
        if card.vram_used is None
        else say(" ({vram_used} of {whole})", vram_used=format_bytes(card.vram_used), whole=format_bytes(whole))
    )
    warning = say(
        "one of {group} partitions: the driver counts used memory for the whole card "
        "only{counted}, so that graphics clients are not counted here",
        group=len(group),
        counted=counted,
    )
    return _Memory(
        total, used, say("the partition's memory, read from KFD"), _heaps(card, total, used), False, (warning,)
    )


def _shared_memory(card: DrmCard, node: KfdNode | None) -> _Memory:
    """An APU's: its carve-out, or system memory where the kernel prefers that (``apu_prefer_gtt``).

    KFD's memory bank tells which: it is the carve-out's size or the kernel's limit for graphics in system memory.
    Without KFD the kernel's own rule stands in: system memory when the carve-out is the smaller of the two.
    """
    carved, shared, bank = card.vram_total or 0, card.gtt_total, node.memory_bytes if node else 0
    if shared and bank:
        prefers_shared = abs(bank - shared) < abs(bank - carved)
    else:
        prefers_shared = shared is not None and carved < shared
    if not prefers_shared or shared is None:
        warning = say(
            "an APU: allocations come from the {carved} of RAM that the BIOS set aside for it",
            carved=format_bytes(carved),
        )
        return _Memory(carved, card.vram_used, say(_DRIVER), _heaps(card, carved, card.vram_used), True, (warning,))
    total = min(shared, bank) if bank else shared
    assumed = "" if bank else say("; KFD is not there to confirm it")
    warning = say(
        "an APU: allocations come from system memory, at most {total} shared with every program, "
        "and the {carved} that the BIOS set aside stay unused by ROCm{assumed}",
        total=format_bytes(total),
        carved=format_bytes(carved),
        assumed=assumed,
    )
    heaps = _heaps(card, carved, card.vram_used, "gtt")
    return _Memory(
        total, card.gtt_used, say("system memory that the driver lends this APU (GTT)"), heaps, True, (warning,)
    )
