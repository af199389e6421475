"""The window: the panels in their places, the menus, and a clean end."""

from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QByteArray, QSettings, Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QMainWindow, QSplitter, QTabWidget, QVBoxLayout, QWidget

from vramtuner.core.device.roots import HERE, Roots
from vramtuner.core.errors import BadInputError
from vramtuner.core.words import say
from vramtuner.gui.comparing import Comparison
from vramtuner.gui.controls import FieldsGiveWay, scrolled
from vramtuner.gui.installer import checkout
from vramtuner.gui.kept import KeptRuns, OpenedRun
from vramtuner.gui.menus import Menus
from vramtuner.gui.opening import dropped_path, is_log
from vramtuner.gui.panels.activity import ActivityPanel
from vramtuner.gui.panels.compare import ComparePanel
from vramtuner.gui.panels.devices import DevicesPanel
from vramtuner.gui.panels.diagnose import DiagnosePanel
from vramtuner.gui.panels.forecast import ForecastPanel
from vramtuner.gui.panels.levers import LeversPanel
from vramtuner.gui.panels.live import LivePanel
from vramtuner.gui.panels.matrix import MatrixPanel
from vramtuner.gui.panels.setup import SetupPanel
from vramtuner.gui.panels.verdict import VerdictPanel
from vramtuner.gui.panels.welcome import WelcomeStrip
from vramtuner.gui.present_menu import PresentMenu
from vramtuner.gui.sessions import SessionKeeper
from vramtuner.gui.state import Session
from vramtuner.gui.theme import Theme
from vramtuner.gui.values import Choice, Notice, notice_of, sentence
from vramtuner.gui.welcome import Step

_SIDE_WIDTH, _LEVERS_WIDTH = 264, 288
_GEOMETRY = "window/geometry"
_UNFOLDED, _FOLDED = [400, 150], [10_000, 1]


