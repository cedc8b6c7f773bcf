#include "tenon/engine/step_inputs.h"

#include <algorithm>
#include <numeric>

namespace tenon::engine {

namespace {

template <class T>
Status bind(runtime::Session& session, const plan::InputBinding& input, std::vector<T>& values) {
  return session.bind_input(input.parameter.name, reinterpret_cast<std::byte*>(values.data()),
                            values.size() * sizeof(T));
}

// As the input wants them, i32 or i64.
Status bind(runtime::Session& session, const plan::InputBinding& input, std::vector<int32_t>& values,
            std::vector<int64_t>& wide) {
  if (input.parameter.type.element != ElementType::kI64) return bind(session, input, values);
  wide.assign(values.begin(), values.end());
  return bind(session, input, wide);
}

// How many positions the model takes for each of its T tokens.
int64_t position_components(const plan::InputBinding& positions) {
  std::optional<Dim> components = positions.parameter.type.element_count().divide(Dim::symbol("T"));
  return components && components->is_constant() ? components->value() : 1;
}

int64_t largest(const plan::Plan& plan, std::string_view symbol) {
  const auto found = plan.symbols.find(symbol);
  return found == plan.symbols.end() ? 1 : found->second.max;
}

}  // namespace

Status check_token(int32_t token, int64_t vocabulary_rows) {
  if (token >= 0 && token < vocabulary_rows) return {};
  return Error{ErrorCode::kInvalidArgument, "token id " + std::to_string(token),
               "0 to " + std::to_string(vocabulary_rows - 1), "an id outside of the model's vocabulary",
               "use the ids of this model's tokenizer"};
}

StepInputs::StepInputs(const plan::Plan& plan) : plan_(plan) {
  for (const plan::InputBinding& input : plan.inputs) {
    if (input.parameter.role == ir::ParameterRole::kOutputRows) rows_ = Rows::kChosen;
    if (input.parameter.role == ir::ParameterRole::kPositions)
      position_components_ = position_components(input);
    if (input.parameter.ring > 0) ring_ = input.parameter.ring;
  }
  max_tokens_ = largest(plan, "T");
  const plan::OutputBinding* const logits = plan.find_output("logits");
  if (rows_ != Rows::kChosen && logits && logits->type.dim(0).mentions("T")) rows_ = Rows::kAll;
  max_output_rows_ = rows_ == Rows::kChosen ? largest(plan, "R") : rows_ == Rows::kAll ? max_tokens_ : 1;
  // Their addresses stay the same from step to step: what is bound once stays bound.
  const auto most = static_cast<size_t>(max_tokens_);
  for (std::vector<int32_t>* const values : {&tokens_, &positions_, &output_rows_}) values->reserve(most);
  for (std::vector<int64_t>* const values : {&wide_tokens_, &wide_positions_, &cache_rows_, &ring_rows_})
    values->reserve(most);
  spread_positions_.reserve(most * static_cast<size_t>(position_components_));
}

void StepInputs::clear() {
  tokens_.clear();
  positions_.clear();
  output_rows_.clear();
  cache_rows_.clear();
  ring_rows_.clear();
  last_rows_.clear();
  attention_size_ = 0;
}

void StepInputs::add(std::span<const int32_t> tokens, int64_t past, bool all_rows) {
  const auto first = static_cast<int32_t>(tokens_.size()), count = static_cast<int32_t>(tokens.size());
  tokens_.insert(tokens_.end(), tokens.begin(), tokens.end());
  for (int32_t t = 0; t < count; ++t) {
    positions_.push_back(static_cast<int32_t>(past) + t);
    cache_rows_.push_back(past + t);
    if (ring_ > 0) ring_rows_.push_back((past + t) % ring_);
    if (all_rows || t == count - 1) output_rows_.push_back(first + t);
  }
  last_rows_.push_back(rows_ == Rows::kChosen ? static_cast<int64_t>(output_rows_.size()) - 1
                       : rows_ == Rows::kAll  ? first + count - 1
                                              : 0);
  attention_size_ = std::max(attention_size_, past + count);
  ring_attention_size_ = ring_ > 0 ? std::min(attention_size_, ring_) : attention_size_;
}

int64_t StepInputs::row_count() const {
  if (rows_ == Rows::kLast) return 1;
  return static_cast<int64_t>(rows_ == Rows::kChosen ? output_rows_.size() : tokens_.size());
}

// Time, height and width of a token of text are its place, one component after the other; a fourth one is 0.
void StepInputs::spread_positions() {
  const size_t tokens = positions_.size();
  spread_positions_.assign(tokens * static_cast<size_t>(position_components_), 0);
  for (int64_t component = 0; component < std::min<int64_t>(position_components_, 3); ++component) {
    std::copy(positions_.begin(), positions_.end(),
              spread_positions_.begin() + component * static_cast<int64_t>(tokens));
  }
}

Status StepInputs::bind(runtime::Session& session, std::vector<runtime::SymbolValue>& symbols) {
  for (const plan::InputBinding& input : plan_.inputs) {
    Status status;
    switch (input.parameter.role) {
      case ir::ParameterRole::kTokens:
        status = engine::bind(session, input, tokens_, wide_tokens_);
        break;
      case ir::ParameterRole::kPositions:
        spread_positions();
        status = engine::bind(session, input, spread_positions_, wide_positions_);
        break;
      case ir::ParameterRole::kOutputRows:
        status = engine::bind(session, input, output_rows_);
        break;
      case ir::ParameterRole::kCacheIndex:
        status = engine::bind(session, input, input.parameter.ring > 0 ? ring_rows_ : cache_rows_);
        break;
      case ir::ParameterRole::kBeamIndices:
        status = engine::bind(session, input, beams_);
        break;
      case ir::ParameterRole::kAttentionSize: {
        int64_t& size = input.parameter.ring > 0 ? ring_attention_size_ : attention_size_;
        status = session.bind_input(input.parameter.name, reinterpret_cast<std::byte*>(&size), sizeof size);
        break;
      }
      default:
        break;  // caches and block tables are the state's; a mask whose structure is known is not read
    }
    TENON_RETURN_IF_ERROR(std::move(status));
  }
  symbols.insert(symbols.end(), {{"T", token_count()},
                                 {"R", row_count()},
                                 {"KV", attention_size_},
                                 {"KV_swa", ring_attention_size_},
                                 {"B", 1},
                                 {"B_past", 1}});
  return {};
}

}  // namespace tenon::engine
