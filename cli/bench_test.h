// One test of `tenon bench`: a prompt to evaluate or tokens to generate, at some depth of the context, timed
// several times.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/read_probe.h"
#include "tenon/tenon.h"

namespace tenon::cli {

// As in llama-bench: one of prompt and generated is 0; depth tokens are in the context before.
struct BenchTest {
  int64_t prompt = 0;
  int64_t generated = 0;
  int64_t depth = 0;

  std::string name() const;  // "pp512", "tg128", "pp512 @ d4096"
  int64_t tokens() const { return prompt + generated; }
};

struct BenchMeasurement {
  std::vector<int64_t> samples_ns;
  std::vector<double> read_rates;  // of the probe, before, between and after the samples; bytes per second
  size_t peak_memory = 0;          // bytes, of this test with the loaded model
  size_t state_bytes = 0;          // of the caches, for all tokens of the test
};

double median(std::vector<double> values);  // of an even number the mean of the middle two; 0 of none

// Random tokens. The prompt is evaluated for the logits of its last token; generation feeds one token at a
// time, without sampling. Before the first sample, the prompt or one token is evaluated once without being
// timed.
Result<BenchMeasurement> measure(const Model& model, const BenchTest& test, SessionOptions options,
                                 int64_t repetitions, ReadProbe& probe);

}  // namespace tenon::cli
