"""Memory against time while passes run, or while a run is played again."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QPen
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from vramtuner.core.probe.protocol import PhaseKind
from vramtuner.core.units import GIB, format_bytes, format_tokens
from vramtuner.core.words import Labels, mark, number, say
from vramtuner.gui.player import Player
from vramtuner.gui.plots.canvas import (
    LOW_CURVE,
    colour_plot,
    fill_area,
    make_area,
    make_line,
    make_plot,
    peaks,
    show_pool,
    small_font,
    style_line,
)
from vramtuner.gui.series import LiveSeries, Mark
from vramtuner.gui.state import Session
from vramtuner.gui.theme import Colours, Theme

CURVES = ("allocated", "reserved", "process", "device")
_EMPTY = mark("Press Profile (F5) to run real passes.\nWhat they take is drawn here while they run.")
_LOOK_MILLISECONDS = 4  # batches of readings come every 24 ms, and each is drawn at once
_ROOM = 1.12
_STRIP = 0.03  # of the height, for the phases
_MOST_MARKS = 64
_MARK_ROWS = (0.97, 0.72, 0.635)  # of the height: names of passes above the pool's usual place and below it
_WHAT = Labels({"pass": "", "refused": " refused", "out_of_memory": " out of memory"})


class LivePlot(QWidget):
    """Draws a run up to the player's moment, each batch of readings as it comes.

    Wheel and drag look closer at a part of the run; a double click shows the whole of it again.

    Attributes
    ----------
    shown
        Names of the curves that are drawn.
    count
        Readings that are drawn, from the first on.
    span
        Seconds in view where a person looks closer; ``None`` while the whole run is.
    """

    drawn = Signal()

    def __init__(self, session: Session, theme: Theme, player: Player, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._theme, self.player = session, theme, player
        self.shown: frozenset[str] = frozenset(CURVES) - {"device"}
        self.span: float | None = None
        self.count = 0
        self._moving = False
        self._state: tuple[Any, ...] = ()
        self._marks: list[Any] = []
        self._marked: tuple[Any, ...] = ()
        self.plot = make_plot(self, say("Seconds since the run began"), say("Memory (GiB)"))
        self._make_items()
        self.empty = QLabel(say(_EMPTY), self.plot)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.plot)
        self.setAccessibleName(say("Live memory plot"))
        self._clock = QTimer(self, interval=_LOOK_MILLISECONDS)
        self._clock.timeout.connect(self.draw)
        session.run_changed.connect(self._on_run_changed)
        player.moved.connect(self.draw)
        theme.changed.connect(self._recolour)
        self._recolour()

    def _make_items(self) -> None:
        self.curves = {name: pg.PlotCurveItem(skipFiniteCheck=True) for name in CURVES}
        for item in self.curves.values():
            self.plot.addItem(item, ignoreBounds=True)
        self.area = make_area(self.plot)
        self.area.setPen(QPen(Qt.PenStyle.NoPen))
        self.strip = pg.BarGraphItem(x0=[], x1=[], y0=[], height=[], pen=pg.mkPen(None))
        self.plot.addItem(self.strip, ignoreBounds=True)
        self.pool_line = make_line(self.plot, angle=0, position=0.99, anchors=[(1, 1.1), (1, 1.1)])
        self.pool_line.setZValue(30)
        box = self.plot.getPlotItem().getViewBox()
        box.setMouseEnabled(x=True, y=False)
        box.sigRangeChangedManually.connect(self._on_looked_closer)
        box.sigXRangeChanged.connect(self._draw_curves)
        self.plot.scene().sigMouseClicked.connect(self._on_clicked)

    @property
    def allocated(self) -> Any:
        return self.curves["allocated"]

    def _recolour(self) -> None:
        colours = self._theme.colours
        colour_plot(self.plot, colours)
        self._pen_width = 0.0
        self.area.setBrush(pg.mkBrush(f"{colours.components[0]}70"))
        style_line(self.pool_line, colours.bad, colours.surface, width=2)
        self.empty.setStyleSheet(f"color: {colours.muted}; background: transparent;")
        self._state = self._marked = ()
        self.draw()

    def show_curves(self, shown: frozenset[str]) -> None:
        """Draw these curves and no others."""
        self.shown = shown
        self.draw()

    def show_whole(self) -> None:
        """Have the whole run in view again."""
        self.span, self._state = None, ()
        self.draw()

    def _on_run_changed(self) -> None:
        run = self._session.run
        running = run is not None and not run.is_recording
        if self._session.live is not self.player.series:
            self.span = None
        self.player.show_series(self._session.live)
        if running and not self._clock.isActive():
            self._clock.start()
        elif not running:
            self._clock.stop()
            self.draw()

    def _on_looked_closer(self) -> None:
        low, high = self.plot.getPlotItem().getViewBox().viewRange()[0]
        self.span = high - low
        if self._clock.isActive() and self.player.position is None:
            self.player.pause()  # what one looks at must not run away

    def _on_clicked(self, event: Any) -> None:
        if event.double():
            self.show_whole()

    def draw(self) -> None:
        """Draw what there is up to the moment, if anything is new."""
        live = self.player.series
        count = live.place(self.player.now) if self.player.position is not None else len(live)
        state = (live, len(live), count, len(live.marks), len(live.phases), self.shown, self.span)
        self.empty.setVisible(not len(live))
        self.pool_line.setVisible(len(live) > 0)
        if state == self._state or not len(live):
            if not len(live):
                self._clear()
            return
        self._state, self.count = state, count
        self._moving = True  # its curves are drawn once, when it has its new place
        top = self._scale(live)
        self._moving = False
        self._draw_curves()
        self._draw_phases(live, top)
        self._draw_marks(live)
        self.drawn.emit()

    def _clear(self) -> None:
        self.count = 0
        for curve in self.curves.values():
            curve.setData([], [])
        self.area.setVisible(False)
        self.strip.setVisible(False)

    def _draw_curves(self) -> None:
        """Draw what is in view, of many readings in a pixel the lowest and the highest."""
        if self._moving:
            return
        live, box = self.player.series, self.plot.getPlotItem().getViewBox()
        low, high = box.viewRange()[0]
        first = max(live.place(low) - 1, 0)
        rows = slice(first, max(min(live.place(high) + 1, self.count), first))
        pixels = max(round(box.width()), 1)
        dense = rows.stop - rows.start > 2 * pixels
        self._use_pens(1.0 if dense else 1.5)
        for name, curve in self.curves.items():
            visible = name in self.shown and (name != "reserved" or live.reserves_more)
            curve.setVisible(visible)
            if visible:
                x, y = peaks(live.seconds[rows], getattr(live, name)[rows] / GIB, pixels)
                curve.setData(x, y, antialias=not dense)
        self.area.setVisible("allocated" in self.shown and rows.stop > rows.start)
        if self.area.isVisible():
            fill_area(self.area, *self.allocated.getData(), rough=dense)

    def _use_pens(self, width: float) -> None:
        """Qt strokes lines of one pixel ten times as fast as wider ones, which many ups and downs in a pixel need."""
        if width != self._pen_width:
            self._pen_width = width
            for name, (colour, style) in curve_looks(self._theme.colours).items():
                self.curves[name].setPen(pg.mkPen(colour, width=width, style=style))

    def _scale(self, live: LiveSeries) -> float:
        """Fit the axes; the end of the vertical one.  [GiB]"""
        highest = max((float(getattr(live, name).max()) for name in self.shown), default=0.0) / GIB
        pool = live.pool_bytes / GIB
        near = highest >= LOW_CURVE * pool
        top = max(1.25 * pool, 1.1 * highest) if near else 1.4 * max(highest, 1e-3)
        self.plot.setYRange(0, top, padding=0)
        last = _ROOM * max(live.last_seconds, 1.0)
        self.plot.getPlotItem().getViewBox().setLimits(xMin=0, xMax=last)
        if self.span is None:
            self.plot.setXRange(0, last, padding=0)
        elif (self.player.position is None and self._clock.isActive()) or self.player.playing:
            end = max(self.player.now, self.span)
            self.plot.setXRange(end - self.span, end, padding=0)
        width = 2 * self.devicePixelRatioF()
        show_pool(self.pool_line, live.pool_bytes, self._theme.colours.bad, top=top, aside=0.78, width=width)
        return top

    def _draw_phases(self, live: LiveSeries, top: float) -> None:
        inks = phase_colours(self._theme.colours)
        self.strip.setVisible(bool(live.phases))
        if not live.phases:  # pyqtgraph fails where there are none
            return
        now = live.last_seconds
        ends = [max(phase.start, now if phase.end is None else phase.end) for phase in live.phases]
        self.strip.setVisible(bool(ends))
        if not ends:
            return  # readings may come before the first phase, and the item cannot be without bars
        self.strip.setOpts(
            x0=[phase.start for phase in live.phases],
            x1=ends,
            y0=np.zeros(len(ends)),
            height=np.full(len(ends), _STRIP * top),
            brushes=[pg.mkBrush(inks[phase.kind]) for phase in live.phases],
        )

    def _draw_marks(self, live: LiveSeries) -> None:
        marks = _drawn(live.marks)
        # Near the right edge a text has room on its left only, as red ones have it.
        lefts = tuple(mark.kind != "pass" or mark.seconds > 0.95 * live.last_seconds for mark in marks)
        marked = (live, len(live.marks), lefts)
        if marked == self._marked:
            return
        self._marked = marked
        for item in self._marks:
            self.plot.removeItem(item)
        colours, self._marks = self._theme.colours, []
        for index, (at, left) in enumerate(zip(marks, lefts, strict=True)):
            bad = at.kind != "pass"
            line = make_line(
                self.plot,
                angle=90,
                position=_MARK_ROWS[index % len(_MARK_ROWS)],
                anchors=[(1.03 if left else -0.03, 0.5)] * 2,
            )
            style_line(line, colours.bad if bad else colours.muted, colours.surface, width=1, dashed=not bad)
            line.label.setFormat(_text(at))
            line.label.setFont(small_font())
            line.setValue(at.seconds)
            line.setZValue(20 - index / 1000)  # names lie on the lines of later passes
            self._marks.append(line)

    def resizeEvent(self, event: Any) -> None:
        super().resizeEvent(event)
        self._draw_curves()
        self.empty.setGeometry(self.plot.rect())


def _drawn(marks: Sequence[Mark]) -> list[Mark]:
    """The marks that are drawn, each of which costs milliseconds: of very many, the latest that went wrong first."""
    if len(marks) <= _MOST_MARKS:
        return list(marks)
    latest = sorted(marks, key=lambda mark: (mark.kind != "pass", mark.seconds))[-_MOST_MARKS:]
    return sorted(latest, key=lambda mark: mark.seconds)


def curve_looks(colours: Colours) -> dict[str, tuple[str, Qt.PenStyle]]:
    """Colour and dashes of each curve."""
    line = Qt.PenStyle
    return {
        "allocated": (colours.components[0], line.SolidLine),
        "reserved": (colours.components[4], line.DashLine),
        "process": (colours.muted, line.DotLine),
        "device": (colours.components[3], line.DashDotLine),
    }


def phase_colours(colours: Colours) -> dict[PhaseKind, str]:
    """What a phase of a run is painted in."""
    return {
        "load": colours.muted,
        "prefill": colours.accent,
        "decode": colours.components[1],
        "free": colours.raised,
    }


def _text(at: Mark) -> str:
    if at.kind == "pass":
        return format_tokens(at.tokens)
    text = f"{number(at.tokens)}{_WHAT[at.kind]}"
    if at.refusal is not None and at.refusal.requested_bytes:
        refusal = at.refusal
        text += say(
            ": {requested_bytes} asked, {free_bytes} free",
            requested_bytes=format_bytes(refusal.requested_bytes),
            free_bytes=format_bytes(refusal.free_bytes),
        )
    return text
