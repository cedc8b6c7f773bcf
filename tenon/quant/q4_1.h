// Q4_1: 32 values, scale and minimum; value = scale * quant + minimum.
#pragma once

#include <cstdint>

namespace tenon::quant {

struct BlockQ4_1 {
  static constexpr int kElements = 32;
  uint16_t scale, minimum;  // f16
  uint8_t quants[16];       // value i in the low half of byte i, value i + 16 in the high half
};
static_assert(sizeof(BlockQ4_1) == 20);

void decode(const BlockQ4_1& block, float* values);
void encode(const float* values, BlockQ4_1& block);

}  // namespace tenon::quant
