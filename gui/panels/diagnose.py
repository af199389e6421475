"""Diagnose: a log that is dropped, opened or pasted; what went wrong, where, and which lever would have helped."""

from collections.abc import Callable
from functools import partial
from html import escape
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontDatabase,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QShowEvent,
    QTextCharFormat,
    QTextCursor,
)
from PySide6.QtWidgets import (
    QFileDialog,
    QFrame,
    QHBoxLayout,
    QLabel,
    QMenu,
    QPlainTextEdit,
    QProgressBar,
    QPushButton,
    QSplitter,
    QTextEdit,
    QVBoxLayout,
    QWidget,
)

from vramtuner.core.device.find import catalogue
from vramtuner.core.diagnose import Finding
from vramtuner.core.diagnose.text import finding_text, number_text, title_of
from vramtuner.core.forecast import Forecast
from vramtuner.core.lever_words import describe_change
from vramtuner.core.remedy import beside, card_of, changed_levers
from vramtuner.core.settings import Levers
from vramtuner.core.text import printable
from vramtuner.core.units import format_tokens
from vramtuner.core.words import Labels, mark, say
from vramtuner.gui.controls import breakable, make_label, scrolled
from vramtuner.gui.logs import Logs, ReadLog, recent_logs
from vramtuner.gui.state import Session
from vramtuner.gui.theme import Theme
from vramtuner.gui.values import Notice

_EMPTY = mark(
    "Paste an error, or drop a log here: of PyTorch, vLLM, llama.cpp, Ollama, the kernel, or a trace of rocprofv3. "
    "Nothing leaves this machine."
)
_LEVERS = Labels(
    {
        "tokens": "Token cap",
        "pool": "Pool",
        "batch": "Batch",
        "weights": "Weights",
        "kv_cache": "KV cache",
        "attention": "Attention",
        "logits": "Logits",
        "prefill_chunk": "Prefill chunk",
        "checkpointing": "Checkpointing",
        "allocator": "Allocator",
        "device": "Device",
        "engine": "Engine",
        "system": "System",
        "env": "Environment",
    }
)
_SURE, _LIKELY = 0.75, 0.5


