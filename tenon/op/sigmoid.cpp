#include "tenon/op/elementwise.h"
#include "tenon/op/elementwise_rule.h"

namespace tenon::op {

const OpDefinition& sigmoid_op() {
  static const OpDefinition op{unary_schema("Sigmoid"), [](const ReferenceCall& call) {
                                 return apply_unary(call, [](double x) { return sigmoid(x); });
                               }};
  return op;
}

}  // namespace tenon::op
