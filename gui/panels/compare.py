"""The compare tab: the current plan beside its default, plans that were pinned and runs that were kept."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QFont, QPainter, QPen, QPixmap
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QPushButton, QSplitter, QToolButton, QVBoxLayout, QWidget

from vramtuner.core.comparison import Row, Subject, default_plan, lengths_of, of_plan, of_run, rows
from vramtuner.core.errors import AppError
from vramtuner.core.forecast import Forecast
from vramtuner.core.words import say
from vramtuner.gui.background import Background
from vramtuner.gui.comparing import Comparison, Pinned
from vramtuner.gui.controls import cell_alignment, make_label
from vramtuner.gui.kept import OpenedRun
from vramtuner.gui.plots.compare_plot import ComparePlot, Curve, look
from vramtuner.gui.state import Session
from vramtuner.gui.tables import let_copy, make_table
from vramtuner.gui.theme import Theme

_QUIET_MILLISECONDS = 120
_WIDEST = 210
_SWATCH = QSize(22, 10)


class CompareModel(QAbstractTableModel):
    """Facts as rows, subjects as columns, and the change from the first to the last."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.names: tuple[str, ...] = ()
        self.rows: tuple[Row, ...] = ()

    def show(self, names: tuple[str, ...], found: tuple[Row, ...]) -> None:
        """Show other rows."""
        self.beginResetModel()
        self.names, self.rows = names, found
        self.endResetModel()

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008 - Qt's default
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.names) + 2

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return None
        place = section - 1
        if role == Qt.ItemDataRole.DisplayRole:
            return ("", *self.names, say("Change"))[section]
        if role == Qt.ItemDataRole.DecorationRole and 0 <= place < len(self.names):
            return _swatch(self._theme, place)
        if role == Qt.ItemDataRole.ToolTipRole and 0 <= place < len(self.names):
            return self.names[place]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return cell_alignment(is_number=section > 0)
        return None

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row, column = self.rows[index.row()], index.column()
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return (row.name, *row.texts, row.change)[column]
            case Qt.ItemDataRole.TextAlignmentRole:
                return cell_alignment(is_number=column > 0)
            case Qt.ItemDataRole.FontRole if row.name in ("Limit", "Pool"):
                font = QFont()
                font.setBold(True)
                return font
        return None


