"""The session as a file: save it, open one, keep changes against a sudden end, and remember what was opened."""

import contextlib
import os
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence
from PySide6.QtWidgets import QFileDialog, QMenu, QWidget

from vramtuner.core.device.find import find_device
from vramtuner.core.device.roots import HERE, Roots
from vramtuner.core.device.summary import identity
from vramtuner.core.errors import AppError, BadInputError
from vramtuner.core.model.find import find_model, text_of_model
from vramtuner.core.model.spec import ModelSpec
from vramtuner.core.session import (
    SUFFIX,
    SavedPlan,
    SavedSession,
    new_session,
    read_session,
    save_plan,
    write_session,
)
from vramtuner.core.text import printable
from vramtuner.core.words import say
from vramtuner.gui.autosave import Leftover, autosave_folder, leftovers, own_file
from vramtuner.gui.opening import Opened, moved, opened_session
from vramtuner.gui.recent import Recent, RecentMenu
from vramtuner.gui.state import Session
from vramtuner.gui.unsaved import may_leave
from vramtuner.gui.values import Choice, Notice, NoticeAction, notice_of, sentence

AUTOSAVE_MS = 3000


class SessionKeeper(QObject):
    """Keeps a session in files, and offers what opens and saves it as actions.

    Attributes
    ----------
    path
        The file that saving writes; ``None`` until there is one.
    compared
        What the file holds beside the session's plan and its script; see `keep_compared`.
    """

    changed = Signal()
    """The file, or whether anything has changed since it was saved."""
    compared_changed = Signal()
    """Another session was opened, with other plans to compare."""
    closing = Signal()
    model_refused = Signal(object)
    """A model that was asked for cannot be used: the error."""

    def __init__(self, session: Session, window: QWidget | None = None, roots: Roots = HERE) -> None:
        super().__init__(window)
        self._session, self._window, self._roots = session, window, roots
        self.path: Path | None = None
        self.compared: tuple[SavedPlan, ...] = ()
        self.recent_models, self.recent_sessions = Recent("recent/models"), Recent("recent/sessions")
        self._folder = autosave_folder()
        self._own = own_file(self._folder)
        self._spec, self._model = session.choice.spec, _named(session.choice.spec)
        self._saved_as: tuple[Any, ...] | None = self._content
        self._kept_as: tuple[Any, ...] | None = self._content
        self._was_modified = self._offer_later = self._autosave_failed = self._closed = False
        self.autosave_timer = QTimer(self, singleShot=True, interval=AUTOSAVE_MS)
        self.autosave_timer.timeout.connect(self._autosave)
        self._make_actions()
        session.plan_changed.connect(self._on_plan_changed)
        session.script_changed.connect(self._note_change)
        session.notice_changed.connect(self._on_notice_changed)

    def _make_actions(self) -> None:
        self.open_action = self._action(say("Open &session…"), "Ctrl+Alt+O", self.ask_what_to_open)
        self.save_action = self._action(say("Sa&ve session"), "Ctrl+S", self.save)
        self.save_as_action = self._action(say("Save session &as…"), "Ctrl+Shift+S", self.ask_where_to_save)
        self.models_menu = RecentMenu(say("&Recent models"), self.recent_models, self.open_model, self._window)
        self.sessions_menu = RecentMenu(
            say("Recent sessio&ns"), self.recent_sessions, lambda name: self.open_session(Path(name)), self._window
        )

    def _action(self, text: str, shortcut: str, act: Any) -> QAction:
        action = QAction(text, self)
        action.setShortcut(QKeySequence(shortcut))
        action.triggered.connect(lambda checked: act())
        return action

    def add_to(self, menu: QMenu) -> None:
        """Put the actions and the lists of what was opened last into a menu."""
        for recent in (self.models_menu, self.sessions_menu):
            menu.aboutToShow.connect(recent.refresh)
        menu.addMenu(self.models_menu)
        menu.addSeparator()
        menu.addActions([self.open_action, self.save_action, self.save_as_action])
        menu.addMenu(self.sessions_menu)
        menu.addSeparator()

    # ---- what a person asks for

    def save(self) -> None:
        """Save to the session's file, or ask for one."""
        if self.path is None:
            self.ask_where_to_save()
        else:
            self.save_to(self.path)

    def ask_where_to_save(self) -> None:
        """Let the person choose a file and save to it."""
        suggested = self.path or Path(f"session{SUFFIX}")
        name, _ = QFileDialog.getSaveFileName(self._window, say("Save the session"), str(suggested), _filter())
        if not name:
            return
        path = Path(name)
        if not path.suffix:
            path = path.with_name(f"{path.name}{SUFFIX}")
            if path.exists():  # the dialog has asked about another name
                self._tell(
                    say(
                        "{path} exists already; choose it by its whole name to replace it",
                        path=printable(str(path), 400),
                    )
                )
                return
        self.save_to(path)

    def save_to(self, path: Path) -> None:
        """Write the session to a file, which is its file from now on; what goes wrong is told."""
        path = path.absolute()
        try:
            write_session(path, self._now())
        except BadInputError as error:
            self._tell(error)
            return
        self.path, self._saved_as = path, self._content
        self.recent_sessions.add(str(path))
        self._forget_own()
        self._note_change(always=True)

    def ask_what_to_open(self) -> None:
        """Let the person choose a session file and open it."""
        folder = str(self.path.parent) if self.path else ""
        name, _ = QFileDialog.getOpenFileName(self._window, say("Open a session"), folder, _filter())
        if name:
            self.open_session(Path(name))

    def may_leave(self) -> bool:
        """Ask where changes to the session's file would be lost; whether to go on."""
        return may_leave(self, self._window)

    def open_session(self, path: Path) -> None:
        """Open a session file as one step of undo; what is wrong with it is told, and then nothing changes."""
        try:
            saved = read_session(path)
        except BadInputError as error:
            self._tell(error)
            return
        if self.may_leave():
            self._show(saved, path.absolute())

    def open_model(self, text: str) -> None:
        """Open a preset, a folder or a file; what is wrong with it is said by whoever shows the model."""
        try:
            self._session.choose_model(text)
        except BadInputError as error:
            self.model_refused.emit(error)

    def open_path(self, path: Path) -> None:
        """Open whatever it is: a session by its suffix, else a model."""
        if path.suffix == SUFFIX:
            self.open_session(path)
        else:
            self.open_model(str(path))

    def open_named(self, model: str | None, device: str | None, file: str | None) -> None:
        """Open what another start of the program was given; model and device together are one step of undo."""
        if file is not None:
            self.open_path(Path(file))
        try:
            spec = None if model is None else find_model(model)
            found = None if device is None else find_device(device, self._roots)
            if spec is not None or found is not None:
                self._session.open_choice(moved(self._session.choice, spec, found))
        except BadInputError as error:
            self._tell(error)

    def keep_compared(self, compared: tuple[SavedPlan, ...]) -> None:
        """Keep other plans with the session."""
        self.compared = compared
        self._note_change()

    def adopt(self, opened: Opened, path: Path | None) -> None:
        """Go on with a session that the window shows now, and its file, if it has one; what is missing is told.

        Where its model or device is not there, the file is left as it is, and saving asks for another one.
        """
        self.path = path if opened.complete else None
        self.compared = opened.saved.compared
        self._session.set_script(opened.saved.script)
        self._saved_as = None if opened.problems or path is None else self._content_of(opened.choice)
        if path is not None:
            self.recent_sessions.add(str(path))
        if opened.problems:
            texts = [sentence(problem) for problem in opened.problems]
            if not opened.complete:
                texts.append(say("Saving asks for a new file."))
            self._session.tell(Notice(" ".join(texts)))
        elif self._session.notice is not None and self._session.notice.is_error:
            self._session.tell(None)
        self.compared_changed.emit()
        self._note_change(always=True)

    def close(self) -> None:
        """Stop, and leave nothing to recover, unless the desktop ends this window because it ends itself."""
        self._closed = True
        self.closing.emit()
        self.autosave_timer.stop()
        if self.ends_with_desktop and self.modified:
            self._autosave()
        else:
            self._forget_own()

    # ---- what others read

    @property
    def ends_with_desktop(self) -> bool:
        """Whether the window is closed because the desktop ends: no time for questions, and the changes are kept."""
        application = QGuiApplication.instance()
        return isinstance(application, QGuiApplication) and application.isSavingSession()

    @property
    def modified(self) -> bool:
        """Whether anything has changed since the session was saved, opened or begun."""
        return self._content != self._saved_as

    @property
    def is_document(self) -> bool:
        """Whether there is more in it than levers: a file, pinned plans or a script."""
        return self.path is not None or bool(self.compared) or bool(self._session.script.steps)

    def title(self) -> str:
        """The window's title; ``[*]`` is where Qt marks what is not saved."""
        choice = self._session.choice
        file = f"{_escaped(self.path.name)}[*] – " if self.path else ""
        mark = "" if self.path else "[*]"
        return say(
            "{file}{escaped} on {escaped2}{mark} – vramtuner",
            file=file,
            escaped=_escaped(choice.spec.name),
            escaped2=_escaped(choice.device.name),
            mark=mark,
        )

    # ---- recovery

    def offer_recovery(self) -> None:
        """Offer what another window left behind, where the session tells its notices; after the one shown now."""
        self._offer_later = self._session.notice is not None
        found = () if self._offer_later else leftovers(self._folder)
        if not found:
            return
        left = found[0]
        plan = left.saved.plan
        what = say(
            "{name} on {value}", name=printable(Path(plan.model).name), value=printable(plan.device_name or plan.device)
        )
        self._session.tell(
            Notice(
                say(
                    "A window ended before its changes were saved: {what}, {when}.",
                    what=what,
                    when=_when(left.saved.created),
                ),
                is_error=False,
                actions=(
                    NoticeAction(say("Re&cover"), partial(self._recover, left), say("Open them here; Undo goes back")),
                    NoticeAction(say("Discard"), partial(self._discard, left), say("Delete them for good")),
                ),
            )
        )

    def _recover(self, left: Leftover) -> None:
        self._session.tell(None)
        try:
            # Two windows may offer the same; whoever has the file has it, and keeps it until it is saved.
            os.utime(left.path)  # written before this process began, it would be taken for another's
            left.path.rename(self._own)
        except OSError as error:
            self._tell(
                say(
                    "these changes cannot be recovered: {strerror}; perhaps another window has them",
                    strerror=error.strerror,
                )
            )
            return
        origin = Path(left.saved.origin)
        self._show(left.saved, origin if origin.suffix == SUFFIX and origin.is_absolute() else None)
        self._saved_as = None
        self._note_change(always=True)
        self.offer_recovery()

    def _discard(self, left: Leftover) -> None:
        with contextlib.suppress(OSError):
            left.path.unlink(missing_ok=True)
        self._session.tell(None)
        self.offer_recovery()

    def _on_notice_changed(self) -> None:
        if self._offer_later and self._session.notice is None:
            self.offer_recovery()

    # ---- how it gets there

    @property
    def _content(self) -> tuple[Any, ...]:
        """What a file would hold.  Of the device its identity: an index that shifts is no change."""
        return self._content_of(self._session.own_choice)

    def _content_of(self, choice: Choice) -> tuple[Any, ...]:
        model = self._model if choice.spec is self._spec else _named(choice.spec)
        return model, identity(choice.device), choice.levers, self.compared, self._session.script

    def _now(self, origin: str = "") -> SavedSession:
        choice = self._session.own_choice
        plan = save_plan(choice.spec, choice.device, choice.levers)
        return new_session(plan, self.compared, self._session.script, origin)

    def _show(self, saved: SavedSession, path: Path | None) -> None:
        opened = opened_session(saved, self._session.choice, self._roots)
        try:
            self._session.open_choice(opened.choice)
        except BadInputError as error:
            self._tell(error)
        else:
            self.adopt(opened, path)

    def _on_plan_changed(self) -> None:
        spec = self._session.own_choice.spec
        if spec is not self._spec:
            self._spec, before, self._model = spec, self._model, _named(spec)
            if self._model != before:
                self.recent_models.add(self._model[0])
        self._note_change()

    def _note_change(self, *, always: bool = False) -> None:
        modified = self.modified
        if modified != self._was_modified or always:
            self._was_modified = modified
            self.changed.emit()
        if self._content != self._kept_as and not self.autosave_timer.isActive() and not self._closed:
            self.autosave_timer.start()

    def _autosave(self) -> None:
        self._kept_as = self._content
        if not self.modified:
            self._forget_own()
            return
        try:
            write_session(self._own, self._now(origin=str(self.path or "")), durable=False)
        except BadInputError as error:
            if not self._autosave_failed:
                self._tell(say("changes are not kept against a sudden end: {error}", error=error))
            self._autosave_failed = True

    def _forget_own(self) -> None:
        with contextlib.suppress(OSError):
            self._own.unlink(missing_ok=True)

    def _tell(self, problem: AppError | str) -> None:
        self._session.tell(notice_of(problem))


def _named(spec: ModelSpec) -> tuple[str, str]:
    """What a file says of a model."""
    return text_of_model(spec), spec.config_hash


def _escaped(name: str) -> str:
    """A name in a title, in which Qt looks for its mark."""
    return printable(name, 120).replace("[*]", "[*][*]")


def _when(created: str) -> str:
    try:
        return f"{datetime.fromisoformat(created):%Y-%m-%d %H:%M}"
    except ValueError:
        return printable(created, 40)


def _filter() -> str:
    return say("Sessions (*{suffix});;All files (*)", suffix=SUFFIX)
