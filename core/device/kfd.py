"""GPUs as the compute driver shows them to ROCm: ``/sys/class/kfd/kfd``.

Topology nodes are in the order in which ROCr, and with it HIP, counts devices.  A node carries what DRM does not
know: the gfx target, the compute units, the memory that compute allocations may take, and partitions.  The keys and
their encodings are those of the kernel's ``kfd_topology.c`` and of ROCr's ``libhsakmt/topology.c``.
"""

import re

import msgspec

from vramtuner.core.device.roots import Roots, names_in, parse_number, parse_pairs, read_text

_GPU_HEAPS = (1, 2)  # memory banks: frame buffer public and private; 0 is system memory
_MAX_GFX_VERSION = 1_000_000
_USAGE = re.compile(r"vram_([0-9]{1,19})", re.ASCII)


class KfdNode(msgspec.Struct, frozen=True, kw_only=True):
    """One device of the compute driver.

    Attributes
    ----------
    slots
        PCI addresses that the node may stand for, the likelier first.  On partitioned cards some kernels write the
        partition's number over the function, others into bits 31 to 28 of the location.
    memory_bytes
        What compute allocations may take; 0 when the driver does not say.
    unique_id
        0 when the card has none.
    """

    number: int
    gpu_id: int
    gfx: str | None
    slots: tuple[str, str]
    device_id: int
    compute_units: int | None
    memory_bytes: int
    unique_id: int
    render_minor: int | None
    has_cpu_cores: bool


def parse_properties(text: str) -> dict[str, int]:
    """A node's or bank's ``key value`` lines; values that are not decimal counts are left out."""
    numbers = ((key, parse_number(value)) for key, value in parse_pairs(text, " ").items())
    # unique_id has all 64 bits; no other key has more than 63
    found = {key: number for key, number in numbers if number is not None}
    wide = parse_pairs(text, " ").get("unique_id", "")
    if re.fullmatch(r"[0-9]{1,20}", wide, re.ASCII) and int(wide) < 2**64:
        found["unique_id"] = int(wide)
    return found


def gfx_name(version: int) -> str | None:
    """``gfx90a`` for 90010: major, minor and step in decimal pairs, the last two written in hexadecimal."""
    if not 0 < version < _MAX_GFX_VERSION:
        return None
    return f"gfx{version // 10_000}{version // 100 % 100:x}{version % 100:x}"


def is_present(roots: Roots) -> bool:
    """Whether the compute driver is loaded."""
    return bool(names_in(roots.sys / "class/kfd/kfd/topology/nodes"))


def kfd_nodes(roots: Roots) -> tuple[KfdNode, ...]:
    """The GPUs in the order in which the runtime counts them; nodes that a device cgroup hides are left out."""
    base = f"{roots.sys}/class/kfd/kfd/topology/nodes"
    numbers = sorted(number for name in names_in(base) if (number := parse_number(name)) is not None)
    nodes = (_read_node(f"{base}/{number}", number) for number in numbers)
    return tuple(node for node in nodes if node is not None)


def _read_node(folder: str, number: int) -> KfdNode | None:
    gpu_id = parse_number(read_text(f"{folder}/gpu_id"))
    text = read_text(f"{folder}/properties")
    if not gpu_id or not text:  # 0 is a processor; no text is a node that this process may not see
        return None
    values = parse_properties(text)
    location, domain = values.get("location_id", 0), values.get("domain", 0) & 0xFFFFFFFF
    bus, device, function = location >> 8 & 0xFF, location >> 3 & 0x1F, location & 7
    stem = f"{domain:04x}:{bus:02x}:{device:02x}"
    per_unit = values.get("simd_per_cu", 0)
    minor = values.get("drm_render_minor", 0)
    return KfdNode(
        number=number,
        gpu_id=gpu_id,
        gfx=gfx_name(values.get("gfx_target_version", 0)),
        slots=(f"{stem}.{function}", f"{stem}.0"),
        device_id=values.get("device_id", 0),
        compute_units=(values.get("simd_count", 0) // per_unit or None) if per_unit else None,
        memory_bytes=_memory(folder),
        unique_id=values.get("unique_id", 0),
        render_minor=minor or None,
        has_cpu_cores=values.get("cpu_cores_count", 0) > 0,
    )


def _memory(folder: str) -> int:
    """The sum of a node's GPU memory banks; ``local_mem_size`` is 0 on current kernels."""
    total = 0
    for bank in names_in(f"{folder}/mem_banks"):
        values = parse_properties(read_text(f"{folder}/mem_banks/{bank}/properties") or "")
        if values.get("heap_type") in _GPU_HEAPS:
            total += values.get("size_in_bytes", 0)
    return total


def kfd_usage(roots: Roots) -> dict[tuple[int, int], int]:
    """Bytes that compute processes allocated on GPUs, by process and KFD's ``gpu_id``.

    Only ROCm allocations are counted.  In a container the process ids are the host's.
    """
    base = f"{roots.sys}/class/kfd/kfd/proc"
    usage: dict[tuple[int, int], int] = {}
    for name in names_in(base):
        pid = parse_number(name)
        if pid is None:
            continue
        for file in names_in(f"{base}/{name}"):
            match = _USAGE.fullmatch(file)
            size = parse_number(read_text(f"{base}/{name}/{file}")) if match else None
            if match and size:
                usage[pid, int(match[1])] = size
    return usage
