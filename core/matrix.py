"""Token-to-VRAM tables: models × devices × variants of levers, each cell a forecast or the reason why there is none.

A `Question` is one cell, with the tapes that it needs; `answer` is pure arithmetic on it, so that any
`concurrent.futures.Executor` can do it, in threads, processes or on other machines.
"""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from typing import Any, TypeAlias

import msgspec

from vramtuner.core.calibration import Calibration
from vramtuner.core.device.spec import Device
from vramtuner.core.errors import AppError, BadInputError, CancelledError
from vramtuner.core.forecast import forecast
from vramtuner.core.model.spec import ModelSpec
from vramtuner.core.probe.client import Probe
from vramtuner.core.probe.protocol import Event, Progress
from vramtuner.core.profiling import calibration_for
from vramtuner.core.recording import find_tapes, get_tape, tape_at_hand
from vramtuner.core.release import own_version
from vramtuner.core.request import Phase, PhaseName, phases
from vramtuner.core.runs import local_time
from vramtuner.core.settings import Attention, Levers, TapeKey
from vramtuner.core.stages import stage_in_words
from vramtuner.core.tape.format import Tape, decode_tape, encode_tape
from vramtuner.core.tape.store import recorded_key
from vramtuner.core.text import one_line
from vramtuner.core.words import mark, say

MOST_CELLS = 10_000
_LOOK_SECONDS = 0.1
"""How often a computation looks whether it was cancelled."""
METHOD = mark(
    "each limit is the largest request that fits the pool with its margin, exact to the "
    "token on the recorded memory of the model's own operations; overhead and allocator "
    "slack of GPUs are estimates, not yet verified on a GPU"
)


class Variant(msgspec.Struct, frozen=True):
    """A set of levers under a name."""

    name: str
    levers: Levers


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """What a forecast says of a cell.

    Attributes
    ----------
    limit_tokens, bound_by, phase
        As of `forecast.Limit`.
    levers, attention
        What was asked for, and the kernel that the model's class then runs.
    tokens
        The token cap: what ``peak_bytes`` (without the margin), ``needed_bytes`` (with it) and ``fits`` are about.
    peaks_bytes
        The peak at each of the question's lengths; ``None`` where the model or its tape ends before.
    method, recorded_with
        How the figures were made, and the libraries behind the tapes.
    """

    limit_tokens: int
    bound_by: str
    phase: PhaseName
    levers: Levers
    attention: Attention
    pool_bytes: int
    tokens: int
    peak_bytes: int
    needed_bytes: int
    fits: bool
    peaks_bytes: tuple[int | None, ...]
    method: str
    recorded_with: str
    warnings: tuple[str, ...]


class Gap(msgspec.Struct, frozen=True):
    """A cell without a forecast, and why in one line."""

    reason: str
    is_missing: bool = False
    """Only a tape is missing, which can be recorded."""


Cell: TypeAlias = Figures | Gap
NOT_RECORDED = Gap(mark("not recorded yet"), is_missing=True)


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """One cell: a model on a device under levers, with what is at hand to answer it.

    Attributes
    ----------
    lengths
        Token counts whose peaks are wanted too.
    tapes
        One for each pass of the request; ``None`` while one of them is missing.
    problem
        Why there can be no forecast.
    """

    spec: ModelSpec
    device: Device
    levers: Levers
    lengths: tuple[int, ...] = ()
    tapes: tuple[Tape, ...] | None = None
    calibration: Calibration | None = None
    problem: str = ""

    def __reduce__(self) -> tuple[Any, ...]:
        """Tapes travel as their files do, and arrive as one object each: caches know them by identity."""
        wire = None if self.tapes is None else tuple(map(_encoded, self.tapes))
        facts = (self.spec, self.device, self.levers, self.lengths, wire, self.calibration, self.problem)
        return _arrived, facts


_encoded = lru_cache(maxsize=256)(encode_tape)
_decoded = lru_cache(maxsize=256)(decode_tape)


def _arrived(
    spec: ModelSpec, device: Device, levers: Levers, lengths: tuple[int, ...], wire: Any, *rest: Any
) -> Question:
    tapes = None if wire is None else tuple(map(_decoded, wire))
    return Question(spec, device, levers, lengths, tapes, *rest)


