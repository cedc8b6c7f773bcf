// Q5_K: 256 values in 8 groups of 32, each with a 6-bit scale and a 6-bit minimum;
// value = scale * group scale * quant - minimum * group minimum.
#pragma once

#include <cstdint>

namespace tenon::quant {

struct BlockQ5_K {
  static constexpr int kElements = 256;
  uint16_t scale, minimum;    // f16
  uint8_t packed_scales[12];  // as in Q4_K
  uint8_t high[32];           // value i of group g: bit g of byte i is bit 4 of the quant
  uint8_t quants[128];        // the low four bits, placed as in Q4_K
};
static_assert(sizeof(BlockQ5_K) == 176);

void decode(const BlockQ5_K& block, float* values);
void encode(const float* values, BlockQ5_K& block);

}  // namespace tenon::quant
