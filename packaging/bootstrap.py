"""Make ``.venv`` and install everything into it; what ``make run`` and ``make test`` call first.

Standard library only.  Quick and silent when nothing that decides the installation has changed since the last time.

    TORCH=skip      no PyTorch: forecasts of the presets only
    TORCH=cpu       the CPU build, which is what a machine without ROCm gets
    TORCH=rocmX.Y   the build for that ROCm version, from PyTorch's own wheel index
    WHEELS=folder   take every package from a folder; nothing is downloaded
    V=1             show pip's output
"""

import ctypes
import hashlib
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
STAMP = VENV / ".vramtuner-installed"
CONSTRAINTS = ROOT / "packaging" / "constraints.txt"
# PyTorch publishes its ROCm and CPU builds on an index of its own and nowhere else.
TORCH_INDEX = "https://download.pytorch.org/whl"
CPU_TORCH = "torch==2.13.0+cpu"

# What Qt's xcb platform loads at run time, and the Debian package that has it.
QT_LIBRARIES = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libfontconfig.so.1": "libfontconfig1",
    "libdbus-1.so.3": "libdbus-1-3",
}


class SetupError(Exception):
    """The installation cannot go on; the message says what to do next."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What decides which build of PyTorch fits this machine."""

    has_kfd: bool
    rocm_version: str | None


@dataclass(frozen=True, slots=True)
class TorchChoice:
    """One build of PyTorch: what to ask pip for, and the indexes to try in order (``None`` is pip's own)."""

    name: str
    requirement: str
    indexes: tuple[str | None, ...]


def choose_torch(facts: Facts, torch: str, wheels: str) -> TorchChoice | None:
    """The build to install; ``None`` for none at all.

    Parameters
    ----------
    torch, wheels
        The variables TORCH and WHEELS; empty when not set.

    Raises
    ------
    SetupError
        TORCH is none of the values it may have.
    """
    if torch == "skip":
        return None
    wanted = torch or (f"rocm{facts.rocm_version}" if facts.has_kfd and facts.rocm_version else "cpu")
    if wanted == "cpu":
        # pip's own configuration may hold the file already.  The local version keeps a CUDA build from ever matching.
        return TorchChoice("PyTorch (CPU build)", CPU_TORCH, (None,) if wheels else (None, f"{TORCH_INDEX}/cpu"))
    match = re.fullmatch(r"rocm(\d+\.\d+)(\.\d+)*", wanted)
    if match is None:
        raise SetupError(f"TORCH={torch} is not known; use TORCH=skip, TORCH=cpu or TORCH=rocmX.Y such as rocm6.4")
    index = None if wheels else f"{TORCH_INDEX}/rocm{match[1]}"
    return TorchChoice(f"PyTorch (ROCm {match[1]} build)", "torch", (index,))


def rocm_version(text: str) -> str | None:
    """Major and minor version in the text of ROCm's ``.info/version`` file."""
    match = re.match(r"\s*(\d{1,3})\.(\d{1,3})(?!\d)", text, re.ASCII)
    return f"{match[1]}.{match[2]}" if match else None


def read_facts() -> Facts:
    """Look at this machine."""
    for root in filter(None, (os.environ.get("ROCM_PATH"), "/opt/rocm")):
        try:
            found = rocm_version((Path(root) / ".info" / "version").read_text(errors="replace"))
        except OSError:
            continue
        if found:
            return Facts(Path("/dev/kfd").exists(), found)
    return Facts(Path("/dev/kfd").exists(), None)


def fingerprint(choice: TorchChoice | None, python: str, files: tuple[Path, ...]) -> str:
    """A hash of everything that decides what is installed, but for the development tools."""
    digest = hashlib.sha256(f"{choice}\n{python}\n{ROOT}\n".encode())
    for path in files:
        digest.update(path.read_bytes())
    return digest.hexdigest()


def is_installed(stamp: str, wanted: str, *, dev: bool) -> bool:
    """Whether a stamp's text says that what is wanted is there; with the development tools is as good as without."""
    return stamp.split() in ([[wanted, "dev"]] if dev else [[wanted, "dev"], [wanted, "run"]])


def missing_libraries() -> list[str]:
    """The shared libraries of Qt's that this machine lacks."""
    missing = []
    for name in QT_LIBRARIES:
        try:
            ctypes.CDLL(name)
        except OSError:
            missing.append(name)
    return missing


