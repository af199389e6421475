"""The levers as options of a command, and the levers that a person's options make."""

from collections.abc import Callable, Sequence
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Annotated, Any, TypeVar

import msgspec
import typer

from vramtuner.core.errors import BadInputError
from vramtuner.core.settings import ATTENTIONS, DTYPES, KV_CACHES, LOGITS, PASS_KINDS, WEIGHTS, Levers
from vramtuner.core.tape.allocator import parse_options
from vramtuner.core.units import parse_bytes, parse_tokens

Model = Annotated[str, typer.Argument(help="A folder with config.json, a config.json, a .gguf file, or a preset name.")]
DeviceName = Annotated[str, typer.Option("--device", help="A local index, cpu, auto, or a catalogue name (w7900).")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
EngineName = Annotated[
    str, typer.Option("--engine", help="auto | transformers | vllm | llama.cpp | ollama: what runs the model.")
]
Options = dict[str, Any]
"""The lever options of a command as typer gives them."""

_LEVERS: dict[str, tuple[Any, Any]] = {
    "tokens": (
        Annotated[str | None, typer.Option(help="The token cap: prompt and new tokens together.")],
        None,
    ),
    "new_tokens": (
        Annotated[str, typer.Option(help="How many of them are generated; with 0 all are prompt, which takes most.")],
        "0",
    ),
    "pool": (
        Annotated[str | None, typer.Option(help="The pool, such as 10GiB; 80 % of the device's memory otherwise.")],
        None,
    ),
    "batch": (Annotated[int, typer.Option(help="Requests in a batch.")], 1),
    "beams": (Annotated[int, typer.Option(help="Beams of each request.")], 1),
    "weights": (Annotated[str, typer.Option(help=" | ".join(WEIGHTS))], "none"),
    "keep_modules": (
        Annotated[str, typer.Option(help="Modules to leave unquantized, instead of the usual lm_head: name it too.")],
        "",
    ),
    "kv_cache": (Annotated[str, typer.Option(help=" | ".join(KV_CACHES))], "auto"),
    "attention": (Annotated[str, typer.Option(help=" | ".join(("auto", *ATTENTIONS)))], "auto"),
    "logits": (Annotated[str, typer.Option(help=" | ".join(LOGITS))], "last"),
    "checkpointing": (Annotated[str, typer.Option(help="on | off")], "off"),
    "pass_kind": (Annotated[str, typer.Option("--pass", help=" | ".join(PASS_KINDS))], "inference"),
    "prefill_chunk": (
        Annotated[str | None, typer.Option(help="Prompt tokens a pass; the whole prompt otherwise.")],
        None,
    ),
    "dtype": (Annotated[str, typer.Option(help=" | ".join(("auto", *DTYPES)))], "auto"),
    "allocator": (Annotated[str, typer.Option(help="PyTorch's allocator options, as in PYTORCH_ALLOC_CONF.")], ""),
    "margin": (Annotated[float, typer.Option(help="Safety margin on what is not weights.")], 0.10),
}


def with_levers(command: Callable[..., None]) -> Callable[..., None]:
    """A command that takes every lever as an option, and gets them as its ``options``.

    typer reads options off a function's signature, which is put together here.
    """

    @wraps(command)
    def run(**given: Any) -> None:
        options = {name: given.pop(name) for name in _LEVERS}
        command(**given, options=options)

    own = [one for one in signature(command).parameters.values() if one.name != "options"]
    levers = [
        Parameter(name, Parameter.KEYWORD_ONLY, annotation=kind, default=default)
        for name, (kind, default) in _LEVERS.items()
    ]
    parameters = [*(one.replace(kind=Parameter.KEYWORD_ONLY) for one in own), *levers]
    run.__annotations__ = {one.name: one.annotation for one in parameters}
    setattr(run, "__signature__", Signature(parameters))  # noqa: B010 - functions have no such attribute for mypy
    return run


T = TypeVar("T", bound=str)


def one_of(option: str, given: str, allowed: Sequence[T]) -> T:
    """The one of the allowed values that was given.

    Raises
    ------
    BadInputError
        It is none of them.
    """
    for value in allowed:
        if value == given:
            return value
    raise BadInputError(f"--{option} must be one of {', '.join(filter(None, allowed))}, not {given[:40]!r}")


_CHOICES: dict[str, tuple[str, ...]] = {
    "weights": WEIGHTS,
    "kv_cache": KV_CACHES,
    "attention": ("auto", *ATTENTIONS),
    "logits": LOGITS,
    "checkpointing": ("on", "off"),
    "pass_kind": PASS_KINDS,
    "dtype": ("auto", *DTYPES),
}


def levers_of(options: Options) -> Levers:
    """The levers among the options of a command.

    Raises
    ------
    BadInputError
        One of them cannot be.
    """
    for name, allowed in _CHOICES.items():
        one_of("pass" if name == "pass_kind" else name.replace("_", "-"), options[name], allowed)
    chunk, new_tokens, keep = options["prefill_chunk"], options["new_tokens"], options["keep_modules"]
    levers = msgspec.convert(
        {
            "pool_bytes": None if options["pool"] is None else parse_bytes(options["pool"]),
            "token_cap": None if options["tokens"] is None else parse_tokens(options["tokens"]),
            "new_tokens": 0 if new_tokens == "0" else parse_tokens(new_tokens),
            "batch_size": options["batch"],
            "keep_modules": tuple(name for name in keep.split(",") if name),
            "checkpointing": options["checkpointing"] == "on",
            "prefill_chunk": None if chunk is None else parse_tokens(chunk),
            **{name: options[name] for name in _PLAIN},
        },
        Levers,
    )
    if levers.keep_modules and levers.weights == "none":
        raise BadInputError(
            f"--keep-modules is for weights that are quantized here; add --weights {WEIGHTS[1]}, or leave it out"
        )
    # Refused on every device, and not only where it changes something: the same line may be meant for a GPU next.
    parse_options(levers.allocator)
    return levers


_PLAIN = ("beams", "weights", "kv_cache", "attention", "logits", "pass_kind", "dtype", "allocator", "margin")


def lengths_of(text: str | None) -> tuple[int, ...]:
    """Lengths as they are typed: 512,1k,2k; none when nothing is.  [tokens]"""
    return () if text is None else tuple(parse_tokens(part) for part in text.split(","))
