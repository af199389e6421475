"""Presenter mode: the verdict, the plot and the levers in large type on a screen of their own, step by step.

A window of its own over the same session, so that no shortcut of the main window is at work, the main window keeps its
size and place, and leaving is closing.  Nothing that is shown becomes a step of undo.
"""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from vramtuner.core.device.roots import HERE, Roots
from vramtuner.core.errors import AppError
from vramtuner.core.lever_words import changed_levers, lever_label, lever_value
from vramtuner.core.script import Step
from vramtuner.core.settings import Levers
from vramtuner.core.words import Labels, say
from vramtuner.gui.plots.forecast_plot import ForecastPlot
from vramtuner.gui.scripting import Finder, forecast_at_hand
from vramtuner.gui.stage import Chips, FittedLabel, Legend
from vramtuner.gui.state import Session
from vramtuner.gui.theme import Theme
from vramtuner.gui.values import Choice, sentence

_Key = Qt.Key
_BY = {
    _Key.Key_Right: 1, _Key.Key_Space: 1, _Key.Key_PageDown: 1,
    _Key.Key_Left: -1, _Key.Key_PageUp: -1,
}  # fmt: skip
_LEAVE = (_Key.Key_Escape, _Key.Key_F11)
_OTHER_MODIFIERS = ~(Qt.KeyboardModifier.KeypadModifier | Qt.KeyboardModifier.ShiftModifier)
_ALWAYS_SHOWN = ("token_cap", "pool_bytes", "weights", "kv_cache", "attention")
_HEIGHTS = {
    "status": 3.0, "verdict": 4.0, "plot": 2.0, "legend": 1.9, "chip title": 1.8, "chip": 2.8, "caption": 3.6,
    "counter": 2.6, "margin": 3.0, "gap": 1.6,
}  # fmt: skip
"""Of text and of the room between, as parts of a hundred of the screen's height."""
_WIDE = 16 / 9
_IDLE_MILLISECONDS = 150
_AHEAD = (1, -1, 2, 3)


