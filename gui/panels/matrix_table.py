"""The table of the matrix: limits as text on a colour, models down, devices across."""

from collections.abc import Sequence
from html import escape
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QAction, QColor, QFont, QFontMetrics, QGuiApplication, QKeyEvent, QKeySequence, QPainter, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from vramtuner.core import heat
from vramtuner.core.device.spec import Device
from vramtuner.core.matrix import Cell, Figures, Gap
from vramtuner.core.matrix_text import cell_sentence, cell_text, short_name
from vramtuner.core.model.spec import ModelSpec
from vramtuner.core.text import printable
from vramtuner.core.units import format_bytes
from vramtuner.core.words import say
from vramtuner.gui.theme import LIGHT, Theme

Index = QModelIndex | QPersistentModelIndex
CELL = Qt.ItemDataRole.UserRole
CURRENT = Qt.ItemDataRole.UserRole + 1
STALE = Qt.ItemDataRole.UserRole + 2
_NARROWEST, _WIDEST = 84, 170
_ALIGNED = Qt.AlignmentFlag.AlignCenter


class MatrixModel(QAbstractTableModel):
    """What is known of each cell; ``None`` while it is worked out."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.models: tuple[ModelSpec, ...] = ()
        self.devices: tuple[Device, ...] = ()
        self.cells: dict[tuple[int, int], Cell] = {}
        self.stale: set[tuple[int, int]] = set()
        self.current: tuple[int, int] | None = None

    def show_axes(self, models: Sequence[ModelSpec], devices: Sequence[Device]) -> None:
        """Take other rows and columns; no cell is known then."""
        if (self.models, self.devices) == (tuple(models), tuple(devices)):
            return
        self.beginResetModel()
        self.models, self.devices = tuple(models), tuple(devices)
        self.cells, self.stale, self.current = {}, set(), None
        self.endResetModel()

    def show_cells(
        self, cells: dict[tuple[int, int], Cell], stale: set[tuple[int, int]], current: tuple[int, int] | None
    ) -> None:
        """Take all cells at once, which of them are of earlier levers, and which is the plan's."""
        self.cells, self.stale, self.current = dict(cells), set(stale), current
        if self.models and self.devices:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self.models) - 1, len(self.devices) - 1))
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(self.devices) - 1)
            self.headerDataChanged.emit(Qt.Orientation.Vertical, 0, len(self.models) - 1)

    def show_cell(self, row: int, column: int, cell: Cell) -> None:
        self.cells[row, column] = cell
        self.stale.discard((row, column))
        index = self.index(row, column)
        self.dataChanged.emit(index, index)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's default
        return 0 if parent.isValid() else len(self.models)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.devices)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        across = orientation == Qt.Orientation.Horizontal
        if section >= (len(self.devices) if across else len(self.models)):
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole if across:
                device = self.devices[section]
                return f"{short_name(device)}\n{format_bytes(device.vram_bytes, 0)}"
            case Qt.ItemDataRole.DisplayRole:
                return printable(self.models[section].name, 40)
            case Qt.ItemDataRole.ToolTipRole:
                return _tip(_device_text(self.devices[section]) if across else _model_text(self.models[section]))
            case Qt.ItemDataRole.TextAlignmentRole:
                return _ALIGNED if across else Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
            case Qt.ItemDataRole.FontRole if self.current is not None and section == self.current[across]:
                return _bold(QGuiApplication.font())
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        place = (index.row(), index.column())
        cell = self.cells.get(place)
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return _text(cell)
            case Qt.ItemDataRole.ToolTipRole:
                return _tip(self.sentence(index))
            case Qt.ItemDataRole.AccessibleTextRole:
                return self.sentence(index)
            case Qt.ItemDataRole.TextAlignmentRole:
                return _ALIGNED
            case _ if role == CELL:
                return cell
            case _ if role == CURRENT:
                return place == self.current
            case _ if role == STALE:
                return place in self.stale
        return None

    def sentence(self, index: Index) -> str:
        """A cell for people."""
        spec, device = self.models[index.row()], self.devices[index.column()]
        cell = self.cells.get((index.row(), index.column()))
        if cell is None or (index.row(), index.column()) in self.stale:
            return say("{name} on {name2}: being worked out.", name=printable(spec.name), name2=printable(device.name))
        return cell_sentence(spec, device, cell)

    def tsv(self, rows: Sequence[int], columns: Sequence[int]) -> str:
        """Cells as tab-separated text under a line of devices, limits as plain numbers."""
        lines = [["", *(printable(self.devices[column].name) for column in columns)]]
        for row in rows:
            cells = (self.cells.get((row, column)) for column in columns)
            lines.append([printable(self.models[row].name), *map(_plain, cells)])
        return "\n".join("\t".join(line) for line in lines)


