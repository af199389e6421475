"""What the preloaded pool costs a call, and that it holds: ``python tests/bench/preload.py [PAIRS]``.

A stand-in for libamdhip64 is compiled, and a program that allocates and frees at random in one thread and in eight.  It
runs with and without the library in turn, so that whatever else the machine does falls on both; the figures are the
median of the differences.  Real drivers take microseconds for what the stand-in does in a tenth of one, and their
hipGetDevice, which each allocation asks, takes longer than the stand-in's.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

from goals import ROOT, Goal, Section, show, table

from vramtuner.core.deploy.preload import environment_with_pool, preload_library
from vramtuner.core.units import MIB

CALLS = 1_000_000
THREADS = (1, 8)
ADDED_NS = 200.0
_DATA = ROOT / "tests" / "data"
_ROOMY, _TIGHT = "1GiB", "1MiB"


def run(pairs: int) -> Section:
    """The table of costs, and what the stand-in counted of a million calls of eight threads."""
    if shutil.which("cc") is None:
        left_out = Goal("preloaded pool", f"≤ {ADDED_NS:g} ns added a call", "no C compiler", None, left_out=True)
        return Section([left_out], "no C compiler (cc): the preloaded pool is not there to be measured\n", [])
    with TemporaryDirectory() as name:
        folder = Path(name)
        program = _program(folder)
        library = preload_library(folder / "cache")
        if library.path is None:
            raise SystemExit(library.reason)
        begun = perf_counter()
        preload_library(folder / "cache")
        found_ms = (perf_counter() - begun) * 1e3
        rows, goals = [], []
        for threads in THREADS:
            cost = _paired(program, library.path, threads, pairs)
            rows.append((threads, *(f"{value:.0f}" for value in cost)))
            goals.append(
                Goal(
                    f"added a call, {threads} threads",
                    f"≤ {ADDED_NS:g} ns",
                    f"{cost[2]:.0f} ns of processor time",
                    None,
                )
            )
        goals.append(_held(program, library.path))
        goals.append(Goal("the library found again", "≤ 50 ms", f"{found_ms:.1f} ms", None))
    head = ["threads", "ns a call without", "ns with", "added", "added, wall time"]
    return Section(goals, table(head, rows), rows)


def _program(folder: Path) -> Path:
    """The stand-in and the program over it, compiled."""
    standin, program = folder / "libamdhip64.so.6", folder / "program"
    flags = ["cc", "-std=gnu11", "-O2", "-pthread"]
    versions = f"-Wl,--version-script={_DATA / 'hip_standin.map'},-soname,libamdhip64.so.6"
    subprocess.run([*flags, "-fPIC", "-shared", _DATA / "hip_standin.c", versions, "-o", standin], check=True)
    subprocess.run([*flags, _DATA / "hip_program.c", standin, f"-Wl,-rpath,{folder}", "-o", program], check=True)
    return program


def _words(program: Path, library: Path | None, pool: str, arguments: Sequence[str]) -> list[str]:
    environ = {**os.environ, "HIP_FORCE_MEMORY_POOL_SIZE": pool}
    if library:
        environ = environment_with_pool(environ, library)
    done = subprocess.run([program, *arguments], env=environ, capture_output=True, text=True, check=True)
    return done.stdout.split()


def _paired(program: Path, library: Path, threads: int, pairs: int) -> tuple[float, float, float, float]:
    """Nanoseconds a call: processor time without and with, the median added, and the same of wall time."""
    arguments = ["time", str(threads), str(CALLS // threads)]
    without, with_it = [], []
    for pair in range(pairs):
        for first in (pair % 2, 1 - pair % 2):
            words = _words(program, library if first else None, _ROOMY, arguments)
            (with_it if first else without).append([float(word) for word in words])
    added = [median(b[i] - a[i] for a, b in zip(without, with_it, strict=True)) for i in (0, 1)]
    return median(a[0] for a in without), median(b[0] for b in with_it), added[0], added[1]


def _held(program: Path, library: Path) -> Goal:
    words = _words(program, library, _TIGHT, ["random", "8", str(CALLS // 8)])
    peaks, used, refused = [int(word) for word in words[1:3]], [int(word) for word in words[4:6]], int(words[7])
    met = max(peaks) <= MIB and used == [0, 0] and refused > 0
    found = f"highest {max(peaks):,} of {MIB:,} bytes, {sum(used)} at the end, {refused:,} refused"
    return Goal("a million calls of 8 threads", "never above the pool, zero at the end", found, met)


if __name__ == "__main__":
    sys.exit(show(partial(run, int(sys.argv[1]) if len(sys.argv) > 1 else 15)))
