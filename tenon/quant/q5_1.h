// Q5_1: 32 values, scale and minimum; value = scale * quant + minimum.
#pragma once

#include <cstdint>

namespace tenon::quant {

struct BlockQ5_1 {
  static constexpr int kElements = 32;
  uint16_t scale, minimum;  // f16
  uint8_t high_bits[4];     // bit i % 8 of byte i / 8: bit 4 of quant i
  uint8_t quants[16];       // the low four bits, placed as in Q4_0
};
static_assert(sizeof(BlockQ5_1) == 24);

void decode(const BlockQ5_1& block, float* values);
void encode(const float* values, BlockQ5_1& block);

}  // namespace tenon::quant
