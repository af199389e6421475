"""Cells of the matrix worked out off the GUI thread."""

import threading
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal

from vramtuner.core.errors import CancelledError
from vramtuner.core.matrix import Cell, Question, at_hand, compute
from vramtuner.gui.turns import giving_way


class CellWork(QObject):
    """Answers one set of questions at a time on a worker thread; the next set takes the place of the one under way.

    ``answered`` carries the place of a question and its cell; ``ended`` comes when a set is done, and not for one that
    was given up.
    """

    answered = Signal(int, object)
    ended = Signal()
    _answered = Signal(int, int, object)
    _ended = Signal(int, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="cells")
        self._number = 0
        self._stop = threading.Event()
        self.busy = False
        self._answered.connect(self._on_answered, Qt.ConnectionType.QueuedConnection)
        self._ended.connect(self._on_ended, Qt.ConnectionType.QueuedConnection)

    def start(self, asked: Sequence[Question]) -> None:
        """Begin with these questions; those that lack tapes get what is at hand."""
        self.cancel()
        self._number += 1
        self._stop, self.busy = threading.Event(), True
        future = self._worker.submit(self._run, tuple(asked), self._number, self._stop)
        future.add_done_callback(partial(self._ended.emit, self._number))

    def cancel(self) -> None:
        """Give up what is under way; a cell that was begun ends by itself, and nobody hears of it."""
        self._stop.set()
        self._number += 1
        self.busy = False

    def close(self) -> None:
        """Stop, and wait until no thread is left."""
        self.cancel()
        self._worker.shutdown(wait=True)

    def _run(self, asked: tuple[Question, ...], number: int, stop: threading.Event) -> None:
        def ready(question: Question) -> Question:
            if stop.is_set():
                raise CancelledError("cancelled")
            return at_hand(question) if question.tapes is None and not question.problem else question

        with giving_way():
            compute(tuple(map(ready, asked)), on_cell=partial(self._answered.emit, number), cancelled=stop.is_set)

    def _on_answered(self, number: int, place: int, cell: Cell) -> None:
        if number == self._number:
            self.answered.emit(place, cell)

    def _on_ended(self, number: int, future: "Future[Any]") -> None:
        if number == self._number:
            self.busy = False
            future.result()
            self.ended.emit()
