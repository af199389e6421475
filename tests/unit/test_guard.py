"""The guard: what the env file says is what is admitted."""

import ast
import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vramtuner.core.deploy import envfile, guard
from vramtuner.core.deploy.envfile import CAP_VARIABLE, Deployment, allocator_options, parse, render
from vramtuner.core.deploy.guard import TOKEN_CAP_VARIABLE, Guard, TokenCapError
from vramtuner.core.device.spec import Device
from vramtuner.core.errors import BadInputError
from vramtuner.core.settings import Levers
from vramtuner.core.units import GIB, parse_bytes

CARD = Device(key="1", name="Radeon PRO W7900", kind="gpu", vram_bytes=51_522_830_336, source="a test", gfx="gfx1100")
PLAN = Deployment(
    model="tiny", model_hash="491cb15a44a7d552", device=CARD, created="2026-12-01T04:00:00Z",
    levers=Levers(pool_bytes=10 * GIB, token_cap=9472, dtype="fp16", attention="flash"),
    versions={"torch": "2.12.1"},
)  # fmt: skip


def test_the_guard_reads_the_name_that_the_file_writes() -> None:
    assert TOKEN_CAP_VARIABLE == CAP_VARIABLE == "HIP_MAX_CONTEXT_TOKENS"


def test_the_cap_is_admitted_and_one_token_more_is_not() -> None:
    guard = Guard.from_environment({"HIP_MAX_CONTEXT_TOKENS": "9472"})
    guard.admit(0)
    guard.admit(1)
    guard.admit(9472)
    with pytest.raises(TokenCapError):
        guard.admit(9473)


def test_the_message_is_for_the_person_who_asked() -> None:
    with pytest.raises(TokenCapError) as caught:
        Guard(9472).admit(14_208)
    message = str(caught.value)
    for part in ("14,208", "9,472", "HIP_MAX_CONTEXT_TOKENS", "before any memory was taken", "Shorten the prompt"):
        assert part in message
    assert len(message.splitlines()) == 1


def test_a_refusal_is_a_value_error_so_that_any_server_can_catch_it() -> None:
    assert issubclass(TokenCapError, ValueError)


@given(st.integers(1, 10**9), st.integers(0, 2 * 10**9))
def test_exactly_what_is_at_most_the_cap_is_admitted(cap: int, tokens: int) -> None:
    try:
        Guard.from_environment({TOKEN_CAP_VARIABLE: str(cap)}).admit(tokens)
    except TokenCapError:
        assert tokens > cap
    else:
        assert tokens <= cap


@pytest.mark.parametrize(
    "text", ["", "0", "-1", "4,096", "4k", "4096.0", " 4096", "4096\n", "1e4", "٤٠٩٦", "cap", "9" * 5000]
)
def test_an_environment_without_a_cap_is_refused_loudly(text: str) -> None:
    with pytest.raises(ValueError, match=r".") as caught:
        Guard.from_environment({TOKEN_CAP_VARIABLE: text})
    assert not isinstance(caught.value, TokenCapError)
    with pytest.raises(ValueError, match="HIP_MAX_CONTEXT_TOKENS is not a positive token count"):
        Guard.from_environment({})


def test_any_application_can_import_it_without_our_dependencies() -> None:
    script = (
        "import sys; before = set(sys.modules); import vramtuner.core.deploy.guard;"
        "print(sorted({name.partition('.')[0] for name in set(sys.modules) - before} - sys.stdlib_module_names))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['vramtuner']"


# The single file ------------------------------------------------------------------------------------------------------


def test_its_names_are_those_of_the_env_file_and_its_site_is_the_one_beside_it() -> None:
    assert (guard.HEADER, guard.POOL_VARIABLE) == (envfile.HEADER, envfile.POOL_VARIABLE)
    site = Path(guard.__file__).with_name("vramtuner_site") / "sitecustomize.py"
    assert site.read_text() == guard.SITE


def test_python_3_8_can_read_it() -> None:
    for text in (Path(guard.__file__).read_text(), guard.SITE):
        ast.parse(text, feature_version=(3, 8))


def test_it_takes_what_the_env_file_says_and_nothing_that_was_changed(tmp_path: Path) -> None:
    path = tmp_path / "deploy.env"
    text = render(PLAN)
    path.write_text(text)
    assert guard.read_env(str(path)) == parse(text)
    lines = text.splitlines(keepends=True)
    for number, line in enumerate(lines):
        changed = line[:-2] + chr(ord(line[-2]) ^ 1) + "\n"
        path.write_text("".join([*lines[:number], changed, *lines[number + 1 :]]))
        with pytest.raises(ValueError, match=r"checksum|damaged|first line"):
            guard.read_env(str(path))
        with pytest.raises(BadInputError):
            parse(path.read_text())


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"A=1\n", guard.HEADER.encode() + b"\n", b"a" * 70_000])
def test_what_is_no_deployment_file_is_one_line(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "deploy.env"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"^[^\n]+$"):
        guard.read_env(str(path))


