// The models that can be made up: the real ones' keys and shapes, and small ones of the same families.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "tenon/synth/blueprint.h"
#include "tenon/synth/vocabulary.h"

namespace tenon::synth {

struct Model {
  std::string_view name;
  std::string_view architecture;
  int64_t layers;         // of the real model
  int64_t fewest_layers;  // that have one layer of each kind
  VocabularyPlan vocabulary;
  // Adds everything but the vocabulary, for so many layers.
  void (*describe)(Blueprint& blueprint, int64_t layers);
};

// Sorted by name.
std::span<const Model> models();

// Most layers that llama.cpp takes.
inline constexpr int64_t kMostLayers = 512;

// The keys that all families have, and the sizes of the matrices around the layers.
struct Shape {
  int64_t width, feed_forward, heads, kv_heads, head_size, vocabulary, context;
  double rope_base, epsilon;
  bool tied = true;  // no output.weight
};

// Q, K and V apart, gate and up apart, on pre-norms.
struct DenseShape : Shape {
  bool head_norms = false;        // of Q and K
  double llama3_rope_factor = 0;  // 0: no rope_freqs
};
void describe_dense(Blueprint& blueprint, int64_t layers, const DenseShape& shape);

// Q, K and V in one matrix, gate and up in one; RoPE over a part of a head, by factors for short and for
// long contexts.
struct FusedShape : Shape {
  int64_t rotated;           // elements of a head
  int64_t original_context;  // from here on the long factors hold
};
void describe_fused(Blueprint& blueprint, int64_t layers, const FusedShape& shape);

// Delta-nets, and every fourth layer attention with an output gate.
struct DeltaNetShape : Shape {
  int64_t rotated;  // elements of a head
  int64_t key_heads, value_heads, state_size;
};
void describe_delta_net(Blueprint& blueprint, int64_t layers, const DeltaNetShape& shape);

// Four layers with a window for each without; late layers on the caches of earlier ones, with a
// feed-forward twice as wide; an embedding for each layer.
struct WindowShape : Shape {
  int64_t window, window_head_size, own_cache_layers, per_layer_width;
};
void describe_windows(Blueprint& blueprint, int64_t layers, const WindowShape& shape);

// What the above have in common.
void add_common_keys(Blueprint& blueprint, int64_t layers, const Shape& shape);
void add_outer_tensors(Blueprint& blueprint, const Shape& shape);  // token_embd, output_norm, output
void add_gated_feed_forward(Blueprint& blueprint, int64_t layer, int64_t width, int64_t feed_forward);
std::string layer_tensor(int64_t layer, std::string_view name);  // "blk.3.attn_q.weight"

}  // namespace tenon::synth
