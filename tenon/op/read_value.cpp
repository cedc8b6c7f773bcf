#include "tenon/op/read_value.h"

namespace tenon::op {

namespace {

Result<std::vector<TensorType>> infer(const ir::Inference& node) {
  const auto& attributes = node.attributes<ReadValueAttributes>();
  const TensorType& initial = node.type(0);
  const TensorType& type = attributes.type;
  if (attributes.variable.empty()) return node.error("a variable id", "none");
  bool fits = initial.element == type.element && initial.rank() == type.rank();
  for (int i = 0; fits && i < type.rank(); ++i) {
    fits = initial.dim(i).is_constant() && (!type.dim(i).is_constant() || type.dim(i) == initial.dim(i));
  }
  if (!fits) return node.error("an initial value for " + type.to_string(), initial.to_string());
  return std::vector<TensorType>{type};
}

}  // namespace

const OpDefinition& read_value_op() {
  static const OpDefinition op{{.name = "ReadValue",
                                .inputs = {{"initial"}},
                                .make_attributes = ir::make_attributes<ReadValueAttributes>,
                                .infer = infer}};
  return op;
}

}  // namespace tenon::op
