#include "tenon/text/byte_pairs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace tenon::text {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::map<std::string, int32_t, std::less<>> kTokens = {{"a", 0},  {"b", 1},   {"c", 2},  {"ab", 3},
                                                             {"bc", 4}, {"abc", 5}, {"aa", 6}, {"aaaa", 7}};

std::optional<int32_t> find_token(std::string_view text) {
  const auto found = kTokens.find(text);
  return found == kTokens.end() ? std::nullopt : std::optional(found->second);
}

std::vector<int32_t> merge(const std::vector<std::string>& merges, std::vector<int32_t> symbols) {
  BytePairs::build(merges, find_token).value().merge(symbols);
  return symbols;
}

TEST(BytePairs, StrongestFirst) {
  EXPECT_THAT(merge({"a b", "b c"}, {0, 1, 2}), ElementsAre(3, 2));
  EXPECT_THAT(merge({"b c", "a b"}, {0, 1, 2}), ElementsAre(0, 4));
  EXPECT_THAT(merge({"b c", "a b", "a bc"}, {0, 1, 2}), ElementsAre(5));
  EXPECT_THAT(merge({"a b", "b c", "a bc"}, {0, 1, 2}), ElementsAre(3, 2))
      << "ab is taken before bc could form";
}

TEST(BytePairs, LeftmostOfEquals) {
  EXPECT_THAT(merge({"a a"}, {0, 0, 0}), ElementsAre(6, 0));
  EXPECT_THAT(merge({"a a", "aa aa"}, {0, 0, 0, 0, 0, 0, 0}), ElementsAre(7, 6, 0));
}

TEST(BytePairs, FirstOfDoubledMergesCounts) {
  EXPECT_THAT(merge({"a b", "b c", "a b"}, {0, 1, 2}), ElementsAre(3, 2));
}

TEST(BytePairs, MissingSymbolSeparates) {
  EXPECT_THAT(merge({"a a"}, {0, -1, 0, 0}), ElementsAre(0, 6));
  EXPECT_THAT(merge({"a a"}, {-1, -1}), ElementsAre());
  EXPECT_THAT(merge({"a a"}, {-1}), ElementsAre());
}

TEST(BytePairs, FewSymbols) {
  EXPECT_THAT(merge({"a b"}, {}), ElementsAre());
  EXPECT_THAT(merge({"a b"}, {1}), ElementsAre(1));
}

TEST(BytePairs, LongWord) {
  std::vector<int32_t> symbols(1 << 18, 0);
  BytePairs::build({"a a", "aa aa"}, find_token).value().merge(symbols);
  EXPECT_EQ(symbols, std::vector<int32_t>(1 << 16, 7));
}

TEST(BytePairs, NamesABrokenMerge) {
  for (const char* broken : {"ab", "", " ", "a ", " b", "a x", "x b", "c c"}) {
    const auto pairs = BytePairs::build({"a b", broken}, find_token);
    ASSERT_FALSE(pairs.ok()) << broken;
    EXPECT_EQ(pairs.error().code, ErrorCode::kInvalidFile);
    EXPECT_THAT(pairs.error().message(), HasSubstr("tokenizer.ggml.merges[1]"));
  }
}

}  // namespace
}  // namespace tenon::text
