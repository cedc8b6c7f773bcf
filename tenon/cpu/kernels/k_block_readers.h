// Readers (block_readers.h) of the K formats: blocks of 256 values in groups whose scales are quantised
// themselves.
#pragma once

#include <cstdint>
#include <cstring>

#include "tenon/cpu/simd/inline.h"
#include "tenon/cpu/simd/scales.h"
#include "tenon/quant/q2_k.h"
#include "tenon/quant/q3_k.h"
#include "tenon/quant/q4_k.h"
#include "tenon/quant/q5_k.h"
#include "tenon/quant/q6_k.h"

namespace tenon::cpu {

// Sixteen bytes.
TENON_INLINE __m128i load_16(const void* p) { return _mm_loadu_si128(static_cast<const __m128i*>(p)); }

template <class V>
struct ReadQ2_K {
  using Block = quant::BlockQ2_K;
  using Groups = typename V::Groups16;
  static constexpr int64_t kChunkBlocks = 1;
  static constexpr int kGroup = 16, kMax = 3, kZero = 0;
  static constexpr bool kMinimum = true;

  static TENON_INLINE void scales(const Block* chunk, int64_t, Groups& scale, Groups& minimum) {
    const __m128i packed = load_16(chunk->packed_scales), low_half = _mm_set1_epi8(15);
    float d, d_minimum;
    load_two_f16(&chunk->scale, d, d_minimum);
    scale = V::times(V::i8_groups(_mm_and_si128(packed, low_half)), d);
    minimum = V::times(V::i8_groups(_mm_and_si128(_mm_srli_epi16(packed, 4), low_half)), d_minimum);
  }
  template <int kPart>
  static TENON_INLINE typename V::Bytes quants(const Block* chunk, int64_t) {
    constexpr int kPerHalf = 128 / V::kBytes;
    return V::template two_bits_of_128<kPart % kPerHalf>(chunk->quants + 32 * (kPart / kPerHalf));
  }
};

template <class V>
struct ReadQ3_K {
  using Block = quant::BlockQ3_K;
  using Groups = typename V::Groups16;
  static constexpr int64_t kChunkBlocks = 1;
  static constexpr int kGroup = 16, kMax = 7, kZero = 4;
  static constexpr bool kMinimum = false;

  // Four groups to a 32-bit lane: groups 0-3, 4-7, 8-11, 12-15.
  static TENON_INLINE void scales(const Block* chunk, int64_t, Groups& scale, Groups&) {
    uint64_t low;
    uint32_t high;
    std::memcpy(&low, chunk->packed_scales, 8);
    std::memcpy(&high, chunk->packed_scales + 8, 4);
    const __m128i four = _mm_and_si128(
        _mm_set_epi64x(static_cast<int64_t>(low >> 4), static_cast<int64_t>(low)), _mm_set1_epi8(15));
    const __m128i two = _mm_and_si128(
        _mm_srlv_epi32(_mm_set1_epi32(static_cast<int>(high)), _mm_setr_epi32(0, 2, 4, 6)), _mm_set1_epi8(3));
    const __m128i levels = _mm_or_si128(four, _mm_slli_epi16(two, 4));
    scale = V::times(V::i8_groups(_mm_sub_epi8(levels, _mm_set1_epi8(32))), load_one_f16(chunk->scale));
  }
  template <int kPart>
  static TENON_INLINE typename V::Bytes quants(const Block* chunk, int64_t) {
    constexpr int kPerHalf = 128 / V::kBytes;
    return V::or_bytes(V::template two_bits_of_128<kPart % kPerHalf>(chunk->low + 32 * (kPart / kPerHalf)),
                       V::template bits_of_256<kPart>(chunk->high, 4));
  }
};

// Scales and minima of groups of 32, as quant::group_scales, four groups to a word.
template <class V, class Block>
TENON_INLINE void six_bit_scales(const Block* block, typename V::Groups8& scale,
                                 typename V::Groups8& minimum) {
  uint32_t words[3];
  std::memcpy(words, block->packed_scales, sizeof(words));
  const auto eight = [](uint32_t low, uint32_t high)
                         TENON_BODY { return bytes_to_f32(low | static_cast<uint64_t>(high) << 32); };
  const auto upper_bits = [](uint32_t word) TENON_BODY { return word >> 2 & 0x30303030u; };
  float d, d_minimum;
  load_two_f16(&block->scale, d, d_minimum);
  scale = V::times(eight(words[0] & 0x3f3f3f3fu, (words[2] & 0x0f0f0f0fu) | upper_bits(words[0])), d);
  minimum = V::times(eight(words[1] & 0x3f3f3f3fu, (words[2] >> 4 & 0x0f0f0f0fu) | upper_bits(words[1])),
                     d_minimum);
}

template <class V>
struct ReadQ4_K {
  using Block = quant::BlockQ4_K;
  using Groups = typename V::Groups8;
  static constexpr int64_t kChunkBlocks = 1;
  static constexpr int kGroup = 32, kMax = 15, kZero = 0;
  static constexpr bool kMinimum = true;

  static TENON_INLINE void scales(const Block* chunk, int64_t, Groups& scale, Groups& minimum) {
    six_bit_scales<V>(chunk, scale, minimum);
  }
  template <int kPart>
  static TENON_INLINE typename V::Bytes quants(const Block* chunk, int64_t) {
    constexpr int kPerRun = 64 / V::kBytes;
    return V::template nibbles_of_64<kPart % kPerRun>(chunk->quants + 32 * (kPart / kPerRun));
  }
};

template <class V>
struct ReadQ5_K {
  using Block = quant::BlockQ5_K;
  using Groups = typename V::Groups8;
  static constexpr int64_t kChunkBlocks = 1;
  static constexpr int kGroup = 32, kMax = 31, kZero = 0;
  static constexpr bool kMinimum = true;

  static TENON_INLINE void scales(const Block* chunk, int64_t, Groups& scale, Groups& minimum) {
    six_bit_scales<V>(chunk, scale, minimum);
  }
  template <int kPart>
  static TENON_INLINE typename V::Bytes quants(const Block* chunk, int64_t) {
    constexpr int kPerRun = 64 / V::kBytes;
    return V::or_bytes(V::template nibbles_of_64<kPart % kPerRun>(chunk->quants + 32 * (kPart / kPerRun)),
                       V::template bits_of_256<kPart>(chunk->high, 16));
  }
};

template <class V>
struct ReadQ6_K {
  using Block = quant::BlockQ6_K;
  using Groups = typename V::Groups16;
  static constexpr int64_t kChunkBlocks = 1;
  static constexpr int kGroup = 16, kMax = 63, kZero = 32;
  static constexpr bool kMinimum = false;

  static TENON_INLINE void scales(const Block* chunk, int64_t, Groups& scale, Groups&) {
    scale = V::times(V::i8_groups(load_16(chunk->group_scale)), load_one_f16(chunk->scale));
  }
  template <int kPart>
  static TENON_INLINE typename V::Bytes quants(const Block* chunk, int64_t) {
    constexpr int kPerHalf = 128 / V::kBytes, kHalf = kPart / kPerHalf;
    return V::template six_bits_of_128<kPart % kPerHalf>(chunk->low + 64 * kHalf, chunk->high + 32 * kHalf);
  }
};

}  // namespace tenon::cpu
