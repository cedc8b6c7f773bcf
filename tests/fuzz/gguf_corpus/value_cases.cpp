// Well-formed files whose values are not what a model's loader asks for.
#include "tests/fuzz/gguf_corpus/cases.h"

namespace tenon::gguf_corpus {

namespace {

template <class T>
Case mistyped(std::string file, std::string accessor, const char* key, const T& value,
              const std::string& rest) {
  const Image image(gguf::Writer().set(key, value));
  constexpr bool is_array = requires { value.size(); }
  &&!std::is_same_v<T, std::string>;
  const size_t offset = is_array ? image.elements(key) : image.value(key);
  return {std::move(file), accessor + " " + key, "invalid file",
          "offset " + std::to_string(offset) + ", key '" + key + "': wanted " + rest, image.bytes()};
}

}  // namespace

std::vector<Case> value_cases() {
  constexpr char kScores[] = "tokenizer.ggml.scores", kTypes[] = "tokenizer.ggml.token_type";
  constexpr char kTokens[] = "tokenizer.ggml.tokens", kBlocks[] = "llama.block_count";
  constexpr char kHeads[] = "llama.attention.head_count", kBase[] = "llama.rope.freq_base";
  constexpr char kName[] = "general.name", kAddBos[] = "tokenizer.ggml.add_bos_token";
  using Strings = std::vector<std::string>;
  return {
      {"value_no_architecture", "string general.architecture", "invalid file",
       "key 'general.architecture': wanted string, found no such key", Image(gguf::Writer()).bytes()},
      {"value_no_tensor", "tensor output.weight", "invalid file",
       "tensor 'output.weight': wanted a tensor of that name, found none among 0 tensors",
       Image(gguf::Writer()).bytes()},
      mistyped("value_scores_u8", "array_f32", kScores, std::vector<uint8_t>(300, 1),
               "array of f32, found array of u8"),
      mistyped("value_scores_f64", "array_f32", kScores, std::vector<double>{1.5, 2},
               "array of f32, found array of f64"),
      mistyped("value_scores_scalar", "array_f32", kScores, 1.5f, "array of f32, found f32"),
      mistyped("value_token_types_i8", "integers_i32_u32", kTypes, std::vector<int8_t>{1, 3},
               "array of i32 or u32, found array of i8"),
      mistyped("value_token_types_strings", "integers_i32_u32", kTypes, Strings{"a", "b"},
               "array of i32 or u32, found array of string"),
      mistyped("value_token_types_scalar", "integers_i32_u32", kTypes, int32_t{3},
               "array of i32 or u32, found i32"),
      mistyped("value_integers_bool", "integers", kHeads, std::vector<bool>{true, true},
               "array of integers, found array of bool"),
      mistyped("value_integers_beyond_i64", "integers", kHeads, std::vector<uint64_t>{4, uint64_t{1} << 63},
               "a value that fits i64, found 9223372036854775808 at position 1"),
      mistyped("value_tokens_numbers", "strings", kTokens, std::vector<int32_t>{7, 8},
               "array of string, found array of i32"),
      mistyped("value_tokens_one_string", "strings", kTokens, std::string("word"),
               "array of string, found string"),
      mistyped("value_flags_u8", "booleans", kAddBos, std::vector<uint8_t>{1, 0},
               "array of bool, found array of u8"),
      mistyped("value_blocks_string", "unsigned_integer", kBlocks, std::string("12"),
               "an integer, found string"),
      mistyped("value_blocks_f32", "unsigned_integer", kBlocks, 12.0f, "an integer, found f32"),
      mistyped("value_blocks_negative", "unsigned_integer", kBlocks, int32_t{-2},
               "a value that fits u64, found -2"),
      mistyped("value_blocks_array", "unsigned_integer", kBlocks, std::vector<uint32_t>{1, 2},
               "an integer, found array of u32"),
      mistyped("value_signed_beyond_i64", "signed_integer", kBlocks, UINT64_MAX,
               "a value that fits i64, found 18446744073709551615"),
      mistyped("value_signed_bool", "signed_integer", kBlocks, true, "an integer, found bool"),
      mistyped("value_rope_base_u32", "floating", kBase, uint32_t{10000}, "f32 or f64, found u32"),
      mistyped("value_add_bos_u8", "boolean", kAddBos, uint8_t{1}, "bool, found u8"),
      mistyped("value_name_u32", "string", kName, uint32_t{5}, "string, found u32"),
      mistyped("value_name_array", "string", kName, Strings{"x", "y"}, "string, found array of string"),
  };
}

}  // namespace tenon::gguf_corpus
