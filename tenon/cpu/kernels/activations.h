// x as the matmul kernels read it. For block weights it is quantised in groups of 32, |q| <= 127, x ≈ scale *
// q; sums of the q are kept for the formats whose bytes do not stand for themselves (see block_readers.h).
#pragma once

#include <cfloat>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "tenon/cpu/kernels/block_readers.h"
#include "tenon/cpu/simd/byte_sums.h"
#include "tenon/cpu/simd/inline.h"
#include "tenon/cpu/simd/prefetch.h"

namespace tenon::cpu {

// For few tokens: row by row, filled up with zeros to whole chunks.
struct QuantisedRows {
  int64_t depth = 0;          // a multiple of kChunk
  int8_t* q = nullptr;        // [tokens, depth]
  float* scale = nullptr;     // [tokens, depth / 32]
  float* sum = nullptr;       // [tokens, depth / 32], times scale
  float* half_sum = nullptr;  // [tokens, depth / 16], times scale
};

// For many: tiles of a few tokens, in the order in which a tile is worked off.
struct QuantisedTiles {
  int64_t groups = 0;           // depth / 32
  int8_t* q = nullptr;          // [tiles, groups, tile tokens, 32]
  float* scale = nullptr;       // [tiles, groups, tile tokens]
  float* sum = nullptr;         // [tiles, groups, tile tokens], times scale
  int32_t* half_sum = nullptr;  // [tiles, groups, 2, tile tokens]
};

// Hands out pieces of a workspace, each aligned to a cache line. Of no workspace it only counts the bytes.
class Arena {
 public:
  explicit TENON_INLINE Arena(std::byte* base) : next_(reinterpret_cast<uintptr_t>(base)), base_(next_) {}
  template <class T>
  TENON_INLINE T* take(int64_t count) {
    const uintptr_t piece = next_;
    next_ += static_cast<uintptr_t>(round_up(count * static_cast<int64_t>(sizeof(T)), 64));
    return reinterpret_cast<T*>(piece);
  }
  TENON_INLINE int64_t used() const { return static_cast<int64_t>(next_ - base_); }

 private:
  uintptr_t next_, base_;
};

TENON_INLINE QuantisedRows take_rows(Arena& arena, int64_t tokens, int64_t depth) {
  const int64_t padded = round_up(depth, kChunk), count = tokens * padded;
  QuantisedRows rows;
  rows.depth = padded;
  rows.q = arena.take<int8_t>(count);
  rows.scale = arena.take<float>(count / 32);
  rows.sum = arena.take<float>(count / 32);
  rows.half_sum = arena.take<float>(count / 16);
  return rows;
}

TENON_INLINE QuantisedTiles take_tiles(Arena& arena, int64_t tokens, int64_t depth, int64_t tile_tokens) {
  const int64_t groups = divide_up(depth, 32), count = round_up(tokens, tile_tokens) * groups;
  QuantisedTiles tiles;
  tiles.groups = groups;
  tiles.q = arena.take<int8_t>(count * 32);
  tiles.scale = arena.take<float>(count);
  tiles.sum = arena.take<float>(count);
  tiles.half_sum = arena.take<int32_t>(count * 2);
  return tiles;
}

// One group of 32. A group whose largest magnitude is not a normal number becomes zeros; an infinity or NaN
// in x leaves a scale that makes every product with it NaN.
template <class V>
TENON_INLINE float quantise_group(const float* x, int8_t* q, int32_t (&half_sums)[2]) {
  constexpr int64_t kVectors = 32 / V::kLanes;
  typename V::F32 magnitude = V::zero(), differences = V::zero();
  typename V::F32 values[kVectors];
  unroll<kVectors>([&](auto i) TENON_BODY {
    values[i] = V::load(x + i * V::kLanes);
    magnitude = V::max(magnitude, V::abs(values[i]));
    differences = V::add(differences, V::sub(values[i], values[i]));  // 0, or NaN where one is not finite
  });
  const float largest = V::largest(magnitude);
  const float inverse = largest >= FLT_MIN ? 127.0f / largest : 0.0f;
  unroll<kVectors>([&](auto i) TENON_BODY {
    V::store_i8(q + i * V::kLanes, V::to_i32(V::mul(values[i], V::set(inverse))));
  });
  half_sums[0] = sum_of_16(q);
  half_sums[1] = sum_of_16(q + 16);
  if (V::any_nan(differences)) return std::numeric_limits<float>::quiet_NaN();
  return inverse > 0.0f ? largest / 127.0f : 0.0f;
}

template <class V>
inline void quantise_row(const float* x, int64_t depth, int64_t token, const QuantisedRows& out) {
  const int64_t groups = depth / 32, all_groups = out.depth / 32;
  int8_t* q = out.q + token * out.depth;
  float* scale = out.scale + token * all_groups;
  float* sum = out.sum + token * all_groups;
  float* half_sum = out.half_sum + token * all_groups * 2;
  for (int64_t g = 0; g < groups; ++g) {
    int32_t half_sums[2];
    scale[g] = quantise_group<V>(x + g * 32, q + g * 32, half_sums);
    sum[g] = scale[g] * static_cast<float>(half_sums[0] + half_sums[1]);
    half_sum[2 * g] = scale[g] * static_cast<float>(half_sums[0]);
    half_sum[2 * g + 1] = scale[g] * static_cast<float>(half_sums[1]);
  }
  for (int64_t i = groups * 32; i < out.depth; ++i) q[i] = 0;
  for (int64_t g = groups; g < all_groups; ++g) {
    scale[g] = sum[g] = half_sum[2 * g] = half_sum[2 * g + 1] = 0.0f;
  }
}

// Row `token` into its tile of kTile tokens; x null fills it with zeros, for the end of the last tile. The
// row at `next` is asked for: another worker may have written it.
template <class V, int kTile>
inline void quantise_into_tile(const float* x, const float* next, int64_t token, const QuantisedTiles& out) {
  const int64_t tile = token / kTile, within = token % kTile;
  for (int64_t g = 0; g < out.groups; ++g) {
    const int64_t at = (tile * out.groups + g) * kTile + within;
    int32_t half_sums[2] = {0, 0};
    prefetch<32 * sizeof(float)>(next + g * 32);
    if (x != nullptr) {
      out.scale[at] = quantise_group<V>(x + g * 32, out.q + at * 32, half_sums);
    } else {
      out.scale[at] = 0.0f;
      for (int64_t i = 0; i < 32; ++i) out.q[at * 32 + i] = 0;
    }
    out.sum[at] = out.scale[at] * static_cast<float>(half_sums[0] + half_sums[1]);
    int32_t* halves = out.half_sum + (tile * out.groups + g) * 2 * kTile + within;
    halves[0] = half_sums[0];
    halves[kTile] = half_sums[1];
  }
}

// f32 rows as [tiles, depth, kTile], for float weights.
template <class V, int kTile>
inline void pack_into_tile(const float* x, int64_t depth, int64_t token, float* packed) {
  float* out = packed + (token / kTile) * depth * kTile + token % kTile;
  for (int64_t k = 0; k < depth; ++k) out[k * kTile] = x != nullptr ? x[k] : 0.0f;
}

}  // namespace tenon::cpu
