"""The same file means the same to everyone who reads env files: shells, systemd, containers, Kubernetes, python-dotenv.

Each is the real program.  Names that a model or a device may have are hostile: what comes out is what `parse` says, or
the file was refused.
"""

import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from socketserver import ThreadingUnixStreamServer
from typing import Any, ClassVar

import pytest
from dotenv import dotenv_values
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent))
from test_envfile import LEVERS, LOCAL, PASSES, VALIDATED, deployment

from vramtuner.core.deploy.envfile import parse, render
from vramtuner.core.errors import BadInputError

HOSTILE = 200
_OF_THE_SHELL = ("PATH", "PWD", "OLDPWD", "_", "SHLVL")
GENERATOR = Path("/usr/lib/systemd/user-environment-generators/30-systemd-environment-d-generator")
Read = Callable[[Sequence[Path]], list[dict[str, str]]]
"""What each of some files means."""

WORST = (
    "$(touch injected)", "`touch injected`", "a\nEVIL=1", "a\r\nEVIL=1", "a # b", "a=b=c", "'quoted'", '"quoted"',
    "${HOME}", "%h %%", "a\x00b", "\ud800\udcff", "\u202eevil", "x" * 10_000, "", " ", "\t", "export EVIL=1", "a;b|c&d",
    "\\\\n", "~", "!!", "*", "\u2028EVIL=1", "\x85EVIL=1", "é", "-", "--help", "#", "# EVIL=1", "a\vEVIL=1",
    "a\fEVIL=1",
)  # fmt: skip


def need(program: str) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")


# ---- who reads


def shell(program: str) -> Read:
    """Each file is sourced in a shell of its own, which has nothing else."""
    script = r'for f do (set -a; . "$f"; unset f; env -0); printf "=\0"; done'

    def read(files: Sequence[Path]) -> list[dict[str, str]]:
        need(program)
        found = []
        done = subprocess.run(
            [program, "-c", script, program, *map(str, files)],
            env={"PATH": os.environ["PATH"]}, cwd=files[0].parent, capture_output=True, check=True, timeout=120,
        )  # fmt: skip
        assert done.stderr == b""
        for text in done.stdout.decode().split("\0=\0")[:-1]:
            pairs = dict(pair.split("=", 1) for pair in text.split("\0") if pair)
            found.append(
                {name: value for name, value in pairs.items() if name not in ("PATH", "PWD", "OLDPWD", "_", "SHLVL")}
            )
        return found

    return read


def dotenv(files: Sequence[Path]) -> list[dict[str, str]]:
    return [{name: value or "" for name, value in dotenv_values(file).items()} for file in files]


def kubernetes(files: Sequence[Path]) -> list[dict[str, str]]:
    need("kubectl")
    found = []
    for file in files:
        command = ["kubectl", "create", "configmap", "x", f"--from-env-file={file}", "--dry-run=client", "-o", "json"]
        done = subprocess.run(command, capture_output=True, check=True, timeout=60)
        found.append(dict(json.loads(done.stdout)["data"]))
    return found


def systemd(files: Sequence[Path]) -> list[dict[str, str]]:
    """The parser of systemd that can be had without its manager; it says nothing of variables that are empty."""
    if not GENERATOR.exists():
        pytest.skip("systemd is not installed")
    found = []
    for file in files:
        folder = file.parent / f"home-{file.stem}" / "environment.d"
        folder.mkdir(parents=True)
        shutil.copy(file, folder / "deploy.conf")
        environ = {"PATH": os.environ["PATH"], "XDG_CONFIG_HOME": str(folder.parent), "HOME": str(folder.parent)}
        done = subprocess.run([GENERATOR], env=environ, capture_output=True, text=True, check=True, timeout=60)
        pairs = dict(line.split("=", 1) for line in done.stdout.splitlines())
        ours = {name: value for name, value in pairs.items() if name != "QT_ACCESSIBILITY"}
        found.append(ours | {name: "" for name, value in parse(file.read_text()).items() if not value})
    return found


