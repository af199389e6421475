"""From a GGUF file to a `ModelSpec`: its header is read within bounds, its tensors never.

The layout is that of ggml's ``docs/gguf.md``, versions 2 and 3, and what llama.cpp's loader insists on beyond it:
little endian, no arrays of arrays, tensors one after another.  The ``gguf`` package gives the sizes of tensor types;
its own reader is not used, because it makes Python objects of every token of the vocabulary and trusts every count.
"""

import os
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from math import prod
from pathlib import Path
from stat import S_ISREG
from typing import Any, BinaryIO

from vramtuner.core.errors import BadInputError
from vramtuner.core.model.spec import ModelSpec
from vramtuner.core.text import printable
from vramtuner.core.words import say

_MAGIC = b"GGUF"
_VERSIONS = (2, 3)
_STRING, _ARRAY = 8, 9
_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_INTEGERS = frozenset((0, 1, 2, 3, 4, 5, 7, 10, 11))
# Bounds far above any real file; the largest published ones have about 80 keys, 64,000 tensors, 800,000 strings.
_MAX_KEYS = 16_384
_MAX_TENSORS = 262_144
_MAX_STRINGS = 2_000_000
_MAX_NAME_BYTES = 1024
_MAX_LAYERS = 4096
_MAX_PARTS = 999
_MAX_VALUE = 2**40
_MAX_ALIGNMENT = 2**20
_SMALLEST_KEY, _SMALLEST_TENSOR = 8 + 4 + 1, 8 + 4 + 4 + 8  # [bytes]

_TOKENS = "tokenizer.ggml.tokens"
_GENERAL = ("general.architecture", "general.type", "general.alignment")
_SPLIT = ("split.no", "split.count", "split.tensors.count")
# What decides the memory, under the architecture's own name; "attention." is dropped from the names in the config.
_FACTS = frozenset((
    "block_count", "context_length", "embedding_length", "feed_forward_length", "vocab_size", "full_attention_interval",
    "nextn_predict_layers", "token_shift_count", "wkv.head_size", "shortconv.l_cache", "kda.head_dim",
    "expert_count", "expert_used_count", "expert_shared_count", "expert_feed_forward_length",
    "expert_shared_feed_forward_length", "rope.dimension_count",
    "ssm.conv_kernel", "ssm.inner_size", "ssm.state_size", "ssm.group_count", "ssm.time_step_rank",
    "attention.head_count", "attention.head_count_kv", "attention.key_length", "attention.value_length",
    "attention.key_length_swa", "attention.value_length_swa", "attention.key_length_mla", "attention.value_length_mla",
    "attention.kv_lora_rank", "attention.sliding_window", "attention.sliding_window_pattern",
    "attention.shared_kv_layers", "attention.indexer.key_length",
))  # fmt: skip
_ARCHITECTURE = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}", re.IGNORECASE | re.ASCII)
_PART = re.compile(r"(?P<stem>.+)-(?P<number>[0-9]{5})-of-(?P<count>[0-9]{5})\.gguf", re.ASCII | re.DOTALL)


@dataclass(frozen=True, slots=True)
class _Part:
    """One file: what it says, and its tensors as name -> (dimensions, elements, bytes)."""

    facts: dict[str, Any]
    tensors: dict[str, tuple[tuple[int, ...], int, int]]


def load_gguf(path: Path) -> ModelSpec:
    """The model in a GGUF file; of a split one, all parts that lie beside the one that is named.

    Parameters
    ----------
    path
        The file, or any part of it, ``NAME-00001-of-00003.gguf``.

    Raises
    ------
    BadInputError
        A file is missing, truncated, damaged, of a kind that cannot be read, or not a language model.
    """
    paths = _part_paths(path)
    parts = [_read_part(part) for part in paths]
    label = printable(path.name)
    _check_split(label, parts)
    tensors: dict[str, tuple[tuple[int, ...], int, int]] = {}
    for part in parts:
        if not tensors.keys().isdisjoint(part.tensors):
            raise BadInputError(say("{label}: two parts hold the same tensor; download the model again", label=label))
        tensors.update(part.tensors)
    config = _config(label, parts[0].facts, tensors)
    match = _PART.fullmatch(path.name)
    return ModelSpec(
        name=printable(match["stem"] if match else path.stem),
        source=printable(str(paths[0]), 400),
        model_type="gguf",
        architecture=config["architecture"],
        config=config,
        dtype="fp16",
        max_positions=config["context_length"],
        positions_hard=False,
        parameters=sum(elements for _, elements, _ in tensors.values()),
        stored_bytes=config["tensor_bytes"],
    )


