"""Python's lock, handed over sooner while work goes on beside the window."""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

SWITCH_SECONDS = 0.0005
"""How long a thread that only counts may keep the lock from the window, which asks for it many times a frame: with the
usual 0.005 a frame took half a second."""
_lock = threading.Lock()
_users = 0
_usual = 0.0


@contextmanager
def giving_way() -> Iterator[None]:
    """Let other threads have their turn sooner; the usual interval is back when the last of all users has ended."""
    global _users, _usual
    with _lock:
        if _users == 0:
            _usual = sys.getswitchinterval()
            sys.setswitchinterval(min(_usual, SWITCH_SECONDS))
        _users += 1
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            if _users == 0:
                sys.setswitchinterval(_usual)
