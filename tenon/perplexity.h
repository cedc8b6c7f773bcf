// How well a model foretells a text, and how far it is from another model on it: llama-perplexity's figures
// and its file of base logits. No part of the installed library.
#pragma once

#include "tenon/engine/base_logits.h"
#include "tenon/engine/perplexity.h"
#include "tenon/tenon.h"

namespace tenon {

struct PerplexityOptions {
  int64_t chunk_tokens = 512;  // at least engine::kLeastChunkTokens
  int64_t most_chunks = 0;     // of the text, from its start; 0: all
  // Tokens of a step. StateForm::kPaged puts as many whole chunks side by side, where the model's state
  // allows several sequences; the results are the same.
  int64_t batch_tokens = 2048;
  KvType kv_type = KvType::kF16;
  StateForm state_form = StateForm::kInPlace;
  WindowCache window_cache = WindowCache::kEvict;
};

class PerplexityRun {
 public:
  PerplexityRun(const Model& model, const PerplexityOptions& options);

  // Those of whole chunks, without one line end that closes the text; control tokens written out in it count
  // as text. Errors: bytes that are no UTF-8 text, less than two chunks.
  Result<std::vector<int32_t>> tokenize(std::string_view text) const;

  // Called after each chunk, with what is known by then. An error ends the run and is its answer.
  using OnChunk =
      std::function<Status(int64_t done, int64_t chunks, const engine::RunningMean& negative_log)>;
  // -log p of every scored token; the perplexity is engine::perplexity_of it. `tokens` as of tokenize().
  // Writes the file of base logits unless its path is empty.
  Result<engine::RunningMean> measure(std::span<const int32_t> tokens, const std::string& base_path,
                                      const OnChunk& on_chunk);

  using OnCompared = std::function<Status(int64_t done, int64_t chunks, const engine::Divergence& so_far)>;
  // The same text in the same chunks, whatever the options say of chunk_tokens. Errors: a base of another
  // vocabulary, a row that holds no probabilities.
  Result<engine::Divergence> compare(const engine::BaseLogits& base, const OnCompared& on_compared);

 private:
  struct Evaluator;
  using OnRow = std::function<Status(int64_t chunk, int64_t row, std::span<const float> logits,
                                     double log_sum, int32_t next)>;
  int32_t vocabulary() const;  // width of the rows that are scored
  Result<Evaluator> open(int64_t chunk_tokens, int64_t chunks) const;
  Status evaluate(std::span<const int32_t> tokens, int64_t chunk_tokens, const OnRow& on_row) const;

  std::shared_ptr<const Model::State> model_;
  PerplexityOptions options_;
};

}  // namespace tenon
