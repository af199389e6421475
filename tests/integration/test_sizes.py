"""The names of sizes against the config classes themselves: no class's own config is warned of, or refused."""

import pytest

pytest.importorskip("transformers")

from transformers.models.auto.configuration_auto import CONFIG_MAPPING

from vramtuner.core.model.find import known_model_types
from vramtuner.core.model.sizes import check_sizes, missing_sizes

# Its default config does not hold together, so that transformers makes none.
_WITHOUT_DEFAULTS = {"gemma4_assistant"}


@pytest.mark.parametrize("model_type", sorted(known_model_types() - _WITHOUT_DEFAULTS))
def test_a_classs_own_config_names_its_sizes(model_type: str) -> None:
    config = CONFIG_MAPPING[model_type]().to_dict()
    assert missing_sizes(config) == ()
    check_sizes(config, model_type)
    assert missing_sizes({"model_type": model_type}) == ("hidden_size", "num_hidden_layers", "vocab_size")
