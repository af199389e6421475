"""The questions that peers are asked, with their answers: real passes, and passes at exactly a length."""

import json
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from vramtuner.core.device.find import cpu_device
from vramtuner.core.forecast import Forecast, find_limit, forecast
from vramtuner.core.model.find import known_model_types
from vramtuner.core.model.spec import ModelSpec, spec_from_config
from vramtuner.core.probe.client import Probe
from vramtuner.core.probe.protocol import PassResult
from vramtuner.core.recording import get_tapes
from vramtuner.core.request import phases
from vramtuner.core.settings import ATTENTIONS, Attention, Levers, Logits
from vramtuner.core.validation import profile_request

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
CONFIGS = ROOT / "build" / "peers-configs"
MEASURED_LENGTHS = (256, 512, 1024)
EXACT_LENGTHS = (1024, 4096, 16384)
# The only peer that counts the logits of all positions has no name for the math kernel.
COMBINATIONS: tuple[tuple[Attention, Logits], ...] = (
    *((attention, "last") for attention in ATTENTIONS),
    ("flash", "all"),
    ("eager", "all"),
)
NO_END = 2**20
"""How far a peer's limit is looked for.  [tokens]"""
_SMALLER = (
    "hidden_size", "intermediate_size", "ffn_dim", "word_embed_proj_dim", "num_hidden_layers", "num_attention_heads",
    "num_key_value_heads", "vocab_size", "sliding_window", "max_window_layers",
)  # fmt: skip

Kind: TypeAlias = Literal["measured", "exact length"]


@dataclass(frozen=True, slots=True)
class Question:
    """One pass, what it takes above the weights, and the longest that fits a pool.

    Attributes
    ----------
    config
        Path of the ``config.json`` that a peer reads.
    facts
        The model's sizes under one name each, for the peers that do not read a config; parameters are exact.
    above
        Bytes above the weights: the truth.
    budget, limit
        Bytes that a pool leaves above the weights, and the longest request that they hold [tokens]; 0 if not asked.
    """

    kind: Kind
    model: str
    config: str
    facts: dict[str, int]
    attention: Attention
    logits: Logits
    tokens: int
    above: int
    budget: int = 0
    limit: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """What one estimator says to a question, read in one way; ``None`` and a note where it says nothing."""

    peer: str
    reading: str
    question: Question
    above: float | None
    limit: int | None = None
    note: str = ""

    @property
    def error(self) -> float | None:
        """Distance from the truth, as a fraction of it."""
        return None if self.above is None else abs(self.above - self.question.above) / self.question.above

    @property
    def limit_error(self) -> float | None:
        """Distance of the limit from the true one, as a fraction of it."""
        true = self.question.limit
        return abs(self.limit - true) / true if self.limit is not None and true else None

    def as_row(self) -> dict[str, Any]:
        """Everything, for a JSON file."""
        return {**asdict(self), "error": self.error, "limit_error": self.limit_error}


def published_config(name: str) -> dict[str, Any]:
    """The config of a preset."""
    preset = json.loads((ROOT / "resources" / "presets" / f"{name}.json").read_text())
    return dict(preset["config"])


