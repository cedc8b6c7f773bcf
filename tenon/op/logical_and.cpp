#include "tenon/op/comparison.h"
#include "tenon/op/comparison_rule.h"
#include "tenon/op/shape_rule.h"

namespace tenon::op {

namespace {

InferredTypes infer(const ir::Inference& node) {
  for (int i = 0; i < 2; ++i) {
    if (node.type(i).element != ElementType::kBool) return node.error("bool", node.type(i).to_string());
  }
  TENON_ASSIGN(std::vector<Axis> axes, broadcast_axes(node, node.type(0).axes, node.type(1).axes));
  return std::vector<TensorType>{{ElementType::kBool, std::move(axes)}};
}

Status reference(const ReferenceCall& call) {
  return apply_comparison(call, [](auto a, auto b) { return a != 0 && b != 0; });
}

}  // namespace

const OpDefinition& logical_and_op() {
  static const OpDefinition op{{.name = "LogicalAnd",
                                .inputs = {{"a"}, {"b"}},
                                .elementwise = true,
                                .make_attributes = ir::make_attributes<ir::NoAttributes>,
                                .infer = infer},
                               reference};
  return op;
}

}  // namespace tenon::op
