// What `tenon bench --vs llama.cpp` prints.
#pragma once

#include <string>
#include <vector>

#include "cli/contest.h"

namespace tenon::cli {

struct ContestFacts {
  std::string model;       // path
  std::string model_type;  // "llama 134.52 M q4_1"
  std::string our_version, peer_version;
  std::vector<std::string> peer_options;  // by peer
  size_t peer_peak_memory = 0;            // bytes; of the leanest peer's largest run
  int64_t threads = 0;
  int64_t ubatch = 0;
  std::string kv_type;
  int64_t rounds = 0, rounds_wanted = 0;
};

// A table in markdown, and below it what its figures rest on.
std::string contest_text(const ContestFacts& facts, const Contest& contest);
std::string contest_json(const ContestFacts& facts, const Contest& contest);

}  // namespace tenon::cli
