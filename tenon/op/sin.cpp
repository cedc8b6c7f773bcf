#include "tenon/op/elementwise.h"
#include "tenon/op/elementwise_rule.h"

namespace tenon::op {

const OpDefinition& sin_op() {
  static const OpDefinition op{unary_schema("Sin"), [](const ReferenceCall& call) {
                                 return apply_unary(call, [](double x) { return std::sin(x); });
                               }};
  return op;
}

}  // namespace tenon::op
