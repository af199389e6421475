"""The dialog that exports for an engine: what that engine makes of the plan, and what is written beside the file."""

from functools import partial
from pathlib import Path

from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QVBoxLayout,
    QWidget,
)

from vramtuner.core.deploy.engines import ENGINE_NAMES, ENGINES, Engine, EnginePlan, engine_of, engine_plan_at_hand
from vramtuner.core.deploy.export import Flavour
from vramtuner.core.deploy.fragments import FRAGMENTS, Fragment
from vramtuner.core.errors import AppError, BadInputError
from vramtuner.core.words import Labels, say
from vramtuner.gui.background import Background
from vramtuner.gui.controls import Picker, make_label
from vramtuner.gui.state import Session
from vramtuner.gui.values import sentence

_HOLDS: Labels[Engine] = Labels(
    {
        "transformers": "PyTorch's fraction and the guard hold pool and token cap. Passes come first if they can.",
        "vllm": "vLLM's own options hold token cap and pool. Not validated: vLLM is not run here.",
        "llama.cpp": "llama.cpp makes its buffers for the token cap. Not validated: llama.cpp is not run here.",
        "ollama": "Ollama keeps off what is not the pool. Not validated: Ollama is not run here.",
    }
)
_FRAGMENTS: Labels[Fragment] = Labels(
    {"systemd": "systemd drop-in", "compose": "compose file", "kubernetes": "Kubernetes pod"}
)
_WIDTH = 520


class ExportDialog(QDialog):
    """Asks how to export; ``engine``, ``flavour`` and ``path`` are the answer once it is accepted."""

    def __init__(
        self, session: Session, engine: str = "auto", flavour: Flavour | None = None, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._session = session
        self.flavour = flavour or Flavour()
        self.path: Path | None = None
        self._number = 0
        self._background = Background("engine plan", self)
        self.finished.connect(self._background.close)
        self.setWindowTitle(say("Export for an engine"))
        self._make_fields()
        self._lay_out()
        self.setMinimumWidth(_WIDTH)
        refusals = self._refusals()
        self.engine.refuse(refusals)
        wanted = "auto" if engine in refusals else engine
        self.take_engine(engine_of(wanted, session.choice.spec))

    def _make_fields(self) -> None:
        device = self._session.choice.device
        self.engine = Picker(say("Engine"), [(ENGINE_NAMES[name], name) for name in ENGINES], self.take_engine)
        self.verdict = make_label()
        self.holds = make_label(role="muted")
        self.over_cap = Picker(
            say("Over the cap"),
            [(say("whoever starts it decides"), ""), (say("refuse"), "refuse"), (say("truncate"), "truncate")],
            lambda value: None,
        )
        self.over_cap.setToolTip(say("What the guard does with a request above the token cap"))
        self.over_cap.show_value(self.flavour.over_cap)
        self.select = Picker(
            say("GPU named by"), [(say("its place"), "index"), (say("its unique id"), "uuid")], lambda value: None
        )
        self.select.show_value(self.flavour.select if device.uuid else "index")
        self.select.setEnabled(device.uuid is not None)
        self.select.setToolTip(
            say("With several cards the id names the same one wherever it is")
            if device.uuid
            else say("The device has no unique id, or is not in this machine")
        )
        self.fragments = {kind: QCheckBox(_FRAGMENTS[kind]) for kind in FRAGMENTS}
        for kind, box in self.fragments.items():
            box.setChecked(kind in self.flavour.fragments)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self.save = self.buttons.addButton(say("&Save as…"), QDialogButtonBox.ButtonRole.AcceptRole)
        self.save.setProperty("role", "primary")
        self.save.setDefault(True)
        self.buttons.accepted.connect(self.ask_where)
        self.buttons.rejected.connect(self.reject)

    def _lay_out(self) -> None:
        beside = QWidget()
        row = QHBoxLayout(beside)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(14)
        for box in self.fragments.values():
            row.addWidget(box)
        row.addStretch(1)
        form, head = QFormLayout(), QFormLayout()
        for part in (form, head):
            part.setHorizontalSpacing(14)
            part.setVerticalSpacing(10)
        head.addRow(say("&Engine"), self.engine)
        texts = QVBoxLayout()  # labels that wrap: a form would give them the height of its narrowest width
        texts.setSpacing(6)
        texts.addWidget(self.verdict)
        texts.addWidget(self.holds)
        form.addRow(say("&Over the cap"), self.over_cap)
        form.addRow(say("&GPU named by"), self.select)
        form.addRow(say("Beside the file"), beside)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 14, 16, 14)
        layout.setSpacing(14)
        layout.addLayout(head)
        layout.addLayout(texts)
        layout.addStretch(1)
        layout.addLayout(form)
        layout.addWidget(self.buttons)

    def _refusals(self) -> dict[str, str]:
        """Engines that do not run the model's files, each with why."""
        refused: dict[str, str] = {}
        for name in ENGINES:
            try:
                engine_of(name, self._session.choice.spec)
            except BadInputError as error:
                refused[name] = sentence(error)
        return refused

    def take_engine(self, engine: Engine) -> None:
        """Show what an engine makes of the plan; it is worked out behind the dialog."""
        self.engine.show_value(engine)
        self.holds.setText(_HOLDS[engine])
        self.over_cap.setEnabled(engine == "transformers")
        self.verdict.setText(say("Working out what it allocates…"))
        self._number += 1
        choice, number = self._session.choice, self._number
        self._background.start(
            partial(engine_plan_at_hand, engine, choice.spec, choice.device, choice.levers),
            partial(self._on_planned, number),
            partial(self._on_refused, number),
        )

    def _on_planned(self, number: int, plan: EnginePlan | None) -> None:
        if number != self._number:
            return
        missing = say("What it allocates is recorded first, when the file is written.")
        self.verdict.setText(plan.verdict if plan is not None else missing)
        self.verdict.setToolTip(sentence(plan.method) if plan is not None else "")
        if plan is not None and plan.notes:
            self.holds.setText("\n".join([self.holds.text(), *plan.notes]))
        self.save.setEnabled(True)

    def _on_refused(self, number: int, error: AppError) -> None:
        if number == self._number:
            self.verdict.setText(sentence(error))
            self.save.setEnabled(False)

    def ask_where(self) -> None:
        """Let the person choose a file; the dialog stays when none is chosen."""
        name, _ = QFileDialog.getSaveFileName(
            self, say("Export the deployment file"), "deploy.env", say("Environment files (*.env)")
        )
        if not name:
            return
        engine = self.engine.currentData()
        self.path = Path(name)
        self.flavour = Flavour(
            select=self.select.currentData(),
            over_cap=self.over_cap.currentData() if engine == "transformers" else "",
            fragments=tuple(kind for kind, box in self.fragments.items() if box.isChecked()),
        )
        self.accept()
