"""The env file: one grammar that a shell, systemd and container tools read alike, with a checksum.

``KEY=value`` lines and whole-line comments; values hold no space, quote, dollar or backslash, so that nobody expands
or splits them.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import msgspec

from vramtuner.core.deploy.intact import CHECKSUM_VARIABLE, HEADER, LINE, MAX_BYTES, file_problem, sealed
from vramtuner.core.device.spec import Device
from vramtuner.core.errors import BadInputError
from vramtuner.core.settings import Levers
from vramtuner.core.text import printable
from vramtuner.core.units import format_bytes, parse_bytes, parse_tokens, render_bytes

__all__ = ["CHECKSUM_VARIABLE", "HEADER"]

POOL_VARIABLE = "HIP_FORCE_MEMORY_POOL_SIZE"
CAP_VARIABLE = "HIP_MAX_CONTEXT_TOKENS"
_START = "# Start it with: "


class PassRecord(msgspec.Struct, frozen=True):
    """One validation pass as the file keeps it; ``peak_bytes`` is 0 for a refused one."""

    tokens: int
    outcome: Literal["ok", "refused", "out_of_memory"]
    peak_bytes: int


Select = Literal["index", "uuid"]
OverCap = Literal["", "refuse", "truncate"]


class Deployment(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that a deployment file says; all ``auto`` levers are resolved and pool and cap are set.

    Attributes
    ----------
    engine, engine_variables, command
        What runs the model, what it reads from its environment, and the words that start it.
    select
        Whether the card is named by its place among all, or by its unique id.
    over_cap
        What the guard does with a request above the cap; empty leaves it to whoever starts it.
    """

    model: str
    model_hash: str
    device: Device
    levers: Levers
    variables: tuple[tuple[str, str], ...] = ()
    engine: str = "transformers"
    engine_variables: tuple[tuple[str, str], ...] = ()
    command: tuple[str, ...] = ()
    select: Select = "index"
    over_cap: OverCap = ""
    versions: dict[str, str] = {}
    created: str
    validated_on: str = ""
    validated_weights: Literal["", "checkpoint", "synthetic"] = ""
    passes: tuple[PassRecord, ...] = ()


def allocator_options(device: Device, pool_bytes: int, torch_version: str | None, asked_for: str = "") -> str | None:
    """The value of ``PYTORCH_HIP_ALLOC_CONF`` that makes PyTorch keep to the pool on a GPU, with what was asked for.

    The fraction is of the card's total and leaves out what the process holds outside torch.  The key is known from
    torch 2.10, ``throw_on_cudamalloc_oom`` from 2.12; an unknown key stops torch at start, so that ``None`` is
    returned for an older or unknown release.
    """
    numbers = re.match(r"(\d+)\.(\d+)", torch_version or "")
    if not device.is_gpu or numbers is None or (int(numbers[1]), int(numbers[2])) < (2, 10):
        return asked_for or None if device.is_gpu else None
    inside = max(pool_bytes - device.outside_torch_bytes, 0)
    options = [asked_for, f"per_process_memory_fraction:{inside * 1_000_000 // device.vram_bytes / 1_000_000:.6f}"]
    if (int(numbers[1]), int(numbers[2])) >= (2, 12):
        options.append("throw_on_cudamalloc_oom:True")
    return ",".join(filter(None, options))


def render(deployment: Deployment) -> str:
    """The file's text, checksum last."""
    levers, device = deployment.levers, deployment.device
    assert levers.pool_bytes is not None and levers.token_cap is not None
    torch = deployment.versions.get("torch")
    lines = [HEADER, f"# {_comment(deployment.model)} on {_comment(device.name)}, {deployment.created}"]
    lines += _verdict_lines(deployment)
    lines += _selection_lines(deployment)
    lines += [
        "# The pool: obeyed by vramtuner's guard and preload library only; ROCm and PyTorch do not read this name.",
        f"{POOL_VARIABLE}={render_bytes(levers.pool_bytes)}",
    ]
    options = allocator_options(device, levers.pool_bytes, torch, levers.allocator)
    if deployment.engine != "transformers":
        lines += _engine_lines(deployment)
    elif options is not None:
        lines += [
            f"# What PyTorch {torch} enforces of it: a share of this card's {render_bytes(device.vram_bytes)}.",
            "# PYTORCH_CUDA_ALLOC_CONF, where it is set, takes precedence: unset it.",
            f"PYTORCH_HIP_ALLOC_CONF={options}",
        ]
    elif device.is_gpu:
        lines.append(
            "# torch before 2.10 reads no pool from its environment: the guard calls set_per_process_memory_fraction."
        )
    lines += [
        "# Tokens, prompt and new ones: obeyed by vramtuner's guard only; ROCm and PyTorch do not read this name.",
        f"{CAP_VARIABLE}={levers.token_cap}",
    ]
    if deployment.over_cap:
        lines += ["# What the guard does with a request above the cap.", f"VRAMTUNER_OVER_CAP={deployment.over_cap}"]
    if deployment.variables:
        lines.append("# Read by PyTorch: the attention kernel that was planned for.")
        lines += [f"{name}={value}" for name, value in deployment.variables]
    lines += ["# Read by Hugging Face libraries: no network.", "HF_HUB_OFFLINE=1", "TRANSFORMERS_OFFLINE=1"]
    lines += ["# The plan this file came from."]
    lines += [f"{name}={value}" for name, value in _plan(deployment).items()]
    for line in lines:
        if not line.startswith("#") and not LINE.fullmatch(line):
            raise BadInputError(f"a value cannot be written to an env file: {line[:80]!r}")
    return sealed(lines)


