#include "tenon/engine/sequence.h"

#include <algorithm>
#include <numeric>

namespace tenon::engine {

namespace {

template <class T>
Status bind(runtime::Session& session, const plan::InputBinding& input, std::vector<T>& values) {
  return session.bind_input(input.parameter.name, reinterpret_cast<std::byte*>(values.data()),
                            values.size() * sizeof(T));
}

int64_t largest(const plan::Plan& plan, std::string_view symbol) {
  const auto found = plan.symbols.find(symbol);
  return found == plan.symbols.end() ? 1 : found->second.max;
}

}  // namespace

Sequence::Sequence(std::unique_ptr<runtime::Session> session, runtime::State state,
                   const SequenceOptions& options)
    : session_(std::move(session)), state_(std::move(state)), options_(options) {
  max_step_tokens_ = largest(session_->plan(), "T");
  max_output_rows_ = largest(session_->plan(), "R");
  // Their addresses stay the same from step to step: what is bound once stays bound.
  const auto most = static_cast<size_t>(max_step_tokens_);
  tokens_.reserve(most);
  positions_.reserve(most);
  cache_rows_.reserve(most);
  output_rows_.reserve(most);
}

Result<std::unique_ptr<Sequence>> Sequence::create(std::shared_ptr<runtime::Backend> backend,
                                                   std::shared_ptr<const plan::Plan> plan,
                                                   const SequenceOptions& options) {
  TENON_ASSIGN(std::unique_ptr<runtime::Session> session, runtime::Session::create(backend, std::move(plan)));
  TENON_ASSIGN(runtime::State state, runtime::State::create(*session, *backend, options.context));
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
  for (const int32_t token : tokens) {
    if (token >= 0 && token < options_.vocabulary_rows) continue;
    return Error{ErrorCode::kInvalidArgument, "token id " + std::to_string(token),
                 "0 to " + std::to_string(options_.vocabulary_rows - 1),
                 "an id outside of the model's vocabulary", "use the ids of this model's tokenizer"};
  }
  TENON_RETURN_IF_ERROR(state_.check_room(total));
  const int64_t most = rows == Rows::kAll ? std::min(max_step_tokens_, max_output_rows_) : max_step_tokens_;
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
  TENON_RETURN_IF_ERROR(bind_inputs(tokens, rows));
  TENON_RETURN_IF_ERROR(state_.bind(*session_));
  const size_t row_count = output_rows_.size();
  const auto width = static_cast<size_t>(options_.vocabulary_rows);
  if (logits_.size() < row_count * width) logits_.resize(row_count * width);
  TENON_RETURN_IF_ERROR(session_->bind_output("logits", reinterpret_cast<std::byte*>(logits_.data()),
                                              logits_.size() * sizeof(float)));
  const runtime::SymbolValue symbols[] = {
      {"T", count}, {"R", static_cast<int64_t>(row_count)}, {"KV", state_.length() + count}};
  TENON_RETURN_IF_ERROR(session_->run(symbols));
  state_.commit(count);
  last_row_ = {logits_.data() + (row_count - 1) * width, width};
  return {};
}

// By role, so that any model with these inputs can be fed. Token i of the step has position and cache row
// length() + i.
Status Sequence::bind_inputs(std::span<const int32_t> tokens, Rows rows) {
  const int64_t past = length();
  tokens_.assign(tokens.begin(), tokens.end());
  positions_.resize(tokens.size());
  std::iota(positions_.begin(), positions_.end(), static_cast<int32_t>(past));
  cache_rows_.resize(tokens.size());
  std::iota(cache_rows_.begin(), cache_rows_.end(), past);
  if (rows == Rows::kLast) {
    output_rows_.assign(1, static_cast<int32_t>(tokens.size()) - 1);
  } else {
    output_rows_.resize(tokens.size());
    std::iota(output_rows_.begin(), output_rows_.end(), 0);
  }
  attention_size_ = past + static_cast<int64_t>(tokens.size());

  for (const plan::InputBinding& input : session_->plan().inputs) {
    switch (input.parameter.role) {
      case ir::ParameterRole::kTokens:
        TENON_RETURN_IF_ERROR(bind(*session_, input, tokens_));
        break;
      case ir::ParameterRole::kPositions:
        TENON_RETURN_IF_ERROR(bind(*session_, input, positions_));
        break;
      case ir::ParameterRole::kOutputRows:
        TENON_RETURN_IF_ERROR(bind(*session_, input, output_rows_));
        break;
      case ir::ParameterRole::kCacheIndex:
        TENON_RETURN_IF_ERROR(bind(*session_, input, cache_rows_));
        break;
      case ir::ParameterRole::kAttentionSize:
        TENON_RETURN_IF_ERROR(session_->bind_input(
            input.parameter.name, reinterpret_cast<std::byte*>(&attention_size_), sizeof attention_size_));
        break;
      default:
        break;  // caches are the state's; a mask whose structure is known is not read
    }
  }
  return {};
}

}  // namespace tenon::engine
