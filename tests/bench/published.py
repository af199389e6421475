"""The forecast against published memory tables of real GPUs: ``python tests/bench/published.py``.

The tables are the Qwen2.5 and Qwen3 ones in ``../shared/cases/measured``: one request, prompts of four lengths, 2,048
new tokens, whole prefill, FlashAttention 2.  They are read there and not kept here.  Scored are the bfloat16 rows of
one GPU, as a fraction of the printed total: with nothing fitted, and after one constant for each model.  A figure of
two decimals cannot be met closer than half its last digit, which is let pass: 5 MiB, 0.5 % of the smallest total.

What the two tables print is not the same quantity:

- **Qwen2.5** prints "GB" and means GiB.  The script beside it (QwenLM/Qwen2.5, ``examples/speed-benchmark/
  speed_benchmark_transformers.py``) prints ``torch.cuda.max_memory_allocated`` after ``generate``, added up over the
  GPUs: the highest bytes in *blocks* that PyTorch's allocator had handed out.  That is the peak of the forecast's tape
  with every tensor in the block that the allocator gives for it, so the tape is replayed through the allocator's
  model; a block may be up to 1 MiB larger than its tensor, which is 144 MiB over the 144 MLP matrices of the 14B.
- **Qwen3** prints "MB" and means MiB, under the same words.  But its rows differ by exactly the KV cache of the tokens
  between them, for all models, and the peak of a whole prefill is far higher (20,267 printed for the 8B at 30,720
  tokens, where weights, cache and prefill activations need 23,078).  What is printed is what is left in tensors when
  the request ends: weights and KV cache.  That is what is compared; the forecast's peak is not what was measured.

In both, cuBLAS's workspace is taken from the same allocator: 8.125 MiB on an A100, 32 MiB on a Hopper such as the H20
(PyTorch, ``aten/src/ATen/cuda/CublasHandlePool.cpp``).  It is the only overhead that is counted here: neither figure
has the context in it.
"""

import json
import sys
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Any, Literal, TypeAlias

from vramtuner.core.device.find import cpu_device
from vramtuner.core.errors import AppError
from vramtuner.core.forecast import Forecast, forecast
from vramtuner.core.model.find import known_model_types
from vramtuner.core.model.spec import spec_from_config
from vramtuner.core.probe.client import Probe
from vramtuner.core.recording import get_tapes
from vramtuner.core.request import phases
from vramtuner.core.settings import Levers
from vramtuner.core.tape.allocator import Replay, replay
from vramtuner.core.tape.format import Component, Tape

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
CASES = ROOT.parent / "shared" / "cases" / "measured"
NO_CASES = "no published tables here: ../shared/cases/measured is not beside the repository"
NEW_TOKENS = 2048
GOAL, GOAL_FITTED = 0.015, 0.005
KIB, MIB, GIB = 2**10, 2**20, 2**30
_UNITS = {"GB": GIB, "MB": MIB}
_WORKSPACE = {"NVIDIA A100 80GB": (2 * 4096 + 8 * 16) * KIB, "NVIDIA H20 96GB": 8 * 4096 * KIB}

Quantity: TypeAlias = Literal["peak", "end of request"]


@dataclass(frozen=True, slots=True)
class Row:
    """A printed figure and the forecast of it, in bytes.

    Attributes
    ----------
    tensors
        Of the quantity, bytes that tensors asked for, and the workspace.
    blocks
        The same in the allocator's blocks: what the printed figure counts, and what is scored.
    peak
        The forecast's peak of the request in tensors, with the workspace.
    half_digit
        Half of the last digit that is printed.
    fitted
        ``blocks`` and the model's constant, the mean of what is left over in its scored rows.
    unscored
        Why the row is not scored; empty if it is.
    """

    model: str
    quantity: Quantity
    quantization: str
    prompt: int
    gpus: int
    published: int
    half_digit: float
    tensors: int
    blocks: int
    peak: int
    fitted: float
    unscored: str = ""

    @property
    def error(self) -> float:
        """Forecast minus published, as a fraction of the published total."""
        return (self.blocks - self.published) / self.published

    @property
    def tensors_error(self) -> float:
        return (self.tensors - self.published) / self.published

    @property
    def fitted_error(self) -> float:
        return (self.fitted - self.published) / self.published


