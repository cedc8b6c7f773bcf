// Q4_K and Q6_K: 256 values to a block, in groups whose scales are quantised themselves. Products and sums
// are rounded in the order of ggml's reference functions.
#include <algorithm>
#include <cmath>

#include "tenon/quant/f16.h"
#include "tenon/quant/q4_k.h"
#include "tenon/quant/q6_k.h"
#include "tenon/quant/scale_search.h"

namespace tenon::quant {

namespace {

constexpr int kElements = 256;

void pack_scales(const GroupScales& scales, uint8_t* packed) {
  for (int g = 0; g < 4; ++g) {
    packed[g] = static_cast<uint8_t>(scales.scale[g] | scales.scale[g + 4] >> 4 << 6);
    packed[g + 4] = static_cast<uint8_t>(scales.minimum[g] | scales.minimum[g + 4] >> 4 << 6);
    packed[g + 8] = static_cast<uint8_t>((scales.scale[g + 4] & 15) | (scales.minimum[g + 4] & 15) << 4);
  }
}

// An offset into `low`, the shift there and the shift in `high` of each run of 32 in a half.
struct Run {
  int low_offset, low_shift, high_shift;
};
constexpr Run kRuns[4] = {{0, 0, 0}, {32, 0, 2}, {0, 4, 4}, {32, 4, 6}};

}  // namespace

GroupScales group_scales(const BlockQ4_K& block) {
  const uint8_t* packed = block.packed_scales;
  GroupScales out;
  for (int g = 0; g < 4; ++g) {
    out.scale[g] = packed[g] & 63;
    out.minimum[g] = packed[g + 4] & 63;
    out.scale[g + 4] = static_cast<uint8_t>((packed[g + 8] & 15) | packed[g] >> 6 << 4);
    out.minimum[g + 4] = static_cast<uint8_t>(packed[g + 8] >> 4 | packed[g + 4] >> 6 << 4);
  }
  return out;
}

void decode(const BlockQ4_K& block, float* values) {
  const float scale = f16_to_f32(block.scale), minimum = f16_to_f32(block.minimum);
  const GroupScales groups = group_scales(block);
  for (int g = 0; g < 8; ++g) {
    const float group_scale = scale * static_cast<float>(groups.scale[g]);
    const float group_minimum = minimum * static_cast<float>(groups.minimum[g]);
    const uint8_t* quants = block.quants + 32 * (g / 2);
    for (int i = 0; i < 32; ++i) {
      const int quant = quants[i] >> 4 * (g % 2) & 15;
      values[32 * g + i] = group_scale * static_cast<float>(quant) - group_minimum;
    }
  }
}

void encode(const float* values, BlockQ4_K& block) {
  uint8_t quants[kElements];
  AffineFit fits[8];
  float largest_scale = 0.0f, largest_minimum = 0.0f;
  for (int g = 0; g < 8; ++g) {
    const std::span<const float> group(values + 32 * g, 32);
    float squares = 0.0f;
    for (const float x : group) squares += x * x;
    const float typical = std::sqrt(squares / 32.0f);
    float weights[32];
    for (size_t i = 0; i < 32; ++i) weights[i] = typical + std::fabs(group[i]);
    fits[g] = fit_affine(group, weights, 15, quants + 32 * g);
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

  // Round once more, with the scales as they will be read.
  for (int g = 0; g < 8; ++g) {
    const float scale = f16_to_f32(block.scale) * static_cast<float>(groups.scale[g]);
    if (scale == 0.0f) continue;
    const float minimum = f16_to_f32(block.minimum) * static_cast<float>(groups.minimum[g]);
    for (int i = 32 * g; i < 32 * (g + 1); ++i) {
      quants[i] = static_cast<uint8_t>(std::clamp(nearest_integer((values[i] + minimum) / scale), 0, 15));
    }
  }
  for (int i = 0; i < 128; ++i) {
    const uint8_t* pair = quants + 64 * (i / 32) + i % 32;
    block.quants[i] = static_cast<uint8_t>(pair[0] | pair[32] << 4);
  }
}

void decode(const BlockQ6_K& block, float* values) {
  const float scale = f16_to_f32(block.scale);
  for (int g = 0; g < 16; ++g) {
    const float group_scale = scale * static_cast<float>(block.group_scale[g]);
    const int half = g / 8, in_run = 16 * (g % 2);
    const Run run = kRuns[g / 2 % 4];
    const uint8_t* low = block.low + 64 * half + run.low_offset + in_run;
    const uint8_t* high = block.high + 32 * half + in_run;
    for (int i = 0; i < 16; ++i) {
      const int quant = (low[i] >> run.low_shift & 15) | (high[i] >> run.high_shift & 3) << 4;
      values[16 * g + i] = group_scale * static_cast<float>(quant - 32);
    }
  }
}

void encode(const float* values, BlockQ6_K& block) {
  uint8_t quants[kElements];
  float scales[16];
  float largest = 0.0f;
  for (int g = 0; g < 16; ++g) {
    scales[g] = fit_symmetric({values + 16 * g, 16}, 32, quants + 16 * g);
    if (std::fabs(scales[g]) > std::fabs(largest)) largest = scales[g];
  }
  block = {};
  if (std::fabs(largest) < kNegligible) return;

  const float inverse_scale = -128.0f / largest;
  block.scale = f32_to_f16(1.0f / inverse_scale);
  for (int g = 0; g < 16; ++g) {
    block.group_scale[g] = static_cast<int8_t>(std::min(127, nearest_integer(inverse_scale * scales[g])));
    // Round once more, with the scale as it will be read.
    const float scale = f16_to_f32(block.scale) * static_cast<float>(block.group_scale[g]);
    if (scale == 0.0f) continue;
    for (int i = 16 * g; i < 16 * (g + 1); ++i) {
      quants[i] = static_cast<uint8_t>(32 + std::clamp(nearest_integer(values[i] / scale), -32, 31));
    }
  }
  for (int i = 0; i < kElements; ++i) {
    const int half = i / 128;
    const Run run = kRuns[i / 32 % 4];
    block.low[64 * half + run.low_offset + i % 32] |= static_cast<uint8_t>((quants[i] & 15) << run.low_shift);
    block.high[32 * half + i % 32] |= static_cast<uint8_t>(quants[i] >> 4 << run.high_shift);
  }
}

}  // namespace tenon::quant
