"""The window: the panels in their places, the menus, and a clean end."""

from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QByteArray, QSettings, Qt
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QFileDialog, QFrame, QHBoxLayout, QMainWindow, QSplitter, QTabWidget, QVBoxLayout, QWidget

from vramtuner.core.device.roots import HERE, Roots
from vramtuner.core.errors import BadInputError
from vramtuner.gui.controls import UndoGivesWay, scrolled
from vramtuner.gui.opening import dropped_path
from vramtuner.gui.panels.activity import ActivityPanel
from vramtuner.gui.panels.devices import DevicesPanel
from vramtuner.gui.panels.forecast import ForecastPanel
from vramtuner.gui.panels.levers import LeversPanel
from vramtuner.gui.panels.live import LivePanel
from vramtuner.gui.panels.matrix import MatrixPanel
from vramtuner.gui.panels.setup import SetupPanel
from vramtuner.gui.panels.verdict import VerdictPanel
from vramtuner.gui.plots.copying import SAVE_FILTER, copy_csv, copy_png, copy_svg, save_plot
from vramtuner.gui.present_menu import PresentMenu
from vramtuner.gui.sessions import SessionKeeper
from vramtuner.gui.state import Session
from vramtuner.gui.theme import Scheme, Theme
from vramtuner.gui.values import Notice, sentence

_SIDE_WIDTH, _LEVERS_WIDTH = 264, 288
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
        self.keeper = SessionKeeper(session, self, roots)
        self.keeper.changed.connect(self._refresh)
        self._lay_out()
        self._make_menus()
        self.present_menu = PresentMenu(self, session, theme, roots)
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
        for named in (self.tabs, self.tabs.tabBar()):
            named.setAccessibleName("Plots")
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
        for panel, width in ((scrolled(self.setup), _SIDE_WIDTH), (centre, 0), (self.levers.column(), _LEVERS_WIDTH)):
            if width:
                panel.setFixedWidth(width)
            columns.addWidget(panel, 0 if width else 1)
        body = QWidget()
        layout = QVBoxLayout(body)
        layout.setContentsMargins(10, 10, 10, 10)
        layout.setSpacing(10)
        layout.addWidget(self.verdict)
        layout.addLayout(columns, 1)
        self.setCentralWidget(body)
        UndoGivesWay(self).watch(self)
        for child in self.findChildren(QWidget):
            child.setAcceptDrops(False)  # a file is for the window, wherever it is dropped
        self.setAcceptDrops(True)

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
        self.keeper.add_to(file)
        file.addActions([self.profile_action, self.confirm_action, self.export_action, self.cancel_action])
        file.addSeparator()
        file.addAction(quit_action)
        edit = self.menuBar().addMenu("&Edit")
        self.undo_action = self._action("&Undo", "Ctrl+Z", self.session.undo)
        self.redo_action = self._action("&Redo", "Ctrl+Shift+Z", self.session.redo)
        self.copy_action = self._action("Copy plot as P&NG", "Ctrl+Shift+C", self._copy_plot)
        edit.addActions([self.undo_action, self.redo_action])
        edit.addSeparator()
        self.copy_svg_action = self._action("Copy plot as S&VG", "Ctrl+Alt+C", self._copy_svg)
        self.copy_csv_action = self._action("Copy plot's values as &CSV", "Ctrl+Alt+V", self._copy_csv)
        self.save_plot_action = self._action("&Save plot…", "Ctrl+Alt+S", self._ask_where_to_save)
        edit.addActions([self.copy_action, self.copy_svg_action, self.copy_csv_action, self.save_plot_action])
        view = self.menuBar().addMenu("&View")
        for number, (name, tab) in enumerate(
            (("&Forecast", self.forecast), ("&Live", self.live), ("&Devices", self.devices)), start=1
        ):
            view.addAction(self._action(name, f"Ctrl+{number}", partial(self.tabs.setCurrentWidget, tab)))
        view.addAction(self._action("&Matrix", "Ctrl+5", partial(self.tabs.setCurrentWidget, self.matrix)))
        view.addSeparator()
        self.log_action = QAction(
            "Lo&garithmic token axis", self, checkable=True, checked=self.forecast.plot.axis.is_log
        )
        self.log_action.setShortcut(QKeySequence("Ctrl+L"))
        self.log_action.toggled.connect(self.forecast.plot.use_log_axis)
        self.forecast.plot.axis_changed.connect(self.log_action.setChecked)
        view.addAction(self.log_action)
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
        self.setWindowTitle(self.keeper.title())
        self.setWindowModified(self.keeper.modified)
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
        copy_png(self.tabs.currentWidget())

    def _copy_svg(self) -> None:
        copy_svg(self.tabs.currentWidget())

    def _copy_csv(self) -> None:
        try:
            copy_csv(self.tabs.currentWidget())
        except BadInputError as error:
            self.session.tell(Notice(sentence(error), is_error=False))

    def _ask_where_to_save(self) -> None:
        name, _ = QFileDialog.getSaveFileName(self, "Save the plot", "plot.svg", SAVE_FILTER)
        if name:
            self.save_plot(Path(name))

    def save_plot(self, path: Path) -> None:
        """Write the plot that is shown in the format that the name ends with, and say so."""
        try:
            save_plot(self.tabs.currentWidget(), path)
        except BadInputError as error:
            self.session.tell(Notice(sentence(error)))
        else:
            self.session.tell(Notice(f"Wrote {path}.", is_error=False))

    def dragEnterEvent(self, event: Any) -> None:
        if dropped_path(event.mimeData()) is not None:
            event.setDropAction(Qt.DropAction.CopyAction)
            event.accept()

    def dropEvent(self, event: Any) -> None:
        path = dropped_path(event.mimeData())
        if path is not None:
            event.setDropAction(Qt.DropAction.CopyAction)  # whoever moves a file deletes it afterwards
            event.accept()
            self.keeper.open_path(path)

    def closeEvent(self, event: Any) -> None:
        self.keeper.close()
        QSettings().setValue(_GEOMETRY, self.saveGeometry())
        self.present_menu.close()
        self.devices.close_watch()
        self.matrix.close_work()
        self.session.close()
        super().closeEvent(event)
