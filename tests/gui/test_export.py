"""Export for an engine: the dialog, and what the session writes."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from vramtuner.core.deploy.engines import engine_plan_at_hand
from vramtuner.core.deploy.envfile import parse
from vramtuner.core.deploy.export import Flavour
from vramtuner.core.device.find import find_device
from vramtuner.core.model.find import load_preset
from vramtuner.core.settings import Levers
from vramtuner.gui.panels.export import ExportDialog
from vramtuner.gui.state import Session

LONG = 60_000
MakeSession = Callable[..., Session]
VLLM = engine_plan_at_hand("vllm", load_preset("llama-2-7b"), find_device("w7900"), Levers())


@pytest.fixture
def session(make_session: MakeSession) -> Session:
    return make_session()


@pytest.fixture
def dialog(qtbot: QtBot, session: Session) -> ExportDialog:
    found = ExportDialog(session)
    qtbot.addWidget(found, before_close_func=lambda shown: shown.reject())
    found.show()
    qtbot.waitUntil(lambda: found.verdict.text().startswith("Under transformers"), timeout=LONG)
    return found


def take(qtbot: QtBot, dialog: ExportDialog, name: str) -> None:
    dialog.engine.setCurrentIndex(dialog.engine.findText(name))
    dialog.engine.activated.emit(dialog.engine.currentIndex())
    qtbot.waitUntil(lambda: not dialog.verdict.text().startswith("Working"), timeout=LONG)


def test_the_verdict_is_that_of_the_engine(qtbot: QtBot, dialog: ExportDialog) -> None:
    take(qtbot, dialog, "vLLM")
    assert VLLM is not None and dialog.verdict.text() == VLLM.verdict
    assert "published starts" in dialog.verdict.toolTip()
    assert not dialog.over_cap.isEnabled() and dialog.save.isEnabled()


def test_engines_that_do_not_run_these_files_are_grey_and_say_why(dialog: ExportDialog) -> None:
    model = dialog.engine.model()
    assert isinstance(model, QStandardItemModel)
    enabled = {model.item(row).text(): model.item(row).isEnabled() for row in range(model.rowCount())}
    assert enabled == {"transformers": True, "vLLM": True, "llama.cpp": False, "Ollama": False}
    assert "GGUF" in model.item(dialog.engine.findText("Ollama")).toolTip()


def test_a_lever_that_the_engine_has_not_is_said_and_nothing_can_be_saved(
    qtbot: QtBot, session: Session, dialog: ExportDialog
) -> None:
    session.change(weights="nf4")
    take(qtbot, dialog, "vLLM")
    assert "leave weights at none" in dialog.verdict.text() and not dialog.save.isEnabled()
    session.undo()
    take(qtbot, dialog, "transformers")
    assert dialog.save.isEnabled()


def test_what_is_chosen_is_the_answer(
    qtbot: QtBot, dialog: ExportDialog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = iter([("", ""), (str(tmp_path / "a.env"), "")])
    # The system's own dialog cannot be driven; what it answers is all that is put in its place.
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: next(answers))
    dialog.over_cap.setCurrentIndex(2)
    qtbot.mouseClick(dialog.fragments["compose"], Qt.MouseButton.LeftButton)
    qtbot.mouseClick(dialog.save, Qt.MouseButton.LeftButton)
    assert dialog.isVisible() and dialog.path is None  # no file was chosen: ask again
    qtbot.mouseClick(dialog.save, Qt.MouseButton.LeftButton)
    assert not dialog.isVisible() and dialog.path == tmp_path / "a.env"
    assert dialog.flavour == Flavour(over_cap="truncate", fragments=("compose",))


def test_the_file_of_another_engine_is_written_at_once(qtbot: QtBot, session: Session, tmp_path: Path) -> None:
    session.export(tmp_path / "deploy.env", "vllm", Flavour(fragments=("systemd", "kubernetes")))
    assert session.run is not None and session.run.kind == "engine"
    qtbot.waitUntil(lambda: session.run is None, timeout=LONG)
    assert session.notice is not None and "not validated" in session.notice.text and not session.notice.is_error
    names = sorted(path.name for path in tmp_path.glob("deploy*"))
    assert names == ["deploy.env", "deploy.pod.yaml", "deploy.service.conf"]
    assert parse((tmp_path / "deploy.env").read_text())["VRAMTUNER_ENGINE"] == "vllm"
    assert session.measurements == () and not session.stale


def test_what_does_not_fit_under_an_engine_is_not_written(qtbot: QtBot, session: Session, tmp_path: Path) -> None:
    session.change(pool_bytes=14 * 2**30, token_cap=4096)
    session.export(tmp_path / "deploy.env", "vllm")
    qtbot.waitUntil(lambda: session.run is None, timeout=LONG)
    assert session.notice is not None and session.notice.is_error and "Lower the token cap" in session.notice.text
    assert not (tmp_path / "deploy.env").exists()


def test_an_engine_for_other_files_is_refused_in_a_line(session: Session, tmp_path: Path) -> None:
    session.export(tmp_path / "deploy.env", "ollama")
    assert session.run is None and session.notice is not None and "GGUF" in session.notice.text


def test_the_choices_go_into_the_file_of_transformers_too(session: Session, tmp_path: Path) -> None:
    session.export(tmp_path / "deploy.env", "transformers", Flavour(over_cap="truncate", fragments=("compose",)))
    session.write_unvalidated()  # the card is not here
    assert parse((tmp_path / "deploy.env").read_text())["VRAMTUNER_OVER_CAP"] == "truncate"
    assert (tmp_path / "deploy.compose.yaml").exists()
