#include "tenon/arch/blocks/attention.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "tenon/arch/blocks/linear.h"

namespace tenon::arch {

using decoder::Edge;

namespace {

// Writes rows [1, T, G, D] into the cache `name` of a layer with that window, 0 for none; the whole cache
// [1, KV, G, D] afterwards.
Edge write_cache(Transformer& model, Edge rows, int64_t layer, int64_t window, const std::string& name) {
  const TensorType& type = model.graph.type(rows);
  const Axis cached = model.graph.type(window > 0 ? model.window_mask : model.mask).axes[3];
  const bool evicts = window > 0 && model.options.evicting_windows;
  const decoder::Cache kind{evicts ? decoder::CacheKind::kWindow : decoder::CacheKind::kAppend,
                            evicts ? window : 0, layer};
  const Edge cache =
      model.graph.cache(name, {model.options.cache_element, {1, cached, type.axes[2], type.axes[3]}}, kind);
  const Edge index = window > 0 ? model.window_cache_index : model.cache_index;
  const Edge written = model.graph.set_rows(rows, index, cache, name + ".write");
  model.caches.push_back({name, written});
  return written;
}

// A cache as an earlier layer has left it.
Edge written_cache(const Transformer& model, const std::string& name) {
  const auto found = std::ranges::find(model.caches, name, &decoder::Output::name);
  if (found == model.caches.end()) throw std::logic_error("[self_attention] no layer has written " + name);
  return found->value;
}

// Whole caches [1, KV, G, D].
struct KeysAndValues {
  Edge keys, values;
};

// Factors of its own for each kind of context are LongRoPE; the choice is made once, for all positions.
std::string rope_factors_tensor(Transformer& model, const decoder::RopeAttributes& rope) {
  if (model.weights.contains("rope_freqs.weight")) return "rope_freqs.weight";
  std::string chosen = "rope_factors_short.weight", other = "rope_factors_long.weight";
  const int64_t asked = model.options.context;
  if ((asked > 0 ? asked : model.hyperparameters.context) > rope.original_context) std::swap(chosen, other);
  model.weights.leave_out(other);
  return chosen;
}

// The graph of one layer's attention.
class SelfAttention {
 public:
  SelfAttention(Transformer& model, Edge x, int64_t layer, const AttentionFamily& family)
      : model_(model),
        graph_(model.graph),
        x_(x),
        layer_(layer),
        family_(family),
        attention_(model.hyperparameters.attention[static_cast<size_t>(layer)]),
        rope_(attention_.rope) {
    rope_.mode = family.rope_mode;
  }

  Result<Edge> build() {
    const Hyperparameters& h = model_.hyperparameters;
    if (attention_.window == 0) {
      TENON_ASSIGN(rope_factors_, model_.weights.optional_vector(graph_, rope_factors_tensor(model_, rope_),
                                                                 rope_.n_rot / 2));
    }
    if (model_.weights.contains(layer_tensor("attn_qkv.weight", layer_))) {
      const int64_t width = (h.heads + 2 * attention_.kv_heads) * attention_.head_size;
      TENON_ASSIGN(fused_, linear(model_, x_, layer_, "attn_qkv", width, "QKVcur"));
    }
    TENON_ASSIGN(Edge q, family_.output_gate ? project_gated_query() : project(0, h.heads, "attn_q", "Qcur"));
    TENON_ASSIGN(q, placed(q, "attn_q_norm.weight", "Qcur"));
    TENON_ASSIGN(const KeysAndValues cached, attention_.caches_of ? shared_caches() : own_caches());

    const double scale = family_.scale.value_or(1.0f / std::sqrt(static_cast<float>(attention_.head_size)));
    const Edge mask = attention_.window > 0 ? model_.window_mask : model_.mask;
    std::optional<Edge> sinks;
    if (family_.sinks) {
      TENON_ASSIGN(sinks, model_.weights.tensor(graph_, layer_tensor("attn_sinks.weight", layer_),
                                                {{h.heads, AxisRole::kHead}}, /*f32_only=*/true));
    }
    Edge heads = graph_.flash_attn_ext(q, cached.keys, cached.values, mask, sinks, scale, node("fattn"));
    if (output_gate_) {
      heads = graph_.mul(heads, graph_.sigmoid(*output_gate_, node("gate_sigmoid")), node("attn_gated"));
    }
    const Edge merged = graph_.merge_heads(heads, node("kqv_out"));
    return linear(model_, merged, layer_, "attn_output", h.embedding, "attn_out");
  }

