"""The inventory: whole machines as their kernels show them, parsers against any bytes, free memory, the fallback."""

import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parents[1] / "data"))
import device_trees as trees
from device_trees import GIB, MIB, Gpu, Machine, Node

from vramtuner.core.device import smi
from vramtuner.core.device.cuda import cuda_fallback
from vramtuner.core.device.find import cpu_device, find_device, local_devices
from vramtuner.core.device.free import FreeNow, available_ram, free_now
from vramtuner.core.device.holders import OTHERS, Holder
from vramtuner.core.device.inventory import driver_free, local_gpus
from vramtuner.core.device.kfd import gfx_name, kfd_nodes, parse_properties
from vramtuner.core.device.roots import Roots, parse_hex, parse_number, parse_pairs, parse_slot, read_text
from vramtuner.core.device.spec import Device, Heaps
from vramtuner.core.device.summary import DeviceSummary, pool_warning, survey
from vramtuner.core.forecast import forecast
from vramtuner.core.model.find import find_model
from vramtuner.core.recording import find_tapes
from vramtuner.core.request import phases
from vramtuner.core.settings import Levers
from vramtuner.core.units import parse_bytes


def inventory(tmp_path: Path, *gpus: Gpu, kfd: bool = True, **more: object) -> tuple[Device, ...]:
    return local_gpus(Roots.under(trees.write(Machine(gpus, kfd=kfd, **more), tmp_path / "machine")))


# Machines --------------------------------------------------------------------------------------------------------


def test_one_card_is_matched_across_sysfs_and_kfd(tmp_path: Path) -> None:
    (device,) = inventory(tmp_path, trees.W6800)
    assert (device.key, device.name, device.pci_bus_id) == ("0", "Radeon PRO W6800", "0000:03:00.0")
    assert (device.gfx, device.compute_units) == ("gfx1030", 60)
    assert (device.uuid, device.kfd_gpu_id, device.render_minor) == ("GPU-a1b2c3d4e5f60718", 33333, 128)
    assert (device.vram_bytes, device.vram_used_bytes) == (32 * GIB - 16 * MIB, 16 * MIB)
    assert device.heaps == Heaps(
        vram_total_bytes=32 * GIB - 16 * MIB,
        vram_used_bytes=16 * MIB,
        gtt_total_bytes=16 * GIB,
        gtt_used_bytes=8 * MIB,
    )
    assert (device.integrated, device.warnings) == (False, ())


def test_a_card_beside_an_apu(tmp_path: Path) -> None:
    card, apu = inventory(tmp_path, trees.W7900, trees.SMALL_APU)
    assert (card.name, card.gfx, card.integrated) == ("Radeon PRO W7900", "gfx1100", False)
    assert (apu.name, apu.gfx, apu.integrated) == ("Radeon 610M", "gfx1036", True)
    assert (apu.vram_bytes, apu.vram_used_bytes) == (15 * GIB, 20 * MIB)  # system memory, not the carve-out


def test_four_cards_are_in_the_order_of_kfd_not_of_addresses(tmp_path: Path) -> None:
    cards = [trees.mi210(number) for number in (2, 0, 3, 1)]
    devices = inventory(tmp_path, *cards)
    assert [device.pci_bus_id for device in devices] == [card.slot for card in cards]
    assert [device.key for device in devices] == ["0", "1", "2", "3"]
    assert {(device.name, device.gfx, device.compute_units) for device in devices} == {
        ("Instinct MI210", "gfx90a", 104)
    }


@pytest.mark.parametrize(("units", "name"), [(104, "Instinct MI250"), (110, "Instinct MI250X")])
def test_the_two_dies_of_a_card_are_two_devices(tmp_path: Path, units: int, name: str) -> None:
    devices = inventory(tmp_path, trees.mi250_die(0, units), trees.mi250_die(1, units))
    assert [device.name for device in devices] == [f"{name} (one of 2 dies)"] * 2
    assert [device.vram_bytes for device in devices] == [64 * GIB - 16 * MIB] * 2


