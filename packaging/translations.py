"""Keep the translations of the window in step with what it says: `make translations`.

Every template is a literal string: the first argument of `say` and `mark`, the first two of `plural`, the values of a
`Labels`.  They are found in the syntax trees, because Qt's own lupdate does not know these functions.  New ones
are added to each ``.ts`` file as unfinished, those that are gone are taken out, and Qt's lrelease makes the ``.qm``
files of them.
"""

import ast
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "resources" / "i18n"
CONTEXT = "vramtuner"
SOURCES = ("core", "gui")
_FUNCTIONS = {"say": 1, "mark": 1, "plural": 2}


@dataclass(frozen=True, slots=True)
class Template:
    """What can be translated, and the first file that says it."""

    text: str
    file: str
    is_plural: bool = False


def templates(root: Path = ROOT) -> dict[str, Template]:
    """Every template of the sources by its text, in the order of files and lines."""
    found: dict[str, Template] = {}
    for path in sorted(path for folder in SOURCES for path in (root / folder).rglob("*.py")):
        name = path.relative_to(root).as_posix()
        for text, is_plural in templates_of(path.read_text()):
            before = found.get(text)
            if before is None or (is_plural and not before.is_plural):
                found[text] = Template(text, before.file if before else name, is_plural)
    return found


def templates_of(source: str) -> Iterator[tuple[str, bool]]:
    """The templates of a source text, and whether a count chooses their form."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            continue
        name = node.func.id
        if name in _FUNCTIONS:
            # Of `plural`, the second form is the message; the first is what English says of one.
            for text in _literals(node.args[_FUNCTIONS[name] - 1]):
                yield text, name == "plural"
        elif name == "Labels" and node.args and isinstance(node.args[0], ast.Dict):
            for value in node.args[0].values:
                for text in _literals(value):
                    yield text, False


def _literals(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.Constant):
        if isinstance(node.value, str) and any(letter.isalpha() for letter in node.value):
            yield node.value
    elif isinstance(node, ast.IfExp):
        yield from _literals(node.body)
        yield from _literals(node.orelse)


def read_ts(path: Path) -> dict[str, list[str]]:
    """The translations of a file by their templates: one form, or those for counts; none where it is unfinished."""
    found = {}
    for message in ET.parse(path).getroot().iter("message"):
        translation = message.find("translation")
        assert translation is not None
        forms = [form.text or "" for form in translation.iter("numerusform")] or [translation.text or ""]
        finished = translation.get("type") is None and all(forms)
        found[message.findtext("source") or ""] = forms if finished else []
    return found


def write_ts(
    path: Path, language: str, known: dict[str, list[str]], wanted: dict[str, Template], forms: int = 2
) -> None:
    """Write every template with what is known of it, as Qt's Linguist does."""
    root = ET.Element("TS", version="2.1", language=language, sourcelanguage="en_US")
    context = ET.SubElement(root, "context")
    ET.SubElement(context, "name").text = CONTEXT
    for template in wanted.values():
        message = ET.SubElement(context, "message", {"numerus": "yes"} if template.is_plural else {})
        ET.SubElement(message, "location", filename=f"../../{template.file}")
        ET.SubElement(message, "source").text = template.text
        translation = ET.SubElement(message, "translation")
        said = known.get(template.text, [])
        if len(said) != (forms if template.is_plural else 1):
            said = [""] * (forms if template.is_plural else 1)
            translation.set("type", "unfinished")
        if template.is_plural:
            for form in said:
                ET.SubElement(translation, "numerusform").text = form
        else:
            translation.text = said[0]
    ET.indent(root, space="    ")
    text = ET.tostring(root, encoding="unicode", short_empty_elements=False)
    path.write_text(f'<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE TS>\n{text}\n', encoding="utf-8")


def release(path: Path, target: Path) -> None:
    """Have lrelease make a file that Qt reads."""
    beside = Path(sys.executable).with_name("pyside6-lrelease")
    tool = str(beside) if beside.exists() else shutil.which("pyside6-lrelease") or "lrelease"
    subprocess.run([tool, "-silent", "-nounfinished", str(path), "-qm", str(target)], check=True)


def released(path: Path) -> bytes:
    """What lrelease makes of a file."""
    with TemporaryDirectory() as folder:
        target = Path(folder) / "made.qm"
        release(path, target)
        return target.read_bytes()


def main() -> int:
    """Bring every ``.ts`` file up to date and release it; 1 where something is not translated yet."""
    wanted, missing = templates(), 0
    for path in sorted(FOLDER.glob("vramtuner_*.ts")):
        language = ET.parse(path).getroot().get("language", "")
        known = read_ts(path)
        write_ts(path, language, known, wanted)
        release(path, path.with_suffix(".qm"))
        left = [text for text, said in read_ts(path).items() if not said]
        missing += len(left)
        sys.stdout.write(f"{path.name}: {len(wanted):,} texts, {len(left):,} not translated\n")
        for text in left[:20]:
            sys.stdout.write(f"  {text!r}\n")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
