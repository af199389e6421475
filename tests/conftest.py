"""What all tests share: a cache of their own, and two real model folders."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

_DATA = Path(__file__).parent / "data"
# Two workers with a probe each: more threads than cores wait for each other, and passes take several times as long.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# Windows of tests show on no screen.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
# Tests expect English, whatever the desktop speaks.
os.environ["LC_ALL"] = "C.UTF-8"


@pytest.fixture(autouse=True, scope="session")
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """What tests keep goes to folders of their own: what the machine keeps and which windows it has is not seen."""
    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(folder))
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        patch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.mktemp("config")))
        patch.setenv("XDG_RUNTIME_DIR", str(tmp_path_factory.mktemp("run")))
        yield folder


@pytest.fixture(scope="session")
def model_folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Tiny Llama and GPT-2 folders with random weights, saved by transformers in a process of its own."""
    folder = tmp_path_factory.mktemp("models")
    subprocess.run([sys.executable, str(_DATA / "make_models.py"), str(folder)], check=True, timeout=240)
    return {path.name: path for path in folder.iterdir()}


@pytest.fixture(scope="session")
def tiny_llama(model_folders: dict[str, Path]) -> Path:
    return model_folders["tiny-llama"]


@pytest.fixture(scope="session")
def tiny_gpt2(model_folders: dict[str, Path]) -> Path:
    return model_folders["tiny-gpt2"]
