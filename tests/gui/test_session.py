"""The session alone: what is asked of it, what it holds afterwards, what it says."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QModelIndex
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from vramtuner.core.errors import BadInputError
from vramtuner.core.probe.protocol import PassResult
from vramtuner.core.units import GIB
from vramtuner.gui.history import History
from vramtuner.gui.panels.results import ResultsModel
from vramtuner.gui.state import Session
from vramtuner.gui.theme import Theme
from vramtuner.gui.values import Measurement, sentence

MakeSession = Callable[..., Session]


def test_first_forecast_comes_from_a_shipped_tape(make_session: MakeSession) -> None:
    session = make_session()
    assert session.forecast is not None and not session.stale and session.run is None


def test_a_lever_changes_forecast_limit_and_sentence_in_the_same_call(make_session: MakeSession) -> None:
    session = make_session()
    before = session.forecast
    assert before is not None
    session.change(pool_bytes=16 * GIB)
    after = session.forecast
    assert after is not None
    assert after.limit.tokens < before.limit.tokens
    assert after.verdict != before.verdict


def test_a_pool_the_device_cannot_give_changes_nothing(make_session: MakeSession) -> None:
    session = make_session()
    before = session.choice
    with pytest.raises(BadInputError, match="does not fit Radeon PRO W7900"):
        session.change(pool_bytes=48 * GIB)
    assert session.choice == before and not session.can_undo


def test_a_pool_too_large_for_the_next_device_goes_back_to_its_default(make_session: MakeSession) -> None:
    session = make_session()
    session.change(pool_bytes=40 * GIB)
    session.choose_device("w6800")
    assert session.choice.levers.pool_bytes is None


def test_undo_and_redo_walk_over_levers_device_and_model(make_session: MakeSession) -> None:
    session = make_session()
    first = session.choice
    session.change(margin=0.2)
    session.choose_device("w6800")
    session.choose_model("gpt2")
    last = session.choice
    for _ in range(3):
        session.undo()
    assert session.choice == first and not session.can_undo
    for _ in range(3):
        session.redo()
    assert session.choice == last and not session.can_redo


def test_a_dragged_slider_is_one_step_of_undo(make_session: MakeSession) -> None:
    session = make_session()
    first = session.choice
    for pool in range(10, 20):
        session.change(pool_bytes=pool * GIB)
    session.undo()
    assert session.choice == first


def test_history_has_nothing_to_give_when_it_is_empty() -> None:
    history: History[int] = History()
    assert history.undo(1) is None and history.redo(1) is None and not history.can_redo


def test_a_new_change_ends_redo() -> None:
    history: History[int] = History()
    history.push(1)
    assert history.undo(2) == 1
    history.push(1)
    assert history.redo(3) is None


def test_a_catalogue_card_cannot_run_passes_and_says_why(make_session: MakeSession) -> None:
    session = make_session()
    assert session.profile_problem == (
        "Radeon PRO W7900 is not in this machine; choose the CPU stand-in to run passes here"
    )
    session.profile()
    assert session.run is None


def test_nothing_can_be_run_when_not_one_token_fits(make_session: MakeSession) -> None:
    session = make_session("gpt2", "cpu")
    session.change(pool_bytes=GIB // 4)
    assert session.profile_problem.startswith("not even one token fits")


def test_without_torch_a_missing_tape_is_a_reason_not_an_error(make_session: MakeSession) -> None:
    session = make_session()
    session.torch_installed = False
    session.change(batch_size=7)
    assert session.stale and "PyTorch is not installed" in session.problem
    assert session.forecast is not None and session.forecast.levers.batch_size == 1
    session.undo()
    assert not session.stale and not session.problem


def test_export_for_a_card_elsewhere_offers_a_file_marked_so(make_session: MakeSession, tmp_path: Path) -> None:
    session, path = make_session(), tmp_path / "deploy.env"
    session.export(path)
    assert session.notice is not None and session.notice.write is not None and not path.exists()
    session.write_unvalidated()
    assert "VRAMTUNER_VALIDATION=not-validated" in path.read_text()
    assert session.notice is not None and session.notice.write is None


def test_export_of_what_does_not_fit_elsewhere_is_refused(make_session: MakeSession, tmp_path: Path) -> None:
    session, path = make_session(), tmp_path / "deploy.env"
    session.change(token_cap=100_000)
    session.export(path)
    assert session.notice is not None and session.notice.write is None and not path.exists()
    assert "does not fit 100,000 tokens" in session.notice.text


def test_export_into_a_missing_folder_is_told_before_any_pass(make_session: MakeSession, tmp_path: Path) -> None:
    session = make_session("gpt2", "cpu")
    session.export(tmp_path / "none" / "deploy.env")
    assert session.run is None
    assert session.notice is not None and session.notice.text.startswith("There is no folder")


def test_the_results_model_keeps_qt_s_rules(
    qtmodeltester: ModelTester, make_session: MakeSession, theme: Theme
) -> None:
    model = ResultsModel(make_session(), theme)
    qtmodeltester.check(model)
    assert model.rowCount() == 0 and model.data(QModelIndex()) is None


def test_a_choice_that_is_the_same_is_no_step(qtbot: QtBot, make_session: MakeSession) -> None:
    session = make_session()
    with qtbot.waitSignal(session.plan_changed):
        session.change(margin=0.10)
    assert not session.can_undo


def test_a_pass_that_takes_what_was_forecast_lies_on_the_curve(make_session: MakeSession) -> None:
    plan = make_session().forecast
    assert plan is not None and plan.component_bytes(4096)["allocator"] > 0
    tensors = plan.tensor_bytes(4096)
    measured = Measurement("profile", plan, PassResult(1, 4096, "ok", tensors, plan.weight_bytes, 1.0))
    assert measured.error == 0
    assert measured.forecast_bytes == tensors
    assert measured.curve_bytes == pytest.approx(plan.peak_bytes(4096), abs=8)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a pool of none", "A pool of none."),
        ("max_split_size_mb must be whole.", "max_split_size_mb must be whole."),
        ("wait…", "Wait…"),
        ("", "."),
    ],
)
def test_a_message_becomes_a_sentence(text: str, said: str) -> None:
    assert sentence(text) == said
