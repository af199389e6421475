"""Names from outside never reach a terminal as they are."""

from hypothesis import given
from hypothesis import strategies as st

from vramtuner.core.text import one_line, printable


@given(st.text(), st.integers(1, 100))
def test_any_text_is_printable_and_short(text: str, most: int) -> None:
    shown = printable(text, most)
    assert shown.isprintable()
    assert len(shown) == min(len(text), most)


@given(st.text(st.characters(categories=["L", "N", "P", "S"]), max_size=80))
def test_plain_text_is_left_as_it_is(text: str) -> None:
    assert printable(text) == text


def test_what_a_terminal_obeys_is_replaced() -> None:
    # An escape, a C1 control, a mark that turns the reading direction, a byte that was no UTF-8.
    assert printable("a\x1b[31m\x9b2J\u202eb\udc80") == "a�[31m�2J�b�"
    assert printable("x" * 81) == "x" * 79 + "…"


def test_a_message_is_one_line() -> None:
    assert one_line("first\n  second\r\n\x1b[0m") == "first second �[0m"
