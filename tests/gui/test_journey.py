"""From a model folder to a validated env file in one real window under Xvfb."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from vramtuner.core.deploy.envfile import parse

ROOT = Path(__file__).resolve().parents[2]
PICTURES = ("1-first", "2-plan", "3-live", "4-profiled", "5-exported", "6-dark")


@pytest.fixture
def display() -> Iterator[str]:
    """A virtual screen of this test's own; Xvfb picks a free number and says which."""
    reading, writing = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1600x1000x24", "-nolisten", "tcp"],
        pass_fds=(writing,),
        stderr=subprocess.DEVNULL,
    )
    os.close(writing)
    with os.fdopen(reading) as pipe:
        number = pipe.readline().strip()
    yield f":{number}"
    server.terminate()
    server.wait(timeout=20)


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder whose name is fit to be seen in the pictures."""
    with TemporaryDirectory(prefix="models-") as name:
        yield Path(name)


@pytest.mark.timeout(420)
def test_from_a_model_folder_to_a_validated_file(display: str, folder: Path) -> None:
    make = ROOT / "tests" / "data" / "make_models.py"
    subprocess.run([sys.executable, str(make), str(folder), "journey"], check=True, timeout=240)
    out = folder / "out"
    out.mkdir()
    environment = {
        **os.environ,
        "DISPLAY": display,
        "QT_QPA_PLATFORM": "xcb",
        "XDG_CONFIG_HOME": str(folder / "config"),
        "XDG_RUNTIME_DIR": str(folder),
    }
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("journey.py")), str(folder / "demo-llama-58m"), str(out)],
        env=environment, capture_output=True, text=True, timeout=400,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    story = json.loads(done.stdout)

    assert "Llama-2-7B on Radeon PRO W7900 fits 4,096 tokens" in story["first"]
    assert "demo-llama-58m on CPU stand-in fits 2,048 tokens" in story["plan"]
    assert story["points"][-1] == 2048
    assert len(story["points"]) >= 3
    assert all(abs(error) <= 0.005 for error in story["errors"])
    assert story["torch"] is False
    variables = parse((out / "deploy.env").read_text())
    assert variables["HIP_FORCE_MEMORY_POOL_SIZE"] == "1536MiB"
    assert variables["HIP_MAX_CONTEXT_TOKENS"] == "2048"
    assert variables["VRAMTUNER_VALIDATION"] == "passed"
    assert variables["VRAMTUNER_ATTENTION"] == "eager"

    kept = ROOT / "build" / "journey"
    kept.mkdir(parents=True, exist_ok=True)
    for name in PICTURES:
        picture = out / f"{name}.png"
        assert picture.stat().st_size > 20_000, f"{name} is blank"
        (kept / picture.name).write_bytes(picture.read_bytes())
