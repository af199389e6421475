"""Runs as files: what is kept is what is read, as far as the file goes, and nothing else is believed."""

import gzip
import json
import resource
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vramtuner.core.device.spec import Device
from vramtuner.core.errors import BadInputError, CancelledError
from vramtuner.core.model.find import load_preset
from vramtuner.core.probe.protocol import Event, PassResult, PassStarted, Progress, Refusal, Samples
from vramtuner.core.runs import Header, RunWriter, export_csv, export_parquet, new_path, new_writer, read_run
from vramtuner.core.settings import Levers
from vramtuner.core.units import GIB

HEADER = Header(
    created="2026-12-03T04:05:06+01:00",
    spec=load_preset("gpt2"),
    device=Device(key="cpu", name="CPU stand-in", kind="cpu", vram_bytes=8 * GIB, source="a test"),
    levers=Levers(pool_bytes=GIB, margin=0.0),
    pool_bytes=GIB,
    versions={"torch": "2.13.0"},
    forecast_bytes={64: 300_000_000, 128: 310_000_000},
)
EVENTS: tuple[Event, ...] = (
    Progress(1, "Loading the weights", 0.0),
    Samples(1, [0.1, 0.2], [10, 20], [10, 20], [1000, 1001], [7, 8]),
    PassStarted(1, 64, 0.25),
    Samples(1, [0.3], [300], [310], [1002]),
    PassResult(1, 64, "ok", 300, 10, 0.2),
    PassStarted(1, 128, 0.5),
    Samples(1, [0.6], [400], [410], [1003]),
    PassResult(1, 128, "out_of_memory", 400, 10, 0.2, "Tried to allocate 1 KiB", refusal=Refusal(1024, 500, 900, 400)),
)


def write(path: Path, *, complete: bool = True) -> Path:
    writer = RunWriter(path, HEADER)
    for event in EVENTS:
        writer.keep(event)
    writer.close(complete=complete)
    return path


def test_what_was_kept_is_read(tmp_path: Path) -> None:
    run = read_run(write(tmp_path / "a.vramrun"))
    assert (run.header, tuple(run.events()), run.complete) == (HEADER, EVENTS, True)
    assert [result.tokens for result in run.passes] == [64, 128]


def test_a_run_that_was_stopped_says_so(tmp_path: Path) -> None:
    assert not read_run(write(tmp_path / "a.vramrun", complete=False)).complete


def test_everything_up_to_a_kill_can_be_read(tmp_path: Path) -> None:
    script = """
import os, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
import test_runs
writer = test_runs.RunWriter(Path(sys.argv[1]), test_runs.HEADER)
for event in test_runs.EVENTS:
    writer.keep(event)
os.kill(os.getpid(), 9)
"""
    path = tmp_path / "a.vramrun"
    folder = str(Path(__file__).parent)
    assert subprocess.run([sys.executable, "-c", script, str(path), folder], check=False).returncode == -9
    run = read_run(path)
    assert (tuple(run.events()), run.complete) == (EVENTS, False)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.data())
def test_a_file_that_was_cut_or_changed_gives_a_beginning_or_one_line(tmp_path: Path, data: st.DataObject) -> None:
    path = tmp_path / "whole.vramrun"
    if not path.exists():
        write(path)
    whole = path.read_bytes()
    cut = data.draw(st.integers(0, len(whole)))
    changed = bytearray(whole[:cut])
    for place in data.draw(st.lists(st.integers(0, max(cut - 1, 0)), max_size=3)) if cut else ():
        changed[place] ^= data.draw(st.integers(1, 255))
    other = tmp_path / "other.vramrun"
    other.write_bytes(bytes(changed))
    try:
        run = read_run(other)
    except BadInputError as error:
        assert len(str(error).splitlines()) == 1
        return
    assert len(tuple(run.events())) <= len(EVENTS)


