"""The runs that were kept: open one in the Live tab, compare, export, or throw one away."""

from pathlib import Path
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QPushButton, QTableView, QVBoxLayout, QWidget

from vramtuner.core.lever_words import describe_change
from vramtuner.core.runs import SUFFIX, runs_folder
from vramtuner.core.settings import Levers
from vramtuner.core.text import printable
from vramtuner.core.units import format_bytes
from vramtuner.core.words import mark, say
from vramtuner.gui.controls import cell_alignment, make_label
from vramtuner.gui.kept import KeptRun, KeptRuns
from vramtuner.gui.state import Session
from vramtuner.gui.tables import let_copy, make_table

HEADERS = (mark("When"), mark("Model"), mark("Device"), mark("Pool"), mark("Levers"))
_NUMBERS = (3,)
_FILTER = mark("Comma-separated values (*.csv);;Parquet (*.parquet)")


class RunsModel(QAbstractTableModel):
    """The runs, the newest first."""

    def __init__(self, kept: KeptRuns) -> None:
        super().__init__(kept)
        self._kept = kept
        self.rows: tuple[KeptRun, ...] = ()
        kept.listed.connect(self._reload)

    def _reload(self) -> None:
        if self.rows != self._kept.runs:
            self.beginResetModel()
            self.rows = self._kept.runs
            self.endResetModel()

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008 - Qt's default
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(HEADERS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return say(HEADERS[section])
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return cell_alignment(is_number=section in _NUMBERS)
        return None

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row = self.rows[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return _texts(row)[index.column()]
            case Qt.ItemDataRole.ToolTipRole:
                return printable(str(row.path), 400)
            case Qt.ItemDataRole.TextAlignmentRole:
                return cell_alignment(is_number=index.column() in _NUMBERS)
        return None


def _texts(row: KeptRun) -> tuple[str, ...]:
    header = row.header
    return (
        row.when,
        printable(header.spec.name, 60),
        printable(header.device.name, 60),
        format_bytes(header.pool_bytes),
        printable(describe_change(Levers(pool_bytes=header.levers.pool_bytes), header.levers), 200) or say("defaults"),
    )


class RunsPanel(QWidget):
    """Beside the results; looked for anew whenever it is shown and whenever a run ends."""

    def __init__(self, session: Session, kept: KeptRuns) -> None:
        super().__init__()
        self._session, self._kept = session, kept
        self.model = RunsModel(kept)
        self.table = make_table(self.model, say("Runs that were kept"))
        self.table.setSelectionMode(QTableView.SelectionMode.SingleSelection)
        let_copy(self.table)
        self.empty = make_label(say("No run has been kept yet. Profile (F5) keeps one."), "muted")
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        QVBoxLayout(self.table.viewport()).addWidget(self.empty)
        self.open = _button(
            say("Open"), say("Show this run in the Live tab, to be played again (Enter)"), self._on_open
        )
        self.compare = _button(say("Compare"), say("Put this run beside others in the Compare tab"), self._on_compare)
        self.export = _button(say("Export…"), say("Write its readings as CSV or Parquet"), self._on_export)
        self.discard = _button(say("Discard"), say("Move the run's file to the trash (Delete)"), self._on_discard)
        self.file = _button(say("Open file…"), say("Open a run from anywhere"), self._on_file)
        self._lay_out()
        self.table.activated.connect(self._on_open)
        delete = QShortcut(QKeySequence(QKeySequence.StandardKey.Delete), self.table, self._on_discard)
        delete.setContext(Qt.ShortcutContext.WidgetShortcut)
        self.table.selectionModel().selectionChanged.connect(self._refresh)
        kept.listed.connect(self._refresh)
        session.run_changed.connect(self._on_run_changed)
        self._refresh()

    def _lay_out(self) -> None:
        buttons = QHBoxLayout()
        buttons.setSpacing(6)
        for button in (self.open, self.compare, self.export, self.discard):
            buttons.addWidget(button)
        buttons.addStretch(1)
        buttons.addWidget(self.file)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addWidget(self.table, 1)
        layout.addLayout(buttons)

    def showEvent(self, event: Any) -> None:
        super().showEvent(event)
        self._kept.refresh()

    @property
    def chosen(self) -> KeptRun | None:
        """The run that is selected."""
        rows = self.table.selectionModel().selectedRows()
        return self.model.rows[rows[0].row()] if rows else None

    def _on_run_changed(self) -> None:
        if self._session.run is None and self.isVisible():
            self._kept.refresh()
        self._refresh()

    def _refresh(self) -> None:
        chosen, idle = self.chosen is not None, self._session.run is None or self._session.run.is_recording
        self.empty.setVisible(not self.model.rows)
        for button in (self.compare, self.export, self.discard):
            button.setEnabled(chosen)
        self.open.setEnabled(chosen and idle)
        self.file.setEnabled(idle)

    def _on_open(self) -> None:
        if self.chosen is not None and self.open.isEnabled():
            self._kept.open(self.chosen.path)

    def _on_compare(self) -> None:
        if self.chosen is not None:
            self._kept.compare(self.chosen.path)

    def _on_discard(self) -> None:
        if self.chosen is not None:
            self._kept.discard(self.chosen.path)

    def _on_export(self) -> None:
        chosen = self.chosen
        if chosen is None:
            return
        name, _ = QFileDialog.getSaveFileName(self, say("Export the readings"), f"{chosen.path.stem}.csv", say(_FILTER))
        if name:
            self._kept.export(chosen.path, Path(name))

    def _on_file(self) -> None:
        name, _ = QFileDialog.getOpenFileName(
            self, say("Open a run"), str(runs_folder()), say("Runs (*{suffix});;All files (*)", suffix=SUFFIX)
        )
        if name:
            self._kept.open(Path(name))


def _button(text: str, tip: str, act: Any) -> QPushButton:
    button = QPushButton(text)
    button.setToolTip(tip)
    button.setAccessibleDescription(tip)
    button.clicked.connect(lambda checked: act())
    return button
