// What words each splitter makes is held against llama.cpp through token ids, in tokenizer_golden_test.cpp.
#include "tenon/text/pre_tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tenon::text {
namespace {

using testing::ElementsAre;

std::vector<std::string_view> split(std::string_view name, std::string_view text) {
  return Splitter::compile(*find_pre_tokenizer(name)).value().split(text);
}

TEST(PreTokenizers, AreFoundByName) {
  for (const PreTokenizer& row : pre_tokenizers()) EXPECT_EQ(find_pre_tokenizer(row.name), &row);
  EXPECT_EQ(find_pre_tokenizer("qwen"), nullptr);
  EXPECT_EQ(find_pre_tokenizer(""), nullptr);
  EXPECT_EQ(find_pre_tokenizer("zzz"), nullptr);
}

TEST(Splitter, CutsByFamily) {
  constexpr std::string_view text = "It's 2024,\n\n  ok";
  EXPECT_THAT(split("gpt-2", text), ElementsAre("It", "'s", " 2024", ",", "\n\n ", " ok"));
  EXPECT_THAT(split("smollm", text), ElementsAre("It", "'s", " ", "2", "0", "2", "4", ",", "\n\n ", " ok"));
  EXPECT_THAT(split("qwen2", text), ElementsAre("It", "'s", " ", "2", "0", "2", "4", ",\n\n", " ", " ok"));
  EXPECT_THAT(split("llama-bpe", text), ElementsAre("It", "'s", " ", "202", "4", ",\n\n", " ", " ok"));
  EXPECT_THAT(split("gpt-4o", text), ElementsAre("It's", " ", "202", "4", ",\n\n", " ", " ok"));
  EXPECT_THAT(split("default", text), ElementsAre("It", "'", "s", " ", "202", "4", ",", "\n\n ", " ok"));
}

TEST(Splitter, WordsEndWhereCapitalsBegin) {
  EXPECT_THAT(split("gpt-4o", "getHTTPServer/äÖ x'LL"), ElementsAre("get", "HTTPServer", "/äÖ", " x'LL"));
  EXPECT_THAT(split("llama-bpe", "getHTTPServer"), ElementsAre("getHTTPServer"));
}

TEST(Splitter, MarksBelongToWordsOfQwen35) {
  EXPECT_THAT(split("qwen35", "e\u0301a b"), ElementsAre("e\u0301a", " b"));
  EXPECT_THAT(split("qwen2", "e\u0301a b"), ElementsAre("e", "\u0301a", " b"));
}

TEST(Splitter, EndOfAPieceIsAnEnd) {
  EXPECT_THAT(split("smollm", "  7"), ElementsAre("  ", "7"))
      << "the digit is no word that takes a space along";
  EXPECT_THAT(split("gpt-2", "  7"), ElementsAre(" ", " 7"));
}

TEST(Splitter, LeavesNoGaps) {
  const std::string text =
      "a \xED\xA0\xBD\xED\xB8\x80 \xED\x9F\xBF b'S 12\u0663\u180E \u3000\r\n\u0301x\U0001F600";
  for (const PreTokenizer& row : pre_tokenizers()) {
    std::string joined;
    for (const std::string_view word : split(row.name, text)) {
      EXPECT_FALSE(word.empty());
      joined += word;
    }
    EXPECT_EQ(joined, text) << row.name;
    EXPECT_TRUE(split(row.name, "").empty());
  }
}

TEST(Splitter, LongRunsNeedNoStack) {
  for (const std::string_view unit :
       {" ", "\n", "a", "7", "!", "\u3000", "\u4E2D", "' ", "\t\n", " \u0301"}) {
    std::string text;
    while (text.size() < (1u << 19)) text += unit;
    for (const std::string_view name :
         {"default", "gpt-2", "gpt-4o", "llama-bpe", "qwen2", "qwen35", "smollm"}) {
      size_t bytes = 0;
      for (const std::string_view word : split(name, text)) bytes += word.size();
      EXPECT_EQ(bytes, text.size()) << name << " of " << unit;
    }
  }
}

}  // namespace
}  // namespace tenon::text
