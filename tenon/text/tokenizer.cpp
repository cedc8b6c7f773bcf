#include "tenon/text/tokenizer.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "tenon/text/byte_alphabet.h"
#include "tenon/text/utf8.h"

namespace tenon::text {
namespace {

constexpr std::string_view kDefaultPreTokenizer = "default";

std::string known_pre_tokenizers() {
  std::string names;
  for (const PreTokenizer& row : pre_tokenizers()) names.append(names.empty() ? "" : ", ").append(row.name);
  return names;
}

}  // namespace

Result<Tokenizer> Tokenizer::load(const gguf::File& file) {
  TENON_ASSIGN(VocabularyData data, read_vocabulary(file.metadata()));
  return build(std::move(data));
}

Result<Tokenizer> Tokenizer::build(VocabularyData data) {
  constexpr std::string_view kKnown[] = {kByteLevelModel, kSentencePieceModel, kCharacterPairsModel};
  if (std::ranges::find(kKnown, data.model) == std::end(kKnown)) {
    return Error{.code = ErrorCode::kUnsupported,
                 .where = "tokenizer.ggml.model",
                 .wanted = "\"gpt2\" (byte-level BPE), \"llama\" (SentencePiece) or \"gemma4\"",
                 .found = "\"" + data.model + "\"",
                 .remedy = "use a model with one of these tokenizers"};
  }
  if (data.types.empty()) data.types.assign(data.tokens.size(), TokenType::kNormal);
  if (data.types.size() != data.tokens.size()) {
    throw std::invalid_argument("[Tokenizer::build] types must be empty or one per token");
  }
  Tokenizer tokenizer;
  tokenizer.tokens_ = std::move(data.tokens);
  tokenizer.types_ = std::move(data.types);
  TENON_RETURN_IF_ERROR(tokenizer.index_tokens());
  const auto find = [&tokenizer](std::string_view text) { return tokenizer.find_token(text); };
  if (data.model == kByteLevelModel) {
    TENON_RETURN_IF_ERROR(tokenizer.prepare_byte_level(data));
  } else if (data.model == kSentencePieceModel) {
    TENON_RETURN_IF_ERROR(tokenizer.prepare_sentence_pieces(data));
  } else {
    TENON_ASSIGN(tokenizer.characters_, CharacterPairs::build(data.merges, find));
  }
  tokenizer.resolve_special_ids(data);
  tokenizer.end_tokens_ = find_end_tokens(data.ids, find, tokenizer.types_, tokenizer.notes_);
  tokenizer.special_tokens_.emplace(tokenizer.tokens_, tokenizer.types_);
  return tokenizer;
}

Status Tokenizer::index_tokens() {
  const auto fail = [](std::string where, std::string wanted, std::string found) {
    return Error{.code = ErrorCode::kInvalidFile,
                 .where = std::move(where),
                 .wanted = std::move(wanted),
                 .found = std::move(found),
                 .remedy = "convert the model again"};
  };
  if (tokens_.empty() || tokens_.size() > std::numeric_limits<int32_t>::max()) {
    return fail("tokenizer.ggml.tokens", "1 to 2^31 - 1 tokens", std::to_string(tokens_.size()));
  }
  index_ = TokenIndex(tokens_.size());
  for (size_t id = 0; id < tokens_.size(); ++id) {
    std::string& text = tokens_[id];
    if (text.empty()) {  // a special token without text would be found everywhere
      text = "[EMPTY_" + std::to_string(id) + "]";
      notes_.push_back("token " + std::to_string(id) + " has no text; " + text + " stands for it");
    }
    if (const auto other = index_.insert(tokens_, static_cast<int32_t>(id))) {
      return fail("tokenizer.ggml.tokens[" + std::to_string(id) + "]", "a text that no other token has",
                  "\"" + text + "\", as token " + std::to_string(*other));
    }
  }
  return {};
}

Status Tokenizer::prepare_byte_level(const VocabularyData& data) {
  TENON_RETURN_IF_ERROR(choose_pre_tokenizer(data));
  for (size_t byte = 0; byte < byte_tokens_.size(); ++byte) {
    byte_tokens_[byte] = find_token(byte_character(static_cast<uint8_t>(byte))).value_or(-1);
  }
  TENON_ASSIGN(pairs_, BytePairs::build(data.merges, [this](std::string_view t) { return find_token(t); }));
  return {};
}

Status Tokenizer::prepare_sentence_pieces(VocabularyData& data) {
  if (!data.scores.empty() && data.scores.size() != tokens_.size()) {
    throw std::invalid_argument("[Tokenizer::build] scores must be empty or one per token");
  }
  const auto find = [this](std::string_view text) { return find_token(text); };
  TENON_ASSIGN(pieces_, SentencePieces::build(std::move(data.scores), tokens_.size(), find));
  add_space_prefix_ = data.add_space_prefix.value_or(true);
  return {};
}

Status Tokenizer::choose_pre_tokenizer(const VocabularyData& data) {
  const std::string_view name =
      data.pre && !data.pre->empty() ? std::string_view(*data.pre) : kDefaultPreTokenizer;
  if (!data.pre || data.pre->empty()) {
    notes_.push_back("tokenizer.ggml.pre is missing; \"" + std::string(kDefaultPreTokenizer) +
                     "\" cuts the text, which may not be how the model was trained");
  }
  pre_tokenizer_ = find_pre_tokenizer(name);
  if (pre_tokenizer_ == nullptr) {
    return Error{.code = ErrorCode::kUnsupported,
                 .where = "tokenizer.ggml.pre",
                 .wanted = "one of " + known_pre_tokenizers(),
                 .found = "\"" + std::string(name) + "\"",
                 .remedy = "use a model with one of these pre-tokenizers"};
  }
  TENON_ASSIGN(splitter_, Splitter::compile(*pre_tokenizer_));
  return {};
}

void Tokenizer::resolve_special_ids(VocabularyData& data) {
  VocabularyData::Ids& ids = data.ids;
  for (std::optional<uint64_t>* id :
       {&ids.bos, &ids.eos, &ids.eot, &ids.eom, &ids.fim_prefix, &ids.fim_suffix, &ids.fim_middle,
        &ids.fim_pad, &ids.fim_repository, &ids.fim_separator}) {
    if (!*id || **id < tokens_.size()) continue;
    notes_.push_back("special token id " + std::to_string(**id) + " is outside the vocabulary of " +
                     std::to_string(tokens_.size()) + " tokens and is ignored");
    id->reset();
  }
  if (pieces_) {  // llama.cpp's own ids for such a vocabulary
    for (const auto& [id, usual] : {std::pair{&ids.bos, uint64_t{1}}, std::pair{&ids.eos, uint64_t{2}}}) {
      if (!*id && usual < tokens_.size()) *id = usual;
    }
  }
  if (ids.bos) bos_ = static_cast<int32_t>(*ids.bos);
  if (ids.eos) eos_ = static_cast<int32_t>(*ids.eos);
  const bool wants_bos = characters_ || data.add_bos.value_or(pieces_ || pre_tokenizer_->adds_bos);
  const bool wants_eos = data.add_eos.value_or(false);
  if (wants_bos && !bos_) notes_.push_back("the model wants a BOS token but names none; none is added");
  if (wants_eos && !eos_) notes_.push_back("the model wants an EOS token but names none; none is added");
  add_bos_ = wants_bos && bos_;
  add_eos_ = wants_eos && eos_;
}

std::vector<int32_t> Tokenizer::encode(std::string_view text, EncodeOptions options) const {
  std::vector<int32_t> tokens;
  const std::vector<Fragment> fragments = special_tokens_->cut(text, options.parse_special, options.plain);
  const bool begins = !fragments.empty() && bos_ && fragments.front().token == bos_;
  const bool ends = fragments.size() > (begins ? 1 : 0) && eos_ && fragments.back().token == eos_;
  if (options.add_special && add_bos_ && !begins) tokens.push_back(*bos_);
  for (const Fragment& fragment : fragments) {
    if (fragment.token) {
      tokens.push_back(*fragment.token);
    } else if (add_space_prefix_) {  // every text stands first, or after a special token
      encode_text(" " + std::string(fragment.text), tokens);
    } else {
      encode_text(fragment.text, tokens);
    }
  }
  if (options.add_special && add_eos_ && !ends) tokens.push_back(*eos_);
  return tokens;
}

void Tokenizer::encode_text(std::string_view text, std::vector<int32_t>& out) const {
  if (pieces_) {
    pieces_->encode(
        text, [this](std::string_view piece) { return find_token(piece); }, out);
    return;
  }
  const std::string repaired = is_valid_utf8(text) ? std::string() : lenient_utf8(text);
  if (!repaired.empty()) text = repaired;
  if (characters_) {
    characters_->encode(
        text, [this](std::string_view piece) { return find_token(piece); }, out);
  } else {
    encode_byte_level(text, out);
  }
}

void Tokenizer::encode_byte_level(std::string_view text, std::vector<int32_t>& out) const {
  std::vector<int32_t> symbols;
  for (const std::string_view word : splitter_->split(text)) {
    if (pre_tokenizer_->whole_words) {
      if (const auto token = find_token(to_byte_alphabet(word))) {
        out.push_back(*token);
        continue;
      }
    }
    symbols.clear();
    for (const char byte : word) symbols.push_back(byte_tokens_[static_cast<uint8_t>(byte)]);
    pairs_.merge(symbols);
    out.insert(out.end(), symbols.begin(), symbols.end());
  }
}

std::string Tokenizer::decode_piece(int32_t token, bool special) const {
  const std::string& text = token_text(token);
  switch (types_[static_cast<size_t>(token)]) {
    case TokenType::kNormal:
      return pieces_ || characters_ ? with_spaces(text) : from_byte_alphabet(text);
    case TokenType::kUserDefined:
      return text;
    case TokenType::kControl:
    case TokenType::kUnknown:
      return special ? text : std::string();
    case TokenType::kByte: {
      const auto byte = spelt_byte(text);
      return byte ? std::string(1, *byte) : text;
    }
    case TokenType::kUnused:
    case TokenType::kUndefined:
      break;
  }
  return {};
}

std::string Tokenizer::decode(std::span<const int32_t> tokens, bool special) const {
  std::string text;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const std::string piece = decode_piece(tokens[i], special);
    const bool begins_with_prefix = i == 0 && add_space_prefix_ && piece.starts_with(' ');
    text.append(piece, begins_with_prefix ? 1 : 0);
  }
  return text;
}

const std::string& Tokenizer::token_text(int32_t token) const {
  if (token < 0 || token >= vocabulary_size()) {
    throw std::invalid_argument("[Tokenizer] token " + std::to_string(token) + " is not among the " +
                                std::to_string(vocabulary_size()) + " of the vocabulary");
  }
  return tokens_[static_cast<size_t>(token)];
}

TokenType Tokenizer::token_type(int32_t token) const {
  token_text(token);  // checks the id
  return types_[static_cast<size_t>(token)];
}

std::optional<int32_t> Tokenizer::find_token(std::string_view text) const {
  return index_.find(tokens_, text);
}

bool Tokenizer::is_end_of_generation(int32_t token) const {
  return std::ranges::binary_search(end_tokens_, token);
}

}  // namespace tenon::text
