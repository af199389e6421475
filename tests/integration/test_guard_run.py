"""Real programs under the guard: real models on the CPU, and what a program must not notice."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from vramtuner.core.deploy import guard
from vramtuner.core.deploy.envfile import Deployment, render
from vramtuner.core.device.find import cpu_device
from vramtuner.core.settings import Levers
from vramtuner.core.units import GIB

DATA = Path(__file__).parents[1] / "data"
VRAMTUNER = [sys.executable, "-c", "from vramtuner.core.cli import main; main()"]
CAP = 2048
# Ways to ask a model for tokens, and whether a request can be made shorter in it.
SHORTENED = (
    "generate", "keyword", "many_new", "embeddings", "rows_in_a_batch", "beams", "assisted", "static_cache",
    "streamed_in_a_thread", "text_pipeline", "chat_pipeline",
)  # fmt: skip
REFUSED = (
    "continued", "call", "forward", "call_with_embeddings", "without_head", "part_of_a_model", "unbound", "own_loop",
    "own_loop_static", "compiled", "compiled_whole",
)  # fmt: skip


class Server:
    """A folder with a deployment file, the guard beside it, and an environment without any of the variables."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.env = folder, folder / "deploy.env"
        levers = Levers(pool_bytes=GIB, token_cap=CAP, dtype="fp32", attention="math", batch_size=2)
        plan = Deployment(
            model="tiny", model_hash="491cb15a44a7d552", device=cpu_device(), levers=levers, created="2026-12-01"
        )
        self.env.write_text(render(plan))
        self.guard = Path(shutil.copy(guard.__file__, folder / "vramtuner_guard.py"))
        self.state = folder / "state"
        self.environ = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("VRAMTUNER_", "HIP_", "HF_", "TRANSFORMERS_"))
        }
        self.environ["VRAMTUNER_STATE"] = str(self.state)

    def run(self, *words: str, over_cap: str = "refuse") -> list[str]:
        return [*VRAMTUNER, "run", "--env", str(self.env), "--over-cap", over_cap, "--", *words]

    def alone(self, *words: str, python: str = sys.executable, flags: tuple[str, ...] = ()) -> list[str]:
        return [python, *flags, str(self.guard), *words]

    def do(self, command: list[str], **options: Any) -> "subprocess.CompletedProcess[str]":
        environ = {**self.environ, **options.pop("environ", {})}
        settings: dict[str, Any] = {"capture_output": True, "text": True, "timeout": 200, "cwd": self.folder}
        return subprocess.run(command, env=environ, check=False, **{**settings, **options})


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    yield Server(tmp_path_factory.mktemp("server"))


def _asked(server: Server, command: list[str]) -> tuple[dict[str, list[Any]], str]:
    done = server.do(command)
    assert done.returncode == 0, done.stderr[-2000:]
    assert "Traceback" not in done.stderr
    return json.loads(done.stdout), done.stderr


@pytest.fixture(scope="module")
def refusing(server: Server) -> dict[str, list[Any]]:
    """Every case under ``vramtuner run``, which refuses."""
    asked = [f"{name}:{length}" for name in (*SHORTENED, *REFUSED) for length in (2048, 3072)]
    asked += ["generate:1024", "forward:1024", "nothing_said_of_new:2048"]
    return _asked(server, server.run(sys.executable, str(DATA / "guard_app.py"), *asked))[0]


@pytest.fixture(scope="module")
def truncating(server: Server) -> tuple[dict[str, list[Any]], str]:
    """Those that are over the cap, under the single file, which truncates."""
    asked = [f"{name}:3072" for name in (*SHORTENED, "continued", "forward")]
    asked += ["generate:1024", "generate:2048"]
    return _asked(server, server.alone("--over-cap", "truncate", str(DATA / "guard_app.py"), *asked))


# Tokens ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["generate", "forward"])
def test_of_three_prompts_the_third_is_refused(refusing: dict[str, list[Any]], name: str) -> None:
    assert refusing[f"{name}:1024"] == ["ok", 1024]
    assert refusing[f"{name}:2048"] == ["ok", 2048]
    assert refusing[f"{name}:3072"][0] == "capped"


