"""Activity: run passes, export, follow and stop the work, read its results and how the forecast was made."""

from html import escape
from pathlib import Path

from PySide6.QtCore import QSettings, Qt, Signal
from PySide6.QtWidgets import (
    QFileDialog,
    QHBoxLayout,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QTabWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from vramtuner.core.deploy.export import Flavour
from vramtuner.core.words import say
from vramtuner.gui.controls import make_label, scrolled
from vramtuner.gui.kept import KeptRuns
from vramtuner.gui.panels.export import ExportDialog
from vramtuner.gui.panels.notice import NoticeBar
from vramtuner.gui.panels.results import ResultsModel
from vramtuner.gui.panels.runs import RunsPanel
from vramtuner.gui.state import Session
from vramtuner.gui.tables import let_copy, make_table
from vramtuner.gui.theme import Theme
from vramtuner.gui.values import sentence

_FOLD = "activity/folded"
_NO_LIMIT = 16_777_215  # Qt's own, which PySide does not name


class ActivityPanel(QWidget):
    """Below the plots; ``folded`` says whether its tables are out of the way."""

    folded = Signal(bool)

    def __init__(self, session: Session, theme: Theme, kept: KeptRuns) -> None:
        super().__init__()
        self._session = session
        self._engine, self._flavour = "auto", Flavour()  # of the last export for an engine
        self._make_buttons()
        self.notice = NoticeBar(session)
        self._make_results(theme)
        self.runs = RunsPanel(session, kept)
        self.notes = make_label()
        self.notes.setTextFormat(Qt.TextFormat.RichText)
        self.tabs = QTabWidget()
        self.tabs.tabBar().setDrawBase(False)
        for named in (self.tabs, self.tabs.tabBar()):
            named.setAccessibleName(say("Activity"))
        self.tabs.addTab(self.results, say("Results"))
        self.tabs.addTab(self._notes_area(), say("Method and warnings"))
        self.tabs.addTab(self.runs, say("Runs"))
        self._make_fold()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addLayout(self._button_row())
        layout.addWidget(self.notice)
        layout.addWidget(self.tabs, 1)
        session.plan_changed.connect(self._refresh)
        session.run_changed.connect(self._refresh_run)
        self._refresh()

    def _make_fold(self) -> None:
        self.fold = QToolButton()
        self.fold.setCheckable(True)
        self.fold.setProperty("role", "icon")
        self.fold.setAccessibleName(say("Fold the tables"))
        self.fold.setToolTip(say("Leave the room to the plots"))
        self.fold.toggled.connect(self._on_folded)
        self.tabs.setCornerWidget(self.fold)
        self.tabs.tabBarClicked.connect(lambda index: self.fold.setChecked(False))
        self._on_folded(False)
        self.fold.setChecked(bool(QSettings().value(_FOLD, False, type=bool)))

    def _on_folded(self, on: bool) -> None:
        self.fold.setArrowType(Qt.ArrowType.UpArrow if on else Qt.ArrowType.DownArrow)
        self.tabs.setMaximumHeight(self.tabs.tabBar().sizeHint().height() if on else _NO_LIMIT)
        QSettings().setValue(_FOLD, on)
        self.folded.emit(on)

    def _make_buttons(self) -> None:
        self.profile = QPushButton(say("&Profile"))
        self.profile.setProperty("role", "primary")
        self.profile.clicked.connect(self._session.profile)
        self.confirm = QPushButton(say("Confirm limit"))
        self.confirm.clicked.connect(self._session.confirm)
        self.export = QPushButton(say("E&xport…"))
        self.export.clicked.connect(self.ask_where_to_export)
        self.cancel = QPushButton(say("&Cancel"))
        self.cancel.setToolTip(say("Stop the run (Esc)"))
        self.cancel.clicked.connect(self._session.cancel)
        self.progress = QProgressBar(minimum=0, maximum=1000)
        self.progress.setTextVisible(False)
        self.progress.setFixedHeight(8)
        self.progress.setAccessibleName(say("Progress"))
        self.stage = make_label(role="muted")

    def _button_row(self) -> QHBoxLayout:
        status = QVBoxLayout()
        status.setSpacing(3)
        status.addStretch(1)
        status.addWidget(self.stage)
        status.addWidget(self.progress)
        status.addStretch(1)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.profile)
        row.addWidget(self.confirm)
        row.addWidget(self.export)
        row.addLayout(status, 1)
        row.addWidget(self.cancel)
        return row

    def _make_results(self, theme: Theme) -> None:
        self.results = make_table(ResultsModel(self._session, theme), say("Results of passes"))
        let_copy(self.results)
        self.empty = make_label(say("No pass has been run yet."), "muted")
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        QVBoxLayout(self.results.viewport()).addWidget(self.empty)
        self._session.measurements_changed.connect(self.empty.hide)

    def _notes_area(self) -> QScrollArea:
        content = QWidget()
        layout = QVBoxLayout(content)
        layout.setContentsMargins(8, 6, 8, 6)
        layout.addWidget(self.notes)
        layout.addStretch(1)
        return scrolled(content)

    def ask_where_to_export(self) -> None:
        """Let the person choose a file and export to it."""
        name, _ = QFileDialog.getSaveFileName(
            self, say("Export the deployment file"), "deploy.env", say("Environment files (*.env)")
        )
        if name:
            self._session.export(Path(name))

    def ask_how_to_export(self) -> None:
        """Let the person choose an engine, what is written beside the file, and the file."""
        dialog = ExportDialog(self._session, self._engine, self._flavour, self)
        if dialog.exec() and dialog.path is not None:
            self._engine, self._flavour = dialog.engine.currentData(), dialog.flavour
            self._session.export(dialog.path, self._engine, self._flavour)

    def _refresh(self) -> None:
        plan = self._session.forecast
        if plan is not None:
            lines = [f"<b>!</b> {escape(warning)}" for warning in plan.warnings]
            lines.append(say("<b>Method:</b> {method}.", method=escape(plan.method)))
            lines.append(
                say(
                    "<b>Memory of {name}:</b> {source}.",
                    name=escape(plan.device.name),
                    source=escape(plan.device.source),
                )
            )
            self.notes.setText("<br>".join(lines))
            count = len(plan.warnings)
            title = say("Method and warnings ({count})", count=count) if count else say("Method")
            if title != self.tabs.tabText(1):
                self.tabs.setTabText(1, title)
        self._refresh_run()

    def _refresh_run(self) -> None:
        session, run = self._session, self._session.run
        self.profile.setEnabled(run is None and not session.profile_problem)
        self.confirm.setEnabled(run is None and not session.profile_problem)
        self.export.setEnabled(run is None and not session.export_problem)
        self.profile.setToolTip(
            session.profile_problem or say("Run real passes and compare them with the forecast (F5)")
        )
        self.confirm.setToolTip(
            session.profile_problem
            or say("Run the longest request that the pool itself holds, and one more (Shift+F5)")
        )
        self.export.setToolTip(session.export_problem or say("Validate these levers and write an env file (Ctrl+E)"))
        self.cancel.setVisible(run is not None)
        self.cancel.setEnabled(run is not None and not run.cancelling)
        self.progress.setVisible(run is not None)
        if run is None:
            problem = session.profile_problem
            self.stage.setText(sentence(problem) if problem else "")
            return
        self.stage.setText(run.text)
        # A stage without a known end moves back and forth.
        self.progress.setMaximum(1000 if run.fraction > 0 else 0)
        self.progress.setValue(round(run.fraction * 1000))
