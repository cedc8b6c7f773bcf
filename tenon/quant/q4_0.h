// Q4_0: 32 values, one scale; value = scale * (quant - 8).
#pragma once

#include <cstdint>

namespace tenon::quant {

struct BlockQ4_0 {
  static constexpr int kElements = 32;
  uint16_t scale;      // f16
  uint8_t quants[16];  // value i in the low half of byte i, value i + 16 in the high half
};
static_assert(sizeof(BlockQ4_0) == 18);

void decode(const BlockQ4_0& block, float* values);
// The value of largest magnitude becomes quant 0, whichever its sign.
void encode(const float* values, BlockQ4_0& block);

}  // namespace tenon::quant
