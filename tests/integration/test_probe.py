"""The probe process, started for real: it works, and every way it can fail ends in a clear state."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import msgspec
import psutil
import pytest

from vramtuner.core.device.find import cpu_device
from vramtuner.core.errors import BadInputError, CancelledError, ProbeError
from vramtuner.core.forecast import forecast, measured_error
from vramtuner.core.model.find import find_model, load_preset
from vramtuner.core.model.spec import ModelSpec
from vramtuner.core.probe.client import Probe
from vramtuner.core.probe.protocol import Event, PassResult, PassStarted, Profile, Progress, Record, Samples
from vramtuner.core.recording import record_tape
from vramtuner.core.request import tape_key
from vramtuner.core.settings import Attention, Levers, TapeKey, Weights
from vramtuner.core.tape.format import encode_tape
from vramtuner.core.tape.store import find_tape
from vramtuner.core.units import MIB

CPU = cpu_device()


@pytest.fixture(scope="module")
def probe() -> Iterator[Probe]:
    with closing(Probe()) as started:
        yield started


def profile(probe: Probe, spec: ModelSpec, levers: Levers, lengths: tuple[int, ...]) -> list[Event]:
    key, pool = tape_key(spec, CPU, levers), CPU.pool_bytes(levers)
    return list(probe.run(lambda number: Profile(number, spec, key, CPU, pool, lengths)))


def passes_of(events: list[Event]) -> list[PassResult]:
    return [event for event in events if isinstance(event, PassResult)]


@pytest.mark.parametrize("attention", ["flash", "math", "eager"])
@pytest.mark.parametrize("name", ["tiny-llama", "tiny-gpt2"])
def test_forecast_agrees_with_measured_passes(
    probe: Probe, model_folders: dict[str, Path], name: str, attention: Attention
) -> None:
    spec, levers = find_model(str(model_folders[name])), Levers(attention=attention)
    tape = record_tape(spec, tape_key(spec, CPU, levers), probe)
    expected = forecast(spec, CPU, levers, tape)
    results = passes_of(profile(probe, spec, levers, (64, 301, 1000)))
    assert [result.tokens for result in results] == [64, 301, 1000]
    for result in results:
        assert result.outcome == "ok"
        assert result.weight_bytes == expected.component_bytes(result.tokens)["weights"]
        assert abs(measured_error(expected, result.tokens, result.peak_bytes, result.weight_bytes)) <= 0.005


@pytest.mark.parametrize(("weights", "tolerance"), [("nf4", 0.005), ("fp4", 0.005), ("int8", 0.01)])
def test_quantized_weights_agree_with_a_real_quantized_load(
    probe: Probe, tiny_llama: Path, weights: Weights, tolerance: float
) -> None:
    spec, levers = find_model(str(tiny_llama)), Levers(weights=weights)
    expected = forecast(spec, CPU, levers, record_tape(spec, tape_key(spec, CPU, levers), probe))
    for result in passes_of(profile(probe, spec, levers, (301, 1000))):
        assert result.weight_bytes == pytest.approx(expected.component_bytes(result.tokens)["weights"], rel=1e-3)
        error = measured_error(expected, result.tokens, result.peak_bytes, result.weight_bytes)
        # int8 counts an upper bound of outlier columns: it may be above the truth, never below.
        assert -0.001 <= error <= tolerance


def test_checkpointing_does_not_change_an_inference_pass() -> None:
    """Torch's own memory tracker on Llama-2-7B's shapes at 2,048 tokens: 1.189 GiB above the weights, off and on."""
    script = Path(__file__).parent.parent / "data" / "checkpointing_peaks.py"
    out = subprocess.run([sys.executable, str(script)], check=True, capture_output=True, text=True, timeout=240)
    off, on = (int(part) for part in out.stdout.split())
    assert off == on
    assert on / 2**30 == pytest.approx(1.189, abs=0.005)


@pytest.mark.parametrize("attention", ["math", "eager"])
def test_tape_agrees_with_the_allocators_own_record(probe: Probe, tiny_llama: Path, attention: Attention) -> None:
    """torch.profiler's memory events know nothing of our bookkeeping: an independent measure of the same pass."""
    script = Path(__file__).parent.parent / "data" / "allocator_peak.py"
    spec, levers = find_model(str(tiny_llama)), Levers(attention=attention)
    expected = forecast(spec, CPU, levers, record_tape(spec, tape_key(spec, CPU, levers), probe))
    cases = json.dumps([{"folder": str(tiny_llama), "attention": attention, "tokens": 777}])
    out = subprocess.run(
        [sys.executable, str(script)], input=cases, check=True, capture_output=True, text=True, timeout=240
    )
    sizes = expected.component_bytes(777)
    above_weights = sum(sizes.values()) - sizes["weights"]
    assert json.loads(out.stdout)[0] == pytest.approx(above_weights, rel=0.005)