class DiagnosePanel(QWidget):
    """The log at the left, with the lines that show something marked; findings at the right."""

    device_asked = Signal(str)

    def __init__(self, session: Session, theme: Theme) -> None:
        super().__init__()
        self._session, self._theme = session, theme
        self.logs = Logs(self)
        self.log: ReadLog | None = None
        self.cards: tuple[FindingCard, ...] = ()
        self._limits: dict[Levers, int | None] = {}
        self._plan: Forecast | None = None
        self._make_parts()
        self._lay_out()
        self.logs.read.connect(self._show)
        self.logs.failed.connect(self._on_failed)
        self.logs.progress.connect(lambda done: self.progress.setValue(round(done * 1000)))
        session.plan_changed.connect(self._refresh_changes)
        self.logs.limits_found.connect(self._take_limits)
        theme.changed.connect(self._mark_lines)

    def _make_parts(self) -> None:
        self.open = QPushButton(say("Open a log…"))
        self.open.clicked.connect(self.ask_for_file)
        self.paste = QPushButton(say("Paste"))
        self.paste.setToolTip(say("Read what was copied"))
        self.paste.clicked.connect(self.paste_text)
        self.recent = QPushButton(say("Recent"))
        menu = QMenu(self.recent)
        menu.aboutToShow.connect(partial(self._fill_recent, menu))
        self.recent.setMenu(menu)
        self.progress = QProgressBar(minimum=0, maximum=1000)
        self.progress.setTextVisible(False)
        self.progress.setFixedHeight(8)
        self.progress.setAccessibleName(say("Progress"))
        self.progress.hide()
        self.text = _LogText(self.take_text)
        self.text.setReadOnly(True)
        self.text.setFrameShape(QFrame.Shape.NoFrame)
        self.text.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.text.setAccessibleName(say("Log"))
        self.text.setPlaceholderText(say(_EMPTY))
        self.told = make_label(role="muted")
        self._list = QVBoxLayout()
        self._list.setContentsMargins(8, 8, 8, 8)
        self._list.setSpacing(8)
        self._list.addStretch(1)

    def _lay_out(self) -> None:
        row = QHBoxLayout()
        row.setContentsMargins(8, 4, 8, 0)
        row.setSpacing(6)
        for button in (self.open, self.paste, self.recent):
            row.addWidget(button)
        row.addWidget(self.told, 1)
        row.addWidget(self.progress)
        content = QWidget()
        content.setLayout(self._list)
        self.findings = scrolled(content)
        self.findings.setAccessibleName(say("Findings"))
        self.findings.hide()
        split = QSplitter(Qt.Orientation.Horizontal)
        split.setChildrenCollapsible(False)
        split.addWidget(self.text)
        split.addWidget(self.findings)
        split.setSizes([400, 400])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addLayout(row)
        layout.addWidget(split, 1)

    # ---- what is read

    def ask_for_file(self) -> None:
        """Let the person choose a log."""
        name, _ = QFileDialog.getOpenFileName(self, say("Open a log or a trace"))
        if name:
            self.take_file(Path(name))

    def paste_text(self) -> None:
        """Read the clipboard."""
        self.take_text(QGuiApplication.clipboard().text())

    def take_text(self, text: str) -> None:
        """Read a text; an empty one changes nothing."""
        if text.strip():
            self._begin()
            self.logs.take_text(text)
        else:
            self.told.setText(say("There is no text to paste."))

    def take_file(self, path: Path) -> None:
        """Read a file."""
        self._begin()
        self.logs.take_file(path)

    def close_work(self) -> None:
        """Stop reading, for good."""
        self.logs.close()

    def _begin(self) -> None:
        self.told.setText(say("Reading…"))
        self.progress.setValue(0)
        self.progress.show()

    def _on_failed(self, problem: str) -> None:
        self.progress.hide()
        self.told.setText("")
        self._session.tell(Notice(problem))

    def _fill_recent(self, menu: QMenu) -> None:
        menu.clear()
        for path in recent_logs():
            menu.addAction(printable(str(path), 120)).triggered.connect(partial(self.take_file, path))
        if menu.isEmpty():
            menu.addAction(say("No log has been opened yet.")).setEnabled(False)

    # ---- what is shown

    def _show(self, log: ReadLog) -> None:
        self.log = log
        self.progress.hide()
        self.told.setText(printable(log.name, 80))
        self.text.setPlainText("\n".join(text for _, text in log.lines))
        for old in self.cards:
            self._list.removeWidget(old)
            old.deleteLater()
        self.cards = tuple(FindingCard(finding, self, self._session) for finding in log.findings)
        for row, shown in enumerate(self.cards):
            self._list.insertWidget(row, shown)
        self.findings.show()
        self.findings.verticalScrollBar().setValue(0)
        self._mark_lines()
        self._plan, self._limits = None, {}
        self._refresh_changes()
        if self.cards and log.findings[0].evidence:
            self.go_to(log.findings[0].evidence[0].line)

    def _mark_lines(self) -> None:
        """Tint the lines that show something."""
        if self.log is None:
            return
        tint = QColor(self._theme.colours.warning)
        tint.setAlphaF(0.22)
        marks = []
        for line in {entry.line for finding in self.log.findings for entry in finding.evidence}:
            row = self.log.row_of(line)
            if row is None:
                continue
            selection = QTextEdit.ExtraSelection()
            setattr(selection, "cursor", QTextCursor(self.text.document().findBlockByNumber(row)))  # noqa: B010
            form = QTextCharFormat()
            form.setBackground(tint)
            form.setProperty(QTextCharFormat.Property.FullWidthSelection, True)
            setattr(selection, "format", form)  # noqa: B010 - PySide declares neither for mypy
            marks.append(selection)
        self.text.setExtraSelections(marks)

    def go_to(self, line: int) -> None:
        """Show a line of the log."""
        row = None if self.log is None else self.log.row_of(line)
        if row is not None:
            self.text.setTextCursor(QTextCursor(self.text.document().findBlockByNumber(row)))
            self.text.centerCursor()

    # ---- what would have helped

    def _refresh_changes(self) -> None:
        """Offer what suits the plan of the moment; the limits come when they are worked out."""
        plan = None if self._session.stale else self._session.forecast
        if not self.cards or (plan is self._plan and self._limits):
            return
        self._plan, self._limits = plan, {}
        wanted = tuple(dict.fromkeys(levers for shown in self.cards for levers in shown.offer(plan)))
        if plan is not None and wanted and self.isVisible():
            self.logs.ask_limits(plan, wanted)

    def _take_limits(self, plan: Forecast, limits: dict[Levers, int | None]) -> None:
        if plan is self._plan:
            self._limits = limits
            for shown in self.cards:
                shown.show_limits(limits)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._refresh_changes()


