"""What people read of a check, and the file that is kept of it."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from claims import NEEDS_GPU, Claim, Found, limit_problem, row_problem
from measure import LimitRow, Row

from vramtuner.core.units import format_bytes

SCHEMA = 1
_HEAD = (
    "what", "model", "kernel", "tokens", "forecast", "measured", "off", "reserved, replay", "measured", "off",
    "verdict",
)  # fmt: skip
_ENDS = {"ok": "fits", "out_of_memory": "refused", "refused": "refused"}
_NUMBERS = range(3, 10)


def table_of(found: Found) -> str:
    """One line for each pass and limit, then what was measured once."""
    lines = [_pass_line(row) for row in _ordered(found.rows)]
    for limit in _ordered(found.limits):
        lines += _limit_lines(limit)
    lines += [("failed", failure.case, *["-"] * 8, failure.why) for failure in found.failures]
    lines += _single_lines(found)
    return _aligned([_HEAD, *lines])


def _ordered(rows: Iterable[Any]) -> list[Any]:
    order = ("flash", "math", "eager")
    return sorted(rows, key=lambda row: (row.model_type, row.weight_bytes if isinstance(row, Row) else 0,
                                         order.index(row.attention)))  # fmt: skip


def _pass_line(row: Row) -> Sequence[str]:
    what = row.phase if row.rows == 1 else f"{row.phase} ×{row.rows}"
    reserved = row.reserved_forecast_bytes is not None and row.reserved_bytes is not None
    return (
        what,
        f"{row.model} {row.dtype}",
        row.attention,
        f"{row.tokens:,}",
        format_bytes(row.blocks_bytes),
        format_bytes(max(row.measured_bytes, 0)),
        "exact" if row.blocks_bytes == row.measured_bytes else f"{row.error:+.3%}",
        format_bytes(row.reserved_forecast_bytes or 0) if reserved else "-",
        format_bytes(row.reserved_bytes or 0) if reserved else "-",
        "-" if row.reserved_error is None else f"{row.reserved_error:+.2%}",
        row_problem(row) or "ok",
    )


def _limit_lines(row: LimitRow) -> list[Sequence[str]]:
    """The request at the limit, one per cent longer if that says more, and the shortest that cannot fit."""
    asked = [("limit", row.limit, "fits", row.outcome, f"ok, pool {format_bytes(row.pool_bytes)}")]
    if row.surely_over is None or row.one_per_cent < row.surely_over:
        near = "ok" if row.one_per_cent_outcome != "ok" else "fits too: the limit is lower than it need be"
        asked.append(("limit + 1 %", row.one_per_cent, "refused", row.one_per_cent_outcome, near))
    if row.surely_over is not None:
        asked.append(("over the limit", row.surely_over, "refused", str(row.over_outcome), "ok"))
    if problem := limit_problem(row):
        at = 0 if row.outcome != "ok" else -1
        asked[at] = (*asked[at][:-1], problem)
    model = f"{row.model} {row.dtype}"
    return [
        (what, model, row.attention, f"{tokens:,}", wanted, _ENDS[outcome], *["-"] * 4, verdict)
        for what, tokens, wanted, outcome, verdict in asked
    ]


def _single_lines(found: Found) -> list[Sequence[str]]:
    if not found.on_card:
        return [(what, *["-"] * 9, NEEDS_GPU) for what in ("reserved", "memory fraction", "overhead")]
    if found.overhead is None:
        return [("overhead", *["-"] * 9, "could not be measured")]
    low, high = found.card.device.overhead_range_bytes
    outside = format_bytes(max(found.overhead.outside_bytes, 0))
    assumed = f"workspaces besides; assumed {format_bytes(low)} to {format_bytes(high)} with them"
    return [("overhead", "-", "-", "-", "-", outside, *["-"] * 4, assumed)]


def _aligned(lines: Sequence[Sequence[str]]) -> str:
    """Columns without those in which nobody has anything; a long last one is not padded."""
    kept = [place for place in range(len(_HEAD)) if any(line[place] != "-" for line in lines[1:])]
    widths = {place: max(len(line[place]) for line in lines) for place in kept}
    shown = []
    for line in lines:
        *cells, last = (
            line[place].rjust(widths[place]) if place in _NUMBERS else line[place].ljust(widths[place])
            for place in kept
        )
        shown.append("  ".join([*cells, last.rstrip()]))
    rule = "-" * min(max(map(len, shown)), 160)
    return "\n".join([shown[0], rule, *shown[1:]])


def claims_text(claims: Iterable[Claim]) -> str:
    """Each statement with what the run says of it, what it refutes first."""
    order = ("refuted", "confirmed", "says nothing")
    lines = []
    for claim in sorted(claims, key=lambda claim: order.index(claim.verdict)):
        lines += [f"{claim.verdict:12}  {claim.name}: {claim.statement}", f"{'':12}    {claim.why}"]
    return "\n".join(lines)


def summary_of(found: Found, claims: Sequence[Claim], seconds: float) -> str:
    """One or two lines: what it comes to, and what there was no time for."""
    counts = {verdict: sum(claim.verdict == verdict for claim in claims) for verdict in ("confirmed", "refuted")}
    over = sum(bool(row_problem(row)) for row in found.rows) + sum(bool(limit_problem(row)) for row in found.limits)
    text = (
        f"{len(found.rows)} passes and {len(found.limits)} limits in {seconds:.0f} s, {over} over the goals,"
        f" {len(found.failures)} failed; {counts['confirmed']} statements confirmed, {counts['refuted']} refuted"
    )
    reasons: dict[str, list[str]] = {}
    for line in found.left_out:
        what, _, why = line.partition(": ")
        reasons.setdefault(why, []).append(what)
    return "\n".join([text, *(f"left out, {why}: {', '.join(what)}" for why, what in reasons.items())])


def exit_code_of(found: Found, claims: Iterable[Claim]) -> int:
    """0 when nothing is refuted or over the goals, else 1; a run without a single pass is no success either."""
    over = any(map(row_problem, found.rows)) or any(map(limit_problem, found.limits))
    return int(over or bool(found.failures) or not found.rows or any(claim.verdict == "refuted" for claim in claims))


def as_json(found: Found, claims: Sequence[Claim], about: dict[str, Any]) -> bytes:
    """Everything, for the file; ``about`` has the date, the versions, the options and the times."""
    device = found.card.device
    data = {
        "schema": SCHEMA,
        **about,
        "device": {
            "name": device.name, "key": device.key, "kind": device.kind, "gfx": device.gfx,
            "capability": found.card.capability, "memory_bytes": device.vram_bytes,
            "free_bytes": found.card.free_bytes, "hip": found.card.hip, "cuda": found.card.cuda,
            "driver": found.card.driver,
        },
        "claims": claims,
        "rows": [{**msgspec.to_builtins(row), "verdict": row_problem(row) or "ok"} for row in found.rows],
        "limits": [{**msgspec.to_builtins(row), "verdict": limit_problem(row) or "ok"} for row in found.limits],
        "failures": found.failures,
        "left_out": found.left_out,
        "overhead": found.overhead,
        "sampler": found.sampler,
        "answers": found.card.answers,
    }  # fmt: skip
    return msgspec.json.format(msgspec.json.encode(data), indent=1) + b"\n"


def file_name(found: Found, versions: dict[str, str], date: str) -> str:
    """Such as ``amd-radeon-rx-7900-xtx-torch-2.13.0-20260105-1200.json``."""
    plain = re.sub(r"[^a-z0-9.]+", "-", f"{found.card.device.name} torch {versions.get('torch', 'none')}".lower())
    return f"{plain.strip('-')}-{re.sub(r'[^0-9T]', '', date)[:13].replace('T', '-')}.json"
