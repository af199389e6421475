"""Whole ways of a person through the program as it is started, in a real window, by keys and mouse alone (xdotool).

What is judged is what such a person has in the end: files, and what the window's title and its picture say.
"""

import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from desk import Desk, virtual_screen

from vramtuner.core.deploy.envfile import parse
from vramtuner.core.runs import read_run

pytestmark = [
    pytest.mark.skipif(shutil.which("xdotool") is None, reason="xdotool is not installed"),
    pytest.mark.timeout(300),
    pytest.mark.xdist_group("desk"),
    pytest.mark.flaky(reruns=2),  # real keys: one that comes while a busy machine still shows a window is lost
]


@pytest.fixture(scope="module")
def screen() -> Iterator[str]:
    with virtual_screen() as display:
        yield display


@pytest.fixture
def desk(screen: str, tmp_path: Path) -> Iterator[Desk]:
    found = Desk(screen, tmp_path)
    yield found
    found.end()


def test_a_new_user_gets_to_a_validated_file(desk: Desk, tiny_llama: Path, tmp_path: Path) -> None:
    desk.start()
    desk.ask("ctrl+o", "Open a model folder", str(tiny_llama))
    desk.wait(lambda: desk.title.startswith("tiny-llama on "))
    desk.keys("alt+d", "ctrl+a")
    desk.type("cpu")
    desk.keys("Return")
    desk.wait(lambda: desk.title.startswith("tiny-llama on CPU stand-in"))
    desk.keys("alt+t", "ctrl+a")
    desk.type("96")
    desk.keys("Return")
    target = tmp_path / "deploy.env"
    desk.ask("ctrl+e", "Export the deployment file", str(target))
    desk.wait(target.exists)
    variables = parse(target.read_text())
    assert variables["HIP_MAX_CONTEXT_TOKENS"] == "96"
    assert variables["VRAMTUNER_VALIDATION"] == "passed"
    lengths = [record.split(":")[:2] for record in variables["VRAMTUNER_VALIDATED_PASSES"].split(",")]
    assert lengths == [["48", "ok"], ["96", "ok"], ["144", "refused"]]


def test_two_plans_are_compared(desk: Desk, tmp_path: Path) -> None:
    desk.start("gui", "--model", "llama-2-7b", "--device", "w7900")
    desk.keys("ctrl+d", "alt+b", "ctrl+a")
    desk.type("4")
    desk.keys("Return")
    desk.wait(lambda: desk.autosaved and desk.autosaved.plan.levers.batch_size == 4)
    desk.keys("ctrl+d", "ctrl+4")
    tables = (tmp_path / f"compared-{number}.csv" for number in range(100))

    def saved() -> list[list[str]]:
        table = next(tables)
        desk.ask("ctrl+alt+s", "Save the plot", str(table))
        rows = [line.split(",") for line in desk.wait(lambda: table.exists() and table.read_text()).splitlines()]
        return rows if len(rows[0]) == 5 else []  # a plan is worked out after it was pinned

    header, *rows = desk.wait(saved)
    assert header[2:4] == ["Llama-2-7B: defaults_bytes", "Llama-2-7B: batch 4_bytes"]
    one, four = (float(value) for value in rows[100][2:4])
    # Four requests at a time need more than one, at the same length of each.
    assert four > one > 0


def test_a_run_is_cancelled_and_leaves_nothing(desk: Desk, tiny_gpt2: Path) -> None:
    desk.start("gui", "--model", str(tiny_gpt2), "--device", "cpu")
    desk.wait(lambda: desk.title.startswith("tiny-gpt2 on CPU stand-in"))
    before = set(desk.runs)

    def started() -> set[Path]:
        desk.keys("F5")  # it does nothing before there is a forecast, and nothing while a run goes on
        return set(desk.runs) - before

    (path,) = desk.wait(started)
    desk.keys("Escape")
    desk.wait(lambda: len(desk.probes) <= 1, seconds=15)  # what records operations stays for the next ones
    assert not read_run(path).complete
    before.add(path)
    (path,) = desk.wait(started)  # and the next one works
    desk.wait(lambda: read_run(path).complete)


def test_what_a_killed_window_had_is_recovered(desk: Desk) -> None:
    desk.start("gui", "--model", "gpt2", "--device", "w6600")
    desk.keys("alt+b", "ctrl+a")
    desk.type("7")
    desk.keys("Return")
    desk.wait(lambda: desk.autosaved and desk.autosaved.plan.levers.batch_size == 7)
    desk.kill()
    desk.start("gui", "--model", "llama-2-7b", "--device", "w7900")
    assert desk.title.startswith("Llama-2-7B on ")
    desk.keys("alt+c")  # Recover
    desk.wait(lambda: desk.title.startswith("GPT-2 on "))
    desk.keys("alt+b", "ctrl+a", "ctrl+c")
    desk.wait(lambda: desk.autosaved and desk.autosaved.plan.levers.batch_size == 7)


def test_a_plan_is_presented(desk: Desk, tmp_path: Path) -> None:
    desk.start("gui", "--model", "llama-2-7b", "--device", "w7900")
    desk.wait(lambda: desk.title.startswith("Llama-2-7B on "))
    plain = at_rest(desk, tmp_path)
    desk.keys("F11")
    # Another screen, not another label.
    desk.wait(lambda: differing(plain, desk.picture(tmp_path / "presented.png")) > 0.05)
    desk.keys("Escape")
    desk.wait(lambda: differing(plain, desk.picture(tmp_path / "after.png")) < 0.01)


def at_rest(desk: Desk, folder: Path) -> bytes:
    """The screen when nothing on it moves any more."""
    before = desk.picture(folder / "before.png")

    def same() -> bool:
        nonlocal before
        time.sleep(0.3)
        last, before = before, desk.picture(folder / "before.png")
        return last == before

    desk.wait(same)
    return before


def differing(one: bytes, other: bytes) -> float:
    """The part of the pixels that are not the same."""
    assert len(one) == len(other)
    pixels = [place for place in range(0, len(one), 64) if one[place : place + 3] != other[place : place + 3]]
    return len(pixels) / (len(one) / 64)
