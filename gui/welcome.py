"""What a first start says: what works now on this machine, and the one step that comes next."""

from dataclasses import dataclass
from enum import StrEnum

from PySide6.QtCore import QSettings

from vramtuner.core.device.spec import Device
from vramtuner.core.model.find import PRESETS, text_of_model
from vramtuner.core.model.spec import ModelSpec
from vramtuner.core.words import say

STARTS = 3
"""How many starts show it, unless a person dismisses it before."""
_DISMISSED, _STARTS = "welcome/dismissed", "welcome/starts"


class Step(StrEnum):
    """What the button does."""

    INSTALL = "install PyTorch"
    COPY_COMMAND = "copy the command that installs PyTorch"
    OPEN_MODEL = "open a model folder"
    CHOOSE_CARD = "choose a card to plan for"
    RUN_HERE = "take a device of this machine"
    PROFILE = "run passes"
    EXPORT = "write the deployment file"


@dataclass(frozen=True, slots=True)
class Situation:
    """What there is to go by.

    Attributes
    ----------
    gpu
        The name of the first GPU of this machine; empty where there is none.
    torch
        Whether PyTorch is installed.
    command
        What a person can type to install it.
    can_install
        Whether the window can install it itself.
    card_chosen
        Whether the card to plan for was chosen by a person.
    model_gone
        Whether the model's folder or file was there and is not any more.
    """

    spec: ModelSpec
    device: Device
    gpu: str = ""
    torch: bool = True
    command: str = ""
    can_install: bool = False
    card_chosen: bool = False
    model_gone: bool = False

    @property
    def is_preset(self) -> bool:
        return text_of_model(self.spec) in PRESETS


@dataclass(frozen=True, slots=True)
class Welcome:
    """One or two sentences, and one button.

    Attributes
    ----------
    tip
        What the button will do, where that is more than it says.
    command
        Shown beside the text, to be copied; empty where there is none.
    """

    text: str
    step: Step
    label: str
    tip: str = ""
    command: str = ""


def next_step(now: Situation) -> Welcome:
    """What to say in a situation, and the step to offer."""
    if now.model_gone:
        return Welcome(
            say(
                "The folder of {name} is not there any more; its forecast stays until you open another model.",
                name=now.spec.name,
            ),
            Step.OPEN_MODEL,
            say("Open a model folder…"),
        )
    if not now.torch and not now.spec.is_gguf:
        return _without_torch(now)
    if not now.gpu and now.device.kind == "catalogue" and not now.card_chosen:
        return Welcome(
            say("{hardware} Any card of the list can be planned for.", hardware=_hardware(now)),
            Step.CHOOSE_CARD,
            say("Choose a card to plan for"),
            say("Search the device list by name, gfx target or memory"),
        )
    if now.is_preset:
        return Welcome(
            say(
                "{hardware} {name} is a preset of published facts; a folder of your own has exact weights.",
                hardware=_hardware(now),
                name=now.spec.name,
            ),
            Step.OPEN_MODEL,
            say("Open a model folder…"),
            say("A folder with config.json and safetensors files; a folder or a GGUF file can also be dropped here"),
        )
    return _with_everything(now)


def _without_torch(now: Situation) -> Welcome:
    text = say(
        "{hardware} Presets and GGUF files can be forecast now; your own models and real passes "
        "need PyTorch, which is not installed.",
        hardware=_hardware(now),
    )
    if not now.can_install:
        return Welcome(text, Step.COPY_COMMAND, say("Copy the command"), say("Paste it into a terminal"), now.command)
    label = say("Install PyTorch…") if now.gpu else say("Install PyTorch (CPU build)…")
    size = say("several GB where ROCm is installed, else a few hundred MB") if now.gpu else say("a few hundred MB")
    tip = say(
        "Uses the network: downloads {size} into this copy's .venv, as `{command}` does. You can cancel it.",
        size=size,
        command=now.command,
    )
    return Welcome(text, Step.INSTALL, label, tip)


def _with_everything(now: Situation) -> Welcome:
    name, device = now.spec.name, now.device
    if now.spec.is_gguf:
        return Welcome(
            say(
                "Passes of GGUF files are not run here; what llama.cpp plans for {name} on {name2} can be exported.",
                name=name,
                name2=device.name,
            ),
            Step.EXPORT,
            say("Export…"),
            say("Write these levers as an env file (Ctrl+E)"),
        )
    if device.is_here:
        return Welcome(
            say(
                "Everything is here: {name}, {device} and PyTorch. Real passes show how right the forecast is.",
                name=name,
                device=_device(device),
            ),
            Step.PROFILE,
            say("Profile (F5)"),
        )
    here = now.gpu or say("the CPU stand-in")
    return Welcome(
        say(
            "{name} is not in this machine; real passes of {name2} can be run on {here}.",
            name=device.name,
            name2=name,
            here=here,
        ),
        Step.RUN_HERE,
        say("Take {here}", here=here),
    )


def _hardware(now: Situation) -> str:
    """What this machine has, and what the plan is for."""
    if now.gpu and now.device.kind == "gpu":
        return say("{gpu} was found.", gpu=now.gpu)
    found = say("{gpu} was found", gpu=now.gpu) if now.gpu else say("No AMD GPU was found")
    if now.device.kind == "cpu":
        return say("{found}; passes run on the CPU stand-in.", found=found)
    return say(
        "{found}; you plan for a {name}{whence}.",
        found=found,
        name=now.device.name,
        whence="" if now.gpu else say(" from the catalogue"),
    )


def _device(device: Device) -> str:
    return say("the CPU stand-in") if device.kind == "cpu" else device.name


# ---- whether it is shown


def begin_start() -> bool:
    """Count a start; whether it is one of the first, and nobody has dismissed what they say."""
    settings = QSettings()
    before = _count(settings.value(_STARTS))
    if before < STARTS:
        settings.setValue(_STARTS, before + 1)
    return before < STARTS and not is_dismissed()


def is_dismissed() -> bool:
    """Whether a person has said that they need it no more."""
    return str(QSettings().value(_DISMISSED, "false")).lower() == "true"


def dismiss() -> None:
    """Show it no more at any start."""
    QSettings().setValue(_DISMISSED, True)


def _count(value: object) -> int:
    """A number out of a file that can hold anything."""
    try:
        return max(int(str(value)), 0)
    except ValueError:
        return 0
