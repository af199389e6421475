"""Who holds memory: descriptors as kernels write them, clients counted once, rows that add up, `devices`."""

import json
import os
import pwd
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parents[1] / "data"))
import device_trees as trees
from device_trees import GIB, MIB, Gpu, Machine, add_process, fdinfo

from vramtuner.core import cli, output
from vramtuner.core.device import find
from vramtuner.core.device.attention import auto_attention
from vramtuner.core.device.free import free_now
from vramtuner.core.device.holders import OF_THE_HOST, OTHERS, SHARED, DrmClient, Holder, holders, parse_fdinfo
from vramtuner.core.device.inventory import local_gpus
from vramtuner.core.device.kfd import kfd_usage
from vramtuner.core.device.roots import Roots
from vramtuner.core.device.spec import Device
from vramtuner.core.device.summary import DeviceSummary, survey

CARD = replace(trees.W7900, used=10 * GIB, gtt_used=100 * MIB)
SLOT, GPU_ID = CARD.slot, CARD.nodes[0].gpu_id
ROOT = 0  # a user that every system has


class Box:
    """A machine in a folder, to which processes are added."""

    def __init__(self, folder: Path, *gpus: Gpu, **usage: object) -> None:
        self.folder = trees.write(Machine(gpus, **usage), folder / "machine")
        self.roots = Roots.under(self.folder)
        self.devices = local_gpus(self.roots)

    def add(self, pid: int, *clients: str, name: str = "python3", minor: int = 128, command: str = "") -> Path:
        return add_process(self.folder, pid, name, ROOT, [(minor, client) for client in clients], command)

    def rows(self, key: str = "0") -> tuple[Holder, ...]:
        return holders(self.devices, self.roots)[key]


def sums(device: Device, rows: tuple[Holder, ...]) -> bool:
    """Whether the rows are the driver's own figures in all."""
    heaps = device.heaps
    assert heaps is not None
    mapped = sum(row.gtt_bytes for row in rows)
    return sum(row.vram_bytes for row in rows) == heaps.vram_used_bytes and mapped == heaps.gtt_used_bytes


# Descriptors -----------------------------------------------------------------------------------------------------


def test_the_keys_of_a_current_kernel() -> None:
    text = (
        "pos:\t0\nflags:\t02100002\ndrm-driver:\tamdgpu\ndrm-client-id:\t4\ndrm-pdev:\t0000:04:00.0\npasid:\t32771\n"
        "drm-total-gtt:\t2392 KiB\ndrm-resident-gtt:\t2392 KiB\ndrm-total-vram:\t99999 KiB\n"
        "drm-resident-vram:\t44564 KiB\ndrm-memory-vram:\t44564 KiB\ndrm-memory-gtt: \t2392 KiB\n"
    )
    assert parse_fdinfo(text) == DrmClient("0000:04:00.0", 4, 44564 * 1024, 2392 * 1024)


def test_the_keys_of_an_older_kernel() -> None:
    text = (
        "pasid:  32784\ndrm-driver:     amdgpu\ndrm-pdev:       0000:08:00.0\ndrm-client-id:  217\n"
        "drm-memory-vram:        2068 KiB\ndrm-memory-gtt: \t8192 KiB\n"
    )
    assert parse_fdinfo(text) == DrmClient("0000:08:00.0", 217, 2068 * 1024, 8192 * 1024)


@pytest.mark.parametrize(
    ("size", "expected"),
    [("0", 0), ("4096", 4096), ("3 KiB", 3072), ("2 MiB", 2 * MIB), ("1 GiB", GIB), ("5 GB", 0), ("-5", 0), ("x", 0)],
)
def test_sizes_have_units_or_are_bytes(size: str, expected: int) -> None:
    client = parse_fdinfo(f"drm-driver:\tamdgpu\ndrm-pdev:\t0000:04:00.0\ndrm-resident-vram:\t{size}\n")
    assert client == DrmClient("0000:04:00.0", None, expected, 0)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "pos:\t0\n",
        "drm-driver:\ti915\ndrm-pdev:\t0000:00:02.0\n",
        "drm-driver:\tamdgpu\n",
        "drm-pdev: 0000:04:00.0\n",
    ],
)
def test_other_descriptors_are_no_clients(text: str) -> None:
    assert parse_fdinfo(text) is None


