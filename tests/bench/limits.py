"""The token limit under an enforced pool: ``python tests/bench/limits.py [CLASS…]``.

Scaled-down models of each class with each attention kernel, and four of them under every lever that changes what a
request takes.  Each gets a pool of whole KiB, on the CPU stand-in, whose pool is enforced: real requests of exactly the
limit and of one per cent more must succeed and run out of memory.  One token more is tried besides.

Left out of the count of limits that are too low are requests whose forecast says itself that it may be too high: the
last chunk of a prompt counts as a whole one, and a grouped cache as if it were quantized anew in the last step.  Their
limit must hold like any other.
"""

import subprocess
import sys
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from goals import ROOT, Goal, Section, in_two_processes, show, table
from scaled import MODELS, config_of, plan_for, spec_of, worker_probe

from vramtuner.core.errors import AppError
from vramtuner.core.model.find import find_model
from vramtuner.core.model.spec import ModelSpec
from vramtuner.core.probe.protocol import PassResult
from vramtuner.core.settings import ATTENTIONS, WEIGHTS, Attention, Levers
from vramtuner.core.units import KIB
from vramtuner.core.validation import profile_request

LEAST_CASES = 60
WIDTH = 256
_TARGETS = (307, 401, 509, 613, 751)
"""About where the limits are to be, one after another; a sliding window ends at 512.  [tokens]"""
_LEVERS: tuple[dict[str, Any], ...] = (
    {"new_tokens": 24},
    {"batch_size": 3},
    {"batch_size": 2, "new_tokens": 24},
    {"beams": 3, "new_tokens": 8},
    {"logits": "all"},
    {"logits": "all", "new_tokens": 24},
    {"dtype": "fp32"},
    {"dtype": "fp16", "new_tokens": 24},
    {"kv_cache": "static"},
    {"kv_cache": "static", "new_tokens": 24},
    {"kv_cache": "offloaded", "new_tokens": 24},
    {"pass_kind": "autograd"},
    {"pass_kind": "training"},
    {"pass_kind": "training", "checkpointing": True},
)
_LEVER_MODELS = ("llama", "gpt2", "mistral", "qwen3_moe")
# A model that slides has no quantized cache in transformers.
_QUANTIZED_CACHES: tuple[dict[str, Any], ...] = (
    {"kv_cache": "fp8", "new_tokens": 24},
    {"kv_cache": "int8"},
    {"kv_cache": "int4"},
)
_BOUNDS: tuple[dict[str, Any], ...] = (
    {"prefill_chunk": 64},
    {"prefill_chunk": 64, "new_tokens": 24},
    {"kv_cache": "int8", "new_tokens": 24},
    {"kv_cache": "int4", "new_tokens": 24},
)
_FULL_MODELS = ("llama", "gpt2", "qwen3_moe")


@dataclass(frozen=True, slots=True)
class Case:
    """A class, or a folder with weights; ``bound`` where the forecast may be too high."""

    model: str
    attention: Attention
    levers: dict[str, Any]
    target: int
    bound: bool = False
    folder: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """What came of a case: how passes at the limit, one token above and one per cent above it ended."""

    model: str
    attention: Attention
    levers: dict[str, Any]
    bound: bool
    ran: str = ""
    pool_bytes: int = 0
    limit: int = 0
    bound_by: str = ""
    phase: str = ""
    lengths: list[int] = field(default_factory=list)
    outcomes: list[str] = field(default_factory=list)
    peak_bytes: int = 0
    failure: str = ""

    @property
    def too_high(self) -> bool:
        """Whether a pass at the limit did not succeed."""
        return self.outcomes[:1] != ["ok"]

    @property
    def too_low(self) -> bool:
        """Whether a pass one per cent above it did not run out of memory."""
        return self.outcomes[2:] != ["out_of_memory"]

    @property
    def is_wrong(self) -> bool:
        return bool(self.failure) or self.too_high or (self.too_low and not self.bound)


def run(names: tuple[str, ...] = MODELS) -> Section:
    """All cases of classes whose names begin with one of ``names``."""
    with TemporaryDirectory() as folder:
        script = ROOT / "tests" / "data" / "make_models.py"
        subprocess.run([sys.executable, str(script), folder], check=True, capture_output=True)
        chosen = [case for case in cases(Path(folder)) if case.model.startswith(names)]
        rows = in_two_processes(measure, chosen)
    return Section([goal_of(rows)], markdown(rows), [asdict(row) for row in rows])


