"""Starting and supervising the probe; never imports torch.

A `Probe` is one child process at a time.  It is started by the first request, kept for the next, and replaced after
it died, hung, spoke nonsense or had to be killed.
"""

import contextlib
import itertools
import logging
import os
import queue
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from time import monotonic
from typing import IO

import msgspec
import psutil

from vramtuner.core.errors import AppError, BadInputError, CancelledError, ProbeError
from vramtuner.core.probe import protocol
from vramtuner.core.probe.protocol import Cancel, Event, Failed, Finished, Heartbeat, Hello, Record, Request
from vramtuner.core.text import one_line, printable
from vramtuner.core.units import GIB, format_bytes

logger = logging.getLogger(__name__)
COMMAND = (sys.executable, "-P", "-m", "vramtuner.core.probe")
CANCEL_SECONDS = 1.0
"""How long a probe may take to stop by itself before it is killed."""
SILENCE_SECONDS = 60.0
"""A probe beats once a second; importing torch on a busy machine holds it up for many of them."""
RECORDING_BYTES = 4 * GIB
"""How much a probe may grow while it records.  Fake tensors have no data: with torch's CPU build models such as
DeepSeek-V3 are recorded within 0.4 GiB, imports included; a config whose sizes are no model's can grow without end."""
_LOOK_SECONDS = 0.25
_MAX_LINE_BYTES = 256 * 2**20
_MAX_STDERR_LINE_BYTES = 64 * 2**10
_END_SECONDS = 5.0
"""How long a killed process may take to be gone; one that a driver holds on to may take for ever."""
_LAST_WORDS_SECONDS = 1.0
"""How long the pipes of a process that has ended are read; another program may have them, and not end."""
_NEXT = "try again: a new probe process is started"
_HINTS: dict[int, str] = {
    signal.SIGKILL: ", perhaps because the system ran out of memory: end other programs, or use a smaller model",
    signal.SIGABRT: ", as libraries do that find no memory: end other programs, or use a smaller model",
    signal.SIGBUS: ", perhaps because a file of the model was cut short while it was in use: copy the file again",
}


NO_TORCH = (
    "PyTorch is not installed here, so that only the presets' own tapes can be used and no pass can be run;"
    " install it with `make run TORCH=cpu` (or TORCH=rocmX.Y)"
)


def torch_is_installed() -> bool:
    """Whether the probe would find torch and transformers; neither is imported."""
    return find_spec("torch") is not None and find_spec("transformers") is not None


@dataclass(slots=True)
class _Child:
    """One running process and what came out of it."""

    process: subprocess.Popen[bytes]
    outgoing: "queue.SimpleQueue[Request | None]" = field(default_factory=queue.SimpleQueue)
    lines: "queue.SimpleQueue[bytes | None]" = field(default_factory=queue.SimpleQueue)
    stderr: "deque[str]" = field(default_factory=lambda: deque(maxlen=100))
    writer: threading.Thread | None = None
    readers: tuple[threading.Thread, ...] = ()

    def resident_bytes(self) -> int:
        """RAM that the process holds; 0 when it is gone."""
        try:
            return int(psutil.Process(self.process.pid).memory_info().rss)
        except psutil.Error:
            return 0

    def await_last_words(self) -> None:
        """Return when all that the process wrote was read; not later than a second after it ended."""
        until = monotonic() + _LAST_WORDS_SECONDS
        for thread in self.readers:
            thread.join(max(until - monotonic(), 0))

    def end(self) -> None:
        """Kill the process and whatever it started, and take it off the system's list."""
        family: list[psutil.Process] = []
        with contextlib.suppress(psutil.Error):
            family = psutil.Process(self.process.pid).children(recursive=True)
        with contextlib.suppress(ProcessLookupError):
            # The child leads its own process group; a library's own helpers may have left it.
            os.killpg(self.process.pid, signal.SIGKILL)
        for member in family:
            with contextlib.suppress(psutil.Error):
                member.kill()
        try:
            self.process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            logger.warning("process %d was killed but is still there: a driver holds it", self.process.pid)
        self.outgoing.put(None)
        self.await_last_words()
        if self.writer is not None:
            self.writer.join(_LAST_WORDS_SECONDS)

    def outcome(self) -> str:
        """How the process ended, for people."""
        code = self.process.poll()
        if code is None:
            return "closed its output"
        if code < 0:
            name = signal.Signals(-code).name if -code in signal.valid_signals() else str(-code)
            return f"was killed by {name}{_HINTS.get(-code, '')}"
        words = next((f" ({printable(line, 200)})" for line in reversed(self.stderr) if line.strip()), "")
        return f"ended with exit code {code}{words}"


