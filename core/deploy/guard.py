"""The guard: a deployment's token cap and pool, kept in Python programs that know nothing of it.

This file is one file, and long, because it is copied as ``vramtuner_guard.py`` to servers where nothing else of
vramtuner is: it needs the standard library only, and Python 3.8 or later.  Three ways to use it::

    python vramtuner_guard.py [--env deploy.env] [--over-cap refuse|truncate] app.py ...   (or -m module, or -c code)
    python vramtuner_guard.py [--env deploy.env] -- program ...
    from vramtuner_guard import install; install()        # first of all in a program, with the variables set

and ``vramtuner run`` does the second.  What it does to a program is decided when torch or transformers is imported; a
program that imports neither is left alone.  The parts, in this order: the cap itself, the env file, counts that others
read, the pool, tokens in transformers, errors that end a program, the import hook, how children get it, the command.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # as typing has it, without the milliseconds that importing typing takes
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, MutableMapping
    from types import ModuleType, TracebackType
    from typing import Any

TOKEN_CAP_VARIABLE = "HIP_MAX_CONTEXT_TOKENS"
POOL_VARIABLE = "HIP_FORCE_MEMORY_POOL_SIZE"
POLICY_VARIABLE = "VRAMTUNER_OVER_CAP"  # refuse, truncate
TRACEBACK_VARIABLE = "VRAMTUNER_TRACEBACK"  # 1: errors that the guard explains keep their traceback
STATE_VARIABLE = "VRAMTUNER_STATE"  # the folder of counts
OUTSIDE_VARIABLE = "VRAMTUNER_OUTSIDE_TORCH_BYTES"  # what a process holds on the card beside torch's allocator
BATCH_VARIABLE, BEAMS_VARIABLE = "VRAMTUNER_BATCH", "VRAMTUNER_BEAMS"
POLICIES = ("refuse", "truncate")

ENFORCED = (
    "generate of transformers: prompt and new tokens of each sequence; with embeddings, batches, beams, caches,"
    " streamers and assistants, in threads, and where a pipeline or a chat calls it",
    "direct calls of transformers' models, also forward itself, compiled, without a head, and in loops over a cache:"
    " the tokens given and those in the cache; always refused, because a call cannot be shortened unseen",
    "requests of transformers' continuous batching: refused, each by itself",
    "batches: no more tokens together than the cap times the planned sequences (VRAMTUNER_BATCH, VRAMTUNER_BEAMS)",
    "the pool, through torch, in this process: the fraction in PYTORCH_HIP_ALLOC_CONF from torch 2.10, else"
    " torch.cuda.set_per_process_memory_fraction for every visible device when CUDA or HIP is initialised",
    "children that are Python programs: subprocess, multiprocessing (fork, spawn, forkserver), console scripts",
)
NOT_COVERED = (
    "engines with model code of their own (vLLM, SGLang, llama.cpp, ONNX Runtime): their own options cap tokens",
    "models that are not transformers' PreTrainedModel, and single layers that a program calls itself",
    "lengths in the caches of state-space models, which say none; they take no memory by the token either",
    "memory of a static cache that a program makes longer than the cap before it calls a model",
    "Python started with -I, -E or -S, without PYTHONPATH, or from an executable with Python inside: children of that"
    " kind are not guarded (a program that is given to vramtuner_guard.py itself is)",
    "programs that replace sys.excepthook, and children of multiprocessing: their own traceback is shown",
    "a driver that aborts the process when memory is out: no Python code runs after that",
    "programs that set the variables, or take the guard's hooks away, themselves: this is no security boundary",
)

# As envfile.py has them; a test compares.
HEADER = "# vramtuner deployment file, format 1"
_CHECKSUM = "VRAMTUNER_CHECKSUM="
_MAX_BYTES = 64 * 1024
_FACTORS = {"": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12}
_FACTORS.update({name: 2**power for power, letter in ((10, "k"), (20, "m"), (30, "g"), (40, "t"))
                 for name in (letter, letter + "ib")})  # fmt: skip
# What vramtuner assumes until it is measured: ROCr's scratch reserve (140 MiB) and a context (600 MiB).
_OUTSIDE_BYTES = 740 * 2**20
_FRACTION = "per_process_memory_fraction"
# Which PyTorch reads first of these that are set; they are not merged.
_ALLOCATOR_VARIABLES = ("PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_HIP_ALLOC_CONF", "PYTORCH_ALLOC_CONF")
_MODULE = "vramtuner_guard"
_SITE_FOLDER = "vramtuner_site"


# ---- The cap ----


class TokenCapError(ValueError):
    """A request is longer than the cap; nothing has been allocated for it."""


class Guard:
    """Admits requests up to a number of tokens, prompt and new ones together."""

    __slots__ = ("token_cap",)

    def __init__(self, token_cap: int) -> None:
        self.token_cap = token_cap

    @classmethod
    def from_environment(cls, environ: Mapping[str, str]) -> Guard:
        """The guard that an exported environment asks for.

        Raises
        ------
        ValueError
            The variable is missing or not a positive number.
        """
        return cls(_count(environ, TOKEN_CAP_VARIABLE))

    def admit(self, tokens: int) -> None:
        """Return if a request of this many tokens may run.

        Raises
        ------
        TokenCapError
            It is over the cap; the message is for the person who sent it.
        """
        if tokens > self.token_cap:
            raise TokenCapError(_refusal(tokens, self.token_cap))


def _refusal(tokens: int, limit: int, detail: str = "") -> str:
    return (
        f"Requested context ({tokens:,} tokens{detail}) exceeds the safe limit of {limit:,} tokens"
        f" ({TOKEN_CAP_VARIABLE}); refused before any memory was taken. Shorten the prompt or ask for fewer new tokens."
    )


def _count(environ: Mapping[str, str], name: str) -> int:
    text = environ.get(name, "")
    if not text.isascii() or not text.isdecimal() or len(text) > 12 or int(text) < 1:
        raise ValueError(f"{name} is not a positive {'token ' * (name == TOKEN_CAP_VARIABLE)}count: {text[:40]!r}")
    return int(text)


class _Settings:
    """What the variables say; ``cap`` and ``pools`` are empty where they say nothing."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self.cap = _count(environ, TOKEN_CAP_VARIABLE) if environ.get(TOKEN_CAP_VARIABLE) else 0
        self.pools = [_bytes(text) for text in environ.get(POOL_VARIABLE, "").split(",") if text]
        self.policy = environ.get(POLICY_VARIABLE) or "refuse"
        if self.policy not in POLICIES:
            raise ValueError(f"{POLICY_VARIABLE} is refuse or truncate, not {self.policy[:40]!r}")
        outside = environ.get(OUTSIDE_VARIABLE) or str(_OUTSIDE_BYTES)
        if not outside.isascii() or not outside.isdecimal() or len(outside) > 20:
            raise ValueError(f"{OUTSIDE_VARIABLE} is not a number of bytes: {outside[:40]!r}")
        self.outside = int(outside)
        # How many sequences the plan has at once; without a plan any number may run, each up to the cap.
        self.rows = _count(environ, BATCH_VARIABLE) if environ.get(BATCH_VARIABLE) else sys.maxsize
        if environ.get(BATCH_VARIABLE) and environ.get(BEAMS_VARIABLE):
            self.rows *= _count(environ, BEAMS_VARIABLE)

    def limit(self, rows: int) -> int:
        """The cap of each of ``rows`` sequences: together they have what was planned.

        Memory grows with tokens together, or with their square, so that more and shorter sequences take no more.
        """
        return self.cap if rows <= self.rows else self.cap * self.rows // rows


