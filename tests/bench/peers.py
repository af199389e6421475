"""Other estimators on the same inputs: ``python tests/bench/peers.py [PRESET…]``; a part of ``make bench-accuracy``.

Each is installed at a pinned version in an environment of its own (``build/peers-venv``) and asked the same questions:
dense models of several families in bfloat16, batch 1, three lengths, each attention kernel.  Two truths: what real
passes of quarter-scale models took on the CPU stand-in, and what a pass at exactly the length takes at the published
size under fake tensors.  Scored are the part above the weights, and the longest request that a pool holds.

Every peer is given the parameter count exactly, its fixed constants and reserves are left out, and of several ways to
read its answer, and of the last or all positions' logits, the one is scored that suits it best.
"""

import json
import subprocess
import sys
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from statistics import median

from peers_inputs.truth import (
    COMBINATIONS,
    EXACT_LENGTHS,
    HERE,
    MEASURED_LENGTHS,
    NO_END,
    ROOT,
    Answer,
    Kind,
    Question,
    exact,
    measured,
)

from vramtuner.core.errors import AppError
from vramtuner.core.probe.client import Probe
from vramtuner.core.settings import ATTENTIONS, LOGITS, Logits

BUILD = ROOT / "build"
PYTHON = BUILD / "peers-venv" / "bin" / "python"
PINS = {"vramscout": "0.7.0", "vramcalc": "0.1.2", "ridgepoint": "0.1.2", "llmfit": "1.1.17"}
ASKED = {
    "vramscout": "its planner, from config.json; prefill chunk = whole prompt; runtime constant and reserve left out;"
    " it has no option for attention or logits",
    "vramcalc": "`estimate`, from config.json; attention flash, eager (math: the better of sdpa and eager); overhead 0;"
    " it counts the logits of every position",
    "ridgepoint": "`fit_shape` with the model's sizes; engine llama.cpp; its overhead left out, in, or in beyond what"
    " it says of a model of width 1; it has no option for attention or logits",
    "llmfit": "`plan`, the model as an entry of its own list; BF16, fp16 cache; its constant 0.5 GB left out; it has no"
    " option for attention or logits",
}
OURS = "vramtuner"
# One of each family; the pass of a larger sister would only take longer.
MODELS = ("gpt2", "phi-2", "opt-2.7b", "mistral-7b", "llama-3.1-8b", "qwen2.5-7b", "qwen3-8b", "gemma-2-9b")
GOAL = 20.0
"""How many times closer the forecast has to be in the median."""
_INSTALL_SECONDS = 180
_KINDS: tuple[Kind, ...] = ("measured", "exact length")


@dataclass(frozen=True, slots=True)
class Score:
    """A peer's best reading against one truth; errors are fractions of the truth.

    Attributes
    ----------
    answered, asked
        Passes it said something about, of all.
    error, worst, by_attention
        Of the part above the weights: median, largest, and median by kernel.
    limit_error, limit_flash
        Of the longest request in a pool: median, and median with flash attention.
    ours, ours_limit
        The forecast's medians on the same questions.
    note
        Why it said nothing, where it said nothing.
    """

    peer: str
    kind: Kind
    reading: str
    logits: str
    answered: int
    asked: int
    error: float | None
    worst: float | None
    by_attention: dict[str, float | None]
    limit_error: float | None
    limit_flash: float | None
    ours: float | None
    ours_limit: float | None
    note: str = ""

    @property
    def times_closer(self) -> float | None:
        """How many times closer the forecast is in the median; infinite where it is exact."""
        if self.error is None or self.ours is None:
            return None
        return self.error / self.ours if self.ours else float("inf")


def main() -> int:
    """Ask, print and write the tables; 1 if the forecast is less than 20 times closer than a peer."""
    scores, answers = run(sys.argv[1:] or MODELS)
    text = markdown(scores, answers)
    (BUILD / "peers.md").write_text(text)
    rows = {"scores": [asdict(row) for row in scores], "answers": [answer.as_row() for answer in answers]}
    (BUILD / "peers.json").write_text(json.dumps(rows, indent=1) + "\n")
    sys.stdout.write(text)
    return 1 if any(map(is_too_close, scores)) else 0


