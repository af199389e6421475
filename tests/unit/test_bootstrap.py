"""The installer: which PyTorch it takes, when it has nothing to do, and what it asks of the system."""

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

ROOT = Path(__file__).resolve().parents[2]


def _load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("vramtuner_bootstrap", ROOT / "packaging" / "bootstrap.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


bootstrap = _load()
NO_GPU = bootstrap.Facts(has_kfd=False, rocm_version=None)
ROCM_6_4_1 = bootstrap.Facts(has_kfd=True, rocm_version="6.4.1")
INDEX = "https://download.pytorch.org/whl"


# --- which PyTorch ---


@pytest.mark.parametrize(
    ("facts", "torch", "build"),
    [
        (NO_GPU, "", "cpu"),
        (ROCM_6_4_1, "", "rocm6.4"),
        (bootstrap.Facts(has_kfd=True, rocm_version="7.0"), "", "rocm7.0"),
        (bootstrap.Facts(has_kfd=True, rocm_version=None), "", "cpu"),
        (bootstrap.Facts(has_kfd=False, rocm_version="6.4.1"), "", "cpu"),
        (ROCM_6_4_1, "cpu", "cpu"),
        (ROCM_6_4_1, "rocm7.1", "rocm7.1"),
        (NO_GPU, "rocm6.3", "rocm6.3"),
    ],
)
def test_the_build_follows_torch_then_the_machine(facts: object, torch: str, build: str) -> None:
    choice = bootstrap.choose_torch(facts, torch, "")
    assert choice.build == build
    assert choice.places == ((), ("--index-url", f"{INDEX}/{build}"))


def test_skip_looks_nowhere() -> None:
    assert bootstrap.choose_torch(ROCM_6_4_1, "skip", "") == bootstrap.TorchChoice("skip", ())


@pytest.mark.parametrize("torch", ["cpu", "rocm6.4"])
def test_a_folder_of_wheels_is_the_only_place(torch: str) -> None:
    choice = bootstrap.choose_torch(NO_GPU, torch, "/wheels")
    assert choice.places == (("--no-index", "--find-links", "/wheels"),)


@pytest.mark.parametrize(
    "torch", ["cuda", "cu128", "rocm", "rocm6", "rocm6.4.1", "CPU", " cpu", "cpu --pre", "rocm6.4\n"]
)
def test_an_unknown_build_is_one_line_and_exit_2(torch: str) -> None:
    with pytest.raises(bootstrap.SetupError, match=r"use TORCH=cpu, TORCH=rocm6\.4 or TORCH=skip") as caught:
        bootstrap.choose_torch(NO_GPU, torch, "")
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("available", "build", "version"),
    [
        (["2.15.0", "2.13.0", "2.13.0+cpu"], "cpu", "2.13.0+cpu"),
        (["2.13.0+cu128", "2.13.0"], "cpu", None),
        (["2.14.0+cpu", "2.12.0+cpu"], "cpu", None),
        (["2.14.0+rocm7.2", "2.13.0+rocm7.2", "2.9.1+rocm7.2"], "rocm7.2", "2.13.0+rocm7.2"),
        (["2.9.1+rocm6.4", "2.10.0+rocm6.4", "2.13.0"], "rocm6.4", "2.10.0+rocm6.4"),
        (["2.16.0+rocm8.0", "2.15.0+rocm8.0"], "rocm8.0", "2.15.0+rocm8.0"),
        (["2.5.1+rocm6.2", "2.13.0+rocm6.2.4", "2.13.0"], "rocm6.2", None),
        ([], "rocm6.4", None),
    ],
)
def test_the_version_always_carries_the_label_of_its_build(
    available: list[str], build: str, version: str | None
) -> None:
    assert bootstrap.pick_torch_version(available, build) == version


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("6.4.1-83\n", "6.4.1"),
        ("7.0.0", "7.0.0"),
        ("7.0\n", "7.0"),
        ("  6.3.2 (build 9)", "6.3.2"),
        ("6", None),
        ("v6.4", None),
        ("", None),
        ("rocm-6.4.1", None),
        ("٦.٤.١", None),
    ],
)
def test_the_version_file_of_rocm(text: str, version: str | None) -> None:
    assert bootstrap.parse_rocm_version(text) == version


