"""The live tab: what passes take while they run."""

from collections.abc import Iterator, Sequence

from vramtuner.core.units import format_bytes
from vramtuner.gui.panels.readout import PlotPanel, Readout
from vramtuner.gui.plots.live_plot import LivePlot
from vramtuner.gui.state import Session
from vramtuner.gui.theme import Theme


class LivePanel(PlotPanel):
    """Memory against time."""

    def __init__(self, session: Session, theme: Theme) -> None:
        plot = LivePlot(session, theme)
        super().__init__(session, theme, Readout(("in tensors", "reserved by PyTorch", "whole process"), 3), plot)
        self.plot = plot
        self.readout.setAccessibleName("Live memory")
        self.plot.drawn.connect(self._refresh)
        session.run_changed.connect(self._refresh)
        theme.changed.connect(self._recolour)
        self._recolour()

    def csv_rows(self) -> Iterator[Sequence[object]]:
        """Every reading of the run."""
        live = self._session.live
        if not len(live):
            return
        yield ("seconds", "allocated_bytes", "reserved_bytes", "process_bytes", "pool_bytes")
        for row in zip(live.seconds, live.allocated, live.reserved, live.process, strict=True):
            yield (f"{row[0]:.6f}", *map(int, row[1:]), live.pool_bytes)

    def _recolour(self) -> None:
        colours = self._theme.colours
        self.colour_swatches((colours.components[0], colours.components[4], colours.muted))
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
