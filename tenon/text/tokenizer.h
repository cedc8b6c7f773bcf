// Text to token ids and back, giving the ids that llama.cpp gives: byte-level BPE (tokenizer.ggml.model =
// gpt2), SentencePiece (llama) and merging of characters (gemma4).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/base/result.h"
#include "tenon/gguf/file.h"
#include "tenon/text/byte_pairs.h"
#include "tenon/text/character_pairs.h"
#include "tenon/text/pre_tokenizer.h"
#include "tenon/text/sentence_pieces.h"
#include "tenon/text/special_tokens.h"
#include "tenon/text/token_index.h"
#include "tenon/text/vocabulary.h"

namespace tenon::text {

struct EncodeOptions {
  // BOS before and EOS after the text where the model wants them; a text that brings its own (a rendered chat
  // template) gets no second one.
  bool add_special = true;
  // Control tokens written out in the text become their ids. Only for text that may steer the model.
  bool parse_special = false;
  // Parts of the text, ascending, in which parse_special does not hold: what users wrote into a rendered
  // template. The text is not cut at their ends. Read during the call alone.
  std::span<const ByteSpan> plain = {};
};

// Immutable once built; any number of threads may use one.
class Tokenizer {
 public:
  // Errors name the key, the token or the merge (kInvalidFile), or the kind of tokenizer that Tenon lacks
  // (kUnsupported).
  static Result<Tokenizer> load(const gguf::File& file);
  static Result<Tokenizer> build(VocabularyData data);

  // Any bytes encode. Broken UTF-8 is read as lenient_utf8() says, by SentencePiece byte by byte;
  // a byte for which the vocabulary has no token is left out. SentencePiece begins a text, and what follows a
  // special token, with a space where the model wants one.
  std::vector<int32_t> encode(std::string_view text, EncodeOptions options = {}) const;

  // The bytes that `token` stands for, maybe a part of a character (Utf8Stream puts them together). Control
  // and unknown tokens give their text when `special`, else nothing; unused ones give nothing. Throws
  // std::invalid_argument for an id that is not in the vocabulary.
  std::string decode_piece(int32_t token, bool special) const;
  // The pieces of all, without the first one's space where the model begins a text with one.
  std::string decode(std::span<const int32_t> tokens, bool special) const;

  // The model may have more embedding rows than this: their logits stand for no token and are not sampled.
  int32_t vocabulary_size() const { return static_cast<int32_t>(tokens_.size()); }
  // As the vocabulary spells it. Throws std::invalid_argument for an id that is not in the vocabulary.
  const std::string& token_text(int32_t token) const;
  TokenType token_type(int32_t token) const;
  std::optional<int32_t> find_token(std::string_view text) const;

  // nullopt when the file names none, but for SentencePiece: 1 and 2 then.
  std::optional<int32_t> bos() const { return bos_; }
  std::optional<int32_t> eos() const { return eos_; }
  // The file's add_bos_token, else the pre-tokenizer's default, for SentencePiece true; for gemma4 true
  // whatever the file says. False where there is no such token.
  bool adds_bos() const { return add_bos_; }
  bool adds_eos() const { return add_eos_; }  // the file's add_eos_token, else false
  bool is_end_of_generation(int32_t token) const;
  std::span<const int32_t> end_of_generation_tokens() const { return end_tokens_; }  // sorted

  // What a user should know of the file: keys that are missing or wrong and what Tenon does instead.
  std::span<const std::string> notes() const { return notes_; }

 private:
  Tokenizer() = default;
  Status index_tokens();
  Status prepare_byte_level(const VocabularyData& data);
  Status prepare_sentence_pieces(VocabularyData& data);
  Status choose_pre_tokenizer(const VocabularyData& data);
  void resolve_special_ids(VocabularyData& data);
  void encode_text(std::string_view text, std::vector<int32_t>& out) const;
  void encode_byte_level(std::string_view text, std::vector<int32_t>& out) const;

  std::vector<std::string> tokens_;
  std::vector<TokenType> types_;
  TokenIndex index_;

  // Byte-level BPE.
  std::array<int32_t, 256> byte_tokens_{};  // -1 where there is none
  const PreTokenizer* pre_tokenizer_ = nullptr;
  std::optional<Splitter> splitter_;
  BytePairs pairs_;

  // Of vocabularies of these kinds alone.
  std::optional<SentencePieces> pieces_;
  std::optional<CharacterPairs> characters_;
  bool add_space_prefix_ = false;

  std::optional<SpecialTokens> special_tokens_;
  std::vector<int32_t> end_tokens_;
  std::optional<int32_t> bos_, eos_;
  bool add_bos_ = false, add_eos_ = false;
  std::vector<std::string> notes_;
};

}  // namespace tenon::text
