"""The command line as a process: what it prints, its exit code, and one line for whatever goes wrong."""

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file

from vramtuner.core.cli import main
from vramtuner.core.deploy.envfile import parse
from vramtuner.core.units import GIB

MAIN = "from vramtuner.core.cli import main; main()"


class Folder:
    """An empty working folder, and the command run in it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def vramtuner(self, *words: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "-c", MAIN, *words], cwd=self.path, capture_output=True, text=True, check=False, timeout=60
        )

    def write(self, name: str, content: object) -> None:
        (self.path / name).parent.mkdir(parents=True, exist_ok=True)
        (self.path / name).write_text(content if isinstance(content, str) else json.dumps(content))

    def files(self) -> dict[str, bytes]:
        return {str(p.relative_to(self.path)): p.read_bytes() for p in self.path.rglob("*") if p.is_file()}


@pytest.fixture
def here(tmp_path: Path) -> Folder:
    folder = Folder(tmp_path)
    folder.write("no-config/readme.txt", "")
    folder.write("no-json/config.json", "model_type: llama")
    folder.write("unknown/config.json", {"model_type": "no_such"})
    folder.write("remote/config.json", {"model_type": "mine", "auto_map": {"AutoModel": "mine.Mine"}})
    folder.write("pickled/config.json", {"model_type": "llama"})
    folder.write("pickled/pytorch_model.bin", "")
    folder.write("cut/config.json", {"model_type": "llama"})
    save_file({"a": np.zeros(100, np.float16)}, tmp_path / "cut/model.safetensors")
    whole = (tmp_path / "cut/model.safetensors").read_bytes()
    (tmp_path / "cut/model.safetensors").write_bytes(whole[:-10])
    return folder


FORECAST = ["forecast", "gpt2", "--device", "w6600"]
EXPORT = ["export", "gpt2", "--device", "w6600", "-o", "deploy.env"]
PROFILE = ["profile", "gpt2", "--device", "cpu"]

BAD_INPUT: list[tuple[list[str], str]] = [
    ([*FORECAST, "--engine", "tgi"], "no engine"),
    ([*EXPORT, "--engine", "llama.cpp"], "GGUF"),
    ([*EXPORT, "--engine", "vllm", "--validate"], "not run here"),
    ([*EXPORT, "--engine", "vllm", "--batch", "1000"], "room for"),
    ([*EXPORT, "--with", "systemd,helm"], "--with must be one of systemd, compose, kubernetes"),
    ([*EXPORT, "--with", "compose", "-o", "my deploy.env"], "no name that systemd and containers read alike"),
    ([*EXPORT, "--select", "name"], "--select must be one of index, uuid"),
    ([*EXPORT, "--over-cap", "ignore"], "--over-cap must be one of refuse, truncate"),
    (["forecast", "no-config", "--device", "cpu"], "no-config has no config.json"),
    (["forecast", "no-json", "--device", "cpu"], "not a JSON object"),
    (["forecast", "unknown", "--device", "cpu"], "unknown model_type 'no_such'"),
    (["forecast", "remote", "--device", "cpu"], "never run"),
    (["forecast", "cut", "--device", "cpu"], "truncated or damaged"),
    (["forecast", "pickled", "--device", "cpu"], "pickled"),
    (["forecast", "llama-3", "--device", "cpu"], "or a preset: gpt2"),
    (["forecast", "gpt2", "--device", "w9999"], "unknown device 'w9999'"),
    (["forecast", "gpt2"], "'--device'"),
    (["forecast"], "'model'"),
    (["no-such-command"], "no-such-command"),
    ([*FORECAST, "--pool", "7.5GiB"], "at most 7.00 GiB"),
    ([*FORECAST, "--pool", "0"], "size must be above zero"),
    ([*FORECAST, "--pool", "lots"], "not a size: 'lots'"),
    ([*FORECAST, "--margin", "much"], "'--margin'"),
    ([*FORECAST, "--margin", "nan"], "margin must be from 0 to 1"),
    ([*PROFILE, "--lengths", "512,,1024"], "not a token count: ''"),
    (["profile", "gpt2", "--device", "w7900"], "is not in this machine"),
    (["export", "gpt2", "--device", "w6600"], "'--output'"),
    ([*EXPORT[:-1], "no/such/deploy.env"], "there is no folder no/such"),
    ([*EXPORT[:-1], "no-json/config.json"], "not a vramtuner deployment file"),
    ([*EXPORT, "--pool", "8GiB"], "at most 7.00 GiB"),
]

# The same promise, asked in this process because starting one takes a third of a second.
MORE_BAD_INPUT: list[tuple[list[str], str]] = [
    ([*FORECAST, "--engine", "tgi"], "no engine"),
    ([*EXPORT, "--engine", "llama.cpp"], "GGUF"),
    ([*EXPORT, "--engine", "vllm", "--validate"], "not run here"),
    ([*EXPORT, "--engine", "vllm", "--batch", "1000"], "room for"),
    ([*EXPORT, "--with", "systemd,helm"], "--with must be one of systemd, compose, kubernetes"),
    ([*EXPORT, "--with", "compose", "-o", "my deploy.env"], "no name that systemd and containers read alike"),
    ([*EXPORT, "--select", "name"], "--select must be one of index, uuid"),
    ([*EXPORT, "--over-cap", "ignore"], "--over-cap must be one of refuse, truncate"),
    (["forecast", "a" * 5000, "--device", "cpu"], "'aaaaa"),
    (["forecast", "~no-such-user-here/x", "--device", "cpu"], "cannot be looked at"),
    (["forecast", "gpt2", "--device", "77"], "no GPU 77 here"),
    (["--no-such-option"], "--no-such-option"),
    ([*FORECAST, "--pool", "8GiB"], "at most 7.00 GiB"),
    ([*FORECAST, "--pool", "-1GiB"], "not a size"),
    ([*FORECAST, "--tokens", "0"], "token count must be from 1"),
    ([*FORECAST, "--tokens", "many"], "not a token count"),
    ([*FORECAST, "--tokens", "9" * 5000], "not a token count"),
    ([*FORECAST, "--batch", "0"], "the batch must be from 1"),
    ([*FORECAST, "--batch", "two"], "'--batch'"),
    ([*FORECAST, "--margin", "-0.1"], "margin must be from 0 to 1"),
    ([*FORECAST, "--weights", "int4"], "--weights must be one of none, int8, nf4, fp4"),
    ([*FORECAST, "--attention", "sdpa"], "--attention must be one of auto, flash, math, eager"),
    ([*FORECAST, "--dtype", "fp8"], "--dtype must be one of"),
    ([*FORECAST, "--logits", "some"], "--logits must be one of last, all"),
    ([*FORECAST, "--checkpointing", "yes\nno"], "--checkpointing must be one of on, off"),
    ([*FORECAST, "surplus"], "surplus"),
    ([*PROFILE, "--lengths", "short"], "not a token count: 'short'"),
    ([*PROFILE, "--lengths", "0"], "token count must be from 1"),
    ([*PROFILE, "--lengths", "512,1025"], "has 1,024 positions; 1,025 tokens cannot run"),
    ([*EXPORT[:-1], "no-config"], "not a vramtuner deployment file"),
    ([*EXPORT, "--tokens", "2000"], "has 1,024 positions; 2,000 tokens cannot run"),
    ([*EXPORT, "--validate"], "is not in this machine"),
    (["export", "llama-2-13b", "--device", "w6600", "-o", "deploy.env"], "does not fit at all"),
    (["models", "no/such"], "there is no folder"),
]


def check(code: int, stdout: str, stderr: str, says: str) -> None:
    assert (code, stdout) == (2, "")
    (line,) = stderr.splitlines()
    assert line.startswith("vramtuner: ")
    assert says in line
    assert "Traceback" not in line
    assert len(line) < 600


@pytest.mark.parametrize(("words", "says"), BAD_INPUT, ids=[" ".join(words) for words, _ in BAD_INPUT])
def test_bad_input_is_one_line_and_exit_code_2(here: Folder, words: list[str], says: str) -> None:
    before = here.files()
    done = here.vramtuner(*words)
    check(done.returncode, done.stdout, done.stderr, says)
    assert here.files() == before


@pytest.mark.parametrize(("words", "says"), MORE_BAD_INPUT, ids=[" ".join(w)[:60] for w, _ in MORE_BAD_INPUT])
def test_more_bad_input(
    here: Folder,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    says: str,
) -> None:
    before = here.files()
    monkeypatch.chdir(here.path)
    monkeypatch.setattr(sys, "argv", ["vramtuner", *words])
    with pytest.raises(SystemExit) as stopped:
        main()
    check(int(str(stopped.value.code)), *capsys.readouterr(), says)
    assert here.files() == before


@pytest.mark.parametrize(("preset", "cap", "code"), [("llama-2-7b", "5000", 0), ("gpt2", "2000", 1)])
def test_a_cap_above_the_positions_is_a_warning(here: Folder, preset: str, cap: str, code: int) -> None:
    done = here.vramtuner("forecast", preset, "--device", "mi210", "--tokens", cap, "--json")
    assert (done.returncode, done.stderr) == (code, "")
    assert any(f"{int(cap):,} tokens are beyond" in warning for warning in json.loads(done.stdout)["warnings"])


def forecast_json(here: Folder, *words: str) -> dict[str, Any]:
    done = here.vramtuner("forecast", *words, "--json")
    assert done.stderr == ""
    found: dict[str, Any] = json.loads(done.stdout)
    assert done.returncode == (0 if found["fits"] else 1)
    return found


def test_the_json_of_a_forecast_has_what_scripts_rely_on(here: Folder) -> None:
    found = forecast_json(here, "llama-2-7b", "--device", "w7800", "--tokens", "4,096", "--pool", "24GiB")
    assert set(found) >= {
        "model", "device", "levers", "tokens", "components_bytes", "peak_bytes", "pool_bytes", "fits", "limit",
        "envelope", "method", "warnings", "advice",
    }  # fmt: skip
    assert set(found["model"]) >= {"name", "source", "parameters", "architecture"}
    assert set(found["device"]) >= {"name", "gfx", "vram_bytes", "source"}
    parts = found["components_bytes"]
    assert set(parts) >= {"weights", "kv_cache", "activations", "logits", "workspace", "overhead", "allocator"}
    assert set(found["limit"]) >= {"tokens", "bound_by", "hard_cap"}
    assert (found["tokens"], found["pool_bytes"], found["device"]["vram_bytes"]) == (4096, 24 * GIB, 32 * GIB)
    assert sum(parts.values()) == found["peak_bytes"]
    (piece,) = [p for p in found["envelope"] if p["from_tokens"] <= 4096 <= p["to_tokens"]]
    assert piece["a"] + piece["b"] * 4096 + piece["c"] * 4096**2 == found["peak_bytes"]
    assert all(set(advice) >= {"change", "limit_tokens", "note"} for advice in found["advice"])


def test_a_request_of_prompt_and_new_tokens_says_where_its_peak_falls(here: Folder) -> None:
    words = ["llama-3.1-8b", "--device", "w7900", "--tokens", "8192"]
    whole = forecast_json(here, *words)
    shorter = forecast_json(here, *words, "--new-tokens", "2048")
    long_answer = forecast_json(here, *words, "--new-tokens", "8000")
    assert (whole["phase"], shorter["phase"], long_answer["phase"]) == ("prefill", "prefill", "decode")
    assert whole["peak_bytes"] > shorter["peak_bytes"] > long_answer["peak_bytes"]
    # Decode holds the cache of all 8,192 tokens: 32 layers of 8 heads of 128, keys and values in 16 bits, and one
    # layer's old copy while it grows; prefill of three quarters holds as much of it.
    cache = 2 * 32 * 8 * 128 * 2 * 8192
    assert cache < long_answer["components_bytes"]["kv_cache"] < cache * (1 + 1 / 32)
    assert shorter["components_bytes"]["kv_cache"] == cache * 3 // 4
    assert set(long_answer["limit"]) >= {"tokens", "bound_by", "phase"}
    assert {piece["phase"] for piece in long_answer["envelope"]} == {"prefill", "decode"}


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["gpt2", "--device", "w7900", "--tokens", "1000"], None),
        (["gpt2", "--device", "w7900", "--tokens", "2000"], "positions"),
        (["llama-2-13b", "--device", "w6600", "--tokens", "100"], "pool"),
    ],
)
def test_the_json_says_why_a_request_does_not_fit(here: Folder, words: list[str], reason: str | None) -> None:
    found = forecast_json(here, *words)
    assert found["fits_reason"] == reason
    assert (found["needed_bytes"] > found["pool_bytes"]) is (reason == "pool")


def test_names_out_of_folders_cannot_reach_the_terminal(here: Folder) -> None:
    evil = "a\x1b[31mred\nb\x9b2J\u202e"
    llama = {"model_type": "llama", "hidden_size": 64, "num_hidden_layers": 2, "vocab_size": 100}
    here.write(f"{evil}/config.json", llama)
    here.write(f"no{evil}/config.json", "[]")
    here.write("shards/config.json", llama)
    here.write("shards/model.safetensors.index.json", {"weight_map": {"x": f"{evil}.safetensors"}})
    # As on a terminal: colours are taken out of what goes into a pipe before it gets here.
    script = "import sys; sys.stdout.isatty = sys.stderr.isatty = lambda: True; " + MAIN
    for words, said in (
        (["models", "."], "a�[31mred�b�2J�"),
        (["forecast", f"no{evil}", "--device", "cpu"], "noa�[31mred�b�2J�/config.json is not"),
        (["forecast", "shards", "--device", "cpu"], "a�[31mred�b�2J�.safetensors is missing from shards"),
        (["models", f"none{evil}"], "there is no folder nonea�[31mred"),
    ):
        done = subprocess.run(
            [sys.executable, "-c", script, *words], cwd=here.path, capture_output=True, text=True, check=False
        )
        assert said in done.stdout + done.stderr
        assert all(line.isprintable() for line in (done.stdout + done.stderr).split("\n"))


def test_a_prompt_in_chunks_fits_where_the_whole_one_does_not(here: Folder) -> None:
    words = ["llama-3.1-8b", "--device", "rx7900xtx", "--attention", "math", "--tokens", "6144"]
    whole, chunked = forecast_json(here, *words), forecast_json(here, *words, "--prefill-chunk", "512")
    assert (whole["fits"], chunked["fits"]) == (False, True)
    assert chunked["phase"] == "prefill_chunk"
    assert "prefill chunk 512" in [advice["change"] for advice in whole["advice"]]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--new-tokens", "4096", "--tokens", "4096"], "new tokens"),
        (["--prefill-chunk", "1"], "prefill chunk"),
        (["--beams", "0"], "beams"),
        (["--pass", "backward"], "--pass must be one of"),
        (["--pass", "training", "--new-tokens", "5"], "takes its whole input at once"),
        (["--kv-cache", "int3"], "--kv-cache must be one of"),
        (["--allocator", "expandable_segments:perhaps"], "expandable_segments"),
        (["--device", "cpu", "--allocator", "foo:bar"], "'foo' is not an option of PyTorch's allocator"),
        (["--keep-modules", "lm_head"], "add --weights int8, or leave it out"),
        (["--keep-modules", "lm head"], "not the name of a module"),
    ],
)
def test_a_wrong_lever_is_one_line(here: Folder, words: list[str], says: str) -> None:
    done = here.vramtuner("forecast", "llama-2-7b", "--device", "w7900", *words)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    assert says in done.stderr


@pytest.mark.parametrize(("attention", "peak"), [("flash", 27.84), ("eager", 33.81)])
def test_the_command_of_the_issue(here: Folder, attention: str, peak: float) -> None:
    # The stand-in's default pool depends on this machine's RAM, the forecast does not.
    words = ["--device", "cpu", "--dtype", "fp16", "--attention", attention, "--tokens", "4096"]
    found = forecast_json(here, "llama-2-13b", *words)
    assert found["components_bytes"]["weights"] / GIB == pytest.approx(24.244, abs=0.01)
    assert found["components_bytes"]["kv_cache"] / GIB == pytest.approx(3.125, abs=0.01)
    assert found["peak_bytes"] / GIB == pytest.approx(peak, abs=0.01)


def test_a_forecast_for_people_says_what_the_json_says(here: Folder) -> None:
    done = here.vramtuner("forecast", "llama-2-13b", "--device", "w6600")
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.startswith("Llama-2-13B on Radeon PRO W6600 does not fit at all: the weights bind")
    assert "24.24 GiB" in done.stdout


def test_an_export_prints_the_path_it_wrote(here: Folder) -> None:
    done = here.vramtuner(*EXPORT, "--tokens", "1000", "--pool", "6GiB")
    assert (done.returncode, done.stdout) == (0, "deploy.env\n")
    assert done.stderr == "vramtuner: the file is marked not validated; add --validate to prove it\n"
    found = parse((here.path / "deploy.env").read_text())
    assert (found["HIP_FORCE_MEMORY_POOL_SIZE"], found["HIP_MAX_CONTEXT_TOKENS"]) == ("6GiB", "1000")
    assert here.vramtuner(*EXPORT, "--tokens", "900").returncode == 0
    assert parse((here.path / "deploy.env").read_text())["HIP_MAX_CONTEXT_TOKENS"] == "900"


def test_devices_and_models_are_json_objects(here: Folder) -> None:
    devices = json.loads(here.vramtuner("devices", "--json").stdout)["devices"]
    assert devices[-1]["name"] == "CPU stand-in"
    assert [device["index"] for device in devices] == list(range(len(devices)))
    done = here.vramtuner("models", ".", "--json")
    found = json.loads(done.stdout)["models"]
    assert done.returncode == 0
    assert [model["key"] for model in found[:3]] == ["gpt2", "phi-2", "opt-2.7b"]
    assert len(found) == 10
    assert len(done.stderr.splitlines()) == 5  # one line for each folder here that cannot be used


def test_a_reader_that_goes_away_is_no_error(here: Folder) -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-c", MAIN, "devices"], cwd=here.path, stdout=write, stderr=subprocess.PIPE, check=False
    )
    os.close(write)
    assert b"Traceback" not in done.stderr


def test_a_forecast_of_a_preset_imports_neither_torch_nor_qt(here: Folder) -> None:
    script = (
        "import sys; from vramtuner.core.cli import main\n"
        "try: main()\n"
        "finally: sys.stderr.write(str({'torch', 'transformers', 'PySide6'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *FORECAST], cwd=here.path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "set()")


def test_the_version_is_the_one_of_the_package(here: Folder) -> None:
    done = here.vramtuner("--version")
    written = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]["version"]
    assert (done.returncode, done.stdout, done.stderr) == (0, f"vramtuner {written}\n", "")