class Presenter(QWidget):
    """Shows the session's script, or its current plan where there is no script.

    Right, Space and PageDown go on, Left and PageUp back, Home and End to the ends, Escape and F11 leave; leaving
    brings back the choice from before.
    """

    left = Signal()

    def __init__(self, session: Session, theme: Theme, roots: Roots = HERE, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self._session, self._theme = session, theme
        self.place = 0
        self._steps = session.script.steps
        self._shown = _choices(self._steps, session.choice, roots)
        choices = [choice for choice in self._shown if isinstance(choice, Choice)]
        self._names = _chip_names(choices or [session.choice])
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setProperty("role", "stage")
        self.setAccessibleName(say("Presenter"))
        self.setWindowTitle(say("Presenting; Esc leaves – vramtuner"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._make_parts()
        self._lay_out()
        self._known: set[int] = set()
        self._timer = QTimer(self, singleShot=True, interval=_IDLE_MILLISECONDS)
        self._timer.timeout.connect(self._look_ahead)
        session.plan_changed.connect(self._refresh)
        session.run_changed.connect(self._refresh)
        theme.changed.connect(self._refresh)
        self.go(0)

    def begin(self) -> None:
        """Cover the screen that the main window is on, and take the keys."""
        parent = self.parentWidget()
        if parent is not None:
            self.setScreen(parent.screen())
            self.setGeometry(parent.screen().geometry())
        self.showFullScreen()
        self.activateWindow()
        self.setFocus()

    def go(self, place: int) -> None:
        """Show a step; one beyond the ends is the nearest there is."""
        before = chosen = self._session.choice
        if self._steps:
            self.place = min(max(place, 0), len(self._steps) - 1)
            wanted = self._shown[self.place]
            chosen = wanted if isinstance(wanted, Choice) else before
        self._session.present(chosen)
        self._known.add(self.place)
        self._timer.start()
        if self._session.choice is before:  # else the session has had everything read anew
            self._refresh()

    def _look_ahead(self) -> None:
        """Forecast a step nearby while nothing else is to do; it costs a second where no allocator was replayed yet."""
        for place in (self.place + by for by in _AHEAD):
            if 0 <= place < len(self._steps) and place not in self._known:
                self._known.add(place)
                choice = self._shown[place]
                if isinstance(choice, Choice):
                    forecast_at_hand(choice)
                self._timer.start()
                return

    def _make_parts(self) -> None:
        self.status = FittedLabel(bold=True)
        self.status.setAccessibleDescription(say("Status"))
        self.verdict = FittedLabel(lines=2)
        self.verdict.setAccessibleDescription(say("Verdict sentence"))
        self.plot = ForecastPlot(self._session, self._theme)
        policy = self.plot.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.plot.setSizePolicy(policy)
        self.legend = Legend()
        self.chips = Chips([_LABELS.get(name) or lever_label(name) for name in self._names])
        self.caption = FittedLabel(lines=2)
        self.caption.setAccessibleDescription(say("Caption of the step"))
        self.counter = FittedLabel()
        self.counter.setAccessibleDescription(say("Step"))
        self.counter.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        for part in (self.caption, self.counter):
            part.setVisible(bool(self._steps))

    def _lay_out(self) -> None:
        foot = QHBoxLayout()
        foot.addWidget(self.caption, 8)
        foot.addWidget(self.counter, 1, Qt.AlignmentFlag.AlignVCenter)
        self._layout = QVBoxLayout(self)
        self._layout.setSizeConstraint(QVBoxLayout.SizeConstraint.SetNoConstraint)  # the next screen may be smaller
        self._layout.addWidget(self.status)
        self._layout.addWidget(self.verdict)
        self._layout.addWidget(self.plot, 1)
        self._layout.addWidget(self.legend)
        self._layout.addWidget(self.chips)
        self._layout.addLayout(foot)

    def _refresh(self) -> None:
        problem = self._shown[self.place] if self._steps else ""
        broken = isinstance(problem, str) and bool(problem)
        self.plot.setVisible(not broken)
        self.chips.setVisible(not broken)
        self.legend.setVisible(not broken and not self._session.stale)  # figures of an earlier choice would mislead
        self._show_verdict(problem if isinstance(problem, str) else "")
        colours = self._theme.colours
        for part in (self.verdict, self.caption):
            part.show_colour(colours.text)
        self.counter.show_colour(colours.muted)
        self.legend.show_colours(colours.components)
        if self._session.forecast is not None:
            self.legend.show_plan(self._session.forecast)
        if not broken:
            self._show_levers()
        if self._steps:
            self.caption.show_text(self._steps[self.place].caption)
            self.counter.show_text(f"{self.place + 1} / {len(self._steps)}")
        self.setAccessibleDescription(f"{self.counter.full_text} {self.caption.full_text}".strip())

    def _show_verdict(self, problem: str) -> None:
        session, plan, colours = self._session, self._session.forecast, self._theme.colours
        if problem:
            status, colour, text = say("Cannot be shown"), colours.bad, problem
        elif session.stale or plan is None:
            status, colour = say("No forecast") if session.problem else say("Recording"), colours.warning
            text = session.waiting_text
        elif plan.fits(plan.token_cap):
            status, colour, text = say("✓ Fits"), colours.good, plan.verdict
        else:
            status, colour, text = say("✕ Does not fit"), colours.bad, plan.verdict
        self.status.show_text(status)
        self.status.show_colour(colour)
        self.verdict.show_text(text)

    def _show_levers(self) -> None:
        current = self._session.choice
        before = self._shown[self.place - 1] if self._steps and self.place else current
        values = [_value(name, current) for name in self._names]
        was = [_value(name, before) for name in self._names] if isinstance(before, Choice) else values
        self.chips.show_values(values, was, self._theme.colours)

    def resizeEvent(self, event: Any) -> None:
        super().resizeEvent(event)
        unit = min(self.height(), self.width() / _WIDE) / 100
        size = {name: unit * height for name, height in _HEIGHTS.items()}
        margin = round(size["margin"])
        self._layout.setContentsMargins(margin, margin, margin, margin)
        self._layout.setSpacing(round(size["gap"]))
        for part, name in (
            (self.status, "status"),
            (self.verdict, "verdict"),
            (self.legend, "legend"),
            (self.caption, "caption"),
            (self.counter, "counter"),
        ):
            part.show_size(size[name])
        self.chips.show_size(size["chip title"], size["chip"])
        self.plot.show_afar(size["plot"])

    def event(self, event: QEvent) -> bool:
        # A key that moves the focus or belongs to a shortcut elsewhere is none here.
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if event.modifiers() & _OTHER_MODIFIERS:
            super().keyPressEvent(event)
        elif key in _LEAVE and not event.isAutoRepeat():
            self.close()
        elif key in _BY:
            self.go(self.place + _BY[key])
        elif key == _Key.Key_Home:
            self.go(0)
        elif key == _Key.Key_End:
            self.go(len(self._steps) - 1)

    def closeEvent(self, event: Any) -> None:
        self._session.end_presenting()
        super().closeEvent(event)
        self.left.emit()


def _choices(steps: Sequence[Step], current: Choice, roots: Roots) -> list[Choice | str]:
    """What each step shows, or why it cannot be shown."""
    finder = Finder(current, roots)
    found: list[Choice | str] = []
    for step in steps:
        try:
            found.append(finder.choice_of(step))
        except AppError as error:
            found.append(sentence(error))
    return found


_LABELS = Labels({"model": "Model", "device": "Device"})


def _chip_names(choices: Sequence[Choice]) -> list[str]:
    """The chips of a whole script, so that none comes or goes between two steps."""
    first, names = choices[0], list(_ALWAYS_SHOWN)
    usual = Levers()
    moved = {name for choice in choices for name in changed_levers(usual, choice.levers)}
    names += [name for name in Levers.__struct_fields__ if name in moved and name not in names]
    kinds = [name for name in _LABELS if any(_value(name, choice) != _value(name, first) for choice in choices)]
    return kinds + names


def _value(name: str, choice: Choice) -> str:
    if name == "model":
        return choice.spec.name
    if name == "device":
        return choice.device.name
    return lever_value(name, choice.spec, choice.device, choice.levers)
