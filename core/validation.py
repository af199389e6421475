"""Passes of a plan: a profile of it, and its validation in a fresh process under exactly the exported environment."""

import os
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import msgspec

from vramtuner.core.device.spec import Device
from vramtuner.core.errors import BadInputError
from vramtuner.core.forecast import Forecast
from vramtuner.core.model.spec import ModelSpec
from vramtuner.core.probe.client import Probe
from vramtuner.core.probe.protocol import Event, PassResult, Profile, Validate
from vramtuner.core.words import number, say

MOST_LENGTHS = 16
# What would win over the file, or change the kernels behind its back.
_RIVALS = re.compile(r"VRAMTUNER_\w+|PYTORCH_(\w+_)?ALLOC_CONF|PYTORCH_NO_\w+_CACHING|TORCH_ROCM_\w+")


class ValidationReport(msgspec.Struct, frozen=True):
    """The passes that were run, and why they do not count as passed, if they do not."""

    passes: tuple[PassResult, ...]
    problem: str = ""

    @property
    def passed(self) -> bool:
        return not self.problem


def check_runnable(spec: ModelSpec, device: Device) -> None:
    """Return if real passes of a model on a device can be run here.

    Raises
    ------
    BadInputError
        The device is not in this machine, or llama.cpp would have to run it.
    """
    if spec.is_gguf:
        raise BadInputError(
            say("{name} is a GGUF file; passes of it need llama.cpp, which is not run here", name=spec.name)
        )
    if not device.is_here:
        raise BadInputError(
            say(
                "{name} is not in this machine, so that no pass can be run on it; choose a device that "
                "is here, such as cpu, or export without validation",
                name=device.name,
            )
        )


def validation_lengths(token_cap: int, also: Iterable[int] = ()) -> tuple[int, ...]:
    """Half, all and one and a half times the cap, and what a person adds.  [tokens]

    Raises
    ------
    BadInputError
        More are added than anybody waits for.
    """
    lengths = {max(token_cap // 2, 1), token_cap, token_cap * 3 // 2 if token_cap > 1 else 2, *also}
    if len(lengths) > MOST_LENGTHS:
        raise BadInputError(
            say(
                "{lengths} lengths are too many to validate; add at most {most_lengths}",
                lengths=len(lengths),
                most_lengths=MOST_LENGTHS - 3,
            )
        )
    return tuple(sorted(lengths))


def profile_request(plan: Forecast, lengths: tuple[int, ...], snapshot: Path | None = None) -> Callable[[int], Profile]:
    """What asks a probe for passes of these lengths [tokens] under a forecast's own levers and pool.

    Parameters
    ----------
    snapshot
        The file for PyTorch's own record of a GPU's memory.
    """
    levers = plan.levers
    return lambda number: Profile(
        number,
        plan.spec,
        plan.key,
        plan.device,
        plan.pool_bytes,
        lengths,
        plan.weight_bytes,
        levers.new_tokens,
        levers.prefill_chunk,
        str(snapshot) if snapshot else "",
    )


def judge(passes: tuple[PassResult, ...], token_cap: int, pool_bytes: int, also: Iterable[int] = ()) -> str:
    """Why the passes do not validate a cap and pool; empty when they do."""
    expected = validation_lengths(token_cap, also)
    if tuple(result.tokens for result in passes) != expected:
        return say(
            "{passes} passes were run, not those at {value} tokens",
            passes=len(passes),
            value=", ".join(number(length) for length in expected),
        )
    for result in passes:
        over = result.tokens > token_cap
        if over and result.outcome != "refused":
            return say(
                "{tokens:,} tokens were not refused although the cap is {token_cap:,}",
                tokens=result.tokens,
                token_cap=token_cap,
            )
        if not over and result.outcome != "ok":
            return say("{tokens:,} tokens: {message}", tokens=result.tokens, message=result.message)
        if result.peak_bytes > pool_bytes:
            return say(
                "{tokens:,} tokens went {peak_bytes:,} bytes over the pool",
                tokens=result.tokens,
                peak_bytes=result.peak_bytes - pool_bytes,
            )
    return ""


def _without_rivals(environ: Mapping[str, str]) -> dict[str, str]:
    """An environment without the variables that would win over the file's: it is the file that is validated.

    PyTorch reads ``PYTORCH_CUDA_ALLOC_CONF`` before the HIP name and merges nothing; without its cache it keeps no cap.
    """
    return {name: value for name, value in environ.items() if not _RIVALS.fullmatch(name)}


def validate(
    plan: Forecast,
    environment: Mapping[str, str],
    *,
    on_event: Callable[[Event], None],
    probe: Probe | None = None,
    also: Iterable[int] = (),
) -> ValidationReport:
    """Run the passes in a new process whose environment is this one's plus ``environment``.

    Parameters
    ----------
    probe
        A probe that was not started yet, for a caller that wants to cancel it; made here otherwise.
    also
        Lengths [tokens] beside those of `validation_lengths`.

    Raises
    ------
    AppError
        The passes could not be run, or were cancelled.
    """
    lengths, passes = validation_lengths(plan.token_cap, also), list[PassResult]()
    fresh = probe or Probe()
    fresh.environment = {**_without_rivals(os.environ), **environment}
    try:
        for event in fresh.run(lambda n: Validate(n, plan.spec, plan.device, lengths, plan.weight_bytes)):
            on_event(event)
            if isinstance(event, PassResult):
                passes.append(event)
    finally:
        fresh.close()
    done = tuple(passes)
    return ValidationReport(done, judge(done, plan.token_cap, plan.pool_bytes, lengths))
