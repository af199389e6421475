"""Machines and deployment files that were made for them."""

from pathlib import Path
from typing import Any

import device_trees as trees

from vramtuner.core.deploy.envfile import Deployment, PassRecord, render
from vramtuner.core.device.inventory import local_gpus
from vramtuner.core.device.roots import Roots
from vramtuner.core.settings import Levers
from vramtuner.core.units import GIB

VERSIONS = {"torch": "2.12.1+rocm7.0", "transformers": "5.24.0"}
CARD = trees.mi210(0)


def file_for(folder: Path, **changes: Any) -> str:
    facts: dict[str, Any] = {
        "model": "Llama-2-7B",
        "model_hash": "491cb15a44a7d552",
        "device": local_gpus(Roots.under(folder))[0],
        "levers": Levers(pool_bytes=40 * GIB, token_cap=9472, dtype="fp16", attention="flash"),
        "versions": VERSIONS,
        "created": "2026-12-01T04:00:00Z",
        "validated_on": "Instinct MI210",
        "passes": (PassRecord(9472, "ok", 30 * GIB), PassRecord(14_208, "refused", 0)),
    }
    return render(Deployment(**{**facts, **changes}))


def machine(folder: Path, *gpus: trees.Gpu, usage: dict[int, dict[int, int]] | None = None) -> Path:
    return trees.write(trees.Machine(gpus, usage or {}), folder)
