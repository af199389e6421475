"""The menus, and what of them can be used now."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QFileDialog, QInputDialog, QMenu

from vramtuner.core.errors import BadInputError
from vramtuner.core.validation import validation_lengths
from vramtuner.core.words import say
from vramtuner.gui import calibrating
from vramtuner.gui.i18n import LANGUAGE_NAMES, Language, choose_language, chosen_language, read_tokens
from vramtuner.gui.plots.copying import SAVE_FILTER, copy_csv, copy_png, copy_svg, save_plot
from vramtuner.gui.theme import SCHEME_NAMES, Scheme, Theme
from vramtuner.gui.values import Notice, notice_of, sentence

if TYPE_CHECKING:
    from vramtuner.gui.window import Window


class Menus(QObject):
    """Adds itself to a window's menu bar."""

    def __init__(self, window: "Window", theme: Theme) -> None:
        super().__init__(window)
        self._window, self._session = window, window.session
        self._make_file_menu()
        self._make_edit_menu()
        self._make_run_menu()
        self._make_view_menu(theme)
        for signal in (self._session.plan_changed, self._session.run_changed, self._session.measurements_changed):
            signal.connect(self.refresh)
        self.refresh()

    def _make_file_menu(self) -> None:
        window, file = self._window, self._window.menuBar().addMenu(say("&File"))
        self.open_action = self._action(say("&Open model folder…"), "Ctrl+O", window.setup.ask_for_folder)
        self.open_file_action = self._action(say("Open &model file…"), "Ctrl+Shift+O", window.setup.ask_for_file)
        file.addActions([self.open_action, self.open_file_action])
        window.keeper.add_to(file)
        file.addAction(self._action(say("&Quit"), "Ctrl+Q", window.close))

    def _make_edit_menu(self) -> None:
        edit = self._window.menuBar().addMenu(say("&Edit"))
        self.undo_action = self._action(say("&Undo"), "Ctrl+Z", self._session.undo)
        self.redo_action = self._action(say("&Redo"), "Ctrl+Shift+Z", self._session.redo)
        self.copy_action = self._action(say("Copy plot as P&NG"), "Ctrl+Shift+C", self._copy_png)
        self.copy_svg_action = self._action(say("Copy plot as S&VG"), "Ctrl+Alt+C", self._copy_svg)
        self.copy_csv_action = self._action(say("Copy plot's v&alues as CSV"), "Ctrl+Alt+V", self._copy_csv)
        self.save_plot_action = self._action(say("&Save plot…"), "Ctrl+Alt+S", self._ask_where_to_save)
        self.pin_action = self._action(say("&Pin this plan to compare"), "Ctrl+D", self._pin)
        edit.addActions([self.undo_action, self.redo_action])
        edit.addSeparator()
        edit.addAction(self.pin_action)
        edit.addSeparator()
        edit.addActions([self.copy_action, self.copy_svg_action, self.copy_csv_action, self.save_plot_action])

    def _make_run_menu(self) -> None:
        session, run = self._session, self._window.menuBar().addMenu(say("Run"))  # each of its letters is taken
        self.profile_action = self._action(say("&Profile"), "F5", session.profile)
        self.confirm_action = self._action(say("Confirm &limit"), "Shift+F5", session.confirm)
        self.calibrate_action = self._action(
            say("Cali&brate by these passes"), "", partial(calibrating.calibrate, session)
        )
        self.forget_action = self._action(say("&Forget the calibration"), "", partial(calibrating.forget, session))
        self.lengths_action = self._action(say("&Validation lengths…"), "", self._ask_lengths)
        self.export_action = self._action(say("&Export…"), "Ctrl+E", self._window.activity.ask_where_to_export)
        self.engine_action = self._action(
            say("Export for an en&gine…"), "Ctrl+Shift+E", self._window.activity.ask_how_to_export
        )
        self.cancel_action = self._action(say("&Cancel run"), "Esc", session.cancel)
        run.addActions([self.profile_action, self.confirm_action])
        run.addSeparator()
        run.addActions([self.calibrate_action, self.forget_action])
        run.addSeparator()
        run.addActions([self.lengths_action, self.export_action, self.engine_action])
        run.addSeparator()
        run.addAction(self.cancel_action)

    def _make_view_menu(self, theme: Theme) -> None:
        window, view = self._window, self._window.menuBar().addMenu(say("&View"))
        for number, (name, tab) in enumerate(
            (
                (say("&Forecast"), window.forecast),
                (say("&Live"), window.live),
                (say("&Devices"), window.devices),
                (say("&Compare"), window.compare),
                (say("&Matrix"), window.matrix),
                (say("D&iagnose"), window.diagnose),
            ),
            start=1,
        ):
            view.addAction(self._action(name, f"Ctrl+{number}", partial(window.tabs.setCurrentWidget, tab)))
        view.addSeparator()
        plot = window.forecast.plot
        self.log_action = QAction(say("Lo&garithmic token axis"), window, checkable=True, checked=plot.axis.is_log)
        self.log_action.setShortcut(QKeySequence("Ctrl+L"))
        self.log_action.toggled.connect(plot.use_log_axis)
        plot.axis_changed.connect(self.log_action.setChecked)
        view.addAction(self.log_action)
        view.addAction(self._action(say("&Next step"), "", window.welcome.show_again))
        view.addSeparator()
        themes, group = view.addMenu(say("&Theme")), QActionGroup(self)
        for scheme in Scheme:
            action = QAction(SCHEME_NAMES[scheme], group, checkable=True, checked=scheme is theme.scheme)
            action.triggered.connect(lambda _, chosen=scheme: theme.use(chosen))
            themes.addAction(action)
        self._make_language_menu(view.addMenu(say("L&anguage, from the next start")))

    def _make_language_menu(self, menu: QMenu) -> None:
        group, now = QActionGroup(self), chosen_language()
        for language in Language:
            action = QAction(LANGUAGE_NAMES[language], group, checkable=True, checked=language is now)
            action.triggered.connect(lambda _, chosen=language: self.use_language(chosen))
            menu.addAction(action)

    def use_language(self, language: Language) -> None:
        """Take a language from the next start on, and say so; what is on the window by now stays in its own."""
        choose_language(language)
        self._session.tell(Notice(say("The language changes when vramtuner is started again."), is_error=False))

    def _action(self, text: str, shortcut: str, act: Callable[[], object]) -> QAction:
        action = QAction(text, self._window)
        if shortcut:
            action.setShortcut(QKeySequence(shortcut))
        action.triggered.connect(lambda checked: act())  # `triggered` says whether it is checked
        return action

    def refresh(self) -> None:
        """Have enabled what can be done now."""
        session = self._session
        idle = session.run is None
        self.undo_action.setEnabled(session.can_undo)
        self.redo_action.setEnabled(session.can_redo)
        for action in (self.profile_action, self.confirm_action):
            action.setEnabled(idle and not session.profile_problem)
        plan = None if session.stale else session.forecast
        self.calibrate_action.setEnabled(idle and len(calibrating.calibratable(session)) > 0 and plan is not None)
        self.forget_action.setEnabled(idle and plan is not None and plan.calibration is not None)
        for action in (self.export_action, self.engine_action):
            action.setEnabled(idle and not session.export_problem)
        self.cancel_action.setEnabled(not idle)

    # ---- what they do

    def _pin(self) -> None:
        self._window.compare.pin_current()
        self._window.tabs.setCurrentWidget(self._window.compare)

    def _copy_png(self) -> None:
        copy_png(self._window.tabs.currentWidget())

    def _copy_svg(self) -> None:
        copy_svg(self._window.tabs.currentWidget())

    def _copy_csv(self) -> None:
        try:
            copy_csv(self._window.tabs.currentWidget())
        except BadInputError as error:
            self._session.tell(Notice(sentence(error), is_error=False))

    def _ask_where_to_save(self) -> None:
        name, _ = QFileDialog.getSaveFileName(self._window, say("Save the plot"), "plot.svg", say(SAVE_FILTER))
        if name:
            self.save_plot(Path(name))

    def save_plot(self, path: Path) -> None:
        """Write the plot that is shown in the format that the name ends with, and say so."""
        try:
            save_plot(self._window.tabs.currentWidget(), path)
        except BadInputError as error:
            self._session.tell(notice_of(error))
        else:
            self._session.tell(Notice(say("Wrote {path}.", path=path), is_error=False))

    def _ask_lengths(self) -> None:
        shown = ", ".join(f"{length}" for length in self._session.also_validate)
        what = say(
            "An export runs half the token cap, all of it and 1.5 × the cap.\nAlso, in tokens (for example 1k, 3k):"
        )
        text, accepted = QInputDialog.getText(self._window, say("Validation lengths"), what, text=shown)
        if accepted:
            self.use_lengths(text)

    def use_lengths(self, text: str) -> None:
        """Validate at these lengths too, as they are typed; what is wrong with them is told, and changes nothing."""
        try:
            lengths = tuple(read_tokens(part) for part in text.replace(" ", "").split(",") if part)
            validation_lengths(1, lengths)
        except BadInputError as error:
            self._session.tell(Notice(sentence(error)))
            return
        self._session.also_validate = lengths