def test_a_whole_mi300x_is_one_device(tmp_path: Path) -> None:
    (device,) = inventory(tmp_path, trees.mi300x())
    assert (device.name, device.gfx, device.compute_units) == ("Instinct MI300X", "gfx942", 304)
    assert (device.vram_bytes, device.partitions) == (192 * GIB - 16 * MIB, 1)


@pytest.mark.parametrize("high_bits", [True, False], ids=["location bits", "function"])
def test_partitions_are_the_devices_that_the_runtime_shows(tmp_path: Path, high_bits: bool) -> None:
    devices = inventory(tmp_path, trees.mi300x(8, high_bits))
    assert [device.name for device in devices] == [f"Instinct MI300X (partition {part} of 8)" for part in range(8)]
    assert {device.vram_bytes for device in devices} == {(192 * GIB - 16 * MIB) // 8}
    assert {device.pci_bus_id for device in devices} == {"0000:c1:00.0"}
    assert [device.render_minor for device in devices] == list(range(128, 136))
    assert {device.compute_units for device in devices} == {38}
    assert all("whole card only" in device.warnings[0] for device in devices)


def test_what_is_used_of_a_partition_is_its_own_until_the_card_is_full(tmp_path: Path) -> None:
    usage = {100: {30000: 10 * GIB, 30001: 0}, 101: {30000: GIB}}
    first, second, *_ = inventory(tmp_path, trees.mi300x(8, used=12 * GIB), usage=usage)
    assert (first.vram_used_bytes, second.vram_used_bytes) == (11 * GIB, 0)
    # 5 GiB are free on the whole card: no partition can give more than those.
    full = replace(trees.mi300x(8), used=187 * GIB - 16 * MIB)
    devices = local_gpus(Roots.under(trees.write(Machine((full,), usage), tmp_path / "full")))
    assert {device.vram_bytes - (device.vram_used_bytes or 0) for device in devices} == {5 * GIB}


def test_an_apu_that_allocates_from_system_memory(tmp_path: Path) -> None:
    (device,) = inventory(tmp_path, trees.STRIX_HALO)
    assert (device.name, device.gfx, device.integrated) == ("Radeon 8060S (Ryzen AI Max+ PRO 395)", "gfx1151", True)
    assert (device.vram_bytes, device.vram_used_bytes) == (62 * GIB, 25 * GIB)
    assert device.heaps is not None
    assert (device.heaps.vram_total_bytes, device.heaps.gtt_total_bytes) == (512 * MIB, 62 * GIB)
    assert device.heaps.allocations == "gtt"
    assert "62.00 GiB shared with every program" in device.warnings[0]
    assert "0.50 GiB that the BIOS set aside stay unused" in device.warnings[0]


def test_an_apu_with_a_large_carve_out_allocates_from_that(tmp_path: Path) -> None:
    (device,) = inventory(tmp_path, trees.STRIX_HALO_CARVED)
    assert (device.vram_bytes, device.vram_used_bytes) == (96 * GIB, 30 * GIB)
    assert device.heaps is not None
    assert device.heaps.allocations == "vram"
    assert "96.00 GiB of RAM that the BIOS set aside" in device.warnings[0]


def test_the_kernels_rule_stands_in_where_kfd_is_absent(tmp_path: Path) -> None:
    devices = inventory(tmp_path, trees.STRIX_HALO, trees.STRIX_HALO_CARVED, kfd=False)
    assert [device.vram_bytes for device in devices] == [96 * GIB]  # of equal addresses one counts
    (device,) = local_gpus(Roots.under(trees.write(Machine((trees.STRIX_HALO,), kfd=False), tmp_path / "one")))
    assert device.vram_bytes == 62 * GIB
    assert "KFD is not there to confirm it" in device.warnings[0]


def test_real_captures_of_apus_are_told_from_cards_by_their_memory(tmp_path: Path) -> None:
    # The sizes of a Phoenix, a Strix Point and a Vega 56 as captured, under ids that no catalogue has.
    phoenix = Gpu("0000:64:00.0", 0xFFF0, 0xDD, 4_294_967_296, 1_272_893_440, 31_433_977_856, 211_398_656, board=False)
    strix = Gpu("0000:c1:00.0", 0xFFF1, 0xC4, 536_870_912, 514_580_480, 16_441_004_032, 3_946_811_392, board=False)
    vega = Gpu("0000:0b:00.0", 0xFFF2, 0xC3, 8_573_157_376, 16_613_376, 8_342_863_872, 12_337_152)
    small = Gpu("0000:0c:00.0", 0xFFF3, 0x00, 2 * GIB, gtt=32 * GIB)  # a small card in a large machine
    found = {device.pci_bus_id: device for device in inventory(tmp_path, phoenix, strix, vega, small, kfd=False)}
    assert [found[gpu.slot].integrated for gpu in (phoenix, strix, vega, small)] == [True, True, False, False]
    assert found[strix.slot].vram_bytes == 16_441_004_032


def test_a_node_with_processor_cores_is_an_apu(tmp_path: Path) -> None:
    node = Node(9, 90012, 8, 8 * GIB, cpu_cores=8)
    (device,) = inventory(tmp_path, Gpu("0000:05:00.0", 0x1638, 0xC9, 8 * GIB, gtt=16 * GIB, nodes=(node,)))
    assert (device.gfx, device.integrated) == ("gfx90c", True)


def test_a_card_without_a_unique_id_has_no_uuid(tmp_path: Path) -> None:
    bare = replace(trees.W6800, unique_id=0, nodes=(replace(trees.W6800.nodes[0], unique_id=0),))
    assert inventory(tmp_path, bare)[0].uuid is None


def test_a_headless_card_is_the_same_device_with_more_free(tmp_path: Path) -> None:
    roots = Roots.under(trees.write(Machine((trees.HEADLESS,)), tmp_path / "server"))
    assert sorted(path.name for path in (roots.sys / "class/drm").iterdir()) == ["card0", "renderD128", "version"]
    (headless,) = local_gpus(roots)
    assert (headless.key, headless.name, headless.gfx) == ("0", "Radeon PRO W6800", "gfx1030")
    assert (headless.vram_used_bytes, headless.integrated, headless.warnings) == (12 * MIB, False, ())
    assert free_now(headless, roots=roots).free_bytes == 32 * GIB - 28 * MIB
    (desktop,) = inventory(tmp_path, trees.WITH_DESKTOP)  # its connectors are no cards
    assert free_now(desktop, roots=roots).free_bytes == 29 * GIB - 16 * MIB
    # What a desktop takes is in the driver's count of used memory; what a ROCm process takes beside its tensors is the
    # same on both, and so is the pool.
    assert headless.overhead_range_bytes == desktop.overhead_range_bytes
    assert headless.default_pool_bytes == desktop.default_pool_bytes
    assert headless == msgspec.structs.replace(desktop, vram_used_bytes=12 * MIB, heaps=headless.heaps)


def test_without_kfd_cards_are_found_and_hip_is_said_to_show_none(tmp_path: Path) -> None:
    (device,) = inventory(tmp_path, trees.W6800, kfd=False)
    assert (device.name, device.gfx, device.kfd_gpu_id) == ("Radeon PRO W6800", "gfx1030", None)
    assert (device.uuid, device.compute_units) == ("GPU-a1b2c3d4e5f60718", 60)
    assert "HIP shows no GPU" in device.warnings[0]


def test_a_card_that_kfd_does_not_show_comes_last(tmp_path: Path) -> None:
    old = Gpu("0000:01:00.0", 0x6613, 0x00, 2 * GIB)
    kept, hidden = inventory(tmp_path, old, trees.W7900)
    assert (kept.name, hidden.name) == ("Radeon PRO W7900", "AMD GPU")
    assert "does not show this GPU" in hidden.warnings[0]


def test_a_node_without_drm_is_a_device_of_kfd_alone(tmp_path: Path) -> None:
    roots = Roots.under(trees.write(Machine((trees.W7900,)), tmp_path / "machine"))
    shutil.rmtree(roots.sys / "class/drm")
    (device,) = local_gpus(roots)
    assert (device.gfx, device.vram_bytes, device.vram_used_bytes) == ("gfx1100", 48 * GIB - 16 * MIB, None)
    assert device.pci_bus_id == "0000:0a:00.0"


def test_a_node_that_may_not_be_read_is_left_out(tmp_path: Path) -> None:
    roots = Roots.under(trees.write(Machine((trees.mi210(0), trees.mi210(1))), tmp_path / "machine"))
    properties = roots.sys / "class/kfd/kfd/topology/nodes/1/properties"
    properties.unlink()
    properties.mkdir()  # reading it is an OSError, for root too
    assert [node.gpu_id for node in kfd_nodes(roots)] == [21001]
    assert [device.kfd_gpu_id for device in local_gpus(roots)] == [21001, None]


def test_a_missing_compute_device_is_explained(tmp_path: Path) -> None:
    roots = Roots.under(trees.write(Machine((trees.W7900,)), tmp_path / "machine"))
    (roots.dev / "kfd").unlink()
    assert "a container needs the devices /dev/kfd and /dev/dri" in local_gpus(roots)[0].warnings[0]


def test_nvidia_alone_is_no_device_but_a_fallback(tmp_path: Path) -> None:
    roots = Roots.under(trees.write(Machine((trees.NVIDIA,), kfd=False), tmp_path / "machine"))
    (roots.proc / "driver/nvidia/gpus/0000:41:00.0").mkdir(parents=True)
    assert local_gpus(roots) == ()
    fallback = cuda_fallback(roots)
    assert fallback.slots == ("0000:01:00.0", "0000:41:00.0")
    assert fallback.note.startswith("fallback: NVIDIA at 0000:01:00.0, 0000:41:00.0 is not listed")


def test_a_window_and_the_command_line_have_the_same_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    roots = Roots.under(trees.write(Machine((trees.W7900, trees.SMALL_APU)), tmp_path / "machine"))
    assert local_devices(roots) == (*local_gpus(roots), cpu_device())
    assert find_device("1", roots) == local_gpus(roots)[1]
    assert find_device("auto", roots) == local_gpus(roots)[0]


def test_a_list_of_devices_has_what_amdsmi_adds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    roots = Roots.under(trees.write(Machine((trees.W7900,)), tmp_path / "machine"))
    shutil.rmtree(roots.sys / "class/drm")  # as in some containers: KFD alone, without a name and what is used
    slot = trees.W7900.slot
    answers = [(smi.SmiFacts(slot, "AMD Radeon PRO W7900", 5 * GIB),), (smi.SmiFacts(slot, "another", 9 * GIB),)]
    asked: list[int] = []
    monkeypatch.setattr(smi, "ask_smi", lambda: answers[asked.append(1) or len(asked) - 1])
    monkeypatch.setattr(smi.time, "monotonic", lambda: 600.0 + len(asked))
    smi._answer.cache_clear()
    try:
        for _ in range(3):  # a survey every few seconds does not start a process each
            device, stand_in = local_devices(roots)
            assert (device.name, device.vram_used_bytes, stand_in.key) == ("AMD Radeon PRO W7900", 5 * GIB, "cpu")
        monkeypatch.setattr(smi.time, "monotonic", lambda: 661.0)
        assert local_devices(roots)[0].vram_used_bytes == 9 * GIB
    finally:
        smi._answer.cache_clear()


def test_no_gpu_at_all(tmp_path: Path) -> None:
    roots = Roots.under(trees.write(Machine(), tmp_path / "machine"))
    assert (local_gpus(roots), cuda_fallback(roots).note) == ((), "")
    nowhere = Roots.under(tmp_path / "nowhere")
    assert (local_gpus(nowhere), cuda_fallback(nowhere).slots) == ((), ())


def test_a_device_travels_to_the_probe_and_back(tmp_path: Path) -> None:
    (device,) = inventory(tmp_path, trees.STRIX_HALO)
    assert msgspec.json.decode(msgspec.json.encode(device), type=Device) == device


# Parsers ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("version", "name"),
    [
        (80003, "gfx803"),
        (90000, "gfx900"),
        (90006, "gfx906"),
        (90010, "gfx90a"),
        (90012, "gfx90c"),
        (90402, "gfx942"),
        (90500, "gfx950"),
        (100300, "gfx1030"),
        (110000, "gfx1100"),
        (110501, "gfx1151"),
        (120001, "gfx1201"),
        (0, None),
        (-1, None),
        (10**6, None),
    ],
)
def test_gfx_targets_are_decoded(version: int, name: str | None) -> None:
    assert gfx_name(version) == name


