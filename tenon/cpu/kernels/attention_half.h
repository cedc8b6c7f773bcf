// Attention of many query rows against f16 keys and values, multiplied as f16: two products to each that f32
// takes. Scores become weights in f32, and outputs of blocks are added in f32. A block whose numbers could
// leave f16's range is done in f32.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tenon/cpu/kernels/attention_tile.h"
#include "tenon/cpu/kernels/multiply_halves.h"

namespace tenon::cpu {

template <class V>
struct AttentionHalf : AttentionTile<V> {
  using F32 = typename V::F32;
  using F16 = typename V::F16;
  using Tile = AttentionTile<V>;
  using Tile::kKeys, Tile::of, Tile::scores;

  uint32_t* half_q = nullptr;  // [rows, width], each number twice
  uint16_t* half_k = nullptr;  // [width, kKeys]: keys, turned
  uint16_t* half_v = nullptr;  // [kKeys, width]
  float most_q = 0.0f;         // the largest Σ |q| of the rows

  static AttentionHalf take(Arena& arena, int64_t rows, int64_t head_size) {
    AttentionHalf half{Tile::take(arena, rows, head_size)};
    const int64_t width = half.of.width;
    half.half_q = arena.take<uint32_t>(rows * width);
    half.half_k = arena.take<uint16_t>(width * kKeys);
    half.half_v = arena.take<uint16_t>(width * kKeys);
    return half;
  }

  void begin(const AttentionJob& job, int64_t first_token, int64_t tokens, int64_t kv_head) {
    Tile::begin(job, first_token, tokens, kv_head);
    most_q = 0.0f;
    for (int64_t r = 0; r < of.rows; ++r) {
      F32 total = V::zero();
      for (int64_t i = 0; i < of.width; i += V::kLanes) {
        const F32 x = V::load(of.q + r * of.width + i);
        V::store_twice(half_q + r * of.width + i, x);
        total = V::add(total, V::abs(x));
      }
      const float sum = V::sum(total);
      if (!(sum <= most_q)) most_q = sum;
    }
  }

  // As AttentionTile's.
  void add_block(const AttentionJob& job, int64_t kv_head, int64_t first, int64_t count, int64_t next_head,
                 int64_t next_first) {
    const CachedRows keys = keys_of(job, kv_head), values = values_of(job, kv_head);
    F16 most_k = V::half_zero(), most_v = V::half_zero();
    for_each_run(job, first, count, [&](int64_t place, int64_t n) TENON_BODY {
      for (int64_t key = 0; key < n; key += 2 * V::kLanes) {
        turn_halves(keys.at(job, first + place) + key * keys.stride, keys.stride, job.head_size,
                    smaller(n - key, 2 * V::kLanes), half_k + place + key, most_k);
      }
      copy_values(values.at(job, first + place), values.stride, job.head_size, n, place, most_v);
    });
    // No q exceeds Σ |q|, and no sum of some of the products that by the largest |k|, or kKeys weights, each
    // at most 1, by the largest |v|.
    constexpr float kLargest = 65504.0f;
    if (!(most_q <= kLargest && most_q * V::largest_half(most_k) <= kLargest &&
          kKeys * V::largest_half(most_v) <= kLargest)) {
      Tile::add_block(job, kv_head, first, count, next_head, next_first);
      return;
    }
    multiply_halves<V>(of.rows, kKeys, half_q, of.width, half_k, kKeys, job.head_size, scores, kKeys, false);
    this->for_each_row(job, next_head, next_first,
                       [&](int64_t r) TENON_BODY { weigh_halves(job, r, first, count); });
    multiply_halves<V>(of.rows, of.width, weights_of(0), kKeys, half_v, of.width, count, of.out, of.width,
                       true);
  }

 private:
  // Weights take the place of the scores that they come from.
  uint32_t* weights_of(int64_t r) const { return reinterpret_cast<uint32_t*>(scores + r * kKeys); }

  // to[i, key] = element i of row `key` for 32 rows, of which beyond the last it repeats that one. Even and
  // odd rows are turned by themselves, as pairs of elements that are one 32-bit lane, and then woven.
  TENON_INLINE void turn_halves(const std::byte* from, int64_t stride, int64_t head_size, int64_t count,
                                uint16_t* to, F16& most) const {
    for (int64_t i = 0; i < head_size; i += V::kHalfLanes) {
      const int64_t n = smaller(head_size - i, V::kHalfLanes);
      typename V::I32 turned[2][V::kLanes];
      unroll<2>([&](auto odd) TENON_BODY {
        unroll<V::kLanes>([&](auto j) TENON_BODY {
          const std::byte* row = from + smaller(2 * j + odd, count - 1) * stride;
          const F16 part = V::load_half(reinterpret_cast<const uint16_t*>(row) + i, n);
          most = V::half_magnitude(part, most);
          turned[odd][j] = V::bits(part);
        });
        V::transpose(turned[odd]);
      });
      unroll<V::kLanes>([&](auto j) TENON_BODY {
        V::store_half(to + (i + 2 * j) * kKeys, V::weave_low(turned[0][j], turned[1][j]));
        V::store_half(to + (i + 2 * j + 1) * kKeys, V::weave_high(turned[0][j], turned[1][j]));
      });
    }
  }

  TENON_INLINE void copy_values(const std::byte* from, int64_t stride, int64_t head_size, int64_t count,
                                int64_t place, F16& most) const {
    for (int64_t key = 0; key < count; ++key, from += stride) {
      for (int64_t i = 0; i < head_size; i += V::kHalfLanes) {
        const int64_t n = smaller(head_size - i, V::kHalfLanes);
        const F16 part = V::load_half(reinterpret_cast<const uint16_t*>(from) + i, n);
        most = V::half_magnitude(part, most);
        V::store_half(half_v + (place + key) * of.width + i, part);
      }
    }
  }

  // Scores of row r become weights, none of them above 1.
  TENON_INLINE void weigh_halves(const AttentionJob& job, int64_t r, int64_t first, int64_t count) {
    constexpr float kLog2E = 1.44269504f;
    float* row = scores + r * kKeys;
    this->prepare_scores(job, r, first, count);
    const F32 base = V::set(of.largest[r] == kNoScore ? 0.0f : -kLog2E * of.largest[r]);
    F32 total = V::zero();
    for (int64_t key = 0; key < count; key += V::kLanes) {
      const F32 weight = V::power_of_two(V::fma(V::load(row + key), V::set(kLog2E), base));
      V::store_twice(weights_of(r) + key, weight);
      total = V::add(total, weight);
    }
    of.sum[r] += V::sum(total);
  }
};

}  // namespace tenon::cpu
