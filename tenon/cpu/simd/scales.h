// The f16 scales of up to eight blocks that lie `stride` bytes apart. 256-bit instructions, which both ISAs
// have.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "tenon/cpu/simd/inline.h"

namespace tenon::cpu {

// The four bytes at the start of each block; 0 and not read from `count` on.
TENON_INLINE __m256i gather_words(const void* first, int stride, int64_t count) {
  const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  const __m256i there = _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(count)), lanes);
  return _mm256_mask_i32gather_epi32(_mm256_setzero_si256(), static_cast<const int*>(first),
                                     _mm256_mullo_epi32(lanes, _mm256_set1_epi32(stride)), there, 1);
}

// The f16 in the low half of each word.
TENON_INLINE __m256 low_f16(__m256i words) {
  const __m256i low = _mm256_and_si256(words, _mm256_set1_epi32(0xffff));
  return _mm256_cvtph_ps(_mm_packus_epi32(_mm256_castsi256_si128(low), _mm256_extracti128_si256(low, 1)));
}

TENON_INLINE __m256 high_f16(__m256i words) { return low_f16(_mm256_srli_epi32(words, 16)); }

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