def _part_paths(path: Path) -> list[Path]:
    match = _PART.fullmatch(path.name)
    if match is None:
        return [path]
    number, count = int(match["number"]), int(match["count"])
    if not 1 <= number <= count <= _MAX_PARTS:
        raise BadInputError(
            say(
                "{name}: there is no part {number:,} of {count:,}; give the file as published",
                name=printable(path.name),
                number=number,
                count=count,
            )
        )
    paths = [path.with_name(f"{match['stem']}-{part:05d}-of-{count:05d}.gguf") for part in range(1, count + 1)]
    try:
        missing = [part.name for part in paths if not part.is_file()]
    except OSError as error:
        raise BadInputError(
            say("{name} cannot be looked at: {strerror}", name=printable(path.name), strerror=error.strerror)
        ) from error
    if missing:
        raise BadInputError(
            say(
                "{missing} is missing ({missing2:,} of {count:,} parts); download all parts into one folder",
                missing=printable(missing[0]),
                missing2=len(missing),
                count=count,
            )
        )
    return paths


def _check_split(label: str, parts: list[_Part]) -> None:
    """The parts' own numbers agree with their names."""
    for number, part in enumerate(parts):
        if not all(isinstance(part.facts.get(key, 0), int) for key in _SPLIT):
            raise BadInputError(
                say("{label} is damaged: its part numbers are not numbers; download it again", label=label)
            )
        count = part.facts.get("split.count", 1) or 1
        if count != len(parts):
            raise BadInputError(
                say(
                    "{label} says that it is one of {count:,} parts, and {parts:,} are there; keep the names "
                    "as published, NAME-00001-of-0000N.gguf",
                    label=label,
                    count=count,
                    parts=len(parts),
                )
            )
        if count > 1 and part.facts.get("split.no") != number:
            raise BadInputError(
                say("{label}: the parts are not in the order of their names; download the model again", label=label)
            )
    told = parts[0].facts.get("split.tensors.count")
    held = sum(len(part.tensors) for part in parts)
    if len(parts) > 1 and told is not None and told != held:
        raise BadInputError(
            say(
                "{label}: the parts hold {held:,} tensors of {told:,}; download the model again",
                label=label,
                held=held,
                told=told,
            )
        )


def _read_part(path: Path) -> _Part:
    label = printable(path.name)
    try:
        info = path.stat()
        if not S_ISREG(info.st_mode):  # a pipe or a device would be read for ever
            raise BadInputError(say("{label} is not a file", label=label))
        with path.open("rb") as file:
            return _parse(_Cursor(file, os.fstat(file.fileno()).st_size, label))
    except FileNotFoundError as error:
        raise BadInputError(say("no GGUF file at {path}", path=printable(str(path), 200))) from error
    except OSError as error:
        raise BadInputError(say("{label} cannot be read: {strerror}", label=label, strerror=error.strerror)) from error
    except ValueError as error:  # a name that holds a zero byte
        raise BadInputError(say("{label} cannot be looked at: {error}", label=label, error=error)) from error


class _Cursor:
    """A file that is read from front to back, and never beyond its end."""

    def __init__(self, file: BinaryIO, size: int, label: str) -> None:
        self._file, self.size, self.label = file, size, label
        self.at = 0
        self.strings_left = _MAX_STRINGS

    def bad(self, what: str) -> BadInputError:
        return BadInputError(say("{label} is damaged: {what}; download it again", label=self.label, what=what))

    def take(self, count: int) -> bytes:
        if count > self.size - self.at:
            raise BadInputError(
                say("{label} is truncated or damaged: it ends in its header; download it again", label=self.label)
            )
        data = self._file.read(count)
        if len(data) != count:
            raise BadInputError(say("{label} became shorter while it was read", label=self.label))
        self.at += count
        return data

    def skip(self, count: int) -> None:
        if count > self.size - self.at:
            raise BadInputError(
                say("{label} is truncated or damaged: it ends in its header; download it again", label=self.label)
            )
        self._file.seek(count, os.SEEK_CUR)
        self.at += count

    def number(self, kind: str) -> Any:
        return struct.unpack(f"<{kind}", self.take(struct.calcsize(f"<{kind}")))[0]

    def count(self, smallest: int, most: int, what: str) -> int:
        """How many things of at least ``smallest`` bytes follow; the file must have room for them."""
        count = int(self.number("Q"))
        if count > most or count * smallest > self.size - self.at:
            raise self.bad(say("it claims {count:,} {what}", count=count, what=what))
        return count

    def text(self, most: int, what: str) -> str:
        length = int(self.number("Q"))
        if length > most:
            raise self.bad(say("{what} of {length:,} bytes", what=what, length=length))
        try:
            return self.take(length).decode("utf-8")
        except UnicodeDecodeError as error:
            raise self.bad(say("{what} that is not text", what=what)) from error

    def skip_strings(self, count: int) -> None:
        if count > self.strings_left:
            raise self.bad(say("a list of {count:,} strings", count=count))
        self.strings_left -= count
        read, seek, at, last = self._file.read, self._file.seek, self.at, self.size
        for _ in range(count):  # a million times, hence without `take` and `skip`
            length = int.from_bytes(read(8), "little")
            at += 8 + length
            if at > last:
                break
            seek(length, os.SEEK_CUR)
        self.at = min(at, last)
        if at > last:
            self.skip(1)  # says that the file ends here


