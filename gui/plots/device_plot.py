"""A device's memory: a bar of what is used now, and the last minute of memory and load."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPainterPath, QPen
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from vramtuner.core.device.sampler import Samples
from vramtuner.core.units import GIB, format_bytes
from vramtuner.core.words import say
from vramtuner.gui.plots.canvas import colour_plot, fill_area, make_area, make_plot, small_font
from vramtuner.gui.theme import Theme

_BAR_HEIGHT, _TICK, _GAP = 14, 5, 5
_SMALLEST_SHARE = 64  # of the device's memory, as the top of the axis
_ROOM = 1.1


class MemoryBar(QWidget):
    """Used and free of a device's memory, with the default pool and the alert marked."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._used: int | None = None
        self._total = self._pool = self._alert = 0
        metrics = QFontMetricsF(small_font())
        self.setFixedHeight(round(_BAR_HEIGHT + _TICK + metrics.height() + 4))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(say("Memory in use"))
        theme.changed.connect(self.update)

    def show_values(self, used: int | None, total: int, *, pool: int, alert: int) -> None:
        """Sizes in bytes; ``None`` is not known."""
        if (used, total, pool, alert) == (self._used, self._total, self._pool, self._alert):
            return
        self._used, self._total, self._pool, self._alert = used, total, pool, alert
        of = say("an unknown part") if used is None else format_bytes(used)
        self.setAccessibleDescription(
            say(
                "{of} of {total}; the default pool is {pool}", of=of, total=format_bytes(total), pool=format_bytes(pool)
            )
        )
        self.update()

    def paintEvent(self, event: Any) -> None:
        colours, painter = self._theme.colours, QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        track = QRectF(0.5, 0.5, self.width() - 1, _BAR_HEIGHT)
        shape = QPainterPath()
        shape.addRoundedRect(track, 4, 4)
        painter.fillPath(shape, QColor(colours.raised))
        if self._used and self._total:
            painter.save()
            painter.setClipPath(shape)
            width = max(track.width() * min(self._used / self._total, 1.0), 2.0)
            colour = colours.components[0] if self._used < self._alert or not self._pool else colours.warning
            painter.fillRect(QRectF(track.left(), track.top(), width, track.height()), QColor(colour))
            painter.restore()
        painter.setPen(QPen(QColor(colours.border), 1))
        painter.drawPath(shape)
        if self._pool and self._total:
            self._draw_marks(painter, track)

    def _draw_marks(self, painter: QPainter, track: QRectF) -> None:
        """Ticks below the bar, the alert's name to the left of its own, the pool's to the right where it has room."""
        colours, metrics = self._theme.colours, QFontMetricsF(small_font())
        painter.setFont(small_font())
        places = [track.left() + track.width() * size / self._total for size in (self._alert, self._pool)]
        texts = [
            say("alert {alert}", alert=format_bytes(self._alert)),
            say("pool {pool}", pool=format_bytes(self._pool)),
        ]
        widths = [metrics.horizontalAdvance(text) for text in texts]
        pool_left = min(places[1] + _GAP, track.right() - widths[1])
        lefts = [min(places[0] - _GAP, pool_left - 2 * _GAP) - widths[0], pool_left]
        bottom = track.bottom() + _TICK + metrics.ascent() + 1
        for place, text, left, colour in zip(places, texts, lefts, (colours.warning, colours.accent), strict=True):
            # A lighter rim keeps a tick apart from a bar of the same colour.
            for pen, end in ((QPen(QColor(colours.surface), 5), 0), (QPen(QColor(colour), 2), _TICK)):
                painter.setPen(pen)
                painter.drawLine(QPointF(place, track.top()), QPointF(place, track.bottom() + end))
            painter.drawText(QPointF(left, bottom), text)


