#include "tenon/pass/state/recurrent.h"

#include <algorithm>

#include "tenon/op/read_value.h"

namespace tenon::pass {

bool has_recurrent_state(const ir::Model& model) {
  const std::vector<ir::Node*> nodes = model.topological_order();
  return std::any_of(nodes.begin(), nodes.end(), [](const ir::Node* node) {
    return node->is("ReadValue") &&
           node->attributes_as<op::ReadValueAttributes>().role == ir::ParameterRole::kRecurrentState;
  });
}

}  // namespace tenon::pass
