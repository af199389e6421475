"""A deployment file that was changed says in which line."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vramtuner.core.deploy.envfile import Deployment, PassRecord, parse, render
from vramtuner.core.deploy.intact import checksum, damage, file_problem
from vramtuner.core.device.spec import Device
from vramtuner.core.errors import BadInputError
from vramtuner.core.settings import Levers
from vramtuner.core.units import GIB

CARD = Device(key="1", name="Radeon PRO W7900", kind="gpu", vram_bytes=51_522_830_336, source="a test", gfx="gfx1100")
TEXT = render(
    Deployment(
        model="Llama-2-7B",
        model_hash="491cb15a44a7d552",
        device=CARD,
        levers=Levers(pool_bytes=10 * GIB, token_cap=9472, dtype="fp16", attention="flash"),
        versions={"torch": "2.12.1+rocm7.0"},
        created="2026-12-01T04:00:00Z",
        validated_on="Radeon PRO W7900",
        passes=(PassRecord(9472, "ok", 9 * GIB), PassRecord(14_208, "refused", 0)),
    )
)
LINES = TEXT.splitlines()


def named(text: str) -> set[int]:
    """The lines that the message of a refusal names."""
    with pytest.raises(BadInputError) as caught:
        parse(text)
    return {int(number) for number in re.findall(r"line (\d+)", str(caught.value))}


@pytest.mark.parametrize("number", range(1, len(LINES) + 1))
def test_a_line_with_one_byte_changed_is_named(number: int) -> None:
    line = LINES[number - 1]
    for place in sorted({0, len(line) // 3, line.find("="), len(line) // 2, len(line) - 1} - {-1}):
        for byte in ("X", "x", "0", "=", " ", "#", "\0", "\r", "\x85", "\ufffd", ",", "\u2028"):
            if line[place] == byte:
                continue
            changed = [*LINES]
            changed[number - 1] = line[:place] + byte + line[place + 1 :]
            assert named("\n".join(changed) + "\n") == {number}, (number, place, byte)


@given(st.integers(0, len(TEXT) - 2), st.characters(codec="utf-8"))
@settings(max_examples=400, deadline=None)
def test_wherever_a_byte_is_changed_its_line_is_named(place: int, byte: str) -> None:
    if TEXT[place] == byte:
        return
    number = TEXT.count("\n", 0, place) + 1
    around = {number, number + 1} if "\n" in (byte, TEXT[place]) else {number}  # two lines become one, or one two
    assert named(TEXT[:place] + byte + TEXT[place + 1 :]) & around


@pytest.mark.parametrize("number", range(1, len(LINES) + 1))
def test_a_line_that_is_removed_added_or_moved_is_named(number: int) -> None:
    before, line, after = LINES[: number - 1], LINES[number - 1], LINES[number:]
    if number < len(LINES) - 1:
        assert number in named("\n".join([*before, *after]) + "\n")
        swapped = [*before, after[0], line, *after[1:]]
        assert named("\n".join(swapped) + "\n") & {number, number + 1}
    assert number in named("\n".join([*before, "ADDED=1", line, *after]) + "\n")
    assert named(f"{TEXT}ADDED=1\n") == {len(LINES) + 1}


def test_the_file_as_written_is_intact_and_a_missing_last_line_end_is_no_change() -> None:
    assert damage(TEXT) == ()
    assert file_problem(TEXT) == file_problem(TEXT.removesuffix("\n")) == ""


def test_a_file_of_an_older_release_has_no_checks_of_its_lines_and_is_read() -> None:
    body = "".join(f"{line}\n" for line in LINES[:-2])
    old = f"{body}VRAMTUNER_CHECKSUM={checksum(body)}\n"
    assert parse(old)["HIP_MAX_CONTEXT_TOKENS"] == "9472"
    with pytest.raises(BadInputError, match="checksum"):
        parse(old.replace("TOKENS=9472", "TOKENS=9473"))


def test_a_file_with_the_ends_of_lines_of_windows_says_so_in_bounds() -> None:
    with pytest.raises(BadInputError) as caught:
        parse(TEXT.replace("\n", "\r\n"))
    assert len(str(caught.value)) < 500
