#include "tenon/engine/chunks.h"

#include "tenon/engine/base_logits.h"

namespace tenon::engine {

int32_t TextChunks::next_token(int64_t chunk, int64_t row) const {
  return tokens[static_cast<size_t>(chunk * chunk_tokens + first_scored(chunk_tokens) + row + 1)];
}

std::vector<int32_t> TextChunks::fed(int64_t chunk) const {
  const auto part =
      tokens.subspan(static_cast<size_t>(chunk * chunk_tokens), static_cast<size_t>(chunk_tokens - 1));
  std::vector<int32_t> out(part.begin(), part.end());
  if (bos) out.front() = *bos;
  return out;
}

Status evaluate_chunk(Sequence& sequence, const TextChunks& text, int64_t chunk, const ScoredRowSink& sink) {
  sequence.reset();
  const std::vector<int32_t> tokens = text.fed(chunk);
  const std::span<const int32_t> all = tokens;
  const auto unscored = static_cast<size_t>(first_scored(text.chunk_tokens));
  TENON_RETURN_IF_ERROR(sequence.evaluate(all.first(unscored)));
  int64_t row = 0;
  Status taken;
  const auto take = [&](std::span<const float> logits) {
    if (taken.ok()) taken = sink(chunk, row++, logits);
  };
  TENON_RETURN_IF_ERROR(sequence.evaluate_all(all.subspan(unscored), take,
                                              {.progress = {}, .cancelled = [&] { return !taken.ok(); }}));
  return taken;
}

Status evaluate_chunks(Batch& batch, const TextChunks& text, int64_t first, int64_t count,
                       const ScoredRowSink& sink) {
  const auto unscored = static_cast<size_t>(first_scored(text.chunk_tokens));
  std::vector<std::vector<int32_t>> tokens;
  std::vector<Feed> before, scored;
  for (int64_t i = 0; i < count; ++i) {
    tokens.push_back(text.fed(first + i));
    const std::span<const int32_t> all = tokens.back();
    const runtime::SequenceId id = batch.state().add();
    before.push_back({id, all.first(unscored), false});
    scored.push_back({id, all.subspan(unscored), true});
  }
  const auto run = [&]() -> Status {
    TENON_RETURN_IF_ERROR(batch.step(before));
    TENON_RETURN_IF_ERROR(batch.step(scored));
    for (int64_t i = 0; i < count; ++i) {
      for (int64_t row = 0; row < scored_rows(text.chunk_tokens); ++row)
        TENON_RETURN_IF_ERROR(sink(first + i, row, batch.logits(static_cast<size_t>(i), row)));
    }
    return {};
  };
  const Status status = run();
  for (const Feed& feed : before) batch.state().remove(feed.sequence);
  return status;
}

}  // namespace tenon::engine
