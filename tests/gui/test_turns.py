"""Python's lock is handed over sooner while anybody asks for it, and as usual afterwards."""

import sys

import pytest

from vramtuner.gui.turns import SWITCH_SECONDS, giving_way


def test_the_usual_interval_is_back_when_the_last_user_has_ended() -> None:
    usual = sys.getswitchinterval()
    with giving_way():
        first = giving_way()
        first.__enter__()
        assert sys.getswitchinterval() == pytest.approx(min(usual, SWITCH_SECONDS))
    assert sys.getswitchinterval() == pytest.approx(min(usual, SWITCH_SECONDS))  # the other one goes on
    first.__exit__(None, None, None)
    assert sys.getswitchinterval() == pytest.approx(usual)
