"""Allocations in the JSON of rocprofv3 (``--output-format json``).

The fields are those of ROCm/rocm-systems, ``projects/rocprofiler-sdk/source``, ``lib/output/generateJSON.cpp``: an
object with ``rocprofiler-sdk-tool``, an entry for each process; in each ``agents`` and
``buffer_records.memory_allocation``.  A record (``include/rocprofiler-sdk/cxx/serialization/save.hpp``) has the
``operation`` as the number of ``rocprofiler_memory_allocation_operation_t`` (``fwd.h``), ``start_timestamp`` in ns,
``address`` as hexadecimal text, and ``allocation_size`` in bytes.  Only what
is needed is decoded; the text itself has to be in memory, so that its size is bounded.
"""

from collections.abc import Callable, Iterator
from typing import BinaryIO

import msgspec

from vramtuner.core.diagnose.read import LogDiagnosis
from vramtuner.core.diagnose.trace import Row, diagnose_rows
from vramtuner.core.errors import BadInputError
from vramtuner.core.text import printable
from vramtuner.core.units import MIB, format_bytes

_MOST_BYTES = 512 * MIB
_PIECE = 1 << 22
_NAME = b'"rocprofiler-sdk-tool"'
_OPERATIONS = {1: "ALLOCATE", 2: "VMEM_ALLOCATE", 3: "FREE", 4: "VMEM_FREE"}


class _Handle(msgspec.Struct):
    handle: int


class _Agent(msgspec.Struct):
    id: _Handle
    node_id: int
    name: str = ""


class _Record(msgspec.Struct):
    operation: int
    start_timestamp: int
    address: str | int
    allocation_size: int
    agent_id: _Handle


class _Buffers(msgspec.Struct):
    memory_allocation: list[_Record] = []


class _Process(msgspec.Struct):
    agents: list[_Agent] = []
    buffer_records: _Buffers = msgspec.field(default_factory=_Buffers)


class _File(msgspec.Struct):
    processes: list[_Process] = msgspec.field(name="rocprofiler-sdk-tool")


def is_sdk_json(start: bytes) -> bool:
    """Whether a file that begins so is such JSON."""
    return start.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") and _NAME in start


def diagnose_sdk_json(
    stream: BinaryIO, source: str, pool_bytes: int | None = None, on_bytes: Callable[[int], None] | None = None
) -> LogDiagnosis:
    """What such JSON says about the memory of each agent; a record's number in time stands for that of a line.

    Raises
    ------
    BadInputError
        It is broken, or larger than can be kept.
    """
    try:
        whole = msgspec.json.decode(_whole(stream, source, on_bytes).removeprefix(b"\xef\xbb\xbf"), type=_File)
    except (msgspec.DecodeError, RecursionError) as error:
        reason = printable(str(error), 200)
        raise BadInputError(f"{printable(source)} cannot be read as JSON of rocprofv3: {reason}") from error
    return diagnose_rows(_rows(whole, source), source, pool_bytes)


def _whole(stream: BinaryIO, source: str, on_bytes: Callable[[int], None] | None) -> bytes:
    data = bytearray()
    while piece := stream.read(_PIECE):
        data += piece
        if len(data) > _MOST_BYTES:
            raise BadInputError(
                f"{printable(source)} is larger than {format_bytes(_MOST_BYTES)}; record without --output-format, and "
                "name the database instead"
            )
        if on_bytes:
            on_bytes(len(data))
    return bytes(data)


def _rows(whole: _File, source: str) -> Iterator[Row]:
    """The records of all processes, those of each in the order of time."""
    number = 0
    for place, process in enumerate(whole.processes):
        agents = {agent.id.handle: f"Agent {agent.node_id} ({printable(agent.name, 60)})" for agent in process.agents}
        for record in sorted(process.buffer_records.memory_allocation, key=lambda record: record.start_timestamp):
            number += 1
            if record.operation not in _OPERATIONS:
                continue
            if record.allocation_size < 0:
                raise BadInputError(f"{printable(source)}: record {number:,} has no size")
            agent = agents.get(record.agent_id.handle, f"Agent id {record.agent_id.handle}")
            address = f"{place}:{record.address}"
            yield number, (_OPERATIONS[record.operation], agent, record.allocation_size, address)