@dataclass(frozen=True, slots=True)
class Growth:
    """How much a quantized row grew over the shortest prompt's, printed and forecast in bfloat16 [bytes].

    GPTQ and AWQ kernels compute in 16 bits and keep a 16-bit cache, so that what comes with the tokens should be what
    the bfloat16 forecast says; their weights are not forecast here.
    """

    model: str
    quantization: str
    prompt: int
    gpus: int
    published: int
    forecast: int


def main() -> int:
    """Print and write the tables; 1 if a scored row is over a goal, 0 where there are no tables."""
    with closing(Probe()) as probe:
        rows, growths = run(probe)
    text = markdown(rows, growths)
    build = ROOT / "build"
    build.mkdir(exist_ok=True)
    (build / "published.md").write_text(text)
    found = {"rows": [as_json(row) for row in rows], "quantized": [asdict(growth) for growth in growths]}
    (build / "published.json").write_text(json.dumps(found, indent=2) + "\n")
    sys.stdout.write(text)
    return 1 if any(map(is_over, rows)) else 0


def is_over(row: Row) -> bool:
    """Whether a scored row is further from the printed figure than promised, and than the figure's own rounding."""
    if row.unscored:
        return False
    rounding = row.half_digit / row.published
    return abs(row.error) > GOAL + rounding or abs(row.fitted_error) > GOAL_FITTED + rounding


def as_json(row: Row) -> dict[str, Any]:
    """A row with its errors."""
    return {**asdict(row), "error": row.error, "tensors_error": row.tensors_error, "fitted_error": row.fitted_error}


def run(probe: Probe) -> tuple[list[Row], list[Growth]]:
    """All rows that can be forecast, and the growth of the quantized ones; nothing where there are no tables."""
    rows: list[Row] = []
    growths: list[Growth] = []
    models = json.loads((HERE / "published_models.json").read_text())
    for name, model in models.items():
        path = CASES / f"{name}.json"
        if not path.exists():
            continue
        case = json.loads(path.read_text())
        found = with_constant([_row(case, point, _request(case, model, point, probe)) for point in _bf16(case)])
        rows += found
        growths += _growths(case, found)
    return rows, growths


def _bf16(case: dict[str, Any]) -> list[dict[str, Any]]:
    return [point for point in case["points"] if point["quantization"] == "BF16"]


@dataclass(frozen=True, slots=True)
class _Request:
    """A request's forecast, its prefill's tape, and its passes in the allocator's blocks."""

    plan: Forecast
    cache_end: int
    blocks: Replay


def _request(case: dict[str, Any], model: dict[str, Any], point: dict[str, Any], probe: Probe) -> _Request:
    spec = spec_from_config(
        model["config"], name=case["model"], source=model["source"], known_types=known_model_types()
    )
    prompt, device = point["input_tokens"], cpu_device()
    levers = Levers(
        new_tokens=NEW_TOKENS, token_cap=prompt + NEW_TOKENS, dtype="bf16", attention="flash", logits="last"
    )
    parts = phases(spec, device, levers)
    tapes = get_tapes(spec, parts, probe)
    plan = forecast(spec, device, levers, *tapes)
    stated = 2 * model["parameters"]
    if not 0 <= plan.weight_bytes - stated < 0.001 * stated:  # buffers, such as rotary frequencies, come on top
        raise AssertionError(f"{case['model']}: {plan.weight_bytes} bytes of weights, {stated} published")
    cache_end = sum(_cache_rows(tapes[0])) * (prompt + NEW_TOKENS - 1)
    return _Request(plan, cache_end, in_blocks(tapes[0], prompt, workspace_of(case)))


