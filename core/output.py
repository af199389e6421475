"""What the command line prints: the JSON objects that scripts rely on, and the same for people."""

from collections.abc import Iterable
from typing import Any

import msgspec

from vramtuner.core.advice import advise
from vramtuner.core.comparison import Row
from vramtuner.core.deploy.engines import ENGINE_NAMES, EnginePlan
from vramtuner.core.device.holders import Holder
from vramtuner.core.device.spec import Heaps
from vramtuner.core.device.summary import DeviceSummary
from vramtuner.core.forecast import COMPONENT_LABELS, COMPONENT_NAMES, Forecast, measured_error
from vramtuner.core.model.spec import ModelSpec
from vramtuner.core.probe.protocol import PassResult
from vramtuner.core.profiling import article_limit, outcome_text
from vramtuner.core.request import PHASE_LABELS
from vramtuner.core.runs import Run
from vramtuner.core.text import printable
from vramtuner.core.units import format_bytes, format_tokens


def forecast_json(forecast: Forecast) -> dict[str, Any]:
    """The object that ``forecast --json`` prints; sizes in bytes, ``envelope`` as bytes = a + b·N + c·N²."""
    spec, device, key, tokens = forecast.spec, forecast.device, forecast.key, forecast.token_cap
    levers = forecast.levers
    return {
        "model": {
            "name": spec.name,
            "source": spec.source,
            "parameters": spec.parameters,
            "architecture": spec.architecture,
        },
        "device": {
            "name": device.name,
            "gfx": device.gfx,
            "vram_bytes": device.vram_bytes,
            "source": device.source,
        },
        "levers": {
            "pool_bytes": forecast.pool_bytes,
            "tokens": tokens,
            "batch": levers.batch_size,
            "weights": key.weights,
            "attention": forecast.attention,
            "attention_note": forecast.kernel.note,
            "new_tokens": levers.new_tokens,
            "beams": levers.beams,
            "kv_cache": levers.kv_cache,
            "prefill_chunk": levers.prefill_chunk,
            "pass": levers.pass_kind,
            "checkpointing": levers.checkpointing,
            "dtype": key.dtype,
            "logits": key.logits,
            "keep_modules": list(levers.keep_modules),
            "allocator": levers.allocator,
            "margin": levers.margin,
        },
        "tokens": tokens,
        "components_bytes": forecast.component_bytes(tokens),
        "peak_bytes": forecast.peak_bytes(tokens),
        "needed_bytes": forecast.needed_bytes(tokens),
        "pool_bytes": forecast.pool_bytes,
        "phase": forecast.phase_at(tokens),
        "fits": forecast.fits(tokens),
        "fits_reason": _unfit_reason(forecast),
        "limit": {
            "tokens": forecast.limit.tokens,
            "bound_by": forecast.limit.bound_by,
            "phase": forecast.limit.phase,
            "hard_cap": forecast.limit.hard_cap,
        },
        "envelope": _envelope_json(forecast),
        "method": forecast.method,
        "warnings": list(forecast.warnings),
        "advice": [
            {"change": advice.change, "limit_tokens": advice.limit_tokens, "note": advice.note}
            for advice in advise(forecast)
        ],
    }


def _unfit_reason(forecast: Forecast) -> str | None:
    """Why a request of the cap does not fit: ``pool``, or what ends before the pool does; ``None`` where it fits."""
    if forecast.fits(forecast.token_cap):
        return None
    return forecast.limit.bound_by if forecast.limit.bound_by in ("positions", "recorded_range") else "pool"


def _envelope_json(forecast: Forecast) -> list[dict[str, float | str]]:
    pieces: list[dict[str, float | str]] = []
    for phase, piece in forecast.pieces:
        a, b, c = (sum(row[degree] for row in piece.coefficients) for degree in range(3))
        a += forecast.overhead_bytes + piece.slack_bytes
        ends = {"from_tokens": piece.from_tokens, "to_tokens": piece.to_tokens}
        pieces.append({"a": a, "b": b, "c": c, **ends, "phase": phase})
    return pieces


def forecast_text(forecast: Forecast) -> str:
    """The forecast for a person: the verdict, the components, how it was made."""
    sizes = forecast.component_bytes(forecast.token_cap)
    phase = f", in {PHASE_LABELS[forecast.phase_at(forecast.token_cap)]}" if len(forecast.phases) > 1 else ""
    lines = [forecast.verdict, "", f"At {format_tokens(forecast.token_cap)}{phase}:"]
    lines += [f"  {COMPONENT_LABELS[name]:<22}{format_bytes(sizes[name]):>12}" for name in COMPONENT_NAMES]
    lines += [f"  {'peak':<22}{format_bytes(sum(sizes.values())):>12}"]
    lines += [f"  {'with the margin':<22}{format_bytes(forecast.needed_bytes(forecast.token_cap)):>12}"]
    lines += [f"  {'pool':<22}{format_bytes(forecast.pool_bytes):>12}", ""]
    lines += [f"! {warning}" for warning in forecast.warnings]
    best = advise(forecast)
    if best:
        lines.append(f"Most helpful: {best[0].change}, limit {format_tokens(best[0].limit_tokens)} ({best[0].note}).")
    lines.append(f"Method: {forecast.method}.")
    return "\n".join(lines)


