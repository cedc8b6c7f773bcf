// Q8_0: 32 values, one scale; value = scale * quant.
#pragma once

#include <cstdint>

namespace tenon::quant {

struct BlockQ8_0 {
  static constexpr int kElements = 32;
  uint16_t scale;  // f16
  int8_t quants[32];
};
static_assert(sizeof(BlockQ8_0) == 34);

void decode(const BlockQ8_0& block, float* values);
void encode(const float* values, BlockQ8_0& block);

}  // namespace tenon::quant
