"""Live readings of a run, from a thread of their own: every event of the stand-in, torch's counters of a GPU."""

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import monotonic
from typing import NamedTuple, TypeAlias

import msgspec

from vramtuner.core.device.gauges import Source
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
    """At most so many rows: of each stretch its lowest and its highest, in their order, so that no peak is lost.

    What else is counted beside the bytes in tensors has its highest in both.
    """
    if len(rows) <= most:
        return list(rows)
    stretches = max(most // 2, 1)
    kept = []
    for number in range(stretches):
        stretch = range(len(rows) * number // stretches, len(rows) * (number + 1) // stretches)
        low = min(stretch, key=lambda place: rows[place].allocated)
        high = max(stretch, key=lambda place: rows[place].allocated)
        reserved = max(rows[place].reserved for place in stretch)
        process, device = max(rows[place].process for place in stretch), max(rows[place].device for place in stretch)
        kept += [
            rows[place]._replace(reserved=reserved, process=process, device=device) for place in sorted({low, high})
        ]
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
                now = monotonic()
                for row in _rows(meter, source, now, began):
                    # A pass may note a moment and be held up before it hands it on.
                    last = held[-1].seconds if held else last
                    held.append(row._replace(seconds=max(row.seconds, last)))
                if ended:
                    break
                if now >= due and held and offer(_batch(request_id, held)):
                    last = held[-1].seconds
                    held, due = [], now + _BATCH_SECONDS - meter.tick_seconds / 2
                elif len(held) > _MOST_HELD:
                    held = thinned(held, _MOST_HELD // 2)
            except (RuntimeError, MemoryError):  # the GPU is lost, which the pass says; or this machine is full
                if ended:
                    break
        send(_batch(request_id, held))

    thread = threading.Thread(target=sample, name="sampler", daemon=True)
    thread.start()
    try:
        yield lambda: monotonic() - began
    finally:
        stop.set()
        thread.join()
        source.close()


def _rows(meter: Meter, source: Source, now: float, began: float) -> list[_Row]:
    """What the meter noted since it was asked last, beside what the driver or the kernel counts now."""
    points, seen = meter.readings(), source.read(now)
    used = meter.device_used() if seen.vram_used is None else seen.vram_used
    return [_Row(when - began, live, kept, seen.own or 0, used) for when, live, kept in points]


def _batch(request_id: int, rows: Sequence[_Row]) -> Samples:
    columns = [list(column) for column in zip(*rows, strict=True)] or [[] for _ in _Row._fields]
    seconds, allocated, reserved, process, device = columns
    return Samples(request_id, [round(moment, 6) for moment in seconds], allocated, reserved, process, device)
