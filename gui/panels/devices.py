"""The devices tab: what is in this machine, how full it is, and who fills it."""

import time
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

import numpy as np
from PySide6.QtCore import QSignalBlocker, QSize, Qt, QTimer
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QListWidgetItem,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from vramtuner.core.device.ring import SamplerEvent
from vramtuner.core.device.roots import HERE, Roots
from vramtuner.core.device.summary import DeviceSummary, at_sample, identity, pool_warning
from vramtuner.core.units import format_bytes
from vramtuner.core.words import say
from vramtuner.gui.controls import Facts, make_label, scrolled, set_role
from vramtuner.gui.panels.device_facts import FACTS, device_facts, held_text, line_text
from vramtuner.gui.panels.device_list import DeviceList, Entry
from vramtuner.gui.panels.processes import ProcessTable
from vramtuner.gui.panels.readout import Swatch
from vramtuner.gui.plots.device_plot import DevicePlot, MemoryBar
from vramtuner.gui.state import Session
from vramtuner.gui.theme import Theme
from vramtuner.gui.values import sentence
from vramtuner.gui.watch import WINDOW_SECONDS, DeviceWatch

FRAME_MILLISECONDS = 100
_WIDE = 760  # of the right part: from here on the facts are beside the plot
_EVENTS_SHOWN = 3


