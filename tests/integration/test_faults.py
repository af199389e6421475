"""Every way a run can be cut short, done to a real probe: a clear end, what was measured is kept, the next run works.

A GPU that is lost cannot be had here; the error that PyTorch then raises is raised inside a real pass instead.
"""

import os
import resource
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from time import monotonic

import psutil
import pytest
from PySide6.QtWidgets import QApplication

pytest.importorskip("torch")

from vramtuner.core.device.find import cpu_device
from vramtuner.core.errors import AppError, BadInputError, CancelledError, ProbeError
from vramtuner.core.forecast import forecast
from vramtuner.core.model.find import find_model, load_preset
from vramtuner.core.model.spec import ModelSpec
from vramtuner.core.probe.client import COMMAND, Probe
from vramtuner.core.probe.protocol import Event, PassResult, PassStarted, Profile, Progress, Record
from vramtuner.core.recording import get_tape
from vramtuner.core.request import tape_key
from vramtuner.core.settings import Attention, Levers, TapeKey
from vramtuner.core.tape.store import cache_folder
from vramtuner.core.units import GIB, MIB
from vramtuner.gui.bridge import Bridge

CPU = cpu_device()
CANCELLED_SECONDS, KILLED_SECONDS = 1.0, 5.0
"""How soon a cancelled run must be over: one that listens, and one that must be killed."""
# Long enough that no machine is through with them before the fault.
MANY = (16, *(2000,) * 200)
INSIDE = """
import os, signal
from pathlib import Path
signal.signal(signal.SIGUSR1, lambda *_: exec(Path(os.environ["FAULT"]).read_text(), {}))
"""


class Rig:
    """One `Probe` for all faults, so that each starts from what the one before has left."""

    def __init__(self, folder: Path) -> None:
        self._fault, self.temporary = folder / "fault.py", folder / "temporary"
        self.temporary.mkdir()
        (folder / "sitecustomize.py").write_text(INSIDE)
        self.probe = Probe(
            {
                **os.environ,
                "PYTHONPATH": str(folder),
                "FAULT": str(self._fault),
                "TMPDIR": str(self.temporary),
            }
        )

    @property
    def pid(self) -> int:
        assert self.probe.pid is not None
        return self.probe.pid

    def run(
        self,
        spec: ModelSpec,
        lengths: tuple[int, ...],
        on: Callable[[Event], None] = lambda event: None,
        pool_bytes: int = 8 * GIB,
        attention: Attention = "flash",
    ) -> "Ended":
        """Run passes, call ``on`` with each event; what came, and how it ended."""
        key = tape_key(spec, CPU, Levers(attention=attention))
        events: list[Event] = []
        error: AppError | None = None
        try:
            for event in self.probe.run(lambda number: Profile(number, spec, key, CPU, pool_bytes, lengths)):
                events.append(event)
                on(event)
        except AppError as raised:
            error = raised
        return Ended(events, error)

    def inside(self, code: str) -> None:
        """Have the probe's main thread do this, wherever it is in a pass."""
        self._fault.write_text(code)
        os.kill(self.pid, signal.SIGUSR1)

    def inject_output(self, data: bytes) -> None:
        """Write to the pipe on which the probe sends its events, as a library would that found the descriptor."""
        assert self.probe._child is not None and self.probe._child.process.stdout is not None
        pipe = os.fstat(self.probe._child.process.stdout.fileno()).st_ino
        (end,) = [path for path in Path(f"/proc/{self.pid}/fd").iterdir() if path.readlink() == Path(f"pipe:[{pipe}]")]
        with end.open("wb", buffering=0) as output:
            output.write(data)


class Ended:
    """The events of a run, and its error."""

    def __init__(self, events: list[Event], error: AppError | None) -> None:
        self.events, self.error, self.message = events, error, str(error or "")

    @property
    def passes(self) -> list[PassResult]:
        return [event for event in self.events if isinstance(event, PassResult)]

    @property
    def began_a_pass(self) -> bool:
        return any(isinstance(event, PassStarted) for event in self.events)

    def broke(self, *words: str) -> None:
        """The error is one readable line that says these words and what to do next."""
        assert isinstance(self.error, ProbeError)
        for word in (*words, "try again"):
            assert word in self.message
        assert self.message.isprintable() and len(self.message) < 500


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    rig = Rig(tmp_path_factory.mktemp("faults"))
    with closing(rig.probe):
        yield rig