class FindingCard(QFrame):
    """One finding: what happened, how sure, the numbers, the lines, and the changes to apply."""

    def __init__(self, finding: Finding, panel: DiagnosePanel, session: Session) -> None:
        super().__init__()
        self.finding, self._panel, self._session = finding, panel, session
        self.setProperty("role", "card")
        self.buttons: dict[QPushButton, Levers] = {}
        self._rows = [(change, make_label(), QHBoxLayout()) for change in finding.changes]
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 10, 12, 10)
        layout.setSpacing(6)
        layout.addLayout(self._head())
        layout.addWidget(make_label(finding.summary))
        if finding.numbers:
            numbers = " · ".join(number_text(name, value) for name, value in finding.numbers.items())
            layout.addWidget(make_label(numbers, "muted"))
        self.lines = self._lines()
        layout.addWidget(self.lines)
        self.beside = make_label(role="muted")
        layout.addWidget(self.beside)
        for change, label, row in self._rows:
            lever = _LEVERS.get(change.lever, change.lever)
            label.setText(
                say(
                    "{lever} {value}: {why}",
                    lever=f"<b>{lever}</b>",
                    value=escape(change.value),
                    why=escape(change.why),
                )
            )
            row.addWidget(label, 1)
            layout.addLayout(row)
        self._add_card_button(layout)
        if finding.tell:
            layout.addWidget(make_label(say("Would tell more: {what}", what=finding.tell), "muted"))

    def _head(self) -> QHBoxLayout:
        finding = self.finding
        title = title_of(finding)
        name = make_label(title, "fails" if finding.confidence >= _SURE else "waits")
        ran_out = say("VRAM ran out") if finding.vram_exhausted else say("it is not VRAM that ran out")
        copy = QPushButton(say("Copy"))
        copy.setToolTip(say("Copy the finding as text"))
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(finding_text(finding)))
        self.setAccessibleName(title)
        texts = QVBoxLayout()
        texts.setSpacing(2)
        texts.addWidget(name)
        texts.addWidget(make_label(f"{_sureness(finding)} · {ran_out}", "muted"))
        row = QHBoxLayout()
        row.addLayout(texts, 1)
        row.addWidget(copy, 0, Qt.AlignmentFlag.AlignTop)
        return row

    def _lines(self) -> QLabel:
        """The lines that show it, a click away from where they are."""
        texts = [
            f'<a href="{entry.line}">{say("line {line:,}", line=entry.line)}</a> '
            f"{breakable(escape(printable(entry.text, 160)))}"
            for entry in self.finding.evidence
        ]
        label = make_label("<br>".join(texts))
        label.setTextFormat(Qt.TextFormat.RichText)
        label.setTextInteractionFlags(
            Qt.TextInteractionFlag.LinksAccessibleByMouse | Qt.TextInteractionFlag.LinksAccessibleByKeyboard
        )
        label.linkActivated.connect(lambda line: self._panel.go_to(int(line)))
        label.setVisible(bool(texts))
        return label

    def _add_card_button(self, layout: QVBoxLayout) -> None:
        """The card that the log speaks of, to plan for."""
        found = card_of(self.finding, catalogue())
        if found is None:
            return
        button = QPushButton(say("Plan for a {name}", name=found.name))
        button.clicked.connect(lambda: self._panel.device_asked.emit(found.key))
        layout.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)

    def offer(self, plan: Forecast | None) -> tuple[Levers, ...]:
        """A button for each change that moves a lever of the plan; the levers they would give."""
        for button in self.buttons:
            button.hide()
            button.deleteLater()
        self.buttons.clear()
        self.beside.setText("" if plan is None else beside(self.finding, plan))
        self.beside.setVisible(bool(self.beside.text()))
        if plan is None:
            return ()
        for change, _, row in self._rows:
            levers = changed_levers(change, plan)
            if levers is not None and levers not in self.buttons.values():
                button = QPushButton(describe_change(plan.levers, levers))
                button.setToolTip(say("Change the plan of this window (Ctrl+Z takes it back)"))
                button.clicked.connect(partial(self._session.apply, levers))
                row.addWidget(button)
                self.buttons[button] = levers
        return tuple(self.buttons.values())

    def show_limits(self, limits: dict[Levers, int | None]) -> None:
        """Say on each button what the limit would be."""
        for button, levers in self.buttons.items():
            limit, text = limits.get(levers), button.text()
            if limit is not None and "→" not in text:
                button.setText(say("{change} → {limit}", change=text, limit=format_tokens(limit)))


class _LogText(QPlainTextEdit):
    """Shows the log; what is pasted into it is read."""

    def __init__(self, take: Callable[[str], None]) -> None:
        super().__init__()
        self._take = take

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Paste):
            self._take(QGuiApplication.clipboard().text())
        else:
            super().keyPressEvent(event)


def _sureness(finding: Finding) -> str:
    if finding.confidence >= _SURE:
        return say("sure ({confidence:.2f})", confidence=finding.confidence)
    if finding.confidence >= _LIKELY:
        return say("likely ({confidence:.2f})", confidence=finding.confidence)
    return say("a guess ({confidence:.2f})", confidence=finding.confidence)
