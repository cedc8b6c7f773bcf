// Q2_K, Q4_K and Q5_K: 256 values to a block, in groups whose scales and minima are quantised themselves.
// Products and sums are rounded in the order of ggml's reference functions.
#include <algorithm>
#include <cmath>

#include "tenon/quant/f16.h"
#include "tenon/quant/q2_k.h"
#include "tenon/quant/q4_k.h"
#include "tenon/quant/q5_k.h"
#include "tenon/quant/scale_search.h"

namespace tenon::quant {

namespace {

constexpr int kElements = 256;

// The scales of the two formats with groups of 32 lie alike.
void pack_scales(const GroupScales& scales, uint8_t* packed) {
  for (int g = 0; g < 4; ++g) {
    packed[g] = static_cast<uint8_t>(scales.scale[g] | scales.scale[g + 4] >> 4 << 6);
    packed[g + 4] = static_cast<uint8_t>(scales.minimum[g] | scales.minimum[g + 4] >> 4 << 6);
    packed[g + 8] = static_cast<uint8_t>((scales.scale[g + 4] & 15) | (scales.minimum[g + 4] & 15) << 4);
  }
}

GroupScales unpack_scales(const uint8_t* packed) {
  GroupScales out;
  for (int g = 0; g < 4; ++g) {
    out.scale[g] = packed[g] & 63;
    out.minimum[g] = packed[g + 4] & 63;
    out.scale[g + 4] = static_cast<uint8_t>((packed[g + 8] & 15) | packed[g] >> 6 << 4);
    out.minimum[g + 4] = static_cast<uint8_t>(packed[g + 8] >> 4 | packed[g + 4] >> 6 << 4);
  }
  return out;
}

// Four bits of each quant: 32 bytes to two groups of 32, the even one in the low halves.
int low_bits(const uint8_t* quants, int i) { return quants[32 * (i / 64) + i % 32] >> 4 * (i / 32 % 2) & 15; }

// Rounds a group once more, with scale and minimum as they will be read.
void round_again(const float* values, int count, float scale, float minimum, int limit, uint8_t* quants) {
  if (scale == 0.0f) return;
  for (int i = 0; i < count; ++i) {
    quants[i] = static_cast<uint8_t>(std::clamp(nearest_integer((values[i] + minimum) / scale), 0, limit));
  }
}

// Scales and minima of a Q4_K or Q5_K block, and its quants from 0 to `limit`.
template <class Block>
void fit_groups(const float* values, int limit, AffineSearch search, Block& block, uint8_t* quants) {
  AffineFit fits[8];
  float largest_scale = 0.0f, largest_minimum = 0.0f;
  for (int g = 0; g < 8; ++g) {
    const std::span<const float> group(values + 32 * g, 32);
    float squares = 0.0f;
    for (const float x : group) squares += x * x;
    const float typical = std::sqrt(squares / 32.0f);
    float weights[32];
    for (size_t i = 0; i < 32; ++i) weights[i] = typical + std::fabs(group[i]);
    fits[g] = fit_affine(group, weights, limit, search, quants + 32 * g);
    largest_scale = std::max(largest_scale, fits[g].scale);
    largest_minimum = std::max(largest_minimum, fits[g].minimum);
  }

  const float inverse_scale = largest_scale > 0.0f ? 63.0f / largest_scale : 0.0f;
  const float inverse_minimum = largest_minimum > 0.0f ? 63.0f / largest_minimum : 0.0f;
  GroupScales groups;
  for (int g = 0; g < 8; ++g) {
    const auto quantise = [](float x) {
      return std::min(static_cast<uint8_t>(nearest_integer(x)), uint8_t{63});
    };
    groups.scale[g] = quantise(inverse_scale * fits[g].scale);
    groups.minimum[g] = quantise(inverse_minimum * fits[g].minimum);
  }
  pack_scales(groups, block.packed_scales);
  block.scale = f32_to_f16(largest_scale / 63.0f);
  block.minimum = f32_to_f16(largest_minimum / 63.0f);

  const float scale = f16_to_f32(block.scale), minimum = f16_to_f32(block.minimum);
  for (int g = 0; g < 8; ++g) {
    round_again(values + 32 * g, 32, scale * static_cast<float>(groups.scale[g]),
                minimum * static_cast<float>(groups.minimum[g]), limit, quants + 32 * g);
  }
}

}  // namespace

GroupScales group_scales(const BlockQ4_K& block) { return unpack_scales(block.packed_scales); }

void decode(const BlockQ2_K& block, float* values) {
  const float scale = f16_to_f32(block.scale), minimum = f16_to_f32(block.minimum);
  for (int i = 0; i < kElements; ++i) {
    const uint8_t packed = block.packed_scales[i / 16];
    const float group_scale = scale * static_cast<float>(packed & 15);
    const float group_minimum = minimum * static_cast<float>(packed >> 4);
    const int run = i / 32, quant = block.quants[32 * (run / 4) + i % 32] >> 2 * (run % 4) & 3;
    values[i] = group_scale * static_cast<float>(quant) - group_minimum;
  }
}

void encode(const float* values, BlockQ2_K& block) {
  uint8_t quants[kElements];
  AffineFit fits[16];
  float largest_scale = 0.0f, largest_minimum = 0.0f;
  for (int g = 0; g < 16; ++g) {
    float weights[16];
    for (int i = 0; i < 16; ++i) weights[i] = std::fabs(values[16 * g + i]);
    fits[g] = fit_affine({values + 16 * g, 16}, weights, 3, {-0.5f, 15, false}, quants + 16 * g);
    largest_scale = std::max(largest_scale, fits[g].scale);
    largest_minimum = std::max(largest_minimum, fits[g].minimum);
  }
  block = {};
  const float inverse_scale = largest_scale > 0.0f ? 15.0f / largest_scale : 0.0f;
  const float inverse_minimum = largest_minimum > 0.0f ? 15.0f / largest_minimum : 0.0f;
  block.scale = f32_to_f16(largest_scale / 15.0f);
  block.minimum = f32_to_f16(largest_minimum / 15.0f);
  const float scale = f16_to_f32(block.scale), minimum = f16_to_f32(block.minimum);
  for (int g = 0; g < 16; ++g) {
    const int group_scale = nearest_integer(inverse_scale * fits[g].scale),
              group_minimum = nearest_integer(inverse_minimum * fits[g].minimum);
    block.packed_scales[g] = static_cast<uint8_t>(group_scale | group_minimum << 4);
    round_again(values + 16 * g, 16, scale * static_cast<float>(group_scale),
                minimum * static_cast<float>(group_minimum), 3, quants + 16 * g);
  }
  for (int i = 0; i < kElements; ++i) {
    const int run = i / 32;
    block.quants[32 * (run / 4) + i % 32] |= static_cast<uint8_t>(quants[i] << 2 * (run % 4));
  }
}

void decode(const BlockQ4_K& block, float* values) {
  const float scale = f16_to_f32(block.scale), minimum = f16_to_f32(block.minimum);
  const GroupScales groups = group_scales(block);
  for (int i = 0; i < kElements; ++i) {
    const float group_scale = scale * static_cast<float>(groups.scale[i / 32]);
    const float group_minimum = minimum * static_cast<float>(groups.minimum[i / 32]);
    values[i] = group_scale * static_cast<float>(low_bits(block.quants, i)) - group_minimum;
  }
}

void encode(const float* values, BlockQ4_K& block) {
  uint8_t quants[kElements];
  fit_groups(values, 15, {-1.0f, 20, true}, block, quants);
  for (int i = 0; i < 128; ++i) {
    const uint8_t* pair = quants + 64 * (i / 32) + i % 32;
    block.quants[i] = static_cast<uint8_t>(pair[0] | pair[32] << 4);
  }
}

void decode(const BlockQ5_K& block, float* values) {
  const float scale = f16_to_f32(block.scale), minimum = f16_to_f32(block.minimum);
  const GroupScales groups = unpack_scales(block.packed_scales);
  for (int i = 0; i < kElements; ++i) {
    const float group_scale = scale * static_cast<float>(groups.scale[i / 32]);
    const float group_minimum = minimum * static_cast<float>(groups.minimum[i / 32]);
    const int high = block.high[i % 32] >> (i / 32) & 1;
    values[i] = group_scale * static_cast<float>(low_bits(block.quants, i) | high << 4) - group_minimum;
  }
}

void encode(const float* values, BlockQ5_K& block) {
  uint8_t quants[kElements];
  block = {};
  fit_groups(values, 31, {-0.5f, 15, true}, block, quants);
  for (int i = 0; i < 128; ++i) {
    const uint8_t* pair = quants + 64 * (i / 32) + i % 32;
    block.quants[i] = static_cast<uint8_t>((pair[0] & 15) | (pair[32] & 15) << 4);
  }
  for (int i = 0; i < kElements; ++i) block.high[i % 32] |= static_cast<uint8_t>(quants[i] >> 4 << i / 32);
}

}  // namespace tenon::quant
