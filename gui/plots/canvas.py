"""A bare plot in the window's colours: what both plots have in common."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyqtgraph as pg
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import QGraphicsPathItem, QWidget

from vramtuner.core.units import GIB, format_bytes
from vramtuner.core.words import number, say
from vramtuner.gui.theme import Colours

pg.setConfigOptions(antialias=True)

LOW_CURVE = 0.25
"""A curve below this part of the pool gets the whole height, and the pool is only named."""
_HALO = 2.0  # pixels more than the line's own; pyqtgraph repaints little more around a line


def make_plot(parent: QWidget, bottom: str, left: str) -> Any:
    """A plot widget without menus, buttons or panning: what it shows is decided by the session alone."""
    plot = pg.PlotWidget(parent, enableMenu=False)  # a menu that nobody sees would be made for each
    item = plot.getPlotItem()
    item.setMenuEnabled(False)
    item.hideButtons()
    item.setContentsMargins(0, 4, 18, 0)
    item.setMouseEnabled(x=False, y=False)
    item.setLabels(bottom=bottom, left=left)
    item.getAxis("left").setWidth(58)
    for name in ("bottom", "left"):
        axis = item.getAxis(name)
        axis.enableAutoSIPrefix(False)
        axis.setStyle(tickLength=-4, maxTickLevel=0, hideOverlappingLabels=False)
    item.getAxis("left").setTickDensity(1.6)
    item.getAxis("bottom").tickStrings = _grouped
    item.showGrid(x=False, y=True, alpha=0.25)
    item.getViewBox().setDefaultPadding(0)
    plot.setFrameShape(plot.Shape.NoFrame)
    for part in (plot, plot.viewport()):
        part.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    return plot


def _grouped(values: Sequence[float], scale: float, spacing: float) -> list[str]:
    digits = 0 if spacing >= 1 else 1
    return [number(value, f",.{digits}f") for value in values]


def colour_plot(plot: Any, colours: Colours, label_size: str = "9pt") -> None:
    """Put a plot into a set of colours.

    Parameters
    ----------
    label_size
        Of the axes' names, as style sheets write it.
    """
    plot.setBackground(colours.surface)
    for name in ("bottom", "left"):
        axis = plot.getPlotItem().getAxis(name)
        axis.setPen(colours.border)
        axis.setTextPen(colours.muted)
        axis.labelStyle = {"color": colours.muted, "font-size": label_size}
        axis.setLabel(axis.labelText, **axis.labelStyle)


class Area(QGraphicsPathItem):
    """An area down to zero; a ``rough`` one has so many steps that smooth edges would only cost time."""

    rough = False

    def paint(self, painter: QPainter, *args: Any) -> None:
        if self.rough:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        super().paint(painter, *args)


def make_area(plot: Any) -> Area:
    """An area for `fill_area`; pyqtgraph's own is painted in strips whose seams show."""
    area = Area()
    plot.addItem(area, ignoreBounds=True)
    return area


