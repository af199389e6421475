"""Rules that hold for the whole tree, so that nobody can skip them."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_imports_go_one_way() -> None:
    out = subprocess.run(
        [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"],
        cwd=ROOT, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert out.returncode == 0, out.stdout


def test_packaging_does_not_shadow_the_library_of_that_name() -> None:
    assert not (ROOT / "packaging" / "__init__.py").exists()


def test_the_command_line_and_the_window_start_without_torch() -> None:
    code = (
        "import sys, vramtuner.core.cli, vramtuner.gui.app, vramtuner.gui.window\n"
        "assert not {'torch', 'transformers', 'accelerate', 'bitsandbytes'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_the_command_line_starts_without_qt() -> None:
    code = "import sys, vramtuner.core.cli; assert not {'PySide6', 'pyqtgraph'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_version_is_the_newest_in_the_changelog() -> None:
    import tomllib

    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    headings = [line for line in (ROOT / "CHANGELOG.md").read_text().splitlines() if line.startswith("## [")]
    released = [line for line in headings if "Unreleased" not in line]
    assert released[0].startswith(f"## [{version}]")


def test_void_qt_calls_keep_the_reference_count_of_none() -> None:
    """PySide6 6.12.0 on Python 3.11 dropped one reference to None per void call, and crashed pyqtgraph after many."""
    code = (
        "import sys\nfrom PySide6.QtCore import QObject\nthing = QObject()\nbefore = sys.getrefcount(None)\n"
        "for _ in range(100_000):\n    thing.setObjectName('x')\n"
        "after = sys.getrefcount(None)\nassert abs(after - before) < 1000, (before, after)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_documents_and_code_name_no_machine() -> None:
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split(
        "\n"
    )
    forbidden = ["/" + "work/", "/" + "opt/wheels", "pypi" + ".org", "files.python" + "hosted"]
    for name in filter(None, tracked):
        path = ROOT / name
        if path.suffix in {".py", ".md", ".toml", ".txt", ".json", ".csv", ""} and path.is_file():
            text = path.read_text(encoding="utf-8", errors="replace")
            assert not [word for word in forbidden if word in text], name
