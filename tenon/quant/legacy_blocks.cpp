// Q4_0, Q4_1, Q5_0, Q5_1 and Q8_0, 32 values to a block, and Q2_0, 64. Products and sums are rounded one by
// one, in the order in which ggml's reference functions round them (quantize_row_*_ref, dequantize_row_*), so
// that the bits agree.
#include <algorithm>
#include <cmath>

#include "tenon/quant/f16.h"
#include "tenon/quant/q2_0.h"
#include "tenon/quant/q4_0.h"
#include "tenon/quant/q4_1.h"
#include "tenon/quant/q5_0.h"
#include "tenon/quant/q5_1.h"
#include "tenon/quant/q8_0.h"

namespace tenon::quant {

namespace {

constexpr int kElements = 32;
constexpr int kHalf = 16;

float of_largest_magnitude(const float* values, int count = kElements) {
  float largest = 0.0f;
  for (int i = 0; i < count; ++i) {
    if (std::fabs(values[i]) > std::fabs(largest)) largest = values[i];
  }
  return largest;
}

float inverse(float scale) { return scale != 0.0f ? 1.0f / scale : 0.0f; }

// Rounds a non-negative x, given x + 0.5, to an integer of at most `most`.
int rounded(float x_and_half, int most) { return std::min(static_cast<int>(x_and_half), most); }

// Five-bit quants: four bits of each where Q4_0 has them, and the fifth ones apart.
template <class Block>
int five_bits(const Block& block, int i) {
  const int low = i < kHalf ? block.quants[i] & 15 : block.quants[i - kHalf] >> 4;
  return low | (block.high_bits[i / 8] >> (i % 8) & 1) << 4;
}
template <class Block>
void set_five_bits(Block& block, int i, int quant) {
  block.quants[i % kHalf] |= static_cast<uint8_t>((quant & 15) << (i < kHalf ? 0 : 4));
  block.high_bits[i / 8] |= static_cast<uint8_t>(quant >> 4 << (i % 8));
}

}  // namespace

void decode(const BlockQ2_0& block, float* values) {
  const float scale = f16_to_f32(block.scale);
  for (int i = 0; i < BlockQ2_0::kElements; ++i) {
    values[i] = static_cast<float>((block.quants[i / 4] >> 2 * (i % 4) & 3) - 1) * scale;
  }
}

void encode(const float* values, BlockQ2_0& block) {
  const float scale = std::fabs(of_largest_magnitude(values, BlockQ2_0::kElements));
  const float inverse_scale = inverse(scale);
  block = {};
  block.scale = f32_to_f16(scale);
  for (int i = 0; i < BlockQ2_0::kElements; ++i) {
    const auto quant = static_cast<int>(std::round(values[i] * inverse_scale)) + 1;
    block.quants[i / 4] |= static_cast<uint8_t>(std::clamp(quant, 0, 3) << 2 * (i % 4));
  }
}

void decode(const BlockQ4_0& block, float* values) {
  const float scale = f16_to_f32(block.scale);
  for (int i = 0; i < kHalf; ++i) {
    values[i] = static_cast<float>((block.quants[i] & 15) - 8) * scale;
    values[i + kHalf] = static_cast<float>((block.quants[i] >> 4) - 8) * scale;
  }
}

void encode(const float* values, BlockQ4_0& block) {
  const float scale = of_largest_magnitude(values) / -8.0f;
  const float inverse_scale = inverse(scale);
  block.scale = f32_to_f16(scale);
  for (int i = 0; i < kHalf; ++i) {
    const int low = rounded(values[i] * inverse_scale + 8.5f, 15);
    const int high = rounded(values[i + kHalf] * inverse_scale + 8.5f, 15);
    block.quants[i] = static_cast<uint8_t>(low | high << 4);
  }
}

void decode(const BlockQ4_1& block, float* values) {
  const float scale = f16_to_f32(block.scale), minimum = f16_to_f32(block.minimum);
  for (int i = 0; i < kHalf; ++i) {
    values[i] = static_cast<float>(block.quants[i] & 15) * scale + minimum;
    values[i + kHalf] = static_cast<float>(block.quants[i] >> 4) * scale + minimum;
  }
}

void encode(const float* values, BlockQ4_1& block) {
  const auto [low_end, high_end] = std::minmax_element(values, values + kElements);
  const float minimum = *low_end;
  const float scale = (*high_end - minimum) / 15.0f;
  const float inverse_scale = inverse(scale);
  block.scale = f32_to_f16(scale);
  block.minimum = f32_to_f16(minimum);
  for (int i = 0; i < kHalf; ++i) {
    const int low = rounded((values[i] - minimum) * inverse_scale + 0.5f, 15);
    const int high = rounded((values[i + kHalf] - minimum) * inverse_scale + 0.5f, 15);
    block.quants[i] = static_cast<uint8_t>(low | high << 4);
  }
}

void decode(const BlockQ5_0& block, float* values) {
  const float scale = f16_to_f32(block.scale);
  for (int i = 0; i < kElements; ++i) {
    values[i] = static_cast<float>(five_bits(block, i) - 16) * scale;
  }
}

void encode(const float* values, BlockQ5_0& block) {
  const float scale = of_largest_magnitude(values) / -16.0f;
  const float inverse_scale = inverse(scale);
  block = {};
  block.scale = f32_to_f16(scale);
  for (int i = 0; i < kElements; ++i) {
    set_five_bits(block, i, rounded(values[i] * inverse_scale + 16.5f, 31));
  }
}

void decode(const BlockQ5_1& block, float* values) {
  const float scale = f16_to_f32(block.scale), minimum = f16_to_f32(block.minimum);
  for (int i = 0; i < kElements; ++i) {
    values[i] = static_cast<float>(five_bits(block, i)) * scale + minimum;
  }
}

void encode(const float* values, BlockQ5_1& block) {
  const auto [low_end, high_end] = std::minmax_element(values, values + kElements);
  const float minimum = *low_end;
  const float scale = (*high_end - minimum) / 31.0f;
  const float inverse_scale = inverse(scale);
  block = {};
  block.scale = f32_to_f16(scale);
  block.minimum = f32_to_f16(minimum);
  for (int i = 0; i < kElements; ++i) {
    set_five_bits(block, i, rounded((values[i] - minimum) * inverse_scale + 0.5f, 31));
  }
}

void decode(const BlockQ8_0& block, float* values) {
  const float scale = f16_to_f32(block.scale);
  for (int i = 0; i < kElements; ++i) values[i] = static_cast<float>(block.quants[i]) * scale;
}

void encode(const float* values, BlockQ8_0& block) {
  const float scale = std::fabs(of_largest_magnitude(values)) / 127.0f;
  const float inverse_scale = inverse(scale);
  block.scale = f32_to_f16(scale);
  for (int i = 0; i < kElements; ++i) {
    block.quants[i] = static_cast<int8_t>(std::round(values[i] * inverse_scale));  // halves away from zero
  }
}

}  // namespace tenon::quant
