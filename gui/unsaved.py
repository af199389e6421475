"""The question before a changed session is left: save, discard, or stay.

Asked about is a session that has a file, pinned plans or a script.  Levers that were moved to look at something are no
document, and a question at the end of each look would be answered without being read.
"""

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QMessageBox, QWidget

from vramtuner.core.text import printable
from vramtuner.core.words import say

if TYPE_CHECKING:
    from vramtuner.gui.sessions import SessionKeeper

_Button = QMessageBox.StandardButton


def may_leave(keeper: "SessionKeeper", window: QWidget | None) -> bool:
    """Whether the session may be left: at once where nothing is lost, else as the person answers."""
    if not keeper.modified or not keeper.is_document:
        return True
    box = QMessageBox(window)
    box.setIcon(QMessageBox.Icon.Question)
    box.setWindowTitle(say("Changes are not saved"))
    if keeper.path is None:
        box.setText(say("Save this session with its pinned plans and its script?"))
    else:
        box.setText(say("Save the changes to {name}?", name=printable(keeper.path.name, 120)))
    box.setInformativeText(say("They are lost otherwise."))
    box.setStandardButtons(_Button.Save | _Button.Discard | _Button.Cancel)
    for button, text in (
        (_Button.Save, say("&Save")),
        (_Button.Discard, say("&Discard")),
        (_Button.Cancel, say("&Cancel")),
    ):
        box.button(button).setText(text)  # Qt's own have no letter for Alt on every desktop
    box.setDefaultButton(_Button.Save)
    box.setEscapeButton(_Button.Cancel)
    match box.exec():
        case _Button.Save:
            keeper.save()  # where it cannot be saved it is told, and nothing is left
            return not keeper.modified
        case _Button.Discard:
            return True
        case _:
            return False
