#include "tenon/op/swiglu_oai.h"

#include <algorithm>

#include "tenon/op/build.h"
#include "tenon/op/clamp.h"
#include "tenon/op/elementwise.h"
#include "tenon/op/elementwise_rule.h"
#include "tenon/op/glu_rule.h"

namespace tenon::op {

namespace {

Status reference(const ReferenceCall& call) {
  const auto& [alpha, limit] = dynamic_cast<const SwigluOaiAttributes&>(call.attributes);
  const TensorRef& out = call.outputs[0];
  for_each_index(out, [&, alpha = alpha, limit = limit](const Index& at) {
    const double gate = std::min(load(call.inputs[0], at), limit);
    const double up = std::clamp(load(call.inputs[1], at), -limit, limit);
    store(out, at, gate * sigmoid(alpha * gate) * (up + 1));
  });
  return {};
}

Result<std::vector<ir::Value>> decompose(ir::Model& model, ir::Node& node) {
  Builder build(model, node.name());
  const auto& attributes = node.attributes_as<SwigluOaiAttributes>();
  ClampAttributes below, within;
  below.max = within.max = attributes.limit;
  within.min = -attributes.limit;
  TENON_ASSIGN(ir::Value gate, build.convert(node.input(0), ElementType::kF32));
  TENON_ASSIGN(ir::Value up, build.convert(node.input(1), ElementType::kF32));
  TENON_ASSIGN(gate, build.add(clamp_op(), {gate}, below));
  TENON_ASSIGN(up, build.add(clamp_op(), {up}, within));
  TENON_ASSIGN(ir::Value steep, build.add(multiply_op(), {gate, build.scalar(attributes.alpha)}));
  TENON_ASSIGN(ir::Value open, build.add(sigmoid_op(), {steep}));
  TENON_ASSIGN(gate, build.add(multiply_op(), {gate, open}));
  TENON_ASSIGN(up, build.add(add_op(), {up, build.scalar(1)}));
  TENON_ASSIGN(ir::Value product, build.add(multiply_op(), {gate, up}));
  TENON_ASSIGN(ir::Value out, build.convert(product, node.port_type(0).element));
  return std::vector<ir::Value>{out};
}

ir::OpSchema schema() {
  ir::OpSchema out = glu_schema("SwiGLUOai");
  out.make_attributes = ir::make_attributes<SwigluOaiAttributes>;
  return out;
}

}  // namespace

const OpDefinition& swiglu_oai_op() {
  static const OpDefinition op{schema(), reference, decompose};
  return op;
}

}  // namespace tenon::op
