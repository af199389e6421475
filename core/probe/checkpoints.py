"""Checkpoints that were quantized before they were saved: what they take when they are loaded, and in a pass.

Their bytes are those of their files.  Their layers run kernels of many libraries; what those take at most beside input
and output is laid down here, on the unquantized class of the model.
"""

from collections.abc import Callable
from importlib.util import find_spec
from math import ceil
from typing import Any, TypeAlias

import torch
from torch import nn

from vramtuner.core.errors import BadInputError
from vramtuner.core.model.checkpoint_quant import plain_name
from vramtuner.core.model.spec import ModelSpec
from vramtuner.core.probe.quantize import INT8_THRESHOLD, OUTLIER_NOTE, quantize_fake_model, replace_linears
from vramtuner.core.settings import TapeKey, Weights

_Copies: TypeAlias = Callable[[torch.Tensor], list[torch.Tensor]]
# Methods whose kernels take their input in 8 bits: a copy of it, and a scale for each group of columns.
_EIGHT_BIT_INPUT = {"fp8", "mxfp8", "fbgemm_fp8"}
_INPUT_GROUP = 128
# What transformers asks for before it loads a checkpoint of a method (validate_environment of its quantizers).
_LIBRARIES = {
    "gptq": "gptqmodel", "awq": "gptqmodel", "compressed-tensors": "compressed_tensors", "fbgemm_fp8": "fbgemm_gpu",
    "fp8": "kernels", "mxfp8": "kernels", "mxfp4": "kernels", "nvfp4": "kernels", "eetq": "kernels", "metal": "kernels",
    "torchao": "torchao", "hqq": "hqq", "aqlm": "aqlm", "vptq": "vptq", "spqr": "spqr_quant", "quark": "quark",
    "auto-round": "auto_round", "fp_quant": "fp_quant", "higgs": "flute", "quanto": "optimum", "sinq": "sinq",
    "bitsandbytes": "bitsandbytes",
}  # fmt: skip
# Without a GPU transformers unpacks these when it loads, which is another model than the one forecast.
_UNPACKED_ON_CPU = {"fp8", "mxfp8", "mxfp4"}


def quantize_model(model: nn.Module, spec: ModelSpec, key: TapeKey) -> int | None:
    """Make a fake model what the levers, or its quantized checkpoint, say; in place.

    Returns
    -------
    int or None
        Bytes of the loaded weights where the checkpoint's files tell them; they replace those of the model's
        parameters, which keep the shapes of the unquantized class.

    Raises
    ------
    BadInputError
        The levers would quantize a checkpoint again.
    """
    refuse_quantizing_twice(spec, key)
    if spec.quantization is None or spec.stored_bytes is None:
        if key.weights != "none":
            quantize_fake_model(model, key.weights, key.keep_modules)
        return None
    plain = set(spec.unquantized_modules)
    if spec.quantization == "bitsandbytes":
        _as_bitsandbytes_checkpoint(model, spec, plain)
    else:
        _dequantize_in_passes(model, plain, _copies_of_input(spec))
    return spec.stored_bytes + _bytes_beside_files(model)


def refuse_quantizing_twice(spec: ModelSpec, key: TapeKey) -> None:
    """Raise `BadInputError` where the levers would quantize a checkpoint that is quantized already."""
    if spec.quantization is not None and key.weights != "none":
        raise BadInputError(
            f"{spec.name} is already quantized ({spec.quantization}) and cannot be quantized to {key.weights};"
            " use weights none, or the unquantized checkpoint"
        )


def refuse_unloadable(spec: ModelSpec, device: torch.device) -> None:
    """Raise `BadInputError` where a quantized checkpoint cannot be loaded as it is deployed."""
    method = spec.quantization
    if method is None:
        return
    if spec.is_part:
        raise BadInputError(
            f"{spec.name} is quantized ({method}) and part of a larger model, of which no passes can be run yet;"
            " its forecast works"
        )
    library = _LIBRARIES.get(method)
    if library is not None and find_spec(library) is None:
        raise BadInputError(
            f"passes of {spec.name} need the library {library}, which loads {method} checkpoints; its forecast works"
            " without"
        )
    if method in _UNPACKED_ON_CPU and device.type == "cpu":
        raise BadInputError(f"passes of {spec.name} need a GPU: {method} runs on none of this machine's processors")


def notes(spec: ModelSpec, key: TapeKey) -> list[str]:
    """What a tape of quantized weights assumes, for people."""
    if spec.quantization is None:
        return [OUTLIER_NOTE] if key.weights == "int8" else []
    if spec.quantization == "bitsandbytes":
        return [OUTLIER_NOTE] if _bitsandbytes_facts(spec).get("load_in_8bit") else []
    found = [
        f"{spec.quantization}: weights are the bytes of the checkpoint's files; each quantized layer is counted as"
        f" unpacked to {key.dtype} while it runs, more than kernels take that unpack as they multiply (Marlin,"
        " ExLlama), less than plain PyTorch code may"
    ]
    if _copies_of_input(spec):
        found.append(f"{spec.quantization}: the quantized copies of each quantized layer's input are counted as well")
    if spec.quantization == "mxfp4":
        found.append(
            "mxfp4: experts are assumed to stay packed, which takes transformers' Triton kernels; without them it"
            " unpacks all experts to bf16 when it loads, to about four times their bytes"
        )
    return found


