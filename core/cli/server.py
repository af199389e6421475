"""The commands for a server: ``verify``, ``watch`` and ``bundle``."""

import os
import sys
import time
from pathlib import Path
from typing import Annotated

import typer

from vramtuner.core.cli.options import Json
from vramtuner.core.cli.terminal import forecast_of, new_probe, note, print_json
from vramtuner.core.deploy import verify as core
from vramtuner.core.deploy.bundle import write_bundle
from vramtuner.core.deploy.envfile import levers_from, parse, read, read_file
from vramtuner.core.deploy.machine import read_machine
from vramtuner.core.device.find import find_device
from vramtuner.core.errors import AppError, BadInputError
from vramtuner.core.files import write_atomically
from vramtuner.core.model.find import find_model
from vramtuner.core.text import one_line, printable
from vramtuner.core.validation import validate

DeploymentFile = Annotated[Path, typer.Argument(help="The deployment file that export wrote.")]


def verify(
    file: DeploymentFile,
    model: Annotated[str | None, typer.Option(help="The model's folder: is it the one planned for?")] = None,
    run: Annotated[bool, typer.Option("--run", help="Run the validation passes again; needs --model.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Warnings, and what is not checked, fail too.")] = False,
    as_json: Json = False,
) -> None:
    """Is this deployment file still true on this machine?  0 yes, 1 no, 2 it cannot be read."""
    if run and model is None:
        raise BadInputError("--run needs the model: add --model FOLDER")
    text = read_file(file)
    checks = core.verify_text(text, os.environ, read_machine(), core.installed())
    if checks[0].ok:
        checks.append(_model_check(parse(text), model))
    if run and model is not None and core.passed(checks):
        checks.append(_run_check(parse(text), model))
    elif run:
        checks.append(core.Check("passes", "unknown", "not run, because another check failed"))
    if as_json:
        print_json(core.as_json(checks, strict))
    else:
        typer.echo(core.as_text(checks))
    sys.exit(0 if core.passed(checks, strict) else 1)


def _model_check(variables: dict[str, str], model: str | None) -> core.Check:
    if model is None:
        return core.Check("model", "unknown", "no folder was given; add --model FOLDER")
    planned, found = variables.get("VRAMTUNER_MODEL_HASH", ""), find_model(model).config_hash
    if found != planned:
        return core.Check(
            "model", "failed", f"{printable(model, 100)} has the hash {found}, not {planned}: export again"
        )
    return core.Check("model", "ok", f"its config has the hash {planned}; weights are not compared")


def _run_check(variables: dict[str, str], model: str) -> core.Check:
    engine = variables.get("VRAMTUNER_ENGINE", "transformers")
    if engine != "transformers":
        return core.Check("passes", "unknown", f"passes of {engine} are not run here; start it and see")
    try:
        with new_probe() as probe:
            plan = forecast_of(model, find_device(variables["VRAMTUNER_DEVICE"]), levers_from(variables), probe)
        report = validate(plan, variables, on_event=lambda event: None)
    except AppError as error:
        return core.Check("passes", "failed", one_line(str(error)))
    if not report.passed:
        return core.Check("passes", "failed", one_line(report.problem))
    return core.Check("passes", "ok", f"{len(report.passes)} passes: within the pool, and refused above the cap")


def watch(
    env: Annotated[Path | None, typer.Option("--env", help="The deployment file.")] = None,
    textfile: Annotated[Path | None, typer.Option(help="Write here for the node exporter: DIR/vramtuner.prom.")] = None,
    listen: Annotated[str | None, typer.Option(help="Serve at this address: 127.0.0.1:9187.")] = None,
    interval: Annotated[float, typer.Option(min=0.1, max=3600, help="Seconds between two files.")] = 5.0,
    once: Annotated[bool, typer.Option("--once", help="Write one file and end.")] = False,
    rules: Annotated[bool, typer.Option("--rules", help="Print the alert rules and end.")] = False,
) -> None:
    """Metrics of a deployment for Prometheus, until it is interrupted."""
    from prometheus_client import generate_latest, start_http_server

    from vramtuner.core.deploy.watch import Watch, resource_text, state_folder

    if rules:
        typer.echo(resource_text("vramtuner.rules.yml"), nl=False)
        return
    if env is None or (textfile is None) == (listen is None):
        raise BadInputError("give --env deploy.env, and one of --textfile DIR/vramtuner.prom and --listen HOST:PORT")
    registry = Watch(read(env), state_folder(os.environ)).registry()
    if listen is not None:
        host, _, port = listen.rpartition(":")
        if not port.isascii() or not port.isdecimal() or not 0 < int(port) < 65536:
            raise BadInputError(f"{printable(listen, 60)} is no address; write 127.0.0.1:9187")
        try:
            start_http_server(int(port), host or "127.0.0.1", registry)
        except OSError as error:
            raise BadInputError(f"{printable(listen, 60)} cannot be listened at: {error.strerror}") from error
        note(f"serving at http://{listen}/metrics")
        while True:
            time.sleep(3600)
    assert textfile is not None
    while True:
        write_atomically(textfile, generate_latest(registry), durable=False)
        if once:
            return
        time.sleep(interval)


def bundle(
    file: DeploymentFile,
    out: Annotated[Path, typer.Option("--output", "-o", help="The archive to write: deploy.tar.gz.")],
) -> None:
    """One archive with all that an air-gapped server needs beside the model."""
    write_bundle(read_file(file), out)
    typer.echo(str(out))
