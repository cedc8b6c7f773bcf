// The likeliest continuations of a prompt, kept side by side: forks share the blocks of their common past.
#pragma once

#include <functional>
#include <vector>

#include "tenon/engine/batch.h"

namespace tenon::engine {

struct BeamOptions {
  int32_t beams = 4;
  int64_t max_tokens = 0;                     // of an answer
  int64_t context = 0;                        // of prompt and answer
  int32_t vocabulary = 0;                     // ids below it may be chosen
  std::function<bool(int32_t token)> is_end;  // whether a token ends an answer; it is not part of it
  std::function<bool()> cancelled = {};       // asked before each step; true stops with what there is
};

struct Beam {
  std::vector<int32_t> tokens;  // of the answer
  double log_probability = 0;   // of tokens and end
  bool ended = false;
  // By which beams are compared: for each token, so that length does not count against an answer.
  double score() const { return log_probability / static_cast<double>(tokens.size() + (ended ? 1 : 0)); }
};

// At most `beams` answers, best first. Errors are the batch's; its sequences are as before.
Result<std::vector<Beam>> beam_search(Batch& batch, std::span<const int32_t> prompt,
                                      const BeamOptions& options);

}  // namespace tenon::engine
