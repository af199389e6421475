"""Which kernel a target gets in which release of torch.  Every expectation names where it is published."""

import csv
import re
from importlib.resources import files
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vramtuner.core.device.attention import TABLE_TORCH, KernelChoice, auto_attention, experimental_is_set
from vramtuner.core.device.find import cpu_device
from vramtuner.core.device.spec import Device
from vramtuner.core.errors import BadInputError
from vramtuner.core.settings import DTYPES
from vramtuner.core.units import GIB

VARIABLE = "TORCH_ROCM_AOTRITON_ENABLE_EXPERIMENTAL"
RELEASES = tuple(f"2.{minor}.0" for minor in range(5, 15))


def read(name: str) -> list[dict[str, str]]:
    text = (files("vramtuner.resources") / name).read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


ROWS = read("attention_kernels.csv")
TARGETS = sorted({row["gfx"] for row in ROWS})


def gpu(gfx: str | None, kind: str = "catalogue") -> Device:
    return Device(key="card", name="Card", kind=kind, vram_bytes=16 * GIB, source="", gfx=gfx)  # type: ignore[arg-type]


def got(gfx: str, torch: str, head_dim: int = 128) -> str:
    choice = auto_attention(gpu(gfx), head_dim, torch_version=torch)
    return f"{choice.attention} with the variable" if choice.needs_variable else choice.attention


# Published support -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("gfx", "torch", "expected"),
    [
        # pytorch 135869, for release/2.5: Navi31 is experimental and off by default; MI200 and MI300 are not.
        ("gfx90a", "2.5.1", "flash"),
        ("gfx942", "2.5.1", "flash"),
        ("gfx1100", "2.5.1", "flash with the variable"),
        # pytorch 140172 (2.6): "Move gfx1100 (RX7900/W7800/W7900) out of experimental support status".
        ("gfx1100", "2.6.0", "flash"),
        # pytorch 148433 (2.7): gfx1201 "need to be enabled at runtime with" the variable.
        ("gfx1201", "2.6.0", "math"),
        ("gfx1201", "2.7.1", "flash with the variable"),
        # TheRock 1364: torch 2.7.1 does not support gfx1151.
        ("gfx1151", "2.7.1", "math"),
        # pytorch 156499 (2.8): "Official support of gfx950/gfx1201", experimental gfx1151, gfx1150 and gfx1200.
        ("gfx950", "2.7.1", "math"),
        ("gfx950", "2.8.0", "flash"),
        ("gfx1201", "2.8.0", "flash"),
        ("gfx1150", "2.8.0", "flash with the variable"),
        ("gfx1151", "2.8.0", "flash with the variable"),
        ("gfx1200", "2.8.0", "flash with the variable"),
        # aotriton 123 (0.11b, torch 2.9): gfx1100 is moved back to experimental, gfx1102 is added as experimental.
        ("gfx1102", "2.8.0", "math"),
        ("gfx1102", "2.9.1", "flash with the variable"),
        ("gfx1100", "2.9.1", "flash with the variable"),
        # isArchExperimentallySupported in aotriton v3src/util.cc at 8625c4f (0.11b), beside those two.
        ("gfx1101", "2.9.1", "flash with the variable"),
        ("gfx1150", "2.9.1", "flash with the variable"),
        ("gfx1151", "2.9.1", "flash with the variable"),
        ("gfx1200", "2.9.1", "flash with the variable"),
        ("gfx1201", "2.9.1", "flash"),
        ("gfx950", "2.9.1", "flash"),
        # aotriton 139 (0.11.1, torch 2.10): Navi31 out of experimental; aotriton 138: gfx1103 added as experimental.
        ("gfx1100", "2.10.0", "flash"),
        ("gfx1103", "2.9.1", "math"),
        ("gfx1103", "2.10.0", "flash with the variable"),
        # aotriton 143 (0.11.2): gfx1152 and gfx1153; TheRock 3355: "for pytorch versions >= 2.11".
        ("gfx1152", "2.10.0", "math"),
        ("gfx1153", "2.10.0", "math"),
        ("gfx1152", "2.11.0", "flash with the variable"),
        ("gfx1153", "2.11.0", "flash with the variable"),
        # ROCm/pytorch 3313 (AOTriton 0.12b, torch 2.13): "gfx1100 and gfx1151 promoted out of experimental".
        ("gfx1151", "2.12.0", "flash with the variable"),
        ("gfx1151", "2.13.0", "flash"),
        ("gfx1100", "2.13.0", "flash"),
        # isArchExperimentallySupported in aotriton v3src/util.cc at 05f26c2 (before 0.12.1 adds its gfx1250 tier).
        *((gfx, "2.13.0", "flash with the variable") for gfx in ("gfx1101", "gfx1102", "gfx1103", "gfx1150")),
        *((gfx, "2.13.0", "flash with the variable") for gfx in ("gfx1152", "gfx1153", "gfx1200")),
        *((gfx, "2.13.0", "flash") for gfx in ("gfx90a", "gfx942", "gfx950", "gfx1201")),
        # TheRock's build_prod_wheels.py: AOTriton does not support gfx900, gfx906, gfx908, gfx101X and gfx103X.
        *((gfx, "2.13.0", "math") for gfx in ("gfx900", "gfx906", "gfx908", "gfx1010", "gfx1012", "gfx1030")),
        *((gfx, "2.13.0", "math") for gfx in ("gfx1031", "gfx1032", "gfx1034")),
    ],
)
def test_a_target_gets_what_was_published_for_the_release(gfx: str, torch: str, expected: str) -> None:
    assert got(gfx, torch) == expected


