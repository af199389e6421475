"""Runs that were kept, in the window: listed, opened, played again, compared, exported, thrown away; calibration."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from vramtuner.core.calibration import all_calibrations
from vramtuner.core.probe.protocol import PassResult, PassStarted, Samples
from vramtuner.core.runs import header_of, new_writer, read_run, runs_folder
from vramtuner.core.settings import Levers
from vramtuner.core.units import GIB
from vramtuner.gui.player import Player
from vramtuner.gui.series import MOST_ROWS, LiveSeries
from vramtuner.gui.window import Window

OpenWindow = Callable[..., Window]
LONG = 120_000


@pytest.fixture
def window(
    qtbot: QtBot, open_window: OpenWindow, tiny_llama: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Window:
    """A window on a real model folder and the stand-in that has run a profile; runs are kept in a folder of its own."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    window = open_window(tiny_llama, "cpu", Levers(pool_bytes=GIB, token_cap=512, new_tokens=8))
    qtbot.waitUntil(lambda: not window.session.stale, timeout=LONG)
    window.menus.profile_action.trigger()
    qtbot.waitUntil(lambda: window.session.run is None, timeout=LONG)
    return window


def test_a_run_is_kept_opened_and_played_again(qtbot: QtBot, window: Window, tmp_path: Path) -> None:
    session, runs = window.session, window.activity.runs
    lived = session.live
    passes = tuple(one.result for one in session.measurements)
    window.activity.tabs.setCurrentWidget(runs)
    qtbot.waitUntil(lambda: runs.model.rowCount() == 1)
    assert [runs.model.index(0, column).data() for column in (1, 2, 3)] == ["tiny-llama", "CPU stand-in", "1.00 GiB"]
    assert not runs.open.isEnabled()
    runs.table.selectRow(0)
    window.tabs.setCurrentWidget(window.forecast)
    runs.open.click()
    qtbot.waitUntil(lambda: session.live is not lived, timeout=LONG)
    assert window.tabs.currentWidget() is window.live
    assert "kept run of" in window.live.summary.text()
    # The same run to the byte, and none of its passes is there twice.
    assert len(session.live) == len(lived)
    assert (session.live.allocated == lived.allocated).all() and (session.live.device == lived.device).all()
    assert session.live.marks == lived.marks and session.live.phases == lived.phases
    assert tuple(one.result for one in session.measurements) == passes
    _replays(qtbot, window)
    _exports(qtbot, window, tmp_path)


def _replays(qtbot: QtBot, window: Window) -> None:
    transport, player, live = window.live.transport, window.live.player, window.session.live
    assert transport.play.text() == "Replay"
    qtbot.keyClick(transport.slider, Qt.Key.Key_Home)
    assert player.position == 0.0
    assert window.live.plot.count <= 1
    player.play_at(0.25)
    qtbot.mouseClick(transport.play, Qt.MouseButton.LeftButton)
    assert transport.play.text() == "Pause"
    qtbot.waitUntil(lambda: live.place(player.now) > 3)
    qtbot.mouseClick(transport.play, Qt.MouseButton.LeftButton)
    assert not player.playing and 0 < player.now < live.last_seconds
    assert window.live.plot.count == live.place(player.now)
    assert window.live.plot.allocated.getData()[0][-1] <= player.now
    player.play_at(64.0)
    player.play()
    qtbot.waitUntil(lambda: player.position is None, timeout=LONG)
    assert window.live.plot.count == len(live)


def _exports(qtbot: QtBot, window: Window, tmp_path: Path) -> None:
    runs, session = window.activity.runs, window.session
    (path,) = runs_folder().iterdir()
    target = tmp_path / "a.csv"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(QFileDialog, "getSaveFileName", lambda *args, **options: (str(target), ""))
        runs.export.click()
    qtbot.waitUntil(lambda: session.notice is not None and "Wrote" in session.notice.text)
    assert len(target.read_text().splitlines()) == 1 + sum(1 for _ in read_run(path).samples())


def test_a_run_is_compared_with_the_plan(qtbot: QtBot, window: Window) -> None:
    runs, compare = window.activity.runs, window.compare
    window.activity.tabs.setCurrentWidget(runs)
    qtbot.waitUntil(lambda: runs.model.rowCount() == 1)
    runs.table.selectRow(0)
    runs.compare.click()
    qtbot.waitUntil(lambda: len(compare.comparison.runs) == 1, timeout=LONG)
    assert window.tabs.currentWidget() is compare
    compare.all_rows.click()
    qtbot.waitUntil(lambda: "Now" in compare.model.names)
    table = {row.name: row.texts for row in compare.model.rows}
    names = compare.model.names
    run, now = (index for index, name in enumerate(names) if name in (names[-2], "Now"))
    plan = window.session.forecast
    assert plan is not None
    for one in window.session.measurements:
        texts = table[f"In tensors at {one.result.tokens:,} token{'' if one.result.tokens == 1 else 's'}"]
        assert texts[run] == texts[now]  # measured beside forecast, to a hundredth of a MiB
    assert any(name.strip() == "torch" for name in table)
    chip = next(button for button in compare.findChildren(type(compare.chips.itemAt(0).widget())) if button.isVisible())
    assert chip is not None
    compare.comparison.remove(compare.comparison.runs[0])
    assert not compare.comparison.runs


