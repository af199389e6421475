"""What a recording and a tape are, and how a tape is kept in a file.

A *recording* is one pass at one length: every storage that was created or freed, in order.  A *tape* is what
three recordings of the same pass say together: the same events with sizes that are polynomials in the tokens.
"""

import gzip
import zlib
from dataclasses import dataclass
from enum import IntEnum

import msgspec

from vramtuner.core.settings import Attention, TapeKey
from vramtuner.core.units import MAX_TOKENS

FORMAT_VERSION = 1


class Component(IntEnum):
    """Where a storage belongs; the stacking order of every plot and table."""

    WEIGHTS = 0
    KV_CACHE = 1
    LOGITS = 2
    ACTIVATIONS = 3
    WORKSPACE = 4
    """Storages that grow with the square of the tokens: attention scores, masks and their copies."""


@dataclass(frozen=True, slots=True)
class Recording:
    """One pass at one length, as its events happened.

    Attributes
    ----------
    tokens
        Length of the pass.
    events
        ``+k`` creates storage ``k`` (counted from 1), ``-k`` ends it.
    sizes, components, ops
        Bytes, component and creating operation of each storage.
    upcasts
        Storages that hold nothing but a 32-bit copy of 16-bit attention scores for softmax.
    """

    tokens: int
    events: tuple[int, ...]
    sizes: tuple[int, ...]
    components: tuple[Component, ...]
    ops: tuple[str, ...]
    upcasts: frozenset[int] = frozenset()


class Regime(msgspec.Struct, frozen=True):
    """A range of tokens over which the same events happen with sizes a + b·N + c·N².

    ``a``, ``b``, ``c`` [bytes, bytes per token, bytes per token²] and ``component`` have one entry per storage,
    ``events`` as in `Recording`.  ``residual_bytes`` is the largest difference of live bytes between this tape and a
    recording at ``held_out`` tokens that was not used to make it.  With a ``granule`` above 1 the pass pads its tokens
    to multiples of it: N stands for the highest length padded as far as the request's, one below a multiple.
    """

    from_tokens: int
    to_tokens: int
    recorded_at: tuple[int, ...]
    held_out: int
    residual_bytes: int
    events: list[int]
    a: list[float]
    b: list[float]
    c: list[float]
    component: list[int]
    upcasts: list[int] = []
    granule: int = 1


class Tape(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Every storage of a model's pass as a function of its tokens, with what it was recorded from.

    ``attention`` is the kernel that was recorded: a class that refuses the one in ``key`` runs ``eager``.  ``estimate``
    says where the figures are from when none was recorded.  Tapes are
    compared by identity, so that what is computed from one can be cached; `encode_tape` compares contents.
    """

    key: TapeKey
    attention: Attention
    config_hash: str
    versions: dict[str, str]
    regimes: tuple[Regime, ...]
    notes: tuple[str, ...] = ()
    estimate: str = ""
    format: int = FORMAT_VERSION

    @property
    def residual_bytes(self) -> int:
        """The largest difference from a recording that was held out, over all regimes."""
        return max(regime.residual_bytes for regime in self.regimes)

    @property
    def max_tokens(self) -> int:
        """The longest pass the tape speaks for."""
        return self.regimes[-1].to_tokens


def encode_tape(tape: Tape) -> bytes:
    """A tape as compressed JSON; the same tape gives the same bytes."""
    return gzip.compress(msgspec.json.encode(tape), compresslevel=9, mtime=0)


def decode_tape(data: bytes, *, max_bytes: int = 64 * 2**20) -> Tape:
    """Read a tape back.

    Raises
    ------
    ValueError
        The bytes are not a tape of this format, or unpack to more than ``max_bytes``.
    """
    unpacker = zlib.decompressobj(wbits=31)
    try:
        text = unpacker.decompress(data, max_bytes)
        if not unpacker.eof:
            raise ValueError("tape file is cut short or too large")
        tape = msgspec.json.decode(text, type=Tape)
    except (zlib.error, msgspec.DecodeError, RecursionError) as error:
        raise ValueError(f"not a tape: {error}") from error
    _check(tape)
    return tape


def _check(tape: Tape) -> None:
    if tape.format != FORMAT_VERSION or not tape.regimes:
        raise ValueError(f"not a tape of format {FORMAT_VERSION}")
    next_tokens = tape.regimes[0].from_tokens
    for regime in tape.regimes:
        if not 1 <= next_tokens == regime.from_tokens <= regime.to_tokens <= MAX_TOKENS:
            raise ValueError("tape has a gap between its lengths")
        next_tokens = regime.to_tokens + 1
        if not 1 <= regime.granule <= MAX_TOKENS:
            raise ValueError("tape steps in no number of tokens")
        storages = len(regime.component)
        lengths = {len(regime.a), len(regime.b), len(regime.c)}
        born = sorted(event for event in regime.events if event > 0)
        if not storages or lengths != {storages} or born != list(range(1, storages + 1)):
            raise ValueError("tape columns disagree")
        if 0 in regime.events or not all(1 <= number <= storages for number in regime.upcasts):
            raise ValueError("tape names a storage that it does not have")
        if any(not 0 <= code <= max(Component) for code in regime.component):
            raise ValueError("tape names an unknown component")
        ended = [-event for event in regime.events if event < 0]
        if len(set(ended)) != len(ended) or not set(ended) <= set(born):
            raise ValueError("tape ends a storage twice or before it began")
