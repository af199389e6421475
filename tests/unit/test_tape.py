"""Tapes: fitting three recordings, reading a file back, and where tapes are kept."""

import gzip
import logging
import zlib
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vramtuner.core.model.find import PRESETS, load_preset
from vramtuner.core.settings import ATTENTIONS, TapeKey
from vramtuner.core.tape.envelope import envelope_of
from vramtuner.core.tape.fit import NotAlignedError, fit_lengths, fit_sizes, held_out_length
from vramtuner.core.tape.format import Component, Recording, Regime, Tape, decode_tape, encode_tape
from vramtuner.core.tape.store import cache_folder, find_tape, save_tape

KEY = TapeKey(dtype="fp16", attention="flash")
Polynomial = tuple[int, int, int]


def at(polynomial: Polynomial, tokens: int) -> int:
    a, b, c = polynomial
    return a + b * tokens + c * tokens * tokens


def recording(
    tokens: int,
    polynomials: list[Polynomial],
    *,
    events: tuple[int, ...] = (),
    component: Component = Component.ACTIVATIONS,
    op: str = "mm",
) -> Recording:
    count = len(polynomials)
    return Recording(
        tokens=tokens,
        events=events or tuple(range(1, count + 1)),
        sizes=tuple(at(polynomial, tokens) for polynomial in polynomials),
        components=(component,) * count,
        ops=(op,) * count,
    )


def fitted(polynomials: list[Polynomial], from_tokens: int, to_tokens: int, **options: Any) -> Regime:
    lengths = fit_lengths(from_tokens, to_tokens)
    first, second, third, held_out = (
        recording(tokens, polynomials, **options) for tokens in (*lengths, held_out_length(to_tokens, lengths))
    )
    return fit_sizes((first, second, third)).regime(from_tokens, to_tokens, held_out)


def tape_of(*regimes: Regime, config_hash: str = "0" * 16) -> Tape:
    return Tape(key=KEY, attention="flash", config_hash=config_hash, versions={"torch": "2.13.0"}, regimes=regimes)


SMALL = tape_of(
    Regime(2, 9, (2, 3, 4), 7, 0, [1, 2, -2, 3], [64.0, 0.0, 1.0], [0.0, 8.0, 4.0], [0.0, 2.0, 0.0], [0, 3, 1], [2]),
    Regime(10, 99, (10, 11, 12), 50, 5, [1, 2], [64.0, 8.0], [0.0, 2.0], [0.0, 0.5], [0, 4]),
)

# Fit -------------------------------------------------------------------------------------------------------------

_POLYNOMIALS = st.lists(
    st.tuples(st.integers(-(10**11), 10**11), st.integers(-(10**7), 10**7), st.integers(-(10**4), 10**4)),
    min_size=1,
    max_size=6,
)


