"""Limits of levers that nobody has set: what a move would bring, worked out beside the window in a thread of its own.

The first forecast under a tape replays the allocator, which takes up to a second; none of that may hold up a slider.
What the thread has worked out is kept by core's own caches too, so that a move to it later is done at once.
"""

import logging
from collections.abc import Iterable
from queue import SimpleQueue
from threading import Thread
from typing import Any, TypeAlias

import msgspec
from PySide6.QtCore import QObject, Qt, QTimer, Signal

from vramtuner.core.advice import advise
from vramtuner.core.errors import AppError
from vramtuner.core.forecast import Forecast, forecast
from vramtuner.core.recording import find_tapes
from vramtuner.core.request import phases
from vramtuner.core.settings import Levers
from vramtuner.gui.turns import giving_way

logger = logging.getLogger(__name__)
QUIET_MILLISECONDS = 250
"""How long no lever has moved before anything is worked out."""
_MOST_ANSWERS = 4096
_Key: TypeAlias = tuple[Any, ...]


class Scout(QObject):
    """Answers what the limit would be under other levers, as far as their tapes are at hand.

    ``found`` says that there are new answers; ``advised`` carries a forecast and its best advice, or ``None``.
    """

    found = Signal()
    advised = Signal(object, object)
    _answered = Signal(object, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._answers: dict[_Key, int | None] = {}
        self._question: tuple[Forecast, tuple[Levers, ...]] | None = None
        self._number = 0
        self._jobs: SimpleQueue[tuple[int, Forecast, tuple[Levers, ...] | None] | None] = SimpleQueue()
        self._thread: Thread | None = None
        self._closed = False
        self._timer = QTimer(self, singleShot=True, interval=QUIET_MILLISECONDS)
        self._timer.timeout.connect(self._begin)
        self._answered.connect(self._on_answered, Qt.ConnectionType.QueuedConnection)

    def limit(self, plan: Forecast, levers: Levers) -> int | None:
        """The limit under other levers; ``None`` while it is not known, or cannot be without a recording.  [tokens]"""
        return self._answers.get(_key(plan, levers))

    def is_known(self, plan: Forecast, levers: Levers) -> bool:
        """Whether there is an answer, even if it is that no tape is at hand."""
        return _key(plan, levers) in self._answers

    def ask(self, plan: Forecast, wanted: Iterable[Levers]) -> None:
        """Have limits worked out once no lever moves; earlier questions that have not been answered are dropped."""
        if self._question is None or self._question[0] is not plan:
            self._number += 1
        self._question = (plan, tuple(wanted))
        self._timer.start()

    def ask_advice(self, plan: Forecast) -> None:
        """Have the best advice worked out, unless levers move meanwhile."""
        self._put((self._number, plan, None))

    def pause(self) -> None:
        """Drop what has not been answered: other work is waited for."""
        self._number += 1
        self._timer.stop()

    def forget(self) -> None:
        """Answer no longer from what was not at hand: a tape was recorded."""
        self._answers = {key: limit for key, limit in self._answers.items() if limit is not None}

    def close(self) -> None:
        """Stop, for good; what the thread is at comes to nothing."""
        self._closed, self._number = True, -1
        self._timer.stop()
        self._jobs.put(None)

    def _begin(self) -> None:
        assert self._question is not None
        plan, wanted = self._question
        unknown = tuple(levers for levers in wanted if not self.is_known(plan, levers))
        if unknown:
            self._put((self._number, plan, unknown))
        else:
            self.found.emit()

    def _put(self, job: tuple[int, Forecast, tuple[Levers, ...] | None]) -> None:
        if self._closed:
            return
        if self._thread is None:
            self._thread = Thread(target=self._work, name="scout", daemon=True)
            self._thread.start()
        self._jobs.put(job)

    def _on_answered(self, key: _Key, limit: int | None) -> None:
        if len(self._answers) >= _MOST_ANSWERS:
            self._answers.clear()
        self._answers[key] = limit
        self.found.emit()

    # ---- in the thread

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            number, plan, wanted = job
            with giving_way():
                if wanted is None:
                    self._advise(number, plan)
                else:
                    self._answer(number, plan, wanted)

    def _answer(self, number: int, plan: Forecast, wanted: tuple[Levers, ...]) -> None:
        for levers in wanted:
            if self._number != number:
                return
            limit = find_limit(plan, levers)
            if not self._closed:
                self._answered.emit(_key(plan, levers), limit)

    def _advise(self, number: int, plan: Forecast) -> None:
        found = advise(plan, go_on=lambda: self._number == number)
        if self._number == number and not self._closed:
            self.advised.emit(plan, next(iter(found), None))


def find_limit(plan: Forecast, levers: Levers) -> int | None:
    """The limit of a forecast's model and device under other levers; ``None`` where a tape would have to be recorded.

    The calibration of the forecast is taken along, as advice does.
    """
    try:
        tapes = find_tapes(plan.spec, phases(plan.spec, plan.device, levers))
        if tapes is None:
            return None
        return forecast(plan.spec, plan.device, levers, *tapes, calibration=plan.calibration).limit.tokens
    except AppError as error:
        logger.info("no limit of these levers: %s", error)
        return None


def _key(plan: Forecast, levers: Levers) -> _Key:
    """What a limit depends on: the token cap is not part of it, beyond leaving room for the new tokens."""
    if levers.token_cap is not None and not levers.new_tokens:
        levers = msgspec.structs.replace(levers, token_cap=None)
    return plan.spec.config_hash, plan.device, levers, plan.calibration