def test_a_real_topology_node_is_read(tmp_path: Path) -> None:
    # The values of an RX 7900 XTX: 34304 is 0x8600, bus 86.
    node = tmp_path / "class/kfd/kfd/topology/nodes/1"
    (node / "mem_banks/0").mkdir(parents=True)
    (node / "gpu_id").write_text("48521\n")
    (node / "properties").write_text(
        "cpu_cores_count 0\nsimd_count 192\nsimd_per_cu 2\ngfx_target_version 110000\nvendor_id 4098\n"
        "device_id 29772\nlocation_id 34304\ndomain 0\ndrm_render_minor 128\nlocal_mem_size 0\nunique_id 0\n"
    )
    (node / "mem_banks/0/properties").write_text("heap_type 1\nsize_in_bytes 25753026560\nflags 0\n")
    (found,) = kfd_nodes(Roots(tmp_path, tmp_path, tmp_path))
    assert (found.slots[0], found.gfx, found.compute_units) == ("0000:86:00.0", "gfx1100", 96)
    assert (found.memory_bytes, found.unique_id, found.device_id) == (25_753_026_560, 0, 0x744C)


def test_a_unique_id_has_all_64_bits() -> None:
    assert parse_properties(f"unique_id {2**64 - 1}\n")["unique_id"] == 2**64 - 1
    assert "unique_id" not in parse_properties(f"unique_id {2**64}\n")


