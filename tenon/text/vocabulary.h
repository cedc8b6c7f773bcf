// What a GGUF file says of its tokenizer, read and checked by type; what it means is the Tokenizer's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tenon/base/result.h"
#include "tenon/gguf/metadata.h"

namespace tenon::text {

// The numbers are those of tokenizer.ggml.token_type.
enum class TokenType : uint8_t { kUndefined, kNormal, kUnknown, kControl, kUserDefined, kUnused, kByte };

// The tokenizer.ggml.* keys that byte-level BPE needs.
struct VocabularyData {
  std::string model;                // "gpt2" is byte-level BPE
  std::optional<std::string> pre;   // the pre-tokenizer's name
  std::vector<std::string> tokens;  // text by id
  std::vector<TokenType> types;     // by id; empty: all are normal
  std::vector<std::string> merges;  // "left right", the strongest first
  std::optional<bool> add_bos, add_eos;

  // Ids as the file gives them, not yet held against the number of tokens.
  struct Ids {
    std::optional<uint64_t> bos{}, eos{}, eot{}, eom{};
    std::optional<uint64_t> fim_prefix{}, fim_suffix{}, fim_middle{}, fim_pad{}, fim_repository{},
        fim_separator{};
  } ids;
};

// Errors name the key: one that is missing (model, tokens, merges), has another type than the format wants
// (scores f32, token_type i32 or u32), or a list whose length is not that of tokens.
Result<VocabularyData> read_vocabulary(const gguf::Metadata& metadata);

}  // namespace tenon::text
