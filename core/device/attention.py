"""Which attention kernel PyTorch takes on a gfx target, from a table with a source per row."""

import csv
from functools import cache
from importlib.resources import files
from typing import Literal

import msgspec

from vramtuner.core.device.spec import Device
from vramtuner.core.settings import Attention

_VARIABLE = "TORCH_ROCM_AOTRITON_ENABLE_EXPERIMENTAL"


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
    gfx: str
    fused: Literal["yes", "experimental", "no"]
    head_dim_max: str
    source: str
    note: str


@cache
def _table() -> dict[str, _Row]:
    text = (files("vramtuner.resources") / "attention_kernels.csv").read_text(encoding="utf-8")
    rows = [msgspec.convert(row, _Row) for row in csv.DictReader(text.splitlines())]
    return {row.gfx: row for row in rows}


def auto_attention(device: Device, head_dim: int = 0) -> KernelChoice:
    """The kernel that a device gets by default for heads of a size.

    A target with experimental fused kernels is given them, because the deployment file sets the variable that
    turns them on; an unknown target is taken for one without, which never promises too many tokens.
    """
    if not device.is_gpu:
        return KernelChoice("flash", "the CPU stand-in has PyTorch's fused CPU kernel")
    row = _table().get(device.gfx or "")
    if row is None:
        where = device.gfx or "this device"
        return KernelChoice("math", f"no fused attention kernel is known for {where}; math is assumed")
    if row.fused == "no":
        return KernelChoice("math", f"{row.gfx} has no fused attention kernel ({row.source})")
    if row.head_dim_max and head_dim > int(row.head_dim_max):
        too_large = f"heads of {head_dim} are over the {row.head_dim_max} that {row.gfx}'s fused attention takes"
        return KernelChoice("math", f"{too_large} ({row.source})")
    if row.fused == "experimental":
        return KernelChoice("flash", f"fused on {row.gfx} only with {_VARIABLE}=1 ({row.source})", needs_variable=True)
    return KernelChoice("flash", f"fused attention on {row.gfx} ({row.source})")
