"""Writing files so that nothing is ever half there."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


def write_atomically(path: Path, data: bytes, *, mode: int = 0o644, durable: bool = True) -> None:
    """Write a whole file or nothing: the old one stays until the new one is complete on disk.

    Parameters
    ----------
    durable
        Wait for the disk, which may take a second where it is busy.  Without it the file outlives any end of this
        process, but perhaps not a power cut.

    Raises
    ------
    OSError
        The folder is read-only, the disk is full, or the like; nothing is left behind.
    """
    with written_atomically(path, mode=mode, durable=durable) as file:
        file.write(data)


@contextmanager
def written_atomically(path: Path, *, mode: int = 0o644, durable: bool = True) -> Iterator[BinaryIO]:
    """A file to write bit by bit, which takes its place when the block ends well and is gone when it does not.

    Raises
    ------
    OSError
        As `write_atomically`.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            if durable:
                os.fsync(file.fileno())
        Path(temporary).chmod(mode)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
