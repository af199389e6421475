"""A script: steps to be shown one after the other, each a choice and a caption.

Pure values and functions; a script is replayed by the window and kept as a part of a session file.
"""

from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from vramtuner.core.errors import BadInputError
from vramtuner.core.forecast import Forecast
from vramtuner.core.lever_words import describe_change, with_defaults
from vramtuner.core.settings import Levers
from vramtuner.core.text import one_line
from vramtuner.core.units import format_tokens
from vramtuner.core.words import mark, say

MAX_STEPS = 200
MAX_CAPTION = 300
"""Letters of a caption: what an audience can read while somebody talks, with room to spare."""
_MAX_MODEL = 4096  # letters of a path
_MAX_DEVICE = 100
DEMO_TITLE = mark("How the limit moves")
_DEMO_CHUNK = 512
_DEMO_CAP_FACTOR = 4
_OF_TAPES = ("weights", "prefill_chunk", "kv_cache")
"""The levers of the demo that need tapes of their own; few combinations are shipped."""


class Step(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One thing to show.

    Attributes
    ----------
    caption
        One line of at most 300 letters; may be empty.
    model, device
        As `find_model` and `find_device` take them.
    """

    levers: Levers
    caption: str
    model: str
    device: str

    def __post_init__(self) -> None:
        for what, text, most in (
            (say("caption"), self.caption, MAX_CAPTION),
            (say("model"), self.model, _MAX_MODEL),
            (say("device"), self.device, _MAX_DEVICE),
        ):
            if len(text) > most:
                raise BadInputError(
                    say(
                        "the {what} of a step must have at most {most} letters, not {text:,}",
                        what=what,
                        most=most,
                        text=len(text),
                    )
                )
            if not text.isprintable():
                raise BadInputError(
                    say("the {what} of a step must be one line of text without control characters", what=what)
                )


class Script(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """At most 200 steps."""

    steps: tuple[Step, ...] = ()

    def __post_init__(self) -> None:
        if len(self.steps) > MAX_STEPS:
            raise BadInputError(
                say("a script has at most {max_steps} steps; delete some to add others", max_steps=MAX_STEPS)
            )


# ---- editing


def with_step(script: Script, step: Step, place: int | None = None) -> Script:
    """The script with a step more.

    Parameters
    ----------
    place
        Where it will be, counted from 0; the end if ``None``.

    Raises
    ------
    BadInputError
        The script is full, or has no such place.
    """
    place = len(script.steps) if place is None else place
    if place != len(script.steps):
        _check(script, place)
    return Script((*script.steps[:place], step, *script.steps[place:]))


def without_step(script: Script, place: int) -> Script:
    """The script without a step; raises `BadInputError` if there is none at the place."""
    _check(script, place)
    return Script(script.steps[:place] + script.steps[place + 1 :])


def with_step_moved(script: Script, place: int, to: int) -> Script:
    """The script with a step at another place; raises `BadInputError` if either is none."""
    _check(script, place)
    _check(script, to)
    return with_step(without_step(script, place), script.steps[place], to)


def with_caption(script: Script, place: int, caption: str) -> Script:
    """The script with another caption at a place; what was typed is made one line and cut to its length.

    Raises
    ------
    BadInputError
        There is no step at the place.
    """
    _check(script, place)
    step = msgspec.structs.replace(script.steps[place], caption=one_line(caption, MAX_CAPTION))
    return Script((*script.steps[:place], step, *script.steps[place + 1 :]))


def _check(script: Script, place: int) -> None:
    if not 0 <= place < len(script.steps):
        raise BadInputError(
            say("there is no step {place}; the script has {steps}", place=place + 1, steps=len(script.steps))
        )


# ---- captions


def default_caption(before: Step | None, after: Step, plans: tuple[Forecast | None, Forecast | None]) -> str:
    """What a step shows, against the one before it: ``4-bit weights (nf4): limit 3,392 → 21,504 tokens``.

    Parameters
    ----------
    plans
        The forecasts of both; ``None`` where there is none, of which nothing is said.
    """
    parts = []
    plan = plans[1]
    is_elsewhere = before is None or (before.model, before.device) != (after.model, after.device)
    if is_elsewhere:
        parts.append(
            say("{model} on {device}", model=after.model, device=after.device)
            if plan is None
            else say("{name} on {name2}", name=plan.spec.name, name2=plan.device.name)
        )
    parts.append(describe_change(Levers() if before is None else before.levers, after.levers))
    words = ", ".join(part for part in parts if part) or say("nothing changed")
    words = words if is_elsewhere else f"{words[:1].upper()}{words[1:]}"  # a model's name stays as it is
    limits = _limit_words(*plans)
    return one_line(f"{words}: {limits}" if limits else words, MAX_CAPTION)


def _limit_words(before: Forecast | None, after: Forecast | None) -> str:
    if after is None:
        return ""
    limit = after.limit.tokens
    if limit == 0:
        return say("not even one token fits")
    if before is None:
        return say("limit {limit}", limit=format_tokens(limit))
    if before.limit.tokens == limit:
        return say("the limit stays at {limit}", limit=format_tokens(limit))
    return say("limit {tokens:,} → {limit}", tokens=before.limit.tokens, limit=format_tokens(limit))


# ---- a script to begin with


def demo_script(current: Forecast, model: str, device: str, plan_of: Callable[[Levers], Forecast | None]) -> Script:
    """“How the limit moves”: one lever at a time from the defaults on, of which the forecast is at hand.

    Parameters
    ----------
    current
        Of the model on the device; its own levers are where the script begins if nothing is known of the defaults.
    model, device
        As of `Step`.
    plan_of
        The forecast of other levers for the same model and device, or ``None`` where its tape is not at hand.
    """
    usual = plan_of(Levers())
    plan = current if usual is None else usual
    step = Step(levers=plan.levers, caption="", model=model, device=device)
    found = [msgspec.structs.replace(step, caption=default_caption(None, step, (None, plan)))]
    for values in _demo_moves(plan):
        for after in _moves_to(plan, values, plan_of):
            step = Step(levers=after.levers, caption="", model=model, device=device)
            found.append(msgspec.structs.replace(step, caption=default_caption(found[-1], step, (plan, after))))
            plan = after
    return Script(tuple(found))


def _demo_moves(first: Forecast) -> Iterator[dict[str, Any]]:
    yield {"weights": "nf4"}
    yield {"pool_bytes": first.pool_bytes // 2}
    yield {"prefill_chunk": _DEMO_CHUNK}
    yield {"kv_cache": "fp8"}
    yield {"token_cap": min(_DEMO_CAP_FACTOR * first.token_cap, first.max_tokens)}


def _moves_to(
    plan: Forecast, values: dict[str, Any], plan_of: Callable[[Levers], Forecast | None]
) -> tuple[Forecast, ...]:
    """The forecasts on the way to a move: the move alone, or first without the earlier ones that it does not go with.

    None where there is no way, nothing would change, or not even one token would fit.
    """

    def moved(levers: Levers) -> Forecast | None:
        try:
            return plan_of(msgspec.structs.replace(levers, **values))
        except BadInputError:  # it does not go with another lever
            return None

    if values.get("token_cap") == plan.token_cap:
        return ()
    after = moved(plan.levers)
    if after is not None and after.levers == plan.levers:
        return ()
    if after is not None:
        return (after,) if after.limit.tokens else ()
    base = plan_of(with_defaults(plan.levers, *_OF_TAPES))
    after = None if base is None else moved(base.levers)
    if base is None or base.levers == plan.levers or after is None or not (base.limit.tokens and after.limit.tokens):
        return ()
    return base, after
