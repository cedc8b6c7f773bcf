// MXFP4: 32 values, one scale that is a power of two; a value is a float of four bits, E2M1, times the scale.
#pragma once

#include <array>
#include <cstdint>

namespace tenon::quant {

struct BlockMXFP4 {
  static constexpr int kElements = 32;
  uint8_t exponent;    // the scale is 2^(exponent - 127)
  uint8_t quants[16];  // two to a byte, placed as in Q4_0
};
static_assert(sizeof(BlockMXFP4) == 17);

// Twice the value of each quant, which makes them integers; bit 3 is the sign.
inline constexpr std::array<int8_t, 16> kMxfp4Doubled = {0, 1,  2,  3,  4,  6,  8,  12,
                                                         0, -1, -2, -3, -4, -6, -8, -12};

void decode(const BlockMXFP4& block, float* values);
// The scale is that of the largest magnitude's power of two, a quarter of it; each quant is the nearest
// value, the lower one of two as near.
void encode(const float* values, BlockMXFP4& block);

}  // namespace tenon::quant
