"""The command line: everything the window does, for terminals and scripts.

Exit codes: 0 fits or done, 1 does not fit or a check failed, 2 bad input with one line on standard error.
"""

import gc
import sys
from contextlib import closing
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from vramtuner.core import output
from vramtuner.core.calibration import save_calibration
from vramtuner.core.cli_kept import Json, calibrations, print_json, runs
from vramtuner.core.cli_matrix import matrix_command
from vramtuner.core.comparison import before_after
from vramtuner.core.deploy.export import export as write_export
from vramtuner.core.device.find import catalogue, find_device, local_devices
from vramtuner.core.device.spec import Device
from vramtuner.core.device.summary import survey
from vramtuner.core.errors import AppError, BadInputError, CancelledError, ProbeError
from vramtuner.core.forecast import Forecast, check_positions, forecast
from vramtuner.core.hip import ask_hip
from vramtuner.core.model.find import PRESETS, find_model, load_preset
from vramtuner.core.probe.client import Probe
from vramtuner.core.probe.protocol import Event, PassResult, Progress, encode
from vramtuner.core.profiling import (
    calibration_for,
    calibration_of,
    confirm_limit,
    profile_lengths,
    run_profile,
    without_margin,
)
from vramtuner.core.recording import get_tapes
from vramtuner.core.request import phases
from vramtuner.core.session import SUFFIX as SESSION_SUFFIX
from vramtuner.core.settings import ATTENTIONS, DTYPES, KV_CACHES, LOGITS, PASS_KINDS, WEIGHTS, Levers
from vramtuner.core.tape.allocator import parse_options
from vramtuner.core.text import one_line, printable
from vramtuner.core.units import parse_bytes, parse_tokens
from vramtuner.core.validation import check_runnable, validation_lengths

app = typer.Typer(
    add_completion=False, no_args_is_help=False, rich_markup_mode=None, pretty_exceptions_enable=False,
    help="How many tokens fit on this GPU, measured and proven before you ship.",
)  # fmt: skip

Model = Annotated[str, typer.Argument(help="A folder with config.json, a config.json, a .gguf file, or a preset name.")]
DeviceName = Annotated[str, typer.Option("--device", help="A local index, cpu, auto, or a catalogue name (w7900).")]
Pool = Annotated[str | None, typer.Option(help="The pool, such as 10GiB; 80 % of the device's memory otherwise.")]
Tokens = Annotated[str | None, typer.Option(help="The token cap: prompt and new tokens together.")]
NewTokens = Annotated[
    str, typer.Option(help="How many of them are generated; with 0 all are prompt, which takes most.")
]
Batch = Annotated[int, typer.Option(help="Requests in a batch.")]
Beams = Annotated[int, typer.Option(help="Beams of each request.")]
Weights = Annotated[str, typer.Option(help=" | ".join(WEIGHTS))]
Keep = Annotated[
    str,
    typer.Option("--keep-modules", help="Modules to leave unquantized, instead of the usual lm_head: name it too."),
]
KvCache = Annotated[str, typer.Option(help=" | ".join(KV_CACHES))]
PrefillChunk = Annotated[str | None, typer.Option(help="Prompt tokens a pass; the whole prompt otherwise.")]
PassKind = Annotated[str, typer.Option("--pass", help=" | ".join(PASS_KINDS))]
Allocator = Annotated[str, typer.Option(help="PyTorch's allocator options, as in PYTORCH_ALLOC_CONF.")]
Attention = Annotated[str, typer.Option(help=" | ".join(("auto", *ATTENTIONS)))]
Logits = Annotated[str, typer.Option(help=" | ".join(LOGITS))]
Checkpointing = Annotated[str, typer.Option(help="on | off")]
Dtype = Annotated[str, typer.Option(help=" | ".join(("auto", *DTYPES)))]
Margin = Annotated[float, typer.Option(help="Safety margin on what is not weights.")]
AskHip = Annotated[
    bool,
    typer.Option(
        "--hip",
        help="Ask HIP too what is free, and show it beside the driver's count: starts PyTorch, which takes seconds.",
    ),
]


