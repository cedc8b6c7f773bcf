#include "tenon/op/swiglu.h"

#include "tenon/op/build.h"
#include "tenon/op/elementwise.h"
#include "tenon/op/elementwise_rule.h"
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

Status reference(const ReferenceCall& call) {
  const TensorRef& out = call.outputs[0];
  for_each_index(out, [&](const Index& at) {
    const double gate = load(call.inputs[0], at);
    store(out, at, gate * sigmoid(gate) * load(call.inputs[1], at));
  });
  return {};
}

Result<std::vector<ir::Value>> decompose(ir::Model& model, ir::Node& node) {
  Builder build(model, node.name());
  TENON_ASSIGN(ir::Value gate, build.add(swish_op(), {node.input(0)}));
  TENON_ASSIGN(ir::Value out, build.add(multiply_op(), {gate, node.input(1)}));
  return std::vector<ir::Value>{out};
}

}  // namespace

const OpDefinition& swiglu_op() {
  static const OpDefinition op{{.name = "SwiGLU",
                                .inputs = {{"gate", ir::InputKind::kFloat}, {"up", ir::InputKind::kFloat}},
                                .elementwise = true,
                                .make_attributes = ir::make_attributes<ir::NoAttributes>,
                                .infer = infer},
                               reference,
                               decompose};
  return op;
}

}  // namespace tenon::op
