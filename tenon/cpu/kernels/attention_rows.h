// What every way to do attention shares: where cached rows lie, and what a worker carries from block to block
// of keys for its query rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "tenon/cpu/attention.h"
#include "tenon/cpu/kernels/activations.h"
#include "tenon/cpu/kernels/exp.h"
#include "tenon/cpu/kernels/multiply_rows.h"

namespace tenon::cpu {

inline constexpr float kNoScore = -std::numeric_limits<float>::infinity();

// The keys or the values of one kv head.
struct CachedRows {
  const std::byte* base;
  int64_t stride, block_stride;

  TENON_INLINE const std::byte* at(const AttentionJob& job, int64_t key) const {
    if (job.block_size == 0) return base + key * stride;
    const int64_t block = job.blocks == nullptr ? 0 : job.blocks[key / job.block_size];
    return base + block * block_stride + key % job.block_size * stride;
  }
};
TENON_INLINE CachedRows keys_of(const AttentionJob& job, int64_t kv_head) {
  return {job.k + kv_head * job.k_head_stride, job.k_token_stride, job.k_block_stride};
}
TENON_INLINE CachedRows values_of(const AttentionJob& job, int64_t kv_head) {
  return {job.v + kv_head * job.v_head_stride, job.v_token_stride, job.v_block_stride};
}

// The runs of neighbours in memory that keys first … first + count - 1 are: take(place among them, how many).
template <class Take>
TENON_INLINE void for_each_run(const AttentionJob& job, int64_t first, int64_t count, Take take) {
  if (job.block_size == 0) return take(int64_t{0}, count);
  for (int64_t place = 0; place < count;) {
    const int64_t n = smaller(job.block_size - (first + place) % job.block_size, count - place);
    take(place, n);
    place += n;
  }
}

// Asks for key `key` and its value, to be there when the next block is unpacked. Into L2: until then L1 is
// taken.
TENON_INLINE void ask_for(const AttentionJob& job, int64_t kv_head, int64_t key) {
  if (key >= job.keys) return;
  const auto ask = [&](const CachedRows& rows, ElementType type) TENON_BODY {
    const std::byte* row = rows.at(job, key);
    const int64_t bytes = job.head_size * (type == ElementType::kF16 ? 2 : 4);
    for (int64_t at = 0; at < bytes; at += 64) __builtin_prefetch(row + at, 0, 2);
  };
  ask(keys_of(job, kv_head), job.k_type);
  ask(values_of(job, kv_head), job.v_type);
}

// Keys at positions low … high are visible to a token.
struct VisibleKeys {
  int32_t low, high;
};
TENON_INLINE VisibleKeys visible_keys(const AttentionJob& job, int64_t token) {
  VisibleKeys keys{0, std::numeric_limits<int32_t>::max()};
  if (job.mask == AttentionMask::kCausal) {
    keys.high = static_cast<int32_t>(job.position(token));
    if (job.window > 0) keys.low = static_cast<int32_t>(larger(keys.high - job.window + 1, 0));
  }
  return keys;
}

// Query rows of one kv head, token-major: row = token * heads of the group + head. Of their softmax it holds
// what the keys so far gave, relative to e^largest: any number that the scores do not exceed by much.
template <class V>
struct AttentionRows {
  using F32 = typename V::F32;

  int64_t rows = 0, group = 0, first_token = 0;
  int64_t width = 0;         // the head size in whole vectors, the widest that the instruction set has
  float* q = nullptr;        // [rows, width], times the scale; zeros beyond the head size
  float* out = nullptr;      // [rows, width]: Σ weight * v
  float* largest = nullptr;  // [rows], kNoScore while no key was seen
  float* sum = nullptr;      // [rows]: Σ weight

  static AttentionRows take(Arena& arena, int64_t rows, int64_t head_size) {
    AttentionRows of;
    of.rows = rows;
    of.width = width_of(head_size);
    of.q = arena.take<float>(rows * of.width);
    of.out = arena.take<float>(rows * of.width);
    of.largest = arena.take<float>(rows);
    of.sum = arena.take<float>(rows);
    return of;
  }

  static int64_t width_of(int64_t head_size) { return round_up(head_size, V::kMostLanes); }
  int64_t token(int64_t row) const { return first_token + row / group; }

  void load(const AttentionJob& job, int64_t first, int64_t tokens, int64_t kv_head) {
    group = job.heads / job.kv_heads;
    first_token = first;
    rows = tokens * group;
    for (int64_t r = 0; r < rows; ++r) {
      const std::byte* from =
          job.q + token(r) * job.q_token_stride + (kv_head * group + r % group) * job.q_head_stride;
      if (job.q_type == ElementType::kF16)
        load_row(reinterpret_cast<const uint16_t*>(from), job.head_size, job.scale, r);
      else
        load_row(reinterpret_cast<const float*>(from), job.head_size, job.scale, r);
      largest[r] = kNoScore;
      sum[r] = 0.0f;
    }
  }

  // Puts what row r has so far in relation to a new `largest`; returns what that multiplied it by.
  TENON_INLINE F32 raise(int64_t r, float now) {
    const F32 shrink = exp<V>(V::set(largest[r] - now));
    for (int64_t i = 0; i < width; i += V::kLanes) {
      V::store(out + r * width + i, V::mul(V::load(out + r * width + i), shrink));
    }
    V::store(sum + r, V::mul(V::set(sum[r]), shrink), 1);
    largest[r] = now;
    return shrink;
  }

 private:
  template <class Number>
  TENON_INLINE void load_row(const Number* from, int64_t head_size, float scale, int64_t r) {
    for (int64_t i = 0; i < width; i += V::kLanes) {
      const F32 x = load_number<V>(from + i, larger(smaller(head_size - i, V::kLanes), 0));
      V::store(q + r * width + i, V::mul(x, V::set(scale)));
      V::store(out + r * width + i, V::zero());
    }
  }
};

// Adds the mask of `token` to the scores of keys first … first + count - 1.
template <class V>
TENON_INLINE void add_mask(const AttentionJob& job, int64_t token, int64_t first, int64_t count,
                           float* scores) {
  const std::byte* mask = job.mask_rows + token * job.mask_stride;
  const auto add = [&](const auto* numbers) TENON_BODY {
    for (int64_t key = 0; key < count; key += V::kLanes) {
      const int64_t n = smaller(count - key, V::kLanes);
      V::store(scores + key, V::add(V::load(scores + key), load_number<V>(numbers + first + key, n)));
    }
  };
  if (job.mask_type == ElementType::kF16)
    add(reinterpret_cast<const uint16_t*>(mask));
  else
    add(reinterpret_cast<const float*>(mask));
}

// kNoScore for those of keys first … first + count - 1 that are not visible, and beyond them up to a whole
// vector.
template <class V>
TENON_INLINE void hide(VisibleKeys visible, int64_t first, int64_t count, float* scores) {
  if (first >= visible.low && first + count - 1 <= visible.high && count % V::kLanes == 0) return;
  alignas(64) static constexpr int32_t kIota[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  const int64_t last = smaller(visible.high, first + count - 1);
  for (int64_t key = 0; key < count; key += V::kLanes) {
    const auto at = V::add_i32(V::load_i32(kIota), V::set_i32(static_cast<int32_t>(first + key)));
    V::store(scores + key,
             V::select_between(at, V::set_i32(visible.low), V::set_i32(static_cast<int32_t>(last)),
                               V::load(scores + key), V::set(kNoScore)));
  }
}

}  // namespace tenon::cpu
