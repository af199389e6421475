"""The command ``matrix``: what it prints and writes, and one line for whatever is wrong."""

import csv
import json
import subprocess
import sys
from pathlib import Path

import pytest

from vramtuner.core.cli.matrix import usual_lengths, variants_of
from vramtuner.core.device.find import find_device
from vramtuner.core.errors import BadInputError
from vramtuner.core.forecast import forecast
from vramtuner.core.model.find import load_preset
from vramtuner.core.recording import find_tapes
from vramtuner.core.request import phases
from vramtuner.core.settings import Levers
from vramtuner.core.units import GIB

MAIN = "from vramtuner.core.cli import main; main()"
ASKED = ("--models", "gpt2,llama-2-7b", "--devices", "w6600,w7900")


def run(folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-c", MAIN, "matrix", *words], cwd=folder, capture_output=True, text=True, timeout=120
    )


def limit(model: str, device: str, levers: Levers) -> int:
    spec, target = load_preset(model), find_device(device)
    tapes = find_tapes(spec, phases(spec, target, levers))
    assert tapes is not None
    return forecast(spec, target, levers, *tapes).limit.tokens


def test_the_table_on_a_terminal(tmp_path: Path) -> None:
    out = run(tmp_path, *ASKED, "--variants", "none,nf4", "--lengths", "auto")
    assert out.returncode == 0 and out.stderr == ""
    rows = [line.split() for line in out.stdout.splitlines() if line.startswith("Llama-2-7B ")]
    cells = [f"{limit('llama-2-7b', 'w7900', Levers(weights=weights)):,}" for weights in ("none", "nf4")]
    assert [row[-1] for row in rows] == cells
    assert [line.split()[0] for line in out.stdout.splitlines() if line[:1].isdecimal()][:4] == [
        "512", "1,024", "2,048", "4,096",
    ]  # fmt: skip
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("suffix", ["csv", "md", "html"])
def test_a_file_of_each_kind(tmp_path: Path, suffix: str) -> None:
    out = run(tmp_path, *ASKED, "--pool", "6GiB", "-o", f"m.{suffix}")
    assert (out.returncode, out.stdout, out.stderr) == (0, f"m.{suffix}\n", "")
    found = limit("gpt2", "w7900", Levers(pool_bytes=6 * GIB))
    text = (tmp_path / f"m.{suffix}").read_text()
    assert (str(found) if suffix == "csv" else f"{found:,}") in text
    if suffix == "csv":
        assert [row["pool_bytes"] for row in csv.DictReader(text.splitlines())] == [str(6 * GIB)] * 4


def test_processes_give_what_one_thread_gives(tmp_path: Path) -> None:
    one, two = (json.loads(run(tmp_path, *ASKED, "--json", "--jobs", jobs).stdout) for jobs in ("1", "2"))
    assert one["cells"] and [dict(cell, created="") for cell in one["cells"]] == [
        dict(cell, created="") for cell in two["cells"]
    ]


def test_a_cell_without_a_forecast_is_no_failure(tmp_path: Path) -> None:
    out = run(tmp_path, *ASKED, "--pool", "30GiB", "--batch", "7", "--no-record", "--json")
    assert out.returncode == 0
    reasons = {(cell["model"], cell["device"]): cell["reason"] for cell in json.loads(out.stdout)["cells"]}
    assert "does not fit Radeon PRO W6600" in reasons["GPT-2", "Radeon PRO W6600"]
    assert reasons["GPT-2", "Radeon PRO W7900"] == "not recorded yet"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--devices", "w7900", "--models", "gtp2"), "no model at 'gtp2'"),
        (("--devices", "w7901", "--models", "gpt2"), "unknown device 'w7901'"),
        (("--models", "gpt2"), "--devices"),
        (("--devices", " , ", "--models", "gpt2"), "--devices is empty"),
        ((*ASKED, "-o", "m.pdf"), "m.pdf has none of the suffixes .csv, .md, .html"),
        ((*ASKED, "-o", "no/m.csv"), "there is no folder no"),
        ((*ASKED, "--variants", "nf5"), "--weights must be one of"),
        ((*ASKED, "--variants", "speed=high"), "'speed=high' is no lever of a variant"),
        ((*ASKED, "--margin", "2"), "margin must be from 0 to 1"),
    ],
)
def test_bad_input_is_one_line_and_writes_nothing(tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    out = run(tmp_path, *words) if "-o" in words else run(tmp_path, *words, "-o", "out.csv")
    assert out.returncode == 2 and out.stdout == ""
    assert said in out.stderr and len(out.stderr.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


def options(**changed: object) -> dict[str, object]:
    usual = {
        "pool": None, "tokens": None, "new_tokens": "0", "batch": 1, "beams": 1, "weights": "none", "keep_modules": "",
        "kv_cache": "auto", "attention": "auto", "logits": "last", "checkpointing": "off", "pass_kind": "inference",
        "prefill_chunk": None, "dtype": "auto", "allocator": "", "margin": 0.1,
    }  # fmt: skip
    return usual | changed


def test_variants_change_the_levers_of_the_command() -> None:
    made = variants_of("none, nf4+kv-cache=fp8 ,pool=8GiB+new-tokens=64", options(batch=4))
    assert [variant.name for variant in made] == ["none", "nf4+kv-cache=fp8", "pool=8GiB+new-tokens=64"]
    assert [variant.levers for variant in made] == [
        Levers(batch_size=4),
        Levers(batch_size=4, weights="nf4", kv_cache="fp8"),
        Levers(batch_size=4, pool_bytes=8 * GIB, new_tokens=64),
    ]
    [only] = variants_of("", options(weights="int8"))
    assert (only.name, only.levers) == ("weights int8", Levers(weights="int8"))


@pytest.mark.parametrize("text", ["=nf4", "weights=", "nf4+", "a=b", ","])
def test_what_is_no_variant_is_refused(text: str) -> None:
    with pytest.raises(BadInputError):
        variants_of(text, options())


@pytest.mark.parametrize(
    ("cap", "lengths"), [(None, (512, 1024, 2048, 4096)), (3000, (512, 1024, 2048, 3000)), (9, (9,))]
)
def test_usual_lengths_double_up_to_the_cap(cap: int | None, lengths: tuple[int, ...]) -> None:
    assert usual_lengths(Levers(token_cap=cap)) == lengths
