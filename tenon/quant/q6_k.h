// Q6_K: 256 values in 16 groups of 16, each with an 8-bit scale; value = scale * group scale * (quant - 32).
#pragma once

#include <cstdint>

namespace tenon::quant {

// Each half of 128 values lies in four runs of 32. Value i of run r has its low four bits in low[32 * (r % 2)
// + i], in the low half of the byte for r < 2, and its upper two in bits 2r and 2r + 1 of high[i].
struct BlockQ6_K {
  static constexpr int kElements = 256;
  uint8_t low[128];  // 64 bytes to a half
  uint8_t high[64];  // 32 bytes to a half
  int8_t group_scale[16];
  uint16_t scale;  // f16
};
static_assert(sizeof(BlockQ6_K) == 210);

void decode(const BlockQ6_K& block, float* values);
void encode(const float* values, BlockQ6_K& block);

}  // namespace tenon::quant
