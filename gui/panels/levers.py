"""Levers: everything a person can change about the deployment, what is changed often first."""

from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import QAbstractSpinBox, QHBoxLayout, QSlider, QVBoxLayout, QWidget

from vramtuner.core.device.spec import DRIVER_MARGIN_BYTES, Device
from vramtuner.core.request import default_token_cap
from vramtuner.core.settings import ATTENTIONS, KV_CACHES, MAX_BATCH, WEIGHTS
from vramtuner.core.units import format_bytes, format_tokens
from vramtuner.core.words import Labels, number, say
from vramtuner.gui.controls import Count, Picker, Section, TextField, card, make_label, scrolled
from vramtuner.gui.coupling import DEFAULTS, idle, refused_values, unavailable
from vramtuner.gui.i18n import read_bytes, read_tokens
from vramtuner.gui.panels.effects import EffectLine, Effects
from vramtuner.gui.panels.more_levers import MoreLevers
from vramtuner.gui.panels.presets import PresetsButton
from vramtuner.gui.panels.rows import Row, Rows, align, ask
from vramtuner.gui.pool_slider import PoolSlider
from vramtuner.gui.state import Session

_CAP_STEPS_PER_OCTAVE = 32
_CAP_FIRST_OCTAVE = 4
_CAP_MOST_TOKENS = 2**20
_WEIGHTS = Labels(
    {
        "none": "as stored",
        "int8": "int8, 8 bits",
        "nf4": "nf4, 4 bits",
        "fp4": "fp4, 4 bits",
        "nf4-dq": "nf4-dq, 4 bits",
        "fp4-dq": "fp4-dq, 4 bits",
    }
)
_GGUF_CACHES = Labels({"auto": "auto (f16)", "int8": "int8 (q8_0)", "int4": "int4 (q4_0)"})


