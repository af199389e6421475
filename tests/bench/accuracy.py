"""How right the forecast is, and how fast: ``make bench-accuracy``, or ``python accuracy.py [SECTION…] [--peers]``.

Each section is a file of its own beside this one and says what it compares.  The goals come first, then the sections'
tables; all of it is written to ``build/accuracy.md`` and, as data, ``build/accuracy.json``.  Exit code 1 if a goal is
missed that does not depend on the machine.
"""

import argparse
import json
import os
import platform
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict
from time import monotonic

from goals import BUILD, Goal, Section, goals_table, is_missed, own_cache, percent

from vramtuner.core.probe.client import Probe
from vramtuner.core.tape.store import installed_versions


def envelopes() -> Section:
    import envelopes

    return envelopes.run()


def passes() -> Section:
    import real_passes

    return real_passes.run()


def limits() -> Section:
    import limits

    return limits.run()


def speed() -> Section:
    import speed

    return speed.run()


def published() -> Section:
    import published

    with closing(Probe()) as probe:
        rows, growths = published.run(probe)
    scored = [row for row in rows if not row.unscored]
    measure = "published tables of Qwen2.5 and Qwen3, bfloat16, one GPU"
    wanted = f"≤ {published.GOAL:.1%} with nothing fitted, ≤ {published.GOAL_FITTED:.1%} after one constant a model"
    goal = Goal(measure, wanted, published.NO_CASES, None, left_out=True)
    if scored:
        plain = max(abs(row.error) for row in scored)
        fitted = max(abs(row.fitted_error) for row in scored)
        over = sum(map(published.is_over, rows))
        beyond = sum(abs(row.fitted_error) > published.GOAL_FITTED for row in scored)
        found = f"worst {percent(plain, 2)} and {percent(fitted, 2)} of {len(scored)} rows"
        if beyond > over:
            found += f"; {beyond - over} over {published.GOAL_FITTED:.1%} by less than half the last digit printed"
        goal = Goal(measure, wanted, found, not over)
    data = {"rows": [published.as_json(row) for row in rows], "quantized": [asdict(growth) for growth in growths]}
    return Section([goal], published.markdown(rows, growths), data)


def peers() -> Section:
    import peers

    scores, answers = peers.run()
    asked = [score for score in scores if score.times_closer is not None]
    least = min((score.times_closer or 0.0 for score in asked), default=None)
    silent = sorted({score.peer for score in scores} - {score.peer for score in asked})
    found = "no peer answered" if least is None else f"at least {least:,.0f}× closer in {len(asked)} comparisons"
    found += f"; no answer from {', '.join(silent)}" if silent else ""
    goal = Goal(*_PEERS, found, bool(asked) and not any(map(peers.is_too_close, scores)))
    data = {"scores": [asdict(score) for score in scores], "answers": [answer.as_row() for answer in answers]}
    return Section([goal], peers.markdown(scores, answers), data)


_PEERS = ("other estimators on the same inputs", "the forecast ≥ 20× closer in the median")
# Times first, while nothing else has warmed or filled the machine.
SECTIONS: dict[str, Callable[[], Section]] = {
    "speed": speed,
    "envelopes": envelopes,
    "passes": passes,
    "limits": limits,
    "published": published,
    "peers": peers,
}


def main() -> int:
    parser = argparse.ArgumentParser(description="How right the forecast is, and how fast.")
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=f"of {', '.join(SECTIONS)}; all but peers")
    parser.add_argument("--peers", action="store_true", help="install other estimators and ask them; 15 to 20 minutes")
    given = parser.parse_args()
    if unknown := sorted(set(given.sections) - set(SECTIONS)):
        parser.error(f"there is no section {', '.join(unknown)}")
    chosen = [name for name in SECTIONS if name in given.sections or (not given.sections and name != "peers")]
    if given.peers and "peers" not in chosen:
        chosen.append("peers")
    found: dict[str, Section] = {}
    seconds: dict[str, float] = {}
    with own_cache():
        for name in chosen:
            began = monotonic()
            sys.stderr.write(f"{name} …\n")
            found[name] = SECTIONS[name]()
            seconds[name] = round(monotonic() - began)
    goals = [goal for section in found.values() for goal in section.goals]
    if "peers" not in chosen and not given.sections:
        goals.append(Goal(*_PEERS, "`make bench-accuracy PEERS=1`", None, left_out=True))
    write(goals, found, seconds)
    return 1 if is_missed(goals) else 0


def write(goals: list[Goal], found: dict[str, Section], seconds: dict[str, float]) -> None:
    """The table of goals to the terminal, all of it to the files."""
    versions = ", ".join(f"{name} {number}" for name, number in installed_versions().items())
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, {versions}"
    took = ", ".join(f"{name} {spent:,.0f} s" for name, spent in seconds.items())
    top = f"# Accuracy\n\n{goals_table(goals)}\n{machine}.\nTook {took}.\n"
    BUILD.mkdir(exist_ok=True)
    (BUILD / "accuracy.md").write_text("\n".join([top, *(section.text for section in found.values())]))
    data = {
        "machine": machine,
        "goals": [asdict(goal) for goal in goals],
        "sections": {name: {"seconds": seconds[name], "rows": section.rows} for name, section in found.items()},
    }
    (BUILD / "accuracy.json").write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n")
    sys.stdout.write(f"{top}\n{BUILD / 'accuracy.md'} has every case.\n")


if __name__ == "__main__":
    sys.exit(main())
