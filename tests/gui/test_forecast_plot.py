"""The forecast plot by mouse and keyboard: the cap, both axes, points with bars, and what is copied out of it."""

import csv
import io
import itertools
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QItemSelectionModel, QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QImage
from pytestqt.qtbot import QtBot

from vramtuner.core.calibration import Calibration, Observation, Stack
from vramtuner.core.forecast import COMPONENT_NAMES, Forecast, forecast
from vramtuner.core.probe.protocol import PassResult, Samples
from vramtuner.core.recording import find_tapes
from vramtuner.core.units import GIB, MIB
from vramtuner.gui.plots.copying import SVG, copy_svg
from vramtuner.gui.plots.token_axis import TokenAxis
from vramtuner.gui.series import LiveSeries
from vramtuner.gui.values import Measurement, measured_points
from vramtuner.gui.window import Window

_SVG = "{http://www.w3.org/2000/svg}"


def plan_of(window: Window) -> Forecast:
    plan = window.session.forecast
    assert plan is not None
    return plan


def passed(plan: Forecast, tokens: int, more_bytes: int = 0) -> Measurement:
    """A pass that took what was forecast, and something more."""
    result = PassResult(1, tokens, "ok", plan.tensor_bytes(tokens) + more_bytes, plan.weight_bytes, 1.0)
    return Measurement("profile", plan, result)


def pixel_of(window: Window, tokens: float, height: float) -> QPoint:
    """Where a point of the plot is on its viewport."""
    plot = window.forecast.plot
    scene = plot.plot.getViewBox().mapViewToScene(QPointF(plot.axis.place(tokens), height))
    return plot.plot.mapFromScene(scene)


def drag(qtbot: QtBot, window: Window, start: QPoint, stops: list[QPoint], pause: int = 0) -> None:
    """Press, move and release, as a hand does."""
    viewport = window.forecast.plot.plot.viewport()
    qtbot.mousePress(viewport, Qt.MouseButton.LeftButton, pos=start)
    for stop in stops:
        qtbot.wait(pause)
        qtbot.mouseMove(viewport, stop)
    qtbot.wait(50)
    qtbot.mouseRelease(viewport, Qt.MouseButton.LeftButton, pos=stops[-1])


# ---- the axis


@given(st.booleans(), st.integers(1, 1_000_000))
def test_a_place_on_the_axis_is_read_back_as_the_same_count(is_log: bool, tokens: int) -> None:
    axis = TokenAxis(is_log=is_log)
    assert axis.tokens_at(axis.place(tokens)) == tokens


@given(st.booleans(), st.floats(8, 1_000_000))
def test_samples_go_from_one_token_to_the_end(is_log: bool, end: float) -> None:
    samples = TokenAxis(is_log=is_log).samples(end, 1024)
    assert samples[0] == 1 and end - 1 < samples[-1] <= end
    assert bool(np.all(np.diff(samples) > 0))


@given(st.floats(8, 2_000_000))
def test_a_logarithmic_axis_names_round_counts_that_do_not_touch(end: float) -> None:
    axis = TokenAxis(is_log=True)
    ticks = axis.ticks(end)
    assert ticks is not None
    (major,) = ticks
    assert 2 <= len(major) <= 12
    values = [int(text.replace(",", "")) for _, text in major]
    assert values[0] == 1 and values[-1] <= end
    for (place, _), value in zip(major, values, strict=True):
        assert 10**place == pytest.approx(value)
        assert str(value).rstrip("0") in ("1", "2", "3", "5")


def test_the_cap_is_on_the_axis_from_one_token_to_a_million(window: Window) -> None:
    plot = window.forecast.plot
    for is_log, cap in itertools.product((False, True), (1, 2, 100, 4096, 131_072, 1_000_000)):
        plot.use_log_axis(is_log)
        window.session.change(token_cap=cap)
        low, high = plot.plot.getViewBox().viewRange()[0]
        assert low == 0 and low <= plot.cap_line.value() < high
        assert plot.axis.tokens_at(plot.cap_line.value()) == cap
        rect = plot.areas[-1].path().boundingRect()
        assert rect.right() <= high * 1.001 and rect.height() > 0


