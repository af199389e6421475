"""One case, measured: its tapes are recorded and its passes run by the probe, as the program does it."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import msgspec
from blocks import replay_passes
from cases import Case, Phase, Scale, spec_of

from vramtuner.core.device.spec import Device
from vramtuner.core.forecast import Forecast, forecast
from vramtuner.core.probe.client import Probe
from vramtuner.core.probe.protocol import PassResult, Samples
from vramtuner.core.recording import get_tapes
from vramtuner.core.request import phases
from vramtuner.core.settings import Levers
from vramtuner.core.tape.envelope import envelope_of
from vramtuner.core.tape.format import Component, Tape
from vramtuner.core.units import KIB, MIB
from vramtuner.core.validation import profile_request

_MOST_WORKSPACE_BYTES = 256 * MIB


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """A pass: what was forecast and what was measured.  [bytes, and errors as fractions of what was measured]

    Attributes
    ----------
    tokens
        Of the request; ``rows`` of it run at a time.
    idle_bytes
        What stayed allocated between passes: weights, and on a card workspaces and the rounding of both.
    forecast_bytes
        Tensors beside the weights.
    blocks_bytes
        The same in the allocator's blocks, which is what a card counts; as ``forecast_bytes`` on the stand-in.
    measured_bytes
        The peak less what stayed.
    error
        Of ``blocks_bytes``; ``tensor_error`` of ``forecast_bytes``.
    copied_error
        As ``error`` if softmax did copy 16-bit scores; ``None`` where a tape has no such copy.
    reserved_forecast_bytes, reserved_bytes
        All segments: by the replay, and as torch counts them.  ``None`` where nothing measured it.
    needed_bytes
        What the program tells a person to reserve, overhead and default margin included.
    """

    model: str
    model_type: str
    dtype: str
    attention: str
    phase: str
    tokens: int
    rows: int
    outcome: str
    weight_bytes: int
    weight_forecast_bytes: int
    idle_bytes: int
    forecast_bytes: int
    blocks_bytes: int
    measured_bytes: int
    error: float
    tensor_error: float
    copied_error: float | None
    reserved_forecast_bytes: int | None
    reserved_bytes: int | None
    reserved_error: float | None
    needed_bytes: int
    seconds: float
    message: str = ""


class LimitRow(msgspec.Struct, frozen=True, kw_only=True):
    """A pool, and requests around its limit.

    Attributes
    ----------
    limit, outcome
        The forecast's limit [tokens] with no margin, and how a request of it ended.
    one_per_cent, one_per_cent_outcome
        A request one per cent longer: how close the limit is.
    surely_over, over_outcome
        The shortest request whose tensors alone are more than torch may take; ``None`` where the model ends before.
    message
        The refusal's own text.
    """

    model: str
    model_type: str
    dtype: str
    attention: str
    rows: int
    pool_bytes: int
    torch_bytes: int
    bound_by: str
    limit: int
    outcome: str
    peak_bytes: int
    one_per_cent: int
    one_per_cent_outcome: str
    surely_over: int | None
    over_outcome: str | None
    message: str
    requested_bytes: int
    seconds: float


class Failure(msgspec.Struct, frozen=True, kw_only=True):
    """A case that gave no result, and why."""

    case: str
    why: str


def run_passes(probe: Probe, plan: Forecast, lengths: tuple[int, ...]) -> tuple[tuple[PassResult, ...], int | None]:
    """Run requests of these lengths [tokens] under a forecast's levers and pool.

    Returns
    -------
    tuple[tuple[PassResult, ...], int | None]
        Each begins with nothing cached but the weights.  Beside them what stays allocated when they are over, while
        the model is still there; ``None`` on the stand-in, where that is the weights.  [bytes]

    Raises
    ------
    AppError
        They could not be run, or were cancelled.
    """
    events = list(probe.run(profile_request(plan, lengths)))
    results = tuple(event for event in events if isinstance(event, PassResult))
    # The last sample is taken after the last pass.
    last = [event.allocated[-1] for event in events if isinstance(event, Samples) and event.allocated][-1:]
    return results, last[0] if plan.device.is_gpu and last else None


def plan_for(case: Case, device: Device, levers: Levers, probe: Probe) -> tuple[Forecast, tuple[Tape, ...]]:
    """The forecast of a case, as the program makes it; its tapes are recorded.

    Raises
    ------
    AppError
        It cannot be recorded.
    """
    spec = spec_of(case.shape)
    tapes = get_tapes(spec, phases(spec, device, levers), probe)
    return forecast(spec, device, levers, *tapes), tapes


def measure_passes(case: Case, device: Device, pool_bytes: int, scale: Scale, probe: Probe) -> list[Row]:
    """Prompts and steps of a case; none where the model's class runs another kernel, which is a case of its own.

    Raises
    ------
    AppError
        They could not be recorded or run.
    """
    rows: list[Row] = []
    phase: Phase
    for phase in ("prefill", "decode"):
        lengths = scale.prefill if phase == "prefill" else scale.decode
        levers = Levers(attention=case.attention, pool_bytes=pool_bytes)
        if phase == "decode":
            # Requests of one token of prompt: all but the last token are generated after it.
            levers = msgspec.structs.replace(levers, new_tokens=max(lengths) - 1, batch_size=scale.rows)
        plan, tapes = plan_for(case, device, levers, probe)
        if plan.attention != case.attention:
            return []
        results, idle = run_passes(probe, plan, lengths)
        rows += [_row(case, plan, tapes[-1], phase, result, idle) for result in results]
    return rows


def _row(case: Case, plan: Forecast, tape: Tape, phase: Phase, result: PassResult, stays: int | None) -> Row:
    fused = plan.device.is_gpu and plan.key.dtype == "fp16"
    plain = forecast_bytes(tape, result.tokens, fused_upcast=fused)
    weights = replay_passes(tape, [], 0, fused_upcast=fused) if stays else None
    spare = max((stays or 0) - weights.allocated_end, 0) if weights else 0
    replayed = replay_passes(tape, [result.tokens], spare, fused_upcast=fused) if weights else None
    blocks = plain if replayed is None else replayed.allocated_peak - replayed.allocated_end
    idle = result.weight_bytes if stays is None else stays
    measured = result.peak_bytes - idle
    copied = forecast_bytes(tape, result.tokens, fused_upcast=False) - plain
    expected = replayed.reserved_peak if replayed else None
    # More than any library keeps is the model of an earlier request that is still there, and no clean figure.
    held = result.reserved_bytes if plan.device.is_gpu and spare <= _MOST_WORKSPACE_BYTES else 0
    return Row(
        model=case.shape.name,
        model_type=case.shape.model_type,
        dtype=plan.key.dtype,
        attention=case.attention,
        phase=phase,
        tokens=result.tokens,
        rows=plan.levers.batch_size,
        outcome=result.outcome,
        weight_bytes=result.weight_bytes,
        weight_forecast_bytes=plan.weight_bytes,
        idle_bytes=idle,
        forecast_bytes=plain,
        blocks_bytes=blocks,
        measured_bytes=measured,
        error=(blocks - measured) / max(measured, 1),
        tensor_error=(plain - measured) / max(measured, 1),
        copied_error=(blocks + copied - measured) / max(measured, 1) if copied else None,
        reserved_forecast_bytes=expected,
        reserved_bytes=held or None,
        reserved_error=(expected - held) / held if expected and held else None,
        needed_bytes=plan.needed_bytes(result.tokens),
        seconds=round(result.seconds, 4),
        message=result.message,
    )


def forecast_bytes(tape: Tape, tokens: int, *, fused_upcast: bool) -> int:
    """Tensors beside the weights at a pass's peak."""
    parts = envelope_of(tape, fused_upcast=fused_upcast).component_bytes([tokens])[:, 0]
    return round(float(parts.sum() - parts[Component.WEIGHTS]))