@pytest.mark.parametrize("name", ["gpt2", "llama-3.1-8b"])
def test_a_shipped_tape_is_what_a_new_recording_gives(probe: Probe, name: str) -> None:
    # Llama 3.1 nests its rotary facts; transformers must not write into the spec's config, or the tape is lost.
    spec = load_preset(name)
    key = TapeKey(dtype=spec.dtype, attention="eager")
    shipped = find_tape(spec, key)
    assert shipped is not None
    assert encode_tape(record_tape(spec, key, probe)) == encode_tape(shipped)


def test_live_samples_and_progress_tell_of_the_passes(probe: Probe, tiny_llama: Path) -> None:
    spec = find_model(str(tiny_llama))
    events = profile(probe, spec, Levers(), (200, 400))
    samples = [event for event in events if isinstance(event, Samples)]
    results = passes_of(events)
    highest = max(value for batch in samples for value in batch.allocated)
    assert highest == max(result.peak_bytes for result in results)
    seconds = [value for batch in samples for value in batch.seconds]
    assert seconds == sorted(seconds)
    assert all(value > 0 for batch in samples for value in batch.process)
    assert [event.tokens for event in events if isinstance(event, PassStarted)] == [200, 400]
    fractions = [event.fraction for event in events if isinstance(event, Progress)]
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1.0


def test_out_of_memory_is_a_result_and_the_next_pass_runs(probe: Probe, tiny_llama: Path) -> None:
    spec = find_model(str(tiny_llama))
    small, large, again = passes_of(profile(probe, spec, Levers(pool_bytes=8 * MIB), (64, 1000, 64)))
    assert (small.outcome, large.outcome, again.outcome) == ("ok", "out_of_memory", "ok")
    assert large.requested_bytes > 0
    assert large.peak_bytes <= 8 * MIB
    assert again.peak_bytes == small.peak_bytes


def test_weights_that_do_not_fit_the_pool_are_a_plain_message(probe: Probe, tiny_llama: Path) -> None:
    spec = find_model(str(tiny_llama))
    with pytest.raises(BadInputError, match=r"weights of tiny-llama do not fit the 3\.0 MiB pool"):
        profile(probe, spec, Levers(pool_bytes=3 * MIB), (64,))


def test_a_config_that_transformers_refuses_is_a_plain_message(probe: Probe, tiny_llama: Path) -> None:
    spec = find_model(str(tiny_llama))
    broken = type(spec)(**{name: getattr(spec, name) for name in spec.__struct_fields__} | {
        "config": {**spec.config, "num_attention_heads": 7}
    })  # fmt: skip
    with pytest.raises(BadInputError, match="transformers cannot"):
        record_tape(broken, TapeKey(dtype="fp16", attention="eager"), probe)


def test_cancel_stops_within_seconds_and_the_next_run_works(tiny_llama: Path) -> None:
    spec = load_preset("gpt2")
    key = tape_key(spec, CPU, Levers())
    with closing(Probe()) as own:
        with pytest.raises(CancelledError):
            for event in own.run(lambda number: Profile(number, spec, key, CPU, 8 * 2**30, (1024,) * 50)):
                if isinstance(event, PassStarted):
                    own.cancel()
        tiny = find_model(str(tiny_llama))
        assert passes_of(profile(own, tiny, Levers(), (16,)))[0].outcome == "ok"


def test_a_pass_that_does_not_listen_is_killed(tmp_path: Path) -> None:
    deaf = _script(tmp_path, "import sys, time; print(HELLO, flush=True); time.sleep(600)")
    with closing(Probe(command=deaf)) as own:
        threading.Timer(0.5, own.cancel).start()
        with pytest.raises(CancelledError):
            list(own.run(_record))
        assert own.pid is None


def test_a_child_that_reads_nothing_holds_nothing_up(tmp_path: Path) -> None:
    """A request larger than a pipe, to a process that never reads: cancel works, and so does the clock."""
    deaf = _script(tmp_path, "import time; print(HELLO, flush=True); time.sleep(600)")
    spec = load_preset("gpt2")
    long = msgspec.structs.replace(spec, config={**spec.config, "filler": "x" * 1_000_000})
    key = TapeKey(dtype="fp16", attention="eager")
    with closing(Probe(command=deaf, silence_seconds=2)) as own:
        with pytest.raises(ProbeError, match="has not answered for 2 s"):
            list(own.run(lambda number: Record(number, long, key)))
        threading.Timer(0.5, own.cancel).start()
        with pytest.raises(CancelledError):
            list(own.run(lambda number: Record(number, long, key)))


