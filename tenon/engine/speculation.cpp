#include "tenon/engine/speculation.h"

#include <algorithm>

namespace tenon::engine {

namespace {

// Places that share so many tokens are alike; comparing goes no further.
constexpr size_t kLongestMatch = 16;

// How many tokens before `end` are those at the end of `text`.
size_t shared_tokens(std::span<const int32_t> text, size_t end) {
  size_t count = 0;
  while (count < std::min(end, kLongestMatch) && text[end - 1 - count] == text[text.size() - 1 - count])
    ++count;
  return count;
}

}  // namespace

std::vector<int32_t> guess_from_text(std::span<const int32_t> text, int64_t least_match, int64_t most) {
  if (most <= 0) return {};
  size_t place = 0, shared = static_cast<size_t>(std::max<int64_t>(least_match, 1)) - 1;
  for (size_t end = text.size() - std::min<size_t>(text.size(), 1); end > 0 && shared < kLongestMatch;
       --end) {
    const size_t count = shared_tokens(text, end);
    if (count <= shared) continue;
    place = end;
    shared = count;
  }
  std::vector<int32_t> guesses;
  if (place == 0) return guesses;
  for (size_t at = place; static_cast<int64_t>(guesses.size()) < most; ++at) {
    guesses.push_back(at < text.size() ? text[at] : guesses[at - text.size()]);
  }
  return guesses;
}

Speculation::~Speculation() {
  // It can: nothing but guesses lies behind the text.
  static_cast<void>(sequence_.trim(std::min(sequence_.length(), static_cast<int64_t>(text_.size()))));
}

Status Speculation::append(int32_t token) {
  if (chosen_ < guesses_.size() && guesses_[chosen_] == token) {
    ++chosen_;
    ++accepted_;
    text_.push_back(token);
    return {};
  }
  TENON_RETURN_IF_ERROR(sequence_.trim(static_cast<int64_t>(text_.size())));
  if (!guesses_.empty()) {
    const auto right = static_cast<int64_t>(chosen_);
    most_guesses_ =
        chosen_ == guesses_.size() ? std::min(options_.most_guesses, 2 * most_guesses_) : right + 1;
  }
  rows_.clear();
  chosen_ = 0;
  text_.push_back(token);
  const int64_t room = sequence_.context() - static_cast<int64_t>(text_.size());
  guesses_ = guess_from_text(text_, options_.least_match, std::min(most_guesses_, room));
  Status status;
  if (guesses_.empty()) {
    status = sequence_.evaluate({&token, 1});
  } else {
    std::vector<int32_t> step = {token};
    step.insert(step.end(), guesses_.begin(), guesses_.end());
    status = sequence_.evaluate_all(step, [&](std::span<const float> row) { rows_.push_back(row); });
  }
  if (!status.ok()) {
    text_.pop_back();
    guesses_.clear();
    return status;
  }
  guessed_ += static_cast<int64_t>(guesses_.size());
  return {};
}

}  // namespace tenon::engine
