"""The env file: one grammar, nothing injected, every change noticed."""

import hashlib
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vramtuner.core.deploy.envfile import (
    CAP_VARIABLE,
    HEADER,
    POOL_VARIABLE,
    Deployment,
    PassRecord,
    allocator_options,
    levers_from,
    parse,
    render,
)
from vramtuner.core.device.find import cpu_device, find_device
from vramtuner.core.device.spec import Device
from vramtuner.core.errors import BadInputError
from vramtuner.core.settings import ATTENTIONS, DTYPES, KV_CACHES, LOGITS, WEIGHTS, Levers
from vramtuner.core.units import GIB, MIB

LOCAL = Device(key="1", name="Radeon PRO W7900", kind="gpu", vram_bytes=51_522_830_336, source="a test", gfx="gfx1100")
LEVERS = Levers(pool_bytes=10 * GIB, token_cap=9472, dtype="fp16", attention="flash")
PASSES = (PassRecord(4736, "ok", 9 * GIB), PassRecord(9472, "ok", 9 * GIB + 1), PassRecord(14_208, "refused", 0))


def deployment(**changes: Any) -> Deployment:
    facts: dict[str, Any] = {
        "model": "Llama-2-7B",
        "model_hash": "491cb15a44a7d552",
        "device": LOCAL,
        "levers": LEVERS,
        "versions": {"torch": "2.12.1+rocm7.0", "transformers": "5.24.0"},
        "created": "2026-12-01T04:00:00Z",
    }
    return Deployment(**{**facts, **changes})


VALIDATED = deployment(validated_on="Radeon PRO W7900", passes=PASSES, variables=(("A_VARIABLE", "1"),))
TEXT = render(VALIDATED)
NAMES = set(parse(TEXT))


# What it holds ---------------------------------------------------------------------------------------------------


def test_the_file_holds_the_plan() -> None:
    found = parse(TEXT)
    assert found[POOL_VARIABLE] == "10GiB"
    assert found[CAP_VARIABLE] == "9472"
    assert found["HIP_VISIBLE_DEVICES"] == "1"
    assert found["A_VARIABLE"] == "1"
    assert (found["HF_HUB_OFFLINE"], found["TRANSFORMERS_OFFLINE"]) == ("1", "1")
    assert found["VRAMTUNER_MODEL"] == "Llama-2-7B"
    assert found["VRAMTUNER_VALIDATION"] == "passed"
    assert found["VRAMTUNER_VALIDATED_PASSES"] == f"4736:ok:{9 * GIB},9472:ok:{9 * GIB + 1},14208:refused:0"


def test_names_that_rocm_does_not_read_are_said_to_be_so() -> None:
    lines = TEXT.splitlines()
    for name in (POOL_VARIABLE, CAP_VARIABLE):
        (place,) = [number for number, line in enumerate(lines) if line.startswith(f"{name}=")]
        assert "ROCm and PyTorch do not read this name" in lines[place - 1]
    assert "expandable_segments" not in TEXT


def test_a_file_without_passes_is_marked_not_validated() -> None:
    text = render(deployment())
    assert "# NOT VALIDATED" in text
    assert parse(text)["VRAMTUNER_VALIDATION"] == "not-validated"
    assert "VRAMTUNER_VALIDATED_ON" not in parse(text)


@pytest.mark.parametrize("device", [find_device("w7900"), cpu_device()])
def test_only_a_local_card_has_an_index(device: Device) -> None:
    assert "HIP_VISIBLE_DEVICES" not in parse(render(deployment(device=device)))


# PyTorch's own cap -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("torch", "options"),
    [
        # 10 GiB less 140 MiB of scratch and 600 MiB of context, of 64 GiB: 9,500 / 65,536 = 0.14495849… rounded down.
        ("2.10.0", "per_process_memory_fraction:0.144958"),
        ("2.11.0+rocm7.1", "per_process_memory_fraction:0.144958"),
        ("2.12.0", "per_process_memory_fraction:0.144958,throw_on_cudamalloc_oom:True"),
        ("2.13.0+cpu", "per_process_memory_fraction:0.144958,throw_on_cudamalloc_oom:True"),
        ("3.0.0", "per_process_memory_fraction:0.144958,throw_on_cudamalloc_oom:True"),
        ("2.9.1", None),
        ("2.8.0", None),
        ("1.13", None),
        ("", None),
        ("nightly", None),
        (None, None),
    ],
)
def test_options_are_those_that_the_release_knows(torch: str | None, options: str | None) -> None:
    assert allocator_options(find_device("mi210"), 10 * GIB, torch) == options


