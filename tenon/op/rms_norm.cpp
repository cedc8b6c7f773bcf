#include "tenon/op/rms_norm.h"

#include <cmath>

#include "tenon/op/build.h"
#include "tenon/op/element_access.h"
#include "tenon/op/elementwise.h"
#include "tenon/op/reduce_mean.h"
#include "tenon/op/shape_rule.h"

namespace tenon::op {

namespace {

InferredTypes infer(const ir::Inference& node) {
  const TensorType& x = node.type(0);
  if (x.element != ElementType::kF32 || x.rank() < 1) {
    return node.error("x f32 of rank 1 or more", x.to_string());
  }
  if (node.input_count() == 2) {
    const TensorType& weight = node.type(1);
    if (weight.element != ElementType::kF32 || weight.dims() != std::vector<Dim>{x.dim(-1)}) {
      return node.error("a weight f32[" + x.dim(-1).to_string() + "]", weight.to_string());
    }
  }
  return infer_same_type(node);
}

Status reference(const ReferenceCall& call) {
  const double epsilon = dynamic_cast<const RmsNormAttributes&>(call.attributes).epsilon;
  const TensorRef& x = call.inputs[0];
  const auto last = static_cast<size_t>(x.rank - 1);
  for_each_index(x, x.rank - 1, [&](Index at) {
    const std::vector<double> row = load_row(x, at);
    double squares = 0;
    for (const double value : row) squares += value * value;
    const double scale = 1 / std::sqrt(squares / static_cast<double>(row.size()) + epsilon);
    for (size_t i = 0; i < row.size(); ++i) {
      at[last] = static_cast<int64_t>(i);
      const double weight = call.inputs.size() == 2 ? load(call.inputs[1], {at[last]}) : 1;
      store(call.outputs[0], at, row[i] * scale * weight);
    }
  });
  return {};
}

Result<std::vector<ir::Value>> decompose(ir::Model& model, ir::Node& node) {
  Builder build(model, node.name());
  const ir::Value x = node.input(0);
  TENON_ASSIGN(ir::Value square, build.add(multiply_op(), {x, x}));
  ReductionAttributes last_axis;
  last_axis.axes = {-1};
  TENON_ASSIGN(ir::Value mean, build.add(reduce_mean_op(), {square}, last_axis));
  const double epsilon = node.attributes_as<RmsNormAttributes>().epsilon;
  TENON_ASSIGN(ir::Value shifted, build.add(add_op(), {mean, build.scalar(epsilon)}));
  TENON_ASSIGN(ir::Value root, build.add(sqrt_op(), {shifted}));
  TENON_ASSIGN(ir::Value out, build.add(divide_op(), {x, root}));
  if (node.input_count() == 2) {
    TENON_ASSIGN(out, build.add(multiply_op(), {out, node.input(1)}));
  }
  return std::vector<ir::Value>{out};
}

}  // namespace

const OpDefinition& rms_norm_op() {
  static const OpDefinition op{
      {.name = "RMSNorm",
       .inputs = {{"x", ir::InputKind::kFloat}, {"weight", ir::InputKind::kFloat, true}},
       .make_attributes = ir::make_attributes<RmsNormAttributes>,
       .infer = infer},
      reference,
      decompose};
  return op;
}

}  // namespace tenon::op
