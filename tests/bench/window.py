"""Times of the real window, for `run.py`, as JSON on standard output.

``python window.py start SECONDS`` counts from that moment of the system's clock, at which it was started;
``python window.py levers`` moves levers.
"""

import gc
import json
import sys
import time
from typing import Any


def open_window(model: str, **fields: Any) -> Any:
    """The window on a preset and a catalogue card, shown and painted; what it imports is part of what is measured."""
    gc.disable()  # as the command does before it imports the window
    from PySide6.QtWidgets import QApplication

    from vramtuner.core.device.find import find_device
    from vramtuner.core.model.find import find_model
    from vramtuner.core.settings import Levers
    from vramtuner.gui.app import make_application
    from vramtuner.gui.state import Session
    from vramtuner.gui.theme import Theme
    from vramtuner.gui.values import Choice
    from vramtuner.gui.window import Window

    application = make_application()
    window = Window(Session(Choice(find_model(model), find_device("w7900"), Levers(**fields))), Theme(application))
    window.show()
    QApplication.processEvents()
    return window


def start(began: float) -> float:
    """Seconds from ``began`` to the first painted frame with a curve on it."""
    window = open_window("llama-2-7b")
    window.grab()
    seconds = time.time() - began
    assert window.session.forecast is not None
    assert not window.session.stale
    assert "torch" not in sys.modules
    window.close()
    return seconds


def levers(moves: int = 200) -> list[float]:
    """Seconds from a lever's move to the repainted plot, the pool and the token cap in turn."""
    from pyqtgraph import GraphicsView
    from PySide6.QtCore import QEvent, QObject
    from PySide6.QtWidgets import QApplication

    class _Paints(QObject):
        count = 0

        def eventFilter(self, watched: QObject, event: QEvent) -> bool:
            self.count += event.type() == QEvent.Type.Paint
            return False

    window = open_window("llama-2-13b", attention="eager")
    paints = _Paints()
    plot = window.forecast.findChild(GraphicsView)
    assert plot is not None
    plot.viewport().installEventFilter(paints)
    times = []
    for step in range(moves):
        began, before = time.perf_counter(), paints.count
        if step % 2:
            window.levers.cap_slider.setValue(window.levers.cap_slider.minimum() + 20 + step % 150)
        else:
            window.levers.pool_slider.setValue(window.levers.pool_slider.minimum() + 20 + step % 150)
        while paints.count == before:
            assert time.perf_counter() - began < 10, "the plot was not painted"
            QApplication.processEvents()
        times.append(time.perf_counter() - began)
    window.close()
    return times


if __name__ == "__main__":
    sys.stdout.write(json.dumps({"seconds": start(float(sys.argv[2])) if sys.argv[1] == "start" else levers()}))
