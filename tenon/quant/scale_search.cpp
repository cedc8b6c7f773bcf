#include "tenon/quant/scale_search.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace tenon::quant {

namespace {

constexpr int kLargestGroup = 32;

// Σ w x l and Σ w l² over a group: l * (first / second) is the weighted least-squares fit.
struct Moments {
  float xl = 0.0f, ll = 0.0f;
};

float of_largest_magnitude(std::span<const float> values) {
  float largest = 0.0f;
  for (const float x : values) {
    if (std::fabs(x) > std::fabs(largest)) largest = x;
  }
  return largest;
}

int symmetric_level(float value, int limit) { return std::clamp(nearest_integer(value), -limit, limit - 1); }

Moments symmetric_moments(std::span<const float> values, float inverse_scale, int limit) {
  Moments sums;
  for (const float x : values) {
    const auto level = static_cast<float>(symmetric_level(inverse_scale * x, limit));
    const float weight = x * x;
    sums.xl += weight * x * level;
    sums.ll += weight * level * level;
  }
  return sums;
}

float error_of(std::span<const float> values, const float* weights, const uint8_t* quants, float scale,
               float minimum, bool squares) {
  float error = 0.0f;
  for (size_t i = 0; i < values.size(); ++i) {
    const float difference = scale * static_cast<float>(quants[i]) + minimum - values[i];
    error += weights[i] * (squares ? difference * difference : std::fabs(difference));
  }
  return error;
}

void round_affine(std::span<const float> values, float inverse_scale, float minimum, int limit,
                  uint8_t* quants) {
  for (size_t i = 0; i < values.size(); ++i) {
    const int level = std::clamp(nearest_integer(inverse_scale * (values[i] - minimum)), 0, limit);
    quants[i] = static_cast<uint8_t>(level);
  }
}

}  // namespace

int nearest_integer(float value) {
  // At 1.5 * 2^23 a float's step is 1, so the addition rounds; the integer is what it adds to the mantissa.
  const uint32_t bits = std::bit_cast<uint32_t>(value + 12582912.0f);
  return static_cast<int>(bits & 0x007fffffu) - 0x00400000;
}

float fit_symmetric(std::span<const float> values, int limit, uint8_t* quants) {
  const float largest = of_largest_magnitude(values);
  if (std::fabs(largest) < kNegligible) {
    std::fill_n(quants, values.size(), uint8_t{0});
    return 0.0f;
  }
  const auto round_all = [&](float inverse_scale) {
    for (size_t i = 0; i < values.size(); ++i) {
      quants[i] = static_cast<uint8_t>(limit + symmetric_level(inverse_scale * values[i], limit));
    }
  };
  const float first = static_cast<float>(-limit) / largest;
  round_all(first);
  const Moments sums = symmetric_moments(values, first, limit);
  float scale = sums.ll != 0.0f ? sums.xl / sums.ll : 0.0f;
  float best = scale * sums.xl;
  for (int step = -9; step <= 9; ++step) {
    if (step == 0) continue;
    const float inverse_scale = -(static_cast<float>(limit) + 0.1f * static_cast<float>(step)) / largest;
    const Moments tried = symmetric_moments(values, inverse_scale, limit);
    if (tried.ll > 0.0f && tried.xl * tried.xl > best * tried.ll) {
      round_all(inverse_scale);
      scale = tried.xl / tried.ll;
      best = scale * tried.xl;
    }
  }
  return scale;
}

float fit_symmetric_by_turns(std::span<const float> values, int limit, uint8_t* quants) {
  constexpr int kRounds = 5;
  std::fill_n(quants, values.size(), uint8_t{0});
  const float largest = of_largest_magnitude(values);
  if (std::fabs(largest) < kNegligible) return 0.0f;
  const float first = static_cast<float>(-limit) / largest;
  std::array<int, kLargestGroup> levels{};
  for (size_t i = 0; i < values.size(); ++i) levels[i] = symmetric_level(first * values[i], limit);
  Moments sums = symmetric_moments(values, first, limit);
  bool changed = true;
  for (int round = 0; round < kRounds && changed; ++round) {
    changed = false;
    for (size_t i = 0; i < values.size(); ++i) {
      const float x = values[i], weight = x * x;
      const auto level = static_cast<float>(levels[i]);
      Moments others{sums.xl - weight * x * level, sums.ll - weight * level * level};
      if (!(others.xl > 0.0f)) continue;
      const int better = symmetric_level(x * others.ll / others.xl, limit);
      if (better == levels[i]) continue;
      others.xl += weight * x * static_cast<float>(better);
      others.ll += weight * static_cast<float>(better) * static_cast<float>(better);
      if (others.ll > 0.0f && others.xl * others.xl * sums.ll > sums.xl * sums.xl * others.ll) {
        levels[i] = better;
        sums = others;
        changed = true;
      }
    }
  }
  for (size_t i = 0; i < values.size(); ++i) quants[i] = static_cast<uint8_t>(levels[i] + limit);
  return sums.ll > 0.0f ? sums.xl / sums.ll : 0.0f;
}

AffineFit fit_affine(std::span<const float> values, const float* weights, int limit, AffineSearch search,
                     uint8_t* quants) {
  float minimum = values[0], maximum = values[0];
  float sum_w = weights[0], sum_x = weights[0] * values[0];
  for (size_t i = 1; i < values.size(); ++i) {
    minimum = std::min(minimum, values[i]);
    maximum = std::max(maximum, values[i]);
    sum_w += weights[i];
    sum_x += weights[i] * values[i];
  }
  minimum = std::min(minimum, 0.0f);
  if (maximum == minimum) {
    std::fill_n(quants, values.size(), uint8_t{0});
    return {0.0f, -minimum};
  }
  const float first = static_cast<float>(limit) / (maximum - minimum);
  float scale = 1.0f / first;
  round_affine(values, first, minimum, limit, quants);
  float best = error_of(values, weights, quants, scale, minimum, search.squares);

  std::array<uint8_t, kLargestGroup> tried{};
  for (int step = 0; step <= search.last; ++step) {
    // `minimum` is that of the best fit so far.
    const float inverse_scale =
        (search.first + 0.1f * static_cast<float>(step) + static_cast<float>(limit)) / (maximum - minimum);
    round_affine(values, inverse_scale, minimum, limit, tried.data());
    float sum_l = 0.0f;
    Moments sums;
    for (size_t i = 0; i < values.size(); ++i) {
      const auto level = static_cast<float>(tried[i]);
      sum_l += weights[i] * level;
      sums.ll += weights[i] * level * level;
      sums.xl += weights[i] * level * values[i];
    }
    const float determinant = sum_w * sums.ll - sum_l * sum_l;
    if (!(determinant > 0.0f)) continue;
    float tried_scale = (sum_w * sums.xl - sum_x * sum_l) / determinant;
    float tried_minimum = (sums.ll * sum_x - sum_l * sums.xl) / determinant;
    if (tried_minimum > 0.0f) {
      tried_minimum = 0.0f;
      tried_scale = sums.xl / sums.ll;
    }
    const float error = error_of(values, weights, tried.data(), tried_scale, tried_minimum, search.squares);
    if (error < best) {
      std::copy_n(tried.data(), values.size(), quants);
      best = error;
      scale = tried_scale;
      minimum = tried_minimum;
    }
  }
  return {scale, -minimum};
}

}  // namespace tenon::quant
