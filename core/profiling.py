"""Real passes of a plan: which say most, keeping them, confirming the limit by them, and what they correct."""

import platform
from collections.abc import Callable, Iterable
from itertools import pairwise
from pathlib import Path

import msgspec

from vramtuner.core.calibration import Calibration, Observation, Stack, calibrate, find_calibration
from vramtuner.core.device.spec import Device
from vramtuner.core.errors import BadInputError
from vramtuner.core.forecast import Forecast, forecast
from vramtuner.core.model.spec import ModelSpec
from vramtuner.core.probe.client import Probe
from vramtuner.core.probe.protocol import Event, PassResult
from vramtuner.core.recording import find_tapes
from vramtuner.core.request import phases
from vramtuner.core.runs import header_of, local_time, new_writer, snapshot_path
from vramtuner.core.settings import Levers, TapeKey
from vramtuner.core.tape.store import installed_versions
from vramtuner.core.units import format_bytes
from vramtuner.core.validation import profile_request
from vramtuner.core.words import Labels, plural, say

MOST_LENGTHS = 6
MOST_PASSES = 12
_RESOLUTION = 200
"""A limit that is not the forecast's is looked for to one part in so many."""

Run = Callable[[tuple[int, ...]], Iterable[PassResult]]
"""Runs real passes of these lengths [tokens] one after another, with the model loaded once."""


def profile_lengths(current: Forecast) -> tuple[int, ...]:
    """Lengths of a profile: one token, the longest request that cap and limit allow, and where the forecast could err.

    That is on both sides of where another operation becomes the peak, the longest first, and then in the widest gaps;
    none when nothing fits.
    """
    longest = min(current.token_cap, current.limit.tokens)
    chosen = {1, longest} if longest else set()
    for end in sorted(_turns(current), reverse=True):
        if _SHORT <= end < longest and len(chosen) + 2 <= MOST_LENGTHS:
            chosen |= {end, end + 1}
    while 0 < len(chosen) < MOST_LENGTHS:
        gaps = [(max(low, _SHORT), high) for low, high in pairwise(sorted(chosen))]
        low, high = max(gaps, key=lambda gap: gap[1] / gap[0], default=(1, 1))
        if high < 2 * low:
            break
        chosen.add(round((low * high) ** 0.5))
    return tuple(sorted(chosen))


_SHORT = 64
"""Nothing is learnt between one token and this."""


def _turns(current: Forecast) -> set[int]:
    """The last lengths of pieces whose successors are other polynomials, in any of the passes of a request."""
    return {
        piece.to_tokens
        for envelope in current.envelopes
        for piece, following in pairwise(envelope.pieces)
        if piece.coefficients != following.coefficients
    }


def article_limit(pool_bytes: int, overhead_bytes: int, single: PassResult) -> int:
    """The limit by the source article's rule of thumb, from a pass of one token.  [tokens]

    (pool − overhead) / memory per token, less 10 %, with the weights counted as overhead, since only that reading gives
    a number of tokens at all.  It takes memory for proportional to the tokens, which neither what a pass needs once
    nor what grows with their square is; it is here to be compared.
    """
    per_token = single.peak_bytes - single.weight_bytes
    room = pool_bytes - overhead_bytes - single.weight_bytes
    return max(int(0.9 * room / per_token), 0) if per_token > 0 else 0


class Profile(msgspec.Struct, frozen=True):
    """The passes of a run, and where it is kept; ``problem`` says why it is not, or not all of it."""

    passes: tuple[PassResult, ...]
    path: Path | None = None
    problem: str = ""


