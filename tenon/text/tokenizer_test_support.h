// What the tests share that compare a vocabulary with what llama.cpp made of it (tests/golden/tokens).
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

#include "tenon/text/tokenizer.h"

namespace tenon::text {

using Json = nlohmann::json;

inline std::filesystem::path tokens_folder() {
  return std::filesystem::path(TENON_SOURCE_DIR) / "tests/golden/tokens";
}

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path.string());
  return {std::istreambuf_iterator<char>(file), {}};
}

// 64-bit FNV-1a, as `oracle tokens` writes it.
inline std::string hash_of(std::string_view bytes) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char byte : bytes) hash = (hash ^ static_cast<uint8_t>(byte)) * 0x100000001b3;
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return text;
}

// The inputs, by name, and what llama.cpp gives for them.
class TokenGolden {
 public:
  explicit TokenGolden(const std::string& file) : json_(Json::parse(read_file(tokens_folder() / file))) {
    for (const Json& row : Json::parse(read_file(tokens_folder() / "inputs.json"))) {
      std::string text = row.value("text", "");
      if (row.contains("file")) text = read_file(tokens_folder() / row["file"].get<std::string>());
      if (row.contains("bytes")) {
        for (const int byte : row["bytes"]) text.push_back(static_cast<char>(byte));
      }
      inputs_[row.at("name")] = text;
    }
  }

  const Json& json() const { return json_; }
  const std::map<std::string, std::string>& inputs() const { return inputs_; }

  static Tokenizer build(VocabularyData data) {
    auto tokenizer = Tokenizer::build(std::move(data));
    if (!tokenizer.ok()) throw std::runtime_error(tokenizer.error().message());
    return std::move(tokenizer).value();
  }

  void expect_ids(const Tokenizer& tokenizer, const Json& ids, EncodeOptions options, size_t least) const {
    EXPECT_GE(ids.size(), least);
    for (const auto& [name, wanted] : ids.items()) {
      EXPECT_EQ(tokenizer.encode(inputs_.at(name), options), wanted.get<std::vector<int32_t>>()) << name;
    }
  }

  // Every input, with special tokens added or not, parsed or not.
  void expect_runs(const VocabularyData& data) const {
    const Tokenizer tokenizer = build(data);
    ASSERT_EQ(json_["runs"].size(), 4u);
    for (const Json& run : json_["runs"]) {
      const EncodeOptions options{.add_special = run["add_special"], .parse_special = run["parse_special"]};
      SCOPED_TRACE(testing::Message() << options.add_special << options.parse_special);
      expect_ids(tokenizer, run["ids"], options, 51);
      EXPECT_GE(run["ids"]["long"].size(), 1500u);
    }
  }

  void expect_bos_and_eos(VocabularyData data) const {
    data.add_bos = data.add_eos = true;
    const Tokenizer tokenizer = build(std::move(data));
    Json ids = json_["with_bos_and_eos"]["ids"];
    for (auto& [name, wanted] : ids.items()) {
      // llama.cpp warns of a second BOS or EOS and keeps it; Tenon adds none.
      if (wanted.size() > 2 && wanted[1] == *tokenizer.bos()) wanted.erase(0);
      if (wanted.size() > 2 && wanted[wanted.size() - 2] == *tokenizer.eos()) wanted.erase(wanted.size() - 1);
    }
    expect_ids(tokenizer, ids, {.add_special = true, .parse_special = true}, 50);
  }

  void expect_vocabulary(const Tokenizer& tokenizer) const {
    EXPECT_EQ(tokenizer.vocabulary_size(), json_["vocabulary_size"]);
    EXPECT_EQ(tokenizer.bos(), json_["bos"].get<int32_t>());
    EXPECT_EQ(tokenizer.eos(), json_["eos"].get<int32_t>());
    EXPECT_THAT(tokenizer.end_of_generation_tokens(),
                testing::ElementsAreArray(json_["end_of_generation"].get<std::vector<int32_t>>()));
    EXPECT_THAT(tokenizer.notes(), testing::Not(testing::Contains(testing::HasSubstr("pre"))));
  }

  // The pieces of all tokens, each with a byte 0xFF after it.
  void expect_pieces(const Tokenizer& tokenizer) const {
    for (const bool special : {false, true}) {
      std::string pieces;
      for (int32_t token = 0; token < tokenizer.vocabulary_size(); ++token) {
        pieces += tokenizer.decode_piece(token, special) + '\xFF';
      }
      EXPECT_EQ(json_["pieces"][special ? "special" : "plain"], hash_of(pieces));
    }
  }

  // The text that the ids of each input give.
  void expect_texts(const Tokenizer& tokenizer) const {
    ASSERT_GE(json_["detokenized"].size(), 51u);
    for (const auto& [name, wanted] : json_["detokenized"].items()) {
      const std::vector<int32_t> ids =
          tokenizer.encode(inputs_.at(name), {.add_special = false, .parse_special = true});
      EXPECT_EQ(hash_of(tokenizer.decode(ids, true)), wanted) << name;
    }
  }

 private:
  Json json_;
  std::map<std::string, std::string> inputs_;
};

}  // namespace tenon::text
