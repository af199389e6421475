"""Each panel both ways: drive the widgets and read the session, set the session and read the widgets."""

import json
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSlider,
    QAbstractSpinBox,
    QComboBox,
    QLabel,
    QLineEdit,
    QTabWidget,
    QWidget,
)
from pytestqt.qtbot import QtBot

from vramtuner.core.forecast import CHECKPOINTING_NOTE
from vramtuner.core.units import GIB
from vramtuner.gui.controls import TextField
from vramtuner.gui.theme import Scheme
from vramtuner.gui.values import Notice
from vramtuner.gui.window import Window


def enter(qtbot: QtBot, field: QLineEdit, text: str) -> None:
    """Type over what a field holds and press Enter."""
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, text)
    qtbot.keyClick(field, Qt.Key.Key_Return)


def pick(combo: QComboBox, text: str) -> None:
    """Choose an entry of a closed combo box by typing its first letters."""
    combo.setFocus()
    QTest.keyClicks(combo, text)


# ---- levers


def test_typed_pool_reaches_session_curve_and_sentence_at_once(qtbot: QtBot, window: Window) -> None:
    enter(qtbot, window.levers.pool, "20GiB")
    assert window.session.choice.levers.pool_bytes == 20 * GIB
    assert window.levers.pool.text() == "20.00 GiB"
    assert "20.00 GiB pool" in window.verdict.sentence.text()
    assert window.forecast.plot.pool_line.value() == 20
    plan = window.session.forecast
    assert plan is not None and window.forecast.plot.limit_line.value() == plan.limit.tokens


@pytest.mark.parametrize("text", ["", "ten", "0", "-3GiB", "47.5GiB", "10GB2"])
def test_bad_pool_text_keeps_the_old_value_and_says_why(qtbot: QtBot, window: Window, text: str) -> None:
    field, before = window.levers.pool, window.session.choice
    enter(qtbot, field, text or " ")
    assert window.session.choice == before
    assert field.error.isVisible() and field.error.text().endswith(".")
    window.session.change(margin=0.2)
    assert field.text() == "38.40 GiB" and not field.error.isVisible()


def test_pool_slider_by_keyboard(qtbot: QtBot, window: Window) -> None:
    slider = window.levers.pool_slider
    qtbot.keyClick(slider, Qt.Key.Key_End)
    assert window.session.choice.levers.pool_bytes == window.session.choice.device.max_pool_bytes
    qtbot.keyClick(slider, Qt.Key.Key_PageDown)
    assert window.session.choice.levers.pool_bytes == window.session.choice.device.max_pool_bytes - GIB


def test_token_cap_by_text_and_by_slider(qtbot: QtBot, window: Window) -> None:
    enter(qtbot, window.levers.cap, "8k")
    assert window.session.choice.levers.token_cap == 8192
    assert window.levers.cap.text() == "8,192"
    qtbot.keyClick(window.levers.cap_slider, Qt.Key.Key_PageUp)
    assert window.session.choice.levers.token_cap == 16384
    enter(qtbot, window.levers.cap, "many")
    assert window.levers.cap.error.isVisible() and window.session.choice.levers.token_cap == 16384


def test_every_cap_of_the_slider_is_at_its_own_position(window: Window) -> None:
    slider = window.levers.cap_slider
    # Below 32 tokens a step is less than a token.
    for position in range(32, slider.maximum() + 1, 7):
        slider.setValue(position)
        assert slider.value() == position


def test_pickers_change_the_levers(qtbot: QtBot, window: Window) -> None:
    pick(window.levers.attention, "eager")
    assert window.session.choice.levers.attention == "eager"
    pick(window.levers.weights, "nf4")
    assert window.session.choice.levers.weights == "nf4"
    pick(window.levers.logits, "every")
    assert window.session.choice.levers.logits == "all"
    pick(window.levers.dtype, "bf16")
    assert window.session.choice.levers.dtype == "bf16"


def test_session_values_reach_the_levers(window: Window) -> None:
    window.session.change(attention="math", margin=0.25, token_cap=2048, pool_bytes=30 * GIB)
    levers = window.levers
    assert levers.attention.currentData() == "math"
    assert levers.margin.value() == 25
    assert levers.cap.text() == "2,048"
    assert levers.pool.text() == "30.00 GiB"
    assert "asked for" in levers.attention_note.text()


def test_auto_attention_says_what_it_means(window: Window) -> None:
    assert window.levers.attention_note.text().startswith("flash: fused attention on gfx1100")


def test_margin_and_batch_by_keyboard(qtbot: QtBot, window: Window) -> None:
    qtbot.keyClick(window.levers.margin, Qt.Key.Key_Up)
    assert window.session.choice.levers.margin == pytest.approx(0.11)
    window.session.torch_installed = False
    qtbot.keyClick(window.levers.batch, Qt.Key.Key_Up)
    assert window.session.choice.levers.batch_size == 2


