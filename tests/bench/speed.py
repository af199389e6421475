"""How fast a tape, a forecast and a limit are found: ``python tests/bench/speed.py [PART…]``.

Times are those of this machine, and are only read.  What is judged is a ratio, both sides of which are measured here
one after another: finding the longest request of a pool by a tape and one real pass, against bisection by real passes.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import asdict, dataclass
from functools import partial
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
from goals import Goal, Section, own_cache, show, table
from peers_inputs.truth import published_config, quarter
from scaled import CPU, config_of, spec_of

from vramtuner.core.device.find import find_device
from vramtuner.core.device.spec import Device
from vramtuner.core.forecast import Forecast, forecast
from vramtuner.core.model.find import PRESETS, known_model_types, load_preset
from vramtuner.core.model.spec import ModelSpec, spec_from_config
from vramtuner.core.probe.client import Probe
from vramtuner.core.probe.protocol import PassResult, PassStarted, Progress, Record, TapeRecorded
from vramtuner.core.recording import find_tapes, record_tape
from vramtuner.core.request import phases, tape_key
from vramtuner.core.settings import ATTENTIONS, Attention, Levers
from vramtuner.core.tape.format import encode_tape
from vramtuner.core.units import MIB
from vramtuner.core.validation import profile_request

PARTS = ("recordings", "folding", "forecasts", "limits")
POINTS = 1024
TIMES_FASTER = 5.0
_CARD = "w7900"
_CAP = 4096
_FOLDED: tuple[tuple[str, Attention], ...] = (("llama-2-7b", "flash"), ("mistral-7b", "math"), ("gemma-2-9b", "eager"))
# Presets at quarter scale and about where the limit is, so that a pass takes some seconds: on its device a whole
# model's longest pass does too, and the shorter a pass, the more of both ways is loading the model.
_SEARCHES: tuple[tuple[str, Attention, int], ...] = (
    ("llama-3.1-8b", "flash", 3067),
    ("qwen3-8b", "eager", 2603),
    ("phi-2", "math", 1701),
)


@dataclass(frozen=True, slots=True)
class RecordingTime:
    """Seconds to build a preset under fake tensors and record three lengths, and to the whole tape."""

    preset: str
    attention: Attention
    recordings: int
    three: float
    tape: float


@dataclass(frozen=True, slots=True)
class ForecastTime:
    """Seconds from a moved lever to the limit and the components at 1,024 lengths; ``first`` has the envelope in it."""

    preset: str
    attention: Attention
    device: str
    first: float
    again: float


@dataclass(frozen=True, slots=True)
class FoldingTime:
    """Seconds to a tape with few layers recorded and with all of them, and whether the tapes are equal to the byte."""

    preset: str
    attention: Attention
    few: float
    every: float
    same: bool


@dataclass(frozen=True, slots=True)
class SearchTime:
    """A limit found in two ways, with the passes and seconds of each; loading the model once is in both.

    Attributes
    ----------
    tape
        Seconds of all recordings and the forecast.
    confirming
        Seconds of the real pass at the limit that it gives, and whether it succeeded.
    passes, bisection
        Real passes until the limit is known to the token, and their seconds; ``to_a_percent`` the same to 1 %.
    """

    model: str
    attention: Attention
    pool_bytes: int
    load: float
    tape: float
    confirming: float
    confirmed: bool
    limit: int
    found: int
    passes: int
    bisection: float
    passes_to_a_percent: int
    to_a_percent: float

    @property
    def times_faster(self) -> float:
        return (self.load + self.bisection) / (self.load + self.tape + self.confirming)

    @property
    def times_faster_to_a_percent(self) -> float:
        return (self.load + self.to_a_percent) / (self.load + self.tape + self.confirming)


def run(parts: tuple[str, ...] = PARTS) -> Section:
    """The parts whose names are given."""
    goals: list[Goal] = []
    texts: list[str] = []
    rows: dict[str, Any] = {}
    with closing(Probe()) as probe:
        # PyTorch is imported before any clock runs.
        small = spec_of(config_of("llama"))
        record_tape(small, tape_key(small, CPU, Levers()), probe)
        for part in parts:
            found, goal, text = _PARTS[part](probe)
            goals.append(goal)
            texts.append(text)
            rows[part] = found
    return Section(goals, "\n".join(["## Speed\n", *texts]), rows)


def recordings(probe: Probe) -> tuple[Any, Goal, str]:
    """Every preset with every kernel."""
    found = [_recording_time(preset, attention, probe) for preset in PRESETS for attention in ATTENTIONS]
    three, worst = median(row.three for row in found), max(found, key=lambda row: row.three)
    goal = Goal(
        "three recordings of a preset, building it included",
        "≤ 2 s median, ≤ 6 s worst, two cores",
        f"median {three:.2f} s, worst {worst.three:.2f} s ({worst.preset}, {worst.attention}); the whole tape, with the"
        f" lengths that are compared, median {median(row.tape for row in found):.2f} s, worst"
        f" {max(row.tape for row in found):.2f} s",
        None,
    )
    head = ["preset", "kernel", "recordings", "three [s]", "whole tape [s]"]
    lines = [[row.preset, row.attention, row.recordings, f"{row.three:.2f}", f"{row.tape:.2f}"] for row in found]
    return [asdict(row) for row in found], goal, table(head, lines)


def folding(_: Probe) -> tuple[Any, Goal, str]:
    """Tapes by a few of the layers and by all of them, one after the other in this process."""
    found = [_folding_time(preset, attention) for preset, attention in _FOLDED]
    same = all(row.same for row in found)
    goal = Goal(
        "a tape recorded by a few layers against one recorded by all of them at every length",
        "the same tape",
        f"{'the same' if same else 'OTHER TAPES'}, in {sum(row.few for row in found):.1f} s against"
        f" {sum(row.every for row in found):.1f} s of {len(found)} tapes",
        same,
    )
    head = ["preset", "kernel", "few layers [s]", "all layers [s]", "times faster"]
    lines = [[r.preset, r.attention, f"{r.few:.2f}", f"{r.every:.2f}", f"{r.every / r.few:.1f}"] for r in found]
    return [asdict(row) for row in found], goal, table(head, lines)


def _folding_time(preset: str, attention: Attention) -> FoldingTime:
    from vramtuner.core.probe import recorder

    spec = load_preset(preset)
    key, layers = tape_key(spec, CPU, Levers(attention=attention)), recorder.SHALLOW_LAYERS
    tapes, times = [], []
    for shallow in ((), layers, ()):  # the first is not counted: modules are imported in it
        recorder.SHALLOW_LAYERS = shallow
        began = perf_counter()
        tapes.append(recorder.record_tape(spec, key, check=lambda: None, progress=lambda fraction: None))
        times.append(perf_counter() - began)
    recorder.SHALLOW_LAYERS = layers
    return FoldingTime(preset, attention, times[1], times[2], encode_tape(tapes[1]) == encode_tape(tapes[2]))


def _recording_time(preset: str, attention: Attention, probe: Probe) -> RecordingTime:
    spec = load_preset(preset)
    key = tape_key(spec, CPU, Levers(attention=attention))
    began, starts, tape = perf_counter(), list[float](), 0.0
    for event in probe.run(lambda number: Record(number, spec, key)):
        if isinstance(event, Progress) and event.fraction > 0:
            starts.append(perf_counter() - began)  # each recording is announced before it begins
        elif isinstance(event, TapeRecorded):
            tape = perf_counter() - began
    # The fourth begins when three are done.
    return RecordingTime(preset, attention, len(starts), starts[3], tape)


def forecasts(_: Probe) -> tuple[Any, Goal, str]:
    """The presets' shipped tapes on the stand-in and on a card, whose allocator is replayed."""
    found = [
        time
        for device in (CPU, find_device(_CARD))
        for preset in PRESETS
        for attention in ATTENTIONS
        if (time := _forecast_time(preset, attention, device)) is not None
    ]
    again, worst = median(row.again for row in found), max(found, key=lambda row: row.again)
    goal = Goal(
        f"{POINTS:,}-point forecast with components and limit, after a lever moved",
        "≤ 1 ms",
        f"median {again * 1e3:.2f} ms, worst {worst.again * 1e3:.2f} ms ({worst.preset}, {worst.attention},"
        f" {worst.device}) of {len(found)}",
        None,
    )
    head = ["preset", "kernel", "device", "first [ms]", "after a lever moved [ms]"]
    lines = [[r.preset, r.attention, r.device, f"{r.first * 1e3:.2f}", f"{r.again * 1e3:.3f}"] for r in found]
    return [asdict(row) for row in found], goal, table(head, lines)


