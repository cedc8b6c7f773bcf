#include "tenon/op/variadic_split.h"

#include "tenon/op/element_access.h"
#include "tenon/op/shape_rule.h"

namespace tenon::op {

namespace {

InferredTypes infer(const ir::Inference& node) {
  TENON_RETURN_IF_ERROR(require_plain(node, 0));
  const TensorType& data = node.type(0);
  TENON_ASSIGN(const int axis,
               normalize_axis(node, node.attributes<VariadicSplitAttributes>().axis, data.rank()));
  std::optional<std::vector<Dim>> lengths = node.value(1);
  if (!lengths || lengths->empty()) {
    return node.error("lengths that are known at conversion", node.type(1).to_string());
  }
  Dim known(0);
  Dim* rest = nullptr;
  for (Dim& length : *lengths) {
    if (length != Dim(-1)) {
      known = known + length;
    } else if (rest) {
      return node.error("one length of -1 at most", "two");
    } else {
      rest = &length;
    }
  }
  if (rest) {
    *rest = data.dim(axis) - known;
  } else if (known != data.dim(axis)) {
    return node.error("lengths that add up to " + data.dim(axis).to_string(), known.to_string());
  }
  std::vector<TensorType> parts;
  for (const Dim& length : *lengths) {
    if (length.is_constant() && length.value() < 0) {
      return node.error("lengths within " + data.dim(axis).to_string(), "a part of " + length.to_string());
    }
    parts.push_back(data);
    parts.back().axes[static_cast<size_t>(axis)].extent = length;
  }
  return parts;
}

Status reference(const ReferenceCall& call) {
  const TensorRef& data = call.inputs[0];
  const int64_t given = dynamic_cast<const VariadicSplitAttributes&>(call.attributes).axis;
  const auto axis = static_cast<size_t>(given < 0 ? given + data.rank : given);
  int64_t start = 0;
  for (const TensorRef& part : call.outputs) {
    for_each_index(part, [&](const Index& at) {
      Index from = at;
      from[axis] += start;
      copy_element(part, at, data, from);
    });
    start += part.extent[axis];
  }
  return {};
}

// The lengths are known from the types.
bool reads(const ir::Attributes&, int input) { return input == 0; }

}  // namespace

const OpDefinition& variadic_split_op() {
  static const OpDefinition op{{.name = "VariadicSplit",
                                .inputs = {{"data"}, {"lengths", ir::InputKind::kIndex}},
                                .make_attributes = ir::make_attributes<VariadicSplitAttributes>,
                                .infer = infer},
                               reference,
                               nullptr,
                               reads};
  return op;
}

}  // namespace tenon::op