@pytest.fixture
def rig(shared: Rig, tiny: ModelSpec) -> Iterator[Rig]:
    """The shared probe; after the test it must work, as it is, with nothing left behind but itself."""
    outside = set(psutil.Process().children(recursive=True)) - own_processes(shared.probe)
    yield shared
    works(shared, tiny)
    assert set(psutil.Process().children(recursive=True)) - outside == own_processes(shared.probe)
    # PyTorch makes an empty folder for its compiler, always the same.
    assert [path.name for path in shared.temporary.iterdir() if not path.name.startswith("torchinductor_")] == []


@pytest.fixture
def tiny(tiny_llama: Path) -> ModelSpec:
    return find_model(str(tiny_llama))


@pytest.fixture(scope="module")
def large() -> ModelSpec:
    """Random weights of half a GB: more than a second to fill, during which the probe does not listen."""
    return load_preset("gpt2")


@pytest.fixture
def copied(tiny_llama: Path, tmp_path: Path) -> Path:
    """A model folder of the test's own, to break."""
    return Path(shutil.copytree(tiny_llama, tmp_path / "copied"))


def works(rig: Rig, tiny: ModelSpec) -> None:
    ended = rig.run(tiny, (16,))
    assert ended.error is None, ended.message
    assert [result.outcome for result in ended.passes] == ["ok"]


def own_processes(probe: Probe) -> set[psutil.Process]:
    return set() if probe.pid is None else {psutil.Process(probe.pid)}


def gone(pid: int) -> bool:
    """Neither there nor a zombie."""
    return not psutil.pid_exists(pid)


def on_load(do: Callable[[], object]) -> Callable[[Event], None]:
    return lambda event: do() if isinstance(event, Progress) and event.stage.startswith("Loading") else None  # type: ignore[func-returns-value]


class InSecondPass:
    """Does something once, when the second pass has begun; remembers to whom, and when."""

    def __init__(self, rig: Rig, do: Callable[[], object]) -> None:
        self._rig, self._do, self._passes = rig, do, 0
        self.pid, self.at = 0, 0.0

    def __call__(self, event: Event) -> None:
        self._passes += isinstance(event, PassStarted)
        if self._passes == 2 and not self.pid:
            self.pid, self.at = self._rig.pid, monotonic()
            self._do()


@pytest.mark.flaky(reruns=2)  # the clock of a busy machine: a promise in seconds is kept in one of three runs
def test_cancel_in_a_pass_ends_it_within_a_second_and_keeps_the_process(rig: Rig, tiny: ModelSpec) -> None:
    fault = InSecondPass(rig, rig.probe.cancel)
    ended = rig.run(tiny, MANY, fault)
    assert isinstance(ended.error, CancelledError)
    assert monotonic() - fault.at < CANCELLED_SECONDS
    assert [result.tokens for result in ended.passes] == [16]
    assert rig.pid == fault.pid


@pytest.mark.flaky(reruns=2)  # the clock of a busy machine: a promise in seconds is kept in one of three runs
def test_cancel_while_weights_are_made_ends_within_seconds(rig: Rig, large: ModelSpec) -> None:
    asked: list[float] = []

    def cancel() -> None:
        asked.append(monotonic())
        rig.probe.cancel()

    ended = rig.run(large, (16,), on_load(cancel))
    assert isinstance(ended.error, CancelledError)
    assert monotonic() - asked[0] < KILLED_SECONDS
    assert not ended.began_a_pass


@pytest.mark.flaky(reruns=2)  # the clock of a busy machine: a promise in seconds is kept in one of three runs
def test_cancel_of_a_probe_that_was_stopped_kills_it(rig: Rig, tiny: ModelSpec) -> None:
    def stop() -> None:
        os.kill(rig.pid, signal.SIGSTOP)
        rig.probe.cancel()

    fault = InSecondPass(rig, stop)
    ended = rig.run(tiny, MANY, fault)
    assert isinstance(ended.error, CancelledError)
    assert monotonic() - fault.at < KILLED_SECONDS
    assert [result.tokens for result in ended.passes] == [16]
    assert gone(fault.pid)


def test_killed_while_it_loads(rig: Rig, large: ModelSpec) -> None:
    ended = rig.run(large, (16,), on_load(lambda: os.kill(rig.pid, signal.SIGKILL)))
    ended.broke("SIGKILL", "ran out of memory")
    assert not ended.began_a_pass


