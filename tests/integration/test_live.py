"""What a run reports while it goes on: every reading, phases, what was refused; and a reader that does not keep up."""

import subprocess
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vramtuner.core.device.find import cpu_device
from vramtuner.core.forecast import Forecast, forecast
from vramtuner.core.model.find import find_model
from vramtuner.core.probe import protocol
from vramtuner.core.probe.client import COMMAND, Probe
from vramtuner.core.probe.protocol import Event, Finished, PassResult, PassStarted, PhaseStarted, RunStarted, Samples
from vramtuner.core.profiling import run_profile
from vramtuner.core.recording import get_tapes
from vramtuner.core.request import phases
from vramtuner.core.runs import Row, rows_of
from vramtuner.core.settings import Levers
from vramtuner.core.units import MIB
from vramtuner.core.validation import profile_request

CPU = cpu_device()
TOKENS = 1024


@pytest.fixture(scope="module")
def probe() -> Iterator[Probe]:
    with closing(Probe()) as started:
        yield started


def plan_of(folder: Path, probe: Probe, **levers: object) -> Forecast:
    spec, chosen = find_model(str(folder)), Levers(**levers)  # type: ignore[arg-type] # the levers' own names
    return forecast(spec, CPU, chosen, *get_tapes(spec, phases(spec, CPU, chosen), probe))


def events_of(plan: Forecast, probe: Probe, *lengths: int) -> list[Event]:
    seen: list[Event] = []
    run_profile(plan, lengths, probe, on_event=seen.append, keep=False)
    return seen


def readings(events: list[Event]) -> list[Row]:
    return [row for event in events if isinstance(event, Samples) for row in rows_of(event)]


def only(events: list[Event], kind: type[PassResult]) -> PassResult:
    (found,) = [event for event in events if isinstance(event, kind)]
    return found


def test_readings_hold_the_peak_to_the_byte(probe: Probe, tiny_llama: Path) -> None:
    began = time.monotonic()
    events = events_of(plan_of(tiny_llama, probe, token_cap=TOKENS), probe, TOKENS)
    rows, result = readings(events), only(events, PassResult)
    (start,) = [event for event in events if isinstance(event, RunStarted)]
    assert began <= start.clock <= time.monotonic()
    assert max(row.allocated for row in rows) == result.peak_bytes
    assert [row.seconds for row in rows] == sorted(row.seconds for row in rows)
    assert all(row.reserved == row.allocated for row in rows)
    assert min(row.process for row in rows) > 50 * MIB  # PyTorch alone takes more
    assert all(result.weight_bytes < row.device <= CPU.vram_bytes for row in rows)
    # Far more of a pass than looks at it: what happens between two looks, which come with a batch at most, is kept.
    during = [row.allocated for row in rows if row.seconds > rows[-1].seconds - result.seconds]
    batches = [event for event in events if isinstance(event, Samples)]
    assert len(during) > 10 and len(rows) > 5 * len(batches)


def test_phases_of_a_request_each_have_a_peak(probe: Probe, tiny_llama: Path) -> None:
    plan = plan_of(tiny_llama, probe, token_cap=300, new_tokens=20)
    events = events_of(plan, probe, 300)
    result = only(events, PassResult)
    assert [phase.phase for phase in result.phases] == ["prefill", "decode"]
    prefill, decode = result.phases
    assert max(prefill.peak_bytes, decode.peak_bytes) == result.peak_bytes
    assert decode.peak_bytes < prefill.peak_bytes  # 280 tokens at once take more than one by one
    assert prefill.seconds + decode.seconds <= result.seconds
    started = next(place for place, event in enumerate(events) if isinstance(event, PassStarted))
    assert next(event.phase for event in events if isinstance(event, PhaseStarted)) == "load"
    assert [event.phase for event in events[started:] if isinstance(event, PhaseStarted)] == [
        "prefill", "decode", "free",
    ]  # fmt: skip


def test_what_was_refused_is_told_with_what_was_live(probe: Probe, tiny_llama: Path) -> None:
    roomy = plan_of(tiny_llama, probe, token_cap=TOKENS)
    pool = (roomy.tensor_bytes(TOKENS) + roomy.weight_bytes) // 2
    events = events_of(plan_of(tiny_llama, probe, token_cap=TOKENS, pool_bytes=pool, margin=0.0), probe, TOKENS)
    result = only(events, PassResult)
    refusal = result.refusal
    assert result.outcome == "out_of_memory" and refusal is not None
    assert refusal.live_bytes + refusal.requested_bytes > refusal.pool_bytes == pool
    assert refusal.live_bytes + refusal.free_bytes == pool
    assert refusal.live_bytes >= result.weight_bytes
    assert dict(refusal.holders)["weights"] == result.weight_bytes
    assert sum(size for _, size in refusal.holders) <= refusal.live_bytes
    free = [event.seconds for event in events if isinstance(event, PhaseStarted) and event.phase == "free"]
    after = [row.allocated for row in readings(events) if row.seconds > free[0]]
    assert after and max(after) == result.weight_bytes  # given back before the next pass