def is_too_close(row: Score) -> bool:
    """Whether a peer answered, and the forecast is not 20 times closer."""
    return row.times_closer is not None and row.times_closer < GOAL


def run(models: Sequence[str] = MODELS) -> tuple[list[Score], list[Answer]]:
    """The environment, both truths, all answers and the scores."""
    BUILD.mkdir(exist_ok=True)
    missing = install()
    questions: list[Question] = []
    answers: list[Answer] = []
    with closing(Probe()) as probe:
        for name in models:
            for truth in (measured, exact):
                asked, ours = truth(name, probe, OURS)
                questions += asked
                answers += ours
    for peer in PINS:
        answers += ask(peer, questions, missing.get(peer, ""))
    return [score(peer, kind, answers) for kind in _KINDS for peer in PINS], answers


def install() -> dict[str, str]:
    """Make the environment and install each peer that is not there yet; why, for those that cannot be."""
    if not PYTHON.exists():
        subprocess.run([sys.executable, "-m", "venv", str(PYTHON.parents[1])], check=True)
    listed = subprocess.run([str(PYTHON), "-m", "pip", "list", "--format=json"], stdout=subprocess.PIPE, check=True)
    present = {entry["name"]: entry["version"] for entry in json.loads(listed.stdout)}
    wanted = {name: version for name, version in PINS.items() if present.get(name) != version}
    return {name: problem for name, version in wanted.items() if (problem := _install_one(name, version))}


def _install_one(name: str, version: str) -> str:
    """Install one peer; why it could not be, or nothing."""
    command = [str(PYTHON), "-m", "pip", "install", "--quiet", "--retries", "1", f"{name}=={version}"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_INSTALL_SECONDS)
    except subprocess.TimeoutExpired:
        return f"not installed: pip took longer than {_INSTALL_SECONDS} s"
    if done.returncode == 0:
        return ""
    lines = [line for line in done.stderr.splitlines() if line.startswith("ERROR")] or ["pip failed"]
    return f"not installed: {lines[-1][:160]}"


def ask(peer: str, questions: list[Question], problem: str = "") -> list[Answer]:
    """Every answer of a peer, in every reading."""
    if problem:
        return [Answer(peer, "", question, None, note=problem) for question in questions]
    body = json.dumps({"peer": peer, "questions": [{**asdict(question), "cap": NO_END} for question in questions]})
    done = subprocess.run([str(PYTHON), str(HERE / "ask.py")], input=body, capture_output=True, text=True)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no output"])[-1]
        return [Answer(peer, "", question, None, note=last[:160]) for question in questions]
    answers = []
    for question, said in zip(questions, json.loads(done.stdout), strict=True):
        if "error" in said:
            answers.append(Answer(peer, "", question, None, note=said["error"]))
        for reading, size in said.get("bytes", {}).items():
            answers.append(Answer(peer, reading, question, size, said["limit"].get(reading)))
    return answers


def score(peer: str, kind: Kind, answers: list[Answer]) -> Score:
    """The peer's best reading and choice of logits against one truth."""
    mine = [answer for answer in answers if answer.peer == peer and answer.question.kind == kind]
    said = [answer for answer in mine if answer.error is not None]
    notes = "; ".join(sorted({answer.note for answer in mine if answer.note}))
    nothing = Score(peer, kind, "", "", 0, 0, None, None, {}, None, None, None, None)
    tried = [
        replace(_score_of(peer, kind, reading, logits, said, answers), asked=_passes(mine, logits))
        for logits in LOGITS
        for reading in sorted({_base(answer.reading) for answer in said})
    ]
    best = min(tried, key=lambda row: float("inf") if row.error is None else row.error, default=nothing)
    return replace(best, asked=best.asked or _passes(mine, "last"), note=notes)


def _passes(answers: list[Answer], logits: Logits) -> int:
    asked = (answer.question for answer in answers if answer.question.logits == logits)
    return len({(question.model, question.attention, question.tokens) for question in asked})


