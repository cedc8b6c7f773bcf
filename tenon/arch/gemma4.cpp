#include <algorithm>
#include <cmath>

#include "tenon/arch/architecture.h"
#include "tenon/arch/blocks/attention.h"
#include "tenon/arch/blocks/experts.h"
#include "tenon/arch/blocks/feed_forward.h"
#include "tenon/arch/blocks/linear.h"
#include "tenon/arch/blocks/rope_scaling.h"
#include "tenon/arch/blocks/windows.h"

namespace tenon::arch {

using decoder::Edge;

namespace {

constexpr double kWindowRopeBase = 10000;
constexpr double kLogitSoftcap = 30;

struct Gemma4 {
  Hyperparameters shared;
  std::vector<int64_t> feed_forward;  // by layer
  int64_t per_layer_width = 0;        // of the embedding that each layer adds; 0: none
  double logit_softcap = 0;
};

Result<int64_t> read_head_size(const ArchitectureKeys& keys, const std::string& suffix, int64_t fallback) {
  TENON_ASSIGN(const int64_t size, keys.count("attention.key_length" + suffix, fallback));
  TENON_ASSIGN(const int64_t values, keys.count("attention.value_length" + suffix, fallback));
  if (values == size) return size;
  return keys.unsupported("attention.value_length" + suffix, "the key length, " + std::to_string(size),
                          std::to_string(values));
}

// Layers with a window have heads and a RoPE of their own; the last shared_kv_layers layers read the caches
// of the last layer of their kind before them.
Status read_attention(const ArchitectureKeys& keys, Hyperparameters& h) {
  TENON_ASSIGN(h.heads, keys.layer_count("attention.head_count", h.layers));
  TENON_ASSIGN(const std::vector<int64_t> kv_heads, keys.layer_counts("attention.head_count_kv", h.layers));
  TENON_ASSIGN(h.head_size, read_head_size(keys, "", h.embedding / h.heads));
  TENON_ASSIGN(h.rope, read_rope(keys, h.head_size, h.context));
  TENON_ASSIGN(const int64_t window_head_size, read_head_size(keys, "_swa", h.head_size));
  decoder::RopeAttributes window_rope = h.rope;
  window_rope.freq_scale = 1;
  TENON_ASSIGN(window_rope.freq_base, keys.number("rope.freq_base_swa", 1, kWindowRopeBase));
  TENON_ASSIGN(window_rope.n_rot, keys.count("rope.dimension_count_swa", h.rope.n_rot));
  if (window_rope.n_rot != window_head_size) {
    return keys.unsupported("rope.dimension_count_swa",
                            "the head size of layers with a window, " + std::to_string(window_head_size),
                            std::to_string(window_rope.n_rot));
  }
  TENON_ASSIGN(const int64_t window, keys.count("attention.sliding_window"));
  TENON_ASSIGN(const std::vector<bool> windowed,
               keys.layer_flags("attention.sliding_window_pattern", h.layers));
  TENON_ASSIGN(const int64_t sharing, keys.count_or_zero("attention.shared_kv_layers"));
  if (sharing > 0 && sharing + 2 > h.layers) {
    return keys.invalid("attention.shared_kv_layers", "at most " + std::to_string(h.layers - 2),
                        std::to_string(sharing));
  }
  const int64_t own = h.layers - sharing;
  for (int64_t layer = 0; layer < h.layers; ++layer) {
    const auto at = static_cast<size_t>(layer);
    LayerAttention attention;
    attention.kv_heads = kv_heads[at];
    attention.window = windowed[at] ? window : 0;
    attention.head_size = windowed[at] ? window_head_size : h.head_size;
    attention.rope = windowed[at] ? window_rope : h.rope;
    if (h.heads % attention.kv_heads != 0) {
      return keys.invalid("attention.head_count_kv", "divisors of the " + std::to_string(h.heads) + " heads",
                          std::to_string(attention.kv_heads));
    }
    if (layer >= own) attention.caches_of = own - (windowed[at] ? 2 : 1);
    h.attention.push_back(attention);
    if (!attention.caches_of) continue;
    const LayerAttention& source = h.attention[static_cast<size_t>(*attention.caches_of)];
    if (source.window == attention.window && source.kv_heads == attention.kv_heads) continue;
    return keys.unsupported(
        "attention.shared_kv_layers", "layers that share with one of their kind, of as many heads",
        "layer " + std::to_string(layer) + " on layer " + std::to_string(*attention.caches_of));
  }
  return {};
}

Result<Gemma4> read(const gguf::File& file) {
  Gemma4 out;
  TENON_ASSIGN(out.shared, read_common_hyperparameters(file));
  const ArchitectureKeys keys(file.metadata(), out.shared.architecture);
  TENON_RETURN_IF_ERROR(read_attention(keys, out.shared));
  TENON_ASSIGN(out.feed_forward, keys.layer_counts("feed_forward_length", out.shared.layers));
  TENON_ASSIGN(out.per_layer_width, keys.count_or_zero("embedding_length_per_layer_input"));
  TENON_ASSIGN(out.logit_softcap, keys.number("final_logit_softcapping", 0, kLogitSoftcap));
  TENON_ASSIGN(const int64_t experts, keys.count_or_zero("expert_count"));
  if (experts > 0) {
    TENON_ASSIGN(out.shared.experts, read_expert_counts(keys, out.shared.layers));
  }
  return out;
}

// The graph, piece by piece.
class Graph {
 public:
  Graph(Transformer& model, const Gemma4& family) : model_(model), graph_(model.graph), family_(family) {}

