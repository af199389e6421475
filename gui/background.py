"""Work that takes longer than a frame and needs no probe: one piece after another, on a thread of its own."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Qt, Signal

from vramtuner.core.errors import AppError, CancelledError

T = TypeVar("T")


class Background(QObject):
    """Runs work in its order; what it returns is handed on, or its `AppError`, on the GUI thread."""

    _ended = Signal(object, object)

    def __init__(self, name: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.closing = False
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)
        self._ended.connect(lambda then, result: then(result), Qt.ConnectionType.QueuedConnection)

    def start(self, work: Callable[[], T], then: Callable[[T], Any], failed: Callable[[AppError], Any]) -> None:
        """Do some work, and then something with what came of it."""
        if not self.closing:
            self._worker.submit(work).add_done_callback(partial(self._on_done, then, failed))

    def check(self) -> None:
        """Raise `CancelledError` once nobody waits for the work any more; for long work to call."""
        if self.closing:
            raise CancelledError("cancelled")

    def close(self) -> None:
        """Stop, for good; returns when the thread is gone."""
        self.closing = True
        self._worker.shutdown(wait=True, cancel_futures=True)

    def _on_done(self, then: Callable[[Any], Any], failed: Callable[[AppError], Any], future: "Future[Any]") -> None:
        if self.closing or future.cancelled():
            return
        error = future.exception()
        if error is None:
            self._ended.emit(then, future.result())
        elif isinstance(error, AppError):
            self._ended.emit(failed, error)
        else:
            self._ended.emit(_raise, error)


def _raise(error: BaseException) -> None:
    raise error
