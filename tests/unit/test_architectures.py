"""The published model configs under resources/architectures: loadable, sourced, of sane sizes, of many classes."""

import json
import re
from importlib.resources import files

import msgspec
import pytest

from vramtuner.core.model.find import known_model_types
from vramtuner.core.model.spec import ModelSpec, spec_from_config

FOLDER = files("vramtuner.resources") / "architectures"
NAMES = sorted(item.name.removesuffix(".json") for item in FOLDER.iterdir() if item.name.endswith(".json"))
LAYERS = ("num_hidden_layers", "n_layer", "n_layers", "num_layers")
WIDTHS = ("hidden_size", "n_embd", "d_model")


class Architecture(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The form of a preset, and nothing else in the file."""

    name: str
    title: str
    source: str
    parameters: int
    parameters_source: str
    config: dict[str, object]


def read(name: str) -> Architecture:
    return msgspec.json.decode((FOLDER / f"{name}.json").read_bytes(), type=Architecture)


def spec_of(name: str) -> ModelSpec:
    architecture = read(name)
    return spec_from_config(
        dict(architecture.config),
        name=architecture.title,
        source=architecture.source,
        known_types=known_model_types(),
    )


def first_of(config: dict[str, object], names: tuple[str, ...]) -> int:
    value = next(config[name] for name in names if name in config)
    assert isinstance(value, int)
    return value


def published(text: str) -> tuple[float, float] | None:
    """The published count in a sentence such as "published 41.9B (…)", and half a unit of its last digit."""
    found = re.search(r"published (\d+)(?:\.(\d+))?([BM]) ", text)
    if not found:
        return None
    unit = {"B": 1e9, "M": 1e6}[found[3]]
    return float(f"{found[1]}.{found[2] or 0}") * unit, unit / 10 ** len(found[2] or "") / 2


def test_there_are_enough_of_them() -> None:
    assert len(NAMES) >= 60


def test_they_cover_many_classes_of_the_release() -> None:
    architectures = [read(name).config for name in NAMES]
    classes = {str(config["architectures"][0]) for config in architectures}  # type: ignore[index]
    types = {str(config["model_type"]) for config in architectures}
    assert len(classes) >= 48
    assert types <= known_model_types()
    assert len(types) >= 48


@pytest.mark.parametrize("name", NAMES)
def test_a_file_becomes_a_spec(name: str) -> None:
    spec = spec_of(name)
    assert spec.architecture == read(name).config["architectures"][0]  # type: ignore[index]
    assert not spec.warnings
    assert not spec.is_part


@pytest.mark.parametrize("name", NAMES)
def test_a_file_says_where_its_facts_come_from(name: str) -> None:
    architecture = read(name)
    assert architecture.name == name
    assert len(architecture.title) >= 4
    assert re.search(r"/|defaults of transformers 5\.24 \w+Config", architecture.source)
    assert architecture.parameters_source.startswith(("published: ", "counted from the class"))


@pytest.mark.parametrize("name", NAMES)
def test_sizes_are_sane(name: str) -> None:
    config = read(name).config
    layers, width = first_of(config, LAYERS), first_of(config, WIDTHS)
    assert 2 <= layers <= 128
    assert 256 <= width <= 16384
    vocabulary, parameters = config["vocab_size"], read(name).parameters
    assert isinstance(vocabulary, int)
    assert 32_000 <= vocabulary <= 300_000
    assert 1e8 < parameters < 2e12
    # Embeddings alone are less, and a layer has at least the four projections of a narrow attention, or a scan's.
    assert parameters > vocabulary * width + layers * width * width


@pytest.mark.parametrize("name", NAMES)
def test_lists_of_layer_kinds_have_an_entry_for_every_layer(name: str) -> None:
    config = read(name).config
    for key in ("layer_types", "layers_block_type"):
        if key in config:
            assert len(config[key]) == first_of(config, LAYERS)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", [name for name in NAMES if published(read(name).parameters_source)])
def test_the_count_is_the_published_one(name: str) -> None:
    architecture = read(name)
    count = published(architecture.parameters_source)
    assert count is not None
    value, rounding = count
    assert abs(architecture.parameters - value) <= 0.01 * value + rounding


def test_many_counts_are_published() -> None:
    sources = [read(name).parameters_source for name in NAMES]
    assert sum("published" in source for source in sources) >= 35


def test_files_are_written_alike() -> None:
    for name in NAMES:
        text = (FOLDER / f"{name}.json").read_text(encoding="utf-8")
        assert text == json.dumps(json.loads(text), indent=2, ensure_ascii=False) + "\n"
