"""What `make run` installs: the choice of PyTorch's build, and when nothing needs doing."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

ROOT = Path(__file__).resolve().parents[2]


def _load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("bootstrap", ROOT / "packaging" / "bootstrap.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["bootstrap"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


bootstrap = _load()
NO_ROCM = bootstrap.Facts(has_kfd=False, rocm_version=None)
ROCM = bootstrap.Facts(has_kfd=True, rocm_version="6.4")


def test_a_machine_without_rocm_gets_the_pinned_cpu_build_and_never_another() -> None:
    choice = bootstrap.choose_torch(NO_ROCM, "", "")
    assert choice.requirement == "torch==2.13.0+cpu"
    assert choice.indexes[0] is None
    assert choice.indexes[1].endswith("/whl/cpu")


def test_a_machine_with_rocm_gets_the_build_for_its_version() -> None:
    choice = bootstrap.choose_torch(ROCM, "", "")
    assert choice.requirement == "torch"
    assert len(choice.indexes) == 1
    assert choice.indexes[0].endswith("/whl/rocm6.4")


@pytest.mark.parametrize(
    "facts", [bootstrap.Facts(has_kfd=True, rocm_version=None), bootstrap.Facts(has_kfd=False, rocm_version="6.4")]
)
def test_half_a_rocm_is_none(facts: object) -> None:
    assert bootstrap.choose_torch(facts, "", "").requirement == "torch==2.13.0+cpu"


def test_the_variable_overrides_what_is_found() -> None:
    assert bootstrap.choose_torch(ROCM, "skip", "") is None
    assert bootstrap.choose_torch(ROCM, "cpu", "").requirement == "torch==2.13.0+cpu"
    assert bootstrap.choose_torch(NO_ROCM, "rocm7.0", "").indexes[0].endswith("/whl/rocm7.0")
    assert bootstrap.choose_torch(NO_ROCM, "rocm6.4.1", "").indexes[0].endswith("/whl/rocm6.4")


@pytest.mark.parametrize("torch", ["", "cpu", "rocm6.4"])
def test_offline_no_index_is_asked(torch: str) -> None:
    assert bootstrap.choose_torch(NO_ROCM, torch, "wheels").indexes == (None,)


@pytest.mark.parametrize("torch", ["gpu", "rocm", "rocm6", "CPU", "rocm6.4; rm", "cu121"])
def test_an_unknown_build_is_refused_with_what_would_be_accepted(torch: str) -> None:
    with pytest.raises(bootstrap.SetupError, match="TORCH=skip, TORCH=cpu or TORCH=rocm"):
        bootstrap.choose_torch(NO_ROCM, torch, "")


@pytest.mark.parametrize(
    ("text", "version"),
    [("6.4.1-83\n", "6.4"), ("7.0.0", "7.0"), ("10.2.0-1", "10.2"), ("", None), ("unknown", None), ("6", None)],
)
def test_rocm_version_files(text: str, version: str | None) -> None:
    assert bootstrap.rocm_version(text) == version


@given(st.text())
def test_any_version_file_gives_a_version_or_none(text: str) -> None:
    version = bootstrap.rocm_version(text)
    assert version is None or bootstrap.choose_torch(bootstrap.Facts(has_kfd=True, rocm_version=version), "", "")


def test_nothing_is_done_when_nothing_changed(tmp_path: Path) -> None:
    file = tmp_path / "pyproject.toml"
    file.write_text("one")
    choice = bootstrap.choose_torch(NO_ROCM, "", "")
    before = bootstrap.fingerprint(choice, "3.11", (file,))
    assert bootstrap.fingerprint(choice, "3.11", (file,)) == before
    file.write_text("two")
    changed = bootstrap.fingerprint(choice, "3.11", (file,))
    assert changed != before
    assert bootstrap.fingerprint(choice, "3.12", (file,)) != changed
    assert bootstrap.fingerprint(None, "3.11", (file,)) != changed
    assert bootstrap.is_installed(f"{before} dev\n", before, dev=True)
    assert not bootstrap.is_installed(f"{changed} dev\n", before, dev=True)


def test_the_tools_of_development_are_a_superset() -> None:
    assert bootstrap.is_installed("abc dev\n", "abc", dev=False)
    assert bootstrap.is_installed("abc run\n", "abc", dev=False)
    assert not bootstrap.is_installed("abc run\n", "abc", dev=True)
    assert not bootstrap.is_installed("", "abc", dev=False)


def test_torch_is_not_pinned_by_the_constraints() -> None:
    names = [line.partition("==")[0] for line in (ROOT / "packaging" / "constraints.txt").read_text().splitlines()]
    assert "transformers" in names
    assert "torch" not in names


def test_torch_is_no_part_of_the_base_install() -> None:
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert not [line for line in project["dependencies"] if line.startswith(("torch", "transformers"))]
    assert any(line.startswith("torch") for line in project["optional-dependencies"]["probe"])