def _bitsandbytes_facts(spec: ModelSpec) -> dict[str, Any]:
    facts = spec.config.get("quantization_config")
    return facts if isinstance(facts, dict) else {}


def _as_bitsandbytes_checkpoint(model: nn.Module, spec: ModelSpec, plain: set[str]) -> None:
    facts = _bitsandbytes_facts(spec)
    weights: Weights = "int8"
    if not facts.get("load_in_8bit"):
        weights = "nf4-dq" if facts.get("bnb_4bit_use_double_quant") else "nf4"
    threshold = facts.get("llm_int8_threshold", INT8_THRESHOLD)
    # A layer computes in the type that was saved with it; transformers' default is fp32, whatever the model's type.
    compute = getattr(torch, str(facts.get("bnb_4bit_compute_dtype", "float32")).removeprefix("torch."), None)
    replace_linears(
        model,
        weights,
        lambda name: not _is_plain(model, name, plain),
        compute=compute if compute in (torch.float16, torch.bfloat16, torch.float32) else torch.float32,
        threshold=float(threshold) if isinstance(threshold, int | float) else INT8_THRESHOLD,
    )


def _is_plain(model: Any, name: str, plain: set[str]) -> bool:
    """Whether the files hold a module as it is, or it shares the weight of an embedding that they do."""
    weight = getattr(model.get_submodule(name), "weight", None)
    embedding = getattr(model.get_input_embeddings(), "weight", None)
    return plain_name(name) in plain or (weight is not None and weight is embedding)


def _copies_of_input(spec: ModelSpec) -> _Copies | None:
    """What a method's kernels make of a layer's input before they multiply; ``None`` where they take it as it is."""
    if spec.quantization in _EIGHT_BIT_INPUT:
        return _in_8bit
    facts = spec.config.get("quantization_config")
    groups = facts.get("config_groups") if isinstance(facts, dict) else None
    of_group = groups.values() if isinstance(groups, dict) else ()
    quantized = any(isinstance(group, dict) and bool(group.get("input_activations")) for group in of_group)
    return _there_and_back if quantized else None


def _in_8bit(x: torch.Tensor) -> list[torch.Tensor]:
    groups = ceil(x.shape[-1] / _INPUT_GROUP)
    scales = torch.empty((*x.shape[:-1], groups), dtype=torch.float32, device=x.device)
    return [torch.empty(x.shape, dtype=torch.uint8, device=x.device), scales]


def _there_and_back(x: torch.Tensor) -> list[torch.Tensor]:
    # compressed-tensors in transformers rounds an input to its grid in the model's own type: scaled, then scaled back.
    return [torch.empty_like(x), torch.empty_like(x)]


def _dequantize_in_passes(model: nn.Module, plain: set[str], copies_of: _Copies | None) -> None:
    """Give every quantized layer the storages that its kernel takes at most beside input and output.

    A linear layer unpacks its whole weight.  Fused experts hold one expert's largest matrix unpacked while they run.
    """
    from transformers.pytorch_utils import Conv1D

    for name, module in model.named_modules():
        if isinstance(module, nn.Linear | Conv1D):
            matrix = module.weight
        elif name.rpartition(".")[2] == "experts":
            stacks = [parameter for parameter in module.parameters(recurse=False) if parameter.dim() == 3]
            if not stacks:
                continue
            matrix = max((stack[0] for stack in stacks), key=torch.Tensor.numel)
        else:
            continue
        if not _is_plain(model, name, plain):
            module.forward = _with_scratch(module.forward, tuple(matrix.shape), matrix.dtype, copies_of)


def _with_scratch(
    forward: Callable[..., Any], shape: tuple[int, ...], dtype: torch.dtype, copies_of: _Copies | None
) -> Callable[..., Any]:
    def run(x: torch.Tensor, *args: Any, **options: Any) -> Any:
        scratch = [torch.empty(shape, dtype=dtype, device=x.device), *(copies_of(x) if copies_of else ())]
        out = forward(x, *args, **options)
        del scratch
        return out

    return run


def _bytes_beside_files(model: nn.Module) -> int:
    """Bytes of the buffers that no checkpoint holds, such as rotary frequencies."""
    sizes = {}
    for module in model.modules():
        for name in module._non_persistent_buffers_set:
            buffer = getattr(module, name)
            if buffer is not None:
                sizes[buffer.untyped_storage()._cdata] = buffer.untyped_storage().nbytes()
    return sum(sizes.values())
