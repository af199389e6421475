"""Folding: recordings of a deep model out of a shallow one's, on made-up models and on a shipped one."""

from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vramtuner.core.tape.folding import FoldedRecordings, NotFoldedError
from vramtuner.core.tape.format import Component, Recording

Size = Callable[[int], int]
Layer = tuple[tuple[str, Component, Size], ...]


def recording(layers: list[Layer], tokens: int) -> Recording:
    """A pass: a weight a layer, then what the layers make, which all but the cache ends with the next layer."""
    made = [("empty", Component.WEIGHTS, 4096 + index % 3) for index, _ in enumerate(layers)]
    events = list(range(1, len(layers) + 1))
    alive: list[int] = []
    for layer in layers:
        born = []
        for op, component, size in layer:
            made.append((op, component, size(tokens)))
            events.append(len(made))
            if component is not Component.KV_CACHE:
                born.append(len(made))
        events += [-number for number in alive]
        alive = born
    made.append(("logits", Component.LOGITS, 50 * tokens))
    events += [len(made), *(-number for number in alive)]
    return Recording(
        tokens,
        tuple(events),
        tuple(size for _, _, size in made),
        tuple(component for _, component, _ in made),
        tuple(op for op, _, _ in made),
    )


def line(a: int, b: int, c: int = 0) -> Size:
    return lambda tokens: a + b * tokens + c * tokens * tokens


FULL: Layer = (
    ("norm", Component.ACTIVATIONS, line(0, 8)),
    ("cat", Component.KV_CACHE, line(0, 4)),
    ("cat", Component.KV_CACHE, line(0, 4)),
    ("scores", Component.ACTIVATIONS, line(0, 0, 2)),
    ("mlp", Component.ACTIVATIONS, line(0, 32)),
)
SLIDING: Layer = (*FULL[:3], ("scores", Component.ACTIVATIONS, line(0, 128)), FULL[4])


def folded(deep: list[Layer], shallow: list[Layer]) -> FoldedRecordings:
    return FoldedRecordings(lambda tokens: recording(deep, tokens), lambda tokens: recording(shallow, tokens))


def made_layers() -> st.SearchStrategy[Layer]:
    sizes = st.builds(line, st.integers(0, 3), st.integers(0, 5), st.integers(0, 2))
    storage = st.tuples(
        st.sampled_from(["mm", "add", "cat"]), st.sampled_from([Component.KV_CACHE, Component.ACTIVATIONS]), sizes
    )
    return st.lists(storage, min_size=1, max_size=9).map(tuple)


@pytest.mark.parametrize("kinds", [[FULL], [FULL, SLIDING]])
def test_a_deep_model_is_as_its_layers_say(kinds: list[Layer]) -> None:
    recordings = folded(kinds * 20, kinds * 4)
    for tokens in (100, 200, 301, 64):
        assert recordings.record(tokens) == recording(kinds * 20, tokens)
    recordings.confirm(777)


@given(st.lists(made_layers(), min_size=1, max_size=3), st.integers(12, 20))
def test_what_is_confirmed_is_right_at_the_other_lengths(kinds: list[Layer], times: int) -> None:
    recordings = folded(kinds * times, kinds * 4)
    try:
        found = [recordings.record(tokens) for tokens in (97, 194, 291)]
        recordings.confirm(1163)
    except NotFoldedError:  # layers that cannot be told apart at the first length: the whole is recorded then
        return
    assert found == [recording(kinds * times, tokens) for tokens in (97, 194, 291)]


def test_the_deep_model_is_recorded_once_for_a_sequence_of_operations() -> None:
    asked: list[int] = []

    def deep(tokens: int) -> Recording:
        asked.append(tokens)
        return recording([FULL] * 30 if tokens < 500 else [SLIDING, FULL] * 15, tokens)

    def shallow(tokens: int) -> Recording:
        kinds = [FULL] * 4 if tokens < 500 else [SLIDING, FULL] * 2
        short = recording(kinds, tokens)
        return short if tokens < 500 else Recording(tokens, (*short.events, -1), *_columns(short))

    recordings = FoldedRecordings(deep, shallow)
    for tokens in (100, 200, 300, 501, 601, 701):
        recordings.record(tokens)
    assert asked == [100, 501]


def _columns(short: Recording) -> Iterator[tuple[int | Component | str, ...]]:
    yield from (short.sizes, short.components, short.ops)


def test_a_layer_that_the_shallow_model_lacks_is_noticed() -> None:
    special: Layer = (("experts", Component.ACTIVATIONS, line(5, 7)), *FULL)
    with pytest.raises(NotFoldedError):
        folded([FULL] * 20 + [special], [FULL] * 4).record(100)


def test_a_deep_model_that_differs_at_another_length_is_noticed() -> None:
    odd: Layer = (*FULL[:4], ("mlp", Component.ACTIVATIONS, lambda tokens: 32 * tokens + (tokens > 500)))
    recordings = folded([FULL] * 19 + [odd], [FULL] * 4)
    recordings.record(100)
    recordings.record(200)
    with pytest.raises(NotFoldedError):
        recordings.confirm(777)


def test_layers_alike_at_one_length_and_not_at_another_are_told_apart_there() -> None:
    """At 64 tokens a window of 128 bytes a token and the whole square take the same."""
    recordings = folded([FULL, SLIDING] * 10, [FULL, SLIDING] * 2)
    for tokens in (64, 200, 300):
        assert recordings.record(tokens) == recording([FULL, SLIDING] * 10, tokens)
