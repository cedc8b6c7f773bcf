// Q5_0: 32 values, one scale; value = scale * (quant - 16).
#pragma once

#include <cstdint>

namespace tenon::quant {

struct BlockQ5_0 {
  static constexpr int kElements = 32;
  uint16_t scale;        // f16
  uint8_t high_bits[4];  // bit i % 8 of byte i / 8: bit 4 of quant i
  uint8_t quants[16];    // the low four bits, placed as in Q4_0
};
static_assert(sizeof(BlockQ5_0) == 22);

void decode(const BlockQ5_0& block, float* values);
// The value of largest magnitude becomes quant 0, whichever its sign.
void encode(const float* values, BlockQ5_0& block);

}  // namespace tenon::quant
