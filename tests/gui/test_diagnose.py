"""The Diagnose tab over real logs: read, shown, and the change applied to the plan."""

import pickle
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent, QGuiApplication
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from vramtuner.core.settings import Levers
from vramtuner.gui.logs import SHOWN_WHOLE_BYTES, recent_logs
from vramtuner.gui.panels.diagnose import DiagnosePanel
from vramtuner.gui.window import Window

LONG = 60_000
OpenWindow = Callable[..., Window]
OOM = (
    "torch.OutOfMemoryError: HIP out of memory. Tried to allocate 6.11 GiB. GPU 0 has a total capacity of 23.98 GiB of "
    "which 1.02 GiB is free. Of the allocated memory 21.77 GiB is allocated by PyTorch, and 301.20 MiB is reserved by "
    "PyTorch but unallocated."
)


@pytest.fixture
def window(open_window: OpenWindow) -> Window:
    found = open_window("llama-2-7b", "rx7900xtx", Levers(token_cap=8192))
    found.tabs.setCurrentWidget(found.diagnose)
    return found


@pytest.fixture
def panel(window: Window) -> DiagnosePanel:
    return window.diagnose


def read(qtbot: QtBot, panel: DiagnosePanel, source: Path | str) -> None:
    with qtbot.waitSignal(panel.logs.read, timeout=LONG):
        panel.take_file(source) if isinstance(source, Path) else panel.take_text(source)


def test_a_pasted_error_becomes_a_finding_with_its_line_marked(qtbot: QtBot, panel: DiagnosePanel) -> None:
    QGuiApplication.clipboard().setText(f"loading\n{OOM}\n")
    with qtbot.waitSignal(panel.logs.read, timeout=LONG):
        QTest.keyClick(panel.text, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    card = panel.cards[0]
    assert card.finding.vram_exhausted and card.finding.numbers["requested_bytes"] == pytest.approx(
        6.11 * 2**30, rel=1e-6
    )
    assert panel.text.toPlainText().splitlines()[1].startswith("torch.OutOfMemoryError")
    (marked,) = panel.text.extraSelections()
    assert marked.cursor.blockNumber() == 1
    assert panel.told.text() == "pasted text" and not panel.progress.isVisible()


def test_a_change_is_applied_as_one_step_and_says_its_limit(qtbot: QtBot, window: Window, panel: DiagnosePanel) -> None:
    read(qtbot, panel, OOM)
    plan = window.session.forecast
    assert plan is not None
    button, levers = next((b, one) for b, one in panel.cards[0].buttons.items() if one.token_cap != 8192)
    assert levers.token_cap == plan.limit.tokens
    qtbot.waitUntil(lambda: "→" in button.text(), timeout=LONG)
    assert f"{plan.limit.tokens:,} tokens" in button.text()
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert window.session.choice.levers.token_cap == plan.limit.tokens
    assert all(one.token_cap == plan.limit.tokens for one in panel.cards[0].buttons.values())  # offered anew
    window.session.undo()
    assert window.session.choice.levers.token_cap == 8192


def test_a_log_is_dropped_on_the_window_and_is_recent(qtbot: QtBot, window: Window, tmp_path: Path) -> None:
    path = tmp_path / "server.log"
    path.write_text(f"start\n{OOM}\n")
    window.tabs.setCurrentWidget(window.forecast)
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    copy, left = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    with qtbot.waitSignal(window.diagnose.logs.read, timeout=LONG):
        window.dropEvent(QDropEvent(QPointF(5, 5), copy, data, left, Qt.KeyboardModifier.NoModifier))
    assert window.tabs.currentWidget() is window.diagnose and window.diagnose.cards
    assert recent_logs() == [path]
    path.unlink()
    assert recent_logs() == []


def test_of_a_large_log_the_lines_around_are_shown(qtbot: QtBot, panel: DiagnosePanel, tmp_path: Path) -> None:
    path = tmp_path / "large.log"
    filler = "INFO step {:07d} of a long service that does nothing special at all today\n"
    before = "".join(filler.format(number) for number in range(2 * SHOWN_WHOLE_BYTES // 70))
    path.write_text(before + OOM + "\n" + before)
    read(qtbot, panel, path)
    assert panel.log is not None and len(panel.log.lines) < 50
    line = panel.cards[0].finding.evidence[0].line
    assert line == before.count("\n") + 1
    row = panel.log.row_of(line)
    assert row is not None and panel.text.document().findBlockByNumber(row).text().startswith("torch.OutOf")
    assert panel.text.textCursor().blockNumber() == row


def test_hostile_text_is_shown_as_text(qtbot: QtBot, panel: DiagnosePanel) -> None:
    read(qtbot, panel, f"<img src=x> <b>bold</b> {OOM}\n\x1b]0;title\x07\x00")
    assert "<b>bold</b>" in panel.text.toPlainText()
    assert "&lt;b&gt;" in panel.cards[0].lines.text().replace("\u200b", "") and "<b>" not in panel.cards[0].lines.text()


def test_what_cannot_be_read_is_told_and_nothing_is_lost(
    qtbot: QtBot, window: Window, panel: DiagnosePanel, tmp_path: Path
) -> None:
    read(qtbot, panel, OOM)
    with qtbot.waitSignal(panel.logs.failed, timeout=LONG):
        panel.take_file(tmp_path / "gone.log")
    assert window.session.notice is not None and "cannot be read" in window.session.notice.text
    assert panel.cards and not panel.progress.isVisible()
    panel.take_text("   ")
    assert "no text" in panel.told.text()


def test_a_log_that_says_nothing_says_what_would(qtbot: QtBot, panel: DiagnosePanel) -> None:
    read(qtbot, panel, "all is well\n")
    assert len(panel.cards) == 1 and panel.cards[0].finding.cause.family == "unknown"
    assert panel.text.extraSelections() == []


def test_of_a_snapshot_its_events_are_shown(qtbot: QtBot, panel: DiagnosePanel, tmp_path: Path) -> None:
    frames = [{"filename": "app.py", "line": 12, "name": "attend"}]
    events = [{"action": "alloc", "addr": 4096, "size": 3 << 30, "frames": frames}]
    path = tmp_path / "snapshot.pickle"
    path.write_bytes(pickle.dumps({"segments": [], "device_traces": [events]}))
    read(qtbot, panel, path)
    assert "app.py:12 attend" in panel.text.toPlainText()