class DevicePlot(QWidget):
    """Used memory over the load, both against the seconds before now."""

    def __init__(self, theme: Theme, seconds: float) -> None:
        super().__init__()
        self._theme, self._seconds = theme, seconds
        self.memory = make_plot(self, "", say("GiB in use"))
        self.busy = make_plot(self, "", say("Busy %"))
        for plot in (self.memory, self.busy):
            plot.setXRange(-seconds, 0, padding=0)
            plot.getPlotItem().getAxis("bottom").tickStrings = _ago
            plot.getPlotItem().showLabel("bottom", False)
        self.busy.setYRange(0, 100, padding=0.04)
        self.busy.getPlotItem().getAxis("left").setTicks([[(0, "0"), (50, "50"), (100, "100")]])
        self.memory_curve, self.memory_area = self._curve(self.memory)
        self.busy_curve, self.busy_area = self._curve(self.busy)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.memory, 3)
        layout.addWidget(self.busy, 2)
        self.memory.setMinimumHeight(92)
        self.busy.setMinimumHeight(70)
        self.setAccessibleName(say("Memory and load in the last minute"))
        theme.changed.connect(self._recolour)
        self._recolour()

    def sizeHint(self) -> QSize:
        """Low: it grows where there is room, and what is scrolled has none."""
        return QSize(360, self.minimumSizeHint().height() + 20)

    def _curve(self, plot: Any) -> tuple[Any, Any]:
        area = make_area(plot)
        area.setPen(QPen(Qt.PenStyle.NoPen))
        curve = pg.PlotDataItem(connect="finite", autoDownsample=True, downsampleMethod="peak")
        plot.addItem(curve, ignoreBounds=True)
        return curve, area

    def _recolour(self) -> None:
        colours = self._theme.colours
        for plot, curve, area, colour in (
            (self.memory, self.memory_curve, self.memory_area, colours.components[0]),
            (self.busy, self.busy_curve, self.busy_area, colours.components[4]),
        ):
            colour_plot(plot, colours)
            curve.setPen(pg.mkPen(colour, width=1.5 * self.devicePixelRatioF()))
            area.setBrush(pg.mkBrush(f"{colour}50"))

    def show_samples(self, samples: Samples | None, now: float, total_bytes: int, *, gtt: bool = False) -> None:
        """Draw what was sampled up to ``now`` (``time.monotonic``), of the heap that allocations come from."""
        if samples is None:
            for curve, area in ((self.memory_curve, self.memory_area), (self.busy_curve, self.busy_area)):
                curve.setData([], [])
                area.setPath(QPainterPath())
            return
        first = int(np.searchsorted(samples.seconds, now - self._seconds - 1))
        x = samples.seconds[first:] - now
        used = (samples.gtt_used if gtt else samples.vram_used)[first:] / GIB
        known = used[np.isfinite(used)]
        total = total_bytes / GIB
        self.memory.setYRange(0, _top(float(known.max()), total) if len(known) else max(total, 1e-3), padding=0)
        _draw(self.memory_curve, self.memory_area, x, used)
        busy = samples.busy[first:]
        has_load = bool(np.isfinite(busy).any())
        self.busy.setVisible(has_load)
        # The upper plot shares the lower one's axis.
        self.memory.getPlotItem().getAxis("bottom").setStyle(showValues=not has_load)
        if has_load:
            _draw(self.busy_curve, self.busy_area, x, busy)


def _draw(curve: Any, area: Any, x: Any, y: Any) -> None:
    curve.setData(x, y)
    if len(x):
        fill_area(area, x, np.nan_to_num(y))


def _top(highest: float, total: float) -> float:
    """The end of the axis: the memory, or a half, a quarter… of it, so that a small use is seen and steps are rare."""
    top = max(total, 1e-3)
    while top / 2 >= max(highest * _ROOM, total / _SMALLEST_SHARE):
        top /= 2
    return max(top, highest)


def _ago(values: Sequence[float], scale: float, spacing: float) -> list[str]:
    return [say("now") if value == 0 else say("{seconds:.0f} s", seconds=-value) for value in values]
