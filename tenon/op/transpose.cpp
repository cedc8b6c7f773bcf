#include "tenon/op/transpose.h"

#include "tenon/op/element_access.h"
#include "tenon/op/shape_rule.h"

namespace tenon::op {

namespace {

InferredTypes infer(const ir::Inference& node) {
  TENON_RETURN_IF_ERROR(require_plain(node, 0));
  const TensorType& x = node.type(0);
  const std::optional<std::vector<Dim>> order = node.value(1);
  if (!order || static_cast<int>(order->size()) != x.rank()) {
    return node.error("a constant order of " + std::to_string(x.rank()) + " axes", node.type(1).to_string());
  }
  TensorType out{x.element, {}};
  std::vector<bool> taken(order->size());
  for (const Dim& dim : *order) {
    const int64_t axis = dim.try_value().value_or(-1);
    if (axis < 0 || axis >= x.rank() || taken[static_cast<size_t>(axis)]) {
      return node.error("a permutation of " + std::to_string(x.rank()) + " axes", "axis " + dim.to_string());
    }
    taken[static_cast<size_t>(axis)] = true;
    out.axes.push_back(x.axes[static_cast<size_t>(axis)]);
  }
  return std::vector<TensorType>{out};
}

Status reference(const ReferenceCall& call) {
  const TensorRef& out = call.outputs[0];
  for_each_index(out, [&](const Index& at) {
    Index from{};
    for (int64_t i = 0; i < out.rank; ++i) {
      from[static_cast<size_t>(load_integer(call.inputs[1], {i}))] = at[static_cast<size_t>(i)];
    }
    copy_element(out, at, call.inputs[0], from);
  });
  return {};
}

}  // namespace

const OpDefinition& transpose_op() {
  static const OpDefinition op{{.name = "Transpose",
                                .inputs = {{"x"}, {"order", ir::InputKind::kIndex}},
                                .make_attributes = ir::make_attributes<ir::NoAttributes>,
                                .infer = infer},
                               reference};
  return op;
}

}  // namespace tenon::op
