"""Export from the command line: validated in a fresh process under what the file contains, whole or not at all."""

import json
import resource
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from vramtuner.core.deploy.envfile import parse
from vramtuner.core.deploy.export import export
from vramtuner.core.device.find import cpu_device, find_device
from vramtuner.core.errors import BadInputError, CancelledError
from vramtuner.core.forecast import Forecast, forecast
from vramtuner.core.model.find import find_model, load_preset
from vramtuner.core.probe.client import Probe
from vramtuner.core.probe.protocol import Event, PassStarted
from vramtuner.core.recording import get_tape
from vramtuner.core.request import tape_key
from vramtuner.core.settings import Levers
from vramtuner.core.tape.store import find_tape
from vramtuner.core.units import MIB

COMMAND = [sys.executable, "-m", "vramtuner.core"]


def run(*arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, timeout=240, **options)  # type: ignore[call-overload,no-any-return]


def plan(folder: Path, levers: Levers) -> Forecast:
    spec, device = find_model(str(folder)), cpu_device()
    probe = Probe()
    tape = get_tape(spec, tape_key(spec, device, levers), probe)
    probe.close()
    return forecast(spec, device, levers, tape)


def test_model_folder_in_validated_file_out(tiny_llama: Path, tmp_path: Path) -> None:
    target = tmp_path / "deploy.env"
    done = run(
        "export",
        str(tiny_llama),
        "--device",
        "cpu",
        "--tokens",
        "512",
        "--pool",
        "64MiB",
        "--validate",
        "--lengths",
        "100,600",
        "-o",
        str(target),
    )
    assert done.returncode == 0, done.stderr
    # Before and after: only what differs, and what it does.
    (pool,) = [line.split() for line in done.stderr.splitlines() if line.startswith("Pool")]
    assert pool[-4:-2] == ["64.0", "MiB"]
    assert not any(line.startswith("Batch") for line in done.stderr.splitlines())
    assert done.stdout.strip() == str(target)
    variables = parse(target.read_text())
    assert variables["HIP_FORCE_MEMORY_POOL_SIZE"] == "64MiB"
    assert variables["HIP_MAX_CONTEXT_TOKENS"] == "512"
    assert variables["VRAMTUNER_VALIDATION"] == "passed"
    records = [record.split(":") for record in variables["VRAMTUNER_VALIDATED_PASSES"].split(",")]
    assert [(tokens, outcome) for tokens, outcome, _ in records] == [
        ("100", "ok"), ("256", "ok"), ("512", "ok"), ("600", "refused"), ("768", "refused"),
    ]  # fmt: skip
    assert all(0 < int(peak) <= 64 * MIB for _, outcome, peak in records if outcome == "ok")
    assert "Requested context (768 tokens) exceeds the safe limit of 512 tokens" in done.stderr
    assert "out of memory" not in done.stderr.lower()
    assert [path.name for path in tmp_path.iterdir()] == ["deploy.env"]
    assert target.stat().st_mode & 0o777 == 0o644


def test_a_failed_validation_writes_nothing(tiny_llama: Path, tmp_path: Path) -> None:
    target = tmp_path / "deploy.env"
    # The weights fit this pool, 2,048 tokens of eager attention do not.
    done = run(
        "export", str(tiny_llama), "--device", "cpu", "--tokens", "2048", "--pool", "16MiB",
        "--attention", "eager", "--validate", "-o", str(target),
    )  # fmt: skip
    assert done.returncode == 1
    assert "validation failed, nothing was written" in done.stderr
    assert "Tried to allocate" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_person_who_insists_gets_a_file_that_says_so(tiny_llama: Path, tmp_path: Path) -> None:
    target = tmp_path / "deploy.env"
    failing = plan(tiny_llama, Levers(token_cap=2048, pool_bytes=16 * MIB, attention="eager"))
    result = export(failing, target, validated=True, insist=True)
    assert result.report is not None
    assert not result.report.passed
    assert parse(target.read_text())["VRAMTUNER_VALIDATION"] == "not-validated"
    assert "NOT VALIDATED" in target.read_text()


def test_a_card_that_is_not_here_is_exported_as_not_validated(tmp_path: Path) -> None:
    spec, device, levers = load_preset("mistral-7b"), find_device("w7900"), Levers(token_cap=2048)
    tape = find_tape(spec, tape_key(spec, device, levers))
    assert tape is not None
    result = forecast(spec, device, levers, tape)
    export(result, tmp_path / "w7900.env", validated=False)
    assert parse((tmp_path / "w7900.env").read_text())["VRAMTUNER_VALIDATION"] == "not-validated"
    with pytest.raises(BadInputError, match="is not in this machine"):
        export(result, tmp_path / "other.env", validated=True)
    assert not (tmp_path / "other.env").exists()


def test_the_validated_process_has_exactly_the_exported_environment(tiny_llama: Path, tmp_path: Path) -> None:
    """Read from the kernel while the passes run: every variable of the file is in the probe's own environment."""
    seen: dict[str, str] = {}
    probe = Probe()

    def look(event: Event) -> None:
        if isinstance(event, PassStarted) and probe.pid and not seen:
            seen.update(psutil.Process(probe.pid).environ())

    export(
        plan(tiny_llama, Levers(token_cap=300, pool_bytes=40 * MIB)), tmp_path / "e.env",
        validated=True, on_event=look, probe=probe,
    )  # fmt: skip
    written = parse((tmp_path / "e.env").read_text())
    # Only the validation's own record is added afterwards.
    same = {
        name: value
        for name, value in written.items()
        if not name.startswith(("VRAMTUNER_VALID", "VRAMTUNER_CHECKS", "VRAMTUNER_LINES"))
    }
    assert len(same) > 10
    assert {name: seen.get(name) for name in same} == same


