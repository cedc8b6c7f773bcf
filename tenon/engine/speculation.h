// Speculative decoding without a second model: what comes next is guessed from the text so far, and one step
// of the model checks several guesses. Steps of few tokens cost hardly more than steps of one while the
// weights come from memory, so text that repeats itself (code that is edited, quotations) comes faster.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tenon/engine/sequence.h"

namespace tenon::engine {

struct SpeculationOptions {
  int64_t most_guesses = 0;  // of a step
  int64_t least_match = 3;   // tokens that an earlier place must share with the end of the text
};

// What follows the end of `text` if it goes on as it did at an earlier place: at the one that shares the most
// tokens before it, the latest of several; `most` tokens, whose own beginning is repeated where the place is
// near to the end. Empty where no place shares `least_match` tokens.
std::vector<int32_t> guess_from_text(std::span<const int32_t> text, int64_t least_match, int64_t most);

// Feeds a sequence the tokens that a caller chooses one by one, and guesses along with them. The logits are
// those that there would be without guesses, as the runtimes give a token the same in every step of up to
// eight (tests: short_steps_test.cpp); which tokens were guessed is nothing that a caller need know.
class Speculation {
 public:
  // `text`: the tokens that the sequence holds, followed from here on. The sequence can forget tokens
  // (Sequence::can_trim) and gives the logits of a step's every token; both outlive this.
  Speculation(Sequence& sequence, std::vector<int32_t>& text, const SpeculationOptions& options)
      : sequence_(sequence), text_(text), options_(options), most_guesses_(options.most_guesses) {}
  // Forgets what was guessed and not chosen.
  ~Speculation();
  Speculation(const Speculation&) = delete;
  Speculation& operator=(const Speculation&) = delete;

  // `token` comes next. Afterwards logits() are those behind it.
  Status append(int32_t token);
  std::span<const float> logits() const { return rows_.empty() ? sequence_.logits() : rows_[chosen_]; }

  int64_t guessed() const { return guessed_; }    // tokens
  int64_t accepted() const { return accepted_; }  // of them, which the caller chose

 private:
  Sequence& sequence_;
  std::vector<int32_t>& text_;
  SpeculationOptions options_;
  int64_t most_guesses_;                      // of the next step: few after wrong ones, more after right ones
  std::vector<int32_t> guesses_;              // of the last step
  std::vector<std::span<const float>> rows_;  // logits behind its token and behind each guess
  size_t chosen_ = 0;                         // guesses that turned out right
  int64_t guessed_ = 0, accepted_ = 0;
};

}  // namespace tenon::engine