def _bytes(text: str) -> int:
    digits = text.strip().lower().rstrip("bgikmt ")
    factor = _FACTORS.get(text.strip().lower()[len(digits) :].strip())
    if factor is None or not digits.replace(".", "", 1).isdecimal() or not digits.isascii() or len(digits) > 20:
        raise ValueError(f"{POOL_VARIABLE} is not a size: {text[:40]!r}; write for example 10GiB")
    return int(digits) * factor if digits.isdecimal() else int(float(digits) * factor)


def _say(message: str) -> None:
    """One line on standard error, if there is one."""
    try:
        sys.stderr.write(f"vramtuner: {' '.join(message.split())}\n")
        sys.stderr.flush()
    except (OSError, ValueError, AttributeError):
        pass  # closed, or None: a guard that cannot speak still guards


# ---- The env file ----


def read_env(path: str) -> dict[str, str]:
    """The variables of a deployment file, its checksum compared.

    Raises
    ------
    ValueError
        It cannot be read, is none, or was changed; one line for people.
    """
    import hashlib
    import re

    try:
        with open(path, "rb") as file:
            raw = file.read(_MAX_BYTES + 1)
        text = raw.decode()
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not a vramtuner deployment file (it is not text)") from error
    if len(raw) > _MAX_BYTES or not text.startswith(HEADER + "\n"):
        raise ValueError(f"{path} is not a vramtuner deployment file (its first line is missing)")
    variables: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if line.startswith("#"):
            continue
        match = re.fullmatch(r"([A-Z][A-Z0-9_]*)=([A-Za-z0-9._+:,/@%-]*)", line)
        if match is None or match[1] in variables:
            raise ValueError(f"line {number} of {path} is damaged: {line[:80]!r}")
        variables[match[1]] = match[2]
    body, found, checksum = text.rpartition(_CHECKSUM)
    if not found or checksum.rstrip("\n") != f"sha256:{hashlib.sha256(body.encode()).hexdigest()}":
        raise ValueError(f"{path} was changed after it was written (checksum); export it again")
    return variables


