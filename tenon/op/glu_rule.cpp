#include "tenon/op/glu_rule.h"

#include "tenon/op/shape_rule.h"

namespace tenon::op {

namespace {

InferredTypes infer(const ir::Inference& node) {
  TENON_RETURN_IF_ERROR(require_float(node, 0));
  TENON_RETURN_IF_ERROR(require_same_element(node, 0, 1));
  if (node.type(0).dims() != node.type(1).dims()) {
    return node.error("gate and up of one shape",
                      node.type(0).to_string() + " and " + node.type(1).to_string());
  }
  TENON_ASSIGN(std::vector<Axis> axes, broadcast_axes(node, node.type(0).axes, node.type(1).axes));
  return std::vector<TensorType>{{node.type(0).element, std::move(axes)}};
}

}  // namespace

ir::OpSchema glu_schema(std::string_view name) {
  return {.name = name,
          .inputs = {{"gate", ir::InputKind::kFloat}, {"up", ir::InputKind::kFloat}},
          .elementwise = true,
          .make_attributes = ir::make_attributes<ir::NoAttributes>,
          .infer = infer};
}

}  // namespace tenon::op
