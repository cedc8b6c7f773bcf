// Made-up vocabularies of a real size, by which any text can be cut into tokens.
#pragma once

#include <cstdint>
#include <string_view>

#include "tenon/gguf/writer.h"

namespace tenon::synth {

struct VocabularyPlan {
  std::string_view model;     // tokenizer.ggml.model: "gpt2", "llama" or "gemma4"
  std::string_view pre;       // tokenizer.ggml.pre; "" where the model needs none
  int64_t tokens;             // at least 512
  bool begins_texts = false;  // a text begins with the token for it
};

// Writes the tokenizer.* keys: the 256 bytes, words of small letters that grow by one letter a merge, and
// the special tokens of a chat template, which is ChatML whatever the real model's is.
void add_vocabulary(gguf::Writer& writer, const VocabularyPlan& plan);

}  // namespace tenon::synth
