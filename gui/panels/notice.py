"""A line that tells what happened, with its detail and the next step one click away."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPlainTextEdit, QPushButton, QToolButton, QVBoxLayout

from vramtuner.core.words import say
from vramtuner.gui.controls import make_label, set_role
from vramtuner.gui.state import Session
from vramtuner.gui.values import NoticeAction


class NoticeBar(QFrame):
    """Shows the session's notice; hidden while there is none."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self.setAccessibleName(say("Notice"))
        self.text = make_label()
        self.write = QPushButton(say("Write anyway, marked “not validated”"))
        self.write.clicked.connect(session.write_unvalidated)
        self.actions_row = QHBoxLayout()
        self.action_buttons: tuple[QPushButton, ...] = ()
        self.details = QPushButton(say("Details"))
        self.details.setCheckable(True)
        self.details.setToolTip(say("What else is known of the cause"))
        self.copy = QPushButton(say("Copy"))
        self.copy.setToolTip(say("Copy the message and its details"))
        self.copy.clicked.connect(self._on_copy)
        self.close_button = QToolButton()
        self.close_button.setText("✕")
        self.close_button.setProperty("role", "section")
        self.close_button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.close_button.setAccessibleName(say("Dismiss"))
        self.close_button.clicked.connect(lambda: session.tell(None))
        self.detail = QPlainTextEdit()
        self.detail.setReadOnly(True)
        self.detail.setAccessibleName(say("Details"))
        self.detail.setMaximumHeight(66)  # so that a window of 720 pixels need not grow
        self.detail.hide()
        self.details.toggled.connect(self.detail.setVisible)
        self._lay_out()
        session.notice_changed.connect(self._refresh)
        self._refresh()

    def _lay_out(self) -> None:
        line = QHBoxLayout()
        line.addWidget(self.text, 1)
        line.addLayout(self.actions_row)
        for button in (self.write, self.details, self.copy, self.close_button):
            line.addWidget(button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(10, 5, 6, 5)
        layout.addLayout(line)
        layout.addWidget(self.detail)

    def _refresh(self) -> None:
        notice = self._session.notice
        self.setVisible(notice is not None)
        self._show_actions(() if notice is None else notice.actions)
        if notice is None:
            return
        self.text.setText(notice.text)
        set_role(self, "notice" if notice.is_error else "news")
        self.write.setVisible(notice.write is not None)
        self.details.setVisible(bool(notice.detail))
        self.details.setChecked(False)
        self.copy.setVisible(notice.is_error)
        self.detail.setPlainText(notice.detail)

    def _show_actions(self, actions: tuple[NoticeAction, ...]) -> None:
        for button in self.action_buttons:
            self.actions_row.removeWidget(button)
            button.hide()
            button.deleteLater()  # it may be the one that was clicked just now
        self.action_buttons = tuple(QPushButton(action.label) for action in actions)
        for button, action in zip(self.action_buttons, actions, strict=True):
            button.setToolTip(action.tip)
            button.clicked.connect(lambda _, act=action.act: act())
            self.actions_row.addWidget(button)

    def _on_copy(self) -> None:
        notice = self._session.notice
        if notice is not None:
            QGuiApplication.clipboard().setText("\n\n".join(part for part in (notice.text, notice.detail) if part))