def test_cancelled_half_way_keeps_the_old_file(tiny_llama: Path, tmp_path: Path) -> None:
    target = tmp_path / "deploy.env"
    export(plan(tiny_llama, Levers(token_cap=64)), target, validated=False)
    before = target.read_bytes()
    probe = Probe()

    def stop(event: Event) -> None:
        if isinstance(event, PassStarted):
            probe.cancel()

    with pytest.raises(CancelledError):
        export(plan(tiny_llama, Levers(token_cap=2048)), target, validated=True, on_event=stop, probe=probe)
    assert target.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["deploy.env"]
    assert probe.pid is None


def test_interrupt_from_the_terminal_leaves_nothing_behind(tmp_path: Path) -> None:
    target = tmp_path / "deploy.env"
    process = subprocess.Popen(
        [*COMMAND, "export", "gpt2", "--device", "cpu", "--tokens", "1024", "--validate", "-o", str(target)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        # A test run in the background inherits an ignored SIGINT; a terminal's programs do not.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    me = psutil.Process(process.pid)
    while process.poll() is None and not me.children():
        pass
    children = me.children()
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 130
    assert stderr.strip() == "vramtuner: cancelled; nothing was written"
    psutil.wait_procs(children, timeout=30)
    assert not any(child.is_running() for child in children)
    assert list(tmp_path.iterdir()) == []


def test_disk_full_keeps_the_old_file(tiny_llama: Path, tmp_path: Path) -> None:
    """A write that the kernel stops half-way: the file size limit acts as a disk that is full."""
    target = tmp_path / "deploy.env"
    export(plan(tiny_llama, Levers(token_cap=64)), target, validated=False)
    before = target.read_bytes()

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512))

    done = run("export", str(tiny_llama), "--device", "cpu", "--tokens", "128", "-o", str(target), preexec_fn=limit)
    assert done.returncode == 2
    assert len(done.stderr.strip().splitlines()) == 1
    assert "cannot be written" in done.stderr
    assert target.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["deploy.env"]


@pytest.mark.parametrize("target", ["/proc/deploy.env", "/nonexistent/folder/deploy.env"])
def test_a_folder_that_cannot_be_written_is_one_line(tiny_llama: Path, target: str) -> None:
    done = run("export", str(tiny_llama), "--device", "cpu", "--tokens", "64", "-o", target)
    assert done.returncode == 2
    assert len(done.stderr.strip().splitlines()) == 1
    assert not Path(target).exists()


def test_a_file_of_somebody_else_is_never_overwritten(tiny_llama: Path, tmp_path: Path) -> None:
    target = tmp_path / "notes.txt"
    target.write_text("mine\n")
    done = run("export", str(tiny_llama), "--device", "cpu", "--tokens", "64", "-o", str(target))
    assert done.returncode == 2
    assert "not a vramtuner deployment file" in done.stderr
    assert target.read_text() == "mine\n"


def test_profile_prints_events_as_json_lines(tiny_gpt2: Path) -> None:
    done = run("profile", str(tiny_gpt2), "--device", "cpu", "--lengths", "16,32", "--json-lines")
    assert done.returncode == 0, done.stderr
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(event["tokens"], event["outcome"]) for event in events if event["type"] == "pass"] == [
        (16, "ok"),
        (32, "ok"),
    ]
    assert {"progress", "samples", "pass_started"} <= {event["type"] for event in events}


def test_profile_beyond_a_learned_position_table_is_refused(tiny_gpt2: Path) -> None:
    done = run("profile", str(tiny_gpt2), "--device", "cpu", "--lengths", "4096")
    assert done.returncode == 2
    assert "has 1,024 positions" in done.stderr


def test_a_cap_beyond_a_learned_position_table_is_refused_before_any_pass(tiny_gpt2: Path, tmp_path: Path) -> None:
    done = run(
        "export", str(tiny_gpt2), "--device", "cpu", "--tokens", "2000", "--validate", "-o", str(tmp_path / "e.env")
    )
    assert done.returncode == 2
    assert "has 1,024 positions; 2,000 tokens cannot run" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_pass_that_no_machine_could_give_memory_for_is_a_result(tiny_llama: Path) -> None:
    done = run("profile", str(tiny_llama), "--device", "cpu", "--lengths", "16,90000000,16", "--batch", "64")
    assert done.returncode == 1, done.stderr
    outcomes = [line.split("tokens", 1)[1].split()[0] for line in done.stdout.splitlines()]
    assert outcomes == ["measured", "out", "measured"]
    assert "Traceback" not in done.stderr


def test_output_that_cannot_be_written_is_one_line() -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*COMMAND, "forecast", "gpt2", "--device", "cpu", "--json"],
            stdout=full, stderr=subprocess.PIPE, text=True, timeout=60,
        )  # fmt: skip
    assert done.returncode == 2
    assert len(done.stderr.strip().splitlines()) == 1


def test_without_torch_passes_say_how_to_get_it(tmp_path: Path) -> None:
    """A Python that cannot find torch, in a process of its own: the import system is told that there is none."""
    code = (
        "import sys, importlib.util as u; real = u.find_spec\n"
        "u.find_spec = lambda name, *a: None if name == 'torch' else real(name, *a)\n"
        "from vramtuner.core.cli import main; sys.argv = ['vramtuner', *sys.argv[1:]]; main()"
    )
    for words in (["profile", "gpt2"], ["export", "gpt2", "--validate", "-o", str(tmp_path / "e.env")]):
        done = subprocess.run(
            [sys.executable, "-c", code, *words, "--device", "cpu"], capture_output=True, text=True, timeout=60
        )
        assert done.returncode == 2
        assert len(done.stderr.strip().splitlines()) == 1
        assert "make run TORCH=cpu" in done.stderr
