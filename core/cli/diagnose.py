"""The command ``diagnose``: from logs to causes."""

import os
import select
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from vramtuner.core.cli.options import Json
from vramtuner.core.cli.terminal import print_json
from vramtuner.core.diagnose import LogDiagnosis
from vramtuner.core.diagnose import diagnose as read_source
from vramtuner.core.diagnose.lines import Searcher
from vramtuner.core.diagnose.read import LogReader
from vramtuner.core.diagnose.text import diagnosis_text
from vramtuner.core.errors import BadInputError
from vramtuner.core.text import printable
from vramtuner.core.units import parse_bytes

_IDLE_SECONDS = 0.5
_PIECE = 1 << 16


def diagnose(
    files: Annotated[list[str], typer.Argument(metavar="FILE…", help="Logs or traces to read; - is standard input.")],
    as_json: Json = False,
    follow: Annotated[
        bool, typer.Option("--follow", help="Go on reading one log as it grows, and tell each failure; Ctrl-C ends it.")
    ] = False,
    pool: Annotated[str | None, typer.Option(help="Judge the peak of a trace by this pool, such as 10GiB.")] = None,
) -> None:
    """What a log says went wrong: the cause, the lines that show it, and what would have avoided it.

    Traces are those of rocprofv3 --memory-allocation-trace (its database, or --output-format csv or json), and the
    memory snapshots of PyTorch (torch.cuda.memory._dump_snapshot).

    Exit code 0 when the logs were read, whatever they say; 2 when one cannot be read.
    """
    if follow:
        if len(files) != 1:
            raise BadInputError("--follow reads one log; name one file, or - for standard input")
        _follow(files[0], as_json)
        return
    pool_bytes = None if pool is None else parse_bytes(pool)
    found = [_read(name, pool_bytes) for name in files]
    if as_json:
        print_json(_as_object(found))
    else:
        typer.echo("\n\n".join(diagnosis_text(diagnosis) for diagnosis in found))


def _as_object(found: list[LogDiagnosis]) -> dict[str, Any]:
    """The findings of all logs in one list, most certain first, each with the log that it is from."""
    findings = [
        {"source": diagnosis.source, **msgspec.to_builtins(finding)}
        for diagnosis in found
        for finding in diagnosis.findings
    ]
    findings.sort(key=lambda finding: -finding["confidence"])
    return {"sources": [diagnosis.source for diagnosis in found], "findings": findings}


def _read(name: str, pool_bytes: int | None) -> LogDiagnosis:
    with _opened(name) as stream, _progress(name, stream) as on_bytes:
        try:
            return read_source(stream, name, pool_bytes, on_bytes)
        except OSError as error:
            raise BadInputError(f"{printable(name)} cannot be read: {error.strerror}") from error


@contextmanager
def _opened(name: str) -> Iterator[BufferedReader]:
    if name == "-":
        # Its own buffer, because the one of sys.stdin need not be of a kind that can be peeked into.
        with open(sys.stdin.fileno(), "rb", closefd=False) as stream:
            yield stream
        return
    try:
        stream = Path(name).open("rb")  # noqa: SIM115 - closed below
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not a file name"
        raise BadInputError(
            f"{printable(name)} cannot be read: {reason}; name a log, or - for standard input"
        ) from error
    with stream:
        yield stream


@contextmanager
def _progress(name: str, stream: BufferedReader) -> Iterator[Callable[[int], None] | None]:
    """How far a large file is read, on a terminal."""
    size = os.fstat(stream.fileno()).st_size if name != "-" else 0
    if size < 1 << 28 or not sys.stderr.isatty():
        yield None
        return
    yield lambda done: _show(f"\r\033[K{printable(name)} {min(1.0, done / size):.0%}")
    _show("\r\033[K")


def _show(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()


def _follow(name: str, as_json: bool) -> None:
    """Tell each failure once its lines have stopped coming."""
    reader = LogReader()
    searcher = Searcher(reader.book.marks, reader.wants)
    with _opened(name) as stream:
        try:
            for piece in _pieces(stream, name == "-"):
                reader.feed(searcher.feed(piece, flush=not piece))
                if not piece and reader.failed:
                    _tell(LogDiagnosis(name, reader.findings()), as_json)
                    reader.forget_failures()
                    searcher.forget_shapes()
        except KeyboardInterrupt:
            return
    reader.feed(searcher.feed(b"", flush=True))
    if reader.failed:
        _tell(LogDiagnosis(name, reader.findings()), as_json)


def _pieces(stream: BufferedReader, ends: bool) -> Iterator[bytes]:
    """What comes in, and an empty piece whenever nothing did for a moment; a pipe ends, a file may be cut and go on."""
    number = stream.fileno()
    while True:
        if ends and not select.select([number], [], [], _IDLE_SECONDS)[0]:
            yield b""
            continue
        piece = os.read(number, _PIECE)
        if piece:
            yield piece
        elif ends:
            return
        else:
            yield b""
            if os.fstat(number).st_size < os.lseek(number, 0, os.SEEK_CUR):
                os.lseek(number, 0, os.SEEK_SET)
            time.sleep(_IDLE_SECONDS)


def _tell(diagnosis: LogDiagnosis, as_json: bool) -> None:
    if as_json:
        typer.echo(msgspec.json.encode(_as_object([diagnosis])).decode())
    else:
        typer.echo(diagnosis_text(diagnosis))
    sys.stdout.flush()
