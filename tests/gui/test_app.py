"""Starting the program."""

import os
import subprocess
import sys
from collections.abc import Callable

import pytest

from vramtuner.gui import app
from vramtuner.gui.state import Session

START = """
import sys
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from vramtuner.gui import app

def check():
    window, = [w for w in QApplication.topLevelWidgets() if w.inherits('QMainWindow')]
    assert window.isVisible() and window.session.forecast is not None
    assert 'torch' not in sys.modules and 'transformers' not in sys.modules
    window.close()

class Watched(app.Window):
    def showEvent(self, event):
        super().showEvent(event)
        QTimer.singleShot(0, check)

app.Window = Watched
sys.exit(app.run(*sys.argv[1:]))
"""


def start(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    values = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")}
    return subprocess.run(
        [sys.executable, "-c", START, *arguments],
        env=values | environment, capture_output=True, text=True, timeout=60,
    )  # fmt: skip


def test_without_a_display_there_is_one_clear_line() -> None:
    out = start()
    assert out.returncode == 2
    assert out.stderr == "vramtuner: there is no display; set DISPLAY or WAYLAND_DISPLAY, or use the command line\n"


def test_a_display_where_nobody_answers_is_none() -> None:
    out = start(DISPLAY=":4242")
    assert out.returncode == 2
    assert out.stderr.startswith("vramtuner: there is no display")


def test_bad_names_are_one_line_each() -> None:
    out = start("no-such-model", QT_QPA_PLATFORM="offscreen")
    assert out.returncode == 2 and out.stderr.startswith("vramtuner: no model at 'no-such-model'")
    assert len(out.stderr.splitlines()) == 1


@pytest.mark.parametrize("arguments", [(), ("gpt2", "cpu")])
def test_the_window_opens_with_its_curve_and_closes(arguments: tuple[str, ...]) -> None:
    out = start(*arguments, QT_QPA_PLATFORM="offscreen")
    assert out.returncode == 0, out.stderr


def test_an_unexpected_error_is_told_in_the_window(make_session: Callable[..., Session]) -> None:
    session = make_session()
    try:
        raise RuntimeError("a bug")
    except RuntimeError as error:
        app._Reporter(session)(type(error), error, error.__traceback__)
    assert session.notice is not None
    assert "RuntimeError" in session.notice.text and "a bug" in session.notice.detail