def test_the_axis_is_switched_in_three_places_and_kept(
    qtbot: QtBot, window: Window, open_window: Callable[..., Window]
) -> None:
    plot, button, action = window.forecast.plot, window.forecast.log_button, window.menus.log_action
    assert not plot.axis.is_log
    button.setFocus()
    qtbot.keyClick(button, Qt.Key.Key_Space)
    assert plot.axis.is_log and button.isChecked() and action.isChecked()
    assert plot.plot.getViewBox().viewRange()[0][1] < 6
    assert plot.limit_line.value() == pytest.approx(np.log10(plan_of(window).limit.tokens))
    other = open_window()
    assert (
        other.forecast.plot.axis.is_log and other.forecast.log_button.isChecked() and other.menus.log_action.isChecked()
    )
    action.trigger()
    assert not plot.axis.is_log and not button.isChecked()
    assert not open_window().forecast.plot.axis.is_log


def test_the_mouse_reads_the_count_below_it_on_both_axes(qtbot: QtBot, window: Window) -> None:
    plot = window.forecast.plot
    for is_log in (False, True):
        plot.use_log_axis(is_log)

        def reads() -> bool:
            where = pixel_of(window, 8000, 5.0)  # the plot may still be finding its size
            qtbot.mouseMove(plot.plot.viewport(), where + QPoint(3, 3))
            qtbot.wait(30)  # pyqtgraph passes over moves that follow each other too quickly
            qtbot.mouseMove(plot.plot.viewport(), where)
            read = plot.axis.tokens_at(plot.cursor_line.value())
            return abs(pixel_of(window, read, 5.0).x() - where.x()) <= 2  # a pixel is 3 % of it on a logarithmic axis

        with qtbot.waitSignal(plot.hovered):
            qtbot.waitUntil(reads)


# ---- the cap


def test_a_drag_of_the_cap_is_one_step_however_slow(qtbot: QtBot, window: Window) -> None:
    session, plot = window.session, window.forecast.plot
    before = session.choice
    for is_log in (False, True):
        plot.use_log_axis(is_log)
        stops = [pixel_of(window, tokens, 20.0) for tokens in (5000, 9000, 12_000)]
        drag(qtbot, window, pixel_of(window, 4096, 20.0), stops, pause=900)  # longer than quick moves are apart
        assert session.choice.levers.token_cap == pytest.approx(12_000, rel=0.03)
        assert plot.axis.tokens_at(plot.cap_line.value()) == session.choice.levers.token_cap
        session.undo()
        assert session.choice == before and not session.can_undo


def test_two_drags_are_two_steps(qtbot: QtBot, window: Window) -> None:
    for start, end in ((4096, 8000), (8000, 6000)):
        drag(qtbot, window, pixel_of(window, start, 20.0), [pixel_of(window, (start + end) / 2, 20.0)] * 2
             + [pixel_of(window, end, 20.0)])  # fmt: skip
    assert window.session.choice.levers.token_cap == pytest.approx(6000, rel=0.03)
    window.session.undo()
    assert window.session.choice.levers.token_cap == pytest.approx(8000, rel=0.03)


def test_keys_move_the_cap_by_one_and_ten_percent(qtbot: QtBot, window: Window) -> None:
    plot, levers = window.forecast.plot, lambda: window.session.choice.levers
    plot.setFocus()
    width = plot.cap_line.pen.widthF()
    assert plot.hasFocus() and width > 3  # it shows what the keys move
    qtbot.keyClick(plot, Qt.Key.Key_Right)
    assert levers().token_cap == 4137
    qtbot.keyClick(plot, Qt.Key.Key_Left, Qt.KeyboardModifier.ShiftModifier)
    assert levers().token_cap == 4137 - 414
    qtbot.keyClick(plot, Qt.Key.Key_End)
    assert levers().token_cap == plan_of(window).limit.tokens
    window.setup.model.setFocus()
    assert plot.cap_line.pen.widthF() < width


