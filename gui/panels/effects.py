"""What a lever does to the limit: said of the one that moves, is pointed at or has the focus, and beside its values."""

from collections.abc import Iterator
from time import monotonic
from typing import Any, TypeAlias

import msgspec
from PySide6.QtCore import QEvent, QModelIndex, QObject, QPersistentModelIndex, QSize, Qt, QTimer
from PySide6.QtGui import QPainter, QPalette
from PySide6.QtWidgets import (
    QComboBox,
    QLabel,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from vramtuner.core.errors import BadInputError
from vramtuner.core.forecast import Forecast
from vramtuner.core.lever_presets import lever_presets
from vramtuner.core.request import default_token_cap
from vramtuner.core.settings import ATTENTIONS, DTYPES, KV_CACHES, LOGITS, MAX_BATCH, MAX_BEAMS, PASS_KINDS, Levers
from vramtuner.core.settings import WEIGHTS as WEIGHT_FORMATS
from vramtuner.core.units import format_bytes, format_tokens
from vramtuner.core.words import mark, number, say
from vramtuner.gui.controls import Picker, TextPicker
from vramtuner.gui.coupling import idle, refused_values, unavailable, with_followers
from vramtuner.gui.state import Session

LIMIT_ROLE = Qt.ItemDataRole.UserRole + 1
CHUNKS = (128, 256, 512, 1024, 2048, 4096, 8192)
ALLOCATORS = ("", "expandable_segments:True", "max_split_size_mb:512", "garbage_collection_threshold:0.8")
_SAME_MOVE_SECONDS, _MOVE_SHOWN_SECONDS = 0.8, 4.0
_NOT_AT_HAND = mark("its limit is known once its tape is recorded, which choosing it does")
Try: TypeAlias = tuple[str, Any]


def tries(session: Session) -> dict[Try, Levers]:
    """Every other value of a lever that is worth a look under the session's other levers, and what it makes of them."""
    choice = session.choice
    off, refused = unavailable(choice.spec, choice.levers), refused_values(choice.spec, choice.device, choice.levers)
    found: dict[Try, Levers] = {}
    for lever, value in _values(session):
        if lever in off or value in refused.get(lever, ()):
            continue
        try:
            moved = with_followers(choice.spec, choice.levers, {lever: value})
            found[lever, value] = msgspec.structs.replace(choice.levers, **moved)
        except BadInputError:
            continue
    return found


def _values(session: Session) -> Iterator[Try]:
    levers, device, spec = session.choice.levers, session.choice.device, session.choice.spec
    for lever, values in (
        ("weights", WEIGHT_FORMATS), ("kv_cache", KV_CACHES), ("attention", ("auto", *ATTENTIONS)),
        ("logits", LOGITS), ("dtype", ("auto", *DTYPES)), ("pass_kind", PASS_KINDS),
        ("prefill_chunk", (None, *CHUNKS)), ("allocator", ALLOCATORS if device.is_gpu else ()),
        ("checkpointing", (not levers.checkpointing,)), ("pool_bytes", (device.max_pool_bytes,)),
    ):  # fmt: skip
        yield from ((lever, value) for value in values)
    cap = levers.token_cap or default_token_cap(spec)
    for lever, value, most in (
        ("batch_size", levers.batch_size, MAX_BATCH), ("beams", levers.beams, MAX_BEAMS),
        ("new_tokens", levers.new_tokens, cap - 1), ("margin", levers.margin, 1.0),
    ):  # fmt: skip
        step = 0.01 if lever == "margin" else 1
        yield from ((lever, near) for near in (round(value - step, 2), round(value + step, 2)) if 0 <= near <= most)


class EffectLine(QLabel):
    """Two lines at a fixed place, so that nothing moves under the mouse: a lever, and what it does to the limit."""

    def __init__(self) -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setProperty("role", "muted")
        self.setWordWrap(True)
        self.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.setFixedHeight(2 * self.fontMetrics().lineSpacing() + 1)
        self.setAccessibleDescription(say("Effect on the limit"))

    def show_text(self, text: str) -> None:
        if text != self.text():
            self.setText(text)
            self.setToolTip(text)


class Effects(QObject):
    """Watches the levers' controls and says in an `EffectLine` what the one at hand does to the limit."""

    def __init__(self, session: Session, line: EffectLine, parent: QObject) -> None:
        super().__init__(parent)
        self._session, self._line = session, line
        self._levers: dict[QObject, str] = {}
        self._lists: set[QObject] = set()
        self._names: dict[str, QWidget] = {}
        self._pickers: list[tuple[str, QComboBox]] = []
        self._hovered = self._focused = ""
        self._highlighted: Try | None = None
        self._tries: dict[Try, Levers] = {}
        self._last: Forecast | None = None
        self._moved: tuple[str, int, float] = ("", 0, 0.0)
        self._fading = QTimer(self, singleShot=True, interval=round(_MOVE_SHOWN_SECONDS * 1000))
        self._fading.timeout.connect(self.refresh)
        session.plan_changed.connect(self.look)
        session.scout.found.connect(self.refresh)

    def watch(self, lever: str, control: QWidget, *others: QWidget) -> None:
        """Speak of a lever while its control, or another widget of it, is pointed at or has the focus."""
        self._names.setdefault(lever, control)
        for widget in (control, *others, *control.findChildren(QWidget)):
            self._levers[widget] = lever
            widget.installEventFilter(self)
        if isinstance(control, Picker | TextPicker):
            self._pickers.append((lever, control))
            view = control.view()
            view.setItemDelegate(LimitDelegate(view))
            view.installEventFilter(self)
            self._lists.add(view)
            control.opening.connect(lambda: self._show_limits(lever, control))
            control.highlighted.connect(lambda row: self._on_highlighted(lever, control.itemData(row)))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind, lever = event.type(), self._levers.get(watched, "")
        if kind == QEvent.Type.Hide and watched in self._lists:
            self._highlighted = None
        elif not lever:
            return False
        elif kind == QEvent.Type.Enter:
            self._hovered = lever
        elif kind == QEvent.Type.Leave and self._hovered == lever:
            self._hovered = ""
        elif kind == QEvent.Type.FocusIn:
            self._focused = lever
        elif kind == QEvent.Type.FocusOut and self._focused == lever:
            self._focused = ""
        else:
            return False
        self.refresh()
        return False

    def limit_of(self, lever: str, value: Any) -> int | None:
        """The limit with a value of a lever, if it is known.  [tokens]"""
        plan, levers = self._session.forecast, self._tries.get((lever, value))
        return None if plan is None or levers is None else self._session.scout.limit(plan, levers)

    def refresh(self) -> None:
        """Say again what there is to say."""
        for lever, picker in self._pickers:
            if picker.view().isVisible():
                self._show_limits(lever, picker)
        name, text = self._texts()
        self._line.show_text(f"{name}: {text}")

    # ---- what it says

    def _texts(self) -> tuple[str, str]:
        plan = self._session.forecast
        if plan is None or self._session.stale:
            return say("Limit"), say("waits for the forecast")
        moved, _, when = self._moved
        at_hand = self._hovered or self._focused
        if self._highlighted is not None:
            lever, value = self._highlighted
            return self._name(lever), self._of_value(plan, lever, value)
        if moved and monotonic() - when < _MOVE_SHOWN_SECONDS and at_hand in ("", moved):
            return self._name(moved), self._of_move(plan)
        if at_hand:
            return self._name(at_hand), self._of_lever(plan, at_hand)
        return say("Limit"), f"{format_tokens(plan.limit.tokens)}; {_distance(plan)}"

    def _name(self, lever: str) -> str:
        control = self._names.get(lever)
        if control is None:
            return say("Levers")
        return control.accessibleName() or getattr(control, "text", str)().replace("&", "")

    def _of_move(self, plan: Forecast) -> str:
        lever, before, _ = self._moved
        if before != plan.limit.tokens:
            return _arrow(before, number(plan.limit.tokens))
        reason = idle(plan.spec, plan.device, plan.levers).get(lever, "")
        return reason or say(
            "the limit stays {tokens:,}; {distance}", tokens=plan.limit.tokens, distance=_distance(plan)
        )

    def _of_lever(self, plan: Forecast, lever: str) -> str:
        spec, levers = plan.spec, plan.levers
        reason = unavailable(spec, levers).get(lever, "") or idle(spec, plan.device, levers).get(lever, "")
        if reason:
            return reason
        if lever == "token_cap":
            return say("limit {tokens:,}; {distance}", tokens=plan.limit.tokens, distance=_distance(plan))
        if lever == "pool_bytes":
            most = plan.device.max_pool_bytes
            if plan.pool_bytes == most:
                return say("the largest there can be; limit {tokens:,}", tokens=plan.limit.tokens)
            return say("with {most}: {arrow}", most=format_bytes(most), arrow=self._arrow(plan, lever, most))
        others = [value for name, value in self._tries if name == lever and value != getattr(levers, lever)]
        known = [(limit, value) for value in others if (limit := self.limit_of(lever, value)) is not None]
        if not known:
            return say(_NOT_AT_HAND) if others else say("the limit is {tokens:,}", tokens=plan.limit.tokens)
        best, value = max(known, key=lambda pair: pair[0])
        if best == plan.limit.tokens and len(known) == len(others):
            return say("the limit stays {best:,} with any other", best=best)
        return f"{self._label(lever, value)}: {self._arrow(plan, lever, value)}"

    def _of_value(self, plan: Forecast, lever: str, value: Any) -> str:
        choice = self._session.choice
        why = refused_values(choice.spec, choice.device, choice.levers).get(lever, {}).get(value, "")
        label = self._label(lever, value)
        if why:
            return f"{label}: {why}"
        if value == getattr(plan.levers, lever):
            return say("{label}: as it is, limit {tokens:,}", label=label, tokens=plan.limit.tokens)
        return f"{label}: {self._arrow(plan, lever, value)}"

    def _arrow(self, plan: Forecast, lever: str, value: Any) -> str:
        limit, levers = self.limit_of(lever, value), self._tries.get((lever, value))
        if limit is not None:
            return _arrow(plan.limit.tokens, number(limit))
        known = levers is None or self._session.scout.is_known(plan, levers)
        return say(_NOT_AT_HAND) if known else _arrow(plan.limit.tokens, "…")

    def _label(self, lever: str, value: Any) -> str:
        control = self._names.get(lever)
        if isinstance(control, QComboBox):
            row = _row_of(control, value)
            return control.itemText(row) if row >= 0 else str(value)
        if lever == "checkpointing":
            return say("on") if value else say("off")
        return number(value, ".0%").replace("%", " %") if lever == "margin" else number(value)

    # ---- what happens

    def look(self) -> None:
        """Look at the session's forecast, and have the limits of other levers worked out."""
        plan, last = self._session.forecast, self._last
        if plan is not None and not self._session.stale and plan is not last:
            self._last = plan
            if last is not None and (last.spec.config_hash, last.device) == (plan.spec.config_hash, plan.device):
                self._note_move(last, plan)
            self._tries = tries(self._session)
            presets = lever_presets(plan.spec, plan.device, plan.levers)
            self._session.scout.ask(plan, [*self._tries.values(), *(preset.levers for preset in presets)])
        self.refresh()

    def _note_move(self, last: Forecast, plan: Forecast) -> None:
        names = [n for n in plan.levers.__struct_fields__ if getattr(plan.levers, n) != getattr(last.levers, n)]
        if not names:
            return
        lever, before, when = self._moved
        goes_on = names == [lever] and monotonic() - when < _SAME_MOVE_SECONDS
        name = names[0] if len(names) == 1 else "levers"
        self._moved = (name, before if goes_on else last.limit.tokens, monotonic())
        self._fading.start()

    def _on_highlighted(self, lever: str, value: Any) -> None:
        self._highlighted = (lever, value)
        self.refresh()

    def _show_limits(self, lever: str, picker: QComboBox) -> None:
        """Put the limit of every value into the list's second column."""
        plan = self._session.forecast
        current = getattr(self._session.choice.levers, lever)
        for row in range(picker.count()):
            value = picker.itemData(row)
            limit = self.limit_of(lever, value)
            if value == current and plan is not None and not self._session.stale:
                limit = plan.limit.tokens
            text = "" if limit is None else number(limit)
            if picker.itemData(row, LIMIT_ROLE) != text:
                picker.setItemData(row, text, LIMIT_ROLE)
                aloud = say("{itemtext}, limit {text}", itemtext=picker.itemText(row), text=text) if text else None
                picker.setItemData(row, aloud, Qt.ItemDataRole.AccessibleTextRole)
        view = picker.view()
        metrics = view.fontMetrics()
        widest = max(metrics.horizontalAdvance(picker.itemText(row)) for row in range(picker.count()))
        view.setMinimumWidth(max(picker.width(), widest + metrics.horizontalAdvance(say("  limit 100,000,000")) + 40))


class LimitDelegate(QStyledItemDelegate):
    """An entry of a list, and at its right the limit that it would give."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().paint(painter, option, index)
        text = index.data(LIMIT_ROLE)
        if not text:
            return
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        role = QPalette.ColorRole.HighlightedText if chosen else QPalette.ColorRole.PlaceholderText
        painter.save()
        painter.setPen(option.palette.color(role))
        rect = option.rect.adjusted(0, 0, -10, 0)
        painter.drawText(
            rect, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, say("limit {text}", text=text)
        )
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        size = super().sizeHint(option, index)
        return QSize(size.width(), max(size.height(), 24))


def _arrow(before: int, after: str) -> str:
    """A change of the limit, which no line breaks apart."""
    return say("limit {before:,} → {after}", before=before, after=after).replace(" ", "\N{NO-BREAK SPACE}")


def _distance(plan: Forecast) -> str:
    """How far the cap is from the limit."""
    apart = plan.limit.tokens - plan.token_cap
    if apart == 0:
        return say("the cap is the limit")
    if apart > 0:
        return say("the cap is {apart:,} below it", apart=apart)
    return say("the cap is {apart:,} above it", apart=-apart)


def _row_of(picker: QComboBox, value: Any) -> int:
    return next((row for row in range(picker.count()) if picker.itemData(row) == value), -1)
