#!/usr/bin/env python3
"""README.md's table of speed, made of bench/results/*.json.

    scripts/bench_table.py            fails when the table in README.md is not the one of the results
    scripts/bench_table.py --write    puts it there
"""

import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BEGIN = "<!-- figures of bench/results, by scripts/bench_table.py --write -->\n"
END = "<!-- end of figures -->\n"


def test_name(test):
    name = f"prompt of {test['n_prompt']}" if test["n_prompt"] else f"generation of {test['n_gen']}"
    return name + (f" at depth {test['n_depth']}" if test["n_depth"] else "")


def rate(value):
    """Three or four digits."""
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}"


def share(value):
    return "" if value is None else f"{100 * value:.0f} %"


def table(results):
    """Of one machine."""
    machine, models = results["machine"], results["models"]
    flags = ", ".join(flag for flag in machine["flags"] if flag in {"avx2", "avx512_vnni", "amx_int8"})
    bandwidth = sorted(model["read_gb_per_s"] for model in models)[len(models) // 2]
    lines = [f"{machine['cpu']} ({flags}; {machine['cores']} cores, Linux {machine['kernel'].split('-')[0]}, "
             f"{machine['compiler'].split(' (')[0]}), commit {results['commit']}:",
             f"{models[0]['n_threads']} threads, {models[0]['type_kv']} caches, memory read at {bandwidth:.1f} GB/s.",
             "",
             "| model | test | Tenon | of roof | llama.cpp | of roof | ratio |",
             "|---|---|--:|--:|--:|--:|--:|"]
    for model in models:
        name = pathlib.Path(model["model_filename"]).stem
        for test in model["tests"]:
            lines.append(f"| {name} | {test_name(test)} | {rate(test['tenon_ts'])} "
                         f"| {share(test.get('tenon_share_of_roof'))} | {rate(test['llama_cpp_ts'])} "
                         f"| {share(test.get('llama_cpp_share_of_roof'))} | {test['ratio']:.2f} |")
            name = ""
    return "\n".join(lines).replace("|  |", "| |") + "\n"


def with_tables(readme, tables):
    """`readme` with the tables between its two marks; raises ValueError when it has not both."""
    head, begin, rest = readme.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not (begin and end):
        raise ValueError(f"README.md: wanted the lines {BEGIN.strip()} and {END.strip()}")
    return head + BEGIN + "\n".join(tables) + END + tail


def main():
    readme = ROOT / "README.md"
    results = [json.loads(path.read_text()) for path in sorted((ROOT / "bench" / "results").glob("*.json"))]
    if not results:
        print("bench table: no results yet (make bench)")
        return 0
    text = readme.read_text()
    wanted = with_tables(text, [table(one) for one in results])
    if sys.argv[1:] == ["--write"]:
        readme.write_text(wanted)
    elif text != wanted:
        print("README.md: its figures are not those of bench/results; run scripts/bench_table.py --write")
        return 1
    print("bench table: good")
    return 0


if __name__ == "__main__":
    sys.exit(main())
