#include "tenon/arch/blocks/linear.h"

namespace tenon::arch {

using decoder::Edge;

Result<Edge> linear(Transformer& model, Edge x, int64_t layer, const std::string& tensor, int64_t width,
                    const std::string& node) {
  const int64_t columns = model.graph.type(x).dim(-1).value();
  TENON_ASSIGN(const Edge weight,
               model.weights.matrix(model.graph, layer_tensor(tensor + ".weight", layer), width, columns));
  const Edge product = model.graph.mul_mat(weight, x, layer_node(node, layer));
  return add_optional_bias(model, product, layer_tensor(tensor + ".bias", layer),
                           layer_node(node + "_b", layer));
}

Result<Edge> add_optional_bias(Transformer& model, Edge x, const std::string& bias, std::string node) {
  const int64_t extent = model.graph.type(x).dim(-1).value();
  TENON_ASSIGN(const std::optional<Edge> tensor, model.weights.optional_vector(model.graph, bias, extent));
  return tensor ? model.graph.add(x, *tensor, std::move(node)) : x;
}

Result<Edge> norm(Transformer& model, Edge x, const std::string& weight, std::string node) {
  const int64_t extent = model.graph.type(x).dim(-1).value();
  TENON_ASSIGN(const Edge scale, model.weights.vector(model.graph, weight, extent));
  const Edge normalised = model.graph.rms_norm(x, model.hyperparameters.rms_epsilon, node + ".rms");
  return model.graph.mul(normalised, scale, std::move(node));
}

}  // namespace tenon::arch
