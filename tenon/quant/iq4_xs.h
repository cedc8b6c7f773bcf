// IQ4_XS: 256 values in 8 groups of 32, each with a 6-bit scale;
// value = scale * (group scale - 32) * an entry of the table of IQ4_NL.
#pragma once

#include <cstdint>

namespace tenon::quant {

struct BlockIQ4_XS {
  static constexpr int kElements = 256;
  uint16_t scale;         // f16
  uint16_t scales_high;   // the upper two bits of group g's scale, from bit 2g on
  uint8_t scales_low[4];  // the lower four, two groups to a byte, the even one in the low half
  uint8_t quants[128];    // 16 bytes to a group, each group as a block of IQ4_NL
};
static_assert(sizeof(BlockIQ4_XS) == 136);

void decode(const BlockIQ4_XS& block, float* values);
void encode(const float* values, BlockIQ4_XS& block);

}  // namespace tenon::quant
