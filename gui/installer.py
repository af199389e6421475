"""Installing PyTorch from the window: `packaging/add_torch.py` in a process of its own, followed and stopped."""

import contextlib
import importlib
import os
import signal
import subprocess
import sys
import threading
from collections import deque
from pathlib import Path
from typing import IO

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from vramtuner.core import errors as of_core
from vramtuner.core.stages import said_by
from vramtuner.core.text import printable
from vramtuner.core.words import mark, say

_FOLDER = "add-torch"
_KILL_SECONDS = 5.0
_LOOK_MILLISECONDS = 500
_MOST_LINES = 200


def checkout() -> Path | None:
    """The folder that this program runs from, if it is one that `make run` has set up and can be added to."""
    root = Path(of_core.__file__).resolve().parents[1]
    is_ours = Path(sys.prefix).resolve() == (root / ".venv").resolve()
    return root if is_ours and (root / "packaging" / "add_torch.py").is_file() else None


def install_command(has_gpu: bool) -> str:
    """What a person types to install PyTorch for this copy; with a GPU its build follows the ROCm that is found."""
    root = Path(of_core.__file__).resolve().parents[1]
    if (root / "packaging" / "bootstrap.py").is_file():
        return "make run" if has_gpu else "make run TORCH=cpu"
    return f"{sys.executable} -m pip install 'vramtuner[probe]'"


# What packaging/add_torch.py says, which runs without this package.
_STAGES = (
    mark("Looking for PyTorch, {title}"),
    mark("Downloading {what}"),
    mark("Installing PyTorch; this cannot be stopped"),
    mark("Another window is installing PyTorch already"),
    mark("PyTorch could not be installed: {problem}"),
)


class Installer(QObject):
    """One installation at a time.

    Attributes
    ----------
    stage
        What it does, for people.
    can_stop
        Whether it still downloads; while it installs, stopping would leave half a PyTorch.
    log
        The last lines that it wrote.
    """

    changed = Signal()
    done = Signal(bool, str)
    """Whether PyTorch is installed now, and if not, why; an empty reason is a person's own cancel."""
    _line = Signal(str)
    _ended = Signal(int)

    def __init__(self, root: Path | None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.root = root
        self.stage, self.can_stop, self.cancelling = "", False, False
        self.log: deque[str] = deque(maxlen=_MOST_LINES)
        self._process: subprocess.Popen[str] | None = None
        self._line.connect(self._on_line, Qt.ConnectionType.QueuedConnection)
        self._ended.connect(self._on_ended, Qt.ConnectionType.QueuedConnection)
        self._clock = QTimer(self, interval=_LOOK_MILLISECONDS)
        self._clock.timeout.connect(self.changed)
        self._reaper = QTimer(self, singleShot=True, interval=round(_KILL_SECONDS * 1000))
        self._reaper.timeout.connect(lambda: self._signal(signal.SIGKILL))

    @property
    def busy(self) -> bool:
        return self._process is not None

    @property
    def text(self) -> str:
        """How far it is, for people."""
        if self.cancelling:
            return say("Cancelling…")
        size = self._received_bytes() if self.can_stop else 0
        # Megabytes of 10^6, as pip counts what it downloads.
        return (
            say("{stage}, {size:.0f} MB so far", stage=self.stage, size=size / 1000000.0) if size else f"{self.stage}…"
        )

    def start(self, environment: dict[str, str] | None = None) -> None:
        """Begin; ``done`` tells the end of it."""
        if self.busy or self.root is None:
            return
        script = self.root / "packaging" / "add_torch.py"
        self.log.clear()
        try:
            self._process = subprocess.Popen(
                [str(self.root / ".venv" / "bin" / "python"), str(script)],
                cwd=self.root, env={**os.environ, **(environment or {})}, start_new_session=True, text=True,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace",
            )  # fmt: skip
        except OSError as error:
            self.done.emit(False, say("the installation cannot be started: {strerror}", strerror=error.strerror))
            return
        self.stage, self.can_stop, self.cancelling = say("Starting"), True, False
        threading.Thread(target=self._follow, args=(self._process,), daemon=True).start()
        self._clock.start()
        self.changed.emit()

    def cancel(self) -> None:
        """Stop the download; nothing of it stays."""
        if self.busy and self.can_stop and not self.cancelling:
            self.cancelling = True
            self._signal(signal.SIGINT)
            self._reaper.start()
            self.changed.emit()

    def close(self) -> None:
        """Stop the download, for good; what is being installed already is there at the next start."""
        process, self._process = self._process, None
        self._clock.stop()
        self._reaper.stop()
        if process is None or not self.can_stop:
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_KILL_SECONDS)
        with contextlib.suppress(ProcessLookupError):  # pip may still be at work when what started it has ended
            os.killpg(process.pid, signal.SIGKILL)

    def _follow(self, process: "subprocess.Popen[str]") -> None:
        stream: IO[str] | None = process.stdout
        assert stream is not None
        with contextlib.suppress(RuntimeError):  # the window may be gone
            with contextlib.suppress(OSError, ValueError), stream:
                for line in stream:
                    self._line.emit(printable(line.rstrip(), 500))
            self._ended.emit(process.wait())

    def _on_line(self, line: str) -> None:
        kind, _, text = line.partition(": ")
        if kind not in ("stage", "final"):
            self.log.append(line)
            return
        self.stage = said_by(_STAGES, text)
        self.can_stop = self.can_stop and kind == "stage"
        self.changed.emit()

    def _on_ended(self, code: int) -> None:
        if self._process is None:
            return
        self._process = None
        self._clock.stop()
        self._reaper.stop()
        importlib.invalidate_caches()  # so that what was not there a minute ago is found
        was_cancelled, self.cancelling, self.can_stop = self.cancelling, False, False
        self.changed.emit()
        if was_cancelled and code:
            self.done.emit(False, "")
        else:
            self.done.emit(code == 0, "" if code == 0 else self.stage or say("it ended without a word"))

    def _signal(self, number: int) -> None:
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, number)

    def _received_bytes(self) -> int:
        assert self.root is not None
        total = 0
        with contextlib.suppress(OSError):
            for file in (self.root / ".venv" / _FOLDER).rglob("*"):
                with contextlib.suppress(OSError):
                    total += file.stat().st_size if file.is_file() else 0
        return total