def engine_json(plan: EnginePlan) -> dict[str, Any]:
    """The ``engine`` of ``forecast --json``; sizes in bytes."""
    return {
        "name": plan.engine,
        "components_bytes": dict(plan.components),
        "total_bytes": plan.total_bytes,
        "fits": plan.fits,
        "limit_tokens": plan.limit_tokens,
        "requests": plan.requests,
        "variables": dict(plan.variables),
        "command": list(plan.command),
        "method": plan.method,
        "notes": list(plan.notes),
    }


def engine_text(plan: EnginePlan) -> str:
    """What an engine allocates, for a person, and how it is started."""
    lines = [plan.verdict, "", f"{ENGINE_NAMES[plan.engine]} allocates for {format_tokens(plan.token_cap)}:"]
    lines += [f"  {COMPONENT_LABELS[name]:<22}{format_bytes(size):>12}" for name, size in plan.components]
    lines += [f"  {'total':<22}{format_bytes(plan.total_bytes):>12}"]
    lines += [f"  {'pool':<22}{format_bytes(plan.pool_bytes):>12}", ""]
    lines += [f"! {note}" for note in plan.notes]
    if plan.variables:
        lines.append(f"Variables: {' '.join(f'{name}={value}' for name, value in plan.variables)}")
    return "\n".join(
        [*lines, f"Start: vramtuner run --env deploy.env -- {' '.join(plan.command)}", f"Method: {plan.method}."]
    )


def device_json(index: int, entry: DeviceSummary) -> dict[str, Any]:
    """One entry of ``devices --json``."""
    device, free, kernel = entry.device, entry.free, entry.kernel
    heaps = device.heaps or Heaps(vram_total_bytes=device.vram_bytes, vram_used_bytes=device.vram_used_bytes)
    return {
        "index": index,
        "runtime_index": entry.runtime_index,
        "name": device.name,
        "gfx": device.gfx,
        "compute_units": device.compute_units,
        "pci_bus_id": device.pci_bus_id,
        "uuid": device.uuid,
        "vram_total_bytes": heaps.vram_total_bytes,
        "vram_used_bytes": heaps.vram_used_bytes,
        "gtt_total_bytes": heaps.gtt_total_bytes,
        "gtt_used_bytes": heaps.gtt_used_bytes,
        "integrated": device.integrated,
        "allocations": heaps.allocations if device.is_gpu else "ram",
        "allocatable_bytes": device.vram_bytes,
        "free_bytes": free.free_bytes,
        "free_driver_bytes": free.driver_bytes,
        "free_hip_bytes": free.hip_bytes,
        "free_difference_bytes": free.difference_bytes,
        "pool_default_bytes": device.default_pool_bytes,
        "overhead_bytes": device.overhead_bytes,
        "source": device.source,
        "attention_kernel": kernel.attention,
        "attention_note": kernel.note,
        "processes": [msgspec.structs.asdict(row) for row in entry.holders],
        "warnings": _device_warnings(entry),
    }


def _device_warnings(entry: DeviceSummary) -> list[str]:
    return [text for text in (entry.pool_warning, *entry.device.warnings) if text]


def device_text(entry: DeviceSummary) -> str:
    """A device in ``devices``: its memory, what it can run, who holds it, what to know."""
    device, free = entry.device, entry.free.free_bytes
    used = "" if device.vram_used_bytes is None else f", {format_bytes(device.vram_used_bytes)} used"
    left = "" if free is None else f", {format_bytes(free)} free"
    lines = [f"{device.key:<14}{device.name}: {format_bytes(device.vram_bytes)}{used}{left} ({device.source})"]
    if device.kind == "gpu":
        units = f", {device.compute_units} compute units" if device.compute_units else ""
        hip = "hidden from HIP" if entry.runtime_index is None else f"HIP's GPU {entry.runtime_index}"
        low, high = device.overhead_range_bytes
        lines.append(f"{device.gfx or 'gfx unknown'}{units}, at {device.pci_bus_id}, {hip}")
        lines.append(
            f"pool by default {format_bytes(device.default_pool_bytes)}, overhead {format_bytes(low)} to"
            f" {format_bytes(high)} (estimate)"
        )
    lines += [f"free now: {entry.free.counts_text}"] if entry.free.counts_text else []
    lines.append(f"attention: {entry.kernel.attention}, {entry.kernel.note}")
    lines += [_holder_text(row) for row in entry.holders]
    lines += [f"! {warning}" for warning in _device_warnings(entry)]
    return f"\n{'':<14}".join(lines)


