// The inputs of one step by role, so that any model that has them can be fed: tokens, positions, cache rows,
// wanted rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tenon/runtime/session.h"

namespace tenon::engine {

// An error unless `token` can be fed: 0 to vocabulary_rows - 1.
Status check_token(int32_t token, int64_t vocabulary_rows);

class StepInputs {
 public:
  // For steps of `plan`, which lives as long as this.
  explicit StepInputs(const plan::Plan& plan);

  int64_t max_tokens() const { return max_tokens_; }  // of a step
  // Tokens whose logits a step can be asked for.
  int64_t max_output_rows() const { return max_output_rows_; }

  void clear();
  // New tokens of one sequence that holds `past`. Their logits: of all, or of the last.
  void add(std::span<const int32_t> tokens, int64_t past, bool all_rows);

  int64_t token_count() const { return static_cast<int64_t>(tokens_.size()); }
  // Rows of logits that the step gives, and which of them is that of the i-th added sequence's last token.
  int64_t row_count() const;
  int64_t last_row(size_t sequence) const { return last_rows_.at(sequence); }

  // To the inputs that are there, and the symbols of this step.
  Status bind(runtime::Session& session, std::vector<runtime::SymbolValue>& symbols);

 private:
  void spread_positions();

  const plan::Plan& plan_;
  int64_t max_tokens_ = 1;
  int64_t max_output_rows_ = 1;
  // Whose logits a step gives: those asked for, of every token, or of the last one.
  enum class Rows { kChosen, kAll, kLast };
  Rows rows_ = Rows::kLast;
  int64_t position_components_ = 1;  // values that the model wants for each token's position
  std::vector<int32_t> tokens_, positions_, spread_positions_, output_rows_;
  std::vector<int64_t> wide_tokens_, wide_positions_, cache_rows_;
  std::vector<int32_t> beams_ = {0};  // one sequence, which goes on from itself
  std::vector<int64_t> last_rows_;
  int64_t attention_size_ = 0;
  // The same of caches that are rings of so many rows; 0: there are none.
  int64_t ring_ = 0;
  std::vector<int64_t> ring_rows_;
  int64_t ring_attention_size_ = 0;
};

}  // namespace tenon::engine
