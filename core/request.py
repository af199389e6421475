"""What passes a request is made of: model, device and levers -> the tapes of a forecast, and how they go together."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

import msgspec

from vramtuner.core.device.attention import KernelChoice, auto_attention
from vramtuner.core.device.spec import Device
from vramtuner.core.errors import BadInputError
from vramtuner.core.model.spec import ModelSpec
from vramtuner.core.settings import DEFAULT_TOKEN_CAP, Levers, TapeKey
from vramtuner.core.tape.envelope import Envelope
from vramtuner.core.words import Labels, say

PhaseName: TypeAlias = Literal["prefill", "prefill_chunk", "decode", "forward", "training", "request"]

PHASE_LABELS: Labels[PhaseName] = Labels(
    {
        "prefill": "prefill",
        "prefill_chunk": "the prompt's later chunks",
        "decode": "decode",
        "forward": "the forward pass",
        "training": "the training step",
        "request": "the request",
    }
)


@dataclass(frozen=True, slots=True)
class Phase:
    """A pass of a request, as a function of the tokens of the whole request.

    Attributes
    ----------
    key
        The tape of the pass.
    later_tokens
        Tokens that are generated after the pass.
    most_tokens
        The longest pass of its kind: a prompt's first chunk.
    after_tokens
        Prompts up to this length have no such pass.
    """

    name: PhaseName
    key: TapeKey
    later_tokens: int = 0
    most_tokens: int | None = None
    after_tokens: int = 0

    def of_request(self, envelope: Envelope) -> Envelope:
        """The envelope of the pass over the tokens of the whole request."""
        found = envelope
        if self.most_tokens is not None:
            found = found.no_longer_than(self.most_tokens, envelope.max_tokens)
        found = found.shifted(self.later_tokens)
        return found.only_after(self.after_tokens + self.later_tokens) if self.after_tokens else found


def phases(spec: ModelSpec, device: Device, levers: Levers) -> tuple[Phase, ...]:
    """The passes of a request that can be its peak, the prompt's first.

    A prompt in chunks ends with a shorter chunk than the others, for which a whole one is counted: that is never too
    little, and at most a chunk too much.  Of the passes that generate, the last one takes most.

    Raises
    ------
    BadInputError
        The new tokens take up the whole token cap.
    """
    key, later = tape_key(spec, device, levers), levers.new_tokens
    cap = levers.token_cap or default_token_cap(spec)
    if later >= cap:
        raise BadInputError(
            say(
                "{later:,} new tokens leave no prompt in a token cap of {cap:,}; lower them, or raise it",
                later=later,
                cap=cap,
            )
        )
    if spec.is_gguf:
        # llama.cpp makes its buffers for the whole request at the start; the chunk is its micro-batch.
        return (Phase("request", msgspec.structs.replace(key, step=levers.prefill_chunk or 0, room=0)),)
    if levers.pass_kind != "inference":
        return (Phase("training" if levers.pass_kind == "training" else "forward", key),)
    replace, chunk = msgspec.structs.replace, levers.prefill_chunk
    found = [Phase("prefill", key, later, most_tokens=chunk)]
    if chunk is not None:
        found.append(Phase("prefill_chunk", replace(key, step=chunk), later, after_tokens=chunk))
    if later:
        found.append(Phase("decode", replace(key, step=1, room=0)))
    return tuple(found)


def tape_key(spec: ModelSpec, device: Device, levers: Levers) -> TapeKey:
    """The tape of a request's first pass: every ``auto`` resolved for the model and the device."""
    inference = levers.pass_kind == "inference"
    return TapeKey(
        dtype=spec.dtype if levers.dtype == "auto" else levers.dtype,
        attention=kernel_of(spec, device, levers).attention,
        weights=levers.weights,
        keep_modules=levers.keep_modules if levers.weights != "none" else (),
        batch_size=levers.batch_size * levers.beams,
        beams=levers.beams,
        logits=levers.logits,
        kv_cache=levers.kv_cache,
        room=levers.new_tokens if levers.kv_cache == "static" else 0,
        pass_kind=levers.pass_kind,
        checkpointing=levers.checkpointing and not inference,
    )


def auto_kernel(spec: ModelSpec, device: Device, levers: Levers) -> KernelChoice:
    """The kernel that the device gets for the model when nobody asks for another."""
    if spec.is_gguf:
        return KernelChoice(
            "flash", say("llama.cpp has flash attention of its own; any other kernel here is without it")
        )
    return auto_attention(
        device,
        spec.head_dim,
        dtype=spec.dtype if levers.dtype == "auto" else levers.dtype,
        grouped=spec.grouped_heads,
    )


def kernel_of(spec: ModelSpec, device: Device, levers: Levers) -> KernelChoice:
    """The kernel that the levers ask for, with why."""
    choice = auto_kernel(spec, device, levers)
    if levers.attention == "auto" or levers.attention == choice.attention:
        return choice
    return KernelChoice(levers.attention, say("asked for; by default, {note}", note=choice.note))


def default_token_cap(spec: ModelSpec) -> int:
    """The cap when nobody asks for one."""
    return min(DEFAULT_TOKEN_CAP, spec.max_positions)
