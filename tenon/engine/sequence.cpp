#include "tenon/engine/sequence.h"

#include <algorithm>

#include "tenon/runtime/hybrid_state.h"

namespace tenon::engine {

namespace {

// Blocks of the plan's own, or caches as the plan has them.
Result<std::unique_ptr<runtime::SequenceState>> make_state(const runtime::Session& session,
                                                           runtime::Backend& backend,
                                                           const SequenceOptions& options) {
  if (const std::optional<int64_t> rows = runtime::paged_block_size(session.plan())) {
    TENON_ASSIGN(std::shared_ptr<runtime::PagedState> paged,
                 runtime::PagedState::create(session, backend, {(options.context + *rows - 1) / *rows}));
    auto caches = std::make_unique<runtime::PagedSequence>(std::move(paged), options.context);
    TENON_ASSIGN(runtime::State recurrent, runtime::State::create(session, backend, options.context, true));
    if (recurrent.bytes() == 0) return std::unique_ptr<runtime::SequenceState>(std::move(caches));
    return std::unique_ptr<runtime::SequenceState>(
        std::make_unique<runtime::HybridState>(std::move(caches), std::move(recurrent)));
  }
  TENON_ASSIGN(runtime::State state, runtime::State::create(session, backend, options.context));
  return std::unique_ptr<runtime::SequenceState>(std::make_unique<runtime::State>(std::move(state)));
}

}  // namespace

Sequence::Sequence(std::unique_ptr<runtime::Session> session, std::unique_ptr<runtime::SequenceState> state,
                   const SequenceOptions& options)
    : session_(std::move(session)), state_(std::move(state)), options_(options), inputs_(session_->plan()) {}

Result<std::unique_ptr<Sequence>> Sequence::create(std::shared_ptr<runtime::Backend> backend,
                                                   std::shared_ptr<const plan::Plan> plan,
                                                   const SequenceOptions& options) {
  TENON_ASSIGN(std::unique_ptr<runtime::Session> session, runtime::Session::create(backend, std::move(plan)));
  TENON_ASSIGN(std::unique_ptr<runtime::SequenceState> state, make_state(*session, *backend, options));
  return std::unique_ptr<Sequence>(new Sequence(std::move(session), std::move(state), options));
}

Status Sequence::evaluate(std::span<const int32_t> tokens, const EvaluateCallbacks& callbacks) {
  return run(tokens, Rows::kLast, nullptr, callbacks);
}

Status Sequence::evaluate_all(std::span<const int32_t> tokens, const LogitsSink& row,
                              const EvaluateCallbacks& callbacks) {
  return run(tokens, Rows::kAll, &row, callbacks);
}

Status Sequence::run(std::span<const int32_t> tokens, Rows rows, const LogitsSink* sink,
                     const EvaluateCallbacks& callbacks) {
  const auto total = static_cast<int64_t>(tokens.size());
  for (const int32_t token : tokens) TENON_RETURN_IF_ERROR(check_token(token, options_.vocabulary_rows));
  TENON_RETURN_IF_ERROR(state_->check_room(total));
  const int64_t most =
      rows == Rows::kAll ? std::min(inputs_.max_tokens(), inputs_.max_output_rows()) : inputs_.max_tokens();
  for (int64_t done = 0; done < total;) {
    if (callbacks.cancelled && callbacks.cancelled()) {
      return Error{ErrorCode::kCancelled, "evaluation", "", "cancelled by the caller", ""};
    }
    const int64_t count = std::min(most, total - done);
    TENON_RETURN_IF_ERROR(step(tokens.subspan(static_cast<size_t>(done), static_cast<size_t>(count)), rows));
    const auto width = static_cast<size_t>(options_.vocabulary_rows);
    if (sink) {
      for (size_t row = 0; row < static_cast<size_t>(count); ++row)
        (*sink)({logits_.data() + row * width, width});
    }
    done += count;
    if (callbacks.progress) callbacks.progress(done, total);
  }
  return {};
}

Status Sequence::step(std::span<const int32_t> tokens, Rows rows) {
  last_row_ = {};
  const auto count = static_cast<int64_t>(tokens.size());
  symbols_.clear();
  inputs_.clear();
  inputs_.add(tokens, length(), rows == Rows::kAll);
  TENON_RETURN_IF_ERROR(inputs_.bind(*session_, symbols_));
  TENON_RETURN_IF_ERROR(state_->bind(*session_, count, symbols_));
  const auto width = static_cast<size_t>(options_.vocabulary_rows);
  const size_t wanted = static_cast<size_t>(inputs_.row_count()) * width;
  if (logits_.size() < wanted) logits_.resize(wanted);
  TENON_RETURN_IF_ERROR(session_->bind_output("logits", reinterpret_cast<std::byte*>(logits_.data()),
                                              logits_.size() * sizeof(float)));
  TENON_RETURN_IF_ERROR(session_->run(symbols_));
  state_->commit(count);
  last_row_ = {logits_.data() + static_cast<size_t>(inputs_.last_row(0)) * width, width};
  return {};
}

}  // namespace tenon::engine
