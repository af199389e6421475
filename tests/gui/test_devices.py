"""The devices tab over machines in folders: what is shown, what is read when, and what ends."""

import shutil
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QGuiApplication, QKeySequence
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

sys.path.insert(0, str(Path(__file__).parents[1] / "data"))
import device_trees as trees
from device_trees import GIB, MIB

from vramtuner.core.device.inventory import local_gpus
from vramtuner.core.device.roots import Roots
from vramtuner.core.device.summary import survey
from vramtuner.core.probe.protocol import DeviceFree, PassResult
from vramtuner.gui.panels.devices import DevicesPanel
from vramtuner.gui.panels.processes import ProcessesModel
from vramtuner.gui.state import Session
from vramtuner.gui.theme import Scheme, Theme
from vramtuner.gui.values import Measurement, Run
from vramtuner.gui.window import Window

W7900 = replace(trees.W7900, used=10 * GIB, extra={"gpu_busy_percent": "37\n"})
BOX = trees.Machine((W7900, trees.SMALL_APU), {200: {44444: 6 * GIB}, 300: {44444: GIB}})
Open = Callable[..., Window]


class Box:
    """A machine in a folder, which can change while it is looked at."""

    def __init__(self, folder: Path, machine: trees.Machine = BOX) -> None:
        self.folder = trees.write(machine, folder / "box")
        self.roots = Roots.under(self.folder)

    def put_used(self, gpu: trees.Gpu, used: int) -> None:
        """Set what the driver counts, at once: whoever reads sees the old figure or the new one."""
        file = self.folder / "sys/devices/pci0000:00" / gpu.slot / "mem_info_vram_used"
        new = file.with_name("new")
        new.write_text(f"{used}\n")
        new.replace(file)

    def hide(self) -> None:
        """Every GPU goes, as when its driver is unbound."""
        for name in ("sys/class", "sys/devices"):
            shutil.move(self.folder / name, self.folder / f"{name}-away")

    def bring_back(self) -> None:
        for name in ("sys/devices", "sys/class"):
            shutil.move(self.folder / f"{name}-away", self.folder / name)


@pytest.fixture
def box(tmp_path: Path) -> Box:
    made = Box(tmp_path)
    trees.add_process(made.folder, 200, "python3", 0)
    trees.add_process(made.folder, 300, "llama-server", 0)
    trees.add_process(made.folder, 400, "gnome-shell", 0, [(128, trees.fdinfo(W7900.slot, 3, GIB, 8 * MIB))])
    return made


@pytest.fixture
def open_over(qtbot: QtBot, open_window: Open) -> Open:
    """Opens the window over a machine in a folder, on its devices tab."""

    def open_it(box: Box, *, device: str = "w7900", shown: bool = True) -> Window:
        window = open_window(device=device, roots=box.roots)
        if shown:
            window.tabs.setCurrentWidget(window.devices)
            qtbot.waitUntil(lambda: window.devices.watch.chosen is not None)
        return window

    return open_it


def sampling() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "vramtuner-sampler"]


def titles(panel: DevicesPanel) -> list[str]:
    return [panel.list.entry_at(place).title for place in range(panel.list.count())]


def facts(panel: DevicesPanel) -> dict[str, str]:
    shown = {name: label.text() for name, label in panel.facts.values.items() if label.text()}
    return {name: text.replace("\u200b", "") for name, text in shown.items()}


# ---- what is shown


def test_a_card_beside_an_apu(box: Box, open_over: Open) -> None:
    panel = open_over(box).devices
    assert titles(panel) == ["0: Radeon PRO W7900", "1: Radeon 610M", "CPU stand-in"]
    assert panel.name.text() == "Radeon PRO W7900"
    assert panel.line.text() == "gfx1100 · 96 compute units · HIP's GPU 0 · 0000:0a:00.0"
    said = facts(panel)
    assert said["Memory"] == "47.98 GiB, read from the amdgpu driver"
    assert said["Used"] == "10.00 GiB, by everyone, the driver's count"
    assert said["Free now"] == "37.98 GiB, the driver's count"
    assert said["HIP's count"].startswith("not asked")
    assert said["Pool"].startswith("38.39 GiB by default, 80 % of the memory")
    assert said["Overhead"] == "estimated, 0.24 GiB to 0.83 GiB a process"
    assert said["Attention"].startswith("flash: fused attention on gfx1100")
    assert said["Unique id"] == "GPU-1122334455667788"