def test_a_probe_that_died_while_idle_is_replaced_without_a_word(tiny_llama: Path) -> None:
    spec = find_model(str(tiny_llama))
    with closing(Probe()) as own:
        assert profile(own, spec, Levers(), (16,))
        assert own.pid is not None
        child = psutil.Process(own.pid)
        child.kill()
        psutil.wait_procs([child], timeout=10)
        assert passes_of(profile(own, spec, Levers(), (16,)))[0].outcome == "ok"


def test_a_probe_that_is_killed_is_reported_and_replaced(tiny_llama: Path) -> None:
    spec = find_model(str(tiny_llama))
    with closing(Probe()) as own:
        with pytest.raises(ProbeError, match="was killed by SIGKILL"):
            for event in own.run(lambda n: Profile(n, spec, tape_key(spec, CPU, Levers()), CPU, 2**30, (1000,) * 50)):
                if isinstance(event, PassStarted) and own.pid:
                    os.kill(own.pid, signal.SIGKILL)
        assert passes_of(profile(own, spec, Levers(), (16,)))[0].outcome == "ok"


def test_a_stopped_probe_counts_as_hung(tiny_llama: Path) -> None:
    spec = find_model(str(tiny_llama))
    with closing(Probe(silence_seconds=20)) as own:
        assert profile(own, spec, Levers(), (16,))
        child = own.pid
        assert child is not None
        own._silence_seconds = 2.0
        os.kill(child, signal.SIGSTOP)
        with pytest.raises(ProbeError, match="has not answered"):
            profile(own, spec, Levers(), (16,))
        assert not psutil.pid_exists(child)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("print('Traceback: this is not JSON', flush=True)", "spoke nonsense"),
        ('print(\'{"type":"unknown"}\', flush=True)', "spoke nonsense"),
        ("sys.stdout.buffer.write(bytes(range(256)) + b'\\n'); sys.stdout.flush()", "spoke nonsense"),
        ('print(\'{"type":"heartbeat"}\', flush=True)', "did not say hello"),
        ("print(HELLO.replace('\"v\":2', '\"v\":99'), flush=True)", "speaks protocol 99"),
        ("print(HELLO, flush=True); sys.stderr.write('the reason\\n'); sys.exit(3)", "exit code 3"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "killed by SIGSEGV"),
    ],
)
def test_nonsense_and_death_are_told_apart(tmp_path: Path, body: str, message: str) -> None:
    with closing(Probe(command=_script(tmp_path, f"import sys; {body}; sys.stdin.read()"))) as own:
        with pytest.raises(ProbeError, match=message) as caught:
            list(own.run(_record))
        if "the reason" in body:
            assert "the reason" in caught.value.stderr_tail
        assert own.pid is None


def test_the_probe_dies_with_the_program_that_started_it(tiny_llama: Path) -> None:
    code = (
        "import sys; from vramtuner.core.probe.client import Probe; from vramtuner.core.probe.protocol import Record\n"
        "from vramtuner.core.model.find import load_preset; from vramtuner.core.settings import TapeKey\n"
        "p = Probe(); run = p.run(lambda n: Record(n, load_preset('gpt2'), TapeKey(dtype='fp16', attention='eager')))\n"
        "next(run); print(p.pid, flush=True); import os; os._exit(9)"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    child = int(out.stdout)
    if psutil.pid_exists(child):
        psutil.Process(child).wait(timeout=60)
    assert not psutil.pid_exists(child)


def test_the_probe_has_no_network() -> None:
    code = (
        "import socket; from vramtuner.core.probe.server import _refuse_network; _refuse_network()\n"
        "s = socket.socket(); s.connect(('127.0.0.1', 9))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert "the probe has no network" in out.stderr


def _record(number: int) -> Record:
    return Record(number, load_preset("gpt2"), TapeKey(dtype="fp16", attention="eager"))


def _script(folder: Path, body: str) -> tuple[str, ...]:
    hello = '{"type":"hello","v":2,"pid":1,"versions":{}}'
    path = folder / "child.py"
    path.write_text(f"HELLO = {hello!r}\n{body}\n")
    return (sys.executable, str(path))
