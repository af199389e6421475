"""The window's language: which it is, Qt's translations of it, and how its numbers are written and read.

Sentences are templates that go through `vramtuner.core.words`; this hands them to Qt.  A language is taken when the
window starts, because everything that is on it by then is in one language.
"""

import re
from collections.abc import Sequence
from enum import StrEnum
from functools import lru_cache
from importlib.resources import files

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QSettings, QTranslator

from vramtuner.core import units, words
from vramtuner.core.errors import BadInputError
from vramtuner.core.words import Labels, Separators, say

CONTEXT = "vramtuner"
"""The one context of all messages in a ``.ts`` file."""
_SETTING = "window/language"
_ENGLISH = QLocale(QLocale.Language.English, QLocale.Country.UnitedStates)
_POINT_GROUPS = re.compile(r"[0-9]{1,3}(\.[0-9]{3})+(?![0-9.])")
_NUMBER = re.compile(r"\s*([0-9.,]+)(.*)", re.DOTALL)
_installed: list[QTranslator] = []


class Language(StrEnum):
    """What a person chooses; ``SYSTEM`` follows the desktop."""

    SYSTEM = "system"
    ENGLISH = "en"
    GERMAN = "de"


# A language is named in itself, so that whoever reads no other finds it.
LANGUAGE_NAMES = Labels({Language.SYSTEM: "&System", Language.ENGLISH: "&English", Language.GERMAN: "&Deutsch"})


def chosen_language() -> Language:
    """What was chosen for the next start."""
    text = str(QSettings().value(_SETTING, ""))
    return Language(text) if text in set(Language) else Language.SYSTEM


def choose_language(language: Language) -> None:
    """Take a language from the next start on."""
    QSettings().setValue(_SETTING, language.value)


def locale_of(language: Language, system: Sequence[QLocale] = ()) -> QLocale:
    """The locale of a choice: the system's own where it is of the language, so that its region decides on numbers."""
    own = (system or (QLocale.system(),))[0]
    if own.language() == QLocale.Language.C:
        own = _ENGLISH
    if language is Language.SYSTEM:
        return own
    wanted = QLocale.Language.German if language is Language.GERMAN else QLocale.Language.English
    return own if own.language() == wanted else QLocale(wanted)


def install_language(language: Language, system: Sequence[QLocale] = ()) -> QLocale:
    """Have everything that is made from now on said in a language; the locale that it has.

    Needs an application.

    Parameters
    ----------
    system
        The desktop's locale; it is asked where none is given.
    """
    locale = locale_of(language, system)
    remove_language()
    code = QLocale.languageToCode(locale.language())
    own = str(files("vramtuner.resources") / "i18n" / f"vramtuner_{code}.qm")
    folder = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
    has_texts = _install(own)
    if has_texts:
        _install(f"{folder}/qtbase_{code}.qm")  # what Qt says itself, such as the buttons of its dialogs
    QLocale.setDefault(locale)
    _translated.cache_clear()
    words.use(_translated if has_texts else None, separators_of(locale))
    return locale


def remove_language() -> None:
    """Go back to English, as it is without a choice."""
    while _installed:
        QCoreApplication.removeTranslator(_installed.pop())
    QLocale.setDefault(_ENGLISH)
    words.use()


def separators_of(locale: QLocale) -> Separators:
    """How a locale writes numbers."""
    return Separators(thousands=locale.groupSeparator(), decimal=locale.decimalPoint())


def number_locale() -> QLocale:
    """The locale of boxes that hold a number."""
    return QLocale() if QLocale().language() != QLocale.Language.C else _ENGLISH


def read_bytes(text: str) -> int:
    """A size as it is typed in the language of the window, ``10,5 GiB`` in German; a point is taken too.

    Raises
    ------
    BadInputError
        It is no size, or can be read in two ways: ``1.024 GiB`` where a point groups digits.
    """
    return units.parse_bytes(_as_in_english(text))


def read_tokens(text: str) -> int:
    """A token count as it is typed in the language of the window: ``4.096`` in German, ``4,096`` and ``4k`` too.

    Raises
    ------
    BadInputError
        It is no token count.
    """
    groups = words.separators().thousands
    return units.parse_tokens(re.sub(rf"(?<=[0-9]){re.escape(groups)}(?=[0-9]{{3}}(?![0-9]))", ",", text.strip()))


def _as_in_english(text: str) -> str:
    """A size with a point for its fraction and nothing between its digits."""
    kept = words.separators()
    match = _NUMBER.fullmatch(text.replace("\N{NO-BREAK SPACE}", " ").replace("\N{NARROW NO-BREAK SPACE}", " "))
    if kept.decimal != "," or match is None:
        return text
    digits, rest = match[1], match[2]
    if "," in digits:
        whole, _, fraction = digits.partition(",")
        if "." in whole and not _POINT_GROUPS.fullmatch(whole):
            return text
        return f"{whole.replace('.', '')}.{fraction}{rest}"
    if kept.thousands == "." and _POINT_GROUPS.fullmatch(digits):
        plain, decimal = digits.replace(".", ""), digits.replace(".", ",", 1)
        raise BadInputError(
            say("{text!r} can be read in two ways; write {plain} or {decimal}", text=text, plain=plain, decimal=decimal)
        )
    return text


def _install(path: str) -> bool:
    translator = QTranslator()
    if not translator.load(path) or not QCoreApplication.installTranslator(translator):
        return False
    _installed.append(translator)
    return True


@lru_cache(maxsize=4096)
def _translated(template: str, count: int) -> str:
    """What Qt has for a template; any thread may ask."""
    return QCoreApplication.translate(CONTEXT, template, None, count)