def test_keys_reach_every_small_cap_and_stop_at_one(qtbot: QtBot, window: Window) -> None:
    window.session.change(token_cap=3)
    for expected in (2, 1, 1):
        qtbot.keyClick(window.forecast.plot, Qt.Key.Key_Left)
        assert window.session.choice.levers.token_cap == expected


def test_a_click_into_the_plot_gives_it_the_keys(qtbot: QtBot, window: Window) -> None:
    window.setup.model.setFocus()
    qtbot.mouseClick(window.forecast.plot.plot.viewport(), Qt.MouseButton.LeftButton)
    assert window.forecast.plot.hasFocus()


# ---- measured points


def test_the_spread_of_passes_of_one_length_is_a_bar(window: Window) -> None:
    plan = plan_of(window)
    passes = (passed(plan, 2048, 300 * MIB), passed(plan, 2048, -100 * MIB), passed(plan, 2048), passed(plan, 1024))
    window.session.measurements = passes
    window.session.measurements_changed.emit()
    single, several = measured_points(passes)
    assert not single.is_uncertain
    assert (several.below, several.above) == (100 * MIB, 300 * MIB)
    assert several.bytes == plan.peak_bytes(2048)  # the newest is as forecast
    plot = window.forecast.plot
    assert len(plot.points.points()) == 2 and plot.error_bars.isVisible()
    (x,), (y,), (top,) = (plot.error_bars.opts[name] for name in ("x", "y", "top"))
    assert (x, y, top) == (2048, pytest.approx(plan.peak_bytes(2048) / GIB), pytest.approx(300 * MIB / GIB))


def test_the_bar_of_a_single_pass_is_the_calibration_s_error(window: Window) -> None:
    plan = plan_of(window)
    stack = Stack(device="d", driver="", torch="t", transformers="t", dtype="fp16", attention="flash", weights="none")
    calibration = Calibration(
        stack=stack, created="2026-12-03T04:05:06", model="m", model_hash="h", levers="l",
        slope=0.0, slope_error=0.01, offset_bytes=0, offset_error_bytes=50 * MIB, overhead_bytes=GIB,
        overhead_error_bytes=10 * MIB, observations=(Observation(1, 1, 1),),
    )  # fmt: skip
    tapes = find_tapes(plan.spec, plan.phases)
    assert tapes is not None
    corrected = forecast(plan.spec, plan.device, plan.levers, *tapes, calibration=calibration)
    (point,) = measured_points([passed(corrected, 4096)])
    above_weights = corrected.held_bytes(4096) - corrected.weight_bytes
    assert point.above == point.below == round(0.01 * above_weights + 60 * MIB)


def test_a_pass_that_ran_out_of_memory_has_no_bar_and_lies_at_the_pool(window: Window) -> None:
    plan = plan_of(window)
    failed = msgspec.structs.replace(passed(plan, 4096).result, outcome="out_of_memory", message="no")
    (point,) = measured_points([passed(plan, 4096), Measurement("profile", plan, failed)])
    assert point.bytes == plan.pool_bytes and not point.is_uncertain


# ---- copies


def test_the_svg_on_the_clipboard_is_a_drawing_with_its_words(window: Window) -> None:
    window.menus.copy_svg_action.trigger()
    mime = QGuiApplication.clipboard().mimeData()
    root = ElementTree.fromstring(bytes(mime.data(SVG).data()))
    assert root.tag == f"{_SVG}svg" and mime.text().startswith("<?xml")
    words = " ".join("".join(text.itertext()) for text in root.iter(f"{_SVG}text"))
    assert "cap 4,096" in words and "pool 38.40 GiB" in words and "KV cache" in words
    assert len(list(root.iter(f"{_SVG}path"))) > 7
    # Nothing of the curve is a picture of pixels: what there is, is the squares of the legend.
    assert all(int(image.get("width", "0")) <= 64 for image in root.iter(f"{_SVG}image"))


def test_every_tab_can_be_had_as_a_picture(window: Window) -> None:
    for number in range(window.tabs.count()):
        window.tabs.setCurrentIndex(number)
        copy_svg(window.tabs.currentWidget())
        ElementTree.fromstring(bytes(QGuiApplication.clipboard().mimeData().data(SVG).data()))
        window.menus.copy_action.trigger()
        assert not QGuiApplication.clipboard().pixmap().isNull()


