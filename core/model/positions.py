"""Position tables that end: how many tokens a model has a row for.

A rotary model extrapolates, and a class that makes a longer table when it needs one (XGLM, MusicGen) goes on too.
The others look each position up in a table, learned or filled when the model is made, and a longer input fails.  The
classes were tried in transformers 5.24; a test runs each up to the end of its table and a token beyond.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class PositionTable:
    """Where a config names the rows of its class's table.

    Attributes
    ----------
    default
        Rows where the config does not say.
    name
        The config's own name for them; ``max_position_embeddings`` is taken for it as well.
    skipped
        Rows at the start that no token gets, beside those below the padding token's id.
    padding
        The default id of the padding token, after whose row the positions begin; ``None`` where it has no part in it.
    """

    default: int
    name: str = "max_position_embeddings"
    skipped: int = 0
    padding: int | None = None


_ROBERTA = PositionTable(512, skipped=1, padding=1)
_TABLES = {
    "bart": PositionTable(1024),
    "bert": PositionTable(512),
    "bert-generation": PositionTable(512),
    "big_bird": PositionTable(4096),
    "bigbird_pegasus": PositionTable(4096),
    "biogpt": PositionTable(1024),
    "blenderbot": PositionTable(128),
    "blenderbot-small": PositionTable(512),
    "camembert": _ROBERTA,
    "codegen": PositionTable(2048, "n_positions"),
    "ctrl": PositionTable(256, "n_positions"),
    "data2vec-text": _ROBERTA,
    "electra": PositionTable(512),
    "ernie": PositionTable(512),
    "git": PositionTable(1024),
    "gpt-sw3": PositionTable(1024, "n_positions"),
    "gpt2": PositionTable(1024, "n_positions"),
    "gpt_bigcode": PositionTable(1024, "n_positions"),
    "gpt_neo": PositionTable(2048),
    "gptj": PositionTable(2048, "n_positions"),
    "marian": PositionTable(1024),
    "mbart": PositionTable(1024),
    "megatron-bert": PositionTable(512),
    "mpt": PositionTable(2048, "max_seq_len"),
    "mvp": PositionTable(1024),
    "openai-gpt": PositionTable(512, "n_positions"),
    "opt": PositionTable(2048),
    "pegasus": PositionTable(1024),
    "plbart": PositionTable(1024),
    "prophetnet": PositionTable(512, skipped=2, padding=0),
    "reformer": PositionTable(4096),
    "rembert": PositionTable(512),
    "roberta": _ROBERTA,
    "roberta-prelayernorm": _ROBERTA,
    "roc_bert": PositionTable(512),
    "roformer": PositionTable(1536),
    "trocr": PositionTable(512),
    "whisper": PositionTable(448, "max_target_positions"),
    "xlm": PositionTable(512),
    "xlm-roberta": _ROBERTA,
    "xlm-roberta-xl": PositionTable(514, skipped=1, padding=1),
    "xmod": _ROBERTA,
}
# Other models: the tokens that they were made for, by the name that the config has for it.
_MADE_FOR = ("max_position_embeddings", "n_positions", "n_ctx", "max_seq_len", "seq_length", "context_length")
_UNKNOWN = 2048


def table_of(config: Mapping[str, Any]) -> PositionTable | None:
    """The position table of a config's class that ends; ``None`` where there is none."""
    if config.get("model_type") == "trocr" and config.get("use_learned_position_embeddings") is False:
        return None  # the sinusoidal one is made anew when it is too short
    return _TABLES.get(str(config.get("model_type")))


def positions_of(config: Mapping[str, Any]) -> int:
    """Tokens that a config's class has a row for, or was made for where it has no table."""
    table = table_of(config)
    if table is None:
        return next(filter(None, (_size(config, name) for name in _MADE_FOR)), _UNKNOWN)
    given = filter(None, (_size(config, name) for name in (table.name, "max_position_embeddings")))
    skipped = table.skipped
    if table.padding is not None:
        asked = _size(config, "pad_token_id")
        skipped += table.padding if asked is None else asked
    return max(min(given, default=table.default) - skipped, 1)


def _size(config: Mapping[str, Any], name: str) -> int | None:
    value = config.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
