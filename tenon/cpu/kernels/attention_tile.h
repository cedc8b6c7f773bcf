// One worker's piece of attention: a tile of query rows (some tokens by all heads of one kv head) against one
// range of keys, block of keys by block of keys, with the running maximum and sum of an online softmax.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "tenon/cpu/attention.h"
#include "tenon/cpu/kernels/activations.h"
#include "tenon/cpu/kernels/exp.h"

namespace tenon::cpu {

// c[r, v] (+)= Σ a[r, k] * b[k, v] for kRows rows and kVectors vectors; leading dimensions in floats.
template <class V, int kRows, int kVectors>
TENON_INLINE void multiply_tile(const float* a, int64_t lda, const float* b, int64_t ldb, int64_t depth,
                                float* c, int64_t ldc, bool accumulate) {
  typename V::F32 sums[kRows][kVectors];
  unroll<kRows>([&](auto r) TENON_BODY {
    unroll<kVectors>([&](auto v) TENON_BODY {
      sums[r][v] = accumulate ? V::load(c + r * ldc + v * V::kLanes) : V::zero();
    });
  });
  for (int64_t k = 0; k < depth; ++k) {
    typename V::F32 row[kVectors];
    unroll<kVectors>([&](auto v) TENON_BODY { row[v] = V::load(b + k * ldb + v * V::kLanes); });
    unroll<kRows>([&](auto r) TENON_BODY {
      const typename V::F32 factor = V::set(a[r * lda + k]);
      unroll<kVectors>([&](auto v) TENON_BODY { sums[r][v] = V::fma(factor, row[v], sums[r][v]); });
    });
  }
  unroll<kRows>([&](auto r) TENON_BODY {
    unroll<kVectors>([&](auto v) TENON_BODY { V::store(c + r * ldc + v * V::kLanes, sums[r][v]); });
  });
}

template <class V, int kVectors>
inline void multiply_columns(int64_t rows, const float* a, int64_t lda, const float* b, int64_t ldb,
                             int64_t depth, float* c, int64_t ldc, bool accumulate) {
  int64_t r = 0;
  for (; r + 6 <= rows; r += 6) {
    multiply_tile<V, 6, kVectors>(a + r * lda, lda, b, ldb, depth, c + r * ldc, ldc, accumulate);
  }
  const auto rest = [&](auto n) TENON_BODY {
    if (rows - r == n)
      multiply_tile<V, n, kVectors>(a + r * lda, lda, b, ldb, depth, c + r * ldc, ldc, accumulate);
  };
  unroll<5>([&](auto i) TENON_BODY { rest(Index<i + 1>{}); });
}

// The same for any number of rows; `width` is a multiple of kLanes.
template <class V>
inline void multiply(int64_t rows, int64_t width, const float* a, int64_t lda, const float* b, int64_t ldb,
                     int64_t depth, float* c, int64_t ldc, bool accumulate) {
  constexpr int kWide = V::kLanes == 16 ? 4 : 2;  // 6 x kWide sums and a row of b fit the registers
  int64_t v = 0;
  for (; v + kWide * V::kLanes <= width; v += kWide * V::kLanes) {
    multiply_columns<V, kWide>(rows, a, lda, b + v, ldb, depth, c + v, ldc, accumulate);
  }
  for (; v < width; v += V::kLanes) {
    multiply_columns<V, 1>(rows, a, lda, b + v, ldb, depth, c + v, ldc, accumulate);
  }
}

template <class V>
struct AttentionTile {
  using F32 = typename V::F32;
  static constexpr int64_t kKeys = 64;  // keys of a block
  static constexpr float kNothing = -std::numeric_limits<float>::infinity();

  // Rows are token-major: row = token * heads of the group + head. `width` is the head size in whole vectors.
  int64_t rows = 0, width = 0;
  float* q = nullptr;               // [rows, width], times the scale
  float* k = nullptr;               // [width, kKeys]: the block's keys, turned
  float* v = nullptr;               // [kKeys, width]
  float* scores = nullptr;          // [rows, kKeys]
  float* out = nullptr;             // [rows, width]: Σ weight * v
  float* largest = nullptr;         // [rows]
  float* sum = nullptr;             // [rows]: Σ weight, weights relative to e^largest
  int32_t* key_position = nullptr;  // [kKeys], -1 beyond the block's end

  static AttentionTile take(Arena& arena, int64_t rows, int64_t head_size) {
    AttentionTile tile;
    tile.rows = rows;
    tile.width = round_up(head_size, V::kLanes);
    tile.q = arena.take<float>(rows * tile.width);
    tile.k = arena.take<float>(kKeys * tile.width);
    tile.v = arena.take<float>(kKeys * tile.width);
    tile.scores = arena.take<float>(rows * kKeys);
    tile.out = arena.take<float>(rows * tile.width);
    tile.largest = arena.take<float>(rows);
    tile.sum = arena.take<float>(rows);
    tile.key_position = arena.take<int32_t>(kKeys);
    return tile;
  }

  static TENON_INLINE F32 load_number(const std::byte* row, ElementType type, int64_t i, int64_t n) {
    if (type == ElementType::kF16) {
      const auto* p = reinterpret_cast<const uint16_t*>(row) + i;
      return n == V::kLanes ? V::load_f16(p) : V::load_f16(p, n);
    }
    const auto* p = reinterpret_cast<const float*>(row) + i;
    return n == V::kLanes ? V::load(p) : V::load(p, n);
  }