def test_a_processor_has_no_allocator_options_and_an_old_torch_is_told_what_to_do() -> None:
    assert allocator_options(cpu_device(), 10 * GIB, "2.13.0") is None
    old = render(deployment(versions={"torch": "2.9.1"}))
    assert "PYTORCH_HIP_ALLOC_CONF" not in parse(old)
    assert "set_per_process_memory_fraction" in old


@given(st.integers(1, 512).map(lambda gib: gib * GIB), st.integers(1, 2**40))
def test_the_fraction_never_gives_more_than_the_pool_leaves(vram: int, pool: int) -> None:
    device = Device(key="x", name="X", kind="catalogue", vram_bytes=vram, source="a test")
    pool = min(pool, vram)
    options = allocator_options(device, pool, "2.10.0")
    assert options is not None
    fraction = float(options.removeprefix("per_process_memory_fraction:"))
    assert 0 <= fraction <= 1
    assert fraction * vram <= max(pool - 740 * MIB, 0)
    assert fraction * vram > pool - 740 * MIB - vram / 10**6 - 1


# Reading it back -------------------------------------------------------------------------------------------------

_LEVERS = st.builds(
    Levers,
    pool_bytes=st.integers(1, 2**50),
    token_cap=st.integers(1, 10**8),
    batch_size=st.integers(1, 1024),
    weights=st.sampled_from(WEIGHTS),
    attention=st.sampled_from(ATTENTIONS),
    checkpointing=st.booleans(),
    dtype=st.sampled_from(DTYPES),
    logits=st.sampled_from(LOGITS),
    beams=st.integers(1, 64),
    kv_cache=st.sampled_from(KV_CACHES),
    prefill_chunk=st.none() | st.integers(2, 10**6),
    keep_modules=st.sampled_from([(), ("lm_head",), ("lm_head", "mlp.down_proj")]),
    allocator=st.sampled_from(["", "expandable_segments:True", "max_split_size_mb:512"]),
    margin=st.floats(0, 1),
)


@given(_LEVERS)
def test_the_levers_come_back_as_they_were(levers: Levers) -> None:
    assert levers_from(parse(render(deployment(levers=levers)))) == levers


@pytest.mark.parametrize(
    ("name", "value"),
    [
        (POOL_VARIABLE, "0"),
        (POOL_VARIABLE, "lots"),
        (CAP_VARIABLE, "0"),
        (CAP_VARIABLE, "-1"),
        ("VRAMTUNER_BATCH", "0"),
        ("VRAMTUNER_BATCH", "two"),
        ("VRAMTUNER_BATCH", "9" * 5000),
        ("VRAMTUNER_WEIGHTS", "int3"),
        ("VRAMTUNER_ATTENTION", ""),
        ("VRAMTUNER_DTYPE", "float16"),
        ("VRAMTUNER_LOGITS", "none"),
        ("VRAMTUNER_MARGIN", "nan"),
        ("VRAMTUNER_MARGIN", "2"),
    ],
)
def test_an_environment_that_is_wrong_or_lacks_something_is_refused(name: str, value: str) -> None:
    environment = parse(TEXT)
    with pytest.raises(BadInputError):
        levers_from({**environment, name: value})
    del environment[name]
    with pytest.raises(BadInputError, match=f"{name} is missing"):
        levers_from(environment)


@pytest.mark.parametrize("number", range(len(TEXT.splitlines())))
def test_every_line_that_is_changed_is_noticed(number: int) -> None:
    lines = TEXT.splitlines(keepends=True)
    line = lines[number]
    text = line.removesuffix("\n")
    for changed in (
        "", line * 2, f" {line}", f"{text} \n", f"{text}\r\n", f"{text[:-1]}\n", f"# {line}", f"\n{line}", f"{line}\n",
        line.swapcase(), f"{line}INJECTED=1\n", f"{line}# a comment\n", f"INJECTED=1\n{line}",
    ):  # fmt: skip
        if changed != line:
            with pytest.raises(BadInputError):
                parse("".join([*lines[:number], changed, *lines[number + 1 :]]))


def test_a_variable_that_is_set_twice_is_refused_even_under_a_right_checksum() -> None:
    body = TEXT.rpartition("VRAMTUNER_CHECKSUM=")[0] + f"{CAP_VARIABLE}=99999\n"
    digest = hashlib.sha256(body.encode()).hexdigest()
    with pytest.raises(BadInputError, match="is damaged"):
        parse(f"{body}VRAMTUNER_CHECKSUM=sha256:{digest}\n")


