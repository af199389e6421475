"""Time of the inventory and of the table of who holds memory: 8 GPUs, 400 processes, files in a temporary folder.

``python devices.py [ROUNDS]`` prints milliseconds.  Every process has compute and graphics descriptors on every GPU.
"""

import sys
import tempfile
import time
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).parents[1] / "data"))

from device_trees import MIB, Machine, add_process, fdinfo, mi210, write

from vramtuner.core.device.holders import holders
from vramtuner.core.device.inventory import local_gpus
from vramtuner.core.device.roots import Roots

GPUS, PROCESSES, FIRST_PID = 8, 400, 5000


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
    return Roots(folder / "sys", folder / "proc", folder / "dev")


def main(rounds: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        roots = make(Path(folder) / "tree")
        inventory, table = [], []
        for _ in range(rounds):
            started = time.perf_counter()
            gpus = local_gpus(roots)
            between = time.perf_counter()
            rows = sum(len(rows) for rows in holders(gpus, roots).values())
            inventory.append(between - started)
            table.append(time.perf_counter() - between)
        print(f"inventory of {len(gpus)} GPUs: {1000 * median(inventory):.1f} ms")  # noqa: T201
        print(f"{rows} rows of {PROCESSES} processes: {1000 * median(table):.1f} ms")  # noqa: T201


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 9)
