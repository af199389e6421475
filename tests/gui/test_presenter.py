"""Presenter mode and the script, by the keys a person presses."""

from collections.abc import Callable

import msgspec
import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from vramtuner.core.model.find import load_preset
from vramtuner.core.script import MAX_STEPS, Script, Step
from vramtuner.core.settings import Levers
from vramtuner.core.units import GIB
from vramtuner.gui.panels.script import ScriptDialog
from vramtuner.gui.plots.forecast_plot import ForecastPlot
from vramtuner.gui.presenter import Presenter
from vramtuner.gui.scripting import forecast_at_hand
from vramtuner.gui.stage import Chip, Chips, FittedLabel, Legend
from vramtuner.gui.theme import DARK, LIGHT, Colours, Scheme, Theme
from vramtuner.gui.values import Choice
from vramtuner.gui.window import Window

OpenWindow = Callable[..., Window]
K = Qt.Key


def step(caption: str, model: str = "llama-2-7b", device: str = "w7900", **levers: object) -> Step:
    return Step(levers=Levers(**levers), caption=caption, model=model, device=device)  # type: ignore[arg-type]


SCRIPT = Script(
    (
        step("As it comes"),
        step("4-bit weights", weights="nf4"),
        step("A smaller pool", weights="nf4", pool_bytes=16 * GIB),
    )
)


@pytest.fixture
def present(window: Window, qtbot: QtBot) -> Callable[..., Presenter]:
    """Presses F11, and gives the screen a size."""

    def press(script: Script = SCRIPT, size: tuple[int, int] = (1280, 720)) -> Presenter:
        window.session.set_script(script)
        window.activateWindow()
        qtbot.waitUntil(window.isActiveWindow)
        qtbot.keyClick(window, K.Key_F11)
        presenter = window.present_menu.presenter
        assert presenter is not None
        qtbot.waitExposed(presenter)
        assert presenter.isFullScreen()
        presenter.showNormal()  # a full screen has the one size that it has
        presenter.resize(*size)
        QApplication.processEvents()
        return presenter

    return press


def captions(window: Window) -> list[str]:
    return [entry.caption for entry in window.session.script.steps]


def open_script(window: Window, qtbot: QtBot) -> ScriptDialog:
    qtbot.keyClick(window, K.Key_F9, Qt.KeyboardModifier.ShiftModifier)
    dialog = window.present_menu.dialog
    assert dialog is not None and dialog.isVisible()
    qtbot.waitUntil(dialog.isActiveWindow)
    return dialog


# ---- replay


def test_arrow_keys_walk_over_the_script(window: Window, qtbot: QtBot, present: Callable[..., Presenter]) -> None:
    presenter = present()
    session = window.session
    walk = [
        (K.Key_Left, 0), (K.Key_Right, 1), (K.Key_Space, 2), (K.Key_PageDown, 2), (K.Key_Left, 1), (K.Key_PageUp, 0),
        (K.Key_End, 2), (K.Key_Home, 0), (K.Key_PageDown, 1),
    ]  # fmt: skip
    for key, place in walk:
        qtbot.keyClick(presenter, key)
        assert presenter.place == place
        assert session.choice.levers == SCRIPT.steps[place].levers and not session.stale
        assert presenter.caption.text() == SCRIPT.steps[place].caption
        assert presenter.counter.text() == f"{place + 1} / 3"
        assert session.forecast is not None and presenter.verdict.full_text == session.forecast.verdict


@pytest.mark.parametrize("key", [K.Key_Escape, K.Key_F11])
def test_leaving_brings_back_exactly_what_was_there(
    window: Window, qtbot: QtBot, present: Callable[..., Presenter], key: Qt.Key
) -> None:
    session = window.session
    first = session.choice
    session.change(token_cap=9000)
    before, plan = session.choice, session.forecast
    presenter = present(Script((*SCRIPT.steps, step("Another model", model="gpt2", device="w6600"))))
    qtbot.keyClick(presenter, K.Key_End)
    assert session.choice.spec == load_preset("gpt2") and session.choice.device.key == "w6600"
    qtbot.keyClick(presenter, key)
    assert session.choice == before and session.forecast == plan and not session.stale
    assert window.levers.cap.text() == "9,000"
    assert window.present_menu.presenter is None and window.updatesEnabled()
    session.undo()  # presenting was no step
    assert session.choice == first
    session.redo()
    assert session.choice == before