@app.callback(invoke_without_command=True)
def _root(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        gui()


@app.command()
def gui(
    file: Annotated[
        str | None, typer.Argument(help=f"A session ({SESSION_SUFFIX}), or a model folder or file, to open.")
    ] = None,
    model: Annotated[str | None, typer.Option(help="The model to open with.")] = None,
    device: Annotated[str | None, typer.Option(help="The device to open with.")] = None,
    new_window: Annotated[bool, typer.Option("--new-window", help="Another window, where there is one.")] = False,
) -> None:
    """Open the window (also what no command at all does)."""
    # The one place where core reaches for the window: the command line must start without Qt.
    from importlib import import_module

    gc.disable()  # a tenth of the start would be looks for garbage that is not there; the window goes on with them
    sys.exit(import_module("vramtuner.gui.app").run(model, device, file, new_window=new_window))


@app.command()
def devices(as_json: Json = False, hip: AskHip = False) -> None:
    """What passes can run on here, and who holds its memory; catalogue cards are for planning."""
    found = survey(local_devices())
    if hip:
        with _probe() as probe:
            found = ask_hip(found, probe)
    if as_json:
        entries = [output.device_json(index, entry) for index, entry in enumerate(found.devices)]
        print_json({"devices": entries, "notes": found.notes})
        return
    for entry in found.devices:
        typer.echo(output.device_text(entry))
    for note in found.notes:
        typer.echo(f"! {note}")
    typer.echo(f"catalogue: {', '.join(card.key for card in catalogue())}")


@app.command()
def models(
    path: Annotated[Path | None, typer.Argument(help="A folder to look for models in.")] = None,
    as_json: Json = False,
) -> None:
    """Presets, and the models found in a folder."""
    found = [(name, load_preset(name)) for name in PRESETS]
    if path is not None:
        if not path.is_dir():
            raise BadInputError(f"there is no folder {printable(str(path), 400)}")
        for config in sorted(path.glob("**/config.json"))[:1000]:
            try:
                found.append((printable(config.parent.name), find_model(str(config.parent))))
            except BadInputError as error:
                _say(f"{printable(str(config.parent), 400)}: {error}")
    if as_json:
        facts = [
            {"key": key, "name": spec.name, "source": spec.source, "architecture": spec.architecture,
             "parameters": spec.parameters, "dtype": spec.dtype, "stored_bytes": spec.stored_bytes}
            for key, spec in found
        ]  # fmt: skip
        print_json({"models": facts})
        return
    for key, spec in found:
        typer.echo(output.model_text(key, spec))


@app.command(name="forecast")
def forecast_command(
    model: Model,
    device: DeviceName,
    tokens: Tokens = None,
    new_tokens: NewTokens = "0",
    pool: Pool = None,
    batch: Batch = 1,
    beams: Beams = 1,
    weights: Weights = "none",
    keep_modules: Keep = "",
    kv_cache: KvCache = "auto",
    attention: Attention = "auto",
    logits: Logits = "last",
    checkpointing: Checkpointing = "off",
    pass_kind: PassKind = "inference",
    prefill_chunk: PrefillChunk = None,
    dtype: Dtype = "auto",
    allocator: Allocator = "",
    margin: Margin = 0.10,
    as_json: Json = False,
) -> None:
    """What a request of N tokens takes, and the largest N that fits."""
    levers = _levers(locals())
    with _probe() as probe:
        result = _forecast(model, find_device(device), levers, probe)
    if as_json:
        print_json(output.forecast_json(result))
    else:
        typer.echo(output.forecast_text(result))
    sys.exit(0 if result.fits(result.token_cap) else 1)


@app.command()
def profile(
    model: Model,
    device: DeviceName = "auto",
    lengths: Annotated[
        str | None, typer.Option(help="Token counts of the passes: 512,1024; up to what cap and limit allow otherwise.")
    ] = None,
    tokens: Tokens = None,
    new_tokens: NewTokens = "0",
    pool: Pool = None,
    batch: Batch = 1,
    beams: Beams = 1,
    weights: Weights = "none",
    keep_modules: Keep = "",
    kv_cache: KvCache = "auto",
    attention: Attention = "auto",
    logits: Logits = "last",
    checkpointing: Checkpointing = "off",
    pass_kind: PassKind = "inference",
    prefill_chunk: PrefillChunk = None,
    dtype: Dtype = "auto",
    allocator: Allocator = "",
    margin: Margin = 0.10,
    confirm: Annotated[
        bool,
        typer.Option("--confirm", help="Run the limit of the pool and one token more; others if they differ."),
    ] = False,
    calibrate: Annotated[
        bool, typer.Option("--calibrate", help="Keep what the passes correct, for later forecasts of the same stack.")
    ] = False,
    keep: Annotated[bool, typer.Option(help="Keep the run as a file (see the command runs).")] = True,
    json_lines: Annotated[bool, typer.Option("--json-lines", help="Print every event as a JSON line.")] = False,
) -> None:
    """Run real passes and compare their peaks with the forecast."""
    levers = _levers(locals())
    asked = _lengths(lengths)
    if confirm and (asked or calibrate):
        raise BadInputError("--confirm chooses its own lengths; leave out --lengths and --calibrate")
    target = find_device(device)
    check_runnable(find_model(model), target)
    with _probe() as probe:
        plan = _forecast(model, target, levers, probe)
        if confirm:
            sys.exit(_confirm(without_margin(plan), probe, keep=keep, json_lines=json_lines))
        counts = asked or profile_lengths(plan)
        if not counts:
            raise BadInputError(plan.verdict)
        check_positions(plan, max(counts))
        passes = _run_passes(plan, counts, probe, keep=keep, json_lines=json_lines)
    if not json_lines:
        typer.echo(output.article_text(plan, passes), nl=False)
    if calibrate:
        found = calibration_of(plan, passes)
        save_calibration(found)
        _note(f"calibrated: {found.text}")
    sys.exit(1 if any(result.outcome == "out_of_memory" for result in passes) else 0)


def _lengths(text: str | None) -> tuple[int, ...]:
    """Lengths as they are typed: 512,1k,2k; none when nothing is.  [tokens]"""
    return () if text is None else tuple(parse_tokens(part) for part in text.split(","))


def _run_passes(
    plan: Forecast, lengths: tuple[int, ...], probe: Probe, *, keep: bool, json_lines: bool
) -> tuple[PassResult, ...]:
    """Run passes, print each, and say where the run is kept."""
    progress = _ProgressLine()

    def show(event: Event) -> None:
        progress(event)
        if json_lines:
            typer.echo(encode(event).decode())
        elif isinstance(event, PassResult):
            progress.clear()
            typer.echo(output.pass_text(event, plan))

    done = run_profile(plan, lengths, probe, on_event=show, keep=keep)
    progress.clear()
    if done.path is not None and not json_lines:
        _note(f"kept in {done.path}")
    if done.problem:
        _say(done.problem)
    return done.passes


def _confirm(plan: Forecast, probe: Probe, *, keep: bool, json_lines: bool) -> int:
    """Confirm a limit and print what came of it; the exit code."""
    if plan.limit.tokens == 0:
        raise BadInputError(plan.verdict)
    found = confirm_limit(plan, lambda lengths: _run_passes(plan, lengths, probe, keep=keep, json_lines=json_lines))
    if json_lines:
        print_json({"confirmation": msgspec.to_builtins(found), "confirmed": found.is_confirmed})
    else:
        typer.echo(found.text)
    return 0 if found.is_confirmed else 1


app.command()(runs)
app.command()(calibrations)


@app.command()
def export(
    model: Model,
    device: DeviceName,
    out: Annotated[Path, typer.Option("--output", "-o", help="The env file to write.")],
    validate: Annotated[bool, typer.Option("--validate", help="Run the validation passes first.")] = False,
    also: Annotated[
        str | None, typer.Option("--lengths", help="Lengths to validate beside half, all and 1.5 × the cap: 1k,3k.")
    ] = None,
    tokens: Tokens = None,
    new_tokens: NewTokens = "0",
    pool: Pool = None,
    batch: Batch = 1,
    beams: Beams = 1,
    weights: Weights = "none",
    keep_modules: Keep = "",
    kv_cache: KvCache = "auto",
    attention: Attention = "auto",
    logits: Logits = "last",
    checkpointing: Checkpointing = "off",
    pass_kind: PassKind = "inference",
    prefill_chunk: PrefillChunk = None,
    dtype: Dtype = "auto",
    allocator: Allocator = "",
    margin: Margin = 0.10,
) -> None:
    """Write the deployment env file, validated under exactly what it contains."""
    levers, lengths = _levers(locals()), _lengths(also)
    if lengths and not validate:
        raise BadInputError("--lengths are those to validate at; add --validate, or leave them out")
    with _probe() as probe:
        plan = _forecast(model, find_device(device), levers, probe)
    validation_lengths(plan.token_cap, lengths)
    progress = _ProgressLine()
    result = write_export(plan, out, validated=validate, on_event=progress, also=lengths)
    progress.clear()
    if result.report is not None:
        typer.echo(output.validation_text(result.report.passes), err=True)
        typer.echo(output.before_after_text(before_after(plan)), err=True)
    if result.path is None:
        problem = result.report.problem if result.report else ""
        _say(f"validation failed, nothing was written: {problem}")
        sys.exit(1)
    for warning in plan.warnings:
        typer.echo(f"! {warning}", err=True)
    if not validate:
        _say("the file is marked not validated; add --validate to prove it")
    typer.echo(str(result.path))


_INTERRUPTED = 130
_CANCELLED = "cancelled; nothing was written"
# typer carries click's classes under a private name; this is the public way to the base of its usage errors.
_UsageError: type[Any] = typer.BadParameter.__bases__[0]


def main() -> None:
    """The entry point: one line and an exit code for whatever goes wrong."""
    try:
        # An interrupt or typer.Exit comes back as the exit code, everything else as an exception.
        code = app(_arguments(sys.argv[1:]), standalone_mode=False)
        if code == _INTERRUPTED:
            _fail(_CANCELLED, _INTERRUPTED)
        sys.exit(code)
    except (CancelledError, KeyboardInterrupt, typer.Abort):
        _fail(_CANCELLED, _INTERRUPTED)
    except _UsageError as error:
        _fail(error.format_message(), 2)
    except ProbeError as error:
        for line in error.stderr_tail[-10:]:
            typer.echo(f"  probe: {printable(line, 500)}", err=True)
        _fail(str(error), 2)
    except AppError as error:
        _fail(str(error), 2)
    except OSError as error:
        _fail(f"the output cannot be written: {error.strerror}", 2)


def _arguments(given: list[str]) -> list[str]:
    """What was given; a session file alone opens the window, as a file manager asks for it."""
    return ["gui", *given] if given and given[0].endswith(SESSION_SUFFIX) else given


def _fail(message: str, code: int) -> None:
    _say(message)
    sys.exit(code)


def _note(message: str) -> None:
    """One line on standard error that is no error."""
    typer.echo(one_line(message), err=True)


def _say(message: str) -> None:
    """One line on standard error, whatever the message quotes."""
    typer.echo(f"vramtuner: {one_line(message)}", err=True)


_CHOICES = {
    "weights": WEIGHTS,
    "kv_cache": KV_CACHES,
    "attention": ("auto", *ATTENTIONS),
    "logits": LOGITS,
    "checkpointing": ("on", "off"),
    "pass_kind": PASS_KINDS,
    "dtype": ("auto", *DTYPES),
}


def _levers(options: dict[str, Any]) -> Levers:
    """The levers among the options of a command."""
    for name, allowed in _CHOICES.items():
        if options[name] not in allowed:
            flag = "pass" if name == "pass_kind" else name.replace("_", "-")
            raise BadInputError(f"--{flag} must be one of {', '.join(allowed)}, not {options[name][:40]!r}")
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


def _forecast(model: str, device: Device, levers: Levers, probe: Probe) -> Forecast:
    spec = find_model(model)
    device.pool_bytes(levers)
    progress = _ProgressLine()
    tapes = get_tapes(spec, phases(spec, device, levers), probe, on_event=progress)
    progress.clear()
    parts = phases(spec, device, levers)
    return forecast(spec, device, levers, *tapes, calibration=calibration_for(device, parts[0].key))


def _probe() -> closing[Probe]:
    """A probe that is gone when the block is left."""
    return closing(Probe())


class _ProgressLine:
    """Progress on standard error: one line that moves on a terminal, nothing elsewhere."""

    def __init__(self) -> None:
        self._shown = False

    def __call__(self, event: Event) -> None:
        if not isinstance(event, Progress) or not sys.stderr.isatty():
            return
        left = "" if event.seconds_left is None else f", about {event.seconds_left:.0f} s left"
        sys.stderr.write(f"\r\033[K{event.stage} ({event.fraction:.0%}{left})")
        sys.stderr.flush()
        self._shown = True

    def clear(self) -> None:
        if self._shown:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()


app.command("matrix")(matrix_command(_levers, _ProgressLine))
