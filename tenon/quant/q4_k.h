// Q4_K: 256 values in 8 groups of 32, each with a 6-bit scale and a 6-bit minimum;
// value = scale * group scale * quant - minimum * group minimum.
#pragma once

#include <cstdint>

namespace tenon::quant {

struct BlockQ4_K {
  static constexpr int kElements = 256;
  uint16_t scale, minimum;    // f16
  uint8_t packed_scales[12];  // see group_scales
  uint8_t quants[128];  // 32 bytes to two groups: the even one in the low halves, the odd one in the high
};
static_assert(sizeof(BlockQ4_K) == 144);

// The 6-bit scales and minima of the groups. Bytes 0-3 hold the scales of groups 0-3 and bytes 4-7 their
// minima, in the low six bits; bytes 8-11 hold the low four bits of the scales (low half) and minima (high
// half) of groups 4-7, whose upper two bits are the upper bits of bytes 0-3 and 4-7.
struct GroupScales {
  uint8_t scale[8], minimum[8];
};
GroupScales group_scales(const BlockQ4_K& block);

void decode(const BlockQ4_K& block, float* values);
void encode(const float* values, BlockQ4_K& block);

}  // namespace tenon::quant
