"""The legend of a plot, which also reads out its values."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPainter, QPalette, QPixmap
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from vramtuner.gui.controls import make_label
from vramtuner.gui.state import Session
from vramtuner.gui.theme import Theme


class Swatch(QWidget):
    """A colour and what it stands for."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._square = QLabel()
        self._square.setFixedSize(11, 11)
        self.name = name
        self.text = make_label(name, wrap=False)
        self.text.setTextFormat(Qt.TextFormat.RichText)
        self._row = layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addWidget(self._square)
        layout.addWidget(self.text)
        layout.addStretch(1)
        self._colour = ""

    def show_size(self, pixels: float) -> None:
        """Take text of this height, and a square to match."""
        font = self.text.font()
        font.setPixelSize(round(pixels))
        self.text.setFont(font)
        self._row.setSpacing(round(0.5 * pixels))
        self._square.setFixedSize(round(0.8 * pixels), round(0.8 * pixels))
        if self._colour:
            self.show_colour(self._colour)

    def show_colour(self, colour: str) -> None:
        self._colour = colour
        pixmap = QPixmap(self._square.size())
        pixmap.fill(QColor(colour))
        # A colour near the ground's own, as that of what is free, is seen by its frame.
        painter = QPainter(pixmap)
        painter.setPen(self.palette().color(QPalette.ColorRole.PlaceholderText))
        painter.drawRect(0, 0, pixmap.width() - 1, pixmap.height() - 1)
        painter.end()
        self._square.setPixmap(pixmap)

    def show_value(self, value: str) -> None:
        self.text.setText(f"{self.name} <b>{value}</b>" if value else self.name)


class PlotPanel(QWidget):
    """A plot under its readout; one class gives both tabs the same measures."""

    def __init__(self, session: Session, theme: Theme, readout: "Readout", plot: QWidget) -> None:
        super().__init__()
        self._session, self._theme, self.readout = session, theme, readout
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 4)
        layout.setSpacing(6)
        layout.addWidget(readout)
        layout.addWidget(plot, 1)

    def colour_swatches(self, colours: tuple[str, ...]) -> None:
        for swatch, colour in zip(self.readout.swatches, colours, strict=True):
            swatch.show_colour(colour)


class Readout(QWidget):
    """A heading and, below it, swatches in rows."""

    def __init__(self, names: tuple[str, ...], columns: int) -> None:
        super().__init__()
        self.heading, self.summary = make_label(role="title", wrap=False), make_label(wrap=False)
        self.summary.setTextFormat(Qt.TextFormat.RichText)
        self.swatches = tuple(Swatch(name) for name in names)
        grid = QGridLayout(self)
        grid.setContentsMargins(6, 0, 6, 0)
        grid.setHorizontalSpacing(18)
        grid.setVerticalSpacing(3)
        top = QHBoxLayout()
        top.setSpacing(14)
        top.addWidget(self.heading)
        top.addWidget(self.summary)
        top.addStretch(1)
        self._top = top
        grid.addLayout(top, 0, 0, 1, columns + 1)
        for index, swatch in enumerate(self.swatches):
            grid.addWidget(swatch, 1 + index // columns, index % columns)
        grid.setColumnStretch(columns, 1)

    def add_control(self, control: QWidget) -> None:
        """Put a control of the plot at the right of the heading."""
        self._top.addWidget(control, 0, Qt.AlignmentFlag.AlignTop)
