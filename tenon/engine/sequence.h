// One sequence of tokens on one plan: feeds tokens in steps that the plan can take, keeps the caches, gives
// logits.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "tenon/engine/step_inputs.h"
#include "tenon/runtime/sequence_state.h"

namespace tenon::engine {

struct SequenceOptions {
  int64_t context = 0;          // tokens that the caches have room for
  int64_t vocabulary_rows = 0;  // of the embedding: token ids below it can be fed
};

// Called between steps.
struct EvaluateCallbacks {
  std::function<void(int64_t done, int64_t total)> progress;  // may be empty
  std::function<bool()> cancelled;                            // may be empty; true stops with kCancelled
};

class Sequence {
 public:
  static Result<std::unique_ptr<Sequence>> create(std::shared_ptr<runtime::Backend> backend,
                                                  std::shared_ptr<const plan::Plan> plan,
                                                  const SequenceOptions& options);

  // Appends tokens. Afterwards logits() are those of the last one. Errors: an id outside of the embedding, a
  // context that is full (nothing is evaluated then); kCancelled keeps the steps that were done.
  Status evaluate(std::span<const int32_t> tokens, const EvaluateCallbacks& callbacks = {});

  // The same, and `row` sees the logits of every token in order.
  using LogitsSink = std::function<void(std::span<const float> row)>;
  Status evaluate_all(std::span<const int32_t> tokens, const LogitsSink& row,
                      const EvaluateCallbacks& callbacks = {});

  // f32 [vocabulary rows] of the last token; valid until the next call that evaluates; empty
  // after one that failed.
  std::span<const float> logits() const { return last_row_; }

  int64_t length() const { return state_->length(); }
  int64_t context() const { return state_->context(); }
  void reset() { state_->reset(); }
  bool can_trim(int64_t length) const { return state_->can_trim(length); }
  Status trim(int64_t length) { return state_->trim(length); }
  // What the sequence holds, and back: SequenceState::save and restore.
  std::vector<std::byte> save() const { return state_->save(); }
  Status restore(int64_t length, std::span<const std::byte> saved) {
    last_row_ = {};
    return state_->restore(length, saved);
  }
  size_t state_bytes() const { return state_->bytes(); }
  // Session::count_traffic of the session inside.
  void count_traffic(runtime::Traffic* traffic) { session_->count_traffic(traffic); }

 private:
  enum class Rows { kLast, kAll };
  Sequence(std::unique_ptr<runtime::Session> session, std::unique_ptr<runtime::SequenceState> state,
           const SequenceOptions& options);
  Status run(std::span<const int32_t> tokens, Rows rows, const LogitsSink* sink,
             const EvaluateCallbacks& callbacks);
  Status step(std::span<const int32_t> tokens, Rows rows);

  std::unique_ptr<runtime::Session> session_;
  std::unique_ptr<runtime::SequenceState> state_;
  SequenceOptions options_;
  StepInputs inputs_;
  std::vector<runtime::SymbolValue> symbols_;
  std::vector<float> logits_;  // [rows of the last step, vocabulary rows]
  std::span<const float> last_row_;
};

}  // namespace tenon::engine
