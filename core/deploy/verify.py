"""Whether a deployment file is still true on a machine: standard library only, part of ``vramtuner_verify.py`` too.

Run as a script it needs nothing but Python 3.8; run it with the application's Python, whose packages it looks at.
``vramtuner verify`` adds the model's hash and a validation pass.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import re
import sys
from typing import Mapping, NamedTuple, Sequence  # noqa: UP035 - Python 3.8 too

from vramtuner.core.deploy.intact import MAX_BYTES, file_problem
from vramtuner.core.deploy.machine import Card, Machine, read_machine

_MARGIN = 2**30  # of VRAM that must stay free for the driver
_UNITS = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}
_HIDERS = ("HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL")
_HAZARDS = {
    "PYTORCH_CUDA_ALLOC_CONF": "PyTorch reads it before PYTORCH_HIP_ALLOC_CONF, whose pool is lost; unset it",
    "PYTORCH_NO_CUDA_MEMORY_CACHING": "without its cache PyTorch keeps to no pool; unset it",
    "PYTORCH_NO_HIP_MEMORY_CACHING": "without its cache PyTorch keeps to no pool; unset it",
    "HSA_OVERRIDE_GFX_VERSION": "it makes ROCm run kernels of another gfx target than the one planned for; unset it",
    "GPU_MAX_HEAP_SIZE": "it changes the total of which PyTorch's fraction is taken; unset it",
}


class Check(NamedTuple):
    """What was looked at and found.  ``level``: ``ok``, ``warning``, ``unknown`` (not checked) or ``failed``."""

    name: str
    level: str
    detail: str

    @property
    def ok(self) -> bool:
        return self.level != "failed"


def variables_of(text: str) -> dict[str, str]:
    """The variables of a file that is intact."""
    return dict(line.split("=", 1) for line in text.splitlines() if line and not line.startswith("#"))


def verify_text(text: str, environ: Mapping[str, str], machine: Machine, versions: Mapping[str, str]) -> list[Check]:
    """All checks that need no more than readings; the others are left out when the file is damaged."""
    problem = file_problem(text)
    if problem:
        return [Check("file", "failed", problem)]
    found = variables_of(text)
    card = planned_card(found, machine.cards)
    return [
        Check("file", "ok", "every line is as it was written"),
        _device_check(found, machine, card),
        _memory_check(found, machine, card),
        _kernel_check(found, card),
        *_version_checks(found, {**machine.versions, **versions}),
        _environment_check(found, environ),
        _validation_check(found),
    ]


def passed(checks: Sequence[Check], strict: bool = False) -> bool:
    """Whether nothing failed; strictly, also nothing was worth a warning or not checked."""
    return all(check.level == "ok" if strict else check.ok for check in checks)


def as_json(checks: Sequence[Check], strict: bool = False) -> dict[str, object]:
    """For programs."""
    rows = [
        {"name": c.name, "ok": c.level == "ok" if strict else c.ok, "detail": c.detail, "level": c.level}
        for c in checks
    ]
    return {"ok": passed(checks, strict), "checks": rows}


def as_text(checks: Sequence[Check]) -> str:
    """A line for every check."""
    words = {"ok": "ok", "warning": "warning", "unknown": "not checked", "failed": "FAILED"}
    return "\n".join(f"{words[check.level]:12} {check.name:12} {check.detail}" for check in checks)


def installed(names: Sequence[str] = ("torch", "transformers", "bitsandbytes")) -> dict[str, str]:
    """Versions of packages that the running Python has, without importing them."""
    found = {}
    for name in names:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def size_text(size: int) -> str:
    """GiB with two decimals."""
    return f"{size / 2**30:.2f} GiB"


def pool_bytes(found: Mapping[str, str]) -> int:
    """The file's pool."""
    match = re.match(r"([0-9.]{1,20})([KMGT]?i?B)\Z", found.get("HIP_FORCE_MEMORY_POOL_SIZE", ""))
    try:
        return int(float(match[1]) * _UNITS[match[2]]) if match else 0
    except (KeyError, ValueError):
        return 0


def _count(text: str) -> int:
    """A decimal count; 0 for anything else."""
    return int(text) if re.match(r"[0-9]{1,19}\Z", text) else 0


def planned_card(found: Mapping[str, str], cards: Sequence[Card]) -> Card | None:
    """The card by its unique id, else by the place that HIP is told."""
    uuid, index = found.get("VRAMTUNER_DEVICE_UUID", ""), found.get("HIP_VISIBLE_DEVICES", "")
    for card in cards:
        if uuid and card.uuid == uuid:
            return card
    if not index and "ROCR_VISIBLE_DEVICES" not in found:  # planned for a card of the catalogue: any that is alike
        gfx, size = found.get("VRAMTUNER_DEVICE_GFX", ""), _count(found.get("VRAMTUNER_DEVICE_BYTES", ""))
        return next((card for card in cards if card.gfx == gfx and card.total >= size * 0.98), None)
    return next((card for card in cards if str(card.place) == index), None)


