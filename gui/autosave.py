"""Changes that were not saved, kept so that they outlive a window that ends unexpectedly.

Each window writes a file of its own, named by its process, and removes it when it closes.  One whose process is gone
is what a window left behind.
"""

import contextlib
import os
import re
from dataclasses import dataclass
from pathlib import Path

import platformdirs
import psutil

from vramtuner.core.errors import BadInputError
from vramtuner.core.session import SUFFIX, SavedSession, read_session

_NAME = re.compile(rf"(\d{{1,10}})(-\d+)?{re.escape(SUFFIX)}")
_MOST = 20
_SLACK_SECONDS = 1.0  # the start of a process is known to the second


@dataclass(frozen=True, slots=True)
class Leftover:
    """What a window left behind."""

    path: Path
    saved: SavedSession


def autosave_folder() -> Path:
    """Where windows keep their changes on this machine."""
    return Path(platformdirs.user_state_dir("vramtuner")) / "autosave"


def own_file(folder: Path) -> Path:
    """The file of this process; what an earlier process of the same number left there is set aside."""
    path = folder / f"{os.getpid()}{SUFFIX}"
    with contextlib.suppress(OSError):
        written = path.stat().st_mtime
        if not _is_alive(os.getpid(), written):
            path.rename(folder / f"{os.getpid()}-{int(written)}{SUFFIX}")
    return path


def leftovers(folder: Path) -> tuple[Leftover, ...]:
    """What can be recovered, newest first; files that cannot be read are left alone."""
    found = []
    for path, written in _newest(folder):
        match = _NAME.fullmatch(path.name)
        if match is None or _is_alive(int(match[1]), written):
            continue
        with contextlib.suppress(BadInputError):
            found.append(Leftover(path, read_session(path)))
    return tuple(found)


def _newest(folder: Path) -> list[tuple[Path, float]]:
    found = []
    with contextlib.suppress(OSError):
        for path in folder.iterdir():
            with contextlib.suppress(OSError):  # it may be removed just now
                found.append((path, path.stat().st_mtime))
    return sorted(found, key=lambda entry: entry[1], reverse=True)[:_MOST]


def _is_alive(pid: int, written: float) -> bool:
    """Whether the process that wrote a file then is still there, and not another one of the same number."""
    try:
        process = psutil.Process(pid)
        is_zombie = bool(process.status() == psutil.STATUS_ZOMBIE)
        return not is_zombie and float(process.create_time()) <= written + _SLACK_SECONDS
    except psutil.NoSuchProcess:
        return False
    except psutil.Error:
        return True  # somebody's process, of which nothing more can be known
