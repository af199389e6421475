"""Pieces for whoever starts the service: a systemd drop-in, a compose file, a Kubernetes pod.

They are made of a deployment file's text alone and name it by its file name; what they cannot know (the program's own
path, the image) is in capitals, to be filled in.  Strings are written as JSON, which YAML reads alike.
"""

import json
import re
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal, TypeAlias

from vramtuner.core.deploy.envfile import parse
from vramtuner.core.errors import BadInputError

Fragment: TypeAlias = Literal["systemd", "compose", "kubernetes"]
FRAGMENTS: tuple[Fragment, ...] = ("systemd", "compose", "kubernetes")
FOLDER = "/etc/vramtuner"
_SUFFIXES: dict[Fragment, str] = {"systemd": ".service.conf", "compose": ".compose.yaml", "kubernetes": ".pod.yaml"}


def fragment_path(kind: Fragment, env: Path) -> Path:
    """Beside the env file, such as ``deploy.compose.yaml``."""
    return env.with_name(env.stem + _SUFFIXES[kind])


def fragment(kind: Fragment, text: str, name: str, command: Sequence[str]) -> str:
    """One fragment.

    Parameters
    ----------
    text
        Of the deployment file.
    name
        The deployment file's name, without a folder.
    command
        What starts the engine.

    Raises
    ------
    BadInputError
        The text is no deployment file, or its name is none that every reader takes as it is.
    """
    if not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,100}", name):
        raise BadInputError(
            f"{name[:60]!r} is no name that systemd and containers read alike; use letters, digits, dots and dashes"
        )
    return _MAKERS[kind](parse(text), name, list(command))


def _systemd(variables: dict[str, str], name: str, command: list[str]) -> str:
    env = f"{FOLDER}/{name}"
    words = shlex.join(["/usr/bin/env", "vramtuner", "run", "--env", env, "--", *command])
    return f"""# 1. Copy {name} to {FOLDER}/.
# 2. Copy this to /etc/systemd/system/YOUR-SERVICE.service.d/50-vramtuner.conf, and fill in what is in capitals.
# 3. systemctl daemon-reload && systemctl restart YOUR-SERVICE
[Service]
SupplementaryGroups=render video
ExecStartPre=/usr/bin/env vramtuner verify {env}
ExecStart=
ExecStart={words}
"""


def _compose(variables: dict[str, str], name: str, command: list[str]) -> str:
    service, command = _label(variables), _in_container(variables, command)
    groups = '["video", "RENDER-GROUP"]  # the number that `getent group render | cut -d: -f3` prints on the host'
    return f"""# Put {name} beside this file, fill in what is in capitals, then: docker compose -f FILE up
# {_needs(variables, command)} {name} chooses the card, so that both device folders are given whole.
services:
  {json.dumps(service)}:
    image: "IMAGE"
    env_file:
      - {json.dumps(name)}
    devices:
      - "/dev/kfd"
      - "/dev/dri"
    group_add: {groups}
    ipc: "host"
    security_opt:
      - "seccomp=unconfined"
    volumes:
      - "MODEL-FOLDER:/models:ro"
    command: {json.dumps(command)}
"""


def _kubernetes(variables: dict[str, str], name: str, command: list[str]) -> str:
    label, command = _label(variables), _in_container(variables, command)
    # The plugin shows a pod its own card alone, as the first: any other place or id in the file would hide it.
    firsts = [selector for selector in ("HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES") if selector in variables]
    lines = [f'        - name: {selector}\n          value: "0"\n' for selector in firsts]
    own = "      env:\n" + "".join(lines) if lines else ""
    return f"""# kubectl create configmap {label} --from-env-file={name}
# Fill in what is in capitals, then: kubectl apply -f FILE
# It needs AMD's device plugin (amd.com/gpu), and a node with a card like the planned one: {_card(variables)}.
# {_needs(variables, command)}
apiVersion: v1
kind: Pod
metadata:
  name: {json.dumps(label)}
spec:
  containers:
    - name: "engine"
      image: "IMAGE"
      command: {json.dumps(command)}
      envFrom:
        - configMapRef:
            name: {json.dumps(label)}
{own}      resources:
        limits:
          amd.com/gpu: 1
"""


def _in_container(variables: dict[str, str], command: list[str]) -> list[str]:
    """A Python application under the guard, which reads the container's environment."""
    if variables.get("VRAMTUNER_ENGINE") != "transformers":
        return command
    return [command[0], "vramtuner_guard.py", *command[1:]]


def _needs(variables: dict[str, str], command: list[str]) -> str:
    """What an image has to bring."""
    if variables.get("VRAMTUNER_ENGINE") != "transformers":
        return f"The image has {command[0]}; MODEL is the model as it is named inside."
    return "The image has the application and vramtuner_guard.py, which `vramtuner bundle` packs."


def _label(variables: dict[str, str]) -> str:
    """A name that Kubernetes and compose take, after the model."""
    text = re.sub(r"[^a-z0-9]+", "-", variables.get("VRAMTUNER_MODEL", "").lower())[:40].strip("-")
    return f"vramtuner-{text}" if text else "vramtuner"


def _card(variables: dict[str, str]) -> str:
    size = variables.get("VRAMTUNER_DEVICE_BYTES", "0")
    gib = int(size) / 2**30 if size.isdecimal() else 0.0
    return f"{variables.get('VRAMTUNER_DEVICE_GFX', 'gfx unknown')}, {gib:.1f} GiB"


_MAKERS: dict[Fragment, Callable[[dict[str, str], str, list[str]], str]] = {
    "systemd": _systemd,
    "compose": _compose,
    "kubernetes": _kubernetes,
}
