"""The window: the panels in their places, the menus, and a clean end."""

from functools import partial
from typing import Any

from PySide6.QtCore import QByteArray, QSettings, Qt
from PySide6.QtGui import QAction, QActionGroup, QGuiApplication, QKeySequence
from PySide6.QtWidgets import QFrame, QHBoxLayout, QMainWindow, QSplitter, QTabWidget, QVBoxLayout, QWidget

from vramtuner.core.device.roots import HERE, Roots
from vramtuner.gui.controls import UndoGivesWay, scrolled
from vramtuner.gui.panels.activity import ActivityPanel
from vramtuner.gui.panels.devices import DevicesPanel
from vramtuner.gui.panels.forecast import ForecastPanel
from vramtuner.gui.panels.levers import LeversPanel
from vramtuner.gui.panels.live import LivePanel
from vramtuner.gui.panels.matrix import MatrixPanel
from vramtuner.gui.panels.setup import SetupPanel
from vramtuner.gui.panels.verdict import VerdictPanel
from vramtuner.gui.state import Session
from vramtuner.gui.theme import Scheme, Theme

_SIDE_WIDTH = 264
_GEOMETRY = "window/geometry"


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
        self.activity = ActivityPanel(session, theme)
        self._lay_out()
        self._make_menus()
        session.plan_changed.connect(self._refresh)
        session.run_changed.connect(self._on_run_changed)
        self.devices.watch.changed.connect(self._follow_devices)
        self.matrix.opened.connect(partial(self.tabs.setCurrentWidget, self.forecast))
        self._refresh()
        self.setup.model.setFocus()
        self.resize(1280, 720)
        geometry = QSettings().value(_GEOMETRY)
        if isinstance(geometry, QByteArray):
            self.restoreGeometry(geometry)

    def _lay_out(self) -> None:
        self.tabs = QTabWidget()
        self.tabs.addTab(self.forecast, "Fo&recast")
        self.tabs.addTab(self.live, "L&ive")
        self.tabs.addTab(self.devices, "Devices")  # each of its letters is taken: Ctrl+3
        self.tabs.addTab(self.matrix, "Matrix")  # Ctrl+5
        self.tabs.tabBar().setAccessibleName("Plots")
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
        centre.setSizes([400, 150])
        columns = QHBoxLayout()
        columns.setSpacing(10)
        for panel, stretch in ((scrolled(self.setup), 0), (centre, 1), (scrolled(self.levers), 0)):
            if not stretch:
                panel.setFixedWidth(_SIDE_WIDTH)
            columns.addWidget(panel, stretch)
        body = QWidget()
        layout = QVBoxLayout(body)
        layout.setContentsMargins(10, 10, 10, 10)
        layout.setSpacing(10)
        layout.addWidget(self.verdict)
        layout.addLayout(columns, 1)
        self.setCentralWidget(body)
        UndoGivesWay(self).watch(self)

    def _make_menus(self) -> None:
        key = QKeySequence.StandardKey
        file = self.menuBar().addMenu("&File")
        self.open_action = self._action("&Open model folder…", key.Open, self.setup.ask_for_folder)
        self.open_file_action = self._action("Open &model file…", "Ctrl+Shift+O", self.setup.ask_for_file)
        self.profile_action = self._action("&Profile", "F5", self.session.profile)
        self.confirm_action = self._action("Confirm &limit", "Shift+F5", self.session.confirm)
        self.export_action = self._action("&Export…", "Ctrl+E", self.activity.ask_where_to_export)
        self.cancel_action = self._action("&Cancel run", "Esc", self.session.cancel)
        quit_action = self._action("&Quit", "Ctrl+Q", self.close)
        file.addActions([self.open_action, self.open_file_action])
        file.addActions([self.profile_action, self.confirm_action, self.export_action, self.cancel_action])
        file.addSeparator()
        file.addAction(quit_action)
        edit = self.menuBar().addMenu("&Edit")
        self.undo_action = self._action("&Undo", "Ctrl+Z", self.session.undo)
        self.redo_action = self._action("&Redo", "Ctrl+Shift+Z", self.session.redo)
        self.copy_action = self._action("Copy plot as P&NG", "Ctrl+Shift+C", self._copy_plot)
        edit.addActions([self.undo_action, self.redo_action])
        edit.addSeparator()
        edit.addAction(self.copy_action)
        view = self.menuBar().addMenu("&View")
        for number, (name, tab) in enumerate(
            (("&Forecast", self.forecast), ("&Live", self.live), ("&Devices", self.devices)), start=1
        ):
            view.addAction(self._action(name, f"Ctrl+{number}", partial(self.tabs.setCurrentWidget, tab)))
        view.addAction(self._action("&Matrix", "Ctrl+5", partial(self.tabs.setCurrentWidget, self.matrix)))
        view.addSeparator()
        themes = view.addMenu("&Theme")
        group = QActionGroup(self)
        for scheme in Scheme:
            action = QAction(f"&{scheme.value}", group, checkable=True, checked=scheme is self._theme.scheme)
            action.triggered.connect(lambda _, chosen=scheme: self._theme.use(chosen))
            themes.addAction(action)

    def _action(self, text: str, shortcut: str | QKeySequence.StandardKey, act: Any) -> QAction:
        action = QAction(text, self)
        action.setShortcut(QKeySequence(shortcut))
        action.triggered.connect(lambda checked: act())  # `triggered` says whether it is checked
        return action

    def _refresh(self) -> None:
        choice = self.session.choice
        self.setWindowTitle(f"{choice.spec.name} on {choice.device.name} – vramtuner")
        self._refresh_actions()

    def _refresh_actions(self) -> None:
        session = self.session
        idle = session.run is None
        self.undo_action.setEnabled(session.can_undo)
        self.redo_action.setEnabled(session.can_redo)
        for action in (self.profile_action, self.confirm_action):
            action.setEnabled(idle and not session.profile_problem)
        self.export_action.setEnabled(idle and not session.export_problem)
        self.cancel_action.setEnabled(not idle)

    def _on_run_changed(self) -> None:
        run = self.session.run
        started = run is not None and not run.is_recording and not len(self.session.live)
        if started and run is not None and run.fraction == 0:
            self.tabs.setCurrentWidget(self.live)
        self._refresh_actions()

    def _follow_devices(self) -> None:
        found = self.devices.watch.found
        if found is not None:
            here = tuple(entry.device for entry in found.devices)
            self.setup.show_devices(here)
            self.matrix.show_devices(here)
            self.session.follow_devices(here)

    def _copy_plot(self) -> None:
        QGuiApplication.clipboard().setPixmap(self.tabs.currentWidget().grab())

    def closeEvent(self, event: Any) -> None:
        QSettings().setValue(_GEOMETRY, self.saveGeometry())
        self.devices.close_watch()
        self.matrix.close_work()
        self.session.close()
        super().closeEvent(event)