def test_lines_that_change_places_are_noticed() -> None:
    lines = TEXT.splitlines(keepends=True)
    for place in range(len(lines) - 1):
        swapped = [*lines[:place], lines[place + 1], lines[place], *lines[place + 2 :]]
        with pytest.raises(BadInputError):
            parse("".join(swapped))


@given(st.text(st.characters(), max_size=200))
def test_any_text_is_a_deployment_file_or_bad_input(text: str) -> None:
    for candidate in (text, f"{HEADER}\n{text}", TEXT + text, f"{HEADER}\n# \udcff\n{text}"):
        try:
            found = parse(candidate)
        except BadInputError as error:
            assert len(str(error).splitlines()) == 1
        else:
            assert set(found) == NAMES


def test_a_file_too_large_is_not_looked_at() -> None:
    with pytest.raises(BadInputError, match="not a vramtuner deployment file"):
        parse(HEADER + "\n" + "#\n" * 40_000)


# Nothing is injected ---------------------------------------------------------------------------------------------

HOSTILE = [
    "evil\nLD_PRELOAD=/tmp/evil.so",
    "evil\r\nPATH=/tmp",
    "$(touch /tmp/evil)",
    "`id`",
    "a${HOME}b",
    "a=b #c",
    "'; rm -rf /; '",
    '" x="1',
    "back\\slash\\",
    "line\u2028PATH=/tmp",
    "page\x0cPATH=/tmp\x0bA=1\x85B=2\x1cC=3",
    "nul\0byte",
    "\udcff\ud800",
    "Ünïcödé 模型",
    "",
    "x" * 10_000,
]


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_sets_no_variable(name: str) -> None:
    device = msgspec.structs.replace(LOCAL, name=name)
    text = render(deployment(model=name, device=device, validated_on=name, passes=PASSES))
    assert set(parse(text)) == NAMES - {"A_VARIABLE"}
    assert text.isascii()


@given(st.text(st.characters()))
def test_any_name_leaves_a_file_that_reads_back(name: str) -> None:
    text = render(deployment(model=name, validated_on=name, passes=PASSES))
    assert set(parse(text)) == NAMES - {"A_VARIABLE"}


@pytest.mark.parametrize(
    "changes",
    [
        {"created": "now\nPATH=/tmp"},
        {"model_hash": "a b"},
        {"model_hash": "$(id)"},
        {"versions": {"torch": "2.12\nPATH=/tmp"}},
        {"variables": (("PATH", "/tmp /x"),)},
        {"variables": (("A B", "1"),)},
        {"device": msgspec.structs.replace(LOCAL, key="0\nX=1")},
    ],
)
def test_a_value_that_a_shell_would_read_otherwise_is_not_written(changes: dict[str, Any]) -> None:
    with pytest.raises(BadInputError, match="cannot be written to an env file"):
        render(deployment(**changes))


@pytest.mark.parametrize("shell", [name for name in ("sh", "bash", "dash") if shutil.which(name)])
@pytest.mark.parametrize("name", ["Llama-2-7B", HOSTILE[0], HOSTILE[2], HOSTILE[6], HOSTILE[8]])
def test_a_shell_reads_the_same_values(tmp_path: Path, shell: str, name: str) -> None:
    text = render(deployment(model=name, validated_on=name, passes=PASSES, variables=(("A_VARIABLE", "1"),)))
    (tmp_path / "deploy.env").write_text(text)
    done = subprocess.run(
        [shell, "-c", 'set -eua; . "$1"; env -0', "sh", str(tmp_path / "deploy.env")],
        env={"PATH": os.environ["PATH"]}, capture_output=True, check=True,
    )  # fmt: skip
    found = dict(entry.split("=", 1) for entry in done.stdout.decode().split("\0") if entry)
    for own in ("PATH", "PWD", "OLDPWD", "SHLVL", "_"):
        found.pop(own, None)
    assert found == parse(text)
    assert done.stderr == b""


@settings(max_examples=25, deadline=None)
@given(_LEVERS)
def test_every_value_is_plain(levers: Levers) -> None:
    for value in parse(render(deployment(levers=levers))).values():
        assert not set(value) & set(" \t\n\"'\\$`#=;&|<>()*?[]{}~!")


def test_options_that_a_shell_would_read_are_refused_before_anything_is_written() -> None:
    levers = msgspec.structs.replace(LEVERS, allocator="roundup_power2_divisions:[256:1,>:8]")
    with pytest.raises(BadInputError, match="cannot be written"):
        render(deployment(levers=levers))
