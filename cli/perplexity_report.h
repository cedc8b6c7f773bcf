// What `tenon perplexity` prints: llama-perplexity's lines and figures, or JSON.
#pragma once

#include <string>

#include "tenon/engine/perplexity.h"

namespace tenon::cli {

struct PerplexityFacts {
  std::string model, text, base;  // paths; empty where there is none
  int64_t chunk_tokens = 0;
  int64_t chunks = 0;
  double seconds = 0;
};

// A line when a chunk is done, of all up to it; the first brings the head of the table.
std::string chunk_line(int64_t chunk, const engine::RunningMean& negative_log);
std::string chunk_line(int64_t chunk, const engine::Divergence& so_far);

std::string closing_text(const engine::RunningMean& negative_log);
std::string closing_text(const engine::Divergence& divergence);

// One object; errors of estimates are standard errors, changes of probabilities shares of 1.
std::string as_json(const PerplexityFacts& facts, const engine::RunningMean& negative_log);
std::string as_json(const PerplexityFacts& facts, const engine::Divergence& divergence);

}  // namespace tenon::cli