def run_profile(
    plan: Forecast,
    lengths: tuple[int, ...],
    probe: Probe,
    *,
    on_event: Callable[[Event], None] = lambda event: None,
    keep: bool = True,
    folder: Path | None = None,
) -> Profile:
    """Run passes of these lengths [tokens] under a plan's levers and pool, and keep the run as a file.

    Parameters
    ----------
    folder
        Where it is kept; with all others when not given.

    Raises
    ------
    AppError
        The passes could not be run, or were cancelled; what was run until then is kept all the same.
    """
    writer, problem = None, ""
    if keep:
        try:
            writer = new_writer(header_of(plan, lengths), folder)
        except BadInputError as error:
            problem = str(error)
    passes, complete = [], False
    try:
        snapshot = snapshot_path(writer.path) if writer else None
        for event in probe.run(profile_request(plan, lengths, snapshot)):
            if writer is not None:
                writer.keep(event)
            if isinstance(event, PassResult):
                passes.append(event)
            on_event(event)
        complete = True
    finally:
        if writer is not None:
            writer.close(complete=complete)
    return Profile(tuple(passes), writer.path if writer else None, writer.problem if writer else problem)


def stack_of(device: Device, key: TapeKey) -> Stack:
    """What a calibration by passes of this kind on this device speaks for."""
    versions = installed_versions()
    return Stack(
        device=f"{device.name} at {device.pci_bus_id}" if device.pci_bus_id else device.name,
        driver=platform.release(),  # amdgpu is a part of the kernel
        torch=versions.get("torch", ""),
        transformers=versions.get("transformers", ""),
        dtype=key.dtype,
        attention=key.attention,
        weights=key.weights,
    )


def calibration_for(device: Device, key: TapeKey) -> Calibration | None:
    """The calibration that is kept for passes of this kind on a device of this machine."""
    return find_calibration(stack_of(device, key)) if device.is_here else None


def plan_at_hand(spec: ModelSpec, device: Device, levers: Levers) -> Forecast | None:
    """The forecast of a choice, calibrated where it is; ``None`` if a tape has to be recorded for it first.

    Raises
    ------
    BadInputError
        The levers do not go together, or not with the model or the device.
    """
    parts = phases(spec, device, levers)
    tapes = find_tapes(spec, parts)
    if tapes is None:
        return None
    return forecast(spec, device, levers, *tapes, calibration=calibration_for(device, parts[0].key))


def calibration_of(plan: Forecast, passes: Iterable[PassResult]) -> Calibration:
    """What the passes of a plan correct in its forecast.

    Raises
    ------
    BadInputError
        As `calibrate`, and as `check_calibratable`.
    """
    check_calibratable(plan)
    key = plan.key
    return calibrate(
        [_observation(plan, result) for result in passes if result.outcome == "ok"],
        stack=stack_of(plan.device, key),
        created=local_time(),
        model=plan.spec.name,
        model_hash=plan.spec.config_hash,
        levers=key.slug,
    )


def check_calibratable(plan: Forecast) -> None:
    """Return if passes of a plan can say what its forecast is off by.

    Raises
    ------
    BadInputError
        It forecasts the most that a pass takes, which most lengths do not take: what they take less would be taken off
        all other forecasts of the stack.
    """
    levers = plan.levers
    if levers.prefill_chunk is not None or levers.kv_cache in ("int8", "int4"):
        what = (
            say("a {kv_cache} KV cache", kv_cache=levers.kv_cache)
            if levers.prefill_chunk is None
            else say("a prompt in chunks")
        )
        raise BadInputError(
            say(
                "passes with {what} take less than forecast at most lengths, so that they cannot "
                "calibrate; profile without it, and the calibration then speaks for it too",
                what=what,
            )
        )


def _observation(plan: Forecast, result: PassResult) -> Observation:
    weights = result.weight_bytes
    if plan.device.is_gpu:
        said, measured = plan.held_bytes(result.tokens), result.reserved_bytes
    else:
        said, measured = plan.tensor_bytes(result.tokens), result.peak_bytes
    return Observation(result.tokens, max(said - weights, 0), max(measured - weights, 0), result.outside_bytes)


def without_margin(plan: Forecast) -> Forecast:
    """The same plan as the pool itself bounds it; a limit is confirmed without a margin."""
    levers: Levers = msgspec.structs.replace(plan.levers, margin=0.0)
    tapes = find_tapes(plan.spec, plan.phases)
    assert tapes is not None  # the plan was made of them
    return forecast(plan.spec, plan.device, levers, *tapes, calibration=plan.calibration)


