"""Whether the published configs are right: the class built from one has the published number of parameters."""

from importlib.resources import files
from typing import Any

import msgspec
import pytest

from vramtuner.core.model.find import known_model_types
from vramtuner.core.model.spec import spec_from_config
from vramtuner.core.settings import TapeKey

pytest.importorskip("torch")
pytest.importorskip("transformers")

from torch._subclasses.fake_tensor import FakeTensorMode

from vramtuner.core.probe import models

FOLDER = files("vramtuner.resources") / "architectures"
NAMES = sorted(item.name for item in FOLDER.iterdir() if item.name.endswith(".json"))


@pytest.mark.parametrize("name", NAMES)
def test_the_class_has_as_many_parameters(name: str) -> None:
    architecture: dict[str, Any] = msgspec.json.decode((FOLDER / name).read_bytes())
    spec = spec_from_config(architecture["config"], name=name, source=name, known_types=known_model_types())
    models.quieten_libraries()
    with FakeTensorMode(allow_non_fake_inputs=True):
        model = models.build_model(spec, TapeKey(dtype="bf16", attention="eager"))
        # Tied weights are one parameter, and are counted once.
        count = sum(parameter.numel() for parameter in model.parameters())
    assert type(model).__name__ == spec.architecture
    assert count == pytest.approx(architecture["parameters"], rel=0.01)
