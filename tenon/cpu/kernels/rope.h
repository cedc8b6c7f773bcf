// rope.h's RopeJob, done.
#pragma once

#include "tenon/cpu/rope.h"
#include "tenon/cpu/simd/inline.h"

namespace tenon::cpu {

// Pairs (2i, 2i + 1): (a, b) becomes (a cos - b sin, b cos + a sin).
template <class V>
TENON_INLINE void turn_adjacent(const float* x, float* out, int64_t rotated, const float* cosine,
                                const float* sine) {
  int64_t i = 0;
  for (; i + V::kLanes <= rotated; i += V::kLanes) {
    const typename V::F32 value = V::load(x + i);
    const typename V::F32 across = V::mul(V::even_odd_swapped(value), V::load_twice(sine + i / 2));
    V::store(out + i, V::add_subtract(value, V::load_twice(cosine + i / 2), across));
  }
  for (; i < rotated; i += 2) {
    const float a = x[i], b = x[i + 1], c = cosine[i / 2], s = sine[i / 2];
    out[i] = a * c - b * s;
    out[i + 1] = b * c + a * s;
  }
}

// Pairs (i, i + half).
template <class V>
TENON_INLINE void turn_halves(const float* x, float* out, int64_t half, const float* cosine,
                              const float* sine) {
  for (int64_t i = 0; i < half; i += V::kLanes) {
    const int64_t n = smaller(half - i, V::kLanes);
    const typename V::F32 a = V::load(x + i, n), b = V::load(x + half + i, n);
    const typename V::F32 c = V::load(cosine + i, n), s = V::load(sine + i, n);
    V::store(out + i, V::fnma(b, s, V::mul(a, c)), n);
    V::store(out + half + i, V::fma(a, s, V::mul(b, c)), n);
  }
}

template <class V>
void rope(const RopeJob& job, const Worker& worker) {
  const int64_t half = job.rotated / 2;
  const Worker::Range share = worker.share(job.tokens * job.heads);
  for (int64_t row = share.begin; row < share.end; ++row) {
    const int64_t token = row / job.heads, head = row % job.heads;
    const float* x = job.x + token * job.x_token_stride + head * job.x_head_stride;
    float* out = job.output + token * job.output_token_stride + head * job.output_head_stride;
    const float* cosine = job.table + token * job.rotated;
    if (job.mode == RopeMode::kNormal)
      turn_adjacent<V>(x, out, job.rotated, cosine, cosine + half);
    else
      turn_halves<V>(x, out, half, cosine, cosine + half);
    if (out != x) {
      for (int64_t i = job.rotated; i < job.head_size; ++i) out[i] = x[i];
    }
  }
}

}  // namespace tenon::cpu
