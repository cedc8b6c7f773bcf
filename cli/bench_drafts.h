// `tenon bench --draft ngram`: a text is continued without drafts and with them, in turn. Random tokens would
// tell nothing here, since drafts gain by what repeats itself.
#pragma once

#include <string>

#include "cli/bench_test.h"

namespace tenon::cli {

struct DraftTest {
  std::string text;
  bool raw = false;       // it is continued as it is, not answered as a message in the chat template
  int64_t generated = 0;  // at most, always the most likely token
  int64_t draft_tokens = 0;
};

struct DraftMeasurement {
  BenchTest test;  // the tokens that came, behind the prompt as depth
  BenchMeasurement plain, drafted;
  int64_t guessed = 0, accepted = 0;  // tokens of each drafted sample
};

// The prompt is evaluated anew before each sample and not timed. Errors: a model that ends its text at once;
// a text that is another one with drafts.
Result<DraftMeasurement> measure_drafts(const Model& model, const DraftTest& test, SessionOptions options,
                                        int64_t repetitions, ReadProbe& probe);

}  // namespace tenon::cli