def merged(environ: Mapping[str, str], variables: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    """An environment in which a file's variables win, and a line for each that contradicts what was set."""
    notes = [
        f"{name} was {environ[name][:60]!r} here; the deployment file's {value[:60]!r} is used"
        for name, value in variables.items()
        if environ.get(name) not in (None, "", value)
    ]
    if "PYTORCH_HIP_ALLOC_CONF" in variables and environ.get("PYTORCH_CUDA_ALLOC_CONF"):
        notes.append(
            "PYTORCH_CUDA_ALLOC_CONF is set and takes precedence over the deployment file's PYTORCH_HIP_ALLOC_CONF;"
            " unset it (the guard sets the pool in Python programs all the same)"
        )
    selectors = ("ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL")
    selected = any(name in variables for name in selectors)
    for name in selectors:
        if selected and environ.get(name) and name not in variables:
            notes.append(f"{name} is {environ[name][:60]!r} here, so that HIP may count other cards than the plan")
    return {**environ, **variables}, notes


# ---- Counts, for whoever watches ----


class _Counts:
    """A small JSON file of this process in the state folder; whatever goes wrong with it is nobody's concern."""

    def __init__(self, settings: _Settings) -> None:
        import threading
        import time

        self.admitted = self.refused = self.truncated = self.longest = 0
        self._settings, self._monotonic, self._started = settings, time.monotonic, time.time()
        self._threading, self._lock = threading, threading.Lock()
        self._path, self._written = "", -1.0
        self._timer: Any = None

    def start(self) -> None:
        """Begin a process's file, also in a child that was forked."""
        import atexit

        atexit.register(self._remove)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._forked)
        self.changed()

    def add(self, kind: str, tokens: int = 0) -> None:
        """Count a request: ``admitted``, ``refused`` or ``truncated`` (which is admitted too)."""
        with self._lock:
            setattr(self, kind, getattr(self, kind) + 1)
            if kind == "truncated":
                self.admitted += 1
            if kind != "refused":
                self.longest = max(self.longest, tokens)
        self.changed()

    def changed(self) -> None:
        """Write now, or when a second has passed since the last time."""
        wait = self._written + 1.0 - self._monotonic() if self._written >= 0 else 0.0
        with self._lock:
            if wait <= 0:
                self._write()
            elif self._timer is None:
                try:
                    self._timer = self._threading.Timer(wait, self._late)
                    self._timer.daemon = True
                    self._timer.start()
                except RuntimeError:
                    self._timer = None  # the interpreter is ending, or has no thread left

    def _late(self) -> None:
        with self._lock:
            self._timer = None
            self._write()

    def _write(self) -> None:
        import json

        self._written = self._monotonic()
        pid = os.getpid()
        content = {
            "pid": pid, "started": self._started, "admitted": self.admitted, "refused": self.refused,
            "truncated": self.truncated, "longest_tokens": self.longest, "cap": self._settings.cap,
            "pool_bytes": self._settings.pools[0] if self._settings.pools else 0,
        }  # fmt: skip
        try:
            if not self._path:
                folder = state_folder()
                _remove_of_the_dead(folder)
                self._path = os.path.join(folder, f"guard-{pid}.json")
            _write_whole(self._path, json.dumps(content).encode())
        except (OSError, ValueError):
            self._written = float("inf")  # tried once; a folder that cannot be used stays so

    def _remove(self) -> None:
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
            if self._path:
                try:
                    os.unlink(self._path)
                except OSError:
                    pass

    def _forked(self) -> None:
        import time

        self._lock, self._timer = self._threading.Lock(), None
        self._path, self._written, self._started = "", -1.0, time.time()
        self.admitted = self.refused = self.truncated = self.longest = 0


def state_folder(environ: Mapping[str, str] = os.environ) -> str:
    """The folder of counts, made if it is missing and of this user alone.

    Raises
    ------
    OSError
        It cannot be made, or somebody else can write to it.
    """
    folder = environ.get(STATE_VARIABLE, "")
    if not folder:
        runtime = environ.get("XDG_RUNTIME_DIR", "")
        own = f"/tmp/vramtuner-{os.getuid() if hasattr(os, 'getuid') else os.environ.get('USERNAME', '')}"
        folder = os.path.join(runtime, "vramtuner") if os.path.isdir(runtime) else own
    os.makedirs(folder, mode=0o700, exist_ok=True)
    status = os.lstat(folder)
    if hasattr(os, "geteuid") and (status.st_uid != os.geteuid() or status.st_mode & 0o170022 != 0o040000):
        raise PermissionError(1, "it belongs to somebody else, or others can write to it", folder)
    return os.path.abspath(folder)


def _remove_of_the_dead(folder: str) -> None:
    for name in os.listdir(folder):
        pid = name[6:-5] if name.startswith("guard-") and name.endswith(".json") else ""
        if pid.isdecimal():
            try:
                os.kill(int(pid), 0)
            except ProcessLookupError:
                os.unlink(os.path.join(folder, name))
            except (OSError, OverflowError):
                pass  # somebody else's: it lives


def _write_whole(path: str, content: bytes) -> None:
    import threading

    scratch = f"{path}.{os.getpid()}.{threading.get_ident()}.new"
    descriptor = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0), 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
    os.replace(scratch, path)


# ---- The pool ----


def _release(torch_folder: str) -> tuple[int, int]:
    """The release of a torch that is not imported yet; (0, 0) where it does not say."""
    import re

    try:
        with open(os.path.join(torch_folder, "version.py"), encoding="utf-8", errors="replace") as file:
            match = re.search(r"__version__ = ['\"](\d+)\.(\d+)", file.read(4096))
    except OSError:
        match = None
    return (int(match[1]), int(match[2])) if match else (0, 0)


def _fit_options(environ: MutableMapping[str, str], release: tuple[int, int]) -> None:
    """Take out of the file's allocator options what this torch does not know: an unknown key would stop it."""
    text = environ.get("PYTORCH_HIP_ALLOC_CONF", "")
    known_from = {_FRACTION: (2, 10), "throw_on_cudamalloc_oom": (2, 12)}
    options = text.split(",") if text and release != (0, 0) else []
    unknown = [option for option in options if release < known_from.get(option.partition(":")[0].strip(), (0, 0))]
    if unknown:
        environ["PYTORCH_HIP_ALLOC_CONF"] = ",".join(option for option in options if option not in unknown)
        _say(
            f"torch {release[0]}.{release[1]} does not know {' and '.join(o.partition(':')[0] for o in unknown)} in"
            " PYTORCH_HIP_ALLOC_CONF; left out, and the guard sets the pool"
        )


def _fraction_in_effect(environ: Mapping[str, str], release: tuple[int, int], hip: bool) -> float:
    """The share of the card that torch keeps to by its options; 1 where they say none."""
    if release < (2, 10):
        return 1.0
    names = [name for name in _ALLOCATOR_VARIABLES if hip or name != "PYTORCH_HIP_ALLOC_CONF"]
    text = next((environ[name] for name in names if environ.get(name)), "")
    for option in text.split(","):
        key, _, value = option.partition(":")
        if key.strip() == _FRACTION:
            try:
                return float(value)
            except ValueError:
                return 1.0
    return 1.0


