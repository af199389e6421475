"""Garbage is collected on the GUI thread alone.

Python runs its collector in whatever thread happens to allocate.  Where that is not the GUI thread, and a cycle holds
a widget, Qt's own lock and the interpreter's are taken in the wrong order, and the program stands still for good.
"""

import gc

from PySide6.QtCore import QObject, QTimer

_MILLISECONDS = 500


class Collector(QObject):
    """Takes over from Python's automatic collection for as long as it lives.

    The younger generations are looked at often and cost little; the oldest one as rarely as Python would, when no
    more is left to do.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        gc.disable()
        gc.freeze()  # what has been imported stays, and need not be looked at again
        self._clock = QTimer(self, interval=_MILLISECONDS)
        self._clock.timeout.connect(self.collect)
        self._clock.start()

    def collect(self) -> None:
        """Collect what Python would have collected by now."""
        counts, thresholds = gc.get_count(), gc.get_threshold()
        due = [generation for generation in range(3) if counts[generation] > thresholds[generation]]
        if due:
            gc.collect(max(due))
