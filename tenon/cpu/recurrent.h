// Jobs of the kernels that carry a state from token to token. Strides are floats; the innermost axis of every
// tensor is packed.
#pragma once

#include <cstdint>

#include "tenon/base/thread_pool.h"

namespace tenon::cpu {

inline constexpr int64_t kMaxSsmKernel = 8;

// output[t, c] = sum over k of x[c, t + k] * weight[c, k].
struct SsmConvJob {
  const float* x = nullptr;  // [channels, kernel - 1 + tokens]
  int64_t x_stride = 0;
  const float* weight = nullptr;  // [channels, kernel]
  float* output = nullptr;        // [tokens, channels]
  int64_t output_stride = 0;
  int64_t channels = 0, tokens = 0;
  int64_t kernel = 0;  // at most kMaxSsmKernel
};

// op/ssm_scan.h for one sequence and one decay to the head.
struct SsmScanJob {
  const float* state = nullptr;  // [heads, size, width], packed
  const float* x = nullptr;      // [tokens, heads, size]
  int64_t x_token_stride = 0, x_head_stride = 0;
  const float* dt = nullptr;  // [tokens, heads]
  int64_t dt_stride = 0;
  const float* decay = nullptr;  // [heads]
  const float* b = nullptr;      // [tokens, groups, width]
  int64_t b_token_stride = 0, b_group_stride = 0;
  const float* c = nullptr;  // likewise
  int64_t c_token_stride = 0, c_group_stride = 0;
  float* output = nullptr;  // [tokens, heads, size], packed
  float* next = nullptr;    // like state; not the same memory
  int64_t tokens = 0, heads = 0, groups = 1, size = 0, width = 0;
};

// op/gated_delta_net.h for one sequence and one gate to the head.
struct DeltaNetJob {
  const float* q = nullptr;  // [tokens, groups, size]
  int64_t q_token_stride = 0, q_group_stride = 0;
  const float* k = nullptr;  // likewise
  int64_t k_token_stride = 0, k_group_stride = 0;
  const float* v = nullptr;  // [tokens, heads, size]
  int64_t v_token_stride = 0, v_head_stride = 0;
  const float* gate = nullptr;  // [tokens, heads]
  int64_t gate_stride = 0;
  const float* beta = nullptr;  // likewise
  int64_t beta_stride = 0;
  const float* state = nullptr;  // [heads, size, size], packed
  float* output = nullptr;       // [tokens, heads, size], packed
  float* next = nullptr;         // like state; not the same memory
  int64_t tokens = 0, heads = 0, groups = 1, size = 0;
};

}  // namespace tenon::cpu