class Window(QMainWindow):
    """Setup, verdict, plots, levers and activity over one session, which the window ends when it closes."""

    def __init__(self, session: Session, theme: Theme, roots: Roots = HERE) -> None:
        super().__init__()
        self.session, self._theme = session, theme
        self.setup = SetupPanel(session, roots)
        self.verdict = VerdictPanel(session, theme)
        self.levers = LeversPanel(session)
        self.forecast = ForecastPanel(session, theme)
        self.live = LivePanel(session, theme)
        self.devices = DevicesPanel(session, theme, roots)
        self.matrix = MatrixPanel(session, theme, roots)
        self.diagnose = DiagnosePanel(session, theme)
        self.diagnose.device_asked.connect(self.setup.choose_device)
        self.comparison, self.kept = Comparison(self), KeptRuns(self)
        self.compare = ComparePanel(session, theme, self.comparison)
        self.activity = ActivityPanel(session, theme, self.kept)
        self.keeper = SessionKeeper(session, self, roots)
        self.keeper.changed.connect(self._refresh)
        self.keeper.model_refused.connect(self.setup.show_model_error)
        self.welcome = WelcomeStrip(session, lambda: self.setup.gpus, checkout())
        self.welcome.asked.connect(self._take_step)
        self.setup.device_picked.connect(self.welcome.note_card)
        self.levers.effects.watch("pass_kind", *self.setup.pass_row.widgets)
        self._lay_out()
        self.menus = Menus(self, theme)
        self.present_menu = PresentMenu(self, session, theme, roots)
        session.plan_changed.connect(self._refresh)
        session.run_changed.connect(self._on_run_changed)
        self.devices.watch.changed.connect(self._follow_devices)
        self.setup.looking.connect(self.devices.watch.refresh)
        self.matrix.opened.connect(partial(self.tabs.setCurrentWidget, self.forecast))
        self._connect_comparison()
        self._refresh()
        self.setup.model.setFocus()
        self.resize(1280, 720)
        geometry = QSettings().value(_GEOMETRY)
        if isinstance(geometry, QByteArray):
            self.restoreGeometry(geometry)

    def _lay_out(self) -> None:
        self.tabs = QTabWidget()
        self.tabs.addTab(self.forecast, say("Fo&recast"))
        self.tabs.addTab(self.live, say("L&ive"))
        self.tabs.addTab(self.devices, say("Devices"))  # each of its letters is taken: Ctrl+3
        self.tabs.addTab(self.compare, say("Compare"))  # Ctrl+4
        self.tabs.addTab(self.matrix, say("Matrix"))  # Ctrl+5
        self.tabs.addTab(self.diagnose, say("Diagnose"))  # Ctrl+6
        for named in (self.tabs, self.tabs.tabBar()):
            named.setAccessibleName(say("Plots"))
        self.tabs.tabBar().setDrawBase(False)
        plots = QFrame()
        plots.setProperty("role", "card")
        inner = QVBoxLayout(plots)
        inner.setContentsMargins(1, 4, 1, 4)
        inner.addWidget(self.tabs)
        centre = QSplitter(Qt.Orientation.Vertical)
        centre.setChildrenCollapsible(False)
        centre.addWidget(plots)
        centre.addWidget(self.activity)
        centre.setStretchFactor(0, 3)
        centre.setStretchFactor(1, 1)
        centre.setSizes(_UNFOLDED)
        self.activity.folded.connect(lambda on: centre.setSizes(_FOLDED if on else _UNFOLDED))
        columns = QHBoxLayout()
        columns.setSpacing(10)
        side = max(_SIDE_WIDTH, self.setup.minimumSizeHint().width())  # some languages need more
        for panel, width in ((scrolled(self.setup), side), (centre, 0), (self.levers.column(), _LEVERS_WIDTH)):
            if width:
                panel.setFixedWidth(width)
            columns.addWidget(panel, 0 if width else 1)
        body = QWidget()
        layout = QVBoxLayout(body)
        layout.setContentsMargins(10, 10, 10, 10)
        layout.setSpacing(10)
        layout.addWidget(self.verdict)
        layout.addWidget(self.welcome)
        layout.addLayout(columns, 1)
        self.setCentralWidget(body)
        FieldsGiveWay(self).watch(self)
        for child in self.findChildren(QWidget):
            child.setAcceptDrops(False)  # a file is for the window, wherever it is dropped
        self.setAcceptDrops(True)

    def _refresh(self) -> None:
        self.setWindowTitle(self.keeper.title())
        self.setWindowModified(self.keeper.modified)

    def _on_run_changed(self) -> None:
        run = self.session.run
        started = run is not None and not run.is_recording and not len(self.session.live)
        if started and run is not None and run.fraction == 0:
            self.tabs.setCurrentWidget(self.live)

    def _connect_comparison(self) -> None:
        self.kept.opened.connect(self._on_run_opened)
        self.kept.read.connect(self.comparison.add_run)
        self.kept.read.connect(lambda run: self.tabs.setCurrentWidget(self.compare))
        self.kept.told.connect(lambda text, bad: self.session.tell(Notice(sentence(text), is_error=bad)))
        self.comparison.told.connect(lambda text: self.session.tell(Notice(text, is_error=False)))
        self.comparison.changed.connect(self._keep_compared)
        self.keeper.compared_changed.connect(lambda: self.comparison.restore(self.keeper.compared))
        self.compare.wanted.connect(self._open_pinned)

    def _keep_compared(self) -> None:
        if self.comparison.saved() != self.keeper.compared:
            self.keeper.keep_compared(self.comparison.saved())

    def _on_run_opened(self, opened: OpenedRun) -> None:
        self.session.show_run(opened.series, opened.measurements)
        self.tabs.setCurrentWidget(self.live)

    def _open_pinned(self, choice: Choice) -> None:
        try:
            self.session.open_choice(choice)
        except BadInputError as error:
            self.session.tell(notice_of(error))

    def _follow_devices(self) -> None:
        found = self.devices.watch.found
        if found is not None:
            here = tuple(entry.device for entry in found.devices)
            self.setup.show_devices(here)
            self.matrix.show_devices(here)
            self.session.follow_devices(here)

    def _take_step(self, step: Step) -> None:
        """What the strip of the first starts offers."""
        match step:
            case Step.OPEN_MODEL:
                self.setup.ask_for_folder()
            case Step.CHOOSE_CARD:
                self.setup.device.search()
            case Step.RUN_HERE:
                self.setup.choose_device("auto")
            case Step.PROFILE:
                self.session.profile()
            case Step.EXPORT:
                self.activity.ask_where_to_export()

    def dragEnterEvent(self, event: Any) -> None:
        if dropped_path(event.mimeData()) is not None:
            event.setDropAction(Qt.DropAction.CopyAction)
            event.accept()

    def dropEvent(self, event: Any) -> None:
        path = dropped_path(event.mimeData())
        if path is not None:
            event.setDropAction(Qt.DropAction.CopyAction)  # whoever moves a file deletes it afterwards
            event.accept()
            self._open_dropped(path)

    def _open_dropped(self, path: Path) -> None:
        if is_log(path):
            self.tabs.setCurrentWidget(self.diagnose)
            self.diagnose.take_file(path)
        else:
            self.keeper.open_path(path)

    def closeEvent(self, event: Any) -> None:
        if not self.keeper.ends_with_desktop and not self.keeper.may_leave():
            event.ignore()
            return
        self.keeper.close()
        QSettings().setValue(_GEOMETRY, self.saveGeometry())
        self.present_menu.close()
        self.compare.close_work()
        for part in (self.comparison, self.kept):
            part.close()
        self.welcome.close_work()
        self.devices.close_watch()
        self.matrix.close_work()
        self.diagnose.close_work()
        self.session.close()
        super().closeEvent(event)