def test_presenting_again_and_again_leaves_nothing_behind(
    window: Window, qtbot: QtBot, present: Callable[..., Presenter]
) -> None:
    for _ in range(3):
        presenter = present()
        qtbot.keyClick(presenter, K.Key_Right)
        presenter.close()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert not window.findChildren(Presenter) and len(window.findChildren(ForecastPlot)) == 1
    window.session.change(token_cap=5000)  # nothing that is gone is told of it


def test_without_a_script_the_plan_is_shown_and_no_key_does_harm(
    window: Window, qtbot: QtBot, present: Callable[..., Presenter]
) -> None:
    before = window.session.choice
    presenter = present(Script())
    assert window.session.forecast is not None
    assert presenter.verdict.full_text == window.session.forecast.verdict
    assert not presenter.caption.isVisible() and not presenter.counter.isVisible()
    for key in (
        K.Key_Right,
        K.Key_Left,
        K.Key_Home,
        K.Key_End,
        K.Key_Space,
        K.Key_Tab,
        K.Key_7,
        K.Key_Delete,
        K.Key_F5,
    ):
        qtbot.keyClick(presenter, key)
    qtbot.keyClick(presenter, K.Key_Z, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClick(presenter, K.Key_Q, Qt.KeyboardModifier.ControlModifier)
    assert presenter.isVisible() and window.session.choice == before and presenter.place == 0


def test_nothing_else_is_on_the_screen(window: Window, qtbot: QtBot, present: Callable[..., Presenter]) -> None:
    window.session.set_script(SCRIPT)
    dialog = open_script(window, qtbot)
    presenter = present()
    assert not dialog.isVisible()
    shown = [part for part in presenter.children() if isinstance(part, QWidget) and part.isVisible()]
    assert {type(part) for part in shown} == {FittedLabel, ForecastPlot, Legend, Chips} and len(shown) == 7
    assert not presenter.findChildren(QAbstractButton)
    presenter.close()
    assert dialog.isVisible()


def test_chips_say_the_levers_and_what_moved(window: Window, qtbot: QtBot, present: Callable[..., Presenter]) -> None:
    presenter = present()
    chips = {chip.accessibleName(): chip for chip in presenter.findChildren(Chip)}
    assert {"Token cap", "Pool", "Weights", "KV cache", "Attention"} == set(chips)
    assert not any(chip.is_moved for chip in chips.values())
    qtbot.keyClick(presenter, K.Key_Right)
    assert [name for name, chip in chips.items() if chip.is_moved] == ["Weights"]
    assert chips["Weights"].value.text() == "nf4" and chips["Weights"].title.text() == "Weights, was as stored"
    qtbot.keyClick(presenter, K.Key_Right)
    assert [name for name, chip in chips.items() if chip.is_moved] == ["Pool"]
    assert chips["Pool"].value.text() == "16.00 GiB"
    assert chips["Pool"].accessibleDescription() == "16.00 GiB, was 38.40 GiB"
    qtbot.keyClick(presenter, K.Key_Left)  # against the step before it, whichever way one came
    assert [name for name, chip in chips.items() if chip.is_moved] == ["Weights"]


def test_other_levers_models_and_devices_get_chips_of_their_own(present: Callable[..., Presenter]) -> None:
    script = Script((step("one"), step("two", batch_size=2, model="gpt2", device="w6600")))
    names = [chip.accessibleName() for chip in present(script).findChildren(Chip)]
    assert names[:2] == ["Model", "Device"] and names[-1] == "Batch"


def test_a_step_whose_model_is_gone_says_so_and_the_next_one_works(
    window: Window, qtbot: QtBot, present: Callable[..., Presenter]
) -> None:
    bad = (step("gone", model="/no/such/model"), step("no card", device="geforce"), step("big", pool_bytes=100 * GIB))
    presenter = present(Script((SCRIPT.steps[0], *bad, SCRIPT.steps[1])))
    for words in ("No model at", "Unknown device", "does not fit Radeon PRO W7900"):
        qtbot.keyClick(presenter, K.Key_Right)
        assert words in presenter.verdict.full_text and presenter.status.text() == "Cannot be shown"
        assert not presenter.plot.isVisible() and not presenter.chips.isVisible()
    qtbot.keyClick(presenter, K.Key_Right)
    assert presenter.plot.isVisible() and window.session.choice.levers.weights == "nf4"
    assert not any(chip.is_moved for chip in presenter.findChildren(Chip))


def test_a_step_that_is_not_at_hand_shows_the_old_curve_greyed(
    window: Window, qtbot: QtBot, present: Callable[..., Presenter]
) -> None:
    window.session.torch_installed = False  # nothing can be recorded, so that it stays so
    presenter = present(Script((SCRIPT.steps[0], step("rare", weights="nf4", beams=7), SCRIPT.steps[1])))
    old = window.session.forecast
    qtbot.keyClick(presenter, K.Key_Right)
    assert window.session.stale and window.session.forecast == old
    assert presenter.verdict.full_text == window.session.waiting_text and not presenter.legend.isVisible()
    assert presenter.plot._overlay.isVisible()
    assert presenter.plot._overlay.text() == "This curve is of the earlier choice."
    qtbot.keyClick(presenter, K.Key_Right)
    assert not window.session.stale and not presenter.plot._overlay.isVisible() and presenter.legend.isVisible()


def test_closing_the_window_while_presenting_ends_both(window: Window, present: Callable[..., Presenter]) -> None:
    before = window.session.choice
    presenter = present(Script())  # one with steps would be asked about
    window.close()
    assert not presenter.isVisible() and window.session.choice == before


def test_steps_nearby_are_forecast_ahead(qtbot: QtBot, present: Callable[..., Presenter]) -> None:
    presenter = present()
    qtbot.waitUntil(lambda: presenter._known == {0, 1, 2})


# ---- looks


@pytest.mark.parametrize("size", [(1280, 720), (1920, 1080), (3840, 2160)])
@pytest.mark.parametrize("scheme", [Scheme.LIGHT, Scheme.DARK])
def test_type_grows_with_the_screen_and_everything_has_room(
    window: Window, theme: Theme, qtbot: QtBot, present: Callable[..., Presenter], size: tuple[int, int], scheme: Scheme
) -> None:
    theme.use(scheme)
    presenter = present(size=size)
    height = size[1]
    qtbot.keyClick(presenter, K.Key_Right)
    QApplication.processEvents()
    assert (presenter.width(), presenter.height()) == size
    assert presenter.verdict.drawn.pixelSize() >= 0.034 * height
    assert presenter.caption.drawn.pixelSize() >= 0.034 * height
    for chip in presenter.findChildren(Chip):
        assert chip.value.drawn.pixelSize() >= 0.02 * height and "…" not in chip.value.text()
    assert presenter.plot.cap_line.label.textItem.font().pixelSize() >= 0.018 * height
    assert presenter.plot.plot.getPlotItem().getAxis("bottom").style["tickFont"].pixelSize() >= 0.018 * height
    assert presenter.plot.height() >= 0.4 * height
    parts = [p for p in presenter.children() if isinstance(p, QWidget) and p.isVisible()]
    assert all(presenter.rect().contains(part.geometry()) for part in parts)
    assert not [(a, b) for i, a in enumerate(parts) for b in parts[i + 1 :] if a.geometry().intersects(b.geometry())]
    shown = [swatch for swatch in presenter.legend.swatches if swatch.isVisible()]
    assert shown and all(presenter.legend.rect().contains(swatch.geometry()) for swatch in shown)
    theme.use(Scheme.LIGHT)


def test_the_longest_caption_and_verdict_are_whole(present: Callable[..., Presenter]) -> None:
    words = "memory that a request takes grows with its tokens, " * 6
    presenter = present(Script((step(words[:300].strip(), allocator="max_split_size_mb:512"),)))
    assert presenter.caption.text() == words[:300].strip()
    assert presenter.verdict.text() == presenter.verdict.full_text


def test_a_word_without_end_is_cut_not_overflown(qtbot: QtBot) -> None:
    label = FittedLabel(lines=2)
    qtbot.addWidget(label)
    label.resize(300, 60)
    label.show_size(24)
    label.show_text("x" * 300)
    assert label.text().endswith("…") and label.full_text == "x" * 300
    label.show_text("short")
    assert label.text() == "short" and label.drawn.pixelSize() == 24


def luminance(colour: QColor) -> float:
    parts = (colour.redF(), colour.greenF(), colour.blueF())
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: QColor | str, other: QColor | str) -> float:
    low, high = sorted((luminance(QColor(one)), luminance(QColor(other))))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize(("scheme", "colours"), [(Scheme.LIGHT, LIGHT), (Scheme.DARK, DARK)])
