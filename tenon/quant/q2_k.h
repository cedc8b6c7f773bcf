// Q2_K: 256 values in 16 groups of 16, each with a 4-bit scale and a 4-bit minimum;
// value = scale * group scale * quant - minimum * group minimum.
#pragma once

#include <cstdint>

namespace tenon::quant {

struct BlockQ2_K {
  static constexpr int kElements = 256;
  uint8_t packed_scales[16];  // a group's scale in the low half, its minimum in the high one
  // 32 bytes to each half of 128 values: value i of its r-th run of 32 in bits 2r and 2r + 1 of byte i.
  uint8_t quants[64];
  uint16_t scale, minimum;  // f16
};
static_assert(sizeof(BlockQ2_K) == 84);

void decode(const BlockQ2_K& block, float* values);
void encode(const float* values, BlockQ2_K& block);

}  // namespace tenon::quant