def workspace_of(case: dict[str, Any]) -> int:
    """cuBLAS's workspace on the GPU of a case [bytes]."""
    return _WORKSPACE[case["gpu"]["model"]]


def _cache_rows(tape: Tape) -> list[int]:
    """Bytes a token of each tensor of the KV cache."""
    regime = tape.regimes[0]
    return [round(b) for b, code in zip(regime.b, regime.component, strict=True) if code == Component.KV_CACHE]


def in_blocks(tape: Tape, prompt: int, workspace: int) -> Replay:
    """A request through the allocator: weights, the prefill, then a cache that grows by concatenation, step by step.

    The steps' other tensors are left out: they are freed within the step, and are a few MiB.
    """
    regime = tape.regimes[0]
    columns = zip(regime.a, regime.b, regime.c, strict=True)
    sizes = [max(0, round(a + b * prompt + c * prompt * prompt)) for a, b, c in columns]
    first = next(i for i, event in enumerate(regime.events) if regime.component[event - 1] != Component.WEIGHTS)
    sizes.append(workspace)
    events = [*regime.events[:first], len(sizes), *regime.events[first:]]
    live: dict[int, None] = {}
    for event in events:
        if event > 0:
            live[event] = None
        else:
            del live[-event]
    kept = (Component.WEIGHTS, Component.KV_CACHE)
    events += [-number for number in live if number != len(sizes) and regime.component[number - 1] not in kept]
    numbers = [i for i, code in enumerate(regime.component, start=1) if code == Component.KV_CACHE]
    rows = _cache_rows(tape)
    for step in range(1, NEW_TOKENS):
        for place, row in enumerate(rows):
            sizes.append(row * (prompt + step))
            events += [len(sizes), -numbers[place]]
            numbers[place] = len(sizes)
    return replay(events, sizes, None)


