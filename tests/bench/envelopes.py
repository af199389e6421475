"""The envelope of every published architecture against fresh recordings: ``python tests/bench/envelopes.py [NAME…]``.

Every config in ``resources/architectures`` at its own widths, with its layers cut to one period of their pattern and
one more (four at least), in its own dtype, with each attention kernel.  A tape is made as the program makes it; then
the pass is recorded anew at three lengths that none of the tape's recordings had, one of them far above, and the peak
of live bytes is compared with the envelope's.

Where a pass pads its tokens or loops over chunks of them, those lengths are the ones that are padded least; two lengths
between them are compared besides, where the forecast may be too high and never too low.
"""

import copy
import sys
import traceback
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from time import monotonic
from typing import Any

import msgspec
from goals import ROOT, Goal, Section, in_two_processes, percent, show, table

from vramtuner.core.errors import AppError, BadInputError
from vramtuner.core.model.find import known_model_types
from vramtuner.core.model.spec import ModelSpec, spec_from_config
from vramtuner.core.settings import ATTENTIONS, Attention, TapeKey
from vramtuner.core.tape.envelope import envelope_of
from vramtuner.core.tape.format import Tape

FOLDER = ROOT / "resources" / "architectures"
NAMES = tuple(sorted(path.stem for path in FOLDER.glob("*.json")))
GOAL = 0.0005
_SECONDS = 900.0
"""After this long a case is given up, and counts as failed."""

# Layers after which a pattern repeats, where no list in the config has an entry for each of them: an attending layer
# among recurrent ones, a sliding one among full ones, dense ones before the first of experts.
_PERIODS = {
    "bamba": 10, "deepseek_v2": 2, "deepseek_v3": 4, "gemma2": 2, "gemma3_text": 6, "glm4_moe": 4, "glm4_moe_lite": 2,
    "gpt_neo": 3, "gpt_oss": 2, "jamba": 7, "llama4_text": 4, "qwen3_next": 4, "recurrent_gemma": 3, "rwkv": 6,
    "zamba": 7,
}  # fmt: skip
_LAYERS = ("num_hidden_layers", "n_layer", "n_layers", "num_layers")
_LEAST_LAYERS = 4


@dataclass(frozen=True, slots=True)
class Case:
    """An architecture, a kernel and the tokens of a pass onto a cache; 0 for a pass over the whole input."""

    name: str
    attention: Attention
    step: int = 0


@dataclass(frozen=True, slots=True)
class Row:
    """What came of a case.

    Attributes
    ----------
    lengths, errors, totals
        Lengths that were recorded anew, the envelope minus the recording there as a fraction of the part above the
        weights, and of all.
    between
        The same at lengths between those that are padded least.
    failure
        Why there is no result.
    """

    name: str
    model_type: str
    dtype: str
    attention: Attention
    step: int
    ran: str = ""
    layers: str = ""
    regimes: int = 0
    granule: int = 1
    recorded: int = 0
    lengths: list[int] = field(default_factory=list)
    errors: list[float] = field(default_factory=list)
    totals: list[float] = field(default_factory=list)
    between: list[float] = field(default_factory=list)
    seconds: float = 0.0
    failure: str = ""

    @property
    def worst(self) -> float | None:
        return max(map(abs, self.errors), default=None)

    @property
    def is_over(self) -> bool:
        worst = self.worst
        return bool(self.failure) or worst is None or worst > GOAL or min(self.between, default=0.0) < -1e-9


def run(names: tuple[str, ...] = NAMES, steps: tuple[int, ...] = (0,)) -> Section:
    """All architectures whose names begin with one of ``names``, and all kernels."""
    chosen = [name for name in NAMES if name.startswith(names)]
    cases = [Case(name, attention, step) for step in steps for name in chosen for attention in ATTENTIONS]
    rows = in_two_processes(measure, cases)
    return Section([goal_of(rows)], markdown(rows), [asdict(row) for row in rows])


