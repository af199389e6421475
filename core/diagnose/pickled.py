"""Pickles of plain values (dicts with names, lists, tuples, text, numbers), read without running what they ask for.

A pickle is a program for a small machine with a stack; of its operations only those are here that build such values.
Any other one (a class, a call, an object of another file) ends the reading.  Everything is bounded: values, characters
and the size of a number, so that a small file cannot make a large one of itself.  The operations are those of
`pickletools` up to protocol 5, binary ones only: what `pickle.dump` writes since protocol 2.
"""

import struct
from collections.abc import Callable
from typing import Any, BinaryIO, TypeAlias

from vramtuner.core.errors import BadInputError
from vramtuner.core.text import printable

MOST_VALUES = 24_000_000
_MOST_OPERATIONS = 1 << 28
_MOST_CHARACTERS = 1 << 28
_LONGEST_TEXT = 1 << 20
_LONGEST_NUMBER = 8
_EVERY = 65_536

Shrink: TypeAlias = Callable[[Any], Any]
"""What a value becomes as it is put into a list: the value itself, or less."""


class _BrokenError(Exception):
    """What is wrong with the pickle, for the one line that is told."""


def read_pickle(
    stream: BinaryIO, source: str, shrink: Shrink = lambda value: value, on_bytes: Callable[[int], None] | None = None
) -> Any:
    """The value that a pickle stands for.

    Raises
    ------
    BadInputError
        It asks for more than plain values, is longer than can be kept, or is broken.
    """
    machine = _Machine(stream, shrink)
    try:
        return machine.run(on_bytes)
    except _BrokenError as error:
        reason = str(error)
    except (IndexError, KeyError, AttributeError, TypeError, ValueError, struct.error):
        reason = "it is cut off or broken"
    raise BadInputError(f"{printable(source)} cannot be read as a memory snapshot: {reason}")


class _Machine:
    """The stack, what was put below it by marks, and the values that are referred to again."""

    def __init__(self, stream: BinaryIO, shrink: Shrink) -> None:
        self.read = stream.read
        self._shrink = shrink
        self.stack: list[Any] = []
        self.below: list[list[Any]] = []
        self.memo: dict[int, Any] = {}
        self.characters = self.made = 0
        self.done = 0

    def run(self, on_bytes: Callable[[int], None] | None) -> Any:
        read = self.read
        for count in range(_MOST_OPERATIONS):
            code = read(1)
            self.done += 1
            if code == b".":
                return self.stack.pop()
            step = _STEPS.get(code)
            if step is None:
                raise _BrokenError("it is cut off" if not code else "it holds more than plain values")
            step(self)
            if count % _EVERY == 0:
                if self.made > MOST_VALUES:
                    break
                if on_bytes:
                    on_bytes(self.done)
        raise _BrokenError("it holds more values than can be kept")

    def take(self, size: int) -> bytes:
        data = self.read(size)
        self.done += size
        if len(data) != size:
            raise _BrokenError("it is cut off")
        return data

    def count(self, size: int) -> int:
        return int.from_bytes(self.take(size), "little")

    def text(self, width: int) -> str:
        size = self.count(width)
        self.characters += size
        if size > _LONGEST_TEXT or self.characters > _MOST_CHARACTERS:
            raise _BrokenError("it holds more text than can be kept")
        return self.take(size).decode("utf-8", "replace")

    def number(self) -> int:
        size = self.count(1)
        if size > _LONGEST_NUMBER:
            raise _BrokenError("it holds a number of more than 64 bits")
        return int.from_bytes(self.take(size), "little", signed=True)

    def marked(self) -> list[Any]:
        """What was put on the stack since the last mark."""
        items, self.stack = self.stack, self.below.pop()
        return items

    def mark(self) -> None:
        self.made += 1
        self.below.append(self.stack)
        self.stack = []

    def append(self, items: list[Any]) -> None:
        into = self.stack[-1]
        if type(into) is not list:
            raise _BrokenError("it is broken")
        into.extend(self._shrink(item) for item in items)

    def set_items(self, items: list[Any]) -> None:
        """Into the dict on top; of names and numbers, because comparing other keys can be made to take for ever."""
        into = self.stack[-1]
        if type(into) is not dict or any(type(key) not in (str, int) for key in items[::2]):
            raise _BrokenError("it is broken, or holds dicts with other keys than names and numbers")
        into.update(zip(items[::2], items[1::2], strict=True))

    def tuple_of(self, size: int) -> None:
        self.made += 1
        items = tuple(self.stack[-size:])
        if len(items) != size:
            raise _BrokenError("it is broken")
        self.stack[-size:] = [items]

    def keep(self, place: int) -> None:
        self.made += 1
        self.memo[place] = self.stack[-1]

    def again(self, size: int) -> None:
        """Put a value on the stack that was kept; most operations of a snapshot do this, so that it calls no other."""
        self.done += size
        self.stack.append(self.memo[int.from_bytes(self.read(size), "little")])

    def pop_two(self) -> list[Any]:
        value, key = self.stack.pop(), self.stack.pop()
        return [key, value]


def _push(value: Callable[[_Machine], Any]) -> Callable[[_Machine], None]:
    """An operation that puts a value on the stack, and counts it: values that take memory are made here."""

    def step(machine: _Machine) -> None:
        machine.made += 1
        machine.stack.append(value(machine))

    return step


def _again(value: Callable[[_Machine], Any]) -> Callable[[_Machine], None]:
    """An operation that puts a value on the stack which takes no memory of its own."""
    return lambda machine: machine.stack.append(value(machine))


_STEPS: dict[bytes, Callable[[_Machine], Any]] = {
    b"\x80": lambda machine: machine.take(1),
    b"\x95": lambda machine: machine.take(8),
    b"(": _Machine.mark,
    b"0": lambda machine: machine.stack.pop(),
    b"1": _Machine.marked,
    b"}": _push(lambda _: {}),
    b"]": _push(lambda _: []),
    b")": _again(lambda _: ()),
    b"N": _again(lambda _: None),
    b"\x88": _again(lambda _: True),
    b"\x89": _again(lambda _: False),
    b"K": _again(lambda machine: machine.count(1)),
    b"M": _push(lambda machine: machine.count(2)),
    b"J": _push(lambda machine: int.from_bytes(machine.take(4), "little", signed=True)),
    b"\x8a": _push(_Machine.number),
    b"G": _push(lambda machine: struct.unpack(">d", machine.take(8))[0]),
    b"\x8c": _push(lambda machine: machine.text(1)),
    b"X": _push(lambda machine: machine.text(4)),
    b"\x8d": _push(lambda machine: machine.text(8)),
    b"t": _push(lambda machine: tuple(machine.marked())),
    b"\x85": lambda machine: machine.tuple_of(1),
    b"\x86": lambda machine: machine.tuple_of(2),
    b"\x87": lambda machine: machine.tuple_of(3),
    b"a": lambda machine: machine.append([machine.stack.pop()]),
    b"e": lambda machine: machine.append(machine.marked()),
    b"s": lambda machine: machine.set_items(machine.pop_two()),
    b"u": lambda machine: machine.set_items(machine.marked()),
    b"\x94": lambda machine: machine.keep(len(machine.memo)),
    b"q": lambda machine: machine.keep(machine.count(1)),
    b"r": lambda machine: machine.keep(machine.count(4)),
    b"h": lambda machine: machine.again(1),
    b"j": lambda machine: machine.again(4),
}
