"""The matrix tab: the largest request of each model on each device, under the current levers."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from vramtuner.core import heat
from vramtuner.core.device.find import catalogue, local_devices
from vramtuner.core.device.roots import HERE, Roots
from vramtuner.core.device.spec import Device
from vramtuner.core.device.summary import Identity, identity
from vramtuner.core.errors import AppError, BadInputError
from vramtuner.core.lever_words import describe_change
from vramtuner.core.matrix import Cell, Gap, Grid, Question, Variant, matrix_of
from vramtuner.core.matrix_files import write_matrix
from vramtuner.core.matrix_text import levers_text, short_name
from vramtuner.core.model.find import PRESETS, load_preset
from vramtuner.core.model.spec import ModelSpec
from vramtuner.core.settings import Levers
from vramtuner.core.text import printable
from vramtuner.core.units import format_bytes
from vramtuner.core.words import mark, number, say
from vramtuner.gui.cells import CellWork
from vramtuner.gui.checklist import CheckList, Entry
from vramtuner.gui.controls import make_label
from vramtuner.gui.coupling import fitted
from vramtuner.gui.panels.matrix_table import MatrixTable
from vramtuner.gui.state import Session
from vramtuner.gui.theme import LIGHT, Theme
from vramtuner.gui.values import Choice, Notice, notice_of, sentence

SETTLE_MILLISECONDS = 250
"""How long the levers have to rest before cells are worked out."""
WELL_KNOWN = ("w7900", "r9700", "rx7900xtx", "w6800", "mi300x", "w6600")
_CARDS = 5
_KINDS = mark("CSV, every figure (*.csv);;Markdown (*.md);;HTML, one page (*.html)")
_MOST_KEPT = 20_000
Key = tuple[str, str, Device, Levers]
Place = tuple[int, int]


class MatrixPanel(QWidget):
    """A table of limits; nothing is worked out while it is hidden."""

    opened = Signal()
    """The plan of a cell was taken."""

    def __init__(self, session: Session, theme: Theme, roots: Roots = HERE) -> None:
        super().__init__()
        self._session, self._roots = session, roots
        self._specs: dict[str, tuple[ModelSpec, str]] = {}  # by source, each with its hash, which takes a while
        self._here: tuple[Device, ...] | None = None
        self._devices: dict[Identity, Device] = {}
        self._last_choice: Choice | None = None
        self._kept: dict[Key, Cell] = {}
        self._latest: dict[tuple[str, Identity], Cell] = {}
        self._places: list[tuple[Place, Question]] = []
        self._work = CellWork(self)
        self._work.answered.connect(self._on_answered)
        self._work.ended.connect(self._on_ended)
        self._settle = QTimer(self, singleShot=True, interval=SETTLE_MILLISECONDS)
        self._settle.timeout.connect(self._work_out)
        self._make_widgets(theme)
        self._lay_out()
        session.plan_changed.connect(self._on_plan_changed)
        session.run_changed.connect(self._on_run_changed)
        session.tapes_recorded.connect(self._on_recorded)

    # ---- its parts

    def _make_widgets(self, theme: Theme) -> None:
        self.models, self.devices = CheckList(say("Models")), CheckList(say("Devices"))
        for chosen in (self.models, self.devices):
            chosen.changed.connect(self._show_table)
        self.record = QPushButton(say("Record the missing ones"))
        self.record.clicked.connect(self._on_record)
        self.save = QPushButton(say("Save…"))
        self.save.setToolTip(say("Write the table as CSV, Markdown or HTML"))
        self.save.clicked.connect(self.ask_where_to_save)
        self.status = make_label(role="muted", wrap=False)
        self.status.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.table = MatrixTable(theme)
        self.table.asked_for.connect(self.open_cell)
        self.table.selectionModel().currentChanged.connect(self._show_detail)
        self.detail = make_label(role="muted")
        self.detail.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.detail.setFixedHeight(2 * self.detail.fontMetrics().lineSpacing() + 2)  # so that the table stays in place
        self.legend = _Legend(theme)

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.setSpacing(8)
        for widget, stretch in (
            (self.models, 0),
            (self.devices, 0),
            (self.status, 1),
            (self.record, 0),
            (self.save, 0),
        ):
            top.addWidget(widget, stretch)
        bottom = QHBoxLayout()
        bottom.setSpacing(12)
        bottom.addWidget(self.detail, 1)
        bottom.addWidget(self.legend, 0, Qt.AlignmentFlag.AlignTop)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 4)
        layout.setSpacing(6)
        layout.addLayout(top)
        layout.addWidget(self.table, 1)
        layout.addLayout(bottom)

    # ---- what it is about

    def show_devices(self, found: Sequence[Device]) -> None:
        """Follow what is in this machine."""
        self._here = tuple(found)
        if self.isVisible():
            self._show_entries()

    def showEvent(self, event: Any) -> None:
        super().showEvent(event)
        if self._here is None:
            self._here = local_devices(self._roots)
        if self._session.choice == self._last_choice:
            self._show_table()  # what was given up when it was hidden
        else:
            self._on_plan_changed()

    def hideEvent(self, event: Any) -> None:
        super().hideEvent(event)
        self._settle.stop()
        self._work.cancel()

    def _on_plan_changed(self) -> None:
        choice, was = self._session.choice, self._last_choice
        if not self.isVisible() or choice == was:
            return
        if was is None or was.spec is not choice.spec or was.device is not choice.device:
            self._show_entries()
        else:  # as while a slider moves
            self._last_choice = choice
            self._show_table()

    def _show_entries(self) -> None:
        """The lists, with the session's own model and device checked when they are new."""
        choice, was = self._session.choice, self._last_choice
        self._last_choice = choice
        models, devices = set(self.models.checked), set(self.devices.checked)
        if was is None:
            presets = [load_preset(name) for name in PRESETS]
            self._specs = {spec.source: (spec, spec.config_hash) for spec in presets}
            models |= set(self._specs)
            cards = [card for card in catalogue() if card.key in WELL_KNOWN and card.key != choice.device.key]
            cards.sort(key=lambda card: WELL_KNOWN.index(card.key))
            devices |= {identity(card) for card in cards[:_CARDS]}
        if was is None or was.spec is not choice.spec:
            self._specs[choice.spec.source] = (choice.spec, choice.spec.config_hash)
            models.add(choice.spec.source)
        if was is None or identity(was.device) != identity(choice.device):
            devices.add(identity(choice.device))
        here = {identity(device): device for device in self._here or ()}
        planned = {identity(device): device for device in catalogue()}
        self._devices = here | planned | {identity(choice.device): choice.device}
        self.models.show_entries([_model_entry(spec) for spec, _ in self._specs.values()], models)
        # What is checked comes first: of a hundred cards nobody looks for it.
        in_order = sorted(self._devices.items(), key=lambda item: (item[0] not in devices, not item[1].is_here))
        self.devices.show_entries([_device_entry(device) for _, device in in_order], devices)
        self._show_table()

    def _show_table(self) -> None:
        """The axes, with the cells that are known; the others when the levers rest."""
        specs = sorted(
            (entry for source, entry in self._specs.items() if source in self.models.checked),
            key=lambda entry: (entry[0].parameters or 2**62, entry[0].name),
        )
        devices = sorted(
            (device for key, device in self._devices.items() if key in self.devices.checked),
            key=lambda device: (device.vram_bytes, device.name, device.key),
        )
        self._work.cancel()
        self.table.cells.show_axes([spec for spec, _ in specs], devices)
        known: dict[Place, Cell] = {}
        stale: set[Place] = set()
        self._places = []
        for row, (spec, config_hash) in enumerate(specs):
            for column, device in enumerate(devices):
                question = self._question(spec, device)
                cell = self._kept.get((spec.source, config_hash, device, question.levers))
                if cell is None:
                    self._places.append(((row, column), question))
                    cell = self._latest.get((spec.source, identity(device)))
                    stale |= {(row, column)}
                if cell is not None:
                    known[row, column] = cell
        self.table.cells.show_cells(known, stale, self._place_of_plan())
        self._settle.start()
        self._refresh()

    def _question(self, spec: ModelSpec, device: Device) -> Question:
        levers = self._session.choice.levers
        try:
            return Question(spec, device, fitted(spec, device, levers))
        except BadInputError as error:
            return Question(spec, device, levers, problem=str(error))

    def _place_of_plan(self) -> Place | None:
        choice, table = self._session.choice, self.table.cells
        rows = [row for row, spec in enumerate(table.models) if spec.source == choice.spec.source]
        columns = [n for n, device in enumerate(table.devices) if identity(device) == identity(choice.device)]
        return (rows[0], columns[0]) if rows and columns else None

    # ---- the work

    def _work_out(self) -> None:
        if self._places and self.isVisible():
            self._work.start([question for _, question in self._places])
            self._refresh()

    def _on_answered(self, place: int, cell: Cell) -> None:
        (row, column), question = self._places[place]
        self._keep(question, cell)
        self.table.cells.show_cell(row, column, cell)
        self._refresh()

    def _keep(self, question: Question, cell: Cell) -> None:
        """Remember a cell for the next time; not one that may be another then."""
        spec, device = question.spec, question.device
        self._latest[spec.source, identity(device)] = cell
        passing = device.is_here or (isinstance(cell, Gap) and cell.is_missing)
        if not passing:
            if len(self._kept) >= _MOST_KEPT:
                self._kept.clear()
            self._kept[spec.source, self._specs[spec.source][1], device, question.levers] = cell

    def _on_ended(self) -> None:
        self._refresh()

    def _missing(self) -> list[Question]:
        cells = self.table.cells.cells
        return [question for place, question in self._places if _is_missing(cells.get(place))]

    def _on_record(self) -> None:
        run = self._session.run
        if run is not None and run.kind == "matrix":
            self._session.cancel()
        else:
            self._session.record_missing(self._missing())

    def _on_recorded(self, asked: Sequence[Question]) -> None:
        """Tapes have come, or why they cannot: in the cells that still ask for them."""
        found = {(q.spec.source, q.device, q.levers): q for q in asked}
        self._places = [
            (place, found.get((question.spec.source, question.device, question.levers), question))
            for place, question in self._places
        ]
        self._work_out()

    def _on_run_changed(self) -> None:
        if self.isVisible():
            if self._session.run is None and self._missing() and not self._work.busy:
                self._settle.start()  # the session may have recorded one of them for itself
            self._refresh()

    def close_work(self) -> None:
        """Stop, for good."""
        self._settle.stop()
        self._work.close()

    # ---- what it shows beside the table

    def _refresh(self) -> None:
        missing, run = len(self._missing()), self._session.run
        recording = run is not None and run.kind == "matrix"
        waiting = self._work.busy or self._settle.isActive()
        total = len(self.table.cells.models) * len(self.table.cells.devices)
        self.record.setVisible(recording or missing > 0)
        self.record.setText(say("Cancel recording") if recording else say("Record the missing ones"))
        self.record.setEnabled(not (run is not None and run.cancelling) if recording else run is None)
        self.record.setToolTip(
            say("Stop; what was recorded until then is kept")
            if recording
            else say("Record the passes of these models; some take minutes")
        )
        self.save.setEnabled(total > 0 and not waiting)
        if not total:
            text = say("Check a model and a device.")
        elif waiting:
            text = say("Working out {stale:,} of {total:,}…", stale=len(self.table.cells.stale), total=total)
        elif missing:
            text = say("{missing:,} of {total:,} not recorded yet", missing=missing, total=total)
        else:
            changed = _changed_text(self._session.choice.levers)
            text = say("Longest requests that fit, in tokens") + (
                say(", with {changed}", changed=changed) if changed else ""
            )
        self.status.setText(text)
        self.status.setToolTip(text)
        self._show_detail()

    def _show_detail(self) -> None:
        index = self.table.currentIndex()
        self.detail.setText(
            self.table.cells.sentence(index)
            if index.isValid()
            else say("Each cell is the largest request that fits, in tokens. Enter or a double click opens its plan.")
        )

    # ---- what a person asks for

    def open_cell(self, row: int, column: int) -> None:
        """Take the plan of a cell as one step."""
        spec, device = self.table.cells.models[row], self.table.cells.devices[column]
        try:
            self._session.open_choice(Choice(spec, device, self._question(spec, device).levers))
        except BadInputError as error:
            self._session.tell(notice_of(error))
            return
        self.opened.emit()

    def ask_where_to_save(self) -> None:
        """Let the person choose a file, and write the table to it."""
        name, kind = QFileDialog.getSaveFileName(self, say("Save the matrix"), "matrix.csv", say(_KINDS))
        if name:
            path = Path(name)
            self.save_to(path if path.suffix else path.with_suffix(kind.rpartition("*")[2].rstrip(")") or ".csv"))

    def save_to(self, path: Path) -> None:
        """Write the table as the file's suffix says; what came of it is told in the window."""
        table, levers = self.table.cells, self._session.choice.levers
        variant = Variant(levers_text(levers), levers)
        places = [(row, column) for row in range(len(table.models)) for column in range(len(table.devices))]
        cells = [table.cells.get(place, Gap(say("not worked out"))) for place in places]
        try:
            write_matrix(matrix_of(Grid(table.models, table.devices, (variant,)), cells), path)
        except AppError as error:
            self._session.tell(notice_of(error))
        except OSError as error:
            self._session.tell(
                Notice(
                    sentence(
                        say(
                            "{path} cannot be written: {strerror}; choose another folder",
                            path=path,
                            strerror=error.strerror,
                        )
                    )
                )
            )
        else:
            self._session.tell(Notice(say("Wrote {path}.", path=path), is_error=False))


