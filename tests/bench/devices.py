"""Time of the inventory and of the table of who holds memory: 8 GPUs, 400 processes, files in a temporary folder.

``python devices.py [ROUNDS]`` prints milliseconds of processor time, the kernel's included: the best of the rounds.
Every process has compute and graphics descriptors on every GPU.  Then the sampler's: microseconds of one sample (the
median), and its share of a core at 100 Hz, the thread's waking included.  Files in a folder are as quick to read as
the kernel's counters of memory; the load, which a card's firmware answers, is not.

``python devices.py --minutes 10`` samples a GPU at 100 Hz for so long, while its memory changes and cannot be read by
turns, four times a second: prints what the process grew by, and each change, event and sample that was missed.
"""

import argparse
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

import psutil

sys.path.insert(0, str(Path(__file__).parents[1] / "data"))

from device_trees import MIB, Machine, add_process, fdinfo, mi210, mi300x, write

from vramtuner.core.device.find import cpu_device
from vramtuner.core.device.holders import holders
from vramtuner.core.device.inventory import local_gpus
from vramtuner.core.device.roots import HERE, Roots
from vramtuner.core.device.sampler import Sampler
from vramtuner.core.device.spec import Device

GPUS, PROCESSES, FIRST_PID = 8, 400, 5000
SAMPLES, SHARE_HZ, SHARE_SECONDS = 3000, 100, 4.0


def make(folder: Path) -> Roots:
    """The tree."""
    gpus = tuple(mi210(number) for number in range(-1, GPUS - 1))
    ids = [gpu.nodes[0].gpu_id for gpu in gpus]
    pids = range(FIRST_PID, FIRST_PID + PROCESSES)
    usage = {pid: {gpu_id: MIB if index == pid % GPUS else 0 for index, gpu_id in enumerate(ids)} for pid in pids}
    write(Machine(gpus, usage), folder)
    for pid in pids:
        clients = [(128 + index, fdinfo(gpu.slot, pid * GPUS + index, 64 * 1024)) for index, gpu in enumerate(gpus)]
        add_process(folder, pid, "python3", 0, clients)
    return Roots.under(folder)


def sampling(label: str, device: Device, roots: Roots = HERE, pid: int | None = None) -> None:
    """One device's costs."""
    sampler = Sampler(device, roots, hz=SHARE_HZ, pid=pid)
    spent = []
    for _ in range(SAMPLES):
        started = time.perf_counter()
        sampler.take()
        spent.append(time.perf_counter() - started)
    with sampler:
        started, before = time.monotonic(), time.process_time()
        time.sleep(SHARE_SECONDS)
        share = (time.process_time() - before) / (time.monotonic() - started)
    middle, slowest = 1e6 * statistics.median(spent), 1e6 * statistics.quantiles(spent, n=100)[-1]
    print(  # noqa: T201
        f"sample of {label}: {middle:.0f} us (1 % take more than {slowest:.0f} us), {100 * share:.2f} % of a core at"
        f" {SHARE_HZ} Hz, {sampler.memory_bytes / MIB:.1f} MiB for ten minutes"
    )


def waiting() -> None:
    """What a thread costs that only wakes up as often: the floor, which is the machine's."""
    before, end = time.process_time(), time.monotonic() + SHARE_SECONDS
    while time.monotonic() < end:
        time.sleep(1 / SHARE_HZ)
    print(f"waking alone: {100 * (time.process_time() - before) / SHARE_SECONDS:.2f} % of a core")  # noqa: T201


