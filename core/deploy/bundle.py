"""One archive for a server without network: the same bytes for the same deployment file and release."""

import ast
import gzip
import hashlib
import io
import tarfile
from importlib.resources import files
from pathlib import Path

from vramtuner.core.deploy import guard, intact, machine, preload, verify
from vramtuner.core.deploy.envfile import parse, start_command
from vramtuner.core.errors import BadInputError
from vramtuner.core.files import write_atomically
from vramtuner.core.text import printable

FOLDER = "vramtuner-deploy"
_BUILD = """#!/bin/sh
# Builds the library that holds the pool in any HIP program; start programs with LD_PRELOAD=<this folder>/{name}.
set -eu
cd "$(dirname "$0")"
${{CC:-cc}} {flags} {sources} -o {name} -ldl
"""
_UNIT = """# Adjust the paths and the program, then: systemctl daemon-reload
[Unit]
Description=An application under its vramtuner deployment

[Service]
EnvironmentFile=/opt/vramtuner-deploy/deploy.env
ExecStartPre=/usr/bin/python3 /opt/vramtuner-deploy/vramtuner_verify.py /opt/vramtuner-deploy/deploy.env
ExecStart={start}
Restart=on-failure

[Install]
WantedBy=multi-user.target
"""
_APPLICATION = "/usr/bin/python3 /opt/vramtuner-deploy/vramtuner_guard.py /opt/application/app.py"
_README = """# A vramtuner deployment

1. `sha256sum -c SHA256SUMS`: nothing was damaged on the way. Compare the archive's own sum by another way if you can.
2. `python3 vramtuner_verify.py deploy.env`: the file is true on this machine. Use the application's Python, so that its
   torch and transformers are compared. 0 is yes, 1 is no. `--json` is for programs, `--strict` fails on warnings too.
3. Load `deploy.env` and start: `set -a; . ./deploy.env; set +a; {start}`, or adapt `vramtuner.service`.
4. For programs that are not Python, `native/build.sh` makes the library that holds the pool; it needs a C compiler.
5. `vramtuner.rules.yml` and `vramtuner.dashboard.json` are for Prometheus and Grafana; `vramtuner watch` serves their
   metrics where vramtuner is installed.

`report.md` says what was planned and validated. Verify and guard need Python 3.8 or later and nothing else.
"""


def guard_source() -> str:
    """The guard as the one file that needs nothing."""
    return Path(guard.__file__).read_text(encoding="utf-8")


def verify_source() -> str:
    """The script ``vramtuner_verify.py``: its modules one after the other, without what they import of each other."""
    parts = ["#!/usr/bin/env python3", '"""Is a vramtuner deployment file still true on this machine?"""', "", _FUTURE]
    for module in (intact, machine, verify):
        parts.append(_body(Path(module.__file__ or "").read_text(encoding="utf-8")))
    return "\n".join([*parts, 'if __name__ == "__main__":', "    sys.exit(main())", ""])


_FUTURE = "from __future__ import annotations"


def _body(source: str) -> str:
    lines = source.splitlines()
    for node in ast.parse(source).body:
        own = isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in ("vramtuner", "__future__")
        if own and node.end_lineno is not None:
            lines[node.lineno - 1 : node.end_lineno] = [""] * (node.end_lineno - node.lineno + 1)
    return "\n".join(lines)


def bundle_files(text: str) -> dict[str, bytes]:
    """Every file of the archive by its name.

    Raises
    ------
    BadInputError
        The text is no deployment file, or was changed.
    """
    variables = parse(text)
    alerts = files("vramtuner.resources") / "alerts"
    sources = preload.source_files()
    build = _BUILD.format(
        name="libvramtuner_pool.so",
        flags=" ".join(preload.FLAGS),
        sources=" ".join(path.name for path in sources if path.suffix == ".c"),
    )
    engine = start_command(text)
    found = {
        "deploy.env": text.encode(),
        "vramtuner_guard.py": guard_source().encode(),
        "vramtuner_verify.py": verify_source().encode(),
        "vramtuner.service": _UNIT.format(start=f"/usr/bin/env {engine}" if engine else _APPLICATION).encode(),
        "README.md": _README.format(start=engine or "python3 vramtuner_guard.py app.py").encode(),
        "report.md": report(variables).encode(),
        "native/build.sh": build.encode(),
        **{f"native/{path.name}": path.read_bytes() for path in sources},
        **{name: (alerts / name).read_bytes() for name in ("vramtuner.rules.yml", "vramtuner.dashboard.json")},
    }
    sums = "".join(f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in sorted(found.items()))
    return {**found, "SHA256SUMS": sums.encode()}


def report(variables: dict[str, str]) -> str:
    """What was planned and validated, as the file says it."""
    rows = [row.split(":") for row in variables.get("VRAMTUNER_VALIDATED_PASSES", "").split(",") if row.count(":") == 2]
    passes = [f"| {tokens} | {outcome} | {int(peak) / 2**30:.2f} |" for tokens, outcome, peak in rows if peak.isdigit()]
    plan = [f"| {name} | {value} |" for name, value in variables.items() if name not in ("VRAMTUNER_LINES",)]
    table = ["| tokens | outcome | peak [GiB] |", "| --- | --- | --- |", *passes] if passes else ["No pass was run."]
    head = f"# {variables.get('VRAMTUNER_MODEL', 'A model')} on {variables.get('VRAMTUNER_DEVICE_NAME', 'a device')}"
    limit = f"At most {variables.get('HIP_MAX_CONTEXT_TOKENS')} tokens a request, prompt and new ones, in a pool of"
    lines = [head, "", f"{limit} {variables.get('HIP_FORCE_MEMORY_POOL_SIZE')}.", "", "## Validation", "", *table, ""]
    return "\n".join([*lines, "## Plan and provenance", "", "| variable | value |", "| --- | --- |", *plan, ""])


def archive(contents: dict[str, bytes]) -> bytes:
    """A compressed tar of files in a folder: no times, owners or order but the names'."""
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, data in sorted(contents.items()):
            entry = tarfile.TarInfo(f"{FOLDER}/{name}")
            entry.size = len(data)
            entry.mode = 0o755 if name.endswith((".sh", ".py")) else 0o644
            tar.addfile(entry, io.BytesIO(data))
    return gzip.compress(raw.getvalue(), compresslevel=9, mtime=0)


def write_bundle(text: str, path: Path) -> None:
    """Write the archive of a deployment file's text, whole or not at all.

    Raises
    ------
    BadInputError
        The text is no deployment file, or the archive cannot be written there.
    """
    data = archive(bundle_files(text))
    try:
        if path.exists() and not tarfile.is_tarfile(path):
            raise BadInputError(f"{printable(str(path), 200)} exists and is no archive; choose another name")
        write_atomically(path, data)
    except OSError as error:
        raise BadInputError(f"{printable(str(path), 200)} cannot be written: {error.strerror}") from error
