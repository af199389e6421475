"""The messages between the program and the probe: one JSON object a line, typed, versioned by the hello.

Requests go to the probe's standard input, events come from its standard output.  Standard error is for people.
"""

from typing import Annotated, Literal, TypeAlias

import msgspec

from vramtuner.core.device.spec import Device
from vramtuner.core.model.spec import ModelSpec
from vramtuner.core.settings import TapeKey
from vramtuner.core.tape.format import Tape

PROTOCOL_VERSION = 2
HEARTBEAT_SECONDS = 1.0


Outcome: TypeAlias = Literal["ok", "refused", "out_of_memory"]
PhaseKind: TypeAlias = Literal["load", "prefill", "decode", "free"]
Int64: TypeAlias = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
"""What arrays and tables of readings can hold; anything else from a probe, or a file of its events, is nonsense."""
Seconds: TypeAlias = Annotated[float, msgspec.Meta(ge=0, le=1e9)]
"""Of a run, which ends in a human life; Qt's painter ends the program where it is given numbers like 1e308."""


class Record(msgspec.Struct, frozen=True, tag="record"):
    """Record a tape."""

    id: int
    spec: ModelSpec
    key: TapeKey


class Profile(msgspec.Struct, frozen=True, tag="profile"):
    """Run real requests of these lengths [tokens] inside a pool [bytes].

    ``key`` is that of the prefill; ``new_tokens`` of each request are generated, its prompt goes in ``prefill_chunk``
    tokens at a time.  ``weight_bytes`` is what the tape says of the weights, where it is known: a model that cannot be
    loaded is refused before it is tried.  ``snapshot`` is the file that PyTorch's own record of a GPU's memory goes to,
    none when empty.
    """

    id: int
    spec: ModelSpec
    key: TapeKey
    device: Device
    pool_bytes: int
    lengths: tuple[int, ...]
    weight_bytes: int = 0
    new_tokens: int = 0
    prefill_chunk: int | None = None
    snapshot: str = ""


class Validate(msgspec.Struct, frozen=True, tag="validate"):
    """Run passes of these lengths [tokens] under the pool, cap and levers of the probe's own environment."""

    id: int
    spec: ModelSpec
    device: Device
    lengths: tuple[int, ...]
    weight_bytes: int = 0


class AskFree(msgspec.Struct, frozen=True, tag="ask_free"):
    """Ask HIP what is free on each of these GPUs, one `DeviceFree` each."""

    id: int
    devices: tuple[Device, ...]


class Cancel(msgspec.Struct, frozen=True, tag="cancel"):
    """Stop the request with this id."""

    id: int


Request: TypeAlias = Record | Profile | Validate | AskFree | Cancel


class Hello(msgspec.Struct, frozen=True, tag="hello"):
    """The first line of a probe."""

    v: int
    pid: int
    versions: dict[str, str]


class Heartbeat(msgspec.Struct, frozen=True, tag="heartbeat"):
    """The probe is alive, whatever it is doing."""


class Progress(msgspec.Struct, frozen=True, tag="progress"):
    """How far a request is: a stage for people, a fraction, and seconds left where they can be told."""

    id: int
    stage: str
    fraction: float
    seconds_left: float | None = None


class RunStarted(msgspec.Struct, frozen=True, tag="run_started"):
    """A run's seconds begin; ``clock`` is then the system's monotonic clock, which all processes share."""

    id: int
    clock: float


class Samples(msgspec.Struct, frozen=True, tag="samples"):
    """A batch of live readings, a hundred a second or more.

    On the CPU stand-in every storage that comes or goes is a reading of its own; where too many come at once, the
    lowest and the highest of them stand for all.  Elsewhere no peak is lost either: each pass ends with its own.

    Attributes
    ----------
    seconds
        Since the run began.
    allocated
        Bytes in tensors.
    reserved
        Bytes held from the device by torch, the same as ``allocated`` on the stand-in.
    process
        Bytes that the probe has: resident ones on the stand-in, on a GPU what the driver counts as its own.
    device
        Bytes in use on the device, by whomever; 0 where the driver does not say.
    """

    id: int
    seconds: list[Seconds]
    allocated: list[Int64]
    reserved: list[Int64]
    process: list[Int64]
    device: list[Int64] = []


