"""A recording cannot take the machine's memory: the probe is ended, one line says so, and the next request works."""

import json
import sys
from contextlib import closing
from pathlib import Path

import pytest

pytest.importorskip("torch")

from vramtuner.core.device.find import cpu_device
from vramtuner.core.errors import BadInputError
from vramtuner.core.model.find import find_model
from vramtuner.core.probe import protocol
from vramtuner.core.probe.client import Probe
from vramtuner.core.probe.protocol import Profile, Record
from vramtuner.core.recording import record_tape
from vramtuner.core.settings import TapeKey
from vramtuner.core.units import GIB, MIB

KEY = TapeKey(dtype="fp16", attention="eager")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    config = {"model_type": "llama", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4}
    (tmp_path / "config.json").write_text(json.dumps({**config, "vocab_size": 100, "intermediate_size": 128}))
    return tmp_path


def test_a_recording_that_grows_too_large_is_ended_and_the_next_one_works(folder: Path) -> None:
    spec = find_model(str(folder))
    # PyTorch alone takes more than this.
    with closing(Probe(recording_bytes=100 * MIB)) as probe:
        with pytest.raises(BadInputError, match="was stopped at") as caught:
            record_tape(spec, KEY, probe)
        assert str(caught.value).isprintable()
        assert "check the sizes" in str(caught.value)
        assert probe.pid is None
        probe._recording_bytes = 4 * GIB
        assert record_tape(spec, KEY, probe).regimes


def greedy(mebibytes: int) -> tuple[str, ...]:
    """A child that says hello, takes memory when it is asked for anything, keeps it a second, and finishes."""
    hello = protocol.encode(protocol.Hello(protocol.PROTOCOL_VERSION, 1, {})).decode()
    finished = protocol.encode(protocol.Finished(1)).decode()
    body = (
        f"import sys, time; print({hello!r}, flush=True); sys.stdin.readline(); held = b'x' * ({mebibytes} << 20);"
        f" time.sleep(1); print({finished!r}, flush=True); time.sleep(9)"
    )
    return (sys.executable, "-c", body)


@pytest.mark.parametrize(("mebibytes", "ended"), [(20, False), (300, True)])
def test_only_what_is_above_the_bound_is_ended(folder: Path, mebibytes: int, ended: bool) -> None:
    spec = find_model(str(folder))
    with closing(Probe(command=greedy(mebibytes), recording_bytes=150 * MIB)) as probe:
        recording = probe.run(lambda number: Record(number, spec, KEY))
        if ended:
            with pytest.raises(BadInputError, match="was stopped at"):
                list(recording)
        else:
            assert list(recording) == []


def test_real_passes_have_the_pool_and_no_such_bound(folder: Path) -> None:
    spec = find_model(str(folder))
    with closing(Probe(command=greedy(300), recording_bytes=150 * MIB)) as probe:
        assert list(probe.run(lambda number: Profile(number, spec, KEY, cpu_device(), GIB, (8,)))) == []
