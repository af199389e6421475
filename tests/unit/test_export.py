"""Export: a file that was validated, or one that says it was not, or none at all."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from vramtuner.core.deploy.envfile import HEADER, levers_from, parse
from vramtuner.core.deploy.export import Export, check_target, export, plan
from vramtuner.core.device.find import find_device
from vramtuner.core.device.spec import Device
from vramtuner.core.errors import BadInputError, CancelledError, ProbeError
from vramtuner.core.forecast import Forecast, forecast
from vramtuner.core.model.find import load_preset
from vramtuner.core.probe.client import Probe
from vramtuner.core.probe.protocol import Event, Outcome, PassResult, Request, Validate
from vramtuner.core.request import tape_key
from vramtuner.core.settings import Levers
from vramtuner.core.tape.store import find_tape
from vramtuner.core.units import GIB
from vramtuner.core.validation import judge, validation_lengths

CPU = Device(key="cpu", name="CPU stand-in", kind="cpu", vram_bytes=64 * GIB, source="a test")
OLD = f"{HEADER}\nan old file\n"


def forecast_of(preset: str, device: Device, **levers: Any) -> Forecast:
    spec, chosen = load_preset(preset), Levers(**levers)
    tape = find_tape(spec, tape_key(spec, device, chosen))
    assert tape is not None
    return forecast(spec, device, chosen, tape)


def result(tokens: int, outcome: Outcome, peak: int = GIB) -> PassResult:
    return PassResult(1, tokens, outcome, 0 if outcome == "refused" else peak, 0, 0.1, message="as it happened")


class FakeProbe:
    """Yields what it is told to, and keeps the environment that it was given."""

    def __init__(self, *events: Event, error: Exception | None = None) -> None:
        self.environment: dict[str, str] | None = None
        self.closed = False
        self._events, self._error = events, error

    def run(self, request_of: Callable[[int], Request]) -> Iterator[Event]:
        assert isinstance(request_of(1), Validate)
        yield from self._events
        if self._error is not None:
            raise self._error

    def close(self) -> None:
        self.closed = True


GOOD = (result(512, "ok"), result(1024, "ok"), result(1536, "refused"))


def run(path: Path, probe: FakeProbe, *, insist: bool = False) -> Export:
    current = forecast_of("gpt2", CPU, token_cap=1024, pool_bytes=2 * GIB)
    return export(current, path, validated=True, probe=cast(Probe, probe), insist=insist)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "deploy.env").write_text(OLD)
    return tmp_path / "deploy.env"


def left_in(path: Path) -> list[str]:
    return sorted(entry.name for entry in path.parent.iterdir())


# Validated -------------------------------------------------------------------------------------------------------


def test_a_file_is_written_when_the_passes_hold(path: Path) -> None:
    probe = FakeProbe(*GOOD)
    done = run(path, probe)
    assert done.path == path
    found = parse(path.read_text())
    assert found["VRAMTUNER_VALIDATION"] == "passed"
    assert found["VRAMTUNER_VALIDATED_ON"] == "CPU_stand-in"
    assert probe.closed


def test_the_passes_run_under_exactly_what_the_file_contains(path: Path) -> None:
    probe = FakeProbe(*GOOD)
    run(path, probe)
    assert probe.environment is not None
    about_the_validation = {name for name in parse(path.read_text()) if name.startswith("VRAMTUNER_VALIDAT")}
    for name, value in parse(path.read_text()).items():
        if name not in about_the_validation | {"VRAMTUNER_LINES", "VRAMTUNER_CHECKSUM"}:
            assert probe.environment[name] == value


@pytest.mark.parametrize(
    "passes",
    [
        (),
        GOOD[:2],
        (*GOOD, *GOOD),
        (result(512, "ok"), result(1024, "out_of_memory"), result(1536, "refused")),
        (result(512, "ok"), result(1024, "refused"), result(1536, "refused")),
        (result(512, "ok"), result(1024, "ok"), result(1536, "ok")),
        (result(512, "ok"), result(1024, "ok"), result(1536, "out_of_memory")),
        (result(512, "ok"), result(1024, "ok", 2 * GIB + 1), result(1536, "refused")),
    ],
)
def test_nothing_is_written_when_they_do_not(path: Path, passes: tuple[PassResult, ...]) -> None:
    done = run(path, FakeProbe(*passes))
    assert done.path is None
    assert done.report is not None
    assert done.report.problem
    assert (path.read_text(), left_in(path)) == (OLD, ["deploy.env"])


def test_a_person_who_insists_gets_a_file_that_says_so(path: Path) -> None:
    done = run(path, FakeProbe(result(512, "out_of_memory")), insist=True)
    assert done.path == path
    assert parse(path.read_text())["VRAMTUNER_VALIDATION"] == "not-validated"
    assert "NOT VALIDATED" in path.read_text()


@pytest.mark.parametrize("error", [CancelledError("stopped"), ProbeError("the probe died")])
def test_an_export_that_is_broken_off_leaves_the_old_file(path: Path, error: Exception) -> None:
    probe = FakeProbe(result(512, "ok"), error=error)
    with pytest.raises(type(error)):
        run(path, probe)
    assert (path.read_text(), left_in(path)) == (OLD, ["deploy.env"])
    assert probe.closed


def test_a_card_that_is_not_here_cannot_be_validated_on(path: Path) -> None:
    with pytest.raises(BadInputError, match="is not in this machine"):
        export(forecast_of("gpt2", find_device("w7900"), token_cap=100), path, validated=True)
    assert path.read_text() == OLD


@pytest.mark.parametrize(
    ("cap", "lengths"), [(4096, (2048, 4096, 6144)), (9472, (4736, 9472, 14_208)), (2, (1, 2, 3)), (1, (1, 2))]
)
def test_validation_is_at_half_all_and_one_and_a_half_times_the_cap(cap: int, lengths: tuple[int, ...]) -> None:
    assert validation_lengths(cap) == lengths


def test_lengths_that_a_person_adds_are_validated_too() -> None:
    assert validation_lengths(2048, (512, 2048, 4000)) == (512, 1024, 2048, 3072, 4000)
    with pytest.raises(BadInputError, match="too many"):
        validation_lengths(2048, range(1, 40))
    passes = (result(100, "ok"), result(512, "ok"), result(1024, "ok"), result(1536, "refused"))
    assert judge(passes, 1024, GIB, (100,)) == ""
    assert "4 passes were run" in judge(passes, 1024, GIB)


def test_the_pool_itself_is_not_over_the_pool() -> None:
    passes = (result(512, "ok"), result(1024, "ok", 5000), result(1536, "refused"))
    assert judge(passes, 1024, GIB) == ""
    assert "1 bytes over the pool" in judge((GOOD[0], result(1024, "ok", GIB + 1), GOOD[2]), 1024, GIB)


# Not validated ---------------------------------------------------------------------------------------------------


def test_a_plan_for_a_card_that_is_not_here_is_written_as_not_validated(tmp_path: Path) -> None:
    current = forecast_of("llama-2-7b", find_device("w7600"), weights="nf4", token_cap=1000)
    done = export(current, tmp_path / "deploy.env", validated=False)
    assert done == Export(tmp_path / "deploy.env", None)
    found = parse((tmp_path / "deploy.env").read_text())
    assert found["VRAMTUNER_VALIDATION"] == "not-validated"
    assert found["TORCH_ROCM_AOTRITON_ENABLE_EXPERIMENTAL"] == "1"
    levers = levers_from(found)
    assert (levers.attention, levers.dtype, levers.weights) == ("flash", "fp16", "nf4")
    assert (levers.pool_bytes, levers.token_cap) == (current.pool_bytes, 1000)


def test_a_plan_that_does_not_fit_is_not_written_unproven(path: Path) -> None:
    current = forecast_of("llama-2-13b", find_device("w6600"))
    with pytest.raises(BadInputError, match="does not fit at all"):
        export(current, path, validated=False)
    assert path.read_text() == OLD


def test_every_auto_is_resolved_in_a_plan() -> None:
    levers = plan(forecast_of("qwen3-8b", find_device("w6800"))).levers
    assert (levers.dtype, levers.attention, levers.token_cap) == ("bf16", "math", 4096)
    assert levers.pool_bytes == find_device("w6800").default_pool_bytes


# Targets ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("content", [b"", b"precious = data\n", b"\x80\x04", b"# vramtuner deployment file, format"])
def test_a_file_that_is_something_else_is_kept(tmp_path: Path, content: bytes) -> None:
    target = tmp_path / "notes"
    target.write_bytes(content)
    with pytest.raises(BadInputError, match="not a vramtuner deployment file"):
        check_target(target)
    assert target.read_bytes() == content


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("no/such/folder/deploy.env", "there is no folder"),
        ("folder", "not a vramtuner deployment file"),
        ("file/deploy.env", "there is no folder"),
        ("n" * 5000 + "/deploy.env", r"cannot be written|there is no folder"),
        ("n" * 300, "cannot be written"),
        ("/proc/deploy.env", "cannot be written"),  # a file system that takes no files, from root neither
        ("/dev/null", "not a vramtuner deployment file"),
        ("/dev/zero", "not a vramtuner deployment file"),
    ],
)
def test_targets_that_cannot_be_written(tmp_path: Path, name: str, says: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInputError, match=says):
        check_target(tmp_path / name)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder"]


def test_a_disk_that_is_full_keeps_the_old_file(path: Path) -> None:
    script = (
        "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024));"
        "from vramtuner.core.cli import main; main()"
    )
    words = ["export", "gpt2", "--device", "w7900", "--tokens", "100", "-o", str(path)]
    done = subprocess.run([sys.executable, "-c", script, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.splitlines() == [f"vramtuner: {path} cannot be written: File too large; choose another folder"]
    assert (path.read_text(), left_in(path)) == (OLD, ["deploy.env"])


def test_looking_whether_a_folder_can_be_written_leaves_other_files_alone(tmp_path: Path) -> None:
    mine = tmp_path / ".deploy.env.trial"
    mine.write_text("mine")
    check_target(tmp_path / "deploy.env")
    assert [path.name for path in tmp_path.iterdir()] == [mine.name]
    assert mine.read_text() == "mine"