class DevicesPanel(QWidget):
    """Devices on the left, the chosen one on the right; nothing is read while it is hidden."""

    def __init__(self, session: Session, theme: Theme, roots: Roots = HERE) -> None:
        super().__init__()
        self._session, self._theme, self._roots = session, theme, roots
        first = session.choice.device
        self.watch = DeviceWatch(roots, first if first.is_here else None, self)
        self._make_widgets()
        self._lay_out()
        self.watch.changed.connect(self._refresh)
        session.plan_changed.connect(self._refresh)
        session.run_changed.connect(self._on_run_changed)
        theme.changed.connect(self._recolour)
        self._clock = QTimer(self, interval=FRAME_MILLISECONDS)
        self._clock.timeout.connect(self._draw)
        self._recolour()
        self._refresh()

    # ---- its parts

    def _make_widgets(self) -> None:
        self.list = DeviceList(self._theme)
        self.list.currentItemChanged.connect(self._on_chosen)
        self.refresh_button = QPushButton(say("Refresh"))
        self.refresh_button.setToolTip(say("Look for devices again (Ctrl+R)"))
        self.refresh_button.clicked.connect(self.watch.refresh)
        self.refresh_action = QAction(say("Refresh devices"), self)
        self.refresh_action.setShortcut(QKeySequence("Ctrl+R"))
        self.refresh_action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        self.refresh_action.triggered.connect(self.watch.refresh)
        self.addAction(self.refresh_action)
        self.notes = _Strip(say("Notes on devices"))
        self.events = _Strip(say("Events of the device"))
        self.name = make_label()
        font = self.name.font()
        font.setBold(True)
        font.setPointSizeF(font.pointSizeF() * 1.15)
        self.name.setFont(font)
        self.line = make_label(role="muted")
        self.use = QPushButton(say("Use this device"))
        self.use.setToolTip(say("Plan for this device; Ctrl+Z takes it back"))
        self.use.clicked.connect(self._on_use)
        self.crowded = _Strip(say("The pool and what is free"))
        self.used, self.free, self.busy = Swatch(say("used")), Swatch(say("free")), Swatch(say("busy"))
        self.bar = MemoryBar(self._theme)
        self.plot = DevicePlot(self._theme, WINDOW_SECONDS)
        self.facts = Facts(FACTS)
        self.table = ProcessTable(self._theme)
        self.held = make_label(role="muted")

    def _lay_out(self) -> None:
        left = QVBoxLayout()
        left.setSpacing(6)
        left.addWidget(self.list, 1)
        left.addWidget(self.refresh_button)
        columns = QHBoxLayout()
        columns.setSpacing(10)
        columns.addLayout(left)
        columns.addWidget(self._detail(), 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 4)
        layout.addLayout(columns, 1)

    def _detail(self) -> QScrollArea:
        head = QHBoxLayout()
        titles = QVBoxLayout()
        titles.setSpacing(1)
        titles.addWidget(self.name)
        titles.addWidget(self.line)
        head.addLayout(titles, 1)
        head.addWidget(self.use, 0, Qt.AlignmentFlag.AlignTop)
        readout = QHBoxLayout()
        readout.setSpacing(18)
        for swatch in (self.used, self.free, self.busy):
            readout.addWidget(swatch)
        readout.addStretch(1)
        main = QVBoxLayout()
        main.setSpacing(6)
        self.holders_title = make_label(say("Who holds its memory"), "title", wrap=False)
        main.addWidget(self.plot, 3)
        for widget, stretch in ((self.holders_title, 0), (self.table, 2), (self.held, 0)):
            main.addWidget(widget, stretch)
        side = QVBoxLayout()
        side.addWidget(self.facts)
        side.addStretch(1)
        self._parts = QBoxLayout(QBoxLayout.Direction.TopToBottom)
        self._parts.setSpacing(14)
        self._parts.addLayout(main, 3)
        self._parts.addLayout(side, 0)
        self._content = content = _Content()
        layout = QVBoxLayout(content)
        layout.setContentsMargins(2, 0, 8, 2)
        layout.setSpacing(6)
        layout.addWidget(self.notes)
        layout.addLayout(head)
        layout.addWidget(self.crowded)
        layout.addWidget(self.events)
        layout.addLayout(readout)
        layout.addWidget(self.bar)
        layout.addLayout(self._parts, 1)
        self.area = scrolled(content)
        self.area.setFocusPolicy(Qt.FocusPolicy.StrongFocus)  # to scroll to what has no focus of its own
        self.area.setObjectName("facts")
        self.area.setAccessibleName(say("Facts of the device"))
        return self.area

    # ---- what happens

    def showEvent(self, event: Any) -> None:
        super().showEvent(event)
        self._clock.start()
        self.watch.begin()

    def hideEvent(self, event: Any) -> None:
        super().hideEvent(event)
        self._clock.stop()
        self.watch.pause()

    def resizeEvent(self, event: Any) -> None:
        super().resizeEvent(event)
        wide = self.width() - self.list.width() >= _WIDE
        direction = QBoxLayout.Direction.LeftToRight if wide else QBoxLayout.Direction.TopToBottom
        if direction != self._parts.direction():
            self._parts.setDirection(direction)
            self._parts.setStretch(1, 2 if wide else 0)  # below the plot, facts take no more than they need

    def csv_rows(self) -> Iterator[Sequence[object]]:
        """Every sample of the device that is kept, by the seconds before now; what is not known is left empty."""
        samples = None if self.watch.sampler is None else self.watch.sampler.read()
        if samples is None or not len(samples.seconds):
            return
        yield ("seconds", "vram_used_bytes", "gtt_used_bytes", "busy_percent")
        now = time.monotonic()
        for seconds, vram, gtt, busy in zip(
            samples.seconds, samples.vram_used, samples.gtt_used, samples.busy, strict=True
        ):
            figures = ("" if np.isnan(figure) else int(figure) for figure in (vram, gtt, busy))
            yield (f"{seconds - now:.3f}", *figures)

    def close_watch(self) -> None:
        """End its threads, for good."""
        self._clock.stop()
        self.watch.close()

    def _on_run_changed(self) -> None:
        chosen = self.watch.chosen
        if chosen is not None:
            planned = identity(chosen.device) == identity(self._session.choice.device)
            self._show_crowded(chosen, is_planned=planned)

    def _on_chosen(self, item: QListWidgetItem | None) -> None:
        if item is not None:
            self.watch.choose(self.list.entry_of(item).identity)

    def _on_use(self) -> None:
        chosen = self.watch.chosen
        if chosen is not None:
            self._session.take_device(chosen.device)

    def _recolour(self) -> None:
        colours = self._theme.colours
        for swatch, colour in zip(
            (self.used, self.free, self.busy), (colours.components[0], colours.raised, colours.components[4]),
            strict=True,
        ):  # fmt: skip
            swatch.show_colour(colour)

    # ---- what is shown

    def _refresh(self) -> None:
        watch, planned = self.watch, identity(self._session.choice.device)
        with QSignalBlocker(self.list):
            self.list.show_entries(
                [
                    Entry(
                        entry,
                        planned=identity(entry.device) == planned,
                        gone=watch.gone and watch.chosen is entry,
                    )
                    for entry in watch.devices
                ],
                None if watch.chosen is None else identity(watch.chosen.device),
            )
        found = watch.found
        self.notes.show_text("\n".join(sentence(note) for note in found.notes) if found else "", is_bad=False)
        self._content.setVisible(watch.chosen is not None)
        if watch.chosen is not None:
            self._refresh_chosen(watch.chosen, is_planned=identity(watch.chosen.device) == planned)
            self._draw()

    def _refresh_chosen(self, chosen: DeviceSummary, *, is_planned: bool) -> None:
        self.name.setText(chosen.device.name)
        gone = self.watch.gone
        self.line.setText(line_text(chosen, gone=gone))
        self.use.setEnabled(not is_planned and not gone)
        self.use.setText(say("Planned for") if is_planned else say("Use this device"))
        is_gpu = chosen.device.kind == "gpu"
        for widget in (self.holders_title, self.table):
            widget.setVisible(is_gpu)
        self._show_crowded(chosen, is_planned=is_planned)
        self.held.setText(held_text(chosen, gone=gone))
        self.table.show_rows(() if gone else chosen.holders)

    def _show_crowded(self, chosen: DeviceSummary, *, is_planned: bool) -> None:
        """The pool against what is free; an alarm where it is the plan's.

        Passes of this window hold memory themselves, so that nothing is said while they run.
        """
        pool = self._session.choice.levers.pool_bytes if is_planned else None
        run = self._session.run
        quiet = self.watch.gone or (run is not None and not run.is_recording)
        pool = chosen.device.default_pool_bytes if pool is None else pool
        warning = "" if quiet else pool_warning(chosen, pool, named=1)  # the table below names all
        self.crowded.show_text(sentence(warning) if warning else "", is_bad=is_planned)

    def _draw(self) -> None:
        """What changes many times a second: the figures, the bar, the curves, the events."""
        chosen, sampler = self.watch.chosen, self.watch.sampler
        if chosen is None or not self.isVisible():
            return
        latest = sampler.latest if sampler is not None else None
        # Until the first sample there is the survey's figure.
        now = chosen if latest is None else at_sample(chosen, latest, self._roots)
        device, free = now.device, now.free.free_bytes
        self.used.show_value(_size(device.vram_used_bytes))
        self.free.show_value(_size(free))
        self.busy.setVisible(latest is not None and latest.busy_percent is not None)
        if latest is not None and latest.busy_percent is not None:
            self.busy.show_value(f"{latest.busy_percent} %")
        self.bar.show_values(
            device.vram_used_bytes, device.vram_bytes, pool=device.default_pool_bytes, alert=chosen.alert_bytes
        )
        self.facts.show_values(device_facts(now, gone=self.watch.gone, hip=self._session.hip))
        samples = None if sampler is None else sampler.read()
        self.plot.show_samples(samples, time.monotonic(), device.vram_bytes, gtt=device.uses_gtt)
        self._show_events(() if sampler is None else sampler.events()[0][-_EVENTS_SHOWN:])

    def _show_events(self, events: tuple[SamplerEvent, ...]) -> None:
        text = "\n".join(f"{_clock_time(event.seconds)}  {sentence(event.text)}" for event in events)
        self.events.show_text(text, is_bad=bool(events) and events[-1].kind != "returned")


class _Content(QWidget):
    """What is scrolled, as high as its width makes it.

    The least height that a layout gives is that of labels wrapped at their narrowest, and leaves gaps.
    """

    def minimumSizeHint(self) -> QSize:
        return QSize(super().minimumSizeHint().width(), 0)


class _Strip(QFrame):
    """A framed text above what it is about; hidden while there is none."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.text = make_label()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(10, 6, 10, 6)
        layout.addWidget(self.text)
        self.hide()

    def show_text(self, text: str, *, is_bad: bool) -> None:
        self.setVisible(bool(text))
        set_role(self, "notice" if is_bad else "news")
        if text != self.text.text():
            self.text.setText(text)


def _size(size: int | None) -> str:
    return say("unknown") if size is None else format_bytes(size)


def _clock_time(seconds: float) -> str:
    """A moment of ``time.monotonic`` on the clock on the wall."""
    return f"{datetime.now().astimezone() - timedelta(seconds=time.monotonic() - seconds):%H:%M:%S}"
