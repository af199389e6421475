"""A run of real passes as a file: what was asked, under which versions, and every event as it came.

Gzipped JSON lines, a header first.  It is written while the run goes on and can be read up to where it ended, whatever
ended it.  Such a file is hostile until it is read: sizes are bounded, and anything that is no event ends the reading.
"""

import codecs
import csv
import gzip
import itertools
import zlib
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import platformdirs

from vramtuner.core.device.spec import Device
from vramtuner.core.errors import BadInputError
from vramtuner.core.files import written_atomically
from vramtuner.core.forecast import Forecast
from vramtuner.core.model.spec import ModelSpec
from vramtuner.core.probe.protocol import Event, PassResult, PassStarted, Samples
from vramtuner.core.settings import Levers
from vramtuner.core.tape.store import installed_versions
from vramtuner.core.words import say

SUFFIX = ".vramrun"
FORMAT_VERSION = 1
_MAX_LINE_BYTES = 4 * 2**20
"""A batch of readings is some ten KiB, a header what a config is; more would be taken apart at ten times its size."""
_FLUSH_EVENTS = 32
_COLUMNS = ("seconds", "allocated_bytes", "reserved_bytes", "process_bytes", "device_bytes", "pass_tokens")
_GROUP_ROWS = 100_000
_MOST_MARKS = 10_000
"""Some five or six belong to a pass."""
_MOST_MARK_BYTES = 32 * 2**20


class Header(msgspec.Struct, frozen=True, kw_only=True):
    """What a run was made with.

    Attributes
    ----------
    created
        Local time with its offset, ISO 8601.
    forecast_bytes
        By length, the peak of tensors that was forecast.
    """

    format: int = FORMAT_VERSION
    created: str
    spec: ModelSpec
    device: Device
    levers: Levers
    pool_bytes: int
    versions: dict[str, str]
    forecast_bytes: dict[int, int] = {}


class Run(msgspec.Struct, frozen=True):
    """A run as it was kept; its readings, which may be millions, stay in the file until they are asked for.

    Attributes
    ----------
    marks
        Every event but the readings.
    complete
        False where the file ends before the run did.
    """

    path: Path
    header: Header
    marks: tuple[Event, ...]
    complete: bool

    @property
    def passes(self) -> tuple[PassResult, ...]:
        return tuple(event for event in self.marks if isinstance(event, PassResult))

    @property
    def snapshot(self) -> Path:
        """Where PyTorch's own record of a GPU's memory is, if there is one."""
        return snapshot_path(self.path)

    def events(self) -> Iterator[Event]:
        """Every event as it came, read from the file once more, as far as `read_run` goes."""
        return (event for event in _events(self.path) if not isinstance(event, Header | _End))

    def samples(self) -> Iterator["Row"]:
        """Every reading."""
        for event in self.events():
            if isinstance(event, Samples):
                yield from rows_of(event)


class Row(NamedTuple):
    """One reading: seconds since the run began, and bytes."""

    seconds: float
    allocated: int
    reserved: int
    process: int
    device: int


def rows_of(samples: Samples) -> Iterator[Row]:
    """The readings of a batch."""
    device = samples.device or [0] * len(samples.seconds)
    columns = (samples.seconds, samples.allocated, samples.reserved, samples.process, device)
    return map(Row._make, zip(*columns, strict=True))


class _End(msgspec.Struct, frozen=True, tag="end"):
    """The last line of a run that was kept to its end."""


_line_decoder = msgspec.json.Decoder(Event | _End)


class RunWriter:
    """Keeps the events of a run; what was written is on disk a moment later.

    A disk that is full ends the keeping and not the run: ``problem`` then says why.

    Raises
    ------
    BadInputError
        The file cannot be made.
    """

    def __init__(self, path: Path, header: Header) -> None:
        self.path, self.problem = path, ""
        self._unflushed = 0
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file: gzip.GzipFile | None = gzip.open(path, "xb", compresslevel=6)  # noqa: SIM115 - open for a run
        except OSError as error:
            raise BadInputError(
                say("the run cannot be kept in {path}: {value}", path=path, value=error.strerror or error)
            ) from error
        self._write(header)
        self._flush()

    def keep(self, event: Event) -> None:
        """Add an event."""
        self._write(event)
        self._unflushed += 1
        if self._unflushed >= _FLUSH_EVENTS or not isinstance(event, Samples):
            self._flush()

    def close(self, *, complete: bool) -> None:
        """End the file; ``complete`` where the run came to its end."""
        if complete:
            self._write(_End())
        file, self._file = self._file, None
        if file is not None:
            try:
                file.close()
            except OSError as error:
                self._give_up(error)

    def _write(self, value: Any) -> None:
        if self._file is None:
            return
        try:
            self._file.write(msgspec.json.encode(value) + b"\n")
        except OSError as error:
            self._give_up(error)

    def _flush(self) -> None:
        self._unflushed = 0
        if self._file is None:
            return
        try:
            self._file.flush()
        except OSError as error:
            self._give_up(error)

    def _give_up(self, error: OSError) -> None:
        self.problem = say(
            "the run is no longer kept in {path}: {value}", path=self.path, value=error.strerror or error
        )
        self._file = None


