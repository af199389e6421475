"""Sessions as files: what is saved is what is read and found again, and nothing else is believed."""

import json
import os
import shutil
import stat
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parents[1] / "data"))
import device_trees as trees

from vramtuner.core.device.find import find_device
from vramtuner.core.device.roots import Roots
from vramtuner.core.errors import BadInputError
from vramtuner.core.model.find import find_model, text_of_model
from vramtuner.core.script import Script, Step
from vramtuner.core.session import (
    MAX_BYTES,
    SUFFIX,
    SavedPlan,
    SavedSession,
    find_plan,
    new_session,
    read_session,
    save_plan,
    write_session,
)
from vramtuner.core.settings import Levers
from vramtuner.core.units import GIB

LEVERS = Levers(pool_bytes=30 * GIB, token_cap=8192, batch_size=4, weights="nf4", keep_modules=("lm_head",))
PLAN = SavedPlan(model="llama-2-7b", device="w7900", device_name="Radeon PRO W7900", levers=LEVERS)
SESSION = new_session(
    PLAN,
    compared=(SavedPlan(model="gpt2", device="cpu", levers=Levers(margin=0.2), name="the small one"),),
    script=Script(
        (Step(levers=Levers(batch_size=2), caption="Half the tokens – “as ever”.", model="gpt2", device="w7900"),)
    ),
)
CONFIG = {
    "model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "intermediate_size": 128,
    "num_hidden_layers": 2, "num_attention_heads": 4, "vocab_size": 256, "max_position_embeddings": 512,
}  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "my model"
    made.mkdir()
    (made / "config.json").write_text(json.dumps(CONFIG))
    return made


def written(path: Path, **fields: Any) -> Path:
    """The session as a file, with other fields."""
    path.write_text(json.dumps({**msgspec.to_builtins(SESSION), **fields}))
    return path


# ---- what is kept


@pytest.mark.parametrize("name", [f"a{SUFFIX}", "a.json", "no suffix"])
def test_what_was_saved_is_read_whatever_the_file_is_called(tmp_path: Path, name: str) -> None:
    write_session(tmp_path / name, SESSION)
    assert read_session(tmp_path / name) == SESSION
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_short_file_is_enough(tmp_path: Path) -> None:
    path = tmp_path / "by hand"
    path.write_text('{"format": 1, "created": "today", "plan": {"model": "gpt2", "device": "w6600"}}')
    assert read_session(path).plan.levers == Levers()
    found = find_plan(read_session(path).plan)
    assert (found.spec, found.device, found.problems) == (find_model("gpt2"), find_device("w6600"), ())


def test_a_file_that_is_replaced_stays_as_private_as_it_was(tmp_path: Path) -> None:
    path, link = tmp_path / "private", tmp_path / "link"
    path.write_text("old")
    path.chmod(0o600)
    link.symlink_to(path)
    write_session(link, SESSION)
    assert link.is_symlink() and read_session(path) == SESSION
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_what_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInputError, match=r"cannot be saved in .*file/a.*; choose another folder"):
        write_session(tmp_path / "file" / "a", SESSION)
    (tmp_path / "folder").mkdir()
    with pytest.raises(BadInputError, match="cannot be saved in"):
        write_session(tmp_path / "folder", SESSION)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder"]


def test_nothing_is_written_that_would_not_be_read(tmp_path: Path) -> None:
    plans = (SavedPlan(model="x" * 4096, device="cpu", device_name="y" * 300, name="z" * 300),) * 200
    steps = Script((Step(levers=Levers(), caption="x" * 300, model="y" * 1000, device="cpu"),) * 200)
    with pytest.raises(BadInputError, match="is larger than"):
        write_session(tmp_path / "a", new_session(PLAN, plans, steps))
    not_text = new_session(SavedPlan(model=os.fsdecode(b"/models/\xff"), device="cpu"))
    with pytest.raises(BadInputError, match="is no text"):
        write_session(tmp_path / "a", not_text)
    assert not list(tmp_path.iterdir())


# ---- what is found again


