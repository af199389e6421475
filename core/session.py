"""A session as a file: what was planned, for another day or another person.

Indented JSON, so that it can be read and compared as text.  A model and a device are kept by their names, and looked
for again when the session is opened; with the model goes a hash of its config, so that a model which has changed
meanwhile is told.  Such a file is hostile until it is read: its size is bounded, every field is checked, and what it
names is opened as if a person had typed it.
"""

from dataclasses import dataclass
from pathlib import Path
from stat import S_IMODE, S_ISREG
from typing import Annotated

import msgspec

from vramtuner.core.device.find import find_device, local_devices
from vramtuner.core.device.roots import HERE, Roots
from vramtuner.core.device.spec import Device
from vramtuner.core.errors import BadInputError
from vramtuner.core.files import write_atomically
from vramtuner.core.model.find import PRESETS, find_model, load_preset, text_of_model
from vramtuner.core.model.spec import ModelSpec
from vramtuner.core.runs import local_time
from vramtuner.core.script import Script
from vramtuner.core.settings import Levers
from vramtuner.core.text import one_line, printable
from vramtuner.core.words import mark, say

SUFFIX = ".vramtuner"
FORMAT_VERSION = 1
MAX_BYTES = 2**20
_NOT_A_SESSION = mark("choose a file that was saved with Save session")
_Name = Annotated[str, msgspec.Meta(max_length=300)]
_NO_SCRIPT = Script()
_FilePath = Annotated[str, msgspec.Meta(max_length=4096)]


