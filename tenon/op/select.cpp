#include "tenon/op/comparison.h"
#include "tenon/op/element_access.h"
#include "tenon/op/shape_rule.h"

namespace tenon::op {

namespace {

InferredTypes infer(const ir::Inference& node) {
  if (node.type(0).element != ElementType::kBool) {
    return node.error("a condition of bool", node.type(0).to_string());
  }
  TENON_RETURN_IF_ERROR(require_plain(node, 1));
  TENON_RETURN_IF_ERROR(require_same_element(node, 1, 2));
  TENON_ASSIGN(std::vector<Axis> axes, broadcast_axes(node, node.type(1).axes, node.type(2).axes));
  TENON_ASSIGN(axes, broadcast_axes(node, node.type(0).axes, axes));
  return std::vector<TensorType>{{node.type(1).element, std::move(axes)}};
}

Status reference(const ReferenceCall& call) {
  const TensorRef& out = call.outputs[0];
  const TensorRef& condition = call.inputs[0];
  for_each_index(out, [&](const Index& at) {
    const bool holds = load_integer(condition, broadcast_index(condition, at, out.rank)) != 0;
    const TensorRef& from = call.inputs[holds ? 1 : 2];
    copy_element(out, at, from, broadcast_index(from, at, out.rank));
  });
  return {};
}

}  // namespace

const OpDefinition& select_op() {
  static const OpDefinition op{{.name = "Select",
                                .inputs = {{"condition"}, {"a"}, {"b"}},
                                .elementwise = true,
                                .make_attributes = ir::make_attributes<ir::NoAttributes>,
                                .infer = infer},
                               reference};
  return op;
}

}  // namespace tenon::op
