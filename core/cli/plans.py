"""The commands that look and plan: ``devices``, ``models`` and ``forecast``."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from vramtuner.core import output
from vramtuner.core.cli.options import DeviceName, EngineName, Json, Model, Options, levers_of, with_levers
from vramtuner.core.cli.terminal import forecast_of, new_probe, print_json, say
from vramtuner.core.deploy.engines import engine_of, engine_plan, planning_levers
from vramtuner.core.device.find import catalogue, find_device, local_devices
from vramtuner.core.device.summary import survey
from vramtuner.core.errors import BadInputError
from vramtuner.core.hip import ask_hip
from vramtuner.core.model.find import PRESETS, find_model, load_preset
from vramtuner.core.text import printable

AskHip = Annotated[
    bool,
    typer.Option(
        "--hip",
        help="Ask HIP too what is free, and show it beside the driver's count: starts PyTorch, which takes seconds.",
    ),
]


def devices(as_json: Json = False, hip: AskHip = False) -> None:
    """What passes can run on here, and who holds its memory; catalogue cards are for planning."""
    found = survey(local_devices())
    if hip:
        with new_probe() as probe:
            found = ask_hip(found, probe)
    if as_json:
        entries = [output.device_json(index, entry) for index, entry in enumerate(found.devices)]
        print_json({"devices": entries, "notes": found.notes})
        return
    for entry in found.devices:
        typer.echo(output.device_text(entry))
    for note in found.notes:
        typer.echo(f"! {note}")
    typer.echo(f"catalogue: {', '.join(card.key for card in catalogue())}")


def models(
    path: Annotated[Path | None, typer.Argument(help="A folder to look for models in.")] = None,
    as_json: Json = False,
) -> None:
    """Presets, and the models found in a folder."""
    found = [(name, load_preset(name)) for name in PRESETS]
    if path is not None:
        if not path.is_dir():
            raise BadInputError(f"there is no folder {printable(str(path), 400)}")
        for config in sorted(path.glob("**/config.json"))[:1000]:
            try:
                found.append((printable(config.parent.name), find_model(str(config.parent))))
            except BadInputError as error:
                say(f"{printable(str(config.parent), 400)}: {error}")
    if as_json:
        facts = [
            {"key": key, "name": spec.name, "source": spec.source, "architecture": spec.architecture,
             "parameters": spec.parameters, "dtype": spec.dtype, "stored_bytes": spec.stored_bytes}
            for key, spec in found
        ]  # fmt: skip
        print_json({"models": facts})
        return
    for key, spec in found:
        typer.echo(output.model_text(key, spec))


@with_levers
def forecast(
    model: Model, options: Options, device: DeviceName, engine: EngineName = "auto", as_json: Json = False
) -> None:
    """What a request of N tokens takes, and the largest N that fits."""
    levers = levers_of(options)
    runs_on = engine_of(engine, find_model(model))
    with new_probe() as probe:
        result = forecast_of(model, find_device(device), planning_levers(runs_on, levers), probe)
    planned = engine_plan(runs_on, result, levers)
    if as_json:
        print_json({**output.forecast_json(result), "engine": output.engine_json(planned)})
    elif engine == "auto":
        typer.echo(output.forecast_text(result))
    else:
        typer.echo(output.engine_text(planned))
    sys.exit(0 if planned.fits else 1)
