"""One window at a time: a second start hands what it was given to the first, and ends.

The first window listens on a socket that only its user can reach, one for each display.  A message is one line of
JSON, the answer one word.  Whoever starts second never waits long: a window that hangs is left alone, and another
one opened.  One that is being opened is waited for a little longer, by a lock that it holds until it is painted.
"""

import hashlib
import os
import socket
from pathlib import Path
from stat import S_IMODE
from time import monotonic
from typing import Annotated, Literal

import msgspec
import platformdirs
from PySide6.QtCore import QDeadlineTimer, QLockFile, QObject, QTimer, Signal
from PySide6.QtNetwork import QLocalServer, QLocalSocket

TIMEOUT_MS = 1000
START_MS = 10_000
_PAINTED_MS = 200
MAX_BYTES = 32 * 2**10
_TAKEN = b"taken\n"
_PLATFORMS = ("offscreen", "minimal", "vnc", "linuxfb", "eglfs")
_Text = Annotated[str, msgspec.Meta(max_length=4096)]


class Request(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a start of the program was given.

    Attributes
    ----------
    file
        The whole path of a session or a model.
    token
        By which the desktop lets the window come to the front.
    until
        When whoever asks stops waiting, on the machine's monotonic clock.  [s]
    """

    model: _Text | None = None
    device: _Text | None = None
    file: _Text | None = None
    token: _Text = ""
    until: float = 0.0


class SingleWindow(QObject):
    """The socket of the one window of a user on a display.

    Parameters
    ----------
    path
        The socket; by default that of this user and display.
    """

    asked = Signal(object)
    """A `Request` of another start."""

    def __init__(self, path: Path | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.path = path or socket_path()
        self._lock = QLockFile(f"{self.path}.lock")
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.setMaxPendingConnections(8)
        self._server.newConnection.connect(self._on_connection)

    @property
    def listens(self) -> bool:
        """Whether other starts hand over to this process."""
        return self._server.isListening()

    def hand_over(self, request: Request) -> bool:
        """Give a request to the window that is there; if there is none, be the one from now on.

        Returns
        -------
        bool
            Whether a window has taken it.
        """
        locked = self._lock.tryLock(START_MS)  # of two starts at the same moment, one is first
        answer = self._ask(request)
        if answer == "nobody" and locked:
            QLocalServer.removeServer(str(self.path))  # a process that was killed leaves its socket
            self._server.listen(str(self.path))  # where it cannot, every start has a window of its own
        if self.listens:
            # Counted from when events are seen to: it answers nobody before, nor while it is painted first.
            QTimer.singleShot(0, self, lambda: QTimer.singleShot(_PAINTED_MS, self, self._lock.unlock))
        else:
            self._lock.unlock()
        return answer == "taken"

    def close(self) -> None:
        """Listen no more."""
        self._server.close()
        self._lock.unlock()

    def _ask(self, request: Request) -> Literal["taken", "nobody", "silent"]:
        deadline = QDeadlineTimer(TIMEOUT_MS)
        end = QLocalSocket()
        end.connectToServer(str(self.path))
        if not end.waitForConnected(TIMEOUT_MS):
            error = end.error()
            gone = (
                QLocalSocket.LocalSocketError.ServerNotFoundError,
                QLocalSocket.LocalSocketError.ConnectionRefusedError,
            )
            return "nobody" if error in gone else "silent"
        line = msgspec.json.encode(msgspec.structs.replace(request, until=monotonic() + TIMEOUT_MS / 1000)) + b"\n"
        end.write(line)
        end.flush()
        while not end.canReadLine():
            if not end.waitForReadyRead(max(deadline.remainingTime(), 1)) or deadline.hasExpired():
                end.abort()
                return "silent"
        return "taken" if end.readLine(len(_TAKEN) + 1).data() == _TAKEN else "silent"

    def _on_connection(self) -> None:
        while (end := self._server.nextPendingConnection()) is not None:
            end.setReadBufferSize(MAX_BYTES + 1)
            end.readyRead.connect(lambda end=end: self._on_ready(end))
            end.disconnected.connect(end.deleteLater)
            limit = QTimer(end, singleShot=True, interval=TIMEOUT_MS)
            limit.timeout.connect(lambda end=end: end.abort())
            limit.start()
            self._on_ready(end)

    def _on_ready(self, end: QLocalSocket) -> None:
        if not end.canReadLine():
            if end.bytesAvailable() > MAX_BYTES:
                end.abort()
            return
        request = _decoded(bytes(end.readLine(MAX_BYTES + 1).data()))
        if request is None:
            end.abort()
            return
        end.write(_TAKEN)
        end.flush()
        end.disconnectFromServer()
        # Whoever asked need not wait for a model to be read.
        QTimer.singleShot(0, self, lambda: self.asked.emit(request))


def _decoded(line: bytes) -> Request | None:
    """The request in a line; ``None`` if it is none, or nobody waits for it any more."""
    try:
        request = msgspec.json.decode(line, type=Request)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return request if 0 <= request.until - monotonic() <= TIMEOUT_MS / 1000 else None


def socket_path() -> Path:
    """The socket of this user on this display."""
    platform = os.environ.get("QT_QPA_PLATFORM", "").partition(":")[0]
    facts = (
        str(os.getuid()),
        socket.gethostname(),  # homes may be shared between machines
        platform if platform in _PLATFORMS else "",
        os.environ.get("WAYLAND_DISPLAY", ""),
        os.environ.get("DISPLAY", "").removesuffix(".0"),
    )
    digest = hashlib.sha256("\0".join(facts).encode(errors="surrogateescape")).hexdigest()[:12]
    return _own_folder() / f"vramtuner-{digest}"


def _own_folder() -> Path:
    """A folder where nobody else can put a socket in the way."""
    given = os.environ.get("XDG_RUNTIME_DIR", "")
    if given:
        folder = Path(given)
        try:
            info = folder.stat()
            if info.st_uid == os.getuid() and not S_IMODE(info.st_mode) & 0o022:
                return folder
        except OSError:
            pass
    folder = Path(platformdirs.user_state_dir("vramtuner"))
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder
