// Readers (block_readers.h) of the formats whose quants are places in a table of values.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "tenon/cpu/kernels/small_block_readers.h"
#include "tenon/quant/iq4_nl.h"
#include "tenon/quant/iq4_xs.h"
#include "tenon/quant/mxfp4.h"

namespace tenon::cpu {

// A table for V::look_up, its values counted from -kZero.
template <int kZero>
constexpr std::array<uint8_t, 16> counted_from(const std::array<int8_t, 16>& values) {
  std::array<uint8_t, 16> out{};
  for (size_t i = 0; i < out.size(); ++i) out[i] = static_cast<uint8_t>(values[i] + kZero);
  return out;
}

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
    alignas(16) static constexpr std::array<uint8_t, 16> kValues = counted_from<kZero>(quant::kMxfp4Doubled);
    return V::look_up(kValues.data(), V::nibble_groups(ReadMXFP4::template block<kPart>(chunk)->quants,
                                                       ReadMXFP4::template stride<kPart>(blocks)));
  }
};

// IQ4: values from -127 to 113.
template <class V>
struct Iq4Values {
  static constexpr int kGroup = 32, kMax = V::kSignedWeights ? 127 : 240, kZero = V::kSignedWeights ? 0 : 127;
  static constexpr bool kMinimum = false;

  static TENON_INLINE typename V::Bytes values(const uint8_t* quants, int64_t stride) {
    alignas(16) static constexpr std::array<uint8_t, 16> kValues = counted_from<kZero>(quant::kIq4Values);
    return V::look_up(kValues.data(), V::nibble_groups(quants, stride));
  }
};

template <class V>
struct ReadIQ4_NL : SmallBlocks<V, quant::BlockIQ4_NL>, Iq4Values<V> {
  using Block = quant::BlockIQ4_NL;
  using Groups = typename V::Groups8;

  static TENON_INLINE void scales(const Block* chunk, int64_t blocks, Groups& scale, Groups&) {
    scale = f16_to_f32(first_words(chunk, sizeof(Block), blocks).first);
  }
  template <int kPart>
  static TENON_INLINE typename V::Bytes quants(const Block* chunk, int64_t blocks) {
    return ReadIQ4_NL::values(ReadIQ4_NL::template block<kPart>(chunk)->quants,
                              ReadIQ4_NL::template stride<kPart>(blocks));
  }
};

template <class V>
struct ReadIQ4_XS : Iq4Values<V> {
  using Block = quant::BlockIQ4_XS;
  using Groups = typename V::Groups8;
  static constexpr int64_t kChunkBlocks = 1;

  static TENON_INLINE void scales(const Block* chunk, int64_t, Groups& scale, Groups&) {
    uint32_t low;
    std::memcpy(&low, chunk->scales_low, 4);
    const __m256i levels =
        _mm256_or_si256(eight_of_word<4>(low), _mm256_slli_epi32(eight_of_word<2>(chunk->scales_high), 4));
    scale = V::times(_mm256_cvtepi32_ps(_mm256_sub_epi32(levels, _mm256_set1_epi32(32))),
                     load_one_f16(chunk->scale));
  }
  template <int kPart>
  static TENON_INLINE typename V::Bytes quants(const Block* chunk, int64_t) {
    return ReadIQ4_XS::values(chunk->quants + kPart * V::kBytes / 2, 16);
  }
};

}  // namespace tenon::cpu
