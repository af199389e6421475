"""Levers in a grid: a label, the control, and below it what is wrong with it or why it cannot be moved."""

from typing import Protocol

from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from vramtuner.core.errors import BadInputError
from vramtuner.gui.controls import TextField, TextPicker, make_label
from vramtuner.gui.state import Session
from vramtuner.gui.values import sentence


class Row:
    """One lever of a grid."""

    def __init__(self, label: QLabel | None, control: QWidget) -> None:
        self._label, self._control = label, control
        self._usual_tip = control.toolTip()
        self.error = control.error if isinstance(control, TextField | TextPicker) else make_label(role="error")
        self.note = make_label(role="muted")
        self.error.hide()
        self.note.hide()

    def rename(self, text: str) -> None:
        """Give the lever another label; what it is called aloud follows."""
        if self._label is not None and self._label.text() != text:
            self._label.setText(text)
            self._control.setAccessibleName(text.replace("&", ""))

    @property
    def widgets(self) -> tuple[QWidget, ...]:
        """The control, and its label where it has one."""
        return (self._control,) if self._label is None else (self._control, self._label)

    def show(self, note: str = "", *, unavailable: str = "", useless: str = "", quiet: bool = False) -> None:
        """Say what there is to say of the lever, and grey it where it cannot be moved.

        Parameters
        ----------
        unavailable
            Why it cannot be moved; empty where it can.
        useless
            Why it changes nothing as things are; said in the tip even where it is not worth a note.
        quiet
            Leave the reason to the tip, where something near says it for several levers.
        """
        if not isinstance(self._control, TextField | TextPicker):
            self.error.hide()
        reason = f"{unavailable[:1].upper()}{unavailable[1:]}"
        for widget in (self._label, self._control):
            if widget is not None:
                widget.setEnabled(not unavailable)
        self._control.setToolTip(reason or "\n".join(filter(None, (self._usual_tip, useless))))
        self._control.setAccessibleDescription(reason or useless or note)
        text = note if quiet or not reason else reason
        if text != self.note.text():
            self.note.setText(text)
        self.note.setVisible(bool(text))

    def show_error(self, error: BadInputError) -> None:
        self.error.setText(sentence(error))
        self.error.show()


class Rows(QGridLayout):
    """Levers below one another, labels and controls in a column each."""

    def __init__(self) -> None:
        super().__init__()
        self.setContentsMargins(0, 0, 0, 0)
        self.setHorizontalSpacing(10)
        self.setVerticalSpacing(5)
        self.setColumnStretch(1, 1)
        self._labels: list[QLabel] = []
        self._next = 0

    def add(self, text: str, control: QWidget, *, wide: bool = False) -> Row:
        """Add a lever; a wide one has its label above it, one without a label speaks for itself."""
        label = QLabel(text) if text else None
        row = Row(label, control)
        if label is not None:
            label.setBuddy(control)
        if label is None or wide:
            if label is not None:
                self.add_line(label)
            self.add_line(control)
        else:
            self._labels.append(label)
            self.addWidget(label, self._next, 0)
            self.addWidget(control, self._next, 1)
            self._next += 1
        self.add_line(row.error)
        self.add_line(row.note)
        return row

    def add_line(self, widget: QWidget) -> None:
        """Add something that takes the whole width."""
        self.addWidget(widget, self._next, 0, 1, 2)
        self._next += 1


def align(*grids: Rows) -> None:
    """Have the controls of several grids begin at the same place."""
    width = max(label.sizeHint().width() for grid in grids for label in grid._labels)
    for grid in grids:
        grid.setColumnMinimumWidth(0, width)


class Refreshing(Protocol):
    """What shows the session's levers again."""

    def refresh(self) -> None: ...


def ask(session: Session, panel: Refreshing, row: Row, **fields: object) -> None:
    """Move levers from a control; what the session refuses is said below it, and the control goes back."""
    try:
        session.change(**fields)
    except BadInputError as error:
        panel.refresh()
        row.show_error(error)
