// Products of block weights and quantised x.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>

#include "tenon/cpu/kernels/format_ops.h"
#include "tenon/cpu/simd/prefetch.h"

namespace tenon::cpu {

// A tile's sums stay in registers beside the eight vectors of a group of 32: 16 + 8 of 32, or 4 + 8 of 16.
template <class V>
inline constexpr int kBlockTile = V::kLanes == 16 ? 16 : 4;

// Tokens whose integer sums run beside each other: vpdpbusd starts two at a time and takes five cycles, which
// eight chains nearly fill; vpmaddubsw and its additions need no more than one.
template <class V>
inline constexpr int kBlockChains = V::kLanes == 16 ? 8 : 1;

template <class V, class R>
struct BlockOps {
  using F32 = typename V::F32;
  using Bytes = typename V::Bytes;
  using Block = typename R::Block;
  using Groups = typename R::Groups;

  static constexpr int kTile = kBlockTile<V>;
  static constexpr int kParts = kChunk / V::kBytes;
  static constexpr int kGroupsOfChunk = kChunk / R::kGroup;
  static constexpr bool kHalfMinima = R::kMinimum && R::kGroup == 16;  // of half a group of x

  // --- few tokens: kRows rows by kTokens tokens at once, so that several rows stream from memory ---

  static TENON_INLINE Groups x_scale_of(const Activations& x, int64_t token, int64_t chunk, Groups scale) {
    return V::times(scale, V::load_groups8(x.rows.scale + (token * x.rows.depth + chunk * kChunk) / 32));
  }
  static TENON_INLINE Groups x_sum_of(const Activations& x, int64_t token, int64_t chunk) {
    const int64_t at = token * x.rows.depth + chunk * kChunk;
    if constexpr (R::kGroup == 32)
      return V::load_groups8(x.rows.sum + at / 32);
    else
      return V::load_groups16(x.rows.half_sum + at / 16);
  }

  // kWhole: the chunk is of 256 values; else of `blocks` blocks.
  template <bool kWhole, int kTokens>
  static TENON_INLINE void dot_chunk(const Block* chunk_blocks, int64_t blocks, const Activations& x,
                                     int64_t token, int64_t chunk, F32* sums) {
    if constexpr (kWhole) blocks = R::kChunkBlocks;
    Groups scale, minimum, both[kTokens];
    R::scales(chunk_blocks, blocks, scale, minimum);
    unroll<kTokens>([&](auto t) TENON_BODY {
      both[t] = x_scale_of(x, token + t, chunk, scale);
      if constexpr (R::kMinimum) {
        sums[t] = V::fnma_groups(minimum, x_sum_of(x, token + t, chunk), sums[t]);
      } else if constexpr (R::kZero != 0) {
        const Groups offset = V::times(scale, static_cast<float>(R::kZero));
        sums[t] = V::fnma_groups(offset, x_sum_of(x, token + t, chunk), sums[t]);
      }
    });
    const int8_t* q = x.rows.q + token * x.rows.depth + chunk * kChunk;
    unroll<kParts>([&](auto part) TENON_BODY {
      constexpr int kPart = static_cast<int>(part);
      if (!kWhole && kPart * V::kBytes >= blocks * Block::kElements) return;
      const Bytes weights = R::template quants<kPart>(chunk_blocks, blocks);
      unroll<kTokens>([&](auto t) TENON_BODY {
        const Bytes four = V::load_bytes(q + t * x.rows.depth + kPart * V::kBytes);
        const F32 products = V::to_f32(V::template dot<R::kMax>(weights, four));
        sums[t] = V::fma(products, V::template spread<kPart>(both[t]), sums[t]);
      });
    });
  }

  template <int kRows, int kTokens>
  static void dot_rows(const WeightRows& rows, int64_t first_row, const Activations& x, int64_t token,
                       float* c) {
    F32 sums[kRows][kTokens];
    const Block* blocks[kRows];
    unroll<kRows>([&](auto r) TENON_BODY {
      blocks[r] = reinterpret_cast<const Block*>(rows.row(first_row + r));
      unroll<kTokens>([&](auto t) TENON_BODY { sums[r][t] = V::zero(); });
    });
    const int64_t whole = x.depth / kChunk, rest = x.depth % kChunk / Block::kElements;
    const int64_t ahead = ahead_of(kRows, rows.row_bytes);
    for (int64_t chunk = 0; chunk < whole; ++chunk) {
      unroll<kRows>([&](auto r) TENON_BODY {
        const Block* chunk_blocks = blocks[r] + chunk * R::kChunkBlocks;
        prefetch<sizeof(Block) * R::kChunkBlocks>(reinterpret_cast<const std::byte*>(chunk_blocks) + ahead);
        dot_chunk<true, kTokens>(chunk_blocks, 0, x, token, chunk, sums[r]);
      });
    }
    if (rest > 0) {
      unroll<kRows>([&](auto r) TENON_BODY {
        dot_chunk<false, kTokens>(blocks[r] + whole * R::kChunkBlocks, rest, x, token, whole, sums[r]);
      });
    }
    unroll<kRows>([&](auto r) TENON_BODY {
      unroll<kTokens>([&](auto t)
                          TENON_BODY { c[(token + t) * V::kLanes + first_row + r] = V::sum(sums[r][t]); });
    });
  }

