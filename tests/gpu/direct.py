"""What a card's own PyTorch answers, without a model: ``python direct.py INDEX`` prints one JSON object a line.

It runs in a process of its own, because an operation that a card refuses can end the process.  Whatever was answered
before is kept.  The first line is the device; each later one has a ``name``, and ``problem`` where it failed.
"""

import json
import random
import sys
from collections.abc import Callable
from typing import Any

MIB = 2**20
_SCRIPT_SEED, _SCRIPT_EVENTS = 5, 3000
_SIZES = (1, 700, 40_000, 600_000, MIB, MIB + 1, 3 * MIB, 9_500_000, 10 * MIB, 33 * MIB, 70 * MIB)
KERNEL_TOKENS, KERNEL_HEADS = 2048, 8


def allocator_script() -> tuple[list[int], list[int]]:
    """Events and sizes of tensors that come and go at random, of every kind of block that the allocator has.

    As in a tape: ``+k`` makes tensor ``k``, ``-k`` ends it.
    """
    chance, events, sizes = random.Random(_SCRIPT_SEED), list[int](), list[int]()
    alive: list[int] = []
    for _ in range(_SCRIPT_EVENTS):
        if alive and chance.random() < (0.45 if len(alive) < 60 else 0.6):
            events.append(-alive.pop(chance.randrange(len(alive))))
            continue
        sizes.append(int(chance.choice(_SIZES) * chance.uniform(0.7, 1.4)) + 1)
        alive.append(len(sizes))
        events.append(len(sizes))
    return events, sizes


def device(torch: Any, index: int) -> dict[str, Any]:
    """Name, target, memory and software of a card."""
    found = torch.cuda.get_device_properties(index)
    free, total = torch.cuda.mem_get_info(index)
    target = getattr(found, "gcnArchName", "").split(":")[0] if torch.version.hip else ""
    return {
        "name": "device",
        "card": found.name,
        "gfx": target or None,
        "capability": None if torch.version.hip else f"{found.major}.{found.minor}",
        "total_bytes": total,
        "free_bytes": free,
        "pci": [getattr(found, name, None) for name in ("pci_domain_id", "pci_bus_id", "pci_device_id")],
        "hip": torch.version.hip,
        "cuda": torch.version.cuda,
        "torch": torch.__version__,
    }


def allocator(torch: Any, where: Any) -> dict[str, Any]:
    """The script's tensors, really made: the most that was reserved, handed out and asked for."""
    before = torch.cuda.memory_reserved(where)
    torch.cuda.reset_peak_memory_stats(where)
    events, sizes = allocator_script()
    alive: dict[int, Any] = {}
    for event in events:
        if event > 0:
            alive[event] = torch.empty(sizes[event - 1], dtype=torch.uint8, device=where)
        else:
            del alive[-event]
    stats = torch.cuda.memory_stats(where)
    alive.clear()
    torch.cuda.empty_cache()
    return {
        "reserved_before": before,
        "reserved_peak": torch.cuda.max_memory_reserved(where),
        "allocated_peak": torch.cuda.max_memory_allocated(where),
        "requested_peak": stats.get("requested_bytes.all.peak"),
    }


def softmax(torch: Any, where: Any) -> dict[str, Any]:
    """Bytes that a 32-bit softmax of 16-bit scores takes beside its result, and those that a copy would take."""
    found: dict[str, Any] = {}
    for name, dtype in (("fp16", torch.float16), ("bf16", torch.bfloat16)):
        scores = torch.zeros(8, 1024, 1024, dtype=dtype, device=where)
        base = _settled(torch, where)
        result = torch.nn.functional.softmax(scores, dim=-1, dtype=torch.float32)
        torch.cuda.synchronize(where)
        result_bytes = result.numel() * 4
        found[name] = torch.cuda.max_memory_allocated(where) - base - result_bytes
        found["copy_bytes"] = result_bytes
        del scores, result
    return found


def kernels(torch: Any, where: Any) -> dict[str, Any]:
    """Bytes that scaled_dot_product_attention, left to itself, takes beside its inputs: one entry a kind of head."""
    found: dict[str, Any] = {}
    for dtype_name, dtype in (("fp16", torch.float16), ("bf16", torch.bfloat16)):
        for head_dim in (64, 128, 256):
            for grouped in (False, True):
                name = f"{dtype_name} {head_dim}{' grouped' if grouped else ''}"
                try:
                    found[name] = _beside_attention(torch, where, dtype, head_dim, grouped=grouped)
                except (RuntimeError, TypeError) as error:  # TypeError: a torch that knows no grouped heads
                    found[name] = " ".join(str(error).split())[:300]
    return {"beside_bytes": found, "score_bytes": 2 * KERNEL_HEADS * KERNEL_TOKENS**2}