def test_all_text_is_told_from_its_ground(
    theme: Theme, qtbot: QtBot, present: Callable[..., Presenter], scheme: Scheme, colours: Colours
) -> None:
    theme.use(scheme)
    presenter = present(Script((*SCRIPT.steps, step("too long", token_cap=100_000), step("gone", model="/none"))))
    qtbot.keyClick(presenter, K.Key_Right)
    labels = (presenter.status, presenter.verdict, presenter.caption, presenter.counter)
    seen = set()
    for _ in SCRIPT.steps:
        seen |= {label.colour.name() for label in labels}
        qtbot.keyClick(presenter, K.Key_Right)
        for chip in presenter.findChildren(Chip):
            ground = colours.accent if chip.is_moved else colours.raised
            assert contrast(chip.value.colour, ground) >= 4.5 and contrast(chip.title.colour, ground) >= 4.5
    assert {colours.good, colours.bad} <= seen
    # On the plot: axes, and labels of lines on a ground that covers what is behind it.
    for colour in (*seen, colours.muted, colours.bad, colours.good, colours.accent, colours.warning):
        assert contrast(colour, colours.surface) >= 4.5
    assert presenter.plot.pool_line.label.fill.color().alpha() == 255
    # The words over a greyed curve, with its darkest and lightest areas shining through.
    alpha = presenter.plot._cover / 255
    surface = QColor(colours.surface)
    for area in map(QColor, colours.components):
        mixed = [
            round(alpha * top + (1 - alpha) * below)
            for top, below in zip(surface.getRgb()[:3], area.getRgb()[:3], strict=True)  # type: ignore[index]
        ]
        assert contrast(colours.warning, QColor(*mixed)) >= 4.5
    theme.use(Scheme.LIGHT)


