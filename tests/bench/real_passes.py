"""The forecast against PyTorch's own record of real passes: ``python tests/bench/real_passes.py [CLASS…]``.

Scaled-down models of each class, random weights, on the CPU, with each attention kernel: a prompt and 32 tokens that
are generated, at three lengths.  What they take is read from the events of PyTorch's allocator (torch.profiler) in a
process that knows nothing of vramtuner; the prompt's pass and the whole request are compared one by one, and requests
by transformers' ``generate`` besides.  The CPU stand-in's measure of the same requests is compared too.

The models are as wide as passes of a second allow, and their MLP four times as wide as they are: the CPU's fused
kernels keep buffers of their own for a while, of a size that does not grow with the model.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace

from goals import ROOT, Goal, Section, in_two_processes, percent, show, table
from scaled import MODELS, config_of, plan_of, worker_probe

from vramtuner.core.errors import AppError
from vramtuner.core.forecast import Forecast, measured_error
from vramtuner.core.probe.protocol import PassResult
from vramtuner.core.settings import ATTENTIONS, Attention, Levers
from vramtuner.core.validation import profile_request

GOAL = 0.005
LENGTHS = (333, 701, 1301)
NEW_TOKENS = 32
WIDTH, INNER = 512, 4


@dataclass(frozen=True, slots=True)
class Row:
    """Errors of a class and kernel: forecast minus record, as fractions of the recorded part above the weights.

    Attributes
    ----------
    prompt, request, generate
        Of the prompt's pass, of the prompt and 32 steps in a loop, and of the same by ``generate``; one a length.
    stand_in
        Of the request, against the CPU stand-in's measure.
    off_bytes
        The largest of the differences from the allocator's record.
    failure
        Why there is no result.
    """

    model_type: str
    attention: Attention
    ran: str = ""
    prompt: list[float] = field(default_factory=list)
    request: list[float] = field(default_factory=list)
    generate: list[float] = field(default_factory=list)
    stand_in: list[float] = field(default_factory=list)
    off_bytes: int = 0
    failure: str = ""

    @property
    def errors(self) -> list[float]:
        return [*self.prompt, *self.request, *self.generate, *self.stand_in]

    @property
    def is_over(self) -> bool:
        return bool(self.failure) or max(map(abs, self.errors), default=1.0) > GOAL


def run(names: tuple[str, ...] = MODELS) -> Section:
    """All classes whose names begin with one of ``names``, and all kernels."""
    chosen = [name for name in MODELS if name.startswith(names)]
    rows = [row for found in in_two_processes(measure, chosen) for row in found]
    return Section([goal_of(rows)], markdown(rows), [asdict(row) for row in rows])


def goal_of(rows: list[Row]) -> Goal:
    worst = max((abs(error) for row in rows for error in row.errors), default=None)
    over, failed = sum(row.is_over for row in rows), sum(bool(row.failure) for row in rows)
    passes = sum(len(row.prompt) + len(row.request) + len(row.generate) for row in rows)
    models = len({row.model_type for row in rows})
    return Goal(
        f"forecast against the allocator's own record of real passes, prefill and {NEW_TOKENS} decode steps",
        f"≤ {GOAL:.1%} worst, ≥ 15 models × 3 lengths × 2 kernels",
        f"worst {percent(worst)} in {passes} comparisons of {models} models; {over} of {len(rows)} rows over,"
        f" {failed} failed",
        bool(rows) and not over,
    )


def markdown(rows: list[Row]) -> str:
    head = ["class", "kernel", "ran", "prompt", "prompt + 32 steps", "`generate`", "stand-in", "most bytes off"]
    lines = []
    for row in rows:
        worst = [percent(max(errors, key=abs, default=None)) for errors in (row.prompt, row.request, row.generate)]
        stand_in = row.failure or percent(max(row.stand_in, key=abs, default=None))
        lines.append([row.model_type, row.attention, row.ran, *worst, stand_in, f"{row.off_bytes:,}"])
    lengths = ", ".join(map(str, LENGTHS))
    about = (
        f"Worst of {lengths} tokens, {NEW_TOKENS} of them generated, models {WIDTH} wide; forecast minus record, of the"
        " part above the weights.  `generate` passes the last token on no more, so that its cache is one row shorter,"
        " and keeps the ids and the mask of the prompt (16 bytes a token) and a 32-bit copy of the last logits."
    )
    return f"## Real passes\n\n{about}\n\n{table(head, lines)}"


def measure(name: str) -> list[Row]:
    """One class, all kernels, in this process and the two that it starts."""
    config, levers = config_of(name, WIDTH, INNER), Levers(new_tokens=NEW_TOKENS)
    plans: dict[Attention, Forecast] = {}
    rows = {attention: Row(name, attention) for attention in ATTENTIONS}
    for attention, row in rows.items():
        try:
            plan = plan_of(config, Levers(new_tokens=NEW_TOKENS, attention=attention))
            rows[attention] = replace(row, ran=plan.attention, stand_in=list(stand_in_errors(plan)))
            plans[attention] = plan
        except AppError as error:
            rows[attention] = replace(row, failure=str(error))
    cases: list[dict[str, object]] = [
        {"config": config, "attention": plan.attention, "tokens": tokens, "new_tokens": levers.new_tokens, "how": how}
        for plan in plans.values()
        for how in ("steps", "generate")
        for tokens in LENGTHS
    ]
    recorded = iter(allocator_peaks(cases))
    for attention, plan in plans.items():
        steps, generated = [next(recorded) for _ in LENGTHS], [next(recorded)[1] for _ in LENGTHS]
        rows[attention] = with_record(rows[attention], plan, steps, generated)
    return list(rows.values())


def with_record(row: Row, plan: Forecast, steps: list[tuple[int, int]], generated: list[int]) -> Row:
    """The row with what the allocator's events say at each length."""
    weights = plan.weight_bytes
    # The prompt's pass is the first of the request's.
    prompts = [round(float(plan.envelopes[0].component_bytes([tokens]).sum())) - weights for tokens in LENGTHS]
    requests = [plan.tensor_bytes(tokens) - weights for tokens in LENGTHS]
    records = [[first for first, _ in steps], [every for _, every in steps], generated]
    pairs = list(zip((prompts, requests, requests), records, strict=True))
    off = [[f - r for f, r in zip(forecast_, record, strict=True)] for forecast_, record in pairs]
    errors = [[d / r for d, r in zip(ds, rs, strict=True)] for ds, rs in zip(off, records, strict=True)]
    most = max((difference for part in off for difference in part), key=abs)
    return replace(row, prompt=errors[0], request=errors[1], generate=errors[2], off_bytes=most)


def stand_in_errors(plan: Forecast) -> Iterator[float]:
    for event in worker_probe().run(profile_request(plan, LENGTHS)):
        if isinstance(event, PassResult) and event.outcome == "ok":
            yield measured_error(plan, event.tokens, event.peak_bytes, event.weight_bytes)


def allocator_peaks(cases: list[dict[str, object]]) -> list[tuple[int, int]]:
    """What the allocator's events say of each case, in a process of its own."""
    script = ROOT / "tests" / "data" / "allocator_peak.py"
    out = subprocess.run([sys.executable, str(script)], input=json.dumps(cases), stdout=subprocess.PIPE, text=True)
    if out.returncode:
        raise RuntimeError(f"the allocator's record of {cases[0]['config']} failed; see above")
    return [(first, every) for first, every in json.loads(out.stdout)]


if __name__ == "__main__":
    sys.exit(show(lambda: run(tuple(sys.argv[1:]) or MODELS)))
