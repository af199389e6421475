"""Which attention kernel PyTorch takes on a gfx target, from a table with a source per row.

PyTorch's ``scaled_dot_product_attention`` tries its flash kernel, then its memory-efficient one, then falls back
to ``math`` without a word (``select_sdp_backend`` in pytorch's aten/src/ATen/native/transformers/cuda/sdp_utils.cpp).
On ROCm the first two are AOTriton's and exist for the targets that AOTriton was built for; both take memory that
grows with N, and both are ``flash`` here.  Each release of torch comes with one release of AOTriton:

- 2.5 with 0.7, 2.6 with 0.8, 2.7 with 0.9.2, 2.8 with 0.10: AOTriton's README; pytorch 135869, 140172, 148433, 156499
- 2.9 with 0.11: pytorch 161754; 2.10 with 0.11.1: pytorch 170314; 2.11 with 0.11.2: pytorch 174105, TheRock 3355
- 2.12 with 0.11.2: ROCm/pytorch 3419; 2.13 with 0.12: nixpkgs 562330

AMD's own builds of a release may come with a later one (ROCm/pytorch 2934, 3419); the table is for PyTorch's builds.
Here and in its ``source`` column, a name and a number are a pull request or an issue of pytorch/pytorch, ROCm/aotriton,
ROCm/TheRock, NixOS/nixpkgs or the repository that is spelled out.
"""

import csv
import os
import re
from collections.abc import Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from typing import Literal

import msgspec

from vramtuner.core.device.spec import Device
from vramtuner.core.errors import BadInputError
from vramtuner.core.settings import Attention, Dtype
from vramtuner.core.words import say

TABLE_TORCH = "2.13"  # the newest release that the table was checked for

_VARIABLE = "TORCH_ROCM_AOTRITON_ENABLE_EXPERIMENTAL"
_GROUPED_SINCE = (2, 6)  # AOTriton 0.8 brought grouped heads to the flash kernel (pytorch 140172)
_GROUPED_HEAD_DIM_MAX = 256  # transformers repeats larger key and value heads itself (use_gqa_in_sdpa)

_Release = tuple[int, int]


class KernelChoice(msgspec.Struct, frozen=True):
    """The kernel that ``attention=auto`` means on a device, whether it wants the variable, and why."""

    attention: Attention
    note: str
    needs_variable: bool = False

    @property
    def variable(self) -> tuple[str, str] | None:
        """The environment variable that the kernel depends on."""
        return (_VARIABLE, "1") if self.needs_variable else None


class _Row(msgspec.Struct, frozen=True):
    """A target in a range of torch releases, both ends included; an empty end is open."""

    gfx: str
    torch_since: str
    torch_until: str
    fused: Literal["yes", "experimental", "no"]
    head_dim_max: str
    source: str
    note: str

    def covers(self, release: _Release) -> bool:
        since, until = _release(self.torch_since), self.torch_until
        return since <= release and (not until or release <= _release(until))


@cache
def _table() -> tuple[_Row, ...]:
    text = (files("vramtuner.resources") / "attention_kernels.csv").read_text(encoding="utf-8")
    return tuple(msgspec.convert(row, _Row) for row in csv.DictReader(text.splitlines()))


@cache
def installed_torch() -> str | None:
    """The version of the torch that is installed here, from its metadata and without importing it."""
    try:
        return version("torch")
    except PackageNotFoundError:
        return None


def experimental_is_set(environment: Mapping[str, str] = os.environ) -> bool:
    """Whether torch would read the variable as set: `check_env` in pytorch's c10/util takes only ``1``."""
    return environment.get(_VARIABLE) == "1"


