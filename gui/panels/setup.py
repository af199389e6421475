"""Setup: which model, on which device, for which kind of pass, and where each fact comes from."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from vramtuner.core.device.find import catalogue, find_device, local_devices
from vramtuner.core.device.roots import HERE, Roots
from vramtuner.core.device.spec import Device
from vramtuner.core.device.summary import identity
from vramtuner.core.errors import BadInputError
from vramtuner.core.model.find import PRESETS, load_preset, text_of_model
from vramtuner.core.model.spec import ModelSpec
from vramtuner.core.settings import PASS_KINDS
from vramtuner.core.text import printable
from vramtuner.core.units import GIB, format_bytes
from vramtuner.core.words import Labels, mark, number, say
from vramtuner.gui.controls import Facts, Picker, card, make_label
from vramtuner.gui.coupling import unavailable
from vramtuner.gui.error_line import ErrorLine
from vramtuner.gui.panels.rows import Row, ask
from vramtuner.gui.recent import Recent
from vramtuner.gui.search_box import Entry, Group, SearchBox
from vramtuner.gui.state import Session

_KINDS = Labels({"inference": "Inference", "autograd": "Autograd", "training": "Training step"})
_MODEL_FACTS = (
    mark("Parameters"), mark("Stored as"), mark("Positions"), mark("Weights"), mark("Class"), mark("Source"),
)  # fmt: skip
_DEVICE_FACTS = (mark("Memory"), mark("Source"), mark("Target"), mark("Overhead"), mark("Note"))
_NOT_A_REQUEST = mark("Takes its whole input at once: no new tokens, KV cache, beams or chunks.")


class SetupPanel(QWidget):
    """The left column."""

    looking = Signal()
    """The list of devices is about to be shown: what is used of them should be read again."""
    device_picked = Signal()
    """A person has chosen a device, be it the one from before."""

    def __init__(self, session: Session, roots: Roots = HERE) -> None:
        super().__init__()
        self._session, self._roots = session, roots
        self._devices = local_devices(roots)
        self._recent = Recent("recent/models")
        self._spec: ModelSpec | None = None
        self._make_model_widgets()
        self._make_device_widgets()
        self._make_pass_kind()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(10)
        for part in (self._model_card(), self._device_card(), self._pass_card()):
            layout.addWidget(part)
        layout.addStretch(1)
        session.plan_changed.connect(self.refresh)
        self.refresh()

    def _make_model_widgets(self) -> None:
        self.model = SearchBox(say("Model"), say("Search, for example llama"))
        self.model.setToolTip(say("Recent models, and published facts of well-known ones; type to search"))
        self.model.picked.connect(self.choose_model)
        self.model.entered.connect(self._on_model_typed)
        self.model.opening.connect(self._list_models)
        self.open_folder = QPushButton(say("&Open folder…"))
        self.open_folder.setToolTip(say("A folder with config.json and, for exact weights, safetensors files (Ctrl+O)"))
        self.open_folder.clicked.connect(self.ask_for_folder)
        self.open_file = QPushButton(say("Open file…"))
        self.open_file.setToolTip(say("A GGUF file, which llama.cpp runs, or a config.json alone (Ctrl+Shift+O)"))
        self.open_file.clicked.connect(self.ask_for_file)
        self.model_error = ErrorLine("model")
        self.model_facts = Facts(_MODEL_FACTS)

    def _make_device_widgets(self) -> None:
        self.device = SearchBox(say("Device"), say("Search, for example 7900 or 24 GiB"))
        self.device.setToolTip(say("Type to search by name, gfx target or memory, for example 7900, gfx90a or 24 GiB"))
        self.device.show_groups(_device_groups(self._devices))
        self.device.picked.connect(self._on_device_picked)
        self.device.entered.connect(self._on_device_typed)
        self.device.opening.connect(self.looking)
        self.device_error = ErrorLine("device")
        self.device_gone = make_label(role="error")
        self.device_facts = Facts(_DEVICE_FACTS)

    def _make_pass_kind(self) -> None:
        self.pass_kind = Picker(say("Pass kind"), ((_KINDS[kind], kind) for kind in PASS_KINDS), self._ask_for_kind)
        self.pass_kind.setToolTip(
            say(
                "Autograd is a forward pass that records gradients; training adds the backward pass, optimizer excluded"
            )
        )
        title = make_label(say("Pass kind"), "title", wrap=False)
        title.setBuddy(self.pass_kind)
        self.pass_row = Row(title, self.pass_kind)

    def _model_card(self) -> QWidget:
        frame, layout = card()
        title = make_label(say("&Model"), "title")
        title.setBuddy(self.model)
        buttons = QHBoxLayout()
        buttons.addWidget(self.open_folder)
        buttons.addWidget(self.open_file)
        layout.addWidget(title)
        layout.addWidget(self.model)
        layout.addWidget(self.model_error)
        layout.addLayout(buttons)
        layout.addWidget(self.model_facts)
        return frame

    def _device_card(self) -> QWidget:
        frame, layout = card()
        title = make_label(say("&Device"), "title")
        title.setBuddy(self.device)
        for widget in (title, self.device, self.device_error, self.device_gone, self.device_facts):
            layout.addWidget(widget)
        return frame

    def _pass_card(self) -> QWidget:
        frame, layout = card()
        control, title = self.pass_row.widgets
        line = QHBoxLayout()
        line.setSpacing(10)
        line.addWidget(title)
        line.addWidget(control, 1)
        layout.addLayout(line)
        for widget in (self.pass_row.error, self.pass_row.note):
            layout.addWidget(widget)
        return frame

    @property
    def gpus(self) -> tuple[Device, ...]:
        """Those of this machine, as they were last seen."""
        return tuple(device for device in self._devices if device.kind == "gpu")

    # ---- what a person asks for

    def ask_for_folder(self) -> None:
        """Let the person choose a model folder."""
        folder = QFileDialog.getExistingDirectory(self, say("Open a model folder"))
        if folder:
            self.choose_model(folder)

    def ask_for_file(self) -> None:
        """Let the person choose a model that is one file."""
        kinds = say("Models (*.gguf config.json);;All files (*)")
        file, _ = QFileDialog.getOpenFileName(self, say("Open a model file"), "", kinds)
        if file:
            self.choose_model(file)

    def choose_model(self, text: str) -> None:
        """Ask the session for a model; what is wrong with it is said here."""
        try:
            self._session.choose_model(text)
        except BadInputError as error:
            self.show_model_error(error)

    def show_model_error(self, error: BadInputError) -> None:
        """Say why a model that was asked for, here or elsewhere in the window, cannot be used."""
        self.refresh()
        self.model_error.show_error(error)

    def choose_device(self, name: str) -> None:
        """Ask the session for a device; what is wrong with it is said here."""
        try:
            self._session.take_device(find_device(name, self._roots))
            self.device_picked.emit()
        except BadInputError as error:
            self.device_error.show_error(error)

    def show_devices(self, devices: Sequence[Device]) -> None:
        """Follow what is in this machine and how much of it is used; the choice and what is being typed stay."""
        self._devices = tuple(devices)
        self.device.show_groups(_device_groups(self._devices))
        self._refresh_device()

    def _on_model_typed(self, text: str) -> None:
        found = self.model.found(text)
        if len(found) == 1:
            self.choose_model(found[0].data)
        elif found and not Path(text).expanduser().is_absolute() and text.lower() not in PRESETS:
            self.model_error.show_error(
                say("{found} models match {text!r}; type more, or pick one", found=len(found), text=printable(text))
            )
        else:
            self.choose_model(text)

    def _on_device_picked(self, key: str) -> None:
        local = next((device for device in self._devices if device.key == key), None)
        if local is None:
            self.choose_device(key)
            return
        self._session.take_device(local)
        self.device_picked.emit()

    def _on_device_typed(self, text: str) -> None:
        try:
            key = find_device(text, self._roots).key
        except BadInputError as error:
            found = self.device.found(text)
            if len(found) == 1:
                self._on_device_picked(found[0].data)
            elif found:
                self.device_error.show_error(
                    say(
                        "{found} devices match {text!r}; type more, or pick one", found=len(found), text=printable(text)
                    )
                )
            else:
                self.device_error.show_error(error)
        else:
            self._on_device_picked(key)

    def _ask_for_kind(self, kind: str) -> None:
        ask(self._session, self, self.pass_row, pass_kind=kind)

    # ---- what it shows

    def refresh(self) -> None:
        """Show the session's choice."""
        self.model_error.hide()
        self.device_error.hide()
        choice = self._session.choice
        self._refresh_model(choice.spec)
        self._refresh_device()
        self.pass_kind.show_value(choice.levers.pass_kind)
        why = unavailable(choice.spec, choice.levers).get("pass_kind", "")
        note = "" if choice.levers.pass_kind == "inference" else say(_NOT_A_REQUEST)
        self.pass_row.show(note, unavailable=why)

    def _refresh_model(self, spec: ModelSpec) -> None:
        if spec is self._spec:  # this runs while sliders move, and the list looks at the disk
            return
        self._spec = spec
        self._list_models()
        self.model.show_chosen(text_of_model(spec), spec.name)
        self.model_facts.show_values(_model_facts(spec))

    def _list_models(self) -> None:
        """Own models, newest first, above the presets: the one that is shown is always among them."""
        assert self._spec is not None
        names = [name for name in self._recent.names() if name not in PRESETS]
        current = text_of_model(self._spec)
        if current not in PRESETS and current not in names:
            names.insert(0, current)
        own = tuple(_own_entry(name, self._spec.name if name == current else "") for name in names)
        presets = tuple(Entry(load_preset(name).name, name, load_preset(name).architecture) for name in PRESETS)
        self.model.show_groups((*((Group(say("Recent"), own),) if own else ()), Group(say("Presets"), presets)))

    def _refresh_device(self) -> None:
        device = self._session.choice.device
        now = next((entry for entry in self._devices if identity(entry) == identity(device)), None)
        gone = device.kind == "gpu" and now is None
        shown = now or device
        self.device.show_chosen(
            None if gone else shown.key, say("{name} · not there now", name=device.name) if gone else _name(shown)
        )
        self.device_gone.setText(
            say("It was in this machine and is not any more. The forecast stays; passes need it back.")
        )
        self.device_gone.setVisible(gone)
        self.device_facts.show_values(_device_facts(shown))


