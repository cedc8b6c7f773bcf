#include "tenon/text/vocabulary.h"

#include <array>
#include <span>
#include <string_view>
#include <utility>

namespace tenon::text {
namespace {

using gguf::Metadata;
using gguf::ValueType;

constexpr std::string_view kTokens = "tokenizer.ggml.tokens";
constexpr std::string_view kScores = "tokenizer.ggml.scores";
constexpr std::string_view kMerges = "tokenizer.ggml.merges";
constexpr std::string_view kTokenType = "tokenizer.ggml.token_type";

// A later key wins over an earlier one of the same member: the last three are old names.
struct IdKey {
  std::string_view key;
  std::optional<uint64_t> VocabularyData::Ids::*member;
};
constexpr auto kIdKeys = std::to_array<IdKey>({
    {"tokenizer.ggml.bos_token_id", &VocabularyData::Ids::bos},
    {"tokenizer.ggml.eos_token_id", &VocabularyData::Ids::eos},
    {"tokenizer.ggml.eot_token_id", &VocabularyData::Ids::eot},
    {"tokenizer.ggml.eom_token_id", &VocabularyData::Ids::eom},
    {"tokenizer.ggml.fim_pre_token_id", &VocabularyData::Ids::fim_prefix},
    {"tokenizer.ggml.fim_suf_token_id", &VocabularyData::Ids::fim_suffix},
    {"tokenizer.ggml.fim_mid_token_id", &VocabularyData::Ids::fim_middle},
    {"tokenizer.ggml.fim_pad_token_id", &VocabularyData::Ids::fim_pad},
    {"tokenizer.ggml.fim_rep_token_id", &VocabularyData::Ids::fim_repository},
    {"tokenizer.ggml.fim_sep_token_id", &VocabularyData::Ids::fim_separator},
    {"tokenizer.ggml.prefix_token_id", &VocabularyData::Ids::fim_prefix},
    {"tokenizer.ggml.suffix_token_id", &VocabularyData::Ids::fim_suffix},
    {"tokenizer.ggml.middle_token_id", &VocabularyData::Ids::fim_middle},
});

Result<std::vector<std::string>> read_strings(const Metadata& metadata, std::string_view key) {
  TENON_ASSIGN(const std::vector<std::string_view> views, metadata.strings(key));
  return std::vector<std::string>(views.begin(), views.end());
}

Result<std::optional<bool>> read_flag(const Metadata& metadata, std::string_view key) {
  if (!metadata.contains(key)) return std::optional<bool>();
  TENON_ASSIGN(const bool value, metadata.boolean(key));
  return std::optional(value);
}

Status check_length(std::string_view key, size_t found, size_t tokens) {
  if (found == tokens) return {};
  return Error{.code = ErrorCode::kInvalidFile,
               .where = std::string(key),
               .wanted = "one element per token (" + std::to_string(tokens) + ")",
               .found = std::to_string(found) + " elements",
               .remedy = "convert the model again"};
}

Result<std::vector<TokenType>> read_types(const Metadata& metadata, size_t tokens) {
  std::vector<TokenType> types;
  if (!metadata.contains(kTokenType)) return types;
  TENON_ASSIGN(const std::vector<int64_t> numbers,
               metadata.integers(kTokenType, {ValueType::kI32, ValueType::kU32}));
  TENON_RETURN_IF_ERROR(check_length(kTokenType, numbers.size(), tokens));
  types.reserve(tokens);
  for (const int64_t number : numbers) {
    const bool known = number >= 0 && number <= static_cast<int64_t>(TokenType::kByte);
    types.push_back(known ? static_cast<TokenType>(number) : TokenType::kUndefined);
  }
  return types;
}

}  // namespace

Result<VocabularyData> read_vocabulary(const Metadata& metadata) {
  VocabularyData data;
  TENON_ASSIGN(const std::string_view model, metadata.string("tokenizer.ggml.model"));
  data.model = model;
  if (metadata.contains("tokenizer.ggml.pre")) {
    TENON_ASSIGN(const std::string_view pre, metadata.string("tokenizer.ggml.pre"));
    data.pre = pre;
  }
  TENON_ASSIGN(data.tokens, read_strings(metadata, kTokens));
  TENON_ASSIGN(data.types, read_types(metadata, data.tokens.size()));
  if (metadata.contains(kScores)) {
    TENON_ASSIGN(data.scores, metadata.array<float>(kScores));
    TENON_RETURN_IF_ERROR(check_length(kScores, data.scores.size(), data.tokens.size()));
  }
  if (data.model == kByteLevelModel || data.model == kCharacterPairsModel) {
    TENON_ASSIGN(data.merges, read_strings(metadata, kMerges));
  }
  TENON_ASSIGN(data.add_bos, read_flag(metadata, "tokenizer.ggml.add_bos_token"));
  TENON_ASSIGN(data.add_eos, read_flag(metadata, "tokenizer.ggml.add_eos_token"));
  TENON_ASSIGN(data.add_space_prefix, read_flag(metadata, "tokenizer.ggml.add_space_prefix"));
  for (const IdKey& row : kIdKeys) {
    if (!metadata.contains(row.key)) continue;
    TENON_ASSIGN(data.ids.*row.member, metadata.unsigned_integer(row.key));
  }
  return data;
}

}  // namespace tenon::text