def auto_attention(
    device: Device,
    head_dim: int = 0,
    *,
    torch_version: str | None = None,
    dtype: Dtype | None = None,
    grouped: bool = False,
    masked: bool = False,
    experimental: bool | None = None,
) -> KernelChoice:
    """The kernel that a device gets by default for heads of a size.

    An unknown target, or a release from before the table, is taken for one without fused kernels, which never
    promises too many tokens.

    Parameters
    ----------
    head_dim
        Elements of an attention head; 0 is not known and checks nothing.
    torch_version
        Such as ``2.13.0+rocm7.2``; ``None`` is the torch installed here, and `TABLE_TORCH` where there is none.
    dtype
        Of queries, keys and values; ``None`` is a 16-bit one.
    grouped
        Whether several query heads share a key head.
    masked
        Whether the pass gives a mask, as a padded batch or a later chunk of a prompt does.
    experimental
        Whether torch runs with the variable set.  ``None`` is a plan: a target with experimental kernels is given
        them, because the deployment file sets the variable; the note of a local GPU says whether it is set now.

    Raises
    ------
    BadInputError
        The torch version cannot be read.
    """
    if not device.is_gpu:
        return KernelChoice("flash", say("the CPU stand-in has PyTorch's fused CPU kernel"))
    release = _release(torch_version or installed_torch() or TABLE_TORCH)
    row = next((row for row in _table() if row.gfx == device.gfx and row.covers(release)), None)
    if row is None:
        where = device.gfx or say("this device")
        return KernelChoice(
            "math",
            say(
                "no fused attention kernel is known for {where} with torch {text}; math is assumed",
                where=where,
                text=_text(release),
            ),
        )
    refused = _refused(row, release, head_dim, dtype, grouped=grouped, masked=masked)
    if refused:
        return KernelChoice("math", refused)
    return _granted(row, release, device, experimental)


def _granted(row: _Row, release: _Release, device: Device, experimental: bool | None) -> KernelChoice:
    newer = (
        ""
        if release <= _release(TABLE_TORCH)
        else say("; checked up to torch {table_torch}, not {text}", table_torch=TABLE_TORCH, text=_text(release))
    )
    if row.fused == "yes":
        return KernelChoice(
            "flash", say("fused attention on {gfx} ({source}){newer}", gfx=row.gfx, source=row.source, newer=newer)
        )
    only_with = say(
        "fused on {gfx} only with {variable}=1 ({source}){newer}",
        gfx=row.gfx,
        variable=_VARIABLE,
        source=row.source,
        newer=newer,
    )
    if experimental is False:
        return KernelChoice("math", say("{only_with}; it is not set", only_with=only_with))
    here = say("set in this environment") if experimental_is_set() else say("not set in this environment")
    return KernelChoice("flash", f"{only_with}; {here}" if device.kind == "gpu" else only_with, needs_variable=True)


def _refused(row: _Row, release: _Release, head_dim: int, dtype: Dtype | None, *, grouped: bool, masked: bool) -> str:
    """Why neither fused kernel takes the heads, or nothing: the checks of sdp_utils.cpp for ROCm."""
    if row.fused == "no":
        return say(
            "{gfx} has no fused attention kernel with torch {text} ({source})",
            gfx=row.gfx,
            text=_text(release),
            source=row.source,
        )
    if head_dim > int(row.head_dim_max):
        too_large = say(
            "heads of {head_dim} are over the {head_dim_max} that {gfx}'s fused attention takes",
            head_dim=head_dim,
            head_dim_max=row.head_dim_max,
            gfx=row.gfx,
        )
        return f"{too_large} ({row.source}; {row.note})"
    # Flash takes fp16 and bf16 and no mask; the memory-efficient kernel takes fp32 and masks, but neither grouped
    # heads nor sizes that are no multiple of 16 bytes.  transformers repeats grouped heads itself beside a mask.
    flash_refuses = "fp32" if dtype == "fp32" else say("a mask") if masked else ""
    multiple = 4 if dtype == "fp32" else 8
    if flash_refuses and head_dim % multiple:
        return say(
            "{flash_refuses} needs heads of a multiple of {multiple}, not {head_dim} (pytorch sdp_utils.cpp)",
            flash_refuses=flash_refuses,
            multiple=multiple,
            head_dim=head_dim,
        )
    if grouped and not masked and head_dim <= _GROUPED_HEAD_DIM_MAX:
        if flash_refuses:
            return say(
                "no fused kernel takes grouped heads in {flash_refuses} on ROCm (pytorch sdp_utils.cpp)",
                flash_refuses=flash_refuses,
            )
        if release < _GROUPED_SINCE:
            return say(
                "torch {text} has no fused kernel for grouped heads on ROCm (pytorch 135869)", text=_text(release)
            )
    return ""


@cache
def _release(text: str) -> _Release:
    found = re.match(r"(\d{1,4})\.(\d{1,4})(?!\d)", text, re.ASCII)
    if found is None:
        raise BadInputError(say("torch version {text!r} cannot be read; give it as 2.13.0", text=text[:40]))
    return int(found[1]), int(found[2])


def _text(release: _Release) -> str:
    return f"{release[0]}.{release[1]}"
