"""Make ``.venv`` and install vramtuner in it; ``make run`` and ``make test`` begin here.

Standard library only, so that any Python from 3.11 on can run it.  A second run that has nothing to do is done at once.

    python packaging/bootstrap.py [--dev]

TORCH=cpu|rocm6.4|skip chooses the PyTorch build, WHEELS=DIR installs offline from a folder of wheels, V=1 shows pip's
output.
"""

import argparse
import ctypes
import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from time import monotonic

ROOT = Path(__file__).resolve().parent.parent
# hqq would compile kernels for a GPU when it is installed, with whatever `python` is on the path.
BUILD_ENVIRONMENT = {**os.environ, "DISABLE_CUDA": "1"}
DECIDING_FILES = ("pyproject.toml", "packaging/constraints.txt", "packaging/bootstrap.py")
PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"

PYTORCH_WHEELS = "https://download.pytorch.org/whl"
TORCH_TESTED = "2.13.0"
TORCH_OLDEST = "2.8"  # as pyproject.toml says

# What Qt's libraries and its xcb plugin load from the system, and the Debian package that has it.
QT_LIBRARIES = {
    "libGL.so.1": "libgl1",
    "libEGL.so.1": "libegl1",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfreetype6",
    "libX11.so.6": "libx11-6",
    "libX11-xcb.so.1": "libx11-xcb1",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libxcb.so.1": "libxcb1",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render.so.0": "libxcb-render0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-shm.so.0": "libxcb-shm0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-util.so.1": "libxcb-util1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
}
FONT_FOLDERS = ("/usr/share/fonts", "/usr/local/share/fonts", "~/.local/share/fonts", "~/.fonts")

Run = Callable[[Sequence[str]], "subprocess.CompletedProcess[str]"]


class SetupError(Exception):
    """The installation cannot go on; the text is one line that says what to do next."""

    def __init__(self, message: str, exit_code: int = 1) -> None:
        super().__init__(message)
        self.exit_code = exit_code


# --- which PyTorch ---


@dataclass(frozen=True, slots=True)
class Facts:
    """What this machine says about ROCm."""

    has_kfd: bool
    rocm_version: str | None


@dataclass(frozen=True, slots=True)
class TorchChoice:
    """A PyTorch build, ``cpu``, ``rocmX.Y`` or ``skip``, and the pip options of each place to look for it, in order."""

    build: str
    places: tuple[tuple[str, ...], ...]

    @property
    def title(self) -> str:
        """The build as a person reads it."""
        return "CPU build" if self.build == "cpu" else f"build for ROCm {self.build.removeprefix('rocm')}"


@dataclass(frozen=True, slots=True)
class FoundTorch:
    """A version of the chosen build, and the pip options of the place that has it."""

    place: tuple[str, ...]
    version: str

    @property
    def requirement(self) -> str:
        """What pip is asked for: with the build's label, so that nothing else satisfies it."""
        return f"torch=={self.version}"


def parse_rocm_version(text: str) -> str | None:
    """``6.4.1`` from the text of ROCm's version file, such as ``6.4.1-83``."""
    found = re.match(r"\s*([0-9]{1,3}\.[0-9]{1,3}(?:\.[0-9]{1,3})?)(?![0-9])", text)
    return found[1] if found else None


def find_facts(environ: Mapping[str, str]) -> Facts:
    """Look for the compute driver and for an installed ROCm."""
    folders = [environ.get("ROCM_PATH"), "/opt/rocm"]
    files = [Path(folder, ".info", "version") for folder in folders if folder]
    texts = [file.read_text(errors="replace") for file in files if os.access(file, os.R_OK) and file.is_file()]
    versions = [version for version in map(parse_rocm_version, texts) if version]
    return Facts(Path("/dev/kfd").exists(), versions[0] if versions else None)


