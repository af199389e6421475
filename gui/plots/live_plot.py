"""Memory against time while passes run."""

from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QPen
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from vramtuner.core.units import GIB
from vramtuner.gui.plots.canvas import (
    LOW_CURVE,
    colour_plot,
    fill_area,
    make_area,
    make_line,
    make_plot,
    show_pool,
    small_font,
    style_line,
)
from vramtuner.gui.series import LiveSeries
from vramtuner.gui.state import Session
from vramtuner.gui.theme import Theme

FRAME_MILLISECONDS = 50
_EMPTY = "Press Profile (F5) to run real passes.\nWhat they take is drawn here while they run."


class LivePlot(QWidget):
    """Draws the session's live series, about twenty times a second while a run goes on and once when it ends."""

    drawn = Signal()

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._theme = session, theme
        self._drawn: tuple[LiveSeries | None, int, int] = (None, 0, 0)
        self._marks: list[Any] = []
        self.plot = make_plot(self, "Seconds since the run began", "Memory (GiB)")
        self._make_items()
        self.empty = QLabel(_EMPTY, self.plot)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.plot)
        self.setAccessibleName("Live memory plot")
        self._clock = QTimer(self, interval=FRAME_MILLISECONDS)
        self._clock.timeout.connect(self._draw)
        session.run_changed.connect(self._on_run_changed)
        theme.changed.connect(self._recolour)
        self._recolour()

    def _make_items(self) -> None:
        self.allocated = pg.PlotDataItem(autoDownsample=True, clipToView=True, downsampleMethod="peak")
        self.reserved = pg.PlotDataItem(autoDownsample=True, clipToView=True, downsampleMethod="peak")
        self.process = pg.PlotDataItem(autoDownsample=True, clipToView=True, downsampleMethod="peak")
        for item in (self.allocated, self.reserved, self.process):
            self.plot.addItem(item, ignoreBounds=True)
        self.area = make_area(self.plot)
        self.area.setPen(QPen(Qt.PenStyle.NoPen))
        self.pool_line = make_line(self.plot, angle=0, position=0.012, anchors=[(0, 1.1), (0, 1.1)])
        self.pool_line.setZValue(30)

    def _recolour(self) -> None:
        colours = self._theme.colours
        colour_plot(self.plot, colours)
        self.allocated.setPen(pg.mkPen(colours.components[0], width=1.5))
        self.area.setBrush(pg.mkBrush(f"{colours.components[0]}70"))
        self.reserved.setPen(pg.mkPen(colours.components[4], width=1.5, style=Qt.PenStyle.DashLine))
        self.process.setPen(pg.mkPen(colours.muted, width=1.5, style=Qt.PenStyle.DotLine))
        style_line(self.pool_line, colours.bad, colours.surface, width=2)
        self.empty.setStyleSheet(f"color: {colours.muted}; background: transparent;")
        self._drawn = (None, 0, 0)
        self._draw()

    def _on_run_changed(self) -> None:
        run = self._session.run
        running = run is not None and run.kind != "record"
        if running and not self._clock.isActive():
            self._clock.start()
        elif not running:
            self._clock.stop()
            self._draw()

    def _draw(self) -> None:
        live = self._session.live
        state = (live, len(live), len(live.marks))
        self.empty.setVisible(not len(live))
        self.pool_line.setVisible(len(live) > 0)
        if state == self._drawn or not len(live):
            return
        self._drawn = state
        self.allocated.setData(live.seconds, live.allocated / GIB)
        fill_area(self.area, *self.allocated.getData())
        self.process.setData(live.seconds, live.process / GIB)
        self.reserved.setVisible(live.reserves_more)
        if live.reserves_more:
            self.reserved.setData(live.seconds, live.reserved / GIB)
        self._scale(live, max(float(live.allocated.max()), float(live.reserved.max()), float(live.process.max())) / GIB)
        self._draw_marks(live)
        self.drawn.emit()

    def _scale(self, live: LiveSeries, highest: float) -> None:
        pool = live.pool_bytes / GIB
        near = highest >= LOW_CURVE * pool
        top = max(1.25 * pool, 1.1 * highest) if near else 1.4 * max(highest, 1e-3)
        self.plot.setYRange(0, top, padding=0)
        self.plot.setXRange(0, 1.12 * max(live.last_seconds, 1.0), padding=0)
        show_pool(self.pool_line, live.pool_bytes, self._theme.colours.bad, top=top, aside=0.78)

    def _draw_marks(self, live: LiveSeries) -> None:
        for item in self._marks:
            self.plot.removeItem(item)
        self._marks = []
        colours = self._theme.colours
        for index, mark in enumerate(live.marks):
            bad = mark.kind != "pass"
            left = bad or mark.seconds > 0.95 * live.last_seconds
            what = {"pass": "", "refused": " refused", "out_of_memory": " out of memory"}[mark.kind]
            line = make_line(
                self.plot, angle=90, position=0.97 - 0.06 * (index % 3), anchors=[(1.03 if left else -0.03, 0.5)] * 2
            )
            style_line(line, colours.bad if bad else colours.muted, colours.surface, width=1, dashed=not bad)
            line.label.setFormat(f"{mark.tokens:,}{what}" if bad else f"{mark.tokens:,} tokens")
            line.label.setFont(small_font())
            line.setValue(mark.seconds)
            self._marks.append(line)

    def resizeEvent(self, event: Any) -> None:
        super().resizeEvent(event)
        self.empty.setGeometry(self.plot.rect())
