"""Which GPUs a ROCm process sees, and in which order: ROCR_, HIP_ and CUDA_VISIBLE_DEVICES.

Two filters act one after the other, and they read their lists differently:

- ROCr reads ``ROCR_VISIBLE_DEVICES`` first (amd_filter_device.cpp).  Set but empty, it shows nothing.  An entry is a
  number as C writes it, or the beginning of a unique id in any case.  The list ends at the first entry that names no
  GPU, names one twice or fits two; an empty entry ends the process.
- HIP then reads ``HIP_VISIBLE_DEVICES``, or ``CUDA_VISIBLE_DEVICES`` when the former is empty (Device::init in
  rocdevice.cpp), and counts among the GPUs that ROCr left.  An entry is a plain decimal number or a part of a unique
  id, in lower case.  The list ends at the first entry that names no GPU; one that comes again is passed over.
"""

import re
from collections.abc import Mapping, Sequence

import msgspec

from vramtuner.core.text import printable
from vramtuner.core.words import say

ROCR, HIP, CUDA = "ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES"

_C_NUMBER = re.compile(r"[+-]?(0X[0-9A-F]+|0[0-7]*|[1-9][0-9]*)", re.ASCII)
_MAX_UUID_ENTRY, _MIN_UUID_ENTRY = 20, 5
_SHOWN = 60  # characters of a value that is quoted


class Visibility(msgspec.Struct, frozen=True):
    """The GPUs that a process sees.

    Attributes
    ----------
    order
        ``order[i]`` is the place, in the list that was given, of what the process calls GPU ``i``.
    explanation
        What each variable that is set did, one sentence each; empty when none is set.
    """

    order: tuple[int, ...]
    explanation: tuple[str, ...] = ()

    def index_of(self, place: int) -> int | None:
        """What the process calls the GPU at a place; ``None`` when it does not see it."""
        return self.order.index(place) if place in self.order else None


def visible(uuids: Sequence[str | None], environment: Mapping[str, str]) -> Visibility:
    """The GPUs that a process started with an environment sees.

    Parameters
    ----------
    uuids
        The unique id of each GPU, ``GPU-`` and 16 hexadecimal digits or ``None``, in the runtime's own order.
    """
    order, explanation = tuple(range(len(uuids))), []
    if ROCR in environment:
        kept, ended = _rocr([uuids[place] for place in order], environment[ROCR])
        explanation.append(_sentence(ROCR, environment[ROCR], order, kept, ended))
        order = tuple(order[place] for place in kept)
    name = HIP if environment.get(HIP) else CUDA
    if environment.get(name):
        kept, ended = _hip([uuids[place] for place in order], environment[name])
        among = say(", counting among what {rocr} left", rocr=ROCR) if ROCR in environment else ""
        explanation.append(_sentence(name, environment[name], order, kept, ended) + among)
        order = tuple(order[place] for place in kept)
    explanation += _ignored(name, environment)
    return Visibility(order, tuple(explanation))


def _sentence(name: str, value: str, before: Sequence[int], kept: Sequence[int], ended: str) -> str:
    setting = f"{name}={_quoted(value)}"
    why = say("; the list ends at {ended}", ended=ended) if ended else ""
    if not before:
        return say("{setting} has no GPU to choose from", setting=setting)
    if not kept:
        return say(
            "{setting} hides every GPU{why}; unset it, or name one as {name}=0", setting=setting, why=why, name=name
        )
    shown = ", ".join(say("GPU {before}", before=before[place]) for place in kept)
    return say("{setting} shows {shown}, in this order and counted from 0{why}", setting=setting, shown=shown, why=why)


def _ignored(read: str, environment: Mapping[str, str]) -> list[str]:
    """What is set and has no effect on HIP."""
    said = []
    if read == HIP and environment.get(CUDA) and environment[CUDA] != environment[HIP]:
        said.append(say("{cuda} is not read, because {hip} is set", cuda=CUDA, hip=HIP))
    if environment.get(HIP) == "":
        said.append(
            say(
                "{hip} is set but empty, which HIP takes for not set; PyTorch may still count no GPU: unset it", hip=HIP
            )
        )
    elif environment.get(CUDA) == "" and not environment.get(HIP):
        said.append(
            say(
                "{cuda} is set but empty, which HIP takes for not set; PyTorch may still count no GPU: unset it",
                cuda=CUDA,
            )
        )
    return said


def _rocr(uuids: Sequence[str | None], value: str) -> tuple[list[int], str]:
    """The places that ROCr shows, and the entry that ended the list."""
    if not value:
        return [], ""
    entries = value.removesuffix(",").split(",")  # one comma at the end adds no entry
    kept: list[int] = []
    for entry in entries[: len(uuids)]:
        text = entry.strip().upper()
        if not text:
            return [], say("an empty entry, which makes ROCr fail to start")
        place = _uuid_place(uuids, text) if text.startswith("G") else _c_number(text)
        if place is None or not 0 <= place < len(uuids):
            return kept, say("{quoted}, which names no GPU of {uuids}", quoted=_quoted(entry), uuids=len(uuids))
        if place in kept:
            return kept, say("{quoted}, which names a GPU for the second time", quoted=_quoted(entry))
        kept.append(place)
    return kept, ""


def _uuid_place(uuids: Sequence[str | None], text: str) -> int | None:
    """The only GPU whose unique id begins so."""
    if not _MIN_UUID_ENTRY <= len(text) <= _MAX_UUID_ENTRY:
        return None
    found = [place for place, uuid in enumerate(uuids) if (uuid or "Invalid-UUID").upper().startswith(text)]
    return found[0] if len(found) == 1 else None


def _c_number(text: str) -> int | None:
    """A number as ``strtol`` reads it to its end: decimal, octal after ``0``, hexadecimal after ``0x``."""
    match = _C_NUMBER.fullmatch(text)
    if match is None or len(text) > _MAX_UUID_ENTRY:
        return None
    digits = match[1]
    base = 16 if digits.startswith("0X") else 8 if digits.startswith("0") else 10
    return int(digits, base) * (-1 if text.startswith("-") else 1)


def _hip(uuids: Sequence[str | None], value: str) -> tuple[list[int], str]:
    """The places that HIP shows, and the entry that ended the list."""
    names = [str(place) for place in range(len(uuids))]
    kept: list[int] = []
    for entry in value.removesuffix(",").split(","):
        text = entry
        if "GPU-" in entry:
            text = next((names[place] for place, uuid in enumerate(uuids) if entry in (uuid or "GPU-XX")), entry)
        if text not in names:
            return kept, say("{quoted}, which names no GPU of {uuids}", quoted=_quoted(entry), uuids=len(uuids))
        place = int(text)
        if place not in kept:
            kept.append(place)
    return kept, ""


def _quoted(text: str) -> str:
    """A value for a message: bounded, and without what a terminal would obey."""
    return printable(text, _SHOWN) or '""'
