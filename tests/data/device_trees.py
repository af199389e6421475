"""Machines with GPUs as their kernels show them, written into a folder or as an umockdev description.

The formats follow the kernel's documentation and captures of real cards; the machines are made up.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

MIB, GIB = 2**20, 2**30


@dataclass(frozen=True)
class Node:
    """A KFD topology node.  ``location`` is the card's own where it is not given."""

    gpu_id: int
    gfx: int
    units: int
    bank: int
    unique_id: int = 0
    minor: int = 128
    per_unit: int = 4
    location: int | None = None
    cpu_cores: int = 0
    heap: int = 1


@dataclass(frozen=True)
class Gpu:
    """A PCI function with a graphics driver, and the nodes that KFD has for it."""

    slot: str
    device: int
    revision: int
    vram: int
    used: int = 16 * MIB
    gtt: int = 16 * GIB
    gtt_used: int = 8 * MIB
    vendor: int = 0x1002
    unique_id: int = 0
    board: bool = True
    connectors: tuple[str, ...] = ()
    nodes: tuple[Node, ...] = ()
    extra: dict[str, str] = field(default_factory=dict)

    @property
    def location(self) -> int:
        bus, rest = self.slot[5:].split(":")
        slot, function = rest.split(".")
        return int(bus, 16) << 8 | int(slot, 16) << 3 | int(function)

    def files(self) -> dict[str, str]:
        """What is in the card's ``device`` folder."""
        ids = f"{self.vendor:04X}:{self.device:04X}"
        files = {
            "uevent": f"DRIVER=amdgpu\nPCI_CLASS=38000\nPCI_ID={ids}\nPCI_SLOT_NAME={self.slot}\nMODALIAS=pci:v1\n",
            "vendor": f"{self.vendor:#06x}\n",
            "device": f"{self.device:#06x}\n",
            "revision": f"{self.revision:#04x}\n",
        }
        if self.vendor == 0x1002:
            files |= {
                "mem_info_vram_total": f"{self.vram}\n",
                "mem_info_vram_used": f"{self.used}\n",
                "mem_info_gtt_total": f"{self.gtt}\n",
                "mem_info_gtt_used": f"{self.gtt_used}\n",
                "product_name": "\n",
            }
            files |= {"unique_id": f"{self.unique_id:016x}\n"} if self.unique_id else {}
            files |= {"mem_info_vram_vendor": "samsung\n"} if self.board else {}
        return files | self.extra


@dataclass(frozen=True)
class Machine:
    """GPUs, and bytes that KFD counts per process and ``gpu_id``; without ``kfd`` the compute driver is not loaded."""

    gpus: tuple[Gpu, ...] = ()
    usage: dict[int, dict[int, int]] = field(default_factory=dict)
    kfd: bool = True

    def kfd_files(self) -> dict[str, str]:
        """What is under ``/sys/class/kfd/kfd``."""
        if not self.kfd:
            return {}
        nodes = "topology/nodes"
        files = {f"{nodes}/0/gpu_id": "0\n", f"{nodes}/0/properties": "cpu_cores_count 16\nsimd_count 0\n"}
        pairs = [(gpu, node) for gpu in self.gpus for node in gpu.nodes]
        for number, (gpu, node) in enumerate(pairs, start=1):
            location = gpu.location if node.location is None else node.location
            values = {
                "cpu_cores_count": node.cpu_cores,
                "simd_count": node.units * node.per_unit,
                "mem_banks_count": 1,
                "simd_per_cu": node.per_unit,
                "gfx_target_version": node.gfx,
                "vendor_id": 4098,
                "device_id": gpu.device,
                "location_id": location,
                "domain": int(gpu.slot[:4], 16),
                "drm_render_minor": node.minor,
                "local_mem_size": 0,
                "unique_id": node.unique_id,
            }
            base = f"{nodes}/{number}"
            files[f"{base}/gpu_id"] = f"{node.gpu_id}\n"
            files[f"{base}/properties"] = "".join(f"{key} {value}\n" for key, value in values.items())
            files[f"{base}/mem_banks/0/properties"] = (
                f"heap_type {node.heap}\nsize_in_bytes {node.bank}\nflags 0\nwidth 384\nmem_clk_max 1124\n"
            )
        for pid, held in self.usage.items():
            files[f"proc/{pid}/pasid"] = "32771\n"
            for gpu_id, size in held.items():
                files[f"proc/{pid}/vram_{gpu_id}"] = f"{size}\n"
                files[f"proc/{pid}/sdma_{gpu_id}"] = "0\n"
        return files


