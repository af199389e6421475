"""A person at a desk: the program as it is started, in a window on a display of its own, keys and mouse by xdotool."""

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import psutil

from vramtuner.core.errors import BadInputError
from vramtuner.core.session import SUFFIX, SavedSession, read_session

SCREEN = (1440, 900)
Found = TypeVar("Found")


@contextmanager
def virtual_screen() -> Iterator[str]:
    """A virtual screen; Xvfb picks a free number and says which."""
    reading, writing = os.pipe()
    server = subprocess.Popen(
        [
            "Xvfb",
            "-displayfd",
            str(writing),
            "-screen",
            "0",
            "{}x{}x24".format(*SCREEN),
            "-nolisten",
            "tcp",
            "-noreset",
        ],  # or it takes nobody for a moment whenever its only client, such as xdotool, has gone
        pass_fds=(writing,),
        stderr=subprocess.DEVNULL,
    )
    os.close(writing)
    with os.fdopen(reading) as pipe:
        number = pipe.readline().strip()
    try:
        yield f":{number}"
    finally:
        server.terminate()
        server.wait(timeout=20)


class Desk:
    """One person's machine: a home, a screen, and windows of the program on it."""

    def __init__(self, display: str, home: Path) -> None:
        self._environment = {
            **os.environ,
            "DISPLAY": display,
            "QT_QPA_PLATFORM": "xcb",
            "HOME": str(home),
            **{f"XDG_{name}_HOME": str(home / name.lower()) for name in ("CONFIG", "STATE", "DATA")},
            "XDG_RUNTIME_DIR": str(home),
        }
        self._home = home
        self.program: subprocess.Popen[bytes] | None = None
        self.window = ""

    # ---- the program

    def start(self, *arguments: str) -> None:
        """Start it, and wait until its window is there and takes keys."""
        self.program = subprocess.Popen([sys.executable, "-m", "vramtuner.core", *arguments], env=self._environment)
        self.window = self.wait(lambda: self._windows(" – vramtuner"))[-1]
        self.take("windowsize", "--sync", self.window, *map(str, SCREEN))
        self.focus(self.window)

    def kill(self) -> None:
        """As the kernel would."""
        assert self.program is not None
        self.program.kill()
        self.program.wait(timeout=20)

    def end(self) -> None:
        if self.program is not None and self.program.poll() is None:
            self.kill()

    @property
    def probes(self) -> list[psutil.Process]:
        """Processes that the program has started and that are there still."""
        assert self.program is not None
        try:
            return psutil.Process(self.program.pid).children(recursive=True)
        except psutil.NoSuchProcess:
            return []

    @property
    def runs(self) -> list[Path]:
        """The files of runs that it has kept."""
        return list((self._home / "data").rglob("*.vramrun"))

    # ---- what a person sees

    @property
    def title(self) -> str:
        return self.take("getwindowname", self.window)

    @property
    def autosaved(self) -> SavedSession | None:
        """What the program has put aside of this window, if it has."""
        for path in (self._home / "state" / "vramtuner" / "autosave").glob(f"*{SUFFIX}"):
            with contextlib.suppress(BadInputError, OSError):
                return read_session(path)
        return None

    def picture(self, path: Path) -> bytes:
        """The screen, as a PNG file and as its pixels."""
        code = (
            "import sys\nfrom PySide6.QtGui import QGuiApplication\napp = QGuiApplication([])\n"
            "image = app.primaryScreen().grabWindow(0).toImage()\nassert image.save(sys.argv[1])\n"
            "sys.stdout.buffer.write(bytes(image.constBits()))"
        )
        command = [sys.executable, "-c", code, str(path)]
        return subprocess.run(command, env=self._environment, check=True, capture_output=True, timeout=60).stdout

    # ---- what a person does

    def keys(self, *names: str) -> None:
        """Press keys or chords, one after the other."""
        self.take("key", "--delay", "60", *names)

    def type(self, text: str) -> None:
        self.take("type", "--delay", "15", text)

    def ask(self, chord: str, title: str, text: str) -> None:
        """Press what opens a dialog until it is there, type into it and confirm; then the window has the keys again.

        What cannot be done yet is not enabled, and a person presses again.
        """

        def opened() -> list[str]:
            self.keys(chord)
            end = time.monotonic() + 1
            while not (found := self._windows(title)) and time.monotonic() < end:
                time.sleep(0.05)
            return found

        self.focus(self.wait(opened)[-1])
        self.keys("ctrl+a")
        self.type(text)
        self.keys("Return")
        self.wait(lambda: not self._windows(title))
        self.focus(self.window)

    def click(self, across: float, down: float) -> None:
        """Click at a place of the screen, in parts of its size."""
        self.take("mousemove", str(round(across * SCREEN[0])), str(round(down * SCREEN[1])), "click", "1")

    def focus(self, window: str) -> None:
        """Without a window manager nobody else hands the keys on."""
        self.take("windowfocus", "--sync", window)

    def wait(self, until: Callable[[], Found], seconds: float = 60) -> Found:
        end = time.monotonic() + seconds
        while not (found := until()):
            assert time.monotonic() < end, f"nothing after {seconds} s; the window says {self.title!r}"
            assert self.program is None or self.program.poll() is None, "the program has ended"
            time.sleep(0.05)
        return found

    def take(self, *command: str) -> str:
        """What xdotool says."""
        done = subprocess.run(
            ["xdotool", *command], env=self._environment, capture_output=True, text=True, timeout=60, check=True
        )
        return done.stdout.strip()

    def _windows(self, title: str) -> list[str]:
        done = subprocess.run(
            ["xdotool", "search", "--onlyvisible", "--name", title],
            env=self._environment, capture_output=True, text=True, timeout=60,
        )  # fmt: skip
        return done.stdout.split()
