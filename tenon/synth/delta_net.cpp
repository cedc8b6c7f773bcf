#include "tenon/synth/models.h"

namespace tenon::synth {

namespace {

constexpr int64_t kAttentionInterval = 4;
constexpr int64_t kKernel = 4;

// Pairs of a head that turn by each component of a position, in the proportions 11:11:10 of the real one.
std::vector<int64_t> position_sections(int64_t rotated) {
  const int64_t pairs = rotated / 2, first = (pairs + 2) / 3;
  return {first, first, pairs - 2 * first, 0};
}

void add_attention(Blueprint& blueprint, int64_t layer, const DeltaNetShape& shape) {
  const int64_t q_rows = shape.heads * shape.head_size, kv_rows = shape.kv_heads * shape.head_size;
  blueprint.weights(layer_tensor(layer, "attn_q.weight"), 2 * q_rows, shape.width);
  blueprint.weights(layer_tensor(layer, "attn_k.weight"), kv_rows, shape.width);
  blueprint.weights(layer_tensor(layer, "attn_v.weight"), kv_rows, shape.width);
  blueprint.norm(layer_tensor(layer, "attn_q_norm.weight"), shape.head_size);
  blueprint.norm(layer_tensor(layer, "attn_k_norm.weight"), shape.head_size);
  blueprint.weights(layer_tensor(layer, "attn_output.weight"), shape.width, q_rows);
}

void add_delta_net(Blueprint& blueprint, int64_t layer, const DeltaNetShape& shape) {
  const int64_t inner = shape.value_heads * shape.state_size;
  const int64_t channels = 2 * shape.key_heads * shape.state_size + inner;
  blueprint.weights(layer_tensor(layer, "attn_qkv.weight"), channels, shape.width);
  blueprint.weights(layer_tensor(layer, "attn_gate.weight"), inner, shape.width);
  blueprint.numbers(layer_tensor(layer, "ssm_conv1d.weight"), {channels, kKernel}, -0.8, 0.8);
  // What is kept of a state from token to token is exp(ssm_a * a step): some heads keep nearly all.
  blueprint.numbers(layer_tensor(layer, "ssm_dt.bias"), {shape.value_heads}, -2, 0);
  blueprint.numbers(layer_tensor(layer, "ssm_a"), {shape.value_heads}, -0.5, -0.05);
  blueprint.weights(layer_tensor(layer, "ssm_beta.weight"), shape.value_heads, shape.width);
  blueprint.weights(layer_tensor(layer, "ssm_alpha.weight"), shape.value_heads, shape.width);
  blueprint.norm(layer_tensor(layer, "ssm_norm.weight"), shape.state_size);
  blueprint.weights(layer_tensor(layer, "ssm_out.weight"), shape.width, inner);
}

}  // namespace

void describe_delta_net(Blueprint& blueprint, int64_t layers, const DeltaNetShape& shape) {
  add_common_keys(blueprint, layers, shape);
  blueprint.count("feed_forward_length", shape.feed_forward);
  blueprint.count("attention.key_length", shape.head_size);
  blueprint.count("attention.value_length", shape.head_size);
  blueprint.count("rope.dimension_count", shape.rotated);
  blueprint.counts("rope.dimension_sections", position_sections(shape.rotated));
  blueprint.count("full_attention_interval", kAttentionInterval);
  blueprint.count("ssm.conv_kernel", kKernel);
  blueprint.count("ssm.state_size", shape.state_size);
  blueprint.count("ssm.group_count", shape.key_heads);
  blueprint.count("ssm.time_step_rank", shape.value_heads);
  blueprint.count("ssm.inner_size", shape.value_heads * shape.state_size);
  add_outer_tensors(blueprint, shape);
  for (int64_t layer = 0; layer < layers; ++layer) {
    blueprint.norm(layer_tensor(layer, "attn_norm.weight"), shape.width);
    if ((layer + 1) % kAttentionInterval == 0) {
      add_attention(blueprint, layer, shape);
    } else {
      add_delta_net(blueprint, layer, shape);
    }
    blueprint.norm(layer_tensor(layer, "post_attention_norm.weight"), shape.width);
    add_gated_feed_forward(blueprint, layer, shape.width, shape.feed_forward);
  }
}

}  // namespace tenon::synth
