"""A plot as a picture or as numbers, for the clipboard or a file: PNG, SVG and CSV."""

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Protocol, runtime_checkable

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QMimeData, QPoint, QRect, QSize
from PySide6.QtGui import QGuiApplication, QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QGraphicsView, QWidget

from vramtuner.core.errors import BadInputError
from vramtuner.core.files import write_atomically
from vramtuner.core.words import mark, say

PNG, SVG, CSV = "image/png", "image/svg+xml", "text/csv"
FORMATS = {".svg": SVG, ".png": PNG, ".csv": CSV}
SAVE_FILTER = mark("SVG picture (*.svg);;PNG picture (*.png);;Values as CSV (*.csv)")
_SCREEN_DPI = 96


@runtime_checkable
class HasValues(Protocol):
    """A panel whose plot can be had as numbers; as a picture every panel can."""

    def csv_rows(self) -> Iterable[Sequence[object]]:
        """A line of headings, with units, and a line for every point of the curves; nothing where none is drawn."""


def svg_bytes(widget: QWidget, title: str = "vramtuner") -> bytes:
    """A widget as an SVG picture: lines stay lines and text stays text."""
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setResolution(_SCREEN_DPI)
    generator.setSize(widget.size())
    generator.setViewBox(QRect(widget.rect().topLeft(), QSize(widget.width(), widget.height())))
    generator.setTitle(title)
    views = widget.findChildren(QGraphicsView)
    caches = [view.cacheMode() for view in views]
    for view in views:
        view.setCacheMode(QGraphicsView.CacheModeFlag.CacheNone)  # a cached background would be a picture of pixels
    painter = QPainter(generator)
    painter.fillRect(widget.rect(), widget.palette().light())  # the surface that panels lie on
    widget.render(painter, QPoint(0, 0), renderFlags=QWidget.RenderFlag.DrawChildren)
    painter.end()
    for view, cache in zip(views, caches, strict=True):
        view.setCacheMode(cache)
    buffer.close()
    return bytes(data.data())


def png_bytes(widget: QWidget) -> bytes:
    """A widget as a PNG picture, as sharp as the screen."""
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    widget.grab().save(buffer, "PNG")
    buffer.close()
    return bytes(data.data())


def csv_bytes(rows: Iterable[Sequence[object]]) -> bytes:
    """Rows as comma-separated values in UTF-8, a line each."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()


def values_of(panel: QWidget) -> bytes:
    """The curves of a panel as comma-separated values.

    Raises
    ------
    BadInputError
        It has none, or nothing is drawn yet.
    """
    if not isinstance(panel, HasValues):
        raise BadInputError(say("there is no curve here whose values could be taken; choose another tab"))
    data = csv_bytes(panel.csv_rows())
    if not data:
        raise BadInputError(say("nothing is drawn yet, so that there are no values"))
    return data


def copy_png(panel: QWidget) -> None:
    """Put the picture on the clipboard."""
    QGuiApplication.clipboard().setPixmap(panel.grab())


def copy_svg(panel: QWidget) -> None:
    """Put the picture on the clipboard as SVG, and as its text for editors that know no pictures."""
    _put(SVG, svg_bytes(panel, panel.window().windowTitle()))


def copy_csv(panel: QWidget) -> None:
    """Put the curves' values on the clipboard, for spreadsheets and as text.

    Raises
    ------
    BadInputError
        As `values_of`.
    """
    _put(CSV, values_of(panel))


def save_plot(panel: QWidget, path: Path) -> None:
    """Write a plot in the format that the file's name ends with.

    Raises
    ------
    BadInputError
        The name ends otherwise, there are no values, or the file cannot be written; nothing is left of it then.
    """
    kind = FORMATS.get(path.suffix.lower())
    if kind is None:
        raise BadInputError(
            say("{name} is no name for a plot; let it end in {formats}", name=path.name, formats=", ".join(FORMATS))
        )
    if kind == CSV:
        data = values_of(panel)
    else:
        data = png_bytes(panel) if kind == PNG else svg_bytes(panel, panel.window().windowTitle())
    try:
        write_atomically(path, data)
    except OSError as error:
        raise BadInputError(
            say("{path} cannot be written: {value}", path=path, value=error.strerror or error)
        ) from error


def _put(kind: str, data: bytes) -> None:
    mime = QMimeData()
    mime.setData(kind, QByteArray(data))
    mime.setText(data.decode())
    QGuiApplication.clipboard().setMimeData(mime)
