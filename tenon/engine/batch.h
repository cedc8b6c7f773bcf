// Many sequences on one paged plan: every step feeds tokens of any of them in one call.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "tenon/engine/step_inputs.h"
#include "tenon/runtime/paged_state.h"

namespace tenon::engine {

struct BatchOptions {
  int64_t blocks = 0;           // of all sequences together
  int64_t vocabulary_rows = 0;  // of the embedding: token ids below it can be fed
  bool poison_freed_blocks = false;
};

// New tokens of one sequence.
struct Feed {
  runtime::SequenceId sequence = 0;
  std::span<const int32_t> tokens;
  bool all_logits = false;  // of every token, for logits(feed, token); wants a plan with all_logits
};

class Batch {
 public:
  // Throws std::invalid_argument for a plan whose caches do not lie in blocks.
  static Result<std::unique_ptr<Batch>> create(std::shared_ptr<runtime::Backend> backend,
                                               std::shared_ptr<const plan::Plan> plan,
                                               const BatchOptions& options);

  // Sequences are added, forked, reordered and removed here.
  runtime::PagedState& state() { return *state_; }
  int64_t max_step_tokens() const { return inputs_.max_tokens(); }  // of all feeds of a step together

  // Appends every feed's tokens. Errors change nothing: an id outside of the embedding, more tokens or wanted
  // rows than a step takes, too few free blocks.
  Status step(std::span<const Feed> feeds);

  // f32 [vocabulary rows] of the last token of the last step's i-th feed; valid until the next step.
  std::span<const float> logits(size_t feed) const;
  // The same of its token-th token. Throws std::logic_error unless the feed asked for them.
  std::span<const float> logits(size_t feed, int64_t token) const;

 private:
  Batch(std::unique_ptr<runtime::Session> session, std::unique_ptr<runtime::PagedState> state,
        const BatchOptions& options);
  Status check(std::span<const Feed> feeds) const;
  std::span<const float> row(int64_t index) const;

  std::unique_ptr<runtime::Session> session_;
  std::unique_ptr<runtime::PagedState> state_;
  BatchOptions options_;
  StepInputs inputs_;
  std::vector<runtime::Append> appends_;
  std::vector<bool> all_logits_;  // by feed of the last step
  std::vector<runtime::SymbolValue> symbols_;
  std::vector<float> logits_;
};

}  // namespace tenon::engine
