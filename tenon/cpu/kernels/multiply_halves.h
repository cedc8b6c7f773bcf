// Dense products of f16 numbers, summed in f16 for short, for attention. An f16 has 11 bits: sums of kChain
// products are taken by themselves and only then added up, so that what is rounded stays small, and a whole
// product of at most some hundred terms goes into f32.
#pragma once

#include <cstdint>

#include "tenon/cpu/simd/inline.h"

namespace tenon::cpu {

// c[r, v] (+)= Σ a[r, k] * b[k, v] for kRows rows and kVectors vectors of 32. Numbers of a are there twice
// (see store_twice). Leading dimensions count numbers.
template <class V, int64_t kRows, int64_t kVectors>
TENON_INLINE void multiply_half_tile(const uint32_t* a, int64_t lda, const uint16_t* b, int64_t ldb,
                                     int64_t depth, float* c, int64_t ldc, bool accumulate) {
  constexpr int64_t kChain = 16;
  using F16 = typename V::F16;
  F16 sums[kRows][kVectors];
  unroll<kRows>(
      [&](auto r) TENON_BODY { unroll<kVectors>([&](auto v) TENON_BODY { sums[r][v] = V::half_zero(); }); });
  for (int64_t first = 0; first < depth; first += kChain) {
    F16 chain[kRows][kVectors];
    unroll<kRows>([&](auto r) TENON_BODY {
      unroll<kVectors>([&](auto v) TENON_BODY { chain[r][v] = V::half_zero(); });
    });
    const int64_t end = smaller(first + kChain, depth);
    for (int64_t k = first; k < end; ++k) {
      F16 row[kVectors];
      unroll<kVectors>([&](auto v) TENON_BODY { row[v] = V::load_half(b + k * ldb + v * V::kHalfLanes); });
      unroll<kRows>([&](auto r) TENON_BODY {
        const F16 factor = V::set_twice(a[r * lda + k]);
        unroll<kVectors>([&](auto v) TENON_BODY { chain[r][v] = V::half_fma(factor, row[v], chain[r][v]); });
      });
    }
    unroll<kRows>([&](auto r) TENON_BODY {
      unroll<kVectors>([&](auto v) TENON_BODY { sums[r][v] = V::half_add(sums[r][v], chain[r][v]); });
    });
  }
  unroll<kRows>([&](auto r) TENON_BODY {
    unroll<kVectors>([&](auto v) TENON_BODY {
      float* to = c + r * ldc + v * V::kHalfLanes;
      const auto add = [&](float* at, typename V::F32 x)
                           TENON_BODY { V::store(at, accumulate ? V::add(V::load(at), x) : x); };
      add(to, V::low_half(sums[r][v]));
      add(to + V::kLanes, V::high_half(sums[r][v]));
    });
  });
}

template <class V, int64_t kVectors>
inline void multiply_half_columns(int64_t rows, const uint32_t* a, int64_t lda, const uint16_t* b,
                                  int64_t ldb, int64_t depth, float* c, int64_t ldc, bool accumulate) {
  int64_t r = 0;
  for (; r + 6 <= rows; r += 6) {
    multiply_half_tile<V, 6, kVectors>(a + r * lda, lda, b, ldb, depth, c + r * ldc, ldc, accumulate);
  }
  unroll<5>([&](auto i) TENON_BODY {
    if (rows - r == i + 1) {
      multiply_half_tile<V, i + 1, kVectors>(a + r * lda, lda, b, ldb, depth, c + r * ldc, ldc, accumulate);
    }
  });
}

// The same for any number of rows; `width` is a multiple of kHalfLanes.
template <class V>
inline void multiply_halves(int64_t rows, int64_t width, const uint32_t* a, int64_t lda, const uint16_t* b,
                            int64_t ldb, int64_t depth, float* c, int64_t ldc, bool accumulate) {
  int64_t v = 0;
  for (; v + 2 * V::kHalfLanes <= width; v += 2 * V::kHalfLanes) {
    multiply_half_columns<V, 2>(rows, a, lda, b + v, ldb, depth, c + v, ldc, accumulate);
  }
  if (v < width) multiply_half_columns<V, 1>(rows, a, lda, b + v, ldb, depth, c + v, ldc, accumulate);
}

}  // namespace tenon::cpu
