"""A window over the real core, its settings and cache in folders of the test's own."""

from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QSettings, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QLineEdit, QMessageBox
from pytestqt.qtbot import QtBot

from vramtuner.core.device.find import find_device
from vramtuner.core.device.roots import HERE, Roots
from vramtuner.core.model.find import find_model
from vramtuner.core.settings import Levers
from vramtuner.gui.collecting import Collector
from vramtuner.gui.state import Session
from vramtuner.gui.theme import Scheme, Theme
from vramtuner.gui.values import Choice
from vramtuner.gui.window import Window

OpenWindow = Callable[..., Window]


@pytest.fixture(autouse=True)
def own_settings(tmp_path: Path) -> None:
    QSettings.setPath(QSettings.Format.NativeFormat, QSettings.Scope.UserScope, str(tmp_path / "settings"))


@pytest.fixture(autouse=True)
def collected_here(qapp: QApplication) -> Iterator[None]:
    """Garbage is collected as it is in the program: never by another thread."""
    collector = Collector()
    yield
    collector.deleteLater()


@pytest.fixture
def theme(qapp: QApplication) -> Theme:
    return Theme(qapp, Scheme.LIGHT)


@pytest.fixture
def make_session() -> Iterator[Callable[..., Session]]:
    """Makes sessions and ends them; a probe that is left behind fails the test."""
    made: list[Session] = []

    def make(model: str | Path = "llama-2-7b", device: str = "w7900", levers: Levers | None = None) -> Session:
        session = Session(Choice(find_model(str(model)), find_device(device), levers or Levers()))
        session.patience = None  # forecasts are there at once; `test_responsive.py` is about those that come later
        made.append(session)
        return session

    before = set(psutil.Process().children(recursive=True))
    yield make
    for session in made:
        session.close()
    assert set(psutil.Process().children(recursive=True)) <= before


@pytest.fixture
def open_window(qtbot: QtBot, theme: Theme, make_session: Callable[..., Session]) -> Iterator[OpenWindow]:
    """Opens the window, by default on a shipped preset and a catalogue card."""
    opened: list[Window] = []

    def open_it(*args: object, roots: Roots = HERE, **options: object) -> Window:
        window = Window(make_session(*args, **options), theme, roots)
        opened.append(window)
        window.show()
        qtbot.waitExposed(window)
        return window

    yield open_it
    for window in opened:
        QTimer.singleShot(0, discard)  # in case it asks
        window.close()
        window.deleteLater()
    # Without this, windows live on until an event loop ends, and every change of theme restyles all of them.
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def discard() -> None:
    """Answer the question before a changed session is left."""
    box = QApplication.activeModalWidget()
    if isinstance(box, QMessageBox):
        box.button(QMessageBox.StandardButton.Discard).click()


@pytest.fixture
def enter(qtbot: QtBot) -> Callable[[QLineEdit, str], None]:
    """Types over what a field holds and presses Enter."""

    def type_over(field: QLineEdit, text: str) -> None:
        field.setFocus()
        field.selectAll()
        qtbot.keyClick(field, Qt.Key.Key_Delete)
        qtbot.keyClicks(field, text)
        qtbot.keyClick(field, Qt.Key.Key_Return)

    return type_over


@pytest.fixture
def pick(qapp: QApplication) -> Iterator[Callable[[QComboBox, str], None]]:
    """Chooses an entry of a closed combo box by typing its first letters."""

    def type_first(combo: QComboBox, text: str) -> None:
        combo.view().keyboardSearch("")  # forgets what was typed before
        combo.setFocus()
        QTest.keyClicks(combo, text)

    # A search begins anew after a pause between two keys, and on a busy machine any pause may be long enough.
    usual = QApplication.keyboardInputInterval()
    QApplication.setKeyboardInputInterval(60_000)
    yield type_first
    QApplication.setKeyboardInputInterval(usual)


@pytest.fixture
def window(open_window: OpenWindow) -> Window:
    return open_window()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Qt's offscreen platform says what it has no window manager or keyboard for; that is no fault of ours."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.qt_log_ignore("This plugin does not support", extend=True))
