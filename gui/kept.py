"""Runs that were kept, for the window: listed, read and exported off the GUI thread, for they may be large."""

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path

from PySide6.QtCore import QFile, QObject, Signal

from vramtuner.core.errors import AppError, BadInputError
from vramtuner.core.forecast import Forecast
from vramtuner.core.profiling import plan_at_hand
from vramtuner.core.runs import (
    SUFFIX,
    Header,
    Run,
    export_csv,
    export_parquet,
    read_header,
    read_run,
    runs_folder,
    snapshot_path,
)
from vramtuner.core.text import printable
from vramtuner.core.words import say
from vramtuner.gui.background import Background
from vramtuner.gui.series import LiveSeries
from vramtuner.gui.values import Measurement

MOST_LISTED = 500


@dataclass(frozen=True, slots=True)
class KeptRun:
    """A run in the list: its file and what it was made with."""

    path: Path
    header: Header

    @property
    def when(self) -> str:
        """Its time, to the minute."""
        return time_text(self.header.created)


@dataclass(frozen=True, slots=True)
class OpenedRun:
    """A run that was read, ready to be drawn; ``plan`` is its forecast, where the tape of it is at hand."""

    run: Run
    series: LiveSeries
    plan: Forecast | None

    @property
    def title(self) -> str:
        """What it is called beside others."""
        header = self.run.header
        return f"{printable(header.spec.name, 60)}, {time_text(header.created)}"

    @property
    def measurements(self) -> tuple[Measurement, ...]:
        """Its passes beside their forecast; none where there is no forecast."""
        return () if self.plan is None else tuple(Measurement("kept", self.plan, one) for one in self.run.passes)


def time_text(created: str) -> str:
    """A run's time to the minute; as it stands where it is none."""
    with suppress(ValueError):
        return datetime.fromisoformat(created).strftime("%Y-%m-%d %H:%M")
    return printable(created, 40)


class KeptRuns(QObject):
    """The runs of this machine.

    ``listed`` says that ``runs`` is new; ``opened`` carries an `OpenedRun` to look at, ``read`` one to compare;
    ``told`` a sentence and whether it is of an error.
    """

    listed = Signal()
    opened = Signal(object)
    read = Signal(object)
    told = Signal(str, bool)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.runs: tuple[KeptRun, ...] = ()
        self._background = Background("runs", self)

    def refresh(self) -> None:
        """Look for runs."""
        self._background.start(_listed, self._on_listed, self._on_failed)

    def open(self, path: Path) -> None:
        """Read a run to look at."""
        self._background.start(partial(self._read, path), self.opened.emit, self._on_failed)

    def compare(self, path: Path) -> None:
        """Read a run to have it beside others."""
        self._background.start(partial(self._read, path), self.read.emit, self._on_failed)

    def export(self, path: Path, target: Path) -> None:
        """Write a run's readings as CSV or Parquet, which the target's name says."""
        self._background.start(
            partial(self._export, path, target),
            lambda _: self.told.emit(say("Wrote {target}.", target=target), False),
            self._on_failed,
        )

    def discard(self, path: Path) -> None:
        """Move a run to the desktop's trash, and what is beside it."""
        if not QFile(str(path)).moveToTrash():
            self.told.emit(say("{path} cannot be moved to the trash; delete the file", path=path), True)
        elif snapshot_path(path).exists():
            QFile(str(snapshot_path(path))).moveToTrash()
        self.refresh()

    def close(self) -> None:
        """Stop, for good."""
        self._background.close()

    def _on_listed(self, found: tuple[KeptRun, ...]) -> None:
        self.runs = found
        self.listed.emit()

    def _on_failed(self, error: AppError) -> None:
        self.told.emit(str(error), True)

    def _read(self, path: Path) -> OpenedRun:
        run = read_run(path, check=self._background.check)
        header = run.header
        ended = "" if run.complete else say(", cut short")
        series = LiveSeries(
            header.pool_bytes,
            printable(header.device.name, 80),
            say("kept run of {time_text}{ended}", time_text=time_text(header.created), ended=ended),
        )
        for event in run.events():
            self._background.check()
            series.take(event)
        series.end()
        return OpenedRun(run, series, _plan_of(header))

    def _export(self, path: Path, target: Path) -> None:
        write, check = export_parquet if target.suffix == ".parquet" else export_csv, self._background.check
        try:
            write(read_run(path, check=check), target, check=check)
        except OSError as error:
            raise BadInputError(
                say(
                    "{target} cannot be written: {strerror}; choose another folder",
                    target=target,
                    strerror=error.strerror,
                )
            ) from error


def _listed() -> tuple[KeptRun, ...]:
    """The newest first; what cannot be read is left out."""
    found = []
    for path in sorted(runs_folder().glob(f"*{SUFFIX}"), reverse=True)[:MOST_LISTED]:
        with suppress(BadInputError):
            found.append(KeptRun(path, read_header(path)))
    return tuple(found)


def _plan_of(header: Header) -> Forecast | None:
    """The forecast that a run was made under, or would be made under now.

    A header is whatever a file says: what cannot be forecast has no forecast.
    """
    with suppress(AppError, ValueError, ArithmeticError, LookupError, TypeError):
        return plan_at_hand(header.spec, header.device, header.levers)
    return None
