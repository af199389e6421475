"""The forecast tab: the plot, and above it what every component takes under the mouse or at the cap."""

from PySide6.QtWidgets import QVBoxLayout, QWidget

from vramtuner.core.forecast import COMPONENT_NAMES
from vramtuner.core.output import LABELS
from vramtuner.core.units import format_bytes, format_tokens
from vramtuner.gui.panels.readout import Readout
from vramtuner.gui.plots.forecast_plot import ForecastPlot
from vramtuner.gui.state import Session
from vramtuner.gui.theme import Theme


class ForecastPanel(QWidget):
    """Memory against tokens."""

    def __init__(self, session: Session, theme: Theme) -> None:
        super().__init__()
        self._session, self._theme = session, theme
        self._hovered = 0
        self.readout = Readout(tuple(LABELS[name] for name in COMPONENT_NAMES), 3)
        self.readout.setAccessibleName("Memory by component")
        self.plot = ForecastPlot(session, theme)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 4)
        layout.setSpacing(6)
        layout.addWidget(self.readout)
        layout.addWidget(self.plot, 1)
        self.plot.hovered.connect(self._on_hovered)
        session.plan_changed.connect(self._refresh)
        theme.changed.connect(self._recolour)
        self._recolour()

    def _recolour(self) -> None:
        for swatch, colour in zip(self.readout.swatches, self._theme.colours.components, strict=True):
            swatch.show_colour(colour)
        self._refresh()

    def _on_hovered(self, tokens: int) -> None:
        self._hovered = tokens
        self._refresh()

    def _refresh(self) -> None:
        plan = self._session.forecast
        self.readout.setEnabled(not self._session.stale)
        if plan is None:
            return
        tokens = min(self._hovered or plan.token_cap, max(plan.max_tokens, plan.token_cap))
        where = "" if self._hovered else " (the cap)"
        self.readout.heading.setText(f"At {format_tokens(tokens)}{where}")
        peak, needed = format_bytes(plan.peak_bytes(tokens)), format_bytes(plan.needed_bytes(tokens))
        self.readout.summary.setText(f"peak <b>{peak}</b> · with margin, dotted: <b>{needed}</b>")
        sizes = plan.component_bytes(tokens)
        for swatch, name in zip(self.readout.swatches, COMPONENT_NAMES, strict=True):
            swatch.show_value(format_bytes(sizes[name]))
