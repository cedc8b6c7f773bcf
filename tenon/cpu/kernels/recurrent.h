// recurrent.h's jobs, done. A head's rows of state do not know each other: workers take blocks of rows, each
// through all tokens.
#pragma once

#include "tenon/cpu/kernels/exp.h"
#include "tenon/cpu/recurrent.h"
#include "tenon/cpu/simd/inline.h"

namespace tenon::cpu {

inline constexpr int64_t kStateRows = 16;  // of a block: they share what a token has for the whole head

// body(i, n) for each vector of [0, width): n is AllLanes, and a number of lanes for the last.
struct AllLanes {};
template <class V, class Body>
TENON_INLINE void for_each_vector(int64_t width, const Body& body) {
  int64_t i = 0;
  for (; i + V::kLanes <= width; i += V::kLanes) body(i, AllLanes());
  if (i < width) body(i, width - i);
}
template <class V>
TENON_INLINE typename V::F32 load(const float* p, AllLanes) {
  return V::load(p);
}
template <class V>
TENON_INLINE typename V::F32 load(const float* p, int64_t n) {
  return V::load(p, n);
}
template <class V>
TENON_INLINE void store(float* p, typename V::F32 x, AllLanes) {
  V::store(p, x);
}
template <class V>
TENON_INLINE void store(float* p, typename V::F32 x, int64_t n) {
  V::store(p, x, n);
}

// Channels are the lanes: a tile of x is turned so that its columns lie one after the other.
template <class V>
void ssm_conv(const SsmConvJob& job, const Worker& worker) {
  constexpr int64_t kTokens = 32, kMaxKernel = kMaxSsmKernel, kLanes = V::kLanes;
  const Worker::Range share = worker.share(divide_up(job.channels, kLanes));
  for (int64_t block = share.begin; block < share.end; ++block) {
    const int64_t first = block * kLanes, lanes = smaller(job.channels - first, kLanes);
    const float* x = job.x + first * job.x_stride;
    const float* weight = job.weight + first * job.kernel;
    float taps[kMaxKernel * kLanes] = {}, tile[(kMaxKernel - 1 + kTokens) * kLanes] = {};
    for (int64_t lane = 0; lane < lanes; ++lane) {
      for (int64_t k = 0; k < job.kernel; ++k) taps[k * kLanes + lane] = weight[lane * job.kernel + k];
    }
    for (int64_t begin = 0; begin < job.tokens; begin += kTokens) {
      const int64_t tokens = smaller(job.tokens - begin, kTokens), columns = job.kernel - 1 + tokens;
      for (int64_t lane = 0; lane < lanes; ++lane) {
        const float* row = x + lane * job.x_stride + begin;
        for (int64_t i = 0; i < columns; ++i) tile[i * kLanes + lane] = row[i];
      }
      for (int64_t t = 0; t < tokens; ++t) {
        typename V::F32 sum = V::zero();
        for (int64_t k = 0; k < job.kernel; ++k)
          sum = V::fma(V::load(tile + (t + k) * kLanes), V::load(taps + k * kLanes), sum);
        V::store(job.output + (begin + t) * job.output_stride + first, sum, lanes);
      }
    }
  }
}

// row = row * decay + added * b; returns row · c.
template <class V>
TENON_INLINE float step_of_scan(const float* row, float* next, const float* b, const float* c, float decay,
                                float added, int64_t width) {
  typename V::F32 sum = V::zero();
  for_each_vector<V>(width, [&](int64_t i, auto n) TENON_BODY {
    const typename V::F32 kept = V::mul(load<V>(row + i, n), V::set(decay));
    const typename V::F32 value = V::fma(load<V>(b + i, n), V::set(added), kept);
    sum = V::fma(value, load<V>(c + i, n), sum);
    store<V>(next + i, value, n);
  });
  return V::sum(sum);
}

template <class V>
void ssm_scan(const SsmScanJob& job, const Worker& worker) {
  const int64_t blocks = divide_up(job.size, kStateRows), heads_of_group = job.heads / job.groups;
  const Worker::Range share = worker.share(job.heads * blocks);
  for (int64_t item = share.begin; item < share.end; ++item) {
    const int64_t head = item / blocks, begin = item % blocks * kStateRows;
    const int64_t end = smaller(begin + kStateRows, job.size), group = head / heads_of_group;
    float* next = job.next + head * job.size * job.width;
    const float* state = job.state + head * job.size * job.width;
    for (int64_t t = 0; t < job.tokens; ++t, state = next) {
      const float step = softplus(job.dt[t * job.dt_stride + head]);
      const float decay = __builtin_expf(step * job.decay[head]);
      const float* x = job.x + t * job.x_token_stride + head * job.x_head_stride;
      const float* b = job.b + t * job.b_token_stride + group * job.b_group_stride;
      const float* c = job.c + t * job.c_token_stride + group * job.c_group_stride;
      float* out = job.output + (t * job.heads + head) * job.size;
      for (int64_t p = begin; p < end; ++p) {
        out[p] =
            step_of_scan<V>(state + p * job.width, next + p * job.width, b, c, decay, step * x[p], job.width);
      }
    }
  }
}

// One row of a delta-net's state through one token; returns its output before scaling.
template <class V>
TENON_INLINE float step_of_delta_net(const float* row, float* next, const float* q, const float* k, float v,
                                     float decay, float beta, int64_t size) {
  using F32 = typename V::F32;
  F32 known = V::zero(), sum = V::zero();
  for_each_vector<V>(size, [&](int64_t i, auto n) TENON_BODY {
    const F32 kept = V::mul(load<V>(row + i, n), V::set(decay));
    known = V::fma(kept, load<V>(k + i, n), known);
    store<V>(next + i, kept, n);
  });
  const F32 delta = V::set((v - V::sum(known)) * beta);
  for_each_vector<V>(size, [&](int64_t i, auto n) TENON_BODY {
    const F32 value = V::fma(load<V>(k + i, n), delta, load<V>(next + i, n));
    sum = V::fma(value, load<V>(q + i, n), sum);
    store<V>(next + i, value, n);
  });
  return V::sum(sum);
}

template <class V>
void gated_delta_net(const DeltaNetJob& job, const Worker& worker) {
  const int64_t size = job.size, blocks = divide_up(size, kStateRows);
  const float scale = 1.0f / __builtin_sqrtf(static_cast<float>(size));
  const Worker::Range share = worker.share(job.heads * blocks);
  for (int64_t item = share.begin; item < share.end; ++item) {
    const int64_t head = item / blocks, begin = item % blocks * kStateRows;
    const int64_t end = smaller(begin + kStateRows, size), group = head % job.groups;
    float* next = job.next + head * size * size;
    const float* state = job.state + head * size * size;
    for (int64_t t = 0; t < job.tokens; ++t, state = next) {
      const float* q = job.q + t * job.q_token_stride + group * job.q_group_stride;
      const float* k = job.k + t * job.k_token_stride + group * job.k_group_stride;
      const float* v = job.v + t * job.v_token_stride + head * job.v_head_stride;
      const float decay = __builtin_expf(job.gate[t * job.gate_stride + head]);
      const float beta = job.beta[t * job.beta_stride + head];
      float* out = job.output + (t * job.heads + head) * size;
      for (int64_t j = begin; j < end; ++j) {
        out[j] =
            scale * step_of_delta_net<V>(state + j * size, next + j * size, q, k, v[j], decay, beta, size);
      }
    }
  }
}

}  // namespace tenon::cpu
