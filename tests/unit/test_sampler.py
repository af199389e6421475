"""The sampler: GPUs whose files change, fail and go away, many readers, and a ring that is full."""

import math
import os
import shutil
import sys
import threading
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import psutil
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parents[1] / "data"))
import device_trees as trees
from device_trees import GIB, MIB, Gpu, Machine

from vramtuner.core.device.find import cpu_device
from vramtuner.core.device.gauges import SCAN_SECONDS, Reading, number_of, partition_used
from vramtuner.core.device.holders import DrmClient, clients_bytes
from vramtuner.core.device.inventory import local_gpus
from vramtuner.core.device.ring import EventLog, Ring
from vramtuner.core.device.roots import Roots, kib_value, parse_number
from vramtuner.core.device.sampler import Sample, Sampler, is_change, next_interval, row_of
from vramtuner.core.device.spec import Device
from vramtuner.core.device.sysfs import LiveFacts, live_facts, parse_celsius, parse_percent, parse_watts
from vramtuner.core.errors import BadInputError

PID = 4711
SLOT = trees.W6800.slot


class Tree:
    """A machine in a folder, whose files change while it is sampled."""

    def __init__(self, folder: Path, machine: Machine) -> None:
        self.folder = trees.write(machine, folder)
        self.roots = Roots.under(folder)
        self.devices = local_gpus(self.roots)
        self.cards = folder / "sys/devices/pci0000:00"

    def put(self, name: str, text: str, slot: str = SLOT) -> None:
        """Change a card's file at once, as the kernel does: in place, and never empty in between."""
        with (self.cards / slot / name).open("r+b") as file:
            os.pwrite(file.fileno(), text.ljust(40).encode(), 0)

    def sampler(self, device: Device | None = None, **more: object) -> Sampler:
        return Sampler(device or self.devices[0], self.roots, pid=PID, **more)


@pytest.fixture
def one(tmp_path: Path) -> Tree:
    card = replace(trees.W6800, extra={"gpu_busy_percent": "37\n"})
    return Tree(tmp_path / "machine", Machine((card,), {PID: {33333: 3 * MIB}, 9: {33333: 5 * MIB}}))


def until(happens: Callable[[], bool]) -> None:
    """Wait for something that must happen; only a failure takes long."""
    give_up = time.monotonic() + 60
    while not happens():
        assert time.monotonic() < give_up, "it did not happen within a minute"
        time.sleep(0.002)


def kinds(sampler: Sampler) -> list[str]:
    return [event.kind for event in sampler.events()[0]]


# One sample ------------------------------------------------------------------------------------------------------


def test_a_sample_has_the_cards_counters_and_the_processs_bytes(one: Tree) -> None:
    before = time.monotonic()
    sample = one.sampler().take()
    assert before <= sample.seconds <= time.monotonic()
    assert (sample.vram_used_bytes, sample.gtt_used_bytes) == (16 * MIB, 8 * MIB)
    assert (sample.busy_percent, sample.own_bytes, sample.peak_bytes) == (37, 3 * MIB, None)


def test_a_change_is_seen_by_the_next_sample(one: Tree) -> None:
    sampler = one.sampler()
    for step in (1, 20, 300, 4):
        one.put("mem_info_vram_used", str(step * MIB))
        one.put("mem_info_gtt_used", str(step * MIB + 1))
        sample = sampler.take()
        assert (sample.vram_used_bytes, sample.gtt_used_bytes) == (step * MIB, step * MIB + 1)
    assert sampler.read().vram_used.tolist() == [step * MIB for step in (1, 20, 300, 4)]
    assert kinds(sampler) == []


def test_what_a_card_does_not_have_is_unknown_and_no_event(tmp_path: Path) -> None:
    tree = Tree(tmp_path / "machine", Machine((trees.W6800,)))
    sampler = tree.sampler()
    assert (sampler.take().busy_percent, sampler.take().own_bytes) == (None, None)
    assert np.isnan(sampler.read().busy).all()
    assert kinds(sampler) == []


def test_a_card_that_sleeps_is_not_asked_for_its_load(one: Tree) -> None:
    (one.cards / SLOT / "power").mkdir()
    (one.cards / SLOT / "power/runtime_status").write_text("suspended\n")
    assert one.sampler().take().busy_percent == 0  # the file says 37


