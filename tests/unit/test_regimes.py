"""Regimes are found where operations change, by recording alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vramtuner.core.settings import TapeKey
from vramtuner.core.tape.envelope import envelope_of
from vramtuner.core.tape.fit import NotAlignedError
from vramtuner.core.tape.format import Component, Recording, Regime, Tape
from vramtuner.core.tape.regimes import Record, find_regimes

LAST = 2**20


def recording(tokens: int, size: int, op: str = "mm") -> Recording:
    return Recording(tokens, (1,), (size,), (Component.ACTIVATIONS,), (op,))


def peak(regimes: tuple[Regime, ...], tokens: int) -> float:
    tape = Tape(
        key=TapeKey(dtype="fp16", attention="flash"), attention="flash", config_hash="0", versions={}, regimes=regimes
    )
    return float(envelope_of(tape).component_bytes([tokens]).sum())


def changing(ends: list[int]) -> Record:
    return lambda tokens: recording(tokens, 10 * tokens, op=f"op{sum(tokens > end for end in ends)}")


@given(st.lists(st.integers(6, LAST - 6), max_size=3, unique=True))
def test_every_change_that_the_config_names_is_there(ends: list[int]) -> None:
    regimes = find_regimes(changing(ends), 2, LAST, ends)
    found = [regime.to_tokens for regime in regimes]
    assert set(ends) <= set(found)
    assert found[-1] == LAST
    assert all(regime.residual_bytes == 0 for regime in regimes)


@given(st.integers(1024, 100_000), st.integers(100_000, LAST))
def test_a_change_that_nothing_names_is_found_below_the_longest_length_in_use(end: int, longest: int) -> None:
    regimes = find_regimes(changing([end]), 2, LAST, [], checks=[longest])
    assert end in [regime.to_tokens for regime in regimes] or end >= longest


@given(st.integers(1100, 12_000))
def test_sizes_that_stop_growing_are_a_change_too(window: int) -> None:
    # A sliding cache: the same operations, but no more rows than the window.
    regimes = find_regimes(lambda tokens: recording(tokens, 64 * min(tokens, window)), 2, LAST, [])
    for tokens in (2, window - 1, window, window + 1, 3 * window, LAST):
        if 2 <= tokens <= LAST:
            assert peak(regimes, tokens) == 64 * min(tokens, window)


@given(st.integers(1, 10**6))
def test_padded_chunks_are_never_too_low_and_exact_one_below_a_multiple(tokens: int) -> None:
    chunk = 256
    padded = 8 * -(-tokens // chunk) * chunk
    regimes = find_regimes(
        lambda n: recording(n, 8 * -(-n // chunk) * chunk, op="pad" if n % chunk else "none"), 2, 2**22, [], [chunk]
    )
    assert padded <= peak(regimes, tokens) <= padded + 8 * chunk
    if (tokens + 1) % chunk == 0:
        assert peak(regimes, tokens) == padded


def test_operations_that_change_with_every_token_are_refused() -> None:
    with pytest.raises(NotAlignedError):
        find_regimes(lambda tokens: recording(tokens, 8, op=f"op{tokens}"), 2, LAST, [])


def test_a_regime_speaks_for_a_length_that_it_was_not_fitted_to() -> None:
    (regime,) = find_regimes(lambda tokens: recording(tokens, 7 + 3 * tokens + tokens**2), 2, LAST, [])
    assert regime.held_out not in regime.recorded_at
    assert (regime.a, regime.b, regime.c) == ([7.0], [3.0], [1.0])
