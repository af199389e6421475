"""Checkpoints that were quantized before they were saved: what their file headers tell beside the bytes."""

import re
from collections.abc import Iterable

from vramtuner.core.model.weights import StoredTensor

_FLOATS = {"F64", "F32", "F16", "BF16"}
_EXPERT = re.compile(r"(.*\.experts)\.\d+\..*")
# Leading parts of a module's name that differ between a checkpoint and the class that loads it.
_WRAPPERS = {"model", "language_model", "text_model", "transformer"}
_NOT_TEXT = re.compile(r"vision|visual|audio|image|speech|multi_modal|mm_projector|talker|code2wav")


def plain_name(module: str) -> str:
    """A module's name without the wrappers around the layers, by which files and classes agree.

    >>> plain_name("model.language_model.layers.0.mlp")
    'layers.0.mlp'
    """
    parts = module.split(".")
    while len(parts) > 1 and parts[0] in _WRAPPERS:
        parts = parts[1:]
    return ".".join(parts)


def unquantized_modules(tensors: Iterable[StoredTensor]) -> tuple[str, ...]:
    """Modules whose weights the files hold as plain matrices, by `plain_name`; experts of a layer count as one.

    A module is plain when its ``weight`` (or a stack of experts) is of a floating type of 16 bits or more, and no
    packed tensor or scale lies beside it.  Every other layer counts as quantized, whatever the method calls its parts.
    """
    matrices: set[str] = set()
    quantized: set[str] = set()
    for tensor in tensors:
        module, _, leaf = tensor.name.rpartition(".")
        expert = _EXPERT.fullmatch(f"{module}.")
        module = expert[1] if expert else module
        if tensor.dtype not in _FLOATS or "scale" in leaf:
            quantized.add(module)
        elif (leaf == "weight" and len(tensor.shape) >= 2) or len(tensor.shape) == 3:
            matrices.add(module)
    return tuple(sorted({plain_name(module) for module in matrices - quantized}))


def text_tensors(tensors: Iterable[StoredTensor]) -> list[StoredTensor]:
    """The tensors of the language model in the files of a larger one; those of no clear place are among them."""
    return [tensor for tensor in tensors if not _NOT_TEXT.search(tensor.name)]
