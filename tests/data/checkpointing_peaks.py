"""Peak bytes of an inference pass of Llama-2-7B's shapes at 2,048 tokens, gradient checkpointing off and on.

Under fake tensors, with torch's own memory tracker; nothing of vramtuner is used.
"""

import sys

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.distributed._tools.mem_tracker import MemTracker
from transformers import AutoModelForCausalLM, LlamaConfig


def peak(checkpointing: bool) -> int:
    """Bytes above the weights at the peak of one pass."""
    config = LlamaConfig()
    with FakeTensorMode(allow_non_fake_inputs=True), torch.no_grad():
        model = AutoModelForCausalLM.from_config(config, dtype=torch.float16, attn_implementation="sdpa").eval()
        if checkpointing:
            model.gradient_checkpointing_enable()
        tracker = MemTracker()
        tracker.track_external(model)
        with tracker:
            model(input_ids=torch.zeros(1, 2048, dtype=torch.long), use_cache=True, logits_to_keep=1)
    weights = sum(parameter.nbytes for parameter in model.parameters())
    return int(tracker.get_tracker_snapshot("peak")[torch.device("cpu")]["Total"]) - weights


if __name__ == "__main__":
    sys.stdout.write(f"{peak(False)} {peak(True)}")