@pytest.mark.parametrize(
    ("text", "number"),
    [("0\n", 0), (" 12 ", 12), ("", None), ("-1", None), ("0x10", None), ("1_0", None), ("١", None), ("9" * 20, None)],
)
def test_numbers_are_decimal_or_none(text: str, number: int | None) -> None:
    assert parse_number(text) == number


@given(st.binary(max_size=400))
def test_any_bytes_are_a_value_or_none(data: bytes) -> None:
    text = data.decode("utf-8", errors="replace")
    number, wide, slot = parse_number(text), parse_hex(text), parse_slot(text)
    assert number is None or 0 <= number < 2**63
    assert wide is None or 0 <= wide < 2**64
    assert slot is None or slot == slot.lower()
    assert all(0 <= value < 2**64 for value in parse_properties(text).values())
    assert all(key == key.strip() for key in parse_pairs(text, "="))


_NAMES = st.sampled_from(
    [
        "class/kfd/kfd/topology/nodes/1/gpu_id",
        "class/kfd/kfd/topology/nodes/1/properties",
        "class/kfd/kfd/topology/nodes/1/mem_banks/0/properties",
        "class/kfd/kfd/proc/4242/vram_66666",
        *(f"devices/pci0000:00/{trees.STRIX_HALO.slot}/{name}" for name in trees.STRIX_HALO.files()),
    ]
)
_LINES = st.lists(
    st.tuples(
        st.sampled_from(["location_id", "domain", "simd_per_cu", "gfx_target_version", "unique_id", "size_in_bytes"]),
        st.integers(-2, 2**70),
    ),
    max_size=6,
).map(lambda lines: "".join(f"{key} {value}\n" for key, value in lines).encode())


