"""Colours, in one place: a light and a dark set, applied to the whole application and read by the plots."""

from dataclasses import dataclass
from enum import StrEnum
from importlib.resources import files

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication

from vramtuner.core.words import Labels


class Scheme(StrEnum):
    """What a person chooses; ``SYSTEM`` follows the desktop."""

    SYSTEM = "System"
    LIGHT = "Light"
    DARK = "Dark"


SCHEME_NAMES = Labels({Scheme.SYSTEM: "&System", Scheme.LIGHT: "&Light", Scheme.DARK: "&Dark"})


@dataclass(frozen=True, slots=True)
class Colours:
    """One set of colours.

    ``components`` alternates dark and light along the stack, so that neighbours stay apart in greyscale, and takes
    its hues from Okabe and Ito's set, which common colour blindnesses keep apart.  ``outline`` goes around what can be
    typed into or chosen from: it is seen at 3:1 on every ground, as WCAG 2.2 (1.4.11) asks, while ``border`` only sets
    parts of the window apart.
    """

    window: str
    surface: str
    field: str
    raised: str
    border: str
    outline: str
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
    outline="#858d9b",
    text="#1b1f27",
    muted="#555e6e",
    disabled="#858d9b",
    accent="#1f5fbf",
    on_accent="#ffffff",
    good="#0e774b",
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
    outline="#717a89",
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
        self._application.setStyleSheet("")  # from one sheet to another Qt takes three times as long as by way of none
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


