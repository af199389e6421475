"""Real passes of a real model: profiling at given lengths, validation under an exported environment."""

import gc
from collections.abc import Callable, Mapping
from time import monotonic
from typing import Any

import psutil
import torch

from vramtuner.core import stages
from vramtuner.core.deploy.envfile import levers_from
from vramtuner.core.deploy.guard import Guard, TokenCapError
from vramtuner.core.errors import BadInputError
from vramtuner.core.probe import models
from vramtuner.core.probe.forward import Forward
from vramtuner.core.probe.live import Offer, sampling
from vramtuner.core.probe.meters import Meter, is_out_of_memory, memory_history, meter_for
from vramtuner.core.probe.protocol import (
    Event,
    Outcome,
    PassResult,
    PassStarted,
    PhaseKind,
    PhasePeak,
    PhaseStarted,
    Profile,
    Progress,
    Validate,
)
from vramtuner.core.request import tape_key
from vramtuner.core.units import format_bytes

Check = Callable[[], None]
Send = Callable[[Event], None]
_WARM_UP_TOKENS = 8


def profile(request: Profile, *, check: Check, send: Send, offer: Offer) -> None:
    """Run the passes of a profile; an out-of-memory error is a result, and the next length is still tried.

    Raises
    ------
    BadInputError
        The model cannot be loaded, or the device cannot be used.
    """
    _Session(request, check, send, offer).run(guard=None)


def validate(request: Validate, environ: Mapping[str, str], *, check: Check, send: Send, offer: Offer) -> None:
    """Run passes under the pool, cap and levers of ``environ``, this process's own; over the cap they are refused.

    Raises
    ------
    BadInputError
        The environment holds no plan, the model cannot be loaded, or the device cannot be used.
    """
    levers = levers_from(environ)
    try:
        guard = Guard.from_environment(environ)
    except ValueError as error:
        raise BadInputError(str(error)) from error
    assert levers.pool_bytes is not None
    passes = Profile(
        request.id,
        request.spec,
        tape_key(request.spec, request.device, levers),
        request.device,
        levers.pool_bytes,
        request.lengths,
        request.weight_bytes,
        levers.new_tokens,
        levers.prefill_chunk,
    )
    _Session(passes, check, send, offer).run(guard=guard)


