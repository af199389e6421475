"""Engines: what each allocates under a plan, how it is told to, and the command that starts it.

Every engine is told the same plan in its own words.  What holds the pool differs: transformers has PyTorch's fraction
and the guard, vLLM its own share of the card, llama.cpp and Ollama what they plan for a context; the preloaded library
holds it in all of them.
"""

from collections.abc import Callable
from typing import Literal, TypeAlias

import msgspec

from vramtuner.core.deploy.vllm import LISTED_GFX, MOST_REQUESTS, tape_levers, vllm_plan
from vramtuner.core.device.spec import Device
from vramtuner.core.errors import BadInputError
from vramtuner.core.forecast import Forecast, forecast
from vramtuner.core.model.spec import ModelSpec
from vramtuner.core.probe.client import Probe
from vramtuner.core.probe.protocol import Event
from vramtuner.core.recording import find_tapes, get_tapes
from vramtuner.core.request import phases
from vramtuner.core.settings import Dtype, KvCache, Levers
from vramtuner.core.tape.llamacpp import DEFAULT_MICRO_BATCH
from vramtuner.core.units import format_bytes, format_tokens
from vramtuner.core.words import plural, say

Engine: TypeAlias = Literal["transformers", "vllm", "llama.cpp", "ollama"]
ENGINES: tuple[Engine, ...] = ("transformers", "vllm", "llama.cpp", "ollama")
ENGINE_NAMES: dict[Engine, str] = {
    "transformers": "transformers", "vllm": "vLLM", "llama.cpp": "llama.cpp", "ollama": "Ollama",
}  # fmt: skip
APPLICATION = ("python", "app.py")
MODEL = "MODEL"
"""Stands in a command for the model's folder or file on the server, which nobody knows here."""

_KV_TYPES: dict[KvCache, str] = {"auto": "f16", "int8": "q8_0", "int4": "q4_0"}
_VLLM_DTYPES: dict[Dtype, str] = {"fp16": "float16", "bf16": "bfloat16", "fp32": "float32"}
_LLAMA_BATCH = 2048  # llama.cpp's own default of --batch-size; a micro-batch is no larger


class EnginePlan(msgspec.Struct, frozen=True, kw_only=True):
    """A plan in the words of an engine.

    Attributes
    ----------
    components
        What the engine allocates for requests of the cap, by name.  [bytes]
    limit_tokens
        The longest request that fits.
    requests
        Requests of the cap that fit at a time.
    asked_requests
        Requests at a time that were asked for.
    variables
        What the engine reads from its environment.
    command
        The words that start it; `MODEL` stands for the model.
    method
        How the figures were found.
    """

    engine: Engine
    components: tuple[tuple[str, int], ...]
    pool_bytes: int
    token_cap: int
    limit_tokens: int
    requests: int
    asked_requests: int
    variables: tuple[tuple[str, str], ...]
    command: tuple[str, ...]
    method: str
    notes: tuple[str, ...] = ()

    @property
    def total_bytes(self) -> int:
        """All components."""
        return sum(size for _, size in self.components)

    @property
    def fits(self) -> bool:
        """Whether as many requests of the cap as were asked for fit the pool."""
        return self.token_cap <= self.limit_tokens and self.requests >= self.asked_requests

    @property
    def verdict(self) -> str:
        """One sentence: whether the cap fits, and how often."""
        facts = {
            "engine": ENGINE_NAMES[self.engine],
            "cap": format_tokens(self.token_cap),
            "pool": format_bytes(self.pool_bytes),
            "limit": format_tokens(self.limit_tokens),
            "requests": self.requests,
        }
        if not self.limit_tokens:
            return say("Under {engine} not even one token fits a pool of {pool}.", **facts)
        if self.fits:
            return plural(
                "Under {engine} {n} request of {cap} fits a pool of {pool}; the longest is {limit}.",
                "Under {engine} {n} requests of {cap} fit a pool of {pool} at a time; the longest is {limit}.",
                n=max(self.requests, 1),
                **facts,
            )
        return say(
            "Under {engine} a pool of {pool} has room for {requests} requests of {cap} at a time; longest {limit}.",
            **facts,
        )


