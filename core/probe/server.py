"""The probe's main loop: requests in, events out, one request at a time, cancellable at every operation."""

import os
import queue
import sys
import threading
import traceback
from typing import Any, BinaryIO

import msgspec

from vramtuner.core.errors import AppError, CancelledError
from vramtuner.core.probe import protocol
from vramtuner.core.probe.protocol import Event, Failed, Finished, Heartbeat, Hello, Progress, TapeRecorded
from vramtuner.core.tape.store import installed_versions


class Channel:
    """Where events are written: whole lines, from any thread."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._lock = threading.Lock()

    def send(self, event: Event) -> None:
        with self._lock:
            self._stream.write(protocol.encode(event) + b"\n")
            self._stream.flush()


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
    _refuse_network()
    inbox = Inbox(sys.stdin.buffer)
    channel.send(Hello(protocol.PROTOCOL_VERSION, os.getpid(), installed_versions()))
    threading.Thread(target=_beat, args=(channel,), name="heartbeat", daemon=True).start()
    while True:
        _serve(inbox.requests.get(), inbox, channel)


def _beat(channel: Channel) -> None:
    stop = threading.Event()
    while not stop.wait(protocol.HEARTBEAT_SECONDS):
        channel.send(Heartbeat())


def _serve(request: protocol.Request, inbox: Inbox, channel: Channel) -> None:
    try:
        inbox.check(request.id)
        channel.send(Progress(request.id, "Starting PyTorch", 0.0))
        _handle(request, inbox, channel)
        channel.send(Finished(request.id))
    except CancelledError as error:
        channel.send(Failed(request.id, "cancelled", str(error)))
    except AppError as error:
        channel.send(Failed(request.id, "bad_input", str(error)))
    except Exception as error:  # noqa: BLE001 - the top level: whatever a model does ends as one message
        traceback.print_exc()
        text = " ".join(str(error).split())[:300]
        channel.send(Failed(request.id, "error", f"{type(error).__name__}: {text}"))


def _handle(request: protocol.Request, inbox: Inbox, channel: Channel) -> None:
    # torch and transformers take seconds to import, so that the hello is sent before.
    if isinstance(request, protocol.AskFree):
        from vramtuner.core.probe import meters

        meters.ask_free(request, check=lambda: inbox.check(request.id), send=channel.send)
        return
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
                progress=lambda done: channel.send(Progress(request.id, "Recording the tape", done)),
            )
            channel.send(TapeRecorded(request.id, tape))
        case protocol.Profile():
            passes.profile(request, check=check, send=channel.send)
        case protocol.Validate():
            passes.validate(request, os.environ, check=check, send=channel.send)


def _refuse_network() -> None:
    """No socket leaves this process: a model folder must not make a library call home."""

    def refuse(event: str, args: tuple[Any, ...]) -> None:
        if event in ("socket.connect", "socket.getaddrinfo", "socket.sendto"):
            raise PermissionError(f"the probe has no network ({event})")

    sys.addaudithook(refuse)
