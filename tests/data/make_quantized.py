"""Write tiny checkpoints in the layouts of published quantization methods: ``python make_quantized.py FOLDER``.

Each folder holds ``config.json`` and ``model.safetensors`` with zeros of the names, types and shapes that the method
saves; nothing but the standard library is needed.  A method's layers are the same tiny Llama's (hidden 64, 2 layers),
but for MXFP4, which is a tiny gpt-oss with its experts in blocks of 32 values.
"""

import json
import sys
from collections.abc import Iterator
from math import prod
from pathlib import Path

Tensors = dict[str, tuple[str, tuple[int, ...]]]
BITS = {"F32": 32, "I32": 32, "I64": 64, "F16": 16, "BF16": 16, "F8_E4M3": 8, "I8": 8, "U8": 8}
HIDDEN, INNER, LAYERS, VOCABULARY, KEYS, GROUP, EXPERTS = 64, 96, 2, 160, 32, 32, 4
LINEARS = {
    "self_attn.q_proj": (HIDDEN, HIDDEN), "self_attn.k_proj": (KEYS, HIDDEN), "self_attn.v_proj": (KEYS, HIDDEN),
    "self_attn.o_proj": (HIDDEN, HIDDEN), "mlp.gate_proj": (INNER, HIDDEN), "mlp.up_proj": (INNER, HIDDEN),
    "mlp.down_proj": (HIDDEN, INNER),
}  # fmt: skip
LLAMA = {
    "model_type": "llama", "architectures": ["LlamaForCausalLM"], "vocab_size": VOCABULARY, "hidden_size": HIDDEN,
    "intermediate_size": INNER, "num_hidden_layers": LAYERS, "num_attention_heads": 4, "num_key_value_heads": 2,
    "max_position_embeddings": 512, "head_dim": 16,
}  # fmt: skip
GPT_OSS = LLAMA | {
    "model_type": "gpt_oss", "architectures": ["GptOssForCausalLM"], "num_local_experts": EXPERTS,
    "num_experts_per_tok": 2, "sliding_window": 128, "layer_types": ["sliding_attention", "full_attention"],
}  # fmt: skip