def test_an_apu_says_which_memory_allocations_come_from(qtbot: QtBot, box: Box, open_over: Open) -> None:
    (box.folder / "proc/meminfo").write_text("MemTotal: 32000000 kB\nMemAvailable: 4194304 kB\n")
    panel = open_over(box).devices
    panel.list.setFocus()
    qtbot.keyClick(panel.list, Qt.Key.Key_Down)
    assert panel.name.text() == "Radeon 610M"
    qtbot.waitUntil(lambda: panel.watch.sampler is not None and panel.watch.sampler.latest is not None)
    said = facts(panel)
    assert said["Memory"].startswith("15.00 GiB, system memory")
    assert said["Free now"] == "4.00 GiB, the smaller of available RAM, 4.00 GiB, and the driver's 14.98 GiB"
    assert said["Other heap"] == "VRAM, the BIOS's carve-out: 100.0 MiB of 0.50 GiB used"
    assert said["Note"].startswith("an APU")


def test_partitions_are_devices_of_their_own(tmp_path: Path, open_over: Open) -> None:
    box = Box(tmp_path, trees.Machine((trees.mi300x(4, used=60 * GIB),), {9: {30002: 20 * GIB}}))
    panel = open_over(box).devices
    assert titles(panel)[:2] == [f"{part}: Instinct MI300X (partition {part} of 4)" for part in range(2)]
    panel.list.setCurrentRow(2)
    assert panel.line.text().endswith("HIP's GPU 2 · 0000:c1:00.0")
    assert [(row.pid, row.vram_bytes) for row in panel.table.rows.rows] == [(9, 20 * GIB)]
    assert panel.held.text() == "The rows add up to 20.00 GiB of VRAM, what is counted for this partition."
    assert "one of 4 partitions" in facts(panel)["Note"]


@pytest.mark.parametrize("machine", [trees.Machine(), trees.Machine((trees.NVIDIA,), kfd=False)])
def test_without_an_amd_gpu_it_says_so_and_what_to_do(
    qtbot: QtBot, tmp_path: Path, open_over: Open, machine: trees.Machine
) -> None:
    panel = open_over(Box(tmp_path, machine)).devices
    assert titles(panel) == ["CPU stand-in"]
    said = panel.notes.text.text()
    assert panel.notes.isVisible() and said.startswith("No AMD GPU is here")
    assert "/dev/kfd" in said and "catalogue card" in said
    assert ("NVIDIA at 0000:01:00.0" in said) == bool(machine.gpus)
    assert not panel.table.isVisible()
    qtbot.waitUntil(lambda: panel.plot.memory_curve.xData is not None and len(panel.plot.memory_curve.xData) > 1)


