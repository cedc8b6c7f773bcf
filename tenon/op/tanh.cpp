#include "tenon/op/elementwise.h"
#include "tenon/op/elementwise_rule.h"

namespace tenon::op {

const OpDefinition& tanh_op() {
  static const OpDefinition op{unary_schema("Tanh"), [](const ReferenceCall& call) {
                                 return apply_unary(call, [](double x) { return std::tanh(x); });
                               }};
  return op;
}

}  // namespace tenon::op