def test_checkpointing_changes_no_byte_and_says_why(qtbot: QtBot, window: Window) -> None:
    before = window.session.forecast
    qtbot.mouseClick(window.levers.checkpointing, Qt.MouseButton.LeftButton, pos=QPoint(8, 8))
    after = window.session.forecast
    assert before is not None and after is not None and after.levers.checkpointing
    assert after.peak_bytes(4096) == before.peak_bytes(4096)
    assert window.levers.checkpointing_note.isVisible()
    assert window.levers.checkpointing_note.text() == CHECKPOINTING_NOTE
    assert CHECKPOINTING_NOTE in window.activity.notes.text()


def test_undo_and_redo_by_keyboard(qtbot: QtBot, window: Window) -> None:
    enter(qtbot, window.levers.pool, "20GiB")
    window.setFocus()
    qtbot.keySequence(window, QKeySequence("Ctrl+Z"))
    assert window.session.choice.levers.pool_bytes is None
    assert window.levers.pool.text() == "38.40 GiB"
    qtbot.keySequence(window, QKeySequence("Ctrl+Shift+Z"))
    assert window.session.choice.levers.pool_bytes == 20 * GIB


def test_undo_reaches_the_levers_from_within_a_field(qtbot: QtBot, window: Window) -> None:
    enter(qtbot, window.levers.pool, "20GiB")
    qtbot.keyClick(window.levers.pool, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert window.session.choice.levers.pool_bytes is None
    qtbot.keyClick(window.levers.margin, Qt.Key.Key_Up)
    qtbot.keyClick(window.levers.margin, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert window.session.choice.levers.margin == 0.10


# ---- setup


def test_choosing_a_preset(window: Window) -> None:
    pick(window.setup.model, "mistral")
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


def test_a_folder_that_is_no_model_keeps_the_old_one(window: Window, tmp_path: Path) -> None:
    before = window.session.choice
    window.setup.choose_model(str(tmp_path))
    assert "no config.json" in window.setup.model_error.text() and window.setup.model_error.isVisible()
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "nobody-knows"}))
    window.setup.choose_model(str(tmp_path))
    assert "nobody-knows" in window.setup.model_error.text()
    assert window.session.choice == before and window.setup.model.currentText() == before.spec.name


@pytest.mark.parametrize(("typed", "key"), [("w6800", "w6800"), ("Radeon PRO W6800", "w6800"), ("cpu", "cpu")])
def test_typing_a_device(qtbot: QtBot, window: Window, typed: str, key: str) -> None:
    line = window.setup.device.lineEdit()
    assert line is not None
    enter(qtbot, line, typed)
    assert window.session.choice.device.key == key
    assert window.setup.device.currentData() == key


def test_typing_an_unknown_device_keeps_the_old_one(qtbot: QtBot, window: Window) -> None:
    line = window.setup.device.lineEdit()
    assert line is not None
    enter(qtbot, line, "geforce 256")
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
    window.forecast.plot.hovered.emit(0)
    assert window.forecast.readout.heading.text() == "At 4,096 tokens (the cap)"


def test_mouse_over_the_plot_finds_its_tokens(qtbot: QtBot, window: Window) -> None:
    plot = window.forecast.plot.plot
    with qtbot.waitSignal(window.forecast.plot.hovered, check_params_cb=lambda tokens: tokens > 0):
        qtbot.mouseMove(plot.viewport(), plot.viewport().rect().center())
    assert "cap" not in window.forecast.readout.heading.text()


def test_copying_the_plot(window: Window) -> None:
    window.copy_action.trigger()
    assert not QGuiApplication.clipboard().pixmap().isNull()


# ---- activity


def test_disabled_profile_says_why(window: Window) -> None:
    assert not window.activity.profile.isEnabled() and not window.profile_action.isEnabled()
    assert "choose the CPU stand-in" in window.activity.stage.text()
    window.session.choose_device("cpu")
    assert window.activity.profile.isEnabled() and window.profile_action.isEnabled()
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
    kinds = (QAbstractButton, QAbstractSlider, QAbstractSpinBox, QComboBox, TextField)
    controls = [w for kind in kinds for w in window.findChildren(kind) if w.isVisible() and "qt_" not in w.objectName()]
    assert len(controls) > 15
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


def test_it_fits_a_small_screen(window: Window) -> None:
    assert window.minimumSizeHint().width() <= 1280
    assert window.minimumSizeHint().height() <= 720


def test_names_out_of_a_folder_are_shown_as_they_are(window: Window, tmp_path: Path) -> None:
    config = {"model_type": "gpt2", "architectures": ["<font size=7 color=red>X</font>"], "n_layer": 1}
    (tmp_path / "config.json").write_text(json.dumps(config))
    window.session.choose_model(str(tmp_path))
    label = window.setup.model_facts.values["Class"]
    assert "<font" in label.text()
    assert label.textFormat() == Qt.TextFormat.PlainText
