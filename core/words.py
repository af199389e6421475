"""Words and numbers for people: templates that a window may translate, and the separators of its language.

The command line says everything as it is written here.  A window calls `use`, and every sentence made from then on is
in its language; `in_english` gives back what it was made of, for files that other programs read.  Templates are
literal strings, so that `packaging/translations.py` finds them all.
"""

import contextlib
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from string import Formatter
from typing import Any, TypeAlias, TypeVar

Translator: TypeAlias = Callable[[str, int], str]
"""The translation of a template for a count (-1: it has none), or the template itself where there is none."""


@dataclass(frozen=True, slots=True)
class Separators:
    """How a language writes numbers: 9,472.50 in English."""

    thousands: str = ","
    decimal: str = "."


ENGLISH = Separators()


def _as_written(template: str, count: int) -> str:
    return template


@dataclass(slots=True)
class _Language:
    translate: Translator = _as_written
    separators: Separators = ENGLISH


_language = _Language()
_made_of: dict[str, tuple[str, dict[str, Any]]] = {}
_MOST_KEPT = 65_536
_plain: ContextVar[bool] = ContextVar("plain", default=False)


def use(translate: Translator | None = None, separators: Separators = ENGLISH) -> None:
    """Say everything through a translator from now on, and write numbers with these separators; English without.

    Parameters
    ----------
    translate
        Called from any thread.
    """
    _language.translate = translate or _as_written
    _language.separators = separators


@contextlib.contextmanager
def plain() -> Iterator[None]:
    """Say everything as it is written while this lasts, for what goes into files that other programs read."""
    token = _plain.set(True)
    try:
        yield
    finally:
        _plain.reset(token)


def separators() -> Separators:
    """How numbers are written now."""
    return ENGLISH if _plain.get() else _language.separators


def in_english(text: str) -> str:
    """A text as the command line would say it, whatever language it was made in.

    What a text was made of is kept aside, because a text that is one of a kind of its own could not be encoded; of
    very many, that of the oldest is forgotten, and those stay as they are.
    """
    made_of = _made_of.get(text)
    if made_of is None:
        return text
    template, values = made_of
    with plain():
        return _filled(template, template, {k: in_english(v) if isinstance(v, str) else v for k, v in values.items()})


def as_said(text: str) -> str:
    """A text that was made before, in English while everything is said so."""
    return in_english(text) if _plain.get() else text


def joined(separator: str, texts: Iterable[str]) -> str:
    """`str.join`, of which `in_english` can give back the parts."""
    parts = tuple(texts)
    names = {f"part{place}": text for place, text in enumerate(parts)}
    return _kept(separator.join(parts), separator.join(f"{{{name}}}" for name in names), names)


def say(template: str, /, **values: Any) -> str:
    """A template in the language of whoever reads it, with its named places filled.

    Numbers with a format (``{tokens:,}``, ``{share:.1%}``) are written with the separators of the language.

    >>> say("{cap:,} positions", cap=4096)
    '4,096 positions'
    """
    return _filled(_translated(template, -1), template, values)


def plural(one: str, many: str, /, n: int, **values: Any) -> str:
    """`say` with the form that a count asks for; ``{n}`` is the count.

    >>> plural("{n:,} token", "{n:,} tokens", n=1)
    '1 token'
    """
    text, source = _translated(many, n), one if n == 1 else many
    return _filled(source if text == many else text, source, {"n": n, **values})


K = TypeVar("K")


class Labels(dict[K, str]):
    """What things are called: marked templates by a key, said in the language of the moment when they are taken."""

    def __getitem__(self, key: K) -> str:
        return say(super().__getitem__(key))

    def get(self, key: Any, default: Any = None) -> Any:
        return self[key] if key in self else default  # noqa: SIM401 - `dict.get` would not say it


def mark(template: str) -> str:
    """The template itself: a constant that is passed to `say` where it is shown, marked to be translated."""
    return template


def number(value: float, spec: str = ",") -> str:
    """A number in a format such as ``,`` or ``.1f``, with the separators of the language.

    >>> number(9472)
    '9,472'
    """
    text, kept = format(value, spec), separators()
    if kept == ENGLISH:
        return text
    local = text.replace(",", "\0").replace(".", kept.decimal).replace("\0", kept.thousands)
    return _kept(local, f"{{value:{spec}}}", {"value": value})


def _translated(template: str, count: int) -> str:
    return template if _plain.get() else _language.translate(template, count)


def _filled(text: str, source: str, values: dict[str, Any]) -> str:
    """The text with its places filled; one that a translation got wrong gives way to the source."""
    if text == source and separators() == ENGLISH:
        return text.format(**values) if values else text
    try:
        filled = _FORMATTER.vformat(text, (), values) if values else text
    except (KeyError, IndexError, ValueError):
        filled = _FORMATTER.vformat(source, (), values)
    return _kept(filled, source, values)


def _kept(text: str, template: str, values: dict[str, Any]) -> str:
    """The text with what it was made of, where it is not in English already."""
    if _plain.get() or (_language.translate is _as_written and _language.separators == ENGLISH):
        return text
    if text != template and not any(value is text or value == text for value in values.values()):
        if len(_made_of) >= _MOST_KEPT:
            for oldest in list(_made_of)[: _MOST_KEPT // 2]:
                _made_of.pop(oldest, None)
        _made_of[text] = template, values
    return text


class _Numbers(Formatter):
    """`str.format` with the numbers of the language."""

    def format_field(self, value: Any, format_spec: str) -> Any:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return number(value, format_spec) if is_number and format_spec else super().format_field(value, format_spec)


_FORMATTER = _Numbers()