def write(machine: Machine, folder: Path) -> Path:
    """Make ``sys``, ``proc`` and ``dev`` in a folder."""
    (folder / "proc").mkdir(parents=True)
    (folder / "dev/dri").mkdir(parents=True)
    drm = folder / "sys/class/drm"
    drm.mkdir(parents=True)
    _put(drm, {"version": "drm 1.1.0 20060810\n"})
    for number, gpu in enumerate(machine.gpus):
        device = folder / "sys/devices/pci0000:00" / gpu.slot
        _put(device, gpu.files())
        for name in (f"card{number}", f"renderD{128 + number}", *(f"card{number}-{port}" for port in gpu.connectors)):
            (drm / name).mkdir()
            (drm / name / "device").symlink_to(device)
    _put(folder / "sys/class/kfd/kfd", machine.kfd_files())
    if machine.kfd:
        (folder / "dev/kfd").touch()
    return folder


def _put(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def umockdev(machine: Machine) -> str:
    """The same machine as a description that ``umockdev-run --device`` replays under ``/sys`` and ``/dev``."""
    lines: list[str] = []
    for number, gpu in enumerate(machine.gpus):
        base = f"/devices/pci0000:00/{gpu.slot}"
        files = gpu.files()
        lines += [f"P: {base}", "E: SUBSYSTEM=pci"]
        lines += [f"E: {line}" for line in files.pop("uevent").splitlines()]
        lines += [f"A: {name}={_escaped(text)}" for name, text in files.items()]
        for name in (f"card{number}", f"renderD{128 + number}"):
            lines += ["", f"P: {base}/drm/{name}", f"N: dri/{name}", f"E: DEVNAME=/dev/dri/{name}", "E: SUBSYSTEM=drm"]
            lines.append(f"L: device=../../../{gpu.slot}")
        for port in gpu.connectors:
            lines += ["", f"P: {base}/drm/card{number}/card{number}-{port}", "E: SUBSYSTEM=drm"]
            lines += ["A: status=connected\\n", f"L: device=../../card{number}"]
        lines.append("")
    if machine.kfd:
        lines += ["P: /devices/virtual/kfd/kfd", "N: kfd", "E: DEVNAME=/dev/kfd", "E: SUBSYSTEM=kfd"]
        lines += [f"A: {name}={_escaped(text)}" for name, text in machine.kfd_files().items()]
        lines.append("")
    return "\n".join(lines)


def _escaped(text: str) -> str:
    return json.dumps(text)[1:-1].replace('\\"', '"')


def add_process(
    folder: Path, pid: int, name: str, uid: int, clients: Sequence[tuple[int, str]] = (), command: str = ""
) -> Path:
    """A process in a tree's ``proc``, with ordinary descriptors and one of ``renderD<minor>`` per client."""
    process = folder / "proc" / str(pid)
    _put(process, {"status": f"Name:\t{name}\nUmask:\t0022\nState:\tS (sleeping)\nUid:\t{uid}\t{uid}\t{uid}\t{uid}\n"})
    _put(process, {"cmdline": f"{command or name}\0--serve\0"})
    (process / "fd").mkdir()
    (process / "fdinfo").mkdir()
    targets = ["/dev/null", "pipe:[4711]", "socket:[4712]", "/usr/lib/libc.so.6"]
    targets += [f"/dev/dri/renderD{minor}" for minor, _ in clients]
    for number, target in enumerate(targets):
        (process / "fd" / str(number)).symlink_to(target)
        text = clients[number - 4][1] if number >= 4 else "pos:\t0\nflags:\t02100002\nmnt_id:\t24\n"
        (process / "fdinfo" / str(number)).write_text(text)
    return process


def fdinfo(slot: str, client: int | None, vram: int, gtt: int = 0) -> str:
    """A descriptor's information as current kernels write it, sizes in KiB."""
    identity = "" if client is None else f"drm-client-id:\t{client}\n"
    return (
        f"pos:\t0\nflags:\t02100002\nmnt_id:\t24\nino:\t1239\ndrm-driver:\tamdgpu\n{identity}drm-pdev:\t{slot}\n"
        f"pasid:\t32771\ndrm-total-cpu:\t0\ndrm-total-vram:\t{2 * vram // 1024} KiB\n"
        f"drm-resident-vram:\t{vram // 1024} KiB\n"
        f"drm-resident-gtt:\t{gtt // 1024} KiB\ndrm-memory-vram:\t{vram // 1024} KiB\n"
        f"drm-memory-gtt: \t{gtt // 1024} KiB\ndrm-memory-cpu: \t0 KiB\ndrm-engine-compute:\t46464671 ns\n"
    )


def _nominal(gib: int) -> int:
    return gib * GIB - 16 * MIB  # what cards show is some MiB below what is printed on the box


W6800 = Gpu(
    "0000:03:00.0", 0x73A3, 0x00, _nominal(32), unique_id=0xA1B2C3D4E5F60718, connectors=("DP-1",),
    nodes=(Node(33333, 100300, 60, _nominal(32), 0xA1B2C3D4E5F60718, per_unit=2),),
)  # fmt: skip
W7900 = Gpu(
    "0000:0a:00.0", 0x7448, 0x00, _nominal(48), unique_id=0x1122334455667788,
    nodes=(Node(44444, 110000, 96, _nominal(48), 0x1122334455667788, per_unit=2),),
)  # fmt: skip
# A card of a server: no connector, not the one that the firmware draws on, no VGA class.
HEADLESS = Gpu(
    "0000:41:00.0", 0x73A3, 0x00, _nominal(32), used=12 * MIB, gtt_used=4 * MIB, unique_id=0xA1B2C3D4E5F60719,
    nodes=(Node(34444, 100300, 60, _nominal(32), 0xA1B2C3D4E5F60719, per_unit=2),),
    extra={"boot_vga": "0\n", "class": "0x038000\n", "enable": "1\n"},
)  # fmt: skip
# The same card under a desktop.
WITH_DESKTOP = replace(
    HEADLESS, used=3 * GIB, gtt_used=200 * MIB, connectors=("DP-1", "HDMI-A-1", "Writeback-1"),
    extra={"boot_vga": "1\n", "class": "0x030000\n", "enable": "1\n"},
)  # fmt: skip
# A desktop processor's graphics: 512 MiB set aside, allocations from system memory.
SMALL_APU = Gpu(
    "0000:11:00.0", 0x164E, 0xD8, 512 * MIB, 100 * MIB, 15 * GIB, 20 * MIB, board=False,
    nodes=(Node(55555, 100306, 2, 15 * GIB, minor=129, per_unit=2),),
)  # fmt: skip
STRIX_HALO = Gpu(
    "0000:c4:00.0", 0x1586, 0xC1, 512 * MIB, 300 * MIB, 62 * GIB, 25 * GIB, board=False,
    nodes=(Node(66666, 110501, 40, 62 * GIB, per_unit=2),),
)  # fmt: skip
STRIX_HALO_CARVED = replace(
    STRIX_HALO, vram=96 * GIB, gtt=15 * GIB, gtt_used=GIB, used=30 * GIB,
    nodes=(Node(66666, 110501, 40, 96 * GIB, per_unit=2),),
)  # fmt: skip


def mi210(number: int) -> Gpu:
    """One of several."""
    slot, unique = f"0000:{0x23 + 0x20 * number:02x}:00.0", 0xD0000000_00000000 + number
    node = Node(21000 + number, 90010, 104, _nominal(64), unique, 128 + number)
    return Gpu(slot, 0x740F, 0x02, _nominal(64), unique_id=unique, nodes=(node,))


def mi250_die(number: int, units: int = 104) -> Gpu:
    """A die of an MI250, or with 110 units of an MI250X: a PCI device of its own."""
    unique = 0xE0000000_00000000 + number
    node = Node(25000 + number, 90010, units, _nominal(64), unique, 128 + number)
    return Gpu(f"0000:{0x29 + number:02x}:00.0", 0x740C, 0x01, _nominal(64), unique_id=unique, nodes=(node,))


def mi300x(parts: int = 1, high_bits: bool = True, used: int = 300 * MIB) -> Gpu:
    """An MI300X whole or in partitions, with the partition in the location's high bits or over its function."""
    whole, location = _nominal(192), 0xC1 << 8
    nodes = tuple(
        Node(
            30000 + part, 90402, 304 // parts, whole // parts, 0xF0000000_00000000 + part, 128 + part,
            location=location | (part << 28 if high_bits else part),
        )
        for part in range(parts)
    )  # fmt: skip
    return Gpu("0000:c1:00.0", 0x74A1, 0x00, whole, used, gtt=256 * GIB, unique_id=0xF0000000_00000000, nodes=nodes)


NVIDIA = Gpu("0000:01:00.0", 0x2684, 0xA1, 0, vendor=0x10DE)


def sensors(folder: Path, slot: str, values: dict[str, str], number: int = 4) -> Path:
    """A card's ``hwmon`` folder in a tree, by default as a discrete card has it; other files come from ``values``."""
    monitor = folder / "sys/devices/pci0000:00" / slot / f"hwmon/hwmon{number}"
    _put(monitor, {"name": "amdgpu\n"} | values)
    return monitor
