"""Asking HIP what is free: only a process with PyTorch can, so that the probe is started for it."""

import msgspec

from vramtuner.core.device.free import free_now
from vramtuner.core.device.summary import DeviceSummary, Survey
from vramtuner.core.errors import BadInputError, ProbeError
from vramtuner.core.probe.client import Probe
from vramtuner.core.probe.protocol import AskFree, DeviceFree
from vramtuner.core.words import mark, say

NO_HIP = mark("HIP was not asked what is free: no HIP device is here")


def ask_hip(found: Survey, probe: Probe) -> Survey:
    """The survey with HIP's count of what is free beside the driver's, read at the same moment.

    Whatever keeps HIP from answering is a note of the survey, one line.
    """
    gpus = tuple(entry.device for entry in found.devices if entry.device.kind == "gpu" and _in_hip(entry))
    if not gpus:
        return _noted(found, say(NO_HIP))
    try:
        events = list(probe.run(lambda number: AskFree(number, gpus)))
    except (BadInputError, ProbeError) as error:
        return _noted(found, say("HIP was not asked what is free: {error}", error=error))
    answers = {event.device: event for event in events if isinstance(event, DeviceFree)}
    found = msgspec.structs.replace(found, devices=tuple(_counted(entry, answers) for entry in found.devices))
    problems = [
        say("HIP does not say what is free on {key}: {problem}", key=key, problem=a.problem)
        for key, a in answers.items()
        if a.problem
    ]
    return _noted(found, *problems)


def _in_hip(entry: DeviceSummary) -> bool:
    """Whether the compute driver shows it and no variable hides it."""
    return entry.device.kfd_gpu_id is not None and entry.runtime_index is not None


def _counted(entry: DeviceSummary, answers: dict[str, DeviceFree]) -> DeviceSummary:
    answer = answers.get(entry.device.key)
    if answer is None or answer.hip_bytes is None:
        return entry
    device = entry.device
    if answer.driver_bytes is not None:
        used = max(device.vram_bytes - answer.driver_bytes, 0)
        device = msgspec.structs.replace(device, vram_used_bytes=used)
    free = free_now(device, answer.hip_bytes)
    return msgspec.structs.replace(entry, free=free)


def _noted(found: Survey, *notes: str) -> Survey:
    return msgspec.structs.replace(found, notes=(*found.notes, *notes))
