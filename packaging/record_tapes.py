"""Record the tapes that ship with the presets: ``make tapes``.

Every preset in the dtype its checkpoint has, with each attention kernel: each weight quantization that changes the
operations, the later passes of a request, and other caches; and in fp16 without any of them.  A test records one again
and compares.
"""

import shutil
import sys
from pathlib import Path
from typing import Any

from vramtuner.core.errors import AppError
from vramtuner.core.files import write_atomically
from vramtuner.core.model.find import PRESETS, load_preset
from vramtuner.core.model.spec import ModelSpec
from vramtuner.core.probe.recorder import record_tape
from vramtuner.core.settings import ATTENTIONS, TapeKey, Weights
from vramtuner.core.tape.format import encode_tape

TARGET = Path(__file__).resolve().parent.parent / "resources" / "tapes"


# Of a request's later passes, a step of one token and a chunk of the prompt; and the caches that advice tries.
LATER: tuple[dict[str, Any], ...] = ({"step": 1}, {"step": 512}, {"kv_cache": "fp8"}, {"kv_cache": "offloaded"})
WEIGHTS: tuple[Weights, ...] = ("none", "int8", "nf4", "nf4-dq")


def keys_of(spec: ModelSpec) -> list[TapeKey]:
    """The keys whose tapes are shipped with a preset."""
    own = [TapeKey(dtype=spec.dtype, attention=a, weights=w) for w in WEIGHTS for a in ATTENTIONS]
    half = [TapeKey(dtype="fp16", attention=a) for a in ATTENTIONS]
    later = [TapeKey(dtype=spec.dtype, attention=a, **extra) for a in ATTENTIONS for extra in LATER]
    return list(dict.fromkeys([*own, *half, *later]))


def main() -> int:
    """Record all of them; an old set is replaced."""
    shutil.rmtree(TARGET, ignore_errors=True)
    total = 0
    for name in PRESETS:
        spec = load_preset(name)
        keys = keys_of(spec)
        for key in keys:
            try:
                tape = record_tape(spec, key, check=lambda: None, progress=lambda done: None)
            except AppError as error:
                if key.kv_cache != "auto":  # a sliding cache cannot be quantized
                    continue
                sys.stderr.write(f"{name} {key.slug}: {error}\n")
                return 1
            data = encode_tape(tape)
            total += len(data)
            write_atomically(TARGET / spec.config_hash / f"{key.slug}.json.gz", data)
        sys.stderr.write(f"{name}: {len(keys)} tapes, {total:,} bytes so far\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
