"""What is wrong with a field, below it; what is known of the cause is one click away, and all of it can be copied."""

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from vramtuner.core.errors import AppError
from vramtuner.core.words import say
from vramtuner.gui.controls import make_label
from vramtuner.gui.values import detail_of, sentence


class ErrorLine(QWidget):
    """Hidden while nothing is wrong.

    Parameters
    ----------
    of
        The field that it is about, as it is called aloud.
    """

    def __init__(self, of: str) -> None:
        super().__init__()
        self.label = make_label(role="error")
        self.details = QToolButton()
        self.details.setText(say("Details"))
        self.details.setCheckable(True)
        self.details.setAccessibleName(say("Details of what is wrong with the {of}", of=of))
        self.copy = QToolButton()
        self.copy.setText(say("Copy"))
        self.copy.setToolTip(say("Copy the message and its details"))
        self.copy.setAccessibleName(say("Copy what is wrong with the {of}", of=of))
        self.copy.clicked.connect(self._on_copy)
        self.detail = make_label(role="muted")
        self.detail.hide()
        self.details.toggled.connect(self.detail.setVisible)
        row = QHBoxLayout()
        row.setSpacing(6)
        for button in (self.details, self.copy):
            button.setProperty("role", "toggle")
            row.addWidget(button)
        row.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addWidget(self.label)
        layout.addLayout(row)
        layout.addWidget(self.detail)
        self.hide()

    def text(self) -> str:
        """The message."""
        return self.label.text()

    def show_error(self, error: AppError | str) -> None:
        """Say what is wrong."""
        detail = detail_of(error) if isinstance(error, AppError) else ""
        self.label.setText(sentence(error))
        self.detail.setText(detail)
        self.details.setVisible(bool(detail))
        self.details.setChecked(False)
        self.show()

    def _on_copy(self) -> None:
        parts = (self.label.text(), self.detail.text())
        QGuiApplication.clipboard().setText("\n\n".join(part for part in parts if part))