def _row(case: dict[str, Any], point: dict[str, Any], request: _Request) -> Row:
    unit, prompt, gpus = _UNITS[point["unit"]], point["input_tokens"], int(point["gpu_num"])
    published = round(float(point["value"]) * unit)
    quantity: Quantity = "peak" if point["unit"] == "GB" else "end of request"
    workspace, blocks = workspace_of(case), request.blocks
    peak = request.plan.tensor_bytes(prompt + NEW_TOKENS) + workspace
    end = request.plan.weight_bytes + request.cache_end + workspace
    digits = len(point["value"].partition(".")[2])
    found = Row(
        case["model"].removeprefix("Qwen/"), quantity, point["quantization"], prompt, gpus, published,
        half_digit=unit / 2 / 10**digits,
        tensors=peak if quantity == "peak" else end,
        blocks=blocks.allocated_peak if quantity == "peak" else blocks.allocated_end,
        peak=peak, fitted=0.0,
    )  # fmt: skip
    return replace(found, unscored=_unscored(found, request.cache_end // (prompt + NEW_TOKENS - 1)))


def _unscored(row: Row, cache_row: int) -> str:
    """Why a row says nothing about the forecast, if it does not."""
    if row.gpus > 1:
        return f"added up over {row.gpus} GPUs, each at its own peak"
    missing = round((row.blocks - row.published) / cache_row)
    if row.quantity == "end of request" and row.prompt == 1 and missing > NEW_TOKENS // 8:
        # With the other rows of the same table exact, a printed end below weights and cache is a shorter request.
        return f"its cache is that of about {NEW_TOKENS - missing:,} new tokens, not {NEW_TOKENS:,} (inferred)"
    return ""


def with_constant(rows: Sequence[Row]) -> list[Row]:
    """The rows of a model, with the mean of what is left over in the scored ones."""
    left = [row.published - row.blocks for row in rows if not row.unscored]
    constant = fmean(left) if left else 0.0
    return [replace(row, fitted=row.blocks + constant) for row in rows]


def _growths(case: dict[str, Any], rows: Sequence[Row]) -> list[Growth]:
    """Growth over the shortest prompt, for the quantized rows."""
    forecasts = {row.prompt: row.blocks for row in rows}
    shortest = min(forecasts)
    quantized = [point for point in case["points"] if point["quantization"] != "BF16"]
    values = {(p["quantization"], p["input_tokens"]): round(float(p["value"]) * _UNITS[p["unit"]]) for p in quantized}
    return [
        Growth(
            case["model"].removeprefix("Qwen/"), point["quantization"], point["input_tokens"], int(point["gpu_num"]),
            values[point["quantization"], point["input_tokens"]] - values[point["quantization"], shortest],
            forecasts[point["input_tokens"]] - forecasts[shortest],
        )
        for point in quantized
        if point["input_tokens"] in forecasts and point["input_tokens"] != shortest
    ]  # fmt: skip


def markdown(rows: Sequence[Row], growths: Sequence[Growth]) -> str:
    """Both tables, and what they amount to."""
    if not rows:
        return f"## Published memory tables\n\n{NO_CASES}\n"
    lines = [
        "## Published memory tables", "",
        f"Prompt and {NEW_TOKENS:,} new tokens, batch 1, FlashAttention 2, whole prefill; errors of the total.",
        "*Blocks* is scored: the figure as PyTorch's allocator counts it, with cuBLAS's workspace, nothing fitted.",
        "", "| model | prompt | what is printed | printed [MiB] | tensors | blocks | one constant a model | scored |",
        "| --- " * 8 + "|",
    ]  # fmt: skip
    for row in rows:
        lines.append(
            f"| {row.model} | {row.prompt:,} | {row.quantity} | {row.published / MIB:,.0f} | {row.tensors_error:+.2%}"
            f" | {row.error:+.2%} | {row.fitted_error:+.2%} | {row.unscored or 'yes'} |"
        )
    lines += ["", *_summary(rows), "", *_growth_table(growths)]
    return "\n".join(lines) + "\n"


def _summary(rows: Sequence[Row]) -> Iterable[str]:
    scored = [row for row in rows if not row.unscored]
    plain = [abs(row.error) for row in scored]
    fitted = [abs(row.fitted_error) for row in scored]
    yield (
        f"{len(scored)} rows scored of {len(rows)}: worst {max(plain):.2%} and mean {fmean(plain):.2%} with nothing"
        f" fitted (goal {GOAL:.1%}), worst {max(fitted):.2%} after one constant a model (goal {GOAL_FITTED:.1%});"
        f" {sum(map(is_over, rows))} over by more than the rounding of what is printed."
    )


def _growth_table(growths: Sequence[Growth]) -> Iterable[str]:
    """A line for each model and format, with the growth at every longer prompt."""
    yield "Quantized rows, not scored: growth over the shortest prompt [MiB], printed / by the bfloat16 forecast."
    yield ""
    prompts = sorted({row.prompt for row in growths})
    yield f"| model | weights | {' | '.join(f'{prompt:,}' for prompt in prompts)} | GPUs |"
    yield "| --- " * (3 + len(prompts)) + "|"
    for model, quantization in dict.fromkeys((row.model, row.quantization) for row in growths):
        mine = {row.prompt: row for row in growths if (row.model, row.quantization) == (model, quantization)}
        cells = [
            f"{mine[n].published / MIB:,.0f} / {mine[n].forecast / MIB:,.0f}" if n in mine else "-" for n in prompts
        ]
        gpus = ", ".join(sorted({str(row.gpus) for row in mine.values()}))
        yield f"| {model} | {quantization} | {' | '.join(cells)} | {gpus} |"


if __name__ == "__main__":
    try:
        sys.exit(main())
    except AppError as problem:
        sys.exit(f"published: {problem}")
