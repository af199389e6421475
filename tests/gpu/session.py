"""A whole check: what to run on the device, in which order and for how long, and what is made of it."""

import os
import platform
import subprocess
import sys
import threading
import tomllib
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median
from time import monotonic

from cases import Case, Scale, Shape, cases_of, scale_of, shapes_for, what_fits
from claims import Found, claims_of, has_fused
from machine import Card, card_of, measure_overhead, sampler_cost
from measure import Failure, measure_limit, measure_passes, no_longer_than
from report import as_json, claims_text, exit_code_of, file_name, summary_of, table_of

from vramtuner.core.errors import AppError, CancelledError
from vramtuner.core.files import write_atomically
from vramtuner.core.probe.client import Probe
from vramtuner.core.settings import ATTENTIONS, Attention
from vramtuner.core.units import GIB

ROOT = Path(__file__).resolve().parents[2]
_LIBRARIES = ("torch", "transformers", "numpy", "msgspec", "psutil", "safetensors")
_MEMORY_SHARE = 0.8
_LAST_SECONDS = 12.0
"""Kept back for what follows the last case."""


@dataclass(frozen=True, slots=True)
class Options:
    """What a person asked for; ``out`` is the folder of the result."""

    device: str
    quick: bool
    out: Path | None
    minutes: float
    removed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """The cases of a run, how many at a time, and the pool of each [bytes]."""

    cases: list[Case]
    scale: Scale
    workers: int
    pool_bytes: int
    left_out: tuple[str, ...]


class Agenda:
    """The cases that are still to be done, for as many threads as there are, until the time is over."""

    def __init__(self, cases: Sequence[Case], ends_at: float) -> None:
        self._cases, self._ends_at = list(cases), ends_at
        self._paces: list[float] = []
        self._lock = threading.Lock()

    @property
    def seconds_left(self) -> float:
        return self._ends_at - monotonic()

    @property
    def left(self) -> list[str]:
        """The cases that nobody took."""
        return [case.label for case in self._cases]

    def take(self) -> Case | None:
        """The next case that there is time for, at the pace of those that are done."""
        with self._lock:
            pace = min(max(median(self._paces), 0.3), 10.0) if self._paces else 1.0
            case = what_fits(self._cases, self.seconds_left, pace)
            if case is not None:
                self._cases.remove(case)
            return case

    def done(self, case: Case, seconds: float) -> None:
        with self._lock:
            self._paces.append(seconds / case.seconds)


def run(options: Options) -> int:
    """Check a device, print the table and what it says, and keep the result; the exit code.

    Raises
    ------
    AppError
        The device is not here, or the result cannot be kept.
    """
    began, date = monotonic(), datetime.now(UTC).isoformat(timespec="seconds")
    card = card_of(options.device)
    plan = plan_of(card, quick=options.quick)
    found = Found(card=card, left_out=list(plan.left_out))
    versions = versions_here()
    path = (options.out or _folder(card)) / file_name(found, versions, date)

    def keep(found: Found, *, complete: bool) -> None:
        about = {
            "made_by": "tests/gpu/check.py", "date": date, "complete": complete,
            "seconds": round(monotonic() - began, 1), "minutes": options.minutes, "quick": options.quick,
            "versions": versions, "commit": commit_here(), "cpus": os.cpu_count(), "workers": plan.workers,
            "removed_variables": options.removed,
        }  # fmt: skip
        try:
            write_atomically(path, as_json(found, claims_of(found), about))
        except OSError as error:
            raise AppError(f"the result cannot be written to {path.parent}: {error.strerror}; give --out") from error

    keep(found, complete=False)
    found = _measured(found, plan, began + options.minutes * 60 - _LAST_SECONDS, keep)
    keep(found, complete=True)
    claims = claims_of(found)
    seconds = monotonic() - began
    sys.stdout.write(
        f"{card.device.name}, torch {versions.get('torch')}, transformers {versions.get('transformers')}\n\n"
        f"{table_of(found)}\n\n{claims_text(claims)}\n\n{summary_of(found, claims, seconds)}\n{path}\n"
    )
    return exit_code_of(found, claims)


def plan_of(card: Card, *, quick: bool) -> Plan:
    """What to run on a device."""
    device = card.device
    scale = scale_of(on_card=device.is_gpu, quick=quick)
    if card.free_bytes is None:
        shapes = shapes_for(None, scale.prefill[-1], quick=quick)
        workers, pool = 1, min(2 * GIB, device.max_pool_bytes)
    else:
        free = min(int(card.free_bytes * _MEMORY_SHARE), device.max_pool_bytes)
        workers, shapes = _side_by_side(free, device.overhead_bytes, scale, quick=quick)
        pool = free // workers
    fewer = [
        f"flash on {shape.name} {shape.dtype}: the card has no fused kernel for its heads"
        for shape in shapes
        if not has_fused(card, shape.dtype, shape.head_size)
    ]
    if not shapes:
        fewer.append("every model: not enough memory is free")
    cases = cases_of(shapes, lambda shape: kernels_of(card, shape), scale, on_card=device.is_gpu)
    return Plan(cases, scale, workers, pool, tuple(fewer))


