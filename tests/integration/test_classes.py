"""What single model classes need: the tables name classes that exist, and configs that stop a class are mended."""

from types import SimpleNamespace

import pytest

pytest.importorskip("torch")

import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from vramtuner.core.model.find import known_model_types
from vramtuner.core.probe import classes


def test_the_tables_name_classes_of_the_release() -> None:
    tables = {*classes._LOOPS, *classes._PADDED, *classes._LOOPED_EXPERTS, *classes._HOLDING}
    assert tables <= known_model_types()
    assert known_model_types() >= classes._WITHOUT_ATTENTION


@pytest.mark.parametrize(
    ("config", "tokens"),
    [
        ({"model_type": "llama"}, None),
        ({"model_type": "mamba"}, 1),
        ({"model_type": "qwen3_next"}, 64),
        ({"model_type": "xlstm", "chunk_size": 128}, 128),
        ({"model_type": "minimax", "block_size": 512}, 512),
    ],
)
def test_loops(config: dict[str, object], tokens: int | None) -> None:
    assert classes.loop_tokens(config) == tokens


def test_chunks_are_those_of_the_config() -> None:
    assert classes.padded_chunks({"model_type": "bamba", "mamba_chunk_size": 256}) == (256,)
    assert classes.padded_chunks({"model_type": "mamba2", "chunk_size": 128}) == (128,)
    assert classes.padded_chunks({"model_type": "llama", "chunk_size": 128}) == ()


def test_a_padding_token_beyond_the_vocabulary_is_dropped() -> None:
    assert classes.mend_config(SimpleNamespace(pad_token_id=32000, vocab_size=1000)).pad_token_id is None
    assert classes.mend_config(SimpleNamespace(pad_token_id=999, vocab_size=1000)).pad_token_id == 999


def test_a_head_size_that_is_left_out_is_derived() -> None:
    mended = classes.mend_config(
        SimpleNamespace(hidden_size=4096, num_attention_heads=32, head_dim=None, num_key_value_heads=None)
    )
    assert (mended.head_dim, mended.num_key_value_heads) == (128, 32)


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32])
def test_grouped_products_that_fake_tensors_refuse_have_their_shape(dtype: torch.dtype) -> None:
    with FakeTensorMode():
        rows, weights = torch.empty(10, 4, dtype=dtype), torch.empty(3, 4, 6, dtype=dtype)
        product = classes.steps_inside(torch.ops.aten._grouped_mm.default, (rows, weights))
        assert product is not None
        out = product(rows, weights, torch.empty(3, dtype=torch.int32))
    assert (out.shape, out.dtype) == ((10, 6), dtype)


def test_an_expert_gets_every_token_at_most() -> None:
    with FakeTensorMode():
        mask = torch.empty(4, 100, dtype=torch.bool)
        places = classes.steps_inside(torch.ops.aten.nonzero.default, (mask,))
        assert places is not None
        assert places(mask).shape == (100, 2)


def test_real_tensors_are_left_to_their_operations() -> None:
    mask = torch.ones(4, 4, dtype=torch.bool)
    assert classes.steps_inside(torch.ops.aten.nonzero.default, (mask,)) is None


def test_what_is_assumed_is_said() -> None:
    assert classes.class_notes({"model_type": "llama"}) == ()
    assert classes.class_notes({"model_type": "dbrx"}) == (classes.EXPERTS_NOTE,)
    assert classes.class_notes({"model_type": "rwkv"}) == (classes.RECURRENT_NOTE, classes.NO_ATTENTION_NOTE)
