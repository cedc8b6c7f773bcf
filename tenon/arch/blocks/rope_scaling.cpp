#include "tenon/arch/blocks/rope_scaling.h"

#include <cmath>

namespace tenon::arch {

namespace {

// The magnitude correction that ggml's YaRN applies by itself, 1 + 0.1 ln(factor), divided out of the one
// that the method asks for: 1 for every factor above 1. In float, as llama.cpp has it.
float yarn_magnitude(float factor) {
  const float wanted = factor <= 1 ? 1.0f : 0.1f * std::log(factor) + 1.0f;
  return wanted * (1.0f / (1.0f + 0.1f * std::log(factor)));
}

}  // namespace

Result<decoder::RopeAttributes> read_rope(const ArchitectureKeys& keys, int64_t head_size, int64_t context) {
  decoder::RopeAttributes rope;
  TENON_ASSIGN(rope.n_rot, keys.count("rope.dimension_count", head_size));
  if (rope.n_rot > head_size) {
    return keys.invalid("rope.dimension_count", "at most the head size, " + std::to_string(head_size),
                        std::to_string(rope.n_rot));
  }
  if (rope.n_rot % 2 != 0) {
    return keys.invalid("rope.dimension_count", "an even number of dimensions to rotate",
                        std::to_string(rope.n_rot));
  }
  TENON_ASSIGN(rope.freq_base, keys.number("rope.freq_base", 1, 10000));
  TENON_ASSIGN(rope.original_context, keys.count("rope.scaling.original_context_length", context));
  TENON_ASSIGN(const double attn_factor, keys.number("rope.scaling.attn_factor", 0, 1));
  TENON_ASSIGN(const double old_factor, keys.number("rope.scale_linear", 0, 0));
  TENON_ASSIGN(const double factor, keys.number("rope.scaling.factor", 0, old_factor));
  TENON_ASSIGN(const std::string kind, keys.string("rope.scaling.type", "linear"));

  float freq_scale = factor == 0 ? 1.0f : 1.0f / static_cast<float>(factor);
  float magnitude = static_cast<float>(attn_factor);
  if (kind == "none") {
    freq_scale = 1;
  } else if (kind == "yarn") {
    rope.ext_factor = 1;
    magnitude *= yarn_magnitude(1.0f / freq_scale);
  } else if (kind != "linear" && kind != "longrope") {
    return keys.unsupported("rope.scaling.type", "none, linear, longrope or yarn", "'" + kind + "'");
  }
  rope.freq_scale = freq_scale;
  rope.attn_factor = magnitude;
  return rope;
}

}  // namespace tenon::arch
