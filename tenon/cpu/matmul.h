// y[t, n] = sum over k of x[t, k] * w[n, k], with the weights read as they lie in the file: rows of blocks or
// of floats, never copied to a second form. Several weights that share x are one job of several segments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tenon/base/thread_pool.h"
#include "tenon/type/element_type.h"

namespace tenon::cpu {

struct MatmulSegment {
  const std::byte* weight = nullptr;     // [rows, depth] of `type`; rows lie row_bytes apart
  ElementType type = ElementType::kF32;  // f32, f16, bf16 or a block type
  int64_t rows = 0;
  int64_t row_bytes = 0;
  const float* bias = nullptr;      // [rows], or null
  const float* residual = nullptr;  // [tokens, rows], added to the product, or null; may be `output` itself
  int64_t residual_stride = 0;      // floats from one token to the next
  float* output = nullptr;          // [tokens, rows]
  int64_t output_stride = 0;        // floats from one token to the next
};

struct MatmulJob {
  std::span<const MatmulSegment> segments;
  const float* x = nullptr;  // [tokens, depth]
  int64_t x_stride = 0;      // floats from one token to the next
  int64_t tokens = 0;
  int64_t depth = 0;  // a multiple of each segment's block
  // Each row of x is taken as x / sqrt(mean(x^2) + norm_epsilon) * norm_weight; for block weights alone.
  bool normalises_x = false;
  const float* norm_weight = nullptr;  // [depth], or null
  float norm_epsilon = 0.0f;
  // Two segments, gate and up, of equal rows, both of block types or both of floats: output[0] = silu(gate) *
  // up, with segment 0's residual added. Segment 1's output and residual are not used.
  bool swiglu = false;
  std::byte* workspace =
      nullptr;  // matmul_workspace_bytes(tokens, depth, workers), 64-byte aligned. A barrier must lie
  // between two jobs that use the same one
  // Of one token, where workers help each other: this worker's part of the workspace, which no other worker's
  // job reaches, whatever its extents.
  std::byte* own_workspace = nullptr;
};

// How the products are taken. Block weights: x is quantised once per job to int8 in groups of 32 with an f32
// scale, products are exact integers within a sub-block of the weights and are summed in f32. Float weights:
// f32 throughout. A result depends on x's row, the weight's row and, unless the kernels' order is
// fixed, on whether tokens > kGemvTokens; never on the number of workers.
inline constexpr int64_t kGemvTokens = 8;

}  // namespace tenon::cpu