def _icon(name: str, c: Colours) -> str:
    """A small picture in a set of colours, as style sheets write it."""
    path = files("vramtuner.resources") / "icons" / f"{name}-{'dark' if c is DARK else 'light'}.svg"
    return f'image: url("{path}")'


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
    QWidget[role="stage"] {{ background: {c.surface}; }}
    QFrame[role="chip"] {{ background: {c.raised}; border: none; border-radius: 8px; }}
    QFrame[role="chip moved"] {{ background: {c.accent}; border: none; border-radius: 8px; }}
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
    QToolButton[role="menu"] {{ background: {c.surface}; border: 1px solid {c.border}; border-radius: 5px; }}
    QToolButton[role="menu"] {{ padding: 3px 20px 3px 9px; }}
    QToolButton[role="menu"]:hover, QToolButton[role="menu"]:focus {{ border-color: {c.accent}; }}
    QToolButton[role="menu"]:checked {{ background: {c.raised}; border-color: {c.accent}; }}
    QToolButton[role="menu"]::menu-indicator {{ subcontrol-position: right center; right: 6px; }}
    QToolButton[role="toggle"] {{ color: {c.muted}; border: 1px solid {c.border}; border-radius: 5px; }}
    QToolButton[role="toggle"] {{ padding: 1px 7px; }}
    QToolButton[role="toggle"]:hover, QToolButton[role="toggle"]:focus {{ border-color: {c.accent}; }}
    QToolButton[role="toggle"]:checked {{ background: {c.raised}; color: {c.text}; border-color: {c.accent}; }}
    QToolButton[role="icon"] {{ background: transparent; border: 1px solid transparent; border-radius: 4px; }}
    QToolButton[role="icon"]:hover {{ background: {c.raised}; }}
    QToolButton[role="icon"]:focus {{ border: 1px solid {c.accent}; }}
    QScrollArea#facts:focus {{ border: 2px solid {c.accent}; border-radius: 6px; }}
    QScrollArea, QScrollArea > QWidget > QWidget#scrolled {{ background: transparent; border: none; }}
    QHeaderView::section {{ background: {c.window}; color: {c.muted}; border: none; padding: 3px 6px; }}
    QTableCornerButton::section {{ background: {c.window}; border: none; }}
    QTabBar {{ background: transparent; border: none; }}
    QTabWidget::pane {{ border: none; border-top: 1px solid {c.border}; }}
    QTabBar::tab {{ color: {c.muted}; background: transparent; padding: 5px 12px; border: none; }}
    QTabBar::tab {{ border-bottom: 2px solid transparent; }}
    QTabBar::tab:hover {{ color: {c.text}; }}
    QTabBar::tab:selected {{ color: {c.text}; font-weight: 600; border-bottom: 2px solid {c.accent}; }}
    QTabBar::tab:selected:focus {{ background: {c.raised}; border-bottom: 3px solid {c.accent}; }}
    QTableView {{ background: {c.surface}; border: 1px solid {c.border}; border-radius: 6px; }}
    QTableView:focus, QListView:focus, QPlainTextEdit:focus {{ border: 1px solid {c.accent}; border-radius: 6px; }}
    QTableView::item {{ padding: 0 6px; }}
    QToolTip {{ color: {c.text}; background: {c.raised}; border: 1px solid {c.border}; padding: 4px; }}
    {_fields(c)}
    """


def _fields(c: Colours) -> str:
    """What is typed into, chosen from or checked: alike, and to be seen in both schemes."""
    fields, buttons = (
        "QLineEdit, QAbstractSpinBox, QComboBox",
        "QAbstractSpinBox::up-button, QAbstractSpinBox::down-button",
    )
    focused = ", ".join(f"{name}:focus" for name in fields.split(", "))
    disabled = ", ".join(f"{name}:disabled" for name in fields.split(", "))
    return f"""
    {fields} {{ min-height: 18px; background: {c.field}; color: {c.text}; padding: 3px 6px; }}
    {fields} {{ border: 1px solid {c.outline}; border-radius: 4px; }}
    {focused} {{ border: 2px solid {c.accent}; padding: 2px 5px; }}
    {disabled} {{ color: {c.disabled}; background: {c.window}; border-color: {c.border}; }}
    QComboBox QLineEdit, QAbstractSpinBox QLineEdit, QComboBox QLineEdit:focus {{ border: none; padding: 0; }}
    QAbstractSpinBox {{ min-height: 16px; }}
    QComboBox QAbstractItemView, QComboBox QAbstractItemView:focus {{ border: none; border-radius: 0; }}
    QComboBox QLineEdit, QAbstractSpinBox QLineEdit {{ background: transparent; min-height: 0; }}
    QComboBox::drop-down {{ border: none; width: 20px; }}
    QComboBox::down-arrow {{ {_icon("arrow-down", c)}; width: 11px; height: 11px; }}
    QComboBox::down-arrow:disabled {{ image: none; }}
    {buttons} {{ subcontrol-origin: border; border: none; background: transparent; width: 20px; }}
    QAbstractSpinBox::up-button {{ subcontrol-position: top right; top: 1px; }}
    QAbstractSpinBox::down-button {{ subcontrol-position: bottom right; bottom: 1px; }}
    QAbstractSpinBox::up-arrow {{ {_icon("arrow-up", c)}; width: 9px; height: 9px; }}
    QAbstractSpinBox::down-arrow {{ {_icon("arrow-down", c)}; width: 9px; height: 9px; }}
    QAbstractSpinBox::up-arrow:off, QAbstractSpinBox::down-arrow:off {{ image: none; }}
    QAbstractSpinBox::up-arrow:disabled, QAbstractSpinBox::down-arrow:disabled {{ image: none; }}
    QCheckBox {{ spacing: 7px; padding: 2px; border: 1px solid transparent; border-radius: 4px; }}
    QCheckBox:focus {{ border-color: {c.accent}; }}
    QCheckBox:disabled {{ color: {c.disabled}; }}
    QCheckBox::indicator, QListView::indicator {{ width: 12px; height: 12px; border-radius: 3px; }}
    QCheckBox::indicator, QListView::indicator {{ border: 1px solid {c.muted}; background: {c.field}; }}
    QCheckBox::indicator:hover {{ border-color: {c.accent}; }}
    QCheckBox::indicator:checked, QListView::indicator:checked {{ background: {c.accent}; border-color: {c.accent}; }}
    QCheckBox::indicator:checked, QListView::indicator:checked {{ {_icon("check", c)}; }}
    QCheckBox::indicator:disabled {{ background: {c.window}; border-color: {c.disabled}; image: none; }}
    QCheckBox::indicator:disabled:checked {{ background: {c.disabled}; {_icon("check", c)}; }}
    QSlider {{ border: 2px solid transparent; border-radius: 4px; }}
    QSlider:focus {{ border-color: {c.accent}; }}
    """
