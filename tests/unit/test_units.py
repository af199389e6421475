"""Bytes and tokens: what people type and what they read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vramtuner.core.errors import BadInputError
from vramtuner.core.units import (
    GIB,
    KIB,
    MAX_TOKENS,
    MIB,
    TIB,
    format_bytes,
    format_tokens,
    parse_bytes,
    parse_tokens,
    render_bytes,
)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("10GiB", 10_737_418_240),
        ("10 GiB", 10_737_418_240),
        (" 10gib ", 10_737_418_240),
        ("10g", 10_737_418_240),
        ("10.5G", 11_274_289_152),
        ("512MiB", 536_870_912),
        ("1.5k", 1_536),
        ("1TiB", 1_099_511_627_776),
        ("7", 7),
        ("7B", 7),
        ("8GB", 8_000_000_000),
        ("8MB", 8_000_000),
        ("0.5KiB", 512),
        ("1.0001", 1),
        ("1.999999999KiB", 2_047),
    ],
)
def test_sizes_that_people_type(text: str, size: int) -> None:
    assert parse_bytes(text) == size


@pytest.mark.parametrize(
    "text",
    ["", " ", "GiB", "0", "0GiB", "0.4", "-1GiB", "+1GiB", "1e9", "1,5GiB", "10 Gi B", "10GiBs", "nan", "inf", "0x10",
     "٣GiB", "10GiB\n10GiB", "9" * 19, "9999999TiB", "1" * 5000, "1.5.5GiB", ".5GiB", "10%"],
)  # fmt: skip
def test_sizes_that_are_refused(text: str) -> None:
    with pytest.raises(BadInputError) as caught:
        parse_bytes(text)
    assert "10GiB" in str(caught.value)
    assert len(str(caught.value)) < 200


@given(st.integers(1, 2**60))
def test_a_rendered_size_reads_back_the_same(size: int) -> None:
    assert parse_bytes(render_bytes(size)) == size


@given(st.integers(1, 2**50), st.sampled_from([KIB, MIB, GIB]))
def test_a_whole_number_of_units_is_rendered_short(count: int, unit: int) -> None:
    assert render_bytes(count % 1000 * unit + unit).endswith("iB")


def test_rendered_examples() -> None:
    assert [render_bytes(size) for size in (10 * GIB, 1536 * MIB, 7, TIB, 1023)] == [
        "10GiB",
        "1536MiB",
        "7",
        "1TiB",
        "1023",
    ]


@given(st.text())
def test_any_text_is_a_size_or_bad_input(text: str) -> None:
    try:
        size = parse_bytes(text)
    except BadInputError as error:
        assert len(str(error).splitlines()) == 1
    else:
        assert 1 <= size <= 2**60


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("4096", 4096), ("4,096", 4096), ("4_096", 4096), (" 4k ", 4096), ("128K", 131_072), ("1", 1), ("0100", 100),
     ("1,048,576", 1_048_576), ("100000000", 100_000_000)],
)  # fmt: skip
def test_token_counts_that_people_type(text: str, tokens: int) -> None:
    assert parse_tokens(text) == tokens


@pytest.mark.parametrize(
    "text",
    ["", "0", "-1", "1.5k", "1,5k", "4,09", "4096,", "1,,000", "4 096", "4e3", "k", "4kk", "100000001", "١٢٣", "many",
     "9" * 5000, "4096\n4096"],
)  # fmt: skip
def test_token_counts_that_are_refused(text: str) -> None:
    with pytest.raises(BadInputError) as caught:
        parse_tokens(text)
    assert len(str(caught.value)) < 200


@given(st.text() | st.from_regex(r"[0-9,_]{1,40}[kK]?", fullmatch=True))
def test_any_text_is_a_token_count_or_bad_input(text: str) -> None:
    try:
        tokens = parse_tokens(text)
    except BadInputError as error:
        assert len(str(error).splitlines()) == 1
    else:
        assert 1 <= tokens <= MAX_TOKENS


@given(st.integers(1, MAX_TOKENS))
def test_a_token_count_with_separators_reads_back_the_same(tokens: int) -> None:
    assert parse_tokens(f"{tokens:,}") == parse_tokens(f"{tokens:_}") == parse_tokens(str(tokens)) == tokens


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 B"),
        (1023, "1023 B"),
        (1024, "1.0 KiB"),
        (MIB, "1.0 MiB"),
        (100 * MIB, "100.0 MiB"),
        (GIB, "1.00 GiB"),
        (GIB // 2, "0.50 GiB"),
        (26_032_000_000, "24.24 GiB"),
        (2 * TIB, "2,048.00 GiB"),
        (-GIB, "−1.00 GiB"),
        (-100, "−100 B"),
    ],
)
def test_sizes_for_people(size: int, text: str) -> None:
    assert format_bytes(size) == text


@given(st.floats(-(2.0**60), 2.0**60))
def test_a_size_for_people_never_says_gb(size: float) -> None:
    assert "GB" not in format_bytes(size)


def test_token_counts_for_people() -> None:
    assert [format_tokens(n) for n in (0, 1, 9472)] == ["0 tokens", "1 token", "9,472 tokens"]
