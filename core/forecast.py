"""Tape + device + levers -> what a request of N tokens takes, and the largest N that fits.

Everything here is arithmetic on the envelope; moving a lever costs microseconds.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from math import floor

import numpy as np
import numpy.typing as npt

from vramtuner.core.device.attention import KernelChoice, auto_attention
from vramtuner.core.device.spec import Device
from vramtuner.core.errors import BadInputError
from vramtuner.core.model.spec import ModelSpec
from vramtuner.core.settings import DEFAULT_TOKEN_CAP, ITEM_BYTES, Attention, Levers, TapeKey
from vramtuner.core.tape.envelope import Array, Envelope, Piece, envelope_of
from vramtuner.core.tape.format import Component, Tape
from vramtuner.core.units import format_bytes, format_tokens

COMPONENT_NAMES = ("weights", "kv_cache", "logits", "activations", "workspace", "overhead")
"""The stacking order; the last one is the device's, the others are those of `Component`."""
# Buffers (rotary tables, masks) are on the tape and not in the files, tied weights may be in the files twice.
_STORED_TOLERANCE = 0.05

CHECKPOINTING_NOTE = (
    "Checkpointing changes nothing in an inference pass: it drops activations that autograd would keep,"
    " and nothing is kept when autograd does not record."
)


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
    """

    tokens: int
    bound_by: str
    hard_cap: int | None


@dataclass(frozen=True, slots=True)
class Forecast:
    """What a model takes on a device under given levers, as a function of the tokens in a request.

    ``kernel`` is what the levers and the device ask for, ``attention`` what the model's class then really runs.
    """

    spec: ModelSpec
    device: Device
    levers: Levers
    key: TapeKey
    kernel: KernelChoice
    attention: Attention
    envelope: Envelope
    pool_bytes: int
    token_cap: int
    limit: Limit
    method: str
    warnings: tuple[str, ...]

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

    def needed_bytes(self, tokens: int) -> int:
        """Bytes to reserve for a request: the peak plus the margin on what is not weights."""
        return _needed(
            self.envelope.piece_at(tokens), tokens, self.device.overhead_bytes, self.levers.margin
        ).__ceil__()

    def fits(self, tokens: int) -> bool:
        """Whether a request stays inside the pool, margin included."""
        return tokens <= self.limit.tokens

    def curve(self, tokens: npt.NDArray[np.int64]) -> Array:
        """Bytes by component at every length: shape (components, lengths), rows as `COMPONENT_NAMES`."""
        on_tape = self.envelope.component_bytes(tokens)
        return np.vstack([on_tape, np.full((1, len(tokens)), float(self.device.overhead_bytes))])

    def needed_curve(self, tokens: npt.NDArray[np.int64]) -> Array:
        """Bytes to reserve at every length, as `needed_bytes` but in floating point, for drawing."""
        sizes = self.curve(tokens)
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
        return self.envelope.max_tokens

    @property
    def verdict(self) -> str:
        """One sentence or two: whether the cap fits and what binds."""
        where = f"{self.spec.name} on {self.device.name}"
        cap, pool = format_tokens(self.token_cap), format_bytes(self.pool_bytes)
        limit, binds = format_tokens(self.limit.tokens), _BINDS[self.limit.bound_by]
        if self.limit.tokens > self.spec.max_positions:
            limit = f"{limit} (the model was made for {self.spec.max_positions:,})"
        if self.limit.tokens == 0:
            need = format_bytes(self.needed_bytes(1))
            return f"{where} does not fit at all: {binds}, one token needs {need} and the pool is {pool}."
        need = format_bytes(self.needed_bytes(self.token_cap))
        if self.fits(self.token_cap):
            ends = self.limit.bound_by in ("positions", "recorded_range")
            after = binds if ends else f"{binds} next"
            return f"{where} fits {cap}, using {need} of a {pool} pool. The limit is {limit}; {after}."
        if self.limit.bound_by == "positions":
            return f"{where} takes at most {limit}: {binds}. Lower the token cap."
        return f"{where} does not fit {cap}: needs {need}, the pool is {pool}. The limit is {limit}; {binds}."


_BINDS = {
    "weights": "the weights bind",
    "kv_cache": "the KV cache binds",
    "logits": "the logits bind",
    "activations": "activations bind",
    "workspace": "attention's N² buffers bind",
    "overhead": "the runtime's own memory binds",
    "positions": "the model has no more positions",
    "recorded_range": "the tape speaks for no more",
}


def tape_key(spec: ModelSpec, device: Device, levers: Levers) -> TapeKey:
    """The tape that a forecast needs: every ``auto`` resolved for the model and the device."""
    return TapeKey(
        dtype=spec.dtype if levers.dtype == "auto" else levers.dtype,
        attention=_kernel(spec, device, levers).attention,
        weights=levers.weights,
        batch_size=levers.batch_size,
        logits=levers.logits,
    )


def default_token_cap(spec: ModelSpec) -> int:
    """The cap when nobody asks for one."""
    return min(DEFAULT_TOKEN_CAP, spec.max_positions)


def forecast(spec: ModelSpec, device: Device, levers: Levers, tape: Tape) -> Forecast:
    """What the model takes on the device under the levers.

    Parameters
    ----------
    tape
        The tape of ``tape_key(spec, device, levers)``.

    Raises
    ------
    BadInputError
        The pool does not fit the device.
    """
    pool = device.pool_bytes(levers)
    key = tape_key(spec, device, levers)
    fused_upcast = device.is_gpu and key.dtype == "fp16"
    envelope = envelope_of(tape, fused_upcast=fused_upcast)
    kernel = _kernel(spec, device, levers)
    hard_cap = spec.max_positions if spec.positions_hard else None
    return Forecast(
        spec=spec,
        device=device,
        levers=levers,
        key=key,
        kernel=kernel,
        attention=tape.attention,
        envelope=envelope,
        pool_bytes=pool,
        token_cap=levers.token_cap or default_token_cap(spec),
        limit=find_limit(envelope, pool, device.overhead_bytes, levers.margin, hard_cap),
        method=_method(device, tape, fused_upcast=fused_upcast),
        warnings=_warnings(spec, device, levers, kernel, tape, envelope),
    )


def measured_error(current: Forecast, tokens: int, peak_bytes: int, weight_bytes: int) -> float:
    """Forecast minus measured peak of tensors, as a fraction of the measured part above the weights.

    The device's overhead is left out: a pass measures tensors.
    """
    on_tape = float(current.envelope.component_bytes([tokens]).sum())
    return (on_tape - peak_bytes) / max(peak_bytes - weight_bytes, 1)


def check_positions(current: Forecast, tokens: int) -> None:
    """Return if a pass of this many tokens has a row for each of its positions.

    Raises
    ------
    BadInputError
        The model's position table ends before.
    """
    cap = current.limit.hard_cap
    if cap is not None and tokens > cap:
        raise BadInputError(f"{current.spec.name} has {cap:,} positions; {tokens:,} tokens cannot run")


def profile_lengths(current: Forecast) -> tuple[int, ...]:
    """A quarter, half and all of the longest request that the cap and the limit allow; none when nothing fits."""
    longest = min(current.token_cap, current.limit.tokens)
    return tuple(dict.fromkeys(tokens for tokens in (longest // 4, longest // 2, longest) if tokens > 0))


def find_limit(envelope: Envelope, pool_bytes: int, overhead_bytes: int, margin: float, hard_cap: int | None) -> Limit:
    """The largest N up to which every request fits the pool, exact to the token.

    Bytes are compared as fractions, so that the limit fits and one token more does not.
    """

    def fits(piece: Piece, tokens: int) -> bool:
        return _needed(piece, tokens, overhead_bytes, margin) <= pool_bytes

    first = envelope.pieces[0]
    if not fits(first, 1):
        weights = floor(first.exact_bytes(1, Component.WEIGHTS))
        return Limit(0, "weights" if weights + overhead_bytes > pool_bytes else "overhead", hard_cap)
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


def _needed(piece: Piece, tokens: int, overhead_bytes: int, margin: float) -> Fraction:
    weights, other = (a + (b + c * tokens) * tokens for a, b, c in _exact(piece))
    return weights + (1 + Fraction(margin)) * (overhead_bytes + other)


@lru_cache(maxsize=1024)
def _exact(piece: Piece) -> tuple[tuple[Fraction, Fraction, Fraction], tuple[Fraction, Fraction, Fraction]]:
    """The polynomials of the weights and of all the rest, without rounding."""
    rows = [tuple(map(Fraction, row)) for row in piece.coefficients]
    weights = rows.pop(Component.WEIGHTS)
    a, b, c = (sum(column, Fraction()) for column in zip(*rows, strict=True))
    return (weights[0], weights[1], weights[2]), (a, b, c)


def _binding(piece: Piece, tokens: int) -> str:
    sizes = {code.name.lower(): piece.exact_bytes(tokens, code) for code in Component if code != Component.WEIGHTS}
    return max(sizes, key=lambda name: sizes[name])


def _kernel(spec: ModelSpec, device: Device, levers: Levers) -> KernelChoice:
    choice = auto_attention(device, spec.head_dim)
    if levers.attention == "auto" or levers.attention == choice.attention:
        return choice
    return KernelChoice(levers.attention, f"asked for; by default, {choice.note}")


def _method(device: Device, tape: Tape, *, fused_upcast: bool) -> str:
    versions = ", ".join(f"{name} {number}" for name, number in sorted(tape.versions.items()) if name != "bitsandbytes")
    held_out = ", ".join(f"{regime.held_out:,}" for regime in tape.regimes)
    parts = [
        f"tape recorded with {versions} on CPU kernels; held-out check at {held_out} tokens:"
        f" {format_bytes(tape.residual_bytes)} off"
    ]
    if device.is_gpu:
        low, high = device.overhead_range_bytes
        parts.append(f"overhead estimated, {format_bytes(low)} to {format_bytes(high)}, the larger taken")
        if fused_upcast and any(regime.upcasts for regime in tape.regimes):
            parts.append(
                "GPU correction: softmax reads fp16 scores without a 32-bit copy (ATen SoftMax; not verified on a GPU)"
            )
        parts.append("allocator rounding and fragmentation are not counted; the margin stands for them")
        parts.append("not yet verified on a GPU")
    return "; ".join(parts)


def _warnings(
    spec: ModelSpec, device: Device, levers: Levers, kernel: KernelChoice, tape: Tape, envelope: Envelope
) -> tuple[str, ...]:
    found = [*spec.warnings, *tape.notes]
    cap = levers.token_cap or default_token_cap(spec)
    if levers.checkpointing:
        found.append(CHECKPOINTING_NOTE)
    if cap > spec.max_positions:
        beyond = f"{cap:,} tokens are beyond the {spec.max_positions:,} positions of {spec.name}"
        found.append(
            f"{beyond}; its position table ends there and longer requests fail."
            if spec.positions_hard
            else f"{beyond}; the pass runs, but the text may degrade."
        )
    if spec.has_weights and spec.parameters and tape.key.weights == "none":
        recorded = int(envelope.pieces[0].exact_bytes(1, Component.WEIGHTS))
        stored = spec.parameters * ITEM_BYTES[tape.key.dtype]
        if abs(recorded - stored) > _STORED_TOLERANCE * stored:
            found.append(
                f"The files hold {format_bytes(stored)} of weights in {tape.key.dtype}, the config explains"
                f" {format_bytes(recorded)}: the folder may hold parts of another model, or not all of this one."
            )
    if tape.residual_bytes > 0:
        found.append(f"The tape is off by {format_bytes(tape.residual_bytes)} at the length held out to check it.")
    if kernel.attention == "flash" and auto_attention(device, spec.head_dim).attention != "flash":
        found.append(f"Attention: flash is {kernel.note}. PyTorch then runs math silently, which takes more than this.")
    if kernel.needs_variable:
        found.append(f"Attention: {kernel.note}; the env file sets it.")
    return tuple(found)
