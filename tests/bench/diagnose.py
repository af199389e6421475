"""How right the diagnosis of logs is, and how fast.

    python tests/bench/diagnose.py [--cases FOLDER] [--speed MEGABYTES] [-v]

Scores cause, numbers and whether VRAM ran out on the public cases beside the repository (``../shared/cases/logs``),
settled causes and inferred ones apart, then reads a large log that is made here.
"""

import argparse
import io
import json
import re
import resource
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec

from vramtuner.core.diagnose import Finding, diagnose_log
from vramtuner.core.diagnose.lines import stretches
from vramtuner.core.diagnose.rules import read_amount, rule_book

CASES = Path(__file__).resolve().parents[3] / "shared" / "cases" / "logs"
_VALUE = re.compile(r"0x[0-9a-f]+|-?[0-9][0-9,]*(?:\.[0-9]+)?(?: ?[KMGT]i?B?| bytes)?")


def say(text: str) -> None:
    """A line of the report."""
    sys.stdout.write(f"{text}\n")


class Score(msgspec.Struct):
    """What one case came to."""

    case: str
    settled: bool
    family: bool
    category: bool
    exhausted: bool
    lever: str
    numbers: tuple[str, ...]
    missing: tuple[str, ...]
    said: str
    truth: str


def scored(case: dict[str, Any], log: bytes) -> Score:
    """One case against its log."""
    found = diagnose_log(io.BytesIO(log), case["id"]).findings
    first, truth = found[0], case["true_cause"]
    present, missing = _numbers(case["message_numbers"] or {}, log.decode("utf-8", "replace"), found)
    return Score(
        case["id"], not truth["settled"].startswith("inferred"), first.cause.family == truth["family"],
        first.cause.category == truth["category"], first.vram_exhausted == truth["is_vram_oom"],
        first.changes[0].lever if first.changes else "", present, missing,
        f"{first.cause.family}/{first.cause.category} {first.confidence} {first.vram_exhausted}",
        f"{truth['family']}/{truth['category']} {truth['is_vram_oom']}",
    )  # fmt: skip


