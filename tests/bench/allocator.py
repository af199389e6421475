"""How long a replay of the allocator takes: ``python tests/bench/allocator.py``.

Prints a line for each shipped tape of one preset and for one made-up tape of 30,000 events; nothing passes or fails.
"""

import random
from collections.abc import Sequence
from time import perf_counter

from vramtuner.core.model.find import PRESETS, load_preset
from vramtuner.core.settings import ATTENTIONS, TapeKey
from vramtuner.core.tape.allocator import parse_options, replay
from vramtuner.core.tape.store import find_tape
from vramtuner.core.units import format_bytes

TOKENS = 4096
OPTIONS = ("", "expandable_segments:True", "max_split_size_mb:64")


def measure(name: str, events: Sequence[int], sizes: Sequence[int]) -> None:
    for text in OPTIONS:
        options = parse_options(text)
        times = []
        for _ in range(5):
            start = perf_counter()
            result = replay(events, sizes, None, options)
            times.append(perf_counter() - start)
        shown = [format_bytes(size) for size in (result.requested_peak, result.allocated_peak, result.reserved_peak)]
        figures = "".join(f"{text:>12}" for text in (*shown, f"{1000 * min(times):.1f} ms"))
        print(f"{name:24} {text or 'defaults':26} {len(events):7,} events{figures}")  # noqa: T201


def made_up(storages: int) -> tuple[list[int], list[int]]:
    """Storages of any size and any life, the worst an allocator meets."""
    chance = random.Random(0)
    sizes = [int(2 ** chance.uniform(9, 27)) for _ in range(storages)]
    events: list[int] = []
    live: list[int] = []
    for number in range(1, storages + 1):
        if len(live) > 500 or (live and chance.random() < 0.45):
            events.append(-live.pop(chance.randrange(len(live))))
        events.append(number)
        live.append(number)
    events += [-number for number in live]
    return events, sizes


def main() -> None:
    print(f"{'':24} {'':26} {'':14}{'requested':>12}{'allocated':>12}{'reserved':>12}{'best of 5':>12}")  # noqa: T201
    for preset in PRESETS:
        for attention in ATTENTIONS:
            tape = find_tape(load_preset(preset), TapeKey(dtype="fp16", attention=attention))
            regimes = tape.regimes if tape else ()
            for regime in regimes:
                if regime.from_tokens <= TOKENS <= regime.to_tokens:
                    columns = zip(regime.a, regime.b, regime.c, strict=True)
                    sizes = [round(a + b * TOKENS + c * TOKENS * TOKENS) for a, b, c in columns]
                    measure(f"{preset} {attention}", regime.events, sizes)
    measure("made up", *made_up(15_000))


if __name__ == "__main__":
    main()
