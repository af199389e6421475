"""What the guard costs: at the start of a program, and for every token: ``python tests/bench/guard.py [PAIRS]``.

Programs and passes run with and without the guard in turn, so that whatever else the machine does falls on both; the
figures are medians of the differences, of steps the difference of the shortest.  Times are read and not judged, but for
the share of a pass: the model here is the smallest that still is one, so that real models have a smaller share.
"""

import json
import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

from goals import Goal, Section, show, table

from vramtuner.core.deploy import guard

START_MS = 50.0
SHARE = 0.02  # of a pass of one token through a model of one layer; a person measures no less
_ENVIRON = {guard.TOKEN_CAP_VARIABLE: "2048", guard.POOL_VARIABLE: "1GiB"}

PASSES = r"""
import json, sys
from time import perf_counter
import torch
from transformers import DynamicCache, LlamaConfig, LlamaForCausalLM
torch.set_num_threads(1)
config = LlamaConfig(vocab_size=1000, hidden_size=256, intermediate_size=512, num_hidden_layers=1,
                     num_attention_heads=4, max_position_embeddings=4096)
model = LlamaForCausalLM(config).eval()
wrapped, inner = LlamaForCausalLM.forward, type(model.model).forward
token, times = torch.ones(1, 1, dtype=torch.long), ([], [])
def steps(count):
    cache = DynamicCache(config=config)
    model(token, cache=cache)  # a request is counted with its first call
    begun = perf_counter()
    for _ in range(count):
        model(token, cache=cache)
    return (perf_counter() - begun) / count * 1e6
with torch.inference_mode():
    steps(200)
    for pair in range(int(sys.argv[1])):
        for guarded in (pair % 2, 1 - pair % 2):
            LlamaForCausalLM.forward = wrapped if guarded else wrapped.__wrapped__
            type(model.model).forward = inner if guarded else inner.__wrapped__
            times[guarded].append(steps(50))
# Microseconds drown in what a busy machine adds, which is never less than nothing: the shortest of both.
json.dump([min(times[0]), min(times[1]) - min(times[0])], sys.stdout)
"""


def run(pairs: int) -> Section:
    """The table of costs."""
    rows, goals = [], []
    for name, with_it in _starts().items():
        without, added = _paired(with_it, pairs)
        rows.append((name, f"{without:.1f} ms", f"{added:+.1f} ms", ""))
        goals.append(Goal(name, f"≤ {START_MS:g} ms", f"{added:.1f} ms", None))
    with TemporaryDirectory() as folder:
        environ = {**os.environ, **_ENVIRON, guard.STATE_VARIABLE: folder}
        command = [sys.executable, guard.__file__, "-c", PASSES, str(pairs * 10)]
        done = subprocess.run(command, env=environ, capture_output=True, text=True, check=True)
    without, added = json.loads(done.stdout)
    rows.append(("a step of a loop, 1 token", f"{without:.0f} µs", f"{added:+.2f} µs", f"{added / without:.2%}"))
    goals.append(Goal("a step", f"≤ {SHARE:.0%} of it", f"{added / without:.2%}", added <= SHARE * without))
    return Section(goals, table(["what", "without", "added", "share"], rows), rows)


def _starts() -> dict[str, tuple[list[str], dict[str, str]]]:
    """Ways to start a program that does nothing, with their environments."""
    site = guard.with_site_folder({**os.environ, **_ENVIRON})
    plain = {**os.environ, **_ENVIRON}
    return {
        "start under run": ([sys.executable, "-c", ""], site),
        "start by the single file": ([sys.executable, guard.__file__, "-c", ""], plain),
    }


def _paired(with_it: tuple[list[str], dict[str, str]], pairs: int) -> tuple[float, float]:
    """Milliseconds without, and the median added."""
    ways = (([sys.executable, "-c", ""], dict(os.environ)), with_it)
    times: tuple[list[float], list[float]] = ([], [])
    subprocess.run(with_it[0], env=with_it[1], check=True, cwd=Path(guard.__file__).parent)
    for pair in range(pairs):
        for guarded in (pair % 2, 1 - pair % 2):
            command, environ = ways[guarded]
            begun = perf_counter()
            subprocess.run(command, env=environ, check=True)
            times[guarded].append((perf_counter() - begun) * 1e3)
    return median(times[0]), median(b - a for a, b in zip(*times, strict=True))


if __name__ == "__main__":
    sys.exit(show(partial(run, int(sys.argv[1]) if len(sys.argv) > 1 else 15)))
