"""Python's lock, handed over sooner while work goes on beside the window."""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

SWITCH_SECONDS = 0.0005
"""How long a thread that only counts may keep the lock from the window, which asks for it many times a frame: with the
usual 0.005 a frame took half a second."""


class _Turns:
    """How many ask for it, and what the interval was before the first of them did."""

    def __init__(self) -> None:
        self._lock, self._users, self._usual = threading.Lock(), 0, 0.0

    def begin(self) -> None:
        with self._lock:
            if self._users == 0:
                self._usual = sys.getswitchinterval()
                sys.setswitchinterval(min(self._usual, SWITCH_SECONDS))
            self._users += 1

    def end(self) -> None:
        with self._lock:
            self._users -= 1
            if self._users == 0:
                sys.setswitchinterval(self._usual)


_turns = _Turns()


@contextmanager
def giving_way() -> Iterator[None]:
    """Let other threads have their turn sooner; the usual interval is back when the last of all users has ended."""
    _turns.begin()
    try:
        yield
    finally:
        _turns.end()