def _device_check(found: Mapping[str, str], machine: Machine, card: Card | None) -> Check:
    if found.get("VRAMTUNER_DEVICE") == "cpu":
        return Check("device", "ok", "the CPU stand-in; this file limits no GPU")
    name = found.get("VRAMTUNER_DEVICE_NAME", "the GPU")
    if card is None:
        there = ", ".join(f"{c.place} {c.gfx} {size_text(c.total)}" for c in machine.cards) or "none"
        advice = "load amdgpu, give a container /dev/kfd and /dev/dri, or export for a GPU that is"
        return Check("device", "failed", f"{name} is not here (GPUs: {there}); {advice}")
    index, size = found.get("HIP_VISIBLE_DEVICES", ""), _count(found.get("VRAMTUNER_DEVICE_BYTES", ""))
    if index.isdigit() and index != str(card.place):
        return Check("device", "failed", f"{name} is GPU {card.place} now, but the file says {index}; export it again")
    if size and found.get("VRAMTUNER_DEVICE_KIND") == "gpu" and card.total != size:
        sizes = f"{size_text(card.total)}, not the {size_text(size)} planned for"
        detail = f"GPU {card.place} has {sizes}, and the pool is a fraction of it; export it again"
        return Check("device", "failed", detail)
    uuid = found.get("VRAMTUNER_DEVICE_UUID", "")
    if uuid and card.uuid and uuid != card.uuid:
        detail = f"GPU {card.place} is another card of the same memory; validate on it with --run"
        return Check("device", "warning", detail)
    return Check("device", "ok", f"{name} is GPU {card.place} with {size_text(card.total)}")


def _memory_check(found: Mapping[str, str], machine: Machine, card: Card | None) -> Check:
    pool = pool_bytes(found)
    if found.get("VRAMTUNER_DEVICE") == "cpu":
        free = machine.ram_available
        short = free is not None and free < pool
        detail = "the pool is {}, and {} of RAM is available".format(
            size_text(pool), "an unknown part" if free is None else size_text(free))  # fmt: skip
        return Check("memory", "failed" if short else "unknown" if free is None else "ok", detail)
    if card is None:
        return Check("memory", "unknown", "there is no device to look at")
    if pool > card.total - _MARGIN:
        detail = f"the pool of {size_text(pool)} leaves less than 1 GiB of {size_text(card.total)} to the driver"
        return Check("memory", "failed", f"{detail}; export with a smaller pool")
    if card.used is None:
        return Check("memory", "unknown", "the driver does not say what of this device is used")
    free = card.total - card.used
    if card.is_gtt and machine.ram_available is not None:
        free = min(free, machine.ram_available)
    if free < pool:
        holders = [f"{name or 'a process'} (pid {pid}) {size_text(size)}" for pid, name, size in card.holders[:5]]
        rest = max(card.used - sum(size for _, _, size in card.holders), 0)
        holders += [f"{size_text(rest)} by graphics or others"] if rest else []
        detail = f"{size_text(free)} free now, {size_text(pool - free)} less than the pool of {size_text(pool)}"
        held = f"held by {', '.join(holders) or 'nobody that can be seen'}"
        return Check("memory", "failed", f"{detail}: {held}; end them or export with a smaller pool")
    return Check("memory", "ok", f"{size_text(free)} free now for the pool of {size_text(pool)}")


def _kernel_check(found: Mapping[str, str], card: Card | None) -> Check:
    planned, kernel = found.get("VRAMTUNER_DEVICE_GFX", ""), found.get("VRAMTUNER_ATTENTION", "")
    if found.get("VRAMTUNER_DEVICE") == "cpu":
        return Check("gfx", "ok", "no GPU is planned for")
    if card is None or not card.gfx or not planned:
        return Check("gfx", "unknown", "the gfx target is not known {}".format("here" if planned else "to the file"))
    if card.gfx != planned:
        detail = f"{card.gfx} here, {planned} planned: attention may fall back to a kernel that holds tokens squared"
        return Check("gfx", "failed", f"{detail}; export it again")
    return Check("gfx", "ok", f"{planned}, planned with {kernel} attention")