def test_the_stage_has_the_theme_s_ground_and_large_glyphs_are_drawn(present: Callable[..., Presenter]) -> None:
    presenter = present(size=(3840, 2160))
    picture = presenter.grab().toImage()
    assert picture.pixelColor(4, 4) == QColor(LIGHT.surface)
    box = presenter.verdict.geometry()
    ratio = picture.devicePixelRatio()
    row = round((box.top() + box.height() * 0.27) * ratio)
    darkest = min(picture.pixelColor(x, row).lightness() for x in range(box.left(), box.left() + 1500))
    assert presenter.verdict.drawn.pixelSize() > 64 and darkest < 80


def test_parts_have_accessible_names(present: Callable[..., Presenter]) -> None:
    presenter = present()
    assert presenter.accessibleName() == "Presenter"
    assert presenter.accessibleDescription() == "1 / 3 As it comes"
    for part in (presenter.status, presenter.verdict, presenter.caption, presenter.counter, presenter.plot,
                 presenter.legend, presenter.chips, *presenter.findChildren(Chip)):  # fmt: skip
        assert part.accessibleName()


def test_the_plot_of_the_stage_cannot_be_dragged(present: Callable[..., Presenter]) -> None:
    plot = present().plot
    assert not plot.cap_line.movable and plot.testAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)


# ---- recording


def editor_of(dialog: ScriptDialog, qtbot: QtBot) -> QLineEdit:
    """The field of the caption that is being typed over; it opens when the window has the focus."""
    qtbot.waitUntil(lambda: isinstance(QApplication.focusWidget(), QLineEdit))
    editor = QApplication.focusWidget()
    assert isinstance(editor, QLineEdit) and dialog.table.isAncestorOf(editor)
    return editor


def test_a_step_is_added_by_f9_and_its_caption_typed_over(window: Window, qtbot: QtBot) -> None:
    session = window.session
    qtbot.keyClick(window, K.Key_F9)
    assert session.forecast is not None
    limit = session.forecast.limit.tokens
    assert captions(window) == [f"Llama-2-7B on Radeon PRO W7900: limit {limit:,} tokens"]
    session.change(weights="nf4")
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    qtbot.keyClick(window, K.Key_F9)
    assert captions(window)[1] == f"4-bit weights (nf4): limit {limit:,} → {session.forecast.limit.tokens:,} tokens"
    assert session.script.steps[1] == msgspec.structs.replace(
        session.script.steps[0], levers=Levers(weights="nf4"), caption=captions(window)[1]
    )
    dialog = window.present_menu.dialog
    assert dialog is not None and dialog.row == 1
    editor = editor_of(dialog, qtbot)
    assert editor.selectedText() == captions(window)[1] and editor.accessibleName() == "Caption of step 2"
    qtbot.keyClicks(editor, "Half the bytes")
    qtbot.keyClick(editor, K.Key_Return)
    qtbot.waitUntil(lambda: captions(window)[1] == "Half the bytes")


def test_a_step_without_a_forecast_gets_words_alone(window: Window, qtbot: QtBot) -> None:
    window.session.torch_installed = False
    window.session.change(weights="nf4", beams=7)
    assert window.session.stale
    qtbot.keyClick(window, K.Key_F9)
    assert captions(window) == ["llama-2-7b on w7900, 7 beams, 4-bit weights (nf4)"]


