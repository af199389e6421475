"""The command that starts an application under a deployment file: ``run``."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from vramtuner.core.cli.terminal import say
from vramtuner.core.deploy import guard
from vramtuner.core.deploy.envfile import parse
from vramtuner.core.deploy.preload import environment_with_pool, preload_library
from vramtuner.core.errors import BadInputError


def run(
    program: Annotated[list[str] | None, typer.Argument(help="The program and its arguments, after --.")] = None,
    env: Annotated[Path | None, typer.Option("--env", help="The deployment file that export wrote.")] = None,
    over_cap: Annotated[
        str | None, typer.Option("--over-cap", help="What becomes of a request over the cap: refuse or truncate.")
    ] = None,
    preload: Annotated[
        bool, typer.Option("--preload/--no-preload", help="Hold the pool in any HIP program by a library before it.")
    ] = True,
    covers: Annotated[bool, typer.Option("--covers", help="Say what the guard enforces and what it does not.")] = False,
) -> None:
    """Start an application that keeps to a deployment: run --env deploy.env -- python app.py.

    This process becomes the application: signals, streams and exit code are its own.  127 says that it was not found,
    126 that it cannot be started, as shells do; 2 that the file or what was given cannot be used.
    """
    if covers:
        typer.echo(guard.covers_text(), nl=False)
        return
    if env is None:
        raise BadInputError("name the deployment file: run --env deploy.env -- python app.py")
    if not program:
        raise BadInputError("name the program to start: run --env deploy.env -- python app.py")
    variables = _variables_of(env)
    if over_cap is not None:
        if over_cap not in guard.POLICIES:
            raise BadInputError(f"--over-cap must be one of {', '.join(guard.POLICIES)}, not {over_cap[:40]!r}")
        variables[guard.POLICY_VARIABLE] = over_cap
    environ, notes = guard.merged(os.environ, variables)
    for line in notes:
        say(line)
    if preload and variables.get("VRAMTUNER_DEVICE") != "cpu":
        environ = _with_pool_library(environ)
    try:
        environ = guard.with_site_folder(environ)
    except OSError as error:
        raise BadInputError(
            f"the guard cannot be put before the program ({error}); set {guard.STATE_VARIABLE} to a folder of yours"
        ) from error
    sys.exit(guard.start(program, environ))


def _variables_of(path: Path) -> dict[str, str]:
    try:
        with path.open("rb") as file:
            return parse(file.read(1 << 20).decode())
    except OSError as error:
        raise BadInputError(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise BadInputError(f"{path} is not a vramtuner deployment file (it is not text)") from error


def _with_pool_library(environ: dict[str, str]) -> dict[str, str]:
    """The preloaded pool, where this machine can compile it.

    The library tells PyTorch the pool as the card's total and bounds what HIP allocates by it; the file's fraction of
    the real total becomes 1.  What is outside HIP's allocation calls (context, scratch) it does not count: in Python
    programs the guard sees the fraction of 1 and sets (pool - outside) / total of what HIP tells then, so that torch
    refuses first, with its own message, at the same number of bytes as without the library.
    """
    found = preload_library()
    if found.path is None:
        say(found.reason)
        return environ
    return environment_with_pool(environ, found.path)
