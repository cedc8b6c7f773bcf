#include "tenon/op/build.h"
#include "tenon/op/elementwise.h"
#include "tenon/op/elementwise_rule.h"

namespace tenon::op {

namespace {

Status reference(const ReferenceCall& call) {
  return apply_unary(call, [](double x) { return x * sigmoid(x); });
}

Result<std::vector<ir::Value>> decompose(ir::Model& model, ir::Node& node) {
  Builder build(model, node.name());
  TENON_ASSIGN(ir::Value gate, build.add(sigmoid_op(), {node.input(0)}));
  TENON_ASSIGN(ir::Value out, build.add(multiply_op(), {node.input(0), gate}));
  return std::vector<ir::Value>{out};
}

}  // namespace

const OpDefinition& swish_op() {
  static const OpDefinition op{unary_schema("Swish"), reference, decompose};
  return op;
}

}  // namespace tenon::op
