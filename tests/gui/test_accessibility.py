"""In every tab: what a screen reader finds, what the keyboard reaches, where the focus is seen, what is cut."""

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import pairwise

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QAccessible, QAccessibleInterface, QAction, QImage, QTextDocumentFragment
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QMenu,
    QScrollArea,
    QSlider,
    QTabBar,
    QToolButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from vramtuner.core.probe.protocol import PassStarted, PhaseStarted, Samples
from vramtuner.gui.panels.script import ScriptDialog
from vramtuner.gui.scripting import demo_of
from vramtuner.gui.series import LiveSeries
from vramtuner.gui.theme import Scheme
from vramtuner.gui.values import Notice, NoticeAction
from vramtuner.gui.window import Window

Role = QAccessible.Role
Open = Callable[..., Window]
TABS = ("forecast", "live", "devices", "compare", "matrix")
OPERATED = {
    Role.Button, Role.ButtonMenu, Role.CheckBox, Role.ComboBox, Role.EditableText, Role.List, Role.PageTab,
    Role.PageTabList, Role.Slider, Role.SpinBox, Role.Table, Role.Tree,
}  # fmt: skip
WITH_VALUE = {Role.Slider, Role.SpinBox, Role.ComboBox, Role.ProgressBar}
MOST_STEPS = 120
_SHIFT = Qt.KeyboardModifier.ShiftModifier
LEAST_PIXELS, LEAST_CHANGE = 30, 60
"""A cursor that blinks is smaller than that many pixels, and an edge that is smoothed otherwise changes by less."""


@pytest.fixture(params=TABS)
def tab(request: pytest.FixtureRequest, qtbot: QtBot, open_window: Open) -> Window:
    """The window on a tab, with everything open that can be."""
    window = open_window()
    window.resize(1280, 720)
    window.levers.section.button.setChecked(True)
    window.session.tell(
        Notice("Something is told.", detail="With a detail.", actions=(NoticeAction("Go on", window.session.undo),))
    )
    window.live.player.show_series(run_of_a_second())
    window.tabs.setCurrentWidget(getattr(window, request.param))
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    qtbot.wait(50)
    return window


def run_of_a_second() -> LiveSeries:
    series = LiveSeries(pool_bytes=2**30, device_name="CPU stand-in")
    series.take(PhaseStarted(id=1, phase="prefill", seconds=0.0))
    series.take(PassStarted(id=1, tokens=128, seconds=0.1))
    sizes = [2**20, 2**28, 2**27]
    series.take(Samples(id=1, seconds=[0.1, 0.5, 1.0], allocated=sizes, reserved=[2**28] * 3, process=[2**29] * 3))
    series.end()
    return series


def tree(interface: QAccessibleInterface) -> Iterator[QAccessibleInterface]:
    """All that is shown, from the window down; cells of tables and entries of lists are their own tests' matter."""
    yield interface
    if interface.role() in (Role.Table, Role.List):
        return
    for place in range(interface.childCount()):
        child = interface.child(place)
        if child is None or not child.isValid() or is_hidden(child):
            continue
        yield from tree(child)


def is_hidden(interface: QAccessibleInterface) -> bool:
    widget = interface.object()
    return isinstance(widget, QWidget) and not isinstance(widget, QMenu) and not widget.isVisible()


def root(widget: QWidget) -> QAccessibleInterface:
    found = QAccessible.queryAccessibleInterface(widget)
    assert found is not None
    return found


def text(interface: QAccessibleInterface, kind: QAccessible.Text) -> str:
    return str(interface.text(kind))


def name(interface: QAccessibleInterface) -> str:
    """What a control is called: on Linux the name of a combo box is its value, and its label is its name."""
    widget = interface.object()
    if isinstance(widget, QComboBox):
        labels = [label.text() for label in widget.window().findChildren(QLabel) if label.buddy() is widget]
        return "".join(labels).replace("&", "")
    return text(interface, QAccessible.Text.Name)


def plain(label: QLabel) -> str:
    shown = label.text().replace("\u200b", "")
    if label.textFormat() == Qt.TextFormat.RichText:
        shown = QTextDocumentFragment.fromHtml(shown).toPlainText()
    return " ".join(shown.replace("&", "").split()) if label.buddy() else " ".join(shown.split())


# ---- what is read aloud


def test_whatever_can_be_operated_has_a_name(tab: Window) -> None:
    operated = [found for found in tree(root(tab)) if found.role() in OPERATED]
    assert len(operated) > 30
    assert [repr(found.object()) for found in operated if not name(found)] == []
    focusable = [found.object() for found in tree(root(tab)) if found.state().focusable]
    nameless = [widget for widget in focusable if widget is not None and not name(root(widget))]
    assert [repr(widget) for widget in nameless if not isinstance(widget, QLabel)] == []


