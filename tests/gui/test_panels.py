"""Each panel both ways: drive the widgets and read the session, set the session and read the widgets."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSlider,
    QAbstractSpinBox,
    QComboBox,
    QFileDialog,
    QLabel,
    QLineEdit,
    QTabWidget,
    QWidget,
)
from pytestqt.qtbot import QtBot

from vramtuner.core.units import GIB, format_bytes
from vramtuner.gui.controls import TextField
from vramtuner.gui.theme import Scheme
from vramtuner.gui.values import Notice
from vramtuner.gui.window import Window

Enter = Callable[[QLineEdit, str], None]
Pick = Callable[[QComboBox, str], None]


# ---- setup


def test_choosing_a_preset(window: Window, enter: Enter) -> None:
    enter(window.setup.model.line, "mistral")
    assert window.session.choice.spec.name.lower().startswith("mistral-7b")
    assert window.setup.model_facts.values["Weights"].text() == "config facts only"
    assert "Mistral" in window.windowTitle()


def test_opening_a_folder(window: Window, tiny_llama: Path) -> None:
    window.session.torch_installed = False
    window.setup.choose_model(str(tiny_llama))
    assert window.session.choice.spec.has_weights
    assert window.setup.model.currentText() == "tiny-llama"
    assert window.setup.model_facts.values["Weights"].text().endswith("in safetensors")
    assert window.setup.model_facts.values["Source"].toolTip() == str(tiny_llama)


def test_opening_a_file_that_is_the_model(window: Window, tiny_llama: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = tiny_llama / "config.json"
    # The system's own dialog cannot be driven; what it answers is all that is put in its place.
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(config), ""))
    window.session.torch_installed = False
    window.setup.open_file.click()
    assert window.session.choice.spec.source == str(config)
    assert window.setup.model_facts.values["Weights"].text() == "config facts only"


def test_a_folder_that_is_no_model_keeps_the_old_one(window: Window, tmp_path: Path) -> None:
    before = window.session.choice
    window.setup.choose_model(str(tmp_path))
    assert "no config.json" in window.setup.model_error.text() and window.setup.model_error.isVisible()
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "nobody-knows"}))
    window.setup.choose_model(str(tmp_path))
    assert "nobody-knows" in window.setup.model_error.text()
    assert window.session.choice == before and window.setup.model.currentText() == before.spec.name


@pytest.mark.parametrize(("typed", "key"), [("w6800", "w6800"), ("Radeon PRO W6800", "w6800"), ("cpu", "cpu")])
def test_typing_a_device(window: Window, typed: str, key: str, enter: Enter) -> None:
    line = window.setup.device.lineEdit()
    assert line is not None
    enter(line, typed)
    assert window.session.choice.device.key == key
    assert window.setup.device.currentData() == key


def test_typing_an_unknown_device_keeps_the_old_one(window: Window, enter: Enter) -> None:
    line = window.setup.device.lineEdit()
    assert line is not None
    enter(line, "geforce 256")
    assert window.session.choice.device.key == "w7900"
    assert window.setup.device_error.text().startswith("Unknown device")
    assert line.text().startswith("Radeon PRO W7900")


def test_device_facts_say_where_the_figure_comes_from(window: Window) -> None:
    assert window.setup.device_facts.values["Source"].text().startswith("catalogue, nominal")
    window.session.choose_device("cpu")
    assert window.setup.device_facts.values["Source"].text() == "this machine's RAM; not a GPU"


# ---- verdict


def test_verdict_is_core_s_sentence(window: Window) -> None:
    plan = window.session.forecast
    assert plan is not None and window.verdict.sentence.text() == plan.verdict
    assert window.verdict.status.text() == "✓ Fits"
    window.session.change(token_cap=100_000)
    assert window.verdict.status.text() == "✕ Does not fit"
    assert "short at 100,000 tokens" in window.verdict.headroom.text()
    assert "short" in window.verdict.bar.accessibleDescription()


def test_advice_button_applies_the_change(qtbot: QtBot, window: Window) -> None:
    button = window.verdict.button
    qtbot.waitUntil(button.isVisible)
    before = window.session.forecast
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    after = window.session.forecast
    assert before is not None and after is not None and after.limit.tokens > before.limit.tokens
    window.session.undo()
    assert window.session.forecast == before
    # It still speaks of the levers before the undo: the first click only asks again.
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert window.session.forecast == before
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert window.session.forecast == after


# ---- plot


def test_dragging_the_cap_moves_the_lever_and_not_the_axis(window: Window) -> None:
    plot = window.forecast.plot
    before = plot.plot.getViewBox().viewRange()[0]
    line = plot.cap_line
    line.moving = True
    line.setValue(9000)
    line.sigDragged.emit(line)
    assert window.session.choice.levers.token_cap == 9000
    assert plot.plot.getViewBox().viewRange()[0] == before
    line.moving = False
    line.sigPositionChangeFinished.emit(line)
    assert line.value() == 9000


def test_areas_stack_up_to_the_peak(window: Window) -> None:
    plan, plot = window.session.forecast, window.forecast.plot
    assert plan is not None
    rect = plot.areas[-1].path().boundingRect()
    assert rect.bottom() * GIB == pytest.approx(plan.peak_bytes(int(rect.right())), rel=1e-9)


def test_hover_reads_every_component(window: Window) -> None:
    plan = window.session.forecast
    assert plan is not None
    window.forecast.plot.hovered.emit(20_000)
    assert window.forecast.readout.heading.text() == "At 20,000 tokens"
    texts = [swatch.text.text() for swatch in window.forecast.readout.swatches]
    assert "KV cache <b>9.77 GiB</b>" in texts
    assert f"allocator slack <b>{format_bytes(plan.component_bytes(20_000)['allocator'])}</b>" in texts
    assert plan.component_bytes(20_000)["allocator"] > 0
    window.forecast.plot.hovered.emit(0)
    assert window.forecast.readout.heading.text() == "At 4,096 tokens (the cap)"


def test_mouse_over_the_plot_finds_its_tokens(qtbot: QtBot, window: Window) -> None:
    plot = window.forecast.plot.plot
    with qtbot.waitSignal(window.forecast.plot.hovered, check_params_cb=lambda tokens: tokens > 0):
        qtbot.mouseMove(plot.viewport(), plot.viewport().rect().center())
    assert "cap" not in window.forecast.readout.heading.text()


def test_copying_the_plot(window: Window) -> None:
    window.menus.copy_action.trigger()
    assert not QGuiApplication.clipboard().pixmap().isNull()


# ---- activity


def test_disabled_profile_says_why(window: Window) -> None:
    assert not window.activity.profile.isEnabled() and not window.menus.profile_action.isEnabled()
    assert "choose the CPU stand-in" in window.activity.stage.text()
    window.session.choose_device("cpu")
    assert window.activity.profile.isEnabled() and window.menus.profile_action.isEnabled()
    assert window.activity.stage.text() == ""


def test_notice_details_are_a_click_away_and_copyable(qtbot: QtBot, window: Window) -> None:
    bar = window.activity.notice
    assert not bar.isVisible()
    window.session.tell(Notice("It broke.", detail="line 1\nline 2"))
    assert bar.isVisible() and not bar.detail.isVisible() and not bar.write.isVisible()
    qtbot.mouseClick(bar.details, Qt.MouseButton.LeftButton)
    assert bar.detail.isVisible() and bar.detail.toPlainText() == "line 1\nline 2"
    qtbot.mouseClick(bar.copy, Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == "It broke.\n\nline 1\nline 2"
    qtbot.mouseClick(bar.close_button, Qt.MouseButton.LeftButton)
    assert window.session.notice is None and not bar.isVisible()


def test_method_says_how_the_forecast_was_made(window: Window) -> None:
    assert "tape recorded with torch" in window.activity.notes.text()
    assert "catalogue, nominal" in window.activity.notes.text()


def test_unvalidated_export_by_click(qtbot: QtBot, window: Window, tmp_path: Path) -> None:
    path = tmp_path / "deploy.env"
    window.session.export(path)
    assert "not in this machine" in window.activity.notice.text.text()
    qtbot.mouseClick(window.activity.notice.write, Qt.MouseButton.LeftButton)
    assert "not-validated" in path.read_text()


# ---- the whole window


def test_every_control_has_a_name_and_can_be_reached_by_keyboard(window: Window) -> None:
    window.levers.section.button.click()
    kinds = (QAbstractButton, QAbstractSlider, QAbstractSpinBox, QComboBox, TextField)
    controls = [w for kind in kinds for w in window.findChildren(kind) if w.isVisible() and "qt_" not in w.objectName()]
    assert len(controls) > 25
    for control in controls:
        assert control.accessibleName() or getattr(control, "text", str)(), control
    reached: set[QWidget] = set()
    widget = window.setup.model.nextInFocusChain()
    while widget is not None and widget not in reached:
        reached.add(widget)
        widget = widget.nextInFocusChain()
    for control in controls:
        if not control.objectName().startswith("qt_") and control.focusPolicy() & Qt.FocusPolicy.TabFocus:
            assert control in reached


def test_no_two_controls_share_an_access_key(window: Window) -> None:
    texts = [label.text() for label in window.findChildren(QLabel) if label.buddy()]
    texts += [button.text() for button in window.findChildren(QAbstractButton)]
    texts += [action.text() for action in window.menuBar().actions()]
    texts += [tabs.tabText(i) for tabs in window.findChildren(QTabWidget) for i in range(tabs.count())]
    keys = [text[text.index("&") + 1].lower() for text in texts if "&" in text]
    assert len(keys) > 12 and len(keys) == len(set(keys))


def test_themes_switch_at_once(window: Window) -> None:
    background = window.forecast.plot.plot.backgroundBrush().color().name()
    window._theme.use(Scheme.DARK)
    assert window.forecast.plot.plot.backgroundBrush().color().name() != background
    window._theme.use(Scheme.LIGHT)
    assert window.forecast.plot.plot.backgroundBrush().color().name() == background


@pytest.mark.parametrize("more", [False, True])
def test_it_fits_a_small_screen(window: Window, more: bool) -> None:
    window.levers.section.button.setChecked(more)
    assert window.minimumSizeHint().width() <= 1280
    assert window.minimumSizeHint().height() <= 720


def test_names_out_of_a_folder_are_shown_as_they_are(window: Window, tmp_path: Path) -> None:
    config = {"model_type": "gpt2", "architectures": ["<font size=7 color=red>X</font>"], "n_layer": 1}
    (tmp_path / "config.json").write_text(json.dumps(config))
    window.session.choose_model(str(tmp_path))
    label = window.setup.model_facts.values["Class"]
    assert "<font" in label.text()
    assert label.textFormat() == Qt.TextFormat.PlainText


def test_advice_on_another_device_is_taken_back_at_once(window: Window) -> None:
    window.verdict.show_advice()
    assert window.verdict.button.isVisible()
    window.session.choose_device("w6600")
    assert not window.verdict.button.isVisible()
