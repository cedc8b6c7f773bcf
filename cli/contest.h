// A contest of tenon and llama.cpp: the samples of both, test by test, and what follows from them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/bench_test.h"
#include "tenon/base/result.h"

namespace tenon::cli {

// A row of the JSON that `tenon bench` and llama-bench print; the latter has no figures after the rate.
struct BenchSample {
  BenchTest test;
  double rate = 0;            // tokens per second
  double read_rate = 0;       // of the probe, bytes per second
  uint64_t weight_bytes = 0;  // read for each token
  uint64_t state_bytes = 0;   // of the caches for all tokens of the test
  size_t peak_memory = 0;     // bytes
};

struct BenchRun {
  std::string version, model_type;
  std::vector<BenchSample> samples;
};

// Errors: kInvalidArgument for what is no such JSON, naming `program`.
Result<BenchRun> parse_bench_json(const std::string& program, const std::string& text);

// What one test came to.
struct ContestRow {
  BenchTest test;
  double ours = 0, theirs = 0;  // medians, tokens per second; 0: no sample
  size_t best_peer = 0;         // whose median is `theirs`
  uint64_t bytes_per_token = 0;
  double roof =
      0;  // tokens per second that reading these bytes allows; 0 for prompts, which are not bound by it
  double ratio() const { return theirs > 0 ? ours / theirs : 0; }
};

class Contest {
 public:
  Contest(std::vector<BenchTest> tests, size_t peers);

  // Of one run, which must have every test once. Errors: kInvalidArgument naming `program` and the test.
  Status add_ours(const BenchRun& run);
  Status add_peer(size_t peer, const BenchRun& run, const std::string& program);

  // Peers that came within a tenth of the best in some test: the others need no further runs.
  std::vector<size_t> peers_worth_repeating() const;

  std::vector<ContestRow> rows() const;
  double read_rate() const;  // median of all, bytes per second
  size_t our_peak_memory() const;
  const std::vector<double>& our_rates(size_t test) const { return ours_[test]; }
  const std::vector<double>& peer_rates(size_t peer, size_t test) const { return peers_[peer][test]; }
  size_t peers() const { return peers_.size(); }

 private:
  using Rates = std::vector<std::vector<double>>;  // by test
  std::vector<BenchTest> tests_;
  Rates ours_;
  std::vector<Rates> peers_;
  std::vector<BenchSample> latest_;  // of ours, by test: what no run changes
  std::vector<double> read_rates_;
};

// The bytes that a token of the test reads: all weights once, and on the average so many of the cached
// tokens.
uint64_t bytes_per_token(const BenchSample& sample);

}  // namespace tenon::cli