def test_a_profile_offers_a_calibration_that_is_shown_and_can_be_forgotten(qtbot: QtBot, window: Window) -> None:
    session, menus = window.session, window.menus
    news = session.notice
    assert news is not None and not news.is_error
    assert "off by 0.00 % at most" in news.text
    assert "The source article's rule" in news.text  # what it would have said, beside ours
    before = session.forecast
    assert before is not None and before.calibration is None and not menus.forget_action.isEnabled()
    (button,) = [one for one in window.activity.notice.action_buttons if one.text() == "Calibrate"]
    button.click()
    plan = session.forecast
    assert plan is not None and plan.calibration is not None
    assert [one.stack.device for one in all_calibrations()] == ["CPU stand-in"]
    assert plan.limit.tokens == before.limit.tokens  # a forecast that was right stays
    assert "calibrated: offset" in window.activity.notes.text()
    assert menus.forget_action.isEnabled()
    menus.forget_action.trigger()
    assert session.forecast is not None and session.forecast.calibration is None
    assert not all_calibrations()


def test_lengths_that_a_person_adds_are_validated(qtbot: QtBot, window: Window, tmp_path: Path) -> None:
    session = window.session
    window.menus.use_lengths("100, oops")
    assert session.notice is not None and session.notice.is_error and session.also_validate == ()
    window.menus.use_lengths("100, 600")
    assert session.also_validate == (100, 600)
    session.export(tmp_path / "deploy.env")
    qtbot.waitUntil(lambda: session.run is None, timeout=LONG)
    assert (tmp_path / "deploy.env").exists()
    done = [(one.result.tokens, one.result.outcome) for one in session.measurements if one.kind == "validate"]
    assert done == [(100, "ok"), (256, "ok"), (512, "ok"), (600, "refused"), (768, "refused")]


def test_a_discarded_run_is_gone_from_the_list(qtbot: QtBot, window: Window) -> None:
    runs = window.activity.runs
    window.activity.tabs.setCurrentWidget(runs)
    qtbot.waitUntil(lambda: runs.model.rowCount() == 1)
    runs.table.selectRow(0)
    runs.table.setFocus()
    qtbot.keyClick(runs.table, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: runs.model.rowCount() == 0)
    assert not list(runs_folder().iterdir()) and runs.empty.isVisible()


def test_a_file_that_is_no_run_is_told(qtbot: QtBot, window: Window, tmp_path: Path) -> None:
    (tmp_path / "no.vramrun").write_bytes(b"nothing")
    window.kept.open(tmp_path / "no.vramrun")
    qtbot.waitUntil(lambda: window.session.notice is not None and window.session.notice.is_error)
    assert "cannot be read as a run" in window.activity.notice.text.text()


def test_a_player_moves_at_its_speed_and_ends_at_the_newest_reading(qtbot: QtBot) -> None:
    from vramtuner.core.probe.protocol import Samples

    series, player = LiveSeries(), Player()
    series.take(Samples(1, [0.0, 1.0, 2.0], [1, 2, 3], [1, 2, 3], [1, 2, 3]))
    player.show_series(series)
    assert player.position is None and player.now == 2.0
    player.go(-5)
    assert player.now == 0.0
    player.go(99)
    assert player.now == 2.0
    player.play_at(64.0)
    player.play()
    assert player.playing and player.now == 0.0
    qtbot.waitUntil(lambda: not player.playing)
    assert player.position is None


def test_a_long_run_takes_no_more_memory_and_loses_no_peak() -> None:
    from vramtuner.core.probe.protocol import Samples

    series, high, low = LiveSeries(), 987_654_321, 1
    for batch in range(600):
        allocated = [1000 + batch] * 1000
        if batch == 7:
            allocated[123] = high
        if batch == 400:
            allocated[321] = low
        seconds = [batch + place / 1000 for place in range(1000)]
        series.take(Samples(1, seconds, allocated, allocated, [5 + batch] * 1000, [batch] * 1000))
    assert len(series) <= MOST_ROWS and series._rows.shape[1] == MOST_ROWS
    assert (series.allocated.max(), series.allocated.min()) == (high, low)
    assert series.seconds[int(series.allocated.argmax())] == pytest.approx(7.123)
    assert (series.seconds[1:] >= series.seconds[:-1]).all()
    assert series.last_seconds == pytest.approx(599.999) and series.process.max() == 604


def test_a_run_of_very_many_passes_and_no_phases_is_drawn(
    qtbot: QtBot, open_window: OpenWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    window = open_window("gpt2", "cpu", Levers(pool_bytes=GIB, token_cap=512))
    qtbot.waitUntil(lambda: not window.session.stale, timeout=LONG)
    plan = window.session.forecast
    assert plan is not None
    writer = new_writer(header_of(plan, ()), tmp_path)
    writer.keep(Samples(1, [0.0, 1.0], [GIB, 5], [GIB, 5], [7, 7]))
    writer.keep(PassResult(1, 77, "out_of_memory", 5, 1, 0.1))
    for tokens in range(1, 400):
        writer.keep(PassStarted(1, tokens, tokens / 400))
    writer.close(complete=True)
    window.kept.open(writer.path)
    qtbot.waitUntil(lambda: len(window.session.live) == 2, timeout=LONG)
    assert len(window.session.live.marks) == 400
    drawn = [line.label.format for line in window.live.plot._marks]
    assert 1 < len(drawn) <= 64
    assert "77 out of memory" in drawn and "399 tokens" in drawn
    assert not window.live.plot.strip.isVisible()
