#include <algorithm>
#include <cmath>

#include "tenon/synth/models.h"

namespace tenon::synth {

namespace {

constexpr int64_t kInterval = 5;

bool has_window(int64_t layer) { return (layer + 1) % kInterval != 0; }

// A quarter of a head is turned; such a factor leaves the rest in its place.
std::vector<float> partial_rope_factors(int64_t head_size) {
  std::vector<float> out(static_cast<size_t>(head_size / 2), 1e30f);
  std::fill_n(out.begin(), head_size / 8, 1.0f);
  return out;
}

// Scores are not scaled, so the scales of queries do that.
void add_attention(Blueprint& blueprint, int64_t layer, bool own_caches, const WindowShape& shape) {
  const int64_t head_size = has_window(layer) ? shape.window_head_size : shape.head_size;
  const int64_t q_rows = shape.heads * head_size, kv_rows = shape.kv_heads * head_size;
  blueprint.weights(layer_tensor(layer, "attn_q.weight"), q_rows, shape.width);
  if (own_caches) {
    blueprint.weights(layer_tensor(layer, "attn_k.weight"), kv_rows, shape.width);
    blueprint.weights(layer_tensor(layer, "attn_v.weight"), kv_rows, shape.width);
    blueprint.norm(layer_tensor(layer, "attn_k_norm.weight"), head_size);
  }
  blueprint.norm(layer_tensor(layer, "attn_q_norm.weight"), head_size,
                 1 / std::sqrt(static_cast<double>(head_size)));
  blueprint.weights(layer_tensor(layer, "attn_output.weight"), shape.width, q_rows);
}

void add_per_layer_embedding(Blueprint& blueprint, int64_t layer, const WindowShape& shape) {
  blueprint.weights(layer_tensor(layer, "inp_gate.weight"), shape.per_layer_width, shape.width);
  blueprint.weights(layer_tensor(layer, "proj.weight"), shape.width, shape.per_layer_width);
  blueprint.norm(layer_tensor(layer, "post_norm.weight"), shape.width);
  blueprint.norm(layer_tensor(layer, "layer_output_scale.weight"), 1);
}

void add_attention_keys(Blueprint& blueprint, int64_t layers, const WindowShape& shape) {
  std::vector<bool> windowed;
  for (int64_t layer = 0; layer < layers; ++layer) windowed.push_back(has_window(layer));
  blueprint.count("attention.key_length", shape.head_size);
  blueprint.count("attention.value_length", shape.head_size);
  blueprint.count("attention.key_length_swa", shape.window_head_size);
  blueprint.count("attention.value_length_swa", shape.window_head_size);
  blueprint.count("attention.sliding_window", shape.window);
  blueprint.flags("attention.sliding_window_pattern", windowed);
  blueprint.count("attention.shared_kv_layers", std::max<int64_t>(layers - shape.own_cache_layers, 0));
  blueprint.count("rope.dimension_count", shape.head_size);
  blueprint.count("rope.dimension_count_swa", shape.window_head_size);
  blueprint.number("rope.freq_base_swa", 10000);
}

}  // namespace

void describe_windows(Blueprint& blueprint, int64_t layers, const WindowShape& shape) {
  std::vector<int64_t> feed_forward;
  for (int64_t layer = 0; layer < layers; ++layer) {
    feed_forward.push_back(layer < shape.own_cache_layers ? shape.feed_forward : 2 * shape.feed_forward);
  }
  add_common_keys(blueprint, layers, shape);
  blueprint.counts("feed_forward_length", feed_forward);
  blueprint.count("embedding_length_per_layer_input", shape.per_layer_width);
  blueprint.number("final_logit_softcapping", 30);
  add_attention_keys(blueprint, layers, shape);

  const int64_t all_layers_width = layers * shape.per_layer_width;
  add_outer_tensors(blueprint, shape);
  blueprint.weights("per_layer_token_embd.weight", shape.vocabulary, all_layers_width);
  blueprint.kept_weights("per_layer_model_proj.weight", all_layers_width, shape.width);
  blueprint.norm("per_layer_proj_norm.weight", shape.per_layer_width);
  blueprint.given("rope_freqs.weight", partial_rope_factors(shape.head_size));
  for (int64_t layer = 0; layer < layers; ++layer) {
    blueprint.norm(layer_tensor(layer, "attn_norm.weight"), shape.width);
    add_attention(blueprint, layer, layer < shape.own_cache_layers, shape);
    blueprint.norm(layer_tensor(layer, "post_attention_norm.weight"), shape.width);
    blueprint.norm(layer_tensor(layer, "ffn_norm.weight"), shape.width);
    add_gated_feed_forward(blueprint, layer, shape.width, feed_forward[static_cast<size_t>(layer)]);
    blueprint.norm(layer_tensor(layer, "post_ffw_norm.weight"), shape.width);
    add_per_layer_embedding(blueprint, layer, shape);
  }
}

}  // namespace tenon::synth
