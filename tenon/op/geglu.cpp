#include "tenon/op/geglu.h"

#include "tenon/op/build.h"
#include "tenon/op/elementwise.h"
#include "tenon/op/gelu.h"
#include "tenon/op/glu_rule.h"

namespace tenon::op {

namespace {

Status reference(const ReferenceCall& call) {
  return apply_glu(call, [](double gate) { return gelu(GeluMode::kTanh, gate); });
}

Result<std::vector<ir::Value>> decompose(ir::Model& model, ir::Node& node) {
  Builder build(model, node.name());
  TENON_ASSIGN(ir::Value gate, build.add(gelu_op(), {node.input(0)}, GeluAttributes()));
  TENON_ASSIGN(ir::Value out, build.add(multiply_op(), {gate, node.input(1)}));
  return std::vector<ir::Value>{out};
}

}  // namespace

const OpDefinition& geglu_op() {
  static const OpDefinition op{glu_schema("GeGLU"), reference, decompose};
  return op;
}

}  // namespace tenon::op
