"""Start the guard (../guard.py) in every Python that has this folder in PYTHONPATH, then whatever it stands before."""

import importlib.util
import os
import sys
from importlib.machinery import PathFinder

_HERE = os.path.dirname(os.path.abspath(__file__))


def _start() -> None:
    path = os.path.join(os.path.dirname(_HERE), "guard.py")
    spec = importlib.util.spec_from_file_location("vramtuner_guard", path)
    if spec is None or spec.loader is None:
        return
    guard = importlib.util.module_from_spec(spec)
    sys.modules["vramtuner_guard"] = guard
    try:
        spec.loader.exec_module(guard)
        guard.install()
    except Exception as error:  # noqa: BLE001 - a program must not run unguarded because of a fault of the guard
        sys.stderr.write(f"vramtuner: {error}; the program is not started\n")
        sys.stderr.flush()
        os._exit(2)  # an exception here would be a fatal error of the interpreter, with its traceback


def _hand_on() -> None:
    """Run the sitecustomize that would have been run, and leave sys.path as it would have been."""
    sys.path[:] = [path for path in sys.path if os.path.abspath(path) != _HERE]
    spec = PathFinder.find_spec("sitecustomize", sys.path)
    if spec is not None and spec.loader is not None:
        module = importlib.util.module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


if "vramtuner_guard" not in sys.modules:
    _start()
_hand_on()