def choose_torch(facts: Facts, torch: str, wheels: str) -> TorchChoice:
    """Choose the build for the values of TORCH and WHEELS; ROCm where it was found, else the CPU build.

    First comes whatever pip is set up with, then PyTorch's own index; a folder of wheels replaces both.
    """
    if torch and not re.fullmatch(r"skip|cpu|rocm[0-9]+\.[0-9]+", torch):
        raise SetupError(f"TORCH={torch} is no PyTorch build; use TORCH=cpu, TORCH=rocm6.4 or TORCH=skip", 2)
    build = torch or _found_build(facts)
    if build == "skip":
        return TorchChoice(build, ())
    index = ("--index-url", f"{PYTORCH_WHEELS}/{build}")
    return TorchChoice(build, (offline_options(wheels),) if wheels else ((), index))


def _found_build(facts: Facts) -> str:
    if not (facts.has_kfd and facts.rocm_version):
        return "cpu"
    return "rocm" + ".".join(facts.rocm_version.split(".")[:2])


def pick_torch_version(available: Iterable[str], build: str) -> str | None:
    """The version to install, always with its build label, so that no CUDA build can satisfy it.

    The CPU build is the tested one.  ROCm indexes hold few releases each: the newest up to the tested one, or the
    first after it.
    """
    if build == "cpu":
        exact = f"{TORCH_TESTED}+cpu"
        return exact if exact in set(available) else None
    ours = sorted((v for v in available if v.endswith(f"+{build}")), key=_release)
    usable = [v for v in ours if _release(v) >= _release(TORCH_OLDEST)]
    tested = [v for v in usable if _release(v) <= _release(TORCH_TESTED)]
    return tested[-1] if tested else next(iter(usable), None)


def _release(version: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"[0-9]+", version.partition("+")[0])))


def offline_options(wheels: str) -> tuple[str, ...]:
    """The pip options for installing from a folder of wheels only; none without one."""
    return ("--no-index", "--find-links", wheels) if wheels else ()


# --- whether anything is to be done ---


@dataclass(frozen=True, slots=True)
class Stamp:
    """What ``.venv`` holds: a hash of all that decided it, and whether the development tools are in it.

    The key is empty while an installation is under way.
    """

    key: str
    dev: bool

    def covers(self, wanted: "Stamp") -> bool:
        """Whether nothing is left to install; the development tools are a superset."""
        return bool(self.key) and self.key == wanted.key and (self.dev or not wanted.dev)


def installation_key(root: Path, build: str, python: str) -> str:
    """A hash of everything that decides what is installed."""
    contents = [(root / name).read_text() for name in DECIDING_FILES]
    return hashlib.sha256(json.dumps([str(root), build, python, contents]).encode()).hexdigest()


def stamp_path(root: Path) -> Path:
    """Where the stamp lies: it goes when ``.venv`` goes."""
    return root / ".venv" / "vramtuner-installed.json"


def read_stamp(root: Path) -> Stamp | None:
    """The stamp of the last run; an unreadable one counts as an installation under way."""
    try:
        data = json.loads(stamp_path(root).read_text())
        return Stamp(str(data["key"]), bool(data["dev"]))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError):
        return Stamp("", False)


def write_stamp(root: Path, stamp: Stamp) -> None:
    """Leave the stamp for the next run."""
    stamp_path(root).write_text(json.dumps(asdict(stamp)))


def is_sound(root: Path, python: str) -> bool:
    """Whether ``.venv`` was made to its end, in this folder, by this Python (its scripts name the folder)."""
    venv = root / ".venv"
    pip = venv / "bin" / "pip"
    return (
        (venv / "bin" / "python").exists()
        and (venv / "lib" / f"python{python}" / "site-packages" / "pip").is_dir()
        and pip.is_file()
        and f"{venv / 'bin'}/" in pip.read_text(errors="replace")
    )


def is_current(root: Path, wanted: Stamp, python: str) -> bool:
    """Whether a run can end here."""
    stamp = read_stamp(root)
    return stamp is not None and stamp.covers(wanted) and is_sound(root, python)