def _holder_text(row: Holder) -> str:
    who = f"{'' if row.pid is None else row.pid:>9}  {row.name}{'' if row.user is None else f' ({row.user})'}"
    mapped = f", {format_bytes(row.gtt_bytes)} of system memory" if row.gtt_bytes else ""
    return f"{who:<52}{format_bytes(row.vram_bytes):>12}{mapped}"


def model_text(key: str, spec: ModelSpec) -> str:
    """One line of ``models``."""
    count = f"{spec.parameters:,} parameters" if spec.parameters else "parameters not counted"
    weights = f"{format_bytes(spec.stored_bytes)} of weights" if spec.stored_bytes else "config only"
    return f"{key:<16}{spec.architecture}: {count}, {spec.dtype}, {weights} ({spec.source})"


def pass_text(result: PassResult, forecast: Forecast) -> str:
    """One measured pass beside its forecast."""
    if result.outcome != "ok":
        return f"{result.tokens:>9,} tokens  {outcome_text(result.outcome)}: {printable(result.message, 400)}"
    error = measured_error(forecast, result.tokens, result.peak_bytes, result.weight_bytes)
    weights = ", weights: synthetic" if result.synthetic else ""
    return (
        f"{result.tokens:>9,} tokens  measured {format_bytes(result.peak_bytes)} on {forecast.device.name}, forecast"
        f" {error:+.2%} of the part above the weights, {result.seconds:.2f} s{phases_text(result)}{weights}"
    )


def phases_text(result: PassResult) -> str:
    """What each phase of a request took, where it has more than one."""
    if len(result.phases) < 2:
        return ""
    parts = (f"{phase.phase} {format_bytes(phase.peak_bytes)}, {phase.seconds:.2f} s" for phase in result.phases)
    return f" ({'; '.join(parts)})"


def validation_text(passes: Iterable[PassResult], pool_bytes: int) -> str:
    """The validation table: each pass, and its peak against the pool."""
    rows = [f"   tokens  outcome         peak, of {format_bytes(pool_bytes)}"]
    for result in passes:
        peak = f"{format_bytes(result.peak_bytes)} {result.peak_bytes / pool_bytes:.0%}" if result.peak_bytes else "-"
        rows.append(
            f"{result.tokens:>9,}  {outcome_text(result.outcome):<14}  {peak:<18}  "
            f"{printable(result.message, 400)}".rstrip()
        )
    return "\n".join(rows)


def before_after_text(rows: Iterable[Row]) -> str:
    """What the levers of a plan change, as the source article shows it: default and plan side by side."""
    lines = [(row.name, *row.texts, row.change) for row in rows]
    if not lines:
        return ""
    table = [("", "default", "this plan", "change"), *lines]
    widths = [max(len(line[place]) for line in table) for place in range(3)]
    return "\n".join(
        f"{name:<{widths[0]}}  {before:>{widths[1]}}  {after:>{widths[2]}}  {change}".rstrip()
        for name, before, after, change in table
    )


def article_text(plan: Forecast, passes: Iterable[PassResult]) -> str:
    """What the source article's rule of thumb makes of a pass of one token, beside the forecast: a line or nothing."""
    single = next((result for result in passes if result.tokens == 1 and result.outcome == "ok"), None)
    if single is None:
        return ""
    rule = article_limit(plan.pool_bytes, plan.overhead_bytes, single)
    return (
        f"The source article's rule, one token measured and a division, says {rule:,} tokens for this pool; the"
        f" forecast is {plan.limit.tokens:,}.\n"
    )


def run_text(run: Run) -> str:
    """A kept run: what it was made with, its passes, and how it ended."""
    header = run.header
    versions = ", ".join(f"{name} {number}" for name, number in sorted(header.versions.items()))
    lines = [
        f"{printable(header.spec.name)} on {printable(header.device.name)}, {printable(header.created)}",
        f"pool {format_bytes(header.pool_bytes)}, margin {header.levers.margin:.0%}, {printable(versions, 200)}",
    ]
    for result in run.passes:
        said = header.forecast_bytes.get(result.tokens)
        beside = "" if said is None or result.outcome != "ok" else f", forecast {format_bytes(said)}"
        detail = f"{format_bytes(result.peak_bytes)}{beside}, {result.seconds:.2f} s{phases_text(result)}"
        if result.outcome != "ok":
            detail = printable(result.message, 400)
        lines.append(f"{result.tokens:>9,} tokens  {outcome_text(result.outcome)}: {detail}")
    count = sum(1 for _ in run.samples())
    ended = "to its end" if run.complete else "cut short: what is here was kept until then"
    return "\n".join([*lines, f"{count:,} readings, {ended}"])


def run_json(run: Run) -> dict[str, Any]:
    """A kept run as an object: header and passes, without its readings."""
    return {
        "header": msgspec.to_builtins(run.header, str_keys=True),
        "passes": msgspec.to_builtins(run.passes),
        "readings": sum(1 for _ in run.samples()),
        "complete": run.complete,
    }
