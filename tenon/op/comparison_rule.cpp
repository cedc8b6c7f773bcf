#include "tenon/op/comparison_rule.h"

#include "tenon/op/shape_rule.h"

namespace tenon::op {

namespace {

InferredTypes infer(const ir::Inference& node) {
  TENON_RETURN_IF_ERROR(require_plain(node, 0));
  TENON_RETURN_IF_ERROR(require_same_element(node, 0, 1));
  TENON_ASSIGN(std::vector<Axis> axes, broadcast_axes(node, node.type(0).axes, node.type(1).axes));
  return std::vector<TensorType>{{ElementType::kBool, std::move(axes)}};
}

}  // namespace

ir::OpSchema comparison_schema(std::string_view name) {
  return {.name = name,
          .inputs = {{"a"}, {"b"}},
          .elementwise = true,
          .make_attributes = ir::make_attributes<ir::NoAttributes>,
          .infer = infer};
}

}  // namespace tenon::op
