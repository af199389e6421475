"""Position tables that end: a tiny model of each class is run to the end of its table, and one token beyond."""

from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import torch
from transformers.models.auto.configuration_auto import CONFIG_MAPPING
from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING

from vramtuner.core.device.find import cpu_device
from vramtuner.core.errors import BadInputError
from vramtuner.core.model.find import known_model_types
from vramtuner.core.model.positions import _TABLES
from vramtuner.core.model.spec import ModelSpec, spec_from_config
from vramtuner.core.probe import models, passes
from vramtuner.core.probe.protocol import Profile
from vramtuner.core.probe.recorder import record_tape
from vramtuner.core.settings import TapeKey
from vramtuner.core.units import GIB

ROWS = 24
WIDTH, HEADS, LAYERS, VOCABULARY = 32, 4, 2, 60
PADDING = 3
# The sizes by every name that a class of the list has for them.
SIZES: dict[str, Any] = {
    **dict.fromkeys(("hidden_size", "d_model", "n_embd", "emb_dim", "embedding_size", "word_embed_proj_dim"), WIDTH),
    **dict.fromkeys(("input_embedding_size", "output_embedding_size"), WIDTH),
    **dict.fromkeys(("intermediate_size", "ffn_dim", "decoder_ffn_dim", "encoder_ffn_dim", "dff", "n_inner"), 64),
    **dict.fromkeys(("num_hidden_layers", "n_layer", "n_layers", "num_layers", "decoder_layers"), LAYERS),
    **dict.fromkeys(("encoder_layers", "num_decoder_layers", "num_encoder_layers"), LAYERS),
    **dict.fromkeys(("num_attention_heads", "n_head", "n_heads", "num_heads", "decoder_attention_heads"), HEADS),
    **dict.fromkeys(("encoder_attention_heads", "num_decoder_attention_heads", "num_encoder_attention_heads"), HEADS),
    **dict.fromkeys(("num_key_value_heads", "attention_heads"), HEADS),
    **dict.fromkeys(("max_position_embeddings", "n_positions", "max_seq_len", "max_target_positions"), ROWS),
    "vocab_size": VOCABULARY, "pad_token_id": PADDING, "bos_token_id": 1, "eos_token_id": 2, "rotary_dim": 4,
}  # fmt: skip
EXTRAS: dict[str, dict[str, Any]] = {
    "gpt_neo": {"attention_types": [[["global", "local"], 1]]},
    "git": {"vision_config": {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "image_size": 32}},
    "marian": {"decoder_vocab_size": VOCABULARY},
    "reformer": {
        "axial_pos_shape": [4, 6], "axial_pos_embds_dim": [16, 16], "attn_layers": ["local", "local"],
        "local_attn_chunk_length": 4, "attention_head_size": 8, "feed_forward_size": 64,
    },
    "roc_bert": {"pronunciation_vocab_size": 60, "shape_vocab_size": 60},
    "xmod": {"languages": ["en_XX"], "default_language": "en_XX"},
}  # fmt: skip
# Classes whose positions do not end: rotary, by distance, or a table that grows. Each has one of those that do as kin.
ENDLESS = (
    "llama", "falcon", "bloom", "gpt_neox", "xglm", "xlnet", "moshi", "cpmant", "phi", "stablelm", "modernbert-decoder",
)  # fmt: skip


def config_of(model_type: str) -> dict[str, Any]:
    """A config with every size that its class has, small."""
    has = CONFIG_MAPPING[model_type]().to_dict()
    sizes = {name: value for name, value in SIZES.items() if name in has}
    decoder = {"is_decoder": True} if "is_decoder" in has else {}
    return {"model_type": model_type, "architectures": [model_type], **sizes, **decoder, **EXTRAS.get(model_type, {})}


def spec_of(config: dict[str, Any]) -> ModelSpec:
    return spec_from_config(config, name="tiny", source="a test", known_types=known_model_types())


def runs(config: dict[str, Any], *lengths: int) -> list[bool]:
    """Whether passes of these lengths end well, on real weights and on tokens that are no padding."""
    made = models.transformers_config(spec_of(config))
    torch.manual_seed(0)
    model = MODEL_FOR_CAUSAL_LM_MAPPING[type(made)](made).eval()
    done = []
    for tokens in lengths:
        try:
            with torch.no_grad():
                model(input_ids=torch.full((1, tokens), 7))
        except (IndexError, RuntimeError, ValueError):
            done.append(False)
        else:
            done.append(True)
    return done


@pytest.mark.parametrize("model_type", sorted(_TABLES))
def test_the_last_position_of_a_table_runs_and_none_beyond(model_type: str) -> None:
    config = config_of(model_type)
    spec = spec_of(config)
    assert spec.positions_hard
    assert ROWS - PADDING - 2 <= spec.max_positions <= ROWS
    assert runs(config, spec.max_positions, spec.max_positions + 1) == [True, False]


@pytest.mark.parametrize("model_type", sorted(_TABLES))
def test_a_config_that_does_not_say_has_its_classs_table(model_type: str) -> None:
    default, table = CONFIG_MAPPING[model_type](), _TABLES[model_type]
    assert getattr(default, table.name) == table.default
    if table.padding is not None:
        assert default.pad_token_id == table.padding


@pytest.mark.parametrize("model_type", ENDLESS)
def test_other_classes_go_on(model_type: str) -> None:
    config = config_of(model_type)
    assert not spec_of(config).positions_hard
    assert runs(config, 4 * ROWS) == [True]


def test_a_table_that_is_made_anew_does_not_end() -> None:
    config = {**config_of("trocr"), "use_learned_position_embeddings": False}
    assert not spec_of(config).positions_hard
    assert runs(config, 4 * ROWS) == [True]


@pytest.mark.parametrize("model_type", ["xlm", "git", "whisper", "bigbird_pegasus", "roberta", "prophetnet"])
def test_a_model_with_few_positions_is_recorded_up_to_them(model_type: str) -> None:
    rows = 128
    config = {**config_of(model_type)}
    config |= {name: rows for name in config if SIZES.get(name) == ROWS}
    spec = spec_of(config)
    tape = record_tape(spec, TapeKey(dtype="fp32", attention="eager"), check=lambda: None, progress=lambda done: None)
    assert tape.regimes[-1].to_tokens == spec.max_positions


def test_a_pass_beyond_a_table_says_what_to_do() -> None:
    # As a class would behave that the list does not have yet.
    spec = spec_of({**config_of("gpt2"), "n_positions": 32})
    unknown = type(spec)(**{**{name: getattr(spec, name) for name in spec.__struct_fields__}, "max_positions": 64})
    request = Profile(1, unknown, TapeKey(dtype="fp32", attention="eager"), cpu_device(), GIB, (32, 33))
    with pytest.raises(BadInputError, match="no row for each position of 33 tokens") as caught:
        passes.profile(request, check=lambda: None, send=lambda event: None, offer=lambda event: True)
    assert "lower --lengths" in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1