@given(_POLYNOMIALS, st.integers(1, 200_000), st.integers(3, 10**7))
def test_any_polynomials_are_recovered_exactly(polynomials: list[Polynomial], start: int, room: int) -> None:
    regime = fitted(polynomials, start, start + room)
    assert list(zip(regime.a, regime.b, regime.c, strict=True)) == polynomials
    assert (regime.from_tokens, regime.to_tokens) == (start, start + room)
    # At the held-out length values beyond 2**53 bytes lose whole bytes; nothing that fits a device is there.
    if all(abs(at(p, regime.held_out)) < 2**53 // 8 for p in polynomials):
        assert regime.residual_bytes == 0


def test_half_bytes_are_recovered_too() -> None:
    triangle = [Recording(n, (1,), (n * (n + 1) // 2,), (Component.ACTIVATIONS,), ("tril",)) for n in (8, 16, 24, 101)]
    regime = fit_sizes((triangle[0], triangle[1], triangle[2])).regime(8, 101, triangle[3])
    assert (regime.a, regime.b, regime.c, regime.residual_bytes) == ([0.0], [0.5], [0.5], 0)


def test_sizes_that_grow_with_the_square_are_workspace_unless_they_are_known_better() -> None:
    assert fitted([(0, 0, 2), (0, 2, 0)], 2, 4096).component == [Component.WORKSPACE, Component.ACTIVATIONS]
    assert fitted([(0, 0, 2)], 2, 4096, component=Component.LOGITS).component == [Component.LOGITS]


def test_the_residual_is_the_largest_difference_of_live_bytes() -> None:
    events = (1, 2, 3, -1)
    polynomials = [(100, 4, 0), (0, 8, 0), (7, 0, 0)]
    right = [recording(tokens, polynomials, events=events) for tokens in (8, 16, 24)]
    wrong = Recording(99, events, (at(polynomials[0], 99) + 10, at(polynomials[1], 99) + 20, 7 + 5), *(
        (right[0].components, right[0].ops)))  # fmt: skip
    regime = fit_sizes((right[0], right[1], right[2])).regime(8, 99, wrong)
    # Live error after each event: 10, 30, 35, 25.
    assert regime.residual_bytes == 35


@pytest.mark.parametrize("place", [1, 2, 3])
def test_recordings_that_are_not_the_same_sequence_are_refused(place: int) -> None:
    polynomials = [(8, 1, 0), (4, 1, 0)]
    for wrong in ({"events": (1, 2, -1)}, {"op": "bmm"}):
        four = [recording(tokens, polynomials) for tokens in (8, 16, 24, 99)]
        four[place] = recording(four[place].tokens, polynomials, **wrong)
        with pytest.raises(NotAlignedError, match="not the same sequence"):
            fit_sizes((four[0], four[1], four[2])).regime(8, 99, four[3])


@given(st.integers(1, 10**6), st.integers(3, 10**7))
def test_lengths_are_inside_the_regime_and_the_held_out_one_is_another(start: int, room: int) -> None:
    lengths = fit_lengths(start, start + room)
    held_out = held_out_length(start + room, lengths)
    step = lengths[1] - lengths[0]
    assert lengths[2] - lengths[1] == step
    assert step & (step - 1) == 0
    assert all(start <= tokens <= start + room for tokens in (*lengths, held_out))
    assert held_out not in lengths


@pytest.mark.parametrize("room", [0, 1, 2])
def test_a_regime_too_short_to_check_is_refused(room: int) -> None:
    with pytest.raises(ValueError, match="too short"):
        fit_lengths(5, 5 + room)


# File ------------------------------------------------------------------------------------------------------------


def contents(tape: Tape) -> Any:
    return msgspec.to_builtins(tape)


def test_a_tape_survives_its_file_byte_for_byte() -> None:
    data = encode_tape(SMALL)
    assert contents(decode_tape(data)) == contents(SMALL)
    assert encode_tape(decode_tape(data)) == data == encode_tape(SMALL)


@given(st.binary(max_size=300), st.booleans())
def test_any_bytes_are_a_tape_or_a_value_error(data: bytes, packed: bool) -> None:
    with pytest.raises(ValueError):  # no bytes that are drawn here make a tape
        decode_tape(gzip.compress(data) if packed else data)


def test_a_tape_cut_short_or_damaged_is_noticed() -> None:
    data = encode_tape(SMALL)
    for length in range(len(data)):
        with pytest.raises(ValueError, match="tape"):
            decode_tape(data[:length])
    for place in range(10, len(data)):  # the first ten bytes are gzip's header: its time and system do not matter
        damaged = bytearray(data)
        damaged[place] ^= 0x10
        try:
            read = decode_tape(bytes(damaged))
        except ValueError:
            continue
        assert contents(read) == contents(SMALL)  # a bit that means nothing, after the last block


def test_a_tape_that_unpacks_to_too_much_is_refused() -> None:
    packer = zlib.compressobj(9, wbits=31)
    bomb = b"".join(packer.compress(b" " * 2**20) for _ in range(66)) + packer.flush()
    with pytest.raises(ValueError, match="too large"):
        decode_tape(bomb)
    with pytest.raises(ValueError, match="too large"):
        decode_tape(encode_tape(SMALL), max_bytes=100)


def test_nesting_is_not_followed_for_ever() -> None:
    with pytest.raises(ValueError, match="not a tape"):
        decode_tape(gzip.compress(b'{"x": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("events", []),
        ("events", [1, 2, 3, 0]),
        ("events", [1, 2]),
        ("events", [1, 2, 3, 4]),
        ("events", [1, 1, 2, 3]),
        ("events", [1, 2, 3, -4]),
        ("events", [1, 2, -2, -2, 3]),
        ("a", [1.0]),
        ("c", [0.0] * 4),
        ("component", [0, 1, 5]),
        ("component", [0, 1, -1]),
        ("component", []),
        ("upcasts", [0]),
        ("upcasts", [4]),
        ("to_tokens", 1),
        ("to_tokens", 8),
        ("to_tokens", 2**62),
        ("from_tokens", 0),
        ("from_tokens", -5),
        ("b", ["8", 0, 0]),
    ],
)
def test_a_tape_that_contradicts_itself_is_refused(field: str, value: object) -> None:
    facts = contents(SMALL)
    facts["regimes"][0][field] = value
    with pytest.raises(ValueError, match="tape"):
        decode_tape(gzip.compress(msgspec.json.encode(facts)))


@pytest.mark.parametrize(("field", "value"), [("format", 2), ("regimes", []), ("key", {}), ("attention", "sdpa")])
def test_a_tape_of_another_kind_is_refused(field: str, value: object) -> None:
    with pytest.raises(ValueError, match="tape"):
        decode_tape(gzip.compress(msgspec.json.encode({**contents(SMALL), field: value})))


_JSON = st.none() | st.integers(-(10**6), 10**6) | st.floats(-1e6, 1e6) | st.lists(st.integers(-4, 4), max_size=6)


@settings(deadline=None)
@given(st.integers(0, 1), st.sampled_from([*Regime.__struct_fields__]), _JSON)
def test_whatever_is_read_as_a_tape_has_an_envelope(number: int, field: str, value: object) -> None:
    facts = contents(SMALL)
    facts["regimes"][number][field] = value
    try:
        tape = decode_tape(gzip.compress(msgspec.json.encode(facts)))
    except ValueError:
        return
    pieces = envelope_of(tape).pieces
    assert pieces[-1].to_tokens == tape.max_tokens
    assert all(one.to_tokens + 1 == other.from_tokens for one, other in pairwise(pieces))


# Store -----------------------------------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return cache_folder()


@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_has_its_tapes(preset: str) -> None:
    spec = load_preset(preset)
    wanted = [(spec.dtype, "none"), (spec.dtype, "int8"), (spec.dtype, "nf4"), (spec.dtype, "fp4"), ("fp16", "none")]
    for dtype, weights in wanted:
        for attention in ATTENTIONS:
            key = msgspec.convert({"dtype": dtype, "attention": attention, "weights": weights}, TapeKey)
            tape = find_tape(spec, key)
            assert tape is not None, key.slug
            assert tape.config_hash == spec.config_hash
            assert tape.key == (msgspec.structs.replace(key, weights="nf4") if weights == "fp4" else key)
            assert [regime.residual_bytes for regime in tape.regimes] == [0] * (1 + len(spec.breakpoints))
            assert tape.regimes[0].from_tokens <= 2
            assert tape.max_tokens == spec.max_positions if spec.positions_hard else tape.max_tokens >= 131_072


def test_a_tape_recorded_here_is_kept_and_taken_first(empty_cache: Path) -> None:
    spec = load_preset("gpt2")
    tape = tape_of(*SMALL.regimes, config_hash=spec.config_hash)
    save_tape(spec, tape)
    found = find_tape(spec, KEY)
    assert found is not None
    assert contents(found) == contents(tape)
    assert find_tape(spec, msgspec.structs.replace(KEY, batch_size=2)) is None
    assert len(list(empty_cache.iterdir())) == 1


@pytest.mark.parametrize("content", [b"", b"garbage", encode_tape(SMALL)[:-9]])
def test_a_damaged_tape_in_the_cache_is_passed_over(
    empty_cache: Path, caplog: pytest.LogCaptureFixture, content: bytes
) -> None:
    spec = load_preset("gpt2")
    save_tape(spec, tape_of(*SMALL.regimes, config_hash=spec.config_hash))
    (path,) = empty_cache.iterdir()
    path.write_bytes(content)
    with caplog.at_level(logging.INFO):
        found = find_tape(spec, KEY)
    assert found is not None
    assert found.max_tokens == 1024  # the shipped one
    assert "is ignored" in caplog.text


def test_a_tape_of_another_config_is_not_taken() -> None:
    spec = load_preset("gpt2")
    save_tape(spec, SMALL)
    found = find_tape(spec, KEY)
    assert found is not None
    assert found.config_hash == spec.config_hash


def test_a_cache_that_cannot_be_written_costs_nothing_but_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with caplog.at_level(logging.INFO):
        save_tape(load_preset("gpt2"), SMALL)
    assert "not cached" in caplog.text
    assert find_tape(load_preset("gpt2"), KEY) is not None
