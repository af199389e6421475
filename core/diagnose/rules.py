"""Rules as data: which lines say something (`Rule`), and what they mean together (`Cause`).

A pattern is compiled by RE2, whose time is linear in the text whatever the text is; one that RE2 refuses (a
look-around, a back-reference) is refused here too.  Numbers that a pattern names are read in the unit that the rule
gives for them.
"""

import re as _re
import tomllib
from collections.abc import Iterable
from decimal import Decimal
from functools import cache
from importlib.resources import files
from typing import Any

import msgspec
import re2

from vramtuner.core.errors import BadInputError
from vramtuner.core.units import GIB, KIB, MIB, TIB

FAMILIES = (
    "capacity", "workspace", "kv_config", "utilization", "other_holder", "fragmentation", "limit_not_capacity",
    "wrong_free_report", "apu", "spill", "leak", "multi_gpu", "host_ram", "estimator", "device", "not_memory",
    "unknown",
)  # fmt: skip
UNITS = ("size", "binary", "b", "kib", "mib", "gib", "count", "ratio", "hex")
_FACTORS = {
    "": 1, "b": 1, "byte": 1, "bytes": 1, "k": KIB, "kib": KIB, "m": MIB, "mib": MIB, "g": GIB, "gib": GIB,
    "t": TIB, "tib": TIB, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12,
}  # fmt: skip
_SIZE = r"-?[0-9]{1,15}(?:\.[0-9]{1,9})? ?(?:[KMGT]i?B?|[Bb]ytes?|B)"
_NUMBER = r"-?[0-9]{1,15}(?:[.,][0-9]{1,9})*"
_HEX = _re.compile(r"0x[0-9a-fA-F]{1,16}")
_MARK_SPACES = _re.compile(r"[\s>|]+")
_PRINTED = _re.compile(r"(-?)([0-9]{1,18})(?:\.([0-9]{1,18}))? ?([A-Za-z]*)")  # more digits are no size of a device


class Rule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A kind of line: literal marks that are looked for first, then the pattern that takes its numbers."""

    id: str
    marks: tuple[str, ...]
    pattern: str
    source: str
    fails: bool = False
    group: str = ""
    fields: dict[str, str] = {}


class ChangeData(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A change to propose; places such as ``{kv_tokens}`` are filled, and without their number it is left out."""

    lever: str
    value: str
    why: str


