"""Profiles end to end: kept as files, limits confirmed by real passes, calibrations applied; in a real probe."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from vramtuner.core.calibration import forget_calibration, save_calibration
from vramtuner.core.device.find import cpu_device
from vramtuner.core.errors import BadInputError, CancelledError
from vramtuner.core.forecast import Forecast, forecast, measured_error
from vramtuner.core.model.find import find_model
from vramtuner.core.probe.client import Probe
from vramtuner.core.probe.protocol import Event, PassResult, Samples
from vramtuner.core.profiling import (
    calibration_for,
    calibration_of,
    confirm_limit,
    profile_lengths,
    run_profile,
    without_margin,
)
from vramtuner.core.recording import get_tapes
from vramtuner.core.request import phases
from vramtuner.core.runs import read_run
from vramtuner.core.settings import Levers
from vramtuner.core.units import MIB

CPU = cpu_device()


@pytest.fixture(scope="module")
def probe() -> Iterator[Probe]:
    with closing(Probe()) as started:
        yield started


def plan_of(folder: Path, probe: Probe, **levers: object) -> Forecast:
    spec, chosen = find_model(str(folder)), Levers(**levers)  # type: ignore[arg-type] # the levers' own names
    return forecast(spec, CPU, chosen, *get_tapes(spec, phases(spec, CPU, chosen), probe))


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "vramtuner.core", *words], capture_output=True, text=True, timeout=240)


def test_a_profile_is_kept_as_it_came(probe: Probe, tiny_llama: Path, tmp_path: Path) -> None:
    plan = plan_of(tiny_llama, probe, token_cap=300)
    seen: list[Event] = []
    done = run_profile(plan, profile_lengths(plan), probe, on_event=seen.append, folder=tmp_path)
    assert done.path is not None
    kept = read_run(done.path)
    assert list(kept.events()) == seen
    assert (kept.complete, kept.passes, done.problem) == (True, done.passes, "")
    assert done.passes[0].tokens == 1
    assert max(kept.samples(), key=lambda row: row[1])[1] == max(result.peak_bytes for result in done.passes)
    for result in done.passes:
        assert kept.header.forecast_bytes[result.tokens] == plan.tensor_bytes(result.tokens)
        assert abs(measured_error(plan, result.tokens, result.peak_bytes, result.weight_bytes)) <= 0.001
        assert result.reserved_bytes == result.peak_bytes
        assert result.outside_bytes is None  # nothing is outside of the stand-in's count


def test_what_was_run_before_a_cancel_is_kept(tiny_llama: Path, tmp_path: Path) -> None:
    with closing(Probe()) as probe:
        plan = plan_of(tiny_llama, probe, token_cap=300)

        def stop_after_one(event: Event) -> None:
            if isinstance(event, PassResult):
                probe.cancel()

        with pytest.raises(CancelledError):
            run_profile(plan, (64, 30_000, 30_000), probe, on_event=stop_after_one, folder=tmp_path)
    (path,) = tmp_path.iterdir()
    kept = read_run(path)
    assert not kept.complete
    assert [result.tokens for result in kept.passes] == [64]
    assert any(isinstance(event, Samples) for event in kept.events())


def test_a_folder_that_cannot_be_written_stops_no_passes(probe: Probe, tiny_llama: Path, tmp_path: Path) -> None:
    plan = plan_of(tiny_llama, probe, token_cap=300)
    (tmp_path / "file").write_text("")
    done = run_profile(plan, (16,), probe, folder=tmp_path / "file" / "runs")
    assert [result.outcome for result in done.passes] == ["ok"]
    assert done.path is None
    assert "cannot be kept" in done.problem


@pytest.mark.parametrize(
    ("attention", "pool_mib", "levers"),
    [("eager", 20, {}), ("math", 12, {"new_tokens": 3}), ("flash", 11, {"weights": "nf4"})],
)
def test_two_passes_confirm_a_limit(
    probe: Probe, tiny_llama: Path, attention: str, pool_mib: int, levers: dict[str, object]
) -> None:
    plan = plan_of(tiny_llama, probe, attention=attention, pool_bytes=pool_mib * MIB, **levers)
    plan = without_margin(plan)
    found = confirm_limit(plan, lambda lengths: run_profile(plan, lengths, probe, keep=False).passes)
    assert found.is_confirmed, found.text
    assert len(found.passes) == 2
    assert found.passes[1].requested_bytes > 0


def test_a_calibrated_forecast_holds_at_lengths_that_were_not_fitted(probe: Probe, tiny_llama: Path) -> None:
    plan = plan_of(tiny_llama, probe, attention="math")
    done = run_profile(plan, (1, 64, 200, 700), probe, keep=False)
    found = calibration_of(plan, done.passes)
    save_calibration(found)
    try:
        assert calibration_for(CPU, plan.key) == found
        tapes = get_tapes(plan.spec, plan.phases, probe)
        corrected = forecast(plan.spec, CPU, plan.levers, *tapes, calibration=found)
        for result in run_profile(corrected, (33, 450, 1001), probe, keep=False).passes:
            said = corrected.peak_bytes(result.tokens)
            assert abs(said - result.peak_bytes) <= 0.005 * (result.peak_bytes - result.weight_bytes)
        assert "calibrated: " in corrected.method
    finally:
        forget_calibration(found.stack)


def test_too_few_passes_are_no_calibration(probe: Probe, tiny_llama: Path) -> None:
    plan = plan_of(tiny_llama, probe)
    with pytest.raises(BadInputError, match="2 lengths are too few"):
        calibration_of(plan, run_profile(plan, (16, 64), probe, keep=False).passes)


def test_the_command_line_keeps_shows_and_exports_a_run(tiny_gpt2: Path, tmp_path: Path) -> None:
    done = run("profile", str(tiny_gpt2), "--device", "cpu", "--tokens", "200")
    assert done.returncode == 0, done.stderr
    assert "The source article's rule" in done.stdout
    path = done.stderr.split("kept in ", 1)[1].strip()
    listed = json.loads(run("runs", "--json").stdout)
    assert path in listed["runs"]
    shown = run("runs", path, "--csv", str(tmp_path / "run.csv"), "--json")
    assert shown.returncode == 0, shown.stderr
    facts = json.loads(shown.stdout)
    assert facts["complete"]
    assert len((tmp_path / "run.csv").read_text().splitlines()) == facts["readings"] + 1
    again = run("runs", path, "--csv", str(tmp_path / "run.csv"))
    assert (again.returncode, "exists" in again.stderr) == (2, True)
    assert "200 tokens  ok" in run("runs", path).stdout


def test_a_limit_confirmed_on_the_command_line(tiny_llama: Path) -> None:
    words = ("profile", str(tiny_llama), "--device", "cpu", "--attention", "eager", "--pool", "20MiB", "--confirm")
    done = run(*words, "--no-keep")
    assert done.returncode == 0, done.stderr
    assert "Confirmed by 2 real passes" in done.stdout
    assert "kept in" not in done.stderr
    both = run(*words, "--lengths", "5")
    assert (both.returncode, len(both.stderr.splitlines())) == (2, 1)


def test_calibrations_are_made_shown_and_forgotten_on_the_command_line(tiny_gpt2: Path) -> None:
    made = run("profile", str(tiny_gpt2), "--device", "cpu", "--lengths", "1,50,200", "--calibrate", "--no-keep")
    assert made.returncode == 0, made.stderr
    assert "calibrated: offset" in made.stderr
    assert "calibrated: " in run("forecast", str(tiny_gpt2), "--device", "cpu", "--tokens", "100").stdout
    assert "calibrated: " not in run("forecast", str(tiny_gpt2), "--device", "w7900", "--tokens", "100").stdout
    assert "CPU stand-in" in run("calibrations").stdout
    assert "forgotten: " in run("calibrations", "--reset").stdout
    assert run("calibrations").stdout == ""
