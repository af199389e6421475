"""The devices of this machine in a list: name, how full, and which is planned for."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QStyledItemDelegate, QStyleOptionViewItem

from vramtuner.core.device.summary import DeviceSummary, Identity, identity
from vramtuner.core.units import format_bytes
from vramtuner.core.words import say
from vramtuner.gui.theme import Theme

_WIDTH, _MARGIN, _BAR = 190, 9, 4
_ROLE = Qt.ItemDataRole.UserRole
_ELIDE = Qt.TextElideMode.ElideRight
_WRAP = Qt.TextFlag.TextWordWrap


@dataclass(frozen=True, slots=True)
class Entry:
    """A device, whether it is the plan's, and whether it is no longer there."""

    summary: DeviceSummary
    planned: bool = False
    gone: bool = False

    @property
    def identity(self) -> Identity:
        return identity(self.summary.device)

    @property
    def title(self) -> str:
        device = self.summary.device
        return f"{device.key}: {device.name}" if device.kind == "gpu" and not self.gone else device.name

    @property
    def line(self) -> str:
        """How full it is."""
        device = self.summary.device
        total = format_bytes(device.vram_bytes, 1)
        if self.gone:
            return say("not there now")
        free = self.summary.free.free_bytes
        if device.vram_used_bytes is None:
            return total if free is None else say("{short} of {total} free", short=_short(free, total), total=total)
        return say("{short} of {total} used", short=_short(device.vram_used_bytes, total), total=total)

    @property
    def plan(self) -> str:
        return say("planned for") if self.planned else ""


def _short(size: int, total: str) -> str:
    """A size whose unit is left out where that of the total, which follows it, is the same."""
    text = format_bytes(size, 1)
    return text.partition(" ")[0] if text.partition(" ")[2] == total.partition(" ")[2] else text


class DeviceList(QListWidget):
    """Arrow keys choose."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setFixedWidth(_WIDTH)
        self.setAccessibleName(say("Devices of this machine"))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QListWidget.ScrollMode.ScrollPerPixel)
        self.setItemDelegate(_Delegate(theme, self))
        self._entries: list[Entry] = []
        theme.changed.connect(self._recolour)
        self._theme = theme
        self._recolour()

    def show_entries(self, entries: Sequence[Entry], chosen: Identity | None) -> None:
        """Show these; items stay where devices do, so that neither focus nor scroll position is lost."""
        same = [entry.identity for entry in entries] == [entry.identity for entry in self._entries]
        if not same:
            self.clear()
            for _ in entries:
                self.addItem(QListWidgetItem())
        self._entries = list(entries)
        for place, entry in enumerate(entries):
            item = self.item(place)
            text = ", ".join(part for part in (entry.title, entry.line, entry.plan) if part)
            item.setData(_ROLE, place)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, text)
            item.setToolTip(text)
            if entry.identity == chosen and self.currentRow() != place:
                self.setCurrentRow(place)
        self.scheduleDelayedItemsLayout()
        self.viewport().update()

    def entry_of(self, item: QListWidgetItem) -> Entry:
        return self.entry_at(item.data(_ROLE))

    def entry_at(self, place: int) -> Entry:
        return self._entries[place]

    def _recolour(self) -> None:
        c = self._theme.colours
        self.setStyleSheet(
            f"QListWidget {{ background: {c.surface}; border: 1px solid {c.border}; border-radius: 6px; }}"
            f"QListWidget:focus {{ border: 1px solid {c.accent}; }}"
        )


class _Delegate(QStyledItemDelegate):
    """Paints an entry: its name over as many lines as it needs, figures, and a small bar."""

    def __init__(self, theme: Theme, parent: DeviceList) -> None:
        super().__init__(parent)
        self._theme, self._list = theme, parent

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        entry = self._list.entry_at(index.row())
        lines = 1 + bool(entry.plan)
        height = self._title_height(entry) + lines * QFontMetrics(self._list.font()).height()
        return QSize(self._width() + 2 * _MARGIN, height + _BAR + 4 + 2 * _MARGIN)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:  # fmt: skip
        colours, entry = self._theme.colours, self._list.entry_at(index.row())
        rect: QRect = option.rect
        if index.row() == self._list.currentRow():
            painter.fillRect(rect, QColor(colours.raised))
            painter.fillRect(QRect(rect.left(), rect.top(), 3, rect.height()), QColor(colours.accent))
        inner = rect.adjusted(_MARGIN, _MARGIN, -_MARGIN, -_MARGIN)
        painter.setFont(self._bold())
        painter.setPen(QColor(colours.disabled if entry.gone else colours.text))
        painter.drawText(inner, _WRAP, entry.title)
        top = inner.top() + self._title_height(entry)
        painter.setFont(self._list.font())
        metrics = QFontMetrics(self._list.font())
        height = metrics.height()
        for text, colour in ((entry.line, colours.bad if entry.gone else colours.muted), (entry.plan, colours.accent)):
            if text:
                painter.setPen(QColor(colour))
                painter.drawText(
                    QRect(inner.left(), top, inner.width(), height), 0, metrics.elidedText(text, _ELIDE, inner.width())
                )
                top += height
        self._paint_bar(painter, QRectF(inner.left(), top + 4, inner.width(), _BAR), entry)

    def _paint_bar(self, painter: QPainter, track: QRectF, entry: Entry) -> None:
        device, colours = entry.summary.device, self._theme.colours
        if entry.gone or device.vram_used_bytes is None or not device.vram_bytes:
            return
        painter.fillRect(track, QColor(colours.border))
        track.setWidth(track.width() * min(device.vram_used_bytes / device.vram_bytes, 1.0))
        painter.fillRect(track, QColor(colours.components[0]))

    def _title_height(self, entry: Entry) -> int:
        box = QRect(0, 0, self._width(), 1000)
        return QFontMetrics(self._bold()).boundingRect(box, _WRAP, entry.title).height()

    def _width(self) -> int:
        return self._list.viewport().width() - 2 * _MARGIN

    def _bold(self) -> QFont:
        font = QFont(self._list.font())
        font.setWeight(QFont.Weight.DemiBold)
        return font
