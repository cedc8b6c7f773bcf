#include "tenon/ir/verify.h"

#include <algorithm>
#include <set>

namespace tenon::ir {

namespace {

Error violation(const Node& node, std::string wanted, std::string found) {
  return {ErrorCode::kInvalidGraph, std::string(node.op()) + " '" + node.name() + "'", std::move(wanted),
          std::move(found), ""};
}

// Index inputs take integers (a float there is a value that lost its port).
Status check_index_inputs(const Node& node) {
  const std::vector<InputRule>& rules = node.schema().inputs;
  for (int i = 0; i < node.input_count(); ++i) {
    const InputRule& rule = rules[std::min(static_cast<size_t>(i), rules.size() - 1)];
    const Value input = node.input(i);
    const ElementType element = input.type().element;
    if (rule.kind == InputKind::kIndex && element != ElementType::kI32 && element != ElementType::kI64) {
      return violation(node, "i32 or i64 at input '" + std::string(rule.name) + "'", input.describe());
    }
    if (rule.kind == InputKind::kIndex && input.node().is("Convert") &&
        is_float(input.node().input(0).type().element)) {
      return violation(node, "an index input that was never a float at '" + std::string(rule.name) + "'",
                       input.node().input(0).describe() + " through " + input.describe());
    }
    if (rule.kind == InputKind::kFloat && !is_float(element) && !is_block(element)) {
      return violation(node, "a float type at input '" + std::string(rule.name) + "'", input.describe());
    }
  }
  return {};
}

std::vector<int> axes_from_right(const TensorType& type, AxisRole role) {
  std::vector<int> out;
  for (int i = 0; i < type.rank(); ++i) {
    if (type.role(i) == role) out.push_back(type.rank() - 1 - i);
  }
  return out;
}

// [1,T,…] + [T,1,…] would silently become [T,T,…]. Token × position (a mask being built) is no error.
Status check_token_broadcast(const Node& node) {
  if (!node.schema().elementwise) return {};
  for (int a = 0; a < node.input_count(); ++a) {
    for (int b = a + 1; b < node.input_count(); ++b) {
      const std::vector<int> left = axes_from_right(node.input(a).type(), AxisRole::kToken);
      const std::vector<int> right = axes_from_right(node.input(b).type(), AxisRole::kToken);
      if (left.empty() || right.empty() || left == right) continue;
      return violation(node, "tokens on the same axis of both inputs (this would broadcast token x token)",
                       node.input(a).describe() + " and " + node.input(b).describe());
    }
  }
  return {};
}

Status check_types(const Node& node) {
  Result<std::vector<TensorType>> types =
      node.schema().infer(Inference(node.op(), node.name(), node.attributes(), node.inputs()));
  if (!types.ok()) return std::move(types).error();
  if (static_cast<int>(types->size()) != node.port_count()) {
    return violation(node, std::to_string(types->size()) + " output ports",
                     std::to_string(node.port_count()));
  }
  for (int port = 0; port < node.port_count(); ++port) {
    const TensorType& inferred = (*types)[static_cast<size_t>(port)];
    if (inferred == node.port_type(port)) continue;
    return violation(node, "type " + inferred.to_string() + " at port " + std::to_string(port),
                     node.port_type(port).to_string());
  }
  return {};
}

// Inputs and outputs are bound by name.
template <class A>
Status check_names(const std::vector<Node*>& border) {
  std::set<std::string_view> names;
  for (const Node* node : border) {
    const std::string& name = node->attributes_as<A>().name;
    if (!names.insert(name).second) return violation(*node, "a name of its own", "a second '" + name + "'");
  }
  return {};
}

}  // namespace

Status verify(const Model& model, Stage stage) {
  for (const Node* node : model.topological_order()) {
    if (stage == Stage::kConverted && node->is("SetRows")) {
      return violation(*node, "no SetRows after conversion", "one that no pass and no lowering took");
    }
    TENON_RETURN_IF_ERROR(check_index_inputs(*node));
    TENON_RETURN_IF_ERROR(check_token_broadcast(*node));
    TENON_RETURN_IF_ERROR(check_types(*node));
  }
  TENON_RETURN_IF_ERROR(check_names<ParameterAttributes>(model.parameters()));
  return check_names<ResultAttributes>(model.results());
}

}  // namespace tenon::ir
