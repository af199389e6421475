"""From what is opened (a saved session, a name, a file that is dropped) to what the window shows of it."""

from dataclasses import dataclass, replace
from pathlib import Path

import msgspec
from PySide6.QtCore import QMimeData

from vramtuner.core.device.roots import HERE, Roots
from vramtuner.core.device.spec import Device
from vramtuner.core.errors import BadInputError
from vramtuner.core.model.spec import ModelSpec
from vramtuner.core.request import phases
from vramtuner.core.session import SUFFIX, SavedSession, find_plan
from vramtuner.core.settings import Levers
from vramtuner.core.units import format_bytes
from vramtuner.core.words import say
from vramtuner.gui.coupling import suited
from vramtuner.gui.values import Choice


@dataclass(frozen=True, slots=True)
class Opened:
    """A saved session as the window can show it.

    Attributes
    ----------
    problems
        What is not as it was saved, for people.
    complete
        Whether model and device are those that it names, so that saving over its file loses nothing.
    """

    saved: SavedSession
    choice: Choice
    problems: tuple[str, ...]
    complete: bool


def opened_session(saved: SavedSession, fallback: Choice, roots: Roots = HERE) -> Opened:
    """What to show of a saved session; what is not there any more is taken from another choice, and told."""
    found = find_plan(saved.plan, roots)
    problems = list(found.problems)
    spec, device = found.spec or fallback.spec, found.device or fallback.device
    if found.spec is None:
        problems.append(say("the rest of the session is shown with {name}", name=spec.name))
    if found.device is None:
        problems.append(say("the rest of the session is shown on {name}", name=device.name))
    levers = suited(spec, found.levers)
    if levers != found.levers:
        problems.append(say("levers that {name} has no use for are at their defaults", name=spec.name))
    if (levers.pool_bytes or 0) > device.max_pool_bytes:
        problems.append(
            say(
                "{name} cannot give a pool of {value}; it is at its default",
                name=device.name,
                value=format_bytes(levers.pool_bytes or 0),
            )
        )
        levers = msgspec.structs.replace(levers, pool_bytes=None)
    try:
        phases(spec, device, levers)
    except BadInputError as error:
        problems.append(say("its levers cannot be taken and are at their defaults: {error}", error=error))
        levers = Levers()
    return Opened(saved, Choice(spec, device, levers), tuple(problems), found.complete)


def moved(choice: Choice, spec: ModelSpec | None, device: Device | None) -> Choice:
    """A choice with another model, another device or both; levers that do not go with them are at their defaults."""
    levers = choice.levers
    if spec is not None:
        levers = suited(spec, msgspec.structs.replace(levers, token_cap=None))
        choice = replace(choice, spec=spec)
    if device is not None:
        if (levers.pool_bytes or 0) > device.max_pool_bytes:
            levers = msgspec.structs.replace(levers, pool_bytes=None)
        choice = replace(choice, device=device)
    return replace(choice, levers=levers)


_LOGS = (".log", ".txt", ".out", ".err", ".csv", ".pickle", ".db")


def is_log(path: Path) -> bool:
    """Whether a file is to be diagnosed, by its name."""
    return path.is_file() and path.suffix.lower() in _LOGS


def dropped_path(data: QMimeData) -> Path | None:
    """The first of the files dragged here that can be opened: a model folder, a model file, a session or a log."""
    for path in (Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()):
        if path.is_dir() or (path.is_file() and path.suffix.lower() in (".gguf", ".json", SUFFIX)) or is_log(path):
            return path
    return None
