"""Parts of the presenter's screen: text that fills the room it is given, chips, a legend in one row."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPainterPath, QPixmap, QTextLayout, QTextOption
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from vramtuner.core.forecast import COMPONENT_LABELS, COMPONENT_NAMES, Forecast
from vramtuner.core.units import format_bytes
from vramtuner.core.words import say
from vramtuner.gui.controls import breakable, set_role
from vramtuner.gui.panels.readout import Swatch
from vramtuner.gui.theme import Colours

_SMALLEST, _SMALLEST_TITLE = 0.6, 0.9
_CHIPS_IN_A_ROW = 8
_LARGEST_CACHED = 64
"""Up to this size Qt keeps pictures of glyphs.  [pixels]"""


class FittedLabel(QLabel):
    """Text of a given size and number of lines, whose room stays the same; longer text is smaller, then cut.

    It paints itself: a style sheet that is applied anew takes a label's font back.

    Parameters
    ----------
    lines
        Of the full size; 1 does not wrap.
    smallest
        How far text shrinks before it is cut, as a part of its full size.
    """

    def __init__(self, lines: int = 1, *, bold: bool = False, smallest: float = _SMALLEST) -> None:
        super().__init__()
        self._lines, self._smallest, self._pixels = lines, smallest, 16.0
        self._full = self._short = ""
        self._colour = QColor()
        self.drawn = QFont()
        self.drawn.setBold(bold)
        self._laid = QTextLayout()
        self._glyphs: dict[Any, tuple[QPixmap, QPointF]] = {}
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    @property
    def full_text(self) -> str:
        """What was asked for, none of it cut."""
        return self._full

    @property
    def colour(self) -> QColor:
        return self._colour

    def show_text(self, text: str, short: str = "") -> None:
        """Show a text, or a shorter one where there is no room for it."""
        if (text, short) != (self._full, self._short):
            self._full, self._short = text, short
            self.setAccessibleName(text)  # all of it, also where it is cut
            self._fit()

    def show_colour(self, colour: str) -> None:
        if QColor(colour) != self._colour:
            self._colour = QColor(colour)
            self._glyphs.clear()
            self.update()

    def show_size(self, pixels: float) -> None:
        """Take another full size, and the room for it."""
        self._pixels = pixels
        self._glyphs.clear()
        self._take_size(round(pixels))
        self.setFixedHeight(QFontMetrics(self.drawn).lineSpacing() * self._lines + 2)
        self._fit()

    def resizeEvent(self, event: Any) -> None:
        super().resizeEvent(event)
        self._fit()

    def paintEvent(self, event: Any) -> None:
        painter = QPainter(self)
        painter.setPen(self._colour)
        top = QPointF(0, (self.height() - self._laid.boundingRect().height()) / 2)
        if self.drawn.pixelSize() * self.devicePixelRatioF() <= _LARGEST_CACHED:
            self._laid.draw(painter, top)
        else:
            self._draw_large(painter, top)
        painter.end()

    def _draw_large(self, painter: QPainter, top: QPointF) -> None:
        """Draw glyph by glyph; Qt would fill the outline of every single one, which takes 25 ms for two lines."""
        for run in self._laid.glyphRuns():
            raw, name = run.rawFont(), run.rawFont().familyName()
            for index, place in zip(run.glyphIndexes(), run.positions(), strict=True):
                key = (name, raw.pixelSize(), index)
                if key not in self._glyphs:
                    self._glyphs[key] = _pixmap(raw.pathForGlyph(index), self._colour, self.devicePixelRatioF())
                pixmap, corner = self._glyphs[key]
                at = top + place + corner
                painter.drawPixmap(QPointF(round(at.x()), round(at.y())), pixmap)

    def _take_size(self, pixels: int) -> None:
        self.drawn.setPixelSize(max(pixels, 1))

    def _fit(self) -> None:
        if not any(self._fits(text) for text in (self._full, self._short) if text):
            self._show(self._cut(self._short or self._full))

    def _fits(self, text: str) -> bool:
        """Show the text as large as it can be; whether it can."""
        smallest = max(round(self._smallest * self._pixels), 1)
        for pixels in range(max(round(self._pixels), smallest), smallest - 1, -1):
            self._take_size(pixels)
            if self._lay(text):
                self._show(text)
                return True
        return False

    def _show(self, text: str) -> None:
        self._lay(text)
        self.setText(text)
        self.update()

    def _lay(self, text: str) -> bool:
        """Lay the text out; whether it fits."""
        option = QTextOption(self.alignment())
        option.setWrapMode(QTextOption.WrapMode.WordWrap if self._lines > 1 else QTextOption.WrapMode.NoWrap)
        self._laid = QTextLayout(text, self.drawn)
        self._laid.setTextOption(option)
        self._laid.beginLayout()
        height, widest, spacing = 0.0, 0.0, QFontMetrics(self.drawn).lineSpacing()
        while (line := self._laid.createLine()).isValid():
            line.setLineWidth(self.width())
            line.setPosition(QPointF(0, height))
            height, widest = height + spacing, max(widest, line.naturalTextWidth())
        self._laid.endLayout()
        return widest <= self.width() and height <= self.height()

    def _cut(self, text: str) -> str:
        text = breakable(text)
        low, high = 0, len(text)
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if self._lay(f"{text[:middle]}…") else (low, middle - 1)
        return text if low == len(text) else f"{text[:low]}…"


def _pixmap(outline: QPainterPath, colour: QColor, ratio: float) -> tuple[QPixmap, QPointF]:
    """A glyph as a picture, and where its corner lies from the glyph's place."""
    box = outline.boundingRect().toAlignedRect().adjusted(-1, -1, 1, 1)
    pixmap = QPixmap(box.size() * ratio)
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(-box.topLeft())
    painter.fillPath(outline, colour)
    painter.end()
    return pixmap, QPointF(box.topLeft())


