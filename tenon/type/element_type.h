// Element types: plain numbers and the quantised blocks of GGUF. A block type is a type like any other
// (q4_k), with more than one element to the block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace tenon {

enum class ElementType : uint8_t {
  kF32,
  kF16,
  kBF16,
  kF64,
  kI8,
  kI16,
  kI32,
  kI64,
  kU8,
  kBool,
  kQ4_0,
  kQ4_1,
  kQ5_0,
  kQ5_1,
  kQ8_0,
  kQ2_0,
  kMXFP4,
  kIQ4_NL,
  kQ2_K,
  kQ3_K,
  kQ4_K,
  kQ5_K,
  kQ6_K,
  kIQ4_XS,
};

struct ElementTypeInfo {
  ElementType type;
  std::string_view name;            // as the text form spells it: "f32", "q4_k"
  int block_elements;               // elements to a block; 1 for plain types
  int block_bytes;                  // bytes of a block
  std::optional<uint32_t> ggml_id;  // type id in a GGUF file; nullopt where GGUF has none
};

// All types, in the order of the enum.
std::span<const ElementTypeInfo> element_types();
const ElementTypeInfo& info(ElementType type);
std::optional<ElementType> element_type_from_name(std::string_view name);
std::optional<ElementType> element_type_from_ggml(uint32_t ggml_id);

inline std::string_view name(ElementType type) { return info(type).name; }
inline bool is_block(ElementType type) { return info(type).block_elements > 1; }
bool is_float(ElementType type);    // f32, f16, bf16, f64
bool is_integer(ElementType type);  // i8 … i64, u8; not bool

// Bytes of `count` elements; `count` must be a multiple of the block and the product must fit (asserted).
size_t bytes_for(ElementType type, int64_t count);

}  // namespace tenon