@given(st.text() | st.from_regex(r"[0-9]{1,4}\.[0-9]{1,4}[^a]{0,9}"))
def test_any_version_file_gives_a_usable_build_or_none(text: str) -> None:
    version = bootstrap.parse_rocm_version(text)
    if version is None:
        assert not re.match(r"[0-9]{1,3}\.[0-9]{1,3}($|[\s-])", text)
        return
    assert text.lstrip().startswith(version)
    found = bootstrap.choose_torch(bootstrap.Facts(True, version), "", "")
    assert found.build == "rocm" + ".".join(version.split(".")[:2])
    assert bootstrap.choose_torch(NO_GPU, found.build, "") == found  # what is found can also be asked for


def test_rocm_path_comes_first(tmp_path: Path) -> None:
    (tmp_path / ".info").mkdir()
    (tmp_path / ".info" / "version").write_text("6.3.4-76\n")
    assert bootstrap.find_facts({"ROCM_PATH": str(tmp_path)}).rocm_version == "6.3.4"


# --- whether anything is to be done ---


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project folder with the files that decide an installation."""
    for name in bootstrap.DECIDING_FILES:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text((ROOT / name).read_text())
    return tmp_path


class FakeRun:
    """Stands in for running commands: makes the files a virtual environment has, and keeps what was asked."""

    def __init__(self, root: Path, torch: str = "2.15.0, 2.13.0+cpu", fails: str = "nothing") -> None:
        self.root, self.torch, self.fails = root, torch, fails
        self.commands: list[list[str]] = []

    def __call__(self, command: Sequence[str]) -> "subprocess.CompletedProcess[str]":
        self.commands.append(list(command))
        if "venv" in command:
            make_venv(self.root)
        listing = f"torch (2.15.0)\nAvailable versions: {self.torch}\n" if "index" in command else ""
        return subprocess.CompletedProcess(command, int(self.fails in command), listing)

    def installed(self) -> list[list[str]]:
        """What each ``pip install`` was given after the constraints, which each must have."""
        installs = [c[c.index("install") + 1 :] for c in self.commands if "install" in c]
        assert all(arguments[:2] == ["-c", "packaging/constraints.txt"] for arguments in installs)
        return [arguments[2:] for arguments in installs]


def make_venv(root: Path) -> None:
    venv = root / ".venv"
    shutil.rmtree(venv, ignore_errors=True)
    (venv / "bin").mkdir(parents=True)
    (venv / "bin" / "python").touch()
    (venv / "bin" / "pip").write_text(f"#!{venv}/bin/python\n")
    (venv / "lib" / f"python{bootstrap.PYTHON}" / "site-packages" / "pip").mkdir(parents=True)


def wanted(root: Path, dev: bool = False, build: str = "cpu") -> "bootstrap.Stamp":
    return bootstrap.Stamp(bootstrap.installation_key(root, build, bootstrap.PYTHON), dev)


def install(root: Path, run: FakeRun, dev: bool = False, torch: str = "cpu", wheels: str = "") -> None:
    choice = bootstrap.choose_torch(NO_GPU, torch, wheels)
    bootstrap.install(root, choice, wanted(root, dev, choice.build), wheels, run)


def is_current(root: Path, dev: bool = False, build: str = "cpu", python: str = bootstrap.PYTHON) -> bool:
    current: bool = bootstrap.is_current(root, wanted(root, dev, build), python)
    return current


def test_nothing_is_current_before_the_first_run_and_all_is_after_it(project: Path) -> None:
    assert not is_current(project)
    install(project, FakeRun(project))
    assert is_current(project)


@pytest.mark.parametrize("name", ["pyproject.toml", "packaging/constraints.txt", "packaging/bootstrap.py"])
def test_a_change_in_what_decides_is_noticed(project: Path, name: str) -> None:
    install(project, FakeRun(project))
    before = (project / name).read_text()
    (project / name).write_text(before + "\n")
    assert not is_current(project)
    (project / name).write_text(before)
    assert is_current(project)


def test_another_torch_or_python_is_noticed(project: Path) -> None:
    install(project, FakeRun(project))
    assert not is_current(project, build="rocm6.4")
    assert not is_current(project, build="skip")
    assert not is_current(project, python="3.99")


@pytest.mark.parametrize(("has", "asks", "current"), [(True, False, True), (True, True, True), (False, True, False)])
def test_development_tools_are_a_superset(project: Path, has: bool, asks: bool, current: bool) -> None:
    install(project, FakeRun(project), dev=has)
    assert is_current(project, dev=asks) is current


def test_a_moved_folder_is_made_anew(project: Path) -> None:
    install(project, FakeRun(project))
    moved = project.with_name("moved")
    project.rename(moved)
    assert not is_current(moved)
    run = FakeRun(moved)
    install(moved, run)
    assert "--clear" in run.commands[0]


# --- the installation ---


def test_torch_comes_before_the_extra_that_needs_it_and_is_named_with_its_build_everywhere(project: Path) -> None:
    run = FakeRun(project)
    install(project, run)
    assert run.installed() == [["torch==2.13.0+cpu"], ["-e", ".[probe]", "torch==2.13.0+cpu"]]


def test_the_index_of_pytorch_is_asked_only_when_pip_finds_no_such_build(project: Path) -> None:
    class OnlyOnTheIndex(FakeRun):
        def __call__(self, command: Sequence[str]) -> "subprocess.CompletedProcess[str]":
            self.torch = "2.13.0+cpu" if "--index-url" in command else "2.15.0, 2.13.0"
            return super().__call__(command)

    run = OnlyOnTheIndex(project)
    install(project, run)
    assert run.installed()[0] == ["--index-url", f"{INDEX}/cpu", "torch==2.13.0+cpu"]


def test_no_build_of_torch_is_an_error_that_names_the_ways_out(project: Path) -> None:
    run = FakeRun(project, torch="2.15.0, 2.13.0")
    with pytest.raises(bootstrap.SetupError, match=r"WHEELS=DIR.*TORCH=skip"):
        install(project, run)
    assert run.installed() == []
    assert not is_current(project)


def test_looking_in_vain_for_a_build_leaves_the_environment_as_it_was(project: Path) -> None:
    install(project, FakeRun(project))
    with pytest.raises(bootstrap.SetupError, match="no PyTorch build for ROCm 9"):
        install(project, FakeRun(project), torch="rocm9.9")
    assert is_current(project)


def test_skip_installs_neither_torch_nor_the_probe(project: Path) -> None:
    run = FakeRun(project)
    install(project, run, dev=True, torch="skip")
    assert run.installed() == [["-e", ".[dev]"]]


def test_offline_every_installation_uses_the_folder_only(project: Path) -> None:
    run = FakeRun(project)
    install(project, run, wheels="/wheels")
    assert len(run.installed()) == 2
    for arguments in run.installed():
        assert arguments[:3] == ["--no-index", "--find-links", "/wheels"]


def test_a_change_is_installed_into_the_environment_that_is_there(project: Path) -> None:
    install(project, FakeRun(project))
    run = FakeRun(project)
    install(project, run, dev=True)
    assert not any("venv" in command for command in run.commands)
    assert len(run.installed()) == 2


def interrupt(root: Path) -> None:
    with pytest.raises(bootstrap.SetupError, match="run the same command again"):
        install(root, FakeRun(root, fails="-e"))


def lose_the_end_of_the_environment(root: Path) -> None:
    make_venv(root)
    (root / ".venv" / "bin" / "pip").unlink()


def spoil_the_stamp(root: Path) -> None:
    install(root, FakeRun(root))
    bootstrap.stamp_path(root).write_text('{"key": "a')


@pytest.mark.parametrize("damage", [interrupt, lose_the_end_of_the_environment, spoil_the_stamp])
def test_a_half_made_environment_is_made_anew(project: Path, damage: Callable[[Path], None]) -> None:
    damage(project)
    assert not is_current(project)
    run = FakeRun(project)
    install(project, run)
    assert run.commands[0][1:] == ["-m", "venv", "--clear", str(project / ".venv")]
    assert is_current(project)


@given(st.binary())
def test_any_stamp_is_read_and_garbage_covers_nothing(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    root = tmp_path_factory.mktemp("root")
    (root / ".venv").mkdir()
    bootstrap.stamp_path(root).write_bytes(data)
    assert not bootstrap.read_stamp(root).covers(bootstrap.Stamp("key", False))


def test_the_stamp_is_what_was_written(project: Path) -> None:
    install(project, FakeRun(project), dev=True)
    assert json.loads(bootstrap.stamp_path(project).read_text()) == {"key": wanted(project).key, "dev": True}


# --- what the system must have ---


def test_missing_libraries_become_debian_packages() -> None:
    missing = bootstrap.missing_libraries(lambda name: name not in {"libEGL.so.1", "libxcb-cursor.so.0"})
    assert missing == ["libEGL.so.1", "libxcb-cursor.so.0"]
    assert bootstrap.missing_packages(missing, False, False, has_screen=True, python="3.12") == [
        "python3.12-venv", "fonts-dejavu-core", "libegl1", "libxcb-cursor0",
    ]  # fmt: skip
    assert bootstrap.missing_packages([], has_ensurepip=True, has_fonts=True, has_screen=True, python="3.12") == []
    assert bootstrap.missing_packages([], True, True, has_screen=False, python="3.12") == ["xvfb"]


def test_the_table_has_every_library_that_qt_loads_from_the_system() -> None:
    """What Qt's own files name, less what lies beside them and what every system has."""
    package = importlib.util.find_spec("PySide6")
    assert package is not None and package.origin is not None
    libraries = Path(package.origin).parent / "Qt" / "lib"
    needed: set[str] = set()
    for name in ("libQt6Core.so.6", "libQt6Gui.so.6", "libQt6Widgets.so.6", "libQt6XcbQpa.so.6"):
        needed |= set(re.findall(rb"lib[A-Za-z0-9_.+-]+\.so\.[0-9]+(?=\0)", (libraries / name).read_bytes()))
    assert b"libxcb-cursor.so.0" in needed
    names = {os.fsdecode(name) for name in needed}
    ours = {name for name in names if not (libraries / name).exists()}
    always_there = {"libc.so.6", "libm.so.6", "libgcc_s.so.1", "libstdc++.so.6", "libz.so.1", "libzstd.so.1"}
    threads_of_glib = {"libgthread-2.0.so.0"}  # in the package of libglib-2.0
    assert ours - always_there - threads_of_glib <= set(bootstrap.QT_LIBRARIES)


def test_packaging_does_not_shadow_the_library_of_that_name() -> None:
    assert not (ROOT / "packaging" / "__init__.py").exists()


def test_constraints_leave_the_build_of_torch_open() -> None:
    lines = (ROOT / "packaging" / "constraints.txt").read_text().splitlines()
    pins = [line for line in lines if line and not line.startswith("#")]
    assert len(pins) >= 20 and all(re.fullmatch(r"[A-Za-z0-9_-]+==[0-9.]+(post[0-9]+)?", pin) for pin in pins)
    assert not [pin for pin in pins if pin.startswith("torch=")]
