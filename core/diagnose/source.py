"""What a file is, by how it begins: a trace, a snapshot, or a log."""

from collections.abc import Callable
from io import BufferedReader
from typing import TypeAlias

from vramtuner.core.diagnose.read import LogDiagnosis, diagnose_log
from vramtuner.core.diagnose.rocpd import diagnose_database, is_database
from vramtuner.core.diagnose.sdk_json import diagnose_sdk_json, is_sdk_json
from vramtuner.core.diagnose.snapshot import diagnose_snapshot, is_snapshot
from vramtuner.core.diagnose.trace import diagnose_trace, is_trace

_BEGINNING = 256
Reader: TypeAlias = Callable[[BufferedReader, str, int | None, Callable[[int], None] | None], LogDiagnosis]
_WITHOUT_LINES: tuple[tuple[Callable[[bytes], bool], Reader], ...] = (
    (is_snapshot, diagnose_snapshot),
    (is_database, diagnose_database),
    (is_sdk_json, diagnose_sdk_json),
)


def has_lines(stream: BufferedReader) -> bool:
    """Whether evidence in what follows in a stream is lines of it; where not, it is events by their number."""
    start = stream.peek(_BEGINNING)
    return not any(tells(start) for tells, _ in _WITHOUT_LINES)


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
    for tells, reader in _WITHOUT_LINES:
        if tells(start):
            return reader(stream, source, pool_bytes, on_bytes)
    if is_trace(start):
        return diagnose_trace(stream, source, pool_bytes, on_bytes)
    return diagnose_log(stream, source, on_bytes=on_bytes)