def _side_by_side(free_bytes: int, overhead_bytes: int, scale: Scale, *, quick: bool) -> tuple[int, tuple[Shape, ...]]:
    """How many processes at a time, as many as leave no model out, and the models.

    Starting a process and recording take most of the time, and neither needs the card.
    """

    def fitting(workers: int) -> tuple[Shape, ...]:
        return shapes_for(free_bytes // workers - overhead_bytes, scale.prefill[-1], quick=quick)

    alone = fitting(1)
    most = max(1, min(4, (os.cpu_count() or 1) // 3))
    workers = next(count for count in range(most, 0, -1) if len(fitting(count)) == len(alone))
    return workers, alone


def kernels_of(card: Card, shape: Shape) -> tuple[Attention, ...]:
    """The kernels that a model can run with on a device."""
    return ATTENTIONS if has_fused(card, shape.dtype, shape.head_size) else ("math", "eager")


def _measured(found: Found, plan: Plan, ends_at: float, keep: Callable[..., None]) -> Found:
    card = found.card
    overhead = None
    if card.device.is_gpu and plan.cases:
        least = min(plan.cases, key=lambda case: case.shape.weight_bytes)
        _tell("overhead and sampler")
        try:
            overhead = measure_overhead(least, card.device, plan.pool_bytes, plan.scale)
        except AppError as error:
            found.failures.append(Failure(case="overhead", why=str(error)))
    whole = Found(card, found.rows, found.limits, found.failures, found.left_out, overhead, sampler_cost(card))
    agenda, lock = Agenda(plan.cases, ends_at), threading.Lock()
    with ThreadPoolExecutor(plan.workers) as pool:
        for worker in [pool.submit(_work, agenda, plan, whole, lock, keep) for _ in range(plan.workers)]:
            worker.result()
    whole.left_out.extend(f"{label}: no time" for label in agenda.left)
    return whole


def _work(agenda: Agenda, plan: Plan, found: Found, lock: threading.Lock, keep: Callable[..., None]) -> None:
    """Take cases until there is no time for another.

    A card gets a process for each case, so that every one begins with an empty allocator; the stand-in has none.
    """
    probe = Probe()
    try:
        while (case := agenda.take()) is not None:
            began = monotonic()
            if found.on_card:
                probe.close()
                probe = Probe()
            outcome = _one(case, found, plan, probe, agenda.seconds_left, lock)
            agenda.done(case, monotonic() - began)
            with lock:
                keep(found, complete=False)
                _tell(f"{case.label}: {outcome}, {monotonic() - began:.1f} s")
    finally:
        probe.close()


def _one(case: Case, found: Found, plan: Plan, probe: Probe, seconds: float, lock: threading.Lock) -> str:
    device, scale = found.card.device, plan.scale
    try:
        with no_longer_than(seconds, probe):
            if case.limit:
                limit = measure_limit(case, device, plan.pool_bytes, scale, probe)
                with lock:
                    found.limits.append(limit)
                return f"limit {limit.limit:,}"
            rows = measure_passes(case, device, plan.pool_bytes, scale, probe)
    except CancelledError:
        with lock:
            found.left_out.append(f"{case.label}: cut off when the time was over")
        return "cut off"
    except Exception as error:  # noqa: BLE001 - what the other cases found must not be lost
        why = str(error) if isinstance(error, AppError) else f"{type(error).__name__}: {error}"
        with lock:
            found.failures.append(Failure(case=case.label, why=" ".join(why.split())[:400]))
        return why
    with lock:
        if not rows:
            found.left_out.append(f"{case.label}: its class runs another kernel")
            return "its class runs another kernel"
        found.rows.extend(rows)
    return f"worst {max((row.error for row in rows), key=abs):+.3%}"


def _tell(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


def _folder(card: Card) -> Path:
    """Results of cards are kept with the tests; the stand-in's are nothing to keep."""
    return ROOT / "tests" / "gpu" / "results" if card.device.is_gpu else ROOT / "build" / "gpu-check"


def versions_here() -> dict[str, str]:
    """Of Python, this project and the libraries that decide a result."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    found = {"python": platform.python_version(), "vramtuner": str(project)}
    for name in _LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def commit_here() -> str | None:
    """The checkout's commit, where git knows it."""
    command = ["git", "-C", str(ROOT), "rev-parse", "HEAD"]
    try:
        out = subprocess.run(command, capture_output=True, text=True, timeout=10)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return out.stdout.strip() or None if out.returncode == 0 else None
