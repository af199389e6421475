"""Peak bytes above the weights in real CPU passes, by torch.profiler's allocator events; nothing of vramtuner is used.

Reads a JSON list of cases on standard input, each ``{"folder": …}`` or ``{"config": …}`` with ``attention`` and
``tokens``, and prints a JSON list of bytes.
"""

import json
import sys
from contextlib import nullcontext
from typing import Any

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.profiler import ProfilerActivity, profile
from transformers import AutoModelForCausalLM
from transformers.models.auto.configuration_auto import CONFIG_MAPPING

_IMPLEMENTATION = {"flash": "sdpa", "math": "sdpa", "eager": "eager"}


def main(case: dict[str, Any]) -> int:
    """The highest running sum of the ``[memory]`` events of one pass."""
    attention, tokens = case["attention"], case["tokens"]
    implementation = _IMPLEMENTATION[attention]
    if "folder" in case:
        model = AutoModelForCausalLM.from_pretrained(case["folder"], attn_implementation=implementation)
    else:
        facts = dict(case["config"])
        config = CONFIG_MAPPING[facts.pop("model_type")].from_dict(facts)
        model = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16, attn_implementation=implementation)
    model.eval()
    with torch.no_grad(), sdpa_kernel(SDPBackend.MATH) if attention == "math" else nullcontext():
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
    json.dump([main(case) for case in json.load(sys.stdin)], sys.stdout)
