"""What a matrix says, in words and tables: for terminals, as Markdown, and for what else shows it."""

import re
from collections.abc import Callable, Iterator
from typing import Any

from vramtuner.core.device.spec import Device
from vramtuner.core.matrix import METHOD, Cell, Figures, Gap, Matrix, Variant
from vramtuner.core.model.spec import ModelSpec
from vramtuner.core.request import PHASE_LABELS
from vramtuner.core.settings import Levers
from vramtuner.core.text import printable
from vramtuner.core.units import format_bytes, format_tokens, render_bytes
from vramtuner.core.words import Labels, as_said, mark, number, plural, say

BINDS = Labels(
    {
        "weights": "the weights",
        "kv_cache": "the KV cache",
        "logits": "the logits",
        "activations": "the activations",
        "workspace": "attention's buffers",
        "overhead": "the runtime's own memory",
        "positions": "the model's positions",
        "recorded_range": "the range of the tape",
    }
)
NO_FIT = mark("does not fit")
NO_FORECAST = "–"
_FAMILY = re.compile(r"^(?:AMD )?(?:Radeon (?:AI )?(?:PRO |Pro |(?=RX ))|Instinct )(?=\S)")
_FLAGS = {"pool_bytes": "pool", "token_cap": "tokens", "batch_size": "batch", "pass_kind": "pass"}


def levers_text(levers: Levers) -> str:
    """The levers that are not at their defaults, by the names that the command line has for them."""
    usual = Levers()
    changed = [name for name in levers.__struct_fields__ if getattr(levers, name) != getattr(usual, name)]
    parts = (f"{_FLAGS.get(name, name.replace('_', '-'))} {_value(name, getattr(levers, name))}" for name in changed)
    return ", ".join(parts) or "defaults"


def _value(name: str, value: Any) -> str:
    if name == "pool_bytes":
        return render_bytes(value)
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, int):
        return f"{value:,}"
    return ",".join(value) if isinstance(value, tuple) else str(value)


def short_name(device: Device) -> str:
    """A card's name without its family: ``W7900``, ``RX 7900 XTX``, ``MI300X``."""
    return _FAMILY.sub("", printable(device.name))


def device_heading(device: Device) -> str:
    """A device and its memory."""
    return f"{short_name(device)}, {format_bytes(device.vram_bytes, 0)}"


def cell_text(cell: Cell) -> str:
    """A cell in as few letters as say it: the limit."""
    if isinstance(cell, Gap):
        return NO_FORECAST
    return number(cell.limit_tokens) if cell.limit_tokens else say(NO_FIT)


def binds_text(cell: Figures) -> str:
    """What sets the limit, and in which pass of the request where there are several."""
    text = BINDS[cell.bound_by]
    return (
        text
        if cell.phase in ("prefill", "request", "forward", "training")
        else say("{binds} in {phase}", binds=text, phase=PHASE_LABELS[cell.phase])
    )


def cell_sentence(spec: ModelSpec, device: Device, cell: Cell) -> str:
    """A cell for people: the limit, what binds, what the token cap takes."""
    where = say("{name} on {name2}", name=printable(spec.name), name2=printable(device.name))
    if isinstance(cell, Gap):
        return say("{where}: no forecast, {reason}.", where=where, reason=say(cell.reason).rstrip("."))
    needs = plural(
        "{n:,} token needs {needed} of a {pool} pool",
        "{n:,} tokens need {needed} of a {pool} pool",
        n=cell.tokens,
        needed=format_bytes(cell.needed_bytes),
        pool=format_bytes(cell.pool_bytes),
    )
    if not cell.limit_tokens:
        return say(
            "{where} does not fit at all, bound by {binds_text}; {needs}.",
            where=where,
            binds_text=binds_text(cell),
            needs=needs,
        )
    beyond = (
        say(" (made for {max_positions:,})", max_positions=spec.max_positions)
        if cell.limit_tokens > spec.max_positions
        else ""
    )
    return say(
        "{where}: at most {limit_tokens}{beyond}, bound by {binds_text}; {needs}.",
        where=where,
        limit_tokens=format_tokens(cell.limit_tokens),
        beyond=beyond,
        binds_text=binds_text(cell),
        needs=needs,
    )


def _grouped(matrix: Matrix, variant: int, said: Callable[[Cell], str]) -> Iterator[tuple[str, str]]:
    """What is said of cells, with the models and devices that it is said of; an empty text is nothing said."""
    found: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for row, spec in enumerate(matrix.models):
        texts: dict[str, list[str]] = {}
        for column, device in enumerate(matrix.devices):
            texts.setdefault(said(matrix.cell(variant, row, column)), []).append(short_name(device))
        for text, names in texts.items():
            found.setdefault((text, tuple(names)), []).append(printable(spec.name))
    for (text, devices), models in found.items():
        if text:
            where = say("every device") if len(devices) == len(matrix.devices) else ", ".join(devices)
            who = say("every model") if len(models) == len(matrix.models) else ", ".join(models)
            yield text, say("{who} on {where}", who=who, where=where)