@pytest.mark.parametrize("text", [b"", b"{}", b"[1]\n", b'{"format": 9}\n', b"\x00" * 100, b'{"type":"end"}\n'])
def test_other_files_are_refused_in_a_line(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "a.vramrun"
    for data in (text, gzip.compress(text)):
        path.write_bytes(data)
        with pytest.raises(BadInputError) as caught:
            read_run(path)
        assert len(str(caught.value).splitlines()) == 1


def test_a_newer_format_is_named(tmp_path: Path) -> None:
    import msgspec

    path = tmp_path / "a.vramrun"
    path.write_bytes(gzip.compress(msgspec.json.encode(msgspec.structs.replace(HEADER, format=2)) + b"\n"))
    with pytest.raises(BadInputError, match="format 2"):
        read_run(path)


def test_a_full_disk_ends_the_keeping_and_not_the_run(tmp_path: Path) -> None:
    path = tmp_path / "a.vramrun"
    script = """
import resource, signal, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
import test_runs
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))
writer = test_runs.RunWriter(Path(sys.argv[1]), test_runs.HEADER)
import random
for number in range(400):
    writer.keep(test_runs.Samples(1, [random.random()] * 5, [random.randrange(2**40)] * 5, [1] * 5, [1] * 5))
writer.close(complete=True)
print(writer.problem)
"""
    folder = str(Path(__file__).parent)
    done = subprocess.run(
        [sys.executable, "-c", script, str(path), folder], check=True, capture_output=True, text=True
    ).stdout
    assert "no longer kept" in done
    assert len(tuple(read_run(path).events())) > 5
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != 8192


def test_a_run_is_never_written_over_another(tmp_path: Path) -> None:
    first = write(new_path(HEADER, tmp_path))
    second = new_path(HEADER, tmp_path)
    assert first.name == "20261203040506-GPT-2-cpu.vramrun"
    assert second != first
    with pytest.raises(BadInputError, match="cannot be kept"):
        RunWriter(first, HEADER)


def test_readings_as_comma_separated_values(tmp_path: Path) -> None:
    export_csv(read_run(write(tmp_path / "a.vramrun")), tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text().splitlines() == [
        "seconds,allocated_bytes,reserved_bytes,process_bytes,device_bytes,pass_tokens",
        "0.1,10,10,1000,7,",
        "0.2,20,20,1001,8,",
        "0.3,300,310,1002,0,64",
        "0.6,400,410,1003,0,128",
    ]


def test_readings_as_a_parquet_file(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    export_parquet(read_run(write(tmp_path / "a.vramrun")), tmp_path / "a.parquet")
    table = parquet.read_table(tmp_path / "a.parquet").to_pydict()
    assert table["allocated_bytes"] == [10, 20, 300, 400]
    assert table["pass_tokens"] == [None, None, 64, 128]


def test_a_run_without_readings_is_exported_empty(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    RunWriter(tmp_path / "a.vramrun", HEADER).close(complete=True)
    run = read_run(tmp_path / "a.vramrun")
    export_csv(run, tmp_path / "a.csv")
    export_parquet(run, tmp_path / "a.parquet")
    assert len((tmp_path / "a.csv").read_text().splitlines()) == 1


def lines_of(path: Path, *lines: bytes, header: bytes = msgspec.json.encode(HEADER)) -> Path:
    """A run's file of any lines after its header."""
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(b"\n".join((header, *lines, b"")))
    return path


GOOD = msgspec.json.encode(EVENTS[1])


@pytest.mark.parametrize(
    "line",
    [
        b'{"type":"samples","id":1,"seconds":[0.1],"allocated":[1%s],"reserved":[1],"process":[1]}' % (b"0" * 400),
        b'{"type":"samples","id":1,"seconds":[0.1],"allocated":[1],"reserved":[9223372036854775808],"process":[1]}',
        b'{"type":"samples","id":1,"seconds":[1e308],"allocated":[1],"reserved":[1],"process":[1]}',
        b'{"type":"phase","id":1,"phase":"load","seconds":1e308}',
        b'{"type":"phase","id":1,"phase":"load","seconds":-1}',
        b'{"type":"pass_started","id":1,"tokens":1%s,"seconds":0.5}' % (b"0" * 30),
    ],
)
def test_numbers_that_no_pass_has_end_a_run(tmp_path: Path, line: bytes) -> None:
    run = read_run(lines_of(tmp_path / "a.vramrun", GOOD, line, GOOD))
    assert (tuple(run.events()), run.complete) == ((EVENTS[1],), False)
    export_parquet(run, tmp_path / "a.parquet")


@pytest.mark.parametrize("where", ["pool_bytes", "vram_bytes", "max_positions", "forecast_bytes"])
def test_a_header_with_numbers_that_nothing_has_is_none(tmp_path: Path, where: str) -> None:
    facts = msgspec.to_builtins(HEADER, str_keys=True)
    huge = 10**400
    facts["pool_bytes"] = huge if where == "pool_bytes" else GIB
    facts["device"]["vram_bytes"] = huge if where == "vram_bytes" else GIB
    facts["spec"]["max_positions"] = huge if where == "max_positions" else 1024
    facts["forecast_bytes"] = {"64": huge} if where == "forecast_bytes" else {}
    with pytest.raises(BadInputError, match="not the file of a run"):
        read_run(lines_of(tmp_path / "a.vramrun", header=json.dumps(facts).encode()))


def test_events_without_end_are_read_in_little_memory_and_time(tmp_path: Path) -> None:
    mark = b'{"type":"phase","id":1,"phase":"load","seconds":1}'
    run = read_run(lines_of(tmp_path / "marks.vramrun", GOOD, *[mark] * 300_000))
    assert len(run.marks) <= 10_000
    assert sum(1 for _ in run.events()) <= 10_001
    long = b'{"type":"progress","id":1,"fraction":0.5,"stage":"%s"}' % (b"x" * 3_000_000)
    run = read_run(lines_of(tmp_path / "words.vramrun", GOOD, *[long] * 40))
    assert sum(len(getattr(event, "stage", "")) for event in run.marks) <= 2**25
    column = b"[%s]" % b",".join([b"1"] * 2_000_000)
    line = b'{"type":"samples","id":1,"seconds":%b,"allocated":%b,"reserved":%b,"process":%b}' % ((column,) * 4)
    assert sum(1 for _ in read_run(lines_of(tmp_path / "line.vramrun", GOOD, line)).samples()) == 2


def test_reading_and_export_can_be_stopped(tmp_path: Path) -> None:
    path = write(tmp_path / "a.vramrun")

    def stop() -> None:
        raise CancelledError("cancelled")

    with pytest.raises(CancelledError):
        read_run(path, check=stop)
    for export in (export_csv, export_parquet):
        with pytest.raises(CancelledError):
            export(read_run(path), tmp_path / "out", check=stop)
    assert sorted(tmp_path.iterdir()) == [path]


def test_runs_of_the_same_second_are_all_kept(tmp_path: Path) -> None:
    with ThreadPoolExecutor(16) as pool:
        writers = list(pool.map(lambda _: new_writer(HEADER, tmp_path), range(64)))
    for writer in writers:
        writer.close(complete=True)
    assert len(list(tmp_path.iterdir())) == len({writer.path for writer in writers}) == 64
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInputError):
        new_writer(HEADER, tmp_path / "file")
