"""Recordings in this process, beside those of a tape: for comparing the two.  Imports PyTorch."""

import gc
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from vramtuner.core.model.spec import ModelSpec
from vramtuner.core.probe import checkpoints, models, recorder
from vramtuner.core.probe.classes import loop_tokens as loop_tokens
from vramtuner.core.probe.forward import Forward
from vramtuner.core.settings import TapeKey
from vramtuner.core.tape.format import Component, Recording, Tape

Check = Callable[[], None]


def tape_and_lengths(spec: ModelSpec, key: TapeKey, check: Check) -> tuple[Tape, set[int]]:
    """A tape as the program records it, and every length that was recorded for it."""
    used: set[int] = set()
    plain = recorder._Recorder

    class Noting(plain):  # type: ignore[valid-type, misc] # a class found at run time
        def record(self, forward: Forward, tokens: int) -> Recording:
            used.add(tokens)
            return super().record(forward, tokens)  # type: ignore[no-any-return]

    recorder._Recorder = Noting  # type: ignore[misc]
    models.quieten_libraries()
    try:
        return recorder.record_tape(spec, key, check=check, progress=lambda fraction: None), used
    finally:
        recorder._Recorder = plain  # type: ignore[misc]


class FreshRecordings:
    """A model built anew under fake tensors, and passes of it; the garbage collector stands still meanwhile."""

    def __init__(self, spec: ModelSpec, key: TapeKey, check: Check) -> None:
        self._spec, self._key, self._check = spec, key, check
        self._stack = ExitStack()

    def __enter__(self) -> "FreshRecordings":
        gc.disable()
        self._stack.callback(gc.enable)
        contexts: list[Any] = [
            models.one_sequence_a_row(),
            FakeTensorMode(allow_non_fake_inputs=True),
            recorder._Recorder(self._check),
            torch.no_grad(),
            models.attention_context(self._key.attention),
        ]
        entered = [self._stack.enter_context(context) for context in contexts]
        self._recorder = entered[2] or contexts[2]
        model = models.build_model(self._spec, self._key)
        self._recorder.weight_bytes = checkpoints.quantize_model(model, self._spec, self._key)
        gc.collect()
        self._forward = Forward(model, self._key, elsewhere=self._recorder.elsewhere)
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def peak(self, tokens: int) -> tuple[int, int]:
        """Bytes that are alive at the peak of one more pass, and those of the weights."""
        return peak_of(self._recorder.record(self._forward, tokens))


def peak_of(recording: Recording) -> tuple[int, int]:
    """The highest running sum of a recording's events, and the weights."""
    live = peak = 0
    for event in recording.events:
        live += recording.sizes[event - 1] if event > 0 else -recording.sizes[-event - 1]
        peak = max(peak, live)
    kinds = zip(recording.sizes, recording.components, strict=True)
    return peak, sum(size for size, component in kinds if component is Component.WEIGHTS)
