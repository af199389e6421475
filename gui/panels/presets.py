"""The button that offers whole sets of levers, each with its reason and the limit it would give."""

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QToolButton

from vramtuner.core.lever_presets import LeverPreset, lever_presets
from vramtuner.core.probe.client import NO_TORCH
from vramtuner.core.words import say
from vramtuner.gui.state import Session
from vramtuner.gui.values import sentence


class PresetsButton(QToolButton):
    """Applying a preset is one step of undo."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self.setText(say("Presets"))
        self.setProperty("role", "menu")
        self.setAccessibleName(say("Presets of levers"))
        self.setToolTip(say("Whole sets of levers to start from; Ctrl+Z takes one back"))
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.presets = QMenu(self)
        self.presets.setToolTipsVisible(True)
        self.setMenu(self.presets)
        self.presets.aboutToShow.connect(self._fill)
        session.scout.found.connect(self._show_limits)
        session.plan_changed.connect(self._refresh)
        self._refresh()

    def _refresh(self) -> None:
        device = self._session.choice.device
        self.setEnabled(device.max_pool_bytes > 0)

    def _fill(self) -> None:
        self.presets.clear()
        choice = self._session.choice
        for preset in lever_presets(choice.spec, choice.device, choice.levers):
            action = QAction(self.presets)
            action.setData(preset)
            action.setToolTip(preset.reason)
            action.triggered.connect(partial(self._apply, preset))
            self.presets.addAction(action)
        self._show_limits()

    def _apply(self, preset: LeverPreset) -> None:
        self._session.apply(preset.levers)

    def _show_limits(self) -> None:
        """Each entry is its name, its reason and, in the column of shortcuts, its limit."""
        plan = self._session.forecast
        for action in self.presets.actions():
            preset: LeverPreset = action.data()
            limit, needs = None, ""
            if plan is not None and not self._session.stale:
                limit = self._session.scout.limit(plan, preset.levers)
                if limit is None and self._session.scout.is_known(plan, preset.levers):
                    needs = "" if self._session.torch_installed else say("needs PyTorch")
            text = f"{preset.name} – {preset.reason[:1].lower()}{preset.reason[1:]}".replace("&", "&&")
            last = needs or (say("limit {limit:,}", limit=limit) if limit is not None else "")
            action.setText(f"{text}\t{last}" if last else text)
            action.setEnabled(not needs)
            action.setToolTip(f"{preset.reason}.\n{sentence(NO_TORCH)}" if needs else preset.reason)
