"""Live readings of a run, from a thread of their own: every event of the stand-in, torch's counters of a GPU."""

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import monotonic
from typing import NamedTuple, TypeAlias

import msgspec

from vramtuner.core.device.roots import HERE
from vramtuner.core.device.sampler import open_source
from vramtuner.core.device.spec import Device
from vramtuner.core.probe.meters import Meter
from vramtuner.core.probe.protocol import Event, RunStarted, Samples

_BATCH_SECONDS = 0.024
_MOST_HELD = 256

Offer: TypeAlias = Callable[[Event], bool]
"""Sends an event if whoever reads keeps up; whether it did."""


class _Row(NamedTuple):
    seconds: float
    allocated: int
    reserved: int
    process: int
    device: int


def thinned(rows: Sequence[_Row], most: int) -> list[_Row]:
    """At most so many rows: of each stretch its lowest and its highest, in their order, so that no peak is lost."""
    if len(rows) <= most:
        return list(rows)
    stretches = max(most // 2, 1)
    kept = []
    for number in range(stretches):
        stretch = range(len(rows) * number // stretches, len(rows) * (number + 1) // stretches)
        low = min(stretch, key=lambda place: rows[place].allocated)
        high = max(stretch, key=lambda place: rows[place].allocated)
        kept += [rows[place] for place in sorted({low, high})]
    return kept


@contextmanager
def sampling(
    meter: Meter, device: Device, request_id: int, send: Callable[[Event], None], offer: Offer
) -> Iterator[Callable[[], float]]:
    """Send live readings while the body runs, which gets the clock of the run: seconds since it began.

    While whoever reads does not keep up, what is not sent yet is thinned, so that neither a pass waits nor a peak
    is lost.
    """
    began = monotonic()
    send(RunStarted(request_id, began))
    if meter.free is not None:
        send(msgspec.structs.replace(meter.free, id=request_id))
    stop = threading.Event()
    source = open_source(device, HERE, os.getpid(), lambda kind, text: None)

    def sample() -> None:
        held, due, last = list[_Row](), 0.0, 0.0
        while True:
            ended = stop.wait(meter.tick_seconds)
            try:
                points = meter.readings()
            except RuntimeError:  # the GPU is lost; the pass says so
                return
            now = monotonic()
            seen = source.read(now)
            used = meter.device_used() if seen.vram_used is None else seen.vram_used
            for when, live, kept in points:
                # A pass may note a moment and be held up before it hands it on.
                last = held[-1].seconds if held else last
                held.append(_Row(max(when - began, last), live, kept, seen.own or 0, used))
            if ended:
                send(_batch(request_id, held))
                return
            if now >= due and offer(_batch(request_id, held)):
                last = held[-1].seconds
                held, due = [], now + _BATCH_SECONDS - meter.tick_seconds / 2
            elif len(held) > _MOST_HELD:
                held = thinned(held, _MOST_HELD // 2)

    thread = threading.Thread(target=sample, name="sampler", daemon=True)
    thread.start()
    try:
        yield lambda: monotonic() - began
    finally:
        stop.set()
        thread.join()
        source.close()


def _batch(request_id: int, rows: Sequence[_Row]) -> Samples:
    columns = [list(column) for column in zip(*rows, strict=True)] or [[] for _ in _Row._fields]
    seconds, allocated, reserved, process, device = columns
    return Samples(request_id, [round(moment, 6) for moment in seconds], allocated, reserved, process, device)
