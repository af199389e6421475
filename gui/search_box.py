"""A box to choose from that is searched by typing: the words may stand anywhere in what is known of an entry."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import (
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QSignalBlocker,
    QSortFilterProxyModel,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QComboBox, QCompleter, QLineEdit

from vramtuner.core.words import say

_SEARCH_ROLE = Qt.ItemDataRole.UserRole + 20
_HEADING = Qt.ItemFlag.NoItemFlags


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the list.

    Attributes
    ----------
    text
        As the list shows it.
    data
        What is chosen by it.
    search
        What else it is found by.
    """

    text: str
    data: str
    search: str = ""
    tip: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    """Entries below a heading that cannot be chosen."""

    title: str
    entries: tuple[Entry, ...]


def matches(query: str, known: str) -> bool:
    """Whether every word of a query is somewhere in what is known, whatever its case, spaces and hyphens.

    An amount of memory is a word of its own: ``4 GiB`` does not find ``24 GiB``.  GB means GiB, as on a card's box.

    >>> matches("7900 24gib", "Radeon RX 7900 XTX · 24 GiB gfx1100"), matches("4 gib", "Radeon RX 7900 XTX · 24 GiB")
    (True, False)
    """
    text = _normal(known)
    compact = re.sub(r"[^a-z0-9]", "", text)
    return all(_is_in(word, text, compact) for word in _normal(query).split())


def _normal(text: str) -> str:
    return re.sub(r"(\d)\s*g(?:i?b)\b", r"\1gib", text.lower())


def _is_in(word: str, text: str, compact: str) -> bool:
    if re.fullmatch(r"[\d.]+gib", word):
        return re.search(rf"(?<![\d.]){re.escape(word)}", text) is not None
    plain = re.sub(r"[^a-z0-9]", "", word)
    return word in text or (bool(plain) and plain in compact)


class _Found(QSortFilterProxyModel):
    """The entries that match, and the headings that have any."""

    query = ""

    def look_for(self, query: str) -> None:
        self.beginResetModel()
        self.query = query
        self.endResetModel()

    def filterAcceptsRow(self, row: int, parent: QModelIndex | QPersistentModelIndex) -> bool:
        model = self.sourceModel()
        assert isinstance(model, QStandardItemModel)
        if model.item(row).flags() != _HEADING:
            return matches(self.query, model.item(row).data(_SEARCH_ROLE))
        for below in range(row + 1, model.rowCount()):
            if model.item(below).flags() == _HEADING:
                break
            if matches(self.query, model.item(below).data(_SEARCH_ROLE)):
                return True
        return False


