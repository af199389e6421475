"""The commands that run real passes: ``profile`` and ``export``."""

import sys
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from vramtuner.core import output
from vramtuner.core.calibration import save_calibration
from vramtuner.core.cli.options import (
    DeviceName,
    EngineName,
    Model,
    Options,
    lengths_of,
    levers_of,
    one_of,
    with_levers,
)
from vramtuner.core.cli.terminal import ProgressLine, forecast_of, new_probe, note, print_json, say
from vramtuner.core.comparison import before_after
from vramtuner.core.deploy.engines import engine_of, engine_plan, planning_levers
from vramtuner.core.deploy.export import Flavour
from vramtuner.core.deploy.export import export as write_export
from vramtuner.core.deploy.fragments import FRAGMENTS
from vramtuner.core.device.find import find_device
from vramtuner.core.errors import BadInputError, CancelledError
from vramtuner.core.forecast import Forecast, check_positions
from vramtuner.core.model.find import find_model
from vramtuner.core.probe.client import Probe
from vramtuner.core.probe.protocol import Event, PassResult, encode
from vramtuner.core.profiling import (
    calibration_of,
    check_calibratable,
    confirm_limit,
    profile_lengths,
    run_profile,
    without_margin,
)
from vramtuner.core.runs import runs_folder
from vramtuner.core.validation import check_runnable, validation_lengths


@with_levers
def profile(
    model: Model,
    options: Options,
    device: DeviceName = "auto",
    lengths: Annotated[
        str | None, typer.Option(help="Token counts of the passes: 512,1024; up to what cap and limit allow otherwise.")
    ] = None,
    confirm: Annotated[
        bool,
        typer.Option("--confirm", help="Run the limit of the pool and one token more; others if they differ."),
    ] = False,
    calibrate: Annotated[
        bool, typer.Option("--calibrate", help="Keep what the passes correct, for later forecasts of the same stack.")
    ] = False,
    keep: Annotated[bool, typer.Option(help="Keep the run as a file (see the command runs).")] = True,
    json_lines: Annotated[bool, typer.Option("--json-lines", help="Print every event as a JSON line.")] = False,
) -> None:
    """Run real passes and compare their peaks with the forecast."""
    levers = levers_of(options)
    asked = lengths_of(lengths)
    if confirm and (asked or calibrate):
        raise BadInputError("--confirm chooses its own lengths; leave out --lengths and --calibrate")
    target = find_device(device)
    check_runnable(find_model(model), target)
    with new_probe() as probe:
        plan = forecast_of(model, target, levers, probe)
        if confirm:
            sys.exit(_confirm(without_margin(plan), probe, keep=keep, json_lines=json_lines))
        if calibrate:
            check_calibratable(plan)
        counts = asked or profile_lengths(plan)
        if not counts:
            raise BadInputError(plan.verdict)
        check_positions(plan, max(counts))
        passes = _run_passes(plan, counts, probe, keep=keep, json_lines=json_lines)
    if not json_lines:
        typer.echo(output.article_text(plan, passes), nl=False)
    if calibrate:
        found = calibration_of(plan, passes)
        try:
            save_calibration(found)
        except OSError as error:
            raise BadInputError(f"the calibration cannot be kept: {error.strerror}; {found.text}") from error
        note(f"calibrated: {found.text}")
    sys.exit(1 if any(result.outcome == "out_of_memory" for result in passes) else 0)


def _run_passes(
    plan: Forecast, lengths: tuple[int, ...], probe: Probe, *, keep: bool, json_lines: bool
) -> tuple[PassResult, ...]:
    """Run passes, print each, and say where the run is kept."""
    progress = ProgressLine()

    def show(event: Event) -> None:
        progress(event)
        if json_lines:
            typer.echo(encode(event).decode())
        elif isinstance(event, PassResult):
            progress.clear()
            typer.echo(output.pass_text(event, plan))

    try:
        done = run_profile(plan, lengths, probe, on_event=show, keep=keep)
    except KeyboardInterrupt as error:
        progress.clear()
        kept = f"what was run until then is kept in {runs_folder()}" if keep else "nothing was kept"
        raise CancelledError(f"cancelled; {kept}") from error
    progress.clear()
    if done.path is not None and not json_lines:
        note(f"kept in {done.path}")
    if done.problem:
        say(done.problem)
    return done.passes


def _confirm(plan: Forecast, probe: Probe, *, keep: bool, json_lines: bool) -> int:
    """Confirm a limit and print what came of it; the exit code."""
    if plan.limit.tokens == 0:
        raise BadInputError(plan.verdict)
    found = confirm_limit(plan, lambda lengths: _run_passes(plan, lengths, probe, keep=keep, json_lines=json_lines))
    if json_lines:
        print_json({"confirmation": msgspec.to_builtins(found), "confirmed": found.is_confirmed})
    else:
        typer.echo(found.text)
    return 0 if found.is_confirmed else 1


@with_levers
def export(
    model: Model,
    options: Options,
    device: DeviceName,
    out: Annotated[Path, typer.Option("--output", "-o", help="The env file to write.")],
    validate: Annotated[bool, typer.Option("--validate", help="Run the validation passes first.")] = False,
    also: Annotated[
        str | None, typer.Option("--lengths", help="Lengths to validate beside half, all and 1.5 × the cap: 1k,3k.")
    ] = None,
    engine: EngineName = "auto",
    select: Annotated[
        str, typer.Option(help="index | uuid: how the file names a GPU of this machine when there are several.")
    ] = "index",
    over_cap: Annotated[
        str, typer.Option(help="refuse | truncate: what the guard does with a request over the cap, fixed in the file.")
    ] = "",
    beside: Annotated[str, typer.Option("--with", help="Write these beside it: systemd,compose,kubernetes.")] = "",
) -> None:
    """Write the deployment env file, validated under exactly what it contains."""
    levers, lengths = levers_of(options), lengths_of(also)
    if lengths and not validate:
        raise BadInputError("--lengths are those to validate at; add --validate, or leave them out")
    runs_on, target = engine_of(engine, find_model(model)), find_device(device)
    with new_probe() as probe:
        plan = forecast_of(model, target, planning_levers(runs_on, levers), probe)
    validation_lengths(plan.token_cap, lengths)
    flavour = Flavour(
        engine=engine_plan(runs_on, plan, levers),
        levers=levers,
        select=one_of("select", select, ("index", "uuid")),
        over_cap=one_of("over-cap", over_cap, ("", "refuse", "truncate")),
        fragments=tuple(one_of("with", name, FRAGMENTS) for name in beside.split(",") if name),
    )
    progress = ProgressLine()
    result = write_export(plan, out, validated=validate, on_event=progress, also=lengths, flavour=flavour)
    progress.clear()
    if result.report is not None:
        typer.echo(output.validation_text(result.report.passes, plan.pool_bytes), err=True)
        typer.echo(output.before_after_text(before_after(plan)), err=True)
    if result.path is None:
        problem = result.report.problem if result.report else ""
        say(f"validation failed, nothing was written: {problem}")
        sys.exit(1)
    for warning in plan.warnings:
        typer.echo(f"! {warning}", err=True)
    if not flavour.is_transformers and flavour.engine is not None:
        typer.echo(output.engine_text(flavour.engine), err=True)
        say("the file is marked not validated, because passes of this engine are not run here")
    elif not validate:
        say("the file is marked not validated; add --validate to prove it")
    for path in (result.path, *result.beside):
        typer.echo(str(path))