class LeversPanel(QWidget):
    """The right column."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._rows: dict[str, Row] = {}
        self._make_cap()
        self._make_pool()
        self._make_tokens()
        self._make_pickers()
        self.more = MoreLevers(session)
        self.section = Section(say("More lever&s"), self.more, "levers/more")
        self.presets = PresetsButton(session)
        frame, layout = card(spacing=6)
        grid = self._grid()
        layout.addLayout(grid)
        layout.addWidget(self.section)
        align(grid, self.more.grid)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(frame)
        outer.addStretch(1)
        self.effect = EffectLine()
        self.effects = Effects(session, self.effect, self)
        self._watch()
        session.plan_changed.connect(self.refresh)
        self.refresh()

    def column(self) -> QWidget:
        """The panel, scrolled, below a heading that stays: the presets, and what the lever at hand does."""
        head, inner = card(spacing=4)
        row = QHBoxLayout()
        row.addWidget(make_label(say("Levers"), "title"), 1)
        row.addWidget(self.presets)
        inner.addLayout(row)
        inner.addWidget(self.effect)
        column = QWidget()
        layout = QVBoxLayout(column)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(10)
        layout.addWidget(head)
        layout.addWidget(scrolled(self), 1)
        return column

    def _watch(self) -> None:
        """Have every lever's effect said while it is pointed at or has the focus."""
        self.effects.watch("token_cap", self.cap, self.cap_slider)
        self.effects.watch("pool_bytes", self.pool, self.pool_slider)
        for lever, row in (*self._rows.items(), *self.more.rows.items()):
            if lever not in ("token_cap", "pool_bytes"):
                self.effects.watch(lever, *row.widgets)
        self.effects.look()

    def _make_cap(self) -> None:
        self.cap = TextField(say("Token cap"), lambda text: self._session.change(token_cap=read_tokens(text)))
        self.cap.setToolTip(say("The hard ceiling of a request, prompt and new tokens together, such as 4096 or 8k"))
        self.cap_slider = QSlider(Qt.Orientation.Horizontal)
        self.cap_slider.setAccessibleName(say("Token cap, slider"))
        self.cap_slider.setPageStep(_CAP_STEPS_PER_OCTAVE)
        self.cap_slider.valueChanged.connect(self._on_cap_slid)
        self._hold(self.cap_slider)

    def _make_pool(self) -> None:
        self.pool = TextField(say("Pool"), lambda text: self._session.change(pool_bytes=read_bytes(text)))
        self.pool.setToolTip(say("The memory this process may take, such as 10GiB or 8.5 GiB"))
        self.pool_slider = PoolSlider()
        self.pool_slider.setAccessibleName(say("Pool, slider"))
        self.pool_slider.moved.connect(lambda size: self._session.change(pool_bytes=size))
        self._hold(self.pool_slider)
        self.pool_note = make_label(role="muted")

    def _hold(self, slider: QSlider) -> None:
        slider.sliderPressed.connect(lambda: self._session.hold(True))
        slider.sliderReleased.connect(lambda: self._session.hold(False))

    def _make_tokens(self) -> None:
        self.new_tokens = Count(
            say("New tokens"), lambda value: self._ask("new_tokens", value), specialValueText=say("all prompt")
        )
        self.new_tokens.setGroupSeparatorShown(True)
        self.new_tokens.setStepType(QAbstractSpinBox.StepType.AdaptiveDecimalStepType)
        self.new_tokens.setToolTip(
            say("Tokens of the cap that are generated; all prompt is the most that any split takes")
        )
        self.batch = Count(say("Batch"), lambda value: self._ask("batch_size", value), minimum=1, maximum=MAX_BATCH)
        self.batch.setToolTip(say("Requests that run together"))

    def _make_pickers(self) -> None:
        self.weights = Picker(
            say("Weights"), ((_WEIGHTS[value], value) for value in WEIGHTS), lambda value: self._ask("weights", value)
        )
        self.weights.setToolTip(
            say(
                "Quantize the weights with bitsandbytes; check the answers' quality.\ndq quantizes the "
                "constants of its blocks again (double quantization)."
            )
        )
        self.kv_cache = Picker(say("KV cache"), ((v, v) for v in KV_CACHES), lambda value: self._ask("kv_cache", value))
        self.kv_cache.setToolTip(
            say(
                "auto grows with the request; static is allocated whole at the start; offloaded keeps "
                "one layer on the\ndevice; the others are quantized"
            )
        )
        kernels = ("auto", *ATTENTIONS)
        self.attention = Picker(
            say("Attention"), ((v, v) for v in kernels), lambda value: self._ask("attention", value)
        )
        self.attention.setToolTip(say("The attention kernel; auto is what PyTorch takes on this device"))

    def _grid(self) -> Rows:
        grid = Rows()
        rows = self._rows
        rows["token_cap"] = grid.add(say("&Token cap"), self.cap)
        grid.add_line(self.cap_slider)
        rows["pool_bytes"] = grid.add(say("Poo&l"), self.pool)
        grid.add_line(self.pool_slider)
        grid.add_line(self.pool_note)
        rows["new_tokens"] = grid.add(say("&New tokens"), self.new_tokens)
        rows["weights"] = grid.add(say("&Weights"), self.weights)
        rows["kv_cache"] = grid.add(say("&KV cache"), self.kv_cache)
        rows["attention"] = grid.add(say("&Attention"), self.attention)
        rows["batch_size"] = grid.add(say("&Batch"), self.batch)
        self.attention_note = rows["attention"].note
        return grid

    def _ask(self, lever: str, value: Any) -> None:
        ask(self._session, self, self._rows[lever], **{lever: value})

    def _on_cap_slid(self, position: int) -> None:
        self._session.change(token_cap=_cap_at(position))

    def refresh(self) -> None:
        """Show the session's levers."""
        choice, plan = self._session.choice, self._session.forecast
        levers, device = choice.levers, choice.device
        self._show_pool(device.pool_bytes(levers), device)
        most = _CAP_MOST_TOKENS if plan is None else min(plan.max_tokens, _CAP_MOST_TOKENS)
        cap = levers.token_cap or default_token_cap(choice.spec)
        self._show_cap(cap, most)
        self.new_tokens.show_maximum(max(cap - 1, levers.new_tokens))
        self.new_tokens.show_value(levers.new_tokens)
        self.weights.show_value(levers.weights)
        self.kv_cache.show_value(levers.kv_cache)
        self.attention.show_value(levers.attention)
        self.batch.show_value(levers.batch_size)
        self._show_what_goes_together()
        self.more.refresh()
        self.section.show_changed(self.more.changed)

    def _show_what_goes_together(self) -> None:
        choice, plan = self._session.choice, self._session.forecast
        reasons = unavailable(choice.spec, choice.levers)
        refused = refused_values(choice.spec, choice.device, choice.levers)
        useless = idle(choice.spec, choice.device, choice.levers)
        for value in KV_CACHES:
            self.kv_cache.show_text(value, _GGUF_CACHES.get(value, value) if choice.spec.is_gguf else value)
        self.kv_cache.refuse(refused["kv_cache"])
        self.attention.refuse(refused["attention"])
        for lever in ("new_tokens", "weights", "kv_cache"):
            moved = getattr(choice.levers, lever) != getattr(DEFAULTS, lever)
            why = useless.get(lever, "")
            self._rows[lever].show(why if moved else "", unavailable=reasons.get(lever, ""), useless=why)
        kernel = "" if plan is None else f"{plan.kernel.attention}: {plan.kernel.note}"
        self._rows["attention"].show(kernel, unavailable=reasons.get("attention", ""))
        self._rows["batch_size"].show()
        self.attention_note.setEnabled(not self._session.stale)

    def _show_pool(self, pool_bytes: int, device: Device) -> None:
        self.pool.show_value(format_bytes(pool_bytes))
        most, free = device.max_pool_bytes, device.driver_free_bytes
        self.pool_slider.show_values(pool_bytes, most, device.vram_bytes, free)
        text = say(
            "at most {most} ({driver_margin_bytes} stays free)",
            most=format_bytes(most),
            driver_margin_bytes=format_bytes(DRIVER_MARGIN_BYTES, 0),
        )
        self.pool_note.setText(text if free is None else f"{text}\n▴ {format_bytes(free)} free now")

    def _show_cap(self, cap: int, most: int) -> None:
        self.cap.show_value(number(cap))
        with QSignalBlocker(self.cap_slider):
            self.cap_slider.setRange(0, _cap_position(most))
            self.cap_slider.setValue(_cap_position(cap))
        self.cap_slider.setAccessibleDescription(format_tokens(cap))  # its value is a place on a logarithmic scale


def _cap_position(tokens: int) -> int:
    """The slider position of a token count: 32 even steps an octave, so that round numbers are among them."""
    octave = max(tokens, 1 << _CAP_FIRST_OCTAVE).bit_length() - 1
    start = 1 << octave
    step = (max(tokens, start) - start) * _CAP_STEPS_PER_OCTAVE // start
    return (octave - _CAP_FIRST_OCTAVE) * _CAP_STEPS_PER_OCTAVE + step


def _cap_at(position: int) -> int:
    """The token count at a slider position."""
    octave, step = divmod(position, _CAP_STEPS_PER_OCTAVE)
    start = 1 << (octave + _CAP_FIRST_OCTAVE)
    return start + start * step // _CAP_STEPS_PER_OCTAVE