def test_what_has_a_value_says_it(tab: Window) -> None:
    valued = [found for found in tree(root(tab)) if found.role() in WITH_VALUE]
    assert len(valued) > 12
    for found in valued:
        assert text(found, QAccessible.Text.Value), name(found)
    for found in tree(root(tab)):
        widget = found.object()
        if isinstance(widget, QAbstractButton) and widget.isCheckable():
            assert found.state().checkable and bool(found.state().checked) == widget.isChecked(), name(found)
    cap = text(root(tab.levers.cap_slider), QAccessible.Text.Description)
    assert cap == "4,096 tokens"  # a place on a logarithmic scale says nothing


def test_a_text_that_is_shown_is_read(tab: Window) -> None:
    """A name of its own would take the place of what a label says."""
    labels = [found for found in tree(root(tab)) if isinstance(found.object(), QLabel)]
    assert len(labels) > 30
    for found in labels:
        label = found.object()
        assert isinstance(label, QLabel)
        read = " ".join(text(found, QAccessible.Text.Name).split())
        assert plain(label) in read or not label.pixmap().isNull(), label.text()
    for widget in (tab.verdict.bar, tab.forecast.plot):
        if widget.isVisible():
            assert text(root(widget), QAccessible.Text.Description)


def test_nothing_is_called_like_its_neighbour(tab: Window) -> None:
    for parent in tree(root(tab)):
        if parent.role() in (Role.Table, Role.List):
            continue
        children = [parent.child(place) for place in range(parent.childCount())]
        shown = [child for child in children if child is not None and not is_hidden(child)]
        called = Counter(
            (found.role(), name(found), text(found, QAccessible.Text.Description))
            for found in shown
            if found.role() in OPERATED
        )
        assert [key for key, count in called.items() if count > 1] == []


def test_the_stage_is_read_too(qtbot: QtBot, open_window: Open) -> None:
    window = open_window()
    assert window.session.forecast is not None
    window.session.set_script(demo_of(window.session.forecast))
    window.present_menu.present()
    presenter = window.present_menu.presenter
    assert presenter is not None
    read = " ".join(text(found, QAccessible.Text.Name) for found in tree(root(presenter)))
    assert window.session.forecast.verdict in read and presenter.caption.full_text in read
    presenter.close()


# ---- the keyboard


def reachable(window: QWidget) -> set[QWidget]:
    """Everything enabled in view that takes the focus by Tab; of several that hand it on, the one that has it."""
    found = set()
    for widget in window.findChildren(QWidget):
        wanted = widget.focusProxy() or widget
        if widget.window() is window and widget.isVisible() and widget.isEnabled() and by_tab(wanted):
            found.add(wanted)
    return found


def by_tab(widget: QWidget) -> bool:
    return bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)


def walk(start: QWidget, key: Qt.Key) -> list[QWidget]:
    """Press a key until the focus is back where it began."""
    start.setFocus(Qt.FocusReason.TabFocusReason)
    seen: list[QWidget] = []
    for _ in range(MOST_STEPS):
        now = QApplication.focusWidget()
        assert now is not None
        if seen and now is seen[0]:
            return seen
        seen.append(now)
        QTest.keyClick(
            now, key, Qt.KeyboardModifier.ShiftModifier if key == Qt.Key.Key_Backtab else Qt.KeyboardModifier.NoModifier
        )
    raise AssertionError(f"the focus goes round: {seen[-6:]}")


def test_tab_reaches_everything_and_leaves_it_again(tab: Window) -> None:
    wanted = reachable(tab)
    assert len(wanted) > 25
    there = walk(tab.setup.model, Qt.Key.Key_Tab)
    assert [repr(widget) for widget in wanted - set(there)] == []
    back = walk(tab.setup.model, Qt.Key.Key_Backtab)
    assert back[1:] == there[:0:-1]


def test_the_focus_goes_down_the_columns(tab: Window) -> None:
    """What is below another control of its column comes after it."""
    places = [widget.mapTo(tab, widget.rect().topLeft()) for widget in walk(tab.setup.model, Qt.Key.Key_Tab)]
    for column in (range(300), range(980, 1280)):
        heights = [place.y() for place in places if place.x() in column and place.y() > 120]
        assert sum(later + 8 < earlier for earlier, later in pairwise(heights)) <= 1, heights


def test_no_two_shortcuts_are_alike(tab: Window) -> None:
    contexts = (Qt.ShortcutContext.WindowShortcut, Qt.ShortcutContext.ApplicationShortcut)
    everywhere = Counter(
        key.toString()
        for action in tab.findChildren(QAction)
        if action.shortcutContext() in contexts and not isinstance(action.parent(), ScriptDialog)
        for key in action.shortcuts()
    )
    assert len(everywhere) > 15
    assert [key for key, count in everywhere.items() if count > 1] == []
    for widget in tab.findChildren(QWidget):
        own = Counter(key.toString() for action in widget.actions() for key in action.shortcuts())
        assert [key for key, count in own.items() if count > 1] == []