def _forecast_time(preset: str, attention: Attention, device: Device) -> ForecastTime | None:
    """The median of many moves of the pool; ``None`` without a tape at hand."""
    spec = load_preset(preset)
    tapes = find_tapes(spec, phases(spec, device, Levers(attention=attention)))
    if tapes is None:
        return None
    tokens = np.linspace(1, min(16_384, tapes[0].max_tokens), POINTS).astype(np.int64)

    def move(pool: int) -> float:
        began = perf_counter()
        forecast(spec, device, Levers(attention=attention, pool_bytes=pool), *tapes).curve(tokens)
        return perf_counter() - began

    most = device.max_pool_bytes
    first = move(most)
    return ForecastTime(preset, attention, device.name, first, median(move(most - step * MIB) for step in range(100)))


def limits(probe: Probe) -> tuple[Any, Goal, str]:
    """The longest request of a pool by both ways."""
    found = [_search_time(name, attention, target, probe) for name, attention, target in _SEARCHES]
    goal = searches_goal(found)
    head = [
        "model", "kernel", "pool [MiB]", "limit, by bisection", "load, both [s]", "tape and forecast [s]",
        "confirming pass [s]", "bisection: passes", "[s]", "times faster", "to 1 %: passes", "[s]", "times faster",
    ]  # fmt: skip
    lines = [
        [
            r.model, r.attention, f"{r.pool_bytes / MIB:,.0f}", f"{r.limit:,}, {r.found:,}", f"{r.load:.2f}",
            f"{r.tape:.2f}", f"{r.confirming:.2f}", r.passes, f"{r.bisection:.1f}", f"{r.times_faster:.1f}",
            r.passes_to_a_percent, f"{r.to_a_percent:.1f}", f"{r.times_faster_to_a_percent:.1f}",
        ]
        for r in found
    ]  # fmt: skip
    about = (
        f"Presets at quarter scale; bisection from 1 to {_CAP:,} tokens or the model's positions, to the"
        " token as the forecast is, and to 1 %.  Loading the model once, a first short pass included, is in both.\n\n"
    )
    rows = [{**asdict(row), "times_faster": row.times_faster} for row in found]
    return rows, goal, about + table(head, lines)


