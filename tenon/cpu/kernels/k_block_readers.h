// Readers (block_readers.h) of the K formats: blocks of 256 values in groups whose scales are quantised
// themselves.
#pragma once

#include <cstdint>
#include <cstring>

#include "tenon/cpu/simd/inline.h"
#include "tenon/cpu/simd/scales.h"
#include "tenon/quant/q4_k.h"
#include "tenon/quant/q6_k.h"

namespace tenon::cpu {

template <class V>
struct ReadQ4_K {
  using Block = quant::BlockQ4_K;
  using Groups = typename V::Groups8;
  static constexpr int64_t kChunkBlocks = 1;
  static constexpr int kGroup = 32, kMax = 15, kZero = 0;
  static constexpr bool kMinimum = true;

  // quant::group_scales, four groups to a word.
  static TENON_INLINE void scales(const Block* chunk, int64_t, Groups& scale, Groups& minimum) {
    uint32_t words[3];
    std::memcpy(words, chunk->packed_scales, sizeof(words));
    const auto eight = [](uint32_t low, uint32_t high)
                           TENON_BODY { return bytes_to_f32(low | static_cast<uint64_t>(high) << 32); };
    const auto upper_bits = [](uint32_t word) TENON_BODY { return word >> 2 & 0x30303030u; };
    float d, d_minimum;
    load_two_f16(&chunk->scale, d, d_minimum);
    scale = V::times(eight(words[0] & 0x3f3f3f3fu, (words[2] & 0x0f0f0f0fu) | upper_bits(words[0])), d);
    minimum = V::times(eight(words[1] & 0x3f3f3f3fu, (words[2] >> 4 & 0x0f0f0f0fu) | upper_bits(words[1])),
                       d_minimum);
  }
  template <int kPart>
  static TENON_INLINE typename V::Bytes quants(const Block* chunk, int64_t) {
    constexpr int kPerRun = 64 / V::kBytes;
    return V::template nibbles_of_64<kPart % kPerRun>(chunk->quants + 32 * (kPart / kPerRun));
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
    scale = V::times(V::i8_groups(chunk->group_scale), load_one_f16(chunk->scale));
  }
  template <int kPart>
  static TENON_INLINE typename V::Bytes quants(const Block* chunk, int64_t) {
    constexpr int kPerHalf = 128 / V::kBytes, kHalf = kPart / kPerHalf;
    return V::template six_bits_of_128<kPart % kPerHalf>(chunk->low + 64 * kHalf, chunk->high + 32 * kHalf);
  }
};

}  // namespace tenon::cpu
