// Q3_K and Q6_K: 256 values to a block, in groups of 16 whose signed scales are quantised themselves.
// Products and sums are rounded in the order of ggml's reference functions.
#include <algorithm>
#include <cmath>

#include "tenon/quant/f16.h"
#include "tenon/quant/q3_k.h"
#include "tenon/quant/q6_k.h"
#include "tenon/quant/scale_search.h"

namespace tenon::quant {

namespace {

constexpr int kElements = 256;

// An offset into `low`, the shift there and the shift in `high` of each run of 32 in a half, of Q6_K.
struct Run {
  int low_offset, low_shift, high_shift;
};
constexpr Run kRuns[4] = {{0, 0, 0}, {32, 0, 2}, {0, 4, 4}, {32, 4, 6}};

// From -32 to 31.
int group_scale(const BlockQ3_K& block, int g) {
  const int low = block.packed_scales[g % 8] >> 4 * (g / 8) & 15;
  const int high = block.packed_scales[8 + g % 4] >> 2 * (g / 4) & 3;
  return (low | high << 4) - 32;
}
void set_group_scale(BlockQ3_K& block, int g, int scale) {
  const int level = scale + 32;
  block.packed_scales[g % 8] |= static_cast<uint8_t>((level & 15) << 4 * (g / 8));
  block.packed_scales[8 + g % 4] |= static_cast<uint8_t>(level >> 4 << 2 * (g / 4));
}

}  // namespace

void decode(const BlockQ3_K& block, float* values) {
  const float scale = f16_to_f32(block.scale);
  for (int i = 0; i < kElements; ++i) {
    const float group = scale * static_cast<float>(group_scale(block, i / 16));
    const int run = i / 32, low = block.low[32 * (run / 4) + i % 32] >> 2 * (run % 4) & 3;
    const int high = block.high[i % 32] >> run & 1;
    values[i] = group * static_cast<float>((low | high << 2) - 4);
  }
}

void encode(const float* values, BlockQ3_K& block) {
  uint8_t quants[kElements];
  float scales[16];
  float largest = 0.0f;
  for (int g = 0; g < 16; ++g) {
    scales[g] = fit_symmetric_by_turns({values + 16 * g, 16}, 4, quants + 16 * g);
    if (std::fabs(scales[g]) > std::fabs(largest)) largest = scales[g];
  }
  block = {};
  if (largest != 0.0f) {
    const float inverse_scale = -32.0f / largest;
    block.scale = f32_to_f16(1.0f / inverse_scale);
    for (int g = 0; g < 16; ++g) {
      set_group_scale(block, g, std::clamp(nearest_integer(inverse_scale * scales[g]), -32, 31));
    }
  }
  for (int g = 0; g < 16; ++g) {  // round once more, with the scale as it will be read
    const float scale = f16_to_f32(block.scale) * static_cast<float>(group_scale(block, g));
    if (scale == 0.0f) continue;
    for (int i = 16 * g; i < 16 * (g + 1); ++i) {
      quants[i] = static_cast<uint8_t>(4 + std::clamp(nearest_integer(values[i] / scale), -4, 3));
    }
  }
  for (int i = 0; i < kElements; ++i) {
    const int run = i / 32;
    block.low[32 * (run / 4) + i % 32] |= static_cast<uint8_t>((quants[i] & 3) << 2 * (run % 4));
    block.high[i % 32] |= static_cast<uint8_t>(quants[i] >> 2 << run);
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
