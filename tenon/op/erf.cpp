#include "tenon/op/elementwise.h"
#include "tenon/op/elementwise_rule.h"

namespace tenon::op {

const OpDefinition& erf_op() {
  static const OpDefinition op{unary_schema("Erf"), [](const ReferenceCall& call) {
                                 return apply_unary(call, [](double x) { return std::erf(x); });
                               }};
  return op;
}

}  // namespace tenon::op
