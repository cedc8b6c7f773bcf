#include "tenon/arch/blocks/causal_convolution.h"

namespace tenon::arch {

using decoder::Edge;

Result<Edge> causal_convolution(Transformer& model, Edge x, int64_t layer, int64_t kernel) {
  GraphBuilder& graph = model.graph;
  const Axis channels = graph.type(x).axes[3];
  const Dim tokens = graph.type(x).dim(2), past(kernel - 1);
  TENON_ASSIGN(const Edge weight,
               model.weights.tensor(graph, layer_tensor("ssm_conv1d.weight", layer),
                                    {channels, {kernel, AxisRole::kNone}}, /*f32_only=*/true));
  const std::string name = "cache_r_l" + std::to_string(layer);
  const TensorType state{ElementType::kF32, {1, 1, channels, {past, AxisRole::kPosition}}};
  const Edge before = graph.recurrent_state(name, state, {layer});
  const Edge inputs = graph.concat(before, graph.transpose(x, layer_node("conv_x_transposed", layer)), 3,
                                   layer_node("conv_input", layer));
  model.caches.push_back({name, graph.view(inputs, 3, tokens, past, layer_node("conv_state", layer))});
  return graph.ssm_conv(inputs, weight, layer_node("conv_output", layer));
}

}  // namespace tenon::arch
