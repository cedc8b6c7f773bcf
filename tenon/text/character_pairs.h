// Byte-pair merging that begins with characters, spaces marked, in place of bytes (tokenizer.ggml.model =
// gemma4).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/base/result.h"
#include "tenon/text/byte_pairs.h"
#include "tenon/text/marked_text.h"

namespace tenon::text {

class CharacterPairs {
 public:
  // `merges` as BytePairs::build wants them.
  static Result<CharacterPairs> build(const std::vector<std::string>& merges, const FindToken& find_token);

  // Appends the tokens of `text`, which is UTF-8. Line feeds are merged among themselves; a run of them that
  // is a token is that token. A character without a token comes as the tokens of its bytes; a byte without
  // one is left out.
  void encode(std::string_view text, const FindToken& find_token, std::vector<int32_t>& out) const;

 private:
  void encode_run(std::string_view run, const FindToken& find_token, std::vector<int32_t>& out) const;

  BytePairs pairs_;
  std::array<int32_t, 256> bytes_{};  // -1 where there is none
};

}  // namespace tenon::text
