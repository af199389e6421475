"""The strip of the first starts: what works now, and one button for the next step."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from vramtuner.core.device.spec import Device
from vramtuner.core.device.summary import Identity, identity
from vramtuner.core.words import say
from vramtuner.gui import welcome
from vramtuner.gui.controls import make_label
from vramtuner.gui.installer import Installer, install_command
from vramtuner.gui.state import Session
from vramtuner.gui.values import Notice, sentence
from vramtuner.gui.welcome import Situation, Step, Welcome, next_step


class WelcomeStrip(QFrame):
    """Hidden until `begin`, and again when it is dismissed or a pass has been run.

    Parameters
    ----------
    gpus
        The GPUs of this machine as they are known now.
    root
        The checkout that PyTorch can be installed into; ``None`` where it is not for the window to do.
    """

    asked = Signal(object)
    """The step that a person wants to take, but for those that the strip takes itself."""

    def __init__(self, session: Session, gpus: Callable[[], tuple[Device, ...]], root: Path | None) -> None:
        super().__init__()
        self._session, self._gpus = session, gpus
        self._first: Identity = identity(session.choice.device)
        self._card_chosen = self._wanted = False
        self.welcome: Welcome | None = None
        self.installer = Installer(root, self)
        self.setProperty("role", "news")
        self.setAccessibleName(say("What comes next"))
        self.text = make_label()
        self.text.setAccessibleName(say("What works now"))
        self.command = QLineEdit()
        self.command.setReadOnly(True)
        self.command.setAccessibleName(say("Command that installs PyTorch"))
        self.button = QPushButton()
        self.button.setProperty("role", "primary")
        self.button.clicked.connect(self._on_clicked)
        self.progress = QProgressBar(minimum=0, maximum=0)  # pip does not say how much is to come
        self.progress.setTextVisible(False)
        self.progress.setFixedSize(160, 8)
        self.progress.setAccessibleName(say("Progress of the installation"))
        self.cancel = QPushButton(say("Cancel"))
        self.cancel.setAccessibleName(say("Cancel the installation"))
        self.cancel.clicked.connect(self.installer.cancel)
        self.close_button = QToolButton()
        self.close_button.setText("✕")
        self.close_button.setAutoRaise(True)
        self.close_button.setAccessibleName(say("Dismiss what comes next, for good"))
        self.close_button.setToolTip(say("Do not show this again (View → Next step brings it back)"))
        self.close_button.clicked.connect(self.dismiss)
        self._lay_out()
        self.hide()
        session.plan_changed.connect(self.refresh)
        session.measurements_changed.connect(self._on_measured)
        self.installer.changed.connect(self.refresh)
        self.installer.done.connect(self._on_installed)

    def _lay_out(self) -> None:
        layout = QHBoxLayout(self)
        layout.setContentsMargins(10, 6, 6, 6)
        layout.setSpacing(8)
        layout.addWidget(self.text, 1)
        parts: tuple[QWidget, ...] = (self.command, self.button, self.progress, self.cancel, self.close_button)
        for part in parts:
            layout.addWidget(part)
        self.command.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    # ---- whether it is there

    def begin(self, *, card_chosen: bool = False) -> None:
        """Show it if this is one of the first starts and nobody has dismissed it."""
        self._card_chosen = card_chosen
        if welcome.begin_start():
            self.show_again()

    def show_again(self) -> None:
        """Show it, whatever was said before."""
        self._wanted = True
        self.refresh()

    def dismiss(self) -> None:
        """Hide it, at later starts too; an installation goes on."""
        welcome.dismiss()
        self._wanted = False
        self.refresh()

    def note_card(self) -> None:
        """A person has chosen a device."""
        self._card_chosen = True
        self.refresh()

    def close_work(self) -> None:
        """End the installation as far as it can be ended; for good."""
        self.installer.close()

    # ---- what it shows

    def refresh(self) -> None:
        """Say what there is to say."""
        self.setVisible(self._wanted)
        if not self._wanted:
            return
        self.welcome = shown = next_step(self._situation())
        busy = self.installer.busy
        self.text.setText(say("Installing PyTorch: {text}", text=self.installer.text) if busy else shown.text)
        self.button.setVisible(not busy)
        self.button.setText(shown.label)
        self.button.setToolTip(shown.tip)
        self.button.setAccessibleDescription(shown.tip)
        self.progress.setVisible(busy)
        self.cancel.setVisible(busy)
        self.cancel.setEnabled(self.installer.can_stop and not self.installer.cancelling)
        self.close_button.setVisible(not busy)
        self.command.setVisible(bool(shown.command) and not busy)
        if shown.command != self.command.text():
            self.command.setText(shown.command)
            self.command.setCursorPosition(0)
            wide = self.command.fontMetrics().horizontalAdvance(shown.command) + 24
            self.command.setFixedWidth(min(wide, 320))

    def _situation(self) -> Situation:
        choice = self._session.choice
        gpus = self._gpus()
        return Situation(
            choice.spec,
            choice.device,
            gpu=gpus[0].name if gpus else "",
            torch=self._session.torch_installed,
            command=install_command(bool(gpus)),
            can_install=self.installer.root is not None,
            card_chosen=self._card_chosen or identity(choice.device) != self._first,
            model_gone=choice.spec.folder is not None and not _exists(choice.spec.folder),
        )

    # ---- what happens

    def _on_clicked(self) -> None:
        shown = self.welcome
        if shown is None:
            return
        if shown.step is Step.INSTALL:
            self._session.tell(None)
            # Where there is a GPU the build follows the ROCm that is found, as `make run` does it.
            self.installer.start({} if self._gpus() else {"TORCH": "cpu"})
        elif shown.step is Step.COPY_COMMAND:
            QGuiApplication.clipboard().setText(shown.command)
            self._session.tell(Notice(say("Copied. Start vramtuner again when it has run."), is_error=False))
        else:
            self.asked.emit(shown.step)

    def _on_measured(self) -> None:
        if self._wanted and self._session.measurements:
            self.dismiss()  # whoever has run a pass has arrived

    def _on_installed(self, is_done: bool, reason: str) -> None:
        if not is_done:
            log = "\n".join(self.installer.log)
            text = (
                sentence(say("PyTorch was not installed: {reason}", reason=reason))
                if reason
                else say("Cancelled; nothing was installed.")
            )
            self._session.tell(Notice(text, is_error=bool(reason), detail=log if reason else ""))
            return
        self._session.look_for_torch()
        installed = self._session.torch_installed
        text = (
            say("PyTorch is installed.") if installed else say("PyTorch is installed; start vramtuner again to use it.")
        )
        self._session.tell(Notice(text, is_error=False))
        self.refresh()


def _exists(folder: str) -> bool:
    try:
        return Path(folder).exists()
    except OSError:
        return False