def header_of(plan: Forecast, lengths: tuple[int, ...]) -> Header:
    """The header of a run of these lengths under a forecast."""
    return Header(
        created=local_time(),
        spec=plan.spec,
        device=plan.device,
        levers=plan.levers,
        pool_bytes=plan.pool_bytes,
        versions=installed_versions(),
        forecast_bytes={tokens: plan.tensor_bytes(tokens) for tokens in lengths},
    )


def local_time() -> str:
    """Now, to the second and with its offset, as ISO 8601 writes it."""
    return datetime.now(UTC).astimezone().isoformat(timespec="seconds")


def runs_folder() -> Path:
    """Where runs are kept on this machine."""
    return Path(platformdirs.user_data_dir("vramtuner")) / "runs"


def new_path(header: Header, folder: Path | None = None) -> Path:
    """A file for a run that is not there yet, named by its time, model and device."""
    folder = folder or runs_folder()
    when = "".join(char for char in header.created[:19] if char.isdigit())
    stem = "-".join((when, *(_plain(name) for name in (header.spec.name, header.device.key))))
    names = (f"{stem}{number}{SUFFIX}" for number in ("", *(f"-{count}" for count in range(2, 10_000))))
    return next(folder / name for name in names if not (folder / name).exists())


def new_writer(header: Header, folder: Path | None = None) -> RunWriter:
    """A run's file under a name that no other process takes at the same moment.

    Raises
    ------
    BadInputError
        It cannot be made.
    """
    while True:
        path = new_path(header, folder)
        try:
            return RunWriter(path, header)
        except BadInputError as error:
            # A file where the folder should be is the same kind of error, and would be for ever.
            if not isinstance(error.__cause__, FileExistsError) or not path.exists():
                raise


def _plain(name: str) -> str:
    return "".join(char if char.isascii() and (char.isalnum() or char in "._") else "-" for char in name)[:60]


def snapshot_path(path: Path) -> Path:
    """The file of PyTorch's own record beside that of a run; for its viewer only, since nothing here unpickles."""
    return path.with_suffix(".memory.pickle")


def read_run(path: Path, *, check: Callable[[], None] = lambda: None) -> Run:
    """A run, as far as its file goes.

    Parameters
    ----------
    check
        Called before every event; may raise to stop the reading of a file that is huge.

    Raises
    ------
    BadInputError
        The file cannot be read, or is not that of a run.
    """
    events = _events(path)
    header, marks, complete = next(events), list[Event](), False
    assert isinstance(header, Header)
    for event in events:
        check()
        if isinstance(event, _End):
            complete = True
        elif not isinstance(event, Header | Samples):
            marks.append(event)
    return Run(path, header, tuple(marks), complete)


def read_header(path: Path) -> Header:
    """Only what a run was made with.

    Raises
    ------
    BadInputError
        As `read_run`.
    """
    header = next(_events(path))
    assert isinstance(header, Header)
    return header


