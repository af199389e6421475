"""The live tab: what passes take while they run, and any run once more at any speed."""

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import QCheckBox, QGridLayout, QHBoxLayout, QLabel, QPushButton, QSlider, QVBoxLayout, QWidget

from vramtuner.core.probe.protocol import PhaseKind
from vramtuner.core.units import format_bytes
from vramtuner.core.words import Labels, say
from vramtuner.gui.controls import Picker, make_label
from vramtuner.gui.panels.readout import Swatch
from vramtuner.gui.player import SPEEDS, Player
from vramtuner.gui.plots.live_plot import CURVES, LivePlot, curve_looks, phase_colours
from vramtuner.gui.state import Session
from vramtuner.gui.theme import Theme

_NAMES = Labels(
    {
        "allocated": "in tensors",
        "reserved": "reserved by PyTorch",
        "process": "own process",
        "device": "whole device",
    }
)
_PHASES: Labels[PhaseKind] = Labels({"load": "load", "prefill": "prefill", "decode": "decode", "free": "free"})
_STEPS = 1000
_IN_PLACE = ("allocated", "process", "device", "reserved")  # two a row; the last is hidden where it says nothing


class Transport(QWidget):
    """Play, pause, go to a moment, and back to the newest reading."""

    def __init__(self, player: Player) -> None:
        super().__init__()
        self._player = player
        self.play = QPushButton(say("Replay"))
        self.play.clicked.connect(self._on_play)
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setRange(0, _STEPS)
        self.slider.setAccessibleName(say("Moment of the run"))
        self.slider.setPageStep(_STEPS // 20)
        self.slider.setSingleStep(_STEPS // 200)
        self.slider.valueChanged.connect(self._on_moved)
        self.speed = Picker(say("Speed of the replay"), [(f"{speed:g}×", speed) for speed in SPEEDS], player.play_at)
        self.time = make_label(role="muted", wrap=False)
        self.time.setAccessibleDescription(say("Time in the run"))
        self.follow = QPushButton(say("Follow"))
        self.follow.setToolTip(say("Go to the newest reading, and with it"))
        self.follow.clicked.connect(player.follow)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(6, 0, 6, 0)
        layout.setSpacing(8)
        layout.addWidget(self.play)
        layout.addWidget(self.slider, 1)
        speed = QLabel(say("Speed"))
        speed.setBuddy(self.speed)
        for widget in (self.time, speed, self.speed, self.follow):
            layout.addWidget(widget)

    def refresh(self, *, running: bool) -> None:
        """Show where the player is."""
        player, last = self._player, self._player.series.last_seconds
        moves = player.playing or (running and player.position is None)
        self.play.setText(say("Pause") if moves else say("Play") if running else say("Replay"))
        self.follow.setVisible(running)
        self.follow.setEnabled(player.position is not None)
        self.time.setText(say("{now:,.1f} of {last:,.1f} s", now=player.now, last=last))
        self.slider.setAccessibleDescription(self.time.text())  # its value is in parts of a thousand
        self.speed.show_value(player.speed)
        if not self.slider.isSliderDown():
            with QSignalBlocker(self.slider):
                self.slider.setValue(round(_STEPS * player.now / last) if last else 0)

    def _on_play(self) -> None:
        if self.play.text() == "Pause":
            self._player.pause()
        else:
            self._player.play()

    def _on_moved(self, value: int) -> None:
        self._player.go(value / _STEPS * self._player.series.last_seconds)


class CurveSwitch(QWidget):
    """A curve's colour, name and value, with a box that shows or hides it."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.box = QCheckBox()
        self.box.setAccessibleName(say("Show {name}", name=name))
        self.swatch = Swatch(name)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.box)
        layout.addWidget(self.swatch)


class LivePanel(QWidget):
    """Memory against time."""

    def __init__(self, session: Session, theme: Theme) -> None:
        super().__init__()
        self._session, self._theme = session, theme
        self.player = Player(self)
        self.plot = LivePlot(session, theme, self.player)
        self.heading, self.summary = make_label(role="title", wrap=False), make_label(role="muted", wrap=False)
        self.switches = {name: CurveSwitch(_NAMES[name]) for name in CURVES}
        self.phases = {name: Swatch(_PHASES[name]) for name in _PHASES}
        self.transport = Transport(self.player)
        self._lay_out()
        for name, switch in self.switches.items():
            switch.box.setChecked(name in self.plot.shown)
            switch.box.toggled.connect(self._on_switched)
        self.plot.drawn.connect(self._refresh)
        self.player.moved.connect(self._refresh)
        session.run_changed.connect(self._refresh)
        theme.changed.connect(self._recolour)
        self._recolour()

    def _lay_out(self) -> None:
        self.readout = QWidget()
        self.readout.setAccessibleName(say("Live memory"))
        top = QHBoxLayout()
        top.setSpacing(14)
        top.addWidget(self.heading)
        top.addWidget(self.summary)
        top.addStretch(1)
        for phase in self.phases.values():
            top.addWidget(phase)
        curves = QGridLayout()
        curves.setHorizontalSpacing(18)
        curves.setVerticalSpacing(2)
        for place, name in enumerate(_IN_PLACE):
            curves.addWidget(self.switches[name], place // 2, place % 2)
        curves.setColumnStretch(2, 1)
        inner = QVBoxLayout(self.readout)
        inner.setContentsMargins(6, 0, 6, 0)
        inner.setSpacing(4)
        inner.addLayout(top)
        inner.addLayout(curves)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 4)
        layout.setSpacing(6)
        layout.addWidget(self.readout)
        layout.addWidget(self.plot, 1)
        layout.addWidget(self.transport)

    def csv_rows(self) -> Iterator[Sequence[object]]:
        """Every reading of the run."""
        live = self.player.series
        if not len(live):
            return
        yield ("seconds", "allocated_bytes", "reserved_bytes", "process_bytes", "device_bytes", "pool_bytes")
        for row in zip(live.seconds, live.allocated, live.reserved, live.process, live.device, strict=True):
            yield (f"{row[0]:.6f}", *map(int, row[1:]), live.pool_bytes)

    def _recolour(self) -> None:
        colours = self._theme.colours
        for name, (colour, _) in curve_looks(colours).items():
            self.switches[name].swatch.show_colour(colour)
        for kind, colour in phase_colours(colours).items():
            self.phases[kind].show_colour(colour)
        self._refresh()

    def _on_switched(self) -> None:
        self.plot.show_curves(frozenset(name for name, switch in self.switches.items() if switch.box.isChecked()))

    def _refresh(self) -> None:
        live, run = self.player.series, self._session.run
        running = run is not None and not run.is_recording
        for part in (self.readout, self.transport):
            part.setVisible(len(live) > 0)
        if not len(live):
            return
        if self.player.position is not None:
            heading = say("At {now:,.1f} s", now=self.player.now)
        else:
            heading = say("Now") if running else say("At the end of the run")
        self.heading.setText(heading)
        self.summary.setText(
            say(
                "measured on {device_name}{rest}",
                device_name=live.device_name,
                rest=f" · {live.origin}" if live.origin else "",
            )
        )
        row = max(live.place(self.player.now) - 1, 0)
        for name, switch in self.switches.items():
            value = getattr(live, name)[row]
            switch.swatch.show_value(format_bytes(value) if value else "")
        self.switches["reserved"].setVisible(live.reserves_more)
        self.switches["device"].setEnabled(bool(live.device[-1]))
        seen = {phase.kind for phase in live.phases}
        for name, phase in self.phases.items():
            phase.setVisible(name in seen)
        self.transport.refresh(running=running)
