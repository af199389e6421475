"""How long one call keeps the window, on a person's whole way through it: ``python responsive.py MODEL_FOLDER``.

A timer beats every 5 ms.  Of each step is printed, as JSON for `test_responsive.py` to judge: the most CPU time of the
GUI thread between two beats, the same on the clock, which has whatever else the machine does too, and the CPU time of
a piece of work that is always the same, right afterwards, which says how fast the machine was.  [milliseconds]
"""

import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import numpy as np
from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtTest import QTest

from vramtuner.core.device.find import find_device
from vramtuner.core.model.find import load_preset
from vramtuner.core.settings import Levers
from vramtuner.gui.app import make_application
from vramtuner.gui.state import Session
from vramtuner.gui.theme import Scheme, Theme
from vramtuner.gui.values import Choice
from vramtuner.gui.window import Window

BEAT_MILLISECONDS = 5


def measure_of_this_machine() -> float:
    """CPU time of some Python and some numpy, the median of nine.  [seconds]"""
    found = []
    for _ in range(9):
        began = time.thread_time()
        for size in range(40):
            np.cumsum(np.arange(20_000) % (size + 7)).sum()
            sorted(str(number) for number in range(400))
        found.append(time.thread_time() - began)
    return statistics.median(found)


class Heartbeat(QObject):
    """The longest time between two beats, in CPU time of this thread and on the clock.  [seconds]"""

    def __init__(self) -> None:
        super().__init__()
        self.cpu = self.wall = 0.0
        self._timer = QTimer(self, interval=BEAT_MILLISECONDS, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._beat)
        self._timer.start()
        self.begin()

    def begin(self) -> None:
        """Count from now on."""
        self.cpu = self.wall = 0.0
        self._last = time.thread_time(), time.perf_counter()

    def _beat(self) -> None:
        now = time.thread_time(), time.perf_counter()
        self.cpu, self.wall = max(self.cpu, now[0] - self._last[0]), max(self.wall, now[1] - self._last[1])
        self._last = now


class Way:
    """The person.  Every act is an event of the loop's own, so that a beat comes before and after it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.gaps: dict[str, list[float]] = {}
        self.application = make_application()
        self.theme = Theme(self.application, Scheme.LIGHT)
        self.heart = Heartbeat()

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        self.heart.begin()
        yield
        QTest.qWait(120)
        seconds = self.heart.cpu, self.heart.wall, measure_of_this_machine()
        self.gaps[name] = [round(1e3 * part, 2) for part in seconds]

    def act(self, *acts: Callable[[], object]) -> None:
        for act in acts:
            QTimer.singleShot(0, act)
            QTest.qWait(25)

    def wait(self, until: Callable[[], object], seconds: float = 120) -> None:
        end = time.monotonic() + seconds
        while not until():
            assert time.monotonic() < end, "nothing came of it"
            QTest.qWait(20)

    def calm(self) -> bool:
        return not self.session.stale and self.session.run is None

    def go(self) -> dict[str, list[float]]:
        with self.step("open"):
            self.act(self.open)
            assert QTest.qWaitForWindowExposed(self.window)
        self.plan()
        self.look()
        self.measure()
        with self.step("close"):
            self.act(self.window.close)
        return self.gaps

    def open(self) -> None:
        choice = Choice(load_preset("llama-2-7b"), find_device("w7900"), Levers())
        self.session = Session(choice)
        self.window = Window(self.session, self.theme)
        self.window.show()

    def plan(self) -> None:
        session, levers = self.session, self.window.levers
        with self.step("other model"):
            self.act(lambda: session.choose_model("llama-2-13b"))
            self.wait(self.calm)
        with self.step("other device"):
            self.act(lambda: session.choose_device("rx 7900 xtx"))
            self.wait(self.calm)
        for slider in (levers.cap_slider, levers.pool_slider):
            with self.step(f"drag: {slider.accessibleName()}"):
                self.act(lambda: session.hold(True))
                low, high = slider.minimum(), slider.maximum()
                self.act(*(partial(slider.setValue, low + (high - low) * to // 30) for to in range(8, 28)))
                self.act(lambda: session.hold(False))
        with self.step("levers never seen"):
            for fields in ({"attention": "eager"}, {"attention": "math"}, {"attention": "auto"}):
                self.act(lambda fields=fields: session.change(**fields))  # type: ignore[misc]
                self.wait(self.calm)
        with self.step("undo and redo"):
            self.act(session.undo, session.undo, session.redo, session.redo)
            self.wait(self.calm)

    def look(self) -> None:
        tabs = self.window.tabs
        for place in [*range(1, tabs.count()), 0]:
            with self.step(f"tab {tabs.tabText(place).replace('&', '')}"):
                self.act(lambda place=place: tabs.setCurrentIndex(place))  # type: ignore[misc]
                QTest.qWait(400)
        for scheme in (Scheme.DARK, Scheme.LIGHT):
            with self.step(f"theme {scheme.value}"):
                self.act(lambda scheme=scheme: self.theme.use(scheme))  # type: ignore[misc]
                QTest.qWait(200)

    def measure(self) -> None:
        session, window = self.session, self.window
        with self.step("open a folder"):
            self.act(lambda: session.choose_model(str(self.folder)), lambda: session.choose_device("cpu"))
            self.wait(self.calm)
        with self.step("profile"):
            self.act(lambda: session.change(token_cap=600))
            self.wait(self.calm)
            self.act(session.profile)
            self.wait(lambda: session.run is not None)
            self.wait(self.calm)
            assert session.current_measurements
        with self.step("present"):
            self.act(window.present_menu.present)
            QTest.qWait(500)
        with self.step("end presenting"):
            self.act(window.present_menu.close)
            QTest.qWait(200)


def main() -> int:
    sys.stdout.write(json.dumps(Way(Path(sys.argv[1])).go()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