  template <int kRows, int kTokens>
  static void dot_all_rows(const WeightRows& rows, const Activations& x, int64_t token, float* c) {
    for (int64_t r = 0; r < rows.count; r += kRows) dot_rows<kRows, kTokens>(rows, r, x, token, c);
  }

  static void dot(const WeightRows& rows, const Activations& x, float* c) {
    int64_t token = 0;
    for (; token + 4 <= x.tokens; token += 4) dot_all_rows<2, 4>(rows, x, token, c);
    if (x.tokens - token == 3) dot_all_rows<2, 3>(rows, x, token, c);
    if (x.tokens - token == 2) dot_all_rows<2, 2>(rows, x, token, c);
    if (x.tokens - token == 1) dot_all_rows<4, 1>(rows, x, token, c);
  }

  // --- many tokens ---

  // Unpacked rows: per four values of depth one vector, four bytes to a lane and a row to a lane; then the
  // scales and the minima, per group one vector.
  struct Panel {
    std::byte* bytes;
    float* scale;
    float* minimum;
  };
  static TENON_INLINE Panel panel_at(std::byte* base, int64_t depth) {
    const int64_t bytes = round_up(depth, V::kBytes) * V::kLanes,
                  floats = round_up(depth, kChunk) / R::kGroup * V::kLanes;
    auto* scale = reinterpret_cast<float*>(base + bytes);
    return {base, scale, R::kMinimum ? scale + floats : nullptr};
  }
  static int64_t panel_bytes(int64_t depth) {
    const int64_t floats = round_up(depth, kChunk) / R::kGroup * (R::kMinimum ? 2 : 1);
    return (round_up(depth, V::kBytes) + floats * 4) * V::kLanes;
  }

  static void unpack(const WeightRows& rows, int64_t depth, std::byte* base) {
    const Panel panel = panel_at(base, depth);
    for (int64_t chunk = 0; chunk * kChunk < depth; ++chunk) {
      const int64_t blocks = smaller(depth - chunk * kChunk, kChunk) / Block::kElements;
      const Block* row_blocks[V::kLanes];
      for (int64_t r = 0; r < V::kLanes; ++r) {
        row_blocks[r] = reinterpret_cast<const Block*>(rows.row(r)) + chunk * R::kChunkBlocks;
      }
      unpack_scales(row_blocks, blocks, chunk, panel);
      unroll<kParts>([&](auto part) TENON_BODY {
        constexpr int kPart = static_cast<int>(part);
        if (kPart * V::kBytes >= blocks * Block::kElements) return;
        typename V::I32 words[V::kLanes];
        unroll<V::kLanes>([&](auto r)
                              TENON_BODY { words[r] = R::template quants<kPart>(row_blocks[r], blocks); });
        V::transpose(words);
        std::byte* out = panel.bytes + (chunk * kChunk + kPart * V::kBytes) * V::kLanes;
        unroll<V::kLanes>([&](auto i) TENON_BODY { V::store_bytes(out + i * V::kBytes, words[i]); });
      });
    }
  }

  static TENON_INLINE void unpack_scales(const Block* const* row_blocks, int64_t blocks, int64_t chunk,
                                         const Panel& panel) {
    const int64_t first = chunk * kGroupsOfChunk * V::kLanes;
    for (int64_t r = 0; r < V::kLanes; ++r) {
      Groups scale, minimum;
      R::scales(row_blocks[r], blocks, scale, minimum);
      float values[kGroupsOfChunk];
      V::store_groups(values, scale);
      for (int64_t g = 0; g < kGroupsOfChunk; ++g) panel.scale[first + g * V::kLanes + r] = values[g];
      if constexpr (R::kMinimum) {
        V::store_groups(values, minimum);
        for (int64_t g = 0; g < kGroupsOfChunk; ++g) panel.minimum[first + g * V::kLanes + r] = values[g];
      }
    }
  }

