"""Fragments beside a deployment file: read by systemd and by YAML, with nothing in them but the plan."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

sys.path.insert(0, str(Path(__file__).parent))
from test_envfile import LOCAL, deployment

from vramtuner.core.deploy.envfile import parse, render
from vramtuner.core.deploy.fragments import FRAGMENTS, fragment, fragment_path
from vramtuner.core.errors import BadInputError

UUID = "GPU-0123456789abcdef"
VLLM = ("vllm", "serve", "MODEL", "--max-model-len", "8192")
WORST = ("$(touch x)", "a\nkind: Secret", '": {', "%h", "'", "x" * 5000, "", "é", "#", "- a", "{{ a }}")


def text_of(**changes: Any) -> str:
    return render(deployment(engine="vllm", command=VLLM, **changes))


def loaded(kind: Any, text: str, command: tuple[str, ...] = VLLM) -> Any:
    return yaml.safe_load(fragment(kind, text, "deploy.env", command))


def test_they_lie_beside_the_file() -> None:
    names = [fragment_path(kind, Path("a/deploy.env")) for kind in FRAGMENTS]
    assert names == [Path("a/deploy.service.conf"), Path("a/deploy.compose.yaml"), Path("a/deploy.pod.yaml")]


def test_compose_gives_the_devices_the_file_and_the_command() -> None:
    ((name, service),) = loaded("compose", text_of())["services"].items()
    assert name == "vramtuner-llama-2-7b"
    assert service["env_file"] == ["deploy.env"] and service["devices"] == ["/dev/kfd", "/dev/dri"]
    assert service["group_add"][0] == "video" and service["command"] == list(VLLM)


def test_a_pod_asks_for_one_gpu_and_sees_it_as_the_first() -> None:
    by_index = loaded("kubernetes", text_of())
    by_uuid = loaded("kubernetes", text_of(select="uuid", device=msgspec.structs.replace(LOCAL, uuid=UUID)))
    for pod, selector in ((by_index, "HIP_VISIBLE_DEVICES"), (by_uuid, "ROCR_VISIBLE_DEVICES")):
        (container,) = pod["spec"]["containers"]
        assert container["resources"]["limits"] == {"amd.com/gpu": 1}
        assert container["env"] == [{"name": selector, "value": "0"}]
        assert container["envFrom"] == [{"configMapRef": {"name": pod["metadata"]["name"]}}]
        assert container["command"] == list(VLLM)
        assert re.fullmatch(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?", pod["metadata"]["name"])


def test_an_application_in_a_container_is_under_the_guard() -> None:
    text = render(deployment())
    ((_, service),) = loaded("compose", text, ("python", "app.py"))["services"].items()
    assert service["command"] == ["python", "vramtuner_guard.py", "app.py"]


def test_systemd_takes_the_drop_in(tmp_path: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is not installed")
    text = fragment("systemd", text_of(), "deploy.env", VLLM)
    (start,) = [line for line in text.splitlines() if line.startswith("ExecStart=/")]
    assert shlex.split(start.removeprefix("ExecStart=")) == [
        "/usr/bin/env", "vramtuner", "run", "--env", "/etc/vramtuner/deploy.env", "--", *VLLM
    ]  # fmt: skip
    unit = tmp_path / "a-service.service"
    unit.write_text("[Unit]\nDescription=A service\n[Service]\nExecStart=/bin/false\n")
    folder = tmp_path / "a-service.service.d"
    folder.mkdir()
    (folder / "50-vramtuner.conf").write_text(text)
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(unit)], capture_output=True, text=True, timeout=60
    )
    assert "50-vramtuner.conf" not in done.stderr, done.stderr
    (folder / "50-vramtuner.conf").write_text(text + "SupplementaryGroups\n")  # what it would say of a bad one
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(unit)], capture_output=True, text=True, timeout=60
    )
    assert "50-vramtuner.conf" in done.stderr


@pytest.mark.parametrize("name", WORST)
def test_no_model_name_gets_into_them(name: str) -> None:
    text = text_of(model=name)
    plain = text_of(model="plain")
    for kind in ("compose", "kubernetes"):
        found, expected = loaded(kind, text), loaded(kind, plain)
        label = re.compile(r"vramtuner[-a-z0-9]*")
        assert label.sub("", repr(found)) == label.sub("", repr(expected))


@pytest.mark.parametrize("name", ["a b.env", "$HOME.env", "-o.env", "%n.env", "a\nb.env", "é.env", ""])
def test_a_file_name_that_readers_would_change_is_refused(name: str) -> None:
    for kind in FRAGMENTS:
        with pytest.raises(BadInputError, match="is no name"):
            fragment(kind, text_of(), name, VLLM)


def test_they_are_made_of_an_intact_file_alone() -> None:
    assert parse(text_of())["VRAMTUNER_ENGINE"] == "vllm"
    with pytest.raises(BadInputError, match="line"):
        fragment("compose", text_of().replace("=9472", "=9473"), "deploy.env", VLLM)
