"""Between the session's choice and the steps of a script: which step a choice makes, which choice a step means."""

from vramtuner.core.device.find import find_device
from vramtuner.core.device.roots import HERE, Roots
from vramtuner.core.device.spec import Device
from vramtuner.core.errors import AppError
from vramtuner.core.forecast import Forecast
from vramtuner.core.model.find import find_model, text_of_model
from vramtuner.core.model.spec import ModelSpec
from vramtuner.core.profiling import plan_at_hand
from vramtuner.core.script import Script, Step, default_caption, demo_script, with_step
from vramtuner.gui.values import Choice


def forecast_at_hand(choice: Choice) -> Forecast | None:
    """The forecast of a choice if no tape has to be recorded for it and its levers go together."""
    try:
        return plan_at_hand(choice.spec, choice.device, choice.levers)
    except AppError:
        return None


class Finder:
    """Finds the choices that steps mean; each model and device is looked for once."""

    def __init__(self, current: Choice, roots: Roots = HERE) -> None:
        self._roots = roots
        self._models: dict[str, ModelSpec] = {text_of_model(current.spec): current.spec}
        self._devices: dict[str, Device] = {current.device.key: current.device}

    def choice_of(self, step: Step) -> Choice:
        """The choice of a step.

        Raises
        ------
        AppError
            Its model or its device is not there, or the device cannot give its pool.
        """
        if step.model not in self._models:
            self._models[step.model] = find_model(step.model)
        if step.device not in self._devices:
            self._devices[step.device] = find_device(step.device, self._roots)
        choice = Choice(self._models[step.model], self._devices[step.device], step.levers)
        choice.device.pool_bytes(choice.levers)
        return choice


def with_choice(script: Script, choice: Choice, roots: Roots = HERE) -> Script:
    """The script with a step more at its end, which shows the choice under a caption that says what is new.

    Raises
    ------
    BadInputError
        The script is full.
    """
    before = script.steps[-1] if script.steps else None
    step = Step(levers=choice.levers, caption="", model=text_of_model(choice.spec), device=choice.device.key)
    earlier = None if before is None else _plan_of(before, Finder(choice, roots))
    caption = default_caption(before, step, (earlier, forecast_at_hand(choice)))
    return with_step(script, Step(levers=step.levers, caption=caption, model=step.model, device=step.device))


def demo_of(plan: Forecast) -> Script:
    """A script to begin with, for the model and the device of a forecast."""
    return demo_script(
        plan,
        text_of_model(plan.spec),
        plan.device.key,
        lambda levers: forecast_at_hand(Choice(plan.spec, plan.device, levers)),
    )


def _plan_of(step: Step, finder: Finder) -> Forecast | None:
    try:
        return forecast_at_hand(finder.choice_of(step))
    except AppError:
        return None
