#include "tenon/plan/border.h"

#include "tenon/op/assign.h"
#include "tenon/op/read_value.h"

namespace tenon::plan {

namespace {

std::vector<ir::Node*> with_nodes_of(std::vector<ir::Node*> nodes, const ir::Model& model,
                                     std::string_view op) {
  for (ir::Node* const node : model.topological_order()) {
    if (node->is(op)) nodes.push_back(node);
  }
  return nodes;
}

}  // namespace

bool is_border(const ir::Node& node) {
  return node.is("Parameter") || node.is("Constant") || node.is("Result") || node.is("ReadValue") ||
         node.is("Assign");
}

std::vector<ir::Node*> border_inputs(const ir::Model& model) {
  return with_nodes_of(model.parameters(), model, "ReadValue");
}

std::vector<ir::Node*> border_outputs(const ir::Model& model) {
  return with_nodes_of(model.results(), model, "Assign");
}

ir::ParameterAttributes input_attributes(const ir::Node& input) {
  if (input.is("Parameter")) return input.attributes_as<ir::ParameterAttributes>();
  const auto& variable = input.attributes_as<op::ReadValueAttributes>();
  ir::ParameterAttributes out;
  out.name = variable.variable;
  out.type = variable.type;
  out.role = variable.role;
  out.layer = variable.layer;
  return out;
}

const std::string& output_name(const ir::Node& output) {
  return output.is("Assign") ? output.attributes_as<op::AssignAttributes>().variable
                             : output.attributes_as<ir::ResultAttributes>().name;
}

}  // namespace tenon::plan
