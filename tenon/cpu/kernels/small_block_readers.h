// Readers (block_readers.h) of the formats whose blocks are short, with one scale to a block.
#pragma once

#include <cstdint>

#include "tenon/cpu/simd/inline.h"
#include "tenon/cpu/simd/scales.h"
#include "tenon/quant/q2_0.h"
#include "tenon/quant/q4_0.h"
#include "tenon/quant/q4_1.h"
#include "tenon/quant/q5_0.h"
#include "tenon/quant/q5_1.h"
#include "tenon/quant/q8_0.h"

namespace tenon::cpu {

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

// Of blocks that begin with scale and minimum. The formats add the minimum; readers tell what is subtracted.
template <class Block>
TENON_INLINE void scales_and_minima(const Block* chunk, int64_t blocks, __m256& scale, __m256& minimum) {
  const FirstWords words = first_words(chunk, sizeof(Block), blocks);
  scale = f16_to_f32(words.first);
  minimum = _mm256_xor_ps(f16_to_f32(words.second), _mm256_set1_ps(-0.0f));
}

// Of blocks with four bits of each quant in `quants` and the fifth ones in `high_bits`.
template <class V, class Block>
TENON_INLINE typename V::Bytes five_bits(const Block* first, int64_t stride) {
  return V::or_bytes(V::nibble_groups(first->quants, stride), V::bit_groups(first->high_bits, stride, 16));
}

template <class V>
struct ReadQ2_0 {
  using Block = quant::BlockQ2_0;
  using Groups = typename V::Groups8;
  static constexpr int64_t kChunkBlocks = 4;
  static constexpr int kGroup = 32, kMax = 3, kZero = 1;
  static constexpr bool kMinimum = false;

  static TENON_INLINE void scales(const Block* chunk, int64_t blocks, Groups& scale, Groups&) {
    scale = each_twice(f16_to_f32(first_words(chunk, sizeof(Block), blocks).first));
  }
  template <int kPart>
  static TENON_INLINE typename V::Bytes quants(const Block* chunk, int64_t) {
    constexpr int kFirst = kPart * V::kBytes;
    return V::two_bits(chunk[kFirst / Block::kElements].quants + kFirst % Block::kElements / 4);
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
    scales_and_minima(chunk, blocks, scale, minimum);
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
    return five_bits<V>(ReadQ5_0::template block<kPart>(chunk), ReadQ5_0::template stride<kPart>(blocks));
  }
};

template <class V>
struct ReadQ5_1 : SmallBlocks<V, quant::BlockQ5_1> {
  using Block = quant::BlockQ5_1;
  using Groups = typename V::Groups8;
  static constexpr int kGroup = 32, kMax = 31, kZero = 0;
  static constexpr bool kMinimum = true;

  static TENON_INLINE void scales(const Block* chunk, int64_t blocks, Groups& scale, Groups& minimum) {
    scales_and_minima(chunk, blocks, scale, minimum);
  }
  template <int kPart>
  static TENON_INLINE typename V::Bytes quants(const Block* chunk, int64_t blocks) {
    return five_bits<V>(ReadQ5_1::template block<kPart>(chunk), ReadQ5_1::template stride<kPart>(blocks));
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

}  // namespace tenon::cpu
