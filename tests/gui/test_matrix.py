"""The matrix tab over the real core: what is worked out when, what a cell says and opens, and what ends."""

import csv
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from PySide6.QtCore import QItemSelectionModel, QPoint, Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QAbstractButton, QLineEdit, QListWidget, QTableView, QWidget
from pytestqt.qtbot import QtBot

from vramtuner.core import heat
from vramtuner.core.device.find import find_device
from vramtuner.core.forecast import forecast
from vramtuner.core.matrix import Figures, Question
from vramtuner.core.model.find import PRESETS, find_model, load_preset
from vramtuner.core.recording import find_tapes
from vramtuner.core.request import phases
from vramtuner.core.settings import Levers
from vramtuner.core.units import GIB
from vramtuner.gui.cells import CellWork
from vramtuner.gui.checklist import CheckList
from vramtuner.gui.panels.matrix import MatrixPanel
from vramtuner.gui.theme import Scheme
from vramtuner.gui.window import Window

Open = Callable[..., Window]


def check_only(chosen: CheckList, names: Iterable[str]) -> None:
    """Leave the entries whose text begins so checked, by hand."""
    wanted = tuple(names)
    for row in range(chosen.list.count()):
        item = chosen.list.item(row)
        checked = any(item.text().split(" ·")[0] == name for name in wanted)
        item.setCheckState(Qt.CheckState.Checked if checked else Qt.CheckState.Unchecked)


def show(qtbot: QtBot, window: Window, models: Iterable[str], devices: Iterable[str]) -> MatrixPanel:
    """Open the tab on these models and devices, and wait for its cells."""
    window.tabs.setCurrentWidget(window.matrix)
    check_only(window.matrix.models, models)
    check_only(window.matrix.devices, devices)
    settle(qtbot, window.matrix)
    return window.matrix


def settle(qtbot: QtBot, panel: MatrixPanel) -> None:
    def is_settled() -> bool:
        return not panel._settle.isActive() and not panel._work.busy

    qtbot.waitUntil(is_settled, timeout=60_000)


def limits(panel: MatrixPanel) -> list[list[str]]:
    cells = panel.table.cells
    return [
        [cells.index(row, column).data() for column in range(cells.columnCount())] for row in range(cells.rowCount())
    ]


def limit(model: str, device: str, levers: Levers) -> str:
    spec, target = load_preset(model), find_device(device)
    tapes = find_tapes(spec, phases(spec, target, levers))
    assert tapes is not None
    tokens = forecast(spec, target, levers, *tapes).limit.tokens
    return f"{tokens:,}" if tokens else "does not fit"


def headings(panel: MatrixPanel, across: bool) -> list[str]:
    cells = panel.table.cells
    side = Qt.Orientation.Horizontal if across else Qt.Orientation.Vertical
    count = cells.columnCount() if across else cells.rowCount()
    return [str(cells.headerData(section, side)).split("\n")[0] for section in range(count)]


# ---- what is shown


def test_every_cell_is_the_forecast_of_its_plan(qtbot: QtBot, window: Window) -> None:
    panel = show(qtbot, window, ["GPT-2", "Llama-2-7B"], ["W6600", "W7900"])
    QAbstractItemModelTester(panel.table.cells, QAbstractItemModelTester.FailureReportingMode.Fatal)
    keys = ("w6600", "w7900")
    assert headings(panel, across=False) == ["GPT-2", "Llama-2-7B"]  # by size, as devices by memory
    assert headings(panel, across=True) == ["W6600", "W7900"]
    assert limits(panel) == [[limit(m, d, Levers()) for d in keys] for m in ("gpt2", "llama-2-7b")]
    window.session.change(weights="nf4")
    settle(qtbot, panel)
    nf4 = Levers(weights="nf4")
    assert limits(panel) == [[limit(m, d, nf4) for d in keys] for m in ("gpt2", "llama-2-7b")]


def test_presets_and_well_known_cards_are_there_at_first(window: Window) -> None:
    window.tabs.setCurrentWidget(window.matrix)
    panel = window.matrix
    assert set(headings(panel, across=False)) == {load_preset(name).name for name in PRESETS}
    devices = headings(panel, across=True)
    assert len(devices) == 6 and "W7900" in devices
    sizes = [device.vram_bytes for device in panel.table.cells.devices]
    assert sizes == sorted(sizes)


