"""Add PyTorch to the ``.venv`` that is there, for the window's button: what ``make run TORCH=cpu`` would take.

    python packaging/add_torch.py          TORCH and WHEELS as for bootstrap.py

Everything is downloaded first, which Ctrl+C (SIGINT) stops and which leaves nothing behind.  Then it is installed
without the network, which nothing stops, because half a PyTorch is worse than none.  ``.venv`` is never made anew: the
window that asked runs from it.

Lines that begin with ``stage: `` are for people; ``final: `` is one that can be stopped no more; the rest is pip's.
"""

import contextlib
import fcntl
import os
import shutil
import signal
import subprocess
import sys
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import unquote

import bootstrap

FOLDER = "add-torch"
"""Where the wheels lie between the two steps, in ``.venv``; the window watches it grow."""


def requirements(root: Path) -> list[str]:
    """What the extra ``probe`` needs beside PyTorch itself."""
    extras = tomllib.loads((root / "pyproject.toml").read_text())["project"]["optional-dependencies"]["probe"]
    return [name for name in extras if not name.startswith("torch")]


def tell(line: str) -> None:
    """One line for the window, which may be closed by now."""
    with contextlib.suppress(OSError):
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()


def run_pip(root: Path, command: Sequence[str], environment: Mapping[str, str]) -> int:
    """Run pip and pass on what it prints; what it downloads is told by name and size."""
    with subprocess.Popen(
        command,
        cwd=root,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as process:
        for line in process.stdout or ():
            tell(line.rstrip())
            words = line.split()
            if words[:1] == ["Downloading"] and words[1:]:
                name = unquote(words[1].rpartition("/")[2].partition("#")[0])
                tell(f"stage: Downloading {'-'.join(name.split('-')[:2])} {' '.join(words[2:4])}".rstrip())
    return process.returncode


def add(root: Path, environ: Mapping[str, str]) -> None:
    """Download, then install; raises `bootstrap.SetupError` and has changed nothing if anything cannot be had."""
    wheels = environ.get("WHEELS", "")
    facts = bootstrap.find_facts(environ)
    choice = bootstrap.choose_torch(facts, environ.get("TORCH", ""), str(Path(wheels).resolve()) if wheels else "")
    if choice.build == "skip":
        raise bootstrap.SetupError("TORCH=skip leaves PyTorch out", 2)
    folder = root / ".venv" / FOLDER
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    try:
        tell(f"stage: Looking for PyTorch, {choice.title}")
        found = bootstrap.find_torch(root, choice, bootstrap.run_here)
        download(root, choice, found, folder)
        # From here on a window that is closed, or a Ctrl+C, changes nothing: ignored signals are inherited.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        tell("final: Installing PyTorch; this cannot be stopped")
        command = [
            *bootstrap.pip_install(root), "--no-index", "--find-links", str(folder), *requirements(root),
            found.requirement,
        ]  # fmt: skip
        done = bootstrap.run_here(command)
        if done.returncode:
            tell(done.stdout)
            raise bootstrap.SetupError("PyTorch could not be installed; is the disk full?")
        keep_stamp(root, choice.build)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def download(root: Path, choice: bootstrap.TorchChoice, found: bootstrap.FoundTorch, folder: Path) -> None:
    """Fetch all wheels into a folder, PyTorch's first; wheels only, so that no code of theirs runs here."""
    environment = {**bootstrap.BUILD_ENVIRONMENT, "TMPDIR": str(folder)}
    options = ["-c", "packaging/constraints.txt", "--only-binary", ":all:", "--dest", str(folder)]
    # PyTorch's own index has little else: the rest comes from wherever pip is set up to look.
    others = choice.places[0]
    for places, names in (
        (found.place, [found.requirement]),
        ((*others, "--find-links", str(folder)), [*requirements(root), found.requirement]),
    ):
        if run_pip(root, [*bootstrap.pip(root), "download", *options, *places, *names], environment):
            raise bootstrap.SetupError("PyTorch could not be downloaded; check the network and try again")


def keep_stamp(root: Path, build: str) -> None:
    """Let the next ``make run`` know, if this is all that it would have done."""
    before = bootstrap.read_stamp(root)
    was = bootstrap.installation_key(root, "skip", bootstrap.PYTHON)
    if before is not None and not before.dev and before.key == was:
        bootstrap.write_stamp(root, bootstrap.Stamp(bootstrap.installation_key(root, build, bootstrap.PYTHON), False))


def main() -> int:
    """Add PyTorch for the environment given; the exit code."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job of a shell would ignore it
    root = bootstrap.ROOT
    try:
        with (root / ".venv" / f"{FOLDER}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            add(root, os.environ)
    except BlockingIOError:
        tell("stage: Another window is installing PyTorch already")
        return 1
    except OSError as error:
        tell(f"stage: PyTorch could not be installed: {error.strerror} ({error.filename})")
        return 1
    except bootstrap.SetupError as error:
        tell(f"stage: {error}")
        return error.exit_code
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
