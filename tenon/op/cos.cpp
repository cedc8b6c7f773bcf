#include "tenon/op/elementwise.h"
#include "tenon/op/elementwise_rule.h"

namespace tenon::op {

const OpDefinition& cos_op() {
  static const OpDefinition op{unary_schema("Cos"), [](const ReferenceCall& call) {
                                 return apply_unary(call, [](double x) { return std::cos(x); });
                               }};
  return op;
}

}  // namespace tenon::op
