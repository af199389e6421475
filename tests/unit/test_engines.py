"""Engines: the same plan in their words, and what each allocates for it."""

import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from test_gguf import write

from vramtuner.core.deploy.engines import ENGINES, Engine, EnginePlan, engine_of, engine_plan, planning_levers
from vramtuner.core.deploy.envfile import parse, render
from vramtuner.core.deploy.export import Flavour, export, plan
from vramtuner.core.device.find import cpu_device, find_device
from vramtuner.core.device.spec import Device
from vramtuner.core.errors import BadInputError
from vramtuner.core.forecast import Forecast, forecast
from vramtuner.core.model.find import find_model
from vramtuner.core.recording import find_tapes
from vramtuner.core.request import phases
from vramtuner.core.settings import Levers
from vramtuner.core.units import GIB

W7900 = find_device("w7900")


@pytest.fixture(scope="module")
def gguf(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(write(tmp_path_factory.mktemp("engines") / "tiny.gguf"))


def planned(engine: Engine, model: str, levers: Levers, device: Device = W7900) -> tuple[EnginePlan, Forecast]:
    spec, chosen = find_model(model), planning_levers(engine, levers)
    tapes = find_tapes(spec, phases(spec, device, chosen))
    assert tapes is not None
    made = forecast(spec, device, chosen, *tapes)
    return engine_plan(engine, made, levers), made


def options(found: EnginePlan) -> dict[str, str]:
    words = found.command[found.command.index("MODEL") + 1 :]
    return dict(zip(words[::2], words[1::2], strict=True))


# ---- which engine


def test_files_decide_when_nobody_does(gguf: str) -> None:
    assert engine_of("auto", find_model("gpt2")) == "transformers"
    assert engine_of("auto", find_model(gguf)) == "llama.cpp"


@pytest.mark.parametrize("name", ["", "VLLM", "sglang", "x" * 1000])
def test_an_unknown_engine_is_refused_with_those_there_are(name: str) -> None:
    with pytest.raises(BadInputError, match=r"transformers, vllm, llama\.cpp, ollama") as caught:
        engine_of(name, find_model("gpt2"))
    assert len(str(caught.value)) < 200


def test_an_engine_is_not_given_files_it_does_not_run(gguf: str) -> None:
    for engine in ENGINES:
        other = find_model(gguf if engine in ("transformers", "vllm") else "gpt2")
        with pytest.raises(BadInputError, match="GGUF file"):
            engine_of(engine, other)


# ---- vLLM


def test_vllm_is_told_the_cap_the_share_and_the_requests() -> None:
    levers = Levers(token_cap=8192, pool_bytes=24 * GIB)
    found, _ = planned("vllm", "llama-3.1-8b", levers)
    told = options(found)
    assert (told["--max-model-len"], told["--dtype"], told["--kv-cache-dtype"]) == ("8192", "bfloat16", "auto")
    share = float(told["--gpu-memory-utilization"])
    assert share * W7900.vram_bytes <= 24 * GIB < (share + 0.001) * W7900.vram_bytes
    assert int(told["--max-num-seqs"]) == found.requests


def test_vllm_cache_is_the_published_bytes_a_token() -> None:
    """128 KiB a token: 2 x 32 layers x 8 KV heads x 128 x 2 bytes, from the model's published config."""
    found, _ = planned("vllm", "llama-3.1-8b", Levers(token_cap=8192))
    cache = dict(found.components)["kv_cache"]
    assert found.requests == cache // (8192 * 128 * 1024)
    halved, _ = planned("vllm", "llama-3.1-8b", Levers(token_cap=8192, kv_cache="fp8"))
    assert halved.requests == cache // (8192 * 64 * 1024)


def test_vllm_fills_the_share_and_no_more() -> None:
    for margin in (0.0, 0.1):
        found, made = planned("vllm", "llama-3.1-8b", Levers(margin=margin))
        parts = dict(found.components)
        share = float(options(found)["--gpu-memory-utilization"]) * W7900.vram_bytes
        rest = share - sum(parts.values())
        assert rest == pytest.approx(margin * (parts["activations"] + parts["overhead"]), abs=16)
        assert found.total_bytes <= made.pool_bytes


def test_the_longest_request_is_what_one_cache_holds() -> None:
    levers = Levers(pool_bytes=17 * GIB, token_cap=1024)
    found, _ = planned("vllm", "llama-3.1-8b", levers)
    cache = dict(found.components)["kv_cache"]
    assert found.limit_tokens == cache // (16 * 128 * 1024) * 16 < 131_072
    at, _ = planned("vllm", "llama-3.1-8b", Levers(pool_bytes=17 * GIB, token_cap=found.limit_tokens))
    above, _ = planned("vllm", "llama-3.1-8b", Levers(pool_bytes=17 * GIB, token_cap=found.limit_tokens + 1))
    assert at.fits and not above.fits


def test_a_batch_is_that_many_requests_at_a_time() -> None:
    fits, _ = planned("vllm", "llama-3.1-8b", Levers(token_cap=8192, batch_size=4))
    assert options(fits)["--max-num-seqs"] == "4" and fits.fits
    many, _ = planned("vllm", "llama-3.1-8b", Levers(token_cap=8192, batch_size=500))
    assert not many.fits and "room for" in many.verdict


@pytest.mark.parametrize(
    ("levers", "said"),
    [
        ({"weights": "nf4"}, "weights"), ({"kv_cache": "int4"}, "KV cache"), ({"attention": "eager"}, "attention"),
        ({"beams": 2}, "beams"), ({"pass_kind": "training"}, "inference"), ({"allocator": "backend:native"}, "PyTorch"),
    ],
)  # fmt: skip
def test_levers_without_a_counterpart_are_refused(levers: dict[str, Any], said: str) -> None:
    with pytest.raises(BadInputError, match=said):
        planning_levers("vllm", Levers(**levers))


def test_vllm_is_for_gpus_and_says_which_it_does_not_list() -> None:
    with pytest.raises(BadInputError, match="GPU"):
        planned("vllm", "gpt2", Levers(), cpu_device())
    assert any("gfx1030" in note for note in planned("vllm", "gpt2", Levers(), find_device("w6800"))[0].notes)
    assert not any("does not list" in note for note in planned("vllm", "gpt2", Levers())[0].notes)


# ---- llama.cpp and Ollama


def test_llama_cpp_is_told_a_context_for_all_its_slots(gguf: str) -> None:
    levers = Levers(token_cap=1000, batch_size=3, kv_cache="auto", prefill_chunk=4096)
    found, made = planned("llama.cpp", gguf, levers)
    told = dict(found.variables)
    assert (told["LLAMA_ARG_CTX_SIZE"], told["LLAMA_ARG_N_PARALLEL"]) == ("3000", "3")
    assert (told["LLAMA_ARG_UBATCH"], told["LLAMA_ARG_BATCH"]) == ("4096", "4096")  # no smaller than its part
    assert (told["LLAMA_ARG_CACHE_TYPE_K"], told["LLAMA_ARG_FLASH_ATTN"], told["LLAMA_ARG_FIT"]) == ("f16", "on", "off")
    assert found.total_bytes == made.peak_bytes(1000)


def test_ollama_keeps_off_what_is_not_the_pool(gguf: str) -> None:
    found, _ = planned("ollama", gguf, Levers(token_cap=1000, pool_bytes=20 * GIB, attention="math"))
    told = dict(found.variables)
    assert int(told["OLLAMA_GPU_OVERHEAD"]) == W7900.vram_bytes - 20 * GIB
    assert (told["OLLAMA_CONTEXT_LENGTH"], told["OLLAMA_FLASH_ATTENTION"]) == ("1000", "0")
    with pytest.raises(BadInputError, match="micro-batch"):
        planning_levers("ollama", Levers(prefill_chunk=1024))


# ---- their files


def test_the_file_of_another_engine_has_its_variables_and_not_pytorchs(gguf: str, tmp_path: Path) -> None:
    levers = Levers(token_cap=1000)
    found, made = planned("llama.cpp", gguf, levers)
    done = export(made, tmp_path / "a.env", validated=False, flavour=Flavour(engine=found, levers=levers))
    variables = parse((tmp_path / "a.env").read_text())
    assert done.path is not None and variables["LLAMA_ARG_CTX_SIZE"] == "1000"
    assert variables["VRAMTUNER_ENGINE"] == "llama.cpp" and "PYTORCH_HIP_ALLOC_CONF" not in variables
    assert "torch" not in variables["VRAMTUNER_VERSIONS"]
    assert "# Start it with: llama-server --model MODEL" in (tmp_path / "a.env").read_text()


def test_what_another_engine_cannot_prove_or_fit_is_not_written(tmp_path: Path) -> None:
    levers, path = Levers(token_cap=8192, batch_size=500), tmp_path / "a.env"
    found, made = planned("vllm", "llama-3.1-8b", levers)
    with pytest.raises(BadInputError, match="not run here"):
        export(made, path, validated=True, flavour=Flavour(engine=found, levers=levers))
    with pytest.raises(BadInputError, match="room for"):
        export(made, path, validated=False, flavour=Flavour(engine=found, levers=levers, fragments=("compose",)))
    assert not list(tmp_path.iterdir())


def test_fragments_are_written_beside_and_replace_only_their_own(tmp_path: Path) -> None:
    found, made = planned("vllm", "gpt2", Levers())
    flavour = Flavour(engine=found, levers=Levers(), fragments=("systemd", "compose"))
    path = tmp_path / "deploy.env"
    for _ in range(2):
        done = export(made, path, validated=False, flavour=flavour)
        assert [one.name for one in done.beside] == ["deploy.service.conf", "deploy.compose.yaml"]
        assert all(one.stat().st_mode & 0o777 == 0o644 for one in tmp_path.iterdir())
    before = path.read_bytes()
    (tmp_path / "deploy.compose.yaml").write_text("services: {}\n")
    with pytest.raises(BadInputError, match="exists and is not"):
        export(made, path, validated=False, flavour=flavour)
    assert path.read_bytes() == before and (tmp_path / "deploy.compose.yaml").read_text() == "services: {}\n"


def test_a_card_is_named_by_its_id_where_asked() -> None:
    card = Device(key="1", name="A card", kind="gpu", vram_bytes=48 * GIB, source="a test", gfx="gfx1100",
                  uuid="GPU-0123456789abcdef")  # fmt: skip
    _, made = planned("transformers", "gpt2", Levers(), card)
    variables = parse(render(plan(made, Flavour(select="uuid"))))
    assert variables["ROCR_VISIBLE_DEVICES"] == "GPU-0123456789abcdef" and "HIP_VISIBLE_DEVICES" not in variables
    assert parse(render(plan(made)))["HIP_VISIBLE_DEVICES"] == "1"
    bare = Device(key="1", name="A card", kind="gpu", vram_bytes=48 * GIB, source="a test", gfx="gfx1100")
    with pytest.raises(BadInputError, match="no unique id"):
        render(plan(planned("transformers", "gpt2", Levers(), bare)[1], Flavour(select="uuid")))


def test_what_becomes_of_a_request_over_the_cap_is_in_the_file_only_where_asked() -> None:
    _, made = planned("transformers", "gpt2", Levers())
    assert parse(render(plan(made, Flavour(over_cap="truncate"))))["VRAMTUNER_OVER_CAP"] == "truncate"
    assert "VRAMTUNER_OVER_CAP" not in parse(render(plan(made)))
