"""Setup: which model, on which device, and where each fact comes from."""

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtWidgets import (
    QComboBox,
    QCompleter,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from vramtuner.core.device.find import catalogue, find_device, local_devices
from vramtuner.core.device.roots import HERE, Roots
from vramtuner.core.device.spec import Device
from vramtuner.core.device.summary import Identity, identity
from vramtuner.core.errors import BadInputError
from vramtuner.core.model.find import PRESETS, load_preset
from vramtuner.core.model.spec import ModelSpec
from vramtuner.core.session import model_source
from vramtuner.core.units import format_bytes
from vramtuner.gui.controls import Facts, card, make_label
from vramtuner.gui.state import Session
from vramtuner.gui.values import sentence


class SetupPanel(QWidget):
    """The left column."""

    def __init__(self, session: Session, roots: Roots = HERE) -> None:
        super().__init__()
        self._session, self._roots = session, roots
        self._devices = local_devices(roots)
        self._make_model_widgets()
        self._make_device_widgets()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(10)
        layout.addWidget(self._model_card())
        layout.addWidget(self._device_card())
        layout.addStretch(1)
        session.plan_changed.connect(self._refresh)
        self._refresh()

    def _make_model_widgets(self) -> None:
        self.model = QComboBox()
        self.model.setAccessibleName("Model")
        self.model.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.model.setToolTip("Published facts of well-known models; no weights are needed to forecast")
        for name in PRESETS:
            self.model.addItem(load_preset(name).name, name)
        self.model.activated.connect(lambda index: self.choose_model(self.model.itemData(index)))
        self.open_folder = QPushButton("&Open folder…")
        self.open_folder.setToolTip("A folder with config.json and, for exact weights, safetensors files (Ctrl+O)")
        self.open_folder.clicked.connect(self.ask_for_folder)
        self.open_file = QPushButton("Open file…")
        self.open_file.setToolTip("A GGUF file, which llama.cpp runs, or a config.json alone (Ctrl+Shift+O)")
        self.open_file.clicked.connect(self.ask_for_file)
        self.model_error = make_label(role="error")
        self.model_facts = Facts(("Parameters", "Stored as", "Positions", "Weights", "Class", "Source"))

    def _make_device_widgets(self) -> None:
        self.device = QComboBox()
        self.device.setAccessibleName("Device")
        self.device.setToolTip("Type to search, for example 7900 or MI210")
        self.device.setEditable(True)
        self.device.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.device.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.device.setModel(_device_model(self._devices))
        self._suggestions = completer = QCompleter(self.device.model(), self.device)
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        completer.setCompletionMode(QCompleter.CompletionMode.PopupCompletion)
        self.device.setCompleter(completer)
        self.device.activated.connect(self._on_device_picked)
        line = self.device.lineEdit()
        assert line is not None
        line.setAccessibleName("Device, type to search")
        line.returnPressed.connect(self._on_device_typed)
        line.editingFinished.connect(self._refresh_device)
        self.device_error = make_label(role="error")
        self.device_facts = Facts(("Memory", "Source", "Target", "Overhead", "Note"))

    def _model_card(self) -> QWidget:
        frame, layout = card()
        title = make_label("&Model", "title")
        title.setBuddy(self.model)
        buttons = QHBoxLayout()
        buttons.addWidget(self.open_folder)
        buttons.addWidget(self.open_file)
        layout.addWidget(title)
        layout.addWidget(self.model)
        layout.addLayout(buttons)
        for widget in (self.model_error, self.model_facts):
            layout.addWidget(widget)
        return frame

    def _device_card(self) -> QWidget:
        frame, layout = card()
        title = make_label("&Device", "title")
        title.setBuddy(self.device)
        for widget in (title, self.device, self.device_error, self.device_facts):
            layout.addWidget(widget)
        return frame

    def ask_for_folder(self) -> None:
        """Let the person choose a model folder."""
        folder = QFileDialog.getExistingDirectory(self, "Open a model folder")
        if folder:
            self.choose_model(folder)

    def ask_for_file(self) -> None:
        """Let the person choose a model that is one file."""
        kinds = "Models (*.gguf config.json);;All files (*)"
        file, _ = QFileDialog.getOpenFileName(self, "Open a model file", "", kinds)
        if file:
            self.choose_model(file)

    def choose_model(self, text: str) -> None:
        """Ask the session for a model; what is wrong with it is said here."""
        try:
            self._session.choose_model(text)
        except BadInputError as error:
            self._refresh()
            _show_error(self.model_error, error)

    def choose_device(self, name: str) -> None:
        """Ask the session for a device; what is wrong with it is said here."""
        try:
            self._session.take_device(find_device(name, self._roots))
        except BadInputError as error:
            _show_error(self.device_error, error)

    def show_devices(self, devices: Sequence[Device]) -> None:
        """Follow what is in this machine; the choice stays, and so does what is being typed."""
        was, self._devices = self._devices, tuple(devices)
        model, line = self.device.model(), self.device.lineEdit()
        assert isinstance(model, QStandardItemModel) and line is not None
        if [_entry(device) for device in was] == [_entry(device) for device in self._devices]:
            return
        typed = (line.text(), line.cursorPosition()) if line.isModified() else None
        with QSignalBlocker(self.device), QSignalBlocker(line):
            model.removeRows(1, len(was))
            for place, device in enumerate(self._devices, start=1):
                model.insertRow(place, _item(device))
        self._refresh_device()
        if typed is not None:
            line.setText(typed[0])
            line.setCursorPosition(typed[1])
            line.setModified(True)

    def _on_device_picked(self, index: int) -> None:
        if 0 < index <= len(self._devices):
            self._session.take_device(self._devices[index - 1])
        elif self.device.itemData(index) is not None:
            self.choose_device(self.device.itemData(index))

    def _on_device_typed(self) -> None:
        suggestions = self._suggestions.popup()
        if suggestions is not None:
            suggestions.hide()
        text = self.device.currentText()
        index = self.device.findText(text, Qt.MatchFlag.MatchFixedString)
        if index >= 0:
            self._on_device_picked(index)
        elif text != self._shown_device()[1]:
            self.choose_device(text)

    def _refresh(self) -> None:
        self.model_error.hide()
        self.device_error.hide()
        spec, device = self._session.choice.spec, self._session.choice.device
        self._refresh_model(spec)
        self._refresh_device()
        self.model_facts.show_values(_model_facts(spec))
        self.device_facts.show_values(_device_facts(device))

    def _refresh_model(self, spec: ModelSpec) -> None:
        with QSignalBlocker(self.model):
            # By what it would open, not by its name: two folders may be called alike, or like a preset.
            index = self.model.findData(model_source(spec))
            if index < 0:
                self.model.insertItem(0, spec.name, model_source(spec))
                index = 0
            self.model.setCurrentIndex(index)

    def _refresh_device(self) -> None:
        index, text = self._shown_device()
        with QSignalBlocker(self.device):
            self.device.setCurrentIndex(index)
            self.device.setEditText(text)
        line = self.device.lineEdit()
        assert line is not None
        line.setCursorPosition(0)  # a text that is too long shows its beginning

    def _shown_device(self) -> tuple[int, str]:
        """Row and text of the chosen device; a GPU that is not there any more has no row."""
        device = self._session.choice.device
        if device.kind == "catalogue":
            index = self.device.findData(device.key)
        else:
            found = [identity(entry) for entry in self._devices]
            index = found.index(identity(device)) + 1 if identity(device) in found else -1
        return index, self.device.itemText(index) if index >= 0 else f"{device.name} · not there now"


def _device_model(here: Sequence[Device]) -> QStandardItemModel:
    model = QStandardItemModel()
    for heading, devices in (("In this machine", here), ("What if…", catalogue())):
        title = QStandardItem(heading)
        title.setFlags(Qt.ItemFlag.NoItemFlags)
        model.appendRow(title)
        for device in devices:
            model.appendRow(_item(device))
    return model


def _entry(device: Device) -> tuple[str, Identity, str]:
    """What the list shows of a device, and what it is: its index is shown because cards may be alike."""
    index = f"{device.key}: " if device.kind == "gpu" else ""
    size = format_bytes(device.vram_bytes, 0 if device.kind == "catalogue" else 1)
    return f"{index}{device.name} · {size}", identity(device), device.key


def _item(device: Device) -> QStandardItem:
    text, _, key = _entry(device)
    item = QStandardItem(text)
    item.setData(key, Qt.ItemDataRole.UserRole)
    return item


def _model_facts(spec: ModelSpec) -> dict[str, str]:
    files = "the GGUF file" if spec.is_gguf else "safetensors"
    weights = f"{format_bytes(spec.stored_bytes)} in {files}" if spec.stored_bytes else "config facts only"
    types = f"{spec.quantization}, else {spec.dtype}" if spec.quantization else spec.dtype
    return {
        "Parameters": f"{spec.parameters:,}" if spec.parameters else "not counted",
        "Stored as": "GGUF, types of its own" if spec.is_gguf else types,
        "Positions": f"{spec.max_positions:,}",
        "Weights": weights,
        "Class": spec.architecture,
        "Source": spec.source,
    }


def _device_facts(device: Device) -> dict[str, str]:
    used = "" if device.vram_used_bytes is None else f", {format_bytes(device.vram_used_bytes)} in use"
    low, high = device.overhead_range_bytes
    return {
        "Memory": f"{format_bytes(device.vram_bytes)}{used}",
        "Source": device.source,
        "Target": device.gfx or "",
        "Overhead": f"estimated, {format_bytes(low)} to {format_bytes(high)}" if high else "",
        "Note": "; ".join(device.warnings),
    }


def _show_error(label: QLabel, error: BadInputError) -> None:
    label.setText(sentence(error))
    label.show()
