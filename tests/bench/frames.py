"""What the real window costs while something moves, for `gui.py`, as JSON on standard output.

``python frames.py drag|live|latency|events|idle [OPTION]``: one measurement in a fresh process.  Times are wall and
CPU time of the GUI thread, because a busy machine changes only the first of the two.
"""

import json
import math
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import psutil
from pyqtgraph import GraphicsView, PlotCurveItem
from PySide6.QtCore import QEvent, QEventLoop, QObject, QTimer
from PySide6.QtWidgets import QApplication, QWidget
from window import open_window

from vramtuner.core.device.find import find_device
from vramtuner.core.probe.client import Probe
from vramtuner.core.probe.protocol import Event, PhaseStarted, RunStarted, Samples
from vramtuner.core.profiling import Profile
from vramtuner.core.runs import RunWriter, header_of, read_run
from vramtuner.core.settings import Levers
from vramtuner.core.units import GIB, MIB
from vramtuner.gui.series import LiveSeries

RATE = 200
BATCH = 1000


class Painted(QObject):
    """Counts the frames of a plot; ``ended`` is called when one is on the screen."""

    def __init__(self, panel: QWidget, ended: Callable[[], None] = lambda: None) -> None:
        super().__init__(panel)
        self.count, self._ended = 0, ended
        view = panel.findChild(GraphicsView)
        assert view is not None
        view.viewport().installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint:
            self.count += 1
            QTimer.singleShot(0, self._ended)  # after this event, so that the painting is over
        return False


class Frames:
    """Times of frames: ``one`` acts and waits until the plot has been painted."""

    def __init__(self, panel: QWidget) -> None:
        self._painted = Painted(panel)
        self.wall: list[float] = []
        self.cpu: list[float] = []

    def one(self, action: Callable[[], None]) -> None:
        before, began, cpu = self._painted.count, time.perf_counter(), time.thread_time()
        action()
        while self._painted.count == before:
            assert time.perf_counter() - began < 20, "the plot was not painted"
            QApplication.processEvents()
        self.wall.append(time.perf_counter() - began)
        self.cpu.append(time.thread_time() - cpu)


def rss() -> int:
    """Resident bytes of this process."""
    return int(psutil.Process().memory_info().rss)


def spin(seconds: float) -> None:
    """Run the event loop for a while; not the application's own, whose end closes the window."""
    loop = QEventLoop()
    QTimer.singleShot(round(seconds * 1000), loop.quit)
    loop.exec()


def idle(seconds: float = 20) -> dict[str, Any]:
    """CPU time and memory of a window that nobody touches."""
    window = open_window("llama-2-7b")
    spin(6)  # limits of other levers are worked out once
    cpu, wall = time.process_time(), time.perf_counter()
    spin(seconds)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    found = {"share": cpu / wall, "rss": rss(), "rows": _memory()}
    window.close()
    return found


def _memory() -> dict[str, int]:
    full = psutil.Process().memory_full_info()
    return {"uss": full.uss, "pss": full.pss}