def test_the_script_is_edited_by_keys_alone(window: Window, qtbot: QtBot) -> None:
    window.session.set_script(SCRIPT)
    dialog = open_script(window, qtbot)
    dialog._select(0)
    first, second, third = captions(window)
    table = dialog.table
    table.setFocus()
    qtbot.keyClick(table, K.Key_Down, Qt.KeyboardModifier.AltModifier)
    assert captions(window) == [second, first, third] and dialog.row == 1
    qtbot.keyClick(table, K.Key_Down)
    assert dialog.row == 2
    qtbot.keyClick(table, K.Key_Up, Qt.KeyboardModifier.AltModifier)
    assert captions(window) == [second, third, first] and dialog.row == 1
    qtbot.keyClick(table, K.Key_Delete)
    assert captions(window) == [second, first] and third in dialog.told.text()
    qtbot.keyClick(table, K.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert captions(window) == [second, third, first] and window.session.choice.levers == Levers()
    qtbot.keyClick(table, K.Key_F2)
    editor = editor_of(dialog, qtbot)
    qtbot.keyClicks(editor, "Renamed")
    qtbot.keyClick(editor, K.Key_Return)
    qtbot.waitUntil(lambda: captions(window) == [second, "Renamed", first])
    qtbot.keyClick(dialog, K.Key_Escape)
    assert not dialog.isVisible() and window.isVisible()


def test_deleting_all_and_undoing_all_loses_nothing(window: Window, qtbot: QtBot) -> None:
    window.session.set_script(SCRIPT)
    dialog = open_script(window, qtbot)
    dialog._select(2)
    for _ in SCRIPT.steps:
        qtbot.mouseClick(dialog.delete, Qt.MouseButton.LeftButton)
    assert window.session.script == Script() and dialog.demo.isVisible() and not dialog.delete.isEnabled()
    for _ in SCRIPT.steps:
        qtbot.mouseClick(dialog.undo, Qt.MouseButton.LeftButton)
    assert window.session.script == SCRIPT and not dialog.demo.isVisible()


def test_a_demo_is_offered_while_the_script_is_empty_and_can_be_presented(window: Window, qtbot: QtBot) -> None:
    dialog = open_script(window, qtbot)
    assert dialog.demo.isVisible() and "How the limit moves" in dialog.demo.text()
    qtbot.mouseClick(dialog.demo, Qt.MouseButton.LeftButton)
    assert len(captions(window)) >= 5 and not dialog.demo.isVisible()
    qtbot.keyClick(dialog, K.Key_F11)
    presenter = window.present_menu.presenter
    assert presenter is not None
    for place, entry in enumerate(window.session.script.steps):
        presenter.go(place)
        plan = forecast_at_hand(Choice(window.session.choice.spec, window.session.choice.device, entry.levers))
        assert plan is not None and window.session.forecast == plan
        assert presenter.caption.full_text == entry.caption


def test_what_moves_is_listed_beside_the_captions(window: Window, qtbot: QtBot) -> None:
    window.session.set_script(SCRIPT)
    table = open_script(window, qtbot).table
    moves = [table.item(row, 1).text() for row in range(3)]  # type: ignore[union-attr]
    assert moves == ["llama-2-7b on w7900", "4-bit weights (nf4)", "pool 16.00 GiB"]
    assert not table.item(0, 1).flags() & Qt.ItemFlag.ItemIsEditable  # type: ignore[union-attr]


def test_a_full_script_says_so_and_keeps_its_steps(window: Window, qtbot: QtBot) -> None:
    window.session.set_script(Script((step("again"),) * MAX_STEPS))
    qtbot.keyClick(window, K.Key_F9)
    assert len(captions(window)) == MAX_STEPS
    assert window.session.notice is not None and "at most 200 steps" in window.session.notice.text


def test_controls_of_the_list_have_names_and_are_reached_by_tab(window: Window, qtbot: QtBot) -> None:
    window.session.set_script(SCRIPT)
    dialog = open_script(window, qtbot)
    buttons = [button for button in dialog.findChildren(QAbstractButton) if button.isVisible()]
    assert len([button for button in buttons if button.accessibleName()]) >= 6
    dialog.table.setFocus()
    reached = set()
    for _ in range(12):
        QTest.keyClick(QApplication.focusWidget() or dialog, K.Key_Tab)
        reached.add(QApplication.focusWidget())
    assert {button for button in buttons if button.accessibleName() and button.isEnabled()} <= reached
