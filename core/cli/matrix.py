"""The command ``matrix``: token limits of models on devices, as a table or a file."""

import os
import signal
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import closing, contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import Annotated

import typer

from vramtuner.core.cli.options import Json, Options, levers_of, with_levers
from vramtuner.core.cli.terminal import ProgressLine, print_json
from vramtuner.core.device.find import find_device
from vramtuner.core.errors import BadInputError
from vramtuner.core.matrix import (
    Cell,
    Grid,
    Matrix,
    Variant,
    at_hand,
    compute,
    matrix_of,
    record_missing,
)
from vramtuner.core.matrix_files import to_json, write_matrix, writer_of
from vramtuner.core.matrix_text import levers_text, to_text
from vramtuner.core.model.find import PRESETS, find_model
from vramtuner.core.probe.client import Probe
from vramtuner.core.probe.protocol import Progress
from vramtuner.core.settings import DEFAULT_TOKEN_CAP, Levers
from vramtuner.core.text import printable
from vramtuner.core.units import parse_tokens

_CELLS_A_WORKER = 8
"""A process takes as long to start as a few cells."""
_MOST_WORKERS = 16
_SHORTEST_LENGTH = 512
_VARIED = {
    "weights": "weights", "kv-cache": "kv_cache", "attention": "attention", "logits": "logits", "dtype": "dtype",
    "checkpointing": "checkpointing", "pass": "pass_kind", "pool": "pool", "tokens": "tokens",
    "new-tokens": "new_tokens", "prefill-chunk": "prefill_chunk",
}  # fmt: skip
"""The levers that a variant may set, and what the command calls them."""


@with_levers
def matrix(
    options: Options,
    devices: Annotated[str, typer.Option(help="Local indices, cpu, or catalogue names: w7900,mi300x.")],
    models: Annotated[
        str, typer.Option(help="Presets, folders or GGUF files: mistral-7b,./mine; all presets otherwise.")
    ] = ",".join(PRESETS),
    variants: Annotated[
        str,
        typer.Option(help="One table each: formats of weights, or levers as in nf4,nf4+kv-cache=fp8,attention=math."),
    ] = "",
    lengths: Annotated[
        str,
        typer.Option(help="Peaks at these token counts too: 512,1024; or auto, 512 doubled up to the cap."),
    ] = "",
    record: Annotated[
        bool, typer.Option(help="Record the tapes that are missing; their cells stay empty else.")
    ] = True,
    jobs: Annotated[int, typer.Option(min=0, help="Processes that compute; 0: as many as there is work for.")] = 0,
    out: Annotated[Path | None, typer.Option("--output", "-o", help="The file to write: .csv, .md or .html.")] = None,
    as_json: Json = False,
) -> None:
    """Token limits of models on devices: one table a variant, each cell the largest request that fits."""
    chosen = variants_of(variants, options)
    if out is not None:
        writer_of(out)
    grid = Grid(
        tuple(find_model(name) for name in _parts(models, "models")),
        tuple(find_device(name) for name in _parts(devices, "devices")),
        chosen,
        _lengths(lengths, chosen),
    )
    found = _matrix(grid, ProgressLine(), record=record, jobs=jobs)
    if out is not None:
        write_matrix(found, out)
    if as_json:
        print_json(to_json(found))
    else:
        typer.echo(to_text(found) if out is None else str(out))


def variants_of(text: str, options: Options) -> tuple[Variant, ...]:
    """The variants that a person lists, each over the levers of the options; those alone when none is listed.

    Raises
    ------
    BadInputError
        A lever has no such name or value, or does not go with another.
    """
    if not text.strip():
        levers = levers_of(options)
        return (Variant(levers_text(levers), levers),)
    found = []
    for name in _parts(text, "variants"):
        changed = dict(options)
        for item in name.split("+"):
            lever, given, value = item.rpartition("=")
            lever = lever.strip() if given else "weights"
            if lever not in _VARIED or not value.strip():
                raise BadInputError(
                    f"{printable(item)!r} is no lever of a variant; write a format of weights such as nf4, or"
                    f" NAME=VALUE with {', '.join(_VARIED)}"
                )
            changed[_VARIED[lever]] = value.strip()
        found.append(Variant(name, levers_of(changed)))
    return tuple(found)


def _parts(text: str, what: str) -> list[str]:
    """The entries of a list, each once."""
    found = list(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    if not found:
        raise BadInputError(f"--{what} is empty; name at least one, with commas between them")
    return found


def usual_lengths(levers: Levers) -> tuple[int, ...]:
    """512 tokens, doubled up to the token cap, which is the last.  [tokens]"""
    cap = levers.token_cap or DEFAULT_TOKEN_CAP
    doubled = (_SHORTEST_LENGTH << step for step in range(cap.bit_length()))
    return (*(tokens for tokens in doubled if tokens < cap), cap)


def _lengths(text: str, variants: tuple[Variant, ...]) -> tuple[int, ...]:
    if text.strip() == "auto":
        return tuple(sorted({tokens for variant in variants for tokens in usual_lengths(variant.levers)}))
    return tuple(sorted({parse_tokens(part) for part in _parts(text, "lengths")})) if text else ()


def _matrix(grid: Grid, progress: ProgressLine, *, record: bool, jobs: int) -> Matrix:
    ready = tuple(map(at_hand, grid.questions()))
    done = 0

    def count(place: int, cell: Cell) -> None:
        nonlocal done
        done += 1
        progress(Progress(0, f"{done:,} of {len(ready):,} cells", done / len(ready)))

    try:
        if record and any(question.tapes is None and not question.problem for question in ready):
            with closing(Probe()) as probe:
                ready = record_missing(ready, probe, on_event=progress)
        with _executor(len(ready), jobs) as executor:
            cells = compute(ready, executor=executor, on_cell=count)
    finally:
        progress.clear()
    return matrix_of(grid, cells)


@contextmanager
def _executor(cells: int, jobs: int) -> Iterator[Executor | None]:
    """Processes where there is work for more than one; ``None`` else."""
    workers = jobs or min(os.cpu_count() or 1, cells // _CELLS_A_WORKER, _MOST_WORKERS)
    if workers <= 1:
        yield None
        return
    # A new interpreter each: a forked one would have the locks of threads that it does not have.
    pool = ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=_leave_interrupts)
    try:
        yield pool
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _leave_interrupts() -> None:
    """Ctrl+C goes to every process of the terminal; the one that was started by a person ends the others."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
