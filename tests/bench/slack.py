"""How often the allocator's slack is more than forecast: ``python tests/bench/slack.py``.

Replays the tapes of some plans at random lengths up to their limits and compares with what the forecast says there.
The replay is a model of PyTorch's allocator too; what is measured is what the forecast loses by not replaying every
length.  Exit code 1 when a replay needs more than the forecast reserves with its default margin.
"""

import random
from dataclasses import dataclass
from math import log2
from time import perf_counter

from vramtuner.core.device.find import find_device
from vramtuner.core.forecast import Forecast, forecast
from vramtuner.core.model.find import load_preset
from vramtuner.core.recording import find_tapes
from vramtuner.core.request import phases
from vramtuner.core.settings import Levers
from vramtuner.core.tape.format import Tape
from vramtuner.core.tape.slack import slack_at
from vramtuner.core.units import MIB

LENGTHS = 300
PLANS: tuple[tuple[str, str, Levers], ...] = (
    ("gpt2", "w7900", Levers()),
    ("phi-2", "w7900", Levers(attention="math")),
    ("llama-2-7b", "w7900", Levers(attention="flash")),
    ("llama-2-13b", "w6800", Levers(weights="nf4")),
    ("mistral-7b", "w7900", Levers()),
    ("llama-3.1-8b", "rx7900xtx", Levers()),
    ("qwen2.5-7b", "w7900", Levers(weights="nf4")),
    ("qwen3-8b", "mi210", Levers()),
    ("gemma-2-9b", "w7900", Levers()),
)


@dataclass(frozen=True, slots=True)
class Row:
    """Of the lengths of a plan: how many need more than forecast, and how far off the slack is."""

    name: str
    limit: int
    seconds: float
    more: int
    beyond_margin: int
    worst: float
    mean: float
    worst_mib: float


def measure(plan: Forecast, tape: Tape, name: str, seconds: float) -> Row:
    chance = random.Random(plan.spec.config_hash)
    fused_upcast = plan.device.is_gpu and plan.key.dtype == "fp16"
    lengths = [int(2 ** chance.uniform(5, log2(plan.limit.tokens))) for _ in range(LENGTHS)]
    lacking = [
        slack_at(tape, plan.levers.allocator, fused_upcast, tokens) - plan.component_bytes(tokens)["allocator"]
        for tokens in lengths
    ]
    shares = [lacks / plan.peak_bytes(tokens) for lacks, tokens in zip(lacking, lengths, strict=True)]
    return Row(
        name,
        plan.limit.tokens,
        seconds,
        more=sum(lacks > 0 for lacks in lacking),
        beyond_margin=sum(lacks > plan.margin_bytes(tokens) for lacks, tokens in zip(lacking, lengths, strict=True)),
        worst=max(shares),
        mean=-sum(shares) / len(shares),
        worst_mib=max(lacking) / MIB,
    )


def main() -> int:
    rows = []
    print(f"{'':44}{'limit':>9}{'first':>9}{'too low':>9}{'beyond':>8}{'worst':>16}{'too high':>10}")  # noqa: T201
    for preset, card, levers in PLANS:
        spec, device = load_preset(preset), find_device(card)
        parts = phases(spec, device, levers)
        tapes = find_tapes(spec, parts)
        if tapes is None:
            print(f"{preset}: no tape at hand")  # noqa: T201
            continue
        start = perf_counter()
        plan = forecast(spec, device, levers, *tapes)
        seconds = perf_counter() - start
        row = measure(plan, tapes[0], f"{preset} {plan.attention} {levers.weights} on {card}", seconds)
        print(  # noqa: T201
            f"{row.name:44}{row.limit:9,}{row.seconds:8.2f}s{row.more:9}{row.beyond_margin:8}"
            f"{row.worst_mib:8.0f} MiB{row.worst:7.2%} {row.mean:7.2%}",
            flush=True,
        )
        rows.append(row)
    more, beyond = sum(row.more for row in rows), sum(row.beyond_margin for row in rows)
    print(f"{more} of {len(rows) * LENGTHS} lengths too low, {beyond} beyond the margin")  # noqa: T201
    return int(beyond > 0)


if __name__ == "__main__":
    raise SystemExit(main())
