#include "tenon/op/assign.h"

namespace tenon::op {

namespace {

Result<std::vector<TensorType>> infer(const ir::Inference& node) {
  if (node.attributes<AssignAttributes>().variable.empty()) return node.error("a variable id", "none");
  return std::vector<TensorType>{};
}

}  // namespace

const OpDefinition& assign_op() {
  static const OpDefinition op{{.name = "Assign",
                                .inputs = {{"value"}},
                                .sink = true,
                                .make_attributes = ir::make_attributes<AssignAttributes>,
                                .infer = infer}};
  return op;
}

}  // namespace tenon::op
