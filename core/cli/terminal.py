"""What commands have in common at a terminal: lines on standard error, progress, JSON, and a probe that goes away."""

import sys
from contextlib import closing
from typing import Any

import msgspec
import typer

from vramtuner.core.device.spec import Device
from vramtuner.core.forecast import Forecast, forecast
from vramtuner.core.model.find import find_model
from vramtuner.core.probe.client import Probe
from vramtuner.core.probe.protocol import Event, Progress
from vramtuner.core.profiling import calibration_for
from vramtuner.core.recording import get_tapes
from vramtuner.core.request import phases
from vramtuner.core.settings import Levers
from vramtuner.core.text import one_line


def print_json(value: Any) -> None:
    """A value as one JSON object on standard output, for people and programs."""
    typer.echo(msgspec.json.format(msgspec.json.encode(value), indent=2).decode())


def note(message: str) -> None:
    """One line on standard error that is no error."""
    typer.echo(one_line(message), err=True)


def say(message: str) -> None:
    """One line on standard error, whatever the message quotes."""
    typer.echo(f"vramtuner: {one_line(message)}", err=True)


def new_probe() -> closing[Probe]:
    """A probe that is gone when the block is left."""
    return closing(Probe())


def forecast_of(model: str, device: Device, levers: Levers, probe: Probe) -> Forecast:
    """The forecast of a model that is named, its tapes recorded where they have to be."""
    spec = find_model(model)
    device.pool_bytes(levers)
    parts, progress = phases(spec, device, levers), ProgressLine()
    tapes = get_tapes(spec, parts, probe, on_event=progress)
    progress.clear()
    return forecast(spec, device, levers, *tapes, calibration=calibration_for(device, parts[0].key))


class ProgressLine:
    """Progress on standard error: one line that moves on a terminal, nothing elsewhere."""

    def __init__(self) -> None:
        self._shown = False

    def __call__(self, event: Event) -> None:
        if not isinstance(event, Progress) or not sys.stderr.isatty():
            return
        left = "" if event.seconds_left is None else f", about {event.seconds_left:.0f} s left"
        sys.stderr.write(f"\r\033[K{event.stage} ({event.fraction:.0%}{left})")
        sys.stderr.flush()
        self._shown = True

    def clear(self) -> None:
        """Take it away."""
        if self._shown:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()
