// Q3_K: 256 values in 16 groups of 16, each with a 6-bit scale;
// value = scale * (group scale - 32) * (quant - 4).
#pragma once

#include <cstdint>

namespace tenon::quant {

struct BlockQ3_K {
  static constexpr int kElements = 256;
  uint8_t high[32];  // value i of the r-th run of 32: bit r of byte i is bit 2 of the quant
  uint8_t low[64];   // the low two bits, placed as the quants of Q2_K
  // Group g: the low four bits in byte g % 8, in the low half for g < 8; the upper two in byte 8 + g % 4,
  // from bit 2 * (g / 4) on.
  uint8_t packed_scales[12];
  uint16_t scale;  // f16
};
static_assert(sizeof(BlockQ3_K) == 110);

void decode(const BlockQ3_K& block, float* values);
void encode(const float* values, BlockQ3_K& block);

}  // namespace tenon::quant
