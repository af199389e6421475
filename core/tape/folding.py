"""A deep model's recordings from those of a shallow one: its layers repeat, and what they make has the same sizes.

Recording takes time for every operation of every layer.  A whole model is therefore recorded once for each sequence of
operations that it can have; at other lengths its sizes are read off a model of the same layers, only fewer.  A storage
of the one stands for a storage of the other where both have the same neighbours, as far as there is one: the
operations, sizes and components of what is created shortly before and after.  Every regime is compared with a recording
of the whole model at a length that was not looked at before (`FoldedRecordings.confirm`), to the byte.
"""

from collections.abc import Callable
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from vramtuner.core.tape.format import Component, Recording

Record = Callable[[int], Recording]

_NEIGHBOURS = (16, 6, 2, 0)
"""Storages on either side that are compared; the fewer the next best.  Layers make some dozens in a pass, and one or
two that are there before it, which are side by side then."""
_Kind = tuple[str, int, Component]
_Structure = tuple[tuple[int, ...], tuple[str, ...], tuple[Component, ...], frozenset[int]]


class NotFoldedError(Exception):
    """The shallow model does not stand for the deep one."""


class FoldedRecordings:
    """Recordings of a deep model, most of them by a shallow one.

    Parameters
    ----------
    deep, shallow
        Record the one and the other at a length.
    """

    def __init__(self, deep: Record, shallow: Record) -> None:
        self._deep, self._shallow = deep, lru_cache(maxsize=None)(shallow)
        self._wholes: dict[_Structure, tuple[Recording, _Classes]] = {}

    def record(self, tokens: int) -> Recording:
        """A recording of the deep model.

        Raises
        ------
        NotFoldedError
            A storage has no counterpart in the shallow model.
        """
        short = self._shallow(tokens)
        structure = (short.events, short.ops, short.components, short.upcasts)
        if structure in self._wholes:
            whole, classes = self._wholes[structure]
            sizes = classes.sizes(short)
            if sizes is not None:
                return Recording(tokens, whole.events, sizes, whole.components, whole.ops, whole.upcasts)
        whole = self._deep(tokens)
        self._wholes[structure] = (whole, _Classes(whole, short))
        return whole

    def confirm(self, tokens: int) -> None:
        """Compare with the deep model itself.

        Raises
        ------
        NotFoldedError
            They differ.
        """
        if self.record(tokens) != self._deep(tokens):
            raise NotFoldedError(f"layers do not repeat at {tokens:,} tokens")


class _Classes:
    """Which storages of a shallow model stand for each of a deep one."""

    def __init__(self, whole: Recording, short: Recording) -> None:
        names: dict[_Kind, int] = {}
        kinds, few = _kinds(whole, names), _kinds(short, names)
        # Weights are there before the pass, whatever its length.
        self._weights = {place: whole.sizes[place] for place in _places(whole, weights=True)}
        self._stand_ins: list[list[int]] = [[] for _ in whole.sizes]
        missing = _places(whole, weights=False)
        for reach in _NEIGHBOURS:
            around, of_few = _neighbourhoods(kinds, reach), _neighbourhoods(few, reach)
            found: dict[bytes, list[int]] = {}
            for place in _places(short, weights=False):
                found.setdefault(of_few[place], []).append(place)
            for place in missing:
                self._stand_ins[place] = found.get(around[place], [])
            missing = [place for place in missing if not self._stand_ins[place]]
        if missing:
            raise NotFoldedError(f"nothing in the shallow model is like {whole.ops[missing[0]]} in the deep one")

    def sizes(self, short: Recording) -> tuple[int, ...] | None:
        """Bytes of each storage of the deep model at the length of a recording of the shallow one.

        ``None`` where storages that were alike are so no longer, such as caches of layers that slide and that do not.
        """
        found = []
        for place, stand_ins in enumerate(self._stand_ins):
            size = self._weights.get(place)
            if size is None:
                size = short.sizes[stand_ins[0]]
                if any(short.sizes[other] != size for other in stand_ins):
                    return None
            found.append(size)
        return tuple(found)


def _places(recording: Recording, *, weights: bool) -> list[int]:
    """Where its weights are among its storages, or all the others."""
    return [place for place, code in enumerate(recording.components) if (code is Component.WEIGHTS) == weights]


def _kinds(recording: Recording, names: dict[_Kind, int]) -> npt.NDArray[np.int32]:
    """A number for what each storage is, the same for the same; ``names`` grows."""
    found = []
    for op, size, code in zip(recording.ops, recording.sizes, recording.components, strict=True):
        # The files of a checkpoint can say what all weights take together; which of them has how much is then unknown.
        found.append(names.setdefault((op, 0 if code is Component.WEIGHTS else size, code), len(names)))
    return np.array(found, dtype=np.int32)


def _neighbourhoods(kinds: npt.NDArray[np.int32], reach: int) -> list[bytes]:
    """What is around each storage and what it is itself, equal where all of that is."""
    row = np.pad(kinds, reach, constant_values=-1)
    return [row[place : place + 2 * reach + 1].tobytes() for place in range(len(kinds))]
