#include "tenon/op/elementwise_rule.h"

#include "tenon/op/shape_rule.h"

namespace tenon::op {

namespace {

InferredTypes infer_binary(const ir::Inference& node) {
  TENON_RETURN_IF_ERROR(require_plain(node, 0));
  TENON_RETURN_IF_ERROR(require_same_element(node, 0, 1));
  TENON_ASSIGN(std::vector<Axis> axes, broadcast_axes(node, node.type(0).axes, node.type(1).axes));
  return std::vector<TensorType>{{node.type(0).element, std::move(axes)}};
}

InferredTypes infer_float_binary(const ir::Inference& node) {
  TENON_RETURN_IF_ERROR(require_float(node, 0));
  return infer_binary(node);
}

InferredTypes infer_unary(const ir::Inference& node) {
  TENON_RETURN_IF_ERROR(require_float(node, 0));
  return infer_same_type(node);
}

}  // namespace

ir::OpSchema binary_schema(std::string_view name, bool floats_only) {
  return {.name = name,
          .inputs = {{"a"}, {"b"}},
          .elementwise = true,
          .make_attributes = ir::make_attributes<ir::NoAttributes>,
          .infer = floats_only ? infer_float_binary : infer_binary};
}

ir::OpSchema unary_schema(std::string_view name) {
  return {.name = name,
          .inputs = {{"x", ir::InputKind::kFloat}},
          .elementwise = true,
          .make_attributes = ir::make_attributes<ir::NoAttributes>,
          .infer = infer_unary};
}

}  // namespace tenon::op
