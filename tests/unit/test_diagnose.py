"""What logs say went wrong: a sample for every rule, whole logs, and how texts arrive in the world."""

import io
import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vramtuner.core.diagnose import Finding, diagnose_log
from vramtuner.core.diagnose.lines import stretches
from vramtuner.core.diagnose.rules import Rule, RuleBook, read_amount, read_rules, rule_book
from vramtuner.core.diagnose.weigh import compares
from vramtuner.core.errors import BadInputError
from vramtuner.core.units import GIB, MIB

DATA = tomllib.loads((Path(__file__).parents[1] / "data" / "diagnosis.toml").read_text())
OOM = (
    "torch.OutOfMemoryError: HIP out of memory. Tried to allocate 3.00 GiB. GPU 0 has a total capacity of 15.98 GiB of"
    " which 1.25 GiB is free. Of the allocated memory 13.50 GiB is allocated by PyTorch, and 310.00 MiB is reserved by"
    " PyTorch but unallocated. If reserved but unallocated memory is large try setting expandable_segments"
)
OOM_NUMBERS = {
    "requested_bytes": 3 * GIB,
    "total_bytes": round(15.98 * GIB),
    "free_bytes": round(1.25 * GIB),
    "allocated_bytes": round(13.5 * GIB),
    "reserved_unallocated_bytes": 310 * MIB,
}


def findings(log: str | bytes) -> tuple[Finding, ...]:
    return diagnose_log(io.BytesIO(log.encode() if isinstance(log, str) else log), "a log").findings


def numbers(log: str | bytes) -> dict[str, float]:
    found = findings(log)[0].numbers
    return {name: found.get(name, -1) for name in OOM_NUMBERS}


def fired(text: str) -> set[str]:
    found = set()
    for stretch in stretches(io.BytesIO(text.encode()), rule_book().marks):
        found |= {rule.rule.id for rule in rule_book().rules_for(stretch.whole) if rule.match(stretch.whole)}
    return found


def test_no_rule_is_without_a_sample_and_no_cause_is_out_of_reach() -> None:
    assert {rule.rule.id for rule in rule_book().rules} == DATA["samples"].keys()


def test_causes_can_be_reached_from_the_samples_of_their_rules() -> None:
    """Every cause of lines alone is found from them, or gives way to one that is surer of the same lines."""
    samples = {rule: texts[0] for rule, texts in DATA["samples"].items()}
    for cause in rule_book().causes:
        if cause.where:
            continue
        log = "\n".join(samples[need.split("|")[0]] for need in cause.needs)
        assert max(finding.confidence for finding in findings(log)) >= cause.confidence, cause.category


@pytest.mark.parametrize(("rule", "text"), [(rule, text) for rule, texts in DATA["samples"].items() for text in texts])
def test_a_rule_finds_its_sample(rule: str, text: str) -> None:
    assert rule in fired(text)


def test_rules_say_nothing_of_ordinary_lines() -> None:
    calm = ["INFO 200 OK", "epoch 3 loss 0.21", "loading tokenizer", "memory is fine", "the cache was freed", ""]
    assert fired("\n".join(calm)) == set()


@pytest.mark.parametrize("log", DATA["log"], ids=lambda log: log["cause"])
def test_a_log_has_its_cause_and_numbers(log: dict[str, Any]) -> None:
    first = findings(log["text"])[0]
    assert f"{first.cause.family}/{first.cause.category}" == log["cause"]
    assert log.get("numbers", {}).items() <= first.numbers.items()


DRESSED = {
    "plain": OOM,
    "crlf": OOM + "\r\n",
    "colour": f"\x1b[31m\x1b[1m{OOM}\x1b[0m",
    "colour without its escape": f"[0;36m(Worker_TP0 pid=7)[0;0m ERROR {OOM}",
    "quoted": f"> {OOM}",
    "boxed": f"│ {OOM} │",
    "behind a progress bar": f" 41%|####      | 41/100\r 42%|####      | 42/100\r{OOM}",
    "journal": f"Jun 03 10:11:12 host app[77]: {OOM}",
    "json": json.dumps({"level": "error", "msg": OOM}),
    "typographic quotes": f"“{OOM}”",
    "wrapped by a person": OOM.replace(". ", ".\n").replace("PyTorch but", "PyTorch\nbut"),
    "wrapped by a terminal": "\n".join(OOM[at : at + 80] for at in range(0, len(OOM), 80)),
    "after junk": f"\x00\xff\xfe junk \x80\n{OOM}",
}


@pytest.mark.parametrize("dress", DRESSED)
def test_numbers_are_the_same_however_a_message_arrives(dress: str) -> None:
    assert numbers(DRESSED[dress]) == OOM_NUMBERS


