"""The levers that are changed rarely, under one section of the levers panel."""

from typing import Any

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QCheckBox, QWidget

from vramtuner.core.errors import BadInputError
from vramtuner.core.provenance import CHECKPOINTING_NOTE, EVALUATION_NOTE
from vramtuner.core.settings import DTYPES, LOGITS, MAX_BEAMS
from vramtuner.core.tape.allocator import parse_options
from vramtuner.core.tape.llamacpp import DEFAULT_MICRO_BATCH, MAX_MICRO_BATCH
from vramtuner.core.units import format_bytes, format_tokens
from vramtuner.core.words import Labels, mark, number, say
from vramtuner.gui.controls import Count, Picker, TextField, TextPicker, make_label
from vramtuner.gui.coupling import DEFAULTS, GENERATING, idle, unavailable
from vramtuner.gui.i18n import read_tokens
from vramtuner.gui.panels.effects import ALLOCATORS, CHUNKS
from vramtuner.gui.panels.rows import Row, Rows, ask
from vramtuner.gui.state import Session

_LOGITS = Labels({"last": "last token only", "all": "every token"})
_WHOLE_PROMPT, _PLAIN = mark("whole prompt"), mark("default")
_LEVERS = (
    "beams", "prefill_chunk", "checkpointing", "logits", "dtype", "keep_modules", "allocator", "margin",
)  # fmt: skip
_NO_LLAMA_CPP = mark("llama.cpp has no counterpart of what is greyed.")