@dataclass(frozen=True, slots=True)
class Grid:
    """What a matrix is asked about: every combination of variants, models and devices, in this order.

    Attributes
    ----------
    lengths
        Token counts whose peaks are wanted too.
    """

    models: tuple[ModelSpec, ...]
    devices: tuple[Device, ...]
    variants: tuple[Variant, ...]
    lengths: tuple[int, ...] = ()

    def questions(self) -> tuple[Question, ...]:
        """A question for each cell; none has its tapes yet.

        Raises
        ------
        BadInputError
            There are none, or more than anyone reads.
        """
        count = len(self.models) * len(self.devices) * len(self.variants)
        if not 0 < count <= MOST_CELLS:
            raise BadInputError(
                say(
                    "a matrix of {count:,} cells: name models and devices for 1 to {most_cells:,} of them",
                    count=count,
                    most_cells=MOST_CELLS,
                )
            )
        cells = product(self.variants, self.models, self.devices)
        return tuple(Question(spec, device, variant.levers, self.lengths) for variant, spec, device in cells)


@dataclass(frozen=True, slots=True)
class Matrix:
    """The answers to the questions of a grid, in the same order.

    Attributes
    ----------
    created, version
        When it was computed (ISO 8601), and by which release.
    """

    models: tuple[ModelSpec, ...]
    devices: tuple[Device, ...]
    variants: tuple[Variant, ...]
    lengths: tuple[int, ...]
    cells: tuple[Cell, ...]
    created: str
    version: str

    def cell(self, variant: int, model: int, device: int) -> Cell:
        """The cell at these places."""
        return self.cells[(variant * len(self.models) + model) * len(self.devices) + device]

    @property
    def tape_versions(self) -> str:
        """The libraries that its tapes were recorded with."""
        return ", ".join(sorted({name for cell in self.figures for name in cell.recorded_with.split(", ") if name}))

    @property
    def figures(self) -> tuple[Figures, ...]:
        """The cells that have a forecast."""
        return tuple(cell for cell in self.cells if isinstance(cell, Figures))


def matrix_of(grid: Grid, cells: Sequence[Cell]) -> Matrix:
    """The matrix of these answers to a grid's questions, as of now and by this release."""
    made = {"created": local_time(), "version": own_version()}
    return Matrix(grid.models, grid.devices, grid.variants, grid.lengths, tuple(cells), **made)


# ---- what a question needs


def at_hand(question: Question) -> Question:
    """The question with its tapes and calibration if no tape has to be recorded, or with what is wrong about it."""
    spec, device, levers = question.spec, question.device, question.levers
    try:
        device.pool_bytes(levers)  # a pool that cannot be is no reason to record anything
        parts = phases(spec, device, levers)
        tapes = find_tapes(spec, parts)
        return replace(question, tapes=tapes, calibration=calibration_for(device, parts[0].key))
    except AppError as error:
        return replace(question, problem=one_line(str(error)))


Tapes: TypeAlias = dict[tuple[str, TapeKey], Tape | str]
"""By model and key: a tape, or why it could not be recorded."""


