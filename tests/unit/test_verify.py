"""Whether a deployment file is still true: what each check says of machines that differ from the planned one."""

import ast
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parents[1] / "data"))
import device_trees as trees
from deployments import CARD, VERSIONS, file_for, machine

from vramtuner.core.deploy.bundle import verify_source
from vramtuner.core.deploy.envfile import parse
from vramtuner.core.deploy.intact import HEADER, checksum, sealed
from vramtuner.core.deploy.machine import read_machine
from vramtuner.core.deploy.verify import Check, passed, verify_text
from vramtuner.core.device.inventory import local_gpus
from vramtuner.core.device.roots import Roots
from vramtuner.core.units import GIB


def checks_of(text: str, folder: Path, environ: dict[str, str] | None = None, **versions: str) -> dict[str, Check]:
    found = verify_text(text, environ or {}, read_machine(str(folder)), {**VERSIONS, **versions})
    return {check.name: check for check in found}


with TemporaryDirectory() as _folder:
    TEXT = file_for(machine(Path(_folder) / "machine", CARD))


@pytest.fixture
def planned(tmp_path: Path) -> str:
    return file_for(machine(tmp_path / "planned", CARD))


def test_on_the_machine_it_was_made_on_nothing_fails(planned: str, tmp_path: Path) -> None:
    found = checks_of(planned, tmp_path / "planned", parse(planned))
    assert {check.level for check in found.values()} == {"ok"}
    assert set(found) >= {"file", "device", "memory", "gfx", "torch", "transformers", "environment", "validation"}


def test_a_device_that_is_gone_moved_smaller_or_another_target_fails(planned: str, tmp_path: Path) -> None:
    gone = checks_of(planned, machine(tmp_path / "gone"))["device"]
    assert gone.level == "failed" and "/dev/kfd" in gone.detail
    moved = checks_of(planned, machine(tmp_path / "moved", trees.mi210(1), CARD))["device"]
    assert moved.level == "failed" and "is GPU 1 now" in moved.detail
    smaller = checks_of(planned, machine(tmp_path / "smaller", replace(CARD, vram=32 * GIB)))
    assert smaller["device"].level == smaller["memory"].level == "failed"
    node = replace(CARD.nodes[0], gfx=110000)
    assert checks_of(planned, machine(tmp_path / "gfx", replace(CARD, nodes=(node,))))["gfx"].level == "failed"


def test_memory_that_others_hold_is_said_to_be_theirs(planned: str, tmp_path: Path) -> None:
    full = machine(tmp_path / "full", replace(CARD, used=50 * GIB), usage={4711: {21000: 45 * GIB}})
    (full / "proc/4711").mkdir()
    (full / "proc/4711/comm").write_text("ollama\n")
    found = checks_of(planned, full)["memory"]
    assert found.level == "failed"
    assert "ollama (pid 4711) 45.00 GiB" in found.detail and "5.00 GiB by graphics or others" in found.detail


@pytest.mark.parametrize(
    ("name", "here", "level"),
    [
        ("torch", "2.12.1+rocm7.0", "ok"),
        ("torch", "2.12.2+rocm7.0", "ok"),
        ("torch", "2.12.1+cpu", "warning"),
        ("torch", "2.9.1+rocm6.4", "failed"),
        ("torch", "2.13.0+rocm7.0", "failed"),
        ("torch", "", "unknown"),
        ("transformers", "5.25.0", "warning"),
        ("transformers", "4.57.0", "failed"),
    ],
)
def test_versions_matter_by_what_they_can_change(
    planned: str, tmp_path: Path, name: str, here: str, level: str
) -> None:
    assert checks_of(planned, tmp_path / "planned", **{name: here})[name].level == level


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True"),
        ("HIP_VISIBLE_DEVICES", "1"),
        ("ROCR_VISIBLE_DEVICES", "1"),
        ("HSA_OVERRIDE_GFX_VERSION", "10.3.0"),
        ("HIP_MAX_CONTEXT_TOKENS", "99999"),
        ("PYTORCH_NO_CUDA_MEMORY_CACHING", "1"),
    ],
)
def test_a_variable_that_contradicts_the_file_is_named(planned: str, tmp_path: Path, name: str, value: str) -> None:
    found = checks_of(planned, tmp_path / "planned", {name: value})["environment"]
    assert found.level == "failed" and f"{name}={value}" in found.detail


def test_a_changed_file_is_not_looked_into(planned: str, tmp_path: Path) -> None:
    found = checks_of(planned.replace("TOKENS=9472", "TOKENS=9473"), tmp_path / "planned")
    assert list(found) == ["file"] and "HIP_MAX_CONTEXT_TOKENS" in found["file"].detail


def test_strictly_what_is_not_checked_fails() -> None:
    assert passed([Check("a", "unknown", "")]) and not passed([Check("a", "unknown", "")], strict=True)