class _Session:
    """One loaded model and the passes run on it."""

    def __init__(self, request: Profile, check: Check, send: Send, offer: Offer) -> None:
        self._request, self._check, self._send, self._offer = request, check, send, offer
        self._clock: Callable[[], float] = monotonic
        self._synthetic = not request.spec.has_weights

    def run(self, *, guard: Guard | None) -> None:
        lengths = self._request.lengths
        self._refuse_hopeless()
        meter = meter_for(self._request.device, self._request.pool_bytes)
        meter.start()
        with (
            sampling(meter, self._request.device, self._request.id, self._send, self._offer) as self._clock,
            memory_history(self._request),
            torch.no_grad(),
        ):
            self._mark("load")
            try:
                model = self._load(meter)
                meter.adopt(models.weight_tensors(model))
            except (RuntimeError, MemoryError) as error:
                if not is_out_of_memory(error):
                    raise
                where = self._too_large if isinstance(error, torch.OutOfMemoryError) else self._no_ram
                raise BadInputError(f"{where} ({models.one_line(error)})") from error
            forward = Forward(model, self._request.key, elsewhere=getattr(meter, "elsewhere", None))
            self._pass(min(_WARM_UP_TOKENS, self._request.spec.max_positions), forward, meter, 0, guard=None)
            # Counted after the first pass, because a quantized layer settles its weights in it.
            weight_bytes = meter.adopt(models.weight_tensors(model))
            spent = 0.0
            for index, tokens in enumerate(lengths):
                left = spent / sum(lengths[:index]) * sum(lengths[index:]) if index else None
                stage = stages.PASS.format(place=index + 1, count=len(lengths), tokens=tokens)
                self._send(Progress(self._request.id, stage, sum(lengths[:index]) / sum(lengths), left))
                self._send(PassStarted(self._request.id, tokens, self._clock()))
                result = self._pass(tokens, forward, meter, weight_bytes, guard)
                spent += result.seconds
                self._mark("free")
                self._send(result)
        self._send(Progress(self._request.id, stages.DONE, 1.0, 0.0))

    def _mark(self, phase: PhaseKind) -> None:
        self._send(PhaseStarted(self._request.id, phase, self._clock()))

    def _load(self, meter: Meter) -> Any:
        stage = stages.LOADING_RANDOM if self._synthetic else stages.LOADING
        self._send(Progress(self._request.id, stage, 0.0))
        with models.attention_context(self._request.key.attention):
            make = models.synthetic_model if self._synthetic else models.load_model
            model = make(self._request.spec, self._request.key, meter.device)
        for module in model.modules():
            module.register_forward_pre_hook(lambda *_: self._check())
        self._check()
        return model

    def _refuse_hopeless(self) -> None:
        """Say what is known beforehand, instead of loading for minutes what cannot be loaded."""
        need, free = self._request.weight_bytes, psutil.virtual_memory().available
        if need > self._request.pool_bytes:
            raise BadInputError(self._too_large)
        if self._request.device.kind == "cpu" and need > free:
            raise BadInputError(
                f"the weights of {self._request.spec.name} need {format_bytes(need)} and this machine has"
                f" {format_bytes(free)} of RAM free; profile a smaller model here, or this one on its own device"
            )

    @property
    def _too_large(self) -> str:
        return f"the weights of {self._request.spec.name} do not fit the {format_bytes(self._request.pool_bytes)} pool"

    @property
    def _no_ram(self) -> str:
        return (
            f"this machine ran out of memory while {self._request.spec.name} was loaded; end other programs, or use a"
            " smaller model"
        )

    def _beyond_table(self, error: Exception, tokens: int) -> bool:
        """Whether a pass ended for want of a position: all its tokens are the same, and in the vocabulary."""
        if is_out_of_memory(error):
            return False
        return isinstance(error, IndexError) or tokens > self._request.spec.max_positions

    def _pass(
        self,
        tokens: int,
        forward: Forward,
        meter: Meter,
        weight_bytes: int,
        guard: Guard | None,
    ) -> PassResult:
        began, message, refusal = monotonic(), "", None
        outcome: Outcome = "ok"
        laps = _Laps(meter, self._mark)
        try:
            if guard is not None:
                guard.admit(tokens)
            with models.attention_context(self._request.key.attention), meter.watch():
                request = self._request
                forward.request(tokens, request.new_tokens, request.prefill_chunk, meter.device, laps)
        except TokenCapError as error:
            outcome, message = "refused", str(error)
        except (RuntimeError, MemoryError, IndexError) as error:
            if self._beyond_table(error, tokens):
                raise BadInputError(
                    f"{self._request.spec.name} has no row for each position of {tokens:,} tokens"
                    f" ({models.one_line(error)}); lower --lengths, or --tokens"
                ) from error
            if not is_out_of_memory(error):
                raise
            outcome, message, refusal = "out_of_memory", models.one_line(error), meter.refusal(error)
        phases = laps.ended()
        forward.clear_gradients()
        if outcome == "out_of_memory":
            # The traceback's frames kept the pass's tensors; they are gone only now.
            gc.collect()
        return PassResult(
            id=self._request.id,
            tokens=tokens,
            outcome=outcome,
            peak_bytes=0 if outcome == "refused" else meter.peak,
            weight_bytes=weight_bytes,
            seconds=monotonic() - began,
            message=message,
            synthetic=self._synthetic,
            reserved_bytes=0 if outcome == "refused" else meter.reserved,
            outside_bytes=meter.outside(),
            phases=phases,
            refusal=refusal,
        )


class _Laps:
    """The phases of a pass as they come, each with what it took."""

    def __init__(self, meter: Meter, mark: Callable[[PhaseKind], None]) -> None:
        self._meter, self._mark = meter, mark
        self._under_way: tuple[PhaseKind, float] | None = None
        self._done: tuple[PhasePeak, ...] = ()

    def __call__(self, phase: PhaseKind) -> None:
        self.ended()
        self._under_way = phase, monotonic()
        self._mark(phase)

    def ended(self) -> tuple[PhasePeak, ...]:
        """All that have ended, the one under way too."""
        if self._under_way is not None:
            (phase, began), self._under_way = self._under_way, None
            self._done = (*self._done, PhasePeak(phase, self._meter.lap(), monotonic() - began))
        return self._done