def test_a_reader_that_does_not_keep_up_neither_holds_up_a_pass_nor_loses_a_peak(
    probe: Probe, tiny_llama: Path
) -> None:
    lengths = (TOKENS, TOKENS, TOKENS // 2, TOKENS)
    request = profile_request(plan_of(tiny_llama, probe, token_cap=TOKENS), lengths)(1)
    with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as child:
        assert child.stdin is not None and child.stdout is not None
        child.stdin.write(protocol.encode(request) + b"\n")
        child.stdin.flush()
        events: list[Event] = []
        while not any(isinstance(event, PassStarted) for event in events):
            events.append(protocol.decode_event(child.stdout.readline()))
        time.sleep(4)  # nobody reads; a pass takes a fraction of that
        asleep_until = time.monotonic()
        while not isinstance(events[-1], Finished):
            events.append(protocol.decode_event(child.stdout.readline()))
        child.kill()
    (start,) = [event for event in events if isinstance(event, RunStarted)]
    results = [event for event in events if isinstance(event, PassResult)]
    rows = readings(events)
    assert [result.tokens for result in results] == list(lengths)
    assert max(row.allocated for row in rows) == max(result.peak_bytes for result in results)
    free = [event.seconds for event in events if isinstance(event, PhaseStarted) and event.phase == "free"]
    if start.clock + free[0] > asleep_until:
        pytest.skip("the machine was too busy for a pass to end meanwhile")
    assert start.clock + free[1] < asleep_until  # more than one ended while nobody read


@settings(deadline=None)  # the first call imports torch
@given(st.lists(st.integers(0, 50), max_size=200), st.integers(1, 40))
def test_thinned_readings_keep_the_lowest_and_the_highest_in_order(sizes: list[int], most: int) -> None:
    from vramtuner.core.probe.live import _Row, thinned

    rows = [_Row(float(place), size, size, 0, 0) for place, size in enumerate(sizes)]
    kept = thinned(rows, most)
    assert len(kept) <= max(most, 2)
    assert kept == sorted(kept)
    if sizes:
        assert {min(sizes), max(sizes)} <= {row.allocated for row in kept}


@settings(deadline=None)  # as above
@given(st.lists(st.tuples(st.sampled_from((0.0, 0.0001, 0.001, 0.01)), st.integers(0, 9), st.booleans()), max_size=80))
def test_readings_between_two_looks_keep_what_was_lowest_and_highest(events: list[tuple[float, int, bool]]) -> None:
    from vramtuner.core.probe.meters import Readings

    readings, now, said = Readings(), 0.0, list[tuple[float, int]]()
    for pause, size, look in events:
        now += pause
        readings.add(now, size)
        if look:
            said += readings.take()
    said += readings.take()
    assert [moment for moment, _ in said] == sorted(moment for moment, _ in said)
    assert {size for _, size in said} <= {size for _, size, _ in events}
    if events:
        sizes = [size for _, size, _ in events]
        assert {min(sizes), max(sizes)} <= {size for _, size in said}


@given(st.lists(st.tuples(*[st.integers(0, 50)] * 4), min_size=1, max_size=200), st.integers(2, 40))
def test_thinned_readings_keep_the_highest_of_every_column(sizes: list[tuple[int, ...]], most: int) -> None:
    from vramtuner.core.probe.live import _Row, thinned

    kept = thinned([_Row(float(place), *columns) for place, columns in enumerate(sizes)], most)
    assert [max(column) for column in list(zip(*kept, strict=True))[1:]] == [
        max(column) for column in zip(*sizes, strict=True)
    ]


def test_a_reading_that_fails_costs_no_other() -> None:
    """Memory can run out in the thread that reads, and be there again a moment later."""
    from vramtuner.core.probe.live import sampling
    from vramtuner.core.probe.meters import CpuMeter

    class Starved(CpuMeter):
        looks = 0

        def readings(self) -> list[tuple[float, int, int]]:
            self.looks += 1
            if self.looks in (1, 3):
                raise MemoryError
            return super().readings()

    meter, events = Starved(MIB), list[Event]()
    with sampling(meter, CPU, 7, events.append, lambda event: events.append(event) or True):
        for number in range(1, 9):
            meter.created(number, 1000, "an operation")
            time.sleep(0.03)
    assert meter.looks > 3
    assert {1000 * number for number in range(1, 9)} <= {row.allocated for row in readings(events)}


def test_a_storage_that_ends_while_another_does_is_taken_off_too() -> None:
    """A collection may run in the middle of taking one off, in another thread."""
    from vramtuner.core.probe.meters import CpuMeter

    meter = CpuMeter(MIB)

    class Sizes(dict[int, tuple[int, str]]):
        def pop(self, key: int, default: object = None) -> object:  # type: ignore[override]
            found = super().pop(key, default)  # type: ignore[arg-type]
            if 2 in self:
                meter.ended(2)
            return found

    meter._sizes = Sizes()
    for number in (1, 2, 3):
        meter.created(number, 100, "an operation")
    meter.ended(1)
    assert meter.readings()[-1][1] == 100
