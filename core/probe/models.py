"""Building and loading models for passes: built-in transformers classes only, never code from a folder."""

import logging
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from copy import deepcopy
from typing import Any

import torch
import transformers
from torch.nn.attention import SDPBackend, sdpa_kernel
from transformers import masking_utils
from transformers.models.auto.configuration_auto import CONFIG_MAPPING
from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING

from vramtuner.core.errors import BadInputError
from vramtuner.core.model.spec import ModelSpec
from vramtuner.core.probe import checkpoints, classes, quantize
from vramtuner.core.probe.meters import is_out_of_memory
from vramtuner.core.settings import Attention, Dtype, TapeKey

_DTYPES = {"fp16": torch.float16, "bf16": torch.bfloat16, "fp32": torch.float32}
# Code that is never run, what names the class, and a dtype as torch writes it: the levers decide that.
_LEFT_OUT = {"auto_map", "model_type", "dtype", "torch_dtype"}
_IMPLEMENTATION = {"flash": "sdpa", "math": "sdpa", "eager": "eager"}


def quieten_libraries() -> None:
    """Keep the libraries to errors: they warn once per layer and pass, and standard error is shown to people."""
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    logging.getLogger("bitsandbytes").setLevel(logging.ERROR)


def torch_dtype(dtype: Dtype) -> torch.dtype:
    return _DTYPES[dtype]


def attention_context(attention: Attention) -> AbstractContextManager[Any]:
    """What keeps PyTorch to a kernel, around both the building of a model and its passes."""
    return sdpa_kernel(SDPBackend.MATH) if attention == "math" else nullcontext()


@contextmanager
def one_sequence_a_row() -> Iterator[None]:
    """Without a cache, transformers looks for several sequences packed into a row, and masks them where it cannot know.

    Fake tensors hold no values to look at; a real pass finds none, and makes no mask.
    """
    look = masking_utils.find_packed_sequence_indices

    def find_none(position_ids: torch.Tensor) -> None:
        look(position_ids)

    masking_utils.find_packed_sequence_indices = find_none
    try:
        yield
    finally:
        masking_utils.find_packed_sequence_indices = look


def transformers_config(spec: ModelSpec) -> Any:
    """The transformers config object for a spec.

    Raises
    ------
    BadInputError
        The config's facts contradict each other or are of the wrong kind.
    """
    # A deep copy, because transformers writes into the rotary dictionary and the tape is filed under the config's hash.
    facts = {name: deepcopy(value) for name, value in spec.config.items() if name not in _LEFT_OUT}
    try:
        return classes.mend_config(CONFIG_MAPPING[spec.model_type].from_dict(facts))
    except Exception as error:
        raise BadInputError(f"transformers cannot use the config of {spec.name}: {one_line(error)}") from error


def supported_attention(spec: ModelSpec, attention: Attention) -> Attention:
    """The kernel that the model's class really gets: ``eager`` where it refuses PyTorch's fused entry point."""
    model_class = MODEL_FOR_CAUSAL_LM_MAPPING[type(transformers_config(spec))]
    return attention if getattr(model_class, "_supports_sdpa", False) else "eager"


def build_model(spec: ModelSpec, key: TapeKey) -> Any:
    """A model of the config's class with weights that nobody has filled, in evaluation mode.

    Raises
    ------
    BadInputError
        The class refuses the config, the dtype or the attention implementation.
    """
    config = transformers_config(spec)
    attention = supported_attention(spec, key.attention)
    try:
        model = transformers.AutoModelForCausalLM.from_config(
            config, dtype=torch_dtype(key.dtype), attn_implementation=_IMPLEMENTATION[attention]
        )
    except Exception as error:
        if is_out_of_memory(error):
            raise
        raise BadInputError(f"transformers cannot build {spec.name}: {one_line(error)}") from error
    return model.eval()


def load_model(spec: ModelSpec, key: TapeKey, device: torch.device) -> Any:
    """The model in a folder, from safetensors only, on the device, in evaluation mode.

    Raises
    ------
    BadInputError
        A file does not fit the config, transformers cannot load it, or a quantized checkpoint needs a library or a
        device that is not here.
    """
    checkpoints.refuse_quantizing_twice(spec, key)
    checkpoints.refuse_unloadable(spec, device)
    options: dict[str, Any] = {}
    if key.weights != "none":
        options["quantization_config"] = _quantization(key)
    if key.weights != "none" or spec.quantization is not None:
        options["device_map"] = {"": device}
    try:
        model = transformers.AutoModelForCausalLM.from_pretrained(
            spec.folder,
            dtype=torch_dtype(key.dtype),
            attn_implementation=_IMPLEMENTATION[supported_attention(spec, key.attention)],
            local_files_only=True,
            trust_remote_code=False,
            use_safetensors=True,
            **options,
        )
    except Exception as error:
        if is_out_of_memory(error):
            raise
        raise BadInputError(f"transformers cannot load {spec.name}: {one_line(error)}") from error
    if options:
        quantize.refuse_broken_layers(model)
    for module in model.modules():
        # bitsandbytes repacks 4-bit weights for some processors and then runs other operations; a GPU does neither.
        if hasattr(module, "support_avx512bf16_for_cpu"):
            module.support_avx512bf16_for_cpu = False
    return (model if options else model.to(device)).eval()


def synthetic_model(spec: ModelSpec, key: TapeKey, device: torch.device) -> Any:
    """A real model of the config's shapes with random weights: memory does not depend on the values.

    Raises
    ------
    BadInputError
        Quantized weights are asked for, which need a checkpoint to quantize.
    """
    if key.weights != "none":
        raise BadInputError(f"{spec.name} has no weights here to quantize; choose a model folder, or --weights none")
    with torch.device(device):
        return build_model(spec, key)


def weight_tensors(model: Any) -> list[torch.Tensor]:
    """Every tensor that stays for as long as the model does: parameters, buffers, and bitsandbytes' statistics."""
    tensors = [*model.parameters(), *model.buffers()]
    for module in model.modules():
        weight = getattr(module, "weight", None)
        # An 8-bit layer hands its statistics from the weight to its state in the first pass.
        constants = getattr(weight, "quant_state", None)
        holders = (weight, getattr(module, "state", None), constants, getattr(constants, "state2", None))
        names = ("CB", "SCB", "absmax", "code", "offset")
        extras = [getattr(holder, name, None) for holder in holders for name in names]
        tensors += [extra for extra in extras if isinstance(extra, torch.Tensor)]
    return tensors


def _quantization(key: TapeKey) -> Any:
    # Names given here replace the modules that transformers would keep by itself, as in `quantize_fake_model`.
    kept = list(key.keep_modules) or None
    if key.weights == "int8":
        return transformers.BitsAndBytesConfig(
            load_in_8bit=True, llm_int8_threshold=quantize.INT8_THRESHOLD, llm_int8_skip_modules=kept
        )
    return transformers.BitsAndBytesConfig(
        load_in_4bit=True,
        bnb_4bit_quant_type=key.weights.removesuffix("-dq"),
        bnb_4bit_use_double_quant=key.weights.endswith("-dq"),
        bnb_4bit_compute_dtype=torch_dtype(key.dtype),
        llm_int8_skip_modules=kept,
    )


def one_line(error: BaseException) -> str:
    """An exception's text on one line, cut to what a person reads; its type where it has no text."""
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) <= 300 else f"{text[:297]}…"
