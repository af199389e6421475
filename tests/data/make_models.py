"""Save the two model folders that tests use: ``python make_models.py FOLDER``."""

import sys
from pathlib import Path

import torch
from transformers import GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM


def main(folder: Path) -> None:
    """Random weights in half precision, as small as keeps every part of the architecture."""
    torch.manual_seed(0)
    llama = LlamaConfig(
        vocab_size=1000,
        hidden_size=256,
        intermediate_size=512,
        num_hidden_layers=3,
        num_attention_heads=8,
        num_key_value_heads=4,
        max_position_embeddings=2048,
        dtype=torch.float16,
    )
    LlamaForCausalLM(llama).to(torch.float16).save_pretrained(folder / "tiny-llama")
    gpt2 = GPT2Config(vocab_size=1000, n_embd=128, n_layer=3, n_head=4, n_positions=1024, dtype=torch.float32)
    GPT2LMHeadModel(gpt2).save_pretrained(folder / "tiny-gpt2")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
