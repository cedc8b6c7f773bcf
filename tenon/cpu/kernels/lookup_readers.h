// Readers (block_readers.h) of the formats whose quants are places in a table of values.
#pragma once

#include <cstdint>

#include "tenon/cpu/kernels/small_block_readers.h"
#include "tenon/quant/mxfp4.h"

namespace tenon::cpu {

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

}  // namespace tenon::cpu
