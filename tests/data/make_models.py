"""Save the model folders that tests use: ``python make_models.py FOLDER [journey]``.

Without the last word the two tiny ones, with it the one that is large enough to look at.
"""

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


def journey_model(folder: Path) -> None:
    """A Llama of 58 million parameters: seconds a pass, and large enough that attention's N² is seen."""
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=32000,
        hidden_size=512,
        intermediate_size=1408,
        num_hidden_layers=8,
        num_attention_heads=8,
        num_key_value_heads=8,
        max_position_embeddings=4096,
        dtype=torch.float32,
    )
    LlamaForCausalLM(config).save_pretrained(folder / "demo-llama-58m")


if __name__ == "__main__":
    (journey_model if "journey" in sys.argv[2:] else main)(Path(sys.argv[1]))
