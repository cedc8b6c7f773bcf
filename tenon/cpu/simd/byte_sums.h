// Sums of signed bytes, by an instruction that every supported set has.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "tenon/cpu/simd/inline.h"

namespace tenon::cpu {

// Of the 16 bytes at q.
TENON_INLINE int32_t sum_of_16(const int8_t* q) {
  constexpr int kShift = 128;  // makes them unsigned, as the instruction takes them
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(q));
  const __m128i eights =
      _mm_sad_epu8(_mm_xor_si128(bytes, _mm_set1_epi8(static_cast<char>(kShift))), _mm_setzero_si128());
  return _mm_cvtsi128_si32(eights) + _mm_extract_epi32(eights, 2) - 16 * kShift;
}

}  // namespace tenon::cpu
