#include "tenon/op/range.h"

#include "tenon/op/element_access.h"
#include "tenon/op/shape_rule.h"

namespace tenon::op {

namespace {

InferredTypes infer(const ir::Inference& node) {
  const ElementType element = node.attributes<RangeAttributes>().element;
  if (element != ElementType::kI32 && element != ElementType::kI64) {
    return node.error("element i32 or i64", std::string(name(element)));
  }
  const auto start = node.value(0), stop = node.value(1);
  if (!start || !stop || start->size() != 1 || stop->size() != 1) {
    return node.error("a start and a stop that are extents",
                      node.type(0).to_string() + " and " + node.type(1).to_string() + " of unknown value");
  }
  const AxisRole role = node.attributes<RangeAttributes>().tokens ? AxisRole::kToken : AxisRole::kNone;
  return std::vector<TensorType>{{element, {{stop->front() - start->front(), role}}}};
}

Status reference(const ReferenceCall& call) {
  const int64_t start = load_integer(call.inputs[0], {});
  for_each_index(call.outputs[0],
                 [&](const Index& at) { store_integer(call.outputs[0], at, start + at[0]); });
  return {};
}

}  // namespace

const OpDefinition& range_op() {
  static const OpDefinition op{{.name = "Range",
                                .inputs = {{"start", ir::InputKind::kIndex}, {"stop", ir::InputKind::kIndex}},
                                .make_attributes = ir::make_attributes<RangeAttributes>,
                                .infer = infer},
                               reference};
  return op;
}

}  // namespace tenon::op