def test_an_apus_allocations_are_in_its_gtt(tmp_path: Path) -> None:
    tree = Tree(tmp_path / "machine", Machine((trees.STRIX_HALO,)))
    trees.add_process(tree.folder, PID, "llama", 0, [(128, trees.fdinfo(trees.STRIX_HALO.slot, 7, 5 * MIB, 24 * GIB))])
    sample = tree.sampler().take()
    assert (sample.vram_used_bytes, sample.gtt_used_bytes) == (300 * MIB, 25 * GIB)
    assert sample.own_bytes == 24 * GIB


@pytest.mark.parametrize("used", [12 * GIB, 187 * GIB - 16 * MIB])
def test_a_partition_is_used_as_the_inventory_says(tmp_path: Path, used: int) -> None:
    usage = {PID: {30000: 10 * GIB, 30001: 0}, 9: {30000: GIB}}
    tree = Tree(tmp_path / "machine", Machine((trees.mi300x(8, used=used),), usage))
    for device in tree.devices[:2]:
        sample = tree.sampler(device).take()
        assert sample.vram_used_bytes == device.vram_used_bytes
    assert tree.sampler(tree.devices[0]).take().own_bytes == 10 * GIB


def test_a_process_that_starts_on_a_partition_is_counted(tmp_path: Path) -> None:
    tree = Tree(tmp_path / "machine", Machine((trees.mi300x(8),), {9: {30003: GIB}}))
    sampler = tree.sampler(tree.devices[3])
    assert sampler.take().vram_used_bytes == GIB
    shutil.copytree(tree.roots.sys / "class/kfd/kfd/proc/9", tree.roots.sys / "class/kfd/kfd/proc/10")
    until(lambda: sampler.take().vram_used_bytes == 2 * GIB)
    shutil.rmtree(tree.roots.sys / "class/kfd/kfd/proc/9")
    until(lambda: sampler.take().vram_used_bytes == GIB)


@given(*(st.integers(0, 2**50),) * 4)
def test_a_partitions_use_is_between_nothing_and_all(total: int, whole: int, used: int, own: int) -> None:
    assert 0 <= partition_used(total, whole, used, own) <= total


def test_own_bytes_without_kfd_are_those_of_its_graphics_clients(tmp_path: Path) -> None:
    tree = Tree(tmp_path / "machine", Machine((trees.W6800, trees.W7900), kfd=False))
    text, other = trees.fdinfo(SLOT, 5, 64 * MIB), trees.fdinfo(trees.W7900.slot, 5, GIB)
    process = trees.add_process(tree.folder, PID, "game", 0, [(128, text), (128, text), (129, other)])
    sampler = tree.sampler()
    assert sampler.take().own_bytes == 64 * MIB  # one client, opened twice
    (process / "fd/9").symlink_to("/dev/dri/renderD128")
    (process / "fdinfo/9").write_text(trees.fdinfo(SLOT, 6, 2 * MIB))
    until(lambda: sampler.take().own_bytes == 66 * MIB)
    shutil.rmtree(process)
    until(lambda: sampler.take().own_bytes is None)
    assert kinds(sampler) == []


def test_a_process_without_graphics_holds_nothing(tmp_path: Path) -> None:
    tree = Tree(tmp_path / "machine", Machine((trees.W6800,)))
    trees.add_process(tree.folder, PID, "cat", 0)
    assert tree.sampler().take().own_bytes == 0


def test_kfds_count_is_not_taken_for_an_id_of_another_namespace(one: Tree) -> None:
    (one.roots.proc / "self/ns").mkdir(parents=True)
    (one.roots.proc / "self/ns/pid").symlink_to("pid:[4026531836]")
    assert one.sampler().take().own_bytes == 3 * MIB
    (one.roots.proc / "self/ns/pid").unlink()
    (one.roots.proc / "self/ns/pid").symlink_to("pid:[4026532700]")
    assert one.sampler().take().own_bytes is None


def test_clients_without_an_id_count_once() -> None:
    clients = [DrmClient(SLOT, None, 5, 1), DrmClient(SLOT, None, 9, 2), DrmClient(SLOT, 1, 4, 3)]
    assert (clients_bytes(clients, gtt=False), clients_bytes(clients, gtt=True)) == (13, 5)


# Failing and going away ------------------------------------------------------------------------------------------


