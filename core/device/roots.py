"""Where the kernel's files are, and how they are read: any of them may be missing, forbidden or nonsense."""

import os
import re
from pathlib import Path
from typing import Self

import msgspec

from vramtuner.core.units import KIB

READ_LIMIT = 64 * 1024  # none of the files that are read here is near it
_MAX_NUMBER = 2**63
_INITIAL_PID_NAMESPACE = "pid:[4026531836]"  # PROC_PID_INIT_INO of the kernel's proc_ns.h
_DECIMAL = re.compile(r"[0-9]{1,19}", re.ASCII)
_SLOT = re.compile(r"([0-9a-f]{4,8}):([0-9a-f]{2}):([0-9a-f]{2})\.([0-7])", re.ASCII | re.IGNORECASE)


class Roots(msgspec.Struct, frozen=True):
    """The folders under which the kernel shows devices and processes; another machine's copies in tests."""

    sys: Path = Path("/sys")
    proc: Path = Path("/proc")
    dev: Path = Path("/dev")

    @classmethod
    def under(cls, folder: Path) -> Self:
        """Those of a machine whose files were copied into a folder."""
        return cls(folder / "sys", folder / "proc", folder / "dev")


HERE = Roots()


def sees_the_machines_pids(roots: Roots) -> bool:
    """Whether process ids mean here what they mean to the kernel; in a container they are its own."""
    try:
        return os.readlink(roots.proc / "self/ns/pid") == _INITIAL_PID_NAMESPACE  # noqa: PTH115
    except OSError:  # a kernel without namespaces has only the machine's
        return True


def read_text(path: str | Path, limit: int = READ_LIMIT) -> str | None:
    """The first ``limit`` bytes of a file as text, or ``None`` when it cannot be read.

    One read: the kernel's files of this kind are written whole into it.  Bytes that are not UTF-8 become replacement
    characters.  A pipe or a device in the place of a file does not block.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):  # ValueError: a NUL in a name that came from a file
        return None
    try:
        return os.read(descriptor, limit).decode("utf-8", errors="replace")
    except OSError:
        return None
    finally:
        os.close(descriptor)


def names_in(folder: str | Path) -> list[str]:
    """The names in a folder, sorted; none when it cannot be listed."""
    try:
        return sorted(os.listdir(folder))  # noqa: PTH208 - names only, and thousands of them
    except (OSError, ValueError):
        return []


def parse_number(text: str | None) -> int | None:
    """A decimal count such as ``8573157376\\n``; ``None`` for anything else, signs and hexadecimals included."""
    stripped = (text or "").strip()
    if _DECIMAL.fullmatch(stripped) is None:
        return None
    number = int(stripped)
    return number if number < _MAX_NUMBER else None


def parse_hex(text: str | None) -> int | None:
    """A hexadecimal of at most 64 bits, with or without ``0x``: PCI ids and ``unique_id``."""
    stripped = (text or "").strip().lower().removeprefix("0x")
    return int(stripped, 16) if re.fullmatch(r"[0-9a-f]{1,16}", stripped, re.ASCII) else None


def parse_pairs(text: str, separator: str) -> dict[str, str]:
    """Lines of ``key separator value``; lines without both are left out, and of equal keys the first counts."""
    pairs: dict[str, str] = {}
    for line in text.splitlines():
        key, found, value = line.partition(separator)
        if found and key.strip():
            pairs.setdefault(key.strip(), value.strip())
    return pairs


def kib_value(text: bytes, key: bytes) -> int | None:
    """The size in a line such as ``VmRSS:     1234 kB``, the first that begins with the key.  [bytes]"""
    place = 0 if text.startswith(key) else text.find(b"\n" + key) + 1
    if not text.startswith(key, place):
        return None
    words = text[place + len(key) : place + len(key) + 64].partition(b"\n")[0].split()
    if len(words) != 2 or words[1] != b"kB":
        return None
    number = parse_number(words[0].decode("ascii", errors="replace"))
    return None if number is None else number * KIB


def parse_slot(text: str | None) -> str | None:
    """A PCI address as every source here writes it, ``0000:83:00.0``; ``None`` when it is not one."""
    match = _SLOT.fullmatch((text or "").strip())
    return match[0].lower() if match else None
