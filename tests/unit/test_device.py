"""Devices: the catalogue, the amdgpu driver's files, the pool, the attention kernel."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vramtuner.core.device import find
from vramtuner.core.device.attention import auto_attention
from vramtuner.core.device.find import catalogue, cpu_device, find_device, local_gpus
from vramtuner.core.device.roots import Roots
from vramtuner.core.device.spec import Device
from vramtuner.core.errors import BadInputError
from vramtuner.core.settings import Levers
from vramtuner.core.units import GIB, MIB

# The kernel's format, with cards that nobody in the samples has.
W6600 = {
    "vendor": "0x1002\n",
    "device": "0x73e3\n",
    "revision": "0x00\n",
    "mem_info_vram_total": "8573157376\n",
    "mem_info_vram_used": "121634816\n",
    "uevent": "DRIVER=amdgpu\nPCI_CLASS=38000\nPCI_ID=1002:73E3\nPCI_SLOT_NAME=0000:83:00.0\nMODALIAS=pci:v1\n",
}


def here(folder: Path) -> Roots:
    """A machine whose sysfs is in a folder, without processes."""
    return Roots(folder, folder / "proc", folder / "dev")


def card(sysfs: Path, number: int, slot: str = "0000:83:00.0", **files: str) -> Path:
    folder = sysfs / f"class/drm/card{number}/device"
    folder.mkdir(parents=True)
    for name, text in {**W6600, **files}.items():
        (folder / name).write_text(text.replace("0000:83:00.0", slot))
    return folder


# Catalogue -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "gib", "gfx"),
    [
        ("w6600", 8, "gfx1032"),
        ("mi100", 32, "gfx908"),
        ("mi250", 64, "gfx90a"),
        ("mi250x", 64, "gfx90a"),
        ("mi210", 64, "gfx90a"),
        ("mi300x", 192, "gfx942"),
        ("w7900", 48, "gfx1100"),
        ("w7800", 32, "gfx1100"),
        ("w6800", 32, "gfx1030"),
        ("rx7900xtx", 24, "gfx1100"),
        ("r9700", 32, "gfx1201"),
        ("mi50", 16, "gfx906"),
    ],
)
def test_catalogue_cards_have_their_makers_memory(name: str, gib: int, gfx: str) -> None:
    device = find_device(name)
    assert (device.vram_bytes, device.gfx, device.kind, device.is_here) == (gib * GIB, gfx, "catalogue", False)


def test_a_card_of_two_dies_says_so() -> None:
    assert "one of 2 dies" in find_device("mi250").name
    assert "dies" not in find_device("mi210").name


@pytest.mark.parametrize(("name", "gib"), [("8060s-128", 64), ("Radeon 8050S with 32 GiB of RAM", 16), ("mi300a", 128)])
def test_an_apu_is_planned_with_half_of_ram_or_its_own_memory(name: str, gib: int) -> None:
    device = find_device(name)
    assert (device.vram_bytes, device.integrated) == (gib * GIB, True)
    assert not find_device("w7900").integrated


def test_an_apu_without_a_size_of_ram_is_asked_for_it() -> None:
    with pytest.raises(BadInputError, match=r"an APU, whose memory is its machine's; say .* RAM: 8060s-32,"):
        find_device("8060S")
    with pytest.raises(BadInputError, match="run on it, where it is found by its index"):
        find_device("Radeon 780M (Ryzen 7 7840U / Ryzen 9 270)")


@pytest.mark.parametrize("name", ["W6600", "AMD Radeon PRO W6600", "radeon pro w6600", " w6600 ", "Radeon-PRO W6600"])
def test_a_card_has_many_spellings(name: str) -> None:
    assert find_device(name).key == "w6600"


def test_every_catalogue_card_is_found_by_key_and_name() -> None:
    cards = catalogue()
    assert len({device.key for device in cards}) == len(cards) > 50
    for device in cards:
        assert find_device(device.key) == device
        assert find_device(device.name) == device


def test_the_kernel_of_every_catalogue_card_is_known() -> None:
    assert [device.key for device in catalogue() if "is known for" in auto_attention(device).note] == []


@pytest.mark.parametrize("name", ["", "w66000", "nvidia", "-1", "3.5", "cpu0", "---", "ＷＷ"])
def test_unknown_devices_are_refused_with_names_that_exist(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(find, "local_gpus", lambda roots: ())
    with pytest.raises(BadInputError, match="catalogue name such as") as caught:
        find_device(name)
    offered = str(caught.value).rsplit("such as ", maxsplit=1)[1].split(", ")
    assert all(find_device(key) for key in offered)


def test_an_index_without_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(find, "local_gpus", lambda roots: ())
    with pytest.raises(BadInputError, match=r"there is no GPU 0 here \(0 found\)"):
        find_device("0")
    assert find_device("auto").key == find_device("CPU").key == "cpu"


# The driver's files ----------------------------------------------------------------------------------------------


def test_a_card_is_read_from_the_drivers_files(tmp_path: Path) -> None:
    card(tmp_path, 0)
    (device,) = local_gpus(here(tmp_path))
    assert (device.key, device.name, device.gfx) == ("0", "Radeon PRO W6600", "gfx1032")
    assert (device.vram_bytes, device.vram_used_bytes) == (8_573_157_376, 121_634_816)
    assert (device.pci_bus_id, device.kind, device.is_here) == ("0000:83:00.0", "gpu", True)
    assert "driver" in device.source


def test_cards_are_counted_in_pci_order_and_connectors_are_not_cards(tmp_path: Path) -> None:
    card(tmp_path, 0, "0000:c3:00.0")
    card(tmp_path, 1, "0000:0a:00.0", device="0x7448\n", mem_info_vram_total="51522830336\n")
    (tmp_path / "class/drm/card1-DP-1/device").mkdir(parents=True)
    (tmp_path / "class/drm/renderD128/device").mkdir(parents=True)
    (tmp_path / "class/drm/version").write_text("drm 1.1.0 20060810\n")
    assert [(d.key, d.name) for d in local_gpus(here(tmp_path))] == [
        ("0", "Radeon PRO W7900"),
        ("1", "Radeon PRO W6600"),
    ]


def test_a_local_index_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    card(tmp_path, 3)
    gpus = local_gpus(here(tmp_path))
    monkeypatch.setattr(find, "local_gpus", lambda roots: gpus)
    assert find_device("0") == find_device("auto") == gpus[0]
    with pytest.raises(BadInputError, match="1 found"):
        find_device("1")


@pytest.mark.parametrize(
    ("device", "revision", "total", "name"),
    [
        ("0x66a1", "0x02", 17_163_091_968, "Instinct MI50 (16GB)"),
        ("0x7590", "0xc0", 17_095_983_104, "Radeon RX 9060 XT"),
        ("0x7590", "0xc0", 8_573_157_376, "Radeon RX 9060 XT 8 GB"),
        ("0x7550", "0xc2", 12_868_124_672, "Radeon RX 9070 GRE (12 GiB variant)"),
        ("0x744c", "0xc8", 25_753_026_560, "Radeon RX 7900 XTX"),
        ("0x744C", "0xCC", 21_458_059_264, "Radeon RX 7900 XT"),
    ],
)
def test_cards_that_share_an_id_are_told_apart_by_revision_and_memory(
    tmp_path: Path, device: str, revision: str, total: int, name: str
) -> None:
    card(tmp_path, 0, device=f"{device}\n", revision=f"{revision}\n", mem_info_vram_total=f"{total}\n")
    assert [found.name for found in local_gpus(here(tmp_path))] == [name]


def test_a_card_that_is_in_no_catalogue_is_still_a_gpu(tmp_path: Path) -> None:
    card(tmp_path, 0, device="0xffff\n", product_name="Prototype\n")
    (device,) = local_gpus(here(tmp_path))
    assert (device.name, device.gfx) == ("Prototype", None)
    assert auto_attention(device).attention == "math"


@pytest.mark.parametrize(
    "files",
    [
        {"vendor": "0x10de\n"},
        {"vendor": "", "uevent": "DRIVER=amdgpu\nPCI_SLOT_NAME=0000:83:00.0\n"},
        {"mem_info_vram_total": ""},
        {"mem_info_vram_total": "N/A\n"},
        {"mem_info_vram_total": "-1\n"},
        {"mem_info_vram_total": "0x1fffff\n"},
        {"uevent": "DRIVER=amdgpu\n"},
        {"uevent": ""},
    ],
)
def test_a_card_whose_files_are_garbled_is_left_out(tmp_path: Path, files: dict[str, str]) -> None:
    card(tmp_path, 0, "0000:01:00.0", **files)
    card(tmp_path, 1)
    assert [device.pci_bus_id for device in local_gpus(here(tmp_path))] == ["0000:83:00.0"]


def test_the_ids_of_uevent_stand_in_for_missing_files(tmp_path: Path) -> None:
    folder = card(tmp_path, 0)
    (folder / "vendor").unlink()
    (folder / "device").unlink()
    assert [device.name for device in local_gpus(here(tmp_path))] == ["Radeon PRO W6600"]


def test_a_file_that_cannot_be_read_is_a_missing_one(tmp_path: Path) -> None:
    folder = card(tmp_path, 0, mem_info_vram_used="unknown\n")
    (folder / "revision").unlink()
    (folder / "revision").mkdir()  # reading it is an OSError, for root too
    (device,) = local_gpus(here(tmp_path))
    assert (device.vram_used_bytes, device.gfx) == (None, None)
    (folder / "mem_info_vram_total").unlink()
    assert local_gpus(here(tmp_path)) == ()


def test_no_driver_means_no_gpus(tmp_path: Path) -> None:
    assert local_gpus(here(tmp_path)) == ()


@settings(deadline=None, max_examples=50)
@given(st.dictionaries(st.sampled_from(sorted(W6600)), st.binary(max_size=40)))
def test_whatever_the_files_hold_listing_never_fails(files: dict[str, bytes]) -> None:
    with tempfile.TemporaryDirectory() as sysfs:
        folder = card(Path(sysfs), 0)
        for name, content in files.items():
            (folder / name).write_bytes(content)
        assert all(device.vram_bytes >= 0 for device in local_gpus(here(Path(sysfs))))


# Pool and overhead -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("vram", "default", "largest"),
    [
        (8 * GIB, 6553 * MIB, 7 * GIB),  # 80 % is 6553.6 MiB
        (192 * GIB, 157_286 * MIB, 191 * GIB),
        (4 * GIB, 3 * GIB, 3 * GIB),  # 80 % would leave the driver less than 1 GiB
        (GIB, 0, 0),
        (512 * MIB, 0, 0),
    ],
)
def test_the_pool_is_80_percent_and_leaves_the_driver_a_gib(vram: int, default: int, largest: int) -> None:
    device = Device(key="x", name="X", kind="catalogue", vram_bytes=vram, source="a test")
    assert (device.default_pool_bytes, device.max_pool_bytes) == (default, largest)
    assert device.pool_bytes(Levers()) == default


def test_the_largest_pool_is_allowed_and_a_byte_more_is_not() -> None:
    device = find_device("w6600")
    assert device.pool_bytes(Levers(pool_bytes=7 * GIB)) == 7 * GIB
    with pytest.raises(BadInputError, match=r"8\.00 GiB.*1\.00 GiB must stay free.*at most 7\.00 GiB"):
        device.pool_bytes(Levers(pool_bytes=7 * GIB + 1))


@given(st.integers(0, 2**40))
def test_no_default_pool_is_beyond_the_largest(vram: int) -> None:
    device = Device(key="x", name="X", kind="gpu", vram_bytes=vram, source="a test")
    assert 0 <= device.default_pool_bytes <= device.max_pool_bytes <= vram
    assert device.default_pool_bytes <= 0.8 * vram


def test_the_overhead_is_what_rocm_documents_plus_an_assumed_context() -> None:
    # 140 MiB scratch + 32 MiB hipBLAS (128 on MI300 and later) + 76 MiB hipBLASLt; the context is assumed 600 MiB.
    assert find_device("w6600").overhead_range_bytes == (248 * MIB, 848 * MIB)
    assert find_device("mi300x").overhead_range_bytes == (344 * MIB, 944 * MIB)
    assert find_device("w6600").overhead_bytes == 848 * MIB
    assert find_device("w6600").outside_torch_bytes == 740 * MIB


def test_the_cpu_stand_in_is_no_gpu() -> None:
    cpu = cpu_device()
    assert (cpu.is_gpu, cpu.is_here, cpu.overhead_bytes, cpu.outside_torch_bytes) == (False, True, 0, 0)
    assert "not a GPU" in cpu.source


# Attention -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "attention", "needs_variable"),
    [
        ("w6600", "math", False),  # gfx1032
        ("w6800", "math", False),  # gfx1030
        ("mi50", "math", False),  # gfx906
        ("mi100", "math", False),  # gfx908
        ("mi210", "flash", False),  # gfx90a
        ("mi300x", "flash", False),  # gfx942
        ("w7900", "flash", False),  # gfx1100
        ("r9700", "flash", False),  # gfx1201
        ("w7600", "flash", True),  # gfx1102
        ("rx9060xt", "flash", True),  # gfx1200
        ("cpu", "flash", False),
    ],
)
def test_the_kernel_a_device_gets(name: str, attention: str, needs_variable: bool) -> None:
    choice = auto_attention(find_device(name))
    assert (choice.attention, choice.needs_variable) == (attention, needs_variable)
    expected = ("TORCH_ROCM_AOTRITON_ENABLE_EXPERIMENTAL", "1") if needs_variable else None
    assert choice.variable == expected