@given(st.sampled_from(["10GiB", "512MiB", "8.5GiB", "1000000", "10gb", "3 GB", "4k", "1t", "7b", "2.5mib"]))
def test_sizes_are_those_of_the_env_file(text: str) -> None:
    assert guard._bytes(text) == parse_bytes(text)


@pytest.mark.parametrize("text", ["", "GiB", "-1GiB", "1e9", "10 XB", "1.2.3", "٣GiB", "9" * 30])
def test_what_is_no_size_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="HIP_FORCE_MEMORY_POOL_SIZE is not a size"):
        guard._bytes(text)


# Batches --------------------------------------------------------------------------------------------------------------


@given(st.integers(1, 10**6), st.integers(1, 64), st.integers(1, 8), st.integers(1, 4096))
def test_a_batch_has_no_more_tokens_than_were_planned(cap: int, batch: int, beams: int, rows: int) -> None:
    environ = {TOKEN_CAP_VARIABLE: str(cap), guard.BATCH_VARIABLE: str(batch), guard.BEAMS_VARIABLE: str(beams)}
    limit = guard._Settings(environ).limit(rows)
    assert limit <= cap
    assert limit * rows <= cap * batch * beams
    assert limit == cap or (limit + 1) * rows > cap * batch * beams, "no less than could be"


def test_without_a_plan_any_number_of_sequences_has_the_cap() -> None:
    assert guard._Settings({TOKEN_CAP_VARIABLE: "100"}).limit(10**6) == 100


# The pool -------------------------------------------------------------------------------------------------------------


@given(st.integers(1, 48))
def test_the_share_of_the_card_is_the_env_files(gib: int) -> None:
    options = allocator_options(CARD, gib * GIB, "2.10.0")
    share = guard._fraction_of(gib * GIB, CARD.outside_torch_bytes, CARD.vram_bytes)
    assert options == f"per_process_memory_fraction:{share:.6f}"


@given(st.integers(1, 10**13), st.integers(0, 10**11), st.integers(1, 10**12))
def test_torch_and_what_is_outside_it_stay_in_the_pool(pool: int, outside: int, total: int) -> None:
    share = guard._fraction_of(pool, outside, total)
    assert 0 <= share <= 1
    assert share * total <= max(pool - outside, 0) * (1 + 1e-12)


