#include "tenon/op/ssm_conv.h"

#include "tenon/op/element_access.h"
#include "tenon/op/shape_rule.h"

namespace tenon::op {

namespace {

InferredTypes infer(const ir::Inference& node) {
  for (const int input : {0, 1}) {
    if (node.type(input).element != ElementType::kF32)
      return node.error("f32 at input " + std::to_string(input), node.type(input).to_string());
  }
  TENON_RETURN_IF_ERROR(require_rank(node, 0, 4));
  TENON_RETURN_IF_ERROR(require_rank(node, 1, 2));
  TENON_ASSIGN(const int64_t kernel, require_static(node, 1, 1));
  const TensorType& x = node.type(0);
  if (node.type(1).dim(0) != x.dim(2)) {
    return node.error("a weight of the " + x.dim(2).to_string() + " channels of x", node.type(1).to_string());
  }
  const Dim tokens = x.dim(3) - Dim(kernel - 1);
  if (tokens.is_constant() && tokens.value() < 0)
    return node.error("at least " + std::to_string(kernel - 1) + " inputs", x.to_string());
  return std::vector<TensorType>{
      {ElementType::kF32, {x.axes[0], x.axes[1], Axis(tokens, AxisRole::kToken), x.axes[2]}}};
}

Status reference(const ReferenceCall& call) {
  const TensorRef &x = call.inputs[0], &weight = call.inputs[1], &out = call.outputs[0];
  for_each_index(out, [&](const Index& at) {
    double sum = 0;
    for (int64_t k = 0; k < weight.extent[1]; ++k)
      sum += load(x, {at[0], at[1], at[3], at[2] + k}) * load(weight, {at[3], k});
    store(out, at, sum);
  });
  return {};
}

}  // namespace

const OpDefinition& ssm_conv_op() {
  static const OpDefinition op{{.name = "SsmConv",
                                .inputs = {{"x", ir::InputKind::kFloat}, {"weight", ir::InputKind::kFloat}},
                                .make_attributes = ir::make_attributes<ir::NoAttributes>,
                                .infer = infer},
                               reference};
  return op;
}

}  // namespace tenon::op
