// IQ4_NL: 32 values, one scale; value = scale * an entry of a table whose steps widen away from zero.
#pragma once

#include <array>
#include <cstdint>

namespace tenon::quant {

struct BlockIQ4_NL {
  static constexpr int kElements = 32;
  uint16_t scale;      // f16
  uint8_t quants[16];  // places in kIq4Values, two to a byte as in Q4_0
};
static_assert(sizeof(BlockIQ4_NL) == 18);

inline constexpr std::array<int8_t, 16> kIq4Values = {-127, -104, -83, -65, -49, -35, -22, -10,
                                                      1,    13,   25,  38,  53,  69,  89,  113};

void decode(const BlockIQ4_NL& block, float* values);
void encode(const float* values, BlockIQ4_NL& block);

}  // namespace tenon::quant