def _selection_lines(deployment: Deployment) -> list[str]:
    """What shows the process its card, where that is known."""
    device = deployment.device
    if device.kind != "gpu":
        return []
    where = f" at {_comment(device.pci_bus_id)}" if device.pci_bus_id else ""
    if deployment.select == "uuid":
        if not device.uuid:
            raise BadInputError(f"{device.name} has no unique id; select it by its index")
        return [f"# Read by ROCm: the card{where}, whatever its place is.", f"ROCR_VISIBLE_DEVICES={device.uuid}"]
    counted = ", counted as ROCm's driver counts" if where else ""
    comment = f"# Read by HIP: the card{where}{counted}; with several cards, check that HIP counts alike."
    return [comment, f"HIP_VISIBLE_DEVICES={device.key}"]


def _engine_lines(deployment: Deployment) -> list[str]:
    lines = [f"{_START}{_comment(' '.join(deployment.command), 400)}"]
    if deployment.engine_variables:
        lines.append(f"# Read by {_comment(deployment.engine)}: the plan in its own words.")
    return lines + [f"{name}={value}" for name, value in deployment.engine_variables]


def parse(text: str) -> dict[str, str]:
    """The variables of a deployment file.

    Raises
    ------
    BadInputError
        It is not one, or a line was changed since it was written; the line is named.
    """
    problem = file_problem(text)
    if problem:
        raise BadInputError(problem)
    return dict(line.split("=", 1) for line in text.splitlines() if not line.startswith("#"))


def start_command(text: str) -> str:
    """What a deployment file says that its engine is started with; empty for an application of one's own."""
    return next((line.removeprefix(_START) for line in text.splitlines() if line.startswith(_START)), "")


def read(path: Path) -> dict[str, str]:
    """The variables of a deployment file on disk.

    Raises
    ------
    BadInputError
        It cannot be read, or as `parse`.
    """
    return parse(read_file(path))


def read_file(path: Path) -> str:
    """The text of a deployment file; bytes that are not UTF-8 become such as no line has.

    Raises
    ------
    BadInputError
        It cannot be read.
    """
    try:
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1).decode("utf-8", errors="replace")
    except OSError as error:
        raise BadInputError(f"{printable(str(path), 200)} cannot be read: {error.strerror}") from error


def levers_from(environ: Mapping[str, str]) -> Levers:
    """The levers that an exported environment carries.

    Raises
    ------
    BadInputError
        A variable is missing or holds no valid value.
    """
    try:
        return msgspec.convert(
            {
                "pool_bytes": parse_bytes(environ[POOL_VARIABLE]),
                "token_cap": parse_tokens(environ[CAP_VARIABLE]),
                "batch_size": int(environ["VRAMTUNER_BATCH"]),
                "new_tokens": int(environ.get("VRAMTUNER_NEW_TOKENS", "0")),
                "beams": int(environ.get("VRAMTUNER_BEAMS", "1")),
                "kv_cache": environ.get("VRAMTUNER_KV_CACHE", "auto"),
                "keep_modules": tuple(filter(None, environ.get("VRAMTUNER_KEEP_MODULES", "").split(","))),
                "pass_kind": environ.get("VRAMTUNER_PASS", "inference"),
                "prefill_chunk": int(environ.get("VRAMTUNER_PREFILL_CHUNK", "0")) or None,
                "allocator": environ.get("VRAMTUNER_ALLOCATOR", ""),
                "weights": environ["VRAMTUNER_WEIGHTS"],
                "attention": environ["VRAMTUNER_ATTENTION"],
                "checkpointing": _switch(environ["VRAMTUNER_CHECKPOINTING"]),
                "dtype": environ["VRAMTUNER_DTYPE"],
                "logits": environ["VRAMTUNER_LOGITS"],
                "margin": float(environ["VRAMTUNER_MARGIN"]),
            },
            Levers,
        )
    except KeyError as error:
        raise BadInputError(f"{error.args[0]} is missing from the environment") from error
    except (ValueError, msgspec.ValidationError) as error:
        raise BadInputError(f"the environment holds no valid plan: {error}") from error


