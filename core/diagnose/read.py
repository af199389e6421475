"""A log, read once: what its lines say, gathered by failure, and what that means."""

from collections.abc import Callable, Iterable
from typing import BinaryIO

import msgspec

from vramtuner.core.diagnose.lines import Stretch, stretches
from vramtuner.core.diagnose.rules import Amount, RuleBook, plain_mark, rule_book
from vramtuner.core.diagnose.weigh import Finding, findings_of
from vramtuner.core.text import printable

_APART = 200
_MOST_EPISODES = 64
_MOST_KEPT = 6
_MOST_VALUES = 12
_MOST_OF_A_MARK = 20_000
_MOST_OF_CONTEXT = 500


class Seen(msgspec.Struct, frozen=True):
    """A line that a rule matched."""

    rule: str
    line: int
    text: str


class Gathered:
    """What lines said, bounded however many there were: a few lines of each rule, a few values of each number.

    Of a failure the first ones count; of what a program says about itself the newest, because it may have been started
    again since.
    """

    def __init__(self, newest: bool = False) -> None:
        self._newest = newest
        self.seen: dict[str, list[Seen]] = {}
        self.numbers: dict[str, list[Amount]] = {}
        self.last_line = 0

    def add(self, seen: Seen, amounts: dict[str, Amount]) -> None:
        """Take in a line; a number that was told before with less precision becomes the more exact one."""
        self.last_line = seen.line
        kept = self.seen.setdefault(seen.rule, [])
        if self._newest:
            kept.insert(0, seen)
            del kept[_MOST_KEPT:]
        elif len(kept) < _MOST_KEPT:
            kept.append(seen)
        for name, amount in amounts.items():
            _take(self.numbers.setdefault(name, []), amount, self._newest)


class LogDiagnosis(msgspec.Struct, frozen=True):
    """What a log says: findings, most certain first, and how far it was read."""

    source: str
    findings: tuple[Finding, ...]


class LogReader:
    """Lines in, findings out, at any time."""

    def __init__(self, book: RuleBook | None = None) -> None:
        self.book = book or rule_book()
        self.failed = False
        self._by_mark: dict[str, int] = {}
        self._done: set[str] = set()
        self._context = Gathered(newest=True)
        self._episodes: list[Gathered] = []

    def feed(self, found: Iterable[Stretch]) -> None:
        """Take in stretches, in the order of their lines."""
        for stretch in found:
            self._look_at(stretch)

    def wants(self, mark: bytes) -> bool:
        """Whether another stretch with this mark can say anything that is not known yet."""
        plain = plain_mark(mark)
        if plain in self._done:
            return False
        count = self._by_mark[plain] = self._by_mark.get(plain, 0) + 1
        if count % _MOST_OF_CONTEXT == 0:
            fails = any(rule.fails for rule in self.book.rules_of_mark(plain))
            if not fails or count >= _MOST_OF_A_MARK:
                self._done.add(plain)
        return True

    def findings(self) -> tuple[Finding, ...]:
        """What is known so far."""
        return findings_of(self.book, self._context, self._episodes)

    def forget_failures(self) -> None:
        """Start anew with what follows; what the program said about itself is kept."""
        self._episodes.clear()
        self._by_mark.clear()
        self._done.clear()
        self.failed = False

    def _look_at(self, stretch: Stretch) -> None:
        for compiled in self.book.rules_for(f"{stretch.whole}\n{stretch.glued}"):
            match = compiled.match(stretch.whole) or (compiled.match(stretch.glued) if stretch.glued else None)
            # What begins in a later line is found when that line is looked at.
            if match is None or match.start() >= max(1, len(stretch.text)):
                continue
            rule = compiled.rule
            self.failed = self.failed or rule.fails
            into = self._episode(stretch.line) if rule.fails else self._context
            into.add(Seen(rule.id, stretch.line, _excerpt(stretch.text, match.start())), compiled.amounts(match))

    def _episode(self, line: int) -> Gathered:
        """The failure that a line belongs to: the last one, unless it is far away."""
        near = self._episodes and line - self._episodes[-1].last_line <= _APART
        if not near and len(self._episodes) < _MOST_EPISODES:
            self._episodes.append(Gathered())
        return self._episodes[-1]


def diagnose_log(
    stream: BinaryIO, source: str, book: RuleBook | None = None, on_bytes: Callable[[int], None] | None = None
) -> LogDiagnosis:
    """What a log says; any bytes are read, in memory that does not grow with them.

    Parameters
    ----------
    source
        What the log is called in the result.
    on_bytes
        Told how many bytes were read so far.
    """
    reader = LogReader(book)
    reader.feed(stretches(stream, reader.book.marks, reader.wants, on_bytes))
    return LogDiagnosis(source, reader.findings())


def _take(values: list[Amount], amount: Amount, newest: bool) -> None:
    place = next((at for at, known in enumerate(values) if known.same_as(amount)), None)
    if place is not None:
        exact = min(values[place], amount, key=lambda one: one.doubt)
        if newest:
            values.insert(0, values.pop(place))
            place = 0
        values[place] = exact
    elif newest:
        values.insert(0, amount)
        del values[_MOST_VALUES:]
    elif len(values) < _MOST_VALUES:
        values.append(amount)


def _excerpt(text: str, at: int) -> str:
    """The part of a line that shows it, where the line is long."""
    start = max(0, at - 120) if len(text) > 480 else 0
    return printable(text[start:], 480)