def test_a_line_that_a_terminal_broke_once() -> None:
    line = (
        "(Engine pid=5) ValueError: To serve at least one request with the model's max seq len (70000), (6.50 GiB KV"
        " cache is needed, which is larger than the available KV cache memory (3.25 GiB). Based on"
    )
    found = findings(f"{line[:115]}\n{line[115:]}\n")[0]
    assert found.numbers == {"max_seq_len": 70000, "kv_needed_bytes": 6.5 * GIB, "kv_available_bytes": 3.25 * GIB}


def test_utf_16_from_a_windows_shell() -> None:
    assert numbers(OOM.encode("utf-16")) == OOM_NUMBERS


def test_the_line_of_evidence_counts_from_one() -> None:
    log = "calm\n" * 70_000 + OOM + "\n" + "calm\n" * 1000
    assert [entry.line for entry in findings(log)[0].evidence] == [70_001]


def test_a_message_over_the_edge_of_a_piece_is_whole() -> None:
    for shift in range(0, 480, 37):
        log = "x" * (2**20 - shift - 1) + "\n" + OOM + "\n" + "calm line\n" * 100_000
        assert numbers(log) == OOM_NUMBERS


def test_two_failures_far_apart_are_two_findings() -> None:
    log = OOM + "\n" + "calm\n" * 500 + "RuntimeError: No HIP GPUs are available\n"
    assert {finding.cause.family for finding in findings(log)} == {"capacity", "device"}


def test_a_failed_download_does_not_hide_that_memory_ran_out() -> None:
    found = findings(f"urllib3: Max retries exceeded with url: /api\n{OOM}\n")
    assert {finding.cause.family for finding in found} == {"not_memory", "capacity"}


def test_warnings_beside_a_failure_are_not_its_cause() -> None:
    warning = "MIOpen(HIP): Warning [IsEnoughWorkspace] Solver <x>, workspace required: 10, provided ptr: 0 size: 0"
    assert [finding.cause.family for finding in findings(f"{warning}\n{OOM}\n")] == ["capacity"]


def test_a_plan_that_fits_is_no_failure_and_hides_no_circumstance() -> None:
    fits = "llama_params_fit_impl: projected to use 9000 MiB of device memory vs. 15000 MiB of free device memory"
    assert findings(fits)[0].cause.family == "unknown"
    assert findings(f"{fits}\nllama_kv_cache_unified: layer   3: dev = CPU")[0].cause.family == "spill"


def test_a_thin_cause_has_a_second_candidate() -> None:
    found = findings("error : HSA_STATUS_ERROR_OUT_OF_RESOURCES: The runtime failed. code: 0x1008")
    assert [finding.cause.family for finding in found] == ["not_memory", "workspace"]
    assert found[0].tell


def test_what_a_program_said_last_counts_when_it_was_started_again() -> None:
    started = "args: {{'gpu_memory_utilization': {}}}\nAvailable KV cache memory: {} GiB\n"
    log = started.format(0.95, "9.00") + "calm\n" * 300 + started.format(0.5, "1.50") + OOM
    found = findings(log)[0]
    assert found.numbers["utilization"] == 0.5
    assert found.numbers["kv_bytes"] == 1.5 * GIB
    assert found.cause.family == "capacity"


def test_a_flood_of_one_message_keeps_its_first_lines() -> None:
    log = "".join(f"[{n}.5] *ERROR* Not enough memory for command submission!\n" for n in range(20_000))
    found = findings(log)
    assert found[0].cause.family == "other_holder"
    assert found[0].evidence[0].line == 1
    assert len(found[0].evidence) < 20


def test_a_number_told_twice_is_kept_once_and_exact() -> None:
    log = (
        "allocating 14136.04 MiB on device 0: cudaMalloc failed: out of memory\n"
        "failed to allocate ROCm0 buffer of size 14822711296\n"
    )
    first = findings(log)[0]
    assert first.numbers["requested_bytes"] == 14822711296
    assert "requested_bytes_2" not in first.numbers


def test_memory_does_not_grow_with_one_endless_line() -> None:
    class Endless(io.RawIOBase):
        left = 64

        def readable(self) -> bool:
            return True

        def read(self, size: int = -1) -> bytes:
            self.left -= 1
            return b"a HIP out of memory. Tried to allocate " * 26_000 if self.left >= 0 else b""

    assert diagnose_log(Endless(), "endless").findings[0].cause.family == "capacity"  # type: ignore[arg-type]


@given(st.binary(max_size=4000))
@settings(max_examples=150, deadline=None)
def test_any_bytes_are_read(junk: bytes) -> None:
    assert findings(junk)


@given(st.lists(st.sampled_from([t for texts in DATA["samples"].values() for t in texts]), max_size=12), st.randoms())
@settings(max_examples=150, deadline=None)
def test_any_mixture_of_lines_is_read(lines: list[str], random: Any) -> None:
    cut = [line[: random.randint(0, len(line))] if random.random() < 0.3 else line for line in lines]
    for finding in findings("\n".join(cut)):
        assert 0 <= finding.confidence < 1
        assert len(finding.evidence) <= 12
        assert finding.summary


