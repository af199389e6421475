"""What a run says about the project's corrections and assumptions: each confirmed, refuted, or not spoken of.

The statements are those of ``core/`` that no card had confirmed when they were written.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import msgspec
from direct import allocator_script
from machine import Card, Overhead, SamplerCost
from measure import Failure, LimitRow, Row

from vramtuner.core.device.attention import auto_attention, experimental_is_set
from vramtuner.core.settings import ATTENTIONS, Dtype
from vramtuner.core.tape.allocator import replay
from vramtuner.core.tape.allocator_options import parse_options
from vramtuner.core.tape.caching_allocator import round_size, segment_size
from vramtuner.core.units import MIB, format_bytes

TENSORS_GOAL, RESERVED_GOAL = 0.005, 0.02
SAMPLER_GOAL = 0.01
"""Of one core, at 100 samples a second."""
_OWN_TOLERANCE = 64 * MIB
NEEDS_GPU = "needs a GPU"
Verdict: TypeAlias = Literal["confirmed", "refuted", "says nothing"]


class Claim(msgspec.Struct, frozen=True, kw_only=True):
    """A statement of the project, what the run says of it, and by which figures."""

    name: str
    statement: str
    verdict: Verdict
    why: str


@dataclass(frozen=True, slots=True)
class Found:
    """Everything that a run measured."""

    card: Card
    rows: list[Row] = field(default_factory=list)
    limits: list[LimitRow] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    overhead: Overhead | None = None
    sampler: SamplerCost | None = None

    @property
    def on_card(self) -> bool:
        return self.card.device.is_gpu


def row_problem(row: Row) -> str:
    """In what a pass misses the goals; empty when it does not."""
    if row.outcome != "ok":
        return f"{row.outcome.replace('_', ' ')}: {row.message}"
    found = []
    if row.weight_bytes != row.weight_forecast_bytes:
        found.append(f"weights off by {row.weight_forecast_bytes - row.weight_bytes:+,} bytes")
    if abs(row.error) > TENSORS_GOAL:
        found.append(f"tensors over {TENSORS_GOAL:.1%}")
    if row.reserved_error is not None and abs(row.reserved_error) > RESERVED_GOAL:
        found.append(f"reserved over {RESERVED_GOAL:.0%}")
    return ", ".join(found)


def limit_problem(row: LimitRow) -> str:
    """In what a limit is wrong; empty when it is not."""
    if row.outcome != "ok":
        return "a request at the limit does not fit"
    if row.surely_over is not None and row.over_outcome != "out_of_memory":
        return f"{row.surely_over:,} tokens are not refused"
    return ""


def claims_of(found: Found) -> list[Claim]:
    """All statements, in the order of a reader's interest."""
    return [
        *(_tensors(found, kernel) for kernel in ATTENTIONS),
        _weights(found), _sliding(found), _reserved(found, "prefill"), _reserved(found, "decode"), _margin(found),
        _limit(found), *_cap(found), *_softmax(found), _kernels(found), _allocator(found), _workspace(found),
        _overhead(found), _own_overhead(found), _sampler(found),
    ]  # fmt: skip


def _claim(name: str, statement: str, holds: bool | None, why: str) -> Claim:
    verdict: Verdict = "says nothing" if holds is None else "confirmed" if holds else "refuted"
    return Claim(name=name, statement=statement, verdict=verdict, why=why)


def _where(found: Found) -> str:
    return "" if found.on_card else " (on the CPU stand-in)"


def _worst(values: Iterable[float | None]) -> float | None:
    return max((value for value in values if value is not None), key=abs, default=None)


def _tensors(found: Found, kernel: str) -> Claim:
    notes = {
        "flash": "fused attention takes memory that grows with N",
        "math": "math attention holds every score, and `_safe_softmax` one byte a score more",
        "eager": "eager attention holds every score and its 32-bit softmax",
    }
    statement = f"{notes[kernel]}, and the tape has all of it: tensors within {TENSORS_GOAL:.1%}"
    rows = [row for row in found.rows if row.attention == kernel]
    if not rows:
        return _claim(f"tensors, {kernel}", statement, None, "no pass ran with this kernel")
    over = [row for row in rows if row.outcome != "ok" or abs(row.error) > TENSORS_GOAL]
    worst = _worst(row.error for row in rows)
    why = f"worst {worst:+.3%} of {len(rows)} passes, {len(over)} over{_where(found)}"
    return _claim(f"tensors, {kernel}", statement, not over, why)


