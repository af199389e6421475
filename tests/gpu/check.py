"""Whether the forecast is right on the card that is here: ``python tests/gpu/check.py``, five minutes at most.

It needs a build of PyTorch for the card, transformers and a few small libraries, and runs from a plain checkout.
README.md beside it says how, and what to do with the result.

Exit code 0: everything that the card can tell of is confirmed.  1: something is refuted, or over the goals.  2: it
could not run; one line says why and what to do.
"""

import argparse
import os
import re
import sys
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

SOURCE = Path(__file__).resolve().parents[2] / "packaging" / "src"
NEEDED = ("torch", "transformers", "numpy", "msgspec", "psutil", "platformdirs", "safetensors")
# They change what is measured: the allocator's options, and the kernels that attention gets.
_RIVALS = re.compile(r"PYTORCH_(\w+_)?ALLOC_CONF|PYTORCH_NO_\w+_CACHING|VRAMTUNER_\w+")


def options_of(arguments: list[str]) -> argparse.Namespace:
    """What is on the command line."""
    parser = argparse.ArgumentParser(description="Check the forecast on the card that is here.")
    parser.add_argument("--device", default="auto", help="auto (the first card), cpu (the stand-in), or an index")
    parser.add_argument("--quick", action="store_true", help="four models only, and fewer steps")
    parser.add_argument("--out", type=Path, metavar="DIR", help="where the result goes; tests/gpu/results for a card")
    parser.add_argument("--minutes", type=float, default=5.0, help="how long it may take (5)")
    given = parser.parse_args(arguments)
    if not 0.5 <= given.minutes <= 120:
        parser.error("--minutes is from 0.5 to 120")
    return given


def missing() -> list[str]:
    """The libraries that are not installed here."""
    return [name for name in NEEDED if find_spec(name) is None]


def make_importable() -> None:
    """Put the checkout's own package first, for this process and for the probe that it starts."""
    sys.path.insert(0, str(SOURCE))
    others = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = f"{SOURCE}{os.pathsep}{others}" if others else str(SOURCE)


def remove_rivals() -> tuple[str, ...]:
    """Take variables out of the environment that would change what is measured; their names."""
    found = sorted(name for name in os.environ if _RIVALS.fullmatch(name))
    for name in found:
        del os.environ[name]
    return tuple(found)


def main(arguments: list[str]) -> int:
    """Run the check; the exit code."""
    given = options_of(arguments)
    if lacking := missing():
        return _refuse(f"{', '.join(lacking)} not installed; install with pip (tests/gpu/README.md says which torch)")
    make_importable()
    import session

    from vramtuner.core.errors import AppError

    with TemporaryDirectory(prefix="vramtuner-check-") as cache:
        # Tapes are recorded anew, with the torch that is here.
        os.environ["XDG_CACHE_HOME"] = cache
        options = session.Options(given.device, given.quick, given.out, given.minutes, remove_rivals())
        try:
            return session.run(options)
        except AppError as error:
            return _refuse(str(error))
        except KeyboardInterrupt:
            return _refuse("stopped")


def _refuse(why: str) -> int:
    sys.stderr.write(f"check.py: {why}\n")
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
