// Rules that small vocabularies show; ids of real ones are compared in tokenizer_golden_test.cpp.
#include "tenon/text/tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tenon/text/byte_alphabet.h"

namespace tenon::text {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr int32_t kStart = 0, kEnd = 1, kUser = 2, kFirstByte = 3;

int32_t byte_token(char byte) { return kFirstByte + static_cast<uint8_t>(byte); }

// <s>, </s>, <user>, then the 256 bytes in order, then "he", "ll", "llo" and "hello".
VocabularyData bytes_vocabulary() {
  VocabularyData data;
  data.model = "gpt2";
  data.pre = "gpt-2";
  data.tokens = {"<s>", "</s>", "<user>"};
  data.types = {TokenType::kControl, TokenType::kControl, TokenType::kUserDefined};
  for (int byte = 0; byte < 256; ++byte) data.tokens.emplace_back(byte_character(static_cast<uint8_t>(byte)));
  for (const char* word : {"he", "ll", "llo", "hello"}) data.tokens.emplace_back(word);
  data.types.resize(data.tokens.size(), TokenType::kNormal);
  data.merges = {"h e", "l l", "ll o"};
  data.ids.bos = kStart;
  data.ids.eos = kEnd;
  return data;
}

Tokenizer build(VocabularyData data) {
  auto tokenizer = Tokenizer::build(std::move(data));
  if (!tokenizer.ok()) throw std::runtime_error(tokenizer.error().message());
  return std::move(tokenizer).value();
}

Error build_error(VocabularyData data) {
  const auto tokenizer = Tokenizer::build(std::move(data));
  return tokenizer.ok() ? Error{} : tokenizer.error();
}

TEST(Tokenizer, Merges) {
  const Tokenizer tokenizer = build(bytes_vocabulary());
  EXPECT_THAT(tokenizer.encode("hello hell"), ElementsAre(259, 261, byte_token(' '), 259, 260));
  EXPECT_THAT(tokenizer.encode(""), IsEmpty());
  EXPECT_THAT(tokenizer.notes(), Contains(HasSubstr("</s>")).Times(0)) << "a control token already";
}

TEST(Tokenizer, WholeWordsAreTakenUnmergedWhereTheFamilyDoes) {
  VocabularyData data = bytes_vocabulary();
  data.pre = "llama-bpe";
  data.add_bos = false;
  EXPECT_THAT(build(data).encode("hello"), ElementsAre(262));
  data.pre = "qwen2";
  EXPECT_THAT(build(data).encode("hello"), ElementsAre(259, 261)) << "no merge leads to hello";
}

TEST(Tokenizer, AnyBytesComeBack) {
  const Tokenizer tokenizer = build(bytes_vocabulary());
  const std::string text("h\0ello \xF0\x9F\x98\x80\r\n\xC3\xA9", 16);
  EXPECT_EQ(tokenizer.decode(tokenizer.encode(text), false), text);
  EXPECT_EQ(tokenizer.decode(tokenizer.encode("\xFF"
                                              "a\xE2\x82"),
                             false),
            "\uFFFDa\uFFFD\uFFFD");
}

TEST(Tokenizer, ByteWithoutATokenIsLeftOut) {
  VocabularyData data = bytes_vocabulary();
  data.tokens[static_cast<size_t>(byte_token('\x07'))] = "bell";
  EXPECT_THAT(build(data).encode("h\x07"
                                 "e"),
              ElementsAre(byte_token('h'), byte_token('e')));
}

TEST(Tokenizer, SpecialTokensInText) {
  const Tokenizer tokenizer = build(bytes_vocabulary());
  const EncodeOptions parse{.add_special = true, .parse_special = true};
  EXPECT_THAT(tokenizer.encode("<s>he<user></s>", parse), ElementsAre(kStart, 259, kUser, kEnd));
  const std::vector<int32_t> unparsed = tokenizer.encode("<s>he<user>");
  EXPECT_THAT(unparsed, ElementsAre(byte_token('<'), byte_token('s'), byte_token('>'), 259, kUser));
}

TEST(Tokenizer, KeysDecideOnBosAndEosElseTheFamily) {
  VocabularyData data = bytes_vocabulary();
  EXPECT_FALSE(build(data).adds_bos());
  EXPECT_FALSE(build(data).adds_eos());
  data.pre = "llama-bpe";
  EXPECT_TRUE(build(data).adds_bos()) << "the family's default";
  data.add_bos = false;
  EXPECT_FALSE(build(data).adds_bos());
  data.pre = "gpt-2";
  data.add_bos = data.add_eos = true;
  const Tokenizer tokenizer = build(data);
  EXPECT_THAT(tokenizer.encode("he"), ElementsAre(kStart, 259, kEnd));
  EXPECT_THAT(tokenizer.encode(""), ElementsAre(kStart, kEnd));
  EXPECT_THAT(tokenizer.encode("he", {.add_special = false}), ElementsAre(259));
}

TEST(Tokenizer, ExactlyOneBos) {
  VocabularyData data = bytes_vocabulary();
  data.add_bos = data.add_eos = true;
  const Tokenizer tokenizer = build(data);
  const EncodeOptions parse{.add_special = true, .parse_special = true};
  EXPECT_THAT(tokenizer.encode("<s>he</s>", parse), ElementsAre(kStart, 259, kEnd))
      << "a template wrote both";
  EXPECT_THAT(tokenizer.encode("he<s>", parse), ElementsAre(kStart, 259, kStart, kEnd));
  data.ids.eos = kStart;
  EXPECT_THAT(build(data).encode("<s>", parse), ElementsAre(kStart, kStart))
      << "one token cannot be both ends";
}

TEST(Tokenizer, WithoutABosIdNoneIsAdded) {
  VocabularyData data = bytes_vocabulary();
  data.add_bos = data.add_eos = true;
  data.ids.bos = data.ids.eos = std::nullopt;
  const Tokenizer tokenizer = build(data);
  EXPECT_EQ(tokenizer.bos(), std::nullopt);
  EXPECT_FALSE(tokenizer.adds_bos());
  EXPECT_THAT(tokenizer.encode("he"), ElementsAre(259));
  EXPECT_THAT(tokenizer.notes(), Contains(HasSubstr("BOS")));
}

TEST(Tokenizer, IdsOutsideTheVocabularyAreIgnoredWithANote) {
  VocabularyData data = bytes_vocabulary();
  data.ids.bos = 4294967295;
  data.ids.eot = data.tokens.size();
  const Tokenizer tokenizer = build(data);
  EXPECT_EQ(tokenizer.bos(), std::nullopt);
  EXPECT_THAT(tokenizer.end_of_generation_tokens(), ElementsAre(kEnd));
  EXPECT_THAT(tokenizer.notes(), Contains(HasSubstr("4294967295")));
  EXPECT_THAT(tokenizer.notes(), Contains(HasSubstr("263")));
}

TEST(Tokenizer, MissingPreTokenizerIsTheDefaultOneWithANote) {
  VocabularyData data = bytes_vocabulary();
  data.pre = std::nullopt;
  EXPECT_THAT(build(data).notes(), Contains(HasSubstr("tokenizer.ggml.pre")));
  data.pre = "";
  EXPECT_THAT(build(data).notes(), Contains(HasSubstr("tokenizer.ggml.pre")));
}

TEST(Tokenizer, NamesWhatItLacks) {
  VocabularyData data = bytes_vocabulary();
  data.pre = "viking";
  EXPECT_EQ(build_error(data).code, ErrorCode::kUnsupported);
  EXPECT_THAT(build_error(data).message(), HasSubstr("viking"));
  EXPECT_THAT(build_error(data).message(), HasSubstr("qwen2, qwen35, refact, smollm")) << "the known ones";
  data.model = "bert";
  EXPECT_EQ(build_error(data).code, ErrorCode::kUnsupported);
  EXPECT_THAT(build_error(data).message(), HasSubstr("tokenizer.ggml.model"));
}

TEST(Tokenizer, NamesBrokenTokens) {
  VocabularyData data = bytes_vocabulary();
  data.tokens.back() = "llo";
  EXPECT_EQ(build_error(data).code, ErrorCode::kInvalidFile);
  EXPECT_THAT(build_error(data).message(), HasSubstr("tokenizer.ggml.tokens[262]"));
  data.tokens.clear();
  data.types.clear();
  EXPECT_THAT(build_error(data).message(), HasSubstr("tokenizer.ggml.tokens"));
}

TEST(Tokenizer, TokenWithoutTextMatchesNothing) {
  VocabularyData data = bytes_vocabulary();
  data.tokens[kUser].clear();
  const Tokenizer tokenizer = build(data);
  EXPECT_THAT(tokenizer.encode("he"), ElementsAre(259));
  EXPECT_EQ(tokenizer.token_text(kUser), "[EMPTY_2]");
  EXPECT_THAT(tokenizer.notes(), Contains(HasSubstr("[EMPTY_2]")));
}

TEST(Tokenizer, PiecesByType) {
  VocabularyData data = bytes_vocabulary();
  for (const auto& [text, type] :
       std::vector<std::pair<std::string, TokenType>>{{"\u0120x", TokenType::kNormal},
                                                      {"\u0120y", TokenType::kUserDefined},
                                                      {"<0xE2>", TokenType::kByte},
                                                      {"gone", TokenType::kUnused},
                                                      {"<unk>", TokenType::kUnknown}}) {
    data.tokens.push_back(text);
    data.types.push_back(type);
  }
  const Tokenizer tokenizer = build(data);
  EXPECT_EQ(tokenizer.decode_piece(263, false), " x");
  EXPECT_EQ(tokenizer.decode_piece(264, false), "\u0120y") << "a user's token stands as written";
  EXPECT_EQ(tokenizer.decode_piece(265, false), "\xE2");
  EXPECT_EQ(tokenizer.decode_piece(266, true), "");
  EXPECT_EQ(tokenizer.decode_piece(267, false), "");
  EXPECT_EQ(tokenizer.decode_piece(267, true), "<unk>");
  EXPECT_EQ(tokenizer.decode_piece(kStart, false), "");
  EXPECT_EQ(tokenizer.decode_piece(kStart, true), "<s>");
}

TEST(Tokenizer, WrongIdsAreMisuse) {
  const Tokenizer tokenizer = build(bytes_vocabulary());
  EXPECT_EQ(tokenizer.vocabulary_size(), 263);
  EXPECT_THROW(tokenizer.decode_piece(-1, false), std::invalid_argument);
  EXPECT_THROW(tokenizer.decode_piece(263, false), std::invalid_argument);
  EXPECT_THROW(tokenizer.token_type(263), std::invalid_argument);
  EXPECT_FALSE(tokenizer.is_end_of_generation(-1));
}

}  // namespace
}  // namespace tenon::text
