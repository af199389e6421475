"""Ask other estimators what a pass takes above the weights; runs in their own environment, knows nothing of vramtuner.

Reads one JSON object on standard input, ``{"peer": …, "questions": [{"config", "facts", "attention", "tokens",
"budget", "cap"}]}``, and prints a JSON list with, for each question, ``{"bytes": {reading: bytes}, "limit": {reading:
tokens}}`` or ``{"error": "…"}``.

A *reading* is a way to take what a peer prints: whatever it states as a fixed constant of the runtime, or as a reserve,
is left out, and where it could be taken in several ways all of them are given, so that the best can be scored.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

Reading = Callable[[int], dict[str, float]]
GIB = 2**30


def vramscout(question: dict[str, Any]) -> Reading:
    """Cache and prefill scratch, the whole prompt as one chunk, no reserve; it knows no attention and no logits."""
    from vramscout.modern_v07 import plan_modern

    def at(tokens: int) -> dict[str, float]:
        plan = plan_modern(
            question["config"], context=tokens, weight_dtype="bf16", kv_dtype="bf16", vram_gib=4096, reserve_gib=0,
            prefill_chunk=tokens, calibration="none",
        )  # fmt: skip
        fixed = ("Model weights / rank", "CUDA / runtime", "Safety reserve")
        parts = {name: size * GIB for name, size in plan.parts_gib.items() if name not in fixed}
        return {"cache + prefill scratch": sum(parts.values())}

    return at


def vramcalc(question: dict[str, Any]) -> Reading:
    """Cache and activations without its overhead; logits of every position are part of its model of a pass."""
    from vramcalc import estimate

    kernels = {"flash": ("flash",), "math": ("sdpa", "eager"), "eager": ("eager",)}[question["attention"]]

    def at(tokens: int) -> dict[str, float]:
        found = {}
        for kernel in kernels:
            answer = estimate(question["config"], dtype="bf16", seq_len=tokens, attn_impl=kernel, overhead_gb=0)
            reading = "cache + activations" if len(kernels) == 1 else f"cache + activations, attention {kernel}"
            found[reading] = answer.kv_cache + answer.activations
        return found

    return at


def ridgepoint(question: dict[str, Any]) -> Reading:
    """Cache, with and without its overhead; its own constant is what it says of a model of width 1."""
    from ridgepoint import _core

    facts = question["facts"]

    def ask(width: int, tokens: int) -> dict[str, Any]:
        answer = _core.fit_shape(
            "model", facts["layers"], facts["layers"], width, facts["parameters"], facts["parameters"], "gqa",
            facts["head_dim"], facts["heads"], facts["kv_heads"], 0, 0, "a100-80gb", 1, "llamacpp", "bf16", "bf16",
            tokens, tokens, True,
        )  # fmt: skip
        return dict(json.loads(answer))

    def at(tokens: int) -> dict[str, float]:
        answer = ask(facts["hidden"], tokens)
        cached = answer["capacity"]["bytes_per_seq"]
        overhead = answer["memory"]["overhead_bytes"]["best"]
        constant = ask(1, tokens)["memory"]["overhead_bytes"]["best"]
        return {
            "cache": cached,
            "cache + overhead beyond its constant": cached + overhead - constant,
            "cache + overhead": cached + overhead,
        }

    return at


def llmfit(question: dict[str, Any]) -> Reading:
    """``llmfit plan`` of the model as an entry of its own list: total without the weights and its constant 0.5 GB."""
    facts = question["facts"]
    folder = Path(tempfile.mkdtemp(prefix="llmfit-"))
    entry = {
        "name": "local/model", "provider": "local", "parameter_count": f"{facts['parameters'] / 1e9:.2f}B",
        "parameters_raw": facts["parameters"], "min_ram_gb": 1, "recommended_ram_gb": 1, "min_vram_gb": 1,
        "quantization": "BF16", "context_length": 2**20, "use_case": "General", "hidden_size": facts["hidden"],
        "num_hidden_layers": facts["layers"], "num_attention_heads": facts["heads"],
        "num_key_value_heads": facts["kv_heads"], "head_dim": facts["head_dim"], "vocab_size": facts["vocabulary"],
    }  # fmt: skip
    models = folder / "models.json"
    models.write_text(json.dumps([entry]))
    command = [str(Path(sys.executable).parent / "llmfit"), "plan", "local/model", "--quant", "BF16", "--json"]
    environment = {**os.environ, "LLMFIT_CUSTOM_MODELS": str(models), "HOME": str(folder)}

    @cache
    def total(tokens: int) -> tuple[float, float]:
        out = subprocess.run(
            [*command, "--context", str(tokens)], env=environment, capture_output=True, text=True, check=True
        )
        answer = json.loads(out.stdout)
        return answer["minimum"]["vram_gb"], answer["disk_size_gb"]

    def at(tokens: int) -> dict[str, float]:
        needed, weights = total(tokens)
        # The weights are counted in 10^9 bytes and the cache in GiB; 0.5 stands for the runtime.
        return {"cache": (needed - weights - 0.5) * GIB}

    return at


PEERS: dict[str, Callable[[dict[str, Any]], Reading]] = {
    "vramscout": vramscout,
    "vramcalc": vramcalc,
    "ridgepoint": ridgepoint,
    "llmfit": llmfit,
}


def largest(size_of: Callable[[int], float], budget: float, cap: int) -> int:
    """The largest number of tokens, up to ``cap``, whose size is within the budget; 0 if not even one is."""
    if size_of(1) > budget:
        return 0
    if size_of(cap) <= budget:
        return cap
    low, high, turn = 1, cap, 0
    while high - low > 1:
        left, right = size_of(low), size_of(high)
        share = (budget - left) / (right - left) if turn % 2 == 0 and right > left else 0.5
        middle = min(max(low + int(share * (high - low)), low + 1), high - 1)
        low, high, turn = (middle, high, turn + 1) if size_of(middle) <= budget else (low, middle, turn + 1)
    return low


def longest(at: Reading, reading: str, question: dict[str, Any]) -> int:
    """The longest request that the budget holds, in one reading of the answers."""
    return largest(lambda tokens: at(tokens)[reading], question["budget"], question["cap"])


def answer(peer: str, question: dict[str, Any]) -> dict[str, Any]:
    """What the peer says to one question, or why it says nothing."""
    try:
        at = PEERS[peer](question)
        sizes = at(question["tokens"])
        limits = {reading: longest(at, reading, question) for reading in sizes if question["budget"]}
    except Exception as error:  # noqa: BLE001 # whatever a peer raises is its answer
        return {"error": f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"}
    return {"bytes": sizes, "limit": limits}


if __name__ == "__main__":
    asked = json.load(sys.stdin)
    json.dump([answer(asked["peer"], question) for question in asked["questions"]], sys.stdout)
