// MXFP4, rounded as ggml's reference functions round it (quantize_row_mxfp4_ref, dequantize_row_mxfp4).
#include <algorithm>
#include <bit>
#include <cmath>

#include "tenon/quant/mxfp4.h"

namespace tenon::quant {

namespace {

constexpr int kHalf = BlockMXFP4::kElements / 2;
constexpr int kBias = 127;           // of the exponent
constexpr int kLargestExponent = 2;  // of the largest quant, 6

// Half of the block's scale, for the doubled quants: 2^(exponent - 128), which is subnormal below 2.
float half_scale(uint8_t exponent) {
  const uint32_t bits = exponent < 2 ? 0x00200000u << exponent : (exponent - 1u) << 23;
  return std::bit_cast<float>(bits);
}

int nearest_quant(float value, float half_of_scale) {
  int nearest = 0;
  float least = std::fabs(value);
  for (int quant = 1; quant < 16; ++quant) {
    const float error =
        std::fabs(static_cast<float>(kMxfp4Doubled[static_cast<size_t>(quant)]) * half_of_scale - value);
    if (error >= least) continue;
    nearest = quant;
    least = error;
  }
  return nearest;
}

}  // namespace

void decode(const BlockMXFP4& block, float* values) {
  const float scale = half_scale(block.exponent);
  for (int i = 0; i < kHalf; ++i) {
    values[i] = static_cast<float>(kMxfp4Doubled[block.quants[i] & 15]) * scale;
    values[i + kHalf] = static_cast<float>(kMxfp4Doubled[block.quants[i] >> 4]) * scale;
  }
}

void encode(const float* values, BlockMXFP4& block) {
  float largest = 0.0f;
  for (int i = 0; i < BlockMXFP4::kElements; ++i) largest = std::max(largest, std::fabs(values[i]));
  const float exponent = largest > 0.0f ? std::floor(std::log2(largest)) - kLargestExponent + kBias : 0.0f;
  block.exponent = static_cast<uint8_t>(std::clamp(exponent, 0.0f, 255.0f));
  const float scale = half_scale(block.exponent);
  for (int i = 0; i < kHalf; ++i) {
    const int low = nearest_quant(values[i], scale), high = nearest_quant(values[i + kHalf], scale);
    block.quants[i] = static_cast<uint8_t>(low | high << 4);
  }
}

}  // namespace tenon::quant
