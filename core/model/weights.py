"""Exact weight bytes from safetensors headers, without reading a tensor."""

from dataclasses import dataclass
from math import prod
from pathlib import Path, PurePath
from typing import Any

import msgspec
from safetensors import SafetensorError, safe_open

from vramtuner.core.errors import BadInputError
from vramtuner.core.settings import Dtype
from vramtuner.core.text import one_line, printable
from vramtuner.core.words import say

_BITS = {
    "F64": 64, "I64": 64, "U64": 64, "F32": 32, "I32": 32, "U32": 32, "F16": 16, "BF16": 16, "I16": 16, "U16": 16,
    "F8_E4M3": 8, "F8_E5M2": 8, "F8_E8M0": 8, "F8_E4M3FNUZ": 8, "F8_E5M2FNUZ": 8, "I8": 8, "U8": 8, "BOOL": 8,
    "C64": 64, "F6_E2M3": 6, "F6_E3M2": 6, "F4": 4,
}  # fmt: skip
_DTYPES: dict[str, Dtype] = {"F16": "fp16", "BF16": "bf16", "F32": "fp32"}
_INDEX = "model.safetensors.index.json"
# The largest checkpoints have some 10^5 tensors and indices below 16 MB; the header of a file names a part of them.
_MAX_INDEX_BYTES = 32 * 2**20
_MAX_HEADER_BYTES = 16 * 2**20


@dataclass(frozen=True, slots=True)
class StoredTensor:
    """A tensor as a file's header describes it."""

    name: str
    dtype: str
    shape: tuple[int, ...]

    @property
    def nbytes(self) -> int:
        """Bytes it takes in the file; what the file really has of it is checked when the header is read."""
        return prod(self.shape) * _BITS[self.dtype] // 8


@dataclass(frozen=True, slots=True)
class WeightFiles:
    """What the headers of a checkpoint say: tensors, their bytes and elements, and the dtype most of the bytes have.

    ``floating`` is the dtype of most of the bytes that are not packed.
    """

    stored_bytes: int
    parameters: int
    dtype: Dtype | None
    floating: Dtype | None
    files: tuple[str, ...]
    tensors: tuple[StoredTensor, ...]


def read_weight_files(folder: Path) -> WeightFiles | None:
    """Read the headers of a folder's safetensors files; ``None`` when there are none.

    Raises
    ------
    BadInputError
        A file is truncated or damaged, a shard named by the index is missing, or only pickled weights are there.
    """
    names = _file_names(folder)
    if not names:
        if any(folder.glob("*.bin")) or any(folder.glob("*.pt")) or any(folder.glob("*.pth")):
            raise BadInputError(
                say(
                    "{name} holds only pickled weights, which can run code when loaded; convert them to safetensors",
                    name=printable(folder.name),
                )
            )
        return None
    tensors: list[StoredTensor] = []
    bytes_of: dict[str, int] = {}
    for name in names:
        for tensor in _tensors(folder / name):
            if tensor.dtype not in _BITS:
                raise BadInputError(
                    say(
                        "{name} holds tensors of an unknown type {dtype!r}",
                        name=printable(name),
                        dtype=printable(tensor.dtype),
                    )
                )
            tensors.append(tensor)
            bytes_of[tensor.dtype] = bytes_of.get(tensor.dtype, 0) + tensor.nbytes
    if not tensors:
        raise BadInputError(say("the safetensors files of {name} hold no tensor", name=printable(folder.name)))
    by_size = sorted(bytes_of, key=lambda dtype: -bytes_of[dtype])
    return WeightFiles(
        stored_bytes=sum(bytes_of.values()),
        parameters=sum(prod(tensor.shape) for tensor in tensors),
        dtype=_DTYPES.get(by_size[0]),
        floating=next((_DTYPES[dtype] for dtype in by_size if dtype in _DTYPES), None),
        files=names,
        tensors=tuple(tensors),
    )


def _file_names(folder: Path) -> tuple[str, ...]:
    index = folder / _INDEX
    if not index.is_file():
        return tuple(sorted(path.name for path in folder.glob("*.safetensors") if not path.is_dir()))
    if index.stat().st_size > _MAX_INDEX_BYTES:
        raise BadInputError(say("{index} is larger than any real index", index=_INDEX))
    try:
        shards = set(msgspec.json.decode(index.read_bytes(), type=dict[str, Any])["weight_map"].values())
    except (msgspec.DecodeError, KeyError, AttributeError, TypeError, UnicodeDecodeError, RecursionError) as error:
        raise BadInputError(say("{index} is not a safetensors index", index=_INDEX)) from error
    for shard in shards:
        # An index is untrusted: a shard is a plain file name beside it, never a path out of the folder.
        if not isinstance(shard, str) or PurePath(shard).name != shard or not shard.endswith(".safetensors"):
            raise BadInputError(
                say(
                    "{index} names a shard outside its folder: {shard!r}", index=_INDEX, shard=printable(str(shard), 60)
                )
            )
        if len(shard) > 200 or not (folder / shard).is_file():
            raise BadInputError(
                say(
                    "{shard} is missing from {name}; copy the whole checkpoint",
                    shard=printable(shard, 60),
                    name=printable(folder.name),
                )
            )
    return tuple(sorted(shards))


def _tensors(path: Path) -> list[StoredTensor]:
    label = printable(path.name)
    if not path.is_file():  # a broken link, or something that would never end
        raise BadInputError(
            say("{label} is a broken link or not a regular file; copy the whole checkpoint", label=label)
        )
    with path.open("rb") as file:
        header = int.from_bytes(file.read(8), "little")
    if _MAX_HEADER_BYTES < header <= path.stat().st_size:  # more than the file has is damage, and named so below
        raise BadInputError(
            say(
                "{label} has a header of {header:,} bytes, which is larger than any real one",
                label=label,
                header=header,
            )
        )
    try:
        with safe_open(path, framework="numpy") as file:
            slices = [(name, file.get_slice(name)) for name in file.keys()]  # noqa: SIM118 - not a dict
            return [StoredTensor(name, part.get_dtype(), tuple(part.get_shape())) for name, part in slices]
    except (SafetensorError, OSError, ValueError) as error:
        raise BadInputError(
            say(
                "{label} is truncated or damaged ({error}); copy the file again",
                label=label,
                error=one_line(str(error), 300),
            )
        ) from error
