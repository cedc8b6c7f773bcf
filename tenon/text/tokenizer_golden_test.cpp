// Token ids equal to llama.cpp's on the inputs of tests/golden/tokens, with the vocabularies of two real
// models.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

#include "tenon/gguf/file.h"
#include "tenon/text/tokenizer.h"
#include "tenon/text/utf8.h"

namespace tenon::text {
namespace {

using Json = nlohmann::json;

const std::filesystem::path kSource = TENON_SOURCE_DIR;
const std::filesystem::path kGolden = kSource / "tests/golden/tokens";

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path.string());
  return {std::istreambuf_iterator<char>(file), {}};
}

std::map<std::string, std::string> read_inputs() {
  std::map<std::string, std::string> inputs;
  for (const Json& row : Json::parse(read_file(kGolden / "inputs.json"))) {
    std::string text = row.value("text", "");
    if (row.contains("file")) text = read_file(kGolden / row["file"].get<std::string>());
    if (row.contains("bytes")) {
      for (const int byte : row["bytes"]) text.push_back(static_cast<char>(byte));
    }
    inputs[row.at("name")] = text;
  }
  return inputs;
}

struct Model {
  const char* file;
  const char* golden;
  bool has_all_bytes;
};

class TokenizerGolden : public testing::TestWithParam<Model> {
 protected:
  void SetUp() override {
    const auto path = kSource / "models" / GetParam().file;
    ASSERT_TRUE(std::filesystem::exists(path)) << path << " is missing: run make models";
    const auto file = gguf::File::open(path.string());
    ASSERT_TRUE(file.ok()) << file.error().message();
    auto data = read_vocabulary((*file)->metadata());
    ASSERT_TRUE(data.ok()) << data.error().message();
    data_ = *data;
    golden_ = Json::parse(read_file(kGolden / GetParam().golden));
    inputs_ = read_inputs();
  }

  static Tokenizer build(VocabularyData data) {
    auto tokenizer = Tokenizer::build(std::move(data));
    if (!tokenizer.ok()) throw std::runtime_error(tokenizer.error().message());
    return std::move(tokenizer).value();
  }

  void expect_ids(const Tokenizer& tokenizer, const Json& ids, EncodeOptions options, size_t least) {
    EXPECT_GE(ids.size(), least);
    for (const auto& [name, wanted] : ids.items()) {
      EXPECT_EQ(tokenizer.encode(inputs_.at(name), options), wanted.get<std::vector<int32_t>>()) << name;
    }
  }

  VocabularyData data_;
  Json golden_;
  std::map<std::string, std::string> inputs_;
};

TEST_P(TokenizerGolden, IdsAreLlamaCpps) {
  const Tokenizer tokenizer = build(data_);
  ASSERT_EQ(golden_["runs"].size(), 4u);
  for (const Json& run : golden_["runs"]) {
    const EncodeOptions options{.add_special = run["add_special"], .parse_special = run["parse_special"]};
    SCOPED_TRACE(testing::Message() << options.add_special << options.parse_special);
    expect_ids(tokenizer, run["ids"], options, 51);
    EXPECT_GE(run["ids"]["long"].size(), 1500u);
  }
}

TEST_P(TokenizerGolden, IdsWithBosAndEosAreLlamaCpps) {
  data_.add_bos = data_.add_eos = true;
  const Tokenizer tokenizer = build(data_);
  Json ids = golden_["with_bos_and_eos"]["ids"];
  for (auto& [name, wanted] : ids.items()) {
    // llama.cpp warns of a second BOS or EOS and keeps it; Tenon adds none.
    if (wanted.size() > 2 && wanted[1] == *tokenizer.bos()) wanted.erase(0);
    if (wanted.size() > 2 && wanted[wanted.size() - 2] == *tokenizer.eos()) wanted.erase(wanted.size() - 1);
  }
  expect_ids(tokenizer, ids, {.add_special = true, .parse_special = true}, 50);
}

// llama.cpp gave the same ids for all names of a group; here they must share one row but for the name.
TEST_P(TokenizerGolden, EveryPreTokenizerCutsAsLlamaCpps) {
  std::vector<std::string> compared;
  for (const auto& [name, group] : golden_["pre_tokenizers"].items()) {
    SCOPED_TRACE(name);
    data_.pre = name;
    expect_ids(build(data_), group["ids"], {.add_special = true, .parse_special = true}, 50);
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
  const Tokenizer tokenizer = build(data_);
  EXPECT_EQ(tokenizer.vocabulary_size(), golden_["vocabulary_size"]);
  EXPECT_EQ(tokenizer.bos(), golden_["bos"].get<int32_t>());
  EXPECT_EQ(tokenizer.eos(), golden_["eos"].get<int32_t>());
  EXPECT_THAT(tokenizer.end_of_generation_tokens(),
              testing::ElementsAreArray(golden_["end_of_generation"].get<std::vector<int32_t>>()));
  EXPECT_THAT(tokenizer.notes(), testing::Not(testing::Contains(testing::HasSubstr("pre"))));
}

// The hash that oracle tokens writes: FNV-1a, 64 bits, of the pieces of all tokens, each with a byte 0xFF
// after it.
TEST_P(TokenizerGolden, PiecesAreLlamaCpps) {
  const Tokenizer tokenizer = build(data_);
  for (const bool special : {false, true}) {
    uint64_t hash = 0xcbf29ce484222325;
    for (int32_t token = 0; token < tokenizer.vocabulary_size(); ++token) {
      for (const char byte : tokenizer.decode_piece(token, special) + '\xFF') {
        hash = (hash ^ static_cast<uint8_t>(byte)) * 0x100000001b3;
      }
    }
    char text[17];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
    EXPECT_EQ(golden_["pieces"][special ? "special" : "plain"], text);
  }
}

TEST_P(TokenizerGolden, ValidTextComesBack) {
  const Tokenizer tokenizer = build(data_);
  int compared = 0;
  for (const auto& [name, text] : inputs_) {
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

}  // namespace
}  // namespace tenon::text
