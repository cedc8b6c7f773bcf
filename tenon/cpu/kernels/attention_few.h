// Attention of a few query rows, as in decoding: the time is that of reading keys and values once. They are
// used where they lie, converted in registers, and asked for ahead: while keys of a block are multiplied its
// values come, and while its values are, the keys of the next block.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tenon/cpu/kernels/attention_rows.h"
#include "tenon/cpu/simd/prefetch.h"

namespace tenon::cpu {

template <class V>
struct AttentionFew {
  using F32 = typename V::F32;
  static constexpr int64_t kKeys = 64;  // keys of a block
  static constexpr int64_t kMostRows = 16;
  // Rows that share a pass over a block: two keys' sums for each, in registers.
  static constexpr int kPassRows = V::kLanes == 16 ? 8 : 6;

  AttentionRows<V> of;
  float* scores = nullptr;  // [rows, kKeys]
  float* sums = nullptr;    // [rows, kLanes]: add up to Σ weight

  static AttentionFew take(Arena& arena, int64_t rows, int64_t head_size) {
    AttentionFew few;
    few.of = AttentionRows<V>::take(arena, rows, head_size);
    few.scores = arena.take<float>(rows * kKeys);
    few.sums = arena.take<float>(rows * V::kLanes);
    return few;
  }

  void begin(const AttentionJob& job, int64_t first_token, int64_t tokens, int64_t kv_head) {
    of.load(job, first_token, tokens, kv_head);
    for (int64_t r = 0; r < of.rows; ++r) V::store(sums + r * V::kLanes, V::zero());
  }

  // Takes keys first … first + count - 1, count <= kKeys. The next block will be next_first … of next_head.
  void add_block(const AttentionJob& job, int64_t kv_head, int64_t first, int64_t count, int64_t next_head,
                 int64_t next_first) {
    const CachedRows keys = keys_of(job, kv_head), values = values_of(job, kv_head),
                     next = keys_of(job, next_head);
    for_each_run(job, first, count, [&](int64_t place, int64_t n) TENON_BODY {
      const Rows run{keys.at(job, first + place), keys.stride, n};
      const Ahead ahead{values.at(job, first + place), values.stride};
      for_each_pass([&](auto pass_rows, int64_t r) TENON_BODY {
        if (job.k_type == ElementType::kF16)
          score<pass_rows, uint16_t>(r, run, job.head_size, place, ahead);
        else
          score<pass_rows, float>(r, run, job.head_size, place, ahead);
      });
    });
    weigh(job, first, count);
    for_each_run(job, first, count, [&](int64_t place, int64_t n) TENON_BODY {
      const Rows run{values.at(job, first + place), values.stride, n};
      const Ahead ahead{next.at(job, smaller(next_first + place, job.keys - 1)), next.stride};
      for_each_pass([&](auto pass_rows, int64_t r) TENON_BODY {
        if (job.v_type == ElementType::kF16)
          add_values<pass_rows, uint16_t>(r, run, job.head_size, place, ahead);
        else
          add_values<pass_rows, float>(r, run, job.head_size, place, ahead);
      });
    });
  }

  void end() {
    for (int64_t r = 0; r < of.rows; ++r) of.sum[r] = V::sum(V::load(sums + r * V::kLanes));
  }

 private:
  struct Rows {
    const std::byte* base;
    int64_t stride, count;
  };
  struct Ahead {  // rows to ask for, one to each that is used
    const std::byte* base;
    int64_t stride;
  };

  // take(rows of the pass, first row), in passes of about equal size.
  template <class Take>
  TENON_INLINE void for_each_pass(Take take) const {
    const int64_t passes = divide_up(of.rows, kPassRows);
    for (int64_t pass = 0; pass < passes; ++pass) {
      const int64_t begin = of.rows * pass / passes, n = of.rows * (pass + 1) / passes - begin;
      unroll<kPassRows>([&](auto i) TENON_BODY {
        if (n == i + 1) take(Index<i + 1>{}, begin);
      });
    }
  }

  // scores[r, place + key] = q[r] · key for kRows rows; garbage from the last key on, up to a whole vector.
  template <int64_t kRows, class Number>
  void score(int64_t r, const Rows& keys, int64_t head_size, int64_t place, const Ahead& ahead) {
    const float* q = of.q + r * of.width;
    const int64_t width = of.width, whole = head_size / V::kLanes * V::kLanes;
    const auto row_bytes = head_size * static_cast<int64_t>(sizeof(Number));
    for (int64_t key = 0; key < keys.count; key += V::kLanes) {
      F32 pairs[kRows][V::kLanes / 2];
      for (int64_t pair = 0; pair < V::kLanes / 2; ++pair) {
        const Number* row[2];
        F32 dots[kRows][2];
        unroll<2>([&](auto j) TENON_BODY {
          const int64_t at = smaller(key + 2 * pair + j, keys.count - 1);
          row[j] = reinterpret_cast<const Number*>(keys.base + at * keys.stride);
          for (int64_t b = 0; b < row_bytes; b += 64) prefetch<64>(ahead.base + at * ahead.stride + b);
          unroll<kRows>([&](auto i) TENON_BODY { dots[i][j] = V::zero(); });
        });
        const auto add = [&](int64_t at, F32(&part)[2]) TENON_BODY {
          unroll<kRows>([&](auto i) TENON_BODY {
            const F32 factor = V::load(q + i * width + at);
            unroll<2>([&](auto j) TENON_BODY { dots[i][j] = V::fma(part[j], factor, dots[i][j]); });
          });
        };
        for (int64_t at = 0; at < whole; at += V::kLanes) {
          F32 part[2] = {load_number<V>(row[0] + at), load_number<V>(row[1] + at)};
          add(at, part);
        }
        if (whole < head_size) {
          const int64_t n = head_size - whole;
          F32 part[2] = {load_number<V>(row[0] + whole, n), load_number<V>(row[1] + whole, n)};
          add(whole, part);
        }
        unroll<kRows>([&](auto i) TENON_BODY { pairs[i][pair] = V::pair_sums(dots[i][0], dots[i][1]); });
      }
      unroll<kRows>([&](auto i) TENON_BODY {
        V::store(scores + (r + i) * kKeys + place + key, V::sums_of_pairs(pairs[i]));
      });
    }
  }

