"""Levers: everything a person can change about the deployment, what is changed often first."""

from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import QAbstractSpinBox, QSlider, QVBoxLayout, QWidget

from vramtuner.core.device.spec import DRIVER_MARGIN_BYTES
from vramtuner.core.request import default_token_cap
from vramtuner.core.settings import ATTENTIONS, KV_CACHES, MAX_BATCH, WEIGHTS
from vramtuner.core.units import GIB, MIB, format_bytes, parse_bytes, parse_tokens
from vramtuner.gui.controls import Count, Picker, Section, TextField, card, make_label
from vramtuner.gui.coupling import refused_values, unavailable
from vramtuner.gui.panels.more_levers import MoreLevers
from vramtuner.gui.panels.rows import Row, Rows, align, ask
from vramtuner.gui.state import Session

_CAP_STEPS_PER_OCTAVE = 32
_CAP_FIRST_OCTAVE = 4
_CAP_MOST_TOKENS = 2**20
_WEIGHTS = {
    "none": "as stored",
    "int8": "int8, 8 bits",
    "nf4": "nf4, 4 bits",
    "fp4": "fp4, 4 bits",
    "nf4-dq": "nf4-dq, 4 bits",
    "fp4-dq": "fp4-dq, 4 bits",
}
_GGUF_CACHES = {"auto": "auto (f16)", "int8": "int8 (q8_0)", "int4": "int4 (q4_0)"}
_PLANNED_WHOLE = "Changes nothing: llama.cpp makes its buffers for the whole request."
_QUANTIZED_V = "llama.cpp quantizes the cache with flash attention only"


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
        self.section = Section("More lever&s", self.more, "levers/more")
        frame, layout = card(spacing=6)
        layout.addWidget(make_label("Levers", "title"))
        grid = self._grid()
        layout.addLayout(grid)
        layout.addWidget(self.section)
        align(grid, self.more.grid)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(frame)
        outer.addStretch(1)
        session.plan_changed.connect(self.refresh)
        self.refresh()

    def _make_cap(self) -> None:
        self.cap = TextField("Token cap", lambda text: self._session.change(token_cap=parse_tokens(text)))
        self.cap.setToolTip("The hard ceiling of a request, prompt and new tokens together, such as 4096 or 8k")
        self.cap_slider = QSlider(Qt.Orientation.Horizontal)
        self.cap_slider.setAccessibleName("Token cap, slider")
        self.cap_slider.setPageStep(_CAP_STEPS_PER_OCTAVE)
        self.cap_slider.valueChanged.connect(self._on_cap_slid)

    def _make_pool(self) -> None:
        self.pool = TextField("Pool", lambda text: self._session.change(pool_bytes=parse_bytes(text)))
        self.pool.setToolTip("The memory this process may take, such as 10GiB or 8.5 GiB")
        self.pool_slider = QSlider(Qt.Orientation.Horizontal)
        self.pool_slider.setAccessibleName("Pool, slider")
        self.pool_slider.valueChanged.connect(self._on_pool_slid)
        self.pool_note = make_label(role="muted")

    def _make_tokens(self) -> None:
        self.new_tokens = Count(
            "New tokens", lambda value: self._ask("new_tokens", value), specialValueText="all prompt"
        )
        self.new_tokens.setGroupSeparatorShown(True)
        self.new_tokens.setStepType(QAbstractSpinBox.StepType.AdaptiveDecimalStepType)
        self.new_tokens.setToolTip("Tokens of the cap that are generated; all prompt is the most that any split takes")
        self.batch = Count("Batch", lambda value: self._ask("batch_size", value), minimum=1, maximum=MAX_BATCH)
        self.batch.setToolTip("Requests that run together")

    def _make_pickers(self) -> None:
        self.weights = Picker(
            "Weights", ((_WEIGHTS[value], value) for value in WEIGHTS), lambda value: self._ask("weights", value)
        )
        self.weights.setToolTip(
            "Quantize the weights with bitsandbytes; check the answers' quality.\n"
            "dq quantizes the constants of its blocks again (double quantization)."
        )
        self.kv_cache = Picker("KV cache", ((v, v) for v in KV_CACHES), lambda value: self._ask("kv_cache", value))
        self.kv_cache.setToolTip(
            "auto grows with the request; static is allocated whole at the start; offloaded keeps one layer on the\n"
            "device; the others are quantized"
        )
        kernels = ("auto", *ATTENTIONS)
        self.attention = Picker("Attention", ((v, v) for v in kernels), lambda value: self._ask("attention", value))
        self.attention.setToolTip("The attention kernel; auto is what PyTorch takes on this device")

    def _grid(self) -> Rows:
        grid = Rows()
        rows = self._rows
        rows["token_cap"] = grid.add("&Token cap", self.cap)
        grid.add_line(self.cap_slider)
        rows["pool_bytes"] = grid.add("Poo&l", self.pool)
        grid.add_line(self.pool_slider)
        grid.add_line(self.pool_note)
        rows["new_tokens"] = grid.add("&New tokens", self.new_tokens)
        rows["weights"] = grid.add("&Weights", self.weights)
        rows["kv_cache"] = grid.add("&KV cache", self.kv_cache)
        rows["attention"] = grid.add("&Attention", self.attention)
        rows["batch_size"] = grid.add("&Batch", self.batch)
        self.attention_note = rows["attention"].note
        return grid

    def _ask(self, lever: str, value: Any) -> None:
        ask(self._session, self, self._rows[lever], **{lever: value})

    def _on_pool_slid(self, position: int) -> None:
        most = self._session.choice.device.max_pool_bytes
        self._session.change(pool_bytes=min(position * _pool_step(most), most))

    def _on_cap_slid(self, position: int) -> None:
        self._session.change(token_cap=_cap_at(position))

    def refresh(self) -> None:
        """Show the session's levers."""
        choice, plan = self._session.choice, self._session.forecast
        levers, device = choice.levers, choice.device
        self._show_pool(device.pool_bytes(levers), device.max_pool_bytes)
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
        reasons, refused = unavailable(choice.spec, choice.levers), refused_values(choice.spec, choice.levers)
        for value in KV_CACHES:
            self.kv_cache.show_text(value, _GGUF_CACHES.get(value, value) if choice.spec.is_gguf else value)
        why = _QUANTIZED_V if choice.levers.attention not in ("auto", "flash") else "llama.cpp has no such cache"
        self.kv_cache.refuse(refused.get("kv_cache", ()), why)
        self.attention.refuse(refused.get("attention", ()), _QUANTIZED_V)
        notes = {"new_tokens": _PLANNED_WHOLE} if choice.spec.is_gguf and choice.levers.new_tokens else {}
        for lever in ("new_tokens", "weights", "kv_cache"):
            self._rows[lever].show(notes.get(lever, ""), unavailable=reasons.get(lever, ""))
        kernel = "" if plan is None else f"{plan.kernel.attention}: {plan.kernel.note}"
        self._rows["attention"].show(kernel)
        self._rows["batch_size"].show()
        self.attention_note.setEnabled(not self._session.stale)

    def _show_pool(self, pool_bytes: int, most: int) -> None:
        self.pool.show_value(format_bytes(pool_bytes))
        step = _pool_step(most)
        with QSignalBlocker(self.pool_slider):
            self.pool_slider.setRange(1, -(-most // step))
            self.pool_slider.setPageStep(max(GIB // step, 1))
            self.pool_slider.setValue(round(pool_bytes / step))
        self.pool_note.setText(f"at most {format_bytes(most)} ({format_bytes(DRIVER_MARGIN_BYTES, 0)} stays free)")

    def _show_cap(self, cap: int, most: int) -> None:
        self.cap.show_value(f"{cap:,}")
        with QSignalBlocker(self.cap_slider):
            self.cap_slider.setRange(0, _cap_position(most))
            self.cap_slider.setValue(_cap_position(cap))


def _pool_step(most: int) -> int:
    return 64 * MIB if most < 8 * GIB else 256 * MIB


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
