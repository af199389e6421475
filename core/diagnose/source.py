"""What a file is, by how it begins: a trace, or a log."""

from collections.abc import Callable
from io import BufferedReader

from vramtuner.core.diagnose.read import LogDiagnosis, diagnose_log
from vramtuner.core.diagnose.trace import diagnose_trace, is_trace


def diagnose(
    stream: BufferedReader,
    source: str,
    pool_bytes: int | None = None,
    on_bytes: Callable[[int], None] | None = None,
) -> LogDiagnosis:
    """What a log or a trace says.

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
        A trace is broken.
    """
    if is_trace(stream.peek(256)):
        return diagnose_trace(stream, source, pool_bytes, on_bytes)
    return diagnose_log(stream, source, on_bytes=on_bytes)
