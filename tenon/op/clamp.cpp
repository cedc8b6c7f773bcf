#include "tenon/op/clamp.h"

#include <algorithm>

#include "tenon/op/elementwise_rule.h"

namespace tenon::op {

namespace {

Status reference(const ReferenceCall& call) {
  const auto& range = dynamic_cast<const ClampAttributes&>(call.attributes);
  return apply_unary(call, [&](double x) { return std::min(std::max(x, range.min), range.max); });
}

ir::OpSchema schema() {
  ir::OpSchema out = unary_schema("Clamp");
  out.make_attributes = ir::make_attributes<ClampAttributes>;
  return out;
}

}  // namespace

const OpDefinition& clamp_op() {
  static const OpDefinition op{schema(), reference};
  return op;
}

}  // namespace tenon::op
