// Decoding and encoding of whole rows, by element type.
#pragma once

#include <cstdint>
#include <span>

#include "tenon/type/element_type.h"

namespace tenon::quant {

// `elements` is a multiple of the type's block. Nothing needs to be aligned.
struct BlockFormat {
  ElementType type;
  void (*decode_row)(const void* row, float* values, int64_t elements);
  void (*encode_row)(const float* values, void* row, int64_t elements);
};

// Every format that has one, in the order of ElementType: f32, f16, bf16 and the block types.
std::span<const BlockFormat> block_formats();

// Throws std::invalid_argument for a type that holds no floating-point values.
const BlockFormat& block_format(ElementType type);

}  // namespace tenon::quant
