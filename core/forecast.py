"""Tape + device + levers -> what a request of N tokens takes, and the largest N that fits.

Everything here is arithmetic on the envelope; moving a lever costs microseconds.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from math import floor

import numpy as np
import numpy.typing as npt

from vramtuner.core.calibration import Calibration
from vramtuner.core.device.attention import KernelChoice
from vramtuner.core.device.spec import Device
from vramtuner.core.errors import BadInputError
from vramtuner.core.model.spec import ModelSpec
from vramtuner.core.provenance import method_of, warnings_of
from vramtuner.core.request import PHASE_LABELS, Phase, PhaseName, default_token_cap, kernel_of, phases
from vramtuner.core.settings import Attention, Levers, TapeKey
from vramtuner.core.tape.envelope import Array, Envelope, Piece, envelope_of, upper_envelope
from vramtuner.core.tape.format import Component, Tape
from vramtuner.core.tape.slack import slack_steps
from vramtuner.core.units import format_bytes, format_tokens
from vramtuner.core.words import Labels, say

COMPONENT_NAMES = ("weights", "kv_cache", "logits", "activations", "workspace", "allocator", "overhead")
"""The stacking order; the last two are the allocator's and the device's, the others those of `Component`."""
COMPONENT_LABELS = Labels(
    {
        "weights": "weights",
        "kv_cache": "KV cache",
        "logits": "logits",
        "activations": "activations",
        "workspace": "attention N² buffers",
        "allocator": "allocator slack",
        "overhead": "runtime overhead",
    }
)
assert set(COMPONENT_LABELS) == {*(code.name.lower() for code in Component), "allocator", "overhead"}
assert set(COMPONENT_LABELS) == set(COMPONENT_NAMES)


@dataclass(frozen=True, slots=True)
class Limit:
    """The largest request that fits.

    Attributes
    ----------
    tokens
        0 when not even one token fits.
    bound_by
        The component that takes most of what the pool leaves beside the weights, ``weights`` or ``overhead`` when
        nothing fits, ``positions`` when the model's position table ends first, ``recorded_range`` when the tape does.
    hard_cap
        Positions the model has rows for, where its position table is learned.
    phase
        The pass of the request in which it binds.
    """

    tokens: int
    bound_by: str
    hard_cap: int | None
    phase: PhaseName = "prefill"


@dataclass(frozen=True, slots=True)
class Forecast:
    """What a model takes on a device under given levers, as a function of the tokens in a request.

    ``kernel`` is what the levers and the device ask for, ``attention`` what the model's class then really runs.
    ``envelopes`` has one for each of the ``phases``; the peak is that of the highest.  They are corrected where there
    is a ``calibration``; ``recorded`` has them as the tapes say.
    """

    spec: ModelSpec
    device: Device
    levers: Levers
    key: TapeKey
    kernel: KernelChoice
    attention: Attention
    phases: tuple[Phase, ...]
    envelopes: tuple[Envelope, ...]
    recorded: tuple[Envelope, ...]
    pool_bytes: int
    token_cap: int
    limit: Limit
    method: str
    warnings: tuple[str, ...]
    calibration: Calibration | None = None

    @property
    def overhead_bytes(self) -> int:
        """Memory that no tape sees: the device's estimate, or what was measured in its place."""
        return overhead_of(self.device, self.calibration)

    def component_bytes(self, tokens: int) -> dict[str, int]:
        """Bytes by component at the peak of a request."""
        return dict(zip(COMPONENT_NAMES, (round(v) for v in self.curve(np.array([tokens]))[:, 0]), strict=True))

    @property
    def weight_bytes(self) -> int:
        """Bytes of the loaded model."""
        return self.component_bytes(1)["weights"]

    def peak_bytes(self, tokens: int) -> int:
        """Bytes at the peak of a request, without the safety margin."""
        return sum(self.component_bytes(tokens).values())

    def phase_at(self, tokens: int) -> PhaseName:
        """The pass of a request in which its peak falls."""
        totals = [e.component_bytes([tokens]).sum() + e.slack_bytes([tokens])[0] for e in self.envelopes]
        return self.phases[int(np.argmax(totals))].name

    def needed_bytes(self, tokens: int) -> int:
        """Bytes to reserve for a request: the peak plus the margin on what is not weights."""
        pieces = (envelope.piece_at(tokens) for envelope in self.envelopes)
        overhead, margin = self.overhead_bytes, self.levers.margin
        needed = (_needed(piece, tokens, overhead, margin) for piece in pieces)
        return max(-(-numerator // denominator) for numerator, denominator in needed)

    def fits(self, tokens: int) -> bool:
        """Whether a request stays inside the pool, margin included."""
        return tokens <= self.limit.tokens

    def curve(self, tokens: npt.NDArray[np.int64]) -> Array:
        """Bytes by component at every length: shape (components, lengths), rows as `COMPONENT_NAMES`."""
        parts = [np.vstack([e.component_bytes(tokens), e.slack_bytes(tokens)]) for e in self.envelopes]
        highest = parts[0]
        for part in parts[1:]:
            highest = np.where(part.sum(axis=0) > highest.sum(axis=0), part, highest)
        return np.vstack([highest, np.full((1, len(tokens)), float(self.overhead_bytes))])

    def tensor_bytes(self, tokens: int) -> int:
        """Bytes of tensors at the peak of a request as recorded, which is what a pass measures."""
        return round(max(float(envelope.component_bytes([tokens]).sum()) for envelope in self.recorded))

    def held_bytes(self, tokens: int) -> int:
        """Bytes that torch holds from the device at the peak of a request as recorded: tensors and slack."""
        totals = (e.component_bytes([tokens]).sum() + e.slack_bytes([tokens])[0] for e in self.recorded)
        return round(max(map(float, totals)))

    @property
    def pieces(self) -> tuple[tuple[PhaseName, Piece], ...]:
        """The peak as polynomials, each with the pass that it falls into."""
        return tuple((self.phases[index].name, piece) for index, piece in upper_envelope(self.envelopes))

    def needed_curve(self, tokens: npt.NDArray[np.int64], sizes: Array | None = None) -> Array:
        """Bytes to reserve at every length, as `needed_bytes` but in floating point, for drawing.

        ``sizes`` is their `curve`, where it is at hand.
        """
        sizes = self.curve(tokens) if sizes is None else sizes
        return np.asarray(sizes[0] + (1 + self.levers.margin) * sizes[1:].sum(axis=0), dtype=np.float64)

    def margin_bytes(self, tokens: int) -> int:
        """The safety margin at a length: what is reserved beyond the peak."""
        return self.needed_bytes(tokens) - self.peak_bytes(tokens)

    def headroom_bytes(self, tokens: int) -> int:
        """What the pool has left beside a request and its margin; negative when it does not fit."""
        return self.pool_bytes - self.needed_bytes(tokens)

    @property
    def max_tokens(self) -> int:
        """The longest request the model can take, or the tape speaks for."""
        return min(envelope.max_tokens for envelope in self.envelopes)

    @property
    def verdict(self) -> str:
        """One sentence or two: whether the cap fits and what binds."""
        where = say("{name} on {name2}", name=self.spec.name, name2=self.device.name)
        cap, pool = format_tokens(self.token_cap), format_bytes(self.pool_bytes)
        limit, binds = format_tokens(self.limit.tokens), _BINDS[self.limit.bound_by]
        if len(self.phases) > 1 and self.limit.bound_by in ON_TAPE:
            binds = say("{binds} in {phase}", binds=binds, phase=PHASE_LABELS[self.limit.phase])
        if self.limit.tokens > self.spec.max_positions:
            limit = say(
                "{limit} (the model was made for {max_positions:,})", limit=limit, max_positions=self.spec.max_positions
            )
        if self.limit.tokens == 0:
            need = format_bytes(self.needed_bytes(1))
            return say(
                "{where} does not fit at all: {binds}, one token needs {need} and the pool is {pool}.",
                where=where,
                binds=binds,
                need=need,
                pool=pool,
            )
        need = format_bytes(self.needed_bytes(self.token_cap))
        if self.fits(self.token_cap):
            ends = self.limit.bound_by in ("positions", "recorded_range")
            after = binds if ends else say("{binds} next", binds=binds)
            return say(
                "{where} fits {cap}, using {need} of a {pool} pool. The limit is {limit}; {after}.",
                where=where,
                cap=cap,
                need=need,
                pool=pool,
                limit=limit,
                after=after,
            )
        if self.limit.bound_by in ("positions", "recorded_range"):
            return say(
                "{where} takes at most {limit}: {binds}. Lower the token cap.", where=where, limit=limit, binds=binds
            )
        return say(
            "{where} does not fit {cap}: needs {need}, the pool is {pool}. The limit is {limit}; {binds}.",
            where=where,
            cap=cap,
            need=need,
            pool=pool,
            limit=limit,
            binds=binds,
        )


ON_TAPE = tuple(code.name.lower() for code in Component)
_BINDS = Labels(
    {
        "weights": "the weights bind",
        "kv_cache": "the KV cache binds",
        "logits": "the logits bind",
        "activations": "activations bind",
        "workspace": "attention's buffers bind",
        "overhead": "the runtime's own memory binds",
        "positions": "the model has no more positions",
        "recorded_range": "the tape speaks for no more",
    }
)


def forecast(
    spec: ModelSpec, device: Device, levers: Levers, *tapes: Tape, calibration: Calibration | None = None
) -> Forecast:
    """What the model takes on the device under the levers.

    Parameters
    ----------
    tapes
        One for the key of each of ``phases(spec, device, levers)``.
    calibration
        What passes on the device correct.

    Raises
    ------
    BadInputError
        The pool does not fit the device, or the allocator's options cannot be read.
    """
    pool = device.pool_bytes(levers)
    parts = phases(spec, device, levers)
    fused_upcast = device.is_gpu and parts[0].key.dtype == "fp16"
    recorded = _envelopes(parts, tapes, fused_upcast, device.vram_bytes, levers.allocator if device.is_gpu else None)
    envelopes = recorded if calibration is None else _corrected(recorded, calibration.slope)
    hard_cap = spec.max_positions if spec.positions_hard else None
    return Forecast(
        spec=spec,
        device=device,
        levers=levers,
        key=parts[0].key,
        kernel=kernel_of(spec, device, levers),
        attention=tapes[0].attention,
        phases=parts,
        envelopes=envelopes,
        recorded=recorded,
        pool_bytes=pool,
        token_cap=levers.token_cap or default_token_cap(spec),
        limit=_limit_of_request(parts, envelopes, pool, overhead_of(device, calibration), levers.margin, hard_cap),
        method=method_of(device, parts, tapes, fused_upcast=fused_upcast, calibration=calibration),
        warnings=warnings_of(spec, device, levers, tapes, envelopes),
        calibration=calibration,
    )


def overhead_of(device: Device, calibration: Calibration | None) -> int:
    """Memory on a device that no tape sees.  [bytes, never below nothing]"""
    if calibration is None:
        return device.overhead_bytes
    outside = device.overhead_bytes if calibration.overhead_bytes is None else calibration.overhead_bytes
    return max(outside + calibration.offset_bytes, 0)


@lru_cache(maxsize=16)
def _corrected(envelopes: tuple[Envelope, ...], slope: float) -> tuple[Envelope, ...]:
    return tuple(envelope.scaled(1 + slope) for envelope in envelopes)


@lru_cache(maxsize=128)
def _envelopes(
    parts: tuple[Phase, ...], tapes: tuple[Tape, ...], fused_upcast: bool, card_bytes: int, allocator: str | None
) -> tuple[Envelope, ...]:
    found = []
    for phase, tape in zip(parts, tapes, strict=True):
        envelope = envelope_of(tape, fused_upcast=fused_upcast)
        if allocator is not None and not tape.estimate:
            envelope = envelope.with_slack(partial(slack_steps, tape, allocator, fused_upcast, card_bytes))
        found.append(phase.of_request(envelope))
    return tuple(found)


def _limit_of_request(
    parts: tuple[Phase, ...],
    envelopes: tuple[Envelope, ...],
    pool_bytes: int,
    overhead_bytes: int,
    margin: float,
    hard_cap: int | None,
) -> Limit:
    """The limit of the pass that has the lowest, and no more than the model has positions."""
    limits = (
        replace(find_limit(envelope, pool_bytes, overhead_bytes, margin, hard_cap), phase=phase.name)
        for phase, envelope in zip(parts, envelopes, strict=True)
    )
    lowest = min(limits, key=lambda limit: limit.tokens)
    if hard_cap is not None and lowest.tokens > hard_cap:
        return replace(lowest, tokens=hard_cap, bound_by="positions")
    return lowest


def measured_error(current: Forecast, tokens: int, peak_bytes: int, weight_bytes: int) -> float:
    """Forecast minus measured peak of tensors, as a fraction of the measured part above the weights.

    The device's overhead is left out: a pass measures tensors.
    """
    return (current.tensor_bytes(tokens) - peak_bytes) / max(peak_bytes - weight_bytes, 1)


def check_positions(current: Forecast, tokens: int) -> None:
    """Return if a pass of this many tokens has a row for each of its positions.

    Raises
    ------
    BadInputError
        The model's position table ends before.
    """
    cap = current.limit.hard_cap
    if cap is not None and tokens > cap:
        raise BadInputError(
            say(
                "{name} has {cap:,} positions; {tokens:,} tokens cannot run",
                name=current.spec.name,
                cap=cap,
                tokens=tokens,
            )
        )


def find_limit(envelope: Envelope, pool_bytes: int, overhead_bytes: int, margin: float, hard_cap: int | None) -> Limit:
    """The largest N up to which every request fits the pool, exact to the token.

    Bytes are compared as fractions, so that the limit fits and one token more does not.
    """

    def fits(piece: Piece, tokens: int) -> bool:
        numerator, denominator = _needed(piece, tokens, overhead_bytes, margin)
        return numerator <= pool_bytes * denominator

    first = envelope.pieces[0]
    if not fits(first, 1):
        weights = floor(first.exact_bytes(1, Component.WEIGHTS))
        if weights + overhead_bytes > pool_bytes:
            return Limit(0, "weights", hard_cap)
        return Limit(0, "overhead" if overhead_bytes else _binding(first, 1), hard_cap)
    last = 1
    for piece in envelope.pieces:
        start = 1 if piece is first else piece.from_tokens  # the first piece also speaks for what is below it
        if fits(piece, start) and fits(piece, piece.to_tokens):
            last = piece.to_tokens
            continue
        if fits(piece, start):
            last = _last_fitting(partial(fits, piece), start, piece.to_tokens)
        return Limit(last, _binding(piece, last), hard_cap)
    return Limit(last, "recorded_range" if hard_cap is None else "positions", hard_cap)


def _last_fitting(fits: Callable[[int], bool], low: int, high: int) -> int:
    """The last length that fits, given that ``low`` does and ``high`` does not: on one piece, bytes are convex."""
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def _needed(piece: Piece, tokens: int, overhead_bytes: int, margin: float) -> tuple[int, int]:
    """Bytes to reserve, as a fraction: whole numbers cost a tenth of what `Fraction` does."""
    n, (above, below) = piece.at(tokens), margin.as_integer_ratio()
    (wa, wb, wc), (a, b, c), scale = piece.integers
    rest = (overhead_bytes + piece.slack_bytes) * scale + a + (b + c * n) * n
    return (wa + (wb + wc * n) * n) * below + rest * (above + below), scale * below


def _binding(piece: Piece, tokens: int) -> str:
    sizes = {code.name.lower(): piece.exact_bytes(tokens, code) for code in Component if code != Component.WEIGHTS}
    return max(sizes, key=lambda name: sizes[name])