def _switch(text: str) -> bool:
    if text not in ("on", "off"):
        raise ValueError(f"a switch is on or off, not {text[:40]!r}")
    return text == "on"


def _plan(deployment: Deployment) -> dict[str, str]:
    levers = deployment.levers
    plan = {
        "VRAMTUNER_MODEL": _plain(deployment.model),
        "VRAMTUNER_MODEL_HASH": deployment.model_hash,
        "VRAMTUNER_DEVICE": deployment.device.key,
        **_identity(deployment.device),
        "VRAMTUNER_ENGINE": deployment.engine,
        "VRAMTUNER_DTYPE": levers.dtype,
        "VRAMTUNER_ATTENTION": levers.attention,
        "VRAMTUNER_WEIGHTS": levers.weights,
        "VRAMTUNER_BATCH": str(levers.batch_size),
        "VRAMTUNER_NEW_TOKENS": str(levers.new_tokens),
        "VRAMTUNER_BEAMS": str(levers.beams),
        "VRAMTUNER_KV_CACHE": levers.kv_cache,
        "VRAMTUNER_KEEP_MODULES": ",".join(levers.keep_modules),
        "VRAMTUNER_PASS": levers.pass_kind,
        "VRAMTUNER_PREFILL_CHUNK": str(levers.prefill_chunk or 0),
        "VRAMTUNER_ALLOCATOR": levers.allocator,
        "VRAMTUNER_LOGITS": levers.logits,
        "VRAMTUNER_CHECKPOINTING": "on" if levers.checkpointing else "off",
        "VRAMTUNER_MARGIN": repr(levers.margin),
        "VRAMTUNER_VERSIONS": ",".join(f"{k}:{v}" for k, v in sorted(deployment.versions.items())),
        "VRAMTUNER_CREATED": deployment.created,
        "VRAMTUNER_VALIDATION": "passed" if deployment.passes else "not-validated",
    }
    if deployment.device.is_gpu:
        plan["VRAMTUNER_OUTSIDE_TORCH_BYTES"] = str(deployment.device.outside_torch_bytes)  # for the guard's fraction
    if deployment.passes:
        plan["VRAMTUNER_VALIDATED_ON"] = _plain(deployment.validated_on)
        plan["VRAMTUNER_VALIDATED_WEIGHTS"] = deployment.validated_weights
        plan["VRAMTUNER_VALIDATED_PASSES"] = ",".join(
            f"{record.tokens}:{record.outcome}:{record.peak_bytes}" for record in deployment.passes
        )
    return plan


def _identity(device: Device) -> dict[str, str]:
    """By what `verify` knows the device again; what the device does not tell is left out."""
    facts = {
        "VRAMTUNER_DEVICE_NAME": _plain(device.name),
        "VRAMTUNER_DEVICE_KIND": device.kind,
        "VRAMTUNER_DEVICE_GFX": _plain(device.gfx) if device.gfx else "",
        "VRAMTUNER_DEVICE_BYTES": str(device.vram_bytes),
        "VRAMTUNER_DEVICE_UUID": _plain(device.uuid) if device.uuid else "",
    }
    return {name: value for name, value in facts.items() if value}


def _verdict_lines(deployment: Deployment) -> list[str]:
    if not deployment.passes:
        return ["# NOT VALIDATED: no pass was run under these settings."]
    weights = " with random weights of the model's shapes" if deployment.validated_weights == "synthetic" else ""
    lines = [f"# Validated on {_comment(deployment.validated_on)}{weights}, in a fresh process under this environment:"]
    for record in deployment.passes:
        peak = f", peak {format_bytes(record.peak_bytes)}" if record.peak_bytes else ""
        lines.append(f"#   {record.tokens} tokens: {record.outcome}{peak}")
    return lines


def _plain(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9._+-]+", "_", text)[:120] or "_"


def _comment(text: str, most: int = 120) -> str:
    return re.sub(r"[^ -~]+", "_", text)[:most]
