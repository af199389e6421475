"""Colours, in one place: a light and a dark set, applied to the whole application and read by the plots."""

from dataclasses import dataclass
from enum import StrEnum

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication


class Scheme(StrEnum):
    """What a person chooses; ``SYSTEM`` follows the desktop."""

    SYSTEM = "System"
    LIGHT = "Light"
    DARK = "Dark"


@dataclass(frozen=True, slots=True)
class Colours:
    """One set of colours.

    ``components`` alternates dark and light along the stack, so that neighbours stay apart in greyscale, and takes
    its hues from Okabe and Ito's set, which common colour blindnesses keep apart.
    """

    window: str
    surface: str
    field: str
    raised: str
    border: str
    text: str
    muted: str
    disabled: str
    accent: str
    on_accent: str
    good: str
    bad: str
    warning: str
    components: tuple[str, ...]


LIGHT = Colours(
    window="#f3f4f6",
    surface="#ffffff",
    field="#ffffff",
    raised="#e9ebef",
    border="#cfd4dc",
    text="#1b1f27",
    muted="#555e6e",
    disabled="#98a0ad",
    accent="#1f5fbf",
    on_accent="#ffffff",
    good="#0f7a4d",
    bad="#b3261e",
    warning="#8a5300",
    components=("#15487f", "#f0b23c", "#a4639f", "#4dbb95", "#c8501e", "#8ed0f4", "#566070"),
)
DARK = Colours(
    window="#1b1e24",
    surface="#14171c",
    field="#242932",
    raised="#282c34",
    border="#3b414c",
    text="#e8eaee",
    muted="#a3abb9",
    disabled="#6b7382",
    accent="#6ea8ff",
    on_accent="#0d1320",
    good="#4cc38a",
    bad="#ff7b72",
    warning="#e5b567",
    components=("#2a66a8", "#e9b04a", "#ad6aa8", "#56b894", "#d0602f", "#a0d8f6", "#5f6672"),
)


class Theme(QObject):
    """Which colours are in use, and the switch between them."""

    changed = Signal()

    def __init__(self, application: QApplication, scheme: Scheme = Scheme.SYSTEM) -> None:
        super().__init__()
        self._application = application
        self.scheme = scheme
        self.colours = LIGHT
        application.setStyle("Fusion")
        application.styleHints().colorSchemeChanged.connect(self._on_desktop_changed)
        self.use(scheme)

    def use(self, scheme: Scheme) -> None:
        """Take a scheme for the whole application, at once."""
        self.scheme = scheme
        dark = scheme is Scheme.DARK
        if scheme is Scheme.SYSTEM:
            dark = self._application.styleHints().colorScheme() == Qt.ColorScheme.Dark
        self.colours = DARK if dark else LIGHT
        self._application.setPalette(_palette(self.colours))
        self._application.setStyleSheet(_style_sheet(self.colours))
        self.changed.emit()

    def _on_desktop_changed(self) -> None:
        if self.scheme is Scheme.SYSTEM:
            self.use(Scheme.SYSTEM)


def _palette(colours: Colours) -> QPalette:
    palette, role = QPalette(), QPalette.ColorRole
    for target, colour in (
        (role.Window, colours.window),
        (role.WindowText, colours.text),
        (role.Base, colours.field),
        (role.AlternateBase, colours.window),
        (role.Text, colours.text),
        (role.PlaceholderText, colours.muted),
        (role.Button, colours.raised),
        (role.ButtonText, colours.text),
        (role.ToolTipBase, colours.raised),
        (role.ToolTipText, colours.text),
        (role.Highlight, colours.accent),
        (role.HighlightedText, colours.on_accent),
        (role.Accent, colours.accent),
        (role.Link, colours.accent),
        (role.Light, colours.surface),
        (role.Midlight, colours.border),
        (role.Mid, colours.border),
        (role.Dark, colours.border),
    ):
        palette.setColor(target, QColor(colour))
    for target in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, target, QColor(colours.disabled))
    return palette