def searches_goal(found: list[SearchTime]) -> Goal:
    """Judged by all seconds together: how many of a bisection's passes run out of memory, and soon, is chance."""
    mine = sum(row.load + row.tape + row.confirming for row in found)
    theirs = sum(row.load + row.bisection for row in found)
    least = min(found, key=lambda row: row.times_faster)
    most = max(found, key=lambda row: row.times_faster)
    right = all(row.confirmed and row.found == row.limit for row in found)
    return Goal(
        "finding the limit: tape, forecast and one confirming pass against bisection by real passes",
        f"≥ {TIMES_FASTER:g}× fewer seconds",
        f"{mine:.0f} s against {theirs:.0f} s of {len(found)} searches, {theirs / mine:.1f}× fewer, from"
        f" {least.times_faster:.1f}× ({least.model}, {least.attention}) to {most.times_faster:.1f}×; {len(found)} real"
        f" passes against {sum(row.passes for row in found)}; {'the same limits' if right else 'OTHER LIMITS'}",
        theirs >= TIMES_FASTER * mine and right,
    )


def _search_time(name: str, attention: Attention, target: int, probe: Probe) -> SearchTime:
    spec = spec_from_config(
        quarter(published_config(name)), name=name, source="a quarter", known_types=known_model_types()
    )
    pool = _plan(spec, attention, None, probe)[0].peak_bytes(target) // MIB * MIB
    plan, tape = _plan(spec, attention, pool, probe)
    load, confirming, confirmed = _pass(plan, plan.limit.tokens, probe)
    tried = list(_bisection(plan, min(_CAP, spec.max_positions), probe))
    low = max((tokens for tokens, _, fitted in tried if fitted), default=0)
    enough = next(place for place, gap in enumerate(_gaps(tried, spec.max_positions), 1) if gap <= 0.01)
    seconds = [spent for _, spent, _ in tried]
    return SearchTime(
        spec.name, attention, pool, load, tape, confirming, confirmed, plan.limit.tokens, low,
        len(tried), sum(seconds), enough, sum(seconds[:enough]),
    )  # fmt: skip


def _plan(spec: ModelSpec, attention: Attention, pool: int | None, probe: Probe) -> tuple[Forecast, float]:
    """The forecast, and the seconds that it and its recordings take; nothing is taken from the cache."""
    levers = Levers(attention=attention, margin=0.0, pool_bytes=pool)
    with own_cache():
        began = perf_counter()
        tapes = [record_tape(spec, phase.key, probe) for phase in phases(spec, CPU, levers)]
        return forecast(spec, CPU, levers, *tapes), perf_counter() - began


def _pass(plan: Forecast, tokens: int, probe: Probe) -> tuple[float, float, bool]:
    """A real pass: seconds to load, seconds of the pass, and whether it fitted."""
    load, result = 0.0, None
    for event in probe.run(profile_request(plan, (tokens,))):
        if isinstance(event, PassStarted):
            load = event.seconds
        elif isinstance(event, PassResult):
            result = event
    assert result is not None
    return load, result.seconds, result.outcome == "ok"


def _bisection(plan: Forecast, highest: int, probe: Probe) -> Iterator[tuple[int, float, bool]]:
    """Tokens, seconds and outcome of each pass until the limit is known to the token."""
    low, high = 0, highest + 1
    while high - low > 1:
        middle = (low + high) // 2
        _, seconds, fitted = _pass(plan, middle, probe)
        yield middle, seconds, fitted
        low, high = (middle, high) if fitted else (low, middle)


def _gaps(tried: list[tuple[int, float, bool]], highest: int) -> Iterator[float]:
    """After each pass: what is still open between the longest that fitted and the shortest that did not."""
    low, high = 0, min(_CAP, highest) + 1
    for tokens, _, fitted in tried:
        low, high = (tokens, high) if fitted else (low, tokens)
        yield (high - low - 1) / low if low else float("inf")


_PARTS: dict[str, Callable[[Probe], tuple[Any, Goal, str]]] = {
    "recordings": recordings,
    "folding": folding,
    "forecasts": forecasts,
    "limits": limits,
}


if __name__ == "__main__":
    sys.exit(show(partial(run, tuple(sys.argv[1:]) or PARTS)))
