"""Peak bytes of a pass at exactly the lengths asked, for models of any size, under fake tensors.

Nothing is fitted: every length is a pass of its own whose live bytes are counted.  Reads a JSON list of cases on
standard input, each ``{"config": …, "attention": …, "logits": …, "lengths": […]}``, and prints, for each, its weights
and a list of ``{"tokens", "above"}`` in bytes.
"""

import gc
import inspect
import json
import sys
from contextlib import nullcontext
from typing import Any

import torch
import transformers
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.nn.attention import SDPBackend, sdpa_kernel
from transformers import AutoModelForCausalLM
from transformers.models.auto.configuration_auto import CONFIG_MAPPING

from vramtuner.core.probe.storages import StorageMode

_IMPLEMENTATION = {"flash": "sdpa", "math": "sdpa", "eager": "eager"}


class _Peak(StorageMode):
    """Live bytes and their highest value."""

    def __init__(self) -> None:
        super().__init__()
        self.live = self.peak = 0
        self._sizes: dict[int, int] = {}

    def created(self, number: int, size: int, op: str) -> None:
        self._sizes[number] = size
        self.live += size
        self.peak = max(self.peak, self.live)

    def ended(self, number: int) -> None:
        self.live -= self._sizes.pop(number)


def main(case: dict[str, Any]) -> dict[str, Any]:
    """The passes of one model and kernel."""
    facts = dict(case["config"])
    config = CONFIG_MAPPING[facts.pop("model_type")].from_dict(facts)
    kernels = sdpa_kernel(SDPBackend.MATH) if case["attention"] == "math" else nullcontext()
    passes = []
    with FakeTensorMode(allow_non_fake_inputs=True), _Peak() as meter, torch.no_grad(), kernels:
        model = AutoModelForCausalLM.from_config(
            config, dtype=torch.bfloat16, attn_implementation=_IMPLEMENTATION[case["attention"]]
        ).eval()
        keeps = "logits_to_keep" in inspect.signature(model.forward).parameters
        gc.collect()
        weights = meter.live
        options = {"logits_to_keep": 1 if case["logits"] == "last" else 0} if keeps else {}
        for tokens in case["lengths"]:
            meter.peak = meter.live
            ids = torch.zeros(1, tokens, dtype=torch.long)
            out = model(input_ids=ids, use_cache=True, **options)
            del ids, out
            passes.append({"tokens": tokens, "above": meter.peak - weights})
            gc.collect()
    return {"weights": weights, "passes": passes}


if __name__ == "__main__":
    transformers.logging.set_verbosity_error()
    json.dump([main(case) for case in json.load(sys.stdin)], sys.stdout)
