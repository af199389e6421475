"""The forecast tab: the plot, and above it what every component takes under the mouse or at the cap."""

from collections.abc import Iterator, Sequence

from PySide6.QtWidgets import QToolButton

from vramtuner.core.forecast import COMPONENT_LABELS, COMPONENT_NAMES, Forecast
from vramtuner.core.request import PHASE_LABELS
from vramtuner.core.units import format_bytes, format_tokens
from vramtuner.core.words import say
from vramtuner.gui.panels.readout import PlotPanel, Readout
from vramtuner.gui.plots.forecast_plot import ForecastPlot
from vramtuner.gui.state import Session
from vramtuner.gui.theme import Theme


class ForecastPanel(PlotPanel):
    """Memory against tokens."""

    def __init__(self, session: Session, theme: Theme) -> None:
        plot = ForecastPlot(session, theme)
        super().__init__(session, theme, Readout(tuple(COMPONENT_LABELS[name] for name in COMPONENT_NAMES), 3), plot)
        self.plot = plot
        self._hovered = 0
        self.log_button = QToolButton()
        self.log_button.setText(say("log"))
        self.log_button.setCheckable(True)
        self.log_button.setProperty("role", "toggle")
        self.log_button.setAccessibleName(say("Logarithmic token axis"))
        self.log_button.setToolTip(say("Tokens on a logarithmic axis (Ctrl+L)"))
        self.log_button.setChecked(plot.axis.is_log)
        self.log_button.toggled.connect(plot.use_log_axis)
        plot.axis_changed.connect(self.log_button.setChecked)
        self.readout.add_control(self.log_button)
        self.readout.setAccessibleName(say("Memory by component"))
        self.plot.hovered.connect(self._on_hovered)
        session.plan_changed.connect(self._refresh)
        theme.changed.connect(self._recolour)
        self._recolour()

    def _recolour(self) -> None:
        self.colour_swatches(self._theme.colours.components)
        self._refresh()

    def csv_rows(self) -> Iterator[Sequence[object]]:
        """Every length that is drawn, with its components, the peak, what is reserved with the margin, the pool."""
        plan = self._session.forecast
        if plan is None:
            return
        yield ("tokens", *(f"{name}_bytes" for name in COMPONENT_NAMES), "peak_bytes", "needed_bytes", "pool_bytes")
        for tokens in map(int, self.plot.drawn_tokens(plan)):
            sizes = plan.component_bytes(tokens)
            yield (tokens, *sizes.values(), sum(sizes.values()), plan.needed_bytes(tokens), plan.pool_bytes)

    def _on_hovered(self, tokens: int) -> None:
        self._hovered = tokens
        self._refresh()

    def _refresh(self) -> None:
        plan = self._session.forecast
        self.readout.setEnabled(not self._session.stale)
        if plan is None:
            return
        tokens = min(self._hovered or plan.token_cap, max(plan.max_tokens, plan.token_cap))
        where = "" if self._hovered else say(" (the cap)")
        self.readout.heading.setText(say("At {tokens}{where}", tokens=format_tokens(tokens), where=where))
        peak, needed = format_bytes(plan.peak_bytes(tokens)), format_bytes(plan.needed_bytes(tokens))
        self.readout.summary.setText(
            say(
                "peak{place} <b>{peak}</b> · with margin, dotted: <b>{needed}</b>",
                place=_place(plan, tokens),
                peak=peak,
                needed=needed,
            )
        )
        sizes = plan.component_bytes(tokens)
        for swatch, name in zip(self.readout.swatches, COMPONENT_NAMES, strict=True):
            swatch.show_value(format_bytes(sizes[name]))


def _place(plan: Forecast, tokens: int) -> str:
    """In which pass the peak falls, where a request has several."""
    return say(" in {phase_labels}", phase_labels=PHASE_LABELS[plan.phase_at(tokens)]) if len(plan.phases) > 1 else ""
