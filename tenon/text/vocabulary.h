// What a GGUF file says of its tokenizer, read and checked by type; what it means is the Tokenizer's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/base/result.h"
#include "tenon/gguf/metadata.h"

namespace tenon::text {

// The numbers are those of tokenizer.ggml.token_type.
enum class TokenType : uint8_t { kUndefined, kNormal, kUnknown, kControl, kUserDefined, kUnused, kByte };

// Values of tokenizer.ggml.model.
inline constexpr std::string_view kByteLevelModel = "gpt2";
inline constexpr std::string_view kSentencePieceModel = "llama";
inline constexpr std::string_view kCharacterPairsModel = "gemma4";

// The tokenizer.ggml.* keys that the tokenizers need.
struct VocabularyData {
  std::string model;                // one of those above, or an unknown one
  std::optional<std::string> pre;   // the pre-tokenizer's name
  std::vector<std::string> tokens;  // text by id
  std::vector<TokenType> types;     // by id; empty: all are normal
  std::vector<std::string> merges;  // of gpt2 and gemma4: "left right", the strongest first
  std::vector<float> scores;        // by id, as far as the file has them: the higher, the sooner merged
  std::optional<bool> add_bos, add_eos;
  std::optional<bool> add_space_prefix;

  // Ids as the file gives them, not yet held against the number of tokens.
  struct Ids {
    std::optional<uint64_t> bos{}, eos{}, eot{}, eom{};
    std::optional<uint64_t> fim_prefix{}, fim_suffix{}, fim_middle{}, fim_pad{}, fim_repository{},
        fim_separator{};
  } ids;
};

// Errors name the key: one that is missing (model, tokens, the merges of gpt2 and gemma4), has another type
// than the format wants (scores f32, token_type i32 or u32), or a list whose length is not that of tokens.
Result<VocabularyData> read_vocabulary(const gguf::Metadata& metadata);

}  // namespace tenon::text
