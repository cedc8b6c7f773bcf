// The vectors of AVX-512 with VNNI. Kernels are templates over such structs, and all intrinsics are in them.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tenon/cpu/simd/inline.h"

namespace tenon::cpu {

struct Avx512 {
  static constexpr char kName[] = "avx512";
  static constexpr int kLanes = 16;          // 32-bit lanes
  static constexpr int kMostLanes = kLanes;  // of any type that it multiplies
  static constexpr int kBytes = 64;

  using F32 = __m512;
  using I32 = __m512i;
  using Bytes = __m512i;

  // --- floats ---
  static TENON_INLINE F32 zero() { return _mm512_setzero_ps(); }
  static TENON_INLINE F32 set(float x) { return _mm512_set1_ps(x); }
  static TENON_INLINE F32 load(const float* p) { return _mm512_loadu_ps(p); }
  static TENON_INLINE void store(float* p, F32 x) { _mm512_storeu_ps(p, x); }
  // The first n lanes, 0 <= n <= kLanes; the others are 0 and their memory is not touched.
  static TENON_INLINE F32 load(const float* p, int64_t n) { return _mm512_maskz_loadu_ps(first(n), p); }
  static TENON_INLINE void store(float* p, F32 x, int64_t n) { _mm512_mask_storeu_ps(p, first(n), x); }
  static TENON_INLINE F32 add(F32 a, F32 b) { return _mm512_add_ps(a, b); }
  static TENON_INLINE F32 sub(F32 a, F32 b) { return _mm512_sub_ps(a, b); }
  static TENON_INLINE F32 mul(F32 a, F32 b) { return _mm512_mul_ps(a, b); }
  static TENON_INLINE F32 div(F32 a, F32 b) { return _mm512_div_ps(a, b); }
  static TENON_INLINE F32 fma(F32 a, F32 b, F32 c) { return _mm512_fmadd_ps(a, b, c); }    // a * b + c
  static TENON_INLINE F32 fnma(F32 a, F32 b, F32 c) { return _mm512_fnmadd_ps(a, b, c); }  // c - a * b
  static TENON_INLINE F32 max(F32 a, F32 b) { return _mm512_max_ps(a, b); }  // b where one is NaN
  static TENON_INLINE F32 min(F32 a, F32 b) { return _mm512_min_ps(a, b); }
  static TENON_INLINE F32 abs(F32 a) { return _mm512_abs_ps(a); }
  static TENON_INLINE F32 round(F32 a) {
    return _mm512_roundscale_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  }
  static TENON_INLINE float sum(F32 a) { return _mm512_reduce_add_ps(a); }
  // Lane i: the sum of m[i], in two steps: pairs[i] = pair_sums(m[2 * i], m[2 * i + 1]).
  static TENON_INLINE F32 pair_sums(F32 a, F32 b) {
    return add(_mm512_unpacklo_ps(a, b), _mm512_unpackhi_ps(a, b));
  }
  static TENON_INLINE F32 sums_of_pairs(const F32 (&pairs)[8]) {
    F32 quarters[4];  // 128 bits of each: four sums over a quarter of the lanes
    unroll<4>([&](auto i) TENON_BODY {
      const F32 low = pairs[2 * i], high = pairs[2 * i + 1];
      quarters[i] = add(_mm512_shuffle_ps(low, high, 0x44), _mm512_shuffle_ps(low, high, 0xee));
    });
    const auto halves = [](F32 a, F32 b) TENON_BODY {
      return add(_mm512_shuffle_f32x4(a, b, 0x88), _mm512_shuffle_f32x4(a, b, 0xdd));
    };
    return halves(halves(quarters[0], quarters[1]), halves(quarters[2], quarters[3]));
  }
  static TENON_INLINE float largest(F32 a) { return _mm512_reduce_max_ps(a); }
  static TENON_INLINE bool any_above(F32 a, F32 b) { return _mm512_cmp_ps_mask(a, b, _CMP_GT_OQ) != 0; }
  static TENON_INLINE bool any_nan(F32 a) { return _mm512_cmp_ps_mask(a, a, _CMP_UNORD_Q) != 0; }
  // a * 2^n for integral n, to 0 on underflow.
  static TENON_INLINE F32 scale_by_power(F32 a, F32 n) { return _mm512_scalef_ps(a, n); }
  // a where x >= limit or NaN, else 0.
  static TENON_INLINE F32 zero_below(F32 x, F32 limit, F32 a) {
    return _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(x, limit, _CMP_NLT_UQ), a);
  }
  // a where low <= x <= high, else b.
  static TENON_INLINE F32 select_between(I32 x, I32 low, I32 high, F32 a, F32 b) {
    const __mmask16 inside = _mm512_cmple_epi32_mask(low, x) & _mm512_cmple_epi32_mask(x, high);
    return _mm512_mask_blend_ps(inside, b, a);
  }
  static TENON_INLINE F32 even_odd_swapped(F32 a) { return _mm512_permute_ps(a, 0xB1); }
  static TENON_INLINE F32 add_subtract(F32 a, F32 b, F32 c) { return _mm512_fmaddsub_ps(a, b, c); }  // ab ∓ c
  // Lanes 0, 0, 1, 1, …: each of the first half twice.
  static TENON_INLINE F32 load_twice(const float* p) {
    const __m512i lanes = _mm512_setr_epi32(0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7);
    return _mm512_permutexvar_ps(lanes, _mm512_castps256_ps512(_mm256_loadu_ps(p)));
  }

