// rows.h's RmsNormJob, done.
#pragma once

#include "tenon/cpu/rows.h"
#include "tenon/cpu/simd/inline.h"

namespace tenon::cpu {

template <class V>
void rms_norm(const RmsNormJob& job, const Worker& worker) {
  using F32 = typename V::F32;
  const Worker::Range share = worker.share(job.tokens * job.heads);
  for (int64_t row = share.begin; row < share.end; ++row) {
    const int64_t token = row / job.heads, head = row % job.heads;
    const float* x = job.x + token * job.x_token_stride + head * job.x_head_stride;
    float* out = job.output + token * job.output_token_stride + head * job.output_head_stride;
    F32 sums[4] = {V::zero(), V::zero(), V::zero(), V::zero()};
    int64_t i = 0;
    for (; i + 4 * V::kLanes <= job.width; i += 4 * V::kLanes) {
      unroll<4>([&](auto u) TENON_BODY {
        const F32 value = V::load(x + i + u * V::kLanes);
        sums[u] = V::fma(value, value, sums[u]);
      });
    }
    for (; i < job.width; i += V::kLanes) {
      const F32 value = V::load(x + i, smaller(job.width - i, V::kLanes));
      sums[0] = V::fma(value, value, sums[0]);
    }
    const float squares = V::sum(V::add(V::add(sums[0], sums[1]), V::add(sums[2], sums[3])));
    const F32 factor = V::set(1.0f / __builtin_sqrtf(squares / static_cast<float>(job.width) + job.epsilon));
    for (i = 0; i < job.width; i += V::kLanes) {
      const int64_t n = smaller(job.width - i, V::kLanes);
      F32 y = V::mul(V::load(x + i, n), factor);
      if (job.weight != nullptr) y = V::mul(y, V::load(job.weight + i, n));
      V::store(out + i, y, n);
    }
  }
}

}  // namespace tenon::cpu
