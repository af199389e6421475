"""A matrix as a file, of the kind that its suffix says, and as JSON."""

import csv
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from vramtuner.core.errors import BadInputError
from vramtuner.core.files import write_atomically
from vramtuner.core.matrix import METHOD, Figures, Gap, Matrix
from vramtuner.core.matrix_html import to_html
from vramtuner.core.matrix_text import levers_text, to_markdown
from vramtuner.core.text import printable
from vramtuner.core.words import in_english, plain, say


def write_matrix(matrix: Matrix, path: Path) -> None:
    """Write a matrix as the file's suffix says: ``.csv``, ``.md`` or ``.html``; whole or not at all.

    Raises
    ------
    BadInputError
        The suffix is another, there is a folder of that name, or none to write it in.
    OSError
        It cannot be written.
    """
    with plain():  # the same file from any window
        text = writer_of(path)(matrix)
    write_atomically(path, text.encode())


def writer_of(path: Path) -> Callable[[Matrix], str]:
    """What makes the text of such a file.

    Raises
    ------
    BadInputError
        As of `write_matrix`.
    """
    writers = {".csv": to_csv, ".md": to_markdown, ".html": to_html}
    writer = writers.get(path.suffix.lower())
    if writer is None:
        raise BadInputError(
            say(
                "{name} has none of the suffixes {writers}; choose one of them",
                name=printable(path.name),
                writers=", ".join(writers),
            )
        )
    if path.is_dir():
        raise BadInputError(say("{path} is a folder; name a file in it", path=printable(str(path), 400)))
    if not path.parent.is_dir():
        raise BadInputError(
            say("there is no folder {parent}; create it or choose another", parent=printable(str(path.parent), 400))
        )
    return writer


def to_csv(matrix: Matrix) -> str:
    """One line a cell, every figure exact, for spreadsheets and scripts."""
    text = io.StringIO()
    rows = [_flat(matrix, place) for place in range(len(matrix.cells))]
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _no_formula(value) for name, value in row.items()} for row in rows)
    return text.getvalue()


def _no_formula(value: Any) -> Any:
    """Text that a spreadsheet would run as a formula gets an apostrophe in front."""
    return f"'{value}" if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")) else value


def to_json(matrix: Matrix) -> dict[str, Any]:
    """The object that ``matrix --json`` prints; sizes in bytes."""
    return {
        "version": matrix.version,
        "created": matrix.created,
        "method": METHOD,
        "lengths": list(matrix.lengths),
        "variants": [{"name": v.name, "levers": msgspec.to_builtins(v.levers)} for v in matrix.variants],
        "devices": [
            {"key": d.key, "name": d.name, "gfx": d.gfx, "vram_bytes": d.vram_bytes, "source": d.source}
            for d in matrix.devices
        ],
        "models": [
            {"name": m.name, "source": m.source, "parameters": m.parameters, "max_positions": m.max_positions}
            for m in matrix.models
        ],
        "cells": [
            _flat(matrix, place) | {"warnings": list(cell.warnings) if isinstance(cell, Figures) else []}
            for place, cell in enumerate(matrix.cells)
        ],
    }


def _flat(matrix: Matrix, place: int) -> dict[str, Any]:
    """A cell with all that it is about, as one level of names and values."""
    rest, column = divmod(place, len(matrix.devices))
    variant, row = divmod(rest, len(matrix.models))
    spec, device, cell = matrix.models[row], matrix.devices[column], matrix.cells[place]
    known = cell if isinstance(cell, Figures) else None
    peaks = known.peaks_bytes if known else (None,) * len(matrix.lengths)
    return {
        "model": printable(spec.name, 200),
        "parameters": spec.parameters,
        "max_positions": spec.max_positions,
        "device": printable(device.name, 200),
        "gfx": device.gfx,
        "vram_bytes": device.vram_bytes,
        "device_source": printable(in_english(device.source), 200),
        "variant": matrix.variants[variant].name,
        "levers": levers_text(known.levers if known else matrix.variants[variant].levers),
        "attention": known and known.attention,
        "pool_bytes": known and known.pool_bytes,
        "limit_tokens": known.limit_tokens if known else None,
        "bound_by": known and known.bound_by,
        "phase": known and known.phase,
        "tokens": known and known.tokens,
        "peak_bytes": known and known.peak_bytes,
        "needed_bytes": known and known.needed_bytes,
        "fits": known.fits if known else None,
        **{f"peak_bytes_at_{n}": peak for n, peak in zip(matrix.lengths, peaks, strict=True)},
        "reason": in_english(cell.reason) if isinstance(cell, Gap) else None,
        "method": known and in_english(known.method),
        "vramtuner": matrix.version,
        "created": matrix.created,
    }