class ComparePanel(QWidget):
    """Curves above, differences below; worked out only while it is shown.

    ``wanted`` carries the choice of a pinned plan that is to be opened.
    """

    wanted = Signal(object)

    def __init__(self, session: Session, theme: Theme, comparison: Comparison) -> None:
        super().__init__()
        self._session, self._theme, self.comparison = session, theme, comparison
        self._default: tuple[Forecast, Forecast | None] | None = None
        self._background = Background("default", self)
        self.plot = ComparePlot(theme)
        self.model = CompareModel(theme)
        self.table = make_table(self.model, say("Differences"))
        self.table.horizontalHeader().setMaximumSectionSize(_WIDEST)
        self.table.setMinimumHeight(4 * self.table.verticalHeader().defaultSectionSize())
        let_copy(self.table)
        self.pin = QPushButton(say("Pin this plan"))
        self.pin.setToolTip(say("Keep the current plan here, to compare others with it (Ctrl+D)"))
        self.pin.clicked.connect(self.pin_current)
        self.with_default = QCheckBox(say("Default"))
        self.with_default.setToolTip(say("The same request under no levers at all: before and after"))
        self.with_default.setChecked(True)
        self.all_rows = QCheckBox(say("Equal rows too"))
        self.note = make_label(role="muted")
        self.chips = QHBoxLayout()
        self._lay_out()
        self._timer = QTimer(self, singleShot=True, interval=_QUIET_MILLISECONDS)
        self._timer.timeout.connect(self.refresh)
        for signal in (session.plan_changed, comparison.changed, theme.changed):
            signal.connect(self._on_changed)
        session.plan_changed.connect(self._take_forecast)
        for box in (self.with_default, self.all_rows):
            box.toggled.connect(self.refresh)

    def _lay_out(self) -> None:
        bar = QHBoxLayout()
        bar.setSpacing(10)
        bar.addWidget(self.pin)
        bar.addLayout(self.chips)
        bar.addStretch(1)
        bar.addWidget(self.with_default)
        bar.addWidget(self.all_rows)
        parts = QSplitter(Qt.Orientation.Vertical)
        parts.setChildrenCollapsible(False)
        parts.addWidget(self.plot)
        parts.addWidget(self.table)
        parts.setStretchFactor(0, 3)
        parts.setStretchFactor(1, 2)
        parts.setSizes([300, 160])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 4)
        layout.setSpacing(6)
        layout.addLayout(bar)
        layout.addWidget(self.note)
        layout.addWidget(parts, 1)

    def showEvent(self, event: Any) -> None:
        super().showEvent(event)
        self.refresh()

    def pin_current(self) -> None:
        """Keep the current plan to compare others with."""
        session = self._session
        self.comparison.pin(session.choice, None if session.stale else session.forecast)

    def _take_forecast(self) -> None:
        session = self._session
        if session.forecast is not None and not session.stale:
            self.comparison.take(session.choice, session.forecast)

    def csv_rows(self) -> Iterator[Sequence[object]]:
        """The curves, for the clipboard or a file."""
        return self.plot.csv_rows()

    def close_work(self) -> None:
        """Stop what is worked out, for good."""
        self._background.close()

    def _on_changed(self) -> None:
        if self.isVisible():
            self._timer.start()

    def _current_default(self) -> Forecast | None:
        """The default of the current plan, once it has been worked out."""
        plan = self._session.forecast
        if plan is None or self._session.stale:
            return None
        known = self._default
        if known is not None and _is_default_of(known[0], plan):
            return known[1]
        self._background.start(partial(default_plan, plan), partial(self._on_default, plan), self._on_failed)
        return None

    def _on_default(self, plan: Forecast, default: Forecast | None) -> None:
        self._default = plan, default
        self._on_changed()

    def _on_failed(self, error: AppError) -> None:
        self.note.setText(str(error))

    def refresh(self) -> None:
        """Put everything side by side that is there."""
        self._timer.stop()
        session, comparison = self._session, self.comparison
        plan = None if session.stale else session.forecast
        default = self._current_default() if self.with_default.isChecked() else None
        plans: list[tuple[str, Forecast]] = [] if default is None or _is_plain(plan) else [(say("Default"), default)]
        plans += [(one.name, one.plan) for one in comparison.pinned if one.plan is not None]
        now = [] if plan is None else [(say("Now"), plan)]
        at, lengths = (plan.token_cap if plan else 4096), lengths_of(one.run for one in comparison.runs)
        subjects = [of_plan(name, of, tokens=at, lengths=lengths) for name, of in plans]
        subjects += [of_run(one.title, one.run) for one in comparison.runs]
        subjects += [of_plan(name, of, tokens=at, lengths=lengths) for name, of in now]
        curves = [Curve(name, of) for name, of in plans]
        curves += [Curve(one.title, one.plan, one.measurements) for one in comparison.runs]
        curves += [Curve(name, of, session.current_measurements) for name, of in now]
        self.plot.show_curves(curves)
        self._show_rows(subjects)
        self._show_chips()
        self._show_note(len(subjects))

    def _show_rows(self, subjects: Sequence[Subject]) -> None:
        found = rows(subjects)
        if not self.all_rows.isChecked() and len(subjects) > 1:
            found = tuple(row for row in found if row.differs)
        self.model.show(tuple(subject.name for subject in subjects), found)

    def _show_note(self, count: int) -> None:
        problems = [f"{one.name}: {one.problem}" for one in self.comparison.pinned if one.problem]
        text = (
            ""
            if count > 1
            else say("Pin this plan, then move levers: both are drawn here, and what differs is listed.")
        )
        self.note.setText("; ".join(problems) or text)
        self.note.setVisible(bool(self.note.text()))

    def _show_chips(self) -> None:
        while (item := self.chips.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        items: list[Pinned | OpenedRun] = [*self.comparison.pinned, *self.comparison.runs]
        for one in items:
            self.chips.addWidget(self._chip(one))

    def _chip(self, one: Pinned | OpenedRun) -> QWidget:
        name = one.name if isinstance(one, Pinned) else one.title
        chip = QWidget()
        layout = QHBoxLayout(chip)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        label = QToolButton()
        label.setText(name if len(name) <= 24 else f"{name[:23]}…")
        label.setAutoRaise(True)
        label.setToolTip(say("{name}\nClick to open this plan", name=name) if isinstance(one, Pinned) else name)
        label.setAccessibleName(name)
        if isinstance(one, Pinned):
            label.clicked.connect(partial(self.wanted.emit, one.choice))
        close = QToolButton()
        close.setText("✕")
        close.setAutoRaise(True)
        close.setToolTip(say("Take it out of the comparison"))
        close.setAccessibleName(say("Take out {name}", name=name))
        close.clicked.connect(partial(self.comparison.remove, one))
        layout.addWidget(label)
        layout.addWidget(close)
        return chip


def _is_default_of(known: Forecast, plan: Forecast) -> bool:
    """Whether two plans have the same default: it depends on the levers by the cap alone."""
    return (known.spec, known.device, known.token_cap) == (plan.spec, plan.device, plan.token_cap)


def _is_plain(plan: Forecast | None) -> bool:
    """Whether a plan is its own default."""
    return plan is not None and plan.levers == type(plan.levers)(token_cap=plan.levers.token_cap)


def _swatch(theme: Theme, index: int) -> QPixmap:
    """A piece of the curve."""
    colour, style = look(theme, index)
    pixmap = QPixmap(_SWATCH)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setPen(QPen(QColor(colour), 3, style))
    painter.drawLine(0, _SWATCH.height() // 2, _SWATCH.width(), _SWATCH.height() // 2)
    painter.end()
    return pixmap
