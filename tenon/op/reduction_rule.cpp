#include "tenon/op/reduction_rule.h"

#include <algorithm>

#include "tenon/op/element_access.h"
#include "tenon/op/shape_rule.h"

namespace tenon::op {

namespace {

bool is_reduced(const ReductionAttributes& attributes, int axis, int rank) {
  return std::any_of(attributes.axes.begin(), attributes.axes.end(),
                     [&](int64_t given) { return given == axis || given == axis - rank; });
}

InferredTypes infer(const ir::Inference& node) {
  TENON_RETURN_IF_ERROR(require_float(node, 0));
  const auto& attributes = node.attributes<ReductionAttributes>();
  const TensorType& x = node.type(0);
  const auto axes = normalize_axes(node, attributes.axes, x.rank());
  if (!axes.ok()) return axes.error();
  TensorType out{x.element, {}};
  for (int i = 0; i < x.rank(); ++i) {
    if (!is_reduced(attributes, i, x.rank())) {
      out.axes.emplace_back(x.dim(i), x.role(i));
    } else if (attributes.keep_dims) {
      out.axes.emplace_back(1);
    }
  }
  return std::vector<TensorType>{out};
}

}  // namespace

ir::OpSchema reduction_schema(std::string_view name) {
  return {.name = name,
          .inputs = {{"x", ir::InputKind::kFloat}},
          .make_attributes = ir::make_attributes<ReductionAttributes>,
          .infer = infer};
}

std::vector<double> sums_over_axes(const ReferenceCall& call) {
  const auto& attributes = dynamic_cast<const ReductionAttributes&>(call.attributes);
  const TensorRef& x = call.inputs[0];
  std::vector<double> sums(static_cast<size_t>(call.outputs[0].element_count()));
  for_each_index(x, [&](const Index& at) {
    size_t place = 0;
    for (int i = 0; i < x.rank; ++i) {
      if (is_reduced(attributes, i, x.rank)) continue;
      place = place * static_cast<size_t>(x.extent[static_cast<size_t>(i)]) +
              static_cast<size_t>(at[static_cast<size_t>(i)]);
    }
    sums[place] += load(x, at);
  });
  return sums;
}

}  // namespace tenon::op
