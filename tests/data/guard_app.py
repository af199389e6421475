"""An application that knows nothing of the guard and asks a real model in every way that the tests can think of.

``python guard_app.py CASE:LENGTH...`` prints a JSON object: for each ``["ok", length]`` or ``["capped", message]``.
What a length is: tokens that came back of a ``generate`` with its prompt, that a call was given, or new words of a
pipeline.
"""

import json
import sys
import threading
from collections.abc import Callable
from typing import Any

import torch
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import WhitespaceSplit
from transformers import (
    AutoModel,
    DynamicCache,
    GenerationConfig,
    LlamaConfig,
    LlamaForCausalLM,
    PreTrainedTokenizerFast,
    StaticCache,
    TextIteratorStreamer,
    pipeline,
)

CONFIG = LlamaConfig(
    vocab_size=64, hidden_size=32, intermediate_size=64, num_hidden_layers=4, num_attention_heads=4,
    num_key_value_heads=2, max_position_embeddings=4096, bos_token_id=1, eos_token_id=None, pad_token_id=0,
)  # fmt: skip
NEW = 8


def tokens(count: int, rows: int = 1) -> torch.Tensor:
    """Tokens that say their place, so that what is left of a prompt can be told."""
    return (torch.arange(count) % 60 + 3).repeat(rows, 1)


def tokenizer() -> PreTrainedTokenizerFast:
    """A word for each token, and a chat template that adds none."""
    words = {f"w{number}": number for number in range(CONFIG.vocab_size)}
    plain = Tokenizer(WordLevel(words, unk_token="w2"))
    plain.pre_tokenizer = WhitespaceSplit()
    made = PreTrainedTokenizerFast(tokenizer_object=plain, pad_token="w0", unk_token="w2")
    made.chat_template = "{% for message in messages %}{{ message['content'] }} {% endfor %}"
    return made


class Cases:
    """Each method asks for ``length`` tokens in one way and returns how many it got."""

    def __init__(self) -> None:
        torch.manual_seed(0)
        self.model = LlamaForCausalLM(CONFIG).eval()
        self.base = AutoModel.from_config(CONFIG).eval()
        self.words = tokenizer()

    def generate(self, length: int) -> int:
        prompt = tokens(length - NEW)
        out = self.model.generate(prompt, attention_mask=torch.ones_like(prompt), max_new_tokens=NEW)
        kept = out.shape[1] - NEW
        assert torch.equal(out[0, :kept], prompt[0, -kept:]), "not the newest of the prompt"
        return int(out.shape[1])

    def keyword(self, length: int) -> int:
        return int(self.model.generate(input_ids=tokens(length - NEW), max_length=length).shape[1])

    def many_new(self, length: int) -> int:
        config = GenerationConfig(max_new_tokens=length - 1900)
        return int(self.model.generate(tokens(1900), generation_config=config).shape[1])

    def nothing_said_of_new(self, length: int) -> int:
        return int(self.model.generate(tokens(length - NEW)).shape[1])

    def embeddings(self, length: int) -> int:
        embeds = self.model.get_input_embeddings()(tokens(length - NEW))
        return int(self.model.generate(inputs_embeds=embeds, max_new_tokens=NEW).shape[1]) + length - NEW

    def rows_in_a_batch(self, length: int) -> int:
        return int(self.model.generate(tokens(length - NEW, 2), max_new_tokens=NEW).shape[1])

    def beams(self, length: int) -> int:
        return int(self.model.generate(tokens(length - 2), max_new_tokens=2, num_beams=2).shape[1])

    def assisted(self, length: int) -> int:
        out = self.model.generate(tokens(length - NEW), max_new_tokens=NEW, assistant_model=self.model)
        return int(out.shape[1])

    def static_cache(self, length: int) -> int:
        out = self.model.generate(
            tokens(length - NEW), max_new_tokens=NEW, cache_implementation="static", disable_compile=True
        )
        return int(out.shape[1])

    def continued(self, length: int) -> int:
        cache = DynamicCache(config=CONFIG)
        first = self.model.generate(tokens(1000), max_new_tokens=1, cache=cache)
        more = torch.cat([first, tokens(length - NEW - first.shape[1])], dim=1)
        return int(self.model.generate(more, max_new_tokens=NEW, cache=cache).shape[1])

    def streamed_in_a_thread(self, length: int) -> int:
        streamer, failed = TextIteratorStreamer(self.words), list[Exception]()

        def work() -> None:
            try:
                self.model.generate(tokens(length - NEW), max_new_tokens=NEW, streamer=streamer)
            except ValueError as error:
                failed.append(error)
                streamer.end()

        thread = threading.Thread(target=work)
        thread.start()
        count = len("".join(streamer).split())
        thread.join()
        if failed:
            raise failed[0]
        return count

    def text_pipeline(self, length: int) -> int:
        ask = pipeline("text-generation", model=self.model, tokenizer=self.words)
        text = " ".join(["w5"] * (length - NEW))
        return len(ask(text, max_new_tokens=NEW, return_full_text=False)[0]["generated_text"].split())

    def chat_pipeline(self, length: int) -> int:
        ask = pipeline("text-generation", model=self.model, tokenizer=self.words)
        chat = [{"role": "user", "content": " ".join(["w5"] * (length - NEW))}]
        answer = ask(chat, max_new_tokens=NEW)[0]["generated_text"]
        return len(answer[-1]["content"].split()) if answer[-1]["role"] == "assistant" else 0

    def call(self, length: int) -> int:
        return int(self.model(tokens(length)).logits.shape[1])

    def forward(self, length: int) -> int:
        return int(self.model.forward(input_ids=tokens(length)).logits.shape[1])

    def call_with_embeddings(self, length: int) -> int:
        embeds = self.model.get_input_embeddings()(tokens(length))
        return int(self.model(inputs_embeds=embeds).logits.shape[1])

    def without_head(self, length: int) -> int:
        return int(self.base(tokens(length)).last_hidden_state.shape[1])

    def part_of_a_model(self, length: int) -> int:
        return int(self.model.model(tokens(length)).last_hidden_state.shape[1])

    def unbound(self, length: int) -> int:
        return int(LlamaForCausalLM.forward(self.model, tokens(length)).logits.shape[1])

    def own_loop(self, length: int) -> int:
        cache, seen = DynamicCache(config=CONFIG), 0
        while seen < length:
            self.model(tokens(256), past_key_values=cache)
            seen += 256
        return seen

    def own_loop_static(self, length: int) -> int:
        cache, seen = StaticCache(config=CONFIG, max_cache_len=4096), 0
        while seen < length:
            self.model(tokens(256), cache=cache)
            seen += 256
        return seen

    def compiled(self, length: int) -> int:
        return int(torch.compile(self.model, backend="eager")(tokens(length)).logits.shape[1])

    def compiled_whole(self, length: int) -> int:
        return int(torch.compile(self.model, backend="eager", fullgraph=True)(tokens(length)).logits.shape[1])


def outcome(case: Callable[[int], int], length: int) -> list[Any]:
    """What came of a case; errors that are not the guard's are errors of the test."""
    try:
        with torch.no_grad():
            return ["ok", case(length)]
    except ValueError as error:
        if type(error).__name__ != "TokenCapError":
            raise
        return ["capped", str(error)]


def main(asked: list[str]) -> None:
    """Run what is asked for."""
    cases = Cases()
    found = {}
    for name, _, length in (text.partition(":") for text in asked):
        found[f"{name}:{length}"] = outcome(getattr(cases, name), int(length))
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1:])
