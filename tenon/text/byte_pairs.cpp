#include "tenon/text/byte_pairs.h"

#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>

namespace tenon::text {
namespace {

constexpr int32_t kNone = -1;

// A merge that was possible when it was queued. It still is when both places hold the same tokens: a place
// changes its token when it grows and loses it when its left neighbour takes it in.
struct Step {
  int32_t rank;
  size_t left, right;  // places
  int32_t left_token, right_token;
  int32_t merged;
};

// For std's heaps, whose top is the greatest: the lowest rank, then the leftmost place.
bool is_weaker(const Step& a, const Step& b) { return std::tie(a.rank, a.left) > std::tie(b.rank, b.left); }

// Places that are still there: the one after and the one before; the number of places is past the end.
struct Neighbours {
  size_t next, previous;
};

}  // namespace

Result<BytePairs> BytePairs::build(const std::vector<std::string>& merges, const FindToken& find_token) {
  BytePairs pairs;
  pairs.merges_.resize(std::bit_ceil(2 * merges.size() + 1));
  std::string joined;
  for (size_t rank = 0; rank < merges.size(); ++rank) {
    const std::string_view text = merges[rank];
    const auto fail = [&](std::string wanted) {
      return Error{.code = ErrorCode::kInvalidFile,
                   .where = "tokenizer.ggml.merges[" + std::to_string(rank) + "]",
                   .wanted = std::move(wanted),
                   .found = "\"" + std::string(text) + "\"",
                   .remedy = "convert the model again"};
    };
    const size_t space = text.find(' ', 1);
    if (space == std::string_view::npos || space + 1 == text.size())
      return fail("two tokens with a space between");
    const auto left = find_token(text.substr(0, space));
    const auto right = find_token(text.substr(space + 1));
    joined.assign(text, 0, space).append(text, space + 1);
    const auto token = find_token(joined);
    if (!left || !right || !token) return fail("both tokens and the merged one in tokenizer.ggml.tokens");
    Merge& slot = pairs.merges_[pairs.place(*left, *right)];
    if (slot.left == kNone) slot = {*left, *right, static_cast<int32_t>(rank), *token};
  }
  return pairs;
}

size_t BytePairs::place(int32_t left, int32_t right) const {
  const uint64_t key =
      static_cast<uint64_t>(static_cast<uint32_t>(left)) << 32 | static_cast<uint32_t>(right);
  // The upper bits of a product by 2^64 / golden ratio depend on all bits of the key.
  size_t at = static_cast<size_t>(key * 0x9E3779B97F4A7C15u >> 32) & (merges_.size() - 1);
  while (merges_[at].left != kNone && (merges_[at].left != left || merges_[at].right != right)) {
    at = (at + 1) & (merges_.size() - 1);
  }
  return at;
}

void BytePairs::merge(std::vector<int32_t>& symbols) const {
  const size_t count = symbols.size();
  std::vector<Neighbours> neighbours(count);
  std::vector<Step> queue;
  queue.reserve(2 * count);
  const auto queue_pair = [&](size_t left, size_t right) {
    if (symbols[left] == kNone || symbols[right] == kNone) return;
    const Merge& merge = merges_[place(symbols[left], symbols[right])];
    if (merge.left == kNone) return;
    queue.push_back({merge.rank, left, right, symbols[left], symbols[right], merge.token});
    std::ranges::push_heap(queue, is_weaker);
  };
  for (size_t i = 0; i < count; ++i) {
    neighbours[i] = {i + 1, i - 1};
    if (i > 0) queue_pair(i - 1, i);
  }
  while (!queue.empty()) {
    std::ranges::pop_heap(queue, is_weaker);
    const Step step = queue.back();
    queue.pop_back();
    if (symbols[step.left] != step.left_token || symbols[step.right] != step.right_token) continue;
    symbols[step.left] = step.merged;
    symbols[step.right] = kNone;
    const size_t next = neighbours[step.right].next;
    neighbours[step.left].next = next;
    if (next < count) {
      neighbours[next].previous = step.left;
      queue_pair(step.left, next);
    }
    if (step.left > 0) queue_pair(neighbours[step.left].previous, step.left);
  }
  std::erase(symbols, kNone);
}

}  // namespace tenon::text