def test_a_file_that_goes_and_comes_back_is_two_events(one: Tree) -> None:
    sampler, file = one.sampler(), one.cards / SLOT / "mem_info_vram_used"
    sampler.take()
    file.rename(file.with_name("elsewhere"))
    until(lambda: sampler.take().vram_used_bytes is None)
    assert [sampler.take().vram_used_bytes for _ in range(5)] == [None] * 5
    assert sampler.take().gtt_used_bytes == 8 * MIB  # the rest goes on
    file.with_name("elsewhere").rename(file)
    until(lambda: sampler.take().vram_used_bytes == 16 * MIB)
    failed, returned = sampler.events()[0]
    assert (failed.kind, returned.kind) == ("read_failed", "returned")
    assert "mem_info_vram_used of GPU 0000:03:00.0 cannot be read (No such file or directory)" in failed.text
    assert failed.seconds <= returned.seconds


@pytest.mark.parametrize("name", ["mem_info_vram_used", "mem_info_gtt_used", "gpu_busy_percent"])
@pytest.mark.parametrize("content", ["", "-1\n", "N/A\n", "9" * 30, "\0"])
def test_nonsense_in_a_file_is_an_event(one: Tree, name: str, content: str) -> None:
    (one.cards / SLOT / name).write_text(content)
    sampler = one.sampler()
    sampler.take()
    (event,) = sampler.events()[0]
    assert event.kind == "read_failed"
    assert f"{name} of GPU" in event.text
    assert "it holds no number" in event.text


def test_a_folder_or_a_pipe_in_the_place_of_a_file_is_an_event(one: Tree) -> None:
    for name, make in (("mem_info_vram_used", Path.mkdir), ("mem_info_gtt_used", os.mkfifo)):
        (one.cards / SLOT / name).unlink()
        make(one.cards / SLOT / name)
    sampler = one.sampler()
    sample = sampler.take()
    assert (sample.vram_used_bytes, sample.gtt_used_bytes) == (None, None)
    assert kinds(sampler) == ["read_failed"] * 2


def test_a_gpu_that_is_unbound_vanishes_and_returns_under_another_number(one: Tree) -> None:
    sampler, drm = one.sampler(), one.roots.sys / "class/drm"
    sampler.take()
    for name in ("card0", "renderD128"):
        (drm / name).rename(one.folder / name)
    until(lambda: sampler.take().vram_used_bytes is None)
    assert sampler.take().own_bytes == 3 * MIB
    (one.folder / "card0").rename(drm / "card7")
    one.put("mem_info_vram_used", "12345")
    until(lambda: sampler.take().vram_used_bytes == 12345)
    vanished, returned = sampler.events()[0]
    assert (vanished.kind, returned.kind) == ("vanished", "returned")
    assert "GPU 0000:03:00.0 is not among amdgpu's devices" in vanished.text
    assert "must be started again" in returned.text


def test_a_gpu_that_was_away_from_the_start_is_found_later(one: Tree) -> None:
    (one.roots.sys / "class/drm").rename(one.folder / "drm")
    sampler = one.sampler()
    assert sampler.take() == Sample(sampler.latest.seconds if sampler.latest else 0, own_bytes=3 * MIB)
    (one.folder / "drm").rename(one.roots.sys / "class/drm")
    until(lambda: sampler.take().vram_used_bytes == 16 * MIB)
    assert kinds(sampler) == ["vanished", "returned"]


def test_events_that_repeat_are_counted_and_none_is_lost(one: Tree) -> None:
    sampler, seen, cursor = one.sampler(), 0, 0
    for round_ in range(400):
        one.put("mem_info_vram_used", "nonsense" if round_ % 2 == 0 else str(MIB))
        sampler.take()
        if round_ < 200:  # a reader that keeps up sees each once
            events, cursor = sampler.events(cursor)
            seen += len(events)
    events, total = sampler.events()
    assert (seen, total, sum(event.count for event in events)) == (200, 400, 400)
    assert len(events) <= 256
    assert {event.kind for event in events} == {"read_failed", "returned"}


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["read_failed", "returned"]), st.integers(0, 4))), st.integers(1, 12))
def test_the_log_is_bounded_by_its_texts_and_adds_up(added: list[tuple[str, int]], kept: int) -> None:
    log = EventLog(kept)
    for number, (kind, text) in enumerate(added):
        log.add(number, kind, str(text))  # type: ignore[arg-type]
    events, cursor = log.read()
    assert cursor == len(added) == sum(event.count for event in events)
    assert len(events) <= kept + 10
    assert [event.seconds for event in events] == sorted(event.seconds for event in events)
    assert log.read(cursor)[0] == ()


