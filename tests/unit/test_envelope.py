"""The envelope is the peak: the same as asking every event at every length."""

from fractions import Fraction
from itertools import pairwise

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vramtuner.core.model.find import PRESETS, load_preset
from vramtuner.core.settings import ATTENTIONS, TapeKey
from vramtuner.core.tape.envelope import Envelope, Piece, envelope_of
from vramtuner.core.tape.format import Component, Regime, Tape
from vramtuner.core.tape.store import find_tape

KEY = TapeKey(dtype="fp16", attention="eager")
Storage = tuple[int, int, int, int]  # a, b, c, component


def tape_of(*regimes: Regime) -> Tape:
    return Tape(key=KEY, attention="eager", config_hash="", versions={}, regimes=regimes)


def regime_of(
    storages: list[Storage], events: list[int], start: int, end: int, upcasts: tuple[int, ...] = ()
) -> Regime:
    a, b, c = ([float(storage[degree]) for storage in storages] for degree in range(3))
    return Regime(start, end, (), 0, 0, events, a, b, c, [storage[3] for storage in storages], list(upcasts))


def live_at(regime: Regime, tokens: int, left_out: tuple[int, ...] = ()) -> list[tuple[int, ...]]:
    """Live bytes by component after every event, in integers."""
    live, after = [0] * len(Component), []
    for event in regime.events:
        k = abs(event) - 1
        size = int(regime.a[k]) + int(regime.b[k]) * tokens + int(regime.c[k]) * tokens * tokens
        if k + 1 not in left_out:
            live[regime.component[k]] += size if event > 0 else -size
        after.append(tuple(live))
    return after


def check(envelope: Envelope, regime: Regime, left_out: tuple[int, ...] = ()) -> None:
    lengths = np.arange(regime.from_tokens, regime.to_tokens + 1)
    table = envelope.component_bytes(lengths)
    for place, tokens in enumerate(lengths.tolist()):
        live = live_at(regime, tokens, left_out)
        peak = max(map(sum, live))
        split = tuple(int(value) for value in table[:, place])
        assert sum(split) == peak, tokens
        assert split in [row for row in live if sum(row) == peak], tokens
        piece = envelope.piece_at(tokens)
        assert piece.from_tokens <= tokens <= piece.to_tokens
        assert tuple(piece.exact_bytes(tokens, code) for code in Component) == split