@pytest.mark.parametrize("name", [*SHORTENED, *REFUSED])
def test_no_way_round_the_cap(refusing: dict[str, list[Any]], name: str) -> None:
    outcome, length = refusing[f"{name}:2048"]
    assert outcome == "ok"
    if not name.endswith("pipeline"):
        assert length == 2048
    outcome, message = refusing[f"{name}:3072"]
    assert outcome == "capped"
    assert "exceeds the safe limit of 2,048 tokens (HIP_MAX_CONTEXT_TOKENS)" in message
    if "own_loop" not in name:  # it asks for a little more at each step, and is stopped at the first over the cap
        assert "Requested context (3,072 tokens" in message


def test_a_default_that_nobody_asked_for_ends_at_the_cap(refusing: dict[str, list[Any]]) -> None:
    assert refusing["nothing_said_of_new:2048"] == ["ok", 2048]


@pytest.mark.parametrize("name", SHORTENED)
def test_truncating_gives_what_fits(truncating: tuple[dict[str, list[Any]], str], name: str) -> None:
    outcome, length = truncating[0][f"{name}:3072"]
    assert outcome == "ok"
    if name.endswith("pipeline"):
        assert 0 < length <= 8, "a truncated prompt must leave the answer whole"
    elif name != "embeddings":  # only new tokens come back of them
        assert length == 2048


def test_truncating_says_what_was_asked_the_limit_and_what_was_done(
    truncating: tuple[dict[str, list[Any]], str],
) -> None:
    assert (
        "vramtuner: Requested context (3,072 tokens: 3,064 of prompt and 8 new) exceeds the safe limit of 2,048 tokens"
        " (HIP_MAX_CONTEXT_TOKENS); truncating. Context size set to 2,048 tokens (truncated from 3,072): the newest"
        " 2,040 tokens of the prompt and 8 new ones\n"
    ) in truncating[1]


def test_what_cannot_be_shortened_is_refused_also_then(truncating: tuple[dict[str, list[Any]], str]) -> None:
    assert truncating[0]["forward:3072"][0] == "capped"
    assert truncating[0]["continued:3072"][0] == "capped"  # the oldest tokens are in the cache already


ERRORS = """
import os, sys, threading, time, torch
from pathlib import Path
from transformers import LlamaConfig, LlamaForCausalLM
model = LlamaForCausalLM(LlamaConfig(vocab_size=9, hidden_size=8, intermediate_size=8, num_hidden_layers=1,
                                     num_attention_heads=1, max_position_embeddings=4096, eos_token_id=None))
ids = torch.ones(1, 3072, dtype=torch.long)
for length in (10, 500, 3000):
    try:
        model.generate(ids[:, :length], max_new_tokens=4)
    except ValueError:
        pass
time.sleep(1.3)
print(Path(os.environ["VRAMTUNER_STATE"], f"guard-{os.getpid()}.json").read_text())
def full():
    raise torch.OutOfMemoryError("HIP out of memory. Tried to allocate 12.40 GiB. GPU 0 has a total capacity of 11.98"
        " GiB of which 1.20 GiB is free. Of the allocated memory 7.25 GiB is allocated by PyTorch")
def driver():
    raise RuntimeError("HIP error: out of memory")
def other():
    raise RuntimeError("something else")
for work in (full, driver, other, lambda: model.generate(ids, max_new_tokens=1)):
    thread = threading.Thread(target=work, name=work.__name__)
    thread.start()
    thread.join()
print("still here")
model(ids)
"""


def test_errors_that_end_a_program_are_one_line_each_and_counts_are_there_until_then(server: Server) -> None:
    # A child of a child, so that the hook has to come through the environment.
    begun = time.time()
    done = server.do(server.run("sh", "-c", f'exec {sys.executable} -c "$1"', "sh", ERRORS))
    counts, still = done.stdout.splitlines()
    assert (done.returncode, still) == (1, "still here")
    found = json.loads(counts)
    assert begun <= found.pop("started") <= time.time()
    assert found.pop("pid") > 0
    assert found == {
        "admitted": 2, "refused": 1, "truncated": 0, "longest_tokens": 504, "cap": 2048, "pool_bytes": GIB
    }  # fmt: skip
    assert not list(server.state.glob("guard-*.json"))
    assert server.state.stat().st_mode & 0o777 == 0o700
    lines = [line for line in done.stderr.splitlines() if line.startswith("vramtuner: ")]
    assert len(lines) == 4
    for part in ("asked for 12.40 GiB", "7.25 GiB already allocated", "the pool is 1GiB", "HIP_MAX_CONTEXT_TOKENS"):
        assert part in lines[0]
    assert "out of GPU memory" in lines[1]
    assert "Requested context (3,073 tokens: 3,072 of prompt and 1 new)" in lines[2]
    assert lines[3].startswith("vramtuner: Requested context (3,072 tokens) exceeds the safe limit of 2,048")
    assert done.stderr.count("Traceback") == 1, "only the error that is not of memory has one"
    assert "RuntimeError: something else" in done.stderr