def drag(frames: int = 300, overlaid: int = 4) -> dict[str, Any]:
    """A pull at the pool's slider and one at the token cap's, with other plans drawn over the curve.

    Every plan's curve is worked out anew in each frame, though only one of them moves.
    """
    from vramtuner.core.forecast import Forecast, forecast
    from vramtuner.core.recording import find_tapes
    from vramtuner.core.request import phases

    window = open_window("llama-2-13b", attention="eager")
    session, plot = window.session, window.forecast.plot
    spec, device = session.choice.spec, session.choice.device
    others: list[Forecast] = []
    for levers in (Levers(attention="eager", batch_size=count) for count in range(2, 2 + overlaid)):
        tapes = find_tapes(spec, phases(spec, device, levers)) or find_tapes(spec, phases(spec, device, Levers()))
        assert tapes is not None
        others.append(forecast(spec, device, levers, *tapes))
    curves = [PlotCurveItem(pen="r") for _ in others]
    for curve in curves:
        plot.plot.addItem(curve, ignoreBounds=True)

    def draw_others() -> None:
        assert session.forecast is not None
        tokens = plot.drawn_tokens(session.forecast)
        for curve, other in zip(curves, others, strict=True):
            curve.setData(plot.axis.places(tokens), other.needed_curve(tokens) / GIB)

    session.plan_changed.connect(draw_others)
    draw_others()
    spin(4)
    measured = Frames(window.forecast)
    for slider in (window.levers.pool_slider, window.levers.cap_slider):
        session.hold(True)
        for step in range(frames // 2):
            place = slider.minimum() + 20 + step % (slider.maximum() - slider.minimum() - 40)
            measured.one(lambda slider=slider, place=place: slider.setValue(place))  # type: ignore[misc]
        session.hold(False)
    window.close()
    return {"wall": measured.wall, "cpu": measured.cpu}


def sample_rows(first: int, count: int, rate: float) -> dict[str, list[Any]]:
    """Made-up readings: layers come and go on a rising cache; what is reserved, held and used follows."""
    place = np.arange(first, first + count)
    allocated = GIB + 40 * MIB * (place % 50) + 2048 * (place % 1_000_000)
    reserved = allocated - allocated % (64 * MIB) + 128 * MIB
    columns = (place / rate, allocated, reserved, reserved + 300 * MIB, reserved + 900 * MIB)
    return dict(
        zip(("seconds", "allocated", "reserved", "process", "device"), map(np.ndarray.tolist, columns), strict=True)
    )


def live(minutes: float = 10) -> dict[str, Any]:
    """All curves of the live plot over a run that grows by 0.1 s a frame and then is scrolled through."""
    window = open_window("llama-2-7b")
    panel = window.live
    window.tabs.setCurrentWidget(panel)
    panel.plot.show_curves(frozenset(panel.switches))
    series = window.session.live = LiveSeries(8 * GIB, "a device")
    series.take(PhaseStarted(1, "prefill", 0.0))
    panel.player.show_series(series)
    spin(3)
    step, held = RATE // 10, rss()
    growing, whole, closer = Frames(panel), Frames(panel), Frames(panel)

    def grow(first: int) -> None:
        series.take(Samples(1, **sample_rows(first, step, RATE)))
        panel.plot.draw()

    for first in range(0, round(minutes * 60 * RATE), step):
        if (first // step) % 4:  # three frames of four are not drawn, or the measurement takes minutes
            series.take(Samples(1, **sample_rows(first, step, RATE)))
        else:
            growing.one(lambda first=first: grow(first))  # type: ignore[misc]
    last = series.last_seconds
    for place in np.linspace(0.99 * last, 0.02 * last, 120).tolist():
        whole.one(lambda place=place: panel.player.go(place))  # type: ignore[misc]
    box = panel.plot.plot.getPlotItem().getViewBox()
    for place in np.linspace(0.95 * last, 0.1 * last, 200).tolist():
        closer.one(lambda place=place: box.setXRange(place - 0.05 * last, place, padding=0))  # type: ignore[misc]
    found = {"rows": len(series), "grown": rss() - held, "curves": len(panel.plot.curves)}
    window.close()
    return found | {
        name: {"wall": f.wall, "cpu": f.cpu} for name, f in (("growing", growing), ("whole", whole), ("closer", closer))
    }


def latency(folder: str) -> dict[str, Any]:
    """Seconds from each reading of a real profile to the end of the frame that has it."""
    window = open_window(folder)
    session, plot = window.session, window.live.plot
    session.take_device(find_device("cpu"))
    session.change(token_cap=1500)
    drawn, seen, waited = 0, 0, list[float]()

    def on_drawn() -> None:
        nonlocal drawn
        drawn = len(session.live)

    def on_painted() -> None:
        nonlocal seen
        now, live = time.monotonic(), session.live
        if drawn > seen and live.clock:
            waited.extend((now - live.clock - live.seconds[seen:drawn]).tolist())
            seen = drawn

    plot.drawn.connect(on_drawn)
    painted = Painted(window.live, on_painted)
    for _ in range(3):
        _wait(lambda: not session.stale and session.run is None)
        assert session.profile_problem == "", session.profile_problem
        drawn = seen = 0
        session.profile()
        _wait(lambda: session.run is None)
    frames = painted.count
    window.close()
    return {"seconds": waited, "frames": frames}


def _wait(until: Callable[[], bool], seconds: float = 120) -> None:
    began = time.monotonic()
    while not until():
        assert time.monotonic() - began < seconds
        spin(0.05)


def events(millions: float = 10) -> dict[str, Any]:
    """Readings as fast as they come through the session's own thread into a window that draws and a file."""
    window = open_window("llama-2-7b")
    session, panel = window.session, window.live
    plan = session.forecast
    assert plan is not None
    spin(4)
    total, moments, highest = round(millions * 1e6), list[float](), 0
    painted = Painted(panel, lambda: moments.append(time.perf_counter()))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "many.vramrun"

        def work(probe: Probe, on_event: Callable[[Event], None]) -> Profile:
            writer = RunWriter(path, header_of(plan, (1,)))
            for event in (RunStarted(1, time.monotonic()), PhaseStarted(1, "prefill", 0.0)):
                writer.keep(event)
                on_event(event)
            for first in range(0, total, BATCH):
                event = Samples(1, **sample_rows(first, BATCH, 20_000))
                writer.keep(event)
                on_event(event)
            writer.close(complete=True)
            return Profile((), path)

        held, began, cpu = rss(), time.perf_counter(), time.thread_time()
        session._begin_passes("profile", plan, work)
        window.tabs.setCurrentWidget(panel)
        while session.run is not None:
            spin(0.5)
            highest = max(highest, rss())
        wall, cpu = time.perf_counter() - began, time.thread_time() - cpu
        rows = len(session.live)
        window.close()
        before, count, last, peak = rss(), 0, -1.0, 0
        reading = time.perf_counter()
        run = read_run(path)
        for row in run.samples():
            assert row.seconds > last
            last = row.seconds
            count += 1
            if count % 200_000 == 0:
                peak = max(peak, rss())
        reading = time.perf_counter() - reading
        size = path.stat().st_size
    gaps = np.diff(moments).tolist()
    return {
        "gaps": gaps, "wall": wall, "cpu": cpu, "frames": painted.count, "grown": highest - held, "rows": rows,
        "read": count, "complete": run.complete, "reading": reading, "reading_grown": peak - before, "file": size,
    }  # fmt: skip


def main() -> int:
    name, options = sys.argv[1], sys.argv[2:]
    measure: dict[str, Callable[..., dict[str, Any]]] = {
        "idle": idle, "drag": drag, "live": live, "latency": latency, "events": events,
    }  # fmt: skip
    found = measure[name](*(option if math.isnan(_number(option)) else _number(option) for option in options))
    sys.stdout.write(json.dumps(found | {"platform": os.environ.get("QT_QPA_PLATFORM", "")}))
    return 0


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


if __name__ == "__main__":
    sys.exit(main())