  Result<Edge> build() {
    const Hyperparameters& h = model_.hyperparameters;
    TENON_RETURN_IF_ERROR(require_rope_factors());
    TENON_ASSIGN(Edge x, token_embedding(model_));
    x = graph_.scale(x, std::sqrt(static_cast<float>(h.embedding)), "inp_scaled");
    if (family_.per_layer_width > 0) {
      TENON_ASSIGN(per_layer_, per_layer_embeddings(x));
    }
    for (int64_t layer = 0; layer < h.layers; ++layer) {
      TENON_ASSIGN(x, build_layer(x, layer));
    }
    return x;
  }

 private:
  Result<Edge> normed(Edge x, const std::string& name, int64_t layer) {
    return norm(model_, x, layer_tensor(name + ".weight", layer), layer_node(name, layer));
  }

  // Layers without a window turn by rope_freqs, which say what of a head is turned at all.
  Status require_rope_factors() {
    const auto& layers = model_.hyperparameters.attention;
    const auto full = std::ranges::find(layers, 0, &LayerAttention::window);
    if (full == layers.end()) return {};
    const Result<Edge> factors = model_.weights.vector(graph_, "rope_freqs.weight", full->rope.n_rot / 2);
    return factors.ok() ? Status() : factors.error();
  }

  // f32 [1, T, layers, P]: rows of a table of its own and a projection of x, normalised, mixed alike.
  Result<Edge> per_layer_embeddings(Edge x) {
    const Hyperparameters& h = model_.hyperparameters;
    const int64_t width = family_.per_layer_width;
    const std::string table_name = "per_layer_token_embd.weight",
                      projection_name = "per_layer_model_proj.weight";
    TENON_ASSIGN(const int64_t rows, model_.weights.rows("token_embd.weight"));
    TENON_ASSIGN(const Edge table, model_.weights.matrix(graph_, table_name, rows, width * h.layers));
    TENON_ASSIGN(const Edge projection,
                 model_.weights.matrix(graph_, projection_name, width * h.layers, h.embedding));
    const Axis tokens = graph_.type(x).axes[2];
    const std::vector<Axis> by_layer = {1, tokens, h.layers, {width, AxisRole::kChannel}};

    Edge rows_of_tokens = graph_.get_rows(table, model_.tokens, "inp_per_layer_rows");
    rows_of_tokens =
        graph_.scale(rows_of_tokens, std::sqrt(static_cast<float>(width)), "inp_per_layer_scaled");
    Edge projected = graph_.mul_mat(projection, x, "per_layer_proj");
    projected =
        graph_.scale(projected, 1.0f / std::sqrt(static_cast<float>(h.embedding)), "per_layer_proj_scaled");
    projected = graph_.reshape(projected, by_layer, "per_layer_proj_layers");
    TENON_ASSIGN(projected, norm(model_, projected, "per_layer_proj_norm.weight", "per_layer_proj_normed"));
    const Edge selected = graph_.reshape(rows_of_tokens, by_layer, "inp_per_layer_layers");
    const Edge sum = graph_.add(projected, selected, "inp_per_layer_sum");
    return graph_.scale(sum, 1.0f / std::sqrt(2.0f), "inp_per_layer");
  }

