// Tokens that stand for themselves in a text: found before anything else is cut, never merged.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/text/byte_span.h"
#include "tenon/text/vocabulary.h"

namespace tenon::text {

// Either a special token or the text between two of them.
struct Fragment {
  std::string_view text;
  std::optional<int32_t> token;
};

class SpecialTokens {
 public:
  // Control, user-defined and unknown tokens. `tokens` are copied where needed.
  SpecialTokens(const std::vector<std::string>& tokens, const std::vector<TokenType>& types);

  // Cuts `text` at every special token: the longest token everywhere first, of equally long ones the lower
  // id, each from the left. Without `parse_special` only user-defined tokens count, so that text from outside
  // cannot bring control tokens in. No token takes the white space beside it along: llama.cpp does that
  // (LSTRIP, RSTRIP) for families that find_pre_tokenizer() does not know and for Phi-3.
  // In the spans `plain` (ascending) of the text it is as if parse_special were off.
  std::vector<Fragment> cut(std::string_view text, bool parse_special,
                            std::span<const ByteSpan> plain = {}) const;

 private:
  struct Entry {
    std::string text;
    int32_t token;
    bool user_defined;
  };
  std::vector<Entry> entries_;  // longest first
};

// The tokens after which generation ends, sorted: the file's eos, eot, eom and the fill-in-the-middle ids
// (pad, repository, separator), and those that model families name so ("<|im_end|>", "<|endoftext|>", "</s>"
// …). GGUF has no key for the full set. A token that counts as one of these by its name becomes a control
// token in `types`, as do the named fill-in-the-middle tokens; `notes` then tells.
std::vector<int32_t> find_end_tokens(
    const VocabularyData::Ids& ids,
    const std::function<std::optional<int32_t>(std::string_view text)>& find_token,
    std::vector<TokenType>& types, std::vector<std::string>& notes);

}  // namespace tenon::text
