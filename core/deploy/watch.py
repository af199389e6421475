"""What a deployment holds now, as metrics for Prometheus: a text file for the node exporter, or an HTTP endpoint.

The pool's use is what KFD counts of the guard's processes on the planned card.  Where no process of the guard holds
any, as in a container or for engines that are not Python, it is what all compute processes hold there, and the label
``counted`` says which.  On the CPU stand-in it is the resident memory of the guard's processes.
"""

import json
import os
import time
from collections.abc import Iterator, Mapping
from importlib.resources import files
from pathlib import Path

import psutil
from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

from vramtuner.core.deploy.machine import Card, read_machine
from vramtuner.core.deploy.verify import planned_card, pool_bytes

STATE_VARIABLE = "VRAMTUNER_STATE"
_COUNTS = ("admitted", "refused", "truncated")
_MAX_BYTES, _MAX_FILES, _MOST = 64 * 1024, 10_000, 2**53


def resource_text(name: str) -> str:
    """The rules or the dashboard, as it is shipped."""
    return (files("vramtuner.resources") / "alerts" / name).read_text(encoding="utf-8")


def state_folder(environ: Mapping[str, str]) -> Path:
    """Where the guard's processes keep their counts."""
    if environ.get(STATE_VARIABLE):
        return Path(environ[STATE_VARIABLE])
    if environ.get("XDG_RUNTIME_DIR"):
        return Path(environ["XDG_RUNTIME_DIR"]) / "vramtuner"
    return Path(f"/tmp/vramtuner-{os.getuid()}")


def guard_counts(folder: Path) -> dict[int, dict[str, int]]:
    """Counts by process id, of what is well formed; a file that is not is left out."""
    found: dict[int, dict[str, int]] = {}
    try:
        paths = sorted(folder.glob("*.json"))[:_MAX_FILES]
    except OSError:
        return found
    for path in paths:
        try:
            with path.open("rb") as file:
                content = json.loads(file.read(_MAX_BYTES))
        except (OSError, ValueError, RecursionError):
            continue
        if isinstance(content, dict) and isinstance(content.get("pid"), int):
            values = {name: content.get(name) for name in _COUNTS}
            found[content["pid"]] = {n: v for n, v in values.items() if isinstance(v, int) and 0 <= v < _MOST}
    return found


class Watch:
    """A collector of `prometheus_client`: looks at the machine whenever it is asked."""

    def __init__(self, variables: Mapping[str, str], folder: Path, root: str = "/") -> None:
        self._variables, self._folder, self._root = variables, folder, root
        self._ended: dict[str, int] = dict.fromkeys(_COUNTS, 0)
        self._seen: dict[int, dict[str, int]] = {}

    def registry(self) -> CollectorRegistry:
        """One with this collector alone."""
        registry = CollectorRegistry()
        registry.register(self)
        return registry

    def collect(self) -> Iterator[Metric]:
        """The metrics; what the machine does not tell is left out."""
        cards, counts = read_machine(self._root).cards, guard_counts(self._folder)
        card = None if self._is_cpu else planned_card(self._variables, cards)
        yield _gauge("vramtuner_up", "1 when the planned device is there", int(self._is_cpu or card is not None))
        yield _gauge("vramtuner_updated_timestamp_seconds", "When these figures were read", time.time())
        yield _gauge("vramtuner_pool_bytes", "The pool of the deployment", pool_bytes(self._variables))
        used, counted = self._use(card, set(counts))
        if used is not None:
            use = GaugeMetricFamily("vramtuner_pool_used_bytes", "What of the pool is held", labels=["counted"])
            use.add_metric([counted], used)
            yield use
        if card is not None:
            for name, text, value in (
                ("vramtuner_vram_bytes", "Memory of the device", card.total),
                ("vramtuner_vram_used_bytes", "Memory of the device held by everyone", card.used),
                ("vramtuner_gtt_used_bytes", "System memory that the device maps (spill)", card.gtt_used),
            ):
                if value is not None:
                    yield _gauge(name, text, value)
        for name, total in self._totals(counts).items():
            yield CounterMetricFamily(f"vramtuner_requests_{name}", f"Requests {name} by the guard", value=total)

    @property
    def _is_cpu(self) -> bool:
        return self._variables.get("VRAMTUNER_DEVICE") == "cpu"

    def _use(self, card: Card | None, pids: set[int]) -> tuple[int | None, str]:
        if self._is_cpu:
            return sum(map(_resident, pids)), "resident"
        if card is None:
            return None, ""
        own = [size for pid, _, size in card.holders if pid in pids]
        return (sum(own), "guard") if own else (sum(size for _, _, size in card.holders), "device")

    def _totals(self, counts: dict[int, dict[str, int]]) -> dict[str, int]:
        """Sums that do not fall when a process ends and its file goes."""
        for pid in [pid for pid in self._seen if pid not in counts]:
            for name, value in self._seen.pop(pid).items():
                self._ended[name] += value
        self._seen.update(counts)
        return {name: self._ended[name] + sum(c.get(name, 0) for c in counts.values()) for name in _COUNTS}


def _gauge(name: str, text: str, value: float) -> Metric:
    return GaugeMetricFamily(name, text, value=value)


def _resident(pid: int) -> int:
    try:
        return int(psutil.Process(pid).memory_info().rss)
    except (psutil.Error, ValueError, OverflowError):
        return 0
