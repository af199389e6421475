"""Peaks in place of events: exact where loops only repeat, refused where they are no polynomials."""

import pytest

from vramtuner.core.settings import TapeKey
from vramtuner.core.tape.envelope import envelope_of
from vramtuner.core.tape.fit import NotAlignedError
from vramtuner.core.tape.format import Component, Recording, Regime, Tape, decode_tape, encode_tape
from vramtuner.core.tape.peaks import loop_lengths, peak_regime

WEIGHTS, STATE, TURN, ROW = 1_000_000, 64, 48, 100


class Pass:
    """A pass written down by hand: each call brings a storage to life, `end` ends one."""

    def __init__(self, tokens: int) -> None:
        self.tokens = tokens
        self.events: list[int] = []
        self.sizes: list[int] = []
        self.components: list[Component] = []
        self.ops: list[str] = []

    def make(self, op: str, size: int, component: Component = Component.ACTIVATIONS) -> int:
        self.sizes.append(size)
        self.ops.append(op)
        self.components.append(component)
        self.events.append(len(self.sizes))
        return len(self.sizes)

    def end(self, number: int) -> None:
        self.events.append(-number)

    def recording(self) -> Recording:
        return Recording(self.tokens, tuple(self.events), tuple(self.sizes), tuple(self.components), tuple(self.ops))


def scan(tokens: int, *, kept: bool = True) -> Recording:
    """Weights, an input, a loop over tokens that keeps a row each, a stack of the rows, logits."""
    run = Pass(tokens)
    run.make("weights", WEIGHTS, Component.WEIGHTS)
    rows = run.make("mm", ROW * tokens)
    state = run.make("zeros", STATE, Component.KV_CACHE)
    outputs = []
    for _ in range(tokens):
        turn = run.make("mul", TURN)
        outputs.append(run.make("bmm", ROW))
        run.end(turn)
        if not kept:
            run.end(outputs.pop())
    stack = run.make("stack", ROW * tokens)
    for output in outputs:
        run.end(output)
    run.end(rows)
    run.make("logits", 10, Component.LOGITS)
    run.end(stack)
    assert state
    return run.recording()


def true_peak(recording: Recording) -> int:
    live = best = 0
    for event in recording.events:
        live += recording.sizes[abs(event) - 1] * (1 if event > 0 else -1)
        best = max(best, live)
    return best


def peak_of(regime: Regime, tokens: int) -> float:
    return float(envelope_of(tape_of(regime)).component_bytes([tokens]).sum())


def tape_of(regime: Regime) -> Tape:
    return Tape(
        key=TapeKey(dtype="fp16", attention="eager"),
        attention="eager",
        config_hash="0" * 16,
        versions={},
        regimes=(regime,),
    )


@pytest.mark.parametrize("kept", [True, False])
@pytest.mark.parametrize("tokens", [10, 33, 500, 2001])
def test_a_loop_over_tokens_is_exact_at_lengths_that_nobody_recorded(tokens: int, kept: bool) -> None:
    regime = peak_regime(lambda n: scan(n, kept=kept), 2, 2**20)
    assert peak_of(regime, tokens) == true_peak(scan(tokens, kept=kept))


def test_components_are_those_at_the_peak() -> None:
    regime = peak_regime(scan, 2, 2**20)
    weights, cache, logits, activations, workspace = envelope_of(tape_of(regime)).component_bytes([1000])[:, 0]
    assert (weights, cache, logits, workspace) == (WEIGHTS, STATE, 0, 0)
    assert activations == 3 * ROW * 1000


def test_the_regime_survives_its_file() -> None:
    tape = tape_of(peak_regime(scan, 2, 2**20))
    assert decode_tape(encode_tape(tape)).regimes == tape.regimes


def chunked(tokens: int) -> Recording:
    """A loop over chunks of 64 tokens, to which the input is padded, and scores that grow with the square."""
    padded = -(-tokens // 64) * 64
    run = Pass(tokens)
    run.make("weights", WEIGHTS, Component.WEIGHTS)
    run.make("pad", padded * ROW)
    for _ in range(padded // 64):
        run.end(run.make("bmm", 64 * 64))
    run.end(run.make("softmax", 4 * tokens * tokens))
    run.make("logits", 10, Component.LOGITS)
    return run.recording()


@pytest.mark.parametrize("tokens", [65, 100, 127, 1000, 4097])
def test_chunks_are_never_forecast_below_the_truth(tokens: int) -> None:
    regime = peak_regime(chunked, 2, 2**20, 64)
    assert regime.granule == 64
    highest = -(-(tokens + 1) // 64) * 64 - 1
    assert true_peak(chunked(tokens)) <= peak_of(regime, highest)
    assert peak_of(regime, highest) == true_peak(chunked(highest))


def test_what_grows_with_the_square_is_workspace() -> None:
    regime = peak_regime(chunked, 2, 2**20, 64)
    table = envelope_of(tape_of(regime)).component_bytes([63 + 640])[:, 0]
    assert table[Component.WORKSPACE] == 4 * (63 + 640) ** 2


def test_a_window_that_is_crossed_while_recording_is_refused() -> None:
    def windowed(tokens: int) -> Recording:
        run = Pass(tokens)
        run.make("weights", WEIGHTS, Component.WEIGHTS)
        for _ in range(tokens):
            run.end(run.make("mul", TURN))
        run.make("cat", ROW * min(tokens, 20))
        return run.recording()

    with pytest.raises(NotAlignedError, match="polynomials"):
        peak_regime(windowed, 2, 120)


def test_passes_with_nothing_in_common_are_refused() -> None:
    def random(tokens: int) -> Recording:
        run = Pass(tokens)
        run.make("weights", WEIGHTS, Component.WEIGHTS)
        run.make(f"op{tokens}", ROW)
        return run.recording()

    with pytest.raises(NotAlignedError):
        peak_regime(random, 2, 2**20)


def test_too_few_tokens_are_refused() -> None:
    with pytest.raises(NotAlignedError, match="too few"):
        peak_regime(scan, 2, 20)


@pytest.mark.parametrize(("granule", "lengths"), [(1, (7, 11, 15, 31)), (64, (127, 191, 255, 511))])
def test_lengths_are_short_and_one_below_a_multiple(granule: int, lengths: tuple[int, ...]) -> None:
    assert loop_lengths(2, granule) == lengths