def record_missing(
    asked: Sequence[Question],
    probe: Probe,
    *,
    on_event: Callable[[Event], None] = lambda event: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> tuple[Question, ...]:
    """The questions with the tapes that they lack, recorded one after another; a tape that cannot be is a problem.

    Raises
    ------
    CancelledError
        Tapes that were recorded until then are kept.
    """
    wanted = _missing(asked)
    found: Tapes = {}
    for place, ((config_hash, key), spec) in enumerate(wanted.items()):
        _go_on(cancelled)
        try:
            forward = _counted(on_event, place, len(wanted), spec.name)
            found[config_hash, key] = get_tape(spec, key, probe, on_event=forward)
        except CancelledError:
            raise
        except AppError as error:
            found[config_hash, key] = one_line(str(error))
    return tuple(_with_recorded(question, found) if _lacks_tapes(question) else question for question in asked)


def _lacks_tapes(question: Question) -> bool:
    return question.tapes is None and not question.problem


def _missing(asked: Iterable[Question]) -> dict[tuple[str, TapeKey], ModelSpec]:
    """What has to be recorded, each once, with a model that it is for."""
    found: dict[tuple[str, TapeKey], ModelSpec] = {}
    for question in filter(_lacks_tapes, asked):
        for place in _places(question):
            if place not in found and tape_at_hand(question.spec, place[1]) is None:
                found[place] = question.spec
    return found


def _places(question: Question) -> list[tuple[str, TapeKey]]:
    parts: tuple[Phase, ...] = phases(question.spec, question.device, question.levers)
    return [(question.spec.config_hash, recorded_key(phase.key)) for phase in parts]


def _with_recorded(question: Question, found: Tapes) -> Question:
    tapes = []
    for place in _places(question):
        tape = found.get(place) or tape_at_hand(question.spec, place[1])
        if isinstance(tape, str):
            return replace(question, problem=tape)
        if tape is None:  # another process emptied the cache
            return question
        tapes.append(tape)
    return replace(question, tapes=tuple(tapes))


def _counted(on_event: Callable[[Event], None], place: int, count: int, name: str) -> Callable[[Event], None]:
    """Progress of one tape as that of all of them."""

    def forward(event: Event) -> None:
        if isinstance(event, Progress):
            stage = say(
                "tape {place} of {count}, {name}: {stage}",
                place=place + 1,
                count=count,
                name=name,
                stage=stage_in_words(event.stage),
            )
            whole = (place + event.fraction) / count
            event = msgspec.structs.replace(event, stage=stage, fraction=whole, seconds_left=None)
        on_event(event)

    return forward


# ---- answers


def answer(question: Question) -> Cell:
    """The cell of a question: pure, and the same in whichever process it runs."""
    if question.problem:
        return Gap(question.problem)
    if question.tapes is None:
        return NOT_RECORDED
    try:
        current = forecast(
            question.spec, question.device, question.levers, *question.tapes, calibration=question.calibration
        )
    except AppError as error:
        return Gap(one_line(str(error)))
    tokens, limit = current.token_cap, current.limit
    last = current.max_tokens if limit.hard_cap is None else min(limit.hard_cap, current.max_tokens)
    return Figures(
        limit_tokens=limit.tokens,
        bound_by=limit.bound_by,
        phase=limit.phase,
        levers=question.levers,
        attention=current.attention,
        pool_bytes=current.pool_bytes,
        tokens=tokens,
        peak_bytes=current.peak_bytes(tokens),
        needed_bytes=current.needed_bytes(tokens),
        fits=current.fits(tokens),
        peaks_bytes=tuple(current.peak_bytes(length) if length <= last else None for length in question.lengths),
        method=current.method,
        recorded_with=_libraries(question.tapes),
        warnings=current.warnings,
    )


def _libraries(tapes: tuple[Tape, ...]) -> str:
    """The libraries behind the tapes; that for quantized weights only where there are any."""
    found = {
        f"{name} {number}"
        for tape in tapes
        for name, number in tape.versions.items()
        if not tape.estimate and (name != "bitsandbytes" or tape.key.weights != "none")
    }
    return ", ".join(sorted(found))


def compute(
    asked: Sequence[Question],
    *,
    executor: Executor | None = None,
    on_cell: Callable[[int, Cell], None] = lambda place, cell: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> tuple[Cell, ...]:
    """The answers, in the order of the questions.

    Parameters
    ----------
    executor
        Where they are worked out; a thread of its own if not given.  More threads would be no faster: the arithmetic
        holds Python's lock, and waits for what another thread is about to put into a cache.
    on_cell
        Takes the place of each answer and the answer, in the calling thread, as they come.
    cancelled
        Is asked several times a second.

    Raises
    ------
    CancelledError
        ``cancelled`` said so; at most the cells under way are waited for.
    AppError
        A worker of the executor died.
    """
    if executor is None:
        with ThreadPoolExecutor(max_workers=1, thread_name_prefix="matrix") as own:
            return compute(asked, executor=own, on_cell=on_cell, cancelled=cancelled)
    cells: list[Cell] = [NOT_RECORDED] * len(asked)
    places = {}
    try:
        places = {executor.submit(answer, question): place for place, question in enumerate(asked)}
        waiting = set(places)
        while waiting:
            done, waiting = wait(waiting, timeout=_LOOK_SECONDS, return_when=FIRST_COMPLETED)
            _go_on(cancelled)
            for future in sorted(done, key=places.__getitem__):
                cells[places[future]] = future.result()
                on_cell(places[future], cells[places[future]])
                _go_on(cancelled)
    except BrokenExecutor as error:
        raise AppError(say("a worker process of the matrix died, perhaps for want of memory; try --jobs 1")) from error
    finally:
        for future in places:
            future.cancel()
    return tuple(cells)


def _go_on(cancelled: Callable[[], bool]) -> None:
    if cancelled():
        raise CancelledError("cancelled")
