"""The script as a list to edit: captions in place, order, deletion, each of them undone by one key."""

from typing import Any

from PySide6.QtCore import QEvent, QItemSelectionModel, QModelIndex, QPersistentModelIndex, QSignalBlocker, Qt, QTimer
from PySide6.QtGui import QAction, QKeySequence, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QPushButton,
    QStackedWidget,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from vramtuner.core.lever_words import describe_change
from vramtuner.core.script import DEMO_TITLE, MAX_CAPTION, Script, Step, with_caption, with_step_moved, without_step
from vramtuner.core.settings import Levers
from vramtuner.core.words import mark, say
from vramtuner.gui.controls import make_label
from vramtuner.gui.scripting import demo_of
from vramtuner.gui.state import Session

_EMPTY = mark(
    "No steps yet. Set the levers in the window and press F9: what they show becomes a step. "
    "F11 presents the steps in large type; the arrow keys move between them."
)


class ScriptDialog(QDialog):
    """Beside the main window; both stay usable."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._to_edit: int | None = None
        self.setWindowTitle(say("Script – vramtuner"))
        self.setAccessibleName(say("Script"))
        self.table = QTableWidget(0, 2)
        self._set_up_table()
        self._make_buttons()
        self.told = make_label(role="muted")
        self.told.setAccessibleDescription(say("What was changed last"))
        self._lay_out()
        self._add_keys()
        session.script_changed.connect(self._refresh)
        session.plan_changed.connect(self._refresh_buttons)
        self._refresh()
        self.resize(760, 420)

    def _set_up_table(self) -> None:
        table = self.table
        table.setAccessibleName(say("Steps"))
        table.setHorizontalHeaderLabels([say("Caption"), say("What moves")])
        table.horizontalHeader().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        table.horizontalHeader().setSectionResizeMode(1, QHeaderView.ResizeMode.Interactive)
        table.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft)
        table.horizontalHeader().setHighlightSections(False)
        table.setColumnWidth(1, 260)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        triggers = QAbstractItemView.EditTrigger
        table.setEditTriggers(triggers.DoubleClicked | triggers.EditKeyPressed | triggers.AnyKeyPressed)
        table.setTabKeyNavigation(False)
        table.setWordWrap(False)
        table.setCornerButtonEnabled(False)
        table.setItemDelegateForColumn(0, _CaptionDelegate(table))
        table.itemChanged.connect(self._on_edited)
        table.activated.connect(lambda index: self.edit_caption(index.row()))
        table.currentCellChanged.connect(lambda *_: self._refresh_buttons())

    def _make_buttons(self) -> None:
        self.up = _button(say("Move up"), "Alt+Up", lambda: self._move(-1))
        self.down = _button(say("Move down"), "Alt+Down", lambda: self._move(1))
        self.delete = _button(say("Delete"), "Del", self._delete)
        self.undo = _button(say("Undo"), "Ctrl+Z", self._undo)
        self.demo = _button(say("Make a demo: “{demo_title}”", demo_title=say(DEMO_TITLE)), "", self._make_demo)
        self.demo.setToolTip(say("Some steps for the model and the device of the window, to begin with"))

    def _lay_out(self) -> None:
        empty = QWidget()
        inner = QVBoxLayout(empty)
        inner.addStretch(1)
        inner.addWidget(make_label(say(_EMPTY)))
        inner.addWidget(self.demo, 0, Qt.AlignmentFlag.AlignLeft)
        inner.addStretch(1)
        self.pages = QStackedWidget()
        self.pages.addWidget(self.table)
        self.pages.addWidget(empty)
        self.buttons = QHBoxLayout()
        for button in (self.up, self.down, self.delete):
            self.buttons.addWidget(button)
        self.buttons.addStretch(1)
        told = QHBoxLayout()
        told.addWidget(self.told, 1)
        told.addWidget(self.undo)
        layout = QVBoxLayout(self)
        layout.addWidget(self.pages, 1)
        layout.addLayout(told)
        layout.addLayout(self.buttons)

    def _add_keys(self) -> None:
        for button, keys in ((self.up, "Alt+Up"), (self.down, "Alt+Down"), (self.delete, "Del"), (self.undo, "Ctrl+Z")):
            action = QAction(button.text(), self)
            action.setShortcut(QKeySequence(keys))
            action.triggered.connect(button.click)
            self.addAction(action)

    def take_action(self, action: QAction) -> None:
        """Offer an action of the main window here as well, by its shortcut and a button."""
        self.addAction(action)
        button = _button(action.text().replace("&", ""), action.shortcut().toString(), action.trigger)
        self.buttons.addWidget(button)

    @property
    def row(self) -> int:
        """The step that is selected; −1 for none."""
        return self.table.currentRow()

    def edit_caption(self, row: int) -> None:
        """Let the caption of a step be typed over, as soon as the dialog has the keys."""
        self._select(row)
        self._to_edit = row
        if self.isActiveWindow():
            self._begin_edit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.ActivationChange and self.isActiveWindow():
            # A field that is opened before the focus has arrived is closed by its arrival.
            QTimer.singleShot(0, self, self._begin_edit)

    def _begin_edit(self) -> None:
        row, self._to_edit = self._to_edit, None
        item = None if row is None else self.table.item(row, 0)
        if item is not None:
            self.table.setFocus()
            self.table.editItem(item)

    def _select(self, row: int) -> None:
        flags = QItemSelectionModel.SelectionFlag
        self.table.setCurrentCell(row, 0, flags.ClearAndSelect | flags.Rows)

    def _on_edited(self, item: QTableWidgetItem) -> None:
        if item.column() == 0:
            self._session.set_script(with_caption(self._session.script, item.row(), item.text()))
            self._refresh()  # the text may have been made one line of what was pasted

    def _move(self, by: int) -> None:
        row, script = self.row, self._session.script
        if row >= 0 and 0 <= row + by < len(script.steps):
            self._session.set_script(with_step_moved(script, row, row + by))
            self._select(row + by)
            self.told.setText(say("Step {row} is step {row2} now.", row=row + 1, row2=row + by + 1))

    def _delete(self) -> None:
        row, script = self.row, self._session.script
        if row >= 0:
            self._session.set_script(without_step(script, row))
            self._select(min(row, len(script.steps) - 2))
            caption = script.steps[row].caption
            self.told.setText(
                say("Deleted step {row}: “{caption}”", row=row + 1, caption=caption)
                if caption
                else say("Deleted step {row}.", row=row + 1)
            )

    def _undo(self) -> None:
        row = self.row
        self._session.undo_script()
        self._select(min(max(row, 0), len(self._session.script.steps) - 1))
        self.told.setText(say("Undone."))

    def _make_demo(self) -> None:
        plan = self._session.forecast
        if plan is not None and not self._session.stale:
            self._session.set_script(demo_of(plan))
            self._select(0)
            self.table.setFocus()

    def _refresh(self) -> None:
        script = self._session.script
        self.told.clear()
        with QSignalBlocker(self.table):
            self.table.setRowCount(len(script.steps))
            for row, step in enumerate(script.steps):
                _show(self.table, row, 0, step.caption)
                _show(self.table, row, 1, _moves(script, row, step))
        self.pages.setCurrentIndex(0 if script.steps else 1)
        self._refresh_buttons()

    def _refresh_buttons(self) -> None:
        row, count = self.row, self.table.rowCount()
        self.up.setEnabled(row > 0)
        self.down.setEnabled(0 <= row < count - 1)
        self.delete.setEnabled(0 <= row < count)
        self.undo.setEnabled(self._session.can_undo_script)
        self.demo.setEnabled(self._session.forecast is not None and not self._session.stale)


class _CaptionDelegate(QStyledItemDelegate):
    """A field that takes no more letters than a caption may have."""

    def createEditor(
        self, parent: QWidget, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QWidget:
        field = QLineEdit(parent)
        field.setMaxLength(MAX_CAPTION)
        field.setAccessibleName(say("Caption of step {row}", row=index.row() + 1))
        return field

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        option.state &= ~QStyle.StateFlag.State_HasFocus  # the row is marked; a second frame would dim its text
        super().paint(painter, option, index)


def _button(text: str, keys: str, act: Any) -> QPushButton:
    button = QPushButton(text)
    button.setAutoDefault(False)  # Enter edits the selected caption
    button.setAccessibleName(text)
    button.setToolTip(keys)
    button.clicked.connect(lambda checked: act())
    return button


def _show(table: QTableWidget, row: int, column: int, text: str) -> None:
    item = table.item(row, column)
    if item is None:
        item = QTableWidgetItem()
        if column:
            item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
        table.setItem(row, column, item)
    if item.text() != text:
        item.setText(text)
    item.setToolTip(text)


def _moves(script: Script, row: int, step: Step) -> str:
    """What the levers of a step do against the step before."""
    before = script.steps[row - 1] if row else None
    moved = describe_change(Levers() if before is None else before.levers, step.levers)
    is_elsewhere = before is None or (before.model, before.device) != (step.model, step.device)
    where = say("{model} on {device}", model=step.model, device=step.device) if is_elsewhere else ""
    return ", ".join(part for part in (where, moved) if part) or "nothing"
