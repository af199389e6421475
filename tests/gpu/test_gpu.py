"""The same passes on a ROCm or CUDA device: forecast against what torch allocated, and the pool kept.

Nothing here has run on a GPU yet; each test is skipped with the reason where there is none.
"""

import json
import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from vramtuner.core.deploy import guard
from vramtuner.core.device.spec import Device
from vramtuner.core.forecast import forecast, measured_error
from vramtuner.core.model.find import find_model
from vramtuner.core.probe.client import Probe
from vramtuner.core.probe.protocol import AskFree, DeviceFree, Event, PassResult, Samples
from vramtuner.core.profiling import run_profile
from vramtuner.core.recording import get_tape, get_tapes
from vramtuner.core.request import phases, tape_key
from vramtuner.core.runs import rows_of, snapshot_path
from vramtuner.core.settings import Attention, Levers
from vramtuner.core.units import GIB, MIB
from vramtuner.core.validation import profile_request

_LOOK = """
import json, torch
if torch.cuda.is_available():
    found = torch.cuda.get_device_properties(0)
    gfx = getattr(found, "gcnArchName", "").split(":")[0]
    print(json.dumps({"name": found.name, "total": found.total_memory, "gfx": gfx}))
"""


@pytest.fixture(scope="module")
def gpu() -> Device:
    out = subprocess.run([sys.executable, "-c", _LOOK], capture_output=True, text=True, timeout=120).stdout
    if not out.strip():
        pytest.skip("no ROCm or CUDA device: torch.cuda.is_available() is false")
    found = json.loads(out)
    return Device(
        key="0", name=found["name"], kind="gpu", vram_bytes=found["total"], source="torch", gfx=found["gfx"] or None
    )


def passes(folder: Path, gpu: Device, levers: Levers, lengths: tuple[int, ...]) -> list[tuple[PassResult, float]]:
    spec = find_model(str(folder))
    with closing(Probe()) as probe:
        plan = forecast(spec, gpu, levers, get_tape(spec, tape_key(spec, gpu, levers), probe))
        events = list(probe.run(profile_request(plan, lengths)))
    results = [event for event in events if isinstance(event, PassResult)]
    return [(r, measured_error(plan, r.tokens, r.peak_bytes, r.weight_bytes)) for r in results]


@pytest.mark.gpu
@pytest.mark.parametrize("attention", ["flash", "math", "eager"])
def test_forecast_against_max_memory_allocated(tiny_llama: Path, gpu: Device, attention: Attention) -> None:
    for result, error in passes(tiny_llama, gpu, Levers(attention=attention), (512, 1024, 2048)):
        assert result.outcome == "ok"
        assert abs(error) <= 0.02, (result.tokens, error)


@pytest.mark.gpu
def test_the_pool_is_kept(tiny_llama: Path, gpu: Device) -> None:
    pool = gpu.outside_torch_bytes + 64 * MIB
    results = passes(tiny_llama, gpu, Levers(attention="eager", pool_bytes=pool), (64, 2048))
    assert [result.outcome for result, _ in results] == ["ok", "out_of_memory"]
    assert results[1][0].requested_bytes > 0


@pytest.mark.gpu
def test_hip_and_the_driver_are_asked_what_is_free(gpu: Device) -> None:
    with closing(Probe()) as probe:
        (answer,) = [e for e in probe.run(lambda number: AskFree(number, (gpu,))) if isinstance(e, DeviceFree)]
    assert (answer.device, answer.problem) == (gpu.key, "")
    assert answer.hip_bytes is not None
    assert 0 < answer.hip_bytes <= gpu.vram_bytes
    # HIP leaves out what graphics programs hold, so that it counts no less than the driver but for what it keeps.
    assert answer.driver_bytes is None or answer.hip_bytes >= answer.driver_bytes - 1024 * MIB


@pytest.mark.gpu
def test_passes_say_first_what_was_free(tiny_llama: Path, gpu: Device) -> None:
    spec, levers = find_model(str(tiny_llama)), Levers()
    with closing(Probe()) as probe:
        plan = forecast(spec, gpu, levers, get_tape(spec, tape_key(spec, gpu, levers), probe))
        events = list(probe.run(profile_request(plan, (64,))))
    places = {type(event): place for place, event in reversed(list(enumerate(events)))}
    assert places[DeviceFree] < places[PassResult]


@pytest.mark.gpu
def test_readings_phases_and_a_snapshot(tiny_llama: Path, gpu: Device, tmp_path: Path) -> None:
    spec, levers = find_model(str(tiny_llama)), Levers(token_cap=1024, new_tokens=200)
    seen: list[Event] = []
    with closing(Probe()) as probe:
        plan = forecast(spec, gpu, levers, *get_tapes(spec, phases(spec, gpu, levers), probe))
        done = run_profile(plan, (1024,), probe, on_event=seen.append, folder=tmp_path)
    (result,), rows = done.passes, [row for event in seen if isinstance(event, Samples) for row in rows_of(event)]
    assert [phase.phase for phase in result.phases] == ["prefill", "decode"]
    assert max(phase.peak_bytes for phase in result.phases) == result.peak_bytes
    during = [row for row in rows if row.seconds > rows[-1].seconds - result.seconds]
    assert len(during) >= 100 * result.seconds
    assert all(row.allocated <= row.reserved for row in during)
    assert all(0 < row.device <= gpu.vram_bytes for row in during)
    assert done.path is not None
    snapshot = snapshot_path(done.path).read_bytes()
    assert b"segments" in snapshot and b"device_traces" in snapshot  # what PyTorch's viewer looks for


_TAKE = """
import sys, torch
torch.cuda.init()
torch.empty(int(sys.argv[1]), dtype=torch.uint8, device="cuda")
print("taken")
"""


@pytest.mark.gpu
@pytest.mark.parametrize("options", ["", "expandable_segments:False"], ids=["no options", "options of one's own"])
def test_the_guard_keeps_the_pool_of_a_program_that_knows_nothing_of_it(gpu: Device, options: str) -> None:
    environ = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("VRAMTUNER_", "HIP_FORCE", "HIP_MAX", "PYTORCH_"))
    }
    environ |= {"HIP_FORCE_MEMORY_POOL_SIZE": "2GiB", "VRAMTUNER_OUTSIDE_TORCH_BYTES": str(gpu.outside_torch_bytes)}
    if options:
        environ["PYTORCH_CUDA_ALLOC_CONF"] = options
    inside = 2 * GIB - gpu.outside_torch_bytes
    for size, code in ((inside - 64 * MIB, 0), (inside + 64 * MIB, 1)):
        command = [sys.executable, guard.__file__, "-c", _TAKE, str(size)]
        done = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=120)
        assert done.returncode == code, done.stderr
        assert "Traceback" not in done.stderr
        assert ("out of GPU memory" in done.stderr) == bool(code)
