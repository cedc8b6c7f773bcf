// Token ids equal to llama.cpp's on the inputs of tests/golden/tokens, with the vocabularies of two real
// models and with small ones of the other kinds.
#include <algorithm>

#include "tenon/gguf/file.h"
#include "tenon/text/tokenizer_test_support.h"
#include "tenon/text/utf8.h"
#include "tests/fixtures/vocabulary.h"
#include "tests/support/test_name.h"

namespace tenon::text {
namespace {

struct Model {
  const char* file;
  const char* golden;
  bool has_all_bytes;
};

class TokenizerGolden : public testing::TestWithParam<Model> {
 protected:
  void SetUp() override {
    const auto path = std::filesystem::path(TENON_SOURCE_DIR) / "models" / GetParam().file;
    ASSERT_TRUE(std::filesystem::exists(path)) << path << " is missing: run make models";
    const auto file = gguf::File::open(path.string());
    ASSERT_TRUE(file.ok()) << file.error().message();
    auto data = read_vocabulary((*file)->metadata());
    ASSERT_TRUE(data.ok()) << data.error().message();
    data_ = *data;
  }

  VocabularyData data_;
  TokenGolden golden_{GetParam().golden};
};

TEST_P(TokenizerGolden, IdsAreLlamaCpps) { golden_.expect_runs(data_); }

TEST_P(TokenizerGolden, IdsWithBosAndEosAreLlamaCpps) { golden_.expect_bos_and_eos(data_); }

// llama.cpp gave the same ids for all names of a group; here they must share one row but for the name.
TEST_P(TokenizerGolden, EveryPreTokenizerCutsAsLlamaCpps) {
  std::vector<std::string> compared;
  for (const auto& [name, group] : golden_.json()["pre_tokenizers"].items()) {
    SCOPED_TRACE(name);
    data_.pre = name;
    golden_.expect_ids(TokenGolden::build(data_), group["ids"], {.add_special = true, .parse_special = true},
                       50);
    const PreTokenizer& row = *find_pre_tokenizer(name);
    for (const std::string same : group["same"]) {
      const PreTokenizer* other = find_pre_tokenizer(same);
      ASSERT_NE(other, nullptr) << same;
      EXPECT_TRUE(std::ranges::equal(other->patterns, row.patterns)) << same;
      EXPECT_EQ(other->whole_words, row.whole_words) << same;
      EXPECT_EQ(other->adds_bos, row.adds_bos) << same;
      compared.push_back(same);
    }
    compared.push_back(name);
  }
  std::vector<std::string> known;
  for (const PreTokenizer& row : pre_tokenizers()) known.emplace_back(row.name);
  EXPECT_THAT(compared, testing::UnorderedElementsAreArray(known)) << "a pre-tokenizer without evidence";
}

TEST_P(TokenizerGolden, VocabularyIsReadAsLlamaCppDoes) {
  golden_.expect_vocabulary(TokenGolden::build(data_));
}

TEST_P(TokenizerGolden, PiecesAreLlamaCpps) { golden_.expect_pieces(TokenGolden::build(data_)); }

TEST_P(TokenizerGolden, ValidTextComesBack) {
  const Tokenizer tokenizer = TokenGolden::build(data_);
  int compared = 0;
  for (const auto& [name, text] : golden_.inputs()) {
    // SmolLM2's vocabulary has no tokens for some control bytes and for planes 4 to 11 of Unicode.
    const bool has_bytes =
        GetParam().has_all_bytes || (name != "control_characters" && name != "not_characters");
    if (!is_valid_utf8(text) || !has_bytes) continue;
    ++compared;
    EXPECT_EQ(tokenizer.decode(tokenizer.encode(text, {.parse_special = true}), true), text) << name;
    // Piece by piece, as an answer is streamed.
    Utf8Stream stream;
    std::string streamed;
    for (const int32_t token : tokenizer.encode(text))
      streamed += stream.append(tokenizer.decode_piece(token, true));
    EXPECT_EQ(streamed + stream.flush(), text) << name;
  }
  EXPECT_GE(compared, 45);
}

INSTANTIATE_TEST_SUITE_P(
    Models, TokenizerGolden,
    testing::Values(Model{"SmolLM2-135M-Instruct-Q4_1.gguf", "smollm2.json", false},
                    Model{"Qwen2.5-Coder-0.5B-Instruct-Q4_K_M.gguf", "qwen2.5-coder.json", true}),
    [](const auto& model) { return std::string(model.index == 0 ? "SmolLM2" : "Qwen25Coder"); });

class VocabularyGolden : public testing::TestWithParam<fixtures::VocabularyFixture> {
 protected:
  void SetUp() override {
    const std::vector<std::byte> bytes = fixtures::make_vocabulary(GetParam()).to_bytes();
    data_ = read_vocabulary(gguf::File::parse(bytes).value()->metadata()).value();
  }

  VocabularyData data_;
  TokenGolden golden_{std::string(GetParam().name) + ".json"};
};

TEST_P(VocabularyGolden, IdsAreLlamaCpps) { golden_.expect_runs(data_); }

TEST_P(VocabularyGolden, IdsWithBosAndEosAreLlamaCpps) { golden_.expect_bos_and_eos(data_); }

TEST_P(VocabularyGolden, VocabularyIsReadAsLlamaCppDoes) {
  golden_.expect_vocabulary(TokenGolden::build(data_));
}

TEST_P(VocabularyGolden, PiecesAndTextsAreLlamaCpps) {
  const Tokenizer tokenizer = TokenGolden::build(data_);
  golden_.expect_pieces(tokenizer);
  if (golden_.json().contains("detokenized")) {
    golden_.expect_texts(tokenizer);
    return;
  }
  for (const auto& [name, text] : golden_.inputs()) {
    if (!is_valid_utf8(text)) continue;
    EXPECT_EQ(tokenizer.decode(tokenizer.encode(text, {.add_special = false}), true), text) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Fixtures, VocabularyGolden, testing::ValuesIn(fixtures::kVocabularyFixtures),
                         [](const auto& value) { return test::test_name(value.param.name); });

}  // namespace
}  // namespace tenon::text