def _version_checks(found: Mapping[str, str], here: Mapping[str, str]) -> list[Check]:
    planned = dict(item.split(":", 1) for item in found.get("VRAMTUNER_VERSIONS", "").split(",") if ":" in item)
    checks = []
    for name in ("torch", "transformers", "bitsandbytes", "rocm", "kernel", "amdgpu"):
        if name in planned:
            checks.append(_version_check(name, planned[name], here.get(name, ""), found))
    return checks or [Check("versions", "unknown", "the file names none")]


def _version_check(name: str, planned: str, here: str, found: Mapping[str, str]) -> Check:
    if not here:
        return Check(name, "unknown", f"{planned} planned, none seen; use the application's Python")
    if planned == here:
        return Check(name, "ok", here)
    detail = f"{here} here, {planned} planned"
    old, new = _release(planned), _release(here)
    if name == "torch" and "memory_fraction" in found.get("PYTORCH_HIP_ALLOC_CONF", "") and new < (2, 10):
        return Check(name, "failed", detail + ": it stops at the file's allocator options; export it again")
    if name == "torch" and old != new:
        return Check(name, "failed", detail + ": its allocator and kernels differ; export and validate again")
    if name in ("transformers", "bitsandbytes"):
        if old[:1] != new[:1]:
            return Check(name, "failed", detail + ": what a model allocates may differ; export and validate again")
        if old != new:
            return Check(name, "warning", detail + ": what a model allocates may differ; validate with --run")
    if name in ("rocm", "kernel", "amdgpu") and old != new:
        return Check(name, "warning", detail + ": what the runtime itself takes may differ; validate with --run")
    if name == "torch" and planned.partition("+")[2] != here.partition("+")[2]:
        return Check(name, "warning", detail + ": another build of the same release; validate with --run")
    return Check(name, "ok", detail + ": the same release")


def _release(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"[0-9]{1,9}", text)[:2])


def _environment_check(found: Mapping[str, str], environ: Mapping[str, str]) -> Check:
    wrong = []
    for name in sorted(environ):
        value = environ[name][:60]
        shown = "{}={}".format(name, "".join(c if c.isprintable() else "_" for c in value))
        if name in found:
            if environ[name] != found[name] and not _is_made_by_run(name, environ, found):
                wrong.append(f"{shown}, but the file says {found[name][:60]!r}; unset it")
        elif value and name in _HAZARDS and found.get("VRAMTUNER_DEVICE") != "cpu":
            wrong.append(f"{shown}: {_HAZARDS[name]}")
        elif name in _HIDERS and any(hider in found for hider in _HIDERS):
            wrong.append(f"{shown}: the file's device is counted among what it leaves; unset it")
    if wrong:
        return Check("environment", "failed", "; ".join(wrong))
    return Check("environment", "ok", "nothing that is set contradicts the file")


def _is_made_by_run(name: str, environ: Mapping[str, str], found: Mapping[str, str]) -> bool:
    """Whether it is the whole of a pool that ``vramtuner run`` holds by its library already."""
    whole = re.sub(r"(per_process_memory_fraction:)[0-9.]+", r"\g<1>1.0", found[name])
    return name.startswith("PYTORCH_") and bool(environ.get("LD_PRELOAD")) and environ[name] == whole


def _validation_check(found: Mapping[str, str]) -> Check:
    if found.get("VRAMTUNER_VALIDATION") != "passed":
        return Check("validation", "warning", "no pass was run under these settings; export with --validate")
    on, weights = found.get("VRAMTUNER_VALIDATED_ON", "?"), found.get("VRAMTUNER_VALIDATED_WEIGHTS", "")
    made = ", with random weights" if weights == "synthetic" else ""
    return Check("validation", "ok", f"passed when it was exported, on {on}{made}")


def main(arguments: Sequence[str] | None = None) -> int:
    """The script: 0 when nothing failed, 1 when something did, 2 when there is nothing to check."""
    parser = argparse.ArgumentParser(description="Is this deployment file still true on this machine?")
    parser.add_argument("file")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--strict", action="store_true", help="warnings, and what is not checked, fail too")
    parser.add_argument("--root", default="/", help="a folder with a copy of another machine's /sys and /proc")
    given = parser.parse_args(arguments)
    try:
        with open(given.file, "rb") as file:  # noqa: PTH123
            text = file.read(MAX_BYTES + 1).decode("utf-8", "replace")
    except OSError as error:
        sys.stderr.write(f"vramtuner_verify: {given.file} cannot be read: {error.strerror}\n")
        return 2
    checks = verify_text(text, os.environ, read_machine(given.root), installed())
    checks.append(Check("model", "unknown", "its hash needs vramtuner itself: vramtuner verify --model FOLDER"))
    shown = json.dumps(as_json(checks, given.strict), indent=2) if given.json else as_text(checks)
    sys.stdout.write(shown + "\n")
    return 0 if passed(checks, given.strict) else 1
