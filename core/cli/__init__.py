"""The command line: everything the window does, for terminals and scripts.

Exit codes: 0 fits or done, 1 does not fit or a check failed, 2 bad input with one line on standard error; those of the
program where ``run`` became one.
"""

import gc
import sys
from typing import Annotated, Any

import typer

from vramtuner.core.cli.diagnose import diagnose
from vramtuner.core.cli.kept import calibrations, runs
from vramtuner.core.cli.matrix import matrix
from vramtuner.core.cli.passes import export, profile
from vramtuner.core.cli.plans import devices, forecast, models
from vramtuner.core.cli.run import run
from vramtuner.core.cli.server import bundle, verify, watch
from vramtuner.core.cli.terminal import say
from vramtuner.core.errors import AppError, CancelledError, ProbeError
from vramtuner.core.release import own_version
from vramtuner.core.session import SUFFIX as SESSION_SUFFIX
from vramtuner.core.text import printable

app = typer.Typer(
    add_completion=False, no_args_is_help=False, rich_markup_mode=None, pretty_exceptions_enable=False,
    help="How many tokens fit on this GPU, measured and proven before you ship.",
)  # fmt: skip


def _tell_version(asked: bool) -> None:
    if asked:
        typer.echo(f"vramtuner {own_version()}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _root(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_tell_version, help="Print the version and stop.")
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        gui()


@app.command()
def gui(
    file: Annotated[
        str | None, typer.Argument(help=f"A session ({SESSION_SUFFIX}), or a model folder or file, to open.")
    ] = None,
    model: Annotated[str | None, typer.Option(help="The model to open with.")] = None,
    device: Annotated[str | None, typer.Option(help="The device to open with.")] = None,
    new_window: Annotated[bool, typer.Option("--new-window", help="Another window, where there is one.")] = False,
) -> None:
    """Open the window (also what no command at all does)."""
    # The one place where core reaches for the window: the command line must start without Qt.
    from importlib import import_module

    gc.disable()  # a tenth of the start would be looks for garbage that is not there; the window sees to it itself
    sys.exit(import_module("vramtuner.gui.app").run(model, device, file, new_window=new_window))


for command in (
    devices,
    models,
    forecast,
    matrix,
    profile,
    runs,
    calibrations,
    export,
    verify,
    watch,
    bundle,
    diagnose,
):
    app.command()(command)
# What follows the program's name is the program's.
app.command(context_settings={"allow_interspersed_args": False})(run)

_INTERRUPTED = 130
_CANCELLED = "cancelled; nothing was written"
# typer carries click's classes under a private name; this is the public way to the base of its usage errors.
_UsageError: type[Any] = typer.BadParameter.__bases__[0]


def main() -> None:
    """The entry point: one line and an exit code for whatever goes wrong."""
    try:
        # An interrupt or typer.Exit comes back as the exit code, everything else as an exception.
        code = app(_arguments(sys.argv[1:]), standalone_mode=False)
        if code == _INTERRUPTED:
            _fail(_CANCELLED, _INTERRUPTED)
        sys.exit(code)
    except CancelledError as error:
        _fail(str(error) if ";" in str(error) else _CANCELLED, _INTERRUPTED)
    except (KeyboardInterrupt, typer.Abort):
        _fail(_CANCELLED, _INTERRUPTED)
    except _UsageError as error:
        _fail(error.format_message(), 2)
    except ProbeError as error:
        for line in error.stderr_tail[-10:]:
            typer.echo(f"  probe: {printable(line, 500)}", err=True)
        _fail(str(error), 2)
    except AppError as error:
        _fail(str(error), 2)
    except OSError as error:
        _fail(f"the output cannot be written: {error.strerror}", 2)


def _arguments(given: list[str]) -> list[str]:
    """What was given; a session file alone opens the window, as a file manager asks for it."""
    return ["gui", *given] if given and given[0].endswith(SESSION_SUFFIX) else given


def _fail(message: str, code: int) -> None:
    say(message)
    sys.exit(code)