def _weights(found: Found) -> Claim:
    statement = "a model's weights and buffers take what the tape says, to the byte"
    off = [row for row in found.rows if row.weight_bytes != row.weight_forecast_bytes]
    why = f"{len(off)} of {len(found.rows)} passes differ{_where(found)}"
    return _claim("weights", statement, not off if found.rows else None, why)


def _sliding(found: Found) -> Claim:
    statement = "a sliding window of W changes the operations between W - 1 and W tokens, and nowhere else"
    rows = [row for row in found.rows if row.model_type in ("gemma2", "mistral") and row.phase == "prefill"]
    over = [row for row in rows if row.outcome != "ok" or abs(row.error) > TENSORS_GOAL]
    why = f"{len(over)} of {len(rows)} prompts on both sides of a window are over{_where(found)}"
    return _claim("sliding window", statement, not over if rows else None, why)


def _reserved(found: Found, phase: str) -> Claim:
    whole = "the replay of a tape reserves what torch does" if phase == "prefill" else (
        "what the allocator holds for a step is that of one such pass after the weights")  # fmt: skip
    statement = f"{whole}, within {RESERVED_GOAL:.0%}"
    errors = [row.reserved_error for row in found.rows if row.phase == phase and row.reserved_error is not None]
    if not errors:
        why = "the probe told of no clean figure" if found.on_card else NEEDS_GPU
        return _claim(f"slack replay, {phase}", statement, None, why)
    over = sum(abs(error) > RESERVED_GOAL for error in errors)
    why = f"worst {_worst(errors):+.2%} of {len(errors)} passes, {over} over"
    return _claim(f"slack replay, {phase}", statement, not over, why)


def _margin(found: Found) -> Claim:
    statement = "no pass takes more of the card than the forecast says to reserve, default margin included"
    rows = [row for row in found.rows if row.reserved_bytes is not None]
    if not rows or found.overhead is None:
        return _claim("reservation", statement, None, "no overhead was measured" if found.on_card else NEEDS_GPU)
    outside = found.overhead.outside_bytes
    lacking = [(row.reserved_bytes or 0) + outside - row.needed_bytes for row in rows]
    short = sum(lacks > 0 for lacks in lacking)
    why = f"{short} of {len(rows)} passes took more; the closest left {format_bytes(abs(max(lacking)))}"
    return _claim("reservation", statement, not short, why)


def _limit(found: Found) -> Claim:
    statement = "a request at the limit fits the pool, and one whose tensors pass it is refused"
    rows = found.limits
    wrong = [row for row in rows if limit_problem(row)]
    tight = sum(row.one_per_cent_outcome == "out_of_memory" for row in rows)
    why = f"{len(wrong)} of {len(rows)} limits are wrong; 1 % above it {tight} are refused{_where(found)}"
    return _claim("limit", statement, not wrong if rows else None, why)


def _answer(found: Found, name: str) -> tuple[dict[str, Any] | None, str]:
    """What the card answered to a question, or why it did not."""
    if not found.on_card:
        return None, NEEDS_GPU
    answer = found.card.answers.get(name)
    if answer is None:
        return None, "the card's process ended before it answered"
    return (None, answer["problem"]) if "problem" in answer else (answer, "")


