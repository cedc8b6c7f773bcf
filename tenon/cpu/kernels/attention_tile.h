// One worker's piece of attention: a tile of query rows (some tokens by all heads of one kv head) against one
// range of keys, block of keys by block of keys, with the running maximum and sum of an online softmax.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "tenon/cpu/attention.h"
#include "tenon/cpu/kernel_table.h"
#include "tenon/cpu/kernels/activations.h"
#include "tenon/cpu/kernels/exp.h"
#include "tenon/cpu/kernels/multiply_rows.h"

namespace tenon::cpu {

template <class V, SumOrder kOrder>
struct AttentionTile {
  using F32 = typename V::F32;
  static constexpr int64_t kKeys = 64;  // keys of a block
  static constexpr float kNothing = -std::numeric_limits<float>::infinity();

  // Rows are token-major: row = token * heads of the group + head. `width` is the head size in whole vectors.
  int64_t rows = 0, width = 0;
  float* q = nullptr;               // [rows, width], times the scale
  float* k = nullptr;               // keys as f32: turned, [width, kKeys], or kLanes of them, [kLanes, width]
  float* v = nullptr;               // [kKeys, width]
  float* scores = nullptr;          // [rows, kKeys]
  float* out = nullptr;             // [rows, width]: Σ weight * v
  float* largest = nullptr;         // [rows]
  float* sum = nullptr;             // [rows]: Σ weight, weights relative to e^largest
  int32_t* key_position = nullptr;  // [kKeys], -1 beyond the block's end

  static AttentionTile take(Arena& arena, int64_t rows, int64_t head_size) {
    AttentionTile tile;
    tile.rows = rows;
    tile.width = round_up(head_size, V::kLanes);
    tile.q = arena.take<float>(rows * tile.width);
    tile.k = arena.take<float>(kKeys * tile.width);
    tile.v = arena.take<float>(kKeys * tile.width);
    tile.scores = arena.take<float>(rows * kKeys);
    tile.out = arena.take<float>(rows * tile.width);
    tile.largest = arena.take<float>(rows);
    tile.sum = arena.take<float>(rows);
    tile.key_position = arena.take<int32_t>(kKeys);
    return tile;
  }

  void load_queries(const AttentionJob& job, int64_t first_token, int64_t tokens, int64_t kv_head) {
    const int64_t group = job.heads / job.kv_heads;
    rows = tokens * group;
    for (int64_t r = 0; r < rows; ++r) {
      const std::byte* row = job.q + (first_token + r / group) * job.q_token_stride +
                             (kv_head * group + r % group) * job.q_head_stride;
      if (job.q_type == ElementType::kF16)
        widen<uint16_t>(row, 0, job.head_size, 1, q + r * width);
      else
        widen<float>(row, 0, job.head_size, 1, q + r * width);
      for (int64_t i = 0; i < width; i += V::kLanes) {
        V::store(q + r * width + i, V::mul(V::load(q + r * width + i), V::set(job.scale)));
        V::store(out + r * width + i, V::zero());
      }
      largest[r] = kNothing;
      sum[r] = 0.0f;
    }
  }

  // Takes keys first … first + count - 1, count <= kKeys, into out, largest and sum.
  void add_block(const AttentionJob& job, int64_t first_token, int64_t kv_head, int64_t first,
                 int64_t count) {
    for_each_run(job, first, count, [&](int64_t place, int64_t n, int64_t block, int64_t row) TENON_BODY {
      const std::byte* keys =
          job.k + block * job.k_block_stride + row * job.k_token_stride + kv_head * job.k_head_stride;
      if (job.k_type == ElementType::kF16)
        score<uint16_t>(keys, job.k_token_stride, job.head_size, place, n);
      else
        score<float>(keys, job.k_token_stride, job.head_size, place, n);
    });
    if (!few_rows())
      multiply_rows<V>(rows, round_up(count, V::kLanes), q, width, k, kKeys, job.head_size, scores, kKeys,
                       false);
    weigh(job, first_token, first, count);
    for_each_run(job, first, count, [&](int64_t place, int64_t n, int64_t block, int64_t row) TENON_BODY {
      const std::byte* values =
          job.v + block * job.v_block_stride + row * job.v_token_stride + kv_head * job.v_head_stride;
      if (job.v_type == ElementType::kF16)
        add_values<uint16_t>(values, job.v_token_stride, job.head_size, place, n);
      else
        add_values<float>(values, job.v_token_stride, job.head_size, place, n);
    });
  }

