"""Several plans and runs in one plot: memory to reserve against tokens, each pool, and where each ends."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from vramtuner.core.forecast import Forecast
from vramtuner.core.units import GIB
from vramtuner.core.words import say
from vramtuner.gui.plots.canvas import colour_plot, make_line, make_plot, style_line
from vramtuner.gui.plots.token_axis import TokenAxis
from vramtuner.gui.theme import Theme
from vramtuner.gui.values import Measurement

_SAMPLES = 400
_ROOM = 1.15
_STYLES = (Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine, Qt.PenStyle.DotLine, Qt.PenStyle.DashDotLine)
_INKS = (0, 4, 3, 2, 1, 6, 5)  # of the components' colours, so that neighbours differ in hue and in brightness


@dataclass(frozen=True, slots=True)
class Curve:
    """What is drawn of a plan or a run."""

    name: str
    plan: Forecast | None
    measurements: tuple[Measurement, ...] = ()


def look(theme: Theme, index: int) -> tuple[str, Qt.PenStyle]:
    """Colour and dashes of the curve at a place in the list."""
    colours = theme.colours.components
    return colours[_INKS[index % len(_INKS)]], _STYLES[index % len(_STYLES)]


class ComparePlot(QWidget):
    """Draws what it is given."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.curves: tuple[Curve, ...] = ()
        self._tokens = np.empty(0, dtype=np.int64)
        self._items: list[Any] = []
        self.axis = TokenAxis()
        self.plot = make_plot(self, say("Tokens in a request (prompt + new)"), say("Memory to reserve (GiB)"))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.plot)
        self.setAccessibleName(say("Comparison plot"))
        theme.changed.connect(self._draw)

    def show_curves(self, curves: Sequence[Curve]) -> None:
        """Draw these and no others."""
        self.curves = tuple(curves)
        self._draw()

    def csv_rows(self) -> Iterator[Sequence[object]]:
        """Every curve at every token count that is drawn."""
        plans = [curve for curve in self.curves if curve.plan is not None]
        if not plans:
            return
        yield ("tokens", *(f"{curve.name}_bytes" for curve in plans))
        columns = [curve.plan.needed_curve(self._tokens) for curve in plans if curve.plan is not None]
        for place, tokens in enumerate(self._tokens):
            yield (int(tokens), *(round(float(column[place])) for column in columns))

    def _draw(self) -> None:
        for item in self._items:
            self.plot.removeItem(item)
        self._items = []
        colour_plot(self.plot, self._theme.colours)
        plans = [curve.plan for curve in self.curves if curve.plan is not None]
        if not plans:
            return
        end = _ROOM * max(max(min(plan.limit.tokens, plan.max_tokens), plan.token_cap) for plan in plans)
        self._tokens = self.axis.samples(end, _SAMPLES)
        top = 0.0
        for index, curve in enumerate(self.curves):
            if curve.plan is not None:
                top = max(top, self._draw_curve(curve.plan, *look(self._theme, index)))
            self._draw_points(curve.measurements, look(self._theme, index)[0])
        self._draw_pools()
        self.plot.setXRange(0, end, padding=0)
        self.plot.setYRange(0, max(top, 1e-3), padding=0)

    def _draw_curve(self, plan: Forecast, colour: str, style: Qt.PenStyle) -> float:
        """A curve as far as the model goes, and its limit as a triangle on its pool; how high the axis should go."""
        tokens = self._tokens[self._tokens <= plan.max_tokens]
        needed = plan.needed_curve(tokens) / GIB
        line = pg.PlotDataItem(tokens, needed, pen=pg.mkPen(colour, width=2.5, style=style))
        self._add(line)
        pool = plan.pool_bytes / GIB
        if plan.limit.tokens:
            mark = pg.ScatterPlotItem(
                [plan.limit.tokens], [plan.needed_bytes(plan.limit.tokens) / GIB], symbol="t", size=12,
                brush=pg.mkBrush(colour), pen=pg.mkPen(self._theme.colours.surface),
            )  # fmt: skip
            mark.setZValue(40)
            self._add(mark)
        return max(_ROOM * pool, _ROOM * min(float(needed.max(initial=0.0)), 1.5 * pool))

    def _draw_points(self, measurements: tuple[Measurement, ...], colour: str) -> None:
        ran = [one for one in measurements if one.result.outcome == "ok"]
        if ran:
            points = pg.ScatterPlotItem(
                [one.result.tokens for one in ran], [one.curve_bytes / GIB for one in ran], symbol="o", size=9,
                brush=pg.mkBrush(colour), pen=pg.mkPen(self._theme.colours.surface),
            )  # fmt: skip
            points.setZValue(41)
            self._add(points)

    def _draw_pools(self) -> None:
        """One line for each pool, in its plan's colour where only one has it."""
        pools: dict[int, list[int]] = {}
        for index, curve in enumerate(self.curves):
            if curve.plan is not None:
                pools.setdefault(curve.plan.pool_bytes, []).append(index)
        for order, (pool, users) in enumerate(sorted(pools.items())):
            colours = self._theme.colours
            colour = look(self._theme, users[0])[0] if len(users) == 1 and len(pools) > 1 else colours.bad
            line = make_line(self.plot, angle=0, position=0.985 - 0.2 * (order % 3), anchors=[(1, 1.1), (1, 1.1)])
            style_line(line, colour, colours.surface, width=1.5)
            line.setValue(pool / GIB)
            line.label.setFormat(say("pool {pool:.2f} GiB", pool=pool / GIB))
            self._items.append(line)

    def _add(self, item: Any) -> None:
        self.plot.addItem(item, ignoreBounds=True)
        self._items.append(item)