def _cap(found: Found) -> list[Claim]:
    answer, missing = _answer(found, "cap")

    def about(name: str, statement: str, judge: Callable[[dict[str, Any]], tuple[bool | None, str]]) -> Claim:
        return _claim(name, statement, *(judge(answer) if answer else (None, missing)))

    def kind(cap: dict[str, Any]) -> tuple[bool | None, str]:
        large = cap["large"]
        if large["exception"] is None:
            return False, f"{format_bytes(large['reserved_bytes'])} were given under a cap of {cap['allowed_bytes']:,}"
        return large["is_out_of_memory"], f"{large['exception']}: {large['message']}"

    def amount(cap: dict[str, Any]) -> tuple[bool | None, str]:
        held, allowed = cap["large"]["reserved_bytes"], cap["allowed_bytes"]
        return allowed - 32 * MIB < held <= allowed, f"{held:,} of {allowed:,} bytes were held at the refusal"

    def segment(cap: dict[str, Any]) -> tuple[bool | None, str]:
        small = cap["small"]
        if small["exception"] is None:
            return None, "the small tensor found room"
        options = parse_options("")
        size = segment_size(round_size(small["tensor_bytes"], options.roundup_power2_divisions), options)
        wanted = f"Tried to allocate {size / MIB:.2f} MiB"
        return wanted in small["message"], f"a tensor of {small['tensor_bytes']:,} bytes: {small['message'][:120]}"

    return [
        about("cap, exception", "a memory fraction refuses with torch.OutOfMemoryError", kind),
        about("cap, amount", "a memory fraction allows that share of mem_get_info's total, in segments", amount),
        about("cap, segment", "the size in a refusal is the segment's, not the tensor's", segment),
    ]