@given(
    st.binary(max_size=300)
    | st.lists(
        st.tuples(
            st.sampled_from(["drm-driver", "drm-pdev", "drm-client-id", "drm-resident-vram", "drm-memory-gtt"]),
            st.sampled_from(["amdgpu", "0000:04:00.0", "7", f"{2**62} GiB", "12 KiB", "\x00", "9" * 400]),
        )
    ).map(lambda lines: "\n".join(f"{key}:\t{value}" for key, value in lines).encode())
)
def test_any_bytes_are_a_client_or_none(data: bytes) -> None:
    client = parse_fdinfo(data.decode("utf-8", errors="replace"))
    assert client is None or (0 <= client.vram_bytes < 2**63 and 0 <= client.gtt_bytes < 2**63)


# The table -------------------------------------------------------------------------------------------------------


def test_rows_add_up_to_what_the_driver_counts(tmp_path: Path) -> None:
    box = Box(tmp_path, CARD, usage={200: {GPU_ID: 6 * GIB}})
    box.add(200, name="pt_main_thread")
    box.add(300, fdinfo(SLOT, 1, GIB, 40 * MIB), name="kwin_wayland")
    first, second, rest = rows = box.rows()
    assert (first.pid, first.name, first.user, first.vram_bytes) == (200, "pt_main_thread", "root", 6 * GIB)
    assert (second.pid, second.name, second.vram_bytes, second.gtt_bytes) == (300, "kwin_wayland", GIB, 40 * MIB)
    assert rest == Holder(None, OTHERS, None, 3 * GIB, 60 * MIB)
    assert sums(box.devices[0], rows)


def test_a_client_is_counted_once_however_many_descriptors_have_it(tmp_path: Path) -> None:
    box = Box(tmp_path, CARD)
    box.add(300, fdinfo(SLOT, 1, GIB), fdinfo(SLOT, 1, GIB), fdinfo(SLOT, 2, 2 * GIB))
    box.add(301, fdinfo(SLOT, 1, GIB))  # a child that inherited the descriptor
    assert [(row.pid, row.vram_bytes) for row in box.rows()] == [(300, 3 * GIB), (None, 7 * GIB)]


def test_equal_client_numbers_of_two_cards_are_two_clients(tmp_path: Path) -> None:
    other = replace(trees.mi210(0), used=5 * GIB)
    box = Box(tmp_path, CARD, other)
    box.add(300, fdinfo(SLOT, 1, GIB), fdinfo(other.slot, 1, 2 * GIB))
    assert [(row.pid, row.vram_bytes) for row in box.rows("0")] == [(300, GIB), (None, 9 * GIB)]
    assert [(row.pid, row.vram_bytes) for row in box.rows("1")] == [(300, 2 * GIB), (None, 3 * GIB)]


def test_clients_without_a_number_count_once_for_a_process(tmp_path: Path) -> None:
    box = Box(tmp_path, CARD)
    box.add(300, fdinfo(SLOT, None, GIB), fdinfo(SLOT, None, 2 * GIB))
    assert [(row.pid, row.vram_bytes) for row in box.rows()] == [(300, 2 * GIB), (None, 8 * GIB)]


@pytest.mark.parametrize("seen_by_drm", [8 * GIB, 8 * GIB + 50 * MIB, 10 * MIB])
def test_what_both_count_is_not_counted_twice(tmp_path: Path, seen_by_drm: int) -> None:
    # Kernels differ in whether a ROCm process's buffers are in its descriptor too.
    box = Box(tmp_path, CARD, usage={200: {GPU_ID: 8 * GIB}})
    box.add(200, fdinfo(SLOT, 1, seen_by_drm))
    assert box.rows()[0].vram_bytes == max(8 * GIB, seen_by_drm)
    assert sums(box.devices[0], box.rows())


def test_shared_buffers_are_said_to_be_counted_more_than_once(tmp_path: Path) -> None:
    box = Box(tmp_path, replace(CARD, used=3 * GIB))
    box.add(300, fdinfo(SLOT, 1, 2 * GIB))
    box.add(301, fdinfo(SLOT, 2, 2 * GIB))
    assert box.rows()[-1] == Holder(None, SHARED, None, -GIB, 0)
    assert sums(box.devices[0], box.rows())


def test_what_may_not_be_read_is_in_the_last_row(tmp_path: Path) -> None:
    box = Box(tmp_path, CARD, usage={200: {GPU_ID: 6 * GIB}})
    process = box.add(200, fdinfo(SLOT, 1, 9 * GIB))
    for name in ("fd", "fdinfo", "status", "cmdline"):  # what permission denies and what is gone read alike
        (process / name).rename(process / f"hidden-{name}")
    usage = box.roots.sys / f"class/kfd/kfd/proc/200/vram_{GPU_ID}"
    assert box.rows()[0] == Holder(200, "not visible from here", None, 6 * GIB, 0)
    usage.unlink()
    usage.mkdir()  # reading it is an OSError, for root too
    assert box.rows() == (Holder(None, OTHERS, None, 10 * GIB, 100 * MIB),)