def measure_limit(case: Case, device: Device, pool_bytes: int, scale: Scale, probe: Probe) -> LimitRow:
    """A pool of whole KiB around a request of about ``scale.limit_bytes``, and requests around its limit.

    Raises
    ------
    AppError
        They could not be recorded or run.
    """
    rows = scale.rows if device.is_gpu else 1
    levers = Levers(attention=case.attention, margin=0.0, pool_bytes=pool_bytes, batch_size=rows)
    plan, _ = plan_for(case, device, levers, probe)
    most = min(plan.weight_bytes + scale.limit_bytes, pool_bytes - device.overhead_bytes)
    longest = plan.max_tokens * 9 // 10
    target = last_length(lambda tokens: plan.tensor_bytes(tokens) <= most, longest)
    pool = min(plan.peak_bytes(target) // KIB * KIB, pool_bytes)
    plan, _ = plan_for(case, device, msgspec.structs.replace(levers, pool_bytes=pool), probe)
    limit, allowed = plan.limit.tokens, pool - device.outside_torch_bytes
    over = last_length(lambda tokens: plan.tensor_bytes(tokens) <= allowed, plan.max_tokens) + 1
    surely = over if over <= plan.max_tokens else None
    hundredth = max(limit + 1, -(-limit * 101 // 100))
    lengths = tuple(dict.fromkeys(tokens for tokens in (limit, hundredth, surely) if tokens))
    found = {result.tokens: result for result in run_passes(probe, plan, lengths)[0]}
    refused = [result for result in found.values() if result.outcome != "ok"]
    return LimitRow(
        model=case.shape.name,
        model_type=case.shape.model_type,
        dtype=plan.key.dtype,
        attention=plan.attention,
        rows=rows,
        pool_bytes=pool,
        torch_bytes=allowed,
        bound_by=plan.limit.bound_by,
        limit=limit,
        outcome=found[limit].outcome,
        peak_bytes=found[limit].peak_bytes,
        one_per_cent=hundredth,
        one_per_cent_outcome=found[hundredth].outcome,
        surely_over=surely,
        over_outcome=found[surely].outcome if surely else None,
        message=refused[-1].message if refused else "",
        requested_bytes=refused[-1].requested_bytes if refused else 0,
        seconds=round(sum(result.seconds for result in found.values()), 3),
    )


def last_length(fits: Callable[[int], bool], longest: int) -> int:
    """The longest length that fits, if shorter ones do as well; 1 at least.  [tokens]"""
    low, high = 1, longest + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


@contextmanager
def no_longer_than(seconds: float, probe: Probe) -> Iterator[None]:
    """Cancel what the probe does when the time is over."""
    timer = threading.Timer(max(seconds, 1.0), probe.cancel)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
