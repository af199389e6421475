"""Sessions in the window: saved, opened, recovered after a kill, remembered, dropped, handed over by a second start."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic

import msgspec
import psutil
import pytest
from PySide6.QtCore import QMimeData, QPoint, QSettings, Qt, QTimer, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QKeySequence
from PySide6.QtWidgets import QApplication, QFileDialog, QMenu, QMessageBox, QWidget
from pytestqt.qtbot import QtBot

from vramtuner.core.device.find import find_device
from vramtuner.core.model.find import find_model, load_preset
from vramtuner.core.script import Script, Step
from vramtuner.core.session import SUFFIX, SavedPlan, new_session, read_session, save_plan, write_session
from vramtuner.core.settings import Levers
from vramtuner.core.units import GIB
from vramtuner.gui.autosave import autosave_folder, leftovers
from vramtuner.gui.recent import MOST, Recent
from vramtuner.gui.single import MAX_BYTES, Request, SingleWindow, socket_path
from vramtuner.gui.window import Window

OpenWindow = Callable[..., Window]
CONFIG = {
    "model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "intermediate_size": 128,
    "num_hidden_layers": 2, "num_attention_heads": 4, "vocab_size": 256, "max_position_embeddings": 512,
}  # fmt: skip
# A window as the program opens it; what the tests want to know of it comes out as lines.
CHILD = """
import sys
from PySide6.QtCore import QTimer
from vramtuner.gui import app, single

if "hasty" not in sys.argv:
    single.TIMEOUT_MS = 8000  # other tests may keep the machine busy

def say(text):
    print(text, flush=True)

class Told(app.Window):
    def showEvent(self, event):
        super().showEvent(event)
        self.keeper.autosave_timer.setInterval(20)
        self.session.torch_installed = False
        self.session.plan_changed.connect(self.tell)
        QTimer.singleShot(0, lambda: QTimer.singleShot(400, self.begin))  # when it is painted, and answers

    def begin(self):
        self.tell()
        exec(sys.argv[1])

    def tell(self):
        choice = self.session.choice
        say(f"{choice.spec.name}|{choice.device.key}|{choice.levers.batch_size}|{self.keeper.path}")

