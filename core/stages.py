"""What the probe says it is doing: in English on its pipe, in the language of the window where it is shown."""

import re
from collections.abc import Sequence
from functools import cache

from vramtuner.core.words import mark, say

STARTING = mark("Starting PyTorch")
RECORDING = mark("Recording the tape")
LOADING = mark("Loading the weights")
LOADING_RANDOM = mark("Loading random weights (synthetic)")
PASS = mark("Pass {place} of {count}: {tokens:,} tokens")
DONE = mark("Done")
_STAGES = (STARTING, RECORDING, LOADING, LOADING_RANDOM, PASS, DONE)
_PLACE = re.compile(r"\\\{(\w+)(:,)?\\\}")


def stage_in_words(stage: str) -> str:
    """A stage as it is shown."""
    return said_by(_STAGES, stage)


def said_by(templates: Sequence[str], text: str) -> str:
    """An English text of another process by the template that made it, translated; as it is where none did.

    >>> said_by(["{count:,} bytes"], "1,024 bytes")
    '1,024 bytes'
    """
    for template in templates:
        match = _pattern(template).fullmatch(text)
        if match is not None:
            numbers = {name for name, spec in _PLACE.findall(re.escape(template)) if spec}
            return say(
                template,
                **{
                    name: int(value.replace(",", "")) if name in numbers else value
                    for name, value in match.groupdict().items()
                },
            )
    return text


@cache
def _pattern(template: str) -> "re.Pattern[str]":
    return re.compile(
        _PLACE.sub(lambda place: f"(?P<{place[1]}>{'[0-9,]+' if place[2] else '.+'})", re.escape(template))
    )