def _device_groups(here: Sequence[Device]) -> tuple[Group, Group]:
    return (
        Group(say("This machine"), tuple(map(_device_entry, here))),
        Group(say("What if…"), tuple(map(_device_entry, catalogue()))),
    )


def _device_entry(device: Device) -> Entry:
    used = (
        ""
        if device.vram_used_bytes is None
        else say(" · {vram_used_bytes:.0%} used", vram_used_bytes=device.vram_used_bytes / device.vram_bytes)
    )
    known = f"{device.key} {device.gfx or ''} {round(device.vram_bytes / GIB)} GiB"
    return Entry(f"{_name(device)}{used.replace('%', ' %')}", device.key, known, device.source)


def _name(device: Device) -> str:
    """A device and its size; a GPU's index is shown because cards may be alike."""
    index = f"{device.key}: " if device.kind == "gpu" else ""
    size = format_bytes(device.vram_bytes, 0 if device.kind == "catalogue" else 1)
    return f"{index}{device.name} · {size}"


def _own_entry(name: str, title: str) -> Entry:
    """A folder or a file by its name, and the folder that it lies in."""
    path, home = Path(name), Path.home()
    thing = path.parent if path.name == "config.json" else path
    place = thing.parent
    where = str(Path("~") / place.relative_to(home)) if place.is_relative_to(home) else str(place)
    where = where if len(where) <= 40 else f"…{where[-39:]}"
    return Entry(
        f"{printable(title or thing.name)} · {printable(where)}", name, printable(name, 400), printable(name, 400)
    )


