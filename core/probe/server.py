"""The probe's main loop: requests in, events out, one request at a time, cancellable at every operation."""

import contextlib
import faulthandler
import fcntl
import gc
import os
import queue
import re
import sys
import termios
import threading
import traceback
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from vramtuner.core import stages
from vramtuner.core.errors import AppError, BadInputError, CancelledError
from vramtuner.core.model.spec import ModelSpec
from vramtuner.core.model.weights import read_weight_files
from vramtuner.core.probe import protocol
from vramtuner.core.probe.protocol import Event, Failed, Finished, Heartbeat, Hello, Progress, TapeRecorded
from vramtuner.core.tape.store import installed_versions
from vramtuner.core.text import one_line

# How PyTorch begins the text of an error after which a process cannot use the GPU any more.
_DEVICE_ERROR = re.compile(r"(HIP|CUDA) error: (?!out of memory)")
_NO_MEMORY = re.compile(r"[Cc]annot allocate memory|std::bad_alloc")


class Channel:
    """Where events are written: whole lines, from any thread."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._lock = threading.Lock()
        self._room: int | None = None
        with contextlib.suppress(OSError):  # it is no pipe
            self._room = fcntl.fcntl(stream, fcntl.F_GETPIPE_SZ) // 2

    def send(self, event: Event) -> None:
        self._write(protocol.encode(event) + b"\n")

    def offer(self, event: Event) -> bool:
        """Send an event if that leaves half of the pipe free for those that must go; whether it was sent."""
        line = protocol.encode(event) + b"\n"
        if self._room is not None and self._unread() + len(line) > self._room:
            return False
        self._write(line)
        return True

    def _write(self, line: bytes) -> None:
        with self._lock:
            self._stream.write(line)
            self._stream.flush()

    def _unread(self) -> int:
        return int.from_bytes(fcntl.ioctl(self._stream, termios.FIONREAD, bytes(4)), sys.byteorder)


class Inbox:
    """Requests as they come; the ids that were cancelled; the end of input ends the process."""

    def __init__(self, stream: BinaryIO) -> None:
        self.requests: queue.SimpleQueue[protocol.Request] = queue.SimpleQueue()
        self._cancelled: set[int] = set()
        self._stream = stream
        threading.Thread(target=self._read, name="inbox", daemon=True).start()

    def _read(self) -> None:
        for line in self._stream:
            try:
                request = protocol.decode_request(line)
            except msgspec.DecodeError as error:
                # Nobody would answer it, and whoever sent it would wait: better a death that is reported.
                sys.stderr.write(f"a request cannot be read: {error}\n")
                sys.stderr.flush()
                os._exit(3)
            if isinstance(request, protocol.Cancel):
                self._cancelled.add(request.id)
            else:
                self.requests.put(request)
        # The program that started this process is gone; a pass under way must not outlive it.
        os._exit(0)

    def check(self, request_id: int) -> None:
        """Raise `CancelledError` if the request was cancelled."""
        if request_id in self._cancelled:
            raise CancelledError("cancelled")


def main() -> None:
    """Serve requests until the input ends."""
    # Libraries print; the protocol keeps the real standard output to itself.
    channel = Channel(os.fdopen(os.dup(1), "wb"))
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    faulthandler.enable(all_threads=False)  # after a segmentation fault the last words say where it was
    _refuse_network()
    inbox = Inbox(sys.stdin.buffer)
    channel.send(Hello(protocol.PROTOCOL_VERSION, os.getpid(), installed_versions()))
    threading.Thread(target=_beat, args=(channel,), name="heartbeat", daemon=True).start()
    while True:
        _serve(inbox.requests.get(), inbox, channel)


def _beat(channel: Channel) -> None:
    stop = threading.Event()
    while not stop.wait(protocol.HEARTBEAT_SECONDS):
        with contextlib.suppress(MemoryError):  # the next beat may find some
            channel.send(Heartbeat())


def _serve(request: protocol.Request, inbox: Inbox, channel: Channel) -> None:
    try:
        inbox.check(request.id)
        channel.send(Progress(request.id, stages.STARTING, 0.0))
        _handle(request, inbox, channel)
        channel.send(Finished(request.id))
    except CancelledError as error:
        channel.send(Failed(request.id, "cancelled", str(error)))
    except Exception as error:  # noqa: BLE001 - the top level: whatever a model does ends as one message
        channel.send(_failure(request.id, error))
    finally:
        if isinstance(request, protocol.Profile | protocol.Validate):
            _give_back()


def _failure(request_id: int, error: Exception) -> Failed:
    """What is said of an error: of the kind ``error`` it ends this process, for nobody knows what state it is in."""
    if (lost := _device_error(error)) is not None:
        traceback.print_exception(error)
        return Failed(
            request_id,
            "error",
            f"the GPU failed ({lost}); see what the kernel's log says of it (dmesg), close what uses it",
        )
    if isinstance(error, AppError):
        return Failed(request_id, "bad_input", str(error))
    traceback.print_exception(error)
    if isinstance(error, MemoryError) or _NO_MEMORY.search(str(error)):
        return Failed(
            request_id,
            "error",
            "this machine has no memory left for the probe; end other programs, or use a smaller model",
        )
    return Failed(request_id, "error", f"{type(error).__name__}: {one_line(str(error), 300)}")


def _device_error(error: BaseException | None) -> str | None:
    """The first line of a GPU's own error, wherever in the chain of causes it is."""
    while error is not None:
        if _DEVICE_ERROR.match(str(error)):
            return one_line(str(error).splitlines()[0], 200)
        error = error.__cause__ or error.__context__
    return None


