#!/usr/bin/env python3
"""Prints which tensors of synthetic models llama-quantize stores otherwise than as the file's main type.

    capture_types.py TENON LLAMA_QUANTIZE

Lines "MODEL LAYERS TYPE TENSOR=TYPE ..."; tensors that stay f32 are left out (tests/golden/synth/types.txt).
"""
import re
import subprocess
import sys
import tempfile

DEPTHS = {  # those of real models, and some that eight does not divide
    "llama-tiny": (5, 16, 24, 32),
    "qwen3-tiny": (36,),
    "qwen3.5-tiny": (32,),
    "gemma-4-tiny": (13, 35),
    "phi-tiny": (32,),
}
TYPES = {  # and the type of most tensors
    "Q4_0": "q4_0", "Q4_1": "q4_1", "Q5_0": "q5_0", "Q5_1": "q5_1", "Q8_0": "q8_0",
    "Q4_K_S": "q4_k", "Q4_K_M": "q4_k", "Q5_K_S": "q5_k", "Q5_K_M": "q5_k", "Q6_K": "q6_k",
}
LINE = re.compile(r"\]\s+(\S+)\s+- \[.*type =\s+(\S+),\s+size.*?(?:\((\w+)\))?$", re.MULTILINE)


def main(tenon, llama_quantize):
    with tempfile.TemporaryDirectory() as folder:
        source = folder + "/source.gguf"
        for model, depths in DEPTHS.items():
            for layers in depths:
                subprocess.run([tenon, "synth", model, "-o", source, "--force", "--type", "BF16", "--layers",
                                str(layers)], check=True, stderr=subprocess.DEVNULL)
                for name, base in TYPES.items():
                    told = subprocess.run([llama_quantize, "--dry-run", source, name], check=True, text=True,
                                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout
                    types = sorted((tensor, (after or before).lower())
                                   for tensor, before, after in LINE.findall(told))
                    others = [f"{tensor}={kind}" for tensor, kind in types if kind not in ("f32", base)]
                    print(model, layers, name, *others)


main(*sys.argv[1:])