def samplings(folder: Path) -> None:
    """A GPU by KFD's count, a GPU by a process's graphics descriptors, a partition, the stand-in."""
    gpu = mi210(0)
    minor = gpu.nodes[0].minor
    one = write(Machine((gpu,), {FIRST_PID: {gpu.nodes[0].gpu_id: MIB}}), folder / "one")
    clients = [(minor, fdinfo(gpu.slot, number, MIB)) for number in range(4)]
    add_process(one, FIRST_PID + 1, "game", 0, clients)
    parts = write(Machine((mi300x(8),), {pid: {30000: MIB} for pid in range(FIRST_PID, FIRST_PID + 8)}), folder / "8")
    roots, split = map(Roots.under, (one, parts))
    (device,) = local_gpus(roots)
    waiting()
    sampling("a GPU", device, roots, FIRST_PID)
    sampling("a GPU and 4 graphics clients", device, roots, FIRST_PID + 1)
    sampling("a partition with 8 processes", local_gpus(split)[0], split, FIRST_PID)
    sampling("the CPU stand-in", cpu_device())


def long_run(minutes: float, folder: Path) -> int:
    """Sample for minutes; the number of changes, events and samples that were missed."""
    gpu = mi210(0)
    roots = Roots.under(write(Machine((gpu,), {FIRST_PID: {gpu.nodes[0].gpu_id: MIB}}), folder / "one"))
    (device,) = local_gpus(roots)
    counter = os.open(roots.sys / "devices/pci0000:00" / gpu.slot / "mem_info_vram_used", os.O_WRONLY)
    sampler = Sampler(device, roots, hz=SHARE_HZ, pid=FIRST_PID, seconds=60 * minutes)
    process, before, steps, lost, gap, last = psutil.Process(), 0, 0, 0, 0.0, 0.0
    values: set[int] = set()
    cursor = log_cursor = events = 0
    started = end = time.monotonic()
    end += 60 * minutes
    spent = time.process_time()
    with sampler:
        while time.monotonic() < end:
            steps += 1
            os.pwrite(counter, (f"{steps}" if steps % 2 else "nonsense").ljust(20).encode(), 0)
            time.sleep(0.25)
            got, (said, log_cursor) = sampler.read(cursor), sampler.events(log_cursor)
            cursor, lost, events = got.next, lost + got.lost, events + len(said)
            values |= {int(value) for value in got.vram_used if value == value}
            for second in got.seconds:
                gap, last = max(gap, second - last if last else 0.0), second
            if steps == 40:  # ten seconds: all is there that there will be
                before = process.memory_info().rss
        after = process.memory_info().rss
    seconds = time.monotonic() - started
    os.close(counter)
    changes, expected = (steps + 1) // 2, steps - 1
    seen = len(values & set(range(1, steps + 1, 2)))
    missed = changes - seen + abs(expected - events) + lost
    print(  # noqa: T201
        f"{seconds:.0f} s at {SHARE_HZ} Hz: {cursor} samples, {lost} lost, the longest gap {1000 * gap:.0f} ms;"
        f" {seen} of {changes} values and {events} of {expected} events seen; memory {before / MIB:.1f} MiB after"
        f" 10 s and {after / MIB:.1f} MiB at the end, the ring {sampler.memory_bytes / MIB:.1f} MiB of it;"
        f" {100 * (time.process_time() - spent) / seconds:.2f} % of a core, the reader's included"
    )
    return missed


def main(rounds: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        roots = make(Path(folder) / "tree")
        inventory, table = [], []
        for _ in range(rounds):
            started = time.process_time()
            gpus = local_gpus(roots)
            between = time.process_time()
            rows = sum(len(rows) for rows in holders(gpus, roots).values())
            inventory.append(between - started)
            table.append(time.process_time() - between)
        print(f"inventory of {len(gpus)} GPUs: {1000 * min(inventory):.1f} ms")  # noqa: T201
        print(f"{rows} rows of {PROCESSES} processes: {1000 * min(table):.1f} ms")  # noqa: T201
        samplings(Path(folder))


def run() -> int:
    parser = argparse.ArgumentParser(description="Costs of looking at devices.")
    parser.add_argument("rounds", nargs="?", type=int, default=9)
    parser.add_argument("--minutes", type=float, default=0, help="only the sampler, for so long")
    asked = parser.parse_args()
    if not asked.minutes:
        main(asked.rounds)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        return min(long_run(asked.minutes, Path(folder)), 1)


if __name__ == "__main__":
    sys.exit(run())