def install_system_packages(*, dev: bool) -> None:
    """Bring in what pip cannot: Python's venv, Qt's libraries, a font; and a virtual screen for the tests.

    Root installs them; anyone else is told the one line that does.

    Raises
    ------
    SetupError
        Something is missing and cannot be installed from here.
    """
    libraries = missing_libraries()
    packages = [QT_LIBRARIES[name] for name in libraries]
    if _module_is_missing("ensurepip"):
        packages.append(f"python{sys.version_info.major}.{sys.version_info.minor}-venv")
    if not any(any(Path(folder).rglob("*.[ot]tf")) for folder in ("/usr/share/fonts", "/usr/local/share/fonts")):
        packages.append("fonts-dejavu-core")
    if dev and shutil.which("Xvfb") is None:
        packages.append("xvfb")
    if not packages:
        return
    if shutil.which("apt-get") is None:
        say(f"Not found, and not installed from here: {', '.join([*libraries, *packages])}")
        return
    if os.geteuid() != 0:
        raise SetupError(f"packages are missing; run this first: sudo apt-get install {' '.join(packages)}")
    say(f"Installing system packages: {' '.join(packages)}")
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    run(["apt-get", "update"], environment)
    run(["apt-get", "install", "-y", "--no-install-recommends", *packages], environment)


def _module_is_missing(name: str) -> bool:
    return subprocess.run([sys.executable, "-c", f"import {name}"], capture_output=True, check=False).returncode != 0


def install(choice: TorchChoice | None, wheels: str, *, dev: bool) -> None:
    """Make the environment and fill it.

    Raises
    ------
    SetupError
        A step failed; its output has been shown.
    """
    if not (VENV / "bin" / "python").exists():
        say("Making .venv")
        run([sys.executable, "-m", "venv", "--clear", str(VENV)])
    source = ["--no-index", "--find-links", wheels] if wheels else []
    if choice is not None:
        say(f"Installing {choice.name}")
        install_torch(choice, source)
    extras = ",".join([*(["probe"] if choice else []), *(["dev"] if dev else [])])
    say(f"Installing vramtuner{f' with {extras}' if extras else ''}")
    target = f".[{extras}]" if extras else "."
    run(pip("install", "-c", str(CONSTRAINTS), *source, "-e", target))


def install_torch(choice: TorchChoice, source: list[str]) -> None:
    """Install one build from the first index that has it."""
    for index in choice.indexes:
        where = ["--index-url", index] if index else source
        # The last attempt shows why it failed; an earlier one that finds nothing is expected.
        last = index == choice.indexes[-1]
        if run(pip("install", "-c", str(CONSTRAINTS), *where, choice.requirement), quiet_failure=not last):
            return


def pip(*arguments: str) -> list[str]:
    return [str(VENV / "bin" / "python"), "-m", "pip", "--disable-pip-version-check", *arguments]


def run(command: list[str], environment: dict[str, str] | None = None, *, quiet_failure: bool = False) -> bool:
    """Run a step; its output is shown only if it fails, or with V=1.

    Raises
    ------
    SetupError
        It failed, unless ``quiet_failure`` asks for the answer instead.
    """
    verbose = os.environ.get("V") == "1"
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=not verbose, text=True, errors="replace", check=False
    )
    if done.returncode == 0:
        return True
    if quiet_failure:
        return False
    sys.stderr.write("".join(part for part in (done.stdout, done.stderr) if part)[-4000:])
    raise SetupError(f"this step failed: {' '.join(command[:6])} …")


def say(text: str) -> None:
    sys.stderr.write(f"[setup] {text}\n")
    sys.stderr.flush()


def main(arguments: list[str]) -> int:
    """Install what is missing; 0 when everything is there."""
    dev = "--dev" in arguments
    try:
        wheels = os.environ.get("WHEELS", "")
        choice = choose_torch(read_facts(), os.environ.get("TORCH", ""), wheels)
        files = (ROOT / "pyproject.toml", CONSTRAINTS, Path(__file__).resolve())
        wanted = fingerprint(choice, sys.version, files)
        if STAMP.is_file() and is_installed(STAMP.read_text(), wanted, dev=dev):
            return 0
        STAMP.unlink(missing_ok=True)
        install_system_packages(dev=dev)
        install(choice, wheels, dev=dev)
        STAMP.write_text(f"{wanted} {'dev' if dev else 'run'}\n")
    except SetupError as error:
        say(str(error))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