@settings(deadline=None, max_examples=60)
@given(st.dictionaries(_NAMES, st.binary(max_size=60) | _LINES | st.integers(0, 2**64).map(lambda n: str(n).encode())))
def test_whatever_the_files_hold_the_inventory_is_a_value(files: dict[str, bytes]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        machine = Machine((trees.STRIX_HALO,), {4242: {66666: MIB}})
        roots = Roots.under(trees.write(machine, Path(folder) / "machine"))
        for name, content in files.items():
            (roots.sys / name).write_bytes(content)
        for device in local_gpus(roots):
            assert device.vram_bytes >= 0
            assert 0 <= device.default_pool_bytes <= device.vram_bytes
            assert free_now(device, roots=roots).free_bytes is None or free_now(device, roots=roots).free_bytes >= 0


def test_a_pipe_in_the_place_of_a_file_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert read_text(tmp_path / "pipe") == ""
    assert read_text("no\0name") is None
    assert read_text(tmp_path) is None


# Free now --------------------------------------------------------------------------------------------------------


def test_free_is_the_smaller_of_the_drivers_and_hips_count(tmp_path: Path) -> None:
    (device,) = inventory(tmp_path, replace(trees.W7900, used=10 * GIB))
    driver = 38 * GIB - 16 * MIB
    assert free_now(device) == FreeNow(driver, driver)
    beside_a_game = free_now(device, hip_free_bytes=47 * GIB)
    assert (beside_a_game.free_bytes, beside_a_game.difference_bytes) == (driver, 9 * GIB + 16 * MIB)
    assert free_now(device, hip_free_bytes=GIB).free_bytes == GIB


def test_an_apu_cannot_take_more_than_the_ram_that_is_available(tmp_path: Path) -> None:
    roots = Roots.under(trees.write(Machine((trees.STRIX_HALO,)), tmp_path / "machine"))
    (device,) = local_gpus(roots)
    assert free_now(device, roots=roots).free_bytes == 37 * GIB
    (roots.proc / "meminfo").write_text("MemTotal:       131072000 kB\nMemAvailable:    8388608 kB\n")
    assert available_ram(roots) == 8 * GIB
    assert free_now(device, roots=roots) == FreeNow(8 * GIB, 37 * GIB, None, 8 * GIB)


def test_what_is_not_known_is_not_made_up() -> None:
    device = Device(key="0", name="X", kind="gpu", vram_bytes=GIB, source="a test")
    assert free_now(device) == FreeNow(None, None)
    assert free_now(device, hip_free_bytes=5).free_bytes == 5
    over = Device(key="0", name="X", kind="gpu", vram_bytes=GIB, source="a test", vram_used_bytes=2 * GIB)
    assert free_now(over).free_bytes == 0


def test_both_counts_and_their_difference_are_said() -> None:
    assert FreeNow(GIB, GIB).counts_text == ""  # HIP was not asked
    more = FreeNow(38 * GIB, 38 * GIB, 47 * GIB).counts_text
    assert more.startswith("HIP counts 47.00 GiB free, the driver 38.00 GiB: 9.00 GiB more by HIP, which leaves out")
    less = FreeNow(7 * GIB, 8 * GIB, 7 * GIB).counts_text
    assert less.startswith("HIP counts 7.00 GiB free, the driver 8.00 GiB: 1.00 GiB less by HIP")
    assert FreeNow(GIB, GIB, GIB).counts_text == "HIP counts 1.00 GiB free, the driver 1.00 GiB: the same"
    assert FreeNow(GIB, None, GIB).counts_text == "HIP counts 1.00 GiB free, the driver does not count"


def test_the_drivers_count_is_read_anew(tmp_path: Path) -> None:
    roots = Roots.under(trees.write(Machine((trees.mi300x(8),), {7: {30003: 4 * GIB}}), tmp_path / "machine"))
    part = local_gpus(roots)[3]
    assert driver_free(part, roots) == part.vram_bytes - 4 * GIB
    (roots.sys / "class/kfd/kfd/proc/7/vram_30003").write_text(f"{6 * GIB}\n")
    assert driver_free(part, roots) == part.vram_bytes - 6 * GIB
    shutil.rmtree(roots.sys / "class")
    assert driver_free(part, roots) is None


# A pool that is more than is free ----------------------------------------------------------------------------------


def summary(tmp_path: Path, gpu: Gpu, usage: dict[int, dict[int, int]] | None = None) -> DeviceSummary:
    roots = Roots.under(trees.write(Machine((gpu,), usage or {}), tmp_path / "crowded"))
    for pid in usage or {}:
        trees.add_process(roots.sys.parent, pid, f"process-{pid}", 0)
    return survey(local_devices(roots), roots, {}).devices[0]


def test_a_pool_that_is_more_than_is_free_says_both_figures_who_and_what_to_do(tmp_path: Path) -> None:
    usage = {pid: {44444: pid * GIB // 100} for pid in (100, 300, 700, 900, 1000)}  # 30 GiB
    warning = summary(tmp_path, replace(trees.W7900, used=31 * GIB), usage).pool_warning
    assert warning.startswith("the pool of 38.39 GiB is more than the 16.98 GiB free now")
    assert "(process-1000, process 1000, 10.00 GiB; process-900, process 900, 9.00 GiB; process-700," in warning
    assert warning.endswith("; and 2 more), or lower the pool to 16.98 GiB")


@pytest.mark.parametrize(("used", "warned"), [(0, False), (48 * GIB // 5 - 16 * MIB, False), (10 * GIB, True)])
def test_a_pool_that_fits_needs_no_warning(tmp_path: Path, used: int, warned: bool) -> None:
    assert bool(summary(tmp_path, replace(trees.W7900, used=used)).pool_warning) == warned


def test_the_pool_that_is_offered_is_less_than_what_is_free(tmp_path: Path) -> None:
    entry = summary(tmp_path, replace(trees.W7900, used=40 * GIB + 123_456_789))
    offered = parse_bytes(entry.pool_warning.rpartition("lower the pool to ")[2].replace(" ", ""))
    free = entry.free.free_bytes or 0
    assert free - GIB // 100 < offered <= free
    assert pool_warning(entry, offered) == ""


def test_where_nothing_is_free_no_pool_is_offered(tmp_path: Path) -> None:
    warning = summary(tmp_path, replace(trees.W7900, used=trees.W7900.vram)).pool_warning
    assert "lower the pool" not in warning
    assert "no process that is visible from here" in warning
    assert "use another device: the runtime alone takes up to 0.83 GiB" in warning


def test_an_apu_short_of_ram_is_warned_and_the_stand_in_is_not(tmp_path: Path) -> None:
    roots = Roots.under(trees.write(Machine((trees.STRIX_HALO,)), tmp_path / "machine"))
    (roots.proc / "meminfo").write_text("MemTotal:       131072000 kB\nMemAvailable:    8388608 kB\n")
    apu, stand_in = survey(local_devices(roots), roots, {}).devices
    assert "close programs that take RAM, or lower the pool to 8.00 GiB" in apu.pool_warning
    assert stand_in.pool_warning == ""  # 80 % of RAM is more than an ordinary machine has free


def test_a_forecast_warns_of_a_pool_on_a_card_that_is_here(tmp_path: Path) -> None:
    spec = find_model("gpt2")

    def said(device: Device, **levers: object) -> list[str]:
        wanted = Levers(**levers)  # type: ignore[arg-type]
        tapes = find_tapes(spec, phases(spec, device, wanted))
        assert tapes is not None
        found = forecast(spec, device, wanted, *tapes).warnings
        return [text for text in found if "free when it was looked at" in text]

    (busy,) = inventory(tmp_path, replace(trees.W7900, used=31 * GIB))
    (text,) = said(busy)
    assert text.startswith("The pool of 38.39 GiB is more than the 16.98 GiB free when it was looked at")
    assert "vramtuner devices" in text and text.endswith("or lower the pool to 16.98 GiB.")
    assert said(busy, pool_bytes=16 * GIB) == said(find_device("w7900")) == said(cpu_device()) == []


# Replays under the real paths ------------------------------------------------------------------------------------

_REPLAYED = {
    "one W6800": Machine((trees.W6800,)),
    "W7900 beside an APU": Machine((trees.W7900, trees.SMALL_APU)),
    "four MI210": Machine(tuple(trees.mi210(number) for number in range(4))),
    "MI250": Machine((trees.mi250_die(0), trees.mi250_die(1))),
    "MI300X whole": Machine((trees.mi300x(),), {4242: {30000: 5 * GIB}}),
    "MI300X in partitions": Machine((trees.mi300x(8),), {4242: {30000: 5 * GIB, 30003: GIB}}),
    "MI300X in two partitions": Machine((trees.mi300x(2, high_bits=False),), {4242: {30001: 5 * GIB}}),
    "Strix Halo": Machine((trees.STRIX_HALO,)),
    "no unique_id": Machine((replace(trees.W6800, unique_id=0, nodes=(replace(trees.W6800.nodes[0], unique_id=0),)),)),
    "NVIDIA only": Machine((trees.NVIDIA,), kfd=False),
    "headless": Machine((trees.HEADLESS,)),
    "headless beside a desktop's": Machine((trees.HEADLESS, replace(trees.WITH_DESKTOP, slot="0000:42:00.0"))),
    "no GPU": Machine(),
    "KFD absent": Machine((trees.W6800,), kfd=False),
}
_READ = """
import msgspec, sys
from vramtuner.core.device.inventory import local_gpus
from vramtuner.core.device.summary import survey
found = local_gpus()
sys.stdout.buffer.write(msgspec.json.encode((found, survey(found, environment={}).devices)))
"""
# As somebody whom every file of every process is denied, root's privileges given up where there are any.
_READ_DENIED = """
import msgspec, os, pathlib, pwd, sys
from vramtuner.core.device.holders import holders
from vramtuner.core.device.inventory import local_gpus
bed = pathlib.Path(os.environ["UMOCKDEV_DIR"])
for folder, _, files in os.walk(bed):
    os.chmod(folder, 0o755)
    for name in files:
        if name.startswith(("vram_", "sdma_")):
            os.chmod(os.path.join(folder, name), 0)
local_gpus()
if os.geteuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
try:
    denied = not os.listdir("/proc/1/fd")
except PermissionError:
    denied = True
sys.stdout.buffer.write(msgspec.json.encode((denied, holders(local_gpus())["0"])))
"""
replays = pytest.mark.skipif(
    shutil.which("umockdev-run") is None, reason="umockdev-run is not installed (Debian package umockdev)"
)


def replay(machine: Machine, folder: Path, script: str) -> bytes:
    """What a script prints on a machine that is replayed under the real paths."""
    description = folder / "machine.umockdev"
    description.write_text(trees.umockdev(machine))
    done = subprocess.run(
        ["umockdev-run", "--device", str(description), "--", sys.executable, "-c", script],
        capture_output=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


@replays
@pytest.mark.parametrize("name", _REPLAYED)
def test_a_machine_replayed_under_the_real_paths_is_read_the_same(tmp_path: Path, name: str) -> None:
    machine = _REPLAYED[name]
    data = replay(machine, tmp_path, _READ)
    replayed, seen = msgspec.json.decode(data, type=tuple[tuple[Device, ...], tuple[DeviceSummary, ...]])
    roots = Roots.under(trees.write(machine, tmp_path / "machine"))
    assert replayed == local_gpus(roots)
    assert len(replayed) == sum(max(len(gpu.nodes), 1) for gpu in machine.gpus if gpu.vendor == 0x1002)
    for entry, expected in zip(seen, survey(replayed, roots, {}).devices, strict=True):
        assert (entry.held_bytes, entry.live) == (expected.held_bytes, expected.live)
        assert (entry.runtime_index, entry.kernel) == (expected.runtime_index, expected.kernel)


@replays
def test_permission_denied_on_every_file_of_every_process_replayed(tmp_path: Path) -> None:
    machine = Machine((replace(trees.W7900, used=10 * GIB),), {4242: {44444: 6 * GIB}, 1: {44444: GIB}})
    denied, rows = msgspec.json.decode(replay(machine, tmp_path, _READ_DENIED), type=tuple[bool, tuple[Holder, ...]])
    if not denied:
        pytest.skip("the first process of this machine may be read without privileges")
    assert rows == (Holder(None, OTHERS, None, 10 * GIB, 8 * MIB),)