def test_no_two_entries_of_a_menu_share_a_letter(tab: Window) -> None:
    menus = [menu for menu in tab.findChildren(QMenu) if menu.actions()]
    assert len(menus) > 4
    for menu in menus:
        texts = [action.text().replace("&&", "") for action in menu.actions() if "&" in action.text()]
        letters = Counter(text[text.index("&") + 1].lower() for text in texts if "&" in text)
        assert [letter for letter, count in letters.items() if count > 1] == [], menu.title()


@pytest.mark.parametrize("scheme", [Scheme.LIGHT, Scheme.DARK])
def test_the_focus_is_seen(qtbot: QtBot, tab: Window, scheme: Scheme) -> None:
    tab._theme.use(scheme)
    qtbot.wait(50)
    QApplication.setCursorFlashTime(0)
    unseen = []
    for widget in sorted(reachable(tab), key=repr):
        widget.clearFocus()
        before = picture(widget)
        widget.setFocus(Qt.FocusReason.OtherFocusReason)
        assert widget.hasFocus(), widget
        if changed(before, picture(widget)) < LEAST_PIXELS:
            unseen.append(f"{type(widget).__name__} {widget.accessibleName() or getattr(widget, 'text', str)()}")
    QApplication.setCursorFlashTime(-1)
    assert unseen == []


def picture(widget: QWidget) -> QImage:
    QApplication.processEvents()
    return widget.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)


def changed(one: QImage, other: QImage) -> int:
    """How many pixels differ clearly, counted until they are enough."""
    assert one.size() == other.size()
    count = 0
    for row in range(one.height()):
        a, b = bytes(one.constScanLine(row)), bytes(other.constScanLine(row))
        if a == b:
            continue
        for place in range(0, 4 * one.width(), 4):
            difference = sum(abs(a[place + part] - b[place + part]) for part in range(3))
            count += difference >= LEAST_CHANGE
        if count >= LEAST_PIXELS:
            break
    return count


# ---- a small window


def test_nothing_is_cut_in_a_small_window(qtbot: QtBot, tab: Window) -> None:
    """At 1280 by 720 every text has its room; what a column scrolls to counts as in view."""
    assert (tab.width(), tab.height()) == (1280, 720)
    QApplication.processEvents()
    cut = [said for widget in tab.findChildren(QWidget) if widget.isVisible() and (said := lacking(widget))]
    assert cut == []


@pytest.mark.parametrize("scale", ["1.5", "3"])
def test_nothing_is_cut_at_other_scales(scale: str) -> None:
    """An application has one scale as long as it runs, so that this is the test above in another one."""
    again = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", __file__]
    environment = {**os.environ, "QT_SCALE_FACTOR": scale, "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run([*again, "-k", "small_window"], env=environment, capture_output=True, text=True, timeout=200)
    assert done.returncode == 0 and f"{len(TABS)} passed" in done.stdout, done.stdout


def lacking(widget: QWidget) -> str:
    """What a widget lacks to show its text, in words; empty where it has its room."""
    wanted, size = widget.sizeHint(), widget.size()
    if isinstance(widget, QLabel) and widget.text():
        high = widget.heightForWidth(size.width()) if widget.wordWrap() else wanted.height()
        wide = 0 if widget.wordWrap() else wanted.width()
    elif isinstance(widget, QAbstractButton) and (widget.text() or not isinstance(widget, QToolButton)):
        high, wide = wanted.height(), wanted.width()
    elif isinstance(widget, QAbstractSpinBox):
        high, wide = wanted.height(), widget.fontMetrics().horizontalAdvance(widget.text()) + 28
    elif isinstance(widget, QLineEdit | QComboBox | QSlider):
        high, wide = wanted.height(), 0
    else:
        return ""
    if isinstance(widget.parent(), QTabBar | QAbstractItemView | QComboBox | QAbstractSpinBox):
        return ""  # Qt's own parts
    if (high, wide) <= (size.height(), size.width()) or (high <= size.height() and wide <= size.width()):
        return "" if in_view(widget) else f"outside of its area: {widget!r}"
    text = getattr(widget, "text", str)()
    return f"{type(widget).__name__} {text!r} has {size.width()}x{size.height()} and needs {wide}x{high}"


def in_view(widget: QWidget) -> bool:
    """Whether its parents show all of it, or can be scrolled down to it."""
    parent = widget.parentWidget()
    while parent is not None and not parent.isWindow():
        place = QRect(widget.mapTo(parent, widget.rect().topLeft()), widget.size())
        if isinstance(parent.parentWidget(), QScrollArea):
            return place.left() >= 0 and place.right() <= parent.width()
        if not parent.rect().contains(place):
            return False
        parent = parent.parentWidget()
    return True
