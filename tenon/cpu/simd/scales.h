// Scales: the f16 ones of up to eight blocks that lie `stride` bytes apart, and small numbers packed in other
// ways. 256-bit instructions, which both ISAs
// have.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "tenon/cpu/simd/inline.h"

namespace tenon::cpu {

// The two 16-bit words at the start of each of eight blocks; of `count` <= 8 blocks, and zeros beyond. (A
// gather would take twice as long.)
struct FirstWords {
  __m128i first, second;
};
TENON_INLINE FirstWords first_words(const void* blocks, int64_t stride, int64_t count) {
  const auto at = [&](int64_t i) TENON_BODY {
    return _mm_loadu_si32(static_cast<const std::byte*>(blocks) + smaller(i, count - 1) * stride);
  };
  const auto four = [&](int64_t i) TENON_BODY {  // their first words, then their second ones
    return _mm_unpacklo_epi32(_mm_unpacklo_epi16(at(i), at(i + 1)), _mm_unpacklo_epi16(at(i + 2), at(i + 3)));
  };
  const __m128i low = four(0), high = four(4);
  FirstWords words{_mm_unpacklo_epi64(low, high), _mm_unpackhi_epi64(low, high)};
  if (count < 8) {
    const __m128i there =
        _mm_cmpgt_epi16(_mm_set1_epi16(static_cast<short>(count)), _mm_setr_epi16(0, 1, 2, 3, 4, 5, 6, 7));
    words = {_mm_and_si128(words.first, there), _mm_and_si128(words.second, there)};
  }
  return words;
}

TENON_INLINE __m256 f16_to_f32(__m128i words) { return _mm256_cvtph_ps(words); }

// 2^(e - 128) of the low byte e of each word, half of the scales of MX formats; 0 from word `count` on.
TENON_INLINE __m256 powers_of_two(__m128i words, int64_t count) {
  const __m256i e = _mm256_cvtepu16_epi32(_mm_and_si128(words, _mm_set1_epi16(255)));
  const __m256i normal = _mm256_slli_epi32(_mm256_sub_epi32(e, _mm256_set1_epi32(1)), 23);
  const __m256i subnormal = _mm256_sllv_epi32(_mm256_set1_epi32(0x00200000), e);
  const __m256i bits = _mm256_blendv_epi8(normal, subnormal, _mm256_cmpgt_epi32(_mm256_set1_epi32(2), e));
  const __m256i there = _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(count)),
                                           _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  return _mm256_castsi256_ps(_mm256_and_si256(bits, there));
}

// The first four entries, each twice.
TENON_INLINE __m256 each_twice(__m256 a) {
  return _mm256_permutevar8x32_ps(a, _mm256_setr_epi32(0, 0, 1, 1, 2, 2, 3, 3));
}

// Eight numbers packed into a word, kBits to each, the first in the lowest bits.
template <int kBits>
TENON_INLINE __m256i eight_of_word(uint32_t word) {
  const __m256i places =
      _mm256_mullo_epi16(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), _mm256_set1_epi32(kBits));
  return _mm256_and_si256(_mm256_srlv_epi32(_mm256_set1_epi32(static_cast<int>(word)), places),
                          _mm256_set1_epi32((1 << kBits) - 1));
}

// Eight bytes from 0 to 255.
TENON_INLINE __m256 bytes_to_f32(uint64_t bytes) {
  return _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_cvtsi64_si128(static_cast<long long>(bytes))));
}

// Two neighbouring f16 numbers.
TENON_INLINE void load_two_f16(const void* p, float& first, float& second) {
  int32_t both;
  __builtin_memcpy(&both, p, 4);
  const __m128 numbers = _mm_cvtph_ps(_mm_cvtsi32_si128(both));
  first = _mm_cvtss_f32(numbers);
  second = _mm_cvtss_f32(_mm_movehdup_ps(numbers));
}

TENON_INLINE float load_one_f16(uint16_t bits) { return _cvtsh_ss(bits); }

}  // namespace tenon::cpu
