#include "tenon/text/vocabulary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tenon/gguf/file.h"
#include "tenon/gguf/writer.h"

namespace tenon::text {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using Change = std::function<void(gguf::Writer&)>;

// A vocabulary of three tokens without the keys that start with `without`, then changed.
Result<VocabularyData> read(std::string_view without, const Change& change) {
  gguf::Writer writer;
  const auto wanted = [&](std::string_view key) { return without.empty() || !key.starts_with(without); };
  writer.set("general.architecture", "llama");
  if (wanted("tokenizer.ggml.model")) writer.set("tokenizer.ggml.model", "gpt2");
  if (wanted("tokenizer.ggml.tokens"))
    writer.set("tokenizer.ggml.tokens", std::vector<std::string>{"a", "b", "ab"});
  if (wanted("tokenizer.ggml.merges")) writer.set("tokenizer.ggml.merges", std::vector<std::string>{"a b"});
  change(writer);
  const std::vector<std::byte> bytes = writer.to_bytes();
  const auto file = gguf::File::parse(bytes);
  if (!file.ok()) return file.error();
  return read_vocabulary((*file)->metadata());
}

TEST(ReadVocabulary, TakesWhatIsThere) {
  const auto data = read("", [](gguf::Writer& writer) {
    writer.set("tokenizer.ggml.pre", "smollm");
    writer.set("tokenizer.ggml.token_type", std::vector<int32_t>{1, 3, 99});
    writer.set("tokenizer.ggml.scores", std::vector<float>{0, 0, 0});
    writer.set("tokenizer.ggml.bos_token_id", uint32_t{1});
    writer.set("tokenizer.ggml.middle_token_id", uint32_t{2});
    writer.set("tokenizer.ggml.add_bos_token", false);
  });
  ASSERT_TRUE(data.ok()) << data.error().message();
  EXPECT_EQ(data->model, "gpt2");
  EXPECT_EQ(data->pre, "smollm");
  EXPECT_THAT(data->tokens, ElementsAre("a", "b", "ab"));
  EXPECT_THAT(data->types, ElementsAre(TokenType::kNormal, TokenType::kControl, TokenType::kUndefined));
  EXPECT_THAT(data->merges, ElementsAre("a b"));
  EXPECT_EQ(data->ids.bos, 1u);
  EXPECT_EQ(data->ids.eos, std::nullopt);
  EXPECT_EQ(data->ids.fim_middle, 2u);
  EXPECT_EQ(data->add_bos, false);
  EXPECT_EQ(data->add_eos, std::nullopt);
}

TEST(ReadVocabulary, AcceptsUnsignedTypes) {
  const auto data = read("", [](gguf::Writer& writer) {
    writer.set("tokenizer.ggml.token_type", std::vector<uint32_t>{1, 4, 6});
  });
  ASSERT_TRUE(data.ok()) << data.error().message();
  EXPECT_THAT(data->types, ElementsAre(TokenType::kNormal, TokenType::kUserDefined, TokenType::kByte));
}

TEST(ReadVocabulary, NamesWhatIsMissing) {
  for (const char* key : {"tokenizer.ggml.model", "tokenizer.ggml.tokens", "tokenizer.ggml.merges"}) {
    const auto data = read(key, [](gguf::Writer&) {});
    ASSERT_FALSE(data.ok()) << key;
    EXPECT_THAT(data.error().message(), HasSubstr(key));
  }
}

// A vocabulary list of the wrong element type is refused before a byte of it is read as what it is not.
TEST(ReadVocabulary, NamesWrongTypes) {
  const std::vector<std::pair<std::string, Change>> cases = {
      {"tokenizer.ggml.scores",
       [](auto& w) {
         w.set("tokenizer.ggml.scores", std::vector<uint8_t>{1, 2, 3});
       }},
      {"tokenizer.ggml.scores",
       [](auto& w) {
         w.set("tokenizer.ggml.scores", std::vector<double>{1, 2, 3});
       }},
      {"tokenizer.ggml.scores", [](auto& w) { w.set("tokenizer.ggml.scores", 1.0f); }},
      {"tokenizer.ggml.token_type",
       [](auto& w) {
         w.set("tokenizer.ggml.token_type", std::vector<int8_t>{1, 1, 1});
       }},
      {"tokenizer.ggml.token_type",
       [](auto& w) {
         w.set("tokenizer.ggml.token_type", std::vector<std::string>{"1", "1", "1"});
       }},
      {"tokenizer.ggml.token_type", [](auto& w) { w.set("tokenizer.ggml.token_type", int32_t{1}); }},
      {"tokenizer.ggml.pre", [](auto& w) { w.set("tokenizer.ggml.pre", uint32_t{1}); }},
      {"tokenizer.ggml.bos_token_id", [](auto& w) { w.set("tokenizer.ggml.bos_token_id", "1"); }},
      {"tokenizer.ggml.bos_token_id", [](auto& w) { w.set("tokenizer.ggml.bos_token_id", int32_t{-1}); }},
      {"tokenizer.ggml.add_bos_token", [](auto& w) { w.set("tokenizer.ggml.add_bos_token", uint32_t{1}); }},
  };
  for (const auto& [key, change] : cases) {
    const auto data = read("", change);
    ASSERT_FALSE(data.ok()) << key;
    EXPECT_THAT(data.error().message(), HasSubstr(key));
  }
  const auto merges = read("tokenizer.ggml.merges",
                           [](auto& w) { w.set("tokenizer.ggml.merges", std::vector<uint32_t>{1}); });
  ASSERT_FALSE(merges.ok());
  EXPECT_THAT(merges.error().message(), HasSubstr("tokenizer.ggml.merges"));
}

TEST(ReadVocabulary, NamesWrongLengths) {
  const auto types = read("", [](auto& w) {
    w.set("tokenizer.ggml.token_type", std::vector<int32_t>{1, 1});
  });
  ASSERT_FALSE(types.ok());
  EXPECT_THAT(types.error().message(),
              HasSubstr("tokenizer.ggml.token_type: wanted one element per token (3), found 2"));
  const auto scores = read("", [](auto& w) {
    w.set("tokenizer.ggml.scores", std::vector<float>{1, 1, 1, 1});
  });
  ASSERT_FALSE(scores.ok());
  EXPECT_THAT(scores.error().message(), HasSubstr("tokenizer.ggml.scores"));
}

}  // namespace
}  // namespace tenon::text
