"""The options of PyTorch's caching allocator, as ``PYTORCH_ALLOC_CONF`` and its CUDA and HIP names spell them.

Syntax and limits are those of ``c10/core/AllocatorConfig.cpp`` and ``c10/cuda/CUDAAllocatorConfig.cpp`` (torch 2.13),
checked against the parser in torch's CPU build.  What that takes by luck (``20MB`` as 20, a missing colon) is refused.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from vramtuner.core.errors import BadInputError
from vramtuner.core.units import MIB
from vramtuner.core.words import say

SMALL_SEGMENT_BYTES = 2 * MIB
LARGE_SEGMENT_BYTES = 20 * MIB
_BUCKETS = 16
"""Powers of two from 1 MiB to 32 GiB, each with its own number of roundup divisions."""


@dataclass(frozen=True, slots=True)
class AllocatorOptions:
    """Every option that changes how many bytes are held; the defaults are PyTorch's.

    Attributes
    ----------
    expandable_segments
        One range of addresses for each pool, backed page by page, in place of segments of a fixed size.
    max_split_bytes
        Blocks from this size on are never split; ``None`` is no limit.
    max_non_split_rounding_bytes
        How much larger a block that is never split may be than what is put into it.
    garbage_collection_threshold
        Fraction of the limit above which unused segments are given back; 0 is off.  Needs a memory fraction.
    roundup_power2_divisions
        Steps between a power of two and the next to which sizes are rounded up, for each power from 1 MiB to 32 GiB;
        0 and 1 round to 512 bytes.
    large_segment_bytes
        The segment taken for blocks of 1 to 10 MiB, and the page of a large expandable segment.
    memory_fraction
        ``per_process_memory_fraction``; what it comes to in bytes depends on the device, so a caller applies it.
    throw_on_oom
        ``throw_on_cudamalloc_oom``: with a memory fraction, fail before cached memory is given back.
    """

    expandable_segments: bool = False
    max_split_bytes: int | None = None
    max_non_split_rounding_bytes: int = LARGE_SEGMENT_BYTES
    garbage_collection_threshold: float = 0.0
    roundup_power2_divisions: tuple[int, ...] = (0,) * _BUCKETS
    large_segment_bytes: int = LARGE_SEGMENT_BYTES
    memory_fraction: float | None = None
    throw_on_oom: bool = False


DEFAULT_OPTIONS = AllocatorOptions()

_PAIR = re.compile(r"([A-Za-z0-9_]+):(\[[^\[\]]*\]|[^\[\]:,]+)(?:,|$)")
_ENTRY = re.compile(r"([0-9]{1,9}|>):([0-9]{1,9})(?:,|$)")
_NUMBER = re.compile(r"[0-9]{1,12}")
_FRACTION = re.compile(r"(?:[0-9]{1,3}\.?[0-9]{0,20}|\.[0-9]{1,20})(?:[eE]-?[0-9]{1,2})?")
_FLAG, _COUNT = re.compile(r"True|False"), re.compile(r"[1-9][0-9]{0,11}")
# Host memory, locks and graph captures: none changes a byte on the device.
_WITHOUT_BYTES: dict[str, re.Pattern[str]] = {
    "release_lock_on_cudamalloc": _FLAG,
    "release_lock_on_hipmalloc": _FLAG,
    "pinned_use_cuda_host_register": _FLAG,
    "pinned_use_hip_host_register": _FLAG,
    "pinned_use_background_threads": _FLAG,
    "pinned_free_catch_all": _FLAG,
    "graph_capture_record_stream_reuse": _FLAG,
    "pinned_num_register_threads": re.compile(r"1|2|4|8|16|32|64|128"),
    "pinned_reserve_segment_size_mb": _COUNT,
    "pinned_max_round_threshold_mb": _NUMBER,
    "pinned_max_cached_size_mb": _NUMBER,
    "expandable_segments_handle_type": re.compile(r"[a-z_]{1,40}"),
}
_ASYNC_BACKENDS = ("cudaMallocAsync", "hipMallocAsync")


def parse_options(text: str) -> AllocatorOptions:
    """Read allocator options such as ``max_split_size_mb:128,roundup_power2_divisions:[256:1,512:2,>:8]``.

    Spaces do not count, the last of two equal keys does, and an empty text gives the defaults.

    Raises
    ------
    BadInputError
        A key is not known, a value is not one that PyTorch accepts, or a backend other than its own is asked for.
    """
    values = _pairs("".join(text.split()))
    large = values.pop("large_segment_size_mb", None)
    segment = LARGE_SEGMENT_BYTES if large is None else _megabytes("large_segment_size_mb", large, at_least=11)
    options = AllocatorOptions(large_segment_bytes=segment, max_non_split_rounding_bytes=segment)
    for key, value in values.items():
        if key in _READERS:
            options = _READERS[key](options, value)
        elif key == "backend":
            _check_backend(value)
        elif key not in _WITHOUT_BYTES:
            known = ", ".join(["large_segment_size_mb", *_READERS])
            raise BadInputError(
                say(
                    "{key!r} is not an option of PyTorch's allocator; those that matter are {known}",
                    key=key[:40],
                    known=known,
                )
            )
        elif not _WITHOUT_BYTES[key].fullmatch(value):
            raise BadInputError(
                say(
                    "{key} cannot be {value!r} in PyTorch; leave it out, it changes no memory",
                    key=key,
                    value=value[:40],
                )
            )
    return options


def _pairs(text: str) -> dict[str, str]:
    pairs: dict[str, str] = {}
    at = 0
    while at < len(text):
        match = _PAIR.match(text, at)
        if match is None:
            raise BadInputError(
                say(
                    "allocator options are key:value pairs with commas between, which {text!r} is not",
                    text=text[at : at + 40],
                )
            )
        pairs[match[1]] = match[2]
        at = match.end()
    return pairs


def _check_backend(value: str) -> None:
    if value in _ASYNC_BACKENDS:
        raise BadInputError(
            say(
                "backend:{value} leaves memory to the driver, which no forecast covers; use backend:native", value=value
            )
        )
    if value != "native":
        raise BadInputError(say("backend must be native, not {value!r}", value=value[:40]))


def _flag(key: str, value: str) -> bool:
    if not _FLAG.fullmatch(value):
        raise BadInputError(
            say("{key} must be True or False, with a capital, not {value!r}", key=key, value=value[:40])
        )
    return value == "True"


def _megabytes(key: str, value: str, *, at_least: int) -> int:
    if not _NUMBER.fullmatch(value) or int(value) < at_least:
        raise BadInputError(
            say(
                "{key} must be a whole number of MiB from {at_least} up, not {value!r}",
                key=key,
                at_least=at_least,
                value=value[:40],
            )
        )
    return int(value) * MIB


def _fraction(key: str, value: str) -> float:
    """A number from 0 to 1."""
    number = float(value) if _FRACTION.fullmatch(value) else 2.0
    if number > 1:
        raise BadInputError(say("{key} must be a fraction such as 0.8, not {value!r}", key=key, value=value[:40]))
    return number


def _read_threshold(options: AllocatorOptions, value: str) -> AllocatorOptions:
    threshold = _fraction("garbage_collection_threshold", value)
    if not 0 < threshold < 1:
        raise BadInputError(
            say("garbage_collection_threshold must lie between 0 and 1, not be {value!r}", value=value[:40])
        )
    return replace(options, garbage_collection_threshold=threshold)


def _is_power_of_2(number: int) -> bool:
    return number > 0 and number & (number - 1) == 0


def _read_divisions(options: AllocatorOptions, value: str) -> AllocatorOptions:
    """One number for all sizes, or ``[256:1,512:2,>:8]``: MiB from which a number of divisions holds.

    The first entry also holds for everything below, ``>`` for everything above the entry before it; powers of two
    that are not named in between keep 0.
    """
    key = "roundup_power2_divisions"
    if not value.startswith("["):
        if not _NUMBER.fullmatch(value) or not _is_power_of_2(int(value)):
            raise BadInputError(
                say(
                    "{key} must be a power of 2 or a list such as [256:1,512:2,>:8], not {value!r}",
                    key=key,
                    value=value[:40],
                )
            )
        return replace(options, roundup_power2_divisions=(int(value),) * _BUCKETS)
    divisions = [0] * _BUCKETS
    entries, at, last, named = value[1:-1], 0, 0, False
    while at < len(entries):
        match = _ENTRY.match(entries, at)
        if match is None or not (match[1] == ">" or _is_power_of_2(int(match[1]))):
            raise BadInputError(
                say(
                    "{key} has entries MiB:divisions with MiB a power of 2, not {entries!r}",
                    key=key,
                    entries=entries[at : at + 40],
                )
            )
        steps, at = int(match[2]), match.end()
        if steps and not _is_power_of_2(steps):
            raise BadInputError(
                say("{key} needs divisions that are 0 or a power of 2, not {steps}", key=key, steps=steps)
            )
        if match[1] == ">":
            divisions[last + 1 :] = [steps] * (_BUCKETS - last - 1)
            continue
        last = min(int(match[1]).bit_length() - 1, _BUCKETS - 1)
        if not named:
            divisions[:last] = [steps] * last
        divisions[last], named = steps, True
    return replace(options, roundup_power2_divisions=tuple(divisions))


def _read_max_split(options: AllocatorOptions, value: str) -> AllocatorOptions:
    smallest = options.large_segment_bytes // MIB
    return replace(options, max_split_bytes=_megabytes("max_split_size_mb", value, at_least=smallest))


def _read_rounding(options: AllocatorOptions, value: str) -> AllocatorOptions:
    smallest = options.large_segment_bytes // MIB
    rounding = _megabytes("max_non_split_rounding_mb", value, at_least=smallest)
    return replace(options, max_non_split_rounding_bytes=rounding)


_READERS: dict[str, Callable[[AllocatorOptions, str], AllocatorOptions]] = {
    "expandable_segments": lambda options, value: replace(
        options, expandable_segments=_flag("expandable_segments", value)
    ),
    "max_split_size_mb": _read_max_split,
    "max_non_split_rounding_mb": _read_rounding,
    "garbage_collection_threshold": _read_threshold,
    "roundup_power2_divisions": _read_divisions,
    "per_process_memory_fraction": lambda options, value: replace(
        options, memory_fraction=_fraction("per_process_memory_fraction", value)
    ),
    "throw_on_cudamalloc_oom": lambda options, value: replace(
        options, throw_on_oom=_flag("throw_on_cudamalloc_oom", value)
    ),
}