class DeviceFree(msgspec.Struct, frozen=True, tag="device_free"):
    """What was free on a GPU at one moment, by both counts; passes send it when they begin.

    The probe's own context, some hundred MiB, is in use in both.

    Attributes
    ----------
    device
        Its `Device.key`.
    hip_bytes
        The first of ``torch.cuda.mem_get_info``; ``None`` where ``problem`` says why it is not known.
    driver_bytes
        The driver's total less what it counts as used; ``None`` where it does not.
    """

    id: int
    device: str
    hip_bytes: int | None = None
    driver_bytes: int | None = None
    problem: str = ""


class PassStarted(msgspec.Struct, frozen=True, tag="pass_started"):
    """A pass of this many tokens begins."""

    id: int
    tokens: Int64
    seconds: Seconds


class PhaseStarted(msgspec.Struct, frozen=True, tag="phase"):
    """The model is loaded now, a prompt or new tokens are worked on, or what a pass took has been given back."""

    id: int
    phase: PhaseKind
    seconds: Seconds


class Refusal(msgspec.Struct, frozen=True):
    """The allocation that did not fit.  [bytes]

    Attributes
    ----------
    requested_bytes
        Its size; 0 where the error does not say.
    free_bytes
        What was left for it: of the pool on the stand-in, of the device on a GPU.
    live_bytes
        What was in tensors then.
    holders
        Operations whose results held most of that, with their bytes; the weights are one of them.  Known on the
        stand-in only.
    """

    requested_bytes: Int64
    free_bytes: Int64
    pool_bytes: Int64
    live_bytes: Int64
    holders: tuple[tuple[str, Int64], ...] = ()


class PhasePeak(msgspec.Struct, frozen=True):
    """What one phase of a request took: most bytes in tensors, and seconds."""

    phase: PhaseKind
    peak_bytes: Int64
    seconds: Seconds


class PassResult(msgspec.Struct, frozen=True, tag="pass"):
    """How a pass ended.

    ``peak_bytes`` and ``weight_bytes`` are those of tensors.  A pass that ran out of memory or was refused is a
    result like any other; ``message`` says what happened.

    Attributes
    ----------
    reserved_bytes
        Most that torch held from the device during the pass; of the CPU stand-in, which reserves nothing, the peak.
    outside_bytes
        What the process had on the device beside that, when the pass ended; ``None`` where nothing counts it.
    phases
        Prefill and decode, as far as the pass came.
    refusal
        What did not fit, of a pass that ran out of memory.
    """

    id: int
    tokens: Int64
    outcome: Outcome
    peak_bytes: Int64
    weight_bytes: Int64
    seconds: Seconds
    message: str = ""
    synthetic: bool = False
    reserved_bytes: Int64 = 0
    outside_bytes: Int64 | None = None
    phases: tuple[PhasePeak, ...] = ()
    refusal: Refusal | None = None

    @property
    def requested_bytes(self) -> int:
        """Size of the allocation that did not fit; 0 where there was none, or the error does not say."""
        return self.refusal.requested_bytes if self.refusal else 0


class TapeRecorded(msgspec.Struct, frozen=True, tag="tape"):
    """The tape that was asked for."""

    id: int
    tape: Tape


class Finished(msgspec.Struct, frozen=True, tag="finished"):
    """The request is done."""

    id: int


class Failed(msgspec.Struct, frozen=True, tag="failed"):
    """The request cannot be done; the message is for people."""

    id: int
    kind: Literal["bad_input", "cancelled", "error"]
    message: str


Event: TypeAlias = (
    Hello
    | Heartbeat
    | Progress
    | RunStarted
    | Samples
    | DeviceFree
    | PassStarted
    | PhaseStarted
    | PassResult
    | TapeRecorded
    | Finished
    | Failed
)

encode = msgspec.json.Encoder().encode
decode_event = msgspec.json.Decoder(Event).decode
decode_request = msgspec.json.Decoder(Request).decode
