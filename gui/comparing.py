"""What is compared with the current plan: plans that were pinned, and runs that were kept."""

from dataclasses import dataclass, replace
from functools import partial

from PySide6.QtCore import QObject, Signal

from vramtuner.core.device.roots import HERE, Roots
from vramtuner.core.errors import AppError
from vramtuner.core.forecast import Forecast
from vramtuner.core.lever_words import describe_change
from vramtuner.core.profiling import plan_at_hand
from vramtuner.core.session import SavedPlan, find_plan, save_plan
from vramtuner.core.settings import Levers
from vramtuner.core.text import printable
from vramtuner.core.words import plain, say
from vramtuner.gui.background import Background
from vramtuner.gui.kept import OpenedRun
from vramtuner.gui.values import Choice

MOST = 6
_NAME_LETTERS = 48


@dataclass(frozen=True, slots=True)
class Pinned:
    """A plan that was pinned; ``plan`` is its forecast once it is there, ``problem`` why it is not."""

    name: str
    choice: Choice
    plan: Forecast | None = None
    problem: str = ""


class Comparison(QObject):
    """The list; ``changed`` says that something of it is new, ``told`` why something could not be added."""

    changed = Signal()
    told = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.pinned: tuple[Pinned, ...] = ()
        self.runs: tuple[OpenedRun, ...] = ()
        self._background = Background("compare", self)

    @property
    def count(self) -> int:
        return len(self.pinned) + len(self.runs)

    def pin(self, choice: Choice, plan: Forecast | None) -> None:
        """Keep a plan to compare others with."""
        if any(one.choice == choice for one in self.pinned):
            self.told.emit(say("This plan is pinned already; move a lever, and pin that too."))
        elif self._has_room():
            self.pinned = (*self.pinned, Pinned(name_of(choice), choice, plan))
            self._forecast()
            self.changed.emit()

    def take(self, choice: Choice, plan: Forecast) -> None:
        """Know a forecast that came after its plan was pinned."""
        if any(one.choice == choice and one.plan is None for one in self.pinned):
            self._settle(choice, plan, "")

    def add_run(self, opened: OpenedRun) -> None:
        """Have a run beside the others."""
        if any(one.run.path == opened.run.path for one in self.runs):
            self.told.emit(say("This run is in the comparison already."))
        elif self._has_room():
            self.runs = (*self.runs, opened)
            self.changed.emit()

    def remove(self, item: Pinned | OpenedRun) -> None:
        """Take something out."""
        self.pinned = tuple(one for one in self.pinned if one is not item)
        self.runs = tuple(one for one in self.runs if one is not item)
        self.changed.emit()

    def saved(self) -> tuple[SavedPlan, ...]:
        """The pinned plans as a session file keeps them."""
        return tuple(
            save_plan(one.choice.spec, one.choice.device, one.choice.levers, _kept_name(one)) for one in self.pinned
        )

    def restore(self, plans: tuple[SavedPlan, ...], roots: Roots = HERE) -> None:
        """Pin what a session file has; what is not there any more is told."""
        found, missing = [], []
        for saved in plans[:MOST]:
            there = find_plan(saved, roots)
            if there.spec is None or there.device is None:
                missing.append(saved.name or saved.model)
                continue
            choice = Choice(there.spec, there.device, there.levers)
            found.append(Pinned(_shown_name(printable(saved.name, 80), choice), choice))
        self.pinned = tuple(found)
        self._forecast()
        self.changed.emit()
        if missing:
            names = printable(", ".join(missing), 200)
            self.told.emit(say("What these were compared with is not there any more: {names}.", names=names))

    def close(self) -> None:
        """Stop, for good."""
        self._background.close()

    def _has_room(self) -> bool:
        if self.count >= MOST:
            self.told.emit(say("At most {most} can be compared with the current plan; take one out first.", most=MOST))
        return self.count < MOST

    def _forecast(self) -> None:
        """Forecast what was pinned and is not forecast yet, off the GUI thread."""
        for one in self.pinned:
            if one.plan is None and not one.problem:
                choice = one.choice
                self._background.start(
                    partial(plan_at_hand, choice.spec, choice.device, choice.levers),
                    partial(self._on_forecast, choice),
                    partial(self._on_failed, choice),
                )

    def _on_forecast(self, choice: Choice, plan: Forecast | None) -> None:
        self._settle(choice, plan, "" if plan else say("its tape has to be recorded: open this plan once"))

    def _on_failed(self, choice: Choice, error: AppError) -> None:
        self._settle(choice, None, str(error))

    def _settle(self, choice: Choice, plan: Forecast | None, problem: str) -> None:
        self.pinned = tuple(
            replace(one, plan=plan, problem=problem) if one.choice == choice else one for one in self.pinned
        )
        self.changed.emit()


def name_of(choice: Choice) -> str:
    """A plan's name beside others: its model, and what is not the default."""
    change = describe_change(Levers(), choice.levers)
    text = f"{choice.spec.name}: {change or say('defaults')}"
    return text if len(text) <= _NAME_LETTERS else f"{text[: _NAME_LETTERS - 1]}…"


def _kept_name(one: Pinned) -> str:
    """Its name as a session keeps it, which any language may open."""
    if one.name != name_of(one.choice):
        return one.name
    with plain():
        return name_of(one.choice)


def _shown_name(kept: str, choice: Choice) -> str:
    with plain():
        usual = name_of(choice)
    return name_of(choice) if kept in ("", usual) else kept