# The thread ------------------------------------------------------------------------------------------------------


def test_the_thread_samples_until_it_is_stopped(one: Tree) -> None:
    sampler = one.sampler(hz=500)
    with sampler:
        until(lambda: sampler.read().next >= 20)
        with pytest.raises(RuntimeError, match="runs"):
            sampler.take()
        sampler.start()  # nothing more
    count = sampler.read().next
    sampler.stop()
    assert [thread.name for thread in threading.enumerate()].count("vramtuner-sampler") == 0
    assert sampler.read().next == count
    seconds = sampler.read().seconds
    assert (np.diff(seconds) > 0).all()
    assert seconds[-1] == (sampler.latest.seconds if sampler.latest else None)
    with sampler:
        until(lambda: sampler.read().next > count + 3)


def test_a_ramp_is_seen_in_order_by_many_readers(one: Tree) -> None:
    sampler, stop = one.sampler(hz=1000), threading.Event()
    collected: list[list[float]] = [[] for _ in range(6)]

    def follow(values: list[float]) -> None:
        cursor = 0
        while True:
            last = stop.is_set()
            new = sampler.read(cursor)
            assert new.lost == 0
            cursor = new.next
            values += new.vram_used.tolist()
            if last:
                return
            time.sleep(0.001)  # as a window does between two frames

    readers = [threading.Thread(target=follow, args=(values,)) for values in collected]
    with sampler:
        for reader in readers:
            reader.start()
        for step in range(16 * MIB, 16 * MIB + 100):
            one.put("mem_info_vram_used", str(step))
            until(lambda step=step: sampler.latest is not None and sampler.latest.vram_used_bytes == step)
    stop.set()
    for reader in readers:
        reader.join()
    whole = sampler.read().vram_used.tolist()
    assert all(values == whole for values in collected)
    assert sorted(set(whole)) == list(range(16 * MIB, 16 * MIB + 100))
    assert whole == sorted(whole)


def test_a_peak_between_samples_is_not_lost(one: Tree) -> None:
    lock, held = threading.Lock(), [0, 0]  # now, and the most since it was asked

    def allocate(size: int) -> None:
        with lock:
            held[0] += size
            held[1] = max(held[1], held[0])

    def mark() -> int:
        with lock:
            most, held[1] = held[1], held[0]
        return most

    sampler = one.sampler(high_water=mark)
    with sampler:
        for spike in range(1, 200):
            allocate(spike * MIB)
            allocate(-spike * MIB)
        allocate(5 * GIB)
        allocate(-5 * GIB)
    assert np.nanmax(sampler.read().peak) == 5 * GIB
    assert mark() == 0  # the last sample took it


def test_a_mark_that_fails_is_an_event_and_sampling_goes_on(one: Tree) -> None:
    answers: list[object] = [5, ZeroDivisionError(), "nonsense", 7]

    def mark() -> int:
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer  # type: ignore[return-value]

    sampler = one.sampler(high_water=mark)
    assert [sampler.take().peak_bytes for _ in range(4)] == [5, None, None, 7]
    assert kinds(sampler) == ["read_failed", "returned"]
    assert "(ZeroDivisionError)" in sampler.events()[0][0].text


def test_no_exception_ends_the_thread(one: Tree) -> None:
    sampler = one.sampler(hz=500)
    with sampler:
        until(lambda: sampler.read().next > 3)
        shutil.rmtree(one.folder)
        until(lambda: sampler.latest is not None and sampler.latest.own_bytes is None)
        count = sampler.read().next
        until(lambda: sampler.read().next > count + 5)
    assert kinds(sampler) == ["vanished"]