@pytest.mark.parametrize(
    ("gfx", "torch", "largest"),
    [
        # pytorch sdp_utils.cpp: 256 before AOTriton 0.9, 512 since; pytorch 148850 saw 256 enforced with 0.9.2.
        ("gfx942", "2.6.0", 256),
        ("gfx942", "2.7.0", 256),
        ("gfx942", "2.8.0", 512),
        ("gfx90a", "2.13.0", 512),
        # TheRock 6561: heads of 512 are right on gfx1201 and wrong on gfx1151.
        ("gfx1201", "2.13.0", 512),
        # pytorch 194280: "Cap SDPA head dim at 256 on gfx11xx for AOTriton 0.11 and later".
        ("gfx1100", "2.9.0", 256),
        ("gfx1100", "2.13.0", 256),
        ("gfx1151", "2.13.0", 256),
    ],
)
def test_heads_over_the_largest_fall_to_math(gfx: str, torch: str, largest: int) -> None:
    assert got(gfx, torch, largest).startswith("flash")
    over = auto_attention(gpu(gfx), largest + 8, torch_version=torch)
    assert (over.attention, over.needs_variable) == ("math", False)
    assert f"heads of {largest + 8} are over the {largest}" in over.note


def test_larger_heads_on_gfx11_are_said_to_give_wrong_results() -> None:
    # pytorch 189849: torch 2.13's check lets heads of 512 through on gfx11, whose kernel has none.
    assert "wrong results" in auto_attention(gpu("gfx1100"), 512, torch_version="2.13.0").note
    assert "wrong results" not in auto_attention(gpu("gfx1100"), 512, torch_version="2.12.0").note


# Dtypes, masks, grouped heads ------------------------------------------------------------------------------------


def asked(head_dim: int = 128, torch: str = "2.13.0", **keywords: object) -> KernelChoice:
    return auto_attention(gpu("gfx942"), head_dim, torch_version=torch, **keywords)  # type: ignore[arg-type]


def test_32_bit_passes_and_masks_get_the_memory_efficient_kernel() -> None:
    # pytorch sdp_utils.cpp: aotriton_mem_efficient_dtypes has fp32; only the flash kernel refuses a mask.
    assert asked(dtype="fp32").attention == "flash"
    assert asked(masked=True).attention == "flash"
    assert asked(masked=True, dtype="fp32", grouped=True).attention == "flash"  # transformers repeats the heads


