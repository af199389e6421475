"""Confirming limits by passes, and what watching costs a pass: ``python tests/bench/profiling.py [confirm|watching]``.

*confirm*: twenty scaled-down models with pools chosen at random.  The limit by `confirm_limit` against the truth: real
requests of every length around it, and of some far from it, must run up to it and run out of memory above.

*watching*: the same pass with the live readings on and off, in turn, on the stand-in.
"""

import random
import statistics
import sys
import threading
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from functools import partial
from time import clock_gettime, perf_counter, process_time, pthread_getcpuclockid
from typing import Any

from goals import Goal, Section, in_two_processes, show, table
from scaled import MODELS, config_of, plan_of, worker_probe

from vramtuner.core.profiling import confirm_limit, run_profile
from vramtuner.core.settings import ATTENTIONS, Attention, Levers
from vramtuner.core.units import KIB

CASES = MODELS[:20]
AROUND = 6
MOST_PASSES = 4
PAIRS = 40
TOKENS = 1400


@dataclass(frozen=True, slots=True)
class Row:
    """A model and a pool: the limit that passes confirmed, how many they were, and lengths that ended otherwise."""

    name: str
    attention: Attention
    pool_bytes: int
    forecast: int
    found: int
    passes: int
    tried: int
    wrong: int


def confirm() -> tuple[Goal, str, Any]:
    rows = in_two_processes(_confirmed, CASES)
    right = sum(row.found == row.forecast and row.wrong == 0 for row in rows)
    most = max(row.passes for row in rows)
    goal = Goal(
        "limit found by passes against the truth of every length around it",
        f"{len(CASES)} of {len(CASES)}, ≤ {MOST_PASSES} passes each",
        f"{right} of {len(rows)}, at most {most} passes; {sum(row.tried for row in rows)} lengths tried besides,"
        f" {sum(row.wrong for row in rows)} ended otherwise",
        right == len(rows) and most <= MOST_PASSES,
    )
    head = ["model", "kernel", "pool [KiB]", "forecast", "found", "passes", "lengths tried", "otherwise"]
    lines = [
        [r.name, r.attention, f"{r.pool_bytes / KIB:,.0f}", r.forecast, r.found, r.passes, r.tried, r.wrong]
        for r in rows
    ]
    return goal, table(head, lines), [asdict(row) for row in rows]


def _confirmed(name: str) -> Row:
    chance = random.Random(name)
    attention = chance.choice(ATTENTIONS)
    roomy = plan_of(config_of(name, 256), Levers(attention=attention, margin=0.0))
    pool = roomy.peak_bytes(chance.randrange(40, 900)) // KIB * KIB
    plan = plan_of(config_of(name, 256), Levers(attention=attention, margin=0.0, pool_bytes=pool))
    probe, limit = worker_probe(), plan.limit.tokens
    found = confirm_limit(plan, lambda lengths: run_profile(plan, lengths, probe, keep=False).passes)
    near = range(max(limit - AROUND, 1), limit + AROUND + 1)
    far = [chance.randrange(1, 2 * limit) for _ in range(6)]
    truth = run_profile(plan, tuple(dict.fromkeys((*near, *far))), probe, keep=False).passes
    wrong = sum((result.outcome == "ok") != (result.tokens <= found.fits_tokens) for result in truth)
    return Row(name, attention, pool, limit, found.fits_tokens, len(found.passes), len(truth), wrong)


def _sampler_seconds() -> float:
    """Seconds of a processor that the thread which reads has had."""
    (thread,) = (one for one in threading.enumerate() if one.name == "sampler")
    assert thread.ident is not None
    return clock_gettime(pthread_getcpuclockid(thread.ident))


def watching() -> tuple[Goal, str, Any]:
    """What readings cost the process that is read, in seconds of its processor: no neighbour's load is in that.

    Three kinds of the same pass by turns: with the stand-in's meter and readings, with the meter alone, with neither.
    """
    import torch

    from vramtuner.core.probe import models
    from vramtuner.core.probe.forward import Forward
    from vramtuner.core.probe.live import sampling
    from vramtuner.core.probe.meters import CpuMeter

    torch.set_num_threads(1)  # threads that wait for each other would count as work
    plan = plan_of(config_of("llama", 512), Levers(attention="math"))
    model = models.synthetic_model(plan.spec, plan.key, torch.device("cpu"))
    forward, meter, batches = Forward(model, plan.key), CpuMeter(2**40), list[Any]()
    meter.adopt(models.weight_tensors(model))

    def cost(*, measured: bool) -> float:
        began = process_time()
        with torch.no_grad(), meter.watch() if measured else nullcontext():
            forward.request(TOKENS, 0, None, torch.device("cpu"))
        return process_time() - began

    cost(measured=True)
    rows, shares = [], list[float]()
    for _ in range(PAIRS):
        with sampling(meter, plan.device, 1, batches.append, lambda batch: batches.append(batch) or True):
            began = perf_counter()
            on = cost(measured=True)
            shares.append(_sampler_seconds() / (perf_counter() - began))
        rows.append((on, cost(measured=True), cost(measured=False)))
    readings, own = ([row[place] / row[place + 1] - 1 for row in rows] for place in (0, 1))
    middle, error = statistics.median(readings), 1.2533 * statistics.stdev(readings) / PAIRS**0.5
    goal = Goal(
        "slow-down of a pass by live readings",
        "≤ 1 %",
        f"the thread that reads takes {statistics.median(shares):.2%} of a core; passes of {rows[-1][1]:.2f} s, {PAIRS}"
        f" pairs, take {middle:+.2%} ± {error:.2%} more of one; the stand-in's own counting, which a GPU has no need"
        f" of, takes {statistics.median(own):+.1%}",
        statistics.median(shares) <= 0.01 and middle <= 0.01 + 2 * error,
    )
    return goal, "", {"rows": rows}


_PARTS = {"confirm": confirm, "watching": watching}


def run(parts: tuple[str, ...]) -> Section:
    found = {name: _PARTS[name]() for name in parts}
    texts = [f"## {name}\n\n{text}" for name, (_, text, _) in found.items() if text]
    return Section(
        [goal for goal, _, _ in found.values()], "\n".join(texts), {n: rows for n, (_, _, rows) in found.items()}
    )


if __name__ == "__main__":
    sys.exit(show(partial(run, tuple(sys.argv[1:]) or tuple(_PARTS))))
