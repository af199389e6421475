"""The check for a real card, on the CPU stand-in: the same code as far as it goes without one."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from vramtuner.core.settings import TapeKey
from vramtuner.core.tape.format import Regime, Tape
from vramtuner.core.units import MIB

pytestmark = pytest.mark.xdist_group("gpu_check")

FOLDER = Path(__file__).resolve().parents[1] / "gpu"
GOAL = 0.005


def run(*arguments: str, interpreter: tuple[str, ...] = (), **variables: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *interpreter, str(FOLDER / "check.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=200, env={**os.environ, **variables})


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> tuple[subprocess.CompletedProcess[str], dict[str, Any]]:
    folder = tmp_path_factory.mktemp("check")
    # A variable that would change what is measured is taken out and told.
    done = run("--device", "cpu", "--quick", "--out", str(folder), PYTORCH_ALLOC_CONF="max_split_size_mb:64")
    assert done.returncode == 0, done.stdout + done.stderr
    (path,) = folder.iterdir()
    return done, json.loads(path.read_text())


def test_every_pass_takes_what_the_forecast_says(outcome: tuple[Any, dict[str, Any]]) -> None:
    _, data = outcome
    rows = data["rows"]
    assert {row["model_type"] for row in rows} == {"llama", "gpt2", "gemma2", "mixtral"}
    assert {row["dtype"] for row in rows} == {"bf16", "fp16"}
    for kernel in ("flash", "math", "eager"):
        for phase in ("prefill", "decode"):
            found = [row for row in rows if (row["attention"], row["phase"]) == (kernel, phase)]
            assert len(found) >= 9, (kernel, phase)
    for row in rows:
        above = row["measured_bytes"]
        assert row["outcome"] == "ok"
        assert above > 0
        assert abs(row["forecast_bytes"] - above) <= GOAL * above, row
        assert row["weight_bytes"] == row["weight_forecast_bytes"]
        assert row["reserved_bytes"] is None


def test_the_figures_are_those_of_the_models(outcome: tuple[Any, dict[str, Any]]) -> None:
    """Counted by hand: two layers of 64 wide, 4 heads of which 2 keys, MLP 128, 512 words, two bytes each."""
    _, data = outcome
    llama = [row for row in data["rows"] if row["model_type"] == "llama"]
    attention, mlp, norms = 2 * 64 * 64 + 2 * 64 * 32, 3 * 64 * 128, 2 * 64
    parameters = 2 * 512 * 64 + 2 * (attention + mlp + norms) + 64
    assert {0 <= row["weight_bytes"] - 2 * parameters <= 256 for row in llama} == {True}
    longest = {row["attention"]: row for row in llama if row["tokens"] == 301}
    # Eager attention holds the 16-bit scores of its 4 heads and their 32-bit softmax at once.
    assert longest["eager"]["measured_bytes"] > 4 * 301**2 * (2 + 4) > longest["flash"]["measured_bytes"]
    # The last step of a request of 16 tokens still holds the keys and values of 2 rows and 2 layers.
    last = [row for row in llama if row["phase"] == "decode" and row["tokens"] == 16]
    assert {row["rows"] for row in last} == {2}
    assert all(row["measured_bytes"] > 2 * 2 * 2 * 32 * 15 * 2 for row in last)


def test_at_the_limit_it_fits_and_above_it_is_refused(outcome: tuple[Any, dict[str, Any]]) -> None:
    _, data = outcome
    assert len(data["limits"]) >= 3
    for row in data["limits"]:
        assert (row["outcome"], row["one_per_cent_outcome"], row["over_outcome"]) == ("ok", *["out_of_memory"] * 2)
        # Without an overhead and an allocator of its own the stand-in's limit is exact to the token.
        assert row["surely_over"] == row["limit"] + 1
        assert 0.98 * row["pool_bytes"] < row["peak_bytes"] <= row["pool_bytes"]
        assert "ried to allocate" in row["message"]
        assert row["requested_bytes"] > 0


def test_what_only_a_card_can_tell_says_so(outcome: tuple[Any, dict[str, Any]]) -> None:
    done, data = outcome
    claims = {claim["name"]: claim for claim in data["claims"]}
    for name in ("slack replay, prefill", "cap, exception", "softmax, fp16", "attention kernel", "overhead"):
        assert (claims[name]["verdict"], claims[name]["why"]) == ("says nothing", "needs a GPU")
        assert name in done.stdout
    for name in ("tensors, flash", "tensors, math", "tensors, eager", "weights", "sliding window", "limit"):
        assert claims[name]["verdict"] == "confirmed"
        assert "CPU stand-in" in claims[name]["why"]
    for what in ("reserved", "memory fraction", "overhead"):
        assert any(line.startswith(what) and "needs a GPU" in line for line in done.stdout.splitlines())
    assert (data["complete"], data["overhead"], data["removed_variables"]) == (True, None, ["PYTORCH_ALLOC_CONF"])
    assert data["device"]["kind"] == "cpu"
    assert {"torch", "transformers", "vramtuner", "python"} <= set(data["versions"])


def test_without_a_card_it_ends_in_one_line(tmp_path: Path) -> None:
    hidden = {"CUDA_VISIBLE_DEVICES": "", "HIP_VISIBLE_DEVICES": "", "ROCR_VISIBLE_DEVICES": ""}
    done = run("--out", str(tmp_path), **hidden)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    assert "no GPU to check" in done.stderr
    assert "--device cpu" in done.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("arguments", "interpreter", "told"),
    [
        ((), ("-S", "-E"), "torch, transformers"),  # a Python with nothing installed
        (("--device", "w7900"), (), "--device is auto, cpu or an index"),
    ],
)
def test_what_cannot_run_says_what_to_do(arguments: tuple[str, ...], interpreter: tuple[str, ...], told: str) -> None:
    done = run(*arguments, interpreter=interpreter)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    assert told in done.stderr


def test_passes_are_replayed_as_a_probe_runs_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """A weight of 12 MiB and a buffer of N MiB: from 10 MiB on each has a segment of its own, in whole 2 MiB."""
    monkeypatch.syspath_prepend(str(FOLDER))
    import blocks  # type: ignore[import-not-found] # beside check.py, and no package

    regime = Regime(
        from_tokens=1, to_tokens=100, recorded_at=(1, 2, 3), held_out=4, residual_bytes=0, events=[1, 2, -2],
        a=[12.0 * MIB, 0.0], b=[0.0, float(MIB)], c=[0.0, 0.0], component=[0, 3],
    )  # fmt: skip
    tape = Tape(
        key=TapeKey(dtype="fp16", attention="flash"), attention="flash", config_hash="", versions={}, regimes=(regime,)
    )
    one = blocks.replay_passes(tape, [20], 0, fused_upcast=False)
    assert (one.reserved_peak, one.allocated_peak, one.allocated_end) == (32 * MIB, 32 * MIB, 12 * MIB)
    # 20 MiB are still held when 30 are wanted, and do not fit; a workspace of 32 MiB stays.
    two = blocks.replay_passes(tape, [20, 30], 32 * MIB, fused_upcast=False)
    assert (two.reserved_peak, two.allocated_peak, two.allocated_end) == (94 * MIB, 74 * MIB, 44 * MIB)
    # A shorter pass fits into what the longer one left.
    assert blocks.replay_passes(tape, [30, 20], 0, fused_upcast=False).reserved_peak == 42 * MIB