def quarter(config: dict[str, Any]) -> dict[str, Any]:
    """The same architecture, its widths, layers, heads and vocabulary divided by four; a head keeps its size.

    GPT-2 is small enough to be run as it is.
    """
    if "n_embd" in config:
        return config
    small = {key: value // 4 if key in _SMALLER and value else value for key, value in config.items()}
    if "ffn_dim" not in config:  # OPT derives the size of a head, which the division leaves the same
        small["head_dim"] = config.get("head_dim") or config["hidden_size"] // config["num_attention_heads"]
    return small


def facts_of(spec: ModelSpec, parameters: int) -> dict[str, int]:
    """A model's sizes under one name each."""

    def first(*names: str) -> int:
        return next(int(spec.config[name]) for name in names if spec.config.get(name))

    heads = first("num_attention_heads", "n_head")
    return {
        "parameters": parameters,
        "layers": first("num_hidden_layers", "n_layer"),
        "hidden": first("hidden_size", "n_embd"),
        "heads": heads,
        "kv_heads": int(spec.config.get("num_key_value_heads") or heads),
        "head_dim": spec.head_dim,
        "vocabulary": first("vocab_size"),
    }


def measured(name: str, probe: Probe, ours: str) -> tuple[list[Question], list[Answer]]:
    """Real passes of the quarter-scale model on the CPU stand-in, and the forecasts of them.

    The pool is what the pass of the middle length took, so that this length is the longest that fits.
    """
    spec, path = _spec(f"{name}-quarter", quarter(published_config(name)))
    questions, answers = [], []
    for (attention, logits), plan in _plans(spec, probe).items():
        facts = facts_of(spec, plan.weight_bytes // 2)
        for result in probe.run(profile_request(plan, MEASURED_LENGTHS)):
            if not isinstance(result, PassResult) or result.outcome != "ok":
                continue
            above, asked = result.peak_bytes - result.weight_bytes, result.tokens == MEASURED_LENGTHS[1]
            question = Question(
                "measured", spec.name, path, facts, attention, logits, result.tokens, above,
                budget=above if asked else 0, limit=result.tokens if asked else 0,
            )  # fmt: skip
            questions.append(question)
            answers.append(_answer(plan, question, ours))
    return questions, answers


def exact(name: str, probe: Probe, ours: str) -> tuple[list[Question], list[Answer]]:
    """Passes at exactly each length at the published size, and the forecasts of them.

    The pool is twice the weights.  The longest request that it holds is confirmed by two more passes, of that many
    tokens and of one more; where they do not confirm it, or the positions end before, the limit is not asked.
    """
    spec, path = _spec(name, published_config(name))
    last = spec.max_positions if spec.positions_hard else NO_END
    lengths = tuple(n for n in EXACT_LENGTHS if n <= last)
    plans = _plans(spec, probe)
    pool = 2 * plans["eager", "last"].weight_bytes
    limits = {key: _limit(plan, pool) for key, plan in plans.items()}
    questions, answers = [], []
    for key, found in zip(plans, _exact_passes(spec, lengths, limits, last), strict=True):
        facts = facts_of(spec, found["weights"] // 2)
        above = {entry["tokens"]: entry["above"] for entry in found["passes"]}
        limit, budget = limits[key], pool - found["weights"]
        confirmed = above.get(limit, NO_END * pool) <= budget < above.get(limit + 1, 0)
        for tokens in lengths:
            asked = confirmed and tokens == lengths[-1]
            question = Question(
                "exact length", name, path, facts, *key, tokens, above[tokens],
                budget=budget if asked else 0, limit=limit if asked else 0,
            )  # fmt: skip
            questions.append(question)
            answers.append(_answer(plans[key], question, ours))
    return questions, answers


def _exact_passes(
    spec: ModelSpec, lengths: tuple[int, ...], limits: dict[tuple[Attention, Logits], int], last: int
) -> list[dict[str, Any]]:
    cases = []
    for (attention, logits), limit in limits.items():
        extra = (limit, limit + 1) if 0 < limit < last else ()
        cases.append(
            {"config": spec.config, "attention": attention, "logits": logits, "lengths": sorted({*lengths, *extra})}
        )
    command = [sys.executable, str(HERE / "exact_length.py")]
    out = subprocess.run(command, input=json.dumps(cases), stdout=subprocess.PIPE, text=True, check=True)
    return list(json.loads(out.stdout))


def _spec(name: str, config: dict[str, Any]) -> tuple[ModelSpec, str]:
    """The spec of a config, and the file that peers read it from."""
    path = CONFIGS / name / "config.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({**config, "torch_dtype": "bfloat16"}, indent=2))
    return spec_from_config(config, name=name, source=name, known_types=known_model_types()), str(path)


def _plans(spec: ModelSpec, probe: Probe) -> dict[tuple[Attention, Logits], Forecast]:
    """The forecast of each kernel that the model's class runs: one that refuses a kernel runs eager instead."""
    device, found = cpu_device(), {}
    for attention, logits in COMBINATIONS:
        levers = Levers(attention=attention, logits=logits, dtype="bf16", margin=0.0)
        plan = forecast(spec, device, levers, *get_tapes(spec, phases(spec, device, levers), probe))
        if plan.attention == attention:
            found[attention, logits] = plan
    return found


def _limit(plan: Forecast, pool: int) -> int:
    return find_limit(plan.envelopes[0], pool, 0, 0.0, plan.limit.hard_cap).tokens


def _answer(plan: Forecast, question: Question, ours: str) -> Answer:
    """What the forecast says, without the device's overhead as for the others."""
    limit = _limit(plan, plan.weight_bytes + question.budget) if question.budget else None
    return Answer(ours, "forecast", question, plan.tensor_bytes(question.tokens) - plan.weight_bytes, limit)
