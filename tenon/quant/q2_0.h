// Q2_0: 64 values, one scale; value = scale * (quant - 1), that is -1, 0, 1 or 2 times the scale.
#pragma once

#include <cstdint>

namespace tenon::quant {

struct BlockQ2_0 {
  static constexpr int kElements = 64;
  uint16_t scale;      // f16
  uint8_t quants[16];  // value i in bits 2 * (i % 4) and above of byte i / 4
};
static_assert(sizeof(BlockQ2_0) == 18);

void decode(const BlockQ2_0& block, float* values);
// The scale is the largest magnitude, so that no value becomes quant 3.
void encode(const float* values, BlockQ2_0& block);

}  // namespace tenon::quant
