"""Which line of a deployment file was changed: standard library only, part of ``vramtuner_verify.py`` too.

``VRAMTUNER_LINES`` holds the beginning of a SHA-256 of every line before it, comments too, and of that list itself;
``VRAMTUNER_CHECKSUM`` the whole SHA-256 of everything before it.  They find accidents and hasty edits.  Whoever wants
to deceive can write both anew: what proves where a file came from is a signature, which is not made here.
"""

from __future__ import annotations

import difflib
import hashlib
import re
from typing import NamedTuple, Sequence  # noqa: UP035 - the script runs on Python 3.8 too

HEADER = "# vramtuner deployment file, format 1"
LINES_VARIABLE = "VRAMTUNER_LINES"
CHECKSUM_VARIABLE = "VRAMTUNER_CHECKSUM"
MAX_BYTES = 64 * 1024
LINE = re.compile(r"([A-Z][A-Z0-9_]*)=([A-Za-z0-9._+:,/@%-]*)", re.ASCII)
_DIGITS = 6  # of a line: one change in 16 million goes unseen there, and the whole checksum sees it
_LIST = re.compile(rf"[0-9a-f]{{{_DIGITS}}}(?:,[0-9a-f]{{{_DIGITS}}})+\Z", re.ASCII)
_MOST_NAMED = 6


class Damage(NamedTuple):
    """A line, counted from 1, and what became of it: ``changed``, ``added``, ``moved`` or ``removed`` before it."""

    line: int
    what: str
    text: str


def checksum(body: str) -> str:
    """Of everything before the last line."""
    return "sha256:" + _sha256(body)


def lines_value(lines: Sequence[str]) -> str:
    """The value of `LINES_VARIABLE` for the lines before it."""
    shorts = [_short(line) for line in lines]
    return ",".join([*shorts, _short(",".join(shorts))])


def sealed(lines: Sequence[str]) -> str:
    """The whole file of its lines: they, their checks and the checksum."""
    body = "".join(line + "\n" for line in [*lines, LINES_VARIABLE + "=" + lines_value(lines)])
    return body + CHECKSUM_VARIABLE + "=" + checksum(body) + "\n"


def file_problem(text: str) -> str:
    """Why a text is no deployment file as it was written, naming the lines; empty when it is one."""
    found = damage(text)
    if found:
        return describe(found)
    if len(text) > MAX_BYTES or not text.startswith(HEADER + "\n"):
        return "not a vramtuner deployment file (its first line is missing)"
    seen = set()
    for number, line in enumerate(text.split("\n"), start=1):
        if not line or line.startswith("#"):
            if not line and number <= text.count("\n"):
                return f"line {number} of the deployment file is damaged: it is empty"
            continue
        match = LINE.fullmatch(line)
        if match is None or match[1] in seen:
            return f"line {number} of the deployment file is damaged: {line[:80]!r}"
        seen.add(match[1])
    body, there, value = text.rpartition(CHECKSUM_VARIABLE + "=")
    if not there or (value[:-1] if value.endswith("\n") else value) != checksum(body):
        return "the deployment file was changed after it was written (checksum); export it again"
    return ""


def damage(text: str) -> tuple[Damage, ...] | None:
    """The lines that were changed; ``None`` for a text without checks of its lines, which older releases wrote."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    if len(text) > MAX_BYTES or len(lines) < 3:
        return None
    place = _place_of_list(lines)
    if place is None:
        return None
    found: list[Damage] = []
    match = _LIST.search(lines[place])
    shorts = match[0].split(",") if match else []
    if not shorts or lines[place] != LINES_VARIABLE + "=" + ",".join(shorts) or not _speaks(shorts):
        found.append(Damage(place + 1, "changed", lines[place]))
    if _speaks(shorts):
        found += _differences(lines[:place], shorts[:-1])
    last = _place_of_checksum(lines, place)
    found += [Damage(number + 1, "added", lines[number]) for number in range(place + 1, len(lines)) if number != last]
    if not found:  # all that is left that can differ from what was written
        body = "".join(line + "\n" for line in lines[: place + 1])
        if lines[place + 1 :] != [CHECKSUM_VARIABLE + "=" + checksum(body)]:
            there = lines[place + 1] if place + 1 < len(lines) else ""
            found.append(Damage(place + 2, "changed" if there else "removed", there or CHECKSUM_VARIABLE))
    return tuple(sorted(found))


def describe(found: Sequence[Damage]) -> str:
    """The damage in words."""
    parts = []
    for item in found[:_MOST_NAMED]:
        where = f"a line before line {item.line}" if item.what == "removed" else f"line {item.line}"
        parts.append(f"{where}{_name(item.text)} was {item.what}")
    more = len(found) - _MOST_NAMED
    if more > 0:
        parts.append(f"and {more} more")
    return "the deployment file is damaged: {} since it was written; export it again".format(", ".join(parts))


def _place_of_list(lines: Sequence[str]) -> int | None:
    """The line of the checks, also where its name or a part of its value is damaged: then the one before the last."""
    for place in range(len(lines) - 1, -1, -1):
        if lines[place].startswith(LINES_VARIABLE + "="):
            return place
    for place in range(len(lines) - 1, max(len(lines) - 4, -1), -1):
        if _LIST.search(lines[place]):
            return place
    return None


def _place_of_checksum(lines: Sequence[str], place: int) -> int:
    """The line of the checksum after the list: by its name, else the last, whose name is damaged then."""
    named = [number for number in range(place + 1, len(lines)) if lines[number].startswith(CHECKSUM_VARIABLE + "=")]
    return named[0] if named else len(lines) - 1


def _speaks(shorts: Sequence[str]) -> bool:
    """Whether the list is as it was written."""
    return len(shorts) > 1 and _short(",".join(shorts[:-1])) == shorts[-1]


def _differences(lines: Sequence[str], written: Sequence[str]) -> list[Damage]:
    now = [_short(line) for line in lines]
    gone: list[tuple[int, str]] = []
    come: list[int] = []
    changed: list[Damage] = []
    for kind, old, old_end, new, new_end in difflib.SequenceMatcher(None, written, now, False).get_opcodes():
        if kind == "equal":
            continue
        both = min(old_end - old, new_end - new)
        changed += [Damage(new + step + 1, "changed", lines[new + step]) for step in range(both)]
        gone += [(new + both, written[place]) for place in range(old + both, old_end)]
        come += range(new + both, new_end)
    for place in come:
        moved = now[place] in [short for _, short in gone]
        changed.append(Damage(place + 1, "moved" if moved else "added", lines[place]))
        gone = [item for item in gone if item[1] != now[place]] if moved else gone
    return changed + [Damage(place + 1, "removed", "") for place, _ in gone]


def _name(text: str) -> str:
    match = re.match(r"[A-Z][A-Z0-9_]{1,60}(?==)", text, re.ASCII)
    if match:
        return f" ({match[0]})"
    return " (a comment)" if text.startswith("#") else ""


def _short(text: str) -> str:
    return _sha256(text)[:_DIGITS]


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
