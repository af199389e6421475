"""Forecast in, env file out: validated under exactly what it contains, written whole or not at all."""

import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryFile

import msgspec

from vramtuner.core.deploy.envfile import HEADER, Deployment, PassRecord, parse, render
from vramtuner.core.deploy.machine import stack_versions
from vramtuner.core.errors import BadInputError
from vramtuner.core.files import write_atomically
from vramtuner.core.forecast import Forecast, check_positions
from vramtuner.core.probe.client import Probe
from vramtuner.core.probe.protocol import Event
from vramtuner.core.tape.store import installed_versions
from vramtuner.core.validation import ValidationReport, check_runnable, validate
from vramtuner.core.words import plain


class Export(msgspec.Struct, frozen=True):
    """What became of an export: ``path`` is ``None`` when validation failed and nothing was written."""

    path: Path | None
    report: ValidationReport | None


def plan(forecast: Forecast) -> Deployment:
    """The deployment that a forecast describes, not validated yet."""
    levers = msgspec.structs.replace(
        forecast.levers,
        pool_bytes=forecast.pool_bytes,
        token_cap=forecast.token_cap,
        dtype=forecast.key.dtype,
        attention=forecast.attention,
    )
    variable = forecast.kernel.variable
    return Deployment(
        model=forecast.spec.name,
        model_hash=forecast.spec.config_hash,
        device=forecast.device,
        levers=levers,
        variables=(variable,) if variable else (),
        versions=installed_versions() | (stack_versions() if forecast.device.kind == "gpu" else {}),
        created=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
    )


def export(
    forecast: Forecast,
    path: Path,
    *,
    validated: bool,
    on_event: Callable[[Event], None] = lambda event: None,
    probe: Probe | None = None,
    insist: bool = False,
    also: tuple[int, ...] = (),
) -> Export:
    """Write the deployment file for a forecast.

    Parameters
    ----------
    validated
        Run the validation passes first, and write only if they pass.
    probe
        A probe that was not started yet, for a caller that wants to cancel it.
    insist
        Write a file marked ``not validated`` even though the validation failed or the forecast does not fit.
    also
        Lengths [tokens] to validate beside half, all and one and a half times the cap.

    Raises
    ------
    BadInputError
        The path cannot be written, holds something else, or the device is not in this machine.
    AppError
        The passes could not be run, or were cancelled; an old file stays as it was.
    """
    check_target(path)
    check_positions(forecast, forecast.token_cap)
    if not validated and not insist and not forecast.fits(forecast.token_cap):
        raise BadInputError(f"{forecast.verdict} Lower the token cap, or validate to prove the forecast wrong.")
    deployment, report = plan(forecast), None
    if validated:
        deployment, report = _validated(deployment, forecast, on_event, probe, also)
        if not report.passed and not insist:
            return Export(None, report)
    with plain():
        text = render(deployment)
    parse(text)
    try:
        write_atomically(path, text.encode())
    except OSError as error:
        raise BadInputError(f"{path} cannot be written: {error.strerror}; nothing was changed") from error
    return Export(path, report)


def _validated(
    deployment: Deployment,
    forecast: Forecast,
    on_event: Callable[[Event], None],
    probe: Probe | None,
    also: tuple[int, ...],
) -> tuple[Deployment, ValidationReport]:
    """The deployment with the record of its validation, if it passed."""
    check_runnable(forecast.spec, forecast.device)
    report = validate(forecast, parse(render(deployment)), on_event=on_event, probe=probe, also=also)
    if not report.passed:
        return deployment, report
    record = msgspec.structs.replace(
        deployment,
        validated_on=forecast.device.name,
        validated_weights="checkpoint" if forecast.spec.has_weights else "synthetic",
        passes=tuple(PassRecord(p.tokens, p.outcome, p.peak_bytes) for p in report.passes),
    )
    return record, report


def check_target(path: Path) -> None:
    """Fail early where the file could not be written, before minutes of passes.

    Raises
    ------
    BadInputError
        The folder is missing or read-only, or the path holds something that is not a deployment file.
    """
    folder = path.parent
    try:
        if not folder.is_dir():
            raise BadInputError(f"there is no folder {folder}; create it or choose another")
        if path.exists() and not _is_deployment(path):
            raise BadInputError(f"{path} exists and is not a vramtuner deployment file; choose another name")
        # Asking the file system is the only honest test: access bits say nothing of read-only mounts or full disks.
        with TemporaryFile(dir=folder) as trial:
            trial.write(b"\n" * 4096)
            trial.flush()
            os.fsync(trial.fileno())
    except OSError as error:
        raise BadInputError(f"{path} cannot be written: {error.strerror}; choose another folder") from error


def _is_deployment(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(HEADER)) == HEADER.encode()