class Probe:
    """A client of the probe process; `run` is called from one thread at a time, `cancel` from any.

    Parameters
    ----------
    environment
        The child's environment; this process's own when not given.
    command
        What is started; the probe's own module when not given.
    silence_seconds
        How long the child may say nothing, not even a heartbeat, before it counts as hung.
    recording_bytes
        Resident bytes by which a child that records may grow before it is ended; real passes have the pool for that.
    """

    def __init__(
        self,
        environment: dict[str, str] | None = None,
        *,
        command: Sequence[str] = COMMAND,
        silence_seconds: float = SILENCE_SECONDS,
        recording_bytes: int = RECORDING_BYTES,
    ) -> None:
        self.environment = environment
        self._command = command
        self.hello: Hello | None = None
        self._silence_seconds = silence_seconds
        self._recording_bytes = recording_bytes
        self._looked_at = 0.0
        self._held_before = 0
        self._child: _Child | None = None
        self._ids = itertools.count(1)
        self._cancel = threading.Event()
        self._cancelled_at: float | None = None

    @property
    def pid(self) -> int | None:
        """The child's process id, while there is one."""
        return self._child.process.pid if self._child else None

    def run(self, request_of: Callable[[int], Request]) -> Iterator[Event]:
        """Send a request and yield its events until it is finished.

        Parameters
        ----------
        request_of
            Makes the request for an id.

        Raises
        ------
        BadInputError
            The probe says that what was asked cannot be done.
        CancelledError
            `cancel` was called; the device is free again.
        ProbeError
            The process died, hung, or spoke nonsense; the next call starts another.
        """
        self._cancel.clear()
        self._cancelled_at = None
        number = next(self._ids)
        try:
            if self._child is not None and self._child.process.poll() is not None:
                self.close()  # it died while nobody needed it
            child = self._child or self._start()
            request = request_of(number)
            self._held_before = child.resident_bytes()  # earlier passes may have left something
            child.outgoing.put(request)
            yield from self._events(child, number, request)
        except AppError:
            raise  # whoever raised it has ended the process, where it had to be
        except BaseException:
            # The caller gave up in the middle (a closed generator, Ctrl-C): the pass must not go on behind its back.
            self.close()
            raise

    def cancel(self) -> None:
        """Stop the request under way; `run` then raises `CancelledError` within about a second."""
        self._cancel.set()

    def close(self) -> None:
        """End the process, if there is one."""
        child, self._child, self.hello = self._child, None, None
        if child is None:
            return
        child.end()

    def _start(self) -> _Child:
        if self._command is COMMAND and not torch_is_installed():
            raise ProbeError(NO_TORCH)
        environment = dict(os.environ if self.environment is None else self.environment)
        environment.update(HF_HUB_OFFLINE="1", TRANSFORMERS_OFFLINE="1", PYTHONUNBUFFERED="1")
        try:
            process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=environment,
                start_new_session=True,
            )
        except OSError as error:
            raise ProbeError(f"the probe process cannot be started: {error.strerror}") from error
        child = _Child(process)
        assert process.stdin is not None and process.stdout is not None and process.stderr is not None
        child.writer = threading.Thread(target=_write_requests, args=(process.stdin, child.outgoing), daemon=True)
        child.readers = (
            threading.Thread(target=_read_lines, args=(process.stdout, child.lines), daemon=True),
            threading.Thread(target=_read_stderr, args=(process.stderr, child.stderr), daemon=True),
        )
        for thread in (child.writer, *child.readers):
            thread.start()
        self._child = child
        return child

    def _events(self, child: _Child, number: int, request: Request) -> Iterator[Event]:
        heard = monotonic()
        while True:
            self._pass_on_cancel(child, number)
            if isinstance(request, Record):
                self._end_if_too_large(child, request)
            try:
                line = child.lines.get(timeout=0.05)
            except queue.Empty:
                if child.process.poll() is not None:
                    child.await_last_words()
                    if child.lines.empty():  # somebody else has its output, or the end would be in
                        child.lines.put(None)
                    continue
                if monotonic() - heard > self._silence_seconds:
                    raise self._broken(
                        f"the probe process has not answered for {self._silence_seconds:.0f} s"
                    ) from None
                continue
            heard = monotonic()
            if line is None:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    child.process.wait(_LAST_WORDS_SECONDS)
                if self._cancel.is_set():
                    self.close()
                    raise CancelledError("cancelled")
                raise self._broken(f"the probe process {child.outcome()}")
            event = self._decode(line)
            match event:
                case Hello():
                    self._greet(event)
                case _ if self.hello is None:
                    raise self._broken("the probe process did not say hello")
                case Heartbeat():
                    pass
                case _ if event.id != number:
                    logger.debug("late event of request %d dropped", event.id)
                case Failed(kind="cancelled"):
                    raise CancelledError("cancelled")
                case Failed(kind="bad_input"):
                    raise BadInputError(one_line(event.message))
                case Failed():
                    # What state the libraries, or a GPU, are in after that nobody knows.
                    raise self._broken(one_line(event.message))
                case Finished():
                    return
                case _:
                    yield event

    def _pass_on_cancel(self, child: _Child, number: int) -> None:
        if not self._cancel.is_set():
            return
        if self._cancelled_at is None:
            self._cancelled_at = monotonic()
            child.outgoing.put(Cancel(number))
        elif monotonic() - self._cancelled_at > CANCEL_SECONDS:
            self.close()
            raise CancelledError("cancelled")

    def _end_if_too_large(self, child: _Child, request: Record) -> None:
        """A limit on the address space would do, but for PyTorch, which reserves more of it than it uses."""
        if monotonic() - self._looked_at < _LOOK_SECONDS:
            return
        self._looked_at = monotonic()
        held = child.resident_bytes()
        if held - self._held_before > self._recording_bytes:
            self.close()
            raise BadInputError(
                f"recording {request.spec.name} was stopped at {format_bytes(held)} of this machine's memory, which no"
                f" real model takes; check the sizes in the config of {request.spec.source}"
            )

    def _decode(self, line: bytes) -> Event:
        try:
            return protocol.decode_event(line)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise self._broken(f"the probe process spoke nonsense: {line[:80]!r}") from error

    def _greet(self, hello: Hello) -> None:
        if hello.v != protocol.PROTOCOL_VERSION:
            raise self._broken(f"the probe process speaks protocol {hello.v}, not {protocol.PROTOCOL_VERSION}")
        self.hello = hello

    def _broken(self, message: str) -> ProbeError:
        child = self._child
        self.close()  # its readers are done after this, so that the last words are in
        tail = tuple(child.stderr) if child else ()
        return ProbeError(f"{message}; {_NEXT}", tail)


def _write_requests(stream: IO[bytes], requests: "queue.SimpleQueue[Request | None]") -> None:
    """A thread of its own: a pipe that a hung child does not empty must hold up neither cancel nor the clock."""
    with contextlib.suppress(OSError, ValueError), stream:
        while (request := requests.get()) is not None:
            stream.write(protocol.encode(request) + b"\n")
            stream.flush()


def _read_lines(stream: IO[bytes], lines: "queue.SimpleQueue[bytes | None]") -> None:
    with contextlib.suppress(OSError, ValueError), stream:
        while line := stream.readline(_MAX_LINE_BYTES):
            lines.put(line)
    lines.put(None)


def _read_stderr(stream: IO[bytes], tail: "deque[str]") -> None:
    with contextlib.suppress(OSError, ValueError), stream:
        while line := stream.readline(_MAX_STDERR_LINE_BYTES):
            tail.append(printable(line.decode(errors="replace").rstrip(), 500))
