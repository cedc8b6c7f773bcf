#include "tenon/text/character_pairs.h"

#include <algorithm>

namespace tenon::text {

Result<CharacterPairs> CharacterPairs::build(const std::vector<std::string>& merges,
                                             const FindToken& find_token) {
  CharacterPairs out;
  TENON_ASSIGN(out.pairs_, BytePairs::build(merges, find_token));
  out.bytes_ = find_byte_tokens(find_token);
  return out;
}

void CharacterPairs::encode(std::string_view text, const FindToken& find_token,
                            std::vector<int32_t>& out) const {
  const std::string marked = with_space_marks(text);
  for (std::string_view rest = marked; !rest.empty();) {
    const bool feeds = rest.front() == '\n';
    const size_t end = std::min(feeds ? rest.find_first_not_of('\n') : rest.find('\n'), rest.size());
    const std::string_view run = rest.substr(0, end);
    rest.remove_prefix(end);
    const auto whole = feeds ? find_token(run) : std::nullopt;
    if (whole)
      out.push_back(*whole);
    else
      encode_run(run, find_token, out);
  }
}

void CharacterPairs::encode_run(std::string_view run, const FindToken& find_token,
                                std::vector<int32_t>& out) const {
  std::vector<int32_t> symbols;
  const auto flush = [&] {
    pairs_.merge(symbols);
    out.insert(out.end(), symbols.begin(), symbols.end());
    symbols.clear();
  };
  while (!run.empty()) {
    const std::string_view character = run.substr(0, character_bytes(run.front()));
    run.remove_prefix(character.size());
    if (const auto token = find_token(character)) {
      symbols.push_back(*token);
      continue;
    }
    flush();
    for (const char byte : character) {
      if (const int32_t token = bytes_[static_cast<uint8_t>(byte)]; token >= 0) out.push_back(token);
    }
  }
  flush();
}

}  // namespace tenon::text
