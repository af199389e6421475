"""What a file is, by how it begins: a trace, a snapshot, or a log."""

from collections.abc import Callable
from io import BufferedReader

from vramtuner.core.diagnose.read import LogDiagnosis, diagnose_log
from vramtuner.core.diagnose.rocpd import diagnose_database, is_database
from vramtuner.core.diagnose.snapshot import diagnose_snapshot, is_snapshot
from vramtuner.core.diagnose.trace import diagnose_trace, is_trace

_BEGINNING = 256


def is_binary(stream: BufferedReader) -> bool:
    """Whether what follows in a stream is a trace that has no lines to show."""
    start = stream.peek(_BEGINNING)
    return is_snapshot(start) or is_database(start)


def diagnose(
    stream: BufferedReader,
    source: str,
    pool_bytes: int | None = None,
    on_bytes: Callable[[int], None] | None = None,
) -> LogDiagnosis:
    """What a log, a trace or a snapshot says.

    Parameters
    ----------
    source
        What it is called in the result.
    pool_bytes
        What the peak of a trace is judged by.
    on_bytes
        Told how many bytes were read so far.

    Raises
    ------
    BadInputError
        A trace or a snapshot is broken.
    """
    start = stream.peek(_BEGINNING)
    if is_snapshot(start):
        return diagnose_snapshot(stream, source, pool_bytes, on_bytes)
    if is_database(start):
        return diagnose_database(stream, source, pool_bytes, on_bytes)
    if is_trace(start):
        return diagnose_trace(stream, source, pool_bytes, on_bytes)
    return diagnose_log(stream, source, on_bytes=on_bytes)