# --- what the system must have ---


def missing_libraries(loads: Callable[[str], bool]) -> list[str]:
    """The libraries of Qt that do not load."""
    return [name for name in QT_LIBRARIES if not loads(name)]


def loads_here(library: str) -> bool:
    """Whether the system's loader finds this library."""
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def missing_packages(
    libraries: Iterable[str], has_ensurepip: bool, has_fonts: bool, has_screen: bool, python: str
) -> list[str]:
    """The Debian packages to install for what is missing; ``has_screen`` is Xvfb, which only tests need."""
    others = {f"python{python}-venv": has_ensurepip, "fonts-dejavu-core": has_fonts, "xvfb": has_screen}
    return [*(name for name, is_here in others.items() if not is_here), *(QT_LIBRARIES[name] for name in libraries)]


def require_system(run: Run, dev: bool) -> None:
    """Install what the system lacks where we may, else say which command does."""
    libraries = missing_libraries(loads_here)
    has_ensurepip = importlib.util.find_spec("ensurepip") is not None
    folders = [Path(folder).expanduser() for folder in FONT_FOLDERS]
    has_fonts = any(next(folder.rglob("*.[ot]tf"), None) for folder in folders)
    has_screen = not dev or shutil.which("Xvfb") is not None
    packages = missing_packages(libraries, has_ensurepip, has_fonts, has_screen, PYTHON)
    if not packages:
        return
    if not shutil.which("apt-get"):
        say(f"Not found here; if the window does not open, install what has them: {' '.join(libraries or packages)}")
        return
    command = f"apt-get install --no-install-recommends {' '.join(packages)}"
    if os.geteuid() != 0:
        raise SetupError(f"the system lacks something; run this, then the same command again: sudo {command}")
    say(f"Installing {len(packages)} system packages: {' '.join(packages)} …")
    failure = f"apt-get could not install the system packages; when the cause above is gone, run: {command}"
    apt = ("env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-q")
    require(run([*apt, "update"]), failure)
    require(run([*apt, "install", "-y", "--no-install-recommends", *packages]), failure)


# --- the installation ---


def install(root: Path, choice: TorchChoice, wanted: Stamp, wheels: str, run: Run) -> None:
    """Make or mend ``.venv`` and install into it; the stamp is complete only when all of it went well."""
    stamp = read_stamp(root)
    interrupted = stamp is not None and not stamp.key
    if interrupted or not is_sound(root, PYTHON):
        say(f"Making .venv with Python {PYTHON} …")
        made = run([base_python(), "-m", "venv", "--clear", str(root / ".venv")])
        require(made, "the folder .venv could not be made; remove it and run the same command again")
    torch = [] if choice.build == "skip" else [find_torch(root, choice, run)]
    write_stamp(root, Stamp("", wanted.dev))
    for found in torch:
        say(f"Installing PyTorch {found.version.partition('+')[0]} ({choice.title}) …")
        done = run([*pip_install(root), *found.place, found.requirement])
        require(done, "PyTorch could not be installed; when the cause above is gone, run the same command again")
    # The extra `kv` is for tests unless somebody asks pip for it: it is built from source, for two of six caches.
    kinds = {"probe": bool(torch), "dev": wanted.dev, "kv": bool(torch) and wanted.dev}
    extras = ",".join(name for name, given in kinds.items() if given)
    say("Installing vramtuner and its libraries …")
    # Naming torch again holds the build chosen above against whatever the extra could otherwise pull in.
    editable = ["-e", f".[{extras}]" if extras else ".", *(found.requirement for found in torch)]
    done = run([*pip_install(root), *offline_options(wheels), *editable])
    require(done, "the libraries could not be installed; when the cause above is gone, run the same command again")
    write_stamp(root, wanted)


