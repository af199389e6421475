"""The commands over what runs leave behind: the runs themselves, and calibrations."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from vramtuner.core import output
from vramtuner.core.calibration import all_calibrations, forget_calibration
from vramtuner.core.cli.options import Json
from vramtuner.core.cli.terminal import print_json
from vramtuner.core.errors import BadInputError
from vramtuner.core.runs import SUFFIX, Run, export_csv, export_parquet, read_run, runs_folder


def runs(
    file: Annotated[Path | None, typer.Argument(help="A run to show; all that are kept when left out.")] = None,
    csv: Annotated[Path | None, typer.Option(help="Write its readings as comma-separated values.")] = None,
    parquet: Annotated[Path | None, typer.Option(help="Write its readings as a Parquet file.")] = None,
    as_json: Json = False,
) -> None:
    """The runs of real passes that were kept: list them, show one, or export its readings."""
    if file is None:
        if csv or parquet:
            raise BadInputError("name the run to export; `vramtuner runs` lists them")
        kept = sorted(runs_folder().glob(f"*{SUFFIX}"))
        if as_json:
            print_json({"folder": str(runs_folder()), "runs": [str(path) for path in kept]})
            return
        for path in kept:
            typer.echo(str(path))
        if not kept:
            typer.echo(f"no run is kept in {runs_folder()} yet; `vramtuner profile` keeps one", err=True)
        return
    run = read_run(file)
    for target, write in ((csv, export_csv), (parquet, export_parquet)):
        if target is not None:
            _write(run, target, write)
    if as_json:
        print_json(output.run_json(run))
    else:
        typer.echo(output.run_text(run))


def calibrations(
    reset: Annotated[bool, typer.Option("--reset", help="Forget all of them; forecasts are as recorded.")] = False,
) -> None:
    """What passes on devices of this machine correct in forecasts; `profile --calibrate` makes them."""
    kept = all_calibrations()
    for found in kept:
        stack = found.stack
        if reset:
            forget_calibration(stack)
        typer.echo(
            f"{'forgotten: ' if reset else ''}{stack.device}, torch {stack.torch}, {stack.dtype}, {stack.attention},"
            f" weights {stack.weights}: {found.text}"
        )
    if not kept:
        typer.echo("no calibration is kept; `vramtuner profile MODEL --calibrate` makes one", err=True)


def _write(run: Run, path: Path, write: Callable[[Run, Path], None]) -> None:
    if path.exists():
        raise BadInputError(f"{path} exists; choose another name")
    try:
        write(run, path)
    except OSError as error:
        raise BadInputError(f"{path} cannot be written: {error.strerror}; choose another folder") from error