def _events(path: Path) -> Iterator["Header | Event | _End"]:
    """The lines of a run's file, the header first; they end where the file is cut off, damaged, or no run's any more.

    A run is mostly readings: beyond so many other events, or bytes of them, no pass has written it.
    """
    begun, marks, mark_bytes = False, 0, 0
    try:
        with gzip.open(path, "rb") as file:
            while line := file.readline(_MAX_LINE_BYTES):
                if not begun:
                    yield _decode_header(line, path)
                    begun = True
                    continue
                event = _line_decoder.decode(line)
                if not isinstance(event, Samples):
                    marks, mark_bytes = marks + 1, mark_bytes + len(line)
                    if marks > _MOST_MARKS or mark_bytes > _MOST_MARK_BYTES:
                        break
                elif not _is_even(event):
                    break
                yield event
                if isinstance(event, _End):
                    break
    except (EOFError, zlib.error, msgspec.DecodeError, UnicodeDecodeError):
        pass  # what came before it stands
    except OSError as error:
        if not isinstance(error, gzip.BadGzipFile) or not begun:
            raise BadInputError(
                say("{path} cannot be read as a run: {value}", path=path, value=error.strerror or error)
            ) from error
    if not begun:
        raise BadInputError(
            say("{path} is not the file of a run; runs are kept in {runs_folder}", path=path, runs_folder=runs_folder())
        )


def _is_even(samples: Samples) -> bool:
    """Whether the columns of a batch are as long as each other."""
    lengths = {len(column) for column in (samples.seconds, samples.allocated, samples.reserved, samples.process)}
    return len(lengths) == 1 and len(samples.device) in (0, *lengths)


def _decode_header(line: bytes, path: Path) -> Header:
    header = msgspec.json.decode(line, type=Header)
    if header.format != FORMAT_VERSION:
        raise BadInputError(
            say(
                "{path} is a run of format {format}; this release reads format {format_version}",
                path=path,
                format=header.format,
                format_version=FORMAT_VERSION,
            )
        )
    if not _is_int64(msgspec.to_builtins(header)):
        raise BadInputError(say("{path} is not the file of a run: it has numbers that nothing can have", path=path))
    return header


def _is_int64(value: Any) -> bool:
    """Whether every whole number in plain values has 64 bits or fewer: arrays and plots take no more."""
    if isinstance(value, dict):
        return all(_is_int64(key) and _is_int64(inner) for key, inner in value.items())
    if isinstance(value, list | tuple):
        return all(map(_is_int64, value))
    return not isinstance(value, int) or -(2**63) <= value < 2**63


def forget_run(path: Path) -> None:
    """Take a run's file away, and what is beside it.

    Raises
    ------
    OSError
        It cannot be removed.
    """
    path.unlink()
    snapshot_path(path).unlink(missing_ok=True)


def export_csv(run: Run, path: Path, *, check: Callable[[], None] = lambda: None) -> None:
    """Write every reading as a line of comma-separated values, with the pass that it belongs to.

    Parameters
    ----------
    check
        Called for every so many readings; may raise to stop the writing, which then leaves nothing.

    Raises
    ------
    OSError
        The file cannot be written; nothing is left of it.
    """
    with written_atomically(path) as file:
        writer = csv.writer(codecs.getwriter("utf-8")(file), lineterminator="\n")
        writer.writerow(_COLUMNS)
        for group in _groups(run):
            check()
            writer.writerows(group)


def export_parquet(run: Run, path: Path, *, check: Callable[[], None] = lambda: None) -> None:
    """Write the same columns as a Parquet file.

    Parameters
    ----------
    check
        As that of `export_csv`.

    Raises
    ------
    BadInputError
        pyarrow is not installed.
    OSError
        The file cannot be written; nothing is left of it.
    """
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise BadInputError(
            say("Parquet needs the library pyarrow: pip install 'vramtuner[parquet]', or use CSV")
        ) from error
    types = [pyarrow.float64(), *[pyarrow.int64()] * (len(_COLUMNS) - 1)]
    schema = pyarrow.schema(list(zip(_COLUMNS, types, strict=True)))
    with written_atomically(path) as file, pyarrow.parquet.ParquetWriter(file, schema) as writer:
        for group in _groups(run):
            check()
            writer.write_table(pyarrow.table([list(column) for column in zip(*group, strict=True)], schema=schema))


def _groups(run: Run) -> Iterator[list[tuple[float | int | None, ...]]]:
    rows = _rows(run)
    while group := list(itertools.islice(rows, _GROUP_ROWS)):
        yield group


def _rows(run: Run) -> Iterator[tuple[float | int | None, ...]]:
    """Readings with the tokens of the pass under way; none while the model is loaded."""
    starts = [(event.seconds, event.tokens) for event in run.marks if isinstance(event, PassStarted)]
    place, tokens = 0, None
    for reading in run.samples():
        while place < len(starts) and starts[place][0] <= reading.seconds:
            tokens, place = starts[place][1], place + 1
        yield (*reading, tokens)
