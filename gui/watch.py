"""What the devices panel looks at: surveys in a worker thread, and a sampler of one device, while it is looked at."""

from concurrent.futures import Future, ThreadPoolExecutor

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from vramtuner.core.device.find import local_devices
from vramtuner.core.device.inventory import presence
from vramtuner.core.device.roots import Roots
from vramtuner.core.device.sampler import Sampler
from vramtuner.core.device.spec import Device
from vramtuner.core.device.summary import DeviceSummary, Identity, Survey, identity, survey

SURVEY_MILLISECONDS = 2000
WINDOW_SECONDS = 60.0


class DeviceWatch(QObject):
    """Looks at the devices of this machine between ``begin`` and ``pause``; ``close`` is for good.

    Outside of that only the names in two folders are read, so that a GPU that comes, goes or changes places is known
    of; there is one survey then.

    Attributes
    ----------
    found
        The latest survey; ``None`` before the first.
    chosen
        The device that is looked at, as it was last seen.
    gone
        The latest survey did not find it.
    sampler
        Of the chosen device; ``None`` while nobody looks.
    """

    changed = Signal()
    _ended = Signal(object)

    def __init__(self, roots: Roots, first: Device | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._roots = roots
        self._wanted: Identity | None = None if first is None else identity(first)
        self.found: Survey | None = None
        self.chosen: DeviceSummary | None = None
        self.gone = False
        self.sampler: Sampler | None = None
        self._looking = self._busy = self._again = self._closed = False
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="devices")
        self._stopper = ThreadPoolExecutor(max_workers=1, thread_name_prefix="devices-stop")
        self._ended.connect(self._on_ended, Qt.ConnectionType.QueuedConnection)
        self._clock = QTimer(self, interval=SURVEY_MILLISECONDS)
        self._clock.timeout.connect(self.refresh)
        self._present = presence(roots)
        self._guard = QTimer(self, interval=SURVEY_MILLISECONDS)
        self._guard.timeout.connect(self._look_for_changes)
        self._guard.start()

    def begin(self) -> None:
        """Look, from now on."""
        if self._looking or self._closed:
            return
        self._looking = True
        self._clock.start()
        self._start_sampler()
        self.refresh()

    def pause(self) -> None:
        """Look no more until ``begin``."""
        self._looking = False
        self._clock.stop()
        self._stop_sampler()

    def close(self) -> None:
        """Stop everything, for good; no thread is left."""
        self._closed = True
        self._guard.stop()
        self.pause()
        self._worker.shutdown(wait=True, cancel_futures=True)
        self._stopper.shutdown(wait=True)

    def choose(self, wanted: Identity) -> None:
        """Look at another device, one of those found."""
        device = next((entry for entry in self.devices if identity(entry.device) == wanted), None)
        if device is None or wanted == self._wanted:
            return
        self._wanted = wanted
        self._stop_sampler()
        self._take(device)
        self.changed.emit()

    def refresh(self) -> None:
        """Survey again, in the worker thread; ``changed`` tells when it is done."""
        if self._closed:
            return
        if self._busy:
            self._again = True
            return
        self._busy, self._again = True, False
        self._worker.submit(_look, self._roots).add_done_callback(self._ended.emit)

    @property
    def devices(self) -> tuple[DeviceSummary, ...]:
        """Those found, and the chosen one even if it is not among them any more."""
        found = () if self.found is None else self.found.devices
        return (self.chosen, *found) if self.gone and self.chosen is not None else found

    def _look_for_changes(self) -> None:
        present = presence(self._roots)
        if present != self._present:
            self._present = present
            self.refresh()

    def _on_ended(self, future: "Future[Survey]") -> None:
        self._busy = False
        if self._closed:
            return
        found = future.result()
        self.found = found
        chosen = next((entry for entry in found.devices if identity(entry.device) == self._wanted), None)
        if chosen is None and self.chosen is None:
            # A plan for a catalogue card: what is looked at first is the first that is here.
            chosen = found.devices[0]
        self._take(chosen)
        self.changed.emit()
        if self._again:
            self.refresh()

    def _take(self, chosen: DeviceSummary | None) -> None:
        self.gone = chosen is None
        if chosen is not None:
            self.chosen, self._wanted = chosen, identity(chosen.device)
        self._start_sampler()

    def _start_sampler(self) -> None:
        if self._looking and self.sampler is None and self.chosen is not None:
            self.sampler = Sampler(self.chosen.device, self._roots, seconds=WINDOW_SECONDS)
            self.sampler.start()

    def _stop_sampler(self) -> None:
        sampler, self.sampler = self.sampler, None
        if sampler is not None:
            # It waits for its thread, for seconds if a driver hangs, and the window must not.
            self._stopper.submit(sampler.stop)


def _look(roots: Roots) -> Survey:
    return survey(local_devices(roots), roots)