def test_descriptors_are_closed_and_memory_stays_the_same(one: Tree) -> None:
    def descriptors() -> int:
        return len(os.listdir("/proc/self/fd"))  # noqa: PTH208

    before = descriptors()
    sampler = one.sampler(hz=1000, seconds=0.2)
    for _ in range(300):  # the ring goes round, and all is there that there will be
        sampler.take()
    tracemalloc.start()
    try:
        size, (start, _) = sampler.memory_bytes, tracemalloc.get_traced_memory()
        for _ in range(6000):
            sampler.take()
        grown = tracemalloc.get_traced_memory()[0] - start
    finally:
        tracemalloc.stop()
    assert sampler.memory_bytes == size == 201 * 6 * 8
    assert grown < 20_000  # a sample that stayed would be 1 MB in all
    open_before, opened = before, descriptors()
    with sampler:
        until(lambda: sampler.read().next > 6400)
    assert (opened > open_before, descriptors()) == (True, before)


@given(st.floats(0.005, 0.1), st.booleans(), st.floats(0, 1))
def test_the_wait_is_between_the_two_rates_and_pays_for_a_sample(interval: float, changed: bool, cost: float) -> None:
    wait = next_interval(interval, changed, cost)
    assert 0.005 <= wait <= 0.1
    assert wait >= min(100 * cost, 0.1) - 1e-12
    if not changed:
        assert wait >= min(interval, 0.1)


def test_the_rate_rises_at_once_and_falls_in_half_a_second() -> None:
    assert next_interval(0.1, True, 0) == 0.005
    waits = [0.005]
    while waits[-1] < 0.1:
        waits.append(next_interval(waits[-1], False, 0))
    assert 0.3 < sum(waits) < 0.6


def test_what_counts_as_a_change() -> None:
    rest = Reading(10 * MIB, MIB, 5, 0, 7 * MIB)
    assert not is_change(rest, Reading(10 * MIB + 4096, MIB, 99, 0, 7 * MIB))
    assert is_change(rest, Reading(11 * MIB, MIB, 5, 0, 7 * MIB))
    assert is_change(rest, Reading(10 * MIB, MIB, 5, MIB, 7 * MIB))
    assert is_change(rest, Reading(10 * MIB, MIB, 5, 0, 9 * MIB))
    assert is_change(rest, Reading(None, MIB, 5, 0, 7 * MIB))
    assert is_change(rest, Reading(10 * MIB, MIB, 5, None, 7 * MIB))
    assert not is_change(rest, Reading(10 * MIB, MIB, 5, 0, None))


def test_while_nothing_changes_sampling_slows_down(one: Tree) -> None:
    with one.sampler() as sampler:
        until(lambda: sampler.read().next >= 24)
    seconds = sampler.read().seconds
    assert seconds[-1] - seconds[0] > 0.5  # 1.4 s or more, and at the fastest rate 0.12 s


# The ring --------------------------------------------------------------------------------------------------------


@given(st.integers(1, 40), st.lists(st.tuples(st.integers(0, 60), st.integers(-5, 200)), max_size=12))
def test_a_reader_gets_what_is_there_and_knows_what_it_missed(capacity: int, steps: list[tuple[int, int]]) -> None:
    ring, written = Ring(capacity), 0
    size = ring.memory_bytes
    for more, cursor in steps:
        for number in range(written, written + more):
            ring.append([number] * 6)
        written += more
        got = ring.read(cursor)
        start = min(max(cursor, 0), written)
        kept = list(range(max(start, written - capacity), written))
        assert got.seconds.tolist() == got.peak.tolist() == kept
        assert (got.lost, got.next) == (written - start - len(kept), written)
    assert ring.memory_bytes == size


