#include "tenon/arch/blocks/mamba2_mixer.h"

#include "tenon/arch/blocks/causal_convolution.h"
#include "tenon/arch/blocks/channel_parts.h"
#include "tenon/arch/blocks/linear.h"

namespace tenon::arch {

using decoder::Edge;

namespace {

// xbc [1, 1, T, channels] as x, B and C, and dt [1, 1, T, heads] -> [1, 1, T, inner].
Result<Edge> scan(Transformer& model, Edge xbc, Edge dt, int64_t layer, const SsmHyperparameters& ssm) {
  GraphBuilder& graph = model.graph;
  const auto node = [&](const char* name) { return layer_node(name, layer); };
  ChannelParts parts(graph, xbc);
  const Edge x = graph.split_heads(parts.next(ssm.inner, node("scan_x")), ssm.heads, node("scan_x_heads"));
  const int64_t width = ssm.groups * ssm.state;
  const Edge b = graph.split_heads(parts.next(width, node("scan_b")), ssm.groups, node("scan_b_groups"));
  const Edge c = graph.split_heads(parts.next(width, node("scan_c")), ssm.groups, node("scan_c_groups"));

  const std::vector<Axis> of_heads = {{ssm.heads, AxisRole::kHead}, 1};
  TENON_ASSIGN(const Edge a,
               model.weights.tensor(graph, layer_tensor("ssm_a", layer), of_heads, /*f32_only=*/true));
  TENON_ASSIGN(const Edge d,
               model.weights.tensor(graph, layer_tensor("ssm_d", layer), of_heads, /*f32_only=*/true));
  const std::string name = "cache_s_l" + std::to_string(layer);
  const TensorType memory{ElementType::kF32,
                          {1,
                           {ssm.heads, AxisRole::kHead},
                           {ssm.head_size(), AxisRole::kHeadSize},
                           {ssm.state, AxisRole::kChannel}}};
  const Edge before = graph.recurrent_state(name, memory, {layer});
  const GraphBuilder::Scan scanned = graph.ssm_scan(before, x, dt, a, b, c, node("scan"));
  model.caches.push_back({name, scanned.state});
  const Edge y = graph.add(scanned.output, graph.mul(x, d, node("scan_d")), node("mamba2_y_add_d"));
  return graph.merge_heads(y, node("scan_merged"));
}

}  // namespace

Result<Edge> mamba2_mixer(Transformer& model, Edge x, int64_t layer, const SsmHyperparameters& ssm) {
  GraphBuilder& graph = model.graph;
  const auto node = [&](const char* name) { return layer_node(name, layer); };
  TENON_ASSIGN(const Edge projected,
               linear(model, x, layer, "ssm_in", ssm.inner + ssm.channels() + ssm.heads, "ssm_in"));
  ChannelParts parts(graph, projected);
  const Edge gate = parts.next(ssm.inner, node("z"));
  Edge xbc = parts.next(ssm.channels(), node("xBC"));
  Edge dt = parts.next(ssm.heads, node("dt"));

  TENON_ASSIGN(xbc, causal_convolution(model, xbc, layer, ssm.kernel));
  TENON_ASSIGN(const Edge conv_bias,
               model.weights.vector(graph, layer_tensor("ssm_conv1d.bias", layer), ssm.channels()));
  xbc = graph.silu(graph.add(xbc, conv_bias, node("conv_output_b")), node("conv_output_silu"));
  TENON_ASSIGN(const Edge dt_bias,
               model.weights.vector(graph, layer_tensor("ssm_dt.bias", layer), ssm.heads));
  dt = graph.add(dt, dt_bias, node("dt_b"));

  TENON_ASSIGN(Edge y, scan(model, xbc, dt, layer, ssm));
  y = graph.swiglu(gate, y, node("gated"));
  const int64_t group_size = ssm.inner / ssm.groups;
  TENON_ASSIGN(const Edge scale,
               model.weights.tensor(graph, layer_tensor("ssm_norm.weight", layer),
                                    {{ssm.groups, AxisRole::kHead}, {group_size, AxisRole::kHeadSize}},
                                    /*f32_only=*/true));
  y = graph.split_heads(y, ssm.groups, node("gated_groups"));
  y = graph.rms_norm(y, model.hyperparameters.rms_epsilon, node("ssm_norm.rms"));
  y = graph.merge_heads(graph.mul(y, scale, node("ssm_norm")), node("ssm_norm_merged"));
  return linear(model, y, layer, "ssm_out", model.hyperparameters.embedding, "mamba_out");
}

}  // namespace tenon::arch
