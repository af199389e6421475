"""What was opened last, for the File menu; kept in the settings."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QMenu, QWidget

from vramtuner.core.model.find import PRESETS, load_preset
from vramtuner.core.text import printable
from vramtuner.core.words import say

MOST = 8
_MAX_CHARACTERS = 4096


class Recent:
    """The last few names that were opened, newest first.

    Parameters
    ----------
    key
        Where the settings keep them.
    """

    def __init__(self, key: str) -> None:
        self._key = key

    def names(self) -> tuple[str, ...]:
        """Those that can still be opened: presets, and paths where something is."""
        return tuple(name for name in self._kept() if _exists(name))

    def add(self, name: str) -> None:
        """Put a name first."""
        others = [kept for kept in self._kept() if kept != name]
        QSettings().setValue(self._key, [name, *others][:MOST])

    def clear(self) -> None:
        """Forget all of them."""
        QSettings().remove(self._key)

    def _kept(self) -> list[str]:
        value = QSettings().value(self._key)
        # A list of one comes back as a string, and a file of settings can hold anything.
        names = value if isinstance(value, list) else [value]
        return [name for name in names if isinstance(name, str) and 0 < len(name) <= _MAX_CHARACTERS][:MOST]


class RecentMenu(QMenu):
    """A submenu of what was opened last; disabled while there is nothing in it."""

    def __init__(
        self, title: str, recent: Recent, open_name: Callable[[str], None], parent: QWidget | None = None
    ) -> None:
        super().__init__(title, parent)
        self._recent, self._open = recent, open_name
        self.setAccessibleName(title.replace("&", ""))
        self.setToolTipsVisible(True)
        self.refresh()

    def refresh(self) -> None:
        """Read the list again, and look which of its entries are still there."""
        names = self._recent.names()
        self.clear()
        self.menuAction().setEnabled(bool(names))
        for number, name in enumerate(names, start=1):
            action = self.addAction(f"&{number}  {_label(name)}")
            action.setToolTip(printable(name, 400))
            action.triggered.connect(lambda _, name=name: self._open(name))
        self.addSeparator()
        self.clear_action = self.addAction(say("&Clear"))
        self.clear_action.triggered.connect(self._on_clear)

    def _on_clear(self) -> None:
        self._recent.clear()
        self.refresh()


def _exists(name: str) -> bool:
    try:
        return name in PRESETS or Path(name).exists()
    except OSError:
        return False


def _label(name: str) -> str:
    """A name as a menu shows it: a preset's title, a path from the home folder on, its middle cut out if need be."""
    if name in PRESETS:
        return load_preset(name).name
    path, home = Path(name), Path.home()
    text = str(Path("~") / path.relative_to(home)) if path.is_relative_to(home) else name
    text = printable(text, _MAX_CHARACTERS)
    return (text if len(text) <= 60 else f"{text[:20]}…{text[-39:]}").replace("&", "&&")
