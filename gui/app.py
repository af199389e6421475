"""Opening the window: ``vramtuner`` without a command."""

import contextlib
import logging
import os
import re
import signal
import socket
import sys
import traceback
from importlib.resources import files
from types import TracebackType

from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication

from vramtuner.core.device.find import find_device, local_devices
from vramtuner.core.errors import AppError
from vramtuner.core.model.find import find_model
from vramtuner.core.settings import Levers
from vramtuner.gui.state import Session
from vramtuner.gui.theme import Theme
from vramtuner.gui.values import Choice, Notice
from vramtuner.gui.window import Window

APP_ID = "io.github.vramtuner.vramtuner"
DEFAULT_MODEL = "llama-2-7b"
DEFAULT_CARD = "w7900"
logger = logging.getLogger(__name__)


def run(model: str | None = None, device: str | None = None) -> int:
    """Open the window and stay until it is closed; the exit code."""
    if not _has_display():
        sys.stderr.write("vramtuner: there is no display; set DISPLAY or WAYLAND_DISPLAY, or use the command line\n")
        return 2
    try:
        choice = Choice(find_model(model or DEFAULT_MODEL), find_device(device or _default_device()), Levers())
    except AppError as error:
        sys.stderr.write(f"vramtuner: {error}\n")
        return 2
    application = make_application()
    theme = Theme(application)
    session = Session(choice)
    sys.excepthook = _Reporter(session)
    # Qt's loop runs no Python code that could raise KeyboardInterrupt; the probe ends itself when its input closes.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    window = Window(session, theme)
    window.show()
    return application.exec()


def make_application() -> QApplication:
    """The Qt application under its name, for windows, settings and the desktop."""
    application = QApplication(["vramtuner"])
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
        what = f"Something unexpected happened ({kind.__name__}). Your levers are unchanged; please report the details."
        self._session.tell(Notice(what, detail=text))