app.Window = Told
model, device, file = (word or None for word in sys.argv[2:5])
sys.exit(app.run(model, device, file, new_window="new" in sys.argv[5:]))
"""


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("state", "config", "run"):
        (tmp_path / name).mkdir(mode=0o700)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "run"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "tiny & small"
    made.mkdir()
    (made / "config.json").write_text(json.dumps(CONFIG))
    return made


def vramtuner(*words: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    code = "from vramtuner.core.cli import main; main()"
    return subprocess.run([sys.executable, "-c", code, *words], cwd=folder, capture_output=True, text=True, timeout=60)


@contextmanager
def started(
    code: str = "", model: str = "", device: str = "", file: str = "", *options: str
) -> Iterator["subprocess.Popen[str]"]:
    """A window in a process of its own, which runs some code when it is shown."""
    process = subprocess.Popen(
        [sys.executable, "-c", CHILD, code, model, device, file, *options],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def line(process: "subprocess.Popen[str]") -> list[str]:
    assert process.stdout is not None
    words = process.stdout.readline().strip().split("|")
    assert len(words) == 4, process.stderr and process.stderr.read()
    return words


def saved_by(plan: SavedPlan, path: Path) -> Path:
    write_session(path, new_session(plan))
    return path


def press(qtbot: QtBot, window: Window, keys: str) -> None:
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    qtbot.keySequence(window, QKeySequence(keys))


def drop(widget: QWidget, *paths: Path | str) -> tuple[bool, bool]:
    """Drag files over a widget and drop them; whether each step was accepted."""
    data = QMimeData()
    data.setUrls([QUrl(path) if isinstance(path, str) else QUrl.fromLocalFile(str(path)) for path in paths])
    where, button, keys = QPoint(5, 5), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    actions = Qt.DropAction.CopyAction | Qt.DropAction.MoveAction
    enter = QDragEnterEvent(where, actions, data, button, keys)
    QApplication.sendEvent(widget, enter)
    if not enter.isAccepted():
        return False, False
    fall = QDropEvent(where.toPointF(), Qt.DropAction.CopyAction, data, button, keys)
    QApplication.sendEvent(widget.window(), fall)
    return True, fall.isAccepted()


def entries(menu: QMenu) -> list[str]:
    return [action.toolTip() for action in menu.actions() if not action.isSeparator()][:-1]


# ---- save and open


def answer(qtbot: QtBot, keys: str) -> list[str]:
    """Press keys in the question that is about to be asked, as soon as it is; what it said."""
    asked: list[str] = []

    def press_them() -> None:
        box = QApplication.activeModalWidget()
        assert isinstance(box, QMessageBox)
        asked.append(box.text())
        QTimer.singleShot(5000, box, box.reject)  # keys that do nothing fail the test, and do not stop it
        qtbot.keySequence(box, QKeySequence(keys))

    QTimer.singleShot(200, press_them)
    return asked


def changed(window: Window, path: Path) -> bytes:
    """Save the session, move a lever, and say what the file holds."""
    window.keeper.save_to(path)
    window.session.change(margin=0.2)
    return path.read_bytes()


def test_closing_a_changed_session_asks_and_escape_stays(qtbot: QtBot, window: Window, tmp_path: Path) -> None:
    path = tmp_path / f"plan{SUFFIX}"
    before = changed(window, path)
    asked = answer(qtbot, "Esc")
    assert not window.close() and window.isVisible() and window.isWindowModified()
    assert asked == [f"Save the changes to plan{SUFFIX}?"] and path.read_bytes() == before
    asked = answer(qtbot, "Return")  # Save has the focus
    assert window.close() and len(asked) == 1 and not window.isVisible()
    assert read_session(path).plan.levers.margin == 0.2


def test_changes_can_be_discarded_by_a_key(qtbot: QtBot, window: Window, tmp_path: Path) -> None:
    path = tmp_path / f"plan{SUFFIX}"
    before = changed(window, path)
    asked = answer(qtbot, "Alt+D")
    assert window.close() and len(asked) == 1 and path.read_bytes() == before


def test_opening_another_session_asks_too(qtbot: QtBot, window: Window, tmp_path: Path) -> None:
    path = tmp_path / f"plan{SUFFIX}"
    other = saved_by(save_plan(load_preset("gpt2"), find_device("w6600"), Levers()), tmp_path / f"other{SUFFIX}")
    changed(window, path)
    choice = window.session.choice
    asked = answer(qtbot, "Esc")
    window.keeper.open_session(other)
    assert len(asked) == 1 and window.session.choice == choice and window.keeper.path == path
    asked = answer(qtbot, "Return")
    window.keeper.open_session(other)
    assert len(asked) == 1 and window.keeper.path == other and window.session.choice.spec.name == "GPT-2"
    assert read_session(path).plan.levers.margin == 0.2


def test_pinned_plans_without_a_file_are_asked_about_but_moved_levers_are_not(
    qtbot: QtBot, open_window: OpenWindow
) -> None:
    looked_at, pinned = open_window(), open_window()
    looked_at.session.change(margin=0.2)
    assert looked_at.close()
    pinned.compare.pin_current()
    asked = answer(qtbot, "Esc")
    assert not pinned.close() and asked == ["Save this session with its pinned plans and its script?"]


def test_where_the_changes_cannot_be_saved_the_window_stays(qtbot: QtBot, window: Window, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    changed(window, tmp_path / "folder" / f"plan{SUFFIX}")
    shutil.rmtree(tmp_path / "folder")
    (tmp_path / "folder").write_text("in the way")
    asked = answer(qtbot, "Return")
    assert not window.close() and len(asked) == 1 and window.isWindowModified()
    assert "cannot be saved" in window.activity.notice.text.text()


def test_what_was_saved_is_opened_in_another_window_as_one_step(
    qtbot: QtBot, open_window: OpenWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, path = open_window(), tmp_path / f"plan{SUFFIX}"
    first.session.change(margin=0.2, pool_bytes=30 * GIB)
    assert first.isWindowModified() and first.windowTitle().endswith("[*] – vramtuner")
    # The system's own dialog cannot be driven; what it answers is all that is put in its place.
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path.with_suffix("")), ""))
    press(qtbot, first, "Ctrl+S")
    assert not first.isWindowModified() and first.windowTitle().startswith(f"plan{SUFFIX}[*] – ")
    second = open_window("gpt2", "w6600")
    before = second.session.choice
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(path), ""))
    press(qtbot, second, "Ctrl+Alt+O")
    assert second.session.choice == first.session.choice and not second.isWindowModified()
    assert second.session.forecast is not None and not second.session.stale and second.session.notice is None
    assert second.keeper.path == path
    second.session.undo()
    assert second.session.choice == before and not second.session.can_undo and second.isWindowModified()


def test_saving_again_asks_for_nothing_and_undo_goes_back_to_what_was_saved(
    qtbot: QtBot, window: Window, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not window.isWindowModified()
    path, other = tmp_path / f"a{SUFFIX}", tmp_path / f"b{SUFFIX}"
    window.keeper.save_to(path)
    window.session.change(margin=0.2)
    press(qtbot, window, "Ctrl+S")
    assert read_session(path).plan.levers.margin == 0.2 and not window.isWindowModified()
    window.session.undo()
    assert window.isWindowModified()
    window.session.redo()
    assert not window.isWindowModified()
    window.session.undo()
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(other), ""))
    press(qtbot, window, "Ctrl+Shift+S")
    assert window.keeper.path == other and read_session(other).plan.levers.margin == 0.1
    assert read_session(path).plan.levers.margin == 0.2


def test_a_file_that_the_dialog_did_not_ask_about_is_not_replaced(
    window: Window, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / f"a{SUFFIX}"
    path.write_text("precious")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "a"), ""))
    window.keeper.save()
    assert path.read_text() == "precious" and window.keeper.path is None
    assert "exists already" in window.activity.notice.text.text()


def test_what_cannot_be_saved_or_opened_is_told_and_changes_nothing(window: Window, tmp_path: Path) -> None:
    window.session.change(batch_size=2)
    before = window.session.choice
    (tmp_path / "file").write_text("no session")
    window.keeper.save_to(tmp_path / "file" / "below")
    assert "cannot be saved" in window.activity.notice.text.text() and window.isWindowModified()
    window.keeper.open_session(tmp_path / "file")
    assert "is not a session file" in window.activity.notice.text.text()
    assert window.session.choice == before and window.keeper.path is None


def test_further_lists_are_kept_through_the_window(open_window: OpenWindow, tmp_path: Path) -> None:
    window, path = open_window(), tmp_path / "a"
    compared = (save_plan(load_preset("gpt2"), find_device("w6600"), Levers(), "small"),)
    script = Script((Step(levers=Levers(batch_size=2), caption="Two", model="gpt2", device="w7900"),))
    window.keeper.keep_compared(compared)
    assert window.isWindowModified()
    window.session.set_script(script)
    window.keeper.save_to(path)
    other = open_window("gpt2")
    other.keeper.open_session(path)
    assert (other.keeper.compared, other.session.script) == (compared, script) and not other.isWindowModified()
    other.session.change(margin=0.3)
    other.keeper.save()
    saved = read_session(path)
    assert (saved.compared, saved.script, saved.plan.levers.margin) == (compared, script, 0.3)


def test_a_session_whose_model_is_gone_keeps_the_rest_and_its_file(
    open_window: OpenWindow, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    levers = Levers(batch_size=4, pool_bytes=6 * GIB)
    path = saved_by(SavedPlan(model=str(folder), device="w6600", levers=levers), tmp_path / "a")
    content = path.read_bytes()
    shutil.rmtree(folder)
    window = open_window()
    window.keeper.open_session(path)
    choice = window.session.choice
    assert (choice.spec, choice.device.key, choice.levers) == (find_model("llama-2-7b"), "w6600", levers)
    told = window.activity.notice.text.text()
    assert "tiny & small" in told and "shown with Llama-2-7B" in told
    assert window.isWindowModified() and window.keeper.path is None
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "b"), ""))
    window.keeper.save()
    assert path.read_bytes() == content and read_session(tmp_path / f"b{SUFFIX}").plan.model == "llama-2-7b"


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        (SavedPlan(model="gpt2", device="w6600", levers=Levers(pool_bytes=40 * GIB)), "cannot give a pool of 40.00"),
        (SavedPlan(model="gpt2", device="w6600", levers=Levers(new_tokens=100_000)), "Levers that GPT-2"),
        (SavedPlan(model="gpt2", device="no such card"), "unknown device"),
    ],
)  # fmt: skip
def test_levers_and_devices_that_cannot_be_are_told(window: Window, tmp_path: Path, plan: SavedPlan, said: str) -> None:
    window.session.torch_installed = False
    window.keeper.open_session(saved_by(plan, tmp_path / "a"))
    assert said in window.activity.notice.text.text()
    assert window.session.choice.spec == find_model("gpt2") and window.isWindowModified()


# ---- recovery


def test_changes_survive_a_kill(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path) -> None:
    path = saved_by(SavedPlan(model="gpt2", device="w6600"), tmp_path / f"mine{SUFFIX}")
    with started("self.session.change(batch_size=7)", file=str(path)) as child:
        assert line(child) == ["GPT-2", "w6600", "1", str(path)] and line(child)[2] == "7"
        kept = autosave_folder() / f"{child.pid}{SUFFIX}"
        qtbot.waitUntil(kept.exists)
        assert not leftovers(autosave_folder())  # its window is still there
        child.send_signal(signal.SIGKILL)
        qtbot.waitUntil(lambda: psutil.Process(child.pid).status() == psutil.STATUS_ZOMBIE)
    window = open_window()
    before = window.session.choice
    window.keeper.offer_recovery()
    bar = window.activity.notice
    assert bar.isVisible() and "gpt2 on Radeon PRO W6600" in bar.text.text()
    recover, discard = bar.action_buttons
    assert (recover.text(), discard.text()) == ("Re&cover", "Discard")
    qtbot.mouseClick(recover, Qt.MouseButton.LeftButton)
    choice = window.session.choice
    assert (choice.spec, choice.device.key, choice.levers.batch_size) == (find_model("gpt2"), "w6600", 7)
    assert window.isWindowModified() and window.keeper.path == path and not bar.isVisible()
    assert not kept.exists() and (autosave_folder() / f"{os.getpid()}{SUFFIX}").exists()
    assert read_session(path).plan.levers == Levers()
    window.session.undo()
    assert window.session.choice == before
    window.session.redo()
    window.keeper.save()
    assert read_session(path).plan.levers.batch_size == 7 and not list(autosave_folder().iterdir())


def test_a_clean_end_leaves_nothing(qtbot: QtBot) -> None:
    code = "self.session.change(batch_size=7); QTimer.singleShot(300, self.close)"
    with started(code) as child:
        child.wait(60)
        assert child.returncode == 0
    assert not list(autosave_folder().iterdir())


def test_changes_taken_back_are_not_kept(qtbot: QtBot, window: Window) -> None:
    window.keeper.autosave_timer.setInterval(1)
    own = autosave_folder() / f"{os.getpid()}{SUFFIX}"
    window.session.change(margin=0.3)
    qtbot.waitUntil(own.exists)
    assert read_session(own).plan.levers.margin == 0.3
    window.session.undo()
    qtbot.waitUntil(lambda: not own.exists())


def test_a_dragged_slider_is_kept_once(qtbot: QtBot, window: Window) -> None:
    window.keeper.autosave_timer.setInterval(150)
    own = autosave_folder() / f"{os.getpid()}{SUFFIX}"
    written = set()
    until = monotonic() + 0.7
    for step in range(1000):
        if monotonic() > until:
            break
        window.session.change(pool_bytes=(10 + step % 20) * GIB)
        qtbot.wait(5)
        if own.exists():
            written.add(own.stat().st_mtime_ns)
    assert 1 <= len(written) <= 5


@pytest.fixture
def dead() -> int:
    """The number of a process that is no more."""
    process = subprocess.Popen(["true"])
    process.wait()
    return process.pid


def test_leftovers_are_offered_one_by_one_newest_first(qtbot: QtBot, window: Window, dead: int) -> None:
    folder = autosave_folder()
    for number, batch in enumerate((2, 3)):
        path = folder / f"{dead}-{number}{SUFFIX}"
        saved_by(SavedPlan(model="gpt2", device="w6600", levers=Levers(batch_size=batch)), path)
        os.utime(path, (number, number))
    (folder / f"{dead}{SUFFIX}").write_text("damaged")
    (folder / "unrelated").write_text("")
    window.keeper.offer_recovery()
    bar = window.activity.notice
    qtbot.mouseClick(bar.action_buttons[1], Qt.MouseButton.LeftButton)  # discards the newest
    assert bar.isVisible()
    qtbot.mouseClick(bar.action_buttons[0], Qt.MouseButton.LeftButton)
    assert window.session.choice.levers.batch_size == 2 and window.session.notice is None
    assert {path.name for path in folder.iterdir()} == {f"{os.getpid()}{SUFFIX}", f"{dead}{SUFFIX}", "unrelated"}


def test_what_another_window_has_recovered_is_told(qtbot: QtBot, window: Window, dead: int) -> None:
    path = saved_by(SavedPlan(model="gpt2", device="w6600"), autosave_folder() / f"{dead}{SUFFIX}")
    window.keeper.offer_recovery()
    path.unlink()
    before = window.session.choice
    qtbot.mouseClick(window.activity.notice.action_buttons[0], Qt.MouseButton.LeftButton)
    assert "perhaps another window has them" in window.activity.notice.text.text()
    assert window.session.choice == before


def test_a_dismissed_offer_comes_again_with_the_next_start(qtbot: QtBot, open_window: OpenWindow, dead: int) -> None:
    saved_by(SavedPlan(model="gpt2", device="w6600"), autosave_folder() / f"{dead}{SUFFIX}")
    for _ in range(2):
        window = open_window()
        window.keeper.offer_recovery()
        assert window.activity.notice.action_buttons
        qtbot.mouseClick(window.activity.notice.close_button, Qt.MouseButton.LeftButton)
        assert window.session.notice is None


def test_an_offer_waits_until_what_is_told_has_been_read(
    qtbot: QtBot, window: Window, dead: int, tmp_path: Path
) -> None:
    saved_by(SavedPlan(model="gpt2", device="w6600"), autosave_folder() / f"{dead}{SUFFIX}")
    window.keeper.open_session(tmp_path / "none")
    window.keeper.offer_recovery()
    bar = window.activity.notice
    assert "none cannot be read" in bar.text.text() and not bar.action_buttons
    qtbot.mouseClick(bar.close_button, Qt.MouseButton.LeftButton)
    assert bar.isVisible() and [button.text() for button in bar.action_buttons] == ["Re&cover", "Discard"]


def test_a_file_of_an_earlier_process_of_the_same_number_is_recovered(open_window: OpenWindow) -> None:
    """In a container, the program may have the same number each time."""
    path = saved_by(SavedPlan(model="gpt2", device="w6600"), autosave_folder() / f"{os.getpid()}{SUFFIX}")
    long_ago = psutil.Process().create_time() - 100
    os.utime(path, (long_ago, long_ago))
    window = open_window()
    assert [left.saved.plan.model for left in leftovers(autosave_folder())] == ["gpt2"]
    window.session.change(margin=0.3)
    window.keeper._autosave()
    assert [left.saved.plan.model for left in leftovers(autosave_folder())] == ["gpt2"]


def test_changes_that_cannot_be_kept_are_told_once(window: Window) -> None:
    shutil.rmtree(autosave_folder(), ignore_errors=True)
    autosave_folder().parent.mkdir(parents=True, exist_ok=True)
    autosave_folder().write_text("in the way")
    for margin in (0.2, 0.3):
        window.session.change(margin=margin)
        window.keeper._autosave()
        assert (window.session.notice is not None) == (margin == 0.2)
        window.session.tell(None)


def test_keys_of_the_file_menu_are_all_different(window: Window) -> None:
    menu = window.menuBar().actions()[0].menu()
    assert isinstance(menu, QMenu)
    texts = [action.text() for action in menu.actions() if not action.isSeparator()]
    keys = [text[text.index("&") + 1].lower() for text in texts]
    assert len(keys) == len(set(keys)) >= 8
    shortcuts = [key.toString() for action in menu.actions() for key in action.shortcuts()]
    assert len(shortcuts) == len(set(shortcuts)) and {"Ctrl+S", "Ctrl+Shift+S", "Ctrl+Alt+O"} <= set(shortcuts)


# ---- what was opened last


def test_recent_models_and_sessions(qtbot: QtBot, window: Window, folder: Path, tmp_path: Path) -> None:
    window.session.torch_installed = False
    models, sessions = window.keeper.models_menu, window.keeper.sessions_menu
    models.refresh()
    assert not models.menuAction().isEnabled() and not sessions.menuAction().isEnabled()
    window.session.choose_model("gpt2")
    window.session.choose_model(str(folder))
    window.session.change(margin=0.3)
    window.keeper.save_to(tmp_path / "a")
    window.keeper.save_to(tmp_path / "b")
    menu = window.menuBar().actions()[0].menu()
    assert isinstance(menu, QMenu)
    menu.aboutToShow.emit()
    assert entries(models) == [str(folder), "gpt2"]
    assert entries(sessions) == [str(tmp_path / "b"), str(tmp_path / "a")]
    assert "&&" in models.actions()[0].text()
    window.session.change(margin=0.1)
    answer(qtbot, "Alt+D")
    sessions.actions()[1].trigger()
    assert window.session.choice.levers.margin == 0.3 and window.keeper.path == tmp_path / "a"
    models.actions()[1].trigger()
    assert window.session.choice.spec == find_model("gpt2")
    shutil.rmtree(folder)
    (tmp_path / "a").unlink()
    for menu in (models, sessions):
        menu.refresh()
    assert entries(models) == ["gpt2"] and entries(sessions) == [str(tmp_path / "b")]
    models.clear_action.trigger()
    assert entries(models) == [] and not models.menuAction().isEnabled() and entries(sessions)
    assert models.accessibleName() == "Recent models"


def test_the_last_eight_are_kept_whatever_the_settings_hold(tmp_path: Path) -> None:
    recent = Recent("recent/test")
    names = [tmp_path / str(number) for number in range(MOST + 3)]
    for name in names:
        name.mkdir()
        recent.add(str(name))
    recent.add(str(names[-2]))
    assert recent.names()[:3] == (str(names[-2]), str(names[-1]), str(names[-3])) and len(recent.names()) == MOST
    for odd in (17, {"a": 1}, ["x" * 10_000, 3, None, str(tmp_path)], "", b"\xff", "a\0b"):
        QSettings().setValue("recent/test", odd)
        assert set(recent.names()) <= {str(tmp_path)}
        recent.add(str(tmp_path))
        assert recent.names() == (str(tmp_path),)


# ---- files that are dropped


def test_files_dropped_anywhere_are_opened(open_window: OpenWindow, folder: Path, tmp_path: Path) -> None:
    window = open_window()
    window.session.torch_installed = False
    for target in (window, window.levers.pool, window.forecast.plot.plot.viewport(), window.activity.results):
        assert drop(target, folder) == (True, True)
        assert window.session.choice.spec.folder == str(folder)
        window.session.undo()
    assert drop(window, folder / "config.json") == (True, True)
    assert window.session.choice.spec.source == str(folder / "config.json")
    path = saved_by(SavedPlan(model="gpt2", device="w6600"), tmp_path / f"a{SUFFIX}")
    assert drop(window, "https://example.org/model.gguf", path) == (True, True)
    assert (window.session.choice.spec, window.keeper.path) == (find_model("gpt2"), path)
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF")
    assert drop(window, broken) == (True, True)
    assert "roken.gguf ends in" in window.setup.model_error.text() and window.setup.model_error.isVisible()
    assert window.session.choice.spec == find_model("gpt2")


def test_other_things_are_not_taken(window: Window, tmp_path: Path) -> None:
    (tmp_path / "a.png").write_text("")
    for thing in (tmp_path / "a.png", tmp_path / "none.gguf", "https://example.org/a.gguf"):
        assert drop(window, thing) == (False, False)


# ---- one window at a time


def test_a_second_start_hands_over_to_the_first(folder: Path, tmp_path: Path) -> None:
    path = saved_by(SavedPlan(model="gpt2", device="w6600", levers=Levers(batch_size=5)), folder / f"a{SUFFIX}")
    with started() as first:
        assert line(first)[3] == "None"
        begun = monotonic()
        second = vramtuner(path.name, folder=folder)
        assert (second.returncode, second.stdout) == (0, "") and "opened in the window that is there" in second.stderr
        assert line(first) in (["GPT-2", "w6600", "5", "None"], ["GPT-2", "w6600", "5", str(path)])
        with started(model=str(folder), device="w7900") as third:
            assert third.wait(60) == 0
        assert line(first) == [folder.name, "w7900", "5", str(path)]
        with started(model="no such model") as wrong:
            assert wrong.wait(60) == 2
        with started("", "", "", "", "new") as other:
            assert len(line(other)) == 4  # has a window of its own
        assert first.poll() is None and monotonic() - begun < 60


def test_a_first_window_that_hangs_does_not_hold_up_the_second_and_a_dead_one_is_replaced() -> None:
    with started() as first:
        assert line(first)
        first.send_signal(signal.SIGSTOP)
        with started("", "", "", "", "hasty") as second:
            assert line(second)  # its own window
        first.send_signal(signal.SIGKILL)
        first.wait()
        assert socket_path().exists()
        with started() as third:
            assert line(third)
            assert SingleWindow().hand_over(Request(model="gpt2"))
            assert line(third)[0] == "GPT-2"


@pytest.mark.parametrize("words", [(f"a{SUFFIX}",), ("gui", f"a{SUFFIX}"), ("gui", f"none{SUFFIX}"), ("gui", ".")])
def test_a_file_that_cannot_be_opened_is_one_line_and_no_window(tmp_path: Path, words: tuple[str, ...]) -> None:
    (tmp_path / f"a{SUFFIX}").write_text("{}")
    out = vramtuner(*words, folder=tmp_path)
    assert out.returncode == 2 and len(out.stderr.splitlines()) == 1 and out.stderr.startswith("vramtuner: ")


def test_of_two_starts_at_the_same_moment_one_window_opens_what_both_were_given() -> None:
    with started(model="gpt2") as one, started(model="gpt2") as other:
        until = monotonic() + 60
        while one.poll() is None and other.poll() is None and monotonic() < until:
            time.sleep(0.05)
        ended, stays = (one, other) if one.poll() is not None else (other, one)
        assert ended.returncode == 0 and stays.poll() is None
        assert line(stays)[0] == "GPT-2"


@pytest.fixture
def single(tmp_path: Path) -> Iterator[SingleWindow]:
    made = SingleWindow(tmp_path / "run" / "s")
    assert not made.hand_over(Request()) and made.listens
    yield made
    made.close()


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"\n",
        b"hello\n",
        b"[1]\n",
        b'{"model": 7}\n',
        b'{"until": 1e300}\n',
        b'{"until": 0}\n',  # nobody waits any more
        b'{"model": "' + b"x" * 5000 + b'"}\n',
        b"[" * 20_000 + b"\n",
        b"x" * (MAX_BYTES + 2),
        b"\xff\xfe\n",
    ],
)
def test_only_whole_requests_are_taken(qtbot: QtBot, single: SingleWindow, sent: bytes) -> None:
    asked: list[object] = []
    single.asked.connect(asked.append)
    with socket.socket(socket.AF_UNIX) as end:
        end.connect(str(single.path))
        end.settimeout(0.01)
        with suppress(OSError):
            end.sendall(sent)
        answer, closed, until = b"", False, monotonic() + 5
        while not closed and monotonic() < until:
            qtbot.wait(5)
            try:
                got = end.recv(100)
                answer, closed = answer + got, not got
            except TimeoutError:
                pass
            except OSError:
                closed = True
    assert closed and answer == b"" and not asked


@pytest.mark.flaky(reruns=2)  # the clock of a busy machine: a promise in seconds is kept in one of three runs
def test_a_whole_request_is_taken_in_any_pieces(qtbot: QtBot, single: SingleWindow) -> None:
    asked: list[Request] = []
    single.asked.connect(asked.append)
    request = Request(model="gpt2", device="cpu", file="/a b", token="t", until=monotonic() + 0.9)
    message = msgspec.json.encode(request) + b"\n"
    with socket.socket(socket.AF_UNIX) as end:
        end.connect(str(single.path))
        for start in range(0, len(message), 40):
            end.sendall(message[start : start + 40])
            qtbot.wait(2)
        qtbot.waitUntil(lambda: bool(asked))
        assert end.recv(100) == b"taken\n"
    assert asked == [request]
    assert single.path.stat().st_mode & 0o077 == 0


@pytest.mark.flaky(reruns=2)  # the clock of a busy machine: a promise in seconds is kept in one of three runs
def test_asking_a_window_that_is_silent_takes_about_a_second(tmp_path: Path) -> None:
    path = tmp_path / "run" / "silent"
    with socket.socket(socket.AF_UNIX) as deaf:
        deaf.bind(str(path))
        deaf.listen()
        begun = time.monotonic()
        second = SingleWindow(path)
        assert not second.hand_over(Request()) and not second.listens
        assert time.monotonic() - begun < 2.5
    assert path.exists()


def test_a_socket_that_nobody_listens_on_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "run" / "stale"
    with socket.socket(socket.AF_UNIX) as gone:
        gone.bind(str(path))
    second = SingleWindow(path)
    assert not second.hand_over(Request()) and second.listens
    second.close()


def test_each_display_has_a_window_of_its_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("QT_QPA_PLATFORM", "xcb")
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    names = {}
    for display in (":0", ":0.0", ":1"):
        monkeypatch.setenv("DISPLAY", display)
        names[display] = socket_path()
    assert names[":0"] == names[":0.0"] != names[":1"]
    assert names[":0"].parent == tmp_path / "run"
    (tmp_path / "run").chmod(0o777)  # anybody could put a socket in the way
    assert socket_path().parent == tmp_path / "state" / "vramtuner"
