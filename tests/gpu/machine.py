"""The card of a check: found, asked what its PyTorch does, and what a process takes on it beside torch's own memory."""

import json
import os
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
from cases import Case, Scale
from measure import plan_for

from vramtuner.core.device.find import cpu_device, local_gpus
from vramtuner.core.device.sampler import Sampler
from vramtuner.core.device.spec import Device
from vramtuner.core.errors import AppError, BadInputError
from vramtuner.core.probe.client import Probe
from vramtuner.core.probe.protocol import AskFree, DeviceFree, PassResult
from vramtuner.core.settings import Levers
from vramtuner.core.validation import profile_request

DIRECT_SECONDS = 240.0
_OVERHEAD_PASSES = 40
_SAMPLES = 200
_ROCM_VERSION = Path("/opt/rocm/.info/version")
_DRIVERS = (Path("/sys/module/amdgpu/version"), Path("/proc/driver/nvidia/version"))


class Card(msgspec.Struct, frozen=True, kw_only=True):
    """The device of a check, and what its own PyTorch answered; ``answers`` is empty on the CPU stand-in.

    ``free_bytes`` was free before anything ran; ``None`` on the stand-in.
    """

    device: Device
    free_bytes: int | None = None
    capability: str | None = None
    hip: str | None = None
    cuda: str | None = None
    driver: str = ""
    answers: dict[str, Any] = {}


class Overhead(msgspec.Struct, frozen=True, kw_only=True):
    """What a process takes on a card beside the segments that torch counts.  [bytes]

    Attributes
    ----------
    used_bytes
        By how much the device's memory in use rose.
    reserved_bytes
        The most that torch held at the time.
    counted_by
        Whose count of the device's memory.
    own_bytes
        What the probe itself says that its process has beside torch's memory; ``None`` where it cannot tell.
    """

    used_bytes: int
    reserved_bytes: int
    counted_by: str
    own_bytes: int | None = None

    @property
    def outside_bytes(self) -> int:
        return self.used_bytes - self.reserved_bytes


class SamplerCost(msgspec.Struct, frozen=True, kw_only=True):
    """Processor time of one sample of the device's memory, and of one look at torch's counters in a pass.  [s]"""

    what: str
    sample_seconds: float
    counters_seconds: float | None = None


def card_of(choice: str) -> Card:
    """The device that a person chose: ``auto``, ``cpu`` or an index.

    Raises
    ------
    BadInputError
        No such device is here.
    """
    if choice == "cpu":
        return Card(device=cpu_device())
    if choice != "auto" and not choice.isdecimal():
        raise BadInputError(f"--device is auto, cpu or an index such as 0, not {choice[:40]!r}")
    index = 0 if choice == "auto" else int(choice)
    answers = ask(index)
    about = answers.pop("device", None)
    if about is None:
        why = answers.get("problem", "PyTorch did not start")
        raise BadInputError(f"no GPU to check: {why}; install PyTorch's build for the card, or give --device cpu")
    return Card(
        device=_device(index, about),
        free_bytes=about["free_bytes"],
        capability=about["capability"],
        hip=about["hip"],
        cuda=about["cuda"],
        driver=driver_version(),
        answers=answers,
    )


def ask(index: int) -> dict[str, Any]:
    """Every answer of `direct.py`, by its name; one that a crash cut off is missing."""
    script = Path(__file__).with_name("direct.py")
    try:
        out = subprocess.run(
            [sys.executable, str(script), str(index)], capture_output=True, text=True, timeout=DIRECT_SECONDS
        ).stdout
    except subprocess.TimeoutExpired as error:
        out = error.stdout.decode(errors="replace") if isinstance(error.stdout, bytes) else error.stdout or ""
    found: dict[str, Any] = {}
    for line in out.splitlines():
        try:
            answer = json.loads(line)
        except ValueError:  # what a library prints
            continue
        if isinstance(answer, dict) and "name" in answer:
            found[answer.pop("name")] = answer
        elif isinstance(answer, dict):
            found.update(answer)
    return found