def _parse(cursor: _Cursor) -> _Part:
    if cursor.size < len(_MAGIC) or cursor.take(4) != _MAGIC:
        raise BadInputError(say("{label} is not a GGUF file; its first bytes are not GGUF", label=cursor.label))
    if cursor.size < 24:
        raise BadInputError(say("{label} ends in its first 24 bytes; download it again", label=cursor.label))
    version = cursor.number("I")
    if version and version & 0xFFFF == 0:
        raise BadInputError(
            say("{label} is a big-endian GGUF, which llama.cpp reads on no GPU host; convert it", label=cursor.label)
        )
    if version not in _VERSIONS:
        raise BadInputError(
            say(
                "{label} is GGUF version {version:,}; versions 2 and 3 can be read", label=cursor.label, version=version
            )
        )
    tensor_count = cursor.count(_SMALLEST_TENSOR, _MAX_TENSORS, "tensors")
    facts = dict(_facts(cursor, cursor.count(_SMALLEST_KEY, _MAX_KEYS, "keys")))
    return _Part(facts, _tensors(cursor, tensor_count, facts.get("general.alignment", 32)))


def _facts(cursor: _Cursor, count: int) -> Iterator[tuple[str, Any]]:
    """The keys that matter with their values; all others are checked and skipped."""
    seen: set[str] = set()
    for _ in range(count):
        key = cursor.text(_MAX_NAME_BYTES, say("a key"))
        if key in seen:
            raise cursor.bad(say("key {key!r} is there twice", key=printable(key)))
        seen.add(key)
        kind = cursor.number("I")
        wanted = key in _GENERAL or key in _SPLIT or key == _TOKENS or key.partition(".")[2] in _FACTS
        value = _value(cursor, key, kind, wanted=wanted)
        if wanted and value is not None:
            yield key, value


def _value(cursor: _Cursor, key: str, kind: int, *, wanted: bool) -> Any:
    """A value, or ``None`` for one that is skipped; of a list of strings, how many there are."""
    if kind == _STRING:
        if wanted:
            return cursor.text(_MAX_NAME_BYTES, say("a value of {key!r}", key=printable(key)))
        cursor.skip(int(cursor.number("Q")))
        return None
    if kind == _ARRAY:
        return _array(cursor, key, wanted=wanted)
    if kind not in _SCALARS:
        raise cursor.bad(say("key {key!r} has a value of unknown type {kind:,}", key=printable(key), kind=kind))
    value = cursor.number(_SCALARS[kind] if kind != 7 else "B")
    return value if kind in _INTEGERS else None


def _array(cursor: _Cursor, key: str, *, wanted: bool) -> list[int] | int | None:
    kind = cursor.number("I")
    if kind == _STRING:
        count = cursor.count(8, _MAX_STRINGS, "strings")
        cursor.skip_strings(count)
        return count if key == _TOKENS else None
    if kind not in _SCALARS:
        raise cursor.bad(say("key {key!r} is a list of unknown type {kind:,}", key=printable(key), kind=kind))
    width = struct.calcsize(f"<{_SCALARS[kind]}")
    count = cursor.count(width, 2**62, "numbers")
    if not wanted or kind not in _INTEGERS:
        cursor.skip(count * width)
        return None
    if count > _MAX_LAYERS:
        raise cursor.bad(say("{key!r} lists {count:,} layers", key=printable(key), count=count))
    letter = "B" if kind == 7 else _SCALARS[kind]
    return list(struct.unpack(f"<{count}{letter}", cursor.take(count * width)))


@cache
def _type_sizes() -> dict[int, tuple[int, int]]:
    """Elements and bytes of a block of each tensor type."""
    from gguf.constants import GGML_QUANT_SIZES  # here, because the whole package comes with it

    return {int(kind): sizes for kind, sizes in GGML_QUANT_SIZES.items()}


