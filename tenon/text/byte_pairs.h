// Byte-pair merging: tokens that stand side by side become one, in the order of the vocabulary's merge list.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/base/result.h"
#include "tenon/text/marked_text.h"

namespace tenon::text {

class BytePairs {
 public:
  // `merges` as in tokenizer.ggml.merges: "left right", the earlier the stronger. Each of left, right and
  // their concatenation must be a token. Of two equal ones the first counts.
  static Result<BytePairs> build(const std::vector<std::string>& merges, const FindToken& find_token);

  // Merges `symbols` in place until no listed pair is left: the strongest pair first, of equals the leftmost.
  // A symbol of -1 (a byte that the vocabulary lacks) keeps its neighbours apart and is left out of the
  // result. O(n log n).
  void merge(std::vector<int32_t>& symbols) const;

 private:
  struct Merge {
    int32_t left = -1;  // -1: a free slot
    int32_t right = -1;
    int32_t rank = 0;
    int32_t token = 0;
  };
  // Where the pair is, or the free slot where it belongs.
  size_t place(int32_t left, int32_t right) const;

  std::vector<Merge> merges_ = std::vector<Merge>(1);  // open addressing; at least half of the slots are free
};

}  // namespace tenon::text