# What a program must not notice ---------------------------------------------------------------------------------------

LOOK = (
    "import json, sys, threading; print(json.dumps([sys.argv, 'torch' in sys.modules, threading.active_count(),"
    " sys.path, __name__, sys.flags.isolated, 'vramtuner_guard' in sys.modules]))"
)


def _ways(server: Server) -> dict[str, tuple[list[str], list[str]]]:
    """How a program is named, plainly and under the guard."""
    (server.folder / "look.py").write_text(f"#!{sys.executable}\n{LOOK}\n")
    (server.folder / "look.py").chmod(0o755)
    (server.folder / "looks").mkdir(exist_ok=True)
    (server.folder / "looks" / "__main__.py").write_text(LOOK)
    rest = ["--env", "x", "-x", "", "a b", "é"]
    plain = {
        "script": ["look.py", *rest], "module": ["-m", "look", *rest], "package": ["-m", "looks", *rest],
        "code": ["-c", LOOK, *rest],
    }  # fmt: skip
    ways = {
        f"run {name}": ([sys.executable, *words], server.run(sys.executable, *words)) for name, words in plain.items()
    }
    ways["run shebang"] = (["./look.py", *rest], server.run("./look.py", *rest))
    ways |= {f"alone {name}": ([sys.executable, *words], server.alone(*words)) for name, words in plain.items()}
    ways["alone program"] = (["./look.py", *rest], server.alone("--", "./look.py", *rest))
    return ways


def test_arguments_path_and_modules_are_as_without_the_guard(server: Server) -> None:
    for name, (plain, guarded) in _ways(server).items():
        expected, done = json.loads(server.do(plain).stdout), server.do(guarded)
        assert done.stderr == "", name
        found = json.loads(done.stdout)
        assert found.pop() is True, name
        assert found == expected[:-1], name


def test_bytes_pass_unchanged_and_so_do_exit_codes(server: Server) -> None:
    content = bytes(range(256)) * 4096
    copy = "import shutil, sys; shutil.copyfileobj(sys.stdin.buffer, sys.stdout.buffer); sys.exit(37)"
    for command in (server.run(sys.executable, "-c", copy), server.alone("-c", copy), server.run("cat")):
        done = server.do(command, input=content, text=False)
        assert done.stdout == content
        assert done.returncode == (0 if command[-1] == "cat" else 37)
        assert done.stderr == b""


@pytest.mark.parametrize("way", ["run", "alone"])
def test_signals_reach_the_program_itself(server: Server, way: str) -> None:
    wait = "import os, time; print(os.getpid(), flush=True); time.sleep(60)"
    command = server.run(sys.executable, "-c", wait) if way == "run" else server.alone("-c", wait)
    with subprocess.Popen(command, env=server.environ, stdout=subprocess.PIPE, text=True, cwd=server.folder) as process:
        assert process.stdout is not None
        assert int(process.stdout.readline()) == process.pid
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == -signal.SIGTERM


def test_a_broken_pipe_ends_a_program_as_it_does_without(server: Server) -> None:
    done = server.do(["bash", "-c", '"$@" | head -n 1; echo "${PIPESTATUS[0]}"', "bash", *server.run("yes")])
    assert done.stdout == f"y\n{128 + signal.SIGPIPE}\n"


