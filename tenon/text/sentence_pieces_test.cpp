// Rules that small vocabularies show; llama.cpp's ids are compared in tokenizer_golden_test.cpp.
#include "tenon/text/sentence_pieces.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tenon/text/tokenizer.h"

namespace tenon::text {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// <unk>, <s>, </s>, then characters and their joins; byte tokens for "!" and the two bytes of U+00FC alone.
VocabularyData vocabulary() {
  VocabularyData data;
  data.model = kSentencePieceModel;
  data.tokens = {"<unk>", "<s>", "</s>",    "\u2581", "a",      "b",      "c",     "ab",
                 "bc",    "abc", "\u2581a", "<0x21>", "<0xC3>", "<0xBC>", "<user>"};
  data.types.assign(data.tokens.size(), TokenType::kNormal);
  data.types[0] = TokenType::kUnknown;
  data.types[1] = data.types[2] = TokenType::kControl;
  data.types[11] = data.types[12] = data.types[13] = TokenType::kByte;
  data.types[14] = TokenType::kUserDefined;
  data.scores = {0, 0, 0, -9, -9, -9, -9, -2, -2, -8, -3, 0, 0, 0, 0};
  data.add_bos = false;
  return data;
}

Tokenizer build(VocabularyData data) { return Tokenizer::build(std::move(data)).value(); }

TEST(SentencePieces, TheHighestScoreFirstAndTheLeftmostOfEqualOnes) {
  VocabularyData data = vocabulary();
  data.add_space_prefix = false;
  EXPECT_THAT(build(data).encode("bc"), ElementsAre(8));
  EXPECT_THAT(build(data).encode("abc"), ElementsAre(9)) << "ab before bc, then abc";
  data.tokens[9] = "unlike";
  EXPECT_THAT(build(data).encode("abc"), ElementsAre(7, 6));
  data.scores[8] = -1;
  EXPECT_THAT(build(data).encode("abc"), ElementsAre(4, 8));
}

TEST(SentencePieces, ATextBeginsWithASpaceAlsoAfterASpecialToken) {
  const Tokenizer tokenizer = build(vocabulary());
  EXPECT_THAT(tokenizer.encode("a"), ElementsAre(10));
  EXPECT_THAT(tokenizer.encode("b<user>a"), ElementsAre(3, 5, 14, 10));
  EXPECT_THAT(tokenizer.encode(""), IsEmpty());
  EXPECT_EQ(tokenizer.decode(tokenizer.encode("a b"), false), "a b");
  EXPECT_EQ(tokenizer.decode_piece(10, false), " a") << "an answer is streamed with its spaces";
}

TEST(SentencePieces, WhatNoTokenCoversComesAsItsBytes) {
  const Tokenizer tokenizer = build(vocabulary());
  EXPECT_THAT(tokenizer.encode("a\u00fc!"), ElementsAre(10, 12, 13, 11));
  EXPECT_EQ(tokenizer.decode(tokenizer.encode("a\u00fc!"), false), "a\u00fc!");
  EXPECT_THAT(tokenizer.encode("a?a"), ElementsAre(10, 4)) << "no token stands for the byte";
  EXPECT_THAT(tokenizer.encode("a\xC3"), ElementsAre(10, 12)) << "a character that ends too soon";
}

TEST(SentencePieces, BosAndEosAreAddedAsTheFileSays) {
  VocabularyData data = vocabulary();
  data.add_bos = std::nullopt;
  EXPECT_THAT(build(data).encode("a"), ElementsAre(1, 10)) << "true unless the file says otherwise";
  data.add_eos = true;
  data.ids.bos = 14;
  EXPECT_THAT(build(data).encode("a"), ElementsAre(14, 10, 2));
}

TEST(SentencePieces, RefusesAScoreThatIsNoNumber) {
  VocabularyData data = vocabulary();
  data.scores[8] = NAN;
  const auto tokenizer = Tokenizer::build(data);
  ASSERT_FALSE(tokenizer.ok());
  EXPECT_THAT(tokenizer.error().message(), HasSubstr("tokenizer.ggml.scores[8]: wanted a number, found NaN"));
  data.scores.pop_back();
  EXPECT_THROW((void)Tokenizer::build(data), std::invalid_argument);
}

TEST(SentencePieces, ScoresMayBeMissing) {
  VocabularyData data = vocabulary();
  data.scores.clear();
  EXPECT_THAT(build(data).encode("abc"), ElementsAre(10, 8)) << "all are equal: from the left";
}

TEST(MarkedText, ASpeltByteIsTwoHexadecimalDigits) {
  EXPECT_EQ(spelt_byte("<0xaF>"), '\xAF');
  for (const char* other : {"<0xG0>", "<0x0>", "<0x000>", "0x00", ""})
    EXPECT_EQ(spelt_byte(other), std::nullopt);
}

}  // namespace
}  // namespace tenon::text
