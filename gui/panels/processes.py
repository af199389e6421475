"""Who holds a device's memory, as a table that keeps its order and selection while it is read again."""

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, QSize, Qt
from PySide6.QtGui import QAction, QColor, QGuiApplication, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from vramtuner.core.device.holders import Holder
from vramtuner.core.units import format_bytes
from vramtuner.core.words import mark, say
from vramtuner.gui.controls import cell_alignment
from vramtuner.gui.tables import tsv_text
from vramtuner.gui.theme import Theme

HEADERS = ("PID", mark("Name"), mark("User"), "VRAM", "GTT")
_COPIED = ("PID", mark("Name"), mark("User"), mark("VRAM bytes"), mark("GTT bytes"))
_TIPS = (
    mark("The process's id"), mark("The program's name"), mark("Whose process it is"), mark("The card's own memory"),
    mark("System memory that the GPU maps"),
)  # fmt: skip
_NUMBERS = (0, 3, 4)
_KEYS: tuple[Callable[[Holder], Any], ...] = (
    lambda row: row.pid,
    lambda row: row.name.lower(),
    lambda row: row.user or "",
    lambda row: row.vram_bytes,
    lambda row: row.gtt_bytes,
)
_CELL_PADDING = 18
_ROWS_SHOWN = (3, 8)  # at least and at most, where the panel scrolls
Index = QModelIndex | QPersistentModelIndex


class ProcessesModel(QAbstractTableModel):
    """Rows of processes in the order asked for; what no process accounts for always comes last."""

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._column, self._order = 3, Qt.SortOrder.DescendingOrder
        self.rows: list[Holder] = []

    def show_rows(self, rows: Sequence[Holder]) -> None:
        """Take new figures; rows of the same process stay the same rows, and with them a selection."""
        wanted = {_key(row): row for row in rows}
        for place in reversed(range(len(self.rows))):
            if _key(self.rows[place]) not in wanted:
                self.beginRemoveRows(QModelIndex(), place, place)
                del self.rows[place]
                self.endRemoveRows()
        known = {_key(row) for row in self.rows}
        new = [row for row in rows if _key(row) not in known]
        if new:
            self.beginInsertRows(QModelIndex(), len(self.rows), len(self.rows) + len(new) - 1)
            self.rows += new
            self.endInsertRows()
        fresh = [wanted[_key(row)] for row in self.rows]
        if fresh != self.rows:
            self.rows = fresh
            self.dataChanged.emit(self.index(0, 0), self.index(len(fresh) - 1, len(HEADERS) - 1))
        self.sort(self._column, self._order)

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self._column, self._order = column, order
        ordered = sorted((row for row in self.rows if row.pid is not None), key=lambda row: row.pid or 0)
        ordered.sort(key=_KEYS[column], reverse=order == Qt.SortOrder.DescendingOrder)
        ordered += [row for row in self.rows if row.pid is None]
        if ordered == self.rows:
            return
        self.layoutAboutToBeChanged.emit()
        places = {_key(row): place for place, row in enumerate(ordered)}
        before = self.persistentIndexList()
        after = [self.index(places[_key(self.rows[index.row()])], index.column()) for index in before]
        self.rows = ordered
        self.changePersistentIndexList(before, after)
        self.layoutChanged.emit()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's default
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(HEADERS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return say(HEADERS[section])
            case Qt.ItemDataRole.ToolTipRole:
                return say(_TIPS[section])
            case Qt.ItemDataRole.TextAlignmentRole:
                return cell_alignment(is_number=section in _NUMBERS)
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row = self.rows[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return _texts(row)[index.column()]
            case Qt.ItemDataRole.ToolTipRole if index.column() in (3, 4):
                return say("{value:,} bytes", value=(row.vram_bytes, row.gtt_bytes)[index.column() - 3])
            case Qt.ItemDataRole.ToolTipRole:
                return _texts(row)[index.column()]
            case Qt.ItemDataRole.TextAlignmentRole:
                return cell_alignment(is_number=index.column() in _NUMBERS)
            case Qt.ItemDataRole.ForegroundRole if row.pid is None:
                return QColor(self._theme.colours.muted)
        return None


class ProcessTable(QTableView):
    """The table; Ctrl+C copies the selected rows, or all, with sizes in bytes."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows = ProcessesModel(theme, self)
        self.setModel(self.rows)
        self.setAccessibleName(say("Processes that hold memory of the device"))
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 6)
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        # Above the text: beside it, the arrow would cover headings that are aligned to the right.
        header.setStyleSheet(
            "QHeaderView::section { padding: 7px 9px 2px 9px; }"
            "QHeaderView::up-arrow, QHeaderView::down-arrow"
            " { subcontrol-origin: padding; subcontrol-position: top center; width: 9px; height: 7px; }"
        )
        header.setMinimumSectionSize(44)
        # By what may come, not by what is there: columns that move at every reading cannot be read.
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        for column, widest in ((0, "4194304"), (2, "username"), (3, "888.88 GiB"), (4, "888.88 GiB")):
            header.resizeSection(column, self.fontMetrics().horizontalAdvance(widest) + _CELL_PADDING)
        self.sortByColumn(3, Qt.SortOrder.DescendingOrder)
        self.setSortingEnabled(True)
        copy = QAction(say("Copy"), self)
        copy.setShortcut(QKeySequence(QKeySequence.StandardKey.Copy))
        copy.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        copy.triggered.connect(self.copy_rows)
        self.addAction(copy)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self._fit()

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), self.minimumHeight())

    def show_rows(self, rows: Sequence[Holder]) -> None:
        self.rows.show_rows(rows)
        self._fit()

    def copy_rows(self) -> None:
        """Put rows on the clipboard as tab-separated text under a line of headings."""
        selected = sorted(index.row() for index in self.selectionModel().selectedRows())
        rows = [self.rows.rows[place] for place in selected] or self.rows.rows
        lines = [
            tuple(map(say, _COPIED)),
            *((_text(row.pid), row.name, row.user or "", row.vram_bytes, row.gtt_bytes) for row in rows),
        ]
        QGuiApplication.clipboard().setText(tsv_text(lines))

    def _fit(self) -> None:
        count = min(max(len(self.rows.rows), _ROWS_SHOWN[0]), _ROWS_SHOWN[1])
        frame = 2 * self.frameWidth() + self.horizontalHeader().sizeHint().height()
        self.setMinimumHeight(frame + count * self.verticalHeader().defaultSectionSize() + 2)


def _key(row: Holder) -> tuple[int | None, str]:
    return row.pid, "" if row.pid is not None else row.name


def _text(pid: int | None) -> str:
    return "" if pid is None else str(pid)


def _texts(row: Holder) -> tuple[str, ...]:
    sizes = (format_bytes(size) if size else "–" for size in (row.vram_bytes, row.gtt_bytes))
    return (_text(row.pid), row.name, row.user or "", *sizes)
