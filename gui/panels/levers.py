"""Levers: everything a person can change about the deployment."""

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import QCheckBox, QGridLayout, QLabel, QSlider, QSpinBox, QVBoxLayout, QWidget

from vramtuner.core.device.spec import DRIVER_MARGIN_BYTES
from vramtuner.core.forecast import CHECKPOINTING_NOTE
from vramtuner.core.request import default_token_cap
from vramtuner.core.settings import ATTENTIONS, DTYPES, LOGITS, MAX_BATCH, WEIGHTS
from vramtuner.core.units import GIB, MIB, format_bytes, parse_bytes, parse_tokens
from vramtuner.gui.controls import Picker, TextField, card, make_label
from vramtuner.gui.state import Session

_CAP_STEPS_PER_OCTAVE = 32
_CAP_FIRST_OCTAVE = 4
_CAP_MOST_TOKENS = 2**20
_WEIGHTS = {
    "none": "as stored",
    "int8": "int8, 8 bits",
    "nf4": "nf4, 4 bits",
    "fp4": "fp4, 4 bits",
}
_LOGITS = {"last": "last token only", "all": "every token"}


class LeversPanel(QWidget):
    """The right column."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._make_pool()
        self._make_cap()
        self._make_pickers()
        self._make_switches()
        frame, layout = card(spacing=4)
        layout.addWidget(make_label("Levers", "title"))
        layout.addLayout(self._grid())
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(frame)
        outer.addStretch(1)
        session.plan_changed.connect(self._refresh)
        self._refresh()

    def _make_pool(self) -> None:
        self.pool = TextField("Pool", lambda text: self._session.change(pool_bytes=parse_bytes(text)))
        self.pool.setToolTip("The memory this process may take, such as 10GiB or 8.5 GiB")
        self.pool_slider = QSlider(Qt.Orientation.Horizontal)
        self.pool_slider.setAccessibleName("Pool, slider")
        self.pool_slider.valueChanged.connect(self._on_pool_slid)
        self.pool_note = make_label(role="muted")

    def _make_cap(self) -> None:
        self.cap = TextField("Token cap", lambda text: self._session.change(token_cap=parse_tokens(text)))
        self.cap.setToolTip("The hard ceiling of a request, prompt and new tokens together, such as 4096 or 8k")
        self.cap_slider = QSlider(Qt.Orientation.Horizontal)
        self.cap_slider.setAccessibleName("Token cap, slider")
        self.cap_slider.setPageStep(_CAP_STEPS_PER_OCTAVE)
        self.cap_slider.valueChanged.connect(self._on_cap_slid)

    def _make_pickers(self) -> None:
        change = self._session.change
        self.weights = Picker(
            "Weights", ((_WEIGHTS[value], value) for value in WEIGHTS), lambda value: change(weights=value)
        )
        self.weights.setToolTip("Quantize the weights with bitsandbytes; check the answers' quality")
        kernels = ("auto", *ATTENTIONS)
        self.attention = Picker("Attention", ((v, v) for v in kernels), lambda value: change(attention=value))
        self.attention.setToolTip("The attention kernel; auto is what PyTorch takes on this device")
        self.attention_note = make_label(role="muted")
        self.dtype = Picker("Data type", ((v, v) for v in ("auto", *DTYPES)), lambda value: change(dtype=value))
        self.dtype.setToolTip("The type of weights and activations; auto is the checkpoint's own")
        self.logits = Picker("Logits", ((_LOGITS[v], v) for v in LOGITS), lambda value: change(logits=value))
        self.logits.setToolTip("generate keeps the last token's logits only")

    def _make_switches(self) -> None:
        self.batch = QSpinBox(minimum=1, maximum=MAX_BATCH)
        self.batch.setAccessibleName("Batch")
        self.batch.setKeyboardTracking(False)
        self.batch.valueChanged.connect(lambda value: self._session.change(batch_size=value))
        self.batch.setToolTip("Requests that run together")
        self.margin = QSpinBox(minimum=0, maximum=100, suffix=" %")
        self.margin.setAccessibleName("Safety margin")
        self.margin.setKeyboardTracking(False)
        self.margin.valueChanged.connect(lambda value: self._session.change(margin=value / 100))
        self.margin.setToolTip("Kept free on top of everything that is not weights")
        self.checkpointing = QCheckBox("Gradient c&heckpointing")
        self.checkpointing.toggled.connect(lambda on: self._session.change(checkpointing=on))
        self.checkpointing.setToolTip(CHECKPOINTING_NOTE)
        self.checkpointing_note = make_label(CHECKPOINTING_NOTE, "muted")

    def _grid(self) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(10)
        grid.setVerticalSpacing(5)
        grid.setColumnStretch(1, 1)
        rows: list[tuple[str, QWidget] | QWidget] = [
            ("Poo&l", self.pool), self.pool.error, self.pool_slider, self.pool_note,
            ("&Token cap", self.cap), self.cap.error, self.cap_slider,
            ("&Batch", self.batch),
            ("&Weights", self.weights),
            ("&Attention", self.attention), self.attention_note,
            ("Data t&ype", self.dtype),
            ("Lo&gits", self.logits),
            ("Safety margi&n", self.margin),
            self.checkpointing, self.checkpointing_note,
        ]  # fmt: skip
        for row, entry in enumerate(rows):
            if isinstance(entry, QWidget):
                grid.addWidget(entry, row, 0, 1, 2)
                continue
            name, widget = entry
            label = QLabel(name)
            label.setBuddy(widget)
            grid.addWidget(label, row, 0)
            grid.addWidget(widget, row, 1)
        return grid

    def _on_pool_slid(self, position: int) -> None:
        most = self._session.choice.device.max_pool_bytes
        self._session.change(pool_bytes=min(position * _pool_step(most), most))

    def _on_cap_slid(self, position: int) -> None:
        self._session.change(token_cap=_cap_at(position))

    def _refresh(self) -> None:
        choice, plan = self._session.choice, self._session.forecast
        levers, device = choice.levers, choice.device
        self._show_pool(device.pool_bytes(levers), device.max_pool_bytes)
        most = _CAP_MOST_TOKENS if plan is None else min(plan.max_tokens, _CAP_MOST_TOKENS)
        self._show_cap(levers.token_cap or default_token_cap(choice.spec), most)
        self.weights.show_value(levers.weights)
        self.attention.show_value(levers.attention)
        self.attention_note.setEnabled(not self._session.stale)
        if plan is not None:
            self.attention_note.setText(f"{plan.kernel.attention}: {plan.kernel.note}")
        self.dtype.show_value(levers.dtype)
        if (text := f"auto ({choice.spec.dtype})") != self.dtype.itemText(0):
            self.dtype.setItemText(0, text)
        self.logits.show_value(levers.logits)
        for box, value in ((self.batch, levers.batch_size), (self.margin, round(levers.margin * 100))):
            # A spin box draws itself again even for the value that it has, and this runs while sliders move.
            if box.value() != value:
                with QSignalBlocker(box):
                    box.setValue(value)
        with QSignalBlocker(self.checkpointing):
            self.checkpointing.setChecked(levers.checkpointing)
        self.checkpointing_note.setVisible(levers.checkpointing)

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
