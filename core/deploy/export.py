"""Forecast in, env file out: validated under exactly what it contains, written whole or not at all."""

import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryFile

import msgspec

from vramtuner.core.deploy.engines import APPLICATION, ENGINE_NAMES, EnginePlan
from vramtuner.core.deploy.envfile import HEADER, Deployment, OverCap, PassRecord, Select, parse, render
from vramtuner.core.deploy.fragments import Fragment, fragment, fragment_path
from vramtuner.core.deploy.machine import stack_versions
from vramtuner.core.errors import BadInputError
from vramtuner.core.files import write_atomically
from vramtuner.core.forecast import Forecast, check_positions
from vramtuner.core.probe.client import Probe
from vramtuner.core.probe.protocol import Event
from vramtuner.core.settings import Levers
from vramtuner.core.tape.store import installed_versions
from vramtuner.core.validation import ValidationReport, check_runnable, validate
from vramtuner.core.words import plain, say

FRAGMENT_HEADER = "# vramtuner deployment fragment"


class Export(msgspec.Struct, frozen=True):
    """What became of an export: ``path`` is ``None`` when validation failed and nothing was written.

    ``beside`` are the fragments that were written with it.
    """

    path: Path | None
    report: ValidationReport | None
    beside: tuple[Path, ...] = ()


class Flavour(msgspec.Struct, frozen=True, kw_only=True):
    """How a plan is put into files.

    Attributes
    ----------
    engine
        What runs the model, with the levers that were asked for; transformers under the plan's own without it.
    fragments
        Pieces for systemd, compose and Kubernetes that are written beside the file.
    """

    engine: EnginePlan | None = None
    levers: Levers | None = None
    select: Select = "index"
    over_cap: OverCap = ""
    fragments: tuple[Fragment, ...] = ()

    @property
    def is_transformers(self) -> bool:
        """Whether PyTorch and the guard hold the plan, and its passes can be run here."""
        return self.engine is None or self.engine.engine == "transformers"

    @property
    def command(self) -> tuple[str, ...]:
        """The words that start the engine."""
        return APPLICATION if self.engine is None else self.engine.command


PLAIN = Flavour()


def plan(forecast: Forecast, flavour: Flavour = PLAIN) -> Deployment:
    """The deployment that a forecast describes, not validated yet."""
    engine, is_transformers = flavour.engine, flavour.is_transformers
    levers = msgspec.structs.replace(
        flavour.levers or forecast.levers,
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
        variables=(variable,) if variable and is_transformers else (),
        engine="transformers" if engine is None else engine.engine,
        engine_variables=() if engine is None else engine.variables,
        command=flavour.command,
        select=flavour.select,
        over_cap=flavour.over_cap,
        versions=(installed_versions() if is_transformers else {})
        | (stack_versions() if forecast.device.kind == "gpu" else {}),
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
    flavour: Flavour = PLAIN,
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
        A path cannot be written, holds something else, the device is not in this machine, or the engine is not run
        here.
    AppError
        The passes could not be run, or were cancelled; an old file stays as it was.
    """
    targets = {kind: fragment_path(kind, path) for kind in flavour.fragments}
    check_target(path)
    for target in targets.values():
        check_target(target, FRAGMENT_HEADER)
    check_positions(forecast, forecast.token_cap)
    if not insist:
        _check_fits(forecast, flavour, validated=validated)
    deployment, report = plan(forecast, flavour), None
    if validated:
        deployment, report = _validated(deployment, forecast, on_event, probe, also)
        if not report.passed and not insist:
            return Export(None, report)
    with plain():
        text = render(deployment)
    parse(text)
    contents = {path: text} | {
        target: f"{FRAGMENT_HEADER}\n" + fragment(kind, text, path.name, flavour.command)
        for kind, target in targets.items()
    }
    for target, content in contents.items():
        try:
            write_atomically(target, content.encode())
        except OSError as error:
            raise BadInputError(f"{target} cannot be written: {error.strerror}; it was not changed") from error
    return Export(path, report, tuple(targets.values()))


def _check_fits(forecast: Forecast, flavour: Flavour, *, validated: bool) -> None:
    engine = flavour.engine
    if engine is not None and not flavour.is_transformers:
        name = ENGINE_NAMES[engine.engine]
        if validated:
            raise BadInputError(say("passes of {name} are not run here; export without validation", name=name))
        if not engine.fits:
            raise BadInputError(
                say("{verdict} Lower the token cap or the batch, or raise the pool.", verdict=engine.verdict)
            )
    elif not validated and not forecast.fits(forecast.token_cap):
        raise BadInputError(f"{forecast.verdict} Lower the token cap, or validate to prove the forecast wrong.")


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


def check_target(path: Path, header: str = HEADER) -> None:
    """Fail early where the file could not be written, before minutes of passes.

    Parameters
    ----------
    header
        How a file begins that may be replaced.

    Raises
    ------
    BadInputError
        The folder is missing or read-only, or the path holds something that was not written here.
    """
    folder = path.parent
    try:
        if not folder.is_dir():
            raise BadInputError(f"there is no folder {folder}; create it or choose another")
        if path.exists() and not _begins_with(path, header):
            raise BadInputError(f"{path} exists and is not a vramtuner deployment file; choose another name")
        # Asking the file system is the only honest test: access bits say nothing of read-only mounts or full disks.
        with TemporaryFile(dir=folder) as trial:
            trial.write(b"\n" * 4096)
            trial.flush()
            os.fsync(trial.fileno())
    except OSError as error:
        raise BadInputError(f"{path} cannot be written: {error.strerror}; choose another folder") from error


def _begins_with(path: Path, header: str) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(header)) == header.encode()
