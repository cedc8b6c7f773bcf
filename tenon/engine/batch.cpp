#include "tenon/engine/batch.h"

#include <stdexcept>

namespace tenon::engine {

Batch::Batch(std::unique_ptr<runtime::Session> session, std::unique_ptr<runtime::PagedState> state,
             const BatchOptions& options)
    : session_(std::move(session)), state_(std::move(state)), options_(options), inputs_(session_->plan()) {}

Result<std::unique_ptr<Batch>> Batch::create(std::shared_ptr<runtime::Backend> backend,
                                             std::shared_ptr<const plan::Plan> plan,
                                             const BatchOptions& options) {
  if (!runtime::paged_block_size(*plan))
    throw std::invalid_argument("[Batch::create] the plan's caches do not lie in blocks");
  TENON_ASSIGN(std::unique_ptr<runtime::Session> session, runtime::Session::create(backend, std::move(plan)));
  TENON_ASSIGN(std::unique_ptr<runtime::PagedState> state,
               runtime::PagedState::create(
                   *session, *backend, {.blocks = options.blocks, .poison = options.poison_freed_blocks}));
  return std::unique_ptr<Batch>(new Batch(std::move(session), std::move(state), options));
}

Status Batch::check(std::span<const Feed> feeds) const {
  int64_t total = 0, rows = 0;
  for (const Feed& feed : feeds) {
    if (feed.tokens.empty()) {
      return Error{ErrorCode::kInvalidArgument, "sequence " + std::to_string(feed.sequence), "tokens to feed",
                   "none", ""};
    }
    for (const int32_t token : feed.tokens)
      TENON_RETURN_IF_ERROR(check_token(token, options_.vocabulary_rows));
    const auto count = static_cast<int64_t>(feed.tokens.size());
    total += count;
    rows += feed.all_logits ? count : 1;
  }
  if (rows > inputs_.max_output_rows()) {
    return Error{ErrorCode::kInvalidArgument, "step",
                 "logits of 1 to " + std::to_string(inputs_.max_output_rows()) + " tokens",
                 std::to_string(rows), "ask for fewer, or compile with all_logits"};
  }
  if (!feeds.empty() && total <= max_step_tokens()) return {};
  return Error{ErrorCode::kInvalidArgument, "step", "1 to " + std::to_string(max_step_tokens()) + " tokens",
               std::to_string(total), "cut long prompts into steps"};
}

Status Batch::step(std::span<const Feed> feeds) {
  TENON_RETURN_IF_ERROR(check(feeds));
  inputs_.clear();
  appends_.clear();
  all_logits_.clear();
  symbols_.clear();
  for (const Feed& feed : feeds) {
    inputs_.add(feed.tokens, state_->length(feed.sequence), feed.all_logits);
    all_logits_.push_back(feed.all_logits);
    appends_.push_back({feed.sequence, static_cast<int64_t>(feed.tokens.size())});
  }
  TENON_RETURN_IF_ERROR(inputs_.bind(*session_, symbols_));
  TENON_RETURN_IF_ERROR(state_->bind(*session_, appends_, symbols_));
  const size_t wanted = static_cast<size_t>(inputs_.row_count() * options_.vocabulary_rows);
  if (logits_.size() < wanted) logits_.resize(wanted);
  TENON_RETURN_IF_ERROR(session_->bind_output("logits", reinterpret_cast<std::byte*>(logits_.data()),
                                              logits_.size() * sizeof(float)));
  TENON_RETURN_IF_ERROR(session_->run(symbols_));
  state_->commit(appends_);
  return {};
}

std::span<const float> Batch::row(int64_t index) const {
  const auto width = static_cast<size_t>(options_.vocabulary_rows);
  return {logits_.data() + static_cast<size_t>(index) * width, width};
}

std::span<const float> Batch::logits(size_t feed) const { return row(inputs_.last_row(feed)); }

std::span<const float> Batch::logits(size_t feed, int64_t token) const {
  const int64_t last = appends_.at(feed).tokens - 1;
  if (!all_logits_.at(feed) || token < 0 || token > last)
    throw std::logic_error("[Batch::logits] the feed did not ask for the logits of that token");
  return row(inputs_.last_row(feed) - last + token);
}

}  // namespace tenon::engine
