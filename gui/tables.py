"""Rows of a table on the clipboard."""

import re
from collections.abc import Iterable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence
from PySide6.QtWidgets import QAbstractItemView

_BREAKS = re.compile(r"[\t\r\n]+")


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
    copy = QAction("Copy rows", view)
    copy.setShortcut(QKeySequence(QKeySequence.StandardKey.Copy))
    copy.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
    copy.triggered.connect(lambda: copy_rows(view))
    view.addAction(copy)
    view.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
    return copy