def _base(reading: str) -> str:
    """A reading without the attention that was asked, of which the better one counts for each question."""
    return reading.split(", attention")[0]


def _score_of(peer: str, kind: Kind, reading: str, logits: Logits, said: list[Answer], answers: list[Answer]) -> Score:
    chosen: dict[int, Answer] = {}
    for answer in said:
        if answer.question.logits == logits and _base(answer.reading) == reading:
            other = chosen.setdefault(id(answer.question), answer)
            chosen[id(answer.question)] = min(other, answer, key=lambda one: one.error or 0.0)
    same = [answer for answer in answers if answer.peer == OURS and id(answer.question) in chosen]
    found = list(chosen.values())
    return Score(
        peer, kind, reading, logits, len(found), 0,
        error=_median(answer.error for answer in found),
        worst=max((answer.error or 0.0 for answer in found), default=None),
        by_attention={
            attention: _median(answer.error for answer in found if answer.question.attention == attention)
            for attention in ATTENTIONS
        },
        limit_error=_median(answer.limit_error for answer in found),
        limit_flash=_median(answer.limit_error for answer in found if answer.question.attention == "flash"),
        ours=_median(answer.error for answer in same),
        ours_limit=_median(answer.limit_error for answer in same),
    )  # fmt: skip


def _median(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return median(known) if known else None


def markdown(scores: list[Score], answers: list[Answer]) -> str:
    """Both tables, with what was asked of each."""
    models = len({answer.question.model for answer in answers if answer.question.kind == "measured"})
    exact_lengths = ", ".join(f"{tokens:,}" for tokens in EXACT_LENGTHS)
    titles: dict[Kind, str] = {
        "measured": f"Real passes of {models} models at quarter scale (GPT-2 whole), CPU stand-in,"
        f" {', '.join(map(str, MEASURED_LENGTHS))} tokens",
        "exact length": f"The published sizes, recorded at exactly {exact_lengths} tokens (not a real pass)",
    }
    lines = ["## Other estimators on the same inputs", "", "What was asked of each:", ""]
    lines += [f"- {name} {PINS[name]}: {text}" for name, text in ASKED.items()]
    for kind, title in titles.items():
        lines += [
            "", f"### {title}", "",
            "| peer | read as | logits | answers | above weights: median | flash | math | eager | worst | ours"
            " | times closer | limit: median | flash | ours |",
            "| --- " * 14 + "|",
            *(_line(row) for row in scores if row.kind == kind),
        ]  # fmt: skip
    notes = sorted({f"- {row.peer}: {row.note}" for row in scores if row.note})
    lines += [
        "",
        f"{len(COMBINATIONS)} combinations of kernel and logits a model (Gemma-2 runs eager alone); *ours* is the"
        " forecast on the questions of the row. The stand-in's measure is held against the record of PyTorch's"
        " allocator in the table of architectures.",
        "",
    ]
    return "\n".join([*lines, "Why there is no answer:", "", *(notes or ["- every question was answered"])]) + "\n"


def _line(row: Score) -> str:
    kernels = " | ".join(_percent(row.by_attention.get(attention)) for attention in ATTENTIONS)
    times = row.times_closer
    closer = "-" if times is None else "ours is exact" if times == float("inf") else f"{times:,.0f}"
    return (
        f"| {row.peer} {PINS[row.peer]} | {row.reading or 'no answer'} | {row.logits} | {row.answered} of {row.asked}"
        f" | {_percent(row.error)} | {kernels} | {_percent(row.worst)} | {_percent(row.ours, 4)} | {closer}"
        f" | {_percent(row.limit_error)} | {_percent(row.limit_flash)} | {_percent(row.ours_limit, 4)} |"
    )


def _percent(value: float | None, digits: int = 1) -> str:
    return "-" if value is None else f"{value:.{digits}%}"


if __name__ == "__main__":
    try:
        sys.exit(main())
    except AppError as problem:
        sys.exit(f"peers: {problem}")
