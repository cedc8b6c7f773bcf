// The vectors of AVX2 with FMA and F16C. What the functions do is said in avx512.h.
#pragma once

#include <immintrin.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tenon/cpu/simd/inline.h"

namespace tenon::cpu {

struct Avx2 {
  static constexpr char kName[] = "avx2";
  static constexpr int kLanes = 8, kMostLanes = 8;
  static constexpr int kBytes = 32;

  using F32 = __m256;
  using I32 = __m256i;
  using Bytes = __m256i;

  // --- floats ---
  static TENON_INLINE F32 zero() { return _mm256_setzero_ps(); }
  static TENON_INLINE F32 set(float x) { return _mm256_set1_ps(x); }
  static TENON_INLINE F32 load(const float* p) { return _mm256_loadu_ps(p); }
  static TENON_INLINE void store(float* p, F32 x) { _mm256_storeu_ps(p, x); }
  static TENON_INLINE F32 load(const float* p, int64_t n) { return _mm256_maskload_ps(p, first(n)); }
  static TENON_INLINE void store(float* p, F32 x, int64_t n) { _mm256_maskstore_ps(p, first(n), x); }
  static TENON_INLINE F32 add(F32 a, F32 b) { return _mm256_add_ps(a, b); }
  static TENON_INLINE F32 sub(F32 a, F32 b) { return _mm256_sub_ps(a, b); }
  static TENON_INLINE F32 mul(F32 a, F32 b) { return _mm256_mul_ps(a, b); }
  static TENON_INLINE F32 div(F32 a, F32 b) { return _mm256_div_ps(a, b); }
  static TENON_INLINE F32 fma(F32 a, F32 b, F32 c) { return _mm256_fmadd_ps(a, b, c); }
  static TENON_INLINE F32 fnma(F32 a, F32 b, F32 c) { return _mm256_fnmadd_ps(a, b, c); }
  static TENON_INLINE F32 max(F32 a, F32 b) { return _mm256_max_ps(a, b); }
  static TENON_INLINE F32 min(F32 a, F32 b) { return _mm256_min_ps(a, b); }
  static TENON_INLINE F32 abs(F32 a) { return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a); }
  static TENON_INLINE F32 round(F32 a) {
    return _mm256_round_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  }
  static TENON_INLINE float sum(F32 a) {
    __m128 half = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    half = _mm_add_ps(half, _mm_movehl_ps(half, half));
    return _mm_cvtss_f32(_mm_add_ss(half, _mm_movehdup_ps(half)));
  }
  static TENON_INLINE F32 pair_sums(F32 a, F32 b) {
    return add(_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b));
  }
  static TENON_INLINE F32 sums_of_pairs(const F32 (&pairs)[4]) {
    F32 halves[2];
    unroll<2>([&](auto i) TENON_BODY {
      const F32 low = pairs[2 * i], high = pairs[2 * i + 1];
      halves[i] = add(_mm256_shuffle_ps(low, high, 0x44), _mm256_shuffle_ps(low, high, 0xee));
    });
    return add(_mm256_permute2f128_ps(halves[0], halves[1], 0x20),
               _mm256_permute2f128_ps(halves[0], halves[1], 0x31));
  }
  static TENON_INLINE float largest(F32 a) {
    __m128 half = _mm_max_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    half = _mm_max_ps(half, _mm_movehl_ps(half, half));
    return _mm_cvtss_f32(_mm_max_ss(half, _mm_movehdup_ps(half)));
  }
  static TENON_INLINE bool any_above(F32 a, F32 b) {
    return _mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_GT_OQ)) != 0;
  }
  static TENON_INLINE bool any_nan(F32 a) {
    return _mm256_movemask_ps(_mm256_cmp_ps(a, a, _CMP_UNORD_Q)) != 0;
  }
  // In two steps of half the exponent, so that neither leaves the range of normal numbers for |n| <= 252.
  static TENON_INLINE F32 scale_by_power(F32 a, F32 n) {
    const __m256i whole = _mm256_cvtps_epi32(n);
    const __m256i half = _mm256_srai_epi32(whole, 1);
    return mul(mul(a, power(half)), power(_mm256_sub_epi32(whole, half)));
  }
  static TENON_INLINE F32 zero_below(F32 x, F32 limit, F32 a) {
    return _mm256_and_ps(_mm256_cmp_ps(x, limit, _CMP_NLT_UQ), a);
  }
  static TENON_INLINE F32 select_between(I32 x, I32 low, I32 high, F32 a, F32 b) {
    const __m256i outside = _mm256_or_si256(_mm256_cmpgt_epi32(low, x), _mm256_cmpgt_epi32(x, high));
    return _mm256_blendv_ps(a, b, _mm256_castsi256_ps(outside));
  }
  static TENON_INLINE F32 even_odd_swapped(F32 a) { return _mm256_permute_ps(a, 0xB1); }
  static TENON_INLINE F32 add_subtract(F32 a, F32 b, F32 c) { return _mm256_fmaddsub_ps(a, b, c); }
  static TENON_INLINE F32 load_twice(const float* p) {
    const __m256 four = _mm256_castps128_ps256(_mm_loadu_ps(p));
    return _mm256_permutevar8x32_ps(four, _mm256_setr_epi32(0, 0, 1, 1, 2, 2, 3, 3));
  }

  // --- f16 and bf16 ---
  static TENON_INLINE F32 load_f16(const uint16_t* p) {
    return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  }
  static TENON_INLINE F32 load_f16(const uint16_t* p, int64_t n) { return _mm256_cvtph_ps(load_u16(p, n)); }
  static TENON_INLINE F32 load_bf16(const uint16_t* p) {
    return widen_bf16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  }
  static TENON_INLINE F32 load_bf16(const uint16_t* p, int64_t n) { return widen_bf16(load_u16(p, n)); }
  static TENON_INLINE void store_f16(uint16_t* p, F32 x, int64_t n) {
    store_u16(p, _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT), n);
  }
  static TENON_INLINE void store_bf16(uint16_t* p, F32 x, int64_t n) {
    const __m256i bits = _mm256_castps_si256(x);
    const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
    const __m256i rounded = _mm256_add_epi32(bits, _mm256_add_epi32(odd, _mm256_set1_epi32(0x7fff)));
    const __m256i quiet = _mm256_or_si256(bits, _mm256_set1_epi32(0x400000));
    const __m256i nan = _mm256_castps_si256(_mm256_cmp_ps(x, x, _CMP_UNORD_Q));
    const __m256i high = _mm256_srli_epi32(_mm256_blendv_epi8(rounded, quiet, nan), 16);
    store_u16(p, _mm_packus_epi32(_mm256_castsi256_si128(high), _mm256_extracti128_si256(high, 1)), n);
  }

  // --- integers ---
  static TENON_INLINE I32 set_i32(int32_t x) { return _mm256_set1_epi32(x); }
  static TENON_INLINE I32 load_i32(const int32_t* p) { return load_bytes(p); }
  static TENON_INLINE I32 add_i32(I32 a, I32 b) { return _mm256_add_epi32(a, b); }
  static TENON_INLINE F32 to_f32(I32 a) { return _mm256_cvtepi32_ps(a); }
  static TENON_INLINE I32 to_i32(F32 a) { return _mm256_cvtps_epi32(a); }
  static TENON_INLINE I32 load_i8(const int8_t* p) {
    return _mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)));
  }
  static TENON_INLINE I32 load_u8(const uint8_t* p) {
    return _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)));
  }
  static TENON_INLINE void store_i8(int8_t* p, I32 x) {
    const __m128i words = _mm_packs_epi32(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(p), _mm_packs_epi16(words, words));
  }

  // --- bytes of quantised weights ---
  static constexpr bool kSignedWeights = true;  // dot<127> also takes weights from -127 to 127, and -128
  static TENON_INLINE Bytes load_bytes(const void* p) {
    return _mm256_loadu_si256(static_cast<const __m256i*>(p));
  }
  static TENON_INLINE void store_bytes(void* p, Bytes x) { _mm256_storeu_si256(static_cast<__m256i*>(p), x); }
  static TENON_INLINE Bytes load_groups(const uint8_t* p, int64_t) { return load_bytes(p); }
  static TENON_INLINE Bytes nibble_groups(const uint8_t* p, int64_t) {
    const __m256i twice = _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
    return nibbles(_mm256_srlv_epi64(twice, _mm256_setr_epi64x(0, 0, 4, 4)));
  }
  // table[index] of each byte, an index from 0 to 15.
  static TENON_INLINE Bytes look_up(const uint8_t* table, Bytes index) {
    const __m128i values = _mm_load_si128(reinterpret_cast<const __m128i*>(table));
    return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(values), index);
  }
  static TENON_INLINE Bytes bit_groups(const uint8_t* p, int64_t, char value) {
    int32_t word;
    std::memcpy(&word, p, 4);
    // Byte i of the word to all of its eight places, one bit to each.
    const __m256i spread = _mm256_shuffle_epi8(
        _mm256_set1_epi32(word),
        _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303));
    const __m256i bit = _mm256_set1_epi64x(static_cast<int64_t>(0x8040201008040201));
    const __m256i set = _mm256_cmpeq_epi8(_mm256_and_si256(spread, bit), bit);
    return _mm256_and_si256(set, _mm256_set1_epi8(value));
  }
  template <int kPart>
  static TENON_INLINE Bytes nibbles_of_64(const uint8_t* p) {
    static_assert(kPart < 2);
    const __m256i bytes = load_bytes(p);
    return nibbles(kPart == 0 ? bytes : _mm256_srli_epi16(bytes, 4));
  }
  template <int kPart>
  static TENON_INLINE Bytes six_bits_of_128(const uint8_t* low, const uint8_t* high) {
    static_assert(kPart < 4);
    const __m256i four = load_bytes(low + 32 * (kPart % 2)), two = load_bytes(high);
    const __m256i placed = kPart == 0   ? _mm256_slli_epi16(two, 4)
                           : kPart == 1 ? _mm256_slli_epi16(two, 2)
                           : kPart == 2 ? two
                                        : _mm256_srli_epi16(two, 2);
    return _mm256_or_si256(nibbles(kPart < 2 ? four : _mm256_srli_epi16(four, 4)),
                           _mm256_and_si256(placed, _mm256_set1_epi8(0x30)));
  }

  static TENON_INLINE Bytes two_bits(const uint8_t* p) {
    const __m256i four = load_u8(p);
    const __m256i pairs = _mm256_or_si256(four, _mm256_slli_epi32(four, 12));
    return low_two_bits(_mm256_or_si256(pairs, _mm256_slli_epi32(pairs, 6)));
  }
  template <int kPart>
  static TENON_INLINE Bytes two_bits_of_128(const uint8_t* p) {
    static_assert(kPart < 4);
    return low_two_bits(_mm256_srli_epi16(load_bytes(p), 2 * kPart));
  }
  template <int kPart>
  static TENON_INLINE Bytes bits_of_256(const uint8_t* p, char value) {
    static_assert(kPart < 8);
    const __m256i bit = _mm256_set1_epi8(static_cast<char>(1 << kPart));
    const __m256i set = _mm256_cmpeq_epi8(_mm256_and_si256(load_bytes(p), bit), bit);
    return _mm256_and_si256(set, _mm256_set1_epi8(value));
  }

  static TENON_INLINE Bytes or_bytes(Bytes a, Bytes b) { return _mm256_or_si256(a, b); }

  // vpmaddubsw adds two products in 16 bits and would saturate beyond 32767. With |x| <= 127 two products of
  // weights up to kMax stay within 2 * 127 * kMax: 762 for 3, 3810 for 15, 16002 for 63. Signed weights go
  // in as |w| <= 128, with their signs moved to x: 2 * 127 * 128 = 32512.
  template <int kMax>
  static TENON_INLINE I32 dot(Bytes weights, Bytes x) {
    return _mm256_madd_epi16(pairs<kMax>(weights, x), _mm256_set1_epi16(1));
  }
  template <int kMax, int kWords, int kTokens>
  static TENON_INLINE void dot_words(const std::byte* weights, const int8_t* x, int64_t stride,
                                     I32 (&out)[kTokens]) {
    // As many vectors of pairs as fit are added in 16 bits, in runs that part kWords: 8 * 3810, 4 * 7874,
    // 2 * 16002, 1 * 32512 < 32768.
    constexpr auto kFitting = static_cast<int>(std::bit_floor(32767u / (kMax == 127 ? 32512 : 254 * kMax)));
    constexpr int kRun = kFitting < kWords ? kFitting : kWords;
    unroll<kWords / kRun>([&](auto run) TENON_BODY {
      __m256i sums[kTokens];
      unroll<kRun>([&](auto i) TENON_BODY {
        constexpr int64_t kWord = run * kRun + i;
        unroll<kTokens>([&](auto t) TENON_BODY {
          const __m256i products =
              pairs<kMax>(load_bytes(weights + kWord * kBytes), word_at(x + t * stride, kWord));
          sums[t] = i == 0 ? products : _mm256_add_epi16(sums[t], products);
        });
      });
      unroll<kTokens>([&](auto t) TENON_BODY {
        out[t] = _mm256_add_epi32(out[t], _mm256_madd_epi16(sums[t], _mm256_set1_epi16(1)));
      });
    });
  }

  // --- scales of the groups of 256 values ---
  using Groups8 = __m256;
  struct Groups16 {
    __m256 low, high;
  };
  static TENON_INLINE Groups8 load_groups8(const float* p) { return _mm256_loadu_ps(p); }
  static TENON_INLINE Groups16 load_groups16(const float* p) {
    return {_mm256_loadu_ps(p), _mm256_loadu_ps(p + 8)};
  }
  static TENON_INLINE void store_groups(float* p, Groups8 a) { _mm256_storeu_ps(p, a); }
  static TENON_INLINE void store_groups(float* p, Groups16 a) {
    _mm256_storeu_ps(p, a.low);
    _mm256_storeu_ps(p + 8, a.high);
  }
  static TENON_INLINE Groups8 times(Groups8 a, Groups8 b) { return _mm256_mul_ps(a, b); }
  static TENON_INLINE Groups16 times(Groups16 a, Groups8 b) {
    return {_mm256_mul_ps(a.low, _mm256_permutevar8x32_ps(b, _mm256_setr_epi32(0, 0, 1, 1, 2, 2, 3, 3))),
            _mm256_mul_ps(a.high, _mm256_permutevar8x32_ps(b, _mm256_setr_epi32(4, 4, 5, 5, 6, 6, 7, 7)))};
  }
  static TENON_INLINE Groups8 times(Groups8 a, float b) { return _mm256_mul_ps(a, set(b)); }
  static TENON_INLINE Groups16 times(Groups16 a, float b) {
    return {mul(a.low, set(b)), mul(a.high, set(b))};
  }
  static TENON_INLINE F32 fnma_groups(Groups8 a, Groups8 b, F32 c) { return fnma(a, b, c); }
  static TENON_INLINE F32 fnma_groups(Groups16 a, Groups16 b, F32 c) {
    return fnma(a.high, b.high, fnma(a.low, b.low, c));
  }
  template <int kPart>
  static TENON_INLINE F32 spread(Groups8 a) {
    return _mm256_permutevar8x32_ps(a, _mm256_set1_epi32(kPart));
  }
  template <int kPart>
  static TENON_INLINE F32 spread(Groups16 a) {
    constexpr int kFirst = 2 * kPart % 8;
    const __m256i lanes =
        _mm256_setr_epi32(kFirst, kFirst, kFirst, kFirst, kFirst + 1, kFirst + 1, kFirst + 1, kFirst + 1);
    return _mm256_permutevar8x32_ps(kPart < 4 ? a.low : a.high, lanes);
  }

  static TENON_INLINE Groups16 i8_groups(__m128i bytes) {
    return {to_f32(_mm256_cvtepi8_epi32(bytes)),
            to_f32(_mm256_cvtepi8_epi32(_mm_unpackhi_epi64(bytes, bytes)))};
  }

  static TENON_INLINE void transpose(I32 (&m)[8]) {
    I32 a[8];
    unroll<4>([&](auto i) TENON_BODY {
      a[2 * i] = _mm256_unpacklo_epi32(m[2 * i], m[2 * i + 1]);
      a[2 * i + 1] = _mm256_unpackhi_epi32(m[2 * i], m[2 * i + 1]);
    });
    unroll<2>([&](auto i) TENON_BODY {
      m[4 * i] = _mm256_unpacklo_epi64(a[4 * i], a[4 * i + 2]);
      m[4 * i + 1] = _mm256_unpackhi_epi64(a[4 * i], a[4 * i + 2]);
      m[4 * i + 2] = _mm256_unpacklo_epi64(a[4 * i + 1], a[4 * i + 3]);
      m[4 * i + 3] = _mm256_unpackhi_epi64(a[4 * i + 1], a[4 * i + 3]);
    });
    unroll<4>([&](auto i) TENON_BODY {
      a[i] = _mm256_permute2x128_si256(m[i], m[i + 4], 0x20);
      a[i + 4] = _mm256_permute2x128_si256(m[i], m[i + 4], 0x31);
    });
    unroll<8>([&](auto i) TENON_BODY { m[i] = a[i]; });
  }
  static TENON_INLINE I32 as_i32(F32 a) { return _mm256_castps_si256(a); }
  static TENON_INLINE F32 as_f32(I32 a) { return _mm256_castsi256_ps(a); }

 private:
  static TENON_INLINE __m256i first(int64_t n) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(n)),
                              _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  }
  static TENON_INLINE __m256i nibbles(__m256i a) { return _mm256_and_si256(a, _mm256_set1_epi8(15)); }
  static TENON_INLINE __m256i low_two_bits(__m256i a) { return _mm256_and_si256(a, _mm256_set1_epi8(3)); }
  static TENON_INLINE F32 power(__m256i n) {
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_add_epi32(n, _mm256_set1_epi32(127)), 23));
  }
  static TENON_INLINE F32 widen_bf16(__m128i a) {
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(a), 16));
  }
  static TENON_INLINE __m128i load_u16(const uint16_t* p, int64_t n) {
    uint16_t all[8] = {};
    for (int64_t i = 0; i < n; ++i) all[i] = p[i];
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(all));
  }
  static TENON_INLINE void store_u16(uint16_t* p, __m128i x, int64_t n) {
    if (n == 8) {
      _mm_storeu_si128(reinterpret_cast<__m128i*>(p), x);
      return;
    }
    uint16_t all[8];
    _mm_storeu_si128(reinterpret_cast<__m128i*>(all), x);
    for (int64_t i = 0; i < n; ++i) p[i] = all[i];
  }
  static TENON_INLINE __m256i word_at(const int8_t* x, int64_t word) {
    int32_t four;
    std::memcpy(&four, x + 4 * word, 4);
    return _mm256_set1_epi32(four);
  }
  template <int kMax>
  static TENON_INLINE __m256i pairs(__m256i weights, __m256i x) {
    if constexpr (kMax == 127) {
      return _mm256_maddubs_epi16(_mm256_abs_epi8(weights), _mm256_sign_epi8(x, weights));
    } else {
      return _mm256_maddubs_epi16(weights, x);
    }
  }
};

}  // namespace tenon::cpu
