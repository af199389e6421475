"""The pool as a slider over all of a device's memory, with what the driver keeps and what is free now marked on it."""

from typing import Any

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QBrush, QMouseEvent, QPainter, QPalette, QPen, QPolygonF
from PySide6.QtWidgets import QSlider, QStyle, QStyleOptionSlider

from vramtuner.core.units import GIB, MIB, format_bytes
from vramtuner.core.words import say

UNIT_BYTES = 64 * MIB
"""A step of the arrow keys."""
_WHOLE_FROM, _HALF_FROM = 96 * GIB, 6 * GIB
_TICK = 4


class PoolSlider(QSlider):
    """``moved`` carries the bytes asked for: whole or half GiB with the mouse, steps of 64 MiB with the arrow keys."""

    moved = Signal(object)  # an integer beyond 32 bits

    def __init__(self) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._most = self._total = UNIT_BYTES
        self._free: int | None = None
        self.setPageStep(GIB // UNIT_BYTES)
        self.valueChanged.connect(lambda value: self.moved.emit(min(value * UNIT_BYTES, self._most)))

    def show_values(self, pool: int, most: int, total: int, free: int | None) -> None:
        """Show a pool, the largest that can be, all of the memory, and what of it is free.  [bytes]"""
        self._most, self._total, self._free = most, total, free
        was = self.blockSignals(True)
        self.setRange(1, max(-(-total // UNIT_BYTES), 2))
        self.setValue(-(-pool // UNIT_BYTES) if pool == most else round(pool / UNIT_BYTES))
        self.blockSignals(was)
        parts = [say("hatched: {total} that stay free for the driver", total=format_bytes(total - most))]
        if free is not None:
            parts.append(say("the mark below: {free} free now", free=format_bytes(free)))
        text = "; ".join(parts)
        self.setToolTip(
            say(
                "{text}.\nThe mouse takes whole steps, the arrow keys 64 MiB.",
                text=f"{text[:1].upper()}{text[1:]}",
            )
        )
        self.setAccessibleDescription(
            say("{pool} of at most {most}; {text}", pool=format_bytes(pool), most=format_bytes(most), text=text)
        )
        self.update()

    @property
    def snap_bytes(self) -> int:
        """What the mouse moves by: whole or half GiB, and less on a very small device."""
        if self._total >= _WHOLE_FROM:
            return GIB
        return GIB // 2 if self._total >= _HALF_FROM else 2 * UNIT_BYTES

    def snapped(self, size: float) -> int:
        """The pool that the mouse means near a size: a round one, or the largest that can be.  [bytes]"""
        step = self.snap_bytes
        near = max(round(size / step) * step, step)
        last_round = self._most // step * step
        return self._most if near > self._most or size > (self._most + last_round) / 2 else near

    # ---- the mouse

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.setSliderDown(True)
            self._move_to(event.position().x())
        event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self.isSliderDown():
            self._move_to(event.position().x())
        event.accept()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self.setSliderDown(False)
        event.accept()

    def wheelEvent(self, event: Any) -> None:
        event.ignore()  # a wheel over a panel scrolls the panel

    def _move_to(self, x: float) -> None:
        first, last = self._place(self.minimum()), self._place(self.maximum())
        share = min(max((x - first) / max(last - first, 1.0), 0.0), 1.0)
        size = (self.minimum() + share * (self.maximum() - self.minimum())) * UNIT_BYTES
        wanted = self.snapped(size)
        if -(-wanted // UNIT_BYTES) != self.value():
            self.moved.emit(wanted)

    # ---- the picture

    def _place(self, value: float) -> float:
        """Where the middle of the handle is for a value.  [pixels from the left]"""
        option = QStyleOptionSlider()
        self.initStyleOption(option)
        control, parts = QStyle.ComplexControl.CC_Slider, QStyle.SubControl
        groove = self.style().subControlRect(control, option, parts.SC_SliderGroove, self)
        handle = self.style().subControlRect(control, option, parts.SC_SliderHandle, self)
        share = (value - self.minimum()) / max(self.maximum() - self.minimum(), 1)
        return groove.left() + handle.width() / 2 + share * (groove.width() - handle.width())

    def paintEvent(self, event: Any) -> None:
        super().paintEvent(event)
        option = QStyleOptionSlider()
        self.initStyleOption(option)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        palette, middle = self.palette(), self.height() / 2
        left = self._place(self._most / UNIT_BYTES)
        zone = QRectF(left, middle - 4, self.width() - left - 1, 8)
        muted = palette.color(QPalette.ColorRole.PlaceholderText)
        painter.fillRect(zone, palette.color(QPalette.ColorRole.Light))
        painter.fillRect(zone, QBrush(muted, Qt.BrushStyle.BDiagPattern))
        painter.setPen(QPen(muted, 1))
        painter.drawRect(zone)
        if self._free is not None:
            self._draw_tick(painter, self._place(min(self._free, self._total) / UNIT_BYTES), muted)
        # The handle again: it may stand over the zone's edge.
        option.subControls = QStyle.SubControl.SC_SliderHandle
        self.style().drawComplexControl(QStyle.ComplexControl.CC_Slider, option, painter, self)
        painter.end()

    def _draw_tick(self, painter: QPainter, place: float, colour: Any) -> None:
        bottom = float(self.height())
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        painter.drawPolygon(
            QPolygonF([
                QPointF(place, bottom - _TICK - 1), QPointF(place - _TICK, bottom), QPointF(place + _TICK, bottom),
            ])
        )  # fmt: skip
