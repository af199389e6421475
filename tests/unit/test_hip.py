"""HIP's count of what is free beside the driver's: what is asked, what is said, and what keeps it from answering."""

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "data"))
import device_trees as trees
from device_trees import GIB, Machine

from vramtuner.core import output
from vramtuner.core.cli import plans
from vramtuner.core.device.find import local_devices
from vramtuner.core.device.roots import Roots
from vramtuner.core.device.summary import Survey, survey
from vramtuner.core.hip import NO_HIP, ask_hip
from vramtuner.core.probe.client import Probe, torch_is_installed
from vramtuner.core.probe.protocol import DeviceFree, decode_event, decode_request, encode

# A probe that answers as one with a GPU would: the messages are real, the figures are those of each test.
_ANSWERS = """
import json, sys
print(json.dumps({"type": "hello", "v": 2, "pid": 1, "versions": {}}), flush=True)
for line in sys.stdin:
    request = json.loads(line)
    assert request["type"] == "ask_free", request
    for device in request["devices"]:
        answer = {"type": "device_free", "id": request["id"], "device": device["key"]}
        print(json.dumps(answer | json.loads(sys.argv[1])[device["key"]]), flush=True)
    print(json.dumps({"type": "finished", "id": request["id"]}), flush=True)
"""
Answering = Callable[[dict[str, dict[str, object]]], Probe]


@pytest.fixture
def answering() -> Iterator[Answering]:
    made: list[Probe] = []

    def make(answers: dict[str, dict[str, object]]) -> Probe:
        made.append(Probe(command=(sys.executable, "-c", _ANSWERS, json.dumps(answers))))
        return made[-1]

    yield make
    for probe in made:
        probe.close()


def seen(tmp_path: Path, *gpus: trees.Gpu, environment: dict[str, str] | None = None) -> Survey:
    roots = Roots.under(trees.write(Machine(gpus), tmp_path / "machine"))
    return survey(local_devices(roots), roots, environment or {})


CARD = replace(trees.W7900, used=10 * GIB)
FREE = CARD.vram - CARD.used


def test_both_numbers_and_the_difference_are_shown(tmp_path: Path, answering: Answering) -> None:
    probe = answering({"0": {"hip_bytes": FREE + 9 * GIB, "driver_bytes": FREE - GIB}})
    entry = ask_hip(seen(tmp_path, CARD), probe).devices[0]
    assert (entry.free.hip_bytes, entry.free.driver_bytes) == (FREE + 9 * GIB, FREE - GIB)
    assert entry.free.free_bytes == FREE - GIB  # the smaller
    text, data = output.device_text(entry), output.device_json(0, entry)
    assert "free now: HIP counts 46.98 GiB free, the driver 36.98 GiB: 10.00 GiB more by HIP, which leaves out" in text
    assert (data["free_hip_bytes"], data["free_driver_bytes"]) == (FREE + 9 * GIB, FREE - GIB)
    assert data["free_difference_bytes"] == 10 * GIB


def test_hips_smaller_count_is_what_is_free(tmp_path: Path, answering: Answering) -> None:
    probe = answering({"0": {"hip_bytes": 20 * GIB, "driver_bytes": FREE}})
    entry = ask_hip(seen(tmp_path, CARD), probe).devices[0]
    assert entry.free.free_bytes == 20 * GIB
    assert "20.00 GiB free now" in entry.pool_warning


def test_a_device_that_hip_cannot_use_is_a_note_and_the_others_are_counted(
    tmp_path: Path, answering: Answering
) -> None:
    probe = answering({"0": {"problem": "PyTorch does not see it"}, "1": {"hip_bytes": GIB, "driver_bytes": GIB}})
    found = ask_hip(seen(tmp_path, CARD, replace(trees.W6800, slot="0000:44:00.0")), probe)
    assert [entry.free.hip_bytes for entry in found.devices] == [None, GIB, None]
    assert found.notes == ("HIP does not say what is free on 0: PyTorch does not see it",)


@pytest.mark.parametrize("environment", [{}, {"HIP_VISIBLE_DEVICES": "-1"}], ids=["none", "hidden"])
def test_without_a_hip_device_no_process_is_started(tmp_path: Path, environment: dict[str, str]) -> None:
    gpus = (CARD,) if environment else ()
    with closing(Probe(command=("/nonexistent",))) as probe:
        found = ask_hip(seen(tmp_path, *gpus, environment=environment), probe)
        assert probe.pid is None
    assert found.notes[-1] == NO_HIP and "\n" not in NO_HIP


def test_a_probe_that_cannot_be_started_is_a_note(tmp_path: Path) -> None:
    with closing(Probe(command=("/nonexistent",))) as probe:
        (note,) = ask_hip(seen(tmp_path, CARD), probe).notes
    assert note.startswith("HIP was not asked what is free: the probe process cannot be started")


def test_the_command_says_in_one_line_that_there_is_none(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(plans, "local_devices", lambda: local_devices(Roots.under(Path("/nonexistent"))))
    plans.devices(hip=True)
    assert f"! {NO_HIP}" in capsys.readouterr().out.splitlines()


def test_the_messages_travel() -> None:
    answer = DeviceFree(3, "0", 5, 4)
    assert decode_event(encode(answer)) == answer
    request = decode_request(b'{"type":"ask_free","id":2,"devices":[]}')
    assert decode_request(encode(request)) == request


@pytest.mark.skipif(not torch_is_installed(), reason="PyTorch is not installed")
def test_a_build_of_pytorch_without_a_gpu_says_so(tmp_path: Path) -> None:
    found = seen(tmp_path, CARD)  # a GPU of another machine's files, which torch here cannot have
    with closing(Probe({**os.environ, "HIP_VISIBLE_DEVICES": "-1", "CUDA_VISIBLE_DEVICES": ""})) as probe:
        (note,) = ask_hip(found, probe).notes
    assert note.startswith("HIP was not asked what is free: there is no HIP device for this build of PyTorch (")
