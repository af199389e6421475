"""Visibility variables: the orders follow ROCr's amd_filter_device.cpp and HIP's rocdevice.cpp, rule by rule."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vramtuner.core.device.visible import Visibility, visible

A, B, C, D = "GPU-aaaa000000000001", "GPU-aaaa000000000002", "GPU-bbbb000000000003", None
FOUR = (A, B, C, D)


def order(rocr: str | None = None, hip: str | None = None, cuda: str | None = None) -> tuple[int, ...]:
    names = {"ROCR_VISIBLE_DEVICES": rocr, "HIP_VISIBLE_DEVICES": hip, "CUDA_VISIBLE_DEVICES": cuda}
    return visible(FOUR, {name: value for name, value in names.items() if value is not None}).order


def test_without_variables_all_are_seen_and_nothing_is_said() -> None:
    assert visible(FOUR, {"PATH": "/bin"}) == Visibility((0, 1, 2, 3), ())


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("0", (0,)),
        ("2,0", (2, 0)),
        ("1,", (1,)),
        (" 1 , 2 ", (1, 2)),
        ("0x1,02", (1, 2)),  # as C reads numbers
        ("3,1,9,0", (3, 1)),  # the first that names no GPU ends the list
        ("1,1,2", (1,)),  # and so does one that comes again
        ("-1", ()),
        ("0,-1,2", (0,)),
        ("", ()),  # set but empty shows none
        ("gpu0", ()),
        ("08", ()),  # no octal digit
        ("1.5", ()),
        (B, (1,)),
        ("gpu-bbbb", (2,)),  # the beginning of an id, in any case
        ("GPU-aaaa", ()),  # fits two
        (f"{C},0", (2, 0)),
        (f"{C}0", ()),  # too long
        ("GPU", ()),
        ("0,,1", ()),  # an empty entry ends ROCr
        (" ", ()),
        ("0,1,2,3,9", (0, 1, 2, 3)),  # entries beyond the number of GPUs are not looked at
    ],
)
def test_rocr(value: str, expected: tuple[int, ...]) -> None:
    assert order(rocr=value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("0", (0,)),
        ("3,1", (3, 1)),
        ("1,", (1,)),
        ("1,1,2", (1, 2)),  # one that comes again is passed over
        ("0,9,1", (0,)),
        ("-1", ()),
        (" 1", ()),  # HIP takes no spaces
        ("01", ()),
        ("0,,1", (0,)),
        ("none", ()),
        ("", (0, 1, 2, 3)),  # empty is not set
        (A, (0,)),
        ("GPU-bbbb,GPU-a", (2, 0)),  # a part of an id, the first that has it
        ("GPU-BBBB", ()),  # in its own case
        ("GPU-XX", (3,)),  # what HIP calls a GPU without an id
    ],
)
def test_hip_and_cuda_read_alike(value: str, expected: tuple[int, ...]) -> None:
    assert order(hip=value) == order(cuda=value) == expected


@pytest.mark.parametrize(
    ("rocr", "hip", "cuda", "expected"),
    [
        ("3,1", "1,0", None, (1, 3)),  # HIP counts among what ROCr left
        ("3,1", "2", None, ()),
        ("2", None, "0", (2,)),
        ("3,2", C, None, (2,)),
        ("0", C, None, ()),
        (None, "1", "0", (1,)),  # HIP's own name wins
        (None, "", "0", (0,)),  # but not when it is empty
        ("", "0", None, ()),
    ],
)
def test_nesting(rocr: str | None, hip: str | None, cuda: str | None, expected: tuple[int, ...]) -> None:
    assert order(rocr, hip, cuda) == expected


def test_a_variable_that_hides_every_gpu_is_explained() -> None:
    seen = visible(FOUR, {"HIP_VISIBLE_DEVICES": "-1"})
    assert seen.explanation == (
        "HIP_VISIBLE_DEVICES=-1 hides every GPU; the list ends at -1, which names no GPU of 4; unset it, or name one as"
        " HIP_VISIBLE_DEVICES=0",
    )
    (said,) = visible(FOUR, {"ROCR_VISIBLE_DEVICES": ""}).explanation
    assert said.startswith('ROCR_VISIBLE_DEVICES="" hides every GPU; unset it')
    (said,) = visible(FOUR, {"ROCR_VISIBLE_DEVICES": "0,,1"}).explanation
    assert "an empty entry, which makes ROCr fail to start" in said


def test_the_order_is_told_as_a_user_meets_it() -> None:
    seen = visible(FOUR, {"ROCR_VISIBLE_DEVICES": "3,1", "HIP_VISIBLE_DEVICES": "1,0,7", "CUDA_VISIBLE_DEVICES": "2"})
    assert seen.explanation == (
        "ROCR_VISIBLE_DEVICES=3,1 shows GPU 3, GPU 1, in this order and counted from 0",
        "HIP_VISIBLE_DEVICES=1,0,7 shows GPU 1, GPU 3, in this order and counted from 0; the list ends at 7, which"
        " names no GPU of 2, counting among what ROCR_VISIBLE_DEVICES left",
        "CUDA_VISIBLE_DEVICES is not read, because HIP_VISIBLE_DEVICES is set",
    )
    assert [seen.index_of(place) for place in range(4)] == [None, 0, None, 1]


def test_an_empty_variable_that_pytorch_reads_otherwise_is_named() -> None:
    for name in ("HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES"):
        (said,) = visible(FOUR, {name: ""}).explanation
        assert said.startswith(f"{name} is set but empty, which HIP takes for not set; PyTorch may still count no GPU")


def test_without_gpus_there_is_nothing_to_choose_from() -> None:
    assert visible((), {"HIP_VISIBLE_DEVICES": "0"}) == Visibility(
        (), ("HIP_VISIBLE_DEVICES=0 has no GPU to choose from",)
    )


def test_control_characters_do_not_reach_the_terminal() -> None:
    (said,) = visible(FOUR, {"HIP_VISIBLE_DEVICES": "\x1b[31m" + "9" * 500}).explanation
    assert "\x1b" not in said
    assert len(said) < 300


_VALUES = st.none() | st.text(max_size=30) | st.from_regex(r"[-0-4x, G]{0,12}", fullmatch=True) | st.sampled_from(
    [A, B, C, "GPU-aaaa", f"{A},{B}", "GPU-XX"]
)  # fmt: skip


@given(st.lists(st.sampled_from(FOUR), max_size=5), _VALUES, _VALUES, _VALUES)
def test_whatever_is_set_the_order_names_each_gpu_at_most_once(
    uuids: list[str | None], rocr: str | None, hip: str | None, cuda: str | None
) -> None:
    names = {"ROCR_VISIBLE_DEVICES": rocr, "HIP_VISIBLE_DEVICES": hip, "CUDA_VISIBLE_DEVICES": cuda}
    seen = visible(uuids, {name: value for name, value in names.items() if value is not None})
    assert len(set(seen.order)) == len(seen.order)
    assert set(seen.order) <= set(range(len(uuids)))
    assert len(seen.order) == len(uuids) or seen.explanation  # what is hidden is explained
