"""A list of entries to check, in a box that opens under its button."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPoint, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QToolButton,
    QVBoxLayout,
)

from vramtuner.core.words import say

_WIDTH, _ROWS = 260, 12
_ENTRY = Qt.ItemDataRole.UserRole


@dataclass(frozen=True, slots=True)
class Entry:
    """What can be checked: by what it is known, and how it is shown."""

    key: Hashable
    text: str
    tip: str = ""


class CheckList(QPushButton):
    """The button; it says how many entries are checked, and ``changed`` that they are others."""

    changed = Signal()

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name
        self.checked: set[Hashable] = set()
        self.box = QFrame(self, Qt.WindowType.Popup)
        self.box.setObjectName("checklist")
        self.box.setProperty("role", "card")
        self.box.setAccessibleName(name)
        self.filter = QLineEdit()
        self.filter.setPlaceholderText(say("Find {name}", name=name.lower()))
        self.filter.setAccessibleName(say("Find {name}", name=name.lower()))
        self.filter.setClearButtonEnabled(True)
        for clear in self.filter.findChildren(QToolButton):  # Qt leaves it without a name
            clear.setAccessibleName(say("Clear"))
        self.filter.textChanged.connect(self._show_matching)
        self.list = QListWidget()
        self.list.setAccessibleName(say("{name} of the matrix", name=name))
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setSpacing(2)
        self.list.setFixedHeight(_ROWS * (self.fontMetrics().height() + 6))
        self.list.itemChanged.connect(self._on_item_changed)
        self.all = QPushButton(say("Check all"))
        self.none = QPushButton(say("Check none"))
        self.all.clicked.connect(lambda: self._check_shown(checked=True))
        self.none.clicked.connect(lambda: self._check_shown(checked=False))
        buttons = QHBoxLayout()
        buttons.addWidget(self.all)
        buttons.addWidget(self.none)
        layout = QVBoxLayout(self.box)
        layout.setContentsMargins(8, 8, 8, 8)
        layout.addWidget(self.filter)
        layout.addWidget(self.list)
        layout.addLayout(buttons)
        self.box.setFixedWidth(_WIDTH)
        self.clicked.connect(self.open)
        self._show_count()

    def open(self) -> None:
        """Open the box, ready to type."""
        self.filter.clear()
        self.box.adjustSize()
        below, screen = self.mapToGlobal(QPoint(0, self.height() + 2)), self.screen().availableGeometry()
        lowest = max(screen.bottom() - self.box.height(), screen.top())
        self.box.move(below.x(), min(below.y(), lowest))
        self.box.show()
        self.filter.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.open()
        else:
            super().keyPressEvent(event)

    def show_entries(self, entries: Sequence[Entry], checked: set[Hashable]) -> None:
        """Show these entries; no change is told."""
        self.checked = {entry.key for entry in entries} & checked
        with QSignalBlocker(self.list):
            self.list.clear()
            for entry in entries:
                item = QListWidgetItem(entry.text, self.list)
                item.setToolTip(entry.tip)
                item.setData(_ENTRY, entry)
                item.setFlags(
                    Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsUserCheckable
                )
                item.setCheckState(_state(entry.key in self.checked))
        self._show_matching(self.filter.text())
        self._show_count()

    def _show_matching(self, text: str) -> None:
        words = text.casefold().split()
        for item in self._items():
            item.setHidden(not all(word in item.text().casefold() for word in words))

    def _items(self) -> list[QListWidgetItem]:
        return [self.list.item(row) for row in range(self.list.count())]

    def _check_shown(self, *, checked: bool) -> None:
        with QSignalBlocker(self.list):
            for item in self._items():
                if not item.isHidden():
                    item.setCheckState(_state(checked))
        self._on_item_changed()

    def _on_item_changed(self) -> None:
        now = {item.data(_ENTRY).key for item in self._items() if item.checkState() == Qt.CheckState.Checked}
        if now != self.checked:
            self.checked = now
            self._show_count()
            self.changed.emit()

    def _show_count(self) -> None:
        text = f"{self._name}: {len(self.checked)} ▾"
        self.setText(text)
        self.setAccessibleName(say("{name}, {checked} checked", name=self._name, checked=len(self.checked)))


def _state(checked: bool) -> Qt.CheckState:
    return Qt.CheckState.Checked if checked else Qt.CheckState.Unchecked