def cases(folder: Path) -> list[Case]:
    """Every case; ``folder`` has the models with weights to quantize."""
    found: list[Case] = []

    def add(model: str, attention: Attention, levers: dict[str, Any], **more: Any) -> None:
        found.append(Case(model, attention, levers, _TARGETS[len(found) % len(_TARGETS)], **more))

    for model in MODELS:
        for attention in ATTENTIONS:
            add(model, attention, {})
    for models, choices, bound in (
        (_LEVER_MODELS, _LEVERS, False),
        (_FULL_MODELS, _QUANTIZED_CACHES, False),
        (_FULL_MODELS, _BOUNDS, True),
    ):
        for place, levers in enumerate(choices):
            for shift, model in enumerate(models):
                add(model, ATTENTIONS[(place + shift) % len(ATTENTIONS)], levers, bound=bound)
    for weights in WEIGHTS[1:]:
        for attention in ATTENTIONS:
            levers = {"weights": weights, "new_tokens": 24 if attention == "math" else 0}
            add("llama", attention, levers, folder=str(folder / "tiny-llama"))
    return found


def measure(case: Case) -> Row:
    """One case: its forecast, its pool and the three requests."""
    row = Row(case.model, case.attention, case.levers, case.bound)
    try:
        return _measured(row, case)
    except AppError as error:
        return replace(row, failure=str(error))


def _measured(row: Row, case: Case) -> Row:
    spec = _spec(case)
    levers = Levers(attention=case.attention, margin=0.0, **case.levers)
    pool = plan_for(spec, levers).peak_bytes(case.target) // KIB * KIB
    plan = plan_for(spec, Levers(attention=case.attention, margin=0.0, pool_bytes=pool, **case.levers))
    limit = plan.limit.tokens
    lengths = (limit, limit + 1, max(limit + 1, -(-limit * 101 // 100)))
    passes = [event for event in worker_probe().run(profile_request(plan, lengths)) if isinstance(event, PassResult)]
    return replace(
        row,
        ran=plan.attention,
        pool_bytes=pool,
        limit=limit,
        bound_by=plan.limit.bound_by,
        phase=plan.limit.phase,
        lengths=list(lengths),
        outcomes=[result.outcome for result in passes],
        peak_bytes=passes[0].peak_bytes if passes else 0,
    )


def _spec(case: Case) -> ModelSpec:
    return find_model(case.folder) if case.folder else spec_of(config_of(case.model, WIDTH))


def goal_of(rows: list[Row]) -> Goal:
    exact = [row for row in rows if not row.bound]
    failed = sum(bool(row.failure) for row in rows)
    high, low = sum(row.too_high for row in rows), sum(row.too_low for row in exact)
    to_the_token = sum(row.outcomes[1:2] == ["out_of_memory"] for row in exact)
    bounds = [row for row in rows if row.bound]
    return Goal(
        "limit under an enforced pool: a request at the limit and one 1 % above it, margin 0",
        f"0 failures at the limit, 0 successes above, ≥ {LEAST_CASES} cases",
        f"{len(exact)} cases: {high} failures at the limit, {low} successes above it, {failed} without a result;"
        f" {to_the_token} exact to the token; {len(bounds)} more with an upper bound, of which the limit is low in"
        f" {sum(row.too_low for row in bounds)}",
        bool(exact) and not any(row.is_wrong for row in rows),
    )


def markdown(rows: list[Row]) -> str:
    head = [
        "class",
        "kernel",
        "ran",
        "levers",
        "pool [KiB]",
        "limit",
        "binds",
        "of the pool",
        "at it",
        "1 more",
        "1 % more",
    ]
    ends = {"ok": "fits", "out_of_memory": "OOM", "refused": "refused"}
    lines = []
    for row in rows:
        levers = ", ".join(f"{name} {value}" for name, value in row.levers.items()) or "-"
        outcomes = [row.failure, "-", "-"] if row.failure else [ends[outcome] for outcome in row.outcomes]
        used = f"{row.peak_bytes / row.pool_bytes:.4%}" if row.pool_bytes else "-"
        binds = f"{row.bound_by}, {row.phase}" if row.bound_by else "-"
        mark = " (bound)" if row.bound else ""
        pool = f"{row.pool_bytes // KIB:,}"
        lines.append([row.model, row.attention, row.ran, levers + mark, pool, row.limit, binds, used, *outcomes])
    about = (
        f"Models {WIDTH} wide, real requests on the CPU stand-in.  *Bound*: the forecast of these may be too high"
        " (chunks, grouped caches that grow), and only requests at the limit are judged.  *Of the pool*: the measured"
        " peak at the limit."
    )
    return f"## Limits under an enforced pool\n\n{about}\n\n{table(head, lines)}"


if __name__ == "__main__":
    sys.exit(show(partial(run, tuple(sys.argv[1:]) or MODELS)))
