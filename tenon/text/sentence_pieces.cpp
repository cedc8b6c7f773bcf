#include "tenon/text/sentence_pieces.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tenon::text {
namespace {

constexpr size_t kNone = static_cast<size_t>(-1);

// A part of the text; the parts that are left follow one another.
struct Piece {
  size_t begin, bytes;  // no bytes: its left neighbour has taken it in
  size_t previous, next;
};

// A merge that was possible when it was queued. It still is when both pieces are there and as long as then.
struct Step {
  float score;
  size_t left, right;
  size_t bytes;
};

// For std's heaps, whose top is the greatest: the highest score, then the leftmost piece.
bool is_weaker(const Step& a, const Step& b) {
  return a.score < b.score || (a.score == b.score && a.left > b.left);
}

class Merger {
 public:
  Merger(std::string_view text, const std::vector<float>& scores, const FindToken& find_token)
      : text_(text), scores_(scores), find_token_(find_token) {
    for (size_t at = 0; at < text.size();) {
      const size_t bytes = std::min(character_bytes(text[at]), text.size() - at);
      const size_t index = pieces_.size();
      pieces_.push_back({at, bytes, index == 0 ? kNone : index - 1, index + 1});
      at += bytes;
    }
    if (!pieces_.empty()) pieces_.back().next = kNone;
    for (size_t right = 1; right < pieces_.size(); ++right) queue_pair(right - 1, right);
  }

  void run() {
    while (!queue_.empty()) {
      std::ranges::pop_heap(queue_, is_weaker);
      const Step step = queue_.back();
      queue_.pop_back();
      Piece &left = pieces_[step.left], &right = pieces_[step.right];
      if (left.bytes == 0 || right.bytes == 0 || left.bytes + right.bytes != step.bytes) continue;
      left.bytes += right.bytes;
      right.bytes = 0;
      left.next = right.next;
      if (right.next != kNone) pieces_[right.next].previous = step.left;
      queue_pair(left.previous, step.left);
      queue_pair(step.left, left.next);
    }
  }

  template <class F>
  void for_each(F f) const {
    for (size_t i = pieces_.empty() ? kNone : 0; i != kNone; i = pieces_[i].next)
      f(text_.substr(pieces_[i].begin, pieces_[i].bytes));
  }

 private:
  void queue_pair(size_t left, size_t right) {
    if (left == kNone || right == kNone) return;
    const size_t bytes = pieces_[left].bytes + pieces_[right].bytes;
    const auto token = find_token_(text_.substr(pieces_[left].begin, bytes));
    if (!token) return;
    queue_.push_back({scores_[static_cast<size_t>(*token)], left, right, bytes});
    std::ranges::push_heap(queue_, is_weaker);
  }

  std::string_view text_;
  const std::vector<float>& scores_;
  const FindToken& find_token_;
  std::vector<Piece> pieces_;
  std::vector<Step> queue_;
};

}  // namespace

Result<SentencePieces> SentencePieces::build(std::vector<float> scores, size_t tokens,
                                             const FindToken& find_token) {
  const auto broken = std::ranges::find_if(scores, [](float score) { return std::isnan(score); });
  if (broken != scores.end()) {
    return Error{.code = ErrorCode::kInvalidFile,
                 .where = "tokenizer.ggml.scores[" + std::to_string(broken - scores.begin()) + "]",
                 .wanted = "a number",
                 .found = "NaN",
                 .remedy = "convert the model again"};
  }
  SentencePieces pieces;
  pieces.scores_ = std::move(scores);
  pieces.scores_.resize(tokens);
  pieces.bytes_ = find_byte_tokens(find_token);
  return pieces;
}

void SentencePieces::encode(std::string_view text, const FindToken& find_token,
                            std::vector<int32_t>& out) const {
  const std::string escaped = with_space_marks(text);
  Merger merger(escaped, scores_, find_token);
  merger.run();
  merger.for_each([&](std::string_view piece) {
    if (const auto token = find_token(piece)) {
      out.push_back(*token);
      return;
    }
    for (const char byte : piece) {
      if (const int32_t token = bytes_[static_cast<uint8_t>(byte)]; token >= 0) out.push_back(token);
    }
  });
}

}  // namespace tenon::text
