"""VRAM against tokens: stacked components, the pool, the token cap to drag, the limit, the measured points."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QSettings, Qt, Signal
from PySide6.QtGui import QColor, QFont, QKeyEvent
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from vramtuner.core.forecast import COMPONENT_NAMES, Forecast
from vramtuner.core.units import GIB, MAX_TOKENS, format_bytes, format_tokens
from vramtuner.core.words import mark, say
from vramtuner.gui.plots.canvas import (
    LOW_CURVE,
    Area,
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
from vramtuner.gui.plots.token_axis import TokenAxis
from vramtuner.gui.state import Session
from vramtuner.gui.theme import Theme
from vramtuner.gui.values import MeasuredPoint, measured_points

POINTS = 512
_LOW_PLOT = 260
"""Height of a plot whose labels get near one another.  [pixels]"""
_USUAL_TEXT = 12.0
"""Height of the text of a window on a desk, which the widths of lines were chosen beside.  [pixels]"""
_FAR_LIMIT = 16
"""A limit this many times the cap is named at the edge instead of drawn, so that the cap is not glued to the axis."""

_LIMIT_AT = 0.70  # of the height: the limit's name, unless the pool's line is there
_LABEL_SHARE = 0.09  # of the width of the plot, which a label takes at most
_BEAM_SHARE = 0.008  # of the width of the plot: the ends of an error bar
LOG_SETTING = "plot/log_tokens"
_KEY_SHARE, _KEY_LARGE = 0.01, 10
_KEYS_TEXT = mark("Left and Right move the token cap by 1 %, with Shift by 10 %; End puts it at the limit.")


class ForecastPlot(QWidget):
    """Draws the session's forecast; dragging the cap asks the session for another one."""

    hovered = Signal(int)
    """The token count under the mouse; 0 when it has left."""
    axis_changed = Signal(bool)
    """Whether the token axis is logarithmic."""

    def __init__(self, session: Session, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._theme = session, theme
        self._times, self._label_size, self._cover, self._label_cover = 1.0, "9pt", 210, 225
        self._font, self._is_afar = small_font(), False
        self._end = 1.0
        self.plot = make_plot(self, say("Tokens in a request (prompt + new)"), say("Peak memory (GiB)"))
        self.axis = TokenAxis(is_log=bool(QSettings().value(LOG_SETTING, False, type=bool)))
        self._make_items()
        self._overlay = QLabel(self.plot)
        self._overlay.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._overlay.setWordWrap(True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.plot)
        self.setAccessibleName(say("Forecast plot"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.plot.scene().sigMouseMoved.connect(self._on_mouse_moved)
        self.cap_line.sigDragged.connect(self._on_cap_dragged)
        self.cap_line.sigPositionChangeFinished.connect(self._on_cap_dropped)
        session.plan_changed.connect(self._refresh)
        session.run_changed.connect(self._show_staleness)
        session.measurements_changed.connect(self._show_points)
        theme.changed.connect(self._recolour)
        self._recolour()

    def _make_items(self) -> None:
        self.areas: list[Area] = []
        for index, _ in enumerate(COMPONENT_NAMES):
            area = make_area(self.plot)
            area.setZValue(len(COMPONENT_NAMES) - index)
            self.areas.append(area)
        self.needed = pg.PlotCurveItem()
        self.needed.setZValue(20)
        self.plot.addItem(self.needed, ignoreBounds=True)
        self.pool_line = make_line(self.plot, angle=0, position=0.012, anchors=[(0, 1.1), (0, 1.1)])
        self.limit_line = make_line(self.plot, angle=90, position=_LIMIT_AT, anchors=[(-0.04, 0.5), (1.04, 0.5)])
        self.cap_line = make_line(self.plot, angle=90, position=0.95, anchors=[(-0.05, 0.5), (1.05, 0.5)], movable=True)
        self.cap_line.addMarker("v", position=0.985, size=11)
        self.cap_line.setCursor(Qt.CursorShape.SizeHorCursor)
        self.cursor_line = pg.InfiniteLine(angle=90)
        self.plot.addItem(self.cursor_line, ignoreBounds=True)
        self.points = pg.ScatterPlotItem(size=10, hoverable=True, tip=_tip)
        self.plot.addItem(self.points, ignoreBounds=True)
        self.point_labels: list[Any] = []
        self.error_bars = pg.ErrorBarItem()
        self.error_bars.setZValue(39)
        self.plot.addItem(self.error_bars, ignoreBounds=True)
        for item, z in ((self.limit_line, 31), (self.cursor_line, 32), (self.cap_line, 33), (self.pool_line, 34)):
            item.setZValue(z)
        self.points.setZValue(40)

    def show_afar(self, pixels: float) -> None:
        """Draw for people who sit far from the screen: text of this height, lines to match, nothing to drag.

        What shines through behind text is covered, so that its contrast does not depend on the curve.
        """
        self._is_afar, self._times = True, max(pixels / _USUAL_TEXT, 1.0)
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

    @property
    def _pen(self) -> float:
        """What the width of a line is taken times: pens of plots are in the screen's own pixels."""
        return self._times * self.devicePixelRatioF()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.DevicePixelRatioChange:
            self._recolour()
        return super().event(event)

    def _recolour(self) -> None:
        colours, pen, cover = self._theme.colours, self._pen, self._label_cover
        colour_plot(self.plot, colours, self._label_size)
        for area, colour in zip(self.areas, colours.components, strict=True):
            area.setBrush(pg.mkBrush(colour))
            area.setPen(pg.mkPen(colours.surface, width=pen))
        self.needed.setPen(pg.mkPen(colours.text, width=1.5 * pen, style=Qt.PenStyle.DotLine))
        style_line(self.pool_line, colours.bad, colours.surface, width=2 * pen, cover=cover)
        self._show_focus()
        self.cursor_line.setPen(pg.mkPen(colours.muted, width=pen))
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
            self.setAccessibleDescription(f"{plan.verdict} {say(_KEYS_TEXT)}")
        self._show_points()
        self._show_staleness()

    def _show_curve(self, plan: Forecast) -> None:
        dragged = bool(self.cap_line.moving)
        end = self._end if dragged else _range_end(plan)
        tokens = self._tokens(plan, end)
        places = self.axis.places(tokens)
        sizes = plan.curve(tokens)
        tops = np.cumsum(sizes, axis=0) / GIB
        for area, top in zip(self.areas, tops, strict=True):
            fill_area(area, places, top)
        needed = plan.needed_curve(tokens, sizes) / GIB
        self.needed.setData(places, needed)
        if not dragged:
            self._end = end
            self.plot.setXRange(0, self.axis.place(end), padding=0)
            self.plot.getPlotItem().getAxis("bottom").setTicks(self.axis.ticks(end))
            self.cap_line.setValue(self.axis.place(plan.token_cap))
        self.cap_line.label.setFormat(say("cap {token_cap:,}", token_cap=plan.token_cap))
        self._show_pool(plan, float(needed[-1]))
        self._show_limit(plan, end)

    def _tokens(self, plan: Forecast, end: float) -> npt.NDArray[np.int64]:
        return self.axis.samples(min(end, plan.max_tokens), POINTS)

    def drawn_tokens(self, plan: Forecast) -> npt.NDArray[np.int64]:
        """The lengths at which the curve of a forecast is drawn."""
        return self._tokens(plan, _range_end(plan))

    def _show_pool(self, plan: Forecast, highest: float) -> None:
        pool = plan.pool_bytes / GIB
        near = highest >= LOW_CURVE * pool
        # A low plot leaves more above the pool's line, so that its name and the cap's do not meet.
        room = 1.25 if self.plot.height() >= _LOW_PLOT * self._times else 1.5
        top = max(room * pool, min(highest, 1.1 * plan.needed_bytes(plan.token_cap) / GIB)) if near else 1.3 * highest
        self.plot.setYRange(0, top, padding=0)
        pool_at = pool / top
        self.limit_line.label.setPosition(_LIMIT_AT if abs(pool_at - _LIMIT_AT) > 0.08 else pool_at - 0.16)
        show_pool(self.pool_line, plan.pool_bytes, self._theme.colours.bad, top=top, aside=0.8, width=2 * self._pen)

    def _show_limit(self, plan: Forecast, end: float) -> None:
        limit, colours = plan.limit.tokens, self._theme.colours
        shown = 0 < limit <= end
        colour = colours.good if plan.fits(plan.token_cap) else colours.bad
        width, cover = 1.5 * self._pen, self._label_cover
        style_line(self.limit_line, colour, colours.surface, width=width, dashed=True, cover=cover)
        self.limit_line.setVisible(limit > 0)
        self.limit_line.setValue(self.axis.place(limit if shown else end))
        self.limit_line.label.setFormat(
            say("limit {limit:,}", limit=limit) if shown else say("limit {limit:,} →", limit=limit)
        )

    def _show_points(self) -> None:
        colours = self._theme.colours
        points = measured_points(self._session.current_measurements)
        spots, labels = [], []
        plan = self._session.forecast
        width = 0.0 if plan is None else self.axis.place(_range_end(plan))
        room, last = _LABEL_SHARE * width, float("inf")
        for point in reversed(points):
            measured, place = point.measurement, self.axis.place(point.measurement.result.tokens)
            ok = measured.result.outcome == "ok"
            height = point.bytes / GIB
            colour = colours.text if ok else colours.bad
            spots.append({
                "pos": (place, height), "data": point, "symbol": "o" if ok else "x",
                "brush": pg.mkBrush(colour), "pen": pg.mkPen(colours.surface if ok else colour, width=1.5 * self._pen),
            })  # fmt: skip
            beside = place < room  # the axis, not across it
            if last - place < (
                1.5 * room if beside and last >= room else room
            ):  # two labels would lie on each other; the point's own tip has its error
                continue
            last = place
            side = 0.0 if beside else 0.5
            text, ground = measured.error_text or say("out of memory"), QColor(colours.surface)
            ground.setAlpha(self._label_cover)
            label = pg.TextItem(text, color=colour, anchor=(side, 1.25), fill=pg.mkBrush(ground))
            label.setFont(self._font)
            label.setPos(place, height)
            labels.append(label)
        if spots or len(self.points.points()):
            self.points.setData(spots)
        self._show_error_bars([point for point in points if point.is_uncertain], width)
        for label in self.point_labels:
            self.plot.removeItem(label)
        for label in labels:
            label.setZValue(41)
            self.plot.addItem(label, ignoreBounds=True)
        self.point_labels = labels

    def _show_error_bars(self, points: list[MeasuredPoint], width: float) -> None:
        self.error_bars.setVisible(bool(points))
        self.error_bars.setData(
            x=np.array([self.axis.place(point.measurement.result.tokens) for point in points]),
            y=np.array([point.bytes / GIB for point in points]),
            top=np.array([point.above / GIB for point in points]),
            bottom=np.array([point.below / GIB for point in points]),
            beam=_BEAM_SHARE * width,
            pen=pg.mkPen(self._theme.colours.text, width=1.5),
        )

    def _show_focus(self) -> None:
        """The cap is what the keys move: its line and its name say so while the plot has the focus."""
        colours, focused = self._theme.colours, self.hasFocus()
        width, cover = (4 if focused else 2.5) * self._pen, self._label_cover
        style_line(self.cap_line, colours.accent, colours.surface, width=width, cover=cover)
        self.cap_line.label.border = pg.mkPen(colours.accent, width=1.5) if focused else pg.mkPen(None)
        self.cap_line.label.update()

    def _show_staleness(self) -> None:
        session = self._session
        self._overlay.setVisible(session.stale)
        lines = [] if self._is_afar else [session.waiting_text]  # on a stage the verdict says it
        lines += [say("This curve is of the earlier choice.")] if session.forecast is not None else []
        self._overlay.setText("\n".join(lines) if session.stale else "")
        self._overlay.setGeometry(self.plot.rect())

    def use_log_axis(self, on: bool) -> None:
        """Draw the tokens on a logarithmic axis or an even one, here and in the next window."""
        if on != self.axis.is_log:
            self.axis.is_log = on
            QSettings().setValue(LOG_SETTING, on)
            self._refresh()
            self.axis_changed.emit(on)

    def _on_cap_dragged(self) -> None:
        self._session.hold(True)
        self._session.change(token_cap=self.axis.tokens_at(self.cap_line.value()))

    def _on_cap_dropped(self) -> None:
        self._session.hold(False)
        self._refresh()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        plan, cap = self._session.forecast, self._session.choice.levers.token_cap
        large = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        sign = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()))
        if plan is None or (sign is None and event.key() != Qt.Key.Key_End):
            super().keyPressEvent(event)
            return
        cap = cap or plan.token_cap
        wanted = plan.limit.tokens
        if sign is not None:
            wanted = cap + sign * max(round(cap * _KEY_SHARE * (_KEY_LARGE if large else 1)), 1)
        self._session.change(token_cap=min(max(wanted, 1), MAX_TOKENS))

    def focusInEvent(self, event: Any) -> None:
        super().focusInEvent(event)
        self._show_focus()

    def focusOutEvent(self, event: Any) -> None:
        super().focusOutEvent(event)
        self._show_focus()

    def _on_mouse_moved(self, position: Any) -> None:
        box = self.plot.getViewBox()
        inside = bool(box.sceneBoundingRect().contains(position))
        tokens = self.axis.tokens_at(box.mapSceneToView(position).x()) if inside else 0
        self.cursor_line.setVisible(inside)
        self.cursor_line.setValue(self.axis.place(tokens))
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


def _tip(x: float, y: float, data: MeasuredPoint) -> str:
    measured = data.measurement
    result = measured.result
    if result.outcome != "ok":
        return f"{format_tokens(result.tokens)}: {result.message}"
    lines = [
        say(
            "{tokens}: peak {peak_bytes}, forecast {error_text} off",
            tokens=format_tokens(result.tokens),
            peak_bytes=format_bytes(result.peak_bytes, 3),
            error_text=measured.error_text,
        ),
        say("measured on {source}", source=measured.source),
    ]
    if data.is_uncertain:
        lines.insert(1, f"{data.bar_text}: −{format_bytes(data.below)}, +{format_bytes(data.above)}")
    return "\n".join(lines)
