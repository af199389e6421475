"""The levers: one frozen value that cannot be wrong."""

import math

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vramtuner.core.errors import BadInputError
from vramtuner.core.settings import ATTENTIONS, DTYPES, KV_CACHES, LOGITS, WEIGHTS, Levers, TapeKey


def test_the_defaults_are_those_of_the_design() -> None:
    levers = Levers()
    assert (levers.margin, levers.batch_size, levers.weights, levers.logits) == (0.10, 1, "none", "last")
    assert (levers.pool_bytes, levers.token_cap, levers.checkpointing) == (None, None, False)
    assert (levers.attention, levers.dtype) == ("auto", "auto")


@pytest.mark.parametrize(
    "wrong",
    [
        {"pool_bytes": 0},
        {"pool_bytes": -1},
        {"token_cap": 0},
        {"token_cap": -5},
        {"token_cap": 100_000_001},
        {"batch_size": 0},
        {"batch_size": 1025},
        {"new_tokens": -1},
        {"token_cap": 100, "new_tokens": 100},
        {"beams": 0},
        {"beams": 65},
        {"prefill_chunk": 1},
        {"keep_modules": ["lm head"]},
        {"allocator": "a b"},
        {"pass_kind": "training", "new_tokens": 5},
        {"pass_kind": "autograd", "kv_cache": "static"},
        {"pass_kind": "training", "weights": "nf4"},
        {"margin": -0.01},
        {"margin": 1.01},
        {"margin": math.nan},
        {"margin": math.inf},
    ],
)
def test_values_out_of_range_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(BadInputError) as caught:
        msgspec.convert(wrong, Levers)
    assert len(str(caught.value).splitlines()) == 1


def test_a_change_is_checked_as_much_as_a_new_value() -> None:
    with pytest.raises(BadInputError):
        msgspec.structs.replace(Levers(), pool_bytes=0)


@pytest.mark.parametrize("right", [{"pool_bytes": 1}, {"token_cap": 100_000_000}, {"batch_size": 1024}, {"margin": 1}])
def test_the_ends_of_the_ranges_are_allowed(right: dict[str, float]) -> None:
    msgspec.convert(right, Levers)


@pytest.mark.parametrize("wrong", [{"weights": "int4"}, {"attention": "sdpa"}, {"dtype": "float16"}, {"pool": 1}])
def test_unknown_names_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(wrong, Levers)


def test_levers_cannot_be_changed_in_place() -> None:
    with pytest.raises(AttributeError):
        Levers().margin = 0.5  # type: ignore[misc] # what the test is about


_LEVERS = st.builds(
    Levers,
    pool_bytes=st.none() | st.integers(1, 2**50),
    token_cap=st.none() | st.integers(1, 10**8),
    batch_size=st.integers(1, 1024),
    weights=st.sampled_from(WEIGHTS),
    attention=st.sampled_from((*ATTENTIONS, "auto")),
    checkpointing=st.booleans(),
    dtype=st.sampled_from((*DTYPES, "auto")),
    logits=st.sampled_from(LOGITS),
    beams=st.integers(1, 64),
    kv_cache=st.sampled_from(KV_CACHES),
    prefill_chunk=st.none() | st.integers(2, 10**8),
    keep_modules=st.sampled_from([(), ("lm_head",), ("lm_head", "mlp.down_proj")]),
    allocator=st.sampled_from(["", "expandable_segments:True,roundup_power2_divisions:[256:1,512:2,>:8]"]),
    margin=st.floats(0, 1),
)


@given(_LEVERS)
def test_levers_survive_json(levers: Levers) -> None:
    assert msgspec.json.decode(msgspec.json.encode(levers), type=Levers) == levers


_KEYS = st.builds(
    TapeKey,
    dtype=st.sampled_from(DTYPES),
    attention=st.sampled_from(ATTENTIONS),
    weights=st.sampled_from(WEIGHTS),
    batch_size=st.integers(1, 1024),
    logits=st.sampled_from(LOGITS),
)


@given(_KEYS, _KEYS)
def test_different_keys_have_different_file_names(one: TapeKey, other: TapeKey) -> None:
    assert (one.slug == other.slug) == (one == other)


def test_a_slug_is_a_plain_file_name() -> None:
    assert TapeKey(dtype="fp16", attention="flash").slug == "fp16-flash-none-b1-last"


def test_a_slug_names_only_what_is_not_the_default() -> None:
    key = TapeKey(dtype="fp16", attention="flash", step=1, kv_cache="static", room=16, keep_modules=("lm_head",))
    assert key.slug == "fp16-flash-none-b1-last-step1-kv_static-room16-keep_lm_head"