def _tensors(cursor: _Cursor, count: int, alignment: Any) -> dict[str, tuple[tuple[int, ...], int, int]]:
    if not isinstance(alignment, int) or not 0 < alignment <= _MAX_ALIGNMENT or alignment & (alignment - 1):
        raise cursor.bad(say("its alignment is not a power of two"))
    tensors: dict[str, tuple[tuple[int, ...], int, int]] = {}
    end = next_offset = 0
    for _ in range(count):
        name = cursor.text(_MAX_NAME_BYTES, say("a tensor's name"))
        if name in tensors:
            raise cursor.bad(say("tensor {name!r} is there twice", name=printable(name)))
        shape, elements, size = _tensor_size(cursor, name)
        offset = cursor.number("Q")
        if offset != next_offset:
            raise cursor.bad(say("tensor {name!r} does not begin where the one before it ends", name=printable(name)))
        tensors[name] = (shape, elements, size)
        end = offset + size
        next_offset = -(-end // alignment) * alignment
    start = -(-cursor.at // alignment) * alignment
    if count and start + end > cursor.size:
        short = start + end - cursor.size
        raise BadInputError(
            say(
                "{label} is truncated: {short:,} bytes of its tensors are missing; download it again",
                label=cursor.label,
                short=short,
            )
        )
    return tensors


def _tensor_size(cursor: _Cursor, name: str) -> tuple[tuple[int, ...], int, int]:
    """Dimensions, elements and bytes of the tensor whose entry goes on here."""
    dimensions = cursor.number("I")
    if not 1 <= dimensions <= 4:
        raise cursor.bad(
            say("tensor {name!r} has {dimensions:,} dimensions", name=printable(name), dimensions=dimensions)
        )
    shape = tuple(int(cursor.number("Q")) for _ in range(dimensions))
    kind = cursor.number("I")
    sizes = _type_sizes().get(kind)
    if sizes is None:
        raise BadInputError(
            say(
                "{label}: tensor {name!r} is of the unknown type {kind:,}; a newer gguf package may know it",
                label=cursor.label,
                name=printable(name),
                kind=kind,
            )
        )
    block, block_bytes = sizes
    elements = prod(shape)
    if shape[0] % block or elements >= 2**63:
        raise cursor.bad(say("tensor {name!r} has rows that are not whole blocks, or too many", name=printable(name)))
    return shape, elements, elements // block * block_bytes


def _config(label: str, facts: dict[str, Any], tensors: dict[str, tuple[tuple[int, ...], int, int]]) -> dict[str, Any]:
    """The facts that decide the memory, checked: whole numbers, or one for each layer."""
    architecture = facts.get("general.architecture")
    if not isinstance(architecture, str) or not _ARCHITECTURE.fullmatch(architecture):
        raise BadInputError(say("{label} names no architecture; it is not a model of llama.cpp", label=label))
    if architecture == "clip" or facts.get("general.type", "model") != "model":
        raise BadInputError(
            say("{label} is not a language model but goes with one; give the model's own file", label=label)
        )
    if not tensors:
        raise BadInputError(say("{label} holds no tensor, only a vocabulary; give the model's own file", label=label))
    config: dict[str, Any] = {"architecture": architecture}
    for key, value in facts.items():
        if key.startswith(f"{architecture}.") and key != f"{architecture}.":
            config[key.removeprefix(f"{architecture}.").removeprefix("attention.")] = _checked(label, key, value)
    embedding = tensors.get("token_embd.weight")
    listed = facts.get(_TOKENS, config.get("vocab_size", 0))
    config["vocab_size"] = _checked(label, "vocab_size", embedding[0][-1] if embedding else listed)
    config["tensor_bytes"] = sum(size for _, _, size in tensors.values())
    config["token_embd_bytes"] = embedding[2] if embedding else 0
    config["has_output"] = "output.weight" in tensors
    _check_required(label, config)
    return config


def _checked(label: str, key: str, value: Any) -> Any:
    numbers = value if isinstance(value, list) else [value]
    if not all(isinstance(number, int) and 0 <= number <= _MAX_VALUE for number in numbers):
        raise BadInputError(
            say(
                "{label} is damaged: {key} is {value}; download it again",
                label=label,
                key=printable(key),
                value=printable(str(value), 40),
            )
        )
    return value


def _check_required(label: str, config: dict[str, Any]) -> None:
    for name in ("block_count", "embedding_length", "context_length"):
        value = config.get(name)
        if not isinstance(value, int) or value < 1:
            raise BadInputError(
                say("{label} does not say its {name}; it is not a language model of llama.cpp", label=label, name=name)
            )
    layers = config["block_count"]
    if layers > _MAX_LAYERS:
        raise BadInputError(
            say("{label} is damaged: it claims {layers:,} layers; download it again", label=label, layers=layers)
        )
    for name, value in config.items():
        if not isinstance(value, list) or (name == "sliding_window_pattern" and value):  # a short pattern repeats
            continue
        if len(value) != layers:
            raise BadInputError(
                say(
                    "{label} is damaged: {name} lists {value:,} layers of {layers:,}; download it again",
                    label=label,
                    name=name,
                    value=len(value),
                    layers=layers,
                )
            )
