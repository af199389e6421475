"""The left column: what is found by typing, what is listed, and what is said of a model or a device that cannot be."""

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication
from PySide6.QtWidgets import QApplication, QComboBox, QLineEdit
from pytestqt.qtbot import QtBot

sys.path.insert(0, str(Path(__file__).parents[1] / "data"))
import device_trees as trees
from device_trees import GIB

from vramtuner.core.device.roots import Roots
from vramtuner.core.model.find import PRESETS
from vramtuner.gui.recent import Recent
from vramtuner.gui.search_box import SearchBox
from vramtuner.gui.window import Window

Enter = Callable[[QLineEdit, str], None]
OpenWindow = Callable[..., Window]
CONFIG = {
    "model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
    "num_attention_heads": 4, "vocab_size": 128, "intermediate_size": 128, "max_position_embeddings": 512,
}  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "my-llama"
    made.mkdir()
    (made / "config.json").write_text(json.dumps(CONFIG))
    return made


def drop(window: Window, path: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    where, button, keys = QPoint(5, 5), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    QApplication.sendEvent(window, QDragEnterEvent(where, Qt.DropAction.CopyAction, data, button, keys))
    QApplication.sendEvent(window, QDropEvent(where.toPointF(), Qt.DropAction.CopyAction, data, button, keys))


def listed(box: QComboBox) -> list[str]:
    return [box.itemText(row) for row in range(box.count())]


def suggested(box: SearchBox) -> list[str]:
    model = box.completer().completionModel()
    return [str(model.index(row, 0).data()) for row in range(model.rowCount())]


def type_into(qtbot: QtBot, box: SearchBox, text: str) -> None:
    box.setFocus()
    box.line.selectAll()
    qtbot.keyClicks(box.line, text)


# ---- the model


def test_typing_finds_models_anywhere_in_the_name_whatever_the_case(qtbot: QtBot, window: Window) -> None:
    box = window.setup.model
    type_into(qtbot, box, "LLAMA 13")
    assert suggested(box) == ["Presets", "Llama-2-13B"]
    qtbot.keyClick(box.line, Qt.Key.Key_Return)
    assert window.session.choice.spec.name == "Llama-2-13B" and box.line.text() == "Llama-2-13B"


def test_several_matches_are_told_and_nothing_is_chosen(window: Window, enter: Enter) -> None:
    before = window.session.choice
    enter(window.setup.model.line, "qwen")
    assert window.session.choice == before
    assert window.setup.model_error.text().startswith("2 models match 'qwen'")
    assert window.setup.model.line.text() == before.spec.name
    enter(window.setup.model.line, "qwen3")
    assert window.session.choice.spec.name.startswith("Qwen3") and not window.setup.model_error.isVisible()


def test_a_path_can_be_typed(window: Window, enter: Enter, folder: Path) -> None:
    window.session.torch_installed = False
    enter(window.setup.model.line, str(folder))
    assert window.session.choice.spec.folder == str(folder)


def test_own_models_are_above_the_presets_newest_first(
    open_window: OpenWindow, folder: Path, tmp_path: Path, enter: Enter
) -> None:
    other = tmp_path / "other-one"
    shutil.copytree(folder, other)
    gone = tmp_path / "gone"
    for name in (gone, folder, "gpt2", other):
        Recent("recent/models").add(str(name))
    window = open_window()
    window.session.torch_installed = False
    texts = listed(window.setup.model)
    assert texts[0] == "Recent" and texts[3] == "Presets" and len(texts) == 4 + len(PRESETS)
    assert [text.split(" · ")[0] for text in texts[1:3]] == ["other-one", "my-llama"]
    enter(window.setup.model.line, "my-ll")
    assert window.session.choice.spec.folder == str(folder) and window.setup.model.currentText() == "my-llama"
    window.setup.model.opening.emit()
    assert [text.split(" · ")[0] for text in listed(window.setup.model)[1:3]] == ["my-llama", "other-one"]


def test_a_recent_model_that_went_away_meanwhile_is_told_at_the_box(open_window: OpenWindow, folder: Path) -> None:
    Recent("recent/models").add(str(folder))
    window = open_window()
    before = window.session.choice
    row = window.setup.model.findData(str(folder))
    shutil.rmtree(folder)
    window.setup.model.setCurrentIndex(row)
    window.setup.model.activated.emit(row)
    assert window.setup.model_error.isVisible() and "no model at" in window.setup.model_error.text().lower()
    assert window.session.choice == before and window.setup.model.line.text() == before.spec.name


def test_a_title_cannot_be_chosen(window: Window) -> None:
    before = window.session.choice
    for box in (window.setup.model, window.setup.device):
        box.activated.emit(0)
    assert window.session.choice == before and not window.setup.model_error.isVisible()


# ---- the device


@pytest.mark.parametrize(
    ("query", "has", "lacks"),
    [
        ("24 GiB", "Radeon RX 7900 XTX · 24 GiB", "Radeon PRO W7900 · 48 GiB"),
        ("gfx90a", "Instinct MI210 · 64 GiB", "Radeon PRO W7900 · 48 GiB"),
        ("w79", "Radeon PRO W7900 · 48 GiB", "Instinct MI210 · 64 GiB"),
    ],
)
def test_devices_are_found_by_memory_target_and_name(
    qtbot: QtBot, window: Window, query: str, has: str, lacks: str
) -> None:
    type_into(qtbot, window.setup.device, query)
    found = suggested(window.setup.device)
    assert has in found and lacks not in found and "What if…" in found


def test_what_is_typed_stays_while_the_devices_are_looked_at(qtbot: QtBot, window: Window) -> None:
    with qtbot.waitSignal(window.devices.watch.changed, timeout=10_000):
        type_into(qtbot, window.setup.device, "24 G")
    qtbot.wait(50)
    assert window.setup.device.line.text() == "24 G"


def test_a_card_that_was_typed_in_part_is_taken_if_there_is_one_only(window: Window, enter: Enter) -> None:
    enter(window.setup.device.line, "mi325")
    assert window.session.choice.device.key == "mi325x"
    enter(window.setup.device.line, "instinct")
    assert window.session.choice.device.key == "mi325x"
    assert "devices match 'instinct'" in window.setup.device_error.text()


def test_use_is_live_in_the_list(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path) -> None:
    card = replace(trees.W7900, used=12 * GIB)
    root = trees.write(trees.Machine((card,)), tmp_path / "box")
    window = open_window(roots=Roots.under(root))
    texts = listed(window.setup.device)
    assert texts[:2] == ["This machine", "0: Radeon PRO W7900 · 48.0 GiB · 25 % used"]
    assert texts[2].startswith("CPU stand-in") and texts[3] == "What if…"
    (root / "sys/devices/pci0000:00" / card.slot / "mem_info_vram_used").write_text(f"{24 * GIB}\n")
    window.setup.device.showPopup()
    qtbot.waitUntil(lambda: "50 % used" in window.setup.device.itemText(1), timeout=8000)
    window.setup.device.hidePopup()
    window.setup.choose_device("0")
    assert window.setup.device.line.text() == "0: Radeon PRO W7900 · 48.0 GiB"
    assert "24.00 GiB in use" in window.setup.device_facts.values["Memory"].text()


def test_a_device_that_vanished_is_said_where_it_was_chosen_and_keeps_passes_from_starting(
    qtbot: QtBot, open_window: OpenWindow, tmp_path: Path
) -> None:
    root = trees.write(trees.Machine((trees.W7900,)), tmp_path / "box")
    window = open_window(roots=Roots.under(root))
    window.setup.choose_device("0")
    assert not window.setup.device_gone.isVisible() and window.activity.profile.isEnabled()
    for name in ("sys/class", "sys/devices"):
        shutil.move(root / name, root / f"{name}-away")
    qtbot.waitUntil(window.setup.device_gone.isVisible, timeout=8000)
    assert window.session.device_gone and not window.activity.profile.isEnabled()
    assert "not in this machine any more" in window.activity.stage.text()
    assert window.session.forecast is not None and not window.session.stale
    for name in ("sys/devices", "sys/class"):
        shutil.move(root / f"{name}-away", root / name)
    qtbot.waitUntil(lambda: not window.setup.device_gone.isVisible(), timeout=8000)
    assert window.activity.profile.isEnabled()


# ---- the kind of pass


def test_the_kind_of_pass_is_chosen_here_and_its_effect_is_said(window: Window, pick: Callable[..., None]) -> None:
    window.session.torch_installed = False
    window.activateWindow()
    window.setup.pass_kind.setFocus()
    assert window.levers.effect.text().startswith("Pass kind:")
    pick(window.setup.pass_kind, "training")
    assert window.session.choice.levers.pass_kind == "training"
    assert window.setup.pass_row.note.isVisible()
    window.session.undo()
    assert window.setup.pass_kind.currentData() == "inference" and not window.setup.pass_row.note.isVisible()


# ---- errors, where the cause is


@contextmanager
def as_nobody() -> Iterator[None]:
    """What root may read another person may not."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


def broken_json(path: Path) -> Path:
    path.mkdir()
    (path / "config.json").write_text('{"model_type": "lla')
    return path


def looping(path: Path) -> Path:
    path.mkdir()
    (path / "config.json").symlink_to(path / "config.json")
    return path


def cut_off(path: Path) -> Path:
    file = path.with_suffix(".gguf")
    file.write_bytes(b"GGUF\x03\x00\x00\x00")
    return file


def empty(path: Path) -> Path:
    path.mkdir()
    return path


@pytest.mark.parametrize(
    ("make", "said", "known"),
    [
        (broken_json, "is not a JSON object", "DecodeError"),
        (looping, "cannot be read: Too many levels of symbolic links", "OSError"),
        (cut_off, "ends in", ""),
        (empty, "has no config.json; choose the folder that holds the model", "FileNotFoundError"),
    ],
)
def test_a_bad_model_dropped_on_the_window_is_told_at_the_model_box(
    qtbot: QtBot, window: Window, tmp_path: Path, make: Callable[[Path], Path], said: str, known: str
) -> None:
    before, error = window.session.choice, window.setup.model_error
    drop(window, make(tmp_path / "thing"))
    assert error.isVisible() and said in error.text() and "\n" not in error.text()
    assert window.session.choice == before and window.session.notice is None
    assert error.details.isVisible() is bool(known)
    if known:
        assert not error.detail.isVisible()
        qtbot.mouseClick(error.details, Qt.MouseButton.LeftButton)
        assert error.detail.isVisible() and known in error.detail.text()
    qtbot.mouseClick(error.copy, Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == "\n\n".join(filter(None, (error.text(), error.detail.text())))
    window.session.choose_model("gpt2")
    assert not error.isVisible()


def test_a_file_that_may_not_be_read(window: Window, folder: Path, tmp_path: Path) -> None:
    before = window.session.choice
    (folder / "config.json").chmod(0)
    tmp_path.chmod(0o755)
    with as_nobody():
        window.setup.choose_model(str(folder))
    assert "Permission denied" in window.setup.model_error.text() and window.session.choice == before
    assert "PermissionError" in window.setup.model_error.detail.text()


def test_a_notice_of_a_file_that_cannot_be_written_has_its_cause(window: Window, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    window.menus.save_plot(tmp_path / "file" / "plot.png")
    notice = window.activity.notice
    assert notice.isVisible() and "cannot be written" in notice.text.text()
    window.keeper.open_session(tmp_path / "none.vramtuner")
    assert notice.copy.isVisible() and notice.details.isVisible() and "No such file" in notice.detail.toPlainText()