def engine_of(name: str, spec: ModelSpec) -> Engine:
    """The engine of a name, or with ``auto`` the one that runs the model's files.

    Raises
    ------
    BadInputError
        There is none of that name, or it does not run such files.
    """
    found = ("llama.cpp" if spec.is_gguf else "transformers") if name == "auto" else name
    engine = next((engine for engine in ENGINES if engine == found), None)
    if engine is None:
        raise BadInputError(
            say("{name!r} is no engine; take auto, {engines}", name=name[:40], engines=", ".join(ENGINES))
        )
    if spec.is_gguf and engine not in ("llama.cpp", "ollama"):
        raise BadInputError(
            say("{engine} is planned from a model folder, not a GGUF file; take llama.cpp", engine=ENGINE_NAMES[engine])
        )
    if not spec.is_gguf and engine in ("llama.cpp", "ollama"):
        raise BadInputError(
            say("{engine} runs GGUF files; give the .gguf file in place of the folder", engine=ENGINE_NAMES[engine])
        )
    return engine


def planning_levers(engine: Engine, levers: Levers) -> Levers:
    """The levers whose tape the engine's forecast is made of.

    Raises
    ------
    BadInputError
        A lever has no counterpart in the engine.
    """
    if engine == "ollama" and levers.prefill_chunk not in (None, DEFAULT_MICRO_BATCH):
        raise BadInputError(
            say("Ollama sets its micro-batch itself ({size}); leave the prefill chunk out", size=DEFAULT_MICRO_BATCH)
        )
    return tape_levers(levers) if engine == "vllm" else levers


def engine_plan(engine: Engine, plan: Forecast, levers: Levers) -> EnginePlan:
    """What an engine allocates under a plan that was made with `planning_levers`, and how it is told to.

    Parameters
    ----------
    levers
        Those that were asked for.

    Raises
    ------
    BadInputError
        The engine cannot be planned for this model or device.
    """
    return _PLANS[engine](plan, levers)


def engine_forecast(
    engine: Engine,
    spec: ModelSpec,
    device: Device,
    levers: Levers,
    probe: Probe,
    *,
    on_event: Callable[[Event], None] = lambda event: None,
) -> tuple[Forecast, EnginePlan]:
    """A forecast under `planning_levers`, its tapes recorded where they have to be, and the engine's plan.

    Raises
    ------
    AppError
        As `get_tapes` and `engine_plan`.
    """
    chosen = planning_levers(engine, levers)
    plan = forecast(spec, device, chosen, *get_tapes(spec, phases(spec, device, chosen), probe, on_event=on_event))
    return plan, engine_plan(engine, plan, levers)


def engine_plan_at_hand(engine: Engine, spec: ModelSpec, device: Device, levers: Levers) -> EnginePlan | None:
    """The engine's plan if its tapes are at hand.

    Raises
    ------
    BadInputError
        As `planning_levers` and `engine_plan`.
    """
    chosen = planning_levers(engine, levers)
    tapes = find_tapes(spec, phases(spec, device, chosen))
    return None if tapes is None else engine_plan(engine, forecast(spec, device, chosen, *tapes), levers)


def _transformers(plan: Forecast, levers: Levers) -> EnginePlan:
    return EnginePlan(
        engine="transformers",
        components=_components(plan),
        pool_bytes=plan.pool_bytes,
        token_cap=plan.token_cap,
        limit_tokens=plan.limit.tokens,
        requests=levers.batch_size if plan.fits(plan.token_cap) else 0,
        asked_requests=levers.batch_size,
        variables=(),
        command=APPLICATION,
        method=plan.method,
    )


def _llama_cpp(plan: Forecast, levers: Levers) -> EnginePlan:
    batch, kv_type = levers.batch_size, _KV_TYPES[levers.kv_cache]
    micro = levers.prefill_chunk or DEFAULT_MICRO_BATCH
    variables: dict[str, int | str] = {
        "LLAMA_ARG_CTX_SIZE": plan.token_cap * batch,
        "LLAMA_ARG_N_PARALLEL": batch,
        "LLAMA_ARG_N_GPU_LAYERS": 999,  # every layer, in the releases before the word all too
        "LLAMA_ARG_BATCH": max(_LLAMA_BATCH, micro),
        "LLAMA_ARG_UBATCH": micro,
        "LLAMA_ARG_CACHE_TYPE_K": kv_type,
        "LLAMA_ARG_CACHE_TYPE_V": kv_type,
        "LLAMA_ARG_FLASH_ATTN": "on" if plan.attention == "flash" else "off",
        "LLAMA_ARG_FIT": "off",
    }
    return _ggml("llama.cpp", plan, levers, variables, ("llama-server", "--model", MODEL))