def test_readers_beside_a_fast_writer_never_see_half_a_row() -> None:
    ring, done, wrong = Ring(50), threading.Event(), []

    def follow() -> None:
        cursor = seen = lost = 0
        while not done.is_set():
            got = ring.read(cursor)
            rows = np.stack([got.seconds, got.vram_used, got.gtt_used, got.busy, got.own, got.peak])
            expected = np.arange(cursor + got.lost, got.next)
            if not (rows == expected).all():
                wrong.append(rows)
            cursor, seen, lost = got.next, seen + len(expected), lost + got.lost
        if seen + lost != cursor:
            wrong.append((seen, lost, cursor))

    readers = [threading.Thread(target=follow) for _ in range(4)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        for reader in readers:
            reader.start()
        for number in range(30_000):
            ring.append((number,) * 6)
    finally:
        done.set()
        for reader in readers:
            reader.join()
        sys.setswitchinterval(interval)
    assert wrong == []


def test_a_sample_keeps_every_byte_in_the_ring() -> None:
    row = row_of(1.5, Reading(2**53 - 1, None, 3, 4, None))
    assert row[:2] == (1.5, float(2**53 - 1))
    assert int(row[1]) == 2**53 - 1
    assert math.isnan(row[2])


def test_what_was_overwritten_is_said(one: Tree) -> None:
    sampler = one.sampler(hz=100, seconds=0.1)
    for _ in range(25):
        sampler.take()
    assert (len(sampler.read().seconds), sampler.read().lost, sampler.read(20).lost) == (10, 15, 0)


# The stand-in ----------------------------------------------------------------------------------------------------


def test_the_stand_ins_memory_is_ram_and_resident_bytes() -> None:
    device = cpu_device()
    sample = Sampler(device).take()
    assert sample.vram_used_bytes is not None
    assert abs(sample.vram_used_bytes - psutil.virtual_memory().used) < device.vram_bytes / 10
    resident = psutil.Process().memory_info().rss
    assert sample.own_bytes is not None
    assert abs(sample.own_bytes - resident) < 64 * MIB
    assert (sample.gtt_used_bytes, sample.busy_percent) == (None, None)


def test_a_spike_of_resident_bytes_is_seen_after_it_is_over() -> None:
    sampler = Sampler(cpu_device())
    sampler.take()
    before = psutil.Process().memory_info().rss
    # Past the highest mark that this process may have from earlier tests.
    with Path("/proc/self/status").open("rb") as file:
        highest = kib_value(file.read(), b"VmHWM:")
    if highest is None:
        pytest.skip("this kernel keeps no mark of the resident bytes")
    spike = bytearray(highest - before + 96 * MIB)
    spike[::4096] = b"y" * len(spike[::4096])
    del spike
    peak = sampler.take().peak_bytes
    assert peak is not None
    assert peak >= highest + 32 * MIB


def test_a_process_that_ended_has_no_bytes(tmp_path: Path) -> None:
    (tmp_path / "7").mkdir()
    (tmp_path / "meminfo").write_text("MemTotal:       1000 kB\nMemFree:  1 kB\nMemAvailable:    400 kB\n")
    (tmp_path / "7/status").write_text("Name:\tx\nVmHWM:\t  30 kB\nVmRSS:\t  20 kB\n")
    sampler = Sampler(cpu_device(), Roots(tmp_path, tmp_path, tmp_path), pid=7)
    assert (sampler.take().vram_used_bytes, sampler.take().own_bytes) == (600 * 1024, 20 * 1024)
    (tmp_path / "7/status").unlink()
    until(lambda: sampler.take().own_bytes is None)
    (tmp_path / "meminfo").write_text("nonsense")
    assert sampler.take().vram_used_bytes is None
    assert kinds(sampler) == ["read_failed"]


@given(st.binary(max_size=40) | st.integers(-9, 2**70).map(lambda number: f"{number}\n".encode()))
def test_a_number_in_bytes_is_the_number_in_text(data: bytes) -> None:
    number = number_of(data)
    assert number is None or 0 <= number < 2**63
    if data.isascii():
        assert number == parse_number(data.strip().decode())


@given(st.binary(max_size=200))
def test_any_bytes_are_a_size_or_none(data: bytes) -> None:
    for text in (data, b"VmRSS:" + data, data + b"\nVmRSS:\t" + data):
        size = kib_value(text, b"VmRSS:")
        assert size is None or (size >= 0 and size % 1024 == 0)


# What is asked for -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"hz": 0}, "0 samples a second"),
        ({"hz": -1}, "-1 samples a second"),
        ({"hz": 1e6}, "1e\\+06 samples a second"),
        ({"hz": math.nan}, "nan samples a second"),
        ({"seconds": 0}, "0 s of samples"),
        ({"seconds": math.inf}, "inf s of samples"),
        ({"seconds": math.nan}, "nan s of samples"),
        ({"hz": 1000, "seconds": 3000}, "at most 2000 s"),
    ],
)
def test_impossible_numbers_are_refused(options: dict[str, float], message: str) -> None:
    with pytest.raises(BadInputError, match=message):
        Sampler(cpu_device(), **options)  # type: ignore[arg-type]


