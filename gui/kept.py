"""Runs that were kept, for the window: listed and read on a thread of their own, for they may be large."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal

from vramtuner.core.errors import AppError, BadInputError, CancelledError
from vramtuner.core.runs import SUFFIX, Header, Run, export_csv, export_parquet, read_header, read_run, runs_folder
from vramtuner.core.text import printable
from vramtuner.gui.series import LiveSeries

MOST_LISTED = 500


@dataclass(frozen=True, slots=True)
class KeptRun:
    """A run in the list: its file and what it was made with."""

    path: Path
    header: Header

    @property
    def when(self) -> str:
        """Its time, as it is read: 2026-12-03 04:05."""
        return time_text(self.header.created)


@dataclass(frozen=True, slots=True)
class OpenedRun:
    """A run that was read, ready to be drawn."""

    run: Run
    series: LiveSeries

    @property
    def title(self) -> str:
        header = self.run.header
        return f"{printable(header.spec.name, 60)}, {time_text(header.created)}"


def time_text(created: str) -> str:
    """A run's time to the minute; as it stands where it is none."""
    with suppress(ValueError):
        return datetime.fromisoformat(created).strftime("%Y-%m-%d %H:%M")
    return printable(created, 40)


class KeptRuns(QObject):
    """Lists, reads and exports the runs of this machine, one after another, off the GUI thread.

    ``listed`` says that ``runs`` is new; ``opened`` carries an `OpenedRun`, ``told`` a sentence and whether it is of
    an error.
    """

    listed = Signal()
    opened = Signal(object)
    told = Signal(str, bool)
    _ended = Signal(object, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.runs: tuple[KeptRun, ...] = ()
        self._closing = False
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="runs")
        self._ended.connect(lambda then, result: then(result), Qt.ConnectionType.QueuedConnection)

    def refresh(self) -> None:
        """Look for runs."""
        self._start(_listed, self._on_listed)

    def open(self, path: Path, then: Callable[[OpenedRun], None] | None = None) -> None:
        """Read a run; ``opened`` follows, or ``then`` instead where it is given."""
        self._start(partial(self._read, path), then or self.opened.emit)

    def export(self, path: Path, target: Path) -> None:
        """Write a run's readings as CSV or Parquet, which the target's name says."""
        write = export_parquet if target.suffix == ".parquet" else export_csv

        def work() -> str:
            try:
                write(read_run(path), target)
            except OSError as error:
                raise BadInputError(f"{target} cannot be written: {error.strerror}; choose another folder") from error
            return f"Wrote {target}."

        self._start(work, lambda text: self.told.emit(text, False))

    def close(self) -> None:
        """Stop, for good; returns when the thread is gone."""
        self._closing = True
        self._worker.shutdown(wait=True, cancel_futures=True)

    def _start(self, work: Callable[[], Any], then: Callable[[Any], Any]) -> None:
        if not self._closing:
            self._worker.submit(work).add_done_callback(partial(self._on_done, then))

    def _on_done(self, then: Callable[[Any], Any], future: "Future[Any]") -> None:
        if self._closing or future.cancelled():
            return
        error = future.exception()
        if error is None:
            self._ended.emit(then, future.result())
        elif isinstance(error, AppError):
            self.told.emit(str(error), True)
        else:
            raise error

    def _on_listed(self, found: tuple[KeptRun, ...]) -> None:
        if found != self.runs:
            self.runs = found
        self.listed.emit()

    def _read(self, path: Path) -> OpenedRun:
        run = read_run(path)
        header = run.header
        series = LiveSeries(
            header.pool_bytes,
            printable(header.device.name, 80),
            f"kept run of {time_text(header.created)}{'' if run.complete else ', cut short'}",
        )
        for event in run.events():
            if self._closing:
                raise CancelledError("cancelled")
            series.take(event)
        series.end()
        return OpenedRun(run, series)


def _listed() -> tuple[KeptRun, ...]:
    """The newest first; what cannot be read is left out."""
    found = []
    for path in sorted(runs_folder().glob(f"*{SUFFIX}"), reverse=True)[:MOST_LISTED]:
        with suppress(BadInputError):
            found.append(KeptRun(path, read_header(path)))
    return tuple(found)
