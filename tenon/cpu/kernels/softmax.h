// rows.h's SoftmaxJob, done: a row to a worker.
#pragma once

#include <limits>

#include "tenon/cpu/kernels/exp.h"
#include "tenon/cpu/rows.h"

namespace tenon::cpu {

template <class V>
void softmax(const SoftmaxJob& job, const Worker& worker) {
  using F32 = typename V::F32;
  constexpr float kNothing = -std::numeric_limits<float>::infinity();
  const Worker::Range rows = worker.share(job.rows);
  for (int64_t row = rows.begin; row < rows.end; ++row) {
    const float* x = job.x + row * job.x_stride;
    float* out = job.output + row * job.output_stride;
    float most = kNothing, total = 0.0f;
    int64_t i = 0;
    for (; i + V::kLanes <= job.width; i += V::kLanes) {
      const float largest = V::largest(V::load(x + i));
      most = largest > most ? largest : most;
    }
    for (; i < job.width; ++i) most = x[i] > most ? x[i] : most;
    for (i = 0; i < job.width; i += V::kLanes) {
      const int64_t n = smaller(job.width - i, V::kLanes);
      V::store(out + i, exp<V>(V::sub(V::load(x + i, n), V::set(most))), n);
      total += V::sum(V::load(out + i, n));
    }
    const F32 share = V::set(1.0f / total);
    for (i = 0; i < job.width; i += V::kLanes) {
      const int64_t n = smaller(job.width - i, V::kLanes);
      V::store(out + i, V::mul(V::load(out + i, n), share), n);
    }
  }
}

}  // namespace tenon::cpu
