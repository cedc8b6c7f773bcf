#include <cmath>

#include "tenon/synth/models.h"

namespace tenon::synth {

namespace {

// Growing from the fastest turns to the slowest, from 1 to `last`; the real ones are the result of a search.
std::vector<float> growing_factors(int64_t count, double last) {
  std::vector<float> out;
  for (int64_t i = 0; i < count; ++i) {
    out.push_back(
        static_cast<float>(std::pow(last, static_cast<double>(i) / static_cast<double>(count - 1))));
  }
  return out;
}

}  // namespace

void describe_fused(Blueprint& blueprint, int64_t layers, const FusedShape& shape) {
  const double growth = static_cast<double>(shape.context) / static_cast<double>(shape.original_context);
  add_common_keys(blueprint, layers, shape);
  blueprint.count("feed_forward_length", shape.feed_forward);
  blueprint.count("rope.dimension_count", shape.rotated);
  blueprint.count("rope.scaling.original_context_length", shape.original_context);
  // LongRoPE: https://arxiv.org/abs/2402.13753
  blueprint.number("rope.scaling.attn_factor",
                   std::sqrt(1 + std::log(growth) / std::log(static_cast<double>(shape.original_context))));
  blueprint.count("attention.sliding_window", 262144);  // in the real files, beyond every context
  add_outer_tensors(blueprint, shape);
  blueprint.given("rope_factors_long.weight", growing_factors(shape.rotated / 2, 2 * growth));
  blueprint.given("rope_factors_short.weight", growing_factors(shape.rotated / 2, 2));
  const int64_t q_rows = shape.heads * shape.head_size;
  for (int64_t layer = 0; layer < layers; ++layer) {
    blueprint.norm(layer_tensor(layer, "attn_norm.weight"), shape.width);
    blueprint.weights(layer_tensor(layer, "attn_qkv.weight"), q_rows + 2 * shape.kv_heads * shape.head_size,
                      shape.width);
    blueprint.weights(layer_tensor(layer, "attn_output.weight"), shape.width, q_rows);
    blueprint.norm(layer_tensor(layer, "ffn_norm.weight"), shape.width);
    blueprint.weights(layer_tensor(layer, "ffn_up.weight"), 2 * shape.feed_forward, shape.width);
    blueprint.weights(layer_tensor(layer, "ffn_down.weight"), shape.width, shape.feed_forward);
  }
}

}  // namespace tenon::synth