class Chip(QFrame):
    """A name and a value; one that has just moved stands out and says what it was."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name
        self.title, self.value = FittedLabel(smallest=_SMALLEST_TITLE), FittedLabel(bold=True)
        self.setAccessibleName(name)
        self.setProperty("role", "chip")
        layout = QVBoxLayout(self)
        layout.setSpacing(0)
        layout.addWidget(self.title)
        layout.addWidget(self.value)

    @property
    def is_moved(self) -> bool:
        return bool(self.property("role") == "chip moved")

    def show_size(self, title: float, value: float) -> None:
        self.title.show_size(title)
        self.value.show_size(value)
        layout = self.layout()
        assert layout is not None
        layout.setContentsMargins(round(0.6 * value), round(0.25 * value), round(0.4 * value), round(0.35 * value))

    def show_value(self, value: str, before: str, colours: Colours) -> None:
        """Show a value, and what it was before; the same where it did not move."""
        moved = value != before
        self.title.show_text(
            say("{name}, was {before}", name=self._name, before=before) if moved else self._name, self._name
        )
        self.value.show_text(value)
        self.setAccessibleDescription(say("{value}, was {before}", value=value, before=before) if moved else value)
        set_role(self, "chip moved" if moved else "chip")
        for label in (self.title, self.value):
            label.show_colour(colours.on_accent if moved else colours.text)


class Chips(QWidget):
    """Chips in rows of equal cells."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__()
        self.chips = tuple(Chip(name) for name in names)
        self.setAccessibleName(say("Levers"))
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        rows = -(-len(names) // _CHIPS_IN_A_ROW)
        columns = -(-len(names) // max(rows, 1))
        for index, chip in enumerate(self.chips):
            self._grid.addWidget(chip, index // columns, index % columns)
        for column in range(columns):
            self._grid.setColumnStretch(column, 1)
        policy = self.sizePolicy()
        policy.setVerticalPolicy(QSizePolicy.Policy.Maximum)
        policy.setRetainSizeWhenHidden(True)
        self.setSizePolicy(policy)

    def show_size(self, title: float, value: float) -> None:
        self._grid.setSpacing(round(0.5 * value))
        for chip in self.chips:
            chip.show_size(title, value)

    def show_values(self, values: Sequence[str], before: Sequence[str], colours: Colours) -> None:
        for chip, value, was in zip(self.chips, values, before, strict=True):
            chip.show_value(value, was, colours)


class Legend(QWidget):
    """What the colours of the forecast plot stand for, with what each takes at the token cap."""

    def __init__(self) -> None:
        super().__init__()
        self.swatches = tuple(Swatch(COMPONENT_LABELS[name]) for name in COMPONENT_NAMES)
        self._pixels = 16.0
        self.setAccessibleName(say("Memory by component"))
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        for swatch in self.swatches:
            self._row.addWidget(swatch)
        self._row.addStretch(1)
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        policy.setRetainSizeWhenHidden(True)
        self.setSizePolicy(policy)

    def show_size(self, pixels: float) -> None:
        self._pixels = pixels
        self._fit()

    def show_colours(self, colours: Sequence[str]) -> None:
        for swatch, colour in zip(self.swatches, colours, strict=True):
            swatch.show_colour(colour)

    def show_plan(self, plan: Forecast) -> None:
        """Show a forecast at its token cap; a component that takes nothing has no place."""
        sizes = plan.component_bytes(plan.token_cap)
        for swatch, name in zip(self.swatches, COMPONENT_NAMES, strict=True):
            swatch.show_value(format_bytes(sizes[name]))
            swatch.setVisible(sizes[name] > 0)
        self._fit()

    def resizeEvent(self, event: Any) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """The full size, or one at which the row is no wider than its room."""
        self._take(self._pixels)
        wanted = self._row.minimumSize().width()
        if wanted > self.width() > 0:
            self._take(max(self._pixels * self.width() / wanted, _SMALLEST * self._pixels))

    def _take(self, pixels: float) -> None:
        self._row.setSpacing(round(1.2 * pixels))
        for swatch in self.swatches:
            swatch.show_size(pixels)
        self._row.invalidate()
