#include "tenon/synth/vocabulary.h"

#include <cstdio>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tenon/text/byte_alphabet.h"
#include "tenon/text/vocabulary.h"

namespace tenon::synth {

namespace {

using text::TokenType;

constexpr std::string_view kMarkedSpace = "\u2581";  // ▁, for which SentencePiece writes a space
constexpr std::string_view kTemplate =
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + "
    "'<|im_end|>\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}";
constexpr int64_t kFewest = 512;

class Vocabulary {
 public:
  explicit Vocabulary(int64_t size) : size_(static_cast<size_t>(size)) {}

  uint32_t add(std::string token, TokenType type) {
    tokens_.push_back(std::move(token));
    types_.push_back(static_cast<int32_t>(type));
    return static_cast<uint32_t>(tokens_.size() - 1);
  }

  void add_spelt_bytes() {
    for (int byte = 0; byte < 256; ++byte) {
      char text[8];
      std::snprintf(text, sizeof text, "<0x%02X>", static_cast<unsigned>(byte));
      add(text, TokenType::kByte);
    }
  }

  // Words until `reserved` tokens are still missing: first of one character, then each known one with each
  // letter behind it.
  void add_words(std::string_view space, bool with_characters, size_t reserved) {
    std::vector<std::string> words = {std::string(space)};
    for (char letter = 'a'; letter <= 'z'; ++letter) words.emplace_back(1, letter);
    if (with_characters) {
      for (const std::string& character : words) add(character, TokenType::kNormal);
    }
    for (size_t at = 0; tokens_.size() + reserved < size_; ++at) {
      for (char letter = 'a'; letter <= 'z' && tokens_.size() + reserved < size_; ++letter) {
        merges_.push_back(words[at] + ' ' + letter);
        words.push_back(words[at] + letter);
        add(words.back(), TokenType::kNormal);
      }
    }
  }

  // Those of longer words are lower.
  std::vector<float> scores() const {
    std::vector<float> out;
    for (const int32_t type : types_) {
      const bool word = type == static_cast<int32_t>(TokenType::kNormal);
      out.push_back(word ? -static_cast<float>(out.size()) : 0.0f);
    }
    return out;
  }

  const std::vector<std::string>& tokens() const { return tokens_; }
  const std::vector<int32_t>& types() const { return types_; }
  const std::vector<std::string>& merges() const { return merges_; }

 private:
  size_t size_;
  std::vector<std::string> tokens_, merges_;
  std::vector<int32_t> types_;
};

}  // namespace

void add_vocabulary(gguf::Writer& writer, const VocabularyPlan& plan) {
  if (plan.tokens < kFewest) throw std::invalid_argument("[synth::add_vocabulary] fewer than 512 tokens");
  const bool bytes = plan.model == text::kByteLevelModel, pieces = plan.model == text::kSentencePieceModel;
  constexpr size_t kLastTokens = 3;
  Vocabulary vocabulary(plan.tokens);
  const uint32_t unknown = vocabulary.add("<unk>", TokenType::kUnknown);
  const uint32_t begin = vocabulary.add("<s>", TokenType::kControl);
  const uint32_t end = vocabulary.add("</s>", TokenType::kControl);
  if (bytes) {
    for (int byte = 0; byte < 256; ++byte) {
      vocabulary.add(std::string(text::byte_character(static_cast<uint8_t>(byte))), TokenType::kNormal);
    }
    vocabulary.add_words(text::byte_character(' '), false, kLastTokens);
  } else {
    vocabulary.add_spelt_bytes();
    vocabulary.add_words(kMarkedSpace, true, kLastTokens);
  }
  vocabulary.add("<|endoftext|>", TokenType::kControl);  // llama.cpp wants it where the name has "phi-3"
  vocabulary.add("<|im_start|>", TokenType::kControl);
  const uint32_t turn_end = vocabulary.add("<|im_end|>", TokenType::kControl);

  writer.set("tokenizer.ggml.model", plan.model);
  if (!plan.pre.empty()) writer.set("tokenizer.ggml.pre", plan.pre);
  writer.set("tokenizer.ggml.tokens", vocabulary.tokens());
  writer.set("tokenizer.ggml.token_type", vocabulary.types());
  if (!bytes) writer.set("tokenizer.ggml.scores", vocabulary.scores());
  if (!pieces) writer.set("tokenizer.ggml.merges", vocabulary.merges());
  writer.set("tokenizer.ggml.bos_token_id", begin);
  writer.set("tokenizer.ggml.eos_token_id", end);
  writer.set("tokenizer.ggml.eot_token_id", turn_end);
  writer.set("tokenizer.ggml.unknown_token_id", unknown);
  writer.set("tokenizer.ggml.add_bos_token", plan.begins_texts);
  if (!bytes && !pieces) writer.set("tokenizer.ggml.add_space_prefix", false);
  writer.set("tokenizer.chat_template", kTemplate);
}

}  // namespace tenon::synth