def _model_facts(spec: ModelSpec) -> dict[str, str]:
    files = say("the GGUF file") if spec.is_gguf else "safetensors"
    weights = (
        say("{stored_bytes} in {files}", stored_bytes=format_bytes(spec.stored_bytes), files=files)
        if spec.stored_bytes
        else say("config facts only")
    )
    types = (
        say("{quantization}, else {dtype}", quantization=spec.quantization, dtype=spec.dtype)
        if spec.quantization
        else spec.dtype
    )
    return {
        "Parameters": number(spec.parameters) if spec.parameters else say("not counted"),
        "Stored as": say("GGUF, types of its own") if spec.is_gguf else types,
        "Positions": number(spec.max_positions),
        "Weights": weights,
        "Class": spec.architecture,
        "Source": spec.source,
    }


def _device_facts(device: Device) -> dict[str, str]:
    used = (
        ""
        if device.vram_used_bytes is None
        else say(", {vram_used_bytes} in use", vram_used_bytes=format_bytes(device.vram_used_bytes))
    )
    low, high = device.overhead_range_bytes
    return {
        "Memory": f"{format_bytes(device.vram_bytes)}{used}",
        "Source": device.source,
        "Target": device.gfx or "",
        "Overhead": say("estimated, {low} to {high}", low=format_bytes(low), high=format_bytes(high)) if high else "",
        "Note": "; ".join(device.warnings),
    }
