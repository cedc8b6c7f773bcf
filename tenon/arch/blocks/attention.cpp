#include "tenon/arch/blocks/attention.h"

#include <cmath>

#include "tenon/arch/blocks/linear.h"

namespace tenon::arch {

using decoder::Edge;

namespace {

// [1, 1, T, F] -> [1, T, heads, D].
Result<Edge> project_heads(Transformer& model, Edge x, int64_t layer, const std::string& tensor,
                           int64_t heads, const std::string& node) {
  const int64_t width = heads * model.hyperparameters.head_size;
  TENON_ASSIGN(const Edge flat, linear(model, x, layer, tensor, width, node));
  return model.graph.split_heads(flat, heads, layer_node(node + "_heads", layer));
}

// Writes rows [1, T, G, D] into the cache `name`; the whole cache [1, KV, G, D] afterwards.
Edge write_cache(Transformer& model, Edge rows, int64_t layer, const std::string& name) {
  const TensorType& type = model.graph.type(rows);
  const Axis cached = model.graph.type(model.mask).axes[3];
  const Edge cache =
      model.graph.cache(name, {model.options.cache_element, {1, cached, type.axes[2], type.axes[3]}},
                        {decoder::CacheKind::kAppend, 0, layer});
  const Edge written = model.graph.set_rows(rows, model.cache_index, cache, name + ".write");
  model.caches.push_back({name, written});
  return written;
}

}  // namespace

Result<Edge> self_attention(Transformer& model, Edge x, int64_t layer, decoder::RopeMode rope_mode) {
  const Hyperparameters& h = model.hyperparameters;
  GraphBuilder& graph = model.graph;
  TENON_ASSIGN(Edge q, project_heads(model, x, layer, "attn_q", h.heads, "Qcur"));
  TENON_ASSIGN(Edge k, project_heads(model, x, layer, "attn_k", h.kv_heads, "Kcur"));
  TENON_ASSIGN(const Edge v, project_heads(model, x, layer, "attn_v", h.kv_heads, "Vcur"));

  decoder::RopeAttributes rope = h.rope;
  rope.mode = rope_mode;
  TENON_ASSIGN(const std::optional<Edge> factors,
               model.weights.optional_vector(graph, "rope_freqs.weight", rope.n_rot / 2));
  q = graph.rope(q, model.positions, factors, rope, layer_node("Qcur_rope", layer));
  k = graph.rope(k, model.positions, factors, rope, layer_node("Kcur_rope", layer));

  const Edge keys = write_cache(model, k, layer, "cache_k_l" + std::to_string(layer));
  const Edge values = write_cache(model, v, layer, "cache_v_l" + std::to_string(layer));
  const double scale = 1.0f / std::sqrt(static_cast<float>(h.head_size));
  const Edge heads = graph.flash_attn_ext(q, keys, values, model.mask, scale, layer_node("fattn", layer));
  const Edge merged = graph.merge_heads(heads, layer_node("kqv_out", layer));
  return linear(model, merged, layer, "attn_output", h.embedding, "attn_out");
}

}  // namespace tenon::arch