def goal_of(rows: list[Row]) -> Goal:
    worst = max((row.worst for row in rows if row.worst is not None), default=None)
    failed, over = sum(bool(row.failure) for row in rows), sum(row.is_over for row in rows)
    low = min((error for row in rows for error in row.between), default=0.0)
    lengths = sum(len(row.lengths) for row in rows)
    classes = len({row.model_type for row in rows})
    found = f"worst {percent(worst)} in {len(rows)} cases of {classes} classes, {lengths} fresh recordings"
    found += f"; {failed} failed"
    if low < 0:
        found += f"; too low by {percent(-low)} between padded lengths"
    return Goal(
        "envelope against a fresh recording at 3 held-out lengths, all architectures × kernels",
        "≤ 0.05 % worst, no failure",
        found,
        bool(rows) and not over,
    )


def markdown(rows: list[Row]) -> str:
    head = [
        "config", "class", "dtype", "kernel", "ran", "layers of", "regimes", "steps of", "fresh lengths",
        "worst, above weights", "worst, total", "between, at most",
    ]  # fmt: skip
    lines = []
    for row in rows:
        lengths = ", ".join(f"{length:,}" for length in row.lengths)
        error = row.failure or percent(row.worst)
        total = percent(max(map(abs, row.totals), default=None))
        between = f"{min(row.between):+.2%} to {max(row.between):+.2%}" if row.between else "-"
        kernel = f"{row.attention}, {row.step} a pass" if row.step else row.attention
        lines.append(
            [row.name, row.model_type, row.dtype, kernel, row.ran, row.layers, row.regimes, row.granule, lengths, error,
             total, between]
        )  # fmt: skip
    return f"## Envelopes against fresh recordings\n\n{_ABOUT}\n\n{table(head, lines)}"


_ABOUT = (
    "Published widths; layers cut to a period of their pattern and one more, as the column says. *Steps of*: the tokens"
    " to whose multiples a pass pads, or that a turn of its loop takes; between those lengths the forecast may be"
    " higher, never lower."
)


def config_of(name: str) -> dict[str, Any]:
    config: dict[str, Any] = msgspec.json.decode((FOLDER / f"{name}.json").read_bytes())["config"]
    return config