MACHINES = {
    "w6800": (trees.W6800,), "two": (trees.W6800, trees.W7900), "desktop": (trees.WITH_DESKTOP,),
    "apu": (trees.SMALL_APU,), "strix": (trees.STRIX_HALO,), "carved": (trees.STRIX_HALO_CARVED,),
    "mi250": (trees.mi250_die(0), trees.mi250_die(1)), "mi300x": (trees.mi300x(),), "parts": (trees.mi300x(8),),
    "low": (trees.mi300x(8, high_bits=False),), "nvidia": (trees.NVIDIA,),
}  # fmt: skip


@pytest.mark.parametrize("name", MACHINES)
def test_the_script_reads_a_machine_as_the_inventory_does(name: str, tmp_path: Path) -> None:
    folder = machine(tmp_path / "machine", *MACHINES[name])
    wanted = [(d.key, d.gfx, d.vram_bytes, d.uuid, d.pci_bus_id) for d in local_gpus(Roots.under(folder))]
    cards = read_machine(str(folder)).cards
    assert [(str(c.place), c.gfx, c.total, c.uuid or None, c.slot) for c in cards] == wanted


def test_the_script_is_of_the_standard_library_and_of_python_3_8() -> None:
    tree = ast.parse(verify_source(), feature_version=(3, 8))
    names = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    names |= {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    assert {name.partition(".")[0] for name in names} <= sys.stdlib_module_names


def command(*arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "PYTHONPATH", "HOME")}
    return subprocess.run(
        [sys.executable, "-m", "vramtuner.core", *arguments], env={**kept, **environ}, capture_output=True, text=True
    )


def test_the_command_says_it_in_an_exit_code_and_in_json(planned: str, tmp_path: Path) -> None:
    path = tmp_path / "deploy.env"
    path.write_text(planned)
    done = command("verify", str(path), "--json")
    found = json.loads(done.stdout)
    assert done.returncode == 1 and found["ok"] is False  # there is no such card here
    assert {"name", "ok", "detail"} <= set(found["checks"][0])
    missing = command("verify", str(tmp_path / "none.env"))
    assert missing.returncode == 2 and len(missing.stderr.splitlines()) == 1


def test_the_text_file_is_written_whole_with_the_figures_and_rules_are_printed(planned: str, tmp_path: Path) -> None:
    (tmp_path / "deploy.env").write_text(planned)
    target = tmp_path / "metrics" / "vramtuner.prom"
    done = command("watch", "--env", str(tmp_path / "deploy.env"), "--textfile", str(target), "--once")
    assert done.returncode == 0, done.stderr
    (pool,) = [line for line in target.read_text().splitlines() if line.startswith("vramtuner_pool_bytes ")]
    assert float(pool.split(" ")[1]) == 40 * GIB
    assert [path.name for path in target.parent.iterdir()] == ["vramtuner.prom"]
    assert "VramtunerPoolNearlyFull" in command("watch", "--rules").stdout
    assert command("watch").returncode == 2


VARIABLES = [line for line in TEXT.splitlines() if not line.startswith(("#", "VRAMTUNER_LINES", "VRAMTUNER_CHECKSUM"))]


@given(
    st.sampled_from(range(len(VARIABLES))),
    st.text("0123456789.:,-+eE/GiBgfxPUU_%@" + "a", max_size=40) | st.integers(0, 10**30).map(str),
    st.sampled_from([(), (CARD,), (trees.STRIX_HALO,)]),
)
@settings(max_examples=200, deadline=None)
def test_a_file_with_hostile_values_under_right_checksums_is_judged_and_nothing_raises(
    number: int, value: str, gpus: tuple[trees.Gpu, ...]
) -> None:
    name = VARIABLES[number].partition("=")[0]
    lines = [HEADER, *VARIABLES[:number], f"{name}={value}", *VARIABLES[number + 1 :]]
    with TemporaryDirectory() as folder:
        machine(Path(folder) / "machine", *gpus)
        found = verify_text(sealed(lines), {}, read_machine(f"{folder}/machine"), VERSIONS)
    assert found[0].level == "ok" and len(found) > 5


def test_a_file_of_an_older_release_is_judged_by_what_it_says(planned: str, tmp_path: Path) -> None:
    body = "".join(
        f"{line}\n" for line in planned.splitlines() if not line.startswith(("VRAMTUNER_DEVICE_", "VRAMTUNER_LI"))
    )
    body = body.partition("VRAMTUNER_CHECKSUM")[0]
    found = checks_of(f"{body}VRAMTUNER_CHECKSUM={checksum(body)}\n", tmp_path / "planned")
    assert found["device"].level == found["memory"].level == "ok"
    assert found["gfx"].level == "unknown"