def _fraction_of(pool: int, outside: int, total: int) -> float:
    """The share of ``total`` bytes that leaves room in ``pool`` for what is outside torch, rounded down to 1e-6.

    The total is the one that HIP tells, so that this is also right under the preloaded library, which tells the pool.
    """
    return min(max(pool - outside, 0) * 1_000_000 // total, 1_000_000) / 1_000_000


def _bound_pools(torch: Any, settings: _Settings, environ: Mapping[str, str]) -> None:
    """Set the pool of every visible device; called when torch has just initialised CUDA or HIP.

    A share that the options set already stays, if it is the file's.  Written against torch.cuda; no GPU has run it.
    """
    release = _release(os.path.dirname(torch.__file__))
    hip = bool(getattr(torch.version, "hip", None))
    theirs = hip and environ.get("PYTORCH_CUDA_ALLOC_CONF")
    if not theirs and _fraction_in_effect(environ, release, hip) < 1.0:
        return
    try:
        for index in range(torch.cuda.device_count()):
            pool = settings.pools[min(index, len(settings.pools) - 1)]
            total = torch.cuda.mem_get_info(index)[1]
            torch.cuda.set_per_process_memory_fraction(_fraction_of(pool, settings.outside, total), index)
    except Exception as error:  # noqa: BLE001 - whatever it is, the program decides what it does without a bound
        _say(f"the pool could not be set through torch: {type(error).__name__}: {error}")


def _torch_imported(torch: Any, settings: _Settings) -> None:
    _explain_errors()
    if not settings.pools:
        return
    if os.environ.get("PYTORCH_CUDA_ALLOC_CONF") and os.environ.get("PYTORCH_HIP_ALLOC_CONF"):
        _say(
            "PYTORCH_CUDA_ALLOC_CONF takes precedence over PYTORCH_HIP_ALLOC_CONF, whose options do not act; the pool"
            " is set all the same. Unset PYTORCH_CUDA_ALLOC_CONF"
        )
    later = getattr(torch.cuda, "_lazy_call", None)
    if later is None:
        _say("this torch cannot be bounded by the guard; the pool is not enforced")
    else:
        later(lambda: _bound_pools(torch, settings, os.environ))


# ---- Tokens, in transformers ----


class _Tokens:
    """The cap in the classes of transformers: wrappers around ``generate``, ``forward`` and batched requests."""

    def __init__(self, settings: _Settings) -> None:
        import threading

        self.settings, self.counts = settings, _Counts(settings)
        # Per thread: whether an admitted request runs, what each sequence of it may have, and what is left of a prompt.
        self.local = type("Local", (threading.local,), {"inside": False, "room": 0, "kept": 0})()
        self._started = False

    def models_imported(self, module: Any) -> None:
        """After transformers.modeling_utils: every model class there is, and every one to come."""
        if not self._started:
            self._started = True
            self.counts.start()
        base = module.PreTrainedModel
        inherited = base.__init_subclass__.__func__

        def __init_subclass__(cls: Any, /, **kwargs: Any) -> None:  # noqa: N807 - it is Python's own name
            inherited(cls, **kwargs)
            self._cap_class(cls)

        base.__init_subclass__ = classmethod(__init_subclass__)
        waiting = [base]
        while waiting:
            cls = waiting.pop()
            self._cap_class(cls)
            waiting += type.__subclasses__(cls)

    def generation_imported(self, module: Any) -> None:
        """After transformers.generation.utils."""
        mixin = module.GenerationMixin
        mixin.generate = self._capped_generate(mixin.generate)
        prepare = getattr(mixin, "_prepare_generated_length", None)
        if prepare is not None:
            mixin._prepare_generated_length = self._capped_length(prepare)

    def pipeline_imported(self, module: Any) -> None:
        """After transformers' text pipeline: it takes its prompt off the front of the answer, so that it must know."""
        from functools import wraps

        original = getattr(module.TextGenerationPipeline, "_forward", None)
        if original is None:
            return

        @wraps(original)
        def _forward(pipeline: Any, *args: Any, **kwargs: Any) -> Any:
            self.local.kept = 0
            found = original(pipeline, *args, **kwargs)
            if self.local.kept and isinstance(found, dict) and found.get("input_ids") is not None:
                found["input_ids"] = found["input_ids"][:, -self.local.kept :]
            return found

        module.TextGenerationPipeline._forward = _forward

    def batching_imported(self, module: Any) -> None:
        """After transformers' continuous batching: what is asked for is counted before it waits for its turn."""
        manager: Any = getattr(module, "ContinuousBatchingManager", None)
        original = getattr(manager, "add_request", None)
        if original is None:
            return
        from functools import wraps

        @wraps(original)
        def add_request(manager: Any, input_ids: Any, *args: Any, **kwargs: Any) -> Any:
            new = args[1] if len(args) > 1 else kwargs.get("max_new_tokens")
            new = getattr(manager.generation_config, "max_new_tokens", None) if new is None else new
            tokens = len(input_ids) + (new or 20)
            if tokens > self.settings.cap:
                self._refuse(tokens, self.settings.cap)
            self.counts.add("admitted", tokens)
            return original(manager, input_ids, *args, **kwargs)

        manager.add_request = add_request

    def _refuse(self, tokens: int, limit: int, detail: str = "") -> None:
        self.counts.add("refused")
        raise TokenCapError(_refusal(tokens, limit, detail))

    def _cap_class(self, cls: type) -> None:
        forward = cls.__dict__.get("forward")
        if forward is None or not callable(forward) or hasattr(forward, "_vramtuner"):
            return
        import inspect

        try:
            names = list(inspect.signature(forward).parameters)[1:]
        except (TypeError, ValueError):
            return
        if "input_ids" in names or "inputs_embeds" in names:
            cls.forward = self._capped_forward(forward, names)  # type: ignore[attr-defined]

    def _capped_forward(self, original: Callable[..., Any], names: list[str]) -> Callable[..., Any]:
        from functools import wraps

        # transformers called its cache past_key_values until 5.24, and takes that name for a while longer.
        ids_at, embeds_at, cache_at = (
            next((names.index(name) for name in options if name in names), sys.maxsize)
            for options in (("input_ids",), ("inputs_embeds",), _CACHES)
        )
        decodes = "decoder_input_ids" in names
        cap, rows, local, counts = self.settings.cap, self.settings.rows, self.local, self.counts
        is_compiling = getattr(getattr(sys.modules["torch"], "compiler", None), "is_compiling", lambda: False)

        @wraps(original)
        def forward(model: Any, *args: Any, **kwargs: Any) -> Any:
            # What is traced for torch.compile sees integers alone; a request inside generate was admitted there.
            tracing = is_compiling()
            if not tracing and local.inside:
                return original(model, *args, **kwargs)
            ids = kwargs.get("input_ids")
            if ids is None and len(args) > ids_at:
                ids = args[ids_at]
            if ids is None:
                ids = kwargs.get("inputs_embeds")
                if ids is None and len(args) > embeds_at:
                    ids = args[embeds_at]
            cache = kwargs.get("cache")
            if cache is None:
                cache = kwargs.get("past_key_values")
                if cache is None and len(args) > cache_at:
                    cache = args[cache_at]
            shape = ids.shape if ids is not None else (1, 0)
            seen = 0 if cache is None else _cached(cache, tracing)
            tokens = (shape[1] if len(shape) > 1 else shape[0]) + seen
            if decodes and kwargs.get("decoder_input_ids") is not None:
                tokens += kwargs["decoder_input_ids"].shape[1]
            if tokens > cap or (shape[0] > rows and len(shape) > 1):
                self._check_call(tokens, shape[0] if len(shape) > 1 else 1)
            if tracing:
                return original(model, *args, **kwargs)
            if seen == 0:
                counts.add("admitted", tokens)
            elif tokens > counts.longest:
                counts.longest = tokens
                if tokens % 256 == 0:  # not for each token: told to others, it costs as much as a small layer
                    counts.changed()
            local.inside = True
            try:
                return original(model, *args, **kwargs)
            finally:
                local.inside = False

        forward._vramtuner = True  # type: ignore[attr-defined]
        return forward

    def _check_call(self, tokens: int, rows: int) -> None:
        limit = self.settings.limit(rows)
        if tokens > limit:
            self._refuse(int(tokens), limit, _rows_detail(rows))

    def _capped_generate(self, original: Callable[..., Any]) -> Callable[..., Any]:
        from functools import wraps

        @wraps(original)
        def generate(model: Any, *args: Any, **kwargs: Any) -> Any:
            if self.local.inside:
                return original(model, *args, **kwargs)
            request = _Request(model, list(args), kwargs)
            self._admit(request)
            custom = kwargs.get("custom_generate") is not None
            before = self.local.room
            self.local.inside, self.local.room = not custom, request.room
            try:
                return original(model, *request.args, **request.kwargs)
            finally:
                self.local.inside, self.local.room = False, before

        return generate

    def _admit(self, request: _Request) -> None:
        """Return with a request that fits, shortened where the policy says so."""
        limit = self.settings.limit(request.rows)
        request.room = limit - (request.context if request.encodes else 0)
        tokens = request.context + request.new
        if tokens <= limit:
            return self.counts.add("admitted", tokens)
        detail = f": {request.context:,} of prompt and {request.new:,} new{_rows_detail(request.rows, ', ')}"
        # What nobody asked for, a default of the model, is no reason to refuse.
        wanted = request.explicit or request.context >= limit
        reserve = min(request.new, max(1, limit // 4))
        keep = request.context if request.context + reserve <= limit else limit - reserve
        if not wanted:
            keep = request.context
        elif self.settings.policy == "refuse" or keep < 1 or (keep < request.context and not request.can_be_cut):
            self._refuse(tokens, limit, detail)
        new = min(request.new, limit - keep)
        self.local.kept = keep if keep < request.context else 0
        request.shorten(keep, new)
        _say(
            f"Requested context ({tokens:,} tokens{detail}) exceeds the safe limit of {limit:,} tokens"
            f" ({TOKEN_CAP_VARIABLE}); truncating. Context size set to {keep + new:,} tokens (truncated from"
            f" {tokens:,}): the newest {keep:,} tokens of the prompt and {new:,} new ones"
        )
        return self.counts.add("truncated", keep + new)

    def _capped_length(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """A net below `_admit`: whatever a later transformers makes of the arguments, the length ends at the cap."""
        from functools import wraps

        @wraps(original)
        def _prepare_generated_length(model: Any, *args: Any, **kwargs: Any) -> Any:
            config = original(model, *args, **kwargs)
            room = self.local.room
            if room > 0 and isinstance(config.max_length, int) and config.max_length > room:
                config.max_length = room
            return config

        return _prepare_generated_length


_CACHES = ("cache", "past_key_values", "cache_params")
_CUT = ("input_ids", "inputs", "inputs_embeds", "attention_mask", "token_type_ids")
_MEDIA = ("pixel_values", "image", "video", "audio", "input_features")


class _Request:
    """What a call of ``generate`` asks for, and how it can be made shorter."""

    def __init__(self, model: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
        self.args, self.kwargs, self.room = args, kwargs, 0
        self._sources: list[Any] = [kwargs, args[1] if len(args) > 1 else kwargs.get("generation_config")]
        self._sources.append(getattr(model, "generation_config", None))
        given = [args[0] if args else kwargs.get("inputs"), kwargs.get("input_ids"), kwargs.get("inputs_embeds")]
        embeds = given[2]
        # Anything else that is first is not tokens: frames of sound, pixels.
        shapes = [x.shape for x in given[:2] if x is not None and len(x.shape) == 2 and not x.is_floating_point()]
        shapes += [embeds.shape] if embeds is not None else []
        lengths = {shape[1] for shape in shapes}
        self.encodes = bool(getattr(getattr(model, "config", None), "is_encoder_decoder", False))
        self._past = max(_cached(kwargs[name]) if kwargs.get(name) is not None else 0 for name in _CACHES)
        prompt = sum(lengths) or 1
        # Whole prompts and only what is new are both given beside a cache.
        self.context = prompt if prompt > self._past else self._past + prompt
        mask = kwargs.get("attention_mask")
        if mask is not None and not self.encodes and len(getattr(mask, "shape", ())) == 2:
            self.context = max(self.context, mask.shape[1])
        sequences = max(self._first("num_beams")[0] or 1, self._first("num_return_sequences")[0] or 1)
        self.rows = max([shape[0] for shape in shapes] or [1]) * sequences
        self.new, self.explicit = self._first("max_new_tokens")
        if self.new is None:
            length, self.explicit = self._first("max_length")
            self.new = max(length - (0 if self.encodes else self.context), 1) if length is not None else 20
        media = any(value is not None and name.startswith(_MEDIA) for name, value in kwargs.items())
        self.can_be_cut = self._past == 0 and not self.encodes and not media and len(lengths) == 1

    def _first(self, name: str) -> tuple[Any, bool]:
        """A setting as transformers looks for it, and whether this call has it (and not the model's defaults)."""
        for source in self._sources:
            value = source.get(name) if isinstance(source, dict) else getattr(source, name, None)
            if value is not None:
                return value, source is not self._sources[2]
        return None, False

    def shorten(self, keep: int, new: int) -> None:
        """Keep the newest tokens of the prompt, and ask for so many new ones."""
        if keep < self.context:
            self.kwargs = {
                name: value[:, -keep:] if name in _CUT and value is not None else value
                for name, value in self.kwargs.items()
                if name not in ("position_ids", "cache_position")
            }
            if self.args and self.args[0] is not None:
                self.args[0] = self.args[0][:, -keep:]
        self.kwargs.pop("max_length", None)
        self.kwargs["max_new_tokens"] = new


def _cached(cache: Any, tracing: bool = False) -> int:
    """How many tokens a cache holds; 0 where it does not say, or only a tensor does while a call is traced."""
    try:
        seen = cache.get_seq_length() if hasattr(cache, "get_seq_length") else cache[0][0].shape[-2]
    except (ValueError, TypeError, IndexError, KeyError, AttributeError):
        return 0
    return seen if tracing and not hasattr(seen, "shape") else 0 if tracing else int(seen)


def _rows_detail(rows: int, start: str = " ") -> str:
    return f"{start}in each of {rows:,} sequences" if rows > 1 else ""


# ---- Errors that end a program ----


def _explain_errors() -> None:
    """Chain to the hooks for errors that nobody caught."""
    import threading

    before, before_in_thread = sys.excepthook, threading.excepthook

    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> Any:
        text = explain(error)
        if not text or os.environ.get(TRACEBACK_VARIABLE) == "1":
            before(kind, error, trace)
        if text:
            _say(text)

    def thread_hook(given: Any) -> Any:
        text = explain(given.exc_value)
        if not text or os.environ.get(TRACEBACK_VARIABLE) == "1":
            before_in_thread(given)
        if text:
            _say(f"in thread {getattr(given.thread, 'name', '?')}: {text}")

    sys.excepthook, threading.excepthook = hook, thread_hook


def explain(error: BaseException | None) -> str:
    """One line for people about memory that is out or a cap that was passed; empty for any other error."""
    for _ in range(8):
        if error is None:
            return ""
        if isinstance(error, TokenCapError):
            return str(error)
        if _is_out_of_memory(error):
            return _out_of_memory_text(str(error))
        error = error.__cause__
    return ""


def _is_out_of_memory(error: BaseException) -> bool:
    torch = sys.modules.get("torch")
    kinds = (getattr(torch, "OutOfMemoryError", None), getattr(getattr(torch, "cuda", None), "OutOfMemoryError", None))
    if any(isinstance(kind, type) and isinstance(error, kind) for kind in kinds):
        return True
    words = ("HIP error: out of memory", "CUDA error: out of memory", "hipErrorOutOfMemory", "hipErrorMemoryAllocation")
    return isinstance(error, RuntimeError) and any(word in str(error) for word in words)


def _out_of_memory_text(message: str) -> str:
    import re

    asked = re.search(r"Tried to allocate ([\d.]+ [KMGT]?i?B|[\d.]+ bytes)|Requested size: (\d+)", message)
    told = re.search(r"([\d.]+ [KMGT]?i?B) is allocated by PyTorch", message)
    size = (asked[1] or _gib(int(asked[2]))) if asked else ""
    allocated = told[1] if told else ""
    torch: Any = sys.modules.get("torch")
    try:
        if not allocated and torch is not None and torch.cuda.is_initialized():
            allocated = _gib(torch.cuda.memory_allocated())
    except (RuntimeError, AttributeError, AssertionError):
        pass  # a device that is lost tells nothing more
    pool, cap = os.environ.get(POOL_VARIABLE, ""), os.environ.get(TOKEN_CAP_VARIABLE, "")
    parts = [
        f"asked for {size}" if size else "the size that was asked for is not told",
        f"{allocated} already allocated" if allocated else "",
        f"the pool is {pool} ({POOL_VARIABLE})" if pool else f"no pool is set ({POOL_VARIABLE})",
    ]
    lever = f"lower {TOKEN_CAP_VARIABLE}{f' (now {cap})' if cap else ''} or the batch, or export with a larger pool"
    numbers = ", ".join(filter(None, parts))
    return f"out of GPU memory: {numbers}. What to move: {lever}. {TRACEBACK_VARIABLE}=1 shows where"


def _gib(size: int) -> str:
    return f"{size / 2**30:.2f} GiB"


# ---- The import hook ----


class _Finder:
    """Lets every other finder find a module, and has something done before and after it is run."""

    is_vramtuner = True

    def __init__(self) -> None:
        self.before: dict[str, Callable[[str], Any]] = {}
        self.after: dict[str, Callable[[ModuleType], Any]] = {}

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name not in self.after:
            return None
        for finder in list(sys.meta_path):
            search = getattr(finder, "find_spec", None)
            spec = search(name, path, target) if search is not None and finder is not self else None
            if spec is not None:
                self._follow(name, spec)
                return spec
        return None

    def _follow(self, name: str, spec: Any) -> None:
        loader, after = spec.loader, self.after[name]
        run = getattr(loader, "exec_module", None)
        if run is None:
            return

        def exec_module(module: ModuleType) -> None:
            if name in self.before:
                self.before[name](os.path.dirname(spec.origin or ""))
            # Others that look at the loader see it as it always is.
            del loader.exec_module
            run(module)
            after(module)

        try:
            loader.exec_module = exec_module
        except AttributeError:
            _say(f"{name} is loaded in a way that the guard cannot follow; it is not guarded")


_installed: _Finder | None = None


def install() -> bool:
    """Put the guard into this process, as the variables say; whether there is anything to guard.

    Raises
    ------
    ValueError
        A variable holds what it cannot; the message names it.
    """
    global _installed  # noqa: PLW0603 - a process has one guard
    if _installed is not None or any(hasattr(finder, "is_vramtuner") for finder in sys.meta_path):
        return True
    settings = _Settings(os.environ)
    if not settings.cap and not settings.pools:
        return False
    finder = _Finder()
    finder.before["torch"] = lambda folder: _fit_options(os.environ, _release(folder))
    finder.after["torch"] = lambda module: _torch_imported(module, settings)
    if settings.cap:
        tokens: list[_Tokens] = []

        def once(method: str) -> Callable[[ModuleType], Any]:
            def call(module: ModuleType) -> Any:
                if not tokens:
                    tokens.append(_Tokens(settings))
                return getattr(tokens[0], method)(module)

            return call

        finder.after["transformers.modeling_utils"] = once("models_imported")
        finder.after["transformers.generation.utils"] = once("generation_imported")
        finder.after["transformers.pipelines.text_generation"] = once("pipeline_imported")
        finder.after["transformers.generation.continuous_batching.continuous_api"] = once("batching_imported")
    for name, after in finder.after.items():
        if name in sys.modules:
            after(sys.modules[name])
    sys.meta_path.insert(0, finder)
    _installed = finder
    return True


# ---- Children ----


def with_site_folder(environ: Mapping[str, str]) -> dict[str, str]:
    """An environment in which every Python starts with the guard: its folder is the first of PYTHONPATH.

    Raises
    ------
    OSError
        The folder is not beside this file, and no folder for it can be made.
    """
    here = os.path.dirname(os.path.abspath(__file__))
    folder = os.path.join(here, _SITE_FOLDER)
    if not os.path.isfile(os.path.join(folder, "sitecustomize.py")):
        folder = _made_site_folder()
    others = [path for path in environ.get("PYTHONPATH", "").split(os.pathsep) if path and path != folder]
    return {**environ, "PYTHONPATH": os.pathsep.join([folder, *others])}


def _made_site_folder() -> str:
    """A copy of this file and of what starts it, in the state folder, named for what it holds."""
    import zlib

    with open(__file__, "rb") as file:
        source = file.read()
    folder = os.path.join(state_folder(), f"guard-{zlib.crc32(source + SITE.encode()):08x}")
    site = os.path.join(folder, _SITE_FOLDER)
    os.makedirs(site, mode=0o700, exist_ok=True)
    for path, content in ((os.path.join(folder, "guard.py"), source),
                          (os.path.join(site, "sitecustomize.py"), SITE.encode())):  # fmt: skip
        try:
            with open(path, "rb") as file:
                same = file.read() == content
        except OSError:
            same = False
        if not same:
            _write_whole(path, content)
    return site


# The text of vramtuner_site/sitecustomize.py, which has to be a file for Python to run it before a program.
SITE = '''\
"""Start the guard (../guard.py) in every Python that has this folder in PYTHONPATH, then whatever it stands before."""

import os
import sys
from importlib.machinery import PathFinder, SourceFileLoader  # importlib.util would take milliseconds longer

_HERE = os.path.dirname(os.path.abspath(__file__))


def _start() -> None:
    path = os.path.join(os.path.dirname(_HERE), "guard.py")
    guard = sys.modules["vramtuner_guard"] = type(sys)("vramtuner_guard")
    guard.__file__ = path
    try:
        code = SourceFileLoader("vramtuner_guard", path).get_code("vramtuner_guard")
        exec(code, guard.__dict__)  # type: ignore[arg-type]
        guard.install()
    except Exception as error:  # noqa: BLE001 - a program must not run unguarded because of a fault of the guard
        sys.stderr.write(f"vramtuner: {error}; the program is not started\\n")
        sys.stderr.flush()
        os._exit(2)  # an exception here would be a fatal error of the interpreter, with its traceback


def _hand_on() -> None:
    """Run the sitecustomize that would have been run, and leave sys.path as it would have been."""
    sys.path[:] = [path for path in sys.path if os.path.abspath(path) != _HERE]
    spec = PathFinder.find_spec("sitecustomize", sys.path)
    if spec is not None and spec.loader is not None:
        module = sys.modules["sitecustomize"] = type(sys)("sitecustomize")
        module.__spec__, module.__loader__, module.__file__ = spec, spec.loader, spec.origin
        spec.loader.exec_module(module)


if "vramtuner_guard" not in sys.modules:
    _start()
_hand_on()
'''


# ---- The command ----

_USAGE = """\
usage: python vramtuner_guard.py [--env deploy.env] [--over-cap refuse|truncate] (app.py | -m module | -c code) ...
       python vramtuner_guard.py [--env deploy.env] [--over-cap refuse|truncate] -- program ...
       python vramtuner_guard.py --covers
Without --env, the deploy.env beside this file is used if there is one, and the variables that are set otherwise.
"""


def main(arguments: list[str]) -> int:
    """Run a program under the guard; what cannot be run is one line, and exit code 2 (126 and 127 as in shells)."""
    env, rest, policy = "", list(arguments), ""
    try:
        while rest and rest[0] in ("--env", "--over-cap"):
            if len(rest) < 2:
                raise ValueError(f"{rest[0]} needs a value")
            env, policy = (rest[1], policy) if rest[0] == "--env" else (env, rest[1])
            del rest[:2]
        if rest[:1] in (["--covers"], ["--help"], ["-h"]):
            sys.stdout.write(covers_text() if rest[0] == "--covers" else _USAGE)
            return 0
        if not rest or rest in (["-m"], ["-c"], ["--"]):
            raise ValueError("no program is named; write: python vramtuner_guard.py --env deploy.env app.py")
        _take_environment(env, policy)
        if rest[0] == "--":
            return start(rest[1:], dict(os.environ))
        install()
    except ValueError as error:
        _say(str(error))
        return 2
    return _run_python(rest)


def covers_text() -> str:
    """What is enforced and what is not, for a terminal."""
    lines = ["The guard enforces:", *(f"  - {text}" for text in ENFORCED), "It does not cover:"]
    return "\n".join([*lines, *(f"  - {text}" for text in NOT_COVERED), ""])


def _take_environment(env: str, policy: str) -> None:
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "deploy.env")
    env = env or (beside if os.path.isfile(beside) else "")
    variables = read_env(env) if env else {}
    if policy:
        variables[POLICY_VARIABLE] = policy
    changed, notes = merged(os.environ, variables)
    if not changed.get(TOKEN_CAP_VARIABLE) and not changed.get(POOL_VARIABLE):
        raise ValueError(f"neither {TOKEN_CAP_VARIABLE} nor {POOL_VARIABLE} is set; give the file: --env deploy.env")
    for note in notes:
        _say(note)
    os.environ.update(changed)
    try:
        os.environ.update(with_site_folder(os.environ))
    except OSError as error:
        _say(
            f"Python programs that this one starts are not guarded: {error}; name a folder of yours in {STATE_VARIABLE}"
        )


def start(command: list[str], environ: Mapping[str, str]) -> int:
    """Become another program, so that signals, streams and exit code are its own.

    Returns
    -------
    int
        Only where it cannot be started, as shells say it: 127 for one that is not there, 126 for any other reason.
    """
    import signal

    # Python ignores these for itself; a program would inherit that.
    for name in ("SIGPIPE", "SIGXFSZ"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
    try:
        os.execvpe(command[0], command, dict(environ))
    except (FileNotFoundError, NotADirectoryError):
        _say(f"{command[0][:200]} was not found; nothing was started")
        return 127
    except (OSError, ValueError) as error:
        _say(f"{command[0][:200]} cannot be started: {getattr(error, 'strerror', None) or error}")
        return 126


def _run_python(rest: list[str]) -> int:
    """Run a script, module or code as ``__main__`` of this process, as Python itself would."""
    import runpy
    import types

    # Errors of the guard can be pickled and caught by this name; the program has the name __main__.
    sys.modules[_MODULE] = sys.modules[__name__]
    TokenCapError.__module__ = _MODULE
    _leave_out_own_frames()
    if rest[0] == "-m":
        sys.argv = rest[1:]
        sys.path[0:1] = [os.getcwd()] if not _isolated() else []
        runpy.run_module(rest[1], run_name="__main__", alter_sys=True)
        return 0
    module = types.ModuleType("__main__")
    if rest[0] == "-c":
        sys.argv, code, name = ["-c", *rest[2:]], rest[1], "<string>"
        sys.path[0:1] = [""] if not _isolated() else []
        source: str | bytes = code
    else:
        name = rest[0]
        sys.argv = rest
        if os.path.isdir(name) or name.endswith((".zip", ".pyz")):
            runpy.run_path(name, run_name="__main__")
            return 0
        try:
            with open(name, "rb") as file:
                source = file.read()
        except OSError as error:
            _say(f"{name[:200]} cannot be read: {error.strerror}")
            return 2
        sys.path[0:1] = [os.path.dirname(os.path.realpath(name))] if not _isolated() else []
        module.__dict__["__file__"] = name
    module.__dict__["__builtins__"] = __builtins__
    sys.modules["__main__"] = module
    exec(compile(source, name, "exec", dont_inherit=True), module.__dict__)
    return 0


def _isolated() -> bool:
    """Whether this Python leaves the script's folder out of sys.path (-I, -P)."""
    return bool(sys.flags.isolated or getattr(sys.flags, "safe_path", False))


def _leave_out_own_frames() -> None:
    """A program's traceback starts with the program."""
    before = sys.excepthook

    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> Any:
        own = (__file__, "<frozen runpy>")
        while trace is not None and trace.tb_next is not None and (
            trace.tb_frame.f_code.co_filename in own or trace.tb_frame.f_code.co_filename.endswith("runpy.py")
        ):  # fmt: skip
            trace = trace.tb_next
        before(kind, error.with_traceback(trace), trace)

    sys.excepthook = hook


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
