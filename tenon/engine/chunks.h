// A text cut into chunks of equal length that are evaluated apart from each other, one sequence each, for the
// logits of their second halves.
#pragma once

#include <functional>
#include <optional>

#include "tenon/engine/batch.h"
#include "tenon/engine/sequence.h"

namespace tenon::engine {

struct TextChunks {
  std::span<const int32_t> tokens;  // [chunks * chunk_tokens]
  int64_t chunk_tokens = 0;
  std::optional<int32_t> bos = {};  // takes the place of each chunk's first token

  int64_t count() const { return static_cast<int64_t>(tokens.size()) / chunk_tokens; }
  // The chunk's token behind `row` of its scored rows (base_logits.h).
  int32_t next_token(int64_t chunk, int64_t row) const;
  // What is fed: all but the last token, which none is asked about.
  std::vector<int32_t> fed(int64_t chunk) const;
};

// Sees the logits [vocabulary rows] of every scored row, chunk by chunk, in order. An error ends the
// evaluation.
using ScoredRowSink = std::function<Status(int64_t chunk, int64_t row, std::span<const float> logits)>;

// `sequence` is reset before.
Status evaluate_chunk(Sequence& sequence, const TextChunks& text, int64_t chunk, const ScoredRowSink& sink);
// Chunks first … first + count - 1 side by side, by halves; a step must have room for a half of all. The
// batch is empty before and after.
Status evaluate_chunks(Batch& batch, const TextChunks& text, int64_t first, int64_t count,
                       const ScoredRowSink& sink);

}  // namespace tenon::engine
