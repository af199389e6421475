"""The verdict: one sentence to read aloud, the pool as a bar, and the one change that would help most."""

from typing import Any

from PySide6.QtCore import QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QBrush, QColor, QPainter, QPen
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from vramtuner.core.advice import Advice
from vramtuner.core.forecast import COMPONENT_LABELS, COMPONENT_NAMES, Forecast
from vramtuner.core.units import format_bytes, format_tokens
from vramtuner.core.words import say
from vramtuner.gui.controls import make_label, set_role
from vramtuner.gui.state import Session
from vramtuner.gui.theme import Theme

_ADVICE_DELAY_MILLISECONDS = 80


class HeadroomBar(QWidget):
    """The pool as a bar, filled with what a request of the token cap takes."""

    def __init__(self, session: Session, theme: Theme) -> None:
        super().__init__()
        self._session, self._theme = session, theme
        self.setAccessibleName(say("Pool in use at the token cap"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        session.plan_changed.connect(self.update)
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(300, 20)

    def paintEvent(self, event: Any) -> None:
        plan, colours = self._session.forecast, self._theme.colours
        if plan is None:
            return
        painter = QPainter(self)
        painter.setOpacity(0.35 if self._session.stale else 1.0)
        scale = (self.width() - 1) / max(plan.needed_bytes(plan.token_cap), plan.pool_bytes)
        box = QRectF(0.5, 2.5, plan.pool_bytes * scale, self.height() - 5)
        painter.fillRect(box, QColor(colours.raised))
        left = box.left()
        sizes = plan.component_bytes(plan.token_cap)
        for name, colour in zip(COMPONENT_NAMES, colours.components, strict=True):
            width = sizes[name] * scale
            painter.fillRect(QRectF(left, box.top(), width, box.height()), QColor(colour))
            left += width
            painter.fillRect(QRectF(left - 1, box.top(), 1, box.height()), QColor(colours.surface))
        margin = QRectF(left, box.top(), plan.margin_bytes(plan.token_cap) * scale, box.height())
        painter.fillRect(margin, QBrush(QColor(colours.muted), Qt.BrushStyle.BDiagPattern))
        painter.setPen(QPen(QColor(colours.border), 1))
        painter.drawRect(box)
        painter.setPen(QPen(QColor(colours.bad), 2))
        painter.drawLine(box.topRight(), box.bottomRight())
        painter.end()


class VerdictPanel(QFrame):
    """Always in view, above everything else."""

    def __init__(self, session: Session, theme: Theme) -> None:
        super().__init__()
        self._session = session
        self._advice: Advice | None = None
        self._advised: Forecast | None = None  # what the advice is about
        self.setProperty("role", "card")
        self.setAccessibleName(say("Verdict"))
        self.status = make_label(wrap=False)
        self.sentence = make_label()
        self.sentence.setAccessibleDescription(say("Verdict sentence"))
        font = self.sentence.font()
        font.setPointSizeF(font.pointSizeF() * 1.35)
        self.sentence.setFont(font)
        self.sentence.setMinimumHeight(2 * self.sentence.fontMetrics().lineSpacing())
        self.sentence.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self.bar = HeadroomBar(session, theme)
        self.headroom = make_label(role="muted", wrap=False)
        self.button = QPushButton()
        self.button.setMinimumWidth(190)
        self.button.hide()
        self.button.clicked.connect(self._on_clicked)
        self._lay_out()
        self._timer = QTimer(self, singleShot=True, interval=_ADVICE_DELAY_MILLISECONDS)
        self._timer.timeout.connect(self._ask_for_advice)
        session.scout.advised.connect(self._on_advised)
        session.plan_changed.connect(self._refresh)
        session.run_changed.connect(self._refresh_sentence)
        self._refresh()

    def _lay_out(self) -> None:
        words = QHBoxLayout()
        words.setSpacing(14)
        words.addWidget(self.sentence, 1)
        words.addWidget(self.button, 0, Qt.AlignmentFlag.AlignVCenter)
        pool = QHBoxLayout()
        pool.setSpacing(10)
        pool.addWidget(self.status)
        pool.addWidget(self.bar, 1)
        pool.addWidget(self.headroom)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(14, 10, 14, 10)
        layout.setSpacing(6)
        layout.addLayout(words)
        layout.addLayout(pool)

    def _refresh(self) -> None:
        self._refresh_sentence()
        self._refresh_headroom()
        if _subject(self._advised) != _subject(self._session.forecast):
            self._offer(None, None)  # what helped another model or device says nothing here
        # Advice tries a dozen forecasts; while a slider moves only its last position is worth that.
        self._timer.start()

    def _refresh_sentence(self) -> None:
        session, plan = self._session, self._session.forecast
        if session.stale or plan is None:
            self.status.setText(say("No forecast") if session.problem else say("Recording"))
            set_role(self.status, "waits")
            self.sentence.setText(session.waiting_text)
            return
        fits = plan.fits(plan.token_cap)
        self.status.setText(say("✓ Fits") if fits else say("✕ Does not fit"))
        set_role(self.status, "fits" if fits else "fails")
        self.sentence.setText(plan.verdict)

    def _refresh_headroom(self) -> None:
        plan = self._session.forecast
        self.headroom.setEnabled(not self._session.stale)
        if plan is None:
            self.headroom.clear()
            return
        free = plan.headroom_bytes(plan.token_cap)
        text = (
            say("{free} free", free=format_bytes(free)) if free >= 0 else say("{free} short", free=format_bytes(-free))
        )
        self.headroom.setText(say("{text} at {token_cap}", text=text, token_cap=format_tokens(plan.token_cap)))
        sizes = plan.component_bytes(plan.token_cap)
        parts = [f"{COMPONENT_LABELS[name]} {format_bytes(size)}" for name, size in sizes.items() if size]
        parts.append(
            say("safety margin {margin_bytes} (hatched)", margin_bytes=format_bytes(plan.margin_bytes(plan.token_cap)))
        )
        self.bar.setToolTip("\n".join(parts))
        self.bar.setAccessibleDescription(f"{self.headroom.text()}: {', '.join(parts)}")

    def show_advice(self) -> None:
        """Work out the best change at once and offer it."""
        self._timer.stop()
        self._offer(self._session.forecast, self._session.best_advice())

    def _ask_for_advice(self) -> None:
        plan = self._session.forecast
        if plan is None or self._session.stale:
            self._offer(plan, None)
        else:
            self._session.scout.ask_advice(plan)

    def _on_advised(self, plan: Forecast, advice: Advice | None) -> None:
        if plan is self._session.forecast and not self._session.stale:
            self._offer(plan, advice)

    def _offer(self, plan: Forecast | None, advice: Advice | None) -> None:
        self._advised, self._advice = plan, advice
        self.button.setVisible(advice is not None)
        if advice is None:
            return
        self.button.setText(
            say(
                "Most helpful: {change}\n→ limit {limit_tokens}",
                change=advice.change,
                limit_tokens=format_tokens(advice.limit_tokens),
            )
        )
        self.button.setAccessibleName(self.button.text().replace("\n", " "))
        self.button.setToolTip(say("The one change that raises the limit most: {note}.", note=advice.note))

    def _on_clicked(self) -> None:
        if self._advised is not self._session.forecast or self._timer.isActive():
            # What the button says is of the levers before the last move.
            self.show_advice()
        elif self._advice is not None:
            self._session.apply(self._advice.levers)


def _subject(plan: Forecast | None) -> tuple[str, str]:
    """Which model and device a forecast is of."""
    return ("", "") if plan is None else (plan.spec.source, plan.device.key)
