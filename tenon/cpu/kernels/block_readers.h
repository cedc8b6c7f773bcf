// How a kernel sees each block format: chunks of 256 values (one K block, or up to eight blocks of 32 at the
// end of a row) as vectors of bytes, and the scales of the chunk's groups. With q the bytes, kZero the byte
// that stands for 0 and s, m the scales and minima of a group:  value = s * (q - kZero), or s * q - m for a
// format with minima.
#pragma once

#include <cstdint>
#include <cstring>

#include "tenon/cpu/simd/inline.h"
#include "tenon/cpu/simd/scales.h"
#include "tenon/quant/mxfp4.h"
#include "tenon/quant/q4_0.h"
#include "tenon/quant/q4_1.h"
#include "tenon/quant/q4_k.h"
#include "tenon/quant/q5_0.h"
#include "tenon/quant/q6_k.h"
#include "tenon/quant/q8_0.h"

namespace tenon::cpu {

inline constexpr int64_t kChunk = 256;

// Blocks of 32: vector kPart begins at block kPart * kBytes / 32. A vector of two blocks that reaches beyond
// the last one of the row reads that one again; the scales beyond are 0.
template <class V, class Block>
struct SmallBlocks {
  static constexpr int64_t kChunkBlocks = 8;
  static constexpr int64_t kPerVector = V::kBytes / 32;

  template <int kPart>
  static TENON_INLINE const Block* block(const Block* chunk) {
    return chunk + kPart * kPerVector;
  }
  template <int kPart>
  static TENON_INLINE int64_t stride(int64_t blocks) {
    return kPart * kPerVector + 1 < blocks ? static_cast<int64_t>(sizeof(Block)) : 0;
  }
};

template <class V>
struct ReadQ4_0 : SmallBlocks<V, quant::BlockQ4_0> {
  using Block = quant::BlockQ4_0;
  using Groups = typename V::Groups8;
  static constexpr int kGroup = 32, kMax = 15, kZero = 8;
  static constexpr bool kMinimum = false;

  static TENON_INLINE void scales(const Block* chunk, int64_t blocks, Groups& scale, Groups&) {
    scale = f16_to_f32(first_words(chunk, sizeof(Block), blocks).first);
  }
  template <int kPart>
  static TENON_INLINE typename V::Bytes quants(const Block* chunk, int64_t blocks) {
    return V::nibble_groups(ReadQ4_0::template block<kPart>(chunk)->quants,
                            ReadQ4_0::template stride<kPart>(blocks));
  }
};

template <class V>
struct ReadQ4_1 : SmallBlocks<V, quant::BlockQ4_1> {
  using Block = quant::BlockQ4_1;
  using Groups = typename V::Groups8;
  static constexpr int kGroup = 32, kMax = 15, kZero = 0;
  static constexpr bool kMinimum = true;

  static TENON_INLINE void scales(const Block* chunk, int64_t blocks, Groups& scale, Groups& minimum) {
    const FirstWords words = first_words(chunk, sizeof(Block), blocks);
    scale = f16_to_f32(words.first);
    minimum = _mm256_xor_ps(f16_to_f32(words.second), _mm256_set1_ps(-0.0f));  // the format adds it
  }
  template <int kPart>
  static TENON_INLINE typename V::Bytes quants(const Block* chunk, int64_t blocks) {
    return V::nibble_groups(ReadQ4_1::template block<kPart>(chunk)->quants,
                            ReadQ4_1::template stride<kPart>(blocks));
  }
};

template <class V>
struct ReadQ5_0 : SmallBlocks<V, quant::BlockQ5_0> {
  using Block = quant::BlockQ5_0;
  using Groups = typename V::Groups8;
  static constexpr int kGroup = 32, kMax = 31, kZero = 16;
  static constexpr bool kMinimum = false;

  static TENON_INLINE void scales(const Block* chunk, int64_t blocks, Groups& scale, Groups&) {
    scale = f16_to_f32(first_words(chunk, sizeof(Block), blocks).first);
  }
  template <int kPart>
  static TENON_INLINE typename V::Bytes quants(const Block* chunk, int64_t blocks) {
    const Block* first = ReadQ5_0::template block<kPart>(chunk);
    const int64_t stride = ReadQ5_0::template stride<kPart>(blocks);
    return V::or_bytes(V::nibble_groups(first->quants, stride), V::bit_groups(first->high_bits, stride, 16));
  }
};

template <class V>
struct ReadQ8_0 : SmallBlocks<V, quant::BlockQ8_0> {
  using Block = quant::BlockQ8_0;
  using Groups = typename V::Groups8;
  static constexpr int kGroup = 32, kMax = V::kSignedWeights ? 127 : 255, kZero = V::kSignedWeights ? 0 : 128;
  static constexpr bool kMinimum = false;

  static TENON_INLINE void scales(const Block* chunk, int64_t blocks, Groups& scale, Groups&) {
    scale = f16_to_f32(first_words(chunk, sizeof(Block), blocks).first);
  }
  template <int kPart>
  static TENON_INLINE typename V::Bytes quants(const Block* chunk, int64_t blocks) {
    const auto* first = reinterpret_cast<const uint8_t*>(ReadQ8_0::template block<kPart>(chunk)->quants);
    const typename V::Bytes bytes = V::load_groups(first, ReadQ8_0::template stride<kPart>(blocks));
    if constexpr (V::kSignedWeights)
      return bytes;
    else
      return V::flip_sign_bits(bytes);
  }
};

template <class V>
struct ReadMXFP4 : SmallBlocks<V, quant::BlockMXFP4> {
  using Block = quant::BlockMXFP4;
  using Groups = typename V::Groups8;
  static constexpr int kGroup = 32, kMax = 24, kZero = 12;
  static constexpr bool kMinimum = false;

  static TENON_INLINE void scales(const Block* chunk, int64_t blocks, Groups& scale, Groups&) {
    scale = powers_of_two(first_words(chunk, sizeof(Block), blocks).first, blocks);
  }
  template <int kPart>
  static TENON_INLINE typename V::Bytes quants(const Block* chunk, int64_t blocks) {
    // quant::kMxfp4Doubled, from kZero on.
    alignas(16) static constexpr uint8_t kValues[16] = {12, 13, 14, 15, 16, 18, 20, 24,
                                                        12, 11, 10, 9,  8,  6,  4,  0};
    return V::look_up(kValues, V::nibble_groups(ReadMXFP4::template block<kPart>(chunk)->quants,
                                                ReadMXFP4::template stride<kPart>(blocks)));
  }
};

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
