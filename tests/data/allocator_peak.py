"""Peak bytes above the weights in real CPU passes, by torch.profiler's allocator events; nothing of vramtuner is used.

Reads a JSON list of cases on standard input, each ``{"folder": …}`` or ``{"config": …}`` with ``attention``, ``tokens``
and, if some of them are generated, ``new_tokens`` and ``"how": "steps"`` (a loop of passes, each onto the cache of the
last) or ``"generate"`` (transformers' own ``generate``).  Prints a JSON list with the bytes of each case; where tokens
are generated, a pair of those of the prompt's pass and of all passes together (``generate`` does not tell them apart).
"""

import json
import sys
from contextlib import nullcontext
from typing import Any

import torch
import transformers
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.profiler import ProfilerActivity, profile, record_function
from transformers import AutoModelForCausalLM
from transformers.models.auto.configuration_auto import CONFIG_MAPPING

_IMPLEMENTATION = {"flash": "sdpa", "math": "sdpa", "eager": "eager"}
_PROMPT_ENDS = "the prompt's pass ends"


def main(case: dict[str, Any], model: Any) -> int | tuple[int, int]:
    """The highest running sum of the ``[memory]`` events in the first pass, and in all of them."""
    prompt, new = case["tokens"] - case.get("new_tokens", 0), case.get("new_tokens", 0)
    run = _generate if case.get("how") == "generate" else _steps
    with torch.no_grad(), sdpa_kernel(SDPBackend.MATH) if case["attention"] == "math" else nullcontext():
        # Rotary tables and the like are made in the first pass and stay.
        run(model, 8, min(new, 2))
        with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as record:
            run(model, prompt, new)
    events = record.profiler.kineto_results.events()
    ends = next((event.start_ns() for event in events if event.name() == _PROMPT_ENDS), None)
    live = first = peak = 0
    for event in sorted((e for e in events if e.name() == "[memory]"), key=lambda e: e.start_ns()):
        live += event.nbytes()
        peak = max(peak, live)
        if ends is None or event.start_ns() < ends:
            first = max(first, live)
    return (first, peak) if new else peak


def _steps(model: Any, prompt: int, new: int) -> None:
    """The prompt, then a pass for each new token; what a pass returns is dropped before the next, but for its cache."""
    out = model(input_ids=torch.zeros(1, prompt, dtype=torch.long), use_cache=True, logits_to_keep=1)
    cache = out.past_key_values
    del out
    with record_function(_PROMPT_ENDS):
        pass
    for _ in range(new):
        out = model(
            input_ids=torch.zeros(1, 1, dtype=torch.long), past_key_values=cache, use_cache=True, logits_to_keep=1
        )
        cache = out.past_key_values
        del out


def _generate(model: Any, prompt: int, new: int) -> None:
    """The same by transformers, which gives the last token to no pass, so that the cache ends one token shorter."""
    ids = torch.zeros(1, prompt, dtype=torch.long)
    mask = torch.ones_like(ids)
    model.generate(ids, attention_mask=mask, max_new_tokens=new, min_new_tokens=new, do_sample=False)


def build(case: dict[str, Any]) -> Any:
    implementation = _IMPLEMENTATION[case["attention"]]
    if "folder" in case:
        return AutoModelForCausalLM.from_pretrained(case["folder"], attn_implementation=implementation).eval()
    facts = dict(case["config"])
    config = CONFIG_MAPPING[facts.pop("model_type")].from_dict(facts)
    return AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16, attn_implementation=implementation).eval()


def results(cases: list[dict[str, Any]]) -> list[int | tuple[int, int]]:
    """Each case in turn; a model is kept for the cases that follow with the same."""
    found: list[int | tuple[int, int]] = []
    made: tuple[Any, ...] = ()
    model: Any = None
    for case in cases:
        facts = (case.get("folder"), case.get("config"), case["attention"])
        if facts != made:
            made, model = facts, build(case)
        found.append(main(case, model))
    return found


if __name__ == "__main__":
    # A kernel's own buffers are one a thread.
    torch.set_num_threads(1)
    transformers.logging.set_verbosity_error()
    json.dump(results(json.load(sys.stdin)), sys.stdout)