def _beside_attention(torch: Any, where: Any, dtype: Any, head_dim: int, *, grouped: bool) -> int:
    """Bytes at the peak of an attention beside its inputs and output."""
    shared = KERNEL_HEADS // 4 if grouped else KERNEL_HEADS
    query = torch.zeros(1, KERNEL_HEADS, KERNEL_TOKENS, head_dim, dtype=dtype, device=where)
    key, value = (torch.zeros(1, shared, KERNEL_TOKENS, head_dim, dtype=dtype, device=where) for _ in range(2))
    options = {"enable_gqa": True} if grouped else {}
    with torch.no_grad():
        base = _settled(torch, where)
        out = torch.nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True, **options)
        torch.cuda.synchronize(where)
    return int(torch.cuda.max_memory_allocated(where) - base - out.numel() * out.element_size())


def workspace(torch: Any, where: Any) -> dict[str, Any]:
    """What the first matrix products leave in torch's own count: the workspaces of hipBLAS or cuBLAS."""
    base = _settled(torch, where)
    left, bias = torch.zeros(1024, 1024, dtype=torch.float16, device=where), torch.zeros(1024, device=where).half()
    torch.mm(left, left)
    torch.cuda.synchronize(where)
    plain = torch.cuda.memory_allocated(where)
    torch.nn.functional.linear(left, left, bias)
    torch.cuda.synchronize(where)
    biased = torch.cuda.memory_allocated(where)
    own = left.numel() * 2 + 2048
    del left, bias
    return {"plain_bytes": plain - base - own, "with_bias_bytes": biased - base - own}


def cap(torch: Any, where: Any) -> dict[str, Any]:
    """How a memory fraction refuses: with which exception and text, and at what size."""
    torch.cuda.empty_cache()
    total, held = torch.cuda.mem_get_info(where)[1], torch.cuda.memory_reserved(where)
    fraction = (held + 256 * MIB) * 1_000_000 // total / 1_000_000
    torch.cuda.set_per_process_memory_fraction(fraction, where)
    try:
        allowed = int(fraction * total)
        whole = _refusal(torch, where, 32 * MIB, allowed)
        torch.cuda.empty_cache()
        free = allowed - torch.cuda.memory_reserved(where)
        kept = [torch.empty(10 * MIB, dtype=torch.uint8, device=where) for _ in range(max(free // (10 * MIB) - 1, 0))]
        # Less than 20 MiB is left, which is what a tensor of 1.5 MiB takes from the driver.
        small = _refusal(torch, where, 3 * MIB // 2, allowed, most=1)
        del kept
    finally:
        torch.cuda.set_per_process_memory_fraction(1.0, where)
        torch.cuda.empty_cache()
    return {"allowed_bytes": allowed, "large": whole, "small": small}


def _refusal(torch: Any, where: Any, size: int, allowed: int, most: int = 1000) -> dict[str, Any]:
    kept = []
    try:
        for _ in range(most):
            kept.append(torch.empty(size, dtype=torch.uint8, device=where))
    except RuntimeError as error:
        kind = type(error)
        return {
            "tensor_bytes": size,
            "exception": f"{kind.__module__}.{kind.__name__}",
            "is_out_of_memory": isinstance(error, torch.OutOfMemoryError),
            "reserved_bytes": torch.cuda.memory_reserved(where),
            "message": " ".join(str(error).split()),
        }
    return {"tensor_bytes": size, "exception": None, "reserved_bytes": torch.cuda.memory_reserved(where)}


def readings(torch: Any, where: Any) -> dict[str, Any]:
    """Processor time of one look at the device's memory, and of one at torch's own counters.  [s]"""
    from time import thread_time

    found = {}
    looks: dict[str, Callable[[], Any]] = {
        "mem_get_info": lambda: torch.cuda.mem_get_info(where),
        "allocated_and_reserved": lambda: (torch.cuda.memory_allocated(where), torch.cuda.memory_reserved(where)),
    }
    for name, look in looks.items():
        look()
        began = thread_time()
        for _ in range(300):
            look()
        found[name] = (thread_time() - began) / 300
    return found


def _settled(torch: Any, where: Any) -> int:
    """Bytes in tensors now; the peak counts from here."""
    torch.cuda.synchronize(where)
    torch.cuda.reset_peak_memory_stats(where)
    return int(torch.cuda.memory_allocated(where))


def main(index: int) -> int:
    try:
        import torch
    except (ImportError, OSError) as error:
        return _say({"problem": f"PyTorch cannot be imported ({' '.join(str(error).split())[:160]})"})
    if not torch.cuda.is_available():
        return _say({"problem": f"PyTorch {torch.__version__} finds no ROCm or CUDA device"})
    if index >= torch.cuda.device_count():
        return _say({"problem": f"there is no device {index}; PyTorch finds {torch.cuda.device_count()}"})
    _say(device(torch, index))
    where = torch.device("cuda", index)
    # The cap before anything leaves a workspace behind, and that before attention multiplies matrices.
    for ask in (allocator, cap, softmax, workspace, kernels, readings):
        try:
            answer = ask(torch, where)
        except Exception as error:  # noqa: BLE001 - whatever a card does, the other questions are asked
            answer = {"problem": f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"}
        _say({"name": ask.__name__, **answer})
    return 0


def _say(answer: dict[str, Any]) -> int:
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