def test_a_variable_that_hides_every_gpu_is_explained(
    box: Box, open_over: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HIP_VISIBLE_DEVICES", "-1")
    panel = open_over(box).devices
    assert "HIP_VISIBLE_DEVICES=-1 hides every GPU" in panel.notes.text.text()
    assert "hidden from HIP" in panel.line.text()


def test_order_under_a_variable_is_the_one_that_a_program_meets(
    box: Box, open_over: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROCR_VISIBLE_DEVICES", "1,0")
    panel = open_over(box).devices
    assert "HIP's GPU 1" in panel.line.text()
    assert "ROCR_VISIBLE_DEVICES=1,0 shows GPU 1, GPU 0" in panel.notes.text.text()


def test_names_of_processes_are_shown_as_they_are(tmp_path: Path, open_over: Open) -> None:
    box = Box(tmp_path, trees.Machine((W7900,), {200: {44444: GIB}}))
    trees.add_process(box.folder, 200, "<b>x</b>", 0)
    table = open_over(box).devices.table
    assert table.model().index(0, 1).data() == "<b>x</b>"


# ---- who holds memory


def test_rows_add_up_to_what_the_driver_counts(box: Box, open_over: Open) -> None:
    panel = open_over(box).devices
    rows = panel.table.rows.rows
    assert [(row.pid, row.name) for row in rows] == [
        (200, "python3"), (300, "llama-server"), (400, "gnome-shell"), (None, "other or not visible"),
    ]  # fmt: skip
    assert sum(row.vram_bytes for row in rows) == 10 * GIB
    assert sum(row.gtt_bytes for row in rows) == W7900.gtt_used
    assert panel.held.text().startswith("The rows add up to 10.00 GiB of VRAM and 8.0 MiB of GTT")


def test_what_may_not_be_read_is_in_the_row_of_others(box: Box, open_over: Open) -> None:
    # As of another user's process: the descriptors are not there to be listed.
    for name in ("fd", "fdinfo"):
        shutil.rmtree(box.folder / "proc/400" / name)
    rows = open_over(box).devices.table.rows.rows
    assert [row.pid for row in rows] == [200, 300, None]
    assert rows[-1].vram_bytes == 3 * GIB


def test_sorting_leaves_the_remainder_last(qtbot: QtBot, box: Box, open_over: Open) -> None:
    table = open_over(box).devices.table
    for column, order, pids in (
        (0, Qt.SortOrder.AscendingOrder, [200, 300, 400, None]),
        (0, Qt.SortOrder.DescendingOrder, [400, 300, 200, None]),
        (1, Qt.SortOrder.AscendingOrder, [400, 300, 200, None]),
        (4, Qt.SortOrder.DescendingOrder, [400, 200, 300, None]),
    ):
        table.sortByColumn(column, order)
        assert [row.pid for row in table.rows.rows] == pids


def test_a_selection_stays_with_its_process(box: Box, theme: Theme, open_over: Open) -> None:
    table = open_over(box).devices.table
    table.selectRow(1)  # 300
    rows = list(table.rows.rows)
    table.show_rows([msgspec.structs.replace(rows[1], vram_bytes=8 * GIB), rows[3]])
    assert [row.pid for row in table.rows.rows] == [300, None]
    assert [index.row() for index in table.selectionModel().selectedRows()] == [0]
    table.show_rows([*rows[:3], msgspec.structs.replace(rows[3], vram_bytes=5)])
    assert [index.row() for index in table.selectionModel().selectedRows()] == [1]
    assert table.model().index(3, 3).data() == "5 B"


def test_the_model_of_processes_keeps_qt_s_rules(box: Box, theme: Theme) -> None:
    model = ProcessesModel(theme)
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    rows = survey(local_gpus(box.roots), box.roots, {}).devices[0].holders
    for shown in (rows, rows[2:], rows[:1], (), rows[::-1]):
        model.show_rows(shown)
        model.sort(1)
        assert model.rowCount() == len(shown)
    tester.deleteLater()


def test_rows_are_copied_as_tab_separated_bytes(qtbot: QtBot, box: Box, open_over: Open) -> None:
    table = open_over(box).devices.table
    table.setFocus()
    table.clearSelection()
    qtbot.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    lines = [line.split("\t") for line in QGuiApplication.clipboard().text().splitlines()]
    assert lines[0] == ["PID", "Name", "User", "VRAM bytes", "GTT bytes"]
    assert lines[1] == ["200", "python3", "root", str(6 * GIB), "0"]
    assert sum(int(line[3]) for line in lines[1:]) == 10 * GIB
    table.selectRow(1)
    qtbot.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text().splitlines()[1:] == [f"300\tllama-server\troot\t{GIB}\t0"]


def test_the_table_is_read_again_while_it_is_seen(qtbot: QtBot, box: Box, open_over: Open) -> None:
    panel = open_over(box).devices
    box.put_used(W7900, 20 * GIB)
    qtbot.waitUntil(lambda: sum(row.vram_bytes for row in panel.table.rows.rows) == 20 * GIB, timeout=8000)


# ---- live


def test_the_curve_and_the_figures_follow_the_driver(qtbot: QtBot, box: Box, open_over: Open) -> None:
    panel = open_over(box).devices
    curve = panel.plot.memory_curve
    qtbot.waitUntil(lambda: curve.yData is not None and len(curve.yData) > 0 and curve.yData[-1] == 10)
    box.put_used(W7900, 30 * GIB)
    qtbot.waitUntil(lambda: curve.yData[-1] == 30)
    qtbot.waitUntil(lambda: "30.00 GiB" in panel.used.text.text())
    assert "17.98 GiB" in panel.free.text.text()
    assert "37 %" in panel.busy.text.text()
    assert curve.yData[0] == 10 and curve.xData[0] >= -61
    assert "30.00 GiB of 47.98 GiB" in panel.bar.accessibleDescription()


def test_a_gpu_that_vanishes_is_an_event_and_comes_back(qtbot: QtBot, box: Box, open_over: Open) -> None:
    panel = open_over(box).devices
    qtbot.waitUntil(lambda: panel.watch.sampler is not None and panel.watch.sampler.latest is not None)
    box.hide()
    qtbot.waitUntil(lambda: "not among amdgpu's devices" in panel.events.text.text())
    assert panel.events.isVisible() and panel.events.property("role") == "notice"
    qtbot.keyClick(panel, Qt.Key.Key_R, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: panel.watch.gone)
    assert "nobody holds its memory" in panel.held.text() and not panel.table.rows.rows
    assert panel.list.entry_at(0).line == "not there now" and not panel.use.isEnabled()
    qtbot.waitUntil(lambda: "unknown" in panel.used.text.text())
    box.bring_back()
    qtbot.mouseClick(panel.refresh_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not panel.watch.gone)
    qtbot.waitUntil(lambda: "programs that used it before" in panel.events.text.text())
    assert panel.events.property("role") == "news"
    assert titles(panel)[0] == "0: Radeon PRO W7900"


# ---- when it reads


def test_nothing_is_read_before_the_tab_is_seen(box: Box, open_over: Open) -> None:
    panel = open_over(box, shown=False).devices
    assert panel.watch.found is None and panel.watch.sampler is None and not sampling()


def test_the_sampler_ends_when_the_tab_is_left_and_starts_again(qtbot: QtBot, box: Box, open_over: Open) -> None:
    window = open_over(box)
    assert len(sampling()) == 1
    window.tabs.setCurrentWidget(window.forecast)
    assert window.devices.watch.sampler is None
    qtbot.waitUntil(lambda: not sampling())
    found = window.devices.watch.found
    window.tabs.setCurrentWidget(window.devices)
    qtbot.waitUntil(lambda: len(sampling()) == 1)
    qtbot.waitUntil(lambda: window.devices.watch.found is not found)  # read again when shown


def test_another_device_has_a_sampler_of_its_own(qtbot: QtBot, box: Box, open_over: Open) -> None:
    panel = open_over(box).devices
    first = panel.watch.sampler
    panel.list.setCurrentRow(2)
    assert panel.watch.sampler is not None and panel.watch.sampler is not first
    qtbot.waitUntil(lambda: len(sampling()) == 1)


def test_no_thread_is_left_when_the_window_closes(box: Box, open_over: Open) -> None:
    window = open_over(box)
    window.close()
    assert not sampling()
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("devices")]


# ---- planning and keys


def test_use_this_device_plans_for_it_and_can_be_undone(qtbot: QtBot, box: Box, open_over: Open) -> None:
    window = open_over(box)
    panel = window.devices
    qtbot.mouseClick(panel.use, Qt.MouseButton.LeftButton)
    assert (window.session.choice.device.kind, window.session.choice.device.pci_bus_id) == ("gpu", "0000:0a:00.0")
    assert not panel.use.isEnabled() and panel.list.entry_at(0).planned
    window.menus.undo_action.trigger()
    assert window.session.choice.device.kind == "catalogue"
    assert panel.use.isEnabled() and not panel.list.entry_at(0).planned


def test_the_planned_device_is_the_first_that_is_looked_at(box: Box, open_over: Open) -> None:
    panel = open_over(box, device="cpu").devices
    assert panel.name.text() == "CPU stand-in"
    assert panel.list.currentRow() == 2 and panel.use.text() == "Planned for"


def test_it_is_reached_and_used_by_keyboard(qtbot: QtBot, box: Box, open_over: Open) -> None:
    window = open_over(box, shown=False)
    with qtbot.waitActive(window):
        window.activateWindow()
    window.setFocus()
    qtbot.keySequence(window, QKeySequence("Ctrl+3"))
    assert window.tabs.currentWidget() is window.devices
    panel = window.devices
    qtbot.waitUntil(lambda: panel.watch.chosen is not None)
    panel.list.setFocus()
    order, widget = [], panel.list.nextInFocusChain()
    while widget is not panel.list and len(order) < 300:
        order.append(widget)
        widget = widget.nextInFocusChain()
    places = [order.index(wanted) for wanted in (panel.refresh_button, panel.area, panel.use, panel.table)]
    assert places == sorted(places)
    for wanted in (panel.list, panel.refresh_button, panel.area, panel.use, panel.table):
        assert wanted.focusPolicy() & Qt.FocusPolicy.TabFocus
        assert wanted.accessibleName() or getattr(wanted, "text", str)()
    qtbot.keySequence(window, QKeySequence("Ctrl+1"))
    assert window.tabs.currentWidget() is window.forecast


@pytest.mark.parametrize("size", [(1, 1), (1280, 720), (1920, 1080)])
def test_no_part_lies_on_another(qtbot: QtBot, box: Box, open_over: Open, size: tuple[int, int]) -> None:
    window = open_over(box)
    window.resize(*size)
    panel = window.devices
    panel.watch.refresh()
    qtbot.waitUntil(panel.plot.busy.isVisible)
    QCoreApplication.processEvents()
    parts: list[QWidget] = [
        panel.name,
        panel.bar,
        panel.plot,
        panel.holders_title,
        panel.table,
        panel.held,
        panel.facts,
    ]
    boxes = [part.rect().translated(part.mapTo(panel, part.rect().topLeft())) for part in parts]
    assert all(not a.intersects(b) for place, a in enumerate(boxes) for b in boxes[place + 1 :])
    assert all(box.height() > 10 for box in boxes)
    assert window.minimumSizeHint().width() <= 1280 and window.minimumSizeHint().height() <= 720


# ---- what comes, goes and changes places


def two_cards(tmp_path: Path) -> Box:
    return Box(tmp_path, trees.Machine((trees.W6800, W7900)))


def swap(box: Box, *gpus: trees.Gpu) -> None:
    """Another machine in the place of the one that is looked at, as after a card was unbound or added."""
    for name in ("sys/class", "sys/devices"):
        shutil.rmtree(box.folder / name)
    new = trees.write(trees.Machine(gpus), box.folder / "next")
    for name in ("sys/devices", "sys/class"):
        shutil.move(new / name, box.folder / name)
    # The links of a tree are absolute.
    for card in (box.folder / "sys/class/drm").iterdir():
        link = card / "device"
        if link.is_symlink():
            target = box.folder / "sys/devices/pci0000:00" / link.readlink().name
            link.unlink()
            link.symlink_to(target)
    shutil.rmtree(new)


def sidebar(window: Window) -> list[str]:
    """The entries of the group of this machine, its heading left out."""
    combo = window.setup.device
    texts = [combo.itemText(row) for row in range(combo.count())]
    return texts[1 : texts.index("What if…")]


def test_the_sidebar_lists_what_is_here_beside_the_plan_for_the_same_card(box: Box, open_over: Open) -> None:
    window = open_over(box, shown=False)
    assert sidebar(window)[:2] == [
        "0: Radeon PRO W7900 · 48.0 GiB · 21 % used",
        "1: Radeon 610M · 15.0 GiB · 0 % used",
    ]
    assert sidebar(window)[2].startswith("CPU stand-in")
    assert window.setup.device.currentData() == "w7900" == window.session.choice.device.key


def test_a_card_that_goes_is_followed_on_any_tab(qtbot: QtBot, tmp_path: Path, open_over: Open) -> None:
    box = two_cards(tmp_path)
    window = open_over(box, shown=False)
    window.setup.choose_device("1")
    before = window.session.choice.device
    swap(box, W7900)
    qtbot.waitUntil(lambda: sidebar(window)[0] == "0: Radeon PRO W7900 · 48.0 GiB · 21 % used", timeout=8000)
    now = window.session.choice.device
    assert (before.key, now.key, now.pci_bus_id) == ("1", "0", before.pci_bus_id)
    assert window.session.forecast is not None and window.session.forecast.device.key == "0"
    assert window.setup.device.currentText() == "0: Radeon PRO W7900 · 48.0 GiB"
    window.menus.undo_action.trigger()  # the plan before, and no step for what moved by itself
    assert window.session.choice.device.kind == "catalogue" and not window.session.can_undo
    window.menus.redo_action.trigger()
    assert window.session.choice.device == now


def test_a_chosen_card_that_goes_stays_the_plan_and_is_said_to_be_gone(
    qtbot: QtBot, tmp_path: Path, open_over: Open
) -> None:
    box = two_cards(tmp_path)
    window = open_over(box, shown=False)
    window.setup.choose_device("1")
    swap(box, trees.W6800)
    qtbot.waitUntil(lambda: len(sidebar(window)) == 2, timeout=8000)
    line = window.setup.device.lineEdit()
    assert line is not None
    assert line.text() == "Radeon PRO W7900 · not there now"
    qtbot.keyClick(line, Qt.Key.Key_Return)
    assert window.session.choice.device.name == "Radeon PRO W7900" and not window.setup.device_error.isVisible()
    swap(box, W7900, trees.W6800)
    qtbot.waitUntil(lambda: line.text() == "0: Radeon PRO W7900 · 48.0 GiB", timeout=8000)


def test_what_is_being_typed_stays_when_the_list_changes(qtbot: QtBot, tmp_path: Path, open_over: Open) -> None:
    box = two_cards(tmp_path)
    window = open_over(box, shown=False)
    line = window.setup.device.lineEdit()
    assert line is not None
    line.setFocus()
    line.selectAll()
    qtbot.keyClicks(line, "w68")
    swap(box, W7900)
    qtbot.waitUntil(lambda: len(sidebar(window)) == 2, timeout=8000)
    assert (line.text(), line.cursorPosition()) == ("w68", 3)
    qtbot.keyClicks(line, "00")
    qtbot.keyClick(line, Qt.Key.Key_Return)
    assert window.session.choice.device.key == "w6800"


def test_a_choice_after_a_shift_is_the_card_that_was_shown(qtbot: QtBot, tmp_path: Path, open_over: Open) -> None:
    box = two_cards(tmp_path)
    window = open_over(box)
    window.devices.list.setCurrentRow(1)
    assert window.devices.name.text() == "Radeon PRO W7900"
    swap(box, W7900, trees.W6800)  # what was 1 is 0 now, and the window has not seen it yet
    qtbot.mouseClick(window.devices.use, Qt.MouseButton.LeftButton)
    assert window.session.choice.device.pci_bus_id == W7900.slot
    qtbot.waitUntil(lambda: window.session.choice.device.key == "0", timeout=8000)


def test_measured_passes_stay_with_their_card(tmp_path: Path, make_session: Callable[..., Session]) -> None:
    box = two_cards(tmp_path)
    first, second = local_gpus(box.roots)
    session = make_session()
    session.take_device(second)
    assert session.forecast is not None
    measured = Measurement("profile", session.forecast, PassResult(1, 64, "ok", 5, 4, 1.0))
    shifted = msgspec.structs.replace(second, key="0")
    session.follow_devices([shifted, msgspec.structs.replace(first, key="1")])
    assert measured.speaks_for(session.forecast)
    session.take_device(msgspec.structs.replace(first, key="1"))
    assert not measured.speaks_for(session.forecast)


# ---- the pool against what is free, and HIP's count


def test_a_pool_that_is_more_than_is_free_is_said_above_the_figures(qtbot: QtBot, box: Box, open_over: Open) -> None:
    box.put_used(W7900, 9 * GIB)
    window = open_over(box)
    panel = window.devices
    assert not panel.crowded.isVisible()
    box.put_used(W7900, 20 * GIB)
    qtbot.waitUntil(panel.crowded.isVisible, timeout=8000)
    said = panel.crowded.text.text()
    assert said.startswith("The pool of 38.39 GiB is more than the 27.98 GiB free now")
    assert "python3, process 200, 6.00 GiB" in said and said.endswith("lower the pool to 27.98 GiB.")
    qtbot.mouseClick(panel.use, Qt.MouseButton.LeftButton)
    plan = window.session.forecast
    assert plan is not None and any("free when it was looked at" in text for text in plan.warnings)
    window.session.change(pool_bytes=20 * GIB)  # what was chosen counts, of the device that is planned for
    assert not panel.crowded.isVisible()
    window.session.change(pool_bytes=30 * GIB)
    assert "The pool of 30.00 GiB" in panel.crowded.text.text()
    window.session.run = Run("profile")  # passes of this window hold memory themselves
    window.session.run_changed.emit()
    assert not panel.crowded.isVisible()


def test_a_plan_learns_when_its_card_fills_up_and_no_more_often(box: Box, make_session: Callable[..., Session]) -> None:
    (card, _) = local_gpus(box.roots)
    session = make_session()
    session.take_device(msgspec.structs.replace(card, vram_used_bytes=GIB))
    changes: list[int] = []
    session.plan_changed.connect(lambda: changes.append(1))

    def at(used: int) -> None:
        session.follow_devices([msgspec.structs.replace(card, vram_used_bytes=used)])

    for used in (9 * GIB, GIB, 8 * GIB):
        at(used)
    assert not changes
    at(30 * GIB)
    assert len(changes) == 1 and session.forecast is not None
    assert any("17.98 GiB free when it was looked at" in text for text in session.forecast.warnings)
    at(31 * GIB)
    assert len(changes) == 1
    at(GIB)
    assert len(changes) == 2 and not any("free when" in text for text in session.forecast.warnings)


def test_hips_count_of_the_passes_is_shown_beside_the_drivers(qtbot: QtBot, box: Box, open_over: Open) -> None:
    window = open_over(box)
    qtbot.mouseClick(window.devices.use, Qt.MouseButton.LeftButton)
    session = window.session
    session._plan, session.run = session.forecast, Run("profile")
    session._on_event(session._number, DeviceFree(session._number, "0", 47 * GIB, 38 * GIB))
    qtbot.waitUntil(lambda: "HIP counts" in facts(window.devices)["HIP's count"])
    said = facts(window.devices)["HIP's count"]
    assert said.startswith("HIP counts 47.00 GiB free, the driver 38.00 GiB: 9.00 GiB more by HIP")
    assert said.endswith("when passes began")
    session.run = None
    window.devices.list.setCurrentRow(1)
    qtbot.waitUntil(lambda: facts(window.devices)["HIP's count"].startswith("not asked"))


def test_themes_reach_the_tab(box: Box, open_over: Open) -> None:
    window = open_over(box)
    plot = window.devices.plot.memory
    light = plot.backgroundBrush().color().name()
    window._theme.use(Scheme.DARK)
    assert plot.backgroundBrush().color().name() != light
    window._theme.use(Scheme.LIGHT)