def _give_back() -> None:
    """Leave no memory behind: models hold each other in cycles, and PyTorch keeps what it once had from a GPU."""
    gc.collect()
    torch = sys.modules.get("torch")
    if torch is None or not torch.cuda.is_initialized():
        return
    with contextlib.suppress(RuntimeError):  # a GPU that failed gives nothing back; this process then ends
        torch.cuda.empty_cache()


def _handle(request: protocol.Request, inbox: Inbox, channel: Channel) -> None:
    # torch and transformers take seconds to import, so that the hello is sent before.
    if isinstance(request, protocol.AskFree):
        from vramtuner.core.probe import meters

        meters.ask_free(request, check=lambda: inbox.check(request.id), send=channel.send)
        return
    if isinstance(request, protocol.Profile | protocol.Validate):
        _look_at_folder(request.spec)
    from vramtuner.core.probe import models, passes, recorder

    models.quieten_libraries()

    def check() -> None:
        inbox.check(request.id)

    check()
    match request:
        case protocol.Record():
            tape = recorder.record_tape(
                request.spec,
                request.key,
                check=check,
                progress=lambda done: channel.send(Progress(request.id, stages.RECORDING, done)),
            )
            channel.send(TapeRecorded(request.id, tape))
        case protocol.Profile():
            passes.profile(request, check=check, send=channel.send, offer=channel.offer)
        case protocol.Validate():
            passes.validate(request, os.environ, check=check, send=channel.send, offer=channel.offer)


def _look_at_folder(spec: ModelSpec) -> None:
    """Refuse a model whose files went, or were cut short, since they were read; transformers' own words mislead.

    Raises
    ------
    BadInputError
        Names what is missing or damaged.
    """
    if not spec.has_weights or spec.folder is None:
        return
    folder = Path(spec.folder)
    try:
        whole = (folder / "config.json").is_file() and read_weight_files(folder) is not None
    except OSError as error:
        raise BadInputError(
            f"{spec.source} cannot be read any more ({error.strerror}); choose the model again"
        ) from error
    if not whole:
        raise BadInputError(f"the model is not in {spec.source} any more; copy it back, or choose another")


def _refuse_network() -> None:
    """No socket leaves this process: a model folder must not make a library call home."""

    def refuse(event: str, args: tuple[Any, ...]) -> None:
        if event in ("socket.connect", "socket.getaddrinfo", "socket.sendto"):
            raise PermissionError(f"the probe has no network ({event})")

    sys.addaudithook(refuse)
