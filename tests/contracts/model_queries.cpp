#include "tests/contracts/model_queries.h"

namespace tenon::contracts {

std::vector<std::string> input_names(const ir::Model& model) {
  std::vector<std::string> out;
  for (const ir::Node* node : model.parameters())
    out.push_back(node->attributes_as<ir::ParameterAttributes>().name);
  return out;
}

ir::Node* find_op(const ir::Model& model, std::string_view op) {
  for (ir::Node* const node : model.topological_order()) {
    if (node->is(op)) return node;
  }
  return nullptr;
}

}  // namespace tenon::contracts