  void load_queries(const AttentionJob& job, int64_t first_token, int64_t tokens, int64_t kv_head) {
    const int64_t group = job.heads / job.kv_heads;
    rows = tokens * group;
    for (int64_t r = 0; r < rows; ++r) {
      const std::byte* row = job.q + (first_token + r / group) * job.q_token_stride +
                             (kv_head * group + r % group) * job.q_head_stride;
      for (int64_t i = 0; i < width; i += V::kLanes) {
        const F32 x = load_number(row, job.q_type, i, smaller(job.head_size - i, V::kLanes));
        V::store(q + r * width + i, V::mul(x, V::set(job.scale)));
        V::store(out + r * width + i, V::zero());
      }
      largest[r] = kNothing;
      sum[r] = 0.0f;
    }
  }

  // Keys and values first … first + count - 1. Beyond them k repeats the last key, and v is not read.
  void load_block(const AttentionJob& job, int64_t kv_head, int64_t first, int64_t count) {
    const std::byte* keys = job.k + first * job.k_token_stride + kv_head * job.k_head_stride;
    const std::byte* values = job.v + first * job.v_token_stride + kv_head * job.v_head_stride;
    for (int64_t i = 0; i < width; i += V::kLanes) {
      const int64_t n = smaller(job.head_size - i, V::kLanes);
      for (int64_t key = 0; key < count; key += V::kLanes) {
        typename V::I32 block[V::kLanes];
        unroll<V::kLanes>([&](auto j) TENON_BODY {
          const std::byte* row = keys + smaller(key + j, count - 1) * job.k_token_stride;
          block[j] = V::as_i32(load_number(row, job.k_type, i, n));
        });
        V::transpose(block);
        unroll<V::kLanes>([&](auto j)
                              TENON_BODY { V::store(k + (i + j) * kKeys + key, V::as_f32(block[j])); });
      }
    }
    for (int64_t key = 0; key < count; ++key) {
      for (int64_t i = 0; i < width; i += V::kLanes) {
        const int64_t n = smaller(job.head_size - i, V::kLanes);
        V::store(v + key * width + i, load_number(values + key * job.v_token_stride, job.v_type, i, n));
      }
    }
    for (int64_t key = 0; key < kKeys; ++key) {
      const int64_t at = first + key;
      key_position[key] = key >= count ? -1
                          : job.mask == AttentionMask::kCausal && job.key_positions != nullptr
                              ? job.key_positions[at]
                              : static_cast<int32_t>(at);
    }
  }

  // Takes the loaded block into out, largest and sum.
  void add_block(const AttentionJob& job, int64_t first_token, int64_t first, int64_t count) {
    multiply<V>(rows, round_up(count, V::kLanes), q, width, k, kKeys, job.head_size, scores, kKeys, false);
    const int64_t group = job.heads / job.kv_heads;
    for (int64_t r = 0; r < rows; ++r) {
      const int64_t token = first_token + r / group;
      int32_t low = 0, high = std::numeric_limits<int32_t>::max();
      if (job.mask == AttentionMask::kCausal) {
        high = job.positions[token];
        if (job.window > 0) low = static_cast<int32_t>(larger(high - job.window + 1, 0));
      }
      const std::byte* mask =
          job.mask == AttentionMask::kRows ? job.mask_rows + token * job.mask_stride : nullptr;
      add_weights(r, low, high, mask, job.mask_type, first, count);
    }
    multiply<V>(rows, width, scores, kKeys, v, width, count, out, width, true);
  }

 private:
  // Scores of row r become weights; what was added before is put in relation to the new maximum.
  TENON_INLINE void add_weights(int64_t r, int32_t low, int32_t high, const std::byte* mask,
                                ElementType mask_type, int64_t first, int64_t count) {
    float* row = scores + r * kKeys;
    F32 most = V::set(largest[r]);
    for (int64_t key = 0; key < count; key += V::kLanes) {
      F32 s = V::load(row + key);
      if (mask != nullptr)
        s = V::add(s, load_number(mask, mask_type, first + key, smaller(count - key, V::kLanes)));
      s = V::select_between(V::load_i32(key_position + key), V::set_i32(low), V::set_i32(high), s,
                            V::set(kNothing));
      V::store(row + key, s);
      most = V::max(s, most);
    }
    const float now = V::largest(most);
    if (now == kNothing) {  // nothing seen so far
      for (int64_t key = 0; key < count; key += V::kLanes) V::store(row + key, V::zero());
      return;
    }
    F32 total = V::zero();
    for (int64_t key = 0; key < count; key += V::kLanes) {
      const F32 weight = exp<V>(V::sub(V::load(row + key), V::set(now)));
      V::store(row + key, weight);
      total = V::add(total, weight);
    }
    if (now != largest[r]) {
      const F32 shrink = exp<V>(V::set(largest[r] - now));
      for (int64_t i = 0; i < width; i += V::kLanes) {
        V::store(out + r * width + i, V::mul(V::load(out + r * width + i), shrink));
      }
      V::store(sum + r, V::mul(V::set(sum[r]), shrink), 1);
      largest[r] = now;
    }
    sum[r] += V::sum(total);
  }
};

}  // namespace tenon::cpu
