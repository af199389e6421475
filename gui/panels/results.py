"""The passes that were run, as a table."""

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QColor

from vramtuner.core.profiling import outcome_text
from vramtuner.core.units import format_bytes
from vramtuner.core.words import Labels, mark, number, say
from vramtuner.gui.controls import cell_alignment
from vramtuner.gui.state import Session
from vramtuner.gui.theme import Theme
from vramtuner.gui.values import Measurement

HEADERS = (
    mark("Run"),
    mark("Tokens"),
    mark("Outcome"),
    mark("Measured"),
    mark("Forecast"),
    mark("Error"),
    mark("Time"),
    mark("Model"),
    mark("Measured on"),
)
_NUMBERS = (1, 3, 4, 5, 6)
_KINDS = Labels({"profile": "profile", "confirm": "limit", "validate": "validation", "kept": "kept run"})


class ResultsModel(QAbstractTableModel):
    """The session's measurements, the newest first."""

    def __init__(self, session: Session, theme: Theme) -> None:
        super().__init__(session)
        self._session, self._theme = session, theme
        self._rows: tuple[Measurement, ...] = ()
        self._texts: list[tuple[str, ...]] = []
        session.measurements_changed.connect(self._reload)
        self._reload()

    def _reload(self) -> None:
        # Views ask for rows at any time: what they were told must stay until they are told again.
        self.beginResetModel()
        known = dict(zip(map(id, self._rows), self._texts, strict=True))  # each takes a forecast or two
        self._rows = self._session.measurements[::-1]
        self._texts = [known.get(id(row)) or _texts(row) for row in self._rows]
        self.endResetModel()

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008 - Qt's default
        return 0 if parent.isValid() else len(self._rows)

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
        row = self._rows[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self._texts[index.row()][index.column()]
            case Qt.ItemDataRole.ToolTipRole:
                return row.tip
            case Qt.ItemDataRole.TextAlignmentRole:
                return cell_alignment(is_number=index.column() in _NUMBERS)
            case Qt.ItemDataRole.ForegroundRole if row.result.outcome == "out_of_memory":
                return QColor(self._theme.colours.bad)
        return None


def _texts(row: Measurement) -> tuple[str, ...]:
    result, ran = row.result, row.result.outcome == "ok"
    return (
        _KINDS[row.kind],
        number(result.tokens),
        outcome_text(result.outcome),
        format_bytes(result.peak_bytes, 3) if ran else "",
        format_bytes(row.forecast_bytes, 3) if ran else "",
        row.error_text,
        say("{seconds:.1f} s", seconds=result.seconds) if ran else "",
        row.forecast.spec.name,
        row.source,
    )
