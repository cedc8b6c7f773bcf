#include "tenon/op/elementwise.h"
#include "tenon/op/elementwise_rule.h"

namespace tenon::op {

const OpDefinition& sqrt_op() {
  static const OpDefinition op{unary_schema("Sqrt"), [](const ReferenceCall& call) {
                                 return apply_unary(call, [](double x) { return std::sqrt(x); });
                               }};
  return op;
}

}  // namespace tenon::op