class SearchBox(QComboBox):
    """Shows what the session holds; says what a person has picked or typed."""

    picked = Signal(str)
    """The data of an entry that was chosen from the list."""
    entered = Signal(str)
    """A text that was typed, and Enter pressed, which is no entry's whole text."""
    opening = Signal()
    """The list is about to be shown."""

    def __init__(self, name: str, placeholder: str) -> None:
        super().__init__()
        self.groups: tuple[Group, ...] = ()
        self._shown: tuple[str | None, str] = (None, "")
        self.setAccessibleName(name)
        self.line = QLineEdit()
        self.setEditable(True)
        self.setLineEdit(self.line)
        self.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMaxVisibleItems(18)
        self._items = QStandardItemModel(self)
        self.setModel(self._items)
        self._found = _Found(self)
        self._found.setSourceModel(self._items)
        self._suggestions = QCompleter(self._found, self)
        self._suggestions.setCompletionMode(QCompleter.CompletionMode.UnfilteredPopupCompletion)
        self._suggestions.setMaxVisibleItems(14)
        self.setCompleter(self._suggestions)
        self.activated.connect(self._on_activated)
        self.line.setAccessibleName(say("{name}, type to search", name=name))
        self.line.setPlaceholderText(placeholder)
        self.line.textEdited.connect(self._on_edited)
        self.line.returnPressed.connect(self._on_entered)
        self.line.editingFinished.connect(self._show_again)
        self.line.installEventFilter(self)

    # ---- what it shows

    def show_groups(self, groups: Sequence[Group]) -> None:
        """Take another list; the choice stays, and so does what is being typed."""
        was, self.groups = self.groups, tuple(groups)
        if was == self.groups:
            return
        if [_outline(group) for group in was] == [_outline(group) for group in self.groups]:
            self._rename()
            return
        typed = self._typed()
        with QSignalBlocker(self), QSignalBlocker(self.line):
            self._items.clear()
            for group in self.groups:
                title = QStandardItem(group.title)
                title.setFlags(_HEADING)
                font = self.font()
                font.setBold(True)
                title.setFont(font)
                self._items.appendRow(title)
                for entry in group.entries:
                    self._items.appendRow(_item(entry))
        self._show_again()
        self._type_again(typed)

    def show_chosen(self, data: str | None, text: str) -> None:
        """Show what is chosen: an entry's data, ``None`` if it has none, and the text in the box."""
        typed = self._typed() if data == self._shown[0] else None
        self._shown = (data, text)
        self._show_again()
        self._type_again(typed)

    def found(self, query: str) -> tuple[Entry, ...]:
        """The entries that match a query."""
        everything = (entry for group in self.groups for entry in group.entries)
        return tuple(entry for entry in everything if matches(query, f"{entry.text} {entry.search}"))

    def search(self) -> None:
        """Begin a search: an empty line with the focus, and the whole list."""
        self.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.line.selectAll()
        self.showPopup()

    def showPopup(self) -> None:
        self.opening.emit()
        view = self.view()
        bar = view.verticalScrollBar().sizeHint().width()
        view.setMinimumWidth(max(self.width(), view.sizeHintForColumn(0) + bar + 8))
        super().showPopup()

    def wheelEvent(self, event: Any) -> None:
        event.ignore()  # a wheel over a panel scrolls the panel

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        # Whoever clicks into the line wants to type over what it shows.
        if watched is self.line and event.type() == QEvent.Type.FocusIn:
            QTimer.singleShot(0, self._select_unless_typed)
        return super().eventFilter(watched, event)

    # ---- what happens

    def _select_unless_typed(self) -> None:
        if self.line.hasFocus() and not self.line.isModified():
            self.line.selectAll()

    def _rename(self) -> None:
        """The same entries with other texts, such as how much is used."""
        typed = self._typed()
        lines: list[Entry | None] = []
        for group in self.groups:
            lines += [None, *group.entries]
        with QSignalBlocker(self.line):
            for row, entry in enumerate(lines):
                if entry is not None and self._items.item(row).text() != entry.text:
                    self._items.item(row).setText(entry.text)
        self._show_again()
        self._type_again(typed)

    def _typed(self) -> tuple[str, int] | None:
        """What is being typed, and where the cursor is."""
        return (self.line.text(), self.line.cursorPosition()) if self.line.isModified() else None

    def _type_again(self, typed: tuple[str, int] | None) -> None:
        if typed is not None:
            with QSignalBlocker(self.line):
                self.line.setText(typed[0])
                self.line.setCursorPosition(typed[1])
                self.line.setModified(True)

    def _show_again(self) -> None:
        data, text = self._shown
        with QSignalBlocker(self), QSignalBlocker(self.line):
            self.setCurrentIndex(-1 if data is None else self.findData(data))
            self.setEditText(text)
            self.line.setToolTip(text)
            self.line.setModified(False)
            self.line.setCursorPosition(0)  # a text that is too long shows its beginning

    def _on_edited(self, text: str) -> None:
        self.opening.emit()
        self._found.look_for(text)
        popup = self._suggestions.popup()
        if popup is not None and self._found.rowCount():
            popup.setMinimumWidth(max(self.width(), popup.sizeHintForColumn(0) + 30))
            self._suggestions.complete()
        elif popup is not None:
            popup.hide()

    def _on_activated(self, row: int) -> None:
        data = self.itemData(row)
        if isinstance(data, str):
            self.picked.emit(data)
        self._show_again()  # what was refused gives way

    def _on_entered(self) -> None:
        popup = self._suggestions.popup()
        if popup is not None:
            popup.hide()
        text = self.line.text().strip()
        if not text or text == self._shown[1]:
            return
        row = self.findText(text, Qt.MatchFlag.MatchFixedString)
        if row >= 0 and isinstance(self.itemData(row), str):
            self.picked.emit(self.itemData(row))
        else:
            self.entered.emit(text)


def _outline(group: Group) -> tuple[str, tuple[str, ...]]:
    return group.title, tuple(entry.data for entry in group.entries)


def _item(entry: Entry) -> QStandardItem:
    item = QStandardItem(entry.text)
    item.setData(entry.data, Qt.ItemDataRole.UserRole)
    item.setData(f"{entry.text} {entry.search}", _SEARCH_ROLE)
    item.setToolTip(entry.tip)
    return item
