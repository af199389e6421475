"""Where in a run one looks: at its newest readings, at a moment that was chosen, or at one that moves on by itself."""

from time import monotonic

from PySide6.QtCore import QObject, QTimer, Signal

from vramtuner.gui.series import LiveSeries

FRAME_MILLISECONDS = 16
SPEEDS = (0.25, 1.0, 4.0, 16.0, 64.0)


class Player(QObject):
    """The moment of a run that is shown; ``None`` follows the newest reading.

    ``moved`` says that another moment, another run or another speed is to be shown.
    """

    moved = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.series = LiveSeries()
        self.position: float | None = None
        self.speed = 1.0
        self._played_at = 0.0
        self._clock = QTimer(self, interval=FRAME_MILLISECONDS)
        self._clock.timeout.connect(self._advance)

    @property
    def playing(self) -> bool:
        return self._clock.isActive()

    @property
    def now(self) -> float:
        """The moment that is shown.  [seconds since the run began]"""
        return self.series.last_seconds if self.position is None else self.position

    def show_series(self, series: LiveSeries) -> None:
        """Look at another run, at its end."""
        if series is not self.series:
            self.series = series
            self.follow()

    def follow(self) -> None:
        """Go to the newest reading, and with it."""
        self._clock.stop()
        self.position = None
        self.moved.emit()

    def go(self, seconds: float) -> None:
        """Stay at a moment."""
        self._clock.stop()
        self.position = min(max(seconds, 0.0), self.series.last_seconds)
        self.moved.emit()

    def pause(self) -> None:
        """Stay at the moment that is shown."""
        self.go(self.now)

    def play(self) -> None:
        """Go on from the moment that is shown, from the beginning where that is the end."""
        if self.position is None or self.position >= self.series.last_seconds:
            self.position = 0.0
        self._played_at = monotonic()
        self._clock.start()
        self.moved.emit()

    def play_at(self, speed: float) -> None:
        """Take another speed, as a multiple of the run's own."""
        self.speed = speed
        self.moved.emit()

    def _advance(self) -> None:
        now = monotonic()
        assert self.position is not None
        self.position += self.speed * (now - self._played_at)
        self._played_at = now
        if self.position >= self.series.last_seconds:
            self.follow()
        else:
            self.moved.emit()
