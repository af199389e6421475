"""A matrix as one page of HTML.  Names in it come from outside and are escaped."""

from html import escape

from vramtuner.core import heat
from vramtuner.core.matrix import Gap, Matrix
from vramtuner.core.matrix_text import NO_FORECAST, blocks, cell_sentence, cell_text, notes


def to_html(matrix: Matrix) -> str:
    """One page without a script or anything from elsewhere, for light and dark screens, print and greyscale."""
    tables = []
    for number, (title, rows) in enumerate(blocks(matrix)):
        body = []
        for place, row in enumerate(rows[1:]):
            cells = [f"<td>{escape(text)}</td>" for text in row[1:]]
            if number < len(matrix.variants):
                cells[1:] = [_html_cell(matrix, number, place, column) for column in range(len(matrix.devices))]
            body.append(f'<tr><th scope="row">{escape(row[0])}</th>{"".join(cells)}</tr>')
        head = "".join(f'<th scope="col">{escape(text)}</th>' for text in rows[0])
        tables.append(
            f"<div><table><caption>{escape(title)}</caption><thead><tr>{head}</tr></thead>\n<tbody>\n"
            + "\n".join(body)
            + "\n</tbody></table></div>"
        )
    items = "".join(f"<li>{escape(note)}</li>\n" for note in notes(matrix))
    return _PAGE.format(style=_style(), legend=_legend(), tables="\n".join(tables), notes=items)


def _html_cell(matrix: Matrix, variant: int, row: int, column: int) -> str:
    cell = matrix.cell(variant, row, column)
    tip = escape(cell_sentence(matrix.models[row], matrix.devices[column], cell))
    if isinstance(cell, Gap):
        return f'<td class="gap" title="{tip}">{NO_FORECAST}</td>'
    kind = f"h{heat.level_of(cell.limit_tokens)}" if cell.limit_tokens else "none"
    return f'<td class="{kind}" title="{tip}">{cell_text(cell)}</td>'


def _legend() -> str:
    steps = "".join(f'<span class="h{level}"></span>' for level in range(heat.LEVELS))
    return f"{heat.SMALLEST:,} tokens <span>{steps}</span> {heat.LARGEST:,}"


def _style() -> str:
    """The colours of the heat, for light screens and print, and for dark screens."""
    light, dark = (
        "\n".join(
            f".h{level} {{ background: {found.background}; color: {found.text}; }}" for level, found in enumerate(ramp)
        )
        for ramp in (heat.LIGHT, heat.DARK)
    )
    return f"{light}\n@media screen and (prefers-color-scheme: dark) {{\n{_DARK}{dark}\n}}"


_DARK = ":root { --page: #14171c; --text: #e8eaee; --muted: #a3abb9; --line: #3b414c; }\n"
_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Token-to-VRAM matrix</title>
<style>
:root {{ --page: #ffffff; --text: #1b1f27; --muted: #555e6e; --line: #cfd4dc; }}
body {{ font: 15px/1.45 system-ui, sans-serif; margin: 2rem; color: var(--text); background: var(--page); }}
h1 {{ font-size: 1.4rem; }}
div {{ overflow-x: auto; }}
table {{ border-collapse: separate; border-spacing: 2px; margin: 1rem 0 1.6rem; }}
caption {{ text-align: left; font-weight: 600; padding: 0 0 .4rem; }}
th, td {{ padding: .3rem .7rem; }}
th {{ font-weight: 600; text-align: left; }}
thead th {{ color: var(--muted); vertical-align: bottom; }}
thead th + th, td {{ text-align: right; font-variant-numeric: tabular-nums; }}
td {{ border-radius: 4px; print-color-adjust: exact; -webkit-print-color-adjust: exact; }}
.none, .gap {{ color: var(--muted); box-shadow: inset 0 0 0 1px var(--line); }}
.legend > span > span {{ display: inline-block; width: 1.3rem; height: .8rem; print-color-adjust: exact; }}
.legend, ul {{ color: var(--muted); max-width: 60rem; }}
ul {{ padding-left: 1.2rem; }}
{style}
</style>
</head>
<body>
<h1>Token-to-VRAM matrix</h1>
<p class="legend">{legend}</p>
{tables}
<ul>
{notes}</ul>
</body>
</html>
"""
