"""Logs for the window: read off the GUI thread, with the lines to show of them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from io import BufferedReader, BytesIO
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from PySide6.QtCore import QObject, QSettings, Signal

from vramtuner.core.diagnose import Finding, diagnose, has_lines
from vramtuner.core.errors import AppError, BadInputError
from vramtuner.core.forecast import Forecast, forecast
from vramtuner.core.recording import find_tapes
from vramtuner.core.request import phases
from vramtuner.core.settings import Levers
from vramtuner.core.text import printable
from vramtuner.core.words import say
from vramtuner.gui.background import Background
from vramtuner.gui.turns import giving_way
from vramtuner.gui.values import sentence

SHOWN_WHOLE_BYTES = 1 << 20
_AROUND = 4  # lines to either side of one that shows something
_MOST_SHOWN = 4000
_LONGEST_LINE = 2000
_PIECE = 1 << 16
_ESCAPES = re.compile(rb"\x1b\[[0-9;?]*[A-Za-z]")
_RECENT, _MOST_RECENT = "diagnose/recent", 8


@dataclass(frozen=True, slots=True)
class ReadLog:
    """A log that was read.

    Attributes
    ----------
    lines
        What is shown of it: number, from 1, and text; number 0 stands for lines that are left out.
    """

    name: str
    findings: tuple[Finding, ...]
    lines: tuple[tuple[int, str], ...]

    def row_of(self, line: int) -> int | None:
        """Where a line of the log is among those that are shown."""
        return next((row for row, (number, _) in enumerate(self.lines) if number == line), None)


class Logs(QObject):
    """Reads one log after another; ``read`` carries it, ``failed`` why it cannot be, ``progress`` how far it is."""

    read = Signal(object)
    failed = Signal(str)
    progress = Signal(float)
    limits_found = Signal(object, object)
    """A forecast, and the limits of other levers by these levers; ``None`` where a tape has to be recorded first."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._background = Background("logs", self)

    def take_text(self, text: str) -> None:
        """Read what was pasted."""
        data = text.encode("utf-8", "replace")
        self._background.start(
            partial(self._read, BufferedReader(BytesIO(data)), len(data), say("pasted text")),
            self.read.emit,
            self._fail,
        )

    def take_file(self, path: Path) -> None:
        """Read a file."""
        self._background.start(partial(self._read_file, path), partial(self._on_file, path), self._fail)

    def ask_limits(self, plan: Forecast, wanted: tuple[Levers, ...]) -> None:
        """Work out what the limits would be under other levers."""
        self._background.start(
            lambda: {levers: _limit(plan, levers) for levers in wanted},
            partial(self.limits_found.emit, plan),
            self._fail,
        )

    def close(self) -> None:
        """Stop, for good."""
        self._background.close()

    def _on_file(self, path: Path, found: ReadLog) -> None:
        note_recent(path)
        self.read.emit(found)

    def _fail(self, error: AppError) -> None:
        self.failed.emit(sentence(error))

    def _read_file(self, path: Path) -> ReadLog:
        try:
            with path.open("rb") as stream:
                return self._read(stream, path.stat().st_size, path.name)
        except OSError as error:
            raise BadInputError(
                say("{path} cannot be read: {reason}", path=printable(str(path), 200), reason=error.strerror)
            ) from error

    def _read(self, stream: BufferedReader, size: int, name: str) -> ReadLog:
        def on_bytes(done: int) -> None:
            self._background.check()
            self.progress.emit(done / max(size, 1))

        lines = has_lines(stream)
        found = diagnose(stream, name, on_bytes=on_bytes)
        if not lines:
            return ReadLog(name, found.findings, tuple(_told(found.findings)))
        stream.seek(0)
        wanted = {entry.line for finding in found.findings for entry in finding.evidence}
        return ReadLog(name, found.findings, tuple(_shown(stream, wanted, whole=size <= SHOWN_WHOLE_BYTES)))


def _limit(plan: Forecast, levers: Levers) -> int | None:
    try:
        with giving_way():
            tapes = find_tapes(plan.spec, phases(plan.spec, plan.device, levers))
            return None if tapes is None else forecast(plan.spec, plan.device, levers, *tapes).limit.tokens
    except AppError:
        return None


def _told(findings: tuple[Finding, ...]) -> Iterator[tuple[int, str]]:
    """What findings say of the events of a trace that has no lines."""
    lines: dict[int, list[str]] = {}
    for finding in findings:
        for entry in finding.evidence:
            lines.setdefault(entry.line, []).append(printable(entry.text, _LONGEST_LINE))
    return ((number, "; ".join(texts)) for number, texts in sorted(lines.items()))


def _shown(stream: BinaryIO, wanted: set[int], *, whole: bool) -> Iterator[tuple[int, str]]:
    """All lines of a small log, and of a large one those around what shows something, a gap between."""
    last, most = max(wanted, default=0) + _AROUND, _MOST_SHOWN
    near = {line + offset for line in wanted for offset in range(-_AROUND, _AROUND + 1)}
    before = 0
    for number, line in enumerate(_lines(stream) if whole else islice(_lines(stream), last), start=1):
        if not whole and number not in near:
            continue
        if most == 0:
            yield 0, "…"
            return
        if number != before + 1:
            yield 0, "…"
        most, before = most - 1, number
        yield number, printable(_ESCAPES.sub(b"", line).decode("utf-8", "replace"), _LONGEST_LINE)


def _lines(stream: BinaryIO) -> Iterator[bytes]:
    """The beginning of each line, of a progress bar its last state."""
    while piece := stream.readline(_PIECE):
        first = piece
        while not piece.endswith(b"\n") and (piece := stream.readline(_PIECE)):
            pass
        yield first.rstrip(b"\r\n").rpartition(b"\r")[2]


def recent_logs() -> list[Path]:
    """The logs that were read last, the newest first, as far as they are still there."""
    kept = QSettings().value(_RECENT, [], type=list)
    return [path for path in map(Path, map(str, kept if isinstance(kept, list) else [])) if path.is_file()]


def note_recent(path: Path) -> None:
    """Keep a log among those that were read last."""
    kept = [path, *(one for one in recent_logs() if one != path)]
    QSettings().setValue(_RECENT, [str(one) for one in kept[:_MOST_RECENT]])