def test_permission_denied_on_every_process_is_no_error() -> None:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        box = Box(Path(folder), CARD)
        for pid in (300, 301):
            process = box.add(pid, fdinfo(SLOT, pid, GIB))
            for name in ("fd", "fdinfo", "status", "cmdline"):
                (process / name).chmod(0)
        with without_privileges():
            rows = box.rows()
        for name in ("fd", "fdinfo"):
            for pid in (300, 301):
                (box.roots.proc / str(pid) / name).chmod(0o755)
    assert rows == (Holder(None, OTHERS, None, 10 * GIB, 100 * MIB),)


@contextmanager
def without_privileges() -> Iterator[None]:
    """What root reads as anybody else, where the tests run as root."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


def test_in_a_container_the_host_s_process_ids_are_not_looked_up(tmp_path: Path) -> None:
    box = Box(tmp_path, CARD, usage={200: {GPU_ID: 4 * GIB}, 300: {GPU_ID: 2 * GIB}, 400: {GPU_ID: GIB}})
    box.add(200, name="a-stranger")
    box.add(300, fdinfo(SLOT, 7, 2 * GIB), name="opened-it")  # what it has open confirms that it is the same process
    link = box.roots.proc / "self/ns/pid"
    link.parent.mkdir(parents=True)
    for namespace, names in (
        ("pid:[4026531836]", ["a-stranger", "opened-it", "not visible from here"]),
        ("pid:[4026532700]", [OF_THE_HOST, "opened-it", OF_THE_HOST]),
    ):
        link.unlink(missing_ok=True)
        link.symlink_to(namespace)
        rows = box.rows()
        assert [(row.pid, row.name) for row in rows] == [*zip((200, 300, 400), names, strict=True), (None, OTHERS)]
        assert rows[0].user == (None if names[0] == OF_THE_HOST else "root")
        assert sums(box.devices[0], rows)


def test_a_process_of_the_host_is_named_as_such_where_it_is_to_be_closed(tmp_path: Path) -> None:
    box = Box(tmp_path, replace(CARD, used=40 * GIB), usage={200: {GPU_ID: 9 * GIB}})
    (box.roots.proc / "self/ns").mkdir(parents=True)
    (box.roots.proc / "self/ns/pid").symlink_to("pid:[4026532700]")
    (entry,) = survey(box.devices, box.roots, {}).devices
    assert "close what holds it (process 200 of the host, 9.00 GiB)" in entry.pool_warning
    assert entry.pool_warning in output.device_json(0, entry)["warnings"]
    assert f"! {entry.pool_warning}" in output.device_text(entry)


def test_an_apu_s_compute_allocations_are_system_memory(tmp_path: Path) -> None:
    # As measured on a Radeon 890M: a model of 24 GiB is in GTT, and 5 MiB are in the carve-out.
    box = Box(tmp_path, trees.STRIX_HALO, usage={200: {66666: 24 * GIB}})
    box.add(200, fdinfo(trees.STRIX_HALO.slot, 1, 5 * MIB, 24 * GIB))
    first, rest = box.rows()
    assert (first.vram_bytes, first.gtt_bytes) == (5 * MIB, 24 * GIB)
    assert (rest.vram_bytes, rest.gtt_bytes) == (295 * MIB, GIB)
    assert sums(box.devices[0], box.rows())


def test_partitions_have_their_own_rows(tmp_path: Path) -> None:
    card = trees.mi300x(8, used=12 * GIB)
    box = Box(tmp_path, card, usage={200: {30000: 10 * GIB}, 201: {30003: GIB}})
    box.add(200, name="first")
    box.add(202, fdinfo(card.slot, 9, 64 * MIB), minor=131, name="graphics")  # the render node of partition 3
    assert [(row.name, row.vram_bytes) for row in box.rows("0")] == [("first", 10 * GIB)]
    third = {row.pid: row.vram_bytes for row in box.rows("3")}
    assert third == {201: GIB, 202: 64 * MIB, None: -64 * MIB}
    assert box.rows("1") == ()


def test_a_cut_name_is_completed_from_the_command_line(tmp_path: Path) -> None:
    box = Box(tmp_path, CARD)
    box.add(300, fdinfo(SLOT, 1, GIB), name="text-generation", command="/usr/bin/text-generation-server")
    box.add(301, fdinfo(SLOT, 2, MIB), name="exactly-fifteen", command="/usr/bin/other")
    assert [row.name for row in box.rows()[:2]] == ["text-generation-server", "exactly-fifteen"]


def test_a_users_own_process_is_named_from_the_real_proc(tmp_path: Path) -> None:
    box = Box(tmp_path, CARD, usage={os.getpid(): {GPU_ID: GIB}})
    row = holders(box.devices, Roots(box.roots.sys, Path("/proc"), box.roots.dev))["0"][0]
    assert (row.pid, row.user) == (os.getpid(), pwd.getpwuid(os.getuid()).pw_name)
    assert row.name in psutil.Process().name()


def test_eight_gpus_and_four_hundred_processes_are_all_counted(tmp_path: Path) -> None:
    gpus = tuple(replace(trees.mi210(number), used=50 * GIB) for number in range(-1, 7))
    ids = [gpu.nodes[0].gpu_id for gpu in gpus]
    box = Box(tmp_path, *gpus, usage={pid: {ids[pid % 8]: MIB, ids[0]: MIB} for pid in range(5000, 5400)})
    assert len(box.devices) == 8
    assert len(kfd_usage(box.roots)) == 750  # 400 and the first GPU's of the 350 that are elsewhere
    table = holders(box.devices, box.roots)
    assert [len(rows) for rows in table.values()] == [401, *[51] * 7]
    for device in box.devices:
        assert sums(device, table[device.key])


@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(st.integers(1, 6), st.integers(0, 3), st.integers(0, 2**40)), max_size=12))
def test_rows_always_add_up(clients: list[tuple[int, int, int]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        box = Box(Path(folder), CARD)
        for pid in {pid for pid, _, _ in clients}:
            box.add(pid, *(fdinfo(SLOT, number or None, size) for owner, number, size in clients if owner == pid))
        assert sums(box.devices[0], box.rows())


# The command -----------------------------------------------------------------------------------------------------


def test_devices_as_json_has_every_promised_field(tmp_path: Path) -> None:
    box = Box(tmp_path, CARD, usage={200: {GPU_ID: 6 * GIB}})
    box.add(200)
    device = box.devices[0]
    summary = DeviceSummary(
        device=device, holders=box.rows(), free=free_now(device), runtime_index=1, kernel=auto_attention(device)
    )
    entry = json.loads(json.dumps(output.device_json(0, summary)))
    promised = (
        "index name gfx pci_bus_id vram_total_bytes vram_used_bytes gtt_total_bytes gtt_used_bytes integrated"
        " attention_kernel attention_note processes warnings"
    )
    assert set(promised.split()) <= set(entry)
    assert (entry["vram_total_bytes"], entry["vram_used_bytes"]) == (48 * GIB - 16 * MIB, 10 * GIB)
    assert (entry["free_bytes"], entry["runtime_index"]) == (38 * GIB - 16 * MIB, 1)
    assert entry["processes"][0] == {
        "pid": 200,
        "name": "python3",
        "user": "root",
        "vram_bytes": 6 * GIB,
        "gtt_bytes": 0,
    }
    assert sum(row["vram_bytes"] for row in entry["processes"]) == entry["vram_used_bytes"]


def test_an_apu_as_json_tells_the_carve_out_from_what_allocations_take(tmp_path: Path) -> None:
    box = Box(tmp_path, trees.STRIX_HALO)
    entry = output.device_json(0, survey(box.devices, box.roots, {}).devices[0])
    assert (entry["vram_total_bytes"], entry["gtt_total_bytes"]) == (512 * MIB, 62 * GIB)
    assert (entry["integrated"], entry["allocations"], entry["allocatable_bytes"]) == (True, "gtt", 62 * GIB)


def test_devices_explains_a_variable_that_hides_every_gpu(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    box = Box(tmp_path, CARD)
    monkeypatch.setattr(find, "local_gpus", lambda roots: box.devices)
    monkeypatch.setenv("HIP_VISIBLE_DEVICES", "-1")
    cli.devices()
    said = capsys.readouterr().out
    assert "Radeon PRO W7900: 47.98 GiB, 10.00 GiB used, 37.98 GiB free (read from the amdgpu driver)" in said
    assert "gfx1100, 96 compute units, at 0000:0a:00.0, hidden from HIP" in said
    assert "! HIP_VISIBLE_DEVICES=-1 hides every GPU" in said
    cli.devices(as_json=True)
    found = json.loads(capsys.readouterr().out)
    assert [entry["runtime_index"] for entry in found["devices"]] == [None, None]
    assert found["devices"][-1]["name"] == "CPU stand-in"
    assert "hides every GPU" in found["notes"][0]