class SavedPlan(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A model, a device and levers, by the names that they are found by.

    Attributes
    ----------
    model
        A preset, or the whole path of a folder or a file.
    model_hash
        Of the model's config when it was saved; empty where nobody knows.
    device
        What `find_device` takes.
    device_name
        What the device is called: an index stands for another card on another machine.
    name
        What a person calls the plan.
    """

    model: _FilePath
    model_hash: _Name = ""
    device: _Name
    device_name: _Name = ""
    levers: Levers = Levers()
    name: _Name = ""


class SavedSession(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """What a session file holds.

    Attributes
    ----------
    created
        Local time with its offset, ISO 8601.
    compared
        Further plans, beside the one that was worked on.
    script
        What presenter mode goes through.
    origin
        Of a session that was kept for recovery: the file that it was opened from or saved to, if any.
    """

    format: int
    created: _Name
    plan: SavedPlan
    compared: Annotated[tuple[SavedPlan, ...], msgspec.Meta(max_length=200)] = ()
    script: Script = _NO_SCRIPT
    origin: _FilePath = ""


class _Format(msgspec.Struct):
    """The one field that every release can read."""

    format: int


@dataclass(frozen=True, slots=True)
class FoundPlan:
    """What is there now of a plan that was saved.

    Attributes
    ----------
    spec, device
        ``None`` for what is not there any more.
    problems
        What is not as it was, one sentence's text each.
    complete
        Whether saving it again would name the same model and device.
    """

    spec: ModelSpec | None
    device: Device | None
    levers: Levers
    problems: tuple[str, ...]
    complete: bool


def save_plan(spec: ModelSpec, device: Device, levers: Levers, name: str = "") -> SavedPlan:
    """A plan by its names."""
    return SavedPlan(
        model=text_of_model(spec),
        model_hash=spec.config_hash,
        device=device.key,
        device_name=device.name,
        levers=levers,
        name=name,
    )


def new_session(
    plan: SavedPlan, compared: tuple[SavedPlan, ...] = (), script: Script = _NO_SCRIPT, origin: str = ""
) -> SavedSession:
    """A session of now."""
    return SavedSession(
        format=FORMAT_VERSION, created=local_time(), plan=plan, compared=compared, script=script, origin=origin
    )


def write_session(path: Path, saved: SavedSession, *, durable: bool = True) -> None:
    """Write a session file, whole or not at all; a file that is replaced keeps its permissions.

    Parameters
    ----------
    durable
        Wait until it is on the disk, so that a power cut does not take it.

    Raises
    ------
    BadInputError
        It cannot be written, or is larger than is read again.
    """
    label = printable(str(path), 400)
    try:
        data = msgspec.json.format(msgspec.json.encode(saved), indent=2) + b"\n"
    except UnicodeEncodeError as error:
        raise BadInputError(
            say(
                "the session cannot be saved: the path of its model is no text ({model}); rename the folder",
                model=printable(saved.plan.model, 200),
            )
        ) from error
    if len(data) > MAX_BYTES:
        raise BadInputError(
            say("the session is larger than {max_bytes:,} bytes; take plans or steps out of it", max_bytes=MAX_BYTES)
        )
    try:
        path = path.resolve()  # a link stays a link
        mode = S_IMODE(path.stat().st_mode) if path.exists() else 0o644
        write_atomically(path, data, mode=mode, durable=durable)
    except (OSError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or one_line(str(error), 300)
        raise BadInputError(
            say("the session cannot be saved in {label}: {reason}; choose another folder", label=label, reason=reason)
        ) from error


def read_session(path: Path) -> SavedSession:
    """A session file, whatever it is called.

    Raises
    ------
    BadInputError
        The file cannot be read, is not that of a session, or is of a later release.
    """
    label = printable(str(path), 400)
    try:
        data = _bytes_of(path, label)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or one_line(str(error), 300)
        raise BadInputError(
            say(
                "{label} cannot be read as a session: {reason}; {not_a_session}",
                label=label,
                reason=reason,
                not_a_session=say(_NOT_A_SESSION),
            )
        ) from error
    try:
        number = msgspec.json.decode(data, type=_Format).format
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadInputError(
            say("{label} is not a session file; {not_a_session}", label=label, not_a_session=say(_NOT_A_SESSION))
        ) from error
    if number > FORMAT_VERSION:
        raise BadInputError(
            say(
                "{label} is a session of format {number}, from a later release than this one, which "
                "reads format {format_version}; update vramtuner to open it",
                label=label,
                number=number,
                format_version=FORMAT_VERSION,
            )
        )
    if number < 1:
        raise BadInputError(
            say(
                "{label} is not a session file: there is no format {number}; {not_a_session}",
                label=label,
                number=number,
                not_a_session=say(_NOT_A_SESSION),
            )
        )
    try:
        return msgspec.json.decode(data, type=SavedSession)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, BadInputError) as error:
        raise BadInputError(
            say(
                "{label} is a damaged session file: {error}; save the session again",
                label=label,
                error=one_line(str(error), 300),
            )
        ) from error


def _bytes_of(path: Path, label: str) -> bytes:
    if not S_ISREG(path.stat().st_mode):  # a pipe or a device would be read for ever
        raise BadInputError(
            say("{label} is not a file; {not_a_session}", label=label, not_a_session=say(_NOT_A_SESSION))
        )
    with path.open("rb") as file:
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise BadInputError(
            say(
                "{label} is larger than any session file; {not_a_session}",
                label=label,
                not_a_session=say(_NOT_A_SESSION),
            )
        )
    return data


def find_plan(plan: SavedPlan, roots: Roots = HERE) -> FoundPlan:
    """Look for what a saved plan names; what is missing is told, and the rest is given all the same."""
    problems: list[str] = []
    spec: ModelSpec | None = None
    try:
        # A bare name is the preset even where a folder of that name happens to be in the current one.
        spec = load_preset(plan.model) if plan.model in PRESETS else find_model(plan.model)
    except BadInputError as error:
        problems.append(say("the session's model cannot be opened: {error}", error=one_line(str(error), 500)))
    if spec is not None and plan.model_hash not in ("", spec.config_hash):
        problems.append(
            say(
                "{model} has changed since the session was saved; figures are of the model as it is",
                model=printable(plan.model, 300),
            )
        )
    device, problem = _find_device(plan, roots)
    if problem:
        problems.append(problem)
    complete = spec is not None and device is not None and not problem
    return FoundPlan(spec, device, plan.levers, tuple(problems), complete)


def _find_device(plan: SavedPlan, roots: Roots) -> tuple[Device | None, str]:
    """The device of a plan, or the nearest to it, with what is not as it was."""
    name = plan.device_name
    device, reason = _device_or_reason(plan.device, roots)
    if device is not None and (device.kind != "gpu" or name in ("", device.name)):
        return device, ""
    same = next((found for found in local_devices(roots) if found.kind == "gpu" and found.name == name), None)
    if same is not None:  # it has another index here
        return same, ""
    planned = _device_or_reason(name, roots)[0] if name else None
    shown = printable(name)
    if planned is not None:
        return planned, say(
            "{shown} is not in this machine; the plan is for the card of that name in the catalogue", shown=shown
        )
    if device is not None:
        return device, say(
            "{shown} is not in this machine; GPU {key} is {name} now",
            shown=shown,
            key=device.key,
            name=printable(device.name),
        )
    return None, say("the session's device cannot be found: {reason}", reason=reason)


def _device_or_reason(name: str, roots: Roots) -> tuple[Device | None, str]:
    try:
        return find_device(name, roots), ""
    except BadInputError as error:
        return None, one_line(str(error), 500)
