"""Measure what the project promises and print one table: ``make bench``.

Nothing here passes or fails on time: these are measurements of this machine, to be read (README.md beside this file).
Figures that do not depend on the machine, bytes and errors, are compared and decide the exit code.
"""

import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter, time

import numpy as np

from vramtuner.core.device.find import cpu_device
from vramtuner.core.forecast import Forecast, forecast, measured_error
from vramtuner.core.model.find import find_model, load_preset
from vramtuner.core.probe.client import Probe
from vramtuner.core.probe.protocol import PassResult, Record, TapeRecorded
from vramtuner.core.recording import get_tape, record_tape
from vramtuner.core.request import tape_key
from vramtuner.core.settings import Attention, Levers
from vramtuner.core.tape.store import installed_versions
from vramtuner.core.units import GIB
from vramtuner.core.validation import profile_request

ROOT = Path(__file__).resolve().parents[2]
CPU = cpu_device()


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table; ``ok`` is ``None`` for a time, which is only read."""

    what: str
    target: str
    measured: str
    ok: bool | None


def main() -> int:
    """Run everything, print the table, write it under ``build/``; 1 if a figure that must agree does not."""
    with closing(Probe()) as probe:
        rows = [
            *forecast_rows(probe),
            checkpointing_row(probe),
            *error_rows(probe),
            recording_row(probe),
            curve_row(probe),
        ]
    rows += window_rows()
    print_table(rows)
    return 1 if any(row.ok is False for row in rows) else 0


def shipped(name: str, levers: Levers, probe: Probe) -> Forecast:
    spec = load_preset(name)
    return forecast(spec, CPU, levers, get_tape(spec, tape_key(spec, CPU, levers), probe))


def forecast_rows(probe: Probe) -> list[Row]:
    """Llama-2-13B in fp16 at 4,096 tokens."""
    rows = []
    cases: list[tuple[Attention, dict[str, float], float]] = [
        ("flash", {"weights": 24.244, "kv_cache": 3.125}, 27.84),
        ("eager", {}, 33.81),
    ]
    for attention, components, peak in cases:
        result = shipped("llama-2-13b", Levers(dtype="fp16", attention=attention, token_cap=4096), probe)
        sizes = result.component_bytes(4096)
        expected = {**components, "peak": peak}
        found = {name: sizes[name] / GIB for name in components} | {"peak": result.peak_bytes(4096) / GIB}
        rows.append(
            Row(
                f"Llama-2-13B, fp16, {attention}, 4,096 tokens",
                ", ".join(f"{name} {value} GiB" for name, value in expected.items()) + " (± 0.01)",
                ", ".join(f"{name} {value:.3f}" for name, value in found.items()),
                all(abs(found[name] - value) <= 0.01 for name, value in expected.items()),
            )
        )
    return rows


def checkpointing_row(probe: Probe) -> Row:
    off = shipped("llama-2-7b", Levers(token_cap=2048), probe)
    on = shipped("llama-2-7b", Levers(token_cap=2048, checkpointing=True), probe)
    peaks = off.peak_bytes(2048), on.peak_bytes(2048)
    warned = any("Checkpointing changes nothing" in warning for warning in on.warnings)
    return Row(
        "Llama-2-7B, checkpointing on, inference pass",
        "same peak as off, and a warning",
        f"{peaks[1] / GIB:.3f} and {peaks[0] / GIB:.3f} GiB, warning: {'yes' if warned else 'no'}",
        peaks[0] == peaks[1] and warned,
    )


def error_rows(probe: Probe) -> list[Row]:
    """Forecast against real passes of the two test models, three lengths each."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [sys.executable, str(ROOT / "tests/data/make_models.py"), folder], check=True, capture_output=True
        )
        for path in sorted(Path(folder).iterdir()):
            spec, worst = find_model(str(path)), 0.0
            for attention in ("flash", "math", "eager"):
                levers = Levers(attention=attention)
                key = tape_key(spec, CPU, levers)
                plan = forecast(spec, CPU, levers, record_tape(spec, key, probe))
                for event in probe.run(profile_request(plan, (64, 301, 1000))):
                    if isinstance(event, PassResult):
                        error = measured_error(plan, event.tokens, event.peak_bytes, event.weight_bytes)
                        worst = max(worst, abs(error))
            rows.append(
                Row(
                    f"forecast against real CPU passes, {path.name}, 3 lengths × 3 kernels",
                    "≤ 0.5 % of the peak above the weights",
                    f"worst {worst:.4%}",
                    worst <= 0.005,
                )
            )
    return rows


def recording_row(probe: Probe) -> Row:
    """Build and three lengths of Llama-2-13B, in a probe that is warm."""
    spec = load_preset("llama-2-13b")
    key = tape_key(spec, CPU, Levers(dtype="fp16", attention="flash"))
    times = []
    for _ in range(3):
        began = perf_counter()
        for event in probe.run(lambda number: Record(number, spec, key)):
            if isinstance(event, TapeRecorded):
                times.append(perf_counter() - began)
    # A tape is four recordings: three to fit and one held out to check.
    return Row(
        "Llama-2-13B tape (build, 3 recordings and a held-out one), 2 cores",
        "≤ 4 s for three",
        f"median {statistics.median(times):.2f} s for all four",
        None,
    )


def curve_row(probe: Probe) -> Row:
    plan = shipped("llama-2-13b", Levers(dtype="fp16", attention="eager"), probe)
    tokens = np.linspace(1, 8192, 1024).astype(np.int64)
    median = statistics.median(seconds(lambda: plan.curve(tokens)) for _ in range(200))
    return Row("1,024-point curve with components", "–", f"median {median * 1e6:.0f} µs", None)


def window_rows() -> list[Row]:
    """Start and lever moves of the real window, in processes of their own."""
    script = Path(__file__).with_name("window.py")
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    starts, moves = [], []
    for _ in range(5):
        command = [sys.executable, str(script), "start", str(time())]
        out = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
        starts.append(json.loads(out.stdout)["seconds"])
    out = subprocess.run(
        [sys.executable, str(script), "levers"], check=True, capture_output=True, text=True, env=environment
    )
    moves = sorted(json.loads(out.stdout)["seconds"])
    high = moves[int(len(moves) * 0.95)]
    return [
        Row(
            "process start to window visible with its first curve, warm file cache, torch not imported",
            "≤ 1.5 s",
            f"median {statistics.median(starts):.2f} s of 5 (offscreen)",
            None,
        ),
        Row(
            "lever move to repainted curve, 1,024 points",
            "≤ 16 ms at the 95th percentile",
            f"median {statistics.median(moves) * 1e3:.1f} ms, 95th {high * 1e3:.1f} ms of {len(moves)}",
            None,
        ),
    ]


def seconds(action: Callable[[], object]) -> float:
    began = perf_counter()
    action()
    return perf_counter() - began


def print_table(rows: list[Row]) -> None:
    verdict = {True: "yes", False: "NO", None: "read it"}
    lines = ["| what | promised | measured here | holds |", "| --- | --- | --- | --- |"]
    lines += [f"| {row.what} | {row.target} | {row.measured} | {verdict[row.ok]} |" for row in rows]
    versions = ", ".join(f"{name} {number}" for name, number in installed_versions().items())
    lines.append(f"\n{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, {versions}")
    build = ROOT / "build"
    build.mkdir(exist_ok=True)
    (build / "bench.md").write_text("\n".join(lines) + "\n")
    (build / "bench.json").write_text(json.dumps([asdict(row) for row in rows], indent=2, ensure_ascii=False) + "\n")
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    sys.exit(main())