def _text(cell: Cell | None) -> str:
    if cell is None:
        return "…"
    if isinstance(cell, Gap):
        return say("not recorded") if cell.is_missing else say("no forecast")
    return cell_text(cell)


def _plain(cell: Cell | None) -> str:
    return str(cell.limit_tokens) if isinstance(cell, Figures) else cell.reason if cell else ""


def _tip(text: str) -> str:
    """Text for a tool tip: names in it are no markup, and long ones are wrapped."""
    return f"<p>{escape(text)}</p>"


def _device_text(device: Device) -> str:
    return f"{printable(device.name)}, {format_bytes(device.vram_bytes)}: {printable(device.source, 200)}"


def _model_text(spec: ModelSpec) -> str:
    count = (
        say("{parameters:,} parameters", parameters=spec.parameters)
        if spec.parameters
        else say("parameters not counted")
    )
    return say(
        "{name}: {count}, made for {max_positions:,} tokens, {source}",
        name=printable(spec.name),
        count=count,
        max_positions=spec.max_positions,
        source=printable(spec.source, 200),
    )


def _bold(font: QFont) -> QFont:
    bold = QFont(font)
    bold.setBold(True)
    return bold


class HeatDelegate(QStyledItemDelegate):
    """Draws a limit on its colour; the plan's own cell is bold, and a selected one has a frame."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        colours, cell = self._theme.colours, index.data(CELL)
        shown = option.state
        rect = QRectF(option.rect).adjusted(1, 1, -1, -1)
        painter.save()
        # The style has filled a selected cell with the colour of selections, which would hide that of the limit.
        painter.fillRect(option.rect, QColor(colours.surface))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        text = colours.muted
        if isinstance(cell, Figures) and cell.limit_tokens and not index.data(STALE):
            ramp = heat.LIGHT if colours is LIGHT else heat.DARK
            found = ramp[heat.level_of(cell.limit_tokens)]
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(found.background))
            painter.drawRoundedRect(rect, 3, 3)
            text = found.text
        elif cell is not None:
            painter.setPen(QPen(QColor(colours.border), 1))
            painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)
        if shown & QStyle.StateFlag.State_Selected:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(text if cell is not None else colours.accent), 2))
            painter.drawRoundedRect(rect.adjusted(2, 2, -2, -2), 2, 2)
        painter.setPen(QColor(text))
        font = option.font
        painter.setFont(_bold(font) if index.data(CURRENT) else font)
        painter.drawText(rect, int(_ALIGNED), index.data())
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(_NARROWEST, QFontMetrics(option.font).height() + 10)


class MatrixTable(QTableView):
    """The view; Enter and a double click ask to open a cell, Ctrl+C copies what is selected."""

    asked_for = Signal(int, int)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.cells = MatrixModel(self)
        self.setModel(self.cells)
        self.setItemDelegate(HeatDelegate(theme, self))
        self.setAccessibleName(say("Token limits, models down and devices across"))
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ContiguousSelection)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setCornerButtonEnabled(False)
        across, down = self.horizontalHeader(), self.verticalHeader()
        across.setMinimumSectionSize(_NARROWEST)
        across.setMaximumSectionSize(_WIDEST)
        across.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        across.setHighlightSections(False)
        # Rows share the height; where it does not do for all of them they scroll, with few they do not grow for ever.
        down.setMinimumSectionSize(self.fontMetrics().height() + 8)
        down.setMaximumSectionSize(2 * self.fontMetrics().height() + 8)
        down.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        down.setHighlightSections(False)
        self.doubleClicked.connect(lambda index: self.asked_for.emit(index.row(), index.column()))
        copy = QAction(say("Copy"), self)
        copy.setShortcut(QKeySequence(QKeySequence.StandardKey.Copy))
        copy.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        copy.triggered.connect(self.copy_cells)
        self.addAction(copy)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        index = self.currentIndex()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and index.isValid():
            self.asked_for.emit(index.row(), index.column())
        else:
            super().keyPressEvent(event)

    def copy_cells(self) -> None:
        """Put the selected cells on the clipboard with their headings, or all where one or none is selected."""
        chosen = self.selectionModel().selectedIndexes()
        rows = sorted({index.row() for index in chosen})
        columns = sorted({index.column() for index in chosen})
        if len(chosen) < 2:
            rows, columns = list(range(self.cells.rowCount())), list(range(self.cells.columnCount()))
        QGuiApplication.clipboard().setText(self.cells.tsv(rows, columns))
