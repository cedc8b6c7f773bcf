// Rules that small vocabularies show; llama.cpp's ids are compared in tokenizer_golden_test.cpp.
#include "tenon/text/character_pairs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tenon/text/tokenizer.h"

namespace tenon::text {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// <bos>, <eos>, then line feeds and characters; byte tokens for the two bytes of U+00FC alone.
VocabularyData vocabulary() {
  VocabularyData data;
  data.model = kCharacterPairsModel;
  data.tokens = {"<bos>", "<eos>", "\n",      "\n\n",   "\u2581", "a",
                 "b",     "ab",    "\u2581a", "<0xC3>", "<0xBC>", "</s>"};
  data.types.assign(data.tokens.size(), TokenType::kNormal);
  data.types[0] = data.types[1] = TokenType::kControl;
  data.types[9] = data.types[10] = TokenType::kByte;
  data.merges = {"\u2581 a", "a b"};
  data.ids.bos = 0;
  data.ids.eos = 1;
  return data;
}

Tokenizer build(VocabularyData data) { return Tokenizer::build(std::move(data)).value(); }

TEST(CharacterPairs, MergeAcrossSpacesInTheOrderOfTheList) {
  const Tokenizer tokenizer = build(vocabulary());
  EXPECT_THAT(tokenizer.encode("ab ab", {.add_special = false}), ElementsAre(7, 8, 6));
  EXPECT_EQ(tokenizer.decode(tokenizer.encode("ab ab"), false), "ab ab") << "no space is added or taken away";
}

TEST(CharacterPairs, ARunOfLineFeedsIsATokenWhereThereIsOne) {
  const Tokenizer tokenizer = build(vocabulary());
  EXPECT_THAT(tokenizer.encode("a\n\nb\n\n\n", {.add_special = false}), ElementsAre(5, 3, 6, 2, 2, 2));
}

TEST(CharacterPairs, WhatNoTokenCoversComesAsItsBytesAndKeepsItsNeighboursApart) {
  const Tokenizer tokenizer = build(vocabulary());
  EXPECT_THAT(tokenizer.encode("a\u00fcb?ab", {.add_special = false}), ElementsAre(5, 9, 10, 6, 7));
}

TEST(CharacterPairs, BosIsAddedWhateverTheFileSays) {
  VocabularyData data = vocabulary();
  data.add_bos = false;
  EXPECT_THAT(build(data).encode("a"), ElementsAre(0, 5));
}

TEST(CharacterPairs, MergesMustBeOfTokens) {
  VocabularyData data = vocabulary();
  data.merges.emplace_back("b a");
  const auto tokenizer = Tokenizer::build(data);
  ASSERT_FALSE(tokenizer.ok());
  EXPECT_THAT(tokenizer.error().message(), HasSubstr("tokenizer.ggml.merges[2]"));
}

TEST(CharacterPairs, TheMarkupOfTheEndIsAWordWhereToolsAnswerByAToken) {
  EXPECT_TRUE(build(vocabulary()).is_end_of_generation(11));
  VocabularyData data = vocabulary();
  data.tokens.emplace_back("<|tool_response>");
  data.types.push_back(TokenType::kControl);
  const Tokenizer tokenizer = build(data);
  EXPECT_FALSE(tokenizer.is_end_of_generation(11));
  EXPECT_TRUE(tokenizer.is_end_of_generation(12));
  EXPECT_EQ(tokenizer.token_type(11), TokenType::kNormal);
}

}  // namespace
}  // namespace tenon::text