def _style_sheet(c: Colours) -> str:
    return f"""
    QLabel[role="title"] {{ color: {c.muted}; font-weight: 600; }}
    QLabel[role="muted"] {{ color: {c.muted}; }}
    QLabel[role="error"] {{ color: {c.bad}; }}
    QLabel[role="fits"] {{ color: {c.good}; font-weight: 700; }}
    QLabel[role="fails"] {{ color: {c.bad}; font-weight: 700; }}
    QLabel[role="waits"] {{ color: {c.warning}; font-weight: 700; }}
    QLabel:disabled, QLabel[role]:disabled {{ color: {c.disabled}; }}
    QFrame[role="card"] {{ background: {c.surface}; border: 1px solid {c.border}; border-radius: 8px; }}
    QFrame[role="notice"] {{ background: {c.surface}; border: 1px solid {c.bad}; border-radius: 6px; }}
    QFrame[role="news"] {{ background: {c.surface}; border: 1px solid {c.accent}; border-radius: 6px; }}
    QPushButton {{ background: {c.surface}; border: 1px solid {c.border}; border-radius: 6px; padding: 5px 12px; }}
    QPushButton:hover {{ border-color: {c.accent}; }}
    QPushButton:focus {{ border: 2px solid {c.accent}; padding: 4px 11px; }}
    QPushButton:pressed {{ background: {c.raised}; }}
    QPushButton:disabled {{ color: {c.disabled}; background: {c.window}; }}
    QPushButton[role="primary"] {{ background: {c.accent}; color: {c.on_accent}; border-color: {c.accent}; }}
    QPushButton[role="primary"]:focus {{ border: 2px solid {c.text}; }}
    QPushButton[role="primary"]:disabled {{ background: {c.raised}; color: {c.disabled}; border-color: {c.border}; }}
    QToolButton[role="section"] {{ color: {c.muted}; font-weight: 600; padding: 3px 4px 3px 0; }}
    QToolButton[role="section"] {{ background: transparent; border: 1px solid transparent; border-radius: 4px; }}
    QToolButton[role="section"]:hover {{ color: {c.text}; }}
    QToolButton[role="section"]:focus {{ border: 1px solid {c.accent}; }}
    QScrollArea, QScrollArea > QWidget > QWidget#scrolled {{ background: transparent; border: none; }}
    QHeaderView::section {{ background: {c.window}; color: {c.muted}; border: none; padding: 3px 6px; }}
    QTableCornerButton::section {{ background: {c.window}; border: none; }}
    QTabBar {{ background: transparent; border: none; }}
    QTabWidget::pane {{ border: none; border-top: 1px solid {c.border}; }}
    QTabBar::tab {{ color: {c.muted}; padding: 5px 12px; border: none; border-bottom: 2px solid transparent; }}
    QTabBar::tab:hover {{ color: {c.text}; }}
    QTabBar::tab:selected {{ color: {c.text}; font-weight: 600; border-bottom: 2px solid {c.accent}; }}
    QTabBar:focus::tab:selected {{ background: {c.raised}; }}
    QLineEdit, QAbstractSpinBox, QComboBox {{ min-height: 18px; }}
    QLineEdit {{ background: {c.field}; border: 1px solid {c.border}; border-radius: 4px; padding: 3px 6px; }}
    QLineEdit:focus {{ border: 1px solid {c.accent}; }}
    QLineEdit:disabled {{ color: {c.disabled}; background: {c.window}; }}
    QComboBox QLineEdit {{ border: none; padding: 0; }}
    QTableView {{ background: {c.surface}; border: 1px solid {c.border}; border-radius: 6px; }}
    QTableView::item {{ padding: 0 6px; }}
    QToolTip {{ color: {c.text}; background: {c.raised}; border: 1px solid {c.border}; padding: 4px; }}
    """
