"""Small building blocks of the panels: text with a check, wrapped labels, combo boxes of levers."""

import re
from collections.abc import Callable, Iterable
from typing import Any

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QComboBox,
    QFrame,
    QLabel,
    QLineEdit,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from vramtuner.core.errors import BadInputError
from vramtuner.gui.values import sentence


def make_label(text: str = "", role: str = "", *, wrap: bool = True) -> QLabel:
    """A label with a role that the theme colours."""
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)  # names come out of folders that nobody has checked
    label.setProperty("role", role)
    label.setWordWrap(wrap)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    label.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
    return label


def breakable(text: str) -> str:
    """The text with places where a long path or name may go on in the next line; Qt breaks at spaces alone."""
    return re.sub(r"([/_-])(?=\S)", "\\1\u200b", text)


def set_role(widget: QWidget, role: str) -> None:
    """Give a widget another role and have it drawn so."""
    if widget.property("role") != role:
        widget.setProperty("role", role)
        widget.style().unpolish(widget)
        widget.style().polish(widget)


class UndoGivesWay(QObject):
    """Lets Ctrl+Z undo levers where a line of text has nothing of its own to undo; it would swallow the key."""

    def watch(self, window: QWidget) -> None:
        """Watch every field of a window."""
        fields = [*window.findChildren(QLineEdit), *window.findChildren(QAbstractSpinBox)]
        for field in fields:
            field.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not isinstance(event, QKeyEvent) or event.type() != QEvent.Type.ShortcutOverride:
            return False
        # A spin box hands the key to its line of text without anybody else being asked.
        line = watched if isinstance(watched, QLineEdit) else watched.findChild(QLineEdit)
        assert isinstance(line, QLineEdit)
        nothing = (event.matches(QKeySequence.StandardKey.Undo) and not line.isUndoAvailable()) or (
            event.matches(QKeySequence.StandardKey.Redo) and not line.isRedoAvailable()
        )
        if nothing:
            event.ignore()
        return nothing


class TextField(QLineEdit):
    """A line of text that is applied when it is complete; what is wrong with it appears in ``error``.

    Parameters
    ----------
    apply
        Takes the text, or raises `BadInputError` and changes nothing.
    """

    def __init__(self, name: str, apply: Callable[[str], None]) -> None:
        super().__init__()
        self._apply = apply
        self._shown = ""
        self.error = make_label(role="error")
        self.error.hide()
        self.setAccessibleName(name)
        self.editingFinished.connect(self._on_finished)

    def show_value(self, text: str) -> None:
        """Show what the session holds; a text that was refused gives way."""
        self._shown = text
        self.error.hide()
        if self.text() != text:
            self.setText(text)

    def _on_finished(self) -> None:
        if self.text() == self._shown:
            self.error.hide()
            return
        try:
            self._apply(self.text())
        except BadInputError as error:
            self.error.setText(sentence(error))
            self.error.show()


class Picker(QComboBox):
    """A choice among a few values; shows what the session holds and asks for another."""

    def __init__(self, name: str, values: Iterable[tuple[str, Any]], apply: Callable[[Any], None]) -> None:
        super().__init__()
        self.setAccessibleName(name)
        for text, value in values:
            self.addItem(text, value)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(6)
        self.activated.connect(lambda index: apply(self.itemData(index)))

    def show_value(self, value: Any) -> None:
        with QSignalBlocker(self):
            self.setCurrentIndex(self.findData(value))

    def wheelEvent(self, event: Any) -> None:
        # A wheel over a panel scrolls the panel; it must not change a lever that happens to be under the mouse.
        event.ignore()


def scrolled(content: QWidget) -> QScrollArea:
    """A panel that scrolls when the window is too low for it."""
    content.setObjectName("scrolled")
    area = QScrollArea()
    area.setWidget(content)
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    return area


def card(*, spacing: int = 6) -> tuple[QFrame, QVBoxLayout]:
    """A framed box and the layout to fill."""
    frame = QFrame()
    frame.setProperty("role", "card")
    layout = QVBoxLayout(frame)
    layout.setContentsMargins(12, 10, 12, 10)
    layout.setSpacing(spacing)
    return frame, layout
