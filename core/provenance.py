"""Where a forecast's figures are from, and what to mind about them, in words."""

from vramtuner.core.calibration import Calibration
from vramtuner.core.device.free import exceeds_free, pool_too_large
from vramtuner.core.device.spec import Device
from vramtuner.core.model.spec import ModelSpec
from vramtuner.core.request import PHASE_LABELS, Phase, auto_kernel, default_token_cap, kernel_of
from vramtuner.core.settings import ITEM_BYTES, Levers
from vramtuner.core.tape.envelope import Envelope
from vramtuner.core.tape.format import Component, Tape
from vramtuner.core.units import format_bytes
from vramtuner.core.words import joined, mark, number, say

# Buffers (rotary tables, masks) are on the tape and not in the files, tied weights may be in the files twice.
_STORED_TOLERANCE = 0.05
CHECKPOINTING_NOTE = mark(
    "Checkpointing changes nothing in an inference pass: it drops activations that autograd "
    "would keep, and nothing is kept when autograd does not record."
)
EVALUATION_NOTE = mark(
    "Checkpointing changes nothing in a forward pass of a model in evaluation mode, with "
    "autograd on as without: transformers checkpoints in training mode only."
)


def method_of(
    device: Device,
    parts: tuple[Phase, ...],
    tapes: tuple[Tape, ...],
    *,
    fused_upcast: bool,
    calibration: Calibration | None = None,
) -> str:
    """How the figures of a forecast were made: recorded with what, checked where, estimated, verified or not."""
    lines = []
    for phase, tape in zip(parts, tapes, strict=True):
        where = f"{PHASE_LABELS[phase.name]}: " if len(parts) > 1 else ""
        lines.append(where + _recorded(tape))
    if any(phase.name == "prefill_chunk" for phase in parts):
        lines.append(say("a whole chunk is counted where the prompt's last one is shorter"))
    if device.is_gpu:
        low, high = device.overhead_range_bytes
        if calibration is None or calibration.overhead_bytes is None:
            lines.append(
                say(
                    "overhead estimated, {low} to {high}, the larger taken",
                    low=format_bytes(low),
                    high=format_bytes(high),
                )
            )
        if fused_upcast and any(regime.upcasts for tape in tapes for regime in tape.regimes):
            lines.append(
                say(
                    "GPU correction: softmax reads fp16 scores without a 32-bit copy (ATen SoftMax; not "
                    "verified on a GPU)"
                )
            )
        if not any(tape.estimate for tape in tapes):
            lines.append(say("allocator: estimated, the tape replayed through a model of PyTorch's caching allocator"))
        lines.append(say("not yet verified on a GPU"))
    if calibration is not None:
        lines.append(say("calibrated: {text}", text=calibration.text))
    return joined("; ", lines)


def _recorded(tape: Tape) -> str:
    if tape.estimate:
        return say(tape.estimate)
    versions = ", ".join(f"{name} {number}" for name, number in sorted(tape.versions.items()) if name != "bitsandbytes")
    held_out = ", ".join(number(regime.held_out) for regime in tape.regimes)
    text = say(
        "tape recorded with {versions} on CPU kernels; held-out check at {held_out} tokens: {residual_bytes} off",
        versions=versions,
        held_out=held_out,
        residual_bytes=format_bytes(tape.residual_bytes),
    )
    granule = max(regime.granule for regime in tape.regimes)
    if granule == 1:
        return text
    return say(
        "{text}; tokens are padded to multiples of {granule:,}, and the most is counted that is padded as far",
        text=text,
        granule=granule,
    )


def warnings_of(
    spec: ModelSpec, device: Device, levers: Levers, tapes: tuple[Tape, ...], envelopes: tuple[Envelope, ...]
) -> tuple[str, ...]:
    """What a person should mind about a forecast, one sentence or two each."""
    found = [
        *spec.warnings,
        *device.warnings,
        *_pool_warnings(device, levers),
        *dict.fromkeys(note for tape in tapes for note in tape.notes),
    ]
    cap = levers.token_cap or default_token_cap(spec)
    if levers.checkpointing and levers.pass_kind == "inference":
        found.append(say(CHECKPOINTING_NOTE))
    elif levers.checkpointing and levers.pass_kind == "autograd":
        found.append(say(EVALUATION_NOTE))
    if levers.pass_kind == "training":
        found.append(say("Gradients are counted with the activations; the optimizer's own memory is not counted."))
    if cap > spec.max_positions:
        beyond = say(
            "{cap:,} tokens are beyond the {max_positions:,} positions of {name}",
            cap=cap,
            max_positions=spec.max_positions,
            name=spec.name,
        )
        found.append(
            say("{beyond}; its position table ends there and longer requests fail.", beyond=beyond)
            if spec.positions_hard
            else say("{beyond}; the pass runs, but the text may degrade.", beyond=beyond)
        )
    if spec.has_weights and spec.parameters and tapes[0].key.weights == "none" and not tapes[0].estimate:
        recorded = int(envelopes[0].pieces[0].exact_bytes(1, Component.WEIGHTS))
        stored = spec.parameters * ITEM_BYTES[tapes[0].key.dtype]
        if abs(recorded - stored) > _STORED_TOLERANCE * stored:
            found.append(
                say(
                    "The files hold {stored} of weights in {dtype}, the config explains {recorded}: the "
                    "folder may hold parts of another model, or not all of this one.",
                    stored=format_bytes(stored),
                    dtype=tapes[0].key.dtype,
                    recorded=format_bytes(recorded),
                )
            )
    residual = max(tape.residual_bytes for tape in tapes)
    if residual > 0:
        found.append(
            say("The tape is off by {residual} at the length held out to check it.", residual=format_bytes(residual))
        )
    return (*found, *_kernel_warnings(spec, device, levers))


def _pool_warnings(device: Device, levers: Levers) -> list[str]:
    """By the driver's count when the device was looked at; a plan does not look again."""
    pool, free = device.pool_bytes(levers), device.driver_free_bytes
    if free is None or not exceeds_free(device, pool, free):
        return []
    text = pool_too_large(
        device, pool, free, say("what holds it (see `vramtuner devices`)"), say("when it was looked at")
    )
    return [f"{text[:1].upper()}{text[1:]}."]


def _kernel_warnings(spec: ModelSpec, device: Device, levers: Levers) -> list[str]:
    kernel, found = kernel_of(spec, device, levers), []
    if kernel.attention == "flash" and auto_kernel(spec, device, levers).attention != "flash":
        found.append(
            say(
                "Attention: flash is {note}. PyTorch then runs math silently, which takes more than this.",
                note=kernel.note,
            )
        )
    if kernel.needs_variable:
        found.append(say("Attention: {note}; the env file sets it.", note=kernel.note))
    return found
