// Attention of many query rows, as of a prompt: keys of a block are turned and values widened to f32 once for
// all rows of the tile, then both products are dense ones in registers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tenon/cpu/kernels/attention_rows.h"

namespace tenon::cpu {

template <class V>
struct AttentionTile {
  using F32 = typename V::F32;
  static constexpr int64_t kKeys = 64;  // keys of a block

  AttentionRows<V> of;
  float* k = nullptr;       // [width, kKeys]: keys, turned
  float* v = nullptr;       // [kKeys, width]
  float* scores = nullptr;  // [rows, kKeys]

  static AttentionTile take(Arena& arena, int64_t rows, int64_t head_size) {
    AttentionTile tile;
    tile.of = AttentionRows<V>::take(arena, rows, head_size);
    tile.k = arena.take<float>(kKeys * tile.of.width);
    tile.v = arena.take<float>(kKeys * tile.of.width);
    tile.scores = arena.take<float>(rows * kKeys);
    return tile;
  }

  void begin(const AttentionJob& job, int64_t first_token, int64_t tokens, int64_t kv_head) {
    of.load(job, first_token, tokens, kv_head);
  }

  // Takes keys first … first + count - 1, count <= kKeys. The next block will be next_first … of next_head.
  void add_block(const AttentionJob& job, int64_t kv_head, int64_t first, int64_t count, int64_t next_head,
                 int64_t next_first) {
    const CachedRows keys = keys_of(job, kv_head), values = values_of(job, kv_head);
    for_each_run(job, first, count, [&](int64_t place, int64_t n) TENON_BODY {
      const std::byte* from = keys.at(job, first + place);
      if (job.k_type == ElementType::kF16)
        turn<uint16_t>(from, keys.stride, job.head_size, n, k + place);
      else
        turn<float>(from, keys.stride, job.head_size, n, k + place);
      from = values.at(job, first + place);
      if (job.v_type == ElementType::kF16)
        widen<uint16_t>(from, values.stride, job.head_size, n, v + place * of.width);
      else
        widen<float>(from, values.stride, job.head_size, n, v + place * of.width);
    });
    multiply_rows<V>(of.rows, round_up(count, V::kLanes), of.q, of.width, k, kKeys, job.head_size, scores,
                     kKeys, false);
    for_each_row(job, next_head, next_first, [&](int64_t r) TENON_BODY { weigh(job, r, first, count); });
    multiply_rows<V>(of.rows, of.width, scores, kKeys, v, of.width, count, of.out, of.width, true);
  }

  void end() {}

 protected:
  // take(row) for all, and the keys and values of the next block are asked for beside it.
  template <class Take>
  TENON_INLINE void for_each_row(const AttentionJob& job, int64_t next_head, int64_t next_first,
                                 Take take) const {
    for (int64_t r = 0; r < larger(of.rows, kKeys); ++r) {
      if (r < kKeys) ask_for(job, next_head, next_first + r);
      if (r < of.rows) take(r);
    }
  }
  // Masks the scores of row r; `largest` becomes the largest so far.
  TENON_INLINE void prepare_scores(const AttentionJob& job, int64_t r, int64_t first, int64_t count) {
    float* row = scores + r * kKeys;
    const int64_t token = of.token(r);
    if (job.mask == AttentionMask::kRows) add_mask<V>(job, token, first, count, row);
    hide<V>(visible_keys(job, token), first, count, row);
    F32 most = V::load(row);
    for (int64_t key = V::kLanes; key < count; key += V::kLanes) most = V::max(V::load(row + key), most);
    if (V::any_above(most, V::set(of.largest[r]))) of.raise(r, V::largest(most));
  }

 private:
  // `count` rows as f32, filled up to `width` with zeros.
  template <class Number>
  TENON_INLINE void widen(const std::byte* from, int64_t stride, int64_t head_size, int64_t count,
                          float* to) const {
    const int64_t all = of.width;
    for (int64_t row = 0; row < count; ++row, from += stride, to += all) {
      const auto* numbers = reinterpret_cast<const Number*>(from);
      int64_t i = 0;
      for (; i + V::kLanes <= head_size; i += V::kLanes) V::store(to + i, load_number<V>(numbers + i));
      if (i < head_size) V::store(to + i, load_number<V>(numbers + i, head_size - i));
    }
  }

  // to[i, key] = element i of row `key`; beyond the last row it repeats that one up to a whole vector.
  template <class Number>
  TENON_INLINE void turn(const std::byte* from, int64_t stride, int64_t head_size, int64_t count,
                         float* to) const {
    for (int64_t key = 0; key < count; key += V::kLanes) {
      turn_vector<Number>(from + key * stride, stride, head_size, smaller(count - key, V::kLanes), to + key);
    }
  }

  template <class Number>
  TENON_INLINE void turn_vector(const std::byte* from, int64_t stride, int64_t head_size, int64_t count,
                                float* to) const {
    const Number* row[V::kLanes];
    unroll<V::kLanes>([&](auto j) TENON_BODY {
      row[j] = reinterpret_cast<const Number*>(from + smaller(j, count - 1) * stride);
    });
    for (int64_t i = 0; i < head_size; i += V::kLanes) {
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

  // Scores of row r become weights.
  TENON_INLINE void weigh(const AttentionJob& job, int64_t r, int64_t first, int64_t count) {
    float* row = scores + r * kKeys;
    prepare_scores(job, r, first, count);
    const F32 largest = V::set(of.largest[r] == kNoScore ? 0.0f : of.largest[r]);
    F32 total = V::zero();
    for (int64_t key = 0; key < count; key += V::kLanes) {
      const F32 weight = exp<V>(V::sub(V::load(row + key), largest));
      V::store(row + key, weight);
      total = V::add(total, weight);
    }
    of.sum[r] += V::sum(total);
  }
};

}  // namespace tenon::cpu
