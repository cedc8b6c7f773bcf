// `tenon bench --vs llama.cpp`: both programs in turn, each run a process of its own.
#pragma once

#include <string>
#include <vector>

#include "cli/bench_report.h"

namespace tenon::cli {

struct VersusOptions {
  std::string model;  // path
  ModelFlags flags;
  int64_t ubatch = 512;
  int64_t rounds = 3;
  BenchFormat format = BenchFormat::kMarkdown;
  std::string llama_bench;  // path; empty: the one that find_llama_bench finds
};

// A round is ours, llama.cpp in one variant, ours, llama.cpp in the next …. From the second round on only the
// variants that were near the best somewhere. Prints the report of the rounds that were completed also when
// it was interrupted or a run failed.
Status bench_versus(const VersusOptions& options, const std::vector<BenchTest>& tests);

}  // namespace tenon::cli