def _is_missing(cell: Cell | None) -> bool:
    return isinstance(cell, Gap) and cell.is_missing


def _model_entry(spec: ModelSpec) -> Entry:
    return Entry(spec.source, printable(spec.name), printable(spec.source, 200))


def _device_entry(device: Device) -> Entry:
    index = f"{device.key}: " if device.kind == "gpu" else ""
    text = f"{index}{short_name(device)} · {format_bytes(device.vram_bytes, 0)}"
    return Entry(identity(device), text, f"{printable(device.name)}, {printable(device.source, 200)}")


class _Legend(QWidget):
    """The scale of the colours."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        text = say(
            "Scale of colours: {smallest:,} to {largest:,} tokens, each step a doubling",
            smallest=heat.SMALLEST,
            largest=heat.LARGEST,
        )
        self.setAccessibleName(text)
        self.setToolTip(text)
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        metrics = self.fontMetrics()
        return QSize(metrics.horizontalAdvance(_ends()[0] + _ends()[1]) + 12 * heat.LEVELS + 12, metrics.height() + 2)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: Any) -> None:
        colours, painter = self._theme.colours, QPainter(self)
        metrics, middle = self.fontMetrics(), self.height() // 2
        base = middle + (metrics.ascent() - metrics.descent()) // 2
        left = metrics.horizontalAdvance(_ends()[0]) + 6
        painter.setPen(QColor(colours.muted))
        painter.drawText(0, base, _ends()[0])
        painter.drawText(left + 12 * heat.LEVELS + 6, base, _ends()[1])
        for level, found in enumerate(heat.LIGHT if colours is LIGHT else heat.DARK):
            painter.fillRect(left + 12 * level, middle - 5, 12, 10, QColor(found.background))


def _changed_text(levers: Levers) -> str:
    """What of the levers is not as usual, for people."""
    return describe_change(Levers(), levers)


def _ends() -> tuple[str, str]:
    return number(heat.SMALLEST), number(heat.LARGEST)
