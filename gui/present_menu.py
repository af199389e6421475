"""The menu *Present*: present, add a step, edit the script."""

from collections.abc import Callable

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMainWindow

from vramtuner.core.device.roots import HERE, Roots
from vramtuner.core.errors import BadInputError
from vramtuner.core.words import say
from vramtuner.gui.panels.script import ScriptDialog
from vramtuner.gui.presenter import Presenter
from vramtuner.gui.scripting import with_choice
from vramtuner.gui.state import Session
from vramtuner.gui.theme import Theme
from vramtuner.gui.values import notice_of


class PresentMenu(QObject):
    """Adds itself to a window's menu bar; makes the presenter and the list of steps when they are asked for.

    Attributes
    ----------
    presenter
        While presenting; ``None`` else.
    dialog
        The list of steps; ``None`` until it is opened for the first time.
    """

    def __init__(self, window: QMainWindow, session: Session, theme: Theme, roots: Roots = HERE) -> None:
        super().__init__(window)
        self._window, self._session, self._theme, self._roots = window, session, theme, roots
        self.presenter: Presenter | None = None
        self.dialog: ScriptDialog | None = None
        self._reopen = False
        self.present_action = self._action(say("Present"), "F11", self.present)
        self.add_action = self._action(say("Add a step"), "F9", self.add_step)
        self.edit_action = self._action(say("Edit script…"), "Shift+F9", self.edit)
        menu = window.menuBar().addMenu(say("Present"))  # each of its letters is taken: F11
        menu.addActions([self.present_action, self.add_action, self.edit_action])

    def _action(self, text: str, keys: str, act: Callable[[], None]) -> QAction:
        action = QAction(text, self._window)
        action.setShortcut(QKeySequence(keys))
        action.setAutoRepeat(False)
        action.triggered.connect(lambda checked: act())
        return action

    def present(self) -> None:
        """Show the script, or the current plan, on the whole screen."""
        if self.presenter is None:
            self.presenter = Presenter(self._session, self._theme, self._roots, self._window)
            self.presenter.left.connect(self._on_left)
            self._reopen = self.dialog is not None and self.dialog.isVisible()
            if self.dialog is not None:
                self.dialog.hide()
            self._window.setUpdatesEnabled(False)  # nobody sees it, and painting it would keep the steps waiting
            self.presenter.begin()

    def add_step(self) -> None:
        """Add the current choice to the script, its caption to be typed over."""
        try:
            script = with_choice(self._session.script, self._session.choice, self._roots)
        except BadInputError as error:
            self._session.tell(notice_of(error))
            return
        self._session.set_script(script)
        self.edit()
        assert self.dialog is not None
        self.dialog.edit_caption(len(script.steps) - 1)

    def edit(self) -> None:
        """Open the list of steps."""
        if self.dialog is None:
            self.dialog = ScriptDialog(self._session, self._window)
            self.dialog.take_action(self.add_action)
            self.dialog.take_action(self.present_action)
        self.dialog.show()
        self.dialog.raise_()
        self.dialog.activateWindow()

    def close(self) -> None:
        """Leave the presenter and close the list, as the window does when it closes."""
        if self.presenter is not None:
            self._reopen = False
            self.presenter.close()
        if self.dialog is not None:
            self.dialog.close()

    def _on_left(self) -> None:
        self.presenter = None
        self._window.setUpdatesEnabled(True)
        self._window.activateWindow()
        if self._reopen:
            self.edit()