def _ollama(plan: Forecast, levers: Levers) -> EnginePlan:
    variables: dict[str, int | str] = {
        "OLLAMA_CONTEXT_LENGTH": plan.token_cap,
        "OLLAMA_NUM_PARALLEL": levers.batch_size,
        "OLLAMA_MAX_LOADED_MODELS": 1,
        "OLLAMA_KV_CACHE_TYPE": _KV_TYPES[levers.kv_cache],
        "OLLAMA_FLASH_ATTENTION": int(plan.attention == "flash"),
        "OLLAMA_GPU_OVERHEAD": max(plan.device.vram_bytes - plan.pool_bytes, 0) if plan.device.is_gpu else 0,
    }
    notes = (
        say("Ollama moves layers to the processor when it counts too little memory; `ollama ps` then says so."),
        say("A context that a request or a Modelfile names (num_ctx) wins over the file's."),
    )
    return _ggml("ollama", plan, levers, variables, ("ollama", "serve"), notes)


def _ggml(
    engine: Engine,
    plan: Forecast,
    levers: Levers,
    variables: dict[str, int | str],
    command: tuple[str, ...],
    notes: tuple[str, ...] = (),
) -> EnginePlan:
    method = say("what llama.cpp plans for such a context: {method}", method=plan.method)
    if engine == "ollama":
        method = say("{method}; that Ollama's runner takes the same was not checked", method=method)
    return EnginePlan(
        engine=engine,
        components=_components(plan),
        pool_bytes=plan.pool_bytes,
        token_cap=plan.token_cap,
        limit_tokens=plan.limit.tokens,
        requests=levers.batch_size if plan.fits(plan.token_cap) else 0,
        asked_requests=levers.batch_size,
        variables=tuple((name, str(value)) for name, value in variables.items()),
        command=command,
        method=method,
        notes=notes,
    )


def _vllm(plan: Forecast, levers: Levers) -> EnginePlan:
    tapes = find_tapes(plan.spec, plan.phases)
    assert tapes is not None, "the plan was made of them"
    found = vllm_plan(plan, tapes[0], levers)
    asked = levers.batch_size if levers.batch_size > 1 else 1
    at_a_time = levers.batch_size if levers.batch_size > 1 else min(max(found.requests, 1), MOST_REQUESTS)
    options = {
        "max-model-len": plan.token_cap,
        "gpu-memory-utilization": found.utilization,
        "max-num-seqs": at_a_time,
        "max-num-batched-tokens": found.batched_tokens,
        "dtype": _VLLM_DTYPES[plan.key.dtype],
        "kv-cache-dtype": levers.kv_cache,
    }
    command = ["vllm", "serve", MODEL]
    for name, value in options.items():
        command += [f"--{name}", str(value)]
    return EnginePlan(
        engine="vllm",
        components=(
            ("weights", found.weights),
            ("kv_cache", found.cache),
            ("activations", found.transient),
            ("overhead", found.overhead),
        ),
        pool_bytes=plan.pool_bytes,
        token_cap=plan.token_cap,
        limit_tokens=found.limit_tokens,
        requests=found.requests,
        asked_requests=asked,
        variables=(),
        command=tuple(command),
        method=say(
            "weights, a pass of {batched:,} tokens and {request} of cache a request read off transformers' tape with "
            "fused attention; the cache is what vLLM leaves for it, less the margin, as its documentation says; it "
            "was from 15 % less to 16 % more than in four published starts of Llama-3.1-8B (one on a Radeon, where "
            "vLLM took more for itself); captured graphs are not counted",
            batched=found.batched_tokens,
            request=format_bytes(found.request),
        ),
        notes=tuple(_vllm_notes(plan.device, plan.spec)),
    )


def _vllm_notes(device: Device, spec: ModelSpec) -> list[str]:
    notes = []
    if device.gfx not in LISTED_GFX:
        notes.append(
            say(
                "vLLM's page of AMD GPUs does not list {gfx}; it may not start there.",
                gfx=device.gfx or say("this device"),
            )
        )
    if spec.breakpoints:
        notes.append(say("Layers with a sliding window are counted whole, which is never too little."))
    if spec.quantization:
        notes.append(
            say("Whether vLLM loads {method} on AMD GPUs is in its table of quantizations.", method=spec.quantization)
        )
    notes.append(
        say("The share is of the whole card, other programs' memory included: what they hold is taken off the cache.")
    )
    return notes


def _components(plan: Forecast) -> tuple[tuple[str, int], ...]:
    return tuple((name, size) for name, size in plan.component_bytes(plan.token_cap).items() if size)


_PLANS: dict[Engine, Callable[[Forecast, Levers], EnginePlan]] = {
    "transformers": _transformers,
    "vllm": _vllm,
    "llama.cpp": _llama_cpp,
    "ollama": _ollama,
}
