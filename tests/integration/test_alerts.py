"""Metrics and alerts, scraped and judged by a real Prometheus."""

import json
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from prometheus_client import generate_latest, start_http_server

sys.path.insert(0, str(Path(__file__).parents[1] / "data"))
import device_trees as trees
from deployments import CARD, file_for, machine

from vramtuner.core.deploy.envfile import parse
from vramtuner.core.deploy.watch import Watch, resource_text
from vramtuner.core.units import GIB

TOOLS = pytest.mark.skipif(
    not (shutil.which("prometheus") and shutil.which("promtool")), reason="Debian's package prometheus is not here"
)
RULES = resource_text("vramtuner.rules.yml")


def watched(folder: Path, held: int) -> Watch:
    """A deployment with a pool of 40 GiB, of which a process under the guard holds some."""
    root = machine(folder / "machine", replace(CARD, used=held + GIB), usage={4711: {21000: held}, 4712: {21000: GIB}})
    state = folder / "state"
    state.mkdir()
    (state / "guard-4711.json").write_text(json.dumps({"pid": 4711, "admitted": 9, "refused": 2, "truncated": 1}))
    (state / "guard-1.json").write_text("nonsense")
    return Watch(parse(file_for(root)), state, str(root))


def values(watch: Watch) -> dict[str, float]:
    lines = generate_latest(watch.registry()).decode().splitlines()
    return {line.split(" ")[0]: float(line.split(" ")[1]) for line in lines if not line.startswith("#")}


def test_the_figures_are_the_machines(tmp_path: Path) -> None:
    found = values(watched(tmp_path, 30 * GIB))
    assert found["vramtuner_pool_bytes"] == 40 * GIB
    assert found['vramtuner_pool_used_bytes{counted="guard"}'] == 30 * GIB
    assert found["vramtuner_vram_used_bytes"] == 31 * GIB
    assert found["vramtuner_vram_bytes"] == CARD.vram
    assert found["vramtuner_gtt_used_bytes"] == CARD.gtt_used
    assert found["vramtuner_requests_refused_total"] == 2
    assert found["vramtuner_up"] == 1


def test_without_the_guard_all_compute_processes_count_and_it_says_so(tmp_path: Path) -> None:
    watch = watched(tmp_path, 30 * GIB)
    (tmp_path / "state/guard-4711.json").unlink()
    assert values(watch)['vramtuner_pool_used_bytes{counted="device"}'] == 31 * GIB


def test_counts_do_not_fall_when_a_process_ends(tmp_path: Path) -> None:
    watch = watched(tmp_path, GIB)
    assert values(watch)["vramtuner_requests_refused_total"] == 2
    (tmp_path / "state/guard-4711.json").unlink()
    assert values(watch)["vramtuner_requests_refused_total"] == 2


def test_a_device_that_is_gone_is_down(tmp_path: Path) -> None:
    watch = watched(tmp_path, GIB)
    shutil.rmtree(tmp_path / "machine")
    found = values(watch)
    assert found["vramtuner_up"] == 0
    assert "vramtuner_vram_bytes" not in found


def test_every_metric_of_the_dashboard_and_the_rules_is_exported(tmp_path: Path) -> None:
    exported = {name.partition("{")[0] for name in values(watched(tmp_path, GIB))}
    dashboard = json.loads(resource_text("vramtuner.dashboard.json"))
    asked = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    asked += re.findall(r"expr: (.*)", RULES)
    named = {name for expression in asked for name in re.findall(r"vramtuner_\w+", expression)}
    assert named and named <= exported


@TOOLS
def test_promtool_takes_the_rules_and_the_figures(tmp_path: Path) -> None:
    (tmp_path / "rules.yml").write_text(RULES)
    subprocess.run(["promtool", "check", "rules", tmp_path / "rules.yml"], check=True, capture_output=True)
    text = generate_latest(watched(tmp_path, GIB).registry())
    done = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True)
    assert done.returncode == 0, done.stderr


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def prometheus(folder: Path, targets: dict[str, int]) -> Iterator[str]:
    """A server that scrapes and judges every fifth of a second, with the rules' own times cut to half a second."""
    port = free_port()
    (folder / "rules.yml").write_text(re.sub(r"for: \w+", "for: 500ms", RULES))
    jobs = [
        {"job_name": name, "static_configs": [{"targets": [f"127.0.0.1:{where}"]}]} for name, where in targets.items()
    ]
    times = {"scrape_interval": "200ms", "scrape_timeout": "200ms", "evaluation_interval": "200ms"}
    config = {"global": times, "rule_files": ["rules.yml"], "scrape_configs": jobs}
    (folder / "prometheus.yml").write_text(json.dumps(config))
    command = ["prometheus", f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data"]
    command.append(f"--web.listen-address=127.0.0.1:{port}")
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(20)


def ask(url: str) -> Any:
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            return json.load(answer)["data"]
    except OSError:  # not up yet
        return {}


@TOOLS
def test_the_alert_fires_for_the_device_over_nine_tenths_of_its_pool_only(tmp_path: Path) -> None:
    targets, servers = {}, []
    for name, held in (("over", 37 * GIB), ("below", 35 * GIB)):  # of 40 GiB
        (tmp_path / name).mkdir()
        targets[name] = free_port()
        servers.append(start_http_server(targets[name], "127.0.0.1", watched(tmp_path / name, held).registry()))
    try:
        with prometheus(tmp_path, targets) as url:
            firing: set[tuple[str, str]] = set()
            deadline = time.monotonic() + 40
            while not firing and time.monotonic() < deadline:
                time.sleep(0.3)
                found = ask(f"{url}/api/v1/alerts").get("alerts", [])
                firing = {(a["labels"]["job"], a["labels"]["alertname"]) for a in found if a["state"] == "firing"}
            up = {r["metric"]["job"] for r in ask(f"{url}/api/v1/query?query=vramtuner_up==1").get("result", [])}
    finally:
        for server, thread in servers:
            server.shutdown()
            server.server_close()
            thread.join()
    assert up == {"over", "below"}  # both were scraped
    assert firing == {("over", "VramtunerPoolNearlyFull")}


def test_machines_without_the_state_folder_are_watched(tmp_path: Path) -> None:
    root = trees.write(trees.Machine((CARD,)), tmp_path / "machine")
    assert values(Watch(parse(file_for(root)), tmp_path / "none", str(root)))["vramtuner_requests_admitted_total"] == 0