def _softmax(found: Found) -> list[Claim]:
    answer, missing = _answer(found, "softmax")
    claims = []
    for dtype, copies in (("fp16", False), ("bf16", True)):
        what = "copies bf16 scores to 32 bits" if copies else "makes no 32-bit copy of fp16 scores on a GPU"
        name, statement = f"softmax, {dtype}", f"softmax in 32 bits {what}"
        if answer is None:
            claims.append(_claim(name, statement, None, missing))
            continue
        beside, copy = answer[dtype], answer["copy_bytes"]
        why = f"{format_bytes(max(beside, 0))} beside the result, where a copy has {format_bytes(copy)}"
        agree, passes = _copied_rows(found, dtype)
        claims.append(_claim(name, statement, agree and (beside > copy // 2) is copies, why + passes))
    return claims


def _copied_rows(found: Found, dtype: str) -> tuple[bool, str]:
    """Whether passes agree with the correction at least as well as with a forecast without it, and how well."""
    pairs = [(row.error, row.copied_error) for row in found.rows if row.dtype == dtype and row.copied_error is not None]
    if not pairs:
        return True, ""
    worst, other = (_worst(values) or 0.0 for values in zip(*pairs, strict=True))
    text = f"; {len(pairs)} passes, worst {worst:+.2%}, and {other:+.2%} had it been copied"
    # Errors of another origin, of which the copy would hide a little, are no word against the correction.
    return abs(worst) <= TENSORS_GOAL or abs(worst) < 2 * abs(other), text


def _kernels(found: Found) -> Claim:
    statement = "the fused kernel is there or not as resources/attention_kernels.csv says"
    answer, missing = _answer(found, "kernels")
    device = found.card.device
    if answer is None or device.gfx is None:
        return _claim("attention kernel", statement, None, missing or f"the table is of AMD's targets; {_fused(found)}")
    differ = []
    for head, beside in answer["beside_bytes"].items():
        dtype, size, *grouped = head.split()
        choice = auto_attention(
            device, int(size), dtype=_dtype(dtype), grouped=bool(grouped), experimental=experimental_is_set(),
        )  # fmt: skip
        if is_fused(beside, answer["score_bytes"]) is not (choice.attention == "flash"):
            differ.append(f"{head} is not {choice.attention}")
    why = f"{device.gfx}: {_fused(found)}" + (f"; {', '.join(differ)}" if differ else "")
    return _claim("attention kernel", statement, not differ, why)


def _dtype(name: str) -> Dtype:
    return "fp16" if name == "fp16" else "bf16"


def is_fused(beside: Any, score_bytes: int) -> bool:
    """Whether an attention held less than a quarter of its scores."""
    return isinstance(beside, int) and beside < score_bytes // 4


def _fused(found: Found) -> str:
    answer = found.card.answers.get("kernels", {})
    heads = answer.get("beside_bytes", {})
    fused = [head for head, beside in heads.items() if is_fused(beside, answer["score_bytes"])]
    return f"fused for {len(fused)} of {len(heads)} kinds of heads"


def has_fused(card: Card, dtype: str, head_dim: int) -> bool:
    """Whether heads of a size, or the next larger that was asked, get a fused kernel; taken to be so when unknown."""
    answer = card.answers.get("kernels", {})
    heads = answer.get("beside_bytes")
    if not card.device.is_gpu or heads is None:
        return True
    size = next((size for size in (64, 128, 256) if head_dim <= size), 256)
    return is_fused(heads.get(f"{dtype} {size}"), answer["score_bytes"])


def _allocator(found: Found) -> Claim:
    statement = "the model of PyTorch's allocator, on 3,000 random events: segments within 2 %, tensors exact"
    answer, missing = _answer(found, "allocator")
    if answer is None:
        return _claim("allocator", statement, None, missing)
    if answer["reserved_before"]:
        return _claim("allocator", statement, None, "the allocator was not empty before")
    expected = replay(*allocator_script(), None)
    off = (expected.reserved_peak - answer["reserved_peak"]) / answer["reserved_peak"]
    blocks = (expected.allocated_peak - answer["allocated_peak"]) / answer["allocated_peak"]
    asked = answer["requested_peak"]
    same = asked is None or asked == expected.requested_peak
    why = f"segments {off:+.3%}, blocks {blocks:+.3%}, tensors {'equal' if same else 'differ'}"
    return _claim("allocator", statement, same and max(abs(off), abs(blocks)) <= RESERVED_GOAL, why)


def _workspace(found: Found) -> Claim:
    statement = "matrix products leave hipBLAS's 32 MiB (128 on MI300 and later) and hipBLASLt's 76 MiB at most"
    answer, missing = _answer(found, "workspace")
    if answer is None:
        return _claim("workspaces", statement, None, missing)
    most = max(answer["plain_bytes"], answer["with_bias_bytes"], 0)
    device = found.card.device
    assumed = device.overhead_range_bytes[1] - device.outside_torch_bytes
    why = f"{format_bytes(most)} are left, {format_bytes(assumed)} assumed"
    if not found.card.hip:
        return _claim("workspaces", statement, None, f"{why}; this is cuBLAS")
    return _claim("workspaces", statement, most <= assumed, why)


def _overhead(found: Found) -> Claim:
    low, high = found.card.device.overhead_range_bytes
    statement = "a process takes 0.24 to 0.83 GiB (0.34 to 0.92 on MI300 and later) beside the tape"
    measured = found.overhead
    if measured is None:
        return _claim("overhead", statement, None, "it could not be measured" if found.on_card else NEEDS_GPU)
    workspace = found.card.answers.get("workspace", {}).get("with_bias_bytes", 0)
    total = measured.outside_bytes + max(workspace, 0)
    why = (
        f"{format_bytes(max(total, 0))}: {format_bytes(max(measured.outside_bytes, 0))} outside torch by"
        f" {measured.counted_by} and {format_bytes(max(workspace, 0))} of workspaces"
    )
    if not found.card.hip:
        return _claim("overhead", statement, None, f"{why}; the range is ROCm's")
    return _claim("overhead", statement, low <= total <= high, f"{why}; assumed {format_bytes(low)} to"
                  f" {format_bytes(high)}")  # fmt: skip


def _own_overhead(found: Found) -> Claim:
    statement = "the probe's own count of what it has beside torch's memory, by which a stack is calibrated, is right"
    measured = found.overhead
    if measured is None or measured.own_bytes is None:
        why = "the probe could not tell" if found.on_card else NEEDS_GPU
        return _claim("overhead, own count", statement, None, why)
    off = measured.own_bytes - measured.outside_bytes
    why = f"{format_bytes(measured.own_bytes)}, {off / MIB:+.0f} MiB from the count of {measured.counted_by}"
    return _claim("overhead, own count", statement, abs(off) <= _OWN_TOLERANCE, why)


def _sampler(found: Found) -> Claim:
    statement = f"100 looks a second at the device's memory take at most {SAMPLER_GOAL:.0%} of a core"
    cost = found.sampler
    if cost is None:
        return _claim("sampler", statement, None, "it could not be measured")
    dearest = max(cost.sample_seconds, cost.counters_seconds or 0.0)
    why = f"{cost.sample_seconds * 1e6:.0f} µs a look by {cost.what}"
    if cost.counters_seconds is not None:
        why += f", {cost.counters_seconds * 1e6:.0f} µs at torch's counters in a pass"
    return _claim("sampler", statement, 100 * dearest <= SAMPLER_GOAL, f"{why}: {100 * dearest:.2%} of a core")
