"""Undo and redo as two stacks of frozen values."""

from time import monotonic
from typing import Generic, TypeVar

T = TypeVar("T")
_SAME_GESTURE_SECONDS = 0.8
_DEPTH = 500


class History(Generic[T]):
    """Earlier and later values; the current one is the owner's.

    Quick changes of the same thing, as a dragged slider makes them, are one step.
    """

    def __init__(self) -> None:
        self._past: list[T] = []
        self._future: list[T] = []
        self._gesture = ""
        self._moved = 0.0
        self._held = False

    @property
    def can_undo(self) -> bool:
        return bool(self._past)

    @property
    def can_redo(self) -> bool:
        return bool(self._future)

    def hold(self, on: bool) -> None:
        """Whether a gesture goes on, however long it pauses; each hold begins a gesture of its own."""
        if on and not self._held:
            self._gesture = ""
        self._held = on

    def push(self, current: T, gesture: str = "") -> None:
        """Keep the value that is about to be replaced.

        Parameters
        ----------
        gesture
            What is being changed; empty for a change that is always a step of its own.
        """
        now = monotonic()
        is_soon = self._held or now - self._moved < _SAME_GESTURE_SECONDS
        goes_on = gesture and gesture == self._gesture and is_soon
        if not goes_on or not self._past:
            self._past = [*self._past[1 - _DEPTH :], current]
        self._gesture, self._moved = gesture, now
        self._future.clear()

    def undo(self, current: T) -> T | None:
        """The value before the last change, or ``None`` when there is none."""
        return self._step(current, self._past, self._future)

    def redo(self, current: T) -> T | None:
        """The value that the last undo left, or ``None`` when there is none."""
        return self._step(current, self._future, self._past)

    def _step(self, current: T, source: list[T], target: list[T]) -> T | None:
        self._gesture = ""
        if not source:
            return None
        target.append(current)
        return source.pop()
