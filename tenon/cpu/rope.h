// Rotary position embedding in two steps: one table of cosines and sines per step, read by every layer's
// kernel.
#pragma once

#include <cstdint>

#include "tenon/base/thread_pool.h"

namespace tenon::op {
struct RopeAttributes;
}

namespace tenon::cpu {

enum class RopeMode : uint8_t {
  kNormal,  // pairs (2i, 2i + 1)
  kNeox,    // pairs (i, i + rotated / 2)
};

// The angle of pair i at position p is p * base^(-2i / rotated) / freq_factors[i], scaled as ggml's ROPE does
// (YaRN: arXiv 2309.00071; extrapolation_factor 0 switches the ramp off).
struct RopeParameters {
  int64_t rotated = 0;  // elements of a head that turn; even
  float base = 10000.0f;
  float freq_scale = 1.0f;
  float extrapolation_factor = 0.0f;
  float attention_factor = 1.0f;
  float beta_fast = 32.0f, beta_slow = 1.0f;
  int64_t original_context = 0;
};

// Floats of a table: [tokens][cos, sin][rotated / 2].
inline int64_t rope_table_floats(const RopeParameters& parameters, int64_t tokens) {
  return tokens * parameters.rotated;
}

struct RopeTableJob {
  RopeParameters parameters;
  const float* freq_factors = nullptr;  // [rotated / 2], or null
  const int32_t* positions = nullptr;   // [tokens], or [components, tokens]
  // Of positions with several components: which of them turns a pair (op::component_of_pair).
  const op::RopeAttributes* components = nullptr;
  int64_t tokens = 0;
  float* table = nullptr;
};

// All workers call it together, as they do every kernel.
void build_rope_table(const RopeTableJob& job, const Worker& worker);

struct RopeJob {
  RopeMode mode = RopeMode::kNormal;
  const float* x = nullptr;  // [tokens, heads, head_size]; strides are floats
  int64_t x_token_stride = 0, x_head_stride = 0;
  float* output = nullptr;  // same extents; may be x. Elements from `rotated` on are passed through
  int64_t output_token_stride = 0, output_head_stride = 0;
  int64_t tokens = 0, heads = 0, head_size = 0;
  int64_t rotated = 0;
  const float* table = nullptr;
};

}  // namespace tenon::cpu
