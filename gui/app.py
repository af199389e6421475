"""Opening the window: ``vramtuner`` without a command."""

import contextlib
import gc
import logging
import os
import re
import signal
import socket
import sys
import traceback
from importlib.resources import files
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication

from vramtuner.core.device.find import find_device, local_devices
from vramtuner.core.errors import AppError, BadInputError
from vramtuner.core.model.find import find_model, text_of_model
from vramtuner.core.session import SUFFIX, read_session
from vramtuner.core.settings import Levers
from vramtuner.core.text import one_line
from vramtuner.core.words import in_english, say
from vramtuner.gui.collecting import Collector
from vramtuner.gui.i18n import chosen_language, install_language
from vramtuner.gui.opening import Opened, moved, opened_session
from vramtuner.gui.single import Request, SingleWindow
from vramtuner.gui.state import Session
from vramtuner.gui.theme import Theme
from vramtuner.gui.values import Choice, Notice
from vramtuner.gui.window import Window

APP_ID = "io.github.vramtuner.vramtuner"
DEFAULT_MODEL = "llama-2-7b"
DEFAULT_CARD = "w7900"
logger = logging.getLogger(__name__)


def run(
    model: str | None = None, device: str | None = None, file: str | None = None, *, new_window: bool = False
) -> int:
    """Open the window and stay until it is closed, or have the window open it that is there; the exit code.

    Parameters
    ----------
    file
        A session, or a model.
    new_window
        Open a window of its own, and take nothing from later starts.
    """
    if not _has_display():
        sys.stderr.write("vramtuner: there is no display; set DISPLAY or WAYLAND_DISPLAY, or use the command line\n")
        return 2
    application = make_application()
    install_language(chosen_language())
    try:
        choice, opened = _first_choice(model, device, file)
    except AppError as error:
        sys.stderr.write(f"vramtuner: {one_line(in_english(error.args[0]))}\n")
        return 2
    single = None if new_window else SingleWindow()
    if single is not None and single.hand_over(_request(model, device, file)):
        sys.stderr.write("vramtuner: opened in the window that is there; --new-window opens another one\n")
        return 0
    theme = Theme(application)
    session = Session(choice)
    sys.excepthook = _Reporter(session)
    # Qt's loop runs no Python code that could raise KeyboardInterrupt; the probe ends itself when its input closes.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    window = Window(session, theme)
    if file is not None and opened is not None:
        window.keeper.adopt(opened, Path(file).absolute())
    elif model or file:
        window.keeper.recent_models.add(text_of_model(choice.spec))
    if single is not None:
        single.asked.connect(lambda request: _take(window, request))
        window.keeper.closing.connect(single.close)
    window.show()
    QTimer.singleShot(0, gc.freeze)  # a look at all that the start made would hold up a drag for 70 ms
    window.keeper.offer_recovery()
    window.welcome.begin(card_chosen=device is not None or opened is not None)
    return application.exec()


def _first_choice(model: str | None, device: str | None, file: str | None) -> tuple[Choice, Opened | None]:
    """What to begin with, and the session that it is of."""
    is_session = file is not None and file.endswith(SUFFIX)
    if file is not None and not is_session and model is not None:
        raise BadInputError(say("give one model: the file, or --model"))
    spec = find_model((None if is_session else file) or model or DEFAULT_MODEL)
    choice = Choice(spec, find_device(device or _default_device()), Levers())
    if file is None or not is_session:
        return choice, None
    opened = opened_session(read_session(Path(file)), choice)
    return moved(opened.choice, spec if model else None, choice.device if device else None), opened


def _request(model: str | None, device: str | None, file: str | None) -> Request:
    """What another window is asked to open, which may run in another folder."""
    return Request(
        model=None if model is None else _absolute(model),
        device=device,
        file=None if file is None else _absolute(file),
        token=os.environ.get("XDG_ACTIVATION_TOKEN", "")[:4000],
    )


def _absolute(name: str) -> str:
    path = Path(name)
    return str(path.absolute()) if path.exists() else name


def _take(window: Window, request: Request) -> None:
    """Show the window, and open in it what another start was given."""
    if request.token:
        os.environ["XDG_ACTIVATION_TOKEN"] = request.token  # where Qt looks for it
    window.setWindowState(window.windowState() & ~Qt.WindowState.WindowMinimized | Qt.WindowState.WindowActive)
    window.show()
    window.raise_()
    window.activateWindow()
    window.keeper.open_named(request.model, request.device, request.file)


def make_application() -> QApplication:
    """The Qt application under its name, for windows, settings and the desktop."""
    application = QApplication(["vramtuner"])
    Collector(application)
    application.setApplicationName("vramtuner")
    application.setOrganizationName("vramtuner")
    application.setDesktopFileName(APP_ID)
    icon = files("vramtuner.resources") / "icons" / f"{APP_ID}.svg"
    application.setWindowIcon(QIcon(str(icon)))
    return application


def _default_device() -> str:
    """The first GPU here, else a catalogue card: planning needs no hardware."""
    first = local_devices()[0]
    return first.key if first.kind == "gpu" else DEFAULT_CARD


def _has_display() -> bool:
    platform = os.environ.get("QT_QPA_PLATFORM", "")
    if platform.partition(":")[0] in ("offscreen", "minimal", "vnc", "linuxfb", "eglfs"):
        return True
    if os.environ.get("WAYLAND_DISPLAY"):
        return True
    display = os.environ.get("DISPLAY", "")
    local = re.fullmatch(r":(\d+)(\.\d+)?", display)
    return _answers(f"/tmp/.X11-unix/X{local[1]}") if local else bool(display)


def _answers(path: str) -> bool:
    """Whether an X server listens there; Qt would end the process if none does."""
    for address in (path, f"\0{path}"):
        with socket.socket(socket.AF_UNIX) as end, contextlib.suppress(OSError):
            end.connect(address)
            return True
    return False


class _Reporter:
    """Shows an unexpected error in the window instead of dying with it."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def __call__(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        text = "".join(traceback.format_exception(kind, error, trace))
        logger.error("unexpected error\n%s", text)
        what = say(
            "Something unexpected happened ({name}). Your levers are unchanged; please report the details.",
            name=kind.__name__,
        )
        self._session.tell(Notice(what, detail=text))