def find_torch(root: Path, choice: TorchChoice, run: Run) -> FoundTorch:
    """The version to take, from the first place that has this build."""
    for place in choice.places:
        listing = run([*pip(root), "index", "versions", "torch", *place]).stdout or ""
        line = re.search(r"^Available versions: (.*)$", listing, re.MULTILINE)
        version = pick_torch_version(line[1].split(", "), choice.build) if line else None
        if version:
            return FoundTorch(place, version)
    other = "TORCH=cpu" if choice.build != "cpu" else "TORCH=skip (forecasts without passes)"
    raise SetupError(
        f"no PyTorch {choice.title} was found for Python {PYTHON}; check the network, give a folder of wheels with "
        f"WHEELS=DIR, or choose another build: TORCH=rocmX.Y or {other}"
    )


def base_python() -> str:
    """The Python outside any virtual environment: ``.venv``'s own goes when the folder is made anew."""
    return str(Path(sys.executable).resolve())


def pip(root: Path) -> list[str]:
    """The pip of ``.venv``, asking nothing."""
    return [str(root / ".venv" / "bin" / "python"), "-m", "pip", "--disable-pip-version-check", "--no-input"]


def pip_install(root: Path) -> list[str]:
    """An installation of the tested versions."""
    return [*pip(root), "install", "-c", "packaging/constraints.txt"]


def say(line: str) -> None:
    """One line of progress; standard output belongs to the program that is started next."""
    sys.stderr.write(f"{line}\n")


def run_here(command: Sequence[str]) -> "subprocess.CompletedProcess[str]":
    """Run a command in the project folder and keep what it prints; with V=1 show it too, as it comes."""
    show = os.environ.get("V") == "1"
    lines = []
    with subprocess.Popen(
        command,
        cwd=ROOT,
        env=BUILD_ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as process:
        for line in process.stdout or ():
            lines.append(line)
            if show:
                sys.stderr.write(line)
    return subprocess.CompletedProcess(command, process.returncode, "".join(lines))


def require(done: "subprocess.CompletedProcess[str]", failure: str) -> None:
    """Stop when a command failed, with the end of what it printed."""
    if done.returncode != 0:
        sys.stderr.write("".join((done.stdout or "").splitlines(keepends=True)[-30:]))
        raise SetupError(failure)


def set_up(dev: bool, environ: Mapping[str, str]) -> None:
    """Bring ``.venv`` to what is wanted, or find it so."""
    started = monotonic()
    wheels = environ.get("WHEELS", "")
    if wheels and not Path(wheels).is_dir():
        raise SetupError(f"WHEELS={wheels} is no folder; give the folder that holds the wheels", 2)
    wheels = str(Path(wheels).resolve()) if wheels else ""
    torch, facts = environ.get("TORCH", ""), find_facts(environ)
    choice = choose_torch(facts, torch, wheels)
    wanted = Stamp(installation_key(ROOT, choice.build, PYTHON), dev)
    if is_current(ROOT, wanted, PYTHON):
        return
    if not torch and facts.has_kfd and not facts.rocm_version:
        say("There is a GPU driver (/dev/kfd) but no ROCm: taking the CPU build; TORCH=rocm6.4 takes another.")
    before = read_stamp(ROOT)
    require_system(run_here, dev)
    install(ROOT, choice, replace(wanted, dev=dev or (before is not None and before.dev)), wheels, run_here)
    say(f"Installed in {monotonic() - started:.0f} s.")


def main() -> int:
    """Install for the command line and environment given; the exit code."""
    parser = argparse.ArgumentParser(description="Make .venv and install vramtuner in it.")
    parser.add_argument("--dev", action="store_true", help="with the tools for tests")
    options = parser.parse_args()
    try:
        set_up(options.dev, os.environ)
    except SetupError as error:
        say(f"vramtuner: {error}")
        return error.exit_code
    except KeyboardInterrupt:
        say("vramtuner: interrupted; run the same command again")
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
