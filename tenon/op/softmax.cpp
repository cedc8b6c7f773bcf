#include "tenon/op/softmax.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tenon/op/element_access.h"
#include "tenon/op/shape_rule.h"

namespace tenon::op {

namespace {

InferredTypes infer(const ir::Inference& node) {
  TENON_RETURN_IF_ERROR(require_float(node, 0));
  const auto axis = normalize_axis(node, node.attributes<SoftmaxAttributes>().axis, node.type(0).rank());
  if (!axis.ok()) return axis.error();
  return infer_same_type(node);
}

Status reference(const ReferenceCall& call) {
  const TensorRef& x = call.inputs[0];
  const int64_t given = dynamic_cast<const SoftmaxAttributes&>(call.attributes).axis;
  const auto axis = static_cast<size_t>(given < 0 ? given + x.rank : given);
  TensorRef rows = x;
  rows.extent[axis] = std::min<int64_t>(x.extent[axis], 1);
  for_each_index(rows, [&](Index at) {
    const auto each = [&](auto f) {
      for (at[axis] = 0; at[axis] < x.extent[axis]; ++at[axis]) f();
    };
    double largest = -std::numeric_limits<double>::infinity();
    each([&] { largest = std::max(largest, load(x, at)); });
    double sum = 0;
    each([&] { sum += std::exp(load(x, at) - largest); });
    each([&] { store(call.outputs[0], at, std::exp(load(x, at) - largest) / sum); });
  });
  return {};
}

}  // namespace

const OpDefinition& softmax_op() {
  static const OpDefinition op{{.name = "Softmax",
                                .inputs = {{"x", ir::InputKind::kFloat}},
                                .make_attributes = ir::make_attributes<SoftmaxAttributes>,
                                .infer = infer},
                               reference};
  return op;
}

}  // namespace tenon::op