def test_grouped_32_bit_heads_have_no_fused_kernel() -> None:
    # The same file: flash takes fp16 and bf16 only, and `supports_gqa = false` for the memory-efficient kernel on ROCm.
    for dtype in DTYPES:
        choice = asked(dtype=dtype, grouped=True)
        assert choice.attention == ("math" if dtype == "fp32" else "flash")
    assert "grouped heads in fp32" in asked(dtype="fp32", grouped=True).note
    assert asked(512, dtype="fp32", grouped=True).attention == "flash"  # transformers repeats heads over 256 itself


def test_grouped_heads_are_fused_from_torch_2_6() -> None:
    # pytorch 135869 (2.5): "disabling gqa"; pytorch 140172 (2.6): "MQA/GQA support".
    assert asked(torch="2.5.1", grouped=True).attention == "math"
    assert asked(torch="2.5.1").attention == "flash"
    assert asked(torch="2.6.0", grouped=True).attention == "flash"


def test_the_memory_efficient_kernel_wants_heads_of_16_bytes() -> None:
    # pytorch sdp_utils.cpp: `alignment = is_half ? 8 : 4`; the flash kernel pads instead.
    assert asked(100).attention == "flash"
    assert asked(100, masked=True).attention == "math"
    assert asked(100, dtype="fp32").attention == "flash"
    assert asked(90, dtype="fp32").attention == "math"


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_stand_in_is_fused_for_every_dtype(dtype: str) -> None:
    choice = auto_attention(cpu_device(), 512, dtype=dtype, torch_version="1.0", grouped=True)  # type: ignore[arg-type]
    assert (choice.attention, choice.variable) == ("flash", None)


# The variable ----------------------------------------------------------------------------------------------------


def test_a_plan_is_given_the_experimental_kernel_and_the_variable() -> None:
    choice = auto_attention(gpu("gfx1102"), 128, torch_version="2.13.0")
    assert choice.attention == "flash"
    assert choice.variable == (VARIABLE, "1")
    assert f"only with {VARIABLE}=1" in choice.note
    assert "this environment" not in choice.note


def test_without_the_variable_an_experimental_target_runs_math() -> None:
    off = auto_attention(gpu("gfx1102"), 128, torch_version="2.13.0", experimental=False)
    assert (off.attention, off.variable) == ("math", None)
    assert "not set" in off.note
    assert auto_attention(gpu("gfx1102"), 128, torch_version="2.13.0", experimental=True).attention == "flash"
    assert auto_attention(gpu("gfx1100"), 128, torch_version="2.13.0", experimental=False).attention == "flash"


def test_the_note_of_a_local_gpu_says_whether_the_variable_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    local = gpu("gfx1102", "gpu")
    monkeypatch.delenv(VARIABLE, raising=False)
    assert auto_attention(local, torch_version="2.13.0").note.endswith("; not set in this environment")
    monkeypatch.setenv(VARIABLE, "1")
    assert auto_attention(local, torch_version="2.13.0").note.endswith("; set in this environment")
    assert auto_attention(local, torch_version="2.13.0").needs_variable


@pytest.mark.parametrize(("value", "is_set"), [("1", True), ("0", False), ("", False), ("true", False), ("2", False)])
def test_only_1_sets_the_variable(value: str, is_set: bool) -> None:
    # check_env in pytorch's c10/util/env.h: "1" is true, "0" false, and anything else is ignored with a warning.
    assert experimental_is_set({VARIABLE: value}) == is_set


# Versions --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["2.13", "2.13.0+rocm7.2", "2.13.0+cpu", "2.13.0a0+git1234abc", "2.13.1"])
def test_a_version_is_read_up_to_its_minor_number(text: str) -> None:
    assert auto_attention(gpu("gfx1151"), torch_version=text) == auto_attention(gpu("gfx1151"), torch_version="2.13.0")


