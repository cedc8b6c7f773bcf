#!/usr/bin/env python3
"""The table of README.md, and the name of a machine's file."""

import unittest

import bench
import bench_table

RESULTS = {
    "machine": {"cpu": "Some(R) CPU", "flags": ["avx2", "avx512_vnni", "fma"], "cores": 2, "kernel": "6.1.0-9-amd64",
                "compiler": "g++ (Debian 12.2.0-14) 12.2.0"},
    "commit": "abc1234",
    "models": [{
        "model_filename": "Some-1B.Q4_1.gguf", "n_threads": 2, "type_kv": "f16", "read_gb_per_s": 24.04,
        "tests": [
            {"n_prompt": 512, "n_gen": 0, "n_depth": 0, "tenon_ts": 1428.4, "llama_cpp_ts": 204.2, "ratio": 6.995},
            {"n_prompt": 0, "n_gen": 64, "n_depth": 4096, "tenon_ts": 50.04, "llama_cpp_ts": 9.8, "ratio": 5.106,
             "tenon_share_of_roof": 0.397, "llama_cpp_share_of_roof": 0.078}]}]}

TABLE = """\
Some(R) CPU (avx2, avx512_vnni; 2 cores, Linux 6.1.0, g++), commit abc1234:
2 threads, f16 caches, memory read at 24.0 GB/s.

| model | test | Tenon | of roof | llama.cpp | of roof | ratio |
|---|---|--:|--:|--:|--:|--:|
| Some-1B.Q4_1 | prompt of 512 | 1428 | | 204 | | 7.00 |
| | generation of 64 at depth 4096 | 50.0 | 40 % | 9.8 | 8 % | 5.11 |
"""


class Table(unittest.TestCase):
    def test_of_results(self):
        self.assertEqual(bench_table.table(RESULTS).splitlines(), TABLE.splitlines())

    def test_goes_between_the_marks(self):
        marks = bench_table.BEGIN, bench_table.END
        self.assertEqual(bench_table.with_tables("a\n{}old\n{}b\n".format(*marks), ["new\n"]),
                         "a\n{}new\n{}b\n".format(*marks))
        with self.assertRaises(ValueError):
            bench_table.with_tables("a\n" + marks[0], ["new\n"])


class Slug(unittest.TestCase):
    def test_of_names(self):
        self.assertEqual(bench.slug("Intel(R) Xeon(R) Gold 6430 @ 2.1GHz"), "intel-xeon-gold-6430-2-1ghz")


if __name__ == "__main__":
    unittest.main()
