"""VRAM against tokens: stacked components, the pool, the token cap to drag, the limit, the measured points."""

from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor, QFont
from PySide6.QtWidgets import QGraphicsPathItem, QLabel, QVBoxLayout, QWidget

from vramtuner.core.forecast import COMPONENT_NAMES, Forecast
from vramtuner.core.units import GIB, MAX_TOKENS, format_bytes, format_tokens
from vramtuner.gui.plots.canvas import (
    LOW_CURVE,
    colour_plot,
    fill_area,
    make_area,
    make_line,
    make_plot,
    show_pool,
    size_axes,
    small_font,
    style_line,
)
from vramtuner.gui.state import Session
from vramtuner.gui.theme import Theme
from vramtuner.gui.values import Measurement

POINTS = 1024
_LOW_PLOT = 260
"""Height of a plot whose labels get near one another.  [pixels]"""
_USUAL_TEXT = 12.0
"""Height of the text of a window on a desk, which the widths of lines were chosen beside.  [pixels]"""
_FAR_LIMIT = 16
"""A limit this many times the cap is named at the edge instead of drawn, so that the cap is not glued to the axis."""

_LABEL_SHARE = 0.07  # of the width of the plot, which a label takes at most


class ForecastPlot(QWidget):
    """Draws the session's forecast; dragging the cap asks the session for another one."""

    hovered = Signal(int)
    """The token count under the mouse; 0 when it has left."""

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._theme = session, theme
        self._times, self._pen, self._label_size, self._cover, self._label_cover = 1.0, 1.0, "9pt", 190, 225
        self._font, self._is_afar = small_font(), False
        self.plot = make_plot(self, "Tokens in a request (prompt + new)", "Peak memory (GiB)")
        self._make_items()
        self._overlay = QLabel(self.plot)
        self._overlay.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._overlay.setWordWrap(True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.plot)
        self.setAccessibleName("Forecast plot")
        self.plot.scene().sigMouseMoved.connect(self._on_mouse_moved)
        self.cap_line.sigDragged.connect(self._on_cap_dragged)
        self.cap_line.sigPositionChangeFinished.connect(self._refresh)
        session.plan_changed.connect(self._refresh)
        session.run_changed.connect(self._show_staleness)
        session.measurements_changed.connect(self._show_points)
        theme.changed.connect(self._recolour)
        self._recolour()

    def _make_items(self) -> None:
        self.areas: list[QGraphicsPathItem] = []
        for index, _ in enumerate(COMPONENT_NAMES):
            area = make_area(self.plot)
            area.setZValue(len(COMPONENT_NAMES) - index)
            self.areas.append(area)
        self.needed = pg.PlotCurveItem()
        self.needed.setZValue(20)
        self.plot.addItem(self.needed, ignoreBounds=True)
        self.pool_line = make_line(self.plot, angle=0, position=0.012, anchors=[(0, 1.1), (0, 1.1)])
        self.limit_line = make_line(self.plot, angle=90, position=0.70, anchors=[(-0.04, 0.5), (1.04, 0.5)])
        self.cap_line = make_line(
            self.plot, angle=90, position=0.925, anchors=[(-0.05, 0.5), (1.05, 0.5)], movable=True
        )
        self.cap_line.addMarker("v", position=0.985, size=11)
        self.cap_line.setCursor(Qt.CursorShape.SizeHorCursor)
        self.cursor_line = pg.InfiniteLine(angle=90)
        self.plot.addItem(self.cursor_line, ignoreBounds=True)
        self.points = pg.ScatterPlotItem(size=10, hoverable=True, tip=_tip)
        self.plot.addItem(self.points, ignoreBounds=True)
        self.point_labels: list[Any] = []
        for item, z in ((self.limit_line, 31), (self.cursor_line, 32), (self.cap_line, 33), (self.pool_line, 34)):
            item.setZValue(z)
        self.points.setZValue(40)

    def show_afar(self, pixels: float) -> None:
        """Draw for people who sit far from the screen: text of this height, lines to match, nothing to drag.

        What shines through behind text is covered, so that its contrast does not depend on the curve.
        """
        self._is_afar, self._times = True, max(pixels / _USUAL_TEXT, 1.0)
        self._pen = self._times * self.devicePixelRatioF()  # a line's width is in the screen's own pixels
        self._label_size, self._cover, self._label_cover = f"{pixels:.0f}px", 215, 255
        self._font.setPixelSize(round(pixels))
        plain = QFont(self._font)
        plain.setWeight(QFont.Weight.Normal)
        size_axes(self.plot, plain, self._times)
        for line in (self.pool_line, self.limit_line, self.cap_line):
            line.label.setFont(self._font)
        self.cap_line.setMovable(False)
        self.cap_line.clearMarkers()
        self.cap_line.addMarker("v", position=0.985, size=11 * self._times)
        self.points.setSize(10 * self._times)
        self._overlay.setFont(self._font)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._recolour()

    def _recolour(self) -> None:
        colours, pen, cover = self._theme.colours, self._pen, self._label_cover
        colour_plot(self.plot, colours, self._label_size)
        for area, colour in zip(self.areas, colours.components, strict=True):
            area.setBrush(pg.mkBrush(colour))
            area.setPen(pg.mkPen(colours.surface, width=pen))
        self.needed.setPen(pg.mkPen(colours.text, width=1.5 * pen, style=Qt.PenStyle.DotLine))
        style_line(self.pool_line, colours.bad, colours.surface, width=2 * pen, cover=cover)
        style_line(self.cap_line, colours.accent, colours.surface, width=2.5 * pen, cover=cover)
        self.cursor_line.setPen(pg.mkPen(colours.muted, width=1))
        ground = QColor(colours.surface)
        ground.setAlpha(self._cover)
        self._overlay.setStyleSheet(
            f"color: {colours.warning}; font-weight: 600; background: {ground.name(QColor.NameFormat.HexArgb)};"
        )
        self._refresh()

    def _refresh(self) -> None:
        plan = self._session.forecast
        if plan is not None:
            self._show_curve(plan)
            self.setAccessibleDescription(plan.verdict)
        self._show_points()
        self._show_staleness()

    def _show_curve(self, plan: Forecast) -> None:
        dragged = bool(self.cap_line.moving)
        end = self.plot.getViewBox().viewRange()[0][1] if dragged else _range_end(plan)
        tokens = np.unique(np.linspace(1, min(end, plan.max_tokens), POINTS).astype(np.int64))
        tops = np.cumsum(plan.curve(tokens), axis=0) / GIB
        for area, top in zip(self.areas, tops, strict=True):
            fill_area(area, tokens, top)
        needed = plan.needed_curve(tokens) / GIB
        self.needed.setData(tokens, needed)
        if not dragged:
            self.plot.setXRange(0, end, padding=0)
            self.cap_line.setValue(plan.token_cap)
        self.cap_line.label.setFormat(f"cap {plan.token_cap:,}")
        self._show_pool(plan, float(needed[-1]))
        self._show_limit(plan, end)

    def _show_pool(self, plan: Forecast, highest: float) -> None:
        pool = plan.pool_bytes / GIB
        near = highest >= LOW_CURVE * pool
        # A low plot leaves more above the pool's line, so that its name and the cap's do not meet.
        room = 1.25 if self.plot.height() >= _LOW_PLOT * self._times else 1.5
        top = max(room * pool, min(highest, 1.1 * plan.needed_bytes(plan.token_cap) / GIB)) if near else 1.3 * highest
        self.plot.setYRange(0, top, padding=0)
        show_pool(self.pool_line, plan.pool_bytes, self._theme.colours.bad, top=top, aside=0.8, width=2 * self._pen)

    def _show_limit(self, plan: Forecast, end: float) -> None:
        limit, colours = plan.limit.tokens, self._theme.colours
        shown = 0 < limit <= end
        colour = colours.good if plan.fits(plan.token_cap) else colours.bad
        width, cover = 1.5 * self._pen, self._label_cover
        style_line(self.limit_line, colour, colours.surface, width=width, dashed=True, cover=cover)
        self.limit_line.setVisible(limit > 0)
        self.limit_line.setValue(limit if shown else end)
        self.limit_line.label.setFormat(f"limit {limit:,}" if shown else f"limit {limit:,} →")

    def _show_points(self) -> None:
        colours = self._theme.colours
        latest = {m.result.tokens: m for m in self._session.current_measurements if m.result.outcome != "refused"}
        spots, labels = [], []
        plan = self._session.forecast
        room, last = (0.0 if plan is None else _LABEL_SHARE * _range_end(plan)), float("inf")
        for tokens, measured in sorted(latest.items(), reverse=True):
            ok = measured.result.outcome == "ok"
            height = (measured.curve_bytes if ok else measured.forecast.pool_bytes) / GIB
            colour = colours.text if ok else colours.bad
            spots.append({
                "pos": (tokens, height), "data": measured, "symbol": "o" if ok else "x",
                "brush": pg.mkBrush(colour), "pen": pg.mkPen(colours.surface if ok else colour, width=1.5),
            })  # fmt: skip
            if last - tokens < room:  # two labels would lie on each other; the point's own tip has its error
                continue
            last = tokens
            side = 0.0 if tokens < room else 0.5  # beside the axis, not across it
            label = pg.TextItem(measured.error_text or "out of memory", color=colour, anchor=(side, 1.25))
            label.setFont(self._font)
            label.setPos(tokens, height)
            labels.append(label)
        if spots or len(self.points.points()):
            self.points.setData(spots)
        for label in self.point_labels:
            self.plot.removeItem(label)
        for label in labels:
            label.setZValue(41)
            self.plot.addItem(label, ignoreBounds=True)
        self.point_labels = labels

    def _show_staleness(self) -> None:
        session = self._session
        self._overlay.setVisible(session.stale)
        lines = [] if self._is_afar else [session.waiting_text]  # on a stage the verdict says it
        lines += ["This curve is of the earlier choice."] if session.forecast is not None else []
        self._overlay.setText("\n".join(lines) if session.stale else "")
        self._overlay.setGeometry(self.plot.rect())

    def _on_cap_dragged(self) -> None:
        self._session.change(token_cap=int(min(max(self.cap_line.value(), 1), MAX_TOKENS)))

    def _on_mouse_moved(self, position: Any) -> None:
        box = self.plot.getViewBox()
        inside = bool(box.sceneBoundingRect().contains(position))
        tokens = max(int(box.mapSceneToView(position).x()), 1) if inside else 0
        self.cursor_line.setVisible(inside)
        self.cursor_line.setValue(tokens)
        self.hovered.emit(tokens)

    def leaveEvent(self, event: Any) -> None:
        self.cursor_line.setVisible(False)
        self.hovered.emit(0)
        super().leaveEvent(event)

    def resizeEvent(self, event: Any) -> None:
        super().resizeEvent(event)
        self._refresh()


def _range_end(plan: Forecast) -> float:
    """The right end of the axis: past the cap and, where that leaves the cap readable, past the limit."""
    cap, limit = plan.token_cap, plan.limit.tokens
    end = max(1.5 * cap, 1.15 * limit if limit <= _FAR_LIMIT * cap else 4.0 * cap)
    return max(min(end, 1.1 * plan.max_tokens), 1.1 * cap, 8.0)


def _tip(x: float, y: float, data: Measurement) -> str:
    result = data.result
    if result.outcome != "ok":
        return f"{format_tokens(result.tokens)}: {result.message}"
    return (
        f"{format_tokens(result.tokens)}: peak {format_bytes(result.peak_bytes, 3)}, forecast {data.error_text} off\n"
        f"measured on {data.source}"
    )