def test_a_card_of_the_catalogue_cannot_be_sampled() -> None:
    card = Device(key="w7900", name="Radeon PRO W7900", kind="catalogue", vram_bytes=48 * GIB, source="nominal")
    with pytest.raises(BadInputError, match="not in this machine"):
        Sampler(card)


def test_ten_minutes_at_the_fastest_rate_fit(tmp_path: Path) -> None:
    bare = Gpu("0000:05:00.0", 0x6613, 0x00, 2 * GIB)
    tree = Tree(tmp_path / "machine", Machine((bare,)))
    assert tree.sampler().memory_bytes == (600 * 200 + 1) * 6 * 8
    assert SCAN_SECONDS <= 1


# Live facts ------------------------------------------------------------------------------------------------------

# As a Vega 56 and a Strix Point were captured.
_VEGA = {
    "temp1_label": "edge\n", "temp1_input": "38000\n", "temp2_label": "junction\n", "temp2_input": "39500\n",
    "temp3_label": "mem\n", "temp3_input": "41000\n", "power1_average": "8000000\n",
}  # fmt: skip
_STRIX = {"temp1_label": "edge\n", "temp1_input": "38000\n", "power1_input": "9087000\n"}


def test_a_card_tells_its_window_load_temperatures_and_power(tmp_path: Path) -> None:
    extra = {
        "mem_info_vis_vram_total": "268435456\n", "mem_info_vis_vram_used": "16613376\n", "gpu_busy_percent": "3\n",
    }  # fmt: skip
    tree = Tree(tmp_path / "machine", Machine((replace(trees.W6800, extra=extra), trees.STRIX_HALO)))
    trees.sensors(tree.folder, SLOT, {"name": "nvme\n", "temp1_label": "edge\n", "temp1_input": "1000\n"}, number=2)
    monitor = trees.sensors(tree.folder, SLOT, _VEGA)
    trees.sensors(tree.folder, trees.STRIX_HALO.slot, _STRIX)
    card, apu = tree.devices
    expected = LiveFacts(
        vis_vram_total_bytes=256 * MIB,
        vis_vram_used_bytes=16_613_376,
        busy_percent=3,
        edge_celsius=38.0,
        junction_celsius=39.5,
        power_watts=8.0,
    )
    assert live_facts(card, tree.roots) == expected
    assert live_facts(apu, tree.roots) == LiveFacts(edge_celsius=38.0, power_watts=9.087)
    (monitor / "power1_average").write_text("4294967274\n")  # -22, an error, as some kernels wrote it
    assert live_facts(card, tree.roots).power_watts is None


def test_a_card_that_sleeps_is_left_alone(one: Tree) -> None:
    (one.cards / SLOT / "power").mkdir()
    (one.cards / SLOT / "power/runtime_status").write_text("suspended\n")
    trees.sensors(one.folder, SLOT, _VEGA)
    assert live_facts(one.devices[0], one.roots) == LiveFacts(suspended=True)


def test_what_is_no_card_tells_nothing(one: Tree) -> None:
    assert live_facts(cpu_device(), one.roots) == LiveFacts()
    shutil.rmtree(one.roots.sys)
    assert live_facts(one.devices[0], one.roots) == LiveFacts()


@pytest.mark.parametrize(
    ("text", "percent", "celsius", "watts"),
    [
        ("0\n", 0, 0.0, 0.0),
        ("100", 100, 0.1, 0.0001),
        ("101", None, 0.101, 0.000101),
        ("-5000\n", None, -5.0, None),
        ("200001", None, None, 0.200001),
        ("4000000000", None, None, None),
        ("٣", None, None, None),
        ("", None, None, None),
        (None, None, None, None),
    ],
)
def test_readings_of_sensors(text: str | None, percent: int | None, celsius: float | None, watts: float | None) -> None:
    assert (parse_percent(text), parse_celsius(text), parse_watts(text)) == (percent, celsius, watts)


@given(st.binary(max_size=40) | st.integers(-(2**40), 2**40).map(lambda number: f"{number}\n".encode()))
def test_any_bytes_are_a_reading_or_none(data: bytes) -> None:
    text = data.decode("utf-8", errors="replace")
    percent, celsius, watts = parse_percent(text), parse_celsius(text), parse_watts(text)
    assert percent is None or 0 <= percent <= 100
    assert celsius is None or -100 <= celsius <= 200
    assert watts is None or 0 <= watts < 4000
