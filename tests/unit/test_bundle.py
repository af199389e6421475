"""The bundle: the same bytes each time, and used where there is nothing but a bare Python and no network."""

import json
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "data"))
sys.path.insert(0, str(Path(__file__).parent))
import device_trees as trees
from deployments import CARD, file_for, machine
from test_envfile import deployment

from vramtuner.core.deploy.bundle import FOLDER, archive, bundle_files, write_bundle
from vramtuner.core.deploy.envfile import render
from vramtuner.core.errors import BadInputError


@pytest.fixture
def text(tmp_path: Path) -> str:
    return file_for(machine(tmp_path / "machine", CARD))


@pytest.fixture
def unpacked(text: str, tmp_path: Path) -> Path:
    write_bundle(text, tmp_path / "deploy.tar.gz")
    with tarfile.open(tmp_path / "deploy.tar.gz") as tar:
        tar.extractall(tmp_path / "server", filter="data")
    return tmp_path / "server" / FOLDER


def bare(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """A Python without packages, environment or, where that is allowed, a network."""
    python = [getattr(sys, "_base_executable", sys.executable), "-I", "-S", *arguments]
    alone = ["unshare", "-n"]
    if shutil.which("unshare") and subprocess.run([*alone, "true"], capture_output=True).returncode == 0:
        python = [*alone, *python]
    return subprocess.run(python, env={"PATH": "/usr/bin:/bin"}, cwd=folder, capture_output=True, text=True)


def test_the_same_file_makes_the_same_bytes(text: str, tmp_path: Path) -> None:
    for name in ("a.tar.gz", "b.tar.gz"):
        write_bundle(text, tmp_path / name)
    first = (tmp_path / "a.tar.gz").read_bytes()
    assert first == (tmp_path / "b.tar.gz").read_bytes() == archive(dict(reversed(bundle_files(text).items())))
    assert first[4:8] == b"\0\0\0\0"  # the time in gzip's header


def test_what_was_unpacked_is_whole(unpacked: Path) -> None:
    done = subprocess.run(["sha256sum", "-c", "--strict", "SHA256SUMS"], cwd=unpacked, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    listed = {line.split("  ")[1] for line in (unpacked / "SHA256SUMS").read_text().splitlines()}
    there = {str(path.relative_to(unpacked)) for path in unpacked.rglob("*") if path.is_file()}
    assert there == listed | {"SHA256SUMS"}


def test_a_bare_python_verifies(unpacked: Path, tmp_path: Path) -> None:
    call = ("vramtuner_verify.py", "deploy.env", "--json", "--root")
    good = bare(*call, str(tmp_path / "machine"), folder=unpacked)
    assert good.returncode == 0, good.stderr + good.stdout
    assert json.loads(good.stdout)["ok"] is True
    bad = bare(*call, str(trees.write(trees.Machine(), tmp_path / "empty")), folder=unpacked)
    assert bad.returncode == 1
    changed = (unpacked / "deploy.env").read_text().replace("TOKENS=9472", "TOKENS=9479")
    (unpacked / "deploy.env").write_text(changed)
    spoiled = bare(*call, str(tmp_path / "machine"), folder=unpacked)
    assert spoiled.returncode == 1 and "HIP_MAX_CONTEXT_TOKENS" in spoiled.stdout
    assert bare("vramtuner_verify.py", "none.env", folder=unpacked).returncode == 2


def test_a_bare_python_runs_a_program_under_the_guard(unpacked: Path) -> None:
    (unpacked / "app.py").write_text(
        "import os, sys\nprint(sys.argv[1:], os.environ['HIP_MAX_CONTEXT_TOKENS'])\nsys.exit(7)\n"
    )
    done = bare("vramtuner_guard.py", "--env", "deploy.env", "app.py", "a b", "--c", folder=unpacked)
    assert (done.returncode, done.stdout, done.stderr) == (7, "['a b', '--c'] 9472\n", "")
    program = "import sys; sys.path.insert(0, '.'); import vramtuner_guard; vramtuner_guard.Guard(5).admit(6)"
    refused = bare("-c", program, folder=unpacked)
    assert "Requested context (6 tokens) exceeds the safe limit of 5 tokens" in refused.stderr


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler (cc) is here to build the library with")
def test_the_library_is_built_from_the_sources_in_the_bundle(unpacked: Path) -> None:
    done = subprocess.run(["sh", "native/build.sh"], cwd=unpacked, capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr
    assert (unpacked / "native/libvramtuner_pool.so").stat().st_size > 1000


def test_a_changed_file_or_one_that_is_no_archive_is_left_alone(text: str, tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="line"):
        write_bundle(text.replace("TOKENS=9472", "TOKENS=9473"), tmp_path / "deploy.tar.gz")
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(BadInputError, match="no archive"):
        write_bundle(text, tmp_path / "notes.txt")
    assert not (tmp_path / "deploy.tar.gz").exists() and (tmp_path / "notes.txt").read_text() == "mine"


def test_another_engine_is_started_by_its_own_command() -> None:
    command = ("vllm", "serve", "MODEL", "--max-model-len", "8192")
    found = bundle_files(render(deployment(engine="vllm", command=command)))
    assert b"ExecStart=/usr/bin/env vllm serve MODEL --max-model-len 8192\n" in found["vramtuner.service"]
    assert b"vllm serve MODEL --max-model-len 8192`, or adapt" in found["README.md"]
    plain = bundle_files(render(deployment()))
    assert b"vramtuner_guard.py" in plain["vramtuner.service"] and b"vllm" not in plain["README.md"]