  // --- f16 and bf16 ---
  static TENON_INLINE F32 load_f16(const uint16_t* p) {
    return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
  }
  static TENON_INLINE F32 load_f16(const uint16_t* p, int64_t n) {
    return _mm512_cvtph_ps(_mm256_maskz_loadu_epi16(first(n), p));
  }
  static TENON_INLINE F32 load_bf16(const uint16_t* p) {
    return widen_bf16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
  }
  static TENON_INLINE F32 load_bf16(const uint16_t* p, int64_t n) {
    return widen_bf16(_mm256_maskz_loadu_epi16(first(n), p));
  }
  static TENON_INLINE void store_f16(uint16_t* p, F32 x, int64_t n) {
    _mm256_mask_storeu_epi16(p, first(n), _mm512_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
  }
  static TENON_INLINE void store_bf16(uint16_t* p, F32 x, int64_t n) {
    const __m512i bits = _mm512_castps_si512(x);
    const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
    const __m512i rounded = _mm512_add_epi32(bits, _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff)));
    const __m512i quiet = _mm512_or_si512(bits, _mm512_set1_epi32(0x400000));
    const __m512i out = _mm512_mask_mov_epi32(rounded, _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q), quiet);
    _mm256_mask_storeu_epi16(p, first(n), _mm512_cvtepi32_epi16(_mm512_srli_epi32(out, 16)));
  }

  // --- integers ---
  static TENON_INLINE I32 set_i32(int32_t x) { return _mm512_set1_epi32(x); }
  static TENON_INLINE I32 load_i32(const int32_t* p) { return _mm512_loadu_si512(p); }
  static TENON_INLINE I32 add_i32(I32 a, I32 b) { return _mm512_add_epi32(a, b); }
  static TENON_INLINE F32 to_f32(I32 a) { return _mm512_cvtepi32_ps(a); }
  static TENON_INLINE I32 to_i32(F32 a) { return _mm512_cvtps_epi32(a); }  // to nearest even
  // kLanes bytes, as i32.
  static TENON_INLINE I32 load_i8(const int8_t* p) {
    return _mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  }
  static TENON_INLINE I32 load_u8(const uint8_t* p) {
    return _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  }
  // Lanes must fit into i8.
  static TENON_INLINE void store_i8(int8_t* p, I32 x) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm512_cvtepi32_epi8(x));
  }

  // --- bytes of quantised weights ---
  static constexpr bool kSignedWeights = false;  // the dot product takes weights from 0 to 255 only
  static TENON_INLINE Bytes load_bytes(const void* p) { return _mm512_loadu_si512(p); }
  static TENON_INLINE void store_bytes(void* p, Bytes x) { _mm512_storeu_si512(p, x); }
  // kBytes / 32 groups of 32 bytes, `stride` apart.
  static TENON_INLINE Bytes load_groups(const uint8_t* p, int64_t stride) {
    const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
    const __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p + stride));
    return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
  }
  // The same from 16 bytes to a group: low halves of the bytes first, then high halves.
  static TENON_INLINE Bytes nibble_groups(const uint8_t* p, int64_t stride) {
    // Two loads that broadcast, the second one into the upper half.
    const __m128i low = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    const __m128i high = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + stride));
    const __m512i twice = _mm512_mask_broadcast_i64x2(_mm512_broadcast_i64x2(low), 0xf0, high);
    return nibbles(_mm512_srlv_epi64(twice, _mm512_setr_epi64(0, 0, 4, 4, 0, 0, 4, 4)));
  }
  // table[index] of each byte, an index from 0 to 15.
  static TENON_INLINE Bytes look_up(const uint8_t* table, Bytes index) {
    const __m128i values = _mm_load_si128(reinterpret_cast<const __m128i*>(table));
    return _mm512_shuffle_epi8(_mm512_broadcast_i32x4(values), index);
  }
  // Byte i is `value` where bit i % 32 of the i / 32-th 4-byte word is set; words are `stride` apart.
  static TENON_INLINE Bytes bit_groups(const uint8_t* p, int64_t stride, char value) {
    uint32_t low, high;
    std::memcpy(&low, p, 4);
    std::memcpy(&high, p + stride, 4);
    return _mm512_maskz_set1_epi8(_cvtu64_mask64(low | static_cast<uint64_t>(high) << 32), value);
  }
  // Vector `part` of 64 values packed into 32 bytes: low halves of the bytes first, then high halves.
  template <int kPart>
  static TENON_INLINE Bytes nibbles_of_64(const uint8_t* p) {
    static_assert(kPart == 0);
    const __m512i twice = _mm512_broadcast_i64x4(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
    return nibbles(_mm512_srlv_epi64(twice, _mm512_setr_epi64(0, 0, 0, 0, 4, 4, 4, 4)));
  }
  // Vector `part` of 128 6-bit values: four low bits in 64 bytes, two high bits in 32 (see quant::BlockQ6_K).
  template <int kPart>
  static TENON_INLINE Bytes six_bits_of_128(const uint8_t* low, const uint8_t* high) {
    static_assert(kPart < 2);
    const __m512i four = load_bytes(low);
    const __m512i two = _mm512_broadcast_i64x4(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(high)));
    const __m512i placed =
        kPart == 0
            ? _mm512_sllv_epi32(two, _mm512_setr_epi32(4, 4, 4, 4, 4, 4, 4, 4, 2, 2, 2, 2, 2, 2, 2, 2))
            : _mm512_srlv_epi32(two, _mm512_setr_epi32(0, 0, 0, 0, 0, 0, 0, 0, 2, 2, 2, 2, 2, 2, 2, 2));
    return _mm512_or_si512(nibbles(kPart == 0 ? four : _mm512_srli_epi16(four, 4)),
                           _mm512_and_si512(placed, _mm512_set1_epi8(0x30)));
  }
  // kBytes 2-bit values, four to a byte, the first in the lowest bits.
  static TENON_INLINE Bytes two_bits(const uint8_t* p) {
    const __m512i four = load_u8(p);
    const __m512i pairs = _mm512_or_si512(four, _mm512_slli_epi32(four, 12));
    return low_two_bits(_mm512_or_si512(pairs, _mm512_slli_epi32(pairs, 6)));
  }
  // Vector `part` of 128 2-bit values in 32 bytes: the lowest bits of all bytes first.
  template <int kPart>
  static TENON_INLINE Bytes two_bits_of_128(const uint8_t* p) {
    static_assert(kPart < 2);
    const __m512i twice = _mm512_broadcast_i64x4(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
    const __m512i shifts = _mm512_setr_epi64(0, 0, 0, 0, 2, 2, 2, 2);
    return low_two_bits(_mm512_srlv_epi64(kPart == 0 ? twice : _mm512_srli_epi16(twice, 4), shifts));
  }
  // Vector `part` of 256 values that are `value` or 0: a bit to each in 32 bytes, the lowest of all first.
  template <int kPart>
  static TENON_INLINE Bytes bits_of_256(const uint8_t* p, char value) {
    static_assert(kPart < 4);
    const __m512i twice = _mm512_broadcast_i64x4(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
    const __m512i bit = _mm512_inserti64x4(_mm512_set1_epi8(static_cast<char>(1 << 2 * kPart)),
                                           _mm256_set1_epi8(static_cast<char>(2 << 2 * kPart)), 1);
    return _mm512_maskz_set1_epi8(_mm512_test_epi8_mask(twice, bit), value);
  }
  static TENON_INLINE Bytes or_bytes(Bytes a, Bytes b) { return _mm512_or_si512(a, b); }
  static TENON_INLINE Bytes flip_sign_bits(Bytes a) { return _mm512_xor_si512(a, _mm512_set1_epi8(-128)); }

  // Sums of products of four neighbouring bytes: weights from 0 to kMax by signed ones.
  template <int kMax>
  static TENON_INLINE I32 dot(Bytes weights, Bytes x) {
    return _mm512_dpbusd_epi32(_mm512_setzero_si512(), weights, x);
  }
  // sums += products of weights by the four bytes at x, the same in all lanes. As one instruction: GCC's
  // intrinsics make a load of its own of the broadcast, and the front end binds where two threads share a
  // core.
  static TENON_INLINE void add_products(Bytes weights, const int8_t* x, I32& sums) {
    struct Four {
      int8_t bytes[4];
    };
    asm("vpdpbusd %2%{1to16%}, %1, %0" : "+v"(sums) : "v"(weights), "m"(*reinterpret_cast<const Four*>(x)));
  }
  // dot's sums over kWords vectors of weights in memory and for kTokens rows of x, `stride` bytes apart: to
  // out[t] comes Σ vector `word` by the four bytes x[t * stride + 4 * word]. Word by word, so that the chains
  // of sums run beside each other.
  template <int kMax, int kWords, int kTokens>
  static TENON_INLINE void dot_words(const std::byte* weights, const int8_t* x, int64_t stride,
                                     I32 (&out)[kTokens]) {
    unroll<kWords>([&](auto word) TENON_BODY {
      const Bytes rows = load_bytes(weights + word * kBytes);
      unroll<kTokens>([&](auto t) TENON_BODY { add_products(rows, x + t * stride + 4 * word, out[t]); });
    });
  }

  // --- scales of the groups of 256 values: 8 groups of 32, or 16 of 16 ---
  using Groups8 = __m256;
  struct Groups16 {
    __m512 all;
  };
  static TENON_INLINE Groups8 load_groups8(const float* p) { return _mm256_loadu_ps(p); }
  static TENON_INLINE Groups16 load_groups16(const float* p) { return {_mm512_loadu_ps(p)}; }
  static TENON_INLINE void store_groups(float* p, Groups8 a) { _mm256_storeu_ps(p, a); }
  static TENON_INLINE void store_groups(float* p, Groups16 a) { _mm512_storeu_ps(p, a.all); }
  static TENON_INLINE Groups8 times(Groups8 a, Groups8 b) { return _mm256_mul_ps(a, b); }
  static TENON_INLINE Groups16 times(Groups16 a, Groups8 b) {
    const __m512i twice = _mm512_setr_epi32(0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7);
    return {_mm512_mul_ps(a.all, _mm512_permutexvar_ps(twice, _mm512_castps256_ps512(b)))};
  }
  static TENON_INLINE Groups8 times(Groups8 a, float b) { return _mm256_mul_ps(a, _mm256_set1_ps(b)); }
  static TENON_INLINE Groups16 times(Groups16 a, float b) {
    return {_mm512_mul_ps(a.all, _mm512_set1_ps(b))};
  }
  // Any arrangement of lanes whose sum is that of c less that of a * b.
  static TENON_INLINE F32 fnma_groups(Groups8 a, Groups8 b, F32 c) {
    return _mm512_fnmadd_ps(_mm512_zextps256_ps512(a), _mm512_zextps256_ps512(b), c);
  }
  static TENON_INLINE F32 fnma_groups(Groups16 a, Groups16 b, F32 c) {
    return _mm512_fnmadd_ps(a.all, b.all, c);
  }
  // Each 32-bit lane of vector kPart of the 256 values (4 to a lane), with its group's entry.
  template <int kPart>
  static TENON_INLINE F32 spread(Groups8 a) {
    const __m512i lanes = _mm512_setr_epi32(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1);
    return _mm512_permutexvar_ps(_mm512_add_epi32(lanes, _mm512_set1_epi32(2 * kPart)),
                                 _mm512_castps256_ps512(a));
  }
  template <int kPart>
  static TENON_INLINE F32 spread(Groups16 a) {
    const __m512i lanes = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
    return _mm512_permutexvar_ps(_mm512_add_epi32(lanes, _mm512_set1_epi32(4 * kPart)), a.all);
  }

  static TENON_INLINE Groups16 i8_groups(__m128i bytes) { return {to_f32(_mm512_cvtepi8_epi32(bytes))}; }

  // kLanes x kLanes 32-bit lanes, in place.
  static TENON_INLINE void transpose(I32 (&m)[16]) {
    I32 a[16];
    unroll<8>([&](auto i) TENON_BODY {  // pairs of rows
      a[2 * i] = _mm512_unpacklo_epi32(m[2 * i], m[2 * i + 1]);
      a[2 * i + 1] = _mm512_unpackhi_epi32(m[2 * i], m[2 * i + 1]);
    });
    unroll<4>([&](auto i) TENON_BODY {  // within each 128-bit quarter, 4 x 4 is done
      m[4 * i] = _mm512_unpacklo_epi64(a[4 * i], a[4 * i + 2]);
      m[4 * i + 1] = _mm512_unpackhi_epi64(a[4 * i], a[4 * i + 2]);
      m[4 * i + 2] = _mm512_unpacklo_epi64(a[4 * i + 1], a[4 * i + 3]);
      m[4 * i + 3] = _mm512_unpackhi_epi64(a[4 * i + 1], a[4 * i + 3]);
    });
    unroll<4>([&](auto i) TENON_BODY {  // then the quarters, as a 4 x 4 matrix themselves
      a[i] = _mm512_shuffle_i32x4(m[i], m[i + 4], 0x88);
      a[i + 4] = _mm512_shuffle_i32x4(m[i], m[i + 4], 0xdd);
      a[i + 8] = _mm512_shuffle_i32x4(m[i + 8], m[i + 12], 0x88);
      a[i + 12] = _mm512_shuffle_i32x4(m[i + 8], m[i + 12], 0xdd);
    });
    unroll<4>([&](auto i) TENON_BODY {
      m[i] = _mm512_shuffle_i32x4(a[i], a[i + 8], 0x88);
      m[i + 8] = _mm512_shuffle_i32x4(a[i], a[i + 8], 0xdd);
      m[i + 4] = _mm512_shuffle_i32x4(a[i + 4], a[i + 12], 0x88);
      m[i + 12] = _mm512_shuffle_i32x4(a[i + 4], a[i + 12], 0xdd);
    });
  }
  static TENON_INLINE I32 as_i32(F32 a) { return _mm512_castps_si512(a); }
  static TENON_INLINE F32 as_f32(I32 a) { return _mm512_castsi512_ps(a); }

 private:
  static TENON_INLINE __mmask16 first(int64_t n) { return static_cast<__mmask16>((1u << n) - 1u); }
  static TENON_INLINE __m512i nibbles(__m512i a) { return _mm512_and_si512(a, _mm512_set1_epi8(15)); }
  static TENON_INLINE __m512i low_two_bits(__m512i a) { return _mm512_and_si512(a, _mm512_set1_epi8(3)); }
  static TENON_INLINE F32 widen_bf16(__m256i a) {
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(a), 16));
  }
};

}  // namespace tenon::cpu
