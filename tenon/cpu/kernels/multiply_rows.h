// Small dense products in registers, for attention.
#pragma once

#include <cstdint>

#include "tenon/cpu/simd/inline.h"

namespace tenon::cpu {

template <class V>
TENON_INLINE typename V::F32 load_number(const float* p) {
  return V::load(p);
}
template <class V>
TENON_INLINE typename V::F32 load_number(const uint16_t* p) {
  return V::load_f16(p);
}
// The first n, 0 <= n <= kLanes; zeros beyond.
template <class V>
TENON_INLINE typename V::F32 load_number(const float* p, int64_t n) {
  return V::load(p, n);
}
template <class V>
TENON_INLINE typename V::F32 load_number(const uint16_t* p, int64_t n) {
  return V::load_f16(p, n);
}

// c[r, v] (+)= Σ a[r, k] * b[k, v] for kRows rows and kVectors vectors. b is f32 or f16; leading dimensions
// count numbers.
template <class V, int kRows, int kVectors, class Number>
TENON_INLINE void multiply_tile(const float* a, int64_t lda, const Number* b, int64_t ldb, int64_t depth,
                                float* c, int64_t ldc, bool accumulate) {
  typename V::F32 sums[kRows][kVectors];
  unroll<kRows>([&](auto r) TENON_BODY {
    unroll<kVectors>([&](auto v) TENON_BODY {
      sums[r][v] = accumulate ? V::load(c + r * ldc + v * V::kLanes) : V::zero();
    });
  });
  for (int64_t k = 0; k < depth; ++k) {
    typename V::F32 row[kVectors];
    unroll<kVectors>([&](auto v) TENON_BODY { row[v] = load_number<V>(b + k * ldb + v * V::kLanes); });
    unroll<kRows>([&](auto r) TENON_BODY {
      const typename V::F32 factor = V::set(a[r * lda + k]);
      unroll<kVectors>([&](auto v) TENON_BODY { sums[r][v] = V::fma(factor, row[v], sums[r][v]); });
    });
  }
  unroll<kRows>([&](auto r) TENON_BODY {
    unroll<kVectors>([&](auto v) TENON_BODY { V::store(c + r * ldc + v * V::kLanes, sums[r][v]); });
  });
}

template <class V, int kVectors, class Number>
inline void multiply_columns(int64_t rows, const float* a, int64_t lda, const Number* b, int64_t ldb,
                             int64_t depth, float* c, int64_t ldc, bool accumulate) {
  int64_t r = 0;
  for (; r + 6 <= rows; r += 6) {
    multiply_tile<V, 6, kVectors>(a + r * lda, lda, b, ldb, depth, c + r * ldc, ldc, accumulate);
  }
  unroll<5>([&](auto i) TENON_BODY {
    if (rows - r == i + 1) {
      multiply_tile<V, i + 1, kVectors>(a + r * lda, lda, b, ldb, depth, c + r * ldc, ldc, accumulate);
    }
  });
}

// The same for any number of rows; `width` is a multiple of kLanes.
template <class V, class Number>
inline void multiply_rows(int64_t rows, int64_t width, const float* a, int64_t lda, const Number* b,
                          int64_t ldb, int64_t depth, float* c, int64_t ldc, bool accumulate) {
  constexpr int kWide = V::kLanes == 16 ? 4 : 2;  // 6 x kWide sums and a row of b fit the registers
  int64_t v = 0;
  for (; v + kWide * V::kLanes <= width; v += kWide * V::kLanes) {
    multiply_columns<V, kWide>(rows, a, lda, b + v, ldb, depth, c + v, ldc, accumulate);
  }
  for (; v < width; v += V::kLanes) {
    multiply_columns<V, 1>(rows, a, lda, b + v, ldb, depth, c + v, ldc, accumulate);
  }
}

}  // namespace tenon::cpu
