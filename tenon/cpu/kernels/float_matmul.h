// Products of f32, f16 and bf16 weights and f32 x.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tenon/cpu/kernels/format_ops.h"
#include "tenon/cpu/simd/prefetch.h"

namespace tenon::cpu {

// kLanes numbers of a row, or the first n.
template <class V>
struct ReadF32 {
  using Number = float;
  static TENON_INLINE typename V::F32 load(const float* p) { return V::load(p); }
  static TENON_INLINE typename V::F32 load(const float* p, int64_t n) { return V::load(p, n); }
};
template <class V>
struct ReadF16 {
  using Number = uint16_t;
  static TENON_INLINE typename V::F32 load(const uint16_t* p) { return V::load_f16(p); }
  static TENON_INLINE typename V::F32 load(const uint16_t* p, int64_t n) { return V::load_f16(p, n); }
};
template <class V>
struct ReadBF16 {
  using Number = uint16_t;
  static TENON_INLINE typename V::F32 load(const uint16_t* p) { return V::load_bf16(p); }
  static TENON_INLINE typename V::F32 load(const uint16_t* p, int64_t n) { return V::load_bf16(p, n); }
};

// Enough sums to cover the latency of a multiply-add, and no more than there are registers.
template <class V>
inline constexpr int kFloatTile = V::kLanes == 16 ? 16 : 12;

template <class V, class R>
struct FloatOps {
  using F32 = typename V::F32;
  using Number = typename R::Number;
  static constexpr int kTile = kFloatTile<V>;

  // --- few tokens: kRows rows by kTokens tokens at once, eight sums or so, to cover their latency. Each sum
  // takes its row from front to back, whatever the tile, so that a token's result does not depend on how many
  // there are ---

  template <int kRows, int kTokens>
  static void dot_rows(const WeightRows& rows, int64_t first_row, const Activations& x, int64_t token,
                       float* c) {
    F32 sums[kRows][kTokens];
    const Number* weights[kRows];
    unroll<kRows>([&](auto r) TENON_BODY {
      weights[r] = reinterpret_cast<const Number*>(rows.row(first_row + r));
      unroll<kTokens>([&](auto t) TENON_BODY { sums[r][t] = V::zero(); });
    });
    const float* row = x.x + token * x.x_stride;
    const int64_t ahead = ahead_of(kRows, rows.row_bytes);
    int64_t k = 0;
    for (; k + V::kLanes <= x.depth; k += V::kLanes) {
      F32 xs[kTokens];
      unroll<kTokens>([&](auto t) TENON_BODY { xs[t] = V::load(row + t * x.x_stride + k); });
      unroll<kRows>([&](auto r) TENON_BODY {
        prefetch<V::kLanes * sizeof(Number)>(reinterpret_cast<const std::byte*>(weights[r] + k) + ahead);
        const F32 w = R::load(weights[r] + k);
        unroll<kTokens>([&](auto t) TENON_BODY { sums[r][t] = V::fma(w, xs[t], sums[r][t]); });
      });
    }
    if (k < x.depth) {
      const int64_t n = x.depth - k;
      unroll<kRows>([&](auto r) TENON_BODY {
        const F32 w = R::load(weights[r] + k, n);
        unroll<kTokens>([&](auto t) TENON_BODY {
          sums[r][t] = V::fma(w, V::load(row + t * x.x_stride + k, n), sums[r][t]);
        });
      });
    }
    unroll<kRows>([&](auto r) TENON_BODY {
      unroll<kTokens>([&](auto t)
                          TENON_BODY { c[(token + t) * V::kLanes + first_row + r] = V::sum(sums[r][t]); });
    });
  }

  template <int kRows, int kTokens>
  static void dot_all_rows(const WeightRows& rows, const Activations& x, int64_t token, float* c) {
    for (int64_t r = 0; r < rows.count; r += kRows) dot_rows<kRows, kTokens>(rows, r, x, token, c);
  }

  static void dot(const WeightRows& rows, const Activations& x, float* c) {
    int64_t token = 0;
    for (; token + 4 <= x.tokens; token += 4) dot_all_rows<2, 4>(rows, x, token, c);
    if (x.tokens - token == 3) dot_all_rows<2, 3>(rows, x, token, c);
    if (x.tokens - token == 2) dot_all_rows<4, 2>(rows, x, token, c);
    if (x.tokens - token == 1) dot_all_rows<8, 1>(rows, x, token, c);
  }

  // --- many tokens: unpacked rows are f32, a row to a lane ---

  static int64_t panel_bytes(int64_t depth) {
    return depth * V::kLanes * static_cast<int64_t>(sizeof(float));
  }

  static void unpack(const WeightRows& rows, int64_t depth, std::byte* base) {
    auto* out = reinterpret_cast<float*>(base);
    for (int64_t k = 0; k < depth; k += V::kLanes) {
      const int64_t n = smaller(depth - k, V::kLanes);
      typename V::I32 words[V::kLanes];
      unroll<V::kLanes>([&](auto r) TENON_BODY {
        const Number* row = reinterpret_cast<const Number*>(rows.row(r)) + k;
        words[r] = V::as_i32(n == V::kLanes ? R::load(row) : R::load(row, n));
      });
      V::transpose(words);
      for (int64_t i = 0; i < n; ++i) V::store(out + (k + i) * V::kLanes, V::as_f32(words[i]));
    }
  }

  static void prepare(const Activations&, int64_t, int32_t*) {}

  template <int kTokens>
  static void multiply_tokens(const float* panel, const Activations& x, int64_t tile, float* c) {
    F32 sums[kTokens];
    unroll<kTokens>([&](auto t) TENON_BODY { sums[t] = V::zero(); });
    const float* row = x.packed + tile * x.depth * kTile;
    for (int64_t k = 0; k < x.depth; ++k) {
      const F32 w = V::load(panel + k * V::kLanes);
      unroll<kTokens>([&](auto t) TENON_BODY { sums[t] = V::fma(w, V::set(row[k * kTile + t]), sums[t]); });
    }
    unroll<kTokens>([&](auto t) TENON_BODY { V::store(c + t * V::kLanes, sums[t]); });
  }

  static void multiply(const std::byte* base, const Activations& x, int64_t tile, const int32_t*, float* c) {
    const auto* panel = reinterpret_cast<const float*>(base);
    const int64_t quarter = divide_up(smaller(x.tokens - tile * kTile, kTile), kTile / 4);
    if (quarter == 4)
      multiply_tokens<kTile>(panel, x, tile, c);
    else if (quarter == 3)
      multiply_tokens<kTile / 4 * 3>(panel, x, tile, c);
    else if (quarter == 2)
      multiply_tokens<kTile / 2>(panel, x, tile, c);
    else
      multiply_tokens<kTile / 4>(panel, x, tile, c);
  }

  static constexpr FormatOps kOps = {false, kTile, &dot, &panel_bytes, &unpack, &prepare, &multiply};
};

}  // namespace tenon::cpu
