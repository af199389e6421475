"""The probe off the GUI thread: a blocking call in, Qt signals out."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from PySide6.QtCore import QObject, Qt, Signal

from vramtuner.core.deploy.export import Export, export
from vramtuner.core.forecast import Forecast
from vramtuner.core.probe.client import Probe
from vramtuner.core.probe.protocol import Event
from vramtuner.core.profiling import Confirmation, Profile, confirm_limit, run_profile

Work: TypeAlias = Callable[[Probe, Callable[[Event], None]], Any]


class Bridge(QObject):
    """Runs one piece of work at a time on a worker thread.

    ``event_received`` carries the run's number and an event; ``done`` its number and the finished future, whose
    ``result()`` returns what the work returned or raises what it raised, on the GUI thread.
    """

    event_received = Signal(int, object)
    done = Signal(int, object)
    _ended = Signal(int, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="probe")
        self._recorder = Probe()
        self._number = 0
        self._active: Probe | None = None
        self._cancelled = False
        self._ended.connect(self._on_ended, Qt.ConnectionType.QueuedConnection)

    @property
    def busy(self) -> bool:
        """Whether work is under way."""
        return self._active is not None

    def start(self, work: Work, *, fresh: bool = False) -> int:
        """Begin a piece of work and return its number.

        Parameters
        ----------
        work
            Called on the worker thread with a probe and a function that takes its events.
        fresh
            Give it a probe process of its own, which is gone when the work is done: passes leave nothing in memory.
            Otherwise the process is kept for the next recording, which then need not import PyTorch again.
        """
        if self.busy:
            raise ValueError("one run at a time")
        self._number += 1
        self._cancelled = False
        self._active = Probe() if fresh else self._recorder
        future = self._worker.submit(self._run, work, self._active, self._number, fresh)
        future.add_done_callback(partial(self._ended.emit, self._number))
        return self._number

    def cancel(self) -> None:
        """Stop the work under way; it ends with `CancelledError` within about a second."""
        self._cancelled = True
        if self._active is not None:
            self._active.cancel()

    def close(self) -> None:
        """Stop everything and wait until nothing is left: no thread, no process."""
        self.cancel()
        self._worker.shutdown(wait=True)
        self._recorder.close()

    def _run(self, work: Work, probe: Probe, number: int, fresh: bool) -> Any:
        def on_event(event: Event) -> None:
            if self._cancelled:
                # The request may have come before the probe began to listen for it.
                probe.cancel()
            self.event_received.emit(number, event)

        try:
            return work(probe, on_event)
        finally:
            if fresh:
                probe.close()

    def _on_ended(self, number: int, future: "Future[Any]") -> None:
        self._active = None
        self.done.emit(number, future)


def profile_work(plan: Forecast, lengths: tuple[int, ...]) -> Work:
    """The passes of these lengths, as work for the probe; the run is kept as a file."""

    def work(probe: Probe, on_event: Callable[[Event], None]) -> Profile:
        return run_profile(plan, lengths, probe, on_event=on_event)

    return work


def confirm_work(plan: Forecast) -> Work:
    """The passes that confirm the limit of a plan without a margin, as work for the probe; kept as files."""

    def work(probe: Probe, on_event: Callable[[Event], None]) -> Confirmation:
        return confirm_limit(plan, lambda lengths: run_profile(plan, lengths, probe, on_event=on_event).passes)

    return work


def export_work(plan: Forecast, path: Path, also: tuple[int, ...]) -> Work:
    """The validation of a plan and its file, as work for the probe."""

    def work(probe: Probe, on_event: Callable[[Event], None]) -> Export:
        return export(plan, path, validated=True, on_event=on_event, probe=probe, also=also)

    return work
