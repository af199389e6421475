"""Watching storages come and go: the one mechanism behind fake recordings and the CPU stand-in's live bytes."""

import weakref
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from vramtuner.core.probe.steps import steps_inside


class StorageMode(TorchDispatchMode):
    """Calls `created` and `ended` for every storage that operations bring to life, once each.

    A storage is reduced to its ``untyped_storage()`` and ends when the last reference to that object does; views
    share it.  Storages of no bytes are not counted.
    """

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call] # torch's mode has no types
        # The weak reference lives here, beside the number, because a dead one must not fire for its successor.
        self._alive: dict[int, tuple[int, weakref.ref[torch.UntypedStorage]]] = {}
        self._count = 0
        self._elsewhere = False

    @contextmanager
    def elsewhere(self) -> Iterator[None]:
        """What is made meanwhile is not on the device: an offloaded cache's copies where there is one memory only."""
        self._elsewhere = True
        try:
            yield
        finally:
            self._elsewhere = False

    def before(self) -> None:
        """Called before each operation; may raise to stop the pass."""

    def created(self, number: int, size: int, op: str) -> None:
        """A storage of ``size`` bytes was created by ``op``; ``number`` counts from 1."""
        raise NotImplementedError

    def ended(self, number: int) -> None:
        """The storage is gone."""
        raise NotImplementedError

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        self.before()
        parts = steps_inside(func, args)
        if parts is not None:
            with self:
                return parts(*args, **(kwargs or {}))
        out = func(*args, **(kwargs or {}))
        self.note(tree_leaves(out), str(func))
        self.after(func, args, out)
        return out

    def after(self, func: Any, args: tuple[Any, ...], out: Any) -> None:
        """Called after each operation."""

    def note(self, values: Iterable[Any], op: str) -> None:
        """Take notice of the storages under these values that are not known yet."""
        for value in () if self._elsewhere else values:
            if not isinstance(value, torch.Tensor):
                continue
            storage = value.untyped_storage()
            key, size = storage._cdata, storage.nbytes()
            if key in self._alive or size == 0:
                continue
            self._count += 1
            number = self._count

            def end(_: object, key: int = key, number: int = number) -> None:
                if self._alive.get(key, (0,))[0] == number:
                    del self._alive[key]
                self.ended(number)

            self._alive[key] = (number, weakref.ref(storage, end))
            self.created(number, size, op)

    def number_of(self, tensor: torch.Tensor) -> int | None:
        """The number of a tensor's storage, while it is alive and known."""
        known = self._alive.get(tensor.untyped_storage()._cdata)
        return known[0] if known else None

    def alive(self) -> list[int]:
        """Numbers of the storages alive now, in the order of their creation."""
        return sorted(number for number, _ in self._alive.values())