def reduced(config: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """The config with fewer layers, and how many of how many are left."""
    found = copy.deepcopy(config)
    name = next(key for key in _LAYERS if key in found)
    layers = found[name]
    lists = [key for key, value in found.items() if isinstance(value, list) and len(value) == layers]
    period = max([_PERIODS.get(found["model_type"], 1), *(_period(found[key]) for key in lists)])
    kept = min(layers, max(_LEAST_LAYERS, period + 1))
    found[name] = kept
    for key in lists:
        found[key] = found[key][:kept]
    if found["model_type"] == "gpt_neo":
        found["attention_types"] = [[["global", "local"], kept // 2]]
    if "attn_layer_indices" in found:
        found["attn_layer_indices"] = [index for index in found["attn_layer_indices"] if index < kept]
    return found, f"{kept} of {layers}"


def _period(kinds: list[Any]) -> int:
    """The shortest part at the beginning that repeats, or that has every kind where none does."""
    for period in range(1, len(kinds) // 2 + 1):
        if all(kind == kinds[place % period] for place, kind in enumerate(kinds)):
            return period
    return max(kinds.index(kind) for kind in dict.fromkeys(kinds)) + 1


def measure(case: Case) -> Row:
    """One case from tape to comparison, in this process."""
    began = monotonic()
    config, layers = reduced(config_of(case.name))
    spec = spec_from_config(config, name=case.name, source=case.name, known_types=known_model_types())
    row = Row(case.name, spec.model_type, spec.dtype, case.attention, case.step, layers=layers)
    try:
        found = _compared(row, spec, TapeKey(dtype=spec.dtype, attention=case.attention, step=case.step))
    except AppError as error:
        found = replace(row, failure=str(error))
    except Exception as error:  # noqa: BLE001 - whatever stops a case is a row of the table, not the end of the run
        traceback.print_exc()
        found = replace(row, failure=f"{type(error).__name__}: {error}"[:200])
    return replace(found, seconds=round(monotonic() - began, 1))


def _compared(row: Row, spec: ModelSpec, key: TapeKey) -> Row:
    # Only the worker processes need PyTorch.
    from fresh import FreshRecordings, loop_tokens, tape_and_lengths

    check = deadline(_SECONDS)
    tape, used = tape_and_lengths(spec, key, check)
    lengths, between = fresh_lengths(tape, spec.max_positions, used, loop_tokens(spec.config))
    row = replace(
        row,
        ran=tape.attention,
        regimes=len(tape.regimes),
        granule=max(regime.granule for regime in tape.regimes),
        recorded=len(used),
        lengths=lengths,
    )
    with FreshRecordings(spec, key, check) as fresh:
        pairs = [errors_of(tape, fresh.peak(tokens), tokens) for tokens in lengths]
        above = [errors_of(tape, fresh.peak(tokens), tokens)[0] for tokens in between]
    return replace(row, errors=[pair[0] for pair in pairs], totals=[pair[1] for pair in pairs], between=above)


def errors_of(tape: Tape, recorded: tuple[int, int], tokens: int) -> tuple[float, float]:
    """Envelope minus recording: of the part above the weights, and of all."""
    peak, weights = recorded
    difference = float(envelope_of(tape).component_bytes([tokens]).sum()) - peak
    return difference / (peak - weights), difference / peak


def fresh_lengths(tape: Tape, positions: int, used: set[int], turn: int | None) -> tuple[list[int], list[int]]:
    """Three lengths that were not recorded: inside the positions, one far above the recordings; and some between."""
    highest, last = max(used), tape.max_tokens
    if turn is not None:
        # Every turn of a loop is recorded, which takes long.
        targets = [highest * 3 // 5, highest * 7 // 5, min(last, max(3 * highest, 1023, 32 * turn - 1))]
    else:
        positions = min(positions, last)
        targets = [positions // 9, positions * 5 // 9, min(last, 3 * max(positions, highest)) - 5]
    # A short regime, such as the one below a sliding window, is looked into as well.
    targets += [(r.from_tokens + 2 * r.to_tokens) // 3 for r in tape.regimes[:-1] if r.to_tokens - r.from_tokens > 8]
    lengths: list[int] = []
    between: list[int] = []
    for target in targets:
        regime = next(regime for regime in tape.regimes if target <= regime.to_tokens)
        granule, tokens = regime.granule, target
        if granule > 1:
            tokens = max(tokens // granule, 1) * granule - 1
        tokens = _nearest(tokens, granule, (regime.from_tokens, regime.to_tokens), {*used, *lengths})
        lengths.append(tokens)
        if granule > 1:
            between += [tokens - granule // 2, tokens - granule + 1]
    return lengths, [tokens for tokens in between if tokens >= tape.regimes[0].from_tokens]


def _nearest(tokens: int, step: int, bounds: tuple[int, int], taken: set[int]) -> int:
    """The nearest length, whole steps away, that is inside the bounds and not taken; below it where one is."""
    steps = (sign * number * step for number in range(bounds[1] - bounds[0] + 1) for sign in (-1, 1))
    return next(n for n in (tokens + by for by in steps) if bounds[0] <= n <= bounds[1] and n not in taken)


def deadline(seconds: float) -> Callable[[], None]:
    """What raises once so many seconds have passed."""
    end = monotonic() + seconds

    def check() -> None:
        if monotonic() > end:
            raise BadInputError(f"given up after {seconds:.0f} s")

    return check


if __name__ == "__main__":
    sys.exit(show(lambda: run(tuple(sys.argv[1:]) or NAMES)))
