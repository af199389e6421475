"""Stages of the probe and of the installer in another language than the one they come in."""

from collections.abc import Iterator

import pytest

from vramtuner.core import stages, words
from vramtuner.core.stages import said_by, stage_in_words

SAID = {
    stages.PASS: "{tokens:,} Token ({place}/{count})",
    stages.LOADING: "Gewichte",
    "Downloading {what}": "{what} kommt",
}


@pytest.fixture(autouse=True)
def german() -> Iterator[None]:
    words.use(lambda template, count: SAID.get(template, template), words.Separators(thousands=".", decimal=","))
    yield
    words.use()


def test_numbers_are_read_from_english_and_written_in_the_language() -> None:
    stage = stages.PASS.format(place=2, count=3, tokens=12_288)
    assert stage == "Pass 2 of 3: 12,288 tokens" and stage_in_words(stage) == "12.288 Token (2/3)"


def test_a_stage_without_places_is_translated_and_an_unknown_one_is_left_as_it_is() -> None:
    assert stage_in_words(stages.LOADING) == "Gewichte"
    assert stage_in_words("Loading the weights twice {") == "Loading the weights twice {"


def test_what_stands_in_a_place_is_kept() -> None:
    assert said_by(["Downloading {what}"], "Downloading torch-2.13 (200.1 MB)") == "torch-2.13 (200.1 MB) kommt"