 private:
  // The runs of neighbours in memory that keys first … first + count - 1 are: take(place among them, how
  // many, block, row of the block).
  template <class Take>
  static TENON_INLINE void for_each_run(const AttentionJob& job, int64_t first, int64_t count, Take take) {
    if (job.block_size == 0) return take(0, count, 0, first);
    for (int64_t place = 0; place < count;) {
      const int64_t key = first + place, row = key % job.block_size;
      const int64_t n = smaller(job.block_size - row, count - place);
      take(place, n, job.blocks == nullptr ? 0 : job.blocks[key / job.block_size], row);
      place += n;
    }
  }

  // To turn the keys, and to widen values ahead, pays only where many rows use them.
  bool few_rows() const { return kOrder == SumOrder::kFastest && rows <= 8; }

  // `count` rows as f32, filled up to `width` with zeros.
  template <class Number>
  TENON_INLINE void widen(const std::byte* from, int64_t stride, int64_t head_size, int64_t count,
                          float* to) const {
    const int64_t all = width;
    for (int64_t row = 0; row < count; ++row, from += stride, to += all) {
      const auto* numbers = reinterpret_cast<const Number*>(from);
      int64_t i = 0;
      for (; i + V::kLanes <= head_size; i += V::kLanes) V::store(to + i, load_number<V>(numbers + i));
      if (i < head_size) V::store(to + i, load_number<V>(numbers + i, head_size - i));
    }
  }

  // Vectors 0, kLanes, … of kLanes rows; beyond the last row it repeats that one.
  template <class Number>
  TENON_INLINE void turn(const std::byte* from, int64_t stride, int64_t head_size, int64_t count,
                         float* to) const {
    const Number* row[V::kLanes];
    unroll<V::kLanes>([&](auto j) TENON_BODY {
      row[j] = reinterpret_cast<const Number*>(from + smaller(j, count - 1) * stride);
    });
    const int64_t all = width;
    for (int64_t i = 0; i < all; i += V::kLanes) {
      const int64_t n = head_size - i;
      typename V::I32 block[V::kLanes];
      if (n >= V::kLanes) {
        unroll<V::kLanes>([&](auto j) TENON_BODY { block[j] = V::as_i32(load_number<V>(row[j] + i)); });
      } else {
        unroll<V::kLanes>([&](auto j) TENON_BODY { block[j] = V::as_i32(load_number<V>(row[j] + i, n)); });
      }
      V::transpose(block);
      unroll<V::kLanes>([&](auto j) TENON_BODY { V::store(to + (i + j) * kKeys, V::as_f32(block[j])); });
    }
  }

  // scores[r, place + key] = q[r] · key, or what is to be multiplied for that; garbage from `count` on, up to
  // a whole vector.
  template <class Number>
  void score(const std::byte* keys, int64_t stride, int64_t head_size, int64_t place, int64_t count) {
    for (int64_t key = 0; key < count; key += V::kLanes) {
      const int64_t n = smaller(count - key, V::kLanes);
      if (!few_rows()) {
        turn<Number>(keys + key * stride, stride, head_size, n, k + place + key);
        continue;
      }
      widen<Number>(keys + key * stride, stride, head_size, n, k);
      for (int64_t r = 0; r < rows; ++r) {
        V::store(scores + r * kKeys + place + key, dots(q + r * width, n));
      }
    }
  }

