#!/usr/bin/env python3
"""Measures the standard models against llama.cpp and keeps the figures in bench/results/<cpu>.json.

    scripts/bench.py PRESET [--llama-bench PATH] [--rounds N] [--threads N] MODEL…

Then scripts/bench_table.py --write puts the table of them into README.md.
"""

import argparse
import json
import os
import pathlib
import platform
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench" / "results"

# Flags of a CPU that decide which kernels run, here or in llama.cpp.
FLAGS = {"avx2", "f16c", "fma", "avx_vnni", "avx512f", "avx512bw", "avx512vl", "avx512_vnni", "avx512_bf16",
         "avx512_fp16", "avx512_vbmi", "amx_int8", "amx_bf16"}


def slug(name):
    """'Intel(R) Xeon(R) Processor' -> 'intel-xeon-processor'."""
    return re.sub(r"[^a-z0-9]+", "-", re.sub(r"\((r|tm)\)", "", name.lower())).strip("-")


def fields(text):
    """{key: value} of lines 'key : value'; the first of equal keys."""
    found = {}
    for line in text.splitlines():
        key, colon, value = line.partition(":")
        if colon:
            found.setdefault(key.strip(), value.strip())
    return found


def first_line(command):
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    return done.stdout.splitlines()[0] if done.returncode == 0 and done.stdout else "unknown"


def compiler(build):
    found = re.search(r"^CMAKE_CXX_COMPILER:\w+=(.*)$", (build / "CMakeCache.txt").read_text(), re.MULTILINE)
    return first_line([found.group(1), "--version"]) if found else "unknown"


def machine(build):
    cpu = fields(pathlib.Path("/proc/cpuinfo").read_text())
    memory = fields(pathlib.Path("/proc/meminfo").read_text())
    return {
        "cpu": cpu.get("model name", platform.machine()),
        "flags": sorted(FLAGS & set(cpu.get("flags", "").split())),
        "cores": len(os.sched_getaffinity(0)),
        "memory_gib": round(int(memory["MemTotal"].split()[0]) / 2**20, 1),
        "kernel": platform.release(),
        "compiler": compiler(build),
    }


def measure(program, model, options):
    command = [program, "bench", model, "--vs", "llama.cpp", "-o", "json", "-t", str(options.threads),
               "-r", str(options.rounds)]
    if options.llama_bench:
        command += ["--llama-bench", options.llama_bench]
    print(f"{pathlib.Path(model).name}:", file=sys.stderr, flush=True)
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise SystemExit(done.returncode)
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("preset")
    parser.add_argument("--llama-bench", help="path of llama.cpp's benchmark program")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("models", nargs="+")
    options = parser.parse_args()
    build = ROOT / "build" / options.preset
    results = {"machine": machine(build),
               "commit": first_line(["git", "describe", "--always", "--dirty"]),
               "models": [measure(build / "bin" / "tenon", model, options) for model in options.models]}
    RESULTS.mkdir(parents=True, exist_ok=True)
    target = RESULTS / f"{slug(results['machine']['cpu'])}.json"
    target.write_text(json.dumps(results, indent=2, ensure_ascii=False) + "\n")
    print(target.relative_to(ROOT))


if __name__ == "__main__":
    main()
