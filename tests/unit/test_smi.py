"""The optional amdsmi package: absent, broken, and what of an answer is taken."""

import sys
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vramtuner.core.device.smi import SmiFacts, ask_smi, complete, fill_gaps, is_installed, parse_answer
from vramtuner.core.device.spec import Device, Heaps

GIB = 2**30
SLOT = "0000:03:00.0"
BARE = Device(
    key="0", name="AMD GPU", kind="gpu", vram_bytes=8 * GIB, source="read from KFD", pci_bus_id=SLOT,
    heaps=Heaps(vram_total_bytes=8 * GIB),
)  # fmt: skip
KNOWN = msgspec.structs.replace(BARE, name="Radeon PRO W6800", vram_used_bytes=GIB)


def package(folder: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """Another amdsmi before any that is installed, for this process and its children."""
    (folder / "amdsmi.py").write_text(text)
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setenv("PYTHONPATH", str(folder))
    monkeypatch.delitem(sys.modules, "amdsmi", raising=False)


@pytest.mark.skipif(is_installed(), reason="amdsmi is installed here")
def test_without_the_package_nothing_is_known_and_nothing_fails() -> None:
    assert ask_smi() == ()
    assert complete((BARE, KNOWN)) == (BARE, KNOWN)


@pytest.mark.parametrize(
    "text",
    [
        "print('Unable to find the library')\nraise KeyError('libamd_smi.so')",
        "raise SystemExit(0)",
        "import os; os.abort()",
        'print(\'[{"slot": "0000:03:00.0", "name": "printed, not answered"}]\')',
        "def amdsmi_init(): raise BaseException('no driver')",
        "import time; time.sleep(60)",
    ],
    ids=["library missing", "exit", "crash", "prints", "no driver", "hangs"],
)
def test_a_package_that_does_not_work_is_as_good_as_absent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], text: str
) -> None:
    package(tmp_path, monkeypatch, text)
    assert is_installed()
    assert ask_smi(timeout=2.0 if "sleep" in text else 60.0) == ()
    assert capfd.readouterr() == ("", "")


def test_what_the_package_answers_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The calls and their answers as AMD documents them.
    package(
        tmp_path,
        monkeypatch,
        "class AmdSmiMemoryType: VRAM = 0\n"
        "def amdsmi_init(): print('hello')\n"
        "def amdsmi_get_processor_handles(): return [1, 2]\n"
        "def amdsmi_get_gpu_device_bdf(gpu): return f'0000:0{gpu}:00.0'\n"
        "def amdsmi_get_gpu_asic_info(gpu): return {'market_name': 'AMD Radeon PRO V620'} if gpu == 1 else {}\n"
        "def amdsmi_get_gpu_memory_usage(gpu, kind): return 12345 * gpu\n",
    )
    expected = (SmiFacts("0000:01:00.0", "AMD Radeon PRO V620", 12345), SmiFacts("0000:02:00.0", None, 24690))
    assert ask_smi(60.0) == expected


def test_a_file_in_the_working_directory_is_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = tmp_path / "here"
    here.mkdir()
    (here / "amdsmi.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    package(tmp_path, monkeypatch, "def amdsmi_init(): pass\ndef amdsmi_get_processor_handles(): return []\n")
    monkeypatch.chdir(here)
    assert ask_smi(60.0) == ()
    assert not (tmp_path / "ran").exists()


@given(st.binary(max_size=200))
def test_any_bytes_are_facts_or_nothing(data: bytes) -> None:
    assert all(isinstance(fact, SmiFacts) for fact in parse_answer(data))


_VALUES = st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.text(max_size=100) | st.lists(st.none())


@given(st.lists(st.fixed_dictionaries({"slot": st.just(SLOT) | _VALUES}, optional={"name": _VALUES, "used": _VALUES})))
def test_odd_answers_are_left_out(entries: list[dict[str, object]]) -> None:
    for fact in parse_answer(msgspec.json.encode(_encodable(entries))):
        assert fact.slot == SLOT
        assert fact.name is None or (0 < len(fact.name) <= 80 and fact.name.isprintable())
        assert fact.vram_used_bytes is None or 0 <= fact.vram_used_bytes < 2**63


def _encodable(entries: list[dict[str, object]]) -> list[dict[str, object]]:
    """JSON here has integers of 64 bits only."""
    return [
        {key: str(value) if isinstance(value, int) and abs(value) >= 2**63 else value for key, value in entry.items()}
        for entry in entries
    ]


@pytest.mark.parametrize("name", ["", "N/A", "0x73a3", " \n"])
def test_a_name_that_is_none(name: str) -> None:
    assert parse_answer(msgspec.json.encode([{"slot": SLOT, "name": name}])) == (SmiFacts(SLOT),)


def test_only_what_is_missing_is_filled_in() -> None:
    facts = [SmiFacts(SLOT, "AMD Radeon PRO V620", 2 * GIB)]
    (filled, kept) = fill_gaps((BARE, KNOWN), facts)
    assert (filled.name, filled.vram_used_bytes) == ("AMD Radeon PRO V620", 2 * GIB)
    assert filled.heaps == Heaps(vram_total_bytes=8 * GIB, vram_used_bytes=2 * GIB)
    assert filled.source == "read from KFD; what is used was asked of amdsmi, at most a minute ago"
    assert kept == KNOWN
    assert fill_gaps((BARE,), [SmiFacts("0000:04:00.0", "X", 1)]) == (BARE,)


def test_a_partition_and_an_apu_keep_what_they_have() -> None:
    part = msgspec.structs.replace(BARE, name="P", partitions=8)
    apu = msgspec.structs.replace(BARE, name="A", heaps=Heaps(vram_total_bytes=GIB, allocations="gtt"))
    assert fill_gaps((part, apu), [SmiFacts(SLOT, "X", GIB)]) == (part, apu)