def _exceptions(matrix: Matrix) -> Iterator[str]:
    """Cells without a forecast and why, and those under other levers than their table's."""
    for at, variant in enumerate(matrix.variants):
        under = say(" under {name}", name=printable(variant.name)) if len(matrix.variants) > 1 else ""
        for text, which in _grouped(matrix, at, lambda cell: as_said(cell.reason) if isinstance(cell, Gap) else ""):
            yield say("No forecast{under} of {which}: {text}.", under=under, which=which, text=text.rstrip("."))

        def others(cell: Cell, usual: Levers = variant.levers) -> str:
            return levers_text(cell.levers) if isinstance(cell, Figures) and cell.levers != usual else ""

        for text, which in _grouped(matrix, at, others):
            yield say("With other levers, which they can take, {which}: {text}.", which=which, text=text)


def _source_notes(matrix: Matrix) -> Iterator[str]:
    """Where the sizes of devices are from."""
    found: dict[str, list[str]] = {}
    for device in matrix.devices:
        found.setdefault(printable(as_said(device.source), 200), []).append(printable(device.name))
    return (
        say("Memory of {names}: {source}.", names=", ".join(names), source=source) for source, names in found.items()
    )


def provenance(matrix: Matrix) -> str:
    """Where the figures are from, in a sentence or two."""
    tapes = (
        say(", tapes recorded with {tape_versions}", tape_versions=matrix.tape_versions) if matrix.tape_versions else ""
    )
    return say(
        "vramtuner {version}, {created}{tapes}. Method: {method}.",
        version=matrix.version,
        created=matrix.created[:10],
        tapes=tapes,
        method=say(METHOD),
    )


def _variant_title(variant: Variant) -> str:
    text = levers_text(variant.levers)
    return text if text == variant.name else f"{printable(variant.name)} ({text})"


def _peak_text(cell: Cell, place: int, tokens: int) -> str:
    """A peak of the table of lengths; a star where the request does not fit."""
    peak = cell.peaks_bytes[place] if isinstance(cell, Figures) else None
    if peak is None or isinstance(cell, Gap):
        return NO_FORECAST
    return f"{format_bytes(peak)}{'' if tokens <= cell.limit_tokens else ' *'}"


def blocks(matrix: Matrix) -> Iterator[tuple[str, list[list[str]]]]:
    """Every table of a document as rows of text, the heading first: limits, then peaks by device where asked for."""
    for at, variant in enumerate(matrix.variants):
        rows = [[say("Model"), say("Made for"), *map(device_heading, matrix.devices)]]
        for place, spec in enumerate(matrix.models):
            cells = [cell_text(matrix.cell(at, place, column)) for column in range(len(matrix.devices))]
            rows.append([printable(spec.name), number(spec.max_positions), *cells])
        yield say("Token limits: {variant_title}", variant_title=_variant_title(variant)), rows
    for at, variant in enumerate(matrix.variants) if matrix.lengths else ():
        for column, device in enumerate(matrix.devices):
            rows = [[say("Tokens"), *(printable(spec.name) for spec in matrix.models)]]
            answers = [matrix.cell(at, row, column) for row in range(len(matrix.models))]
            for place, tokens in enumerate(matrix.lengths):
                rows.append([number(tokens), *(_peak_text(cell, place, tokens) for cell in answers)])
            yield (
                say(
                    "Peak memory on {name}: {variant_title}",
                    name=printable(device.name),
                    variant_title=_variant_title(variant),
                ),
                rows,
            )


def notes(matrix: Matrix) -> list[str]:
    """What stands under the tables."""
    found = [say("Limits are tokens of a request, prompt and new ones together; a dash is a cell without a forecast.")]
    if any(cell.limit_tokens > spec.max_positions for spec, cell in _by_model(matrix)):
        found.append(say("A limit above what a model was made for fits the memory, but the text may degrade."))
    if matrix.lengths:
        found.append(
            say("Peaks are without the safety margin; a star marks requests that do not fit the pool with it.")
        )
    return [*found, *_source_notes(matrix), *_exceptions(matrix), provenance(matrix)]


def _by_model(matrix: Matrix) -> Iterator[tuple[ModelSpec, Figures]]:
    for place, cell in enumerate(matrix.cells):
        if isinstance(cell, Figures):
            yield matrix.models[place // len(matrix.devices) % len(matrix.models)], cell


def to_text(matrix: Matrix) -> str:
    """For a terminal: columns below each other, numbers on the right."""
    parts = []
    for title, rows in blocks(matrix):
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ["  ".join(map(_aligned, row, widths, range(len(row)))).rstrip() for row in rows]
        parts.append("\n".join([title, *lines]))
    return "\n\n".join([*parts, "\n".join(notes(matrix))])


def _aligned(text: str, width: int, column: int) -> str:
    return text.rjust(width) if column else text.ljust(width)


_MARKS = re.compile(r"([\\`*_{}\[\]<>#|!~&@])")


def _plain(text: str) -> str:
    """Text that Markdown takes as it is."""
    return _MARKS.sub(r"\\\1", text)


def to_markdown(matrix: Matrix) -> str:
    """Tables and notes as GitHub's Markdown."""
    parts = ["# Token-to-VRAM matrix"]
    for title, rows in blocks(matrix):
        head, *body = [f"| {' | '.join(map(_plain, row))} |" for row in rows]
        ruler = f"| --- |{' ---: |' * (len(rows[0]) - 1)}"
        parts.append("\n".join([f"## {_plain(title)}", "", head, ruler, *body]))
    parts.append("\n".join(f"- {_plain(note)}" for note in notes(matrix)))
    return "\n\n".join(parts) + "\n"
