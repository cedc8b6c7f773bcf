// rows.h's RmsNormJob, done.
#pragma once

#include "tenon/cpu/rows.h"
#include "tenon/cpu/simd/inline.h"

namespace tenon::cpu {

// out = x / sqrt(mean(x^2) + epsilon) * weight; weight null: 1. `out` may be x.
template <class V>
TENON_INLINE void normalise_row(const float* x, const float* weight, int64_t width, float epsilon,
                                float* out) {
  using F32 = typename V::F32;
  F32 sums[4] = {V::zero(), V::zero(), V::zero(), V::zero()};
  int64_t i = 0;
  for (; i + 4 * V::kLanes <= width; i += 4 * V::kLanes) {
    unroll<4>([&](auto u) TENON_BODY {
      const F32 value = V::load(x + i + u * V::kLanes);
      sums[u] = V::fma(value, value, sums[u]);
    });
  }
  for (; i < width; i += V::kLanes) {
    const F32 value = V::load(x + i, smaller(width - i, V::kLanes));
    sums[0] = V::fma(value, value, sums[0]);
  }
  const float squares = V::sum(V::add(V::add(sums[0], sums[1]), V::add(sums[2], sums[3])));
  const F32 factor = V::set(1.0f / __builtin_sqrtf(squares / static_cast<float>(width) + epsilon));
  for (i = 0; i < width; i += V::kLanes) {
    const int64_t n = smaller(width - i, V::kLanes);
    F32 y = V::mul(V::load(x + i, n), factor);
    if (weight != nullptr) y = V::mul(y, V::load(weight + i, n));
    V::store(out + i, y, n);
  }
}

template <class V>
void rms_norm(const RmsNormJob& job, const Worker& worker) {
  const Worker::Range share = worker.share(job.tokens * job.heads);
  for (int64_t row = share.begin; row < share.end; ++row) {
    const int64_t token = row / job.heads, head = row % job.heads;
    normalise_row<V>(job.x + token * job.x_token_stride + head * job.x_head_stride, job.weight, job.width,
                     job.epsilon,
                     job.output + token * job.output_token_stride + head * job.output_head_stride);
  }
}

}  // namespace tenon::cpu