class Engine(BaseHTTPRequestHandler):
    """As much of a container engine as its client needs to hand over what it has read."""

    created: ClassVar[list[dict[str, Any]]] = []

    def do_HEAD(self) -> None:
        self._answer(200, {})

    def do_GET(self) -> None:
        self._answer(200, {})

    def do_POST(self) -> None:
        self.created.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self._answer(201, {"Id": "0" * 64, "Warnings": []})

    def _answer(self, code: int, body: dict[str, Any]) -> None:
        text = b"" if self.command == "HEAD" else json.dumps(body).encode()
        self.send_response(code)
        self.send_header("Api-Version", "1.44")
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def address_string(self) -> str:
        return "client"

    def log_message(self, *_: object) -> None:
        pass


def containers(files: Sequence[Path]) -> list[dict[str, str]]:
    """Docker's own client reads the file; what it asks an engine to create is looked at."""
    need("docker")
    socket = files[0].parent / "e.sock"
    with ThreadingUnixStreamServer(str(socket), Engine) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            found = []
            for file in files:
                Engine.created.clear()
                command = ["docker", "-H", f"unix://{socket}", "create", "--env-file", str(file), "image"]
                done = subprocess.run(command, capture_output=True, text=True, timeout=60)
                assert done.returncode == 0, done.stderr
                found.append(dict(pair.split("=", 1) for pair in Engine.created[-1]["Env"]))
        finally:
            server.shutdown()
            thread.join()
            socket.unlink()
    return found


READERS: Mapping[str, Read] = {
    "dash": shell("dash"), "bash": shell("bash"), "python-dotenv": dotenv, "kubectl": kubernetes, "systemd": systemd,
    "docker": containers,
}  # fmt: skip
QUICK = ("dash", "bash", "python-dotenv")
"""Those that read hundreds of files in a moment; each of the others is a process a file."""


# ---- what they read


def written(texts: Sequence[str], folder: Path) -> list[Path]:
    files = [folder / f"{number}.env" for number in range(len(texts))]
    for file, text in zip(files, texts, strict=True):
        file.write_text(text)
    return files


def rendered(name: str) -> list[str]:
    """Files with this name for everything that a file has from elsewhere; those that are refused are not there."""
    device = type(LOCAL)(
        **{**{f: getattr(LOCAL, f) for f in LOCAL.__struct_fields__}, "name": name, "gfx": name or "g"}
    )
    kinds = (
        {"model": name, "device": device, "validated_on": name, "passes": PASSES},
        {"versions": {"torch": name}}, {"created": name}, {"variables": (("A_VARIABLE", name),)},
        {"model_hash": name}, {"levers": type(LEVERS)(pool_bytes=2**33, token_cap=9, keep_modules=("a", "b"))},
    )  # fmt: skip
    found = []
    for changes in kinds:
        try:
            found.append(render(deployment(**changes)))
        except BadInputError as error:
            assert "\n" not in str(error)
    assert found  # a name of a model or a device is never a reason to refuse
    return found


@pytest.fixture(scope="module")
def hostile() -> list[str]:
    texts: list[str] = [text for name in WORST for text in rendered(name)]

    @settings(
        max_examples=HOSTILE, database=None, deadline=None, phases=[Phase.generate],
        suppress_health_check=[HealthCheck.too_slow],
    )  # fmt: skip
    @given(st.text(max_size=200) | st.text("$`\\\"'#=\n\r\t ;&|(){}%!*~\0", max_size=40))
    def collect(name: str) -> None:
        texts.extend(rendered(name))

    collect()
    assert len(texts) > HOSTILE
    return texts


@pytest.mark.parametrize("reader", READERS)
def test_everyone_reads_the_same(reader: str, tmp_path: Path) -> None:
    texts = [render(VALIDATED), render(deployment()), *rendered(WORST[0]), *rendered(WORST[2])]
    assert READERS[reader](written(texts, tmp_path)) == [parse(text) for text in texts]


@pytest.mark.parametrize("reader", QUICK)
def test_nothing_that_a_name_holds_becomes_a_variable(reader: str, hostile: list[str], tmp_path: Path) -> None:
    known = set(parse(render(VALIDATED))) | set(parse(render(deployment()))) | {"A_VARIABLE"}
    read = READERS[reader](written(hostile, tmp_path))
    assert read == [parse(text) for text in hostile]
    assert all(set(variables) <= known for variables in read)
    assert not (tmp_path / "injected").exists()


@pytest.fixture(autouse=True)
def nothing_was_run(tmp_path: Path) -> Iterator[None]:
    yield
    assert not list(tmp_path.rglob("injected"))
