"""A log as the few stretches of it that may say something, in constant memory.

The bytes are searched for the marks of all rules at once, whatever the file holds; only around a mark are they made
text.  A stretch is the line with the mark and a few that follow, because messages are wrapped by terminals and people.
"""

import codecs
import re
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

import msgspec

_CHUNK = 1 << 20
_AHEAD = 16 << 10
_LONGEST = 4 << 10
_LINES_AFTER = 12
_NARROWEST, _WIDEST = 60, 260
_MOST_SHAPES = 20_000
_OF_A_SHAPE = 40
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[()][A-Z0-9]|\[(?:[0-9]{1,3};?){1,3}m")
_PREFIX = re.compile(r"^[\s>|│]+|[\s│]+$")
_DIGITS = re.compile(rb"[0-9a-fA-F]*[0-9][0-9a-fA-F]*")
_AS_TYPED = str.maketrans("“”„‘’`\r", "\"\"\"''' ")


class Stretch(msgspec.Struct, frozen=True):
    """The line of a mark (``text``), cleaned, and what follows it (``whole`` begins with ``text``).

    ``glued`` is the whole without spaces where lines end, for a line that a terminal may have broken inside a word.
    """

    line: int
    text: str
    whole: str
    glued: str = ""


class Searcher:
    """Bytes in, stretches out; of lines that differ in digits only, the first 40."""

    def __init__(self, marks: Any, wants: Callable[[bytes], bool] = lambda mark: True) -> None:
        self._marks, self._wants = marks, wants
        self._shapes: dict[bytes, int] = {}
        self._held = b""
        self._line = 1

    def feed(self, chunk: bytes, flush: bool = False) -> Iterator[Stretch]:
        """Look through what is complete by now; all that is there where ``flush`` says that nothing more comes soon."""
        held = self._held + chunk
        zone = len(held) if flush else _zone(held)
        position = counted = 0
        while position < zone and (match := self._marks.search(held, position, zone)):
            at = match.start()
            if not self._wants(match.group()):
                position = at + 1
                continue
            start, end, position = _bounds(held, at)
            self._line += held.count(b"\n", counted, start)
            counted = start
            if _new_shape(self._shapes, held[at : min(end, at + 200)]):
                stretch, covered = _stretch(held, start, end, self._line)
                position = max(position, covered)
                yield stretch
        self._line += held.count(b"\n", counted, zone)
        self._held = held[zone:]

    def forget_shapes(self) -> None:
        """Look at lines again that there were enough of."""
        self._shapes.clear()


def stretches(
    stream: BinaryIO,
    marks: Any,
    wants: Callable[[bytes], bool] = lambda mark: True,
    on_bytes: Callable[[int], None] | None = None,
) -> Iterator[Stretch]:
    """Every stretch of a stream with a mark in it, in order.

    Parameters
    ----------
    marks
        A compiled RE2 pattern for bytes.
    wants
        Asked for each mark, as it stands there, whether its stretch is to be looked at.
    on_bytes
        Told how many bytes were read after each piece.
    """
    searcher, done = Searcher(marks, wants), 0
    for chunk, last in _chunks(stream):
        yield from searcher.feed(chunk, flush=last)
        done += len(chunk)
        if on_bytes:
            on_bytes(done)


def _chunks(stream: BinaryIO) -> Iterator[tuple[bytes, bool]]:
    """Pieces of a stream as UTF-8, or as whatever bytes they are; the last one is marked."""
    first = stream.read(_CHUNK)
    decode = _decoder(first)
    while first:
        following = stream.read(_CHUNK)
        yield decode(first), not following
        first = following


def _decoder(start: bytes) -> Callable[[bytes], bytes]:
    """Windows shells write UTF-16 with a mark at the beginning; everything else is read as it is."""
    if start[:2] not in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        return lambda piece: piece
    decoder = codecs.getincrementaldecoder("utf-16")(errors="replace")
    return lambda piece: decoder.decode(piece).encode("utf-8", "replace")


def _zone(held: bytes) -> int:
    """Up to where marks are looked at now: what may follow them is here already."""
    least = len(held) - _AHEAD
    if least <= 0:
        return 0
    newline = held.rfind(b"\n", 0, least)
    return newline + 1 if newline >= 0 else max(0, least - _LONGEST)


def _bounds(held: bytes, at: int) -> tuple[int, int, int]:
    """Where the line of a mark begins and ends, at most 2 KiB to each side, and where to look on."""
    start = max(held.rfind(b"\n", 0, at) + 1, at - _LONGEST // 2)
    end = held.find(b"\n", at, at + _LONGEST // 2)
    return (start, end, end + 1) if end >= 0 else (start, min(at + _LONGEST // 2, len(held)), at + _LONGEST // 2)


def _new_shape(shapes: dict[bytes, int], piece: bytes) -> bool:
    """Whether lines like this one are still to be looked at: a flood of one message must not cost its length."""
    shape = _DIGITS.sub(b"0", piece)
    seen = shapes.get(shape, 0)
    if seen == 0 and len(shapes) >= _MOST_SHAPES:
        shapes.clear()
    shapes[shape] = seen + 1
    return seen < _OF_A_SHAPE


def _stretch(held: bytes, start: int, end: int, line: int) -> tuple[Stretch, int]:
    """The stretch that begins with a line, and up to where it has been looked at with it.

    A terminal breaks lines anywhere, words and numbers too, and all of them at its width; people break them between
    words.  Lines of one width are therefore one line, whose parts are not looked at again.
    """
    after = held[end + 1 : end + 1 + _LONGEST].split(b"\n", _LINES_AFTER)[:_LINES_AFTER]
    raw = [piece.rstrip() for piece in _plain(b"\n".join((held[start:end], *after))).split("\n")]
    width = len(raw[0])
    broken = next((n for n, piece in enumerate(raw) if n and not _continues(raw[0], piece)), len(raw))
    if _NARROWEST <= width <= _WIDEST and broken > 1:
        whole = clean("".join(raw[: broken + 1]))
        return Stretch(line, whole, whole), end + sum(len(piece) + 1 for piece in after[:broken])
    pieces = [_PREFIX.sub("", piece) for piece in raw]
    maybe = _NARROWEST <= width <= _WIDEST and len(raw) > 1 and len(raw[1]) < width and raw[1][:4] != raw[0][:4]
    glued = _spaced("".join(pieces)) if maybe else ""
    return Stretch(line, _spaced(pieces[0]), _spaced(" ".join(pieces)), glued), 0


def _continues(first: str, piece: str) -> bool:
    """Whether a line can be the same line going on: as wide, and no record of its own that begins as the first does."""
    return len(piece) == len(first) and piece[:4] != first[:4]


def _plain(piece: bytes) -> str:
    text = piece.decode("utf-8", "replace").translate(_AS_TYPED)
    return _ESCAPES.sub("", text) if "\x1b" in text or ("m" in text and "[" in text) else text


def _spaced(text: str) -> str:
    return " ".join(text.split())


def clean(text: str) -> str:
    """Text without quotation and box marks at its ends and runs of spaces."""
    return _spaced(_PREFIX.sub("", text))