def fill_area(area: Area, x: npt.NDArray[Any], top: npt.NDArray[Any], *, rough: bool = False) -> None:
    """Fill from zero up to a curve; up to the upper edge of a rough one, of `peaks`.

    Qt takes half a second to fill some thousand ups and downs, and nobody could see them.
    """
    area.rough = rough
    if rough:
        x, top = upper_edge(x, top, len(x) // 2)
    ends = np.concatenate([x[:1], x, x[-1:]]).astype(float)
    area.setPath(pg.arrayToQPath(ends, np.concatenate([[0.0], top, [0.0]])))


def peaks(
    x: npt.NDArray[Any], y: npt.NDArray[Any], most: int
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """The lowest and the highest of each of so many stretches of a curve that has many more points than that."""
    if len(x) <= 2 * most:
        return x, y
    starts = np.arange(most) * len(x) // most
    ends = np.stack([np.minimum.reduceat(y, starts), np.maximum.reduceat(y, starts)], axis=1)
    return np.repeat(x[starts], 2), ends.reshape(-1)


def upper_edge(
    x: npt.NDArray[Any], y: npt.NDArray[Any], most: int
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """The highest of each of so many stretches of a curve, as steps; its ends are the curve's."""
    starts = np.arange(most) * len(x) // most
    highest = np.maximum.reduceat(y, starts).astype(float)
    edges = np.append(x[starts], x[-1]).astype(float)
    return np.repeat(edges, 2)[1:-1], np.repeat(highest, 2)


class HaloLine(pg.InfiniteLine):  # type: ignore[misc]
    """A line with a rim in the colour of the ground, so that it is seen across areas of any colour."""

    halo = "#ffffff"

    def paint(self, painter: Any, *args: Any) -> None:
        pen = QPen(self.currentPen)
        if self.halo and pen.style() != Qt.PenStyle.NoPen:
            pen.setColor(QColor(self.halo))
            pen.setStyle(Qt.PenStyle.SolidLine)
            pen.setWidthF(pen.widthF() + _HALO * painter.device().devicePixelRatioF())
            left, right = self._endPoints
            painter.setPen(pen)
            painter.drawLine(QPointF(left, 0), QPointF(right, 0))
        super().paint(painter, *args)


def make_line(plot: Any, *, angle: int, position: float, anchors: list[tuple[float, float]], **options: Any) -> Any:
    """A line across the plot with a label that `style_line` fills in."""
    line = HaloLine(
        angle=angle, label=" ", labelOpts={"position": position, "anchors": anchors, "movable": False}, **options
    )
    line.label.setFont(small_font())
    plot.addItem(line, ignoreBounds=True)
    return line


def style_line(
    line: Any, colour: str, surface: str, *, width: float = 1.5, dashed: bool = False, cover: int = 225
) -> None:
    """Put a line and its label into a colour; the label gets a ground to be read on.

    Parameters
    ----------
    cover
        How much the ground covers of what is behind it, of 255.
    """
    style = Qt.PenStyle.DashLine if dashed else Qt.PenStyle.SolidLine
    line.halo = surface if width > 1 else ""  # a hair-line marks a place and hides nothing
    line.setPen(pg.mkPen(colour, width=width, style=style))
    line.setHoverPen(pg.mkPen(colour, width=width + 2))
    line.label.setColor(colour)
    ground = QColor(surface)
    ground.setAlpha(cover)
    line.label.fill = pg.mkBrush(ground)
    line.label.update()


def show_pool(line: Any, pool_bytes: int, colour: str, *, top: float, aside: float, width: float = 2) -> None:
    """Put the pool's line and name where they belong under an axis that ends at ``top`` [GiB].

    A pool beyond the axis is only named, at the part ``aside`` of the height; no line is drawn where it is not.
    """
    pool, text = pool_bytes / GIB, say("pool {pool_bytes}", pool_bytes=format_bytes(pool_bytes))
    inside = pool <= top
    line.setValue(pool if inside else top * aside)
    line.setPen(pg.mkPen(colour, width=width) if inside else pg.mkPen(None))
    line.label.setFormat(text if inside else say("{text}, above this chart ↑", text=text))


def size_axes(plot: Any, font: QFont, times: float) -> None:
    """Give the axes another font, with the room that it needs: ``times`` what the usual one does."""
    for name in ("bottom", "left"):
        plot.getPlotItem().getAxis(name).setStyle(
            tickFont=font, tickLength=round(-4 * times), tickTextOffset=round(4 * times)
        )
    plot.getPlotItem().getAxis("left").setWidth(58 * times)
    height = QFontMetrics(font).height()
    plot.getPlotItem().getAxis("bottom").setHeight(2.3 * height + 8 * times)
    plot.getPlotItem().setContentsMargins(0, 4 * times, 18 * times, 0)


def small_font() -> QFont:
    """The font of labels inside a plot."""
    font = QFont()
    font.setPointSizeF(font.pointSizeF() * 0.95)
    font.setWeight(QFont.Weight.DemiBold)
    return font