  // Lane j: query · row j of k.
  TENON_INLINE F32 dots(const float* query, int64_t n) const {
    F32 sums[V::kLanes];
    const float* row[V::kLanes];
    unroll<V::kLanes>([&](auto j) TENON_BODY {
      sums[j] = V::zero();
      row[j] = k + smaller(j, n - 1) * width;
    });
    const int64_t all = width;
    for (int64_t i = 0; i < all; i += V::kLanes) {
      const F32 part = V::load(query + i);
      unroll<V::kLanes>([&](auto j) TENON_BODY { sums[j] = V::fma(part, V::load(row[j] + i), sums[j]); });
    }
    return V::sums(sums);
  }

  // Scores become weights.
  void weigh(const AttentionJob& job, int64_t first_token, int64_t first, int64_t count) {
    for (int64_t key = 0; key < kKeys; ++key) {
      key_position[key] = key >= count ? -1 : static_cast<int32_t>(first + key);
    }
    const int64_t group = job.heads / job.kv_heads;
    for (int64_t r = 0; r < rows; ++r) {
      const int64_t token = first_token + r / group;
      int32_t low = 0, high = std::numeric_limits<int32_t>::max();
      if (job.mask == AttentionMask::kCausal) {
        high = static_cast<int32_t>(job.position(token));
        if (job.window > 0) low = static_cast<int32_t>(larger(high - job.window + 1, 0));
      }
      if (job.mask == AttentionMask::kRows) {
        const std::byte* mask = job.mask_rows + token * job.mask_stride;
        if (job.mask_type == ElementType::kF16)
          add_mask(reinterpret_cast<const uint16_t*>(mask) + first, r, count);
        else
          add_mask(reinterpret_cast<const float*>(mask) + first, r, count);
      }
      weigh_row(r, low, high, count);
    }
  }

  template <class Number>
  TENON_INLINE void add_mask(const Number* mask, int64_t r, int64_t count) {
    for (int64_t key = 0; key < count; key += V::kLanes) {
      float* at = scores + r * kKeys + key;
      V::store(at, V::add(V::load(at), load_number<V>(mask + key, smaller(count - key, V::kLanes))));
    }
  }

  // Keys at positions low … high are visible. What was added before is put in relation to the new maximum.
  TENON_INLINE void weigh_row(int64_t r, int32_t low, int32_t high, int64_t count) {
    float* row = scores + r * kKeys;
    F32 most = V::set(largest[r]);
    for (int64_t key = 0; key < count; key += V::kLanes) {
      const F32 s = V::select_between(V::load_i32(key_position + key), V::set_i32(low), V::set_i32(high),
                                      V::load(row + key), V::set(kNothing));
      V::store(row + key, s);
      most = V::max(s, most);
    }
    const float now = V::largest(most);
    if (now == kNothing) {  // nothing seen so far
      for (int64_t key = 0; key < count; key += V::kLanes) V::store(row + key, V::zero());
      return;
    }
    F32 total = V::zero();
    for (int64_t key = 0; key < count; key += V::kLanes) {
      const F32 weight = exp<V>(V::sub(V::load(row + key), V::set(now)));
      V::store(row + key, weight);
      total = V::add(total, weight);
    }
    if (now != largest[r]) {
      const F32 shrink = exp<V>(V::set(largest[r] - now));
      for (int64_t i = 0; i < width; i += V::kLanes) {
        V::store(out + r * width + i, V::mul(V::load(out + r * width + i), shrink));
      }
      V::store(sum + r, V::mul(V::set(sum[r]), shrink), 1);
      largest[r] = now;
    }
    sum[r] += V::sum(total);
  }

  // out += weights from `place` on * values.
  template <class Number>
  void add_values(const std::byte* values, int64_t stride, int64_t head_size, int64_t place, int64_t count) {
    if (few_rows() && head_size == width) {
      multiply_rows<V>(rows, width, scores + place, kKeys, reinterpret_cast<const Number*>(values),
                       stride / static_cast<int64_t>(sizeof(Number)), count, out, width, true);
      return;
    }
    widen<Number>(values, stride, head_size, count, v);
    multiply_rows<V>(rows, width, scores + place, kKeys, v, width, count, out, width, true);
  }
};

}  // namespace tenon::cpu