 private:
  std::string node(std::string_view name) const { return layer_node(name, layer_); }

  // x through `tensor` as heads [1, T, heads, D]; of the fused projection those from head `first` on.
  Result<Edge> project(int64_t first, int64_t heads, const std::string& tensor, const std::string& name) {
    const int64_t width = heads * attention_.head_size;
    if (fused_) {
      const std::vector<Axis>& axes = graph_.type(*fused_).axes;
      const Edge part = graph_.view(*fused_, 3, first * attention_.head_size, width,
                                    {1, 1, axes[2], {width, AxisRole::kChannel}}, node(name));
      return graph_.split_heads(part, heads, node(name + "_heads"));
    }
    TENON_ASSIGN(const Edge flat, linear(model_, x_, layer_, tensor, width, name));
    return graph_.split_heads(flat, heads, node(name + "_heads"));
  }

  // attn_q as [1, T, heads, 2 * D]: a head's query, then its gate.
  Result<Edge> project_gated_query() {
    const int64_t heads = model_.hyperparameters.heads, size = attention_.head_size;
    TENON_ASSIGN(const Edge flat, linear(model_, x_, layer_, "attn_q", 2 * heads * size, "Qcur_full"));
    const Edge both = graph_.split_heads(flat, heads, node("Qcur_full_heads"));
    output_gate_ = graph_.view(both, 3, size, size, node("gate_heads"));
    return graph_.view(both, 3, 0, size, node("Qcur_heads"));
  }

  // Normalised where the family does so, and rotated.
  Result<Edge> placed(Edge heads, const std::string& norm_weight, const std::string& name) {
    if (family_.head_norms) {
      TENON_ASSIGN(heads, norm(model_, heads, layer_tensor(norm_weight, layer_), node(name + "_normed")));
    }
    return graph_.rope(heads, model_.positions, rope_factors_, rope_, node(name + "_rope"));
  }

  Result<KeysAndValues> own_caches() {
    const int64_t heads = model_.hyperparameters.heads, kv_heads = attention_.kv_heads;
    TENON_ASSIGN(Edge k, project(heads, kv_heads, "attn_k", "Kcur"));
    Edge v = k;
    const bool tied =
        family_.keys_as_values && !fused_ && !model_.weights.contains(layer_tensor("attn_v.weight", layer_));
    if (!tied) {
      TENON_ASSIGN(v, project(heads + kv_heads, kv_heads, "attn_v", "Vcur"));
    }
    TENON_ASSIGN(k, placed(k, "attn_k_norm.weight", "Kcur"));
    if (family_.value_norms) v = graph_.rms_norm(v, model_.hyperparameters.rms_epsilon, node("Vcur_normed"));
    return KeysAndValues{
        write_cache(model_, k, layer_, attention_.window, "cache_k_l" + std::to_string(layer_)),
        write_cache(model_, v, layer_, attention_.window, "cache_v_l" + std::to_string(layer_))};
  }

  // Projections of the layer's own may be stored, without a use.
  Result<KeysAndValues> shared_caches() {
    for (const char* tensor : {"attn_k.weight", "attn_v.weight", "attn_k_norm.weight"})
      model_.weights.leave_out(layer_tensor(tensor, layer_));
    const std::string source = std::to_string(*attention_.caches_of);
    return KeysAndValues{written_cache(model_, "cache_k_l" + source),
                         written_cache(model_, "cache_v_l" + source)};
  }

  Transformer& model_;
  GraphBuilder& graph_;
  Edge x_;
  int64_t layer_;
  const AttentionFamily& family_;
  const LayerAttention& attention_;
  decoder::RopeAttributes rope_;
  std::optional<Edge> rope_factors_;
  std::optional<Edge> fused_;  // Q, K and V side by side
  std::optional<Edge> output_gate_;
};

}  // namespace

Result<Edge> self_attention(Transformer& model, Edge x, int64_t layer, const AttentionFamily& family) {
  return SelfAttention(model, x, layer, family).build();
}

}  // namespace tenon::arch
