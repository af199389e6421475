"""Bytes and tokens: parse what people type, format what they read.

Sizes are integer bytes everywhere; GiB (2**30 bytes) appears only through this module.
"""

import re
from decimal import Decimal, InvalidOperation

from vramtuner.core.errors import BadInputError
from vramtuner.core.words import joined, number, plural, say

KIB, MIB, GIB, TIB = 2**10, 2**20, 2**30, 2**40

_FACTORS = {
    "": 1, "b": 1,
    "k": KIB, "kib": KIB, "m": MIB, "mib": MIB, "g": GIB, "gib": GIB, "t": TIB, "tib": TIB,
    "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12,
}  # fmt: skip
_SIZE = re.compile(r"\s*([0-9]{1,19}(?:\.[0-9]{0,9})?)\s*([a-zA-Z]*)\s*", re.ASCII)
# A separator stands between groups of three only: "1,5k" is a decimal comma, not 15 k.
_TOKENS = re.compile(r"([0-9]{1,12}|[0-9]{1,3}(?:[,_][0-9]{3}){1,4})(k?)", re.ASCII | re.IGNORECASE)
MAX_TOKENS = 100_000_000


def parse_bytes(text: str) -> int:
    """Bytes in a size such as ``10GiB``, ``512 MiB``, ``10.5g`` or ``1000000``.

    ``GB`` is the decimal unit (10**9), ``G`` and ``GiB`` the binary one.  Fractions of a byte are dropped.

    Raises
    ------
    BadInputError
        The text is not a positive size.
    """
    match = _SIZE.fullmatch(text)
    factor = _FACTORS.get(match[2].lower()) if match else None
    if match is None or factor is None:
        raise BadInputError(say("not a size: {text!r}; write for example 10GiB, 512MiB or 8.5GiB", text=text[:40]))
    try:
        size = int(Decimal(match[1]) * factor)
    except InvalidOperation as error:  # pragma: no cover - the pattern admits only decimals
        raise BadInputError(say("not a size: {text!r}", text=text[:40])) from error
    if size <= 0:
        raise BadInputError(say("size must be above zero: {text!r}; write for example 10GiB", text=text.strip()[:40]))
    if size > 2**60:
        raise BadInputError(say("size is beyond any device: {text!r}; write for example 10GiB", text=text.strip()[:40]))
    return size


def parse_tokens(text: str) -> int:
    """Tokens in ``4096``, ``4,096`` or ``4k`` (1 k = 1,024 tokens, as context sizes are named).

    Raises
    ------
    BadInputError
        The text is not a whole number of tokens from 1 to 100,000,000.
    """
    match = _TOKENS.fullmatch(text.strip())
    if match is None:
        raise BadInputError(say("not a token count: {text!r}; write for example 4096", text=text[:40]))
    tokens = int(match[1].replace(",", "").replace("_", "")) * (1024 if match[2] else 1)
    if not 1 <= tokens <= MAX_TOKENS:
        raise BadInputError(
            say("token count must be from 1 to {max_tokens:,}: {text!r}", max_tokens=MAX_TOKENS, text=text.strip()[:40])
        )
    return tokens


def format_bytes(size: float, digits: int = 2) -> str:
    """A size for people, in GiB from 0.1 GiB up and in MiB, KiB or B below."""
    sign, magnitude = ("−" if size < 0 else ""), abs(size)
    for unit, factor, least, places in (("GiB", GIB, 0.1 * GIB, digits), ("MiB", MIB, MIB, 1), ("KiB", KIB, KIB, 1)):
        if magnitude >= least:
            return joined("", (sign, number(magnitude / factor, f",.{places}f"), f" {unit}"))
    return f"{sign}{magnitude:.0f} B"


def render_bytes(size: int) -> str:
    """The shortest exact text that `parse_bytes` reads back to the same number: ``10GiB``, ``1536MiB``, ``7``."""
    for unit, factor in (("TiB", TIB), ("GiB", GIB), ("MiB", MIB), ("KiB", KIB)):
        if size % factor == 0:
            return f"{size // factor}{unit}"
    return str(size)


def format_tokens(tokens: int) -> str:
    """A token count for people: ``9,472 tokens``."""
    return plural("{n:,} token", "{n:,} tokens", n=tokens)