def test_killed_in_a_pass_keeps_the_passes_before(rig: Rig, tiny: ModelSpec) -> None:
    fault = InSecondPass(rig, lambda: os.kill(rig.pid, signal.SIGKILL))
    ended = rig.run(tiny, MANY, fault)
    ended.broke("SIGKILL")
    assert [(result.tokens, result.outcome) for result in ended.passes] == [(16, "ok")]
    assert gone(fault.pid)


def test_a_segmentation_fault_says_where_it_was(rig: Rig, tiny: ModelSpec) -> None:
    crash = "import ctypes, torch; torch.nn.Linear.forward = lambda *_: ctypes.string_at(0)"
    fault = InSecondPass(rig, lambda: rig.inside(crash))
    ended = rig.run(tiny, MANY, fault)
    ended.broke("SIGSEGV")
    assert isinstance(ended.error, ProbeError)
    last_words = "\n".join(ended.error.stderr_tail)
    assert "Segmentation fault" in last_words and "modeling_llama.py" in last_words
    assert [result.tokens for result in ended.passes] == [16]
    assert gone(fault.pid)


def test_a_probe_that_hangs_in_a_pass_is_ended(rig: Rig, tiny: ModelSpec, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop() -> None:
        monkeypatch.setattr(rig.probe, "_silence_seconds", 2.0)
        os.kill(rig.pid, signal.SIGSTOP)

    fault = InSecondPass(rig, stop)
    ended = rig.run(tiny, MANY, fault)
    monkeypatch.undo()
    ended.broke("has not answered for 2 s")
    assert [result.tokens for result in ended.passes] == [16]
    assert gone(fault.pid)


def test_garbage_between_the_events_ends_it(rig: Rig, tiny: ModelSpec) -> None:
    fault = InSecondPass(rig, lambda: rig.inject_output(b"\x1b[31mwarning: \xff\x00 deprecated\n"))
    ended = rig.run(tiny, MANY, fault)
    ended.broke("spoke nonsense", "deprecated")
    assert [result.tokens for result in ended.passes] == [16]
    assert gone(fault.pid)


def test_a_gpu_that_fails_is_one_line_and_its_process_is_not_used_again(rig: Rig, tiny: ModelSpec) -> None:
    error = "HIP error: unspecified launch failure\nHIP kernel errors might be asynchronously reported\nCompile with…"
    fail = f"import torch\ndef fail(*_): raise RuntimeError({error!r})\ntorch.nn.Linear.forward = fail"
    fault = InSecondPass(rig, lambda: rig.inside(fail))
    ended = rig.run(tiny, MANY, fault)
    ended.broke("the GPU failed (HIP error: unspecified launch failure)", "dmesg")
    assert "asynchronously" not in ended.message
    assert [result.tokens for result in ended.passes] == [16]
    assert gone(fault.pid)


def test_weights_cut_short_in_a_pass(rig: Rig, copied: Path) -> None:
    # PyTorch's CPU build computes with the file's own pages: what is cut off is a bus error.
    fault = InSecondPass(rig, lambda: os.truncate(copied / "model.safetensors", 1000))
    ended = rig.run(find_model(str(copied)), MANY, fault)
    ended.broke("SIGBUS", "copy the file again")
    assert [result.tokens for result in ended.passes] == [16]
    assert gone(fault.pid)


@pytest.mark.parametrize("share", [0.0, 0.5, 0.99])
def test_weights_cut_short_before_the_load(rig: Rig, copied: Path, share: float) -> None:
    spec, file = find_model(str(copied)), copied / "model.safetensors"
    os.truncate(file, int(file.stat().st_size * share))
    ended = rig.run(spec, (16,))
    assert isinstance(ended.error, BadInputError)
    assert "model.safetensors is truncated or damaged" in ended.message
    assert ended.message.endswith("copy the file again")


@pytest.mark.parametrize("what", [".", "config.json", "model.safetensors"])
def test_a_model_that_is_gone_before_the_load(rig: Rig, copied: Path, what: str) -> None:
    spec = find_model(str(copied))
    shutil.rmtree(copied) if what == "." else (copied / what).unlink()
    ended = rig.run(spec, (16,))
    assert isinstance(ended.error, BadInputError)
    assert ended.message == f"the model is not in {copied} any more; copy it back, or choose another"


def test_a_folder_that_goes_in_a_pass_does_no_harm(rig: Rig, copied: Path) -> None:
    fault = InSecondPass(rig, lambda: shutil.rmtree(copied))
    ended = rig.run(find_model(str(copied)), (16, 300, 17), fault)
    assert [result.outcome for result in ended.passes] == ["ok"] * 3


def test_bad_input_keeps_the_process(rig: Rig, tiny: ModelSpec) -> None:
    works(rig, tiny)
    before = rig.pid
    assert isinstance(rig.run(tiny, (16,), pool_bytes=3 * MIB).error, BadInputError)
    assert rig.pid == before


def narrow(rig: Rig, more: int) -> None:
    """Let the probe take so many bytes more, and not one beside, until its next load sets a limit of its own."""
    bound = psutil.Process(rig.pid).memory_info().data + more
    _, hard = resource.prlimit(rig.pid, resource.RLIMIT_DATA)
    resource.prlimit(rig.pid, resource.RLIMIT_DATA, (bound, hard))


def test_host_out_of_memory_while_it_loads(rig: Rig, tiny: ModelSpec, large: ModelSpec) -> None:
    works(rig, tiny)
    before, pid = psutil.Process(rig.pid).memory_info().rss, rig.pid
    ended = rig.run(large, (16,), on_load(lambda: narrow(rig, 100 * MIB)))
    assert isinstance(ended.error, BadInputError)
    assert "allocate memory" in ended.message and ended.message.isprintable()
    assert not ended.began_a_pass
    works(rig, tiny)
    assert rig.pid == pid
    assert psutil.Process(pid).memory_info().rss < before + 100 * MIB  # of the 500 MB that were being loaded


def test_host_out_of_memory_in_a_pass_is_a_result(rig: Rig, tiny: ModelSpec) -> None:
    fault = InSecondPass(rig, lambda: narrow(rig, 20 * MIB))
    # Hundreds of MiB of scores: what the process has kept of earlier loads is far from enough.
    ended = rig.run(tiny, (16, 3000, 17), fault, attention="eager")
    assert ended.error is None, ended.message
    assert [result.outcome for result in ended.passes] == ["ok", "out_of_memory", "ok"]
    assert ended.passes[1].requested_bytes > 0
    works(rig, tiny)
    assert rig.pid == fault.pid


def test_no_memory_for_pytorch_itself() -> None:
    """It ends in many ways, by which library is the first to find none; each of them says that it is memory."""
    with closing(Probe()) as probe:
        with pytest.raises(ProbeError, match=r"(?i)memory.*; try again") as caught:
            for _ in probe.run(record):
                assert probe.pid is not None
                bound = psutil.Process(probe.pid).memory_info().data + 60 * MIB
                resource.prlimit(probe.pid, resource.RLIMIT_DATA, (bound, bound))
        assert str(caught.value).isprintable()
        assert probe.pid is None


def test_out_of_the_pool_tells_the_size_the_rest_and_the_pool(rig: Rig, tiny: ModelSpec) -> None:
    ended = rig.run(tiny, (16, 2000, 16), pool_bytes=8 * MIB)
    first, refused, last = ended.passes
    assert (first.outcome, refused.outcome, last.outcome) == ("ok", "out_of_memory", "ok")
    # What was live when it was refused is the peak, and what is free is the rest of the pool: it is not enough.
    assert refused.peak_bytes + refused.requested_bytes > 8 * MIB >= refused.peak_bytes
    for words in ("Tried to allocate", "The pool is 8.0 MiB", "is free"):
        assert words in refused.message
    assert last.peak_bytes == first.peak_bytes


@contextmanager
def full_disk(folder: Path) -> Iterator[None]:
    """A file system without a free byte, mounted on the folder."""
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", str(folder)], capture_output=True)
    if mounted.returncode:
        pytest.skip("only root can mount a file system to fill")
    try:
        with pytest.raises(OSError, match="No space left"):
            (folder / "filler").write_bytes(bytes(MIB))
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


@contextmanager
def small_files(folder: Path) -> Iterator[None]:
    """No file may have more than 100 bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("fault", [full_disk, small_files])
def test_a_full_disk_costs_the_cache_and_not_the_forecast(
    rig: Rig,
    tiny: ModelSpec,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    fault: Callable[[Path], "contextmanager[None]"],  # type: ignore[valid-type]
) -> None:
    works(rig, tiny)  # the probe is started before the limit, which it would inherit
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    levers = Levers(attention="eager")
    with fault(tmp_path):  # type: ignore[operator]
        tape = get_tape(tiny, tape_key(tiny, CPU, levers), rig.probe)
        assert forecast(tiny, CPU, levers, tape).limit is not None
        assert not cache_folder().exists() or list(cache_folder().iterdir()) == []


def record(number: int) -> Record:
    return Record(number, load_preset("gpt2"), TapeKey(dtype="fp16", attention="eager"))


@contextmanager
def with_helper(folder: Path) -> Iterator[tuple[Probe, Callable[[], int]]]:
    """A probe that has started a helper which left its process group and holds its pipes; and the helper's id."""
    note = folder / "helper"
    script = f"setsid sh -c 'echo $$ > {note}.part; mv {note}.part {note}; exec sleep 300' & exec \"$@\""
    with closing(Probe(command=("sh", "-c", script, "sh", *COMMAND))) as probe:

        def helper() -> int:
            patient(note.exists)
            return int(note.read_text())

        yield probe, helper


def patient(condition: Callable[[], bool]) -> None:
    until = monotonic() + 60
    wait = threading.Event()
    while not condition():
        assert monotonic() < until
        wait.wait(0.01)


def test_cancel_ends_helpers_that_left_the_process_group(tmp_path: Path) -> None:
    with with_helper(tmp_path) as (probe, helper):
        with pytest.raises(CancelledError):
            for _ in probe.run(record):
                pid = helper()
                os.kill(probe.pid or 0, signal.SIGSTOP)
                probe.cancel()
        patient(lambda: gone(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)


@pytest.mark.flaky(reruns=2)  # the clock of a busy machine: a promise in seconds is kept in one of three runs
def test_a_dead_probe_whose_pipes_another_process_holds_is_seen_at_once(tmp_path: Path) -> None:
    with with_helper(tmp_path) as (probe, helper):
        pid = 0
        try:
            with pytest.raises(ProbeError, match="SIGKILL"):
                for _ in probe.run(record):
                    pid, killed = helper(), monotonic()
                    os.kill(probe.pid or 0, signal.SIGKILL)
            assert monotonic() - killed < KILLED_SECONDS
        finally:
            os.kill(pid, signal.SIGKILL)


def test_a_probe_that_closes_its_output_and_goes_on_is_ended(tmp_path: Path) -> None:
    # Below Python: its own standard output would be closed again at the end.
    body = "import os, time; os.close(1); time.sleep(300)"
    with closing(Probe(command=(sys.executable, "-c", body))) as probe:
        with pytest.raises(ProbeError, match="closed its output"):
            list(probe.run(record))
        assert probe.pid is None


@pytest.mark.flaky(reruns=2)  # the clock of a busy machine: a promise in seconds is kept in one of three runs
def test_a_window_that_closes_on_a_stopped_probe_does_not_wait_for_it(qapp: QApplication) -> None:
    bridge, stopped = Bridge(), threading.Event()
    pids: list[int] = []

    def work(probe: Probe, on_event: Callable[[Event], None]) -> None:
        for event in probe.run(record):
            if not pids:
                assert probe.pid is not None
                pids.append(probe.pid)
                os.kill(probe.pid, signal.SIGSTOP)
                stopped.set()
            on_event(event)

    threads = set(threading.enumerate())
    bridge.start(work, fresh=True)
    assert stopped.wait(60)
    asked = monotonic()
    bridge.close()
    assert monotonic() - asked < KILLED_SECONDS
    assert gone(pids[0]) and set(threading.enumerate()) <= threads


def test_starting_and_cancelling_200_times_leaks_nothing(tmp_path: Path) -> None:
    me, environment = psutil.Process(), {**os.environ, "TMPDIR": str(tmp_path)}

    def cycle(number: int) -> None:
        probe = Probe(environment)
        # At different moments of the start; every fiftieth when PyTorch is being imported, which has to be killed.
        timer = threading.Timer(0.01 + number % 8 * 0.01, probe.cancel)

        def request(identity: int) -> Record:
            if number % 50:
                timer.start()
            return record(identity)

        with closing(probe), pytest.raises(CancelledError):
            for _ in probe.run(request):
                probe.cancel()
        if number % 50:
            timer.join()

    cycle(1)
    before = me.num_fds(), set(threading.enumerate()), set(me.children(recursive=True))
    for number in range(200):
        cycle(number)
    files, threads, children = before
    assert me.num_fds() <= files  # fewer where what earlier tests left open was closed meanwhile
    assert (set(threading.enumerate()), set(me.children(recursive=True))) == (threads, children)
    assert list(tmp_path.iterdir()) == []
