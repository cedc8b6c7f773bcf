#include <algorithm>
#include <cmath>
#include <numbers>

#include "tenon/synth/models.h"

namespace tenon::synth {

namespace {

// What slow turns of RoPE are divided by: 1 for wavelengths below a quarter of the context of the first
// training, `factor` from that context on, between them a mean by the number of turns.
// Llama 3.1: https://arxiv.org/abs/2407.21783; values of its config.json.
std::vector<float> llama3_rope_factors(int64_t head_size, double base, double factor) {
  constexpr double kContext = 8192, kFewTurns = 1, kManyTurns = 4;
  std::vector<float> out;
  for (int64_t i = 0; i < head_size / 2; ++i) {
    const double exponent = 2 * static_cast<double>(i) / static_cast<double>(head_size);
    const double turns = kContext / (2 * std::numbers::pi * std::pow(base, exponent));
    const double share = std::clamp((turns - kFewTurns) / (kManyTurns - kFewTurns), 0.0, 1.0);
    out.push_back(static_cast<float>(1 / ((1 - share) / factor + share)));
  }
  return out;
}

}  // namespace

void describe_dense(Blueprint& blueprint, int64_t layers, const DenseShape& shape) {
  add_common_keys(blueprint, layers, shape);
  blueprint.count("feed_forward_length", shape.feed_forward);
  blueprint.count("attention.key_length", shape.head_size);
  blueprint.count("attention.value_length", shape.head_size);
  blueprint.count("rope.dimension_count", shape.head_size);
  add_outer_tensors(blueprint, shape);
  if (shape.llama3_rope_factor > 0) {
    blueprint.given("rope_freqs.weight",
                    llama3_rope_factors(shape.head_size, shape.rope_base, shape.llama3_rope_factor));
  }
  const int64_t q_rows = shape.heads * shape.head_size, kv_rows = shape.kv_heads * shape.head_size;
  for (int64_t layer = 0; layer < layers; ++layer) {
    blueprint.norm(layer_tensor(layer, "attn_norm.weight"), shape.width);
    blueprint.weights(layer_tensor(layer, "attn_q.weight"), q_rows, shape.width);
    blueprint.weights(layer_tensor(layer, "attn_k.weight"), kv_rows, shape.width);
    blueprint.weights(layer_tensor(layer, "attn_v.weight"), kv_rows, shape.width);
    if (shape.head_norms) {
      blueprint.norm(layer_tensor(layer, "attn_q_norm.weight"), shape.head_size);
      blueprint.norm(layer_tensor(layer, "attn_k_norm.weight"), shape.head_size);
    }
    blueprint.weights(layer_tensor(layer, "attn_output.weight"), shape.width, q_rows);
    blueprint.norm(layer_tensor(layer, "ffn_norm.weight"), shape.width);
    add_gated_feed_forward(blueprint, layer, shape.width, shape.feed_forward);
  }
}

}  // namespace tenon::synth
