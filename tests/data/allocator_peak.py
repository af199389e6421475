"""Peak bytes above the weights in a real CPU pass, by torch.profiler's allocator events.

``python allocator_peak.py FOLDER ATTENTION TOKENS`` prints the bytes.  Nothing of vramtuner is used.
"""

import sys

import torch
from torch.profiler import ProfilerActivity, profile
from transformers import AutoModelForCausalLM


def main(folder: str, attention: str, tokens: int) -> int:
    """The highest running sum of the ``[memory]`` events of one pass."""
    model = AutoModelForCausalLM.from_pretrained(folder, attn_implementation=attention).eval()
    with torch.no_grad():
        model(input_ids=torch.zeros(1, 8, dtype=torch.long), use_cache=True, logits_to_keep=1)
        with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as record:
            ids = torch.zeros(1, tokens, dtype=torch.long)
            out = model(input_ids=ids, use_cache=True, logits_to_keep=1)
    del out
    live = peak = 0
    for event in record.profiler.kineto_results.events():
        if event.name() == "[memory]":
            live += event.nbytes()
            peak = max(peak, live)
    return peak


if __name__ == "__main__":
    sys.stdout.write(str(main(sys.argv[1], sys.argv[2], int(sys.argv[3]))))
