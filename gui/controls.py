"""Small building blocks of the panels: text with a check, wrapped labels, the controls of levers, sections."""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from PySide6.QtCore import QEvent, QObject, QSettings, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QStandardItemModel
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QComboBox,
    QFrame,
    QGridLayout,
    QLabel,
    QLineEdit,
    QScrollArea,
    QSizePolicy,
    QSpinBox,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from vramtuner.core.errors import BadInputError
from vramtuner.core.words import say
from vramtuner.gui.i18n import number_locale
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


def cell_alignment(*, is_number: bool) -> Qt.AlignmentFlag:
    """Numbers of a table stand on the right, so that their digits are below each other."""
    side = Qt.AlignmentFlag.AlignRight if is_number else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter


class Facts(QWidget):
    """Name and value, one a line; an empty value hides its line.

    Names are marked templates, said when they are shown.
    """

    def __init__(self, names: tuple[str, ...]) -> None:
        super().__init__()
        # A form layout keeps heights of wrapped text that it worked out for another width; a grid does not.
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 4, 0, 0)
        grid.setVerticalSpacing(4)
        grid.setHorizontalSpacing(10)
        grid.setColumnStretch(1, 1)
        self._names: dict[str, QLabel] = {}
        self.values: dict[str, QLabel] = {}
        for row, name in enumerate(names):
            self._names[name], self.values[name] = make_label(say(name), "muted", wrap=False), make_label()
            grid.addWidget(self._names[name], row, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(self.values[name], row, 1)

    def show_values(self, facts: dict[str, str]) -> None:
        for name, label in self.values.items():
            self._names[name].setVisible(bool(facts.get(name)))
            label.setVisible(bool(facts.get(name)))
            label.setText(breakable(facts.get(name, "")))
            label.setToolTip(facts.get(name, ""))
            label.setAccessibleName(facts.get(name, ""))  # without the places where a line may break


def set_role(widget: QWidget, role: str) -> None:
    """Give a widget another role and have it drawn so."""
    if widget.property("role") != role:
        widget.setProperty("role", role)
        widget.style().unpolish(widget)
        widget.style().polish(widget)


class FieldsGiveWay(QObject):
    """Lets the window have its keys where a line of text would swallow them.

    Ctrl+Z undoes levers where the line has nothing of its own to undo.  Ctrl+D and Ctrl+E, by which some desktops
    delete and move in text, are the window's: there are other keys for the same.
    """

    _OURS = tuple(QKeySequence(keys) for keys in ("Ctrl+D", "Ctrl+E"))

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
        gives_way = (
            (event.matches(QKeySequence.StandardKey.Undo) and not line.isUndoAvailable())
            or (event.matches(QKeySequence.StandardKey.Redo) and not line.isRedoAvailable())
            or QKeySequence(event.keyCombination()) in self._OURS
        )
        if gives_way:
            event.ignore()
        return gives_way


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

    opening = Signal()
    """The list is about to be shown."""

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

    def show_text(self, value: Any, text: str) -> None:
        """Name a value otherwise."""
        index = self.findData(value)
        if self.itemText(index) != text:
            self.setItemText(index, text)

    def refuse(self, reasons: Mapping[Any, str]) -> None:
        """Grey these values and no others, each with why."""
        model = self.model()
        assert isinstance(model, QStandardItemModel)
        for row in range(self.count()):
            item, why = model.item(row), reasons.get(self.itemData(row), "")
            if item.toolTip() != why:
                item.setEnabled(not why)
                item.setToolTip(why)
                item.setAccessibleDescription(why)

    def showPopup(self) -> None:
        self.opening.emit()
        super().showPopup()

    def wheelEvent(self, event: Any) -> None:
        # A wheel over a panel scrolls the panel; it must not change a lever that happens to be under the mouse.
        event.ignore()


class TextPicker(QComboBox):
    """A line of text that is applied as a `TextField` is, with some texts to choose from.

    Parameters
    ----------
    apply
        As of `TextField`, for what is typed and what is chosen.
    """

    opening = Signal()
    """As of `Picker`."""

    def __init__(self, name: str, texts: Iterable[str], apply: Callable[[str], None]) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.field = TextField(say("{name}, text", name=name), apply)
        self.error = self.field.error
        self.setEditable(True)
        self.setLineEdit(self.field)
        self.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(6)
        self.addItems(list(texts))
        # Completion would add to a text that is short on purpose, such as 4 before 4k.
        self.setCompleter(None)  # type: ignore[arg-type]
        self.activated.connect(lambda index: self.field.editingFinished.emit())

    def show_value(self, text: str) -> None:
        index = self.findText(text, Qt.MatchFlag.MatchFixedString)
        if index != self.currentIndex():
            with QSignalBlocker(self):
                self.setCurrentIndex(index)
        self.field.show_value(text)
        self.field.setCursorPosition(0)

    def showPopup(self) -> None:
        self.opening.emit()
        super().showPopup()

    def wheelEvent(self, event: Any) -> None:
        event.ignore()  # as of `Picker`


class Count(QSpinBox):
    """A whole number; shows what the session holds and asks for another."""

    def __init__(self, name: str, apply: Callable[[int], None], **options: Any) -> None:
        super().__init__(**options)
        self.setAccessibleName(name)
        self.setKeyboardTracking(False)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.lineEdit().setTextMargins(5, 0, 0, 0)  # where other fields begin; a style sheet does not reach in here
        self.setLocale(number_locale())  # the window's own, as every number in it
        self.valueChanged.connect(apply)

    def show_value(self, value: int) -> None:
        # A spin box draws itself again even for the value that it has, and this runs while sliders move.
        if self.value() != value:
            with QSignalBlocker(self):
                self.setValue(value)

    def show_maximum(self, most: int) -> None:
        if self.maximum() != most:
            with QSignalBlocker(self):
                self.setMaximum(most)

    def wheelEvent(self, event: Any) -> None:
        event.ignore()  # as of `Picker`


class Section(QWidget):
    """A part of a panel under a button that opens and closes it; how it was left is kept for the next start."""

    def __init__(self, title: str, content: QWidget, setting: str) -> None:
        super().__init__()
        self._title, self._content, self._setting = title, content, setting
        self.button = QToolButton()
        self.button.setCheckable(True)
        self.button.setProperty("role", "section")
        self.button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.button.setIconSize(QSize(12, 12))
        self.button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.button.toggled.connect(self._on_toggled)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(5)
        layout.addWidget(self.button)
        layout.addWidget(content)
        self.show_changed(0)
        is_open = bool(QSettings().value(setting, False, type=bool))
        self.button.setChecked(is_open)
        self._show_open(is_open)

    def show_changed(self, count: int) -> None:
        """Say in the title how many levers of the section are not at their defaults."""
        text = say("{title} ({count} changed)", title=self._title, count=count) if count else self._title
        if text != self.button.text():
            self.button.setText(text)
            self.button.setAccessibleName(text.replace("&", ""))

    def _on_toggled(self, is_open: bool) -> None:
        self._show_open(is_open)
        QSettings().setValue(self._setting, is_open)

    def _show_open(self, is_open: bool) -> None:
        self._content.setVisible(is_open)
        self.button.setArrowType(Qt.ArrowType.DownArrow if is_open else Qt.ArrowType.RightArrow)
        self.button.setAccessibleDescription(say("open") if is_open else say("closed"))


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
