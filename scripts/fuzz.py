#!/usr/bin/env python3
"""Builds the fuzzers and runs each on its corpus (tests/fuzz/corpus/NAME) for an equal share of the time.

    scripts/fuzz.py --seconds N

New inputs go to build/fuzz/found/NAME; an input that crashes is kept in build/fuzz/crashes.
"""

import argparse
import subprocess
import sys

import tree

BUILD = tree.ROOT / "build" / "fuzz"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=int, default=60, help="for all fuzzers together")
    seconds = parser.parse_args().seconds
    subprocess.run(["scripts/configure.sh", "fuzz"], cwd=tree.ROOT, check=True)
    subprocess.run(["cmake", "--build", BUILD, "--target", "fuzzers"], check=True)
    fuzzers = sorted((BUILD / "bin").glob("tenon_*_fuzz"))
    crashes = BUILD / "crashes"
    crashes.mkdir(exist_ok=True)
    failed = not fuzzers
    for fuzzer in fuzzers:
        name = fuzzer.name.removeprefix("tenon_").removesuffix("_fuzz")
        found = BUILD / "found" / name
        found.mkdir(parents=True, exist_ok=True)
        corpus = tree.ROOT / "tests" / "fuzz" / "corpus" / name
        share = max(1, seconds // len(fuzzers))
        status = subprocess.run([fuzzer, found, corpus, f"-max_total_time={share}", "-timeout=10",
                                 f"-artifact_prefix={crashes}/{name}-", "-print_final_stats=1"]).returncode
        print(f"fuzz {name}: {'good' if status == 0 else f'failed, exit status {status}'}", flush=True)
        failed |= status != 0
    if not fuzzers:
        print("no fuzzer was built")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