def test_children_by_multiprocessing_are_guarded_and_a_site_of_ones_own_still_runs(server: Server) -> None:
    own = server.folder / "own"
    own.mkdir()
    (own / "sitecustomize.py").write_text("import sys\nsys.own_site = __file__\n")
    (server.folder / "children.py").write_text(
        "import multiprocessing, sys\n"
        "def look(queue):\n"
        "    queue.put(['vramtuner_guard' in sys.modules, getattr(sys, 'own_site', None)])\n"
        "if __name__ == '__main__':\n"
        "    for way in ('fork', 'spawn', 'forkserver'):\n"
        "        context = multiprocessing.get_context(way)\n"
        "        queue = context.SimpleQueue()\n"
        "        child = context.Process(target=look, args=(queue,))\n"
        "        child.start()\n"
        "        print(*queue.get())\n"
        "        child.join()\n"
    )
    path = f"{own}{os.pathsep}{self_path}" if (self_path := os.environ.get("PYTHONPATH")) else str(own)
    done = server.do(server.run(sys.executable, "children.py"), environ={"PYTHONPATH": path})
    assert done.stdout == f"True {own / 'sitecustomize.py'}\n" * 3, done.stderr


def _bare() -> list[str]:
    found = [sys.executable, "/usr/bin/python3", *(shutil.which(f"python3.{minor}") or "" for minor in range(8, 15))]
    return sorted({path for path in found if path and _starts(path)})


def _starts(python: str) -> bool:
    done = subprocess.run([python, "-c", "import sys; sys.exit(sys.version_info < (3, 8))"], capture_output=True)
    return done.returncode == 0


def test_the_single_file_needs_nothing_but_an_interpreter(server: Server) -> None:
    look = "import os; print(os.environ['HIP_MAX_CONTEXT_TOKENS'], __name__)"
    for python in _bare():
        for flags in ((), ("-I", "-S")):
            done = server.do(server.alone("-c", look, python=python, flags=flags))
            assert (done.stdout, done.stderr) == ("2048 __main__\n", ""), (python, flags)


# What cannot be done --------------------------------------------------------------------------------------------------


def test_what_cannot_be_used_is_one_line_and_a_shells_exit_code(server: Server) -> None:
    damaged = server.folder / "damaged.env"
    damaged.write_text(server.env.read_text().replace("HIP_MAX_CONTEXT_TOKENS=2048", "HIP_MAX_CONTEXT_TOKENS=4096"))
    (server.folder / "data.txt").write_text("no program\n")
    run, alone = [*VRAMTUNER, "run"], server.alone()
    cases = [
        ([*run, "--", "true"], 2, "name the deployment file"),
        ([*run, "--env", "deploy.env"], 2, "name the program"),
        ([*run, "--env", "missing.env", "--", "true"], 2, "missing.env cannot be read"),
        ([*run, "--env", "damaged.env", "--", "true"], 2, "was changed"),
        ([*run, "--env", "data.txt", "--", "true"], 2, "not a vramtuner deployment file"),
        ([*run, "--env", "deploy.env", "--over-cap", "often", "--", "true"], 2, "refuse, truncate"),
        (server.run("no-such-program"), 127, "no-such-program was not found"),
        (server.run("./data.txt"), 126, "./data.txt cannot be started"),
        ([*alone, "--env", "damaged.env", "look.py"], 2, "was changed"),
        ([*alone, "--env", "missing.env", "look.py"], 2, "missing.env cannot be read"),
        ([*alone, "--over-cap", "often", "look.py"], 2, "refuse or truncate"),
        ([*alone, "missing.py"], 2, "missing.py cannot be read"),
        ([*alone], 2, "no program is named"),
        ([*alone, "--", "no-such-program"], 127, "no-such-program was not found"),
    ]
    for command, code, words in cases:
        done = server.do(command)
        assert (done.returncode, done.stdout) == (code, ""), command
        assert words in done.stderr, command
        assert done.stderr.count("\n") == 1, command


def test_what_was_set_before_and_says_otherwise_is_told(server: Server) -> None:
    before = {"HIP_MAX_CONTEXT_TOKENS": "8192", "HF_HUB_OFFLINE": "1"}
    for command in (
        server.run("printenv", "HIP_MAX_CONTEXT_TOKENS"),
        server.alone("--", "printenv", "HIP_MAX_CONTEXT_TOKENS"),
    ):
        done = server.do(command, environ=before)
        assert done.stdout == "2048\n"
        assert (
            done.stderr == "vramtuner: HIP_MAX_CONTEXT_TOKENS was '8192' here; the deployment file's '2048' is used\n"
        )
