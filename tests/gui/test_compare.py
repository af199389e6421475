"""The compare tab: before and after, pinned plans, and what a session file keeps of them."""

from collections.abc import Callable
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from vramtuner.core.comparison import before_after
from vramtuner.core.settings import Levers
from vramtuner.core.units import GIB
from vramtuner.gui.comparing import MOST
from vramtuner.gui.plots.copying import values_of
from vramtuner.gui.window import Window

OpenWindow = Callable[..., Window]


@pytest.fixture
def window(open_window: OpenWindow) -> Window:
    window = open_window("gpt2", "w7900", Levers(token_cap=512, pool_bytes=4 * GIB))
    window.tabs.setCurrentWidget(window.compare)
    return window


def test_the_default_and_the_plan_are_before_and_after(qtbot: QtBot, window: Window) -> None:
    compare, plan = window.compare, window.session.forecast
    qtbot.waitUntil(lambda: compare.model.names == ("Default", "Now"))
    assert plan is not None
    assert compare.model.rows == before_after(plan)
    assert len(compare.plot.curves) == 2
    compare.all_rows.click()
    assert len(compare.model.rows) > len(before_after(plan))
    compare.with_default.click()
    assert compare.model.names == ("Now",) and "Pin this plan" in compare.note.text()


def test_a_pinned_plan_stays_while_levers_move(qtbot: QtBot, window: Window) -> None:
    compare, session = window.compare, window.session
    compare.with_default.click()
    pinned = session.forecast
    compare.pin.click()
    session.change(pool_bytes=8 * GIB)
    qtbot.waitUntil(lambda: len(compare.model.names) == 2)
    now = session.forecast
    assert pinned is not None and now is not None
    rows = {row.name: row.texts for row in compare.model.rows}
    assert rows["Pool"] == ("4.00 GiB", "8.00 GiB")
    # The plan's curve as numbers: what the forecast itself says.
    lines = values_of(compare).decode().splitlines()
    tokens, first, second = lines[-1].split(",")[0], *lines[-1].split(",")[1:]
    for plan, text in ((pinned, first), (now, second)):
        assert int(text) == pytest.approx(plan.needed_bytes(int(tokens)), abs=2)
    # The same plan is not pinned twice, a click on its name opens it, and it can be taken out.
    session.undo()
    compare.pin.click()
    assert len(compare.comparison.pinned) == 1 and "pinned already" in window.activity.notice.text.text()
    session.change(token_cap=100)
    compare.wanted.emit(compare.comparison.pinned[0].choice)
    assert session.choice == compare.comparison.pinned[0].choice
    compare.comparison.remove(compare.comparison.pinned[0])
    assert not compare.comparison.pinned


def test_there_is_room_for_so_many_and_no_more(window: Window) -> None:
    compare, session = window.compare, window.session
    for cap in range(100, 100 + MOST + 1):
        session.change(token_cap=cap)
        compare.pin_current()
    assert len(compare.comparison.pinned) == MOST
    assert "take one out" in window.activity.notice.text.text()


def test_pinned_plans_are_saved_with_the_session(
    qtbot: QtBot, window: Window, open_window: OpenWindow, tmp_path: Path
) -> None:
    window.compare.pin_current()
    window.session.change(token_cap=256)
    window.keeper.save_to(tmp_path / "a.vramtuner")
    other = open_window("llama-2-7b")
    other.keeper.open_session(tmp_path / "a.vramtuner")
    (pinned,) = other.comparison.pinned
    assert pinned.choice.levers == Levers(token_cap=512, pool_bytes=4 * GIB)
    assert not other.isWindowModified()
    qtbot.waitUntil(lambda: other.comparison.pinned[0].plan is not None)
    other.comparison.remove(other.comparison.pinned[0])
    assert other.isWindowModified()


def test_the_tables_below_can_be_folded_away(window: Window) -> None:
    fold, tabs = window.activity.fold, window.activity.tabs
    tall = tabs.height()
    fold.click()
    assert tabs.height() < tall and tabs.height() <= tabs.tabBar().height() + 4
    tabs.tabBarClicked.emit(1)
    assert not fold.isChecked()
