#include "tenon/text/special_tokens.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tenon::text {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::vector<std::string> kTokens = {"<s>", "<s><s>", "<tool>", "plain", "<unk>", "<t"};
const std::vector<TokenType> kTypes = {TokenType::kControl, TokenType::kControl, TokenType::kUserDefined,
                                       TokenType::kNormal,  TokenType::kUnknown, TokenType::kUserDefined};

// Tokens as "#id", text as it is.
std::vector<std::string> cut(std::string_view text, bool parse_special) {
  std::vector<std::string> out;
  for (const Fragment& fragment : SpecialTokens(kTokens, kTypes).cut(text, parse_special)) {
    out.push_back(fragment.token ? "#" + std::to_string(*fragment.token) : std::string(fragment.text));
  }
  return out;
}

TEST(SpecialTokens, LongestFirst) {
  EXPECT_THAT(cut("<s><s><s>x<s> <unk>", true), ElementsAre("#1", "#0", "x", "#0", " ", "#4"));
  EXPECT_THAT(cut("<s<s><s>", true), ElementsAre("<s", "#1"));
  EXPECT_THAT(cut("<tool><to", true), ElementsAre("#2", "#5", "o"));
  EXPECT_THAT(cut("plain", true), ElementsAre("plain"));
  EXPECT_THAT(cut("", true), IsEmpty());
}

TEST(SpecialTokens, OnlyUserDefinedWithoutParsing) {
  EXPECT_THAT(cut("<s><tool>a<unk><t", false), ElementsAre("<s>", "#2", "a<unk>", "#5"));
}

TEST(SpecialTokens, PlainSpansBringNoControlTokens) {
  const std::string text = "<s>a<s><tool>b<s>";  // the user wrote "<s><tool>b"
  const ByteSpan written[] = {{4, 14}};
  std::vector<std::string> out;
  for (const Fragment& fragment : SpecialTokens(kTokens, kTypes).cut(text, true, written)) {
    out.push_back(fragment.token ? "#" + std::to_string(*fragment.token) : std::string(fragment.text));
  }
  EXPECT_THAT(out, ElementsAre("#0", "a<s>", "#2", "b", "#0"));
}

struct Ends {
  std::vector<int32_t> tokens;
  std::vector<TokenType> types;
  std::vector<std::string> notes;
};
Ends find_ends(const std::vector<std::string>& texts, const VocabularyData::Ids& ids) {
  Ends ends{.tokens = {}, .types = std::vector<TokenType>(texts.size(), TokenType::kNormal), .notes = {}};
  const auto find = [&](std::string_view text) -> std::optional<int32_t> {
    const auto found = std::ranges::find(texts, text);
    return found == texts.end() ? std::nullopt : std::optional(static_cast<int32_t>(found - texts.begin()));
  };
  ends.tokens = find_end_tokens(ids, find, ends.types, ends.notes);
  return ends;
}

TEST(EndTokens, ByIdAndByName) {
  const Ends ends =
      find_ends({"x", "<|im_end|>", "y", "<|endoftext|>", "z", "</s>"}, {.eos = 2, .eot = 3, .eom = 0});
  EXPECT_THAT(ends.tokens, ElementsAre(0, 1, 2, 3, 5));
  EXPECT_EQ(ends.types[1], TokenType::kControl) << "named ends are control tokens, whatever the file says";
  EXPECT_EQ(ends.types[2], TokenType::kNormal);
  EXPECT_EQ(ends.notes.size(), 3u);
  EXPECT_THAT(ends.notes, testing::Contains(HasSubstr("1 (<|im_end|>)")));
}

TEST(EndTokens, FillInTheMiddle) {
  const std::vector<std::string> texts = {"<|fim_prefix|>", "<|fim_pad|>", "[PAD]", "<|file_sep|>",
                                          "<|repo_name|>"};
  const Ends by_name = find_ends(texts, {});
  EXPECT_THAT(by_name.tokens, ElementsAre(1, 3, 4)) << "one token for a role; a prefix does not end";
  EXPECT_EQ(by_name.types[0], TokenType::kControl);
  EXPECT_EQ(by_name.types[2], TokenType::kNormal);
  const Ends by_id = find_ends(texts, {.fim_pad = 2});
  EXPECT_THAT(by_id.tokens, ElementsAre(2, 3, 4)) << "the key wins over names";
}

TEST(EndTokens, NoneKnown) { EXPECT_THAT(find_ends({"a", "b"}, {}).tokens, IsEmpty()); }

}  // namespace
}  // namespace tenon::text