def _device(index: int, about: dict[str, Any]) -> Device:
    """The project's own device of the card where its inventory has it, else what PyTorch says."""
    domain, bus, slot = about["pci"]
    if about["hip"] and None not in (domain, bus, slot):
        address = f"{domain:04x}:{bus:02x}:{slot:02x}"
        here = [gpu for gpu in local_gpus() if gpu.pci_bus_id and gpu.pci_bus_id.lower().startswith(address)]
        if len(here) == 1:
            return here[0]
    return Device(
        key=str(index),
        name=about["card"],
        kind="gpu",
        vram_bytes=about["total_bytes"],
        source="torch.cuda.mem_get_info",
        gfx=about["gfx"],
    )


def driver_version() -> str:
    """The kernel driver's own version and ROCm's, as far as their files are here."""
    found = []
    for path in (*_DRIVERS, _ROCM_VERSION):
        try:
            first = path.read_text(encoding="utf-8", errors="replace").strip().splitlines()[:1]
        except OSError:
            continue
        found += [" ".join(line.split())[:120] for line in first]
    return "; ".join(found) or f"part of Linux {os.uname().release}"


def free_on(device: Device, watcher: Probe) -> DeviceFree:
    """What is free on a card now, asked of a process that runs nothing.

    Raises
    ------
    AppError
        The process does not answer.
    """
    events = watcher.run(lambda number: AskFree(number, (device,)))
    for answer in [event for event in events if isinstance(event, DeviceFree)]:
        if answer.hip_bytes is not None:
            return answer
        raise BadInputError(answer.problem)
    raise BadInputError("the probe did not say what is free")


def measure_overhead(case: Case, device: Device, pool_bytes: int, scale: Scale) -> Overhead:
    """Passes of one model, looked at from another process while they run, with nothing else of ours on the card.

    Raises
    ------
    AppError
        They could not be recorded or run.
    """
    with closing(Probe()) as watcher, closing(Probe()) as probe:
        plan, _ = plan_for(case, device, Levers(attention=case.attention, pool_bytes=pool_bytes), probe)
        free_on(device, watcher)  # its own context is made by the first question
        before, held, after, own = free_on(device, watcher), 0, [], 0
        for event in probe.run(profile_request(plan, (scale.prefill[-1],) * _OVERHEAD_PASSES)):
            if isinstance(event, PassResult):
                after.append(free_on(device, watcher))
                held, own = max(held, event.reserved_bytes), max(own, event.outside_bytes or 0)
    if not after:
        raise BadInputError("no pass ran")
    by_driver = [free.driver_bytes for free in after if free.driver_bytes is not None]
    if before.driver_bytes is not None and by_driver:
        used, who = before.driver_bytes - min(by_driver), "the driver"
    else:
        least = min(free.hip_bytes or 0 for free in after)
        used, who = (before.hip_bytes or 0) - least, "torch.cuda.mem_get_info"
    return Overhead(used_bytes=used, reserved_bytes=held, counted_by=who, own_bytes=own or None)


def sampler_cost(card: Card) -> SamplerCost | None:
    """What a look at the device's memory costs: by the project's sampler where it knows the device, else by torch."""
    readings = card.answers.get("readings", {})
    counters = readings.get("allocated_and_reserved")
    if card.device.is_gpu and card.device.heaps is None:
        seconds = readings.get("mem_get_info")
        if seconds is None:
            return None
        return SamplerCost(what="torch.cuda.mem_get_info", sample_seconds=seconds, counters_seconds=counters)
    try:
        sampler = Sampler(card.device, seconds=10)
        sampler.take()
        began = time.thread_time()
        for _ in range(_SAMPLES):
            sampler.take()
        seconds = (time.thread_time() - began) / _SAMPLES
    except AppError:
        return None
    return SamplerCost(what="vramtuner's sampler", sample_seconds=seconds, counters_seconds=counters)