def _numbers(given: dict[str, Any], log: str, found: tuple[Finding, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Which of the numbers that stand in the log were found, whatever they are called, and which were not."""
    values = [value for finding in found for value in finding.numbers.values()]
    present, missing = [], []
    for name, text in given.items():
        units = re.findall(r"[KMGT]i?B", str(text))
        for found_text in _VALUE.findall(str(text)):
            # "76.00 / 38.00 MiB": the unit is said once.
            printed = f"{found_text} {units[-1]}" if units and found_text[-1].isdigit() else found_text
            bare = re.match(r"0x[0-9a-f]+|-?[0-9.,]+", printed)
            if bare is None or not re.search(rf"(?<![\w.]){re.escape(bare[0])}(?![0-9.])", log):
                continue
            unit = "mib" if name.endswith(("mib", "_mb", "vram_m", "gtt_m")) and bare[0] == printed else "size"
            amount, as_binary = read_amount(printed, unit), read_amount(printed, "binary")
            wanted = [entry for entry in (amount, as_binary) if entry]
            ratio = float(int(bare[0], 16) if bare[0].startswith("0x") else bare[0].replace(",", ""))
            hit = any(abs(value - ratio) < 1e-9 for value in values) or any(
                abs(value - entry.value) <= entry.doubt + 1 for entry in wanted for value in values
            )
            (present if hit else missing).append(f"{name}={printed}")
    return tuple(present), tuple(missing)


def run_cases(folder: Path, verbose: bool) -> int:
    """Print the table of all cases; the number of those whose cause is wrong."""
    paths = sorted(folder.glob("*.json"))
    scores = [scored(json.loads(path.read_text()), path.with_suffix(".txt").read_bytes()) for path in paths]
    say("| cases | cause (family) | category | VRAM exhausted or not | numbers found |")
    say("| --- | --- | --- | --- | --- |")
    settled = [s for s in scores if s.settled]
    for label, rows in (
        ("settled or stated", settled), ("inferred", [s for s in scores if not s.settled]), ("all", scores),
    ):  # fmt: skip
        total = sum(len(s.numbers) + len(s.missing) for s in rows)
        shares = [
            _share(sum(getattr(s, what) for s in rows), len(rows)) for what in ("family", "category", "exhausted")
        ]
        say(f"| {' | '.join((f'{label}: {len(rows)}', *shares, _share(sum(len(s.numbers) for s in rows), total)))} |")
    called = [s.case for s in scores if s.truth.startswith("not_memory") and s.said.endswith("True")]
    reverse = [s.case for s in scores if s.truth.endswith("True") and s.said.startswith("not_memory")]
    say(f"\nnot memory but called exhaustion: {called or 0}; the reverse: {reverse or 0}")
    say(f"first levers: {dict(Counter(s.lever for s in scores).most_common())}")
    for s in scores:
        if verbose and (not s.family or s.missing or not s.exhausted):
            say(f"{s.case}: said {s.said}; is {s.truth}; missing {s.missing}")
    if verbose:
        say(f"rules that no case has a line for: {', '.join(never_fired(folder))}")
    return sum(not s.family for s in scores)


def never_fired(folder: Path) -> list[str]:
    """The rules that no case has a line for; each has a sample in the tests all the same."""
    fired: set[str] = set()
    for path in folder.glob("*.txt"):
        with path.open("rb") as stream:
            for stretch in stretches(stream, rule_book().marks):
                fired |= {rule.rule.id for rule in rule_book().rules_for(stretch.whole) if rule.match(stretch.whole)}
    return sorted({rule.rule.id for rule in rule_book().rules} - fired)


def run_speed(megabytes: int) -> None:
    """Read a log of ordinary lines with a failure in the middle."""
    line = b"2026-05-04 11:02:%02d.%03d INFO  [engine.py:212] step %d: 48 running, 3 waiting, KV 41.2%%, loss 0.2\n"
    block = b"".join(line % (n % 60, n % 1000, n) for n in range(10_000))
    failure = b"HIP out of memory. Tried to allocate 3.00 GiB. GPU 0 has a total capacity of 23.98 GiB\n"
    with tempfile.NamedTemporaryFile(dir=".") as file:
        blocks = max(2, megabytes * 1_000_000 // len(block))
        for place in range(blocks):
            file.write(block + (failure if place == blocks // 2 else b""))
        file.flush()
        before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
        with Path(file.name).open("rb") as stream:
            found = diagnose_log(stream, "log").findings
        taken = time.process_time() - start
    size = blocks * len(block) / 1e6
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    say(
        f"\n{size:,.0f} MB in {taken:.1f} s of one core: {size / taken:,.0f} MB/s;"
        f" memory of the process {peak / 1024:,.0f} MiB, of it for the log {(peak - before) / 1024:,.0f} MiB;"
        f" found {found[0].cause.family} at line {found[0].evidence[0].line:,}"
    )


def _share(part: int, whole: int) -> str:
    return f"{part}/{whole} ({part / whole:.1%})" if whole else "none"


def main() -> int:
    """Score the cases, then the speed; 1 where the promises are not kept."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=Path, default=CASES)
    parser.add_argument("--speed", type=int, default=1000, help="megabytes of the log that is read; 0: none")
    parser.add_argument("-v", "--verbose", action="store_true", help="name the cases that went wrong")
    given = parser.parse_args()
    wrong = 0
    if given.cases.is_dir():
        wrong = run_cases(given.cases, given.verbose)
    else:
        say(f"skipped: no cases at {given.cases}")
    if given.speed:
        run_speed(given.speed)
    return int(wrong > 0.05 * len(list(given.cases.glob("*.json"))))


if __name__ == "__main__":
    sys.exit(main())
