"""What passes say of the forecast, and their correction: offered after a profile, shown, and forgotten again."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from vramtuner.core.calibration import LEAST_LENGTHS, forget_calibration, save_calibration
from vramtuner.core.errors import AppError
from vramtuner.core.forecast import Forecast, measured_error
from vramtuner.core.output import article_text
from vramtuner.core.probe.protocol import PassResult
from vramtuner.core.profiling import Profile, calibration_of, stack_of
from vramtuner.core.words import say
from vramtuner.gui.values import Notice, NoticeAction, sentence

if TYPE_CHECKING:
    from vramtuner.gui.state import Session


def profile_news(session: "Session", plan: Forecast, profile: Profile) -> Notice:
    """What a profile has shown, what the source article would have said, and the offer to calibrate by it."""
    if profile.problem:
        return Notice(sentence(profile.problem))
    ran = [one for one in profile.passes if one.outcome == "ok"]
    errors = [measured_error(plan, one.tokens, one.peak_bytes, one.weight_bytes) for one in ran]
    worst = (
        say("the forecast is off by {error:.2%} at most", error=max(map(abs, errors)))
        if errors
        else say("none of them ran to its end")
    )
    text = say(
        "{passes} passes: {worst}. {article}",
        passes=len(profile.passes),
        worst=worst.replace("%", " %"),
        article=article_text(plan, profile.passes).strip(),
    )
    actions = (
        (
            NoticeAction(
                say("Calibrate"), partial(calibrate, session), say("Keep what these passes correct for this device")
            ),
        )
        if len({one.tokens for one in ran}) >= LEAST_LENGTHS
        else ()
    )
    return Notice(text.strip(), is_error=False, actions=actions)


def calibratable(session: "Session") -> Sequence[PassResult]:
    """The passes that a calibration of the current plan would be made of."""
    return [one.result for one in session.current_measurements if one.result.outcome == "ok" and one.kind != "kept"]


def calibrate(session: "Session") -> None:
    """Keep what the passes of the current plan correct, and forecast with it."""
    plan = session.forecast
    if plan is None or session.stale:
        return
    try:
        found = calibration_of(plan, calibratable(session))
        save_calibration(found)
    except (AppError, OSError) as error:
        session.tell(Notice(sentence(say("nothing was calibrated: {error}", error=error))))
        return
    forget_action = NoticeAction(say("Forget"), partial(forget, session), say("Go back to the forecast as recorded"))
    session.tell(Notice(say("Calibrated: {text}.", text=found.text), is_error=False, actions=(forget_action,)))
    session.refresh()


def forget(session: "Session") -> None:
    """Forecast as recorded again: forget the calibration of the current plan's stack."""
    plan = session.forecast
    if plan is None or not plan.device.is_here:
        return
    forgotten = forget_calibration(stack_of(plan.device, plan.key))
    session.tell(
        Notice(say("The calibration is forgotten.") if forgotten else say("There is no calibration."), is_error=False)
    )
    session.refresh()
