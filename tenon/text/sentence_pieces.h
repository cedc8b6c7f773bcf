// SentencePiece's merging by score, as llama.cpp has it (tokenizer.ggml.model = llama): neighbours whose
// joined text is a token become that token, the highest score first.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tenon/base/result.h"
#include "tenon/text/marked_text.h"

namespace tenon::text {

class SentencePieces {
 public:
  // `scores` by token, NaN refused; empty: all are 0. A byte's token is spelt <0xNN>, or as the byte itself.
  static Result<SentencePieces> build(std::vector<float> scores, size_t tokens, const FindToken& find_token);

  // Appends the tokens of `text`, any bytes, whose spaces are U+2581 in the vocabulary. A character that no
  // token covers comes as the tokens of its bytes; a byte without a token is left out. O(n log n).
  void encode(std::string_view text, const FindToken& find_token, std::vector<int32_t>& out) const;

 private:
  std::vector<float> scores_;
  std::array<int32_t, 256> bytes_{};  // -1 where there is none
};

}  // namespace tenon::text
