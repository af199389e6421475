"""The live tab: what passes take while they run."""

from PySide6.QtWidgets import QVBoxLayout, QWidget

from vramtuner.core.units import format_bytes
from vramtuner.gui.panels.readout import Readout
from vramtuner.gui.plots.live_plot import LivePlot
from vramtuner.gui.state import Session
from vramtuner.gui.theme import Theme


class LivePanel(QWidget):
    """Memory against time."""

    def __init__(self, session: Session, theme: Theme) -> None:
        super().__init__()
        self._session, self._theme = session, theme
        names = ("in tensors", "reserved by PyTorch", "whole process")
        self.readout = Readout(names, 3)
        self.readout.setAccessibleName("Live memory")
        self.plot = LivePlot(session, theme)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 4)
        layout.setSpacing(6)
        layout.addWidget(self.readout)
        layout.addWidget(self.plot, 1)
        self.plot.drawn.connect(self._refresh)
        session.run_changed.connect(self._refresh)
        theme.changed.connect(self._recolour)
        self._recolour()

    def _recolour(self) -> None:
        colours = self._theme.colours
        for swatch, colour in zip(
            self.readout.swatches, (colours.components[0], colours.components[4], colours.muted), strict=True
        ):
            swatch.show_colour(colour)
        self._refresh()

    def _refresh(self) -> None:
        live, run = self._session.live, self._session.run
        running = run is not None and run.kind != "record"
        self.readout.setVisible(len(live) > 0)
        if not len(live):
            return
        self.readout.heading.setText("Now" if running else "At the end of the run")
        self.readout.summary.setText(f"measured on {live.device_name}")
        for swatch, column in zip(self.readout.swatches, (live.allocated, live.reserved, live.process), strict=True):
            swatch.show_value(format_bytes(column[-1]))
        self.readout.swatches[1].setVisible(live.reserves_more)