def gptq(out: int, into: int) -> Tensors:
    """AutoGPTQ's and GPTQModel's 4-bit layout: eight values in each 32-bit word, along the input."""
    groups = into // GROUP
    return {
        "qweight": ("I32", (into // 8, out)),
        "qzeros": ("I32", (groups, out // 8)),
        "scales": ("F16", (groups, out)),
        "g_idx": ("I32", (into,)),
    }


def awq(out: int, into: int) -> Tensors:
    """AutoAWQ's GEMM layout: eight values in each 32-bit word, along the output."""
    groups = into // GROUP
    return {
        "qweight": ("I32", (into, out // 8)),
        "qzeros": ("I32", (groups, out // 8)),
        "scales": ("F16", (groups, out)),
    }


def fp8(out: int, into: int) -> Tensors:
    """Fine-grained fp8, as DeepSeek-V3: a scale for each square of 128."""
    return {
        "weight": ("F8_E4M3", (out, into)),
        "weight_scale_inv": ("F32", (-(-out // 128), -(-into // 128))),
    }


def fbgemm_fp8(out: int, into: int) -> Tensors:
    """FBGEMM's fp8: a scale for each row."""
    return {"weight": ("F8_E4M3", (out, into)), "weight_scale": ("F32", (out, 1))}


def packed(out: int, into: int) -> Tensors:
    """compressed-tensors' pack-quantized layout of 4 bits."""
    return {
        "weight_packed": ("I32", (out, into // 8)),
        "weight_scale": ("BF16", (out, into // GROUP)),
        "weight_shape": ("I64", (2,)),
    }


def int8(out: int, into: int) -> Tensors:
    """compressed-tensors' int-quantized layout: 8 bits for weights and inputs."""
    return {"weight": ("I8", (out, into)), "weight_scale": ("BF16", (out, 1))}


def llama(layer: object, floating: str) -> Tensors:
    assert callable(layer)
    tensors: Tensors = {
        "model.embed_tokens.weight": (floating, (VOCABULARY, HIDDEN)),
        "lm_head.weight": (floating, (VOCABULARY, HIDDEN)),
        "model.norm.weight": (floating, (HIDDEN,)),
    }
    for number in range(LAYERS):
        for norm in ("input_layernorm", "post_attention_layernorm"):
            tensors[f"model.layers.{number}.{norm}.weight"] = (floating, (HIDDEN,))
        for name, (out, into) in LINEARS.items():
            for part, described in layer(out, into).items():
                tensors[f"model.layers.{number}.{name}.{part}"] = described
    return tensors


def gpt_oss() -> Tensors:
    """gpt-oss as published: attention in bf16, experts in blocks of 32 values of 4 bits with a scale each."""
    plain = llama(lambda out, into: {"weight": ("BF16", (out, into)), "bias": ("BF16", (out,))}, "BF16")
    tensors = {name: described for name, described in plain.items() if ".mlp." not in name}
    for number in range(LAYERS):
        mlp = f"model.layers.{number}.mlp"
        tensors[f"model.layers.{number}.self_attn.sinks"] = ("BF16", (4,))
        tensors[f"{mlp}.router.weight"] = ("BF16", (EXPERTS, HIDDEN))
        tensors[f"{mlp}.router.bias"] = ("BF16", (EXPERTS,))
        for name, (out, into) in {"gate_up_proj": (2 * INNER, HIDDEN), "down_proj": (HIDDEN, INNER)}.items():
            tensors[f"{mlp}.experts.{name}_blocks"] = ("U8", (EXPERTS, out, into // 32, 16))
            tensors[f"{mlp}.experts.{name}_scales"] = ("U8", (EXPERTS, out, into // 32))
            tensors[f"{mlp}.experts.{name}_bias"] = ("BF16", (EXPERTS, out))
    return tensors


def checkpoints() -> Iterator[tuple[str, dict[str, object], Tensors]]:
    """Name, config and tensors of every checkpoint."""
    four_bits = {"bits": 4, "group_size": GROUP}
    dynamic = {"num_bits": 8, "type": "int", "dynamic": True}
    methods: dict[str, tuple[object, str, dict[str, object]]] = {
        "gptq": (gptq, "F16", {"quant_method": "gptq", "desc_act": False, "sym": True, **four_bits}),
        "awq": (awq, "F16", {"quant_method": "awq", "version": "gemm", "zero_point": True, **four_bits}),
        "fp8": (fp8, "BF16", {"quant_method": "fp8", "weight_block_size": [128, 128], "activation_scheme": "dynamic"}),
        "fbgemm_fp8": (fbgemm_fp8, "BF16", {"quant_method": "fbgemm_fp8", "activation_scale_ub": 1200.0}),
        "compressed-tensors": (packed, "BF16", {"quant_method": "compressed-tensors", "format": "pack-quantized"}),
        "compressed-int8": (
            int8, "BF16",
            {"quant_method": "compressed-tensors", "config_groups": {"group_0": {"input_activations": dynamic}}},
        ),
    }  # fmt: skip
    for name, (layer, floating, facts) in methods.items():
        dtype = "float16" if floating == "F16" else "bfloat16"
        yield name, LLAMA | {"dtype": dtype, "quantization_config": facts}, llama(layer, floating)
    facts = {"quant_method": "mxfp4", "modules_to_not_convert": ["model.layers.*.self_attn", "lm_head"]}
    yield "mxfp4", GPT_OSS | {"dtype": "bfloat16", "quantization_config": facts}, gpt_oss()


def write(folder: Path, config: dict[str, object], tensors: Tensors) -> None:
    """A checkpoint of zeros: the header of a safetensors file, then as many bytes as it names."""
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps(config))
    header, at = {}, 0
    for name, (dtype, shape) in tensors.items():
        size = prod(shape) * BITS[dtype] // 8
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [at, at + size]}
        at += size
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    (folder / "model.safetensors").write_bytes(len(text).to_bytes(8, "little") + text + bytes(at))


if __name__ == "__main__":
    for checkpoint, config, tensors in checkpoints():
        write(Path(sys.argv[1]) / checkpoint, config, tensors)
