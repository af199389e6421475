"""Pictures of every panel, light and dark, at three sizes: ``python pictures.py OUT_FOLDER [PANEL...]``.

Everything in them is the program's own: presets with the tapes that are shipped, a machine of `device_trees` for the
list of devices and, where PyTorch is installed, real passes of a small model on the CPU stand-in.  Each size is a
process of its own, because a screen's scale is fixed when an application starts.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil
from PySide6.QtCore import QDeadlineTimer, QSettings, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

sys.path.insert(0, str(Path(__file__).parents[1] / "data"))
import device_trees as trees
from device_trees import GIB, MIB

from vramtuner.core.device.find import find_device
from vramtuner.core.device.roots import Roots
from vramtuner.core.model.find import load_preset
from vramtuner.core.script import Script
from vramtuner.core.settings import Levers
from vramtuner.gui.app import make_application
from vramtuner.gui.i18n import Language, install_language
from vramtuner.gui.panels.export import ExportDialog
from vramtuner.gui.scripting import demo_of
from vramtuner.gui.state import Session
from vramtuner.gui.theme import Scheme, Theme
from vramtuner.gui.values import Choice, Notice, NoticeAction
from vramtuner.gui.window import Window

SIZES = {"1280x720": (1280, 720, 1.0), "1920x1080": (1920, 1080, 1.0), "3840x2160@2": (1920, 1080, 2.0)}
"""Name, and the screen in units of layout with what each of them is in pixels."""
LOG = """INFO loading the checkpoint
Traceback (most recent call last):
  File "serve.py", line 88, in <module>
    out = model.generate(**inputs, max_new_tokens=512)