class MoreLevers(QWidget):
    """What a closed section hides; the levers panel has it refreshed."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self.rows: dict[str, Row] = {}
        self._make_request()
        self._make_pass()
        self._make_rest()
        self.grid = self._grid()
        self.setLayout(self.grid)

    @property
    def changed(self) -> int:
        """How many of these levers are not at their defaults."""
        levers = self._session.choice.levers
        return sum(getattr(levers, name) != getattr(DEFAULTS, name) for name in _LEVERS)

    def _make_request(self) -> None:
        self.beams = Count(say("Beams"), lambda value: self._ask("beams", value), minimum=1, maximum=MAX_BEAMS)
        self.beams.setToolTip(say("Beams of each request: every row of the batch is repeated once a beam"))
        self.chunk = TextPicker(
            say("Prefill chunk"), (say(_WHOLE_PROMPT), *(number(size) for size in CHUNKS)), self._apply_chunk
        )
        for row, size in enumerate((None, *CHUNKS)):
            self.chunk.setItemData(row, size)
        self.chunk.setToolTip(say("Prompt tokens a pass, such as 512 or 2k"))

    def _make_pass(self) -> None:
        self.checkpointing = QCheckBox(say("Gradient c&heckpointing"))
        self.checkpointing.toggled.connect(lambda on: self._ask("checkpointing", on))
        self.checkpointing.setToolTip(say("Compute activations again in the backward pass instead of keeping them"))

    def _make_rest(self) -> None:
        self.logits = Picker(say("Logits"), ((_LOGITS[v], v) for v in LOGITS), lambda value: self._ask("logits", value))
        self.logits.setToolTip(say("generate keeps the last token's logits only"))
        self.dtype = Picker(
            say("Data type"), ((v, v) for v in ("auto", *DTYPES)), lambda value: self._ask("dtype", value)
        )
        self.dtype.setToolTip(say("The type of weights and activations; auto is the checkpoint's own"))
        self.keep_modules = TextField(say("Keep modules"), self._apply_keep)
        self.keep_modules.setPlaceholderText("lm_head, …")
        self.keep_modules.setToolTip(say("Modules that stay unquantized, in place of the usual lm_head: name it too"))
        self.allocator = TextPicker(say("Allocator"), (say(_PLAIN), *ALLOCATORS[1:]), self._apply_allocator)
        for row, text in enumerate(ALLOCATORS):
            self.allocator.setItemData(row, text)
        self.allocator.setToolTip(say("PyTorch's allocator options, as in PYTORCH_ALLOC_CONF"))
        self.margin = Count(
            say("Safety margin"), lambda value: self._ask("margin", value / 100), maximum=100, suffix=" %"
        )
        self.margin.setToolTip(say("Kept free on top of everything that is not weights"))

    def _grid(self) -> Rows:
        grid, rows = Rows(), self.rows
        self.common_note = make_label(say(_NO_LLAMA_CPP), "muted")
        grid.add_line(self.common_note)
        rows["beams"] = grid.add(say("Beams"), self.beams)
        rows["prefill_chunk"] = grid.add(say("Prefill ch&unk"), self.chunk)
        rows["checkpointing"] = grid.add("", self.checkpointing)
        self.checkpointing_note = rows["checkpointing"].note
        rows["logits"] = grid.add(say("Lo&gits"), self.logits)
        rows["dtype"] = grid.add(say("Data t&ype"), self.dtype)
        rows["keep_modules"] = grid.add(say("Keep modules"), self.keep_modules, wide=True)
        rows["allocator"] = grid.add(say("Allocator"), self.allocator, wide=True)
        rows["margin"] = grid.add(say("Safety margin"), self.margin)
        return grid

    def _ask(self, lever: str, value: Any) -> None:
        ask(self._session, self, self.rows[lever], **{lever: value})

    def _apply_chunk(self, text: str) -> None:
        if text.strip().lower() in (say(_WHOLE_PROMPT).lower(), _micro_batch().lower(), say(_PLAIN).lower(), ""):
            self._session.change(prefill_chunk=None)
            return
        size = read_tokens(text)
        if self._session.choice.spec.is_gguf and size > MAX_MICRO_BATCH:
            raise BadInputError(
                say(
                    "the micro-batch must be at most {max_micro_batch:,} tokens, not {size:,}",
                    max_micro_batch=MAX_MICRO_BATCH,
                    size=size,
                )
            )
        self._session.change(prefill_chunk=size)

    def _apply_keep(self, text: str) -> None:
        names = (name.strip() for name in text.split(","))
        self._session.change(keep_modules=tuple(dict.fromkeys(name for name in names if name)))

    def _apply_allocator(self, text: str) -> None:
        options = "".join(text.split())
        if options == say(_PLAIN):
            options = ""
        parse_options(options)
        self._session.change(allocator=options)

    def refresh(self) -> None:
        """Show the session's levers."""
        choice = self._session.choice
        spec, levers = choice.spec, choice.levers
        self.beams.show_value(levers.beams)
        whole = _micro_batch() if spec.is_gguf else say(_WHOLE_PROMPT)
        if self.chunk.itemText(0) != whole:
            self.chunk.setItemText(0, whole)
        self.chunk.show_value(whole if levers.prefill_chunk is None else number(levers.prefill_chunk))
        with QSignalBlocker(self.checkpointing):
            self.checkpointing.setChecked(levers.checkpointing)
        self.logits.show_value(levers.logits)
        self.dtype.show_value(levers.dtype)
        self.dtype.show_text("auto", say("as in the file") if spec.is_gguf else say("auto ({dtype})", dtype=spec.dtype))
        self.keep_modules.show_value(", ".join(levers.keep_modules))
        self.allocator.show_value(levers.allocator or say(_PLAIN))
        self.margin.show_value(round(levers.margin * 100))
        self._show_what_goes_together()

    def _show_what_goes_together(self) -> None:
        choice, rows = self._session.choice, self.rows
        is_gguf = choice.spec.is_gguf
        reasons = unavailable(choice.spec, choice.levers)
        self.common_note.setVisible(is_gguf)
        rows["prefill_chunk"].rename(say("Micro-batch") if is_gguf else say("Prefill ch&unk"))
        notes = {"checkpointing": self._checkpointing_text()}
        useless = idle(choice.spec, choice.device, choice.levers)
        for lever in ("allocator", "prefill_chunk"):
            notes[lever] = useless.get(lever, "")
        for lever, row in rows.items():
            quiet, why = is_gguf or lever in GENERATING, reasons.get(lever, "")
            note = "" if is_gguf else notes.get(lever, "")
            row.show(note, unavailable=why, useless=useless.get(lever, ""), quiet=quiet)

    def _checkpointing_text(self) -> str:
        levers, plan = self._session.choice.levers, self._session.forecast
        if levers.pass_kind == "training":
            saved = self._session.checkpointing_saving()
            if saved is None or plan is None:
                return ""
            verb = "takes" if levers.checkpointing else say("would take")
            at = say("at {token_cap}, by the tapes with and without.", token_cap=format_tokens(plan.token_cap))
            if saved > 0:
                return say(
                    "Checkpointing {verb} {saved} off the peak {at}", verb=verb, saved=format_bytes(saved), at=at
                )
            return say("Checkpointing takes nothing off the peak {at}", at=at)
        if not levers.checkpointing:
            return ""
        return say(CHECKPOINTING_NOTE if levers.pass_kind == "inference" else EVALUATION_NOTE)


def _micro_batch() -> str:
    return say("default ({tokens})", tokens=DEFAULT_MICRO_BATCH)
