#include "tenon/text/special_tokens.h"

#include <algorithm>
#include <array>
#include <span>

namespace tenon::text {
namespace {

constexpr auto kEndNames = std::to_array<std::string_view>({
    "</s>",
    "<EOT>",
    "<end_of_turn>",
    "<end_of_utterance>",
    "<eos>",
    "<turn|>",
    "<|call|>",
    "<|calls|>",
    "<|end_of_text|>",
    "<|endoftext|>",
    "<|end|>",
    "<|eom_id|>",
    "<|eot_id|>",
    "<|flush|>",
    "<|im_end|>",
    "<|return|>",
    "<|tool_response>",
    "<｜end▁of▁sentence｜>",
    "[EOS]",
    "[EOT]",
    "[e~[",
    "_<EOT>",
});

// Fill-in-the-middle tokens by the names that families give them; of several present the first counts.
struct MiddleRole {
  std::optional<uint64_t> VocabularyData::Ids::*id;
  bool ends_generation;
  std::array<std::string_view, 8> names;
};
constexpr auto kMiddleRoles = std::to_array<MiddleRole>({
    {&VocabularyData::Ids::fim_prefix,
     false,
     {"<|fim_prefix|>", "<fim-prefix>", "<fim_prefix>", "<｜fim▁begin｜>", "<PRE>", "▁<PRE>",
      "<|code_prefix|>", "<|prefix|>"}},
    {&VocabularyData::Ids::fim_suffix,
     false,
     {"<|fim_suffix|>", "<fim-suffix>", "<fim_suffix>", "<｜fim▁hole｜>", "<SUF>", "▁<SUF>",
      "<|code_suffix|>", "<|suffix|>"}},
    {&VocabularyData::Ids::fim_middle,
     false,
     {"<|fim_middle|>", "<fim-middle>", "<fim_middle>", "<｜fim▁end｜>", "<MID>", "▁<MID>", "<|code_middle|>",
      "<|middle|>"}},
    {&VocabularyData::Ids::fim_pad, true, {"<|fim_pad|>", "<fim-pad>", "<fim_pad>", "<PAD>", "[PAD]"}},
    {&VocabularyData::Ids::fim_repository,
     true,
     {"<|fim_repo|>", "<|repo_name|>", "<fim-repo>", "<REPO>", "<reponame>"}},
    {&VocabularyData::Ids::fim_separator, true, {"<|file_sep|>"}},
});

}  // namespace

SpecialTokens::SpecialTokens(const std::vector<std::string>& tokens, const std::vector<TokenType>& types) {
  for (size_t id = 0; id < tokens.size(); ++id) {
    const TokenType type = types[id];
    if (type != TokenType::kControl && type != TokenType::kUserDefined && type != TokenType::kUnknown)
      continue;
    entries_.push_back({tokens[id], static_cast<int32_t>(id), type == TokenType::kUserDefined});
  }
  std::ranges::stable_sort(entries_, std::ranges::greater(),
                           [](const Entry& entry) { return entry.text.size(); });
}

std::vector<Fragment> SpecialTokens::cut(std::string_view text, bool parse_special,
                                         std::span<const ByteSpan> plain) const {
  const auto find = [&](const Entry& entry, std::string_view rest) {
    const auto start = static_cast<size_t>(rest.data() - text.data());
    for (size_t at = rest.find(entry.text); at != std::string_view::npos;
         at = rest.find(entry.text, at + 1)) {
      const size_t begin = start + at, end = begin + entry.text.size();
      const bool in_plain = std::ranges::any_of(
          plain, [&](const ByteSpan& span) { return span.begin < end && begin < span.end; });
      if (entry.user_defined || !in_plain) return at;
    }
    return std::string_view::npos;
  };
  std::vector<Fragment> fragments;
  if (!text.empty()) fragments.push_back({text, std::nullopt});
  for (const Entry& entry : entries_) {
    if (!parse_special && !entry.user_defined) continue;
    std::vector<Fragment> pieces;
    for (const Fragment& fragment : fragments) {
      std::string_view rest = fragment.text;
      if (!fragment.token) {
        for (size_t at = find(entry, rest); at != std::string_view::npos; at = find(entry, rest)) {
          if (at > 0) pieces.push_back({rest.substr(0, at), std::nullopt});
          pieces.push_back({rest.substr(at, entry.text.size()), entry.token});
          rest.remove_prefix(at + entry.text.size());
        }
      }
      if (!rest.empty()) pieces.push_back({rest, fragment.token});
    }
    fragments = std::move(pieces);
  }
  return fragments;
}

std::vector<int32_t> find_end_tokens(
    const VocabularyData::Ids& ids,
    const std::function<std::optional<int32_t>(std::string_view text)>& find_token,
    std::vector<TokenType>& types, std::vector<std::string>& notes) {
  std::vector<int32_t> ends;
  const auto make_control = [&](int32_t token, std::string_view name) {
    TokenType& type = types[static_cast<size_t>(token)];
    if (type == TokenType::kControl) return;
    type = TokenType::kControl;
    notes.push_back("token " + std::to_string(token) + " (" + std::string(name) +
                    ") is treated as a control token");
  };
  for (const MiddleRole& role : kMiddleRoles) {
    if (ids.*role.id) {
      if (role.ends_generation) ends.push_back(static_cast<int32_t>(*(ids.*role.id)));
      continue;
    }
    for (const std::string_view name : role.names) {
      const auto token = name.empty() ? std::nullopt : find_token(name);
      if (!token) continue;
      make_control(*token, name);
      if (role.ends_generation) ends.push_back(*token);
      break;
    }
  }
  for (const std::string_view name : kEndNames) {
    if (const auto token = find_token(name)) {
      make_control(*token, name);
      ends.push_back(*token);
    }
  }
  for (const auto& id : {ids.eos, ids.eot, ids.eom}) {
    if (id) ends.push_back(static_cast<int32_t>(*id));
  }
  // Where tools answer by a token of their own, </s> is a word like others.
  if (const auto word = find_token("</s>"); word && find_token("<|tool_response>")) {
    std::erase(ends, *word);
    types[static_cast<size_t>(*word)] = TokenType::kNormal;
  }
  std::ranges::sort(ends);
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  return ends;
}

}  // namespace tenon::text
