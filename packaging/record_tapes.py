"""Record the tapes that ship with the presets: ``make tapes``.

Every preset in the dtype its checkpoint has, with each attention kernel and each weight quantization that changes
the operations; and in fp16 without quantization.  A test records one again and compares.
"""

import shutil
import sys
from pathlib import Path

from vramtuner.core.errors import AppError
from vramtuner.core.files import write_atomically
from vramtuner.core.model.find import PRESETS, load_preset
from vramtuner.core.probe.recorder import record_tape
from vramtuner.core.settings import ATTENTIONS, Dtype, TapeKey, Weights
from vramtuner.core.tape.format import encode_tape

RECORDED_WEIGHTS: tuple[Weights, ...] = ("none", "int8", "nf4")
TARGET = Path(__file__).resolve().parent.parent / "resources" / "tapes"


def main() -> int:
    """Record all of them; an old set is replaced."""
    shutil.rmtree(TARGET, ignore_errors=True)
    total = 0
    for name in PRESETS:
        spec = load_preset(name)
        variants: dict[tuple[Dtype, Weights], None] = dict.fromkeys(
            [*((spec.dtype, w) for w in RECORDED_WEIGHTS), ("fp16", "none")]
        )
        keys = [TapeKey(dtype=d, attention=a, weights=w) for d, w in variants for a in ATTENTIONS]
        for key in keys:
            try:
                tape = record_tape(spec, key, check=lambda: None, progress=lambda done: None)
            except AppError as error:
                sys.stderr.write(f"{name} {key.slug}: {error}\n")
                return 1
            data = encode_tape(tape)
            total += len(data)
            write_atomically(TARGET / spec.config_hash / f"{key.slug}.json.gz", data)
        sys.stderr.write(f"{name}: {len(keys)} tapes, {total:,} bytes so far\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