  // Scores become weights.
  void weigh(const AttentionJob& job, int64_t first, int64_t count) {
    // A weight may exceed 1 by so much before all weights are put in relation to a new largest score: that it
    // grows a little need not cost a pass over `out`.
    constexpr float kSlack = 8.0f;
    for (int64_t r = 0; r < of.rows; ++r) {
      float* row = scores + r * kKeys;
      const int64_t token = of.token(r);
      if (job.mask == AttentionMask::kRows) add_mask<V>(job, token, first, count, row);
      hide<V>(visible_keys(job, token), first, count, row);
      F32 most = V::load(row);
      for (int64_t key = V::kLanes; key < count; key += V::kLanes) most = V::max(V::load(row + key), most);
      if (V::any_above(most, V::set(of.largest[r] + kSlack))) {
        const F32 shrink = of.raise(r, V::largest(most));
        V::store(sums + r * V::kLanes, V::mul(V::load(sums + r * V::kLanes), shrink));
      }
      const bool nothing = of.largest[r] == kNoScore;
      const F32 largest = V::set(nothing ? 0.0f : of.largest[r]);  // e^-inf is 0, e^(-inf + inf) is not
      F32 total = V::load(sums + r * V::kLanes);
      for (int64_t key = 0; key < count; key += V::kLanes) {
        const F32 weight = exp<V>(V::sub(V::load(row + key), largest));
        V::store(row + key, weight);
        total = V::add(total, weight);
      }
      V::store(sums + r * V::kLanes, total);
    }
  }

  // out[r] += weights from `place` on * values for kRows rows.
  template <int64_t kRows, class Number>
  void add_values(int64_t r, const Rows& values, int64_t head_size, int64_t place, const Ahead& ahead) {
    constexpr int64_t kRegisters = V::kLanes == 16 ? 32 : 16;
    constexpr int64_t kVectors = kRows * 4 + 5 <= kRegisters ? 4 : 2;
    int64_t i = 0;
    for (; i + kVectors * V::kLanes <= head_size; i += kVectors * V::kLanes) {
      add_columns<kRows, kVectors, Number>(r, i, V::kLanes, values, place, ahead);
    }
    for (; i < head_size; i += V::kLanes) {
      add_columns<kRows, 1, Number>(r, i, smaller(head_size - i, V::kLanes), values, place, ahead);
    }
  }

  // Columns from `column` on; the last vector's first n lanes.
  template <int64_t kRows, int64_t kVectors, class Number>
  TENON_INLINE void add_columns(int64_t r, int64_t column, int64_t n, const Rows& values, int64_t place,
                                const Ahead& ahead) {
    const float* weights = scores + r * kKeys + place;
    float* to = of.out + r * of.width + column;
    const int64_t width = of.width;
    F32 out[kRows][kVectors];
    unroll<kRows>([&](auto i) TENON_BODY {
      unroll<kVectors>([&](auto v) TENON_BODY { out[i][v] = V::load(to + i * width + v * V::kLanes); });
    });
    for (int64_t key = 0; key < values.count; ++key) {
      const auto* from = reinterpret_cast<const Number*>(values.base + key * values.stride) + column;
      prefetch<kVectors * V::kLanes* static_cast<int64_t>(sizeof(Number))>(
          ahead.base + key * ahead.stride + column * static_cast<int64_t>(sizeof(Number)));
      F32 row[kVectors];
      unroll<kVectors>([&](auto v) TENON_BODY {
        if constexpr (kVectors == 1)
          row[v] = n == V::kLanes ? load_number<V>(from) : load_number<V>(from, n);
        else
          row[v] = load_number<V>(from + v * V::kLanes);
      });
      unroll<kRows>([&](auto i) TENON_BODY {
        const F32 weight = V::set(weights[i * kKeys + key]);
        unroll<kVectors>([&](auto v) TENON_BODY { out[i][v] = V::fma(weight, row[v], out[i][v]); });
      });
    }
    unroll<kRows>([&](auto i) TENON_BODY {
      unroll<kVectors>([&](auto v) TENON_BODY { V::store(to + i * width + v * V::kLanes, out[i][v]); });
    });
  }
};

}  // namespace tenon::cpu