@pytest.mark.parametrize("text", ["2", "torch", "v2.13", "-2.13", "2.x", "２.１３", "2.12345", "\n2.13"])
def test_a_version_that_cannot_be_read_is_refused(text: str) -> None:
    with pytest.raises(BadInputError, match=r"give it as 2\.13\.0"):
        auto_attention(gpu("gfx1151"), torch_version=text)


def test_a_newer_torch_keeps_the_last_row_and_says_so() -> None:
    newer = auto_attention(gpu("gfx1100"), torch_version="2.99.0")
    assert newer.attention == "flash"
    assert f"checked up to torch {TABLE_TORCH}, not 2.99" in newer.note
    assert "checked up to" not in auto_attention(gpu("gfx1100"), torch_version=TABLE_TORCH).note


@pytest.mark.parametrize("torch", ["2.4.1", "2.0.0", "1.13.1"])
@pytest.mark.parametrize("gfx", TARGETS)
def test_a_torch_from_before_the_table_is_taken_for_math(gfx: str, torch: str) -> None:
    choice = auto_attention(gpu(gfx), torch_version=torch)
    assert (choice.attention, choice.variable) == ("math", None)
    assert "math is assumed" in choice.note


@pytest.mark.parametrize("gfx", [None, "", "gfx9999", "sm_90", "gfx110", "GFX1100"])
def test_an_unknown_target_is_taken_for_math(gfx: str | None) -> None:
    choice = auto_attention(gpu(gfx), 64)
    assert (choice.attention, choice.variable) == ("math", None)
    assert "math is assumed" in choice.note


# The table -------------------------------------------------------------------------------------------------------


def release(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split("."))


def test_every_catalogue_target_is_in_the_table() -> None:
    assert {card["gfx_target"] for card in read("gpus.csv")} <= set(TARGETS)


@pytest.mark.parametrize("gfx", TARGETS)
def test_the_rows_of_a_target_follow_each_other_without_gap_or_overlap(gfx: str) -> None:
    rows = [row for row in ROWS if row["gfx"] == gfx]
    assert rows[0]["torch_since"] == "2.5"
    assert rows[-1]["torch_until"] == ""
    for row in rows[:-1]:
        assert release(row["torch_since"]) <= release(row["torch_until"])
    for row, following in pairwise(rows):
        major, minor = release(row["torch_until"])
        assert release(following["torch_since"]) == (major, minor + 1)


def test_every_row_has_a_source_and_a_largest_head_where_it_is_fused() -> None:
    known = r"(pytorch|aotriton|TheRock|ROCm/pytorch) \d+|aotriton v3\w+/\w+\.(py|cc)( at [0-9a-f]{7})?"
    for row in ROWS:
        sources = row["source"].split("; ")
        assert all(re.fullmatch(known, source) or source == "TheRock build_prod_wheels.py" for source in sources), row
        assert row["head_dim_max"] == "" if row["fused"] == "no" else row["head_dim_max"] in ("256", "512")


@given(
    gfx=st.sampled_from(TARGETS),
    torch=st.sampled_from(RELEASES),
    head_dim=st.integers(0, 1024),
    dtype=st.sampled_from([None, *DTYPES]),
    grouped=st.booleans(),
    masked=st.booleans(),
    experimental=st.sampled_from([None, True, False]),
)
def test_nothing_is_promised_that_the_table_does_not_have(
    gfx: str, torch: str, head_dim: int, dtype: object, grouped: bool, masked: bool, experimental: bool | None
) -> None:
    keywords = {"dtype": dtype, "grouped": grouped, "masked": masked, "experimental": experimental}
    choice = auto_attention(gpu(gfx), head_dim, torch_version=torch, **keywords)  # type: ignore[arg-type]
    plain = auto_attention(gpu(gfx), torch_version=torch)
    assert choice.attention in ("flash", "math")
    if choice.attention == "flash":  # more is asked of the kernel, so that no more is given
        assert plain.attention == "flash"
        assert choice.needs_variable == plain.needs_variable
        assert not (choice.needs_variable and experimental is False)
    else:
        assert choice.variable is None
    assert len(choice.note) < 300
