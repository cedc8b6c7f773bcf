// The vectors of AVX-512 with FP16: those of avx512.h, and 32 lanes of f16 that are multiplied as such.
#pragma once

#include "tenon/cpu/simd/avx512.h"

namespace tenon::cpu {

struct Avx512Fp16 : Avx512 {
  static constexpr int kHalfLanes = 32, kMostLanes = kHalfLanes;
  using F16 = __m512h;

  static TENON_INLINE F16 half_zero() { return _mm512_setzero_ph(); }
  static TENON_INLINE F16 half_add(F16 a, F16 b) { return _mm512_add_ph(a, b); }
  static TENON_INLINE F16 half_fma(F16 a, F16 b, F16 c) { return _mm512_fmadd_ph(a, b, c); }  // a * b + c
  static TENON_INLINE F16 load_half(const uint16_t* p) { return _mm512_loadu_ph(p); }
  static TENON_INLINE void store_half(uint16_t* p, F16 x) { _mm512_storeu_ph(p, x); }
  // The first n lanes, 0 <= n <= kHalfLanes; the others are 0 and their memory is not touched.
  static TENON_INLINE F16 load_half(const uint16_t* p, int64_t n) {
    const auto lanes = static_cast<__mmask32>((uint64_t{1} << n) - 1);
    return _mm512_castsi512_ph(_mm512_maskz_loadu_epi16(lanes, p));
  }
  // The larger of the magnitudes of a and b.
  static TENON_INLINE F16 half_magnitude(F16 a, F16 b) { return _mm512_max_ph(_mm512_abs_ph(a), b); }
  static TENON_INLINE float largest_half(F16 a) { return largest(max(low_half(a), high_half(a))); }

  // Lanes 0 … 15, and 16 … 31.
  static TENON_INLINE F32 low_half(F16 a) { return _mm512_cvtxph_ps(_mm512_castph512_ph256(a)); }
  static TENON_INLINE F32 high_half(F16 a) {
    return _mm512_cvtxph_ps(_mm256_castsi256_ph(_mm512_extracti64x4_epi64(_mm512_castph_si512(a), 1)));
  }

  // A number that is to be multiplied by whole vectors is kept twice in 32 bits: a load can spread those to
  // all lanes by itself, 16 bits not.
  static TENON_INLINE void store_twice(uint32_t* p, F32 x) {
    const __m512i lanes = _mm512_set_epi16(15, 15, 14, 14, 13, 13, 12, 12, 11, 11, 10, 10, 9, 9, 8, 8, 7, 7,
                                           6, 6, 5, 5, 4, 4, 3, 3, 2, 2, 1, 1, 0, 0);
    const __m512i halves = _mm512_castsi256_si512(_mm256_castph_si256(_mm512_cvtxps_ph(x)));
    _mm512_storeu_si512(p, _mm512_permutexvar_epi16(lanes, halves));
  }
  static TENON_INLINE F16 set_twice(uint32_t twice) {
    return _mm512_castsi512_ph(_mm512_set1_epi32(static_cast<int32_t>(twice)));
  }

  // Of 32-bit lanes, low or high 16 bits each: lanes a0, b0, a1, b1, …
  static TENON_INLINE F16 weave_low(I32 a, I32 b) {
    return _mm512_castsi512_ph(_mm512_mask_blend_epi16(0xaaaaaaaa, a, _mm512_slli_epi32(b, 16)));
  }
  static TENON_INLINE F16 weave_high(I32 a, I32 b) {
    return _mm512_castsi512_ph(_mm512_mask_blend_epi16(0xaaaaaaaa, _mm512_srli_epi32(a, 16), b));
  }
  static TENON_INLINE I32 bits(F16 a) { return _mm512_castph_si512(a); }

  // 2^x within 3e-6 of it, for numbers that become f16; 0 for -inf. 2^x = 2^floor(x) * 2^f, 0 <= f < 1; the
  // polynomial is the one of degree 4 with the least largest relative error that is 1 at 0.
  static TENON_INLINE F32 power_of_two(F32 x) {
    const F32 f = _mm512_reduce_ps(x, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
    F32 p = set(kPower[3]);
    p = fma(p, f, set(kPower[2]));
    p = fma(p, f, set(kPower[1]));
    p = fma(p, f, set(kPower[0]));
    return _mm512_scalef_ps(fma(p, f, set(1.0f)), x);
  }

 private:
  static constexpr float kPower[4] = {0.69304484f, 0.24128021f, 0.052242465f, 0.013426689f};
};

}  // namespace tenon::cpu