@pytest.mark.parametrize(
    ("release", "left"),
    [
        ((2, 9), "max_split_size_mb:64"),
        ((2, 10), "max_split_size_mb:64,per_process_memory_fraction:0.5"),
        ((2, 12), "max_split_size_mb:64,per_process_memory_fraction:0.5,throw_on_cudamalloc_oom:True"),
        ((0, 0), "max_split_size_mb:64,per_process_memory_fraction:0.5,throw_on_cudamalloc_oom:True"),
    ],
)
def test_a_torch_is_not_stopped_by_options_that_it_does_not_know(
    release: tuple[int, int], left: str, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "max_split_size_mb:64,per_process_memory_fraction:0.5,throw_on_cudamalloc_oom:True"
    environ = {"PYTORCH_HIP_ALLOC_CONF": text}
    guard._fit_options(environ, release)
    assert environ["PYTORCH_HIP_ALLOC_CONF"] == left
    assert capsys.readouterr().err.count("\n") == (left != text)


@pytest.mark.parametrize(
    ("environ", "release", "hip", "share"),
    [
        ({"PYTORCH_HIP_ALLOC_CONF": "per_process_memory_fraction:0.25"}, (2, 10), True, 0.25),
        ({"PYTORCH_HIP_ALLOC_CONF": "per_process_memory_fraction:0.25"}, (2, 9), True, 1.0),
        ({"PYTORCH_HIP_ALLOC_CONF": "per_process_memory_fraction:0.25"}, (2, 12), False, 1.0),
        (
            {"PYTORCH_HIP_ALLOC_CONF": "per_process_memory_fraction:0.25", "PYTORCH_CUDA_ALLOC_CONF": "a:1"},
            (2, 12), True, 1.0,
        ),
        ({"PYTORCH_HIP_ALLOC_CONF": "per_process_memory_fraction:1.0"}, (2, 12), True, 1.0),
        ({}, (2, 12), True, 1.0),
    ],
)  # fmt: skip
def test_which_options_act(environ: dict[str, str], release: tuple[int, int], hip: bool, share: float) -> None:
    assert guard._fraction_in_effect(environ, release, hip) == share


def test_the_release_of_a_torch_is_read_before_it_is_imported(tmp_path: Path) -> None:
    (tmp_path / "version.py").write_text(
        "from typing import Optional\n\n__version__ = '2.9.1+rocm6.4'\ndebug = False\n"
    )
    assert guard._release(str(tmp_path)) == (2, 9)
    assert guard._release(str(tmp_path / "missing")) == (0, 0)
    spec = importlib.util.find_spec("torch")
    assert spec is not None
    assert spec.origin is not None
    assert guard._release(str(Path(spec.origin).parent)) >= (2, 8)


# Into a process -------------------------------------------------------------------------------------------------------


def test_a_file_wins_over_what_was_set_and_each_contradiction_is_told() -> None:
    before = {"HIP_MAX_CONTEXT_TOKENS": "1", "SAME": "x", "EMPTY": "", "OTHER": "o", "CUDA_VISIBLE_DEVICES": "0",
              "PYTORCH_CUDA_ALLOC_CONF": "a:1"}  # fmt: skip
    file = {"HIP_MAX_CONTEXT_TOKENS": "2", "SAME": "x", "EMPTY": "e", "HIP_VISIBLE_DEVICES": "1",
            "PYTORCH_HIP_ALLOC_CONF": "b:1"}  # fmt: skip
    environ, notes = guard.merged(before, file)
    assert environ == {**before, **file}
    assert [note.partition(" ")[0] for note in notes] == [
        "HIP_MAX_CONTEXT_TOKENS", "PYTORCH_CUDA_ALLOC_CONF", "CUDA_VISIBLE_DEVICES"
    ]  # fmt: skip


def test_a_module_is_seen_once_and_its_loader_is_left_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "watched_module.py").write_text("value = 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    seen: list[ModuleType] = []
    finder = guard._Finder()
    finder.after["watched_module"] = seen.append
    monkeypatch.setattr(sys, "meta_path", [finder, *sys.meta_path])
    module = importlib.import_module("watched_module")
    assert seen == [module]
    assert module.value == 1
    assert module.__spec__ is not None
    assert "exec_module" not in vars(module.__spec__.loader)
    assert module.__spec__.loader.get_source("watched_module") == "value = 1\n"  # type: ignore[union-attr]


def test_counts_go_to_no_folder_that_others_can_write_to(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    link = tmp_path / "link"
    link.symlink_to(tmp_path)
    for folder in (shared, link):
        with pytest.raises(PermissionError):
            guard.state_folder({"VRAMTUNER_STATE": str(folder)})
    made = tmp_path / "own" / "deep"
    assert guard.state_folder({"VRAMTUNER_STATE": str(made)}) == str(made)
    assert made.stat().st_mode & 0o777 == 0o700
    assert guard.state_folder({"XDG_RUNTIME_DIR": str(tmp_path)}) == str(tmp_path / "vramtuner")


def test_files_of_processes_that_are_gone_are_removed(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as gone:
        gone.wait()
    for pid in (gone.pid, os.getpid()):
        (tmp_path / f"guard-{pid}.json").write_text("{}")
    (tmp_path / "guard-other.json").write_text("{}")
    guard._remove_of_the_dead(str(tmp_path))
    assert {path.name for path in tmp_path.iterdir()} == {f"guard-{os.getpid()}.json", "guard-other.json"}


@pytest.mark.parametrize(
    ("error", "parts"),
    [
        (RuntimeError("HIP error: out of memory"), ("out of GPU memory",)),
        (RuntimeError("hipErrorOutOfMemory while loading"), ("out of GPU memory",)),
        (TokenCapError("too long"), ("too long",)),
        (RuntimeError("Expected all tensors to be on the same device"), ()),
        (MemoryError(), ()),
        (None, ()),
    ],
)
def test_which_errors_are_explained(error: BaseException | None, parts: tuple[str, ...]) -> None:
    text = guard.explain(error)
    assert bool(text) == bool(parts)
    assert all(part in text for part in parts)
    assert "\n" not in text


def test_what_is_enforced_and_what_is_not_is_said() -> None:
    text = guard.covers_text()
    assert all(entry in text for entry in (*guard.ENFORCED, *guard.NOT_COVERED))
    words = Path(__file__).parents[2].joinpath("docs", "guard.md").read_text()
    flat = " ".join(words.split())
    assert all(" ".join(entry.split()) in flat for entry in (*guard.ENFORCED, *guard.NOT_COVERED))
