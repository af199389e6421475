"""What a first start says: what works now on this machine, and the one step that comes next."""

from dataclasses import dataclass
from enum import StrEnum

from PySide6.QtCore import QSettings

from vramtuner.core.device.spec import Device
from vramtuner.core.model.find import PRESETS, text_of_model
from vramtuner.core.model.spec import ModelSpec

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
            f"The folder of {now.spec.name} is not there any more; its forecast stays until you open another model.",
            Step.OPEN_MODEL,
            "Open a model folder…",
        )
    if not now.torch and not now.spec.is_gguf:
        return _without_torch(now)
    if not now.gpu and now.device.kind == "catalogue" and not now.card_chosen:
        return Welcome(
            f"{_hardware(now)} Any card of the list can be planned for.",
            Step.CHOOSE_CARD,
            "Choose a card to plan for",
            "Search the device list by name, gfx target or memory",
        )
    if now.is_preset:
        return Welcome(
            f"{_hardware(now)} {now.spec.name} is a preset of published facts; a folder of your own has exact weights.",
            Step.OPEN_MODEL,
            "Open a model folder…",
            "A folder with config.json and safetensors files; a folder or a GGUF file can also be dropped here",
        )
    return _with_everything(now)


def _without_torch(now: Situation) -> Welcome:
    text = (
        f"{_hardware(now)} Presets and GGUF files can be forecast now; your own models and real passes need PyTorch,"
        " which is not installed."
    )
    if not now.can_install:
        return Welcome(text, Step.COPY_COMMAND, "Copy the command", "Paste it into a terminal", now.command)
    label = "Install PyTorch…" if now.gpu else "Install PyTorch (CPU build)…"
    size = "several GB where ROCm is installed, else a few hundred MB" if now.gpu else "a few hundred MB"
    tip = f"Uses the network: downloads {size} into this copy's .venv, as `{now.command}` does. You can cancel it."
    return Welcome(text, Step.INSTALL, label, tip)


def _with_everything(now: Situation) -> Welcome:
    name, device = now.spec.name, now.device
    if now.spec.is_gguf:
        return Welcome(
            f"Passes of GGUF files are not run here; what llama.cpp plans for {name} on {device.name} can be exported.",
            Step.EXPORT,
            "Export…",
            "Write these levers as an env file (Ctrl+E)",
        )
    if device.is_here:
        return Welcome(
            f"Everything is here: {name}, {_device(device)} and PyTorch. Real passes show how right the forecast is.",
            Step.PROFILE,
            "Profile (F5)",
        )
    here = now.gpu or "the CPU stand-in"
    return Welcome(
        f"{device.name} is not in this machine; real passes of {name} can be run on {here}.",
        Step.RUN_HERE,
        f"Take {here}",
    )


def _hardware(now: Situation) -> str:
    """What this machine has, and what the plan is for."""
    if now.gpu and now.device.kind == "gpu":
        return f"{now.gpu} was found."
    found = f"{now.gpu} was found" if now.gpu else "No AMD GPU was found"
    if now.device.kind == "cpu":
        return f"{found}; passes run on the CPU stand-in."
    return f"{found}; you plan for a {now.device.name}{'' if now.gpu else ' from the catalogue'}."


def _device(device: Device) -> str:
    return "the CPU stand-in" if device.kind == "cpu" else device.name


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