def test_nothing_is_worked_out_while_the_tab_is_hidden(qtbot: QtBot, window: Window) -> None:
    panel = window.matrix
    window.session.change(weights="nf4")
    qtbot.wait(350)
    assert not panel.table.cells.models and not panel._work.busy
    show(qtbot, window, ["GPT-2"], ["W7900"])
    window.tabs.setCurrentWidget(window.forecast)
    window.session.change(weights="none")
    qtbot.wait(350)
    assert not panel._work.busy
    window.tabs.setCurrentWidget(panel)
    window.tabs.setCurrentWidget(window.forecast)  # before anything was worked out
    window.tabs.setCurrentWidget(panel)
    settle(qtbot, panel)
    assert limits(panel) == [[limit("gpt2", "w7900", Levers())]]


def test_old_limits_are_greyed_until_the_new_ones_come(qtbot: QtBot, window: Window) -> None:
    panel = show(qtbot, window, ["Llama-2-7B"], ["W7900"])
    index = panel.table.cells.index(0, 0)
    old = index.data()
    window.session.change(weights="nf4")
    assert index.data() == old and panel.table.cells.stale == {(0, 0)}
    assert "being worked out" in panel.table.cells.sentence(index) and not panel.save.isEnabled()
    settle(qtbot, panel)
    assert index.data() != old and not panel.table.cells.stale and panel.save.isEnabled()
    window.session.undo()
    assert index.data() == old and not panel.table.cells.stale  # known from before


def test_a_pool_that_a_card_cannot_give_is_its_default(qtbot: QtBot, window: Window) -> None:
    window.session.change(pool_bytes=40 * GIB)
    panel = show(qtbot, window, ["Phi-2"], ["RX 7900 XTX", "W7900"])
    assert limits(panel) == [
        [limit("phi-2", "rx7900xtx", Levers()), limit("phi-2", "w7900", Levers(pool_bytes=40 * GIB))]
    ]
    cell = panel.table.cells.cells[0, 0]
    assert isinstance(cell, Figures) and cell.levers.pool_bytes is None


def test_the_chosen_cell_is_explained(qtbot: QtBot, window: Window) -> None:
    panel = show(qtbot, window, ["Llama-2-7B"], ["W6600", "W7900"])
    index = panel.table.cells.index(0, 1)
    panel.table.setCurrentIndex(index)
    expected = f"at most {limit('llama-2-7b', 'w7900', Levers())} tokens (made for 4,096), bound by the KV cache"
    assert expected in panel.detail.text()
    assert expected in index.data(Qt.ItemDataRole.ToolTipRole)
    assert expected in index.data(Qt.ItemDataRole.AccessibleTextRole)
    assert "<" not in panel.detail.text()


@pytest.mark.parametrize("scheme", [Scheme.LIGHT, Scheme.DARK])
def test_cells_have_the_colour_of_their_limit(qtbot: QtBot, window: Window, scheme: Scheme) -> None:
    window._theme.use(scheme)
    panel = show(qtbot, window, ["Llama-2-7B"], ["RX 7900 XTX", "MI300X"])
    panel.table.clearSelection()
    ramp = heat.LIGHT if scheme is Scheme.LIGHT else heat.DARK
    image: QImage = panel.table.viewport().grab().toImage()
    for column, name in enumerate(("rx7900xtx", "mi300x")):
        rect = panel.table.visualRect(panel.table.cells.index(0, column))
        tokens = int(limit("llama-2-7b", name, Levers()).replace(",", ""))
        found = image.pixelColor((rect.topLeft() + QPoint(8, 8)) * image.devicePixelRatio()).name()
        assert found == ramp[heat.level_of(tokens)].background


# ---- what a person does


def test_ctrl_5_opens_the_tab(qtbot: QtBot, window: Window) -> None:
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    qtbot.keyClick(window, Qt.Key.Key_5, Qt.KeyboardModifier.ControlModifier)
    assert window.tabs.currentWidget() is window.matrix


def test_enter_opens_the_plan_of_a_cell_as_one_step(qtbot: QtBot, window: Window) -> None:
    panel = show(qtbot, window, ["Phi-2", "Llama-2-7B"], ["W6600", "RX 7900 XTX"])
    before = window.session.choice
    text = panel.table.cells.index(0, 1).data()
    panel.table.setFocus()
    panel.table.setCurrentIndex(panel.table.cells.index(0, 1))
    qtbot.keyClick(panel.table, Qt.Key.Key_Return)
    session = window.session
    assert (session.choice.spec.name, session.choice.device.key) == ("Phi-2", "rx7900xtx")
    assert session.forecast is not None and f"{session.forecast.limit.tokens:,}" == text
    assert window.tabs.currentWidget() is window.forecast
    session.undo()
    assert session.choice == before


