"""The first starts: without torch, without a GPU, without a model; and PyTorch installed by a click."""

import contextlib
import os
import shutil
import subprocess
import sys
import threading
import zipfile
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import psutil
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

sys.path.insert(0, str(Path(__file__).parents[1] / "data"))
import device_trees as trees

from vramtuner.core.device.roots import Roots
from vramtuner.core.probe.protocol import PassResult
from vramtuner.gui import welcome
from vramtuner.gui.installer import Installer
from vramtuner.gui.panels.welcome import WelcomeStrip
from vramtuner.gui.values import Measurement
from vramtuner.gui.welcome import Step
from vramtuner.gui.window import Window

ROOT = Path(__file__).resolve().parents[2]
OpenWindow = Callable[..., Window]

NO_TORCH_HERE = """
import importlib.machinery as machinery
usual = machinery.PathFinder.find_spec
def find_spec(name, path=None, target=None):
    return None if name.partition(".")[0] in ("torch", "transformers") else usual(name, path, target)
machinery.PathFinder.find_spec = staticmethod(find_spec)
"""
START = """
import sys
from PySide6.QtCore import QTimer
from vramtuner.gui import app

class Told(app.Window):
    def showEvent(self, event):
        super().showEvent(event)
        QTimer.singleShot(0, self.tell)

    def tell(self):
        strip = self.welcome
        print(strip.isVisible(), strip.welcome and strip.welcome.step.name, strip.text.text(), sep="|")
        print(self.session.forecast is not None, self.session.notice, self.activity.profile.isEnabled(), sep="|")
        self.close()

app.Window = Told
sys.exit(app.run(*(word or None for word in sys.argv[1:])))
"""


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("state", "config", "run"):
        (tmp_path / name).mkdir(mode=0o700)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "run"))