class Confirmation(msgspec.Struct, frozen=True):
    """What real passes say of a limit.

    Attributes
    ----------
    forecast_tokens
        The limit as forecast, without a margin.
    fits_tokens
        The longest request that ran; 0 when none did.
    fails_tokens
        The shortest that ran out of memory; ``None`` where no longer one can be run.
    passes
        All that were run, in their order.
    """

    forecast_tokens: int
    pool_bytes: int
    fits_tokens: int
    fails_tokens: int | None
    passes: tuple[PassResult, ...]

    @property
    def is_confirmed(self) -> bool:
        """Whether the limit is the forecast's, to the token."""
        return self.fits_tokens == self.forecast_tokens and self.fails_tokens in (None, self.forecast_tokens + 1)

    @property
    def text(self) -> str:
        """One sentence: what fits, what does not, and how many passes it took."""
        count = plural("{n} real pass", "{n} real passes", n=len(self.passes))
        pool = format_bytes(self.pool_bytes)
        found = plural("{n:,} token run in {pool}", "{n:,} tokens run in {pool}", n=self.fits_tokens, pool=pool)
        if self.is_confirmed and self.fails_tokens is None:
            return say("Confirmed by {count}: {found}, and no more can be asked.", count=count, found=found)
        if self.is_confirmed:
            return say(
                "Confirmed by {count}: {found}, {fails_tokens:,} do not.",
                count=count,
                found=found,
                fails_tokens=self.fails_tokens,
            )
        found += (
            say(", and more may")
            if self.fails_tokens is None
            else say(" and {fails_tokens:,} do not", fails_tokens=self.fails_tokens)
        )
        return say(
            "Not confirmed: {found} ({count}); the forecast is {forecast_tokens:,}.",
            found=found,
            count=count,
            forecast_tokens=self.forecast_tokens,
        )


def confirm_limit(plan: Forecast, run: Run) -> Confirmation:
    """Run the limit and one token more; only where they do not end as forecast, look for the limit by bisection.

    Parameters
    ----------
    plan
        Without a margin: its limit is the longest request that the pool itself holds.

    Raises
    ------
    BadInputError, ProbeError, CancelledError
        As ``run`` does.
    """
    limit, last = plan.limit.tokens, plan.max_tokens if plan.limit.hard_cap is None else plan.limit.hard_cap
    search = _Search(run, last)
    search.run(*dict.fromkeys(tokens for tokens in (limit, limit + 1) if 0 < tokens <= last))
    step = max(limit // 100, 1)
    while search.asks_more and len(search.passes) < MOST_PASSES:
        low, high = search.low, search.high
        if high is None:
            search.run(min(low + step, last))
        elif low == 0:
            search.run(max(high - step, 1))
        else:
            search.run((low + high) // 2)
            continue
        step *= 4
    return Confirmation(limit, plan.pool_bytes, search.low, search.high, tuple(search.passes))


class _Search:
    """What is known of a limit: the longest that ran and the shortest that did not."""

    def __init__(self, run: Run, last: int) -> None:
        self._run, self._last = run, last
        self.low = 0
        self.high: int | None = None
        self.passes: list[PassResult] = []

    @property
    def asks_more(self) -> bool:
        if self.high is None:
            return self.low < self._last
        return self.high - self.low > max(self.high // _RESOLUTION, 1)

    def run(self, *lengths: int) -> None:
        for result in self._run(lengths):
            self.passes.append(result)
            if result.outcome == "ok":
                self.low = max(self.low, result.tokens)
            else:
                self.high = min(self.high or result.tokens, result.tokens)
        if self.high is not None and self.low >= self.high:
            self.low = self.high - 1  # memory that a pass takes is not the same each time; the failure stands


_OUTCOMES = Labels({"ok": "ok", "out_of_memory": "out of memory", "refused": "refused"})


def outcome_text(outcome: str) -> str:
    """How a pass ended, in words."""
    return str(_OUTCOMES.get(outcome, outcome.replace("_", " ")))
