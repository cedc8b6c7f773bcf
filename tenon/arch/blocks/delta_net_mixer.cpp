#include "tenon/arch/blocks/delta_net_mixer.h"

#include <cmath>

#include "tenon/arch/blocks/causal_convolution.h"
#include "tenon/arch/blocks/channel_parts.h"
#include "tenon/arch/blocks/linear.h"

namespace tenon::arch {

using decoder::Edge;

namespace {

// x [1, T, H, D] / sqrt(sum of squares + epsilon), told as a norm whose mean is taken out again.
Edge unit_length(Transformer& model, Edge x, const std::string& name) {
  const auto size = static_cast<float>(model.graph.type(x).dim(3).value());
  const float epsilon = static_cast<float>(model.hyperparameters.rms_epsilon) / size;
  const Edge normed = model.graph.rms_norm(x, epsilon, name + ".rms");
  return model.graph.scale(normed, 1.0f / std::sqrt(size), name);
}

// The logarithm of what a head keeps: softplus(ssm_alpha x + bias) * ssm_a, [1, T, H, 1].
Result<Edge> forgetting(Transformer& model, Edge x, int64_t layer, int64_t heads) {
  GraphBuilder& graph = model.graph;
  TENON_ASSIGN(const Edge alpha, linear(model, x, layer, "ssm_alpha", heads, "alpha"));
  TENON_ASSIGN(const Edge bias, model.weights.vector(graph, layer_tensor("ssm_dt.bias", layer), heads));
  TENON_ASSIGN(const Edge decay, model.weights.vector(graph, layer_tensor("ssm_a", layer), heads));
  const Edge biased = graph.add(alpha, bias, layer_node("alpha_b", layer));
  const Edge step = graph.softplus(biased, layer_node("a_softplus", layer));
  return graph.split_heads(graph.mul(step, decay, layer_node("gate", layer)), heads,
                           layer_node("gate_heads", layer));
}

}  // namespace

Result<Edge> delta_net_mixer(Transformer& model, Edge x, int64_t layer, const SsmHyperparameters& ssm) {
  GraphBuilder& graph = model.graph;
  const auto node = [&](const char* name) { return layer_node(name, layer); };
  if (ssm.head_size() != ssm.state) {
    const ArchitectureKeys keys(model.file->metadata(), model.hyperparameters.architecture);
    return keys.unsupported(
        "ssm.inner_size", std::to_string(ssm.heads) + " heads of ssm.state_size " + std::to_string(ssm.state),
        std::to_string(ssm.inner));
  }
  TENON_ASSIGN(Edge mixed, linear(model, x, layer, "attn_qkv", ssm.channels(), "linear_attn_qkv_mixed"));
  TENON_ASSIGN(Edge z, linear(model, x, layer, "attn_gate", ssm.inner, "z"));
  TENON_ASSIGN(Edge beta, linear(model, x, layer, "ssm_beta", ssm.heads, "beta"));
  beta = graph.split_heads(graph.sigmoid(beta, node("beta_sigmoid")), ssm.heads, node("beta_heads"));
  TENON_ASSIGN(const Edge gate, forgetting(model, x, layer, ssm.heads));

  TENON_ASSIGN(mixed, causal_convolution(model, mixed, layer, ssm.kernel));
  ChannelParts parts(graph, graph.silu(mixed, node("conv_output_silu")));
  const int64_t keys = ssm.groups * ssm.state;
  Edge q = graph.split_heads(parts.next(keys, node("q_conv")), ssm.groups, node("q_conv_heads"));
  Edge k = graph.split_heads(parts.next(keys, node("k_conv")), ssm.groups, node("k_conv_heads"));
  const Edge v = graph.split_heads(parts.next(ssm.inner, node("v_conv")), ssm.heads, node("v_conv_heads"));
  q = unit_length(model, q, node("q_conv_predelta"));
  k = unit_length(model, k, node("k_conv_predelta"));

  const std::string name = "cache_s_l" + std::to_string(layer);
  const TensorType memory{
      ElementType::kF32,
      {1, {ssm.heads, AxisRole::kHead}, {ssm.state, AxisRole::kHeadSize}, {ssm.state, AxisRole::kChannel}}};
  const Edge before = graph.recurrent_state(name, memory, {layer});
  const GraphBuilder::Scan net = graph.gated_delta_net(q, k, v, gate, beta, before, node("delta_net"));
  model.caches.push_back({name, net.state});

  TENON_ASSIGN(Edge y, norm(model, net.output, layer_tensor("ssm_norm.weight", layer), node("ssm_norm")));
  z = graph.silu(graph.split_heads(z, ssm.heads, node("z_heads")), node("z_silu"));
  y = graph.merge_heads(graph.mul(y, z, node("attn_out_norm")), node("final_output"));
  return linear(model, y, layer, "ssm_out", model.hyperparameters.embedding, "linear_attn_out");
}

}  // namespace tenon::arch