  Result<Edge> build_layer(Edge x, int64_t layer) {
    const bool last = layer == model_.hyperparameters.layers - 1;
    const AttentionFamily attention{.rope_mode = decoder::RopeMode::kNeox,
                                    .head_norms = true,
                                    .scale = 1.0,
                                    .value_norms = true,
                                    .keys_as_values = true};
    TENON_ASSIGN(Edge y, normed(x, "attn_norm", layer));
    TENON_ASSIGN(y, self_attention(model_, y, layer, attention));
    if (last) {
      y = graph_.get_rows(y, model_.output_rows, layer_node("attn_out_rows", layer));
      x = graph_.get_rows(x, model_.output_rows, layer_node("residual_rows", layer));
    }
    TENON_ASSIGN(y, normed(y, "post_attention_norm", layer));
    x = graph_.add(y, x, layer_node("sa_out", layer));
    TENON_ASSIGN(y, feed_forward(x, layer));
    TENON_ASSIGN(y, normed(y, "post_ffw_norm", layer));
    x = graph_.add(y, x, layer_node("ffn_residual", layer));
    if (per_layer_) {
      TENON_ASSIGN(x, add_per_layer_embedding(x, layer, last));
    }
    TENON_ASSIGN(const std::optional<Edge> scale,
                 model_.weights.optional_vector(graph_, layer_tensor("layer_output_scale.weight", layer), 1));
    return scale ? graph_.mul(x, *scale, layer_node("out_scaled", layer)) : x;
  }

  // A layer with a router has experts beside its dense network, each with norms of its own.
  Result<Edge> feed_forward(Edge x, int64_t layer) {
    TENON_ASSIGN(Edge dense, normed(x, "ffn_norm", layer));
    TENON_ASSIGN(dense,
                 geglu_feed_forward(model_, dense, layer, family_.feed_forward[static_cast<size_t>(layer)],
                                    ScalePlace::kBeforeBias));
    if (!model_.weights.contains(layer_tensor("ffn_gate_inp.weight", layer))) return dense;
    TENON_ASSIGN(dense, normed(dense, "post_ffw_norm_1", layer));
    TENON_ASSIGN(Edge routed, normed(x, "pre_ffw_norm_2", layer));
    TENON_ASSIGN(const Edge router, router_input(x, layer));
    const ExpertsFamily experts{Gating::kSoftmax, /*normalised=*/true, ExpertUnit::kGeglu};
    TENON_ASSIGN(routed,
                 expert_feed_forward(model_, routed, layer, experts, ScalePlace::kBeforeBias, router));
    TENON_ASSIGN(routed, normed(routed, "post_ffw_norm_2", layer));
    return graph_.add(dense, routed, layer_node("ffn_moe_combined", layer));
  }

  // x / rms(x) / sqrt(width) ∘ ffn_gate_inp.scale.
  Result<Edge> router_input(Edge x, int64_t layer) {
    const Hyperparameters& h = model_.hyperparameters;
    TENON_ASSIGN(const Edge scale,
                 model_.weights.vector(graph_, layer_tensor("ffn_gate_inp.scale", layer), h.embedding));
    x = graph_.rms_norm(x, h.rms_epsilon, layer_node("ffn_moe_router_rms", layer));
    x = graph_.scale(x, 1.0f / std::sqrt(static_cast<float>(h.embedding)),
                     layer_node("ffn_moe_router_scaled", layer));
    return graph_.mul(x, scale, layer_node("ffn_moe_router", layer));
  }

  Result<Edge> add_per_layer_embedding(Edge x, int64_t layer, bool last) {
    const int64_t width = family_.per_layer_width;
    const std::vector<Axis>& axes = graph_.type(*per_layer_).axes;
    Edge slice =
        graph_.view(*per_layer_, 2, layer, 1, {1, 1, axes[1], axes[3]}, layer_node("inp_this_layer", layer));
    if (last) slice = graph_.get_rows(slice, model_.output_rows, layer_node("inp_this_layer_rows", layer));
    TENON_ASSIGN(Edge y, linear(model_, x, layer, "inp_gate", width, "per_layer_gate"));
    y = graph_.mul(graph_.gelu(y, layer_node("per_layer_gelu", layer)), slice,
                   layer_node("per_layer_gated", layer));
    TENON_ASSIGN(y, linear(model_, y, layer, "proj", model_.hyperparameters.embedding, "per_layer_out"));
    TENON_ASSIGN(y, normed(y, "post_norm", layer));
    return graph_.add(x, y, layer_node("per_layer_sum", layer));
  }

  Transformer& model_;
  GraphBuilder& graph_;
  const Gemma4& family_;
  std::optional<Edge> per_layer_;  // f32 [1, T, layers, P]
};

}  // namespace

// Gemma 4: Gemma 3's norms around attention and feed-forward, values normalised, scores not scaled, heads of
// two sizes, late layers on the caches of earlier ones, an embedding for each layer, experts in the largest.
Result<std::unique_ptr<decoder::Decoder>> build_gemma4(std::shared_ptr<const gguf::File> file,
                                                       const BuildOptions& options) {
  TENON_ASSIGN(const Gemma4 family, read(*file));
  Transformer model = begin_transformer(std::move(file), options, family.shared);
  model.logit_softcap = family.logit_softcap;
  TENON_ASSIGN(const Edge x, Graph(model, family).build());
  return finish_transformer(std::move(model), x);
}

}  // namespace tenon::arch