def test_the_curve_as_csv_adds_up(window: Window) -> None:
    window.menus.copy_csv_action.trigger()
    mime = QGuiApplication.clipboard().mimeData()
    text = bytes(mime.data("text/csv").data()).decode()
    assert text == mime.text()
    rows = list(csv.DictReader(io.StringIO(text)))
    plan = plan_of(window)
    assert int(rows[0]["tokens"]) == 1 and len(rows) >= 500
    for row in rows[:: len(rows) // 20]:
        tokens = int(row["tokens"])
        assert int(row["peak_bytes"]) == sum(int(row[f"{name}_bytes"]) for name in COMPONENT_NAMES)
        assert int(row["peak_bytes"]) == plan.peak_bytes(tokens)
        assert int(row["needed_bytes"]) == plan.needed_bytes(tokens)
        assert int(row["pool_bytes"]) == plan.pool_bytes == 41_231_056_896 // MIB * MIB


def test_the_live_plot_has_values_once_something_was_measured(window: Window) -> None:
    window.tabs.setCurrentWidget(window.live)
    window.menus.copy_csv_action.trigger()
    assert window.session.notice is not None and "nothing is drawn" in window.session.notice.text.lower()
    series = LiveSeries(pool_bytes=100)
    series.take(Samples(1, [0.5, 1.0], [10, 20], [11, 22], [30, 40], [50, 60]))
    window.session.show_run(series, ())
    window.menus.copy_csv_action.trigger()
    assert QGuiApplication.clipboard().text() == (
        "seconds,allocated_bytes,reserved_bytes,process_bytes,device_bytes,pool_bytes\n"
        "0.500000,10,11,30,50,100\n1.000000,20,22,40,60,100\n"
    )


def test_a_plot_is_saved_in_the_format_of_its_name(window: Window, tmp_path: Path) -> None:
    for name in ("plot.svg", "plot.png", "plot.csv", "plot.SVG"):
        window.menus.save_plot(tmp_path / name)
        assert window.session.notice is not None and window.session.notice.text == f"Wrote {tmp_path / name}."
    ElementTree.fromstring((tmp_path / "plot.svg").read_bytes())
    ElementTree.fromstring((tmp_path / "plot.SVG").read_bytes())
    assert not QImage.fromData((tmp_path / "plot.png").read_bytes()).isNull()
    assert (tmp_path / "plot.csv").read_bytes().startswith(b"tokens,weights_bytes,")


def test_a_plot_that_cannot_be_saved_is_said_so(window: Window, tmp_path: Path) -> None:
    (tmp_path / "a-file").touch()
    for name in ("plot.gif", "plot", "a-file/plot.svg"):
        window.session.tell(None)
        window.menus.save_plot(tmp_path / name)
        assert window.session.notice is not None and window.session.notice.is_error
    assert [path.name for path in tmp_path.glob("*") if path.is_file()] == ["a-file"]


def test_rows_of_results_are_copied_with_their_headings(qtbot: QtBot, window: Window) -> None:
    plan, table = plan_of(window), window.activity.results
    named = msgspec.structs.replace(plan.spec, name="a\tb\nc")
    hostile = Measurement("profile", replace(plan, spec=named), passed(plan, 512).result)
    window.session.measurements = (passed(plan, 1024), hostile)
    window.session.measurements_changed.emit()
    table.setFocus()
    qtbot.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    lines = [line.split("\t") for line in QGuiApplication.clipboard().text().split("\n")]
    assert [len(line) for line in lines] == [9, 9, 9] and lines[0][:3] == ["Run", "Tokens", "Outcome"]
    assert [line[1] for line in lines[1:]] == ["512", "1,024"] and "a b c" in lines[1]
    flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
    table.selectionModel().select(table.model().index(1, 0), flags)
    qtbot.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert [line.split("\t")[1] for line in QGuiApplication.clipboard().text().split("\n")] == ["Tokens", "1,024"]