def test_a_folder_is_found_from_wherever_the_session_is_opened(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    specs = [find_model("."), find_model("config.json")]
    assert [text_of_model(spec) for spec in specs] == [str(folder), str(folder / "config.json")]
    plans = [save_plan(spec, find_device("w7900"), LEVERS) for spec in specs]
    monkeypatch.chdir(tmp_path)
    for spec, plan in zip(specs, plans, strict=True):
        found = find_plan(plan)
        assert found.spec is not None and found.complete and not found.problems
        assert (found.spec.config_hash, found.device, found.levers) == (spec.config_hash, find_device("w7900"), LEVERS)


def test_a_preset_is_a_preset_even_beside_a_folder_of_its_name(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = find_model("gpt2")
    plan = save_plan(spec, find_device("cpu"), Levers())
    assert plan.model == "gpt2"
    folder.rename(tmp_path / "gpt2")
    monkeypatch.chdir(tmp_path)
    assert find_model("gpt2") != spec and find_plan(plan).spec == spec


def test_a_model_that_is_gone_leaves_the_rest(folder: Path) -> None:
    plan = save_plan(find_model(str(folder)), find_device("w7900"), LEVERS)
    shutil.rmtree(folder)
    found = find_plan(plan)
    assert found.spec is None and not found.complete
    assert (found.device, found.levers) == (find_device("w7900"), LEVERS)
    assert len(found.problems) == 1 and "my model" in found.problems[0] and "\n" not in found.problems[0]


def test_a_model_that_has_changed_is_opened_and_told(folder: Path) -> None:
    plan = save_plan(find_model(str(folder)), find_device("w7900"), LEVERS)
    (folder / "config.json").write_text(json.dumps(CONFIG | {"num_hidden_layers": 3}))
    found = find_plan(plan)
    assert found.spec is not None and found.spec.config["num_hidden_layers"] == 3 and found.complete
    assert len(found.problems) == 1 and "has changed since" in found.problems[0]


def test_a_gpu_is_found_where_its_index_is_another(tmp_path: Path) -> None:
    first = Roots.under(trees.write(trees.Machine((trees.W7900,)), tmp_path / "first"))
    other = replace(trees.W7900, slot="0000:83:00.0")
    second = Roots.under(trees.write(trees.Machine((replace(trees.SMALL_APU, slot="0000:01:00.0"), other)), tmp_path))
    card = find_device("0", first)
    plan = save_plan(find_model("gpt2"), card, Levers())
    found = find_plan(plan, second)
    assert card.kind == "gpu" and found.device is not None
    assert (found.device.name, found.device.pci_bus_id) == (card.name, "0000:83:00.0")
    assert found.complete and not found.problems


def test_a_gpu_that_is_not_here_is_planned_for(tmp_path: Path) -> None:
    there = Roots.under(trees.write(trees.Machine((trees.W7900,)), tmp_path / "there"))
    nowhere = Roots.under(tmp_path / "empty")
    plan = save_plan(find_model("gpt2"), find_device("0", there), Levers())
    found = find_plan(plan, nowhere)
    assert found.device == find_device("w7900") and not found.complete
    assert "is not in this machine" in found.problems[0]
    unknown = msgspec.structs.replace(plan, device_name="Some Card")
    assert find_plan(unknown, nowhere).device is None
    replaced = find_plan(unknown, there)
    assert replaced.device is not None and not replaced.complete and "GPU 0 is" in replaced.problems[0]


# ---- what is refused


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is not a session file"),
        (b"VRAMTUNER_TOKEN_CAP=4096\n", "is not a session file"),
        (b"[]", "is not a session file"),
        (b'{"format": "one"}', "is not a session file"),
        (b'{"model_type": "llama"}', "is not a session file"),
        (b'{"format": 0}', "there is no format 0"),
        (b'{"format": 1}', "damaged"),
        (b'{"format": 2, "whatever": []}', "from a later release"),
        (b'{"format": 1, "created": "\xff"}', "damaged"),
        (b"[" * 100_000, "is not a session file"),
        (b'{"a":' * 100_000, "is not a session file"),
        (b" " * (MAX_BYTES + 1), "larger than any session file"),
    ],
)
def test_what_is_no_session(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "odd"
    path.write_bytes(content)
    with pytest.raises(BadInputError) as raised:
        read_session(path)
    text = str(raised.value)
    assert str(path) in text and said in text and "\n" not in text and len(text) < 1000
    assert ";" in text  # and then what to do


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"extra": 1}, "extra"),
        ({"plan": {"model": "gpt2"}}, "device"),
        ({"plan": {"model": "gpt2", "device": "cpu", "levers": {"batch_size": 0}}}, "batch"),
        ({"plan": {"model": "gpt2", "device": "cpu", "levers": {"turbo": True}}}, "turbo"),
        ({"plan": {"model": "gpt2", "device": "cpu", "levers": {"margin": "lots"}}}, "margin"),
        ({"plan": {"model": "x" * 5000, "device": "cpu"}}, "length"),
        ({"compared": [{"model": "gpt2", "device": "cpu"}] * 201}, "length"),
        (
            {"script": {"steps": [{"levers": {}, "caption": "x" * 301, "model": "gpt2", "device": "cpu"}]}},
            "at most 300 letters",
        ),
        ({"script": {"steps": {"levers": {}}}}, "array"),
    ],
)
def test_fields_that_cannot_be(tmp_path: Path, fields: dict[str, Any], said: str) -> None:
    with pytest.raises(BadInputError) as raised:
        read_session(written(tmp_path / "a", **fields))
    assert said in str(raised.value) and "\n" not in str(raised.value)


def test_places_where_no_file_is(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    for path in (tmp_path, tmp_path / "pipe", tmp_path / "loop", tmp_path / "none", Path("/dev/zero"), Path("a\0b")):
        with pytest.raises(BadInputError):
            read_session(path)


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.binary(max_size=200) | st.from_regex(r'\{"format": ?1,.*', fullmatch=True).map(str.encode))
def test_any_bytes_are_read_or_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "a"
    path.write_bytes(data)
    with pytest.raises(BadInputError):
        read_session(path)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    place=st.sampled_from([("created",), ("plan",), ("plan", "levers"), ("script",), ("compared", 0), ("format",)])
    | st.tuples(st.just("plan"), st.just("levers"), st.sampled_from(Levers.__struct_fields__))
    | st.tuples(st.just("plan"), st.sampled_from(SavedPlan.__struct_fields__)),
    value=_JSON,
)
def test_any_value_in_any_place_is_read_or_refused_in_one_line(
    tmp_path: Path, place: tuple[str | int, ...], value: Any
) -> None:
    tree = json.loads(msgspec.json.encode(SESSION))
    holder = tree
    for step in place[:-1]:
        holder = holder[step]
    holder[place[-1]] = value
    path = tmp_path / "a"
    path.write_text(json.dumps(tree))
    try:
        saved = read_session(path)
    except BadInputError as error:
        assert "\n" not in str(error)
    else:
        assert isinstance(saved, SavedSession)
        write_session(path, saved)
        assert read_session(path) == saved
        found = find_plan(saved.plan)
        assert all("\n" not in problem for problem in found.problems)