@st.composite
def regimes(draw: st.DrawFn, largest: int = 10**9) -> Regime:
    size = st.integers(-largest, largest) | st.integers(-3, 3)
    storages = draw(
        st.lists(st.tuples(size, size.map(lambda b: b // 100), st.integers(-50, 50) | st.just(0), st.integers(0, 4)),
                 min_size=1, max_size=7)
    )  # fmt: skip
    events, alive = [], []
    for number in range(1, len(storages) + 1):
        events.append(number)
        alive.append(number)
        for gone in draw(st.lists(st.sampled_from(alive), unique=True)):
            alive.remove(gone)
            events.append(-gone)
    start = draw(st.integers(1, 5000))
    return regime_of(storages, events, start, start + draw(st.integers(0, 120)))


@settings(deadline=None, max_examples=150)
@given(regimes())
def test_the_envelope_is_the_largest_of_all_events_at_every_length(regime: Regime) -> None:
    envelope = envelope_of(tape_of(regime))
    check(envelope, regime)
    assert (envelope.pieces[0].from_tokens, envelope.max_tokens) == (regime.from_tokens, regime.to_tokens)
    assert all(one.to_tokens + 1 == other.from_tokens for one, other in pairwise(envelope.pieces))


@settings(deadline=None, max_examples=100)
@given(regimes(largest=4))
def test_ties_and_tiny_sizes_change_nothing(regime: Regime) -> None:
    check(envelope_of(tape_of(regime)), regime)


@settings(deadline=None, max_examples=50)
@given(regimes(), st.data())
def test_fused_upcasts_are_left_out_and_nothing_else(regime: Regime, data: st.DataObject) -> None:
    upcasts = tuple(data.draw(st.lists(st.integers(1, len(regime.a)), unique=True)))
    marked = msgspec.structs.replace(regime, upcasts=list(upcasts))
    check(envelope_of(tape_of(marked), fused_upcast=True), regime, upcasts)
    check(envelope_of(tape_of(marked)), regime)


@settings(deadline=None, max_examples=100)
@given(st.integers(2, 2**20), st.integers(0, 642), st.integers(0, 10**6), st.integers(0, 10**6), st.integers(-2, 2))
def test_a_crossing_is_found_to_the_token_far_out(root: int, square: int, rise: int, rival: int, shift: int) -> None:
    # Two events that are equal, or almost, at `root` tokens: a + rival·N against rise·N + square·N², beside weights.
    a = square * root * root + (rise - rival) * root + shift
    weights = 26 * 10**9
    storages = [(weights, 0, 0, 0), (a, rival, 0, 3), (0, rise, square, 4)]
    regime = regime_of(storages, [1, 2, -2, 3], 2, 2**22)
    envelope = envelope_of(tape_of(regime))
    ends = [tokens for piece in envelope.pieces for tokens in (piece.from_tokens, piece.to_tokens)]
    for tokens in {*ends, *range(max(root - 3, 2), root + 4)}:
        total = Fraction(sum(envelope.piece_at(tokens).exact_bytes(tokens, code) for code in Component))
        peak = max(map(sum, live_at(regime, tokens)))
        # Floats of more than 2**50 bytes (1 PiB) are whole bytes at best.
        assert total == peak if peak < 2**50 else abs(total - peak) <= 1


def test_a_hand_computed_crossing() -> None:
    # 1,000 + 10·N against 2·N²: equal at N = 25, and from 26 on the square is larger.
    regime = regime_of([(1000, 10, 0, 3), (0, 0, 2, 4)], [1, -1, 2], 1, 100)
    pieces = envelope_of(tape_of(regime)).pieces
    assert sum(pieces[0].exact_bytes(25, code) for code in Component) == 1250
    assert [(piece.from_tokens, piece.to_tokens) for piece in pieces][-1] == (pieces[-1].from_tokens, 100)
    assert pieces[-1].from_tokens in (25, 26)
    assert pieces[-1].coefficients[Component.WORKSPACE] == (0.0, 0.0, 2.0)


def test_regimes_follow_each_other_and_the_ends_speak_for_what_is_beyond() -> None:
    low = regime_of([(10, 1, 0, 0)], [1], 2, 9)
    high = regime_of([(100, 2, 0, 0)], [1], 10, 20)
    envelope = envelope_of(tape_of(low, high))
    assert envelope.component_bytes([1, 2, 9, 10, 20, 30])[0].tolist() == [11, 12, 19, 120, 140, 160]
    assert envelope.piece_at(1) == envelope.pieces[0]
    assert envelope.piece_at(10**9) == envelope.pieces[1]


def test_a_curve_is_the_pieces_at_every_length() -> None:
    pieces = (
        Piece(1, 4, ((1, 0, 0), (0, 2, 0), (0, 0, 0), (0, 0, 0), (0, 0, 0))),
        Piece(5, 9, ((1, 0, 0), (0, 2, 0), (0, 0, 0), (0, 0, 0), (0, 0, 1))),
    )
    table = Envelope(pieces).component_bytes(np.array([4, 5]))
    assert table.tolist() == [[1, 1], [8, 10], [0, 0], [0, 0], [0, 25]]


@pytest.mark.parametrize("preset", PRESETS)
def test_shipped_tapes_need_a_handful_of_pieces_and_never_fall(preset: str) -> None:
    spec = load_preset(preset)
    for attention in ATTENTIONS:
        tape = find_tape(spec, TapeKey(dtype=spec.dtype, attention=attention))
        assert tape is not None
        envelope = envelope_of(tape)
        assert len(envelope.pieces) <= 6
        ends = [tokens for piece in envelope.pieces for tokens in (piece.from_tokens, piece.to_tokens)]
        lengths = np.unique([*np.geomspace(2, envelope.max_tokens, 2000).astype(np.int64), *ends])
        assert np.all(np.diff(envelope.component_bytes(lengths).sum(axis=0)) >= 0)


def test_llama_2_13b_with_eager_attention_needs_two_pieces() -> None:
    tape = find_tape(load_preset("llama-2-13b"), KEY)
    assert tape is not None
    assert len(envelope_of(tape).pieces) == 2