def start(*words: str, shim: Path | None = None) -> list[list[str]]:
    """What a real start in a process of its own says of itself."""
    path = os.pathsep.join(filter(None, (str(shim or ""), os.environ.get("PYTHONPATH", ""))))
    done = subprocess.run(
        [sys.executable, "-c", START, *words],
        env=os.environ | {"PYTHONPATH": path, "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return [line.split("|") for line in done.stdout.splitlines()]


def test_a_start_without_torch_forecasts_and_offers_to_install_it(tmp_path: Path) -> None:
    shim = tmp_path / "shim"
    shim.mkdir()
    (shim / "sitecustomize.py").write_text(NO_TORCH_HERE)
    (visible, step, text), (forecast, notice, can_profile) = start(shim=shim)
    assert (visible, forecast, notice, can_profile) == ("True", "True", "None", "False")
    assert step in ("INSTALL", "COPY_COMMAND") and "PyTorch, which is not installed" in text
    assert "forecast now" in text


def test_a_device_that_was_given_is_no_question() -> None:
    assert start("", "w6800")[0][:2] == ["True", "OPEN_MODEL"]


def begun(window: Window) -> WelcomeStrip:
    window.welcome.begin()
    return window.welcome


def test_it_is_not_there_unless_it_is_begun(window: Window) -> None:
    assert not window.welcome.isVisible()


def test_without_a_gpu_the_button_leads_to_the_list_of_cards(
    qtbot: QtBot, open_window: OpenWindow, tmp_path: Path
) -> None:
    window = open_window(roots=Roots.under(trees.write(trees.Machine(()), tmp_path / "box")))
    strip = begun(window)
    assert strip.isVisible() and strip.text.text().startswith("No AMD GPU was found; you plan for a Radeon PRO W7900")
    assert strip.button.text() == "Choose a card to plan for"
    qtbot.mouseClick(strip.button, Qt.MouseButton.LeftButton)
    assert window.setup.device.view().isVisible()
    window.setup.device.hidePopup()
    window.setup.device.picked.emit("w7900")  # the same again is a choice too
    assert strip.welcome is not None and strip.welcome.step is Step.OPEN_MODEL


def test_with_a_gpu_no_card_is_asked_for(open_window: OpenWindow, tmp_path: Path) -> None:
    window = open_window(roots=Roots.under(trees.write(trees.Machine((trees.W7900,)), tmp_path / "box")))
    window.setup.choose_device("0")
    strip = begun(window)
    assert strip.text.text().startswith("Radeon PRO W7900 was found.")
    assert strip.welcome is not None and strip.welcome.step is Step.OPEN_MODEL


def test_from_a_preset_to_passes_of_an_own_model(
    qtbot: QtBot, window: Window, tiny_llama: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    strip, own = begun(window), tmp_path / "own"
    shutil.copytree(tiny_llama, own)
    window.setup.choose_device("w6800")
    # The system's own dialog cannot be driven; what it answers is all that is put in its place.
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(own))
    qtbot.mouseClick(strip.button, Qt.MouseButton.LeftButton)
    assert window.session.choice.spec.folder == str(own)
    assert strip.button.text() == "Take the CPU stand-in"
    qtbot.mouseClick(strip.button, Qt.MouseButton.LeftButton)
    assert window.session.choice.device.kind == "cpu" and strip.button.text() == "Profile (F5)"
    qtbot.waitUntil(lambda: not window.session.profile_problem, timeout=60_000)
    shutil.move(own, tmp_path / "away")
    strip.refresh()
    assert "is not there any more" in strip.text.text() and strip.button.text() == "Open a model folder…"
    shutil.move(tmp_path / "away", own)
    strip.refresh()
    qtbot.mouseClick(strip.button, Qt.MouseButton.LeftButton)
    assert window.session.run is not None and window.session.run.kind == "profile"
    assert strip.isVisible()


def test_whoever_has_run_a_pass_needs_it_no_more(window: Window) -> None:
    strip, plan = begun(window), window.session.forecast
    assert plan is not None
    result = PassResult(1, 64, "ok", 5, 4, 1.0)
    window.session.measurements = (Measurement("profile", plan, result),)
    window.session.measurements_changed.emit()
    assert not strip.isVisible() and welcome.is_dismissed()


def test_a_model_folder_that_goes_before_its_passes_is_told_in_a_line(
    qtbot: QtBot, open_window: OpenWindow, tiny_llama: Path, tmp_path: Path
) -> None:
    own = tmp_path / "own"
    shutil.copytree(tiny_llama, own)
    window = open_window(own, "cpu")
    qtbot.waitUntil(lambda: not window.session.profile_problem, timeout=60_000)
    shutil.rmtree(own)
    window.session.profile()
    qtbot.waitUntil(lambda: window.session.run is None, timeout=60_000)
    notice = window.activity.notice
    assert notice.isVisible() and "own" in notice.text.text() and "\n" not in notice.text.text()
    assert notice.copy.isVisible()


def test_dismissed_is_for_good_until_it_is_asked_for(qtbot: QtBot, window: Window) -> None:
    strip = begun(window)
    qtbot.mouseClick(strip.close_button, Qt.MouseButton.LeftButton)
    assert not strip.isVisible()
    strip.begin()
    assert not strip.isVisible()
    strip.show_again()
    assert strip.isVisible()


def test_where_the_window_cannot_install_the_command_is_there_to_copy(qtbot: QtBot, window: Window) -> None:
    strip = begun(window)
    strip.installer.root = None
    window.session.torch_installed = False
    strip.refresh()
    assert strip.command.isVisible() and strip.command.text() == "make run TORCH=cpu"
    qtbot.mouseClick(strip.button, Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == "make run TORCH=cpu"


# ---- installing, with the real pip in a real environment


@pytest.fixture
def own_pip(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of how pip is set up on this machine, which may have a PyTorch at hand."""
    for name in [*(name for name in os.environ if name.startswith("PIP_")), "TORCH", "WHEELS"]:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout as `make run TORCH=skip` leaves it, but for the libraries of the window."""
    root = tmp_path_factory.mktemp("checkout")
    for name in ("pyproject.toml", "packaging/constraints.txt", "packaging/bootstrap.py", "packaging/add_torch.py"):
        (root / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, root / name)
    subprocess.run([sys.executable, "-m", "venv", str(root / ".venv")], check=True)
    return root


@pytest.fixture
def checkout(made: Path, own_pip: None) -> Iterator[Path]:
    yield made
    assert not (made / ".venv" / "add-torch").exists()  # nothing of a download stays


def wheel(folder: Path, name: str, version: str) -> None:
    info = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as file:
        file.writestr(f"{name}/__init__.py", "")
        file.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        file.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: t\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        file.writestr(f"{info}/RECORD", "")


@pytest.fixture
def wheels(tmp_path: Path) -> Path:
    """The wheels that are needed, of the tested versions, with nothing in them."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    pins = dict(line.split("==") for line in (ROOT / "packaging/constraints.txt").read_text().split() if "==" in line)
    for name in ("transformers", "accelerate", "safetensors", "bitsandbytes"):
        wheel(folder, name, pins[name])
    wheel(folder, "torch", "2.13.0+cpu")
    return folder


def installed(root: Path) -> set[str]:
    return {entry.name.split("-")[0] for entry in root.glob(".venv/lib/*/site-packages/*.dist-info")}


def strip_over(window: Window, root: Path) -> WelcomeStrip:
    """The strip of a window whose Python has no PyTorch, over another checkout."""
    strip = begun(window)
    strip.installer.root = root
    window.session.torch_installed = False
    strip.refresh()
    assert strip.button.text() == "Install PyTorch (CPU build)…" and "network" in strip.button.toolTip()
    return strip


def test_a_click_installs_the_tested_versions_and_the_window_goes_on(
    qtbot: QtBot, window: Window, checkout: Path, wheels: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WHEELS", str(wheels))
    strip = strip_over(window, checkout)
    missing = next(wheels.glob("bitsandbytes*"))
    away = missing.rename(wheels.parent / missing.name)
    qtbot.mouseClick(strip.button, Qt.MouseButton.LeftButton)
    assert strip.cancel.isVisible() and not strip.button.isVisible()
    qtbot.waitUntil(lambda: not strip.installer.busy, timeout=60_000)
    assert window.session.notice is not None and window.session.notice.is_error
    assert window.session.notice.text.startswith("PyTorch was not installed: PyTorch could not be downloaded")
    assert "bitsandbytes" in window.session.notice.detail
    assert not {"torch", "transformers"} & installed(checkout)
    away.rename(missing)
    qtbot.mouseClick(strip.button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not strip.installer.busy, timeout=60_000)
    assert {"torch", "transformers", "accelerate", "safetensors", "bitsandbytes"} <= installed(checkout)
    # The Python of this test has PyTorch: what it did not see before it sees now.
    assert window.session.torch_installed and window.session.notice is not None
    assert window.session.notice.text == "PyTorch is installed." and strip.welcome is not None
    assert strip.welcome.step is Step.CHOOSE_CARD


@pytest.fixture
def endless_index() -> Iterator[str]:
    """A package index whose PyTorch never comes to its end."""
    over = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            is_wheel = self.path.endswith(".whl")
            self.send_header("Content-Type", "application/octet-stream" if is_wheel else "text/html")
            name = "torch-2.13.0%2Bcpu-py3-none-any.whl"
            body = b"PK" if is_wheel else f'<a href="/{name}">torch-2.13.0+cpu-py3-none-any.whl</a>'.encode()
            self.send_header("Content-Length", str(200_000_000 if is_wheel else len(body)))
            self.end_headers()
            self.wfile.write(body)
            while is_wheel and not over.wait(0.02):
                try:
                    self.wfile.write(bytes(100_000))
                except OSError:
                    return

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/simple"
    over.set()
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_download_is_followed_cancelled_and_leaves_nothing(
    qtbot: QtBot, window: Window, checkout: Path, endless_index: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", endless_index)
    before = installed(checkout)
    strip = strip_over(window, checkout)
    qtbot.mouseClick(strip.button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "MB so far" in strip.text.text(), timeout=60_000)
    assert strip.text.text().startswith("Installing PyTorch: Downloading torch-2.13.0+cpu (200.0 MB)")
    qtbot.mouseClick(strip.cancel, Qt.MouseButton.LeftButton)
    assert not strip.cancel.isEnabled()
    qtbot.waitUntil(lambda: not strip.installer.busy, timeout=15_000)
    assert window.session.notice is not None and not window.session.notice.is_error
    assert window.session.notice.text == "Cancelled; nothing was installed."
    assert strip.button.isVisible() and installed(checkout) == before


def test_closing_the_window_ends_a_download(
    qtbot: QtBot, window: Window, checkout: Path, endless_index: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", endless_index)
    strip = strip_over(window, checkout)
    strip.installer.start()
    process = strip.installer._process
    assert process is not None
    qtbot.waitUntil(lambda: "MB so far" in strip.installer.text, timeout=60_000)
    window.close()
    assert process.poll() is not None
    qtbot.waitUntil(lambda: not working_in(process.pid), timeout=10_000)


def working_in(group: int) -> list[int]:
    """Processes of a group; those that have ended and that nobody has asked about do nothing."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, ProcessLookupError):
            if os.getpgid(process.pid) == group and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process.pid)
    return found


def test_two_windows_do_not_install_at_once(qtbot: QtBot, checkout: Path, endless_index: str) -> None:
    first, second = Installer(checkout), Installer(checkout)
    first.start({"PIP_INDEX_URL": endless_index})
    qtbot.waitUntil(lambda: "MB so far" in first.text, timeout=60_000)
    with qtbot.waitSignal(second.done, timeout=60_000) as told:
        second.start({"PIP_INDEX_URL": endless_index})
    assert told.args == [False, "Another window is installing PyTorch already"]
    assert first.busy
    first.close()


def test_a_checkout_that_cannot_be_started_is_told(qtbot: QtBot, tmp_path: Path) -> None:
    installer = Installer(tmp_path)
    with qtbot.waitSignal(installer.done) as told:
        installer.start()
    assert told.args == [False, "the installation cannot be started: No such file or directory"]
