// IQ4_NL and IQ4_XS. Products and sums are rounded in the order of ggml's reference functions
// (quantize_row_iq4_nl_impl without weights, dequantize_row_iq4_*).
#include <algorithm>
#include <cmath>
#include <span>

#include "tenon/quant/f16.h"
#include "tenon/quant/iq4_nl.h"
#include "tenon/quant/iq4_xs.h"
#include "tenon/quant/scale_search.h"

namespace tenon::quant {

namespace {

constexpr int kGroup = 32;

float table_value(int quant) { return static_cast<float>(kIq4Values[static_cast<size_t>(quant)]); }

void decode_group(const uint8_t* quants, float scale, float* values) {
  for (int i = 0; i < kGroup / 2; ++i) {
    values[i] = scale * table_value(quants[i] & 15);
    values[i + kGroup / 2] = scale * table_value(quants[i] >> 4);
  }
}

// The place of the nearest entry, the higher one of two as near.
uint8_t nearest_entry(float value) {
  if (value <= table_value(0)) return 0;
  if (value >= table_value(15)) return 15;
  int above = 1;
  while (table_value(above) <= value) ++above;
  return static_cast<uint8_t>(value - table_value(above - 1) < table_value(above) - value ? above - 1
                                                                                          : above);
}

void round_group(std::span<const float> values, float inverse_scale, uint8_t* quants) {
  for (size_t i = 0; i < kGroup; ++i) quants[i] = nearest_entry(inverse_scale * values[i]);
}

void pack_group(const uint8_t* from, uint8_t* quants) {
  for (int i = 0; i < kGroup / 2; ++i) quants[i] = static_cast<uint8_t>(from[i] | from[i + kGroup / 2] << 4);
}

// Σ x² x q and Σ x² q² over a group, q the entries that the values are rounded to.
struct Moments {
  float xq = 0.0f, qq = 0.0f;
};
Moments moments(std::span<const float> values, float inverse_scale) {
  Moments sums;
  for (const float x : values) {
    const float entry = table_value(nearest_entry(inverse_scale * x)), weight = x * x;
    sums.xq += weight * entry * x;
    sums.qq += weight * entry * entry;
  }
  return sums;
}

float of_largest_magnitude(std::span<const float> values) {
  float largest = 0.0f;
  for (const float x : values) {
    if (std::fabs(x) > std::fabs(largest)) largest = x;
  }
  return largest;
}

float least_squares(Moments sums) { return sums.qq > 0.0f ? sums.xq / sums.qq : 0.0f; }

// The least-squares scale, of those roundings that put the largest magnitude near an end of the table, which
// fits best.
float fit_group(std::span<const float> values) {
  constexpr int kTries = 7;
  const float largest = of_largest_magnitude(values);
  if (std::fabs(largest) < kNegligible) return 0.0f;
  const Moments first = moments(values, 1.0f / (-largest / table_value(0)));
  float scale = least_squares(first), best = scale * first.xq;
  for (int step = -kTries; step <= kTries; ++step) {
    const Moments tried = moments(values, (static_cast<float>(step) + table_value(0)) / largest);
    if (tried.qq > 0.0f && tried.xq * tried.xq > best * tried.qq) {
      scale = tried.xq / tried.qq;
      best = scale * tried.xq;
    }
  }
  return scale;
}

}  // namespace

void decode(const BlockIQ4_NL& block, float* values) {
  decode_group(block.quants, f16_to_f32(block.scale), values);
}

void encode(const float* values, BlockIQ4_NL& block) {
  block = {};
  const std::span<const float> group(values, kGroup);
  const float largest = of_largest_magnitude(group);
  if (std::fabs(largest) < kNegligible) return;
  const float inverse_scale = 1.0f / (largest / table_value(0));
  block.scale = f32_to_f16(least_squares(moments(group, inverse_scale)));
  uint8_t quants[kGroup];
  round_group(group, inverse_scale, quants);
  pack_group(quants, block.quants);
}

void decode(const BlockIQ4_XS& block, float* values) {
  const float scale = f16_to_f32(block.scale);
  for (int g = 0; g < 8; ++g) {
    const int low = block.scales_low[g / 2] >> 4 * (g % 2) & 15, high = block.scales_high >> 2 * g & 3;
    decode_group(block.quants + 16 * g, scale * static_cast<float>((low | high << 4) - 32),
                 values + kGroup * g);
  }
}

void encode(const float* values, BlockIQ4_XS& block) {
  float scales[8];
  float largest = 0.0f;
  for (int g = 0; g < 8; ++g) {
    scales[g] = fit_group({values + kGroup * g, kGroup});
    if (std::fabs(scales[g]) > std::fabs(largest)) largest = scales[g];
  }
  block = {};
  const float scale = -largest / 32.0f, inverse_scale = scale != 0.0f ? 1.0f / scale : 0.0f;
  block.scale = f32_to_f16(scale);
  for (int g = 0; g < 8; ++g) {
    const int level = std::clamp(nearest_integer(inverse_scale * scales[g]), -32, 31);
    const float group_scale = scale * static_cast<float>(level);
    uint8_t quants[kGroup];
    round_group({values + kGroup * g, kGroup}, group_scale != 0.0f ? 1.0f / group_scale : 0.0f, quants);
    pack_group(quants, block.quants + 16 * g);
    block.scales_low[g / 2] |= static_cast<uint8_t>(((level + 32) & 15) << 4 * (g % 2));
    block.scales_high |= static_cast<uint16_t>((level + 32) >> 4 << 2 * g);
  }
}

}  // namespace tenon::quant