  // Per group and token: what the integer sums start at, -kZero * sum of q, so that bytes count from kZero;
  // for minima of groups of 16, what they are multiplied with, the f32 of the scaled sum of q.
  static void prepare(const Activations& x, int64_t tile, int32_t* start) {
    if constexpr (R::kZero != 0 || kHalfMinima) {
      const int32_t* halves = x.tiles.half_sum + tile * x.tiles.groups * 2 * kTile;
      const float* x_scale = x.tiles.scale + tile * x.tiles.groups * kTile;
      for (int64_t g = 0; g < x.tiles.groups; ++g) {
        for (int64_t t = 0; t < kTile; ++t) {
          const int32_t low = halves[2 * g * kTile + t], high = halves[(2 * g + 1) * kTile + t];
          if constexpr (R::kGroup == 32) {
            start[g * kTile + t] = -R::kZero * (low + high);
          } else {
            const auto of_half = [&](int32_t sum) TENON_BODY {
              if constexpr (kHalfMinima)
                return std::bit_cast<int32_t>(x_scale[g * kTile + t] * static_cast<float>(sum));
              else
                return -R::kZero * sum;
            };
            start[2 * g * kTile + t] = of_half(low);
            start[(2 * g + 1) * kTile + t] = of_half(high);
          }
        }
      }
    }
  }

  template <int kTokens>
  static void multiply_tokens(const Panel& panel, const Activations& x, int64_t tile, const int32_t* start,
                              float* c) {
    constexpr int kWords = R::kGroup / 4;    // vectors of a group of weights
    constexpr int kGroups = 32 / R::kGroup;  // groups of weights to one of x
    constexpr int kAbreast = std::gcd(kTokens, kBlockChains<V>);
    F32 sums[kTokens];
    unroll<kTokens>([&](auto t) TENON_BODY { sums[t] = V::zero(); });
    const int64_t first = tile * x.tiles.groups * kTile;
    for (int64_t g = 0; g < x.tiles.groups; ++g) {
      const int8_t* q = x.tiles.q + (first + g * kTile) * 32;
      const float* x_scale = x.tiles.scale + first + g * kTile;
      unroll<kGroups>([&](auto half) TENON_BODY {
        const int64_t group = g * kGroups + half;
        const std::byte* weights = panel.bytes + group * kWords * V::kBytes;
        const F32 scale = V::load(panel.scale + group * V::kLanes);
        unroll<kTokens / kAbreast>([&](auto some) TENON_BODY {
          constexpr int64_t kFirst = some * kAbreast;
          typename V::I32 products[kAbreast];
          unroll<kAbreast>([&](auto i) TENON_BODY {
            products[i] = V::set_i32(R::kZero != 0 ? start[group * kTile + kFirst + i] : 0);
          });
          V::template dot_words<R::kMax, kWords, kAbreast>(weights, q + kFirst * 32 + half * R::kGroup, 32,
                                                           products);
          unroll<kAbreast>([&](auto i) TENON_BODY {
            const F32 both = V::mul(scale, V::set(x_scale[kFirst + i]));
            sums[kFirst + i] = V::fma(V::to_f32(products[i]), both, sums[kFirst + i]);
          });
        });
        if constexpr (R::kMinimum) {
          const F32 minimum = V::load(panel.minimum + group * V::kLanes);
          unroll<kTokens>([&](auto t) TENON_BODY {
            const float sum = kHalfMinima ? std::bit_cast<float>(start[group * kTile + t])
                                          : x.tiles.sum[first + g * kTile + t];
            sums[t] = V::fnma(minimum, V::set(sum), sums[t]);
          });
        }
      });
    }
    unroll<kTokens>([&](auto t) TENON_BODY { V::store(c + t * V::kLanes, sums[t]); });
  }

  static void multiply(const std::byte* base, const Activations& x, int64_t tile, const int32_t* start,
                       float* c) {
    const Panel panel = panel_at(const_cast<std::byte*>(base), x.depth);
    const int64_t quarter = divide_up(smaller(x.tokens - tile * kTile, kTile), kTile / 4);
    if (quarter == 4)
      multiply_tokens<kTile>(panel, x, tile, start, c);
    else if (quarter == 3)
      multiply_tokens<kTile / 4 * 3>(panel, x, tile, start, c);
    else if (quarter == 2)
      multiply_tokens<kTile / 2>(panel, x, tile, start, c);
    else
      multiply_tokens<kTile / 4>(panel, x, tile, start, c);
  }

  static constexpr FormatOps kOps = {true, kTile, &dot, &panel_bytes, &unpack, &prepare, &multiply};
};

}  // namespace tenon::cpu
