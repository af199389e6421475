"""Tables as all panels have them, and their rows on the clipboard."""

import re
from collections.abc import Iterable, Sequence

from PySide6.QtCore import QAbstractItemModel, Qt
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView

from vramtuner.core.words import say

_BREAKS = re.compile(r"[\t\r\n]+")


def make_table(model: QAbstractItemModel, name: str) -> QTableView:
    """A table whose rows are chosen whole and whose columns are as wide as what is in them."""
    view = QTableView()
    view.setModel(model)
    view.setAccessibleName(name)
    view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    view.setShowGrid(False)
    view.setTabKeyNavigation(False)
    view.verticalHeader().hide()
    view.verticalHeader().setDefaultSectionSize(view.fontMetrics().height() + 6)
    header = view.horizontalHeader()
    header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
    header.setStretchLastSection(True)
    header.setHighlightSections(False)
    return view


def tsv_text(lines: Iterable[Sequence[object]]) -> str:
    """Lines of cells as tab-separated text; what would break a cell apart becomes a space."""
    return "\n".join("\t".join(_BREAKS.sub(" ", str(cell)) for cell in line) for line in lines)


def copy_rows(view: QAbstractItemView) -> None:
    """Put the selected rows, or all where none is, on the clipboard as tab-separated text under a line of headings."""
    model = view.model()
    columns = range(model.columnCount())
    rows = sorted({index.row() for index in view.selectionModel().selectedIndexes()}) or range(model.rowCount())
    lines = [[model.headerData(column, Qt.Orientation.Horizontal) or "" for column in columns]]
    lines += [[model.index(row, column).data() or "" for column in columns] for row in rows]
    QGuiApplication.clipboard().setText(tsv_text(lines))


def let_copy(view: QAbstractItemView) -> QAction:
    """Have Ctrl+C and a context menu copy a table's rows."""
    copy = QAction(say("Copy rows"), view)
    copy.setShortcut(QKeySequence(QKeySequence.StandardKey.Copy))
    copy.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
    copy.triggered.connect(lambda: copy_rows(view))
    view.addAction(copy)
    view.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
    return copy
