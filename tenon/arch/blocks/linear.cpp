#include "tenon/arch/blocks/linear.h"

namespace tenon::arch {

using decoder::Edge;

namespace {

Result<Edge> multiply_optional_scale(Transformer& model, Edge x, const std::string& scale, std::string node) {
  TENON_ASSIGN(const std::optional<Edge> tensor, model.weights.optional_vector(model.graph, scale, 1));
  return tensor ? model.graph.mul(x, *tensor, std::move(node)) : x;
}

}  // namespace

Result<Edge> linear(Transformer& model, Edge x, int64_t layer, const std::string& tensor, int64_t width,
                    const std::string& node, ScalePlace place) {
  const int64_t columns = model.graph.type(x).dim(-1).value();
  TENON_ASSIGN(const Edge weight,
               model.weights.matrix(model.graph, layer_tensor(tensor + ".weight", layer), width, columns));
  const std::string scale = layer_tensor(tensor + ".scale", layer), scaled = layer_node(node + "_s", layer);
  model.weights.leave_out(
      layer_tensor(tensor + ".input_scale", layer));  // of activations that others quantise
  if (place == ScalePlace::kNowhere) model.weights.leave_out(scale);

  Edge y = model.graph.mul_mat(weight, x, layer_node(node, layer));
  if (place == ScalePlace::kBeforeBias) {
    TENON_ASSIGN(y, multiply_optional_scale(model, y, scale, scaled));
  }
  TENON_ASSIGN(
      y, add_optional_bias(model, y, layer_tensor(tensor + ".bias", layer), layer_node(node + "_b", layer)));
  if (place == ScalePlace::kAfterBias) {
    TENON_ASSIGN(y, multiply_optional_scale(model, y, scale, scaled));
  }
  return y;
}

Result<Edge> add_optional_bias(Transformer& model, Edge x, const std::string& bias, std::string node) {
  const int64_t extent = model.graph.type(x).dim(-1).value();
  TENON_ASSIGN(const std::optional<Edge> tensor, model.weights.optional_vector(model.graph, bias, extent));
  return tensor ? model.graph.add(x, *tensor, std::move(node)) : x;
}

Result<Edge> norm(Transformer& model, Edge x, const std::string& weight, std::string node) {
  TENON_ASSIGN(const Edge scale, model.weights.tensor(model.graph, weight, {model.graph.type(x).axes.back()},
                                                      /*f32_only=*/true));
  const Edge normalised = model.graph.rms_norm(x, model.hyperparameters.rms_epsilon, node + ".rms");
  return model.graph.mul(normalised, scale, std::move(node));
}

}  // namespace tenon::arch