class Cause(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What lines mean together.

    ``needs`` are rules that must have matched (``a|b``: either), ``without`` those that must not, ``where`` comparisons
    of numbers, ``hints`` rules that make it surer, ``tell`` what would settle it.
    """

    family: str
    category: str
    vram_exhausted: bool
    confidence: float
    needs: tuple[str, ...]
    summary: str
    without: tuple[str, ...] = ()
    where: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    tell: str = ""
    changes: tuple[ChangeData, ...] = ()


class _File(msgspec.Struct, forbid_unknown_fields=True):
    rule: tuple[Rule, ...] = ()
    cause: tuple[Cause, ...] = ()


class Amount(msgspec.Struct, frozen=True):
    """A number as it was printed: its value, and half of the last place that was shown."""

    value: float
    doubt: float = 0.0

    def same_as(self, other: "Amount") -> bool:
        """Whether both can be the same number, told with other precision."""
        return abs(self.value - other.value) <= self.doubt + other.doubt


class Compiled:
    """A rule ready to be matched."""

    __slots__ = ("marks", "pattern", "rule")

    def __init__(self, rule: Rule) -> None:
        self.rule = rule
        self.marks = tuple(mark.lower() for mark in rule.marks)
        source = rule.pattern.replace("<SIZE>", _SIZE).replace("<N>", _NUMBER)
        self.pattern: Any = _compiled(source, f"rule {rule.id}")

    def match(self, text: str) -> Any:
        """The match in cleaned text, or None."""
        return self.pattern.search(text)

    def amounts(self, match: Any) -> dict[str, Amount]:
        """The numbers that a match names; a group that took no part has none."""
        found = {}
        for name, unit in self.rule.fields.items():
            text = match.group(name)
            if text is not None and (amount := read_amount(text, unit)) is not None:
                found[f"{name}_bytes" if unit not in ("count", "ratio", "hex") else name] = amount
        return found


class RuleBook:
    """All rules and causes, checked, and one pattern of all marks."""

    def __init__(self, rules: Iterable[Rule], causes: Iterable[Cause]) -> None:
        rules, self.causes = tuple(rules), tuple(causes)
        _check(rules, self.causes)
        self.rules = tuple(Compiled(rule) for rule in rules)
        self.by_id = {rule.id: rule for rule in rules}
        marks = sorted({mark for rule in self.rules for mark in rule.marks})
        self._of_mark = {mark: [at for at, rule in enumerate(self.rules) if mark in rule.marks] for mark in marks}
        self._of_number = list(self._of_mark.values())
        self._set: Any = re2.Set.SearchSet(_options())
        for mark in marks:
            self._set.Add(f"(?i){re2.escape(mark)}".encode())
        self._set.Compile()
        # A text that was wrapped has a line break where a space was, and perhaps a quotation mark behind it.
        union = "|".join(re2.escape(mark).replace(r"\ ", " ").replace(" ", r"[\s>|]+") for mark in marks)
        self.marks: Any = re2.compile(f"(?i:{union})".encode(), _options())

    def rules_for(self, text: str) -> list[Compiled]:
        """The rules that have a mark in a text, in their order."""
        found = self._set.Match(text.encode("utf-8", "replace"))
        if found is None:  # nothing, or a text that the set has no memory for: then each mark is looked for
            lowered = text.lower()
            found = [number for number, mark in enumerate(self._of_mark) if mark in lowered]
        return [self.rules[at] for at in sorted({at for number in found for at in self._of_number[number]})]

    def rules_of_mark(self, mark: str) -> list[Rule]:
        """The rules of a mark (`plain_mark`)."""
        return [self.rules[at].rule for at in self._of_mark.get(mark, ())]

    def group(self, rule_id: str) -> str:
        """What a rule belongs to: lines of one failure share it."""
        return self.by_id[rule_id].group or rule_id

    def fails(self, needs: str) -> bool:
        """Whether any of the alternatives is part of a failure."""
        return any(self.by_id[name].fails for name in needs.split("|"))


def plain_mark(found: bytes) -> str:
    """A mark as it stands in a log, in any case and with any spaces, as the rules have it."""
    return _MARK_SPACES.sub(" ", found.decode("utf-8", "replace").lower())


@cache
def rule_book() -> RuleBook:
    """The rules that ship in ``resources/diagnosis``."""
    rules: list[Rule] = []
    causes: list[Cause] = []
    folder = files("vramtuner.resources").joinpath("diagnosis")
    for entry in sorted(folder.iterdir(), key=lambda found: found.name):
        if entry.name.endswith(".toml"):
            data = read_rules(entry.read_text(encoding="utf-8"), entry.name)
            rules += data[0]
            causes += data[1]
    return RuleBook(rules, causes)


def read_rules(text: str, name: str) -> tuple[tuple[Rule, ...], tuple[Cause, ...]]:
    """The rules and causes of one file.

    Raises
    ------
    BadInputError
        It is no TOML, or a key or value is not what the schema says.
    """
    try:
        data = msgspec.convert(tomllib.loads(text), _File)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise BadInputError(f"{name}: {error}") from error
    return data.rule, data.cause


def read_amount(text: str, unit: str) -> Amount | None:
    """A printed number; sizes in bytes, fractions of a byte rounded.

    ``size`` believes the unit that is printed (GiB is 2**30, GB is 10**9); ``binary`` is for programs that print GB or
    MB for powers of two; other units stand for numbers that are printed without one.
    """
    if unit == "hex":
        return Amount(int(text, 16)) if _HEX.fullmatch(text) else None
    match = _PRINTED.fullmatch(text.strip().replace(",", ""))
    if match is None:
        return None
    sign, whole, fraction, letters = match[1], match[2], match[3] or "", match[4].lower()
    if unit == "binary" and len(letters) == 2 and letters[0] in "kmgt":
        letters = f"{letters[0]}ib"
    factor = _FACTORS.get(letters if unit in ("size", "binary") else "" if unit in ("count", "ratio") else unit)
    if factor is None:
        return None
    exact = Decimal(f"{sign}{whole}.{fraction or 0}") * factor
    doubt = float(factor) * 10.0 ** -len(fraction) / 2 if factor > 1 else 0.0
    return Amount(float(exact) if unit == "ratio" else round(exact), doubt)


def _options() -> Any:
    options = re2.Options()
    options.max_mem = 64 * MIB
    options.log_errors = False
    return options


def _compiled(source: str, what: str) -> Any:
    try:
        return re2.compile(source, _options())
    except re2.error as error:
        raise BadInputError(f"{what}: not a pattern that runs in linear time: {error}") from error


def _check(rules: tuple[Rule, ...], causes: tuple[Cause, ...]) -> None:
    ids = {rule.id for rule in rules}
    if len(ids) != len(rules):
        raise BadInputError("two rules have the same id")
    for rule in rules:
        if not rule.marks or any(len(mark) < 4 for mark in rule.marks):
            raise BadInputError(f"rule {rule.id}: needs marks of four letters or more")
        for name, unit in rule.fields.items():
            if unit not in UNITS or f"(?P<{name}>" not in rule.pattern:
                raise BadInputError(f"rule {rule.id}: field {name} has no group in the pattern, or no known unit")
    for cause in causes:
        named = {name for need in (*cause.needs, *cause.without, *cause.hints) for name in need.split("|")}
        if named - ids or not cause.needs:
            raise BadInputError(
                f"cause {cause.category}: no such rule: {', '.join(sorted(named - ids)) or 'none given'}"
            )
        if cause.family not in FAMILIES or not 0 < cause.confidence <= 1:
            raise BadInputError(f"cause {cause.category}: family or confidence is out of range")
        for condition in cause.where:
            if CONDITION.fullmatch(condition) is None:
                raise BadInputError(f"cause {cause.category}: not a comparison: {condition}")


CONDITION = _re.compile(r"(\w+) (<|<=|>|>=) (-?[0-9.]+)?(?: \* )?([a-z_]\w*)?")
