"""Start the guard (../guard.py) in every Python that has this folder in PYTHONPATH, then whatever it stands before."""

import os
import sys
from importlib.machinery import PathFinder, SourceFileLoader  # importlib.util would take milliseconds longer

_HERE = os.path.dirname(os.path.abspath(__file__))


def _start() -> None:
    path = os.path.join(os.path.dirname(_HERE), "guard.py")
    guard = sys.modules["vramtuner_guard"] = type(sys)("vramtuner_guard")
    guard.__file__ = path
    try:
        code = SourceFileLoader("vramtuner_guard", path).get_code("vramtuner_guard")
        exec(code, guard.__dict__)  # type: ignore[arg-type]
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
        module = sys.modules["sitecustomize"] = type(sys)("sitecustomize")
        module.__spec__, module.__loader__, module.__file__ = spec, spec.loader, spec.origin
        spec.loader.exec_module(module)


if "vramtuner_guard" not in sys.modules:
    _start()
_hand_on()
