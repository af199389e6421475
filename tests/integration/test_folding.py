"""Tapes of deep models: the same to the byte whether all layers are recorded at every length or few of them."""

from typing import Any

import pytest

pytest.importorskip("torch")

from vramtuner.core.model.find import known_model_types
from vramtuner.core.model.spec import ModelSpec, spec_from_config
from vramtuner.core.probe import recorder
from vramtuner.core.settings import TapeKey
from vramtuner.core.tape.format import Tape, encode_tape

LLAMA = {
    "hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 12, "num_attention_heads": 4,
    "num_key_value_heads": 2, "vocab_size": 256, "max_position_embeddings": 2048, "dtype": "bfloat16",
}  # fmt: skip
GEMMA = LLAMA | {"head_dim": 16, "sliding_window": 128}


def spec_of(model_type: str, config: dict[str, Any]) -> ModelSpec:
    facts = {"model_type": model_type, **config}
    return spec_from_config(facts, name=model_type, source="test", known_types=known_model_types())


def tape_of(spec: ModelSpec, key: TapeKey) -> tuple[Tape, int]:
    """The tape, and how many passes of the whole model it took."""
    whole, record = 0, recorder._Subject.record

    def counted(self: Any, tokens: int) -> Any:
        nonlocal whole
        whole += self._forward.model.config.num_hidden_layers == spec.config["num_hidden_layers"]
        return record(self, tokens)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recorder._Subject, "record", counted)
        return recorder.record_tape(spec, key, check=lambda: None, progress=lambda fraction: None), whole


@pytest.mark.parametrize(
    ("model_type", "config", "key", "passes"),
    [
        ("llama", LLAMA, TapeKey(dtype="bf16", attention="flash"), 2),
        ("llama", LLAMA, TapeKey(dtype="bf16", attention="math", step=1), 2),
        ("llama", LLAMA, TapeKey(dtype="bf16", attention="flash", weights="nf4"), 2),
        ("llama", LLAMA, TapeKey(dtype="bf16", attention="flash", pass_kind="training"), 2),
        ("gemma2", GEMMA, TapeKey(dtype="bf16", attention="eager"), 3),
    ],
)
def test_few_layers_tell_what_all_of_them_take(
    model_type: str, config: dict[str, Any], key: TapeKey, passes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = spec_of(model_type, config)
    few, whole = tape_of(spec, key)
    monkeypatch.setattr(recorder, "SHALLOW_LAYERS", ())
    every, plain = tape_of(spec, key)
    assert encode_tape(few) == encode_tape(every)
    assert whole == passes < plain


def test_a_config_that_cannot_be_cut_is_recorded_whole() -> None:
    kinds = {"num_layers": 12, "attention_types": [[["global", "local"], 6]], "max_position_embeddings": 64}
    tape, whole = tape_of(spec_of("gpt_neo", LLAMA | kinds), TapeKey(dtype="bf16", attention="eager"))
    assert tape.residual_bytes == 0
    assert whole >= 4


def test_a_model_of_few_layers_is_recorded_whole() -> None:
    assert recorder.shallow_spec(spec_of("llama", LLAMA | {"num_hidden_layers": 9}), 4) is None


def test_lists_of_layers_are_cut_with_them() -> None:
    kinds = ["sliding_attention", "full_attention"] * 6
    spec = spec_of("gemma2", GEMMA | {"layer_types": kinds, "other": [1, 2, 3]})
    shallow = recorder.shallow_spec(spec, 4)
    assert shallow is not None
    assert shallow.config == spec.config | {"num_hidden_layers": 4, "layer_types": kinds[:4]}