def test_a_double_click_opens_too(qtbot: QtBot, window: Window) -> None:
    panel = show(qtbot, window, ["Phi-2", "Llama-2-7B"], ["W6600", "W7900"])
    place = panel.table.visualRect(panel.table.cells.index(0, 0)).center()
    qtbot.mouseClick(panel.table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    qtbot.mouseDClick(panel.table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert (window.session.choice.spec.name, window.session.choice.device.key) == ("Phi-2", "w6600")


def test_the_plan_of_the_window_is_marked(qtbot: QtBot, window: Window) -> None:
    panel = show(qtbot, window, ["Phi-2", "Llama-2-7B"], ["W6600", "W7900"])
    assert panel.table.cells.current == (1, 1)
    window.session.choose_device("w6600")
    assert panel.table.cells.current == (1, 0)


def test_another_model_joins_the_table(qtbot: QtBot, window: Window, tiny_gpt2: Path) -> None:
    panel = show(qtbot, window, ["GPT-2"], ["W7900"])
    window.session.choose_model(str(tiny_gpt2))
    assert headings(panel, across=False) == ["tiny-gpt2", "GPT-2"]
    window.session.choose_device("mi210")
    assert headings(panel, across=True) == ["W7900", "MI210"]
    check_only(panel.models, ["GPT-2"])
    window.session.change(margin=0.2)
    assert headings(panel, across=False) == ["GPT-2"]  # what was unchecked stays so


def test_entries_are_found_and_checked_by_keyboard(qtbot: QtBot, window: Window) -> None:
    panel = show(qtbot, window, ["GPT-2"], ["W7900"])
    panel.devices.setFocus()
    qtbot.keyClick(panel.devices, Qt.Key.Key_Space)
    box, field, entries = panel.devices.box, panel.devices.filter, panel.devices.list
    assert box.isVisible()
    qtbot.keyClicks(field, "7900 xtx")
    shown = [entries.item(row) for row in range(entries.count()) if not entries.item(row).isHidden()]
    assert [item.text() for item in shown] == ["RX 7900 XTX · 24 GiB"]
    entries.setFocus()
    entries.setCurrentItem(shown[0])
    qtbot.keyClick(entries, Qt.Key.Key_Space)
    assert headings(panel, across=True) == ["RX 7900 XTX", "W7900"]
    assert panel.devices.text().startswith("Devices: 2")
    qtbot.mouseClick(panel.devices.none, Qt.MouseButton.LeftButton)  # of those shown
    assert headings(panel, across=True) == ["W7900"]
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert not box.isVisible()
    check_only(panel.devices, [])
    assert panel.status.text() == "Check a model and a device." and not panel.save.isEnabled()


def test_copying_gives_plain_numbers(qtbot: QtBot, window: Window) -> None:
    panel = show(qtbot, window, ["GPT-2", "Llama-2-7B"], ["W6600", "W7900"])
    panel.table.setFocus()
    qtbot.keyClick(panel.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    rows = [line.split("\t") for line in QGuiApplication.clipboard().text().split("\n")]
    plain = limit("llama-2-7b", "w7900", Levers()).replace(",", "")
    assert rows == [["", "Radeon PRO W6600", "Radeon PRO W7900"], ["GPT-2", "1024", "1024"], ["Llama-2-7B", "0", plain]]
    flag = QItemSelectionModel.SelectionFlag.Select
    panel.table.clearSelection()
    for row in range(2):
        panel.table.selectionModel().select(panel.table.cells.index(row, 1), flag)
    panel.table.copy_cells()
    assert QGuiApplication.clipboard().text() == f"\tRadeon PRO W7900\nGPT-2\t1024\nLlama-2-7B\t{plain}"


@pytest.mark.parametrize("suffix", ["csv", "md", "html"])
def test_the_table_is_saved(qtbot: QtBot, window: Window, tmp_path: Path, suffix: str) -> None:
    panel = show(qtbot, window, ["GPT-2", "Llama-2-7B"], ["W6600", "W7900"])
    path = tmp_path / f"table.{suffix}"
    panel.save_to(path)
    assert window.session.notice is not None and window.session.notice.text == f"Wrote {path}."
    found = limit("llama-2-7b", "w7900", Levers())
    if suffix == "csv":
        rows = list(csv.DictReader(path.read_text().splitlines()))
        assert [row["limit_tokens"] for row in rows] == ["1024", "1024", "0", found.replace(",", "")]
    else:
        assert found in path.read_text()


def test_a_table_that_cannot_be_saved_is_told(qtbot: QtBot, window: Window, tmp_path: Path) -> None:
    panel = show(qtbot, window, ["GPT-2"], ["W7900"])
    for name in ("table.xls", "no/table.csv"):
        panel.save_to(tmp_path / name)
        assert window.session.notice is not None and window.session.notice.is_error
    assert list(tmp_path.glob("*.xls")) == []


# ---- tapes that are missing


def test_missing_tapes_are_recorded_on_request(qtbot: QtBot, open_window: Open, tiny_llama: Path) -> None:
    window = open_window(tiny_llama, "w7900", Levers(batch_size=5))
    qtbot.waitUntil(lambda: window.session.run is None and not window.session.stale, timeout=60_000)
    panel = show(qtbot, window, ["tiny-llama"], ["W7900", "MI100"])  # the MI100 gets another kernel
    assert limits(panel)[0][0] == "not recorded" and panel.status.text() == "1 of 2 not recorded yet"
    assert panel.record.isVisible() and panel.record.isEnabled()
    qtbot.mouseClick(panel.record, Qt.MouseButton.LeftButton)
    assert window.session.run is not None and window.session.run.kind == "matrix"
    assert panel.record.text() == "Cancel recording" and window.tabs.currentWidget() is panel
    qtbot.waitUntil(lambda: window.session.run is None, timeout=60_000)
    settle(qtbot, panel)
    spec, levers = find_model(str(tiny_llama)), Levers(batch_size=5)
    for column, name in enumerate(("mi100", "w7900")):
        tapes = find_tapes(spec, phases(spec, find_device(name), levers))
        assert tapes is not None
        assert limits(panel)[0][column] == f"{forecast(spec, find_device(name), levers, *tapes).limit.tokens:,}"
    assert not panel.record.isVisible()


def test_recording_can_be_cancelled(qtbot: QtBot, open_window: Open) -> None:
    window = open_window("llama-2-7b", "w7900", Levers())
    panel = show(qtbot, window, ["Llama-2-7B"], ["W7900"])
    session = window.session
    session.record_missing([panel._question(load_preset(name), find_device("w7900")) for name in PRESETS[:0]])
    assert session.run is None  # nothing to record
    session.change(kv_cache="static", new_tokens=7)  # which no preset ships
    qtbot.waitUntil(lambda: session.run is not None, timeout=5_000)
    session.cancel()
    qtbot.waitUntil(lambda: session.run is None, timeout=30_000)
    settle(qtbot, panel)
    assert limits(panel) == [["not recorded"]]
    qtbot.mouseClick(panel.record, Qt.MouseButton.LeftButton)
    assert session.run is not None and session.run.kind == "matrix"
    qtbot.mouseClick(panel.record, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: session.run is None or session.run.kind == "record", timeout=30_000)
    assert session.notice is not None and session.notice.text.startswith("Cancelled; the tapes")
    assert limits(panel) == [["not recorded"]]


# ---- what ends, and for whom


def test_closing_in_the_middle_leaves_nothing(qtbot: QtBot, window: Window) -> None:
    window.tabs.setCurrentWidget(window.matrix)
    qtbot.waitUntil(lambda: window.matrix._work.busy)
    window.close()
    assert not window.matrix._work.busy


def test_new_questions_take_the_place_of_those_under_way(qtbot: QtBot) -> None:
    spec, device = load_preset("llama-2-7b"), find_device("w7900")
    work, seen = CellWork(), []
    work.answered.connect(lambda place, cell: seen.append((place, cell)))
    try:
        work.start([Question(spec, device, Levers(margin=n / 100)) for n in range(50)])
        work.start([Question(spec, device, Levers(margin=margin)) for margin in (0.2, 0.4)])
        assert work.busy
        with qtbot.waitSignal(work.ended, timeout=30_000):
            pass
        assert not work.busy
    finally:
        work.close()
    assert [place for place, _ in seen] == [0, 1]
    expected = [limit("llama-2-7b", "w7900", Levers(margin=margin)) for margin in (0.2, 0.4)]
    assert [f"{cell.limit_tokens:,}" for _, cell in seen] == expected


def test_every_control_has_a_name(qtbot: QtBot, window: Window) -> None:
    panel = show(qtbot, window, ["GPT-2"], ["W7900"])
    kinds = (QAbstractButton, QLineEdit, QListWidget, QTableView)
    controls = [widget for kind in kinds for widget in panel.findChildren(kind)]
    named = [w for w in controls if not w.objectName().startswith("qt_") and type(w) is not QAbstractButton]

    def name(widget: QWidget) -> str:
        return widget.accessibleName() or (widget.text() if isinstance(widget, QAbstractButton) else "")

    assert len(named) >= 9 and not [type(widget) for widget in named if not name(widget)]
    assert panel.legend.accessibleName()
