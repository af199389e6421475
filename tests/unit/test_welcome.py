"""What the first starts say, for every situation; and for how long they say it."""

from itertools import product
from pathlib import Path

import msgspec
import pytest
from PySide6.QtCore import QSettings

from vramtuner.core.device.find import cpu_device, find_device
from vramtuner.core.device.spec import Device
from vramtuner.core.model.find import load_preset
from vramtuner.core.model.spec import ModelSpec
from vramtuner.core.units import GIB
from vramtuner.gui import welcome
from vramtuner.gui.welcome import STARTS, Situation, Step, next_step

PRESET = load_preset("llama-2-7b")
FOLDER = msgspec.structs.replace(PRESET, source="/models/mine", folder="/models/mine", name="mine")
GGUF = msgspec.structs.replace(PRESET, source="/models/a.gguf", name="a", model_type="gguf")
GPU = Device(key="0", name="Radeon RX 7900 XTX", kind="gpu", vram_bytes=24 * GIB, source="the driver")
CARD, CPU = find_device("w7900"), cpu_device()
FLAGS = ("torch", "can_install", "card_chosen", "model_gone")
EVERYTHING = [
    Situation(spec, device, gpu=gpu, command="make run TORCH=cpu", **dict(zip(FLAGS, flags, strict=True)))
    for spec in (PRESET, FOLDER, GGUF)
    for device in (CARD, CPU, GPU)
    for gpu in ("", GPU.name)
    for flags in product((True, False), repeat=4)
    if device is not GPU or gpu
]


@pytest.fixture(autouse=True)
def own_settings(tmp_path: Path) -> None:
    QSettings.setPath(QSettings.Format.NativeFormat, QSettings.Scope.UserScope, str(tmp_path))


def test_every_situation_has_one_step_that_can_be_taken_in_it() -> None:
    for now in EVERYTHING:
        shown = next_step(now)
        assert shown.text.endswith(".") and shown.text[0].isupper() and shown.label
        assert len(shown.text) < 220 and shown.text.count(". ") <= 1  # one or two sentences
        is_gguf, is_preset = now.spec is GGUF, now.spec is PRESET
        expected = {
            Step.OPEN_MODEL: now.model_gone or is_preset,
            Step.INSTALL: not now.torch and not is_gguf and now.can_install,
            Step.COPY_COMMAND: not now.torch and not is_gguf and not now.can_install,
            Step.CHOOSE_CARD: not now.gpu and now.device is CARD and not now.card_chosen,
            Step.PROFILE: now.torch and not is_preset and not is_gguf and now.device is not CARD,
            Step.RUN_HERE: now.torch and not is_preset and not is_gguf and now.device is CARD,
            Step.EXPORT: is_gguf,
        }
        assert expected[shown.step]


def test_steps_come_in_their_order() -> None:
    for now in EVERYTHING:
        step = next_step(now).step
        if now.model_gone:
            assert step is Step.OPEN_MODEL
        elif not now.torch and now.spec is not GGUF:
            assert step in (Step.INSTALL, Step.COPY_COMMAND)
        elif not now.gpu and now.device is CARD and not now.card_chosen:
            assert step is Step.CHOOSE_CARD
        elif now.spec is PRESET:
            assert step is Step.OPEN_MODEL


def test_nothing_is_said_that_is_not_so() -> None:
    for now in EVERYTHING:
        shown = next_step(now)
        assert "No AMD GPU" not in shown.text or not now.gpu
        assert f"{GPU.name} was found" not in shown.text or now.gpu
        assert "PyTorch, which is not installed" not in shown.text or not now.torch
        assert bool(shown.command) is (shown.step is Step.COPY_COMMAND)
        # Nobody's network is used unasked: the button that does says so before it is pressed.
        assert ("network" in shown.tip) is (shown.step is Step.INSTALL)
        assert ("CPU build" in shown.label) is (shown.step is Step.INSTALL and not now.gpu)


def test_it_is_shown_at_the_first_starts_only() -> None:
    assert [welcome.begin_start() for _ in range(STARTS + 2)] == [True] * STARTS + [False] * 2


def test_dismissed_is_for_good() -> None:
    assert welcome.begin_start()
    welcome.dismiss()
    assert not welcome.begin_start() and welcome.is_dismissed()


@pytest.mark.parametrize("spoilt", ["many", "-7", "", "1e9", ["a", "b"]])
def test_spoilt_settings_count_as_none(spoilt: object) -> None:
    QSettings().setValue("welcome/starts", spoilt)
    QSettings().setValue("welcome/dismissed", "perhaps")
    assert welcome.begin_start()


@pytest.mark.parametrize(("spec", "is_preset", "is_gguf"), [(PRESET, 1, 0), (FOLDER, 0, 0), (GGUF, 0, 1)])
def test_the_situations_are_what_they_are_called(spec: ModelSpec, is_preset: int, is_gguf: int) -> None:
    assert (Situation(spec, CARD).is_preset, spec.is_gguf) == (bool(is_preset), bool(is_gguf))


def test_a_folder_that_is_called_like_a_preset_is_none() -> None:
    assert not Situation(msgspec.structs.replace(PRESET, source="preset a", folder="/preset a"), CARD).is_preset
