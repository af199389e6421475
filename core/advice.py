"""Every single-lever change whose tape is at hand, ranked by the limit it would give."""

from collections.abc import Iterator

import msgspec

from vramtuner.core.device.spec import DRIVER_MARGIN_BYTES
from vramtuner.core.errors import BadInputError
from vramtuner.core.forecast import Forecast, forecast
from vramtuner.core.recording import find_tapes
from vramtuner.core.request import phases
from vramtuner.core.settings import Levers
from vramtuner.core.units import format_bytes


class Advice(msgspec.Struct, frozen=True):
    """One change of one lever: what to change, the limit it would give [tokens], and what it costs."""

    change: str
    limit_tokens: int
    note: str
    levers: Levers


def advise(current: Forecast) -> tuple[Advice, ...]:
    """Changes that would raise the limit, best first.

    Only levers whose tape is shipped or cached are tried, so that no probe is needed; an attention kernel that the
    device does not have is left out.
    """
    found = []
    for change, note, levers in _changes(current):
        try:
            tapes = find_tapes(current.spec, phases(current.spec, current.device, levers))
        except BadInputError:  # llama.cpp has no such lever
            continue
        if tapes is None:
            continue
        limit = forecast(current.spec, current.device, levers, *tapes).limit.tokens
        if limit > current.limit.tokens:
            found.append(Advice(change, limit, note, levers))
    return tuple(sorted(found, key=lambda advice: -advice.limit_tokens))


def _changes(current: Forecast) -> Iterator[tuple[str, str, Levers]]:
    levers, device = current.levers, current.device
    replace = msgspec.structs.replace
    if current.pool_bytes < device.max_pool_bytes:
        yield (
            "largest pool",
            f"only the driver's {format_bytes(DRIVER_MARGIN_BYTES, 0)} stays free",
            replace(levers, pool_bytes=device.max_pool_bytes),
        )
    if levers.weights == "none":
        yield "weights nf4", "4-bit weights; check the answers' quality", replace(levers, weights="nf4")
        yield "weights int8", "8-bit weights; check the answers' quality", replace(levers, weights="int8")
    if levers.attention not in ("auto",):
        yield "attention auto", "the kernel this device gets by default", replace(levers, attention="auto")
    if current.key.dtype == "fp32":
        yield "dtype bf16", "half the bytes per value", replace(levers, dtype="bf16")
    if levers.batch_size > 1:
        yield "batch 1", "one request at a time", replace(levers, batch_size=1)
    if levers.logits == "all":
        yield "logits last", "what generate keeps", replace(levers, logits="last")
