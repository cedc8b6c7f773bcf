#include "tenon/op/concat.h"

#include "tenon/op/element_access.h"
#include "tenon/op/shape_rule.h"

namespace tenon::op {

namespace {

AxisRole join_along(AxisRole a, AxisRole b) {
  const bool positions = (a == AxisRole::kPosition && b == AxisRole::kToken) ||
                         (a == AxisRole::kToken && b == AxisRole::kPosition);
  return positions ? AxisRole::kPosition : join_roles(a, b);
}

// A batch that only the run knows beside one that is declared: the declared one counts, and the symbol's
// bounds refuse another.
bool is_open_batch(const Axis& a, const Axis& b) {
  const auto open = [](const Axis& axis) {
    return axis.role == AxisRole::kBatch && axis.extent.symbol_name().has_value();
  };
  return (open(a) && b.extent.is_constant()) || (open(b) && a.extent.is_constant());
}

InferredTypes infer(const ir::Inference& node) {
  TENON_RETURN_IF_ERROR(require_plain(node, 0));
  TensorType out = node.type(0);
  TENON_ASSIGN(const int axis, normalize_axis(node, node.attributes<ConcatAttributes>().axis, out.rank()));
  for (int input = 1; input < node.input_count(); ++input) {
    TENON_RETURN_IF_ERROR(require_same_element(node, 0, input));
    TENON_RETURN_IF_ERROR(require_rank(node, input, out.rank()));
    for (int i = 0; i < out.rank(); ++i) {
      Axis& joined = out.axes[static_cast<size_t>(i)];
      const Axis& other = node.type(input).axes[static_cast<size_t>(i)];
      if (i == axis) {
        joined = Axis(joined.extent + other.extent, join_along(joined.role, other.role));
      } else if (joined.extent == other.extent || is_open_batch(joined, other)) {
        joined = Axis(joined.extent.is_constant() ? joined.extent : other.extent,
                      join_roles(joined.role, other.role));
      } else {
        return node.error("equal extents beside axis " + std::to_string(axis),
                          node.type(0).to_string() + " and " + node.type(input).to_string());
      }
    }
  }
  return std::vector<TensorType>{out};
}

Status reference(const ReferenceCall& call) {
  const TensorRef& out = call.outputs[0];
  const int64_t given = dynamic_cast<const ConcatAttributes&>(call.attributes).axis;
  const auto axis = static_cast<size_t>(given < 0 ? given + out.rank : given);
  int64_t start = 0;
  for (const TensorRef& part : call.inputs) {
    for_each_index(part, [&](const Index& at) {
      Index to = at;
      to[axis] += start;
      copy_element(out, to, part, at);
    });
    start += part.extent[axis];
  }
  return {};
}

}  // namespace

const OpDefinition& concat_op() {
  static const OpDefinition op{{.name = "Concat",
                                .inputs = {{"parts"}},
                                .variadic = true,
                                .make_attributes = ir::make_attributes<ConcatAttributes>,
                                .infer = infer},
                               reference};
  return op;
}

}  // namespace tenon::op