torch.OutOfMemoryError: HIP out of memory. Tried to allocate 5.02 GiB. GPU 0 has a total capacity of 23.98 GiB of \
which 1.31 GiB is free. Of the allocated memory 21.44 GiB is allocated by PyTorch, and 312.55 MiB is reserved by \
PyTorch but unallocated.
"""
MODELS = ("GPT-2", "Phi-2", "Llama-2-7B", "Qwen3-8B", "Gemma-2-9B", "Llama-2-13B")
"""Of the matrix."""
SCHEMES = (Scheme.LIGHT, Scheme.DARK)
MACHINE = trees.Machine(
    (replace(trees.W7900, used=10 * GIB, extra={"gpu_busy_percent": "37\n"}), trees.SMALL_APU),
    {200: {44444: 6 * GIB}, 300: {44444: GIB}},
)


class Pictures:
    """One window that is brought into each state, and its pictures.

    Parameters
    ----------
    folder
        For settings and the machine.
    model
        Folder of a model to run; ``None`` where nothing can be run.
    wanted
        Names of panels; empty for all.
    """

    def __init__(
        self, folder: Path, model: Path | None, out: Path, size: str, wanted: Sequence[str] = (), language: str = "en"
    ) -> None:
        self._model, self._out, self._name, self._wanted = model, out, size, frozenset(wanted)
        self._width, self._height, _ = SIZES[size]
        QSettings.setPath(QSettings.Format.NativeFormat, QSettings.Scope.UserScope, str(folder / "settings"))
        self.application = make_application()
        install_language(Language(language))
        self.theme = Theme(self.application, SCHEMES[0])
        self.session = Session(Choice(load_preset("llama-2-7b"), find_device("w7900"), Levers()))
        self.window = Window(self.session, self.theme, _machine(folder))
        self.window.resize(self._width, self._height)
        self.window.show()
        assert QTest.qWaitForWindowExposed(self.window)

    def take_all(self) -> None:
        """Every picture that is wanted, and the end of the window."""
        for take in (
            self.first, self.forecast, self.levers, self.no_fit, self.stale, self.devices, self.compare, self.matrix,
            self.script, self.export, self.diagnose, self.presenter, self.live, self.notice,
        ):  # fmt: skip
            if not self._wanted or take.__name__ in self._wanted:
                take()
        self.session.set_script(Script())  # which would be asked about
        self.window.close()

    # ---- the states

    def first(self) -> None:
        self._shoot("first", self.window)

    def forecast(self) -> None:
        self._plan("llama-2-7b", "rx7900xtx", Levers(weights="nf4", token_cap=8192))
        self._shoot("forecast", self.window)

    def levers(self) -> None:
        self._plan("llama-2-7b", "w7900", Levers(weights="nf4", batch_size=2, new_tokens=512))
        self.window.levers.section.button.setChecked(True)
        self._settle()
        self._shoot("levers", self.window)
        picker = self.window.levers.weights
        picker.setFocus()
        for scheme in SCHEMES:
            self.theme.use(scheme)
            picker.showPopup()
            self._shoot("list", picker.view().window(), (scheme,))
            picker.hidePopup()
        self.theme.use(SCHEMES[0])
        self.window.setup.model.setFocus()
        self.window.levers.section.button.setChecked(False)

    def no_fit(self) -> None:
        self._plan("llama-2-7b", "w6600", Levers())
        self._shoot("no-fit", self.window)

    def stale(self) -> None:
        self._plan("llama-2-7b", "w7900", Levers())
        self.session.change(dtype="fp32", attention="eager")
        self._shoot("stale", self.window)
        self._plan("llama-2-7b", "w7900", Levers())

    def devices(self) -> None:
        with self._tab(self.window.devices):
            watch = self.window.devices.watch
            self._wait(lambda: watch.sampler is not None and len(watch.sampler.read().seconds) > 30)
            self._shoot("devices", self.window)

    def compare(self) -> None:
        self._plan("llama-2-7b", "rx7900xtx", Levers(token_cap=8192))
        self.window.compare.pin_current()
        self.session.change(weights="nf4")
        with self._tab(self.window.compare):
            self._wait(lambda: not self.session.stale)
            self._shoot("compare", self.window)
        self.window.comparison.restore(())

    def matrix(self) -> None:
        with self._tab(self.window.matrix):
            self._settle()
            panel = self.window.matrix
            for row in range(panel.models.list.count()):  # a cell takes a second, and some are enough to look at
                item = panel.models.list.item(row)
                item.setCheckState(_state(item.text().split(" ·")[0] in MODELS))
            self._wait(lambda: not panel._settle.isActive() and not panel._work.busy)
            panel.table.setCurrentIndex(panel.table.cells.index(1, 2))
            self._shoot("matrix", self.window)

    def script(self) -> None:
        plan = self.session.forecast
        assert plan is not None
        self.session.set_script(demo_of(plan))
        self.window.present_menu.edit()
        dialog = self.window.present_menu.dialog
        assert dialog is not None
        dialog.table.selectRow(1)
        self._shoot("script", dialog)
        dialog.close()
        self._settle()

    def export(self) -> None:
        dialog = ExportDialog(self.session, "vllm", parent=self.window)
        dialog.show()
        self._wait(lambda: dialog.verdict.text().startswith(("Under", "Unter")))
        self._shoot("export", dialog)
        dialog.reject()
        self._settle()

    def diagnose(self) -> None:
        self._plan("llama-2-7b", "rx7900xtx", Levers(token_cap=8192))
        panel = self.window.diagnose
        with self._tab(panel):
            panel.take_text(LOG)
            self._wait(lambda: panel.cards and any("→" in button.text() for button in panel.cards[0].buttons))
            self._shoot("diagnose", self.window)

    def presenter(self) -> None:
        self.window.present_menu.present()
        presenter = self.window.present_menu.presenter
        assert presenter is not None
        presenter.resize(self._width, self._height)
        presenter.go(2)
        self._shoot("presenter", presenter)
        presenter.close()
        self._settle()

    def live(self) -> None:
        if self._model is not None:
            self._open_model()
            self.session.profile()
            self._wait(lambda: len(self.session.current_measurements) >= 2)
            self._shoot("running", self.window)
            self._wait(lambda: self.session.run is None)
        with self._tab(self.window.live):
            self._shoot("live", self.window)
        if self._model is not None:
            self._shoot("profiled", self.window)

    def notice(self) -> None:
        """A probe that is ended from outside, as the kernel ends one when RAM is short."""
        if self._model is not None:
            self._open_model()
            self.session.profile()
            self._wait(lambda: bool(len(self.session.live)))
            for child in psutil.Process().children():
                child.kill()
            self._wait(lambda: self.session.run is None)
        shown = self.session.notice
        self.session.tell(
            Notice(
                shown.text if shown else "The probe process ended.",
                detail=(shown and shown.detail) or "Loading weights: 100%",
                actions=(NoticeAction("Profile again", self.session.profile),),
            )
        )
        self.window.tabs.setCurrentWidget(self.window.forecast)
        self.window.activity.notice.details.setChecked(True)
        self._shoot("notice", self.window)
        self.session.tell(None)

    # ---- how they are reached

    def _open_model(self) -> None:
        self.session.choose_model(str(self._model))
        self.session.choose_device("cpu")
        self.session.change(pool_bytes=3 * GIB // 2, token_cap=2048, attention="eager", weights="none")
        self._wait(lambda: not self.session.stale and self.session.run is None)

    def _plan(self, model: str, device: str, levers: Levers) -> None:
        self.session.open_choice(Choice(load_preset(model), find_device(device), levers))
        self._wait(lambda: not self.session.stale)
        QTest.qWait(400)  # limits of other levers, and the advice

    @contextmanager
    def _tab(self, panel: QWidget) -> Iterator[None]:
        self.window.tabs.setCurrentWidget(panel)
        yield
        self.window.tabs.setCurrentWidget(self.window.forecast)

    def _wait(self, until: Callable[[], object], seconds: int = 120) -> None:
        deadline = QDeadlineTimer(seconds * 1000)
        while not until():
            assert not deadline.hasExpired(), (self.session.run, self.session.profile_problem, self.session.notice)
            QTest.qWait(20)

    def _settle(self) -> None:
        for _ in range(2):
            QApplication.processEvents()
            QTest.qWait(60)

    def _shoot(self, name: str, widget: QWidget, schemes: Sequence[Scheme] = SCHEMES) -> None:
        for scheme in schemes:
            if scheme is not self.theme.scheme:
                self.theme.use(scheme)
            self._settle()
            target = self._out / f"{name}-{scheme.value.lower()}-{self._name}.png"
            assert widget.grab().save(str(target)), target
        if schemes is SCHEMES:
            self.theme.use(SCHEMES[0])


def _machine(folder: Path) -> Roots:
    """A machine with two GPUs and programs that hold their memory."""
    box = trees.write(MACHINE, folder / "box")
    (box / "proc/meminfo").write_text("MemTotal: 65536000 kB\nMemAvailable: 52428800 kB\n")
    trees.add_process(box, 200, "python3", 0)
    trees.add_process(box, 300, "llama-server", 0)
    trees.add_process(box, 400, "gnome-shell", 0, [(128, trees.fdinfo(trees.W7900.slot, 3, GIB, 8 * MIB))])
    return Roots.under(box)


def _state(checked: bool) -> Qt.CheckState:
    return Qt.CheckState.Checked if checked else Qt.CheckState.Unchecked


def _one_size(size: str, folder: Path, model: str, out: Path, wanted: Sequence[str]) -> None:
    language = os.environ.get("PICTURES_LANGUAGE", "en")
    Pictures(folder, Path(model) if model else None, out, size, wanted, language).take_all()


def main(out: Path, wanted: Sequence[str]) -> int:
    """Take the pictures at every size, each in a process of its own; the number of those that failed."""
    out.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix="models-") as name:
        folder = Path(name)
        model = ""
        if find_spec("torch") is not None:
            make = Path(__file__).parents[1] / "data" / "make_models.py"
            subprocess.run([sys.executable, str(make), name, "journey"], check=True, capture_output=True)
            model = "demo-llama-58m"  # by its name alone, so that no picture shows a folder of this machine
        failed = 0
        chosen = os.environ.get("PICTURES_SIZES", "").split() or SIZES
        for size, (width, height, scale) in ((size, SIZES[size]) for size in chosen):
            own = folder / size
            own.mkdir()
            pixels = {"width": round(width * scale), "height": round(height * scale)}
            screen = {"name": size, "x": 0, "y": 0, **pixels, "logicalDpi": 96, "dpr": 1}
            (own / "screens.json").write_text(json.dumps({"screens": [screen]}))
            environment = {
                **os.environ,
                "QT_QPA_PLATFORM": f"offscreen:configfile={own / 'screens.json'}",
                "QT_SCALE_FACTOR": str(scale),
                "XDG_RUNTIME_DIR": str(own),
            }
            script, target = str(Path(__file__).resolve()), str(out.resolve())
            command = [sys.executable, script, "--size", size, str(own), model, target, *wanted]
            failed += subprocess.run(command, env=environment, cwd=folder).returncode != 0
    return failed


if __name__ == "__main__":
    if sys.argv[1] == "--size":
        _one_size(sys.argv[2], Path(sys.argv[3]), sys.argv[4], Path(sys.argv[5]), sys.argv[6:])
    else:
        sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
