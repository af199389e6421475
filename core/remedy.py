"""From a finding to a plan: the levers that a change moves, the card a log speaks of, the forecast beside it."""

import re
from collections.abc import Sequence

import msgspec

from vramtuner.core.device.spec import Device
from vramtuner.core.diagnose.weigh import Change, Finding
from vramtuner.core.errors import BadInputError
from vramtuner.core.forecast import Forecast
from vramtuner.core.settings import ATTENTIONS, KV_CACHES, WEIGHTS, Levers
from vramtuner.core.units import format_bytes, format_tokens
from vramtuner.core.words import say

_ALIKE = 0.03  # a card's total is a little below its nominal size: what firmware and page tables take
_GFX = re.compile(r"\bgfx[0-9]{3,4}[a-f]?\b")
_NUMBER = re.compile(r"[0-9][0-9,]*")
_CHUNK = 512


def changed_levers(change: Change, plan: Forecast) -> Levers | None:
    """The levers of a plan with a change made to them; ``None`` where it moves none of them."""
    fields = _fields(change, plan)
    if not fields:
        return None
    try:
        levers = msgspec.structs.replace(plan.levers, **fields)
    except BadInputError:
        return None
    return None if levers == plan.levers else levers


def _fields(change: Change, plan: Forecast) -> dict[str, object]:
    levers, words = plan.levers, set(re.findall(r"[a-z0-9]+", change.value.lower()))
    match change.lever:
        case "tokens":
            named = [int(number.replace(",", "")) for number in _NUMBER.findall(change.value)]
            cap = min([*named[:1], plan.limit.tokens])
            return {"token_cap": cap} if 0 < cap < plan.token_cap else {}
        case "attention":
            return _one_of("attention", ATTENTIONS, words)
        case "weights":
            found = _one_of("weights", WEIGHTS[1:], words) or {"weights": "nf4"}
            return found if levers.weights == "none" and not plan.spec.is_gguf else {}
        case "kv_cache":
            return _one_of("kv_cache", KV_CACHES[1:], words)
        case "batch":
            return {"batch_size": 1}
        case "prefill_chunk":
            return {"prefill_chunk": _CHUNK} if levers.prefill_chunk is None or levers.prefill_chunk > _CHUNK else {}
        case "checkpointing":
            return {"checkpointing": True}
        case "logits":
            return {"logits": "last"}
        case "pool" if "larger" in words:
            return {"pool_bytes": plan.device.max_pool_bytes}
    return {}


def _one_of(lever: str, values: Sequence[str], words: set[str]) -> dict[str, object]:
    """The first of a lever's values that a change names."""
    return next(({lever: value} for value in values if value in words), {})


def card_of(finding: Finding, cards: Sequence[Device]) -> Device | None:
    """The only card of a list that a finding can speak of, by its memory and, where a line names one, its target."""
    total = finding.numbers.get("total_bytes")
    if not total:
        return None
    targets = {match[0] for entry in finding.evidence for match in _GFX.finditer(entry.text)}
    alike = [card for card in cards if abs(card.vram_bytes - total) <= _ALIKE * card.vram_bytes]
    alike = [card for card in alike if not targets or card.gfx in targets]
    return alike[0] if len(alike) == 1 else None


def beside(finding: Finding, plan: Forecast) -> str:
    """What the plan predicts where a log says how many tokens there were; empty where it does not."""
    tokens = finding.numbers.get("tokens")
    if tokens is None or not 1 <= tokens <= plan.max_tokens:
        return ""
    count = int(tokens)
    return say(
        "This plan predicts {peak} at {tokens}; its pool is {pool} and its limit {limit}.",
        peak=format_bytes(plan.peak_bytes(count)),
        tokens=format_tokens(count),
        pool=format_bytes(plan.pool_bytes),
        limit=format_tokens(plan.limit.tokens),
    )
