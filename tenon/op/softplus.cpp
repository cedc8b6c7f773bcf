#include "tenon/op/elementwise.h"
#include "tenon/op/elementwise_rule.h"

namespace tenon::op {

const OpDefinition& softplus_op() {
  static const OpDefinition op{unary_schema("SoftPlus"), [](const ReferenceCall& call) {
                                 return apply_unary(call, [](double x) { return softplus(x); });
                               }};
  return op;
}

}  // namespace tenon::op
