"""A tape for a forecast: from the cache, from those shipped, or recorded by the probe."""

from collections.abc import Callable
from functools import lru_cache

import msgspec

from vramtuner.core.errors import ProbeError
from vramtuner.core.model.spec import ModelSpec
from vramtuner.core.probe.client import Probe
from vramtuner.core.probe.protocol import Event, Record, TapeRecorded
from vramtuner.core.request import Phase
from vramtuner.core.settings import TapeKey
from vramtuner.core.tape.format import Tape
from vramtuner.core.tape.llamacpp import DEFAULT_MICRO_BATCH, estimate_tape
from vramtuner.core.tape.store import find_tape, save_tape
from vramtuner.core.words import say


def get_tape(
    spec: ModelSpec, key: TapeKey, probe: Probe, *, on_event: Callable[[Event], None] = lambda event: None
) -> Tape:
    """The tape of a model under the levers in ``key``; recorded, and kept, if there is none.

    Raises
    ------
    AppError
        It cannot be recorded: torch is missing, the model is refused, the probe died, or it was cancelled.
    """
    return tape_at_hand(spec, key) or record_tape(spec, key, probe, on_event=on_event)


def tape_at_hand(spec: ModelSpec, key: TapeKey) -> Tape | None:
    """The tape of a model if it need not be recorded: a GGUF model's is computed.

    Raises
    ------
    BadInputError
        A lever has no counterpart in llama.cpp.
    """
    return _computed(msgspec.json.encode(spec), key) if spec.is_gguf else find_tape(spec, key)


@lru_cache(maxsize=64)
def _computed(spec: bytes, key: TapeKey) -> Tape:
    return estimate_tape(msgspec.json.decode(spec, type=ModelSpec), key, micro_batch=key.step or DEFAULT_MICRO_BATCH)


def find_tapes(spec: ModelSpec, parts: tuple[Phase, ...]) -> tuple[Tape, ...] | None:
    """The tapes of a request's passes, if all of them are at hand without recording."""
    found = []
    for phase in parts:
        tape = tape_at_hand(spec, phase.key)
        if tape is None:
            return None
        found.append(tape)
    return tuple(found)


def get_tapes(
    spec: ModelSpec,
    parts: tuple[Phase, ...],
    probe: Probe,
    *,
    on_event: Callable[[Event], None] = lambda event: None,
) -> tuple[Tape, ...]:
    """The tapes of a request's passes, as `get_tape` for each.

    Raises
    ------
    AppError
        As `get_tape`.
    """
    return tuple(get_tape(spec, phase.key, probe, on_event=on_event) for phase in parts)


def record_tape(
    spec: ModelSpec, key: TapeKey, probe: Probe, *, on_event: Callable[[Event], None] = lambda event: None
) -> Tape:
    """Record a tape now, whether or not one is kept, and keep it.

    Raises
    ------
    AppError
        As `get_tape`.
    """
    tape: Tape | None = None
    for event in probe.run(lambda number: Record(number, spec, key)):
        if isinstance(event, TapeRecorded):
            # The loop goes on to the end: a generator that is left half-way ends the probe, and PyTorch with it.
            tape = event.tape
        else:
            on_event(event)
    if tape is None:
        raise ProbeError(say("the probe finished without a tape"))
    save_tape(spec, tape)
    return tape