@pytest.mark.parametrize(
    ("text", "unit", "value"),
    [
        ("1.50 GiB", "size", 1610612736),
        ("2 GB", "size", 2 * 10**9),
        ("2 GB", "binary", 2 * GIB),
        ("7.5", "mib", 7864320),
    ],
)
def test_units_are_as_the_rule_says(text: str, unit: str, value: int) -> None:
    amount = read_amount(text, unit)
    assert amount is not None and amount.value == value


def test_a_mark_that_is_none_once_the_text_is_cleaned() -> None:
    assert findings("> out\n> of | memory. tried\n" + "out | of > memory. tried")[0].confidence == 0
    assert rule_book().rules_for("nothing of that kind") == []


def test_a_number_of_endless_digits_is_passed_over() -> None:
    found = findings(f"failed to allocate ROCm0 buffer of size {'9' * 400}\nerror code: 0x{'f' * 400}")
    assert found[0].cause.family == "capacity"
    assert "requested_bytes" not in found[0].numbers


def test_what_is_no_number_is_none() -> None:
    assert [read_amount(text, "size") for text in ("", "GiB", "1.2.3 GiB", "5 parsec", "9" * 400)] == [None] * 5


def test_a_condition_without_its_numbers_does_not_hold() -> None:
    known = {"outside": 30.0, "total": 100.0}
    assert compares("outside >= 0.3 * total", known)
    assert not compares("outside > 0.3 * total", known)
    assert not compares("free < 1 * total", known)


def _rule(**changes: Any) -> Rule:
    return Rule(**{"id": "a", "marks": ("four",), "pattern": "four", "source": "here", **changes})


@pytest.mark.parametrize(
    "rule",
    [_rule(pattern=r"(a)\1"), _rule(pattern="(?=a)b"), _rule(marks=("abc",)), _rule(fields={"size": "size"})],
)
def test_a_rule_that_could_run_long_or_says_nothing_is_refused(rule: Rule) -> None:
    with pytest.raises(BadInputError):
        RuleBook([rule], [])


@pytest.mark.parametrize("text", ["[[rule]]\nid = 3\n", "[[rule]]\nid = 'a'\nmarkers = []\n", "[[cause"])
def test_a_file_of_rules_that_breaks_the_schema_is_refused(text: str) -> None:
    with pytest.raises(BadInputError, match=r"broken\.toml"):
        read_rules(text, "broken.toml")


def test_a_hostile_line_costs_no_more_than_its_length() -> None:
    hostile = "RESOURCE_EXHAUSTED" * 200 + "queue.alloc" * 2000
    assert findings((hostile + "\n") * 50)[0].cause.family == "unknown"


MAIN = "from vramtuner.core.cli import main; main()"


def command(*words: str, stdin: bytes = b"") -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run(
        [sys.executable, "-c", MAIN, "diagnose", *words], input=stdin, capture_output=True, timeout=60
    )


def test_the_command_reads_files_and_pipes_as_json(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text(OOM)
    done = command("--json", str(tmp_path / "a.log"), "-", stdin=b"RuntimeError: No HIP GPUs are available\n")
    said = json.loads(done.stdout)
    assert done.returncode == 0
    assert [finding["cause"]["family"] for finding in said["findings"]] == ["device", "capacity"]
    assert said["findings"][1]["numbers"]["requested_bytes"] == 3 * GIB
    assert said["findings"][1]["source"] == str(tmp_path / "a.log")


@pytest.mark.parametrize("name", ["missing.log", "."])
def test_what_cannot_be_read_is_one_line(name: str, tmp_path: Path) -> None:
    done = command(str(tmp_path / name))
    assert done.returncode == 2
    assert done.stderr.count(b"\n") == 1
    assert not done.stdout


def test_following_tells_each_failure_once_it_is_written(tmp_path: Path) -> None:
    log = tmp_path / "service.log"
    log.write_text("service started\n")
    with subprocess.Popen(
        [sys.executable, "-c", MAIN, "diagnose", "--json", "--follow", str(log)], stdout=subprocess.PIPE
    ) as running:
        assert running.stdout is not None
        for text, family in ((OOM, "capacity"), ("RuntimeError: No HIP GPUs are available", "device")):
            with log.open("a") as file:
                file.write(f"{text}\n")
            said = json.loads(running.stdout.readline())
            assert [finding["cause"]["family"] for finding in said["findings"]] == [family]
        running.terminate()


def test_the_public_cases_are_judged_right() -> None:
    folder = Path(__file__).parents[3] / "shared" / "cases" / "logs"
    if not folder.is_dir():
        pytest.skip(f"no cases at {folder}")
    bench = Path(__file__).parents[1] / "bench" / "diagnose.py"
    done = subprocess.run([sys.executable, bench, "--speed", "0"], capture_output=True, text=True, env={**os.environ})
    assert done.returncode == 0, done.stdout
    assert "not memory but called exhaustion: 0; the reverse: 0" in done.stdout
